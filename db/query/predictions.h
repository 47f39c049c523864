// SPDX-License-Identifier: BSD-3-Clause
// Predictions that are stored, beside the runs that show how right they were.
#ifndef PAGODA_DB_QUERY_PREDICTIONS_H
#define PAGODA_DB_QUERY_PREDICTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

struct measured_prediction {
    char *trial;           // application/experiment/name
    char *change;          // its what-if options; "": it was stored without any
    double replay_error;   // of the prediction with nothing changed, a share; NAN: unknown
    uint64_t predicted_ns; // the judged part
    double measured_ns;    // mean over N_MEASURED runs; NAN where there is none
    double variance_ns2;   // of these
    uint64_t n_measured;
};
#define MEASURED_PREDICTION_LETTERS "ttdnddn"

/// All predictions of an application and experiment (NULL: of any) as rows (database_rows()). Their
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

#endif
