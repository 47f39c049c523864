// SPDX-License-Identifier: BSD-3-Clause
// What several commands store of a run, and the past predictions that they judge new ones by.
#pragma once

#include <stdbool.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/compare/back_test.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
#include "analyzer/result/views/groups.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/options.h"
#include "db/store.h"

// --- intervals
// `pagoda replay TRACE --interval WHAT`: what was found within parts of the run, printed and kept.

struct replay_intervals {
    const char *trace;
    const struct option_list *texts; // interval.h
    const struct catalogue *catalogue;
    const char *database; // NULL: results are not kept
    const struct store_names *names;
    const struct text_options *text; // NULL: nothing is printed
    const struct grouping *grouping; // of what is printed; NULL: none
    bool wants_json;
};

/// Replays the trace (interval.h) and stores the result of each interval; prints the report
/// of a single one, a table of several. *IS_UNREADABLE when records were. 0, or -1 and ERR.
int replay_intervals(const struct replay_intervals *request, bool *is_unreadable,
                     struct error *err);

// --- predictions
// Predictions as trials of a database: `replay --store` with what-if options, `advise --store`. It
// is the commands that know the database, so the folders of predictions can do without.

/// Stores the predictions of PLAN in REPORT, with their results, beside the run MEASURED. NAMES are
/// those the user gave; a trial's name goes to the prediction. 0, or -1 and ERR.
int predictions_store(const char *database, const struct whatif_plan *plan,
                      const struct whatif_report *report, const struct result *measured,
                      const struct store_names *names, struct error *err);

/// Predicts the candidates of ADVICE that are shown (those that gain more than the replay error, at
/// most n_shown of each group) once more, now with all their results, and keeps them in DATABASE
/// beside the measured run: a trial each, with its options as parameters and as parameter `advice`
/// its group and place there. SETTING has a catalogue. 0, or -1 and ERR.
int advice_store(const struct advise_setting *setting, const struct advice *advice,
                 const char *database, const struct store_names *names, struct error *err);

// --- past predictions
// `replay` with what-if options and `advise` ask a database how right predictions of the same kind
// were.

/// Past predictions that were measured.
struct past_predictions {
    bool is_read; // false: there is no database to ask
    struct back_test test;
};

/// Reads those of the database ERRORS or, if that is NULL, of STORE, in which new predictions are
/// to be kept; if that cannot be read, storing will say why. 0 (PAST is to be released), or -1 and
/// ERR.
int past_predictions_read(struct past_predictions *past, const char *errors, const char *store,
                          struct error *err);
void past_predictions_release(struct past_predictions *past);

/// What PAST says of the predictions of PLAN from the run MEASURED.
void past_predictions_judge(const struct past_predictions *past, const struct whatif_plan *plan,
                            const struct result *measured, struct whatif_report *report);

/// What PAST says of each candidate of ADVICE that was predicted.
void past_predictions_judge_advice(const struct past_predictions *past,
                                   const struct advise_setting *setting, struct advice *advice);
