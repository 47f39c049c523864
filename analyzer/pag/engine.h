// SPDX-License-Identifier: BSD-3-Clause
// The loop of a replay: the order of reading, one event (step.h) at a time. Its state is in
// state.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/leave.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/matching/matching.h"
#include "analyzer/pag/outcome.h"
#include "analyzer/pag/state.h"
#include "analyzer/pag/step.h"
#include "analyzer/pag/window.h"

/// For a driver: prepares ENGINE, which then goes by HOOKS; TRACE is a freshly opened one.
void engine_init(struct engine *engine, struct trace *trace, const struct pag_options *options,
                 const struct pag_listener *listener, const struct engine_hooks *hooks,
                 struct pag_result *result);
/// All locations have ended: fills the result and releases what ENGINE holds. 0, or -1 and ERR when
/// the archive has no events at all.
int engine_conclude(struct engine *engine, struct error *err);
