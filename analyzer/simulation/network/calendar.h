// SPDX-License-Identifier: BSD-3-Clause
// When something of which there are several (links, buses) is in use: a step function of time.
#ifndef PAGODA_SIMULATION_NETWORK_CALENDAR_H
#define PAGODA_SIMULATION_NETWORK_CALENDAR_H

#include <stddef.h>
#include <stdint.h>

struct calendar_step {
    uint64_t time_ns;
    uint32_t n_used; // from then on, until the next step
};

/// Zeroed with the number of things: all of them free.
struct calendar {
    uint32_t n_all;
    struct calendar_step *steps; // by time, from FIRST on; free before the first and after the last
    size_t first, n_steps, capacity;
};

/// Where all are in use at some time in [BEGIN_NS, END_NS): the end of the first such stretch, else
/// BEGIN_NS.
uint64_t calendar_conflict_end(const struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns);

/// One more is in use in [BEGIN_NS, END_NS), which must not be empty.
void calendar_reserve(struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns);

/// What was before TIME_NS is not asked for any more: it counts as free.
void calendar_forget(struct calendar *calendar, uint64_t time_ns);

void calendar_release(struct calendar *calendar);

#endif
