// SPDX-License-Identifier: BSD-3-Clause
// The tracer's clocks. Events are stamped with CLOCK_MONOTONIC, in ns: the C library reads it
// without entering the kernel (about 20 ns), it never steps back, and all processes of one kernel
// (and time namespace) share it, so that only ranks of different nodes need offsets (wrap_env.c).
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/// CPU time of all threads of this process so far. Enters the kernel: about 400 ns.
static inline uint64_t clock_process_cpu_ns(void)
{
    return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static inline uint64_t least_ns(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
