// SPDX-License-Identifier: BSD-3-Clause
// Do processes still write to the spool files?
#ifndef PAGODA_FINISH_ALIVE_H
#define PAGODA_FINISH_ALIVE_H

#include <stdint.h>

// Processes that still record, how many of them have been ended and are about to be gone, and one
// of them.
struct alive {
    unsigned n, n_leaving;
    uint32_t rank;
    uint32_t pid;
    char host[256];
};

// Looks at the files in folder `dir`. A folder that cannot be read has none.
struct alive alive_count(const char *dir);

// The same, but waits up to `seconds` for them to end; longer while all are about to be gone.
struct alive alive_wait(const char *dir, unsigned seconds);

#endif
