// SPDX-License-Identifier: BSD-3-Clause
// Messages for the person at the terminal, all on stderr, each one line that begins `pagoda: ` and
// holds no control characters, whatever is quoted in it.
// Only commands and main() call this; the layers below return errors (error.h).
//
// When to use which: error - the job is not done; warning - done, but the result means less than it
// seems; note - what was done.
#ifndef PAGODA_BASE_LOG_H
#define PAGODA_BASE_LOG_H

#include <stdbool.h>
#include <stdio.h>

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// True when STREAM is a terminal that may be coloured: NO_COLOR unset or empty, TERM not `dumb`.
bool log_may_colour(FILE *stream);

#endif
