// SPDX-License-Identifier: BSD-3-Clause
// What a reader of a report must know about the trace behind it, as sentences with stable codes.
#pragma once

#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"
#include "analyzer/result/waits.h"
#include "analyzer/trace/reader.h"

/// Fills warnings and has_unreadable_records of RESULT from what the replay and the reader counted:
/// ambiguous-receive, backward-time, bad-reference, clock-violation, incomplete-collective,
/// location-cut, location-skipped, lost-record, missing-definitions, missing-event,
/// missing-finalize, missing-init, missing-record, more-ranks-than-cores, outside-partner,
/// recording-cost, recording-off, recording-stopped, short-region, unbalanced-region,
/// unknown-record, unmatched-receive, unmatched-send, unused-counter, unused-parameter. Takes nodes
/// from RESULT.
void warnings_collect(struct trace *trace, const struct pag_result *replay,
                      const struct coverage *coverage, struct result *result);
