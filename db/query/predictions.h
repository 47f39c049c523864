// SPDX-License-Identifier: BSD-3-Clause
// Predictions that are stored, beside the runs that show how right they were.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

/// A stored prediction, and one of the runs that measured it.
struct measured_prediction {
    int64_t id;            // of its trial
    char *trial;           // application/experiment/name
    char *change;          // its what-if options; "": it was stored without any
    char *question;        // the same text for predictions of the same
    char *nodes;           // of the run it was made from, a line each; "": unknown
    double replay_error;   // of the prediction with nothing changed, a share; NAN: unknown
    uint64_t predicted_ns; // the judged part
    double measured_ns;    // NAN: there is none
};
#define MEASURED_PREDICTION_LETTERS "ittttdnd"

/// All predictions of an application and experiment (NULL: of any) as rows (database_rows()), one
/// for each run that measured the prediction, or one row without. Its
/// measured runs are those of the same experiment with as many ranks and the same parameters. A
/// prediction has those of the run it was made from as well, and what it changes; if its parameters
/// do not show the change, no run is its measurement. NULL and ERR.
struct measured_prediction *predictions_measured(struct database *database, const char *application,
                                                 const char *experiment, size_t *n,
                                                 struct error *err);

struct experiment_name {
    char *application, *experiment;
};
#define EXPERIMENT_NAME_LETTERS "cc"

/// Those with measured runs, of an application and experiment (NULL: of any), as rows. NULL and
/// ERR.
struct experiment_name *experiments_measured(struct database *database, const char *application,
                                             const char *experiment, size_t *n, struct error *err);
