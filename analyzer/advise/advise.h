// SPDX-License-Identifier: BSD-3-Clause
// Advice on a run: which changes of the program or its machine would save how much.
#pragma once

#include "analyzer/advise/candidates.h"
#include "analyzer/base/error.h"
#include "analyzer/pattern/finding_kind.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"

/// Fills ADVICE except for trace and target. 0, or -1 and ERR.
int advise_run(const struct advise_setting *setting, struct advice *advice, struct error *err);

// --- findings.c
// What the remedies of a run's findings would save.

/// Whether all remedies of KINDS name what-if options, with a value where these take one. 0, or -1
/// and ERR ("FILE:LINE: ...").
int findings_check_remedies(const struct finding_kinds *kinds, struct error *err);

/// Why a replay does not predict them, a sentence: it would take much longer than the replay
/// itself. NULL: it does.
const char *findings_too_large(const struct definitions *definitions);

/// Predicts the remedies of the findings of MEASURED, which was replayed for predictions. Those
/// that save something stay, the best first, and findings whose remedies save more come first.
/// Where that fails it is as findings_leave_unproven(), and -1 and ERR; and so are the smaller
/// findings of a run with so many events that all predictions would take much longer than the
/// replay.
int findings_predict(struct replay_run *measured, struct error *err);

/// Where nothing is predicted, and WHY, a sentence (NULL: not asked for): findings of kinds that
/// need a proof are of the next kind without.
void findings_leave_unproven(struct result *result, const char *why);

/// Adds the remedies of KINDS (bits of enum advice_kind) as candidates to ADVICE, each that is not
/// there yet; with one that halves some computing goes, as a limit, one that leaves it out.
void findings_add_candidates(const struct result *result, unsigned kinds, struct advice *advice);
