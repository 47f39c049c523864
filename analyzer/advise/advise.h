// SPDX-License-Identifier: BSD-3-Clause
// Advice on a run: which changes of the program or its machine would save how much.
#pragma once

#include "analyzer/advise/candidates.h"
#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"

/// Fills ADVICE on MEASURED, that of SETTING, except for trace and target; predicts its findings,
/// as findings_predict() does, unless there is a target. 0, or -1 and ERR.
int advise_run(struct replay_run *measured, const struct advise_setting *setting,
               struct advice *advice, struct error *err);

// --- findings.c
// What the remedies of a run's findings would save.

/// Whether all remedies of CATALOGUE's kinds of findings and tuning points name what-if options,
/// with a value where these take one. 0, or -1 and ERR ("FILE:LINE: ...").
int findings_check_remedies(const struct catalogue *catalogue, struct error *err);

/// Why a replay does not predict them, a sentence: it would take much longer than the replay
/// itself. NULL: it does.
const char *findings_too_large(const struct definitions *definitions);

/// The one search for changes that repair findings, which both commands make: predicts the run of
/// MEASURED with nothing changed, as the job UNCHANGED, all candidates of ADVICE, and the remedies
/// of the findings, which become candidates. Of these, those that save something stay in the
/// findings, the best first, and those that could not be predicted, with the reason; findings whose
/// remedies save more come first. Each candidate that is a remedy then names its findings. Where it
/// fails it is as findings_leave_unproven(), and -1 and ERR; and so are the smaller findings of a
/// run with so many events that all predictions would take much longer than the replay: their
/// remedies are candidates without a prediction. MEASURED was replayed for predictions.
int findings_search(struct replay_run *measured, const struct whatif_batch *batch,
                    struct advice *advice, struct whatif_job *unchanged, struct error *err);

/// The same for a replay, with how much less computing pays (bends.c, slack.c). 0, or -1 and ERR.
int findings_predict(struct replay_run *measured, struct error *err);

/// Where nothing is predicted, and WHY, a sentence (NULL: not asked for): findings of kinds that
/// need a proof are of the next kind without.
void findings_leave_unproven(struct result *result, const char *why);
