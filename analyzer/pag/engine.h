// SPDX-License-Identifier: BSD-3-Clause
// The loop of a replay: the order of reading, one event at a time. Its state is in state.h.
#ifndef PAGODA_PAG_ENGINE_H
#define PAGODA_PAG_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/leave.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/matching/matching.h"
#include "analyzer/pag/outcome.h"
#include "analyzer/pag/state.h"
#include "analyzer/pag/window.h"

/// Whether EVENT is a message or collective record, which belongs to an MPI call.
static inline bool engine_is_message_record(const struct event *event)
{
    return event->kind >= EVENT_SEND && event->kind <= EVENT_COLLECTIVE_COMPLETE;
}

/// For a driver: prepares ENGINE, which then goes by HOOKS; TRACE is a freshly opened one.
void engine_init(struct engine *engine, struct trace *trace, const struct pag_options *options,
                 const struct pag_listener *listener, const struct engine_hooks *hooks,
                 struct pag_result *result);
/// All locations have ended: fills the result and releases what ENGINE holds. 0, or -1 and ERR when
/// the archive has no events at all.
int engine_conclude(struct engine *engine, struct error *err);

/// One event of a location, at TIME_NS: its first one; the enter of an MPI call or a bare record,
/// which is read ahead and consumed; what comes while a call is open (the leave settles it: returns
/// the rank to read first, or NONE); the end, which closes what is open.
void engine_begin_location(struct engine *engine, struct location_state *location,
                           uint64_t time_ns);
void engine_enter_call(struct engine *engine, struct location_state *location,
                       const struct event *event, uint64_t time_ns);
uint32_t engine_step_in_call(struct engine *engine, struct location_state *location,
                             const struct event *event, uint64_t time_ns);
void engine_end_location(struct engine *engine, struct location_state *location);

#endif
