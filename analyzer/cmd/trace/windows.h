// SPDX-License-Identifier: BSD-3-Clause
// Windows of recording: "10s-20s,60s-", times after the end of MPI_Init.
#ifndef PAGODA_CMD_TRACE_WINDOWS_H
#define PAGODA_CMD_TRACE_WINDOWS_H

#include <stdint.h>

#include "analyzer/base/error.h"

enum { TRACE_MOST_WINDOWS = 64 };

struct trace_window {
    uint64_t from_ns;
    uint64_t to_ns; // UINT64_MAX: to the end
};

/// Reads a list of windows, which must be in order and apart. Either end may be left out ("-5s",
/// "60s-"). Returns how many there are (at most TRACE_MOST_WINDOWS), or -1 and ERR.
int trace_windows_read(const char *text, struct trace_window *windows, struct error *err);

#endif
