// SPDX-License-Identifier: BSD-3-Clause
// A progress bar on stderr for work that takes more than a second, when stderr is a terminal. It
// takes its line away when the work is done.
#ifndef PAGODA_BASE_PROGRESS_H
#define PAGODA_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *label;
    uint64_t total; // 0: unknown, nothing is shown
    uint64_t begin_ns, next_ns;
    bool is_terminal, is_shown;
};

/// Begins work of TOTAL units; LABEL stays the caller's.
void progress_begin(struct progress *progress, const char *label, uint64_t total);

/// DONE units are done. Cheap enough to be called some thousand times a second.
void progress_update(struct progress *progress, uint64_t done);

void progress_end(struct progress *progress);

#endif
