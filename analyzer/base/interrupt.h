// SPDX-License-Identifier: BSD-3-Clause
// While something half-done must not be left behind: SIGINT, SIGTERM and SIGHUP are noted, not
// obeyed, so that the work can look now and then, clean up and end.
#ifndef PAGODA_BASE_INTERRUPT_H
#define PAGODA_BASE_INTERRUPT_H

#include <stdbool.h>

/// From here on signals are noted; ignored ones stay ignored. Calls do not nest.
void interrupt_begin(void);
bool interrupt_has_come(void);
/// The signals do what they did before.
void interrupt_end(void);

#endif
