// SPDX-License-Identifier: BSD-3-Clause
// What of a stored trial its scalability is judged by: how large it was, how long it took, its
// efficiencies, and the time of its regions.
#ifndef PAGODA_DB_TRIAL_EFFICIENCY_H
#define PAGODA_DB_TRIAL_EFFICIENCY_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

struct trial_parameter {
    char *name, *value;
};

struct trial_efficiency {
    int64_t id;
    char *application, *experiment, *name, *origin;
    uint64_t n_ranks, n_nodes;
    uint64_t time_ns;   // of the run
    uint64_t window_ns; // between MPI_Init and MPI_Finalize, which the following cover
    uint64_t useful_ns; // outside MPI, all ranks together
    // Shares; NAN where nothing is stored.
    double parallel, load_balance, communication, serialization, transfer;
    struct trial_parameter *parameters; // by name
    size_t n_parameters, capacity;
};

/// 0 (EFFICIENCY is to be released), or -1 and ERR.
int trial_efficiency_read(struct database *database, int64_t trial,
                          struct trial_efficiency *efficiency, struct error *err);
void trial_efficiency_release(struct trial_efficiency *efficiency);

/// The parameter called NAME, NULL when the trial has none.
const char *trial_parameter_find(const struct trial_efficiency *efficiency, const char *name);

/// Calls ADD with the time of each region of a trial (its path, escaped as in focus.h), all ranks
/// together: the waits of each wait state, and the rest (WAIT_STATE "", possibly in parts). They
/// sum to the time of all ranks. 0, or -1 and ERR.
int trial_region_times(struct database *database, int64_t trial,
                       void (*add)(void *user, const char *region, const char *wait_state,
                                   int64_t value_ns),
                       void *user, struct error *err);

/// Calls ADD with each property that was found in the trial and not part of another (is_top), and
/// those that are (0 then), with severity and confidence of the whole run. 0, or -1 and ERR.
int trial_properties(struct database *database, int64_t trial,
                     void (*add)(void *user, const char *property, int is_top, double severity,
                                 double confidence),
                     void *user, struct error *err);

#endif
