// SPDX-License-Identifier: BSD-3-Clause
// What a replay found, in the order of what it costs: causes (causes.h) in the words of their kinds
// (pattern/finding_kind.h).
#pragma once

#include "analyzer/pattern/finding_kind.h"
#include "analyzer/result/result.h"

/// Writes findings, headline, conclusion and certainty of RESULT, everything else of which is
/// filled in.
void findings_write(const struct finding_kinds *kinds, struct result *result);

/// Orders the findings by their potential_ns, those that only another machine can help last, unless
/// these may save more than all others together; writes headline, conclusion and certainty anew.
void findings_order(struct result *result);
