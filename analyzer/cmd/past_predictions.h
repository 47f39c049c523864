// SPDX-License-Identifier: BSD-3-Clause
// `replay` with what-if options and `advise` ask a database how right predictions of the same kind
// were.
#pragma once

#include "analyzer/advise/advise.h"
#include "analyzer/base/error.h"
#include "analyzer/compare/back_test.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/options.h"

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
