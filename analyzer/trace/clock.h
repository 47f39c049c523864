// SPDX-License-Identifier: BSD-3-Clause
// Ticks of the archive's clock to nanoseconds since the run's first event, by a fixed-point
// multiplication.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct clock {
    uint64_t origin_ticks;
    uint64_t whole_ns;    // floor(10^9 / ticks per second)
    uint64_t fraction_ns; // the rest of it in units of 2^-64 ns, rounded up
};

/// A clock of TICKS_PER_SECOND (not 0) whose time 0 is ORIGIN_TICKS.
static inline struct clock clock_of(uint64_t ticks_per_second, uint64_t origin_ticks)
{
    const uint64_t second_ns = UINT64_C(1000000000);
    struct clock clock = {.origin_ticks = origin_ticks, .whole_ns = second_ns / ticks_per_second};
    unsigned __int128 rest = (unsigned __int128)(second_ns % ticks_per_second) << 64;
    clock.fraction_ns = (uint64_t)((rest + ticks_per_second - 1) / ticks_per_second);
    return clock;
}

/// Duration of TICKS in whole nanoseconds, rounded down; exact while ticks x ticks per second stays
/// below 2^64, then at most 1 ns too long; never decreasing in TICKS.
static inline uint64_t clock_duration_ns(const struct clock *clock, uint64_t ticks)
{
    uint64_t rest_ns = (uint64_t)(((unsigned __int128)ticks * clock->fraction_ns) >> 64);
    return ticks * clock->whole_ns + rest_ns;
}

static inline uint64_t clock_time_ns(const struct clock *clock, uint64_t ticks)
{
    return clock_duration_ns(clock, ticks - clock->origin_ticks);
}

/// The last tick at or before TIME_NS.
static inline uint64_t clock_ticks(const struct clock *clock, uint64_t time_ns,
                                   uint64_t ticks_per_second)
{
    unsigned __int128 ticks = (unsigned __int128)time_ns * ticks_per_second / 1000000000u;
    return clock->origin_ticks + (uint64_t)ticks;
}

/// The longest time a run of N_LOCATIONS locations may take: a year, less where sums over all
/// locations would come near 2^63 ns, but a week however many there are. What is later is a damaged
/// time stamp.
static inline uint64_t clock_max_run_ns(size_t n_locations)
{
    const uint64_t day_ns = UINT64_C(86400000000000);
    uint64_t max_ns = (UINT64_C(1) << 61) / n_locations;
    if (max_ns < 7 * day_ns)
        return 7 * day_ns;
    return max_ns < 365 * day_ns ? max_ns : 365 * day_ns;
}
