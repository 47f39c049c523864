// SPDX-License-Identifier: BSD-3-Clause
// Lineages at the fork and join of a team of threads.
#ifndef PAGODA_PAG_THREADS_H
#define PAGODA_PAG_THREADS_H

#include <stdint.h>

struct engine;
struct location_state;

struct event;

/// EVENT_THREAD_FORK, _JOIN, _TEAM_BEGIN and _TEAM_END, at TIME_NS.
void threads_event(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t time_ns);

#endif
