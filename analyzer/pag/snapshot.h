// SPDX-License-Identifier: BSD-3-Clause
// The state of a replay of parts of the run between two events, for another replay of the same
// archive to go on from: open calls, messages and receives that are not matched or not settled,
// requests, open collectives. What only sums of the whole run need is left out: what the profile
// counted so far, lineages, traffic, the books of the judged part.
#pragma once

#include "analyzer/base/format/numbers.h"
#include "analyzer/pag/state.h"

/// Writes the state of ENGINE, or reads it into a new one whose locations have the call trees TREES
/// in the end. Where it is in the trace is not part of it. After damage only engine_conclude() may
/// follow.
void snapshot_pass(struct engine *engine, const struct pag_location *trees,
                   struct numbers *numbers);
