// SPDX-License-Identifier: BSD-3-Clause
// Predictions as trials of a database: `replay --store` with what-if options, `advise --store`. It
// is the commands that know the database, so the folders of predictions can do without.
#pragma once

#include "analyzer/advise/advise.h"
#include "analyzer/base/error.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/options.h"
#include "db/store.h"

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
