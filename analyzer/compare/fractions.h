// SPDX-License-Identifier: BSD-3-Clause
// Which fractions of the time each rank computes, communicates and waits in two runs, one of them
// mostly predicted, and how far these are apart: mean and standard deviation over the ranks, as
// Chillariga and Ramkumar ("Performance Prediction for Portable Parallel Execution on MIMD
// Architectures", section 4) print the errors of predictions.
#pragma once

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/compare/difference.h"
#include "db/database.h"

enum fraction {
    FRACTION_COMPUTING,
    FRACTION_OVERHEAD, // in MPI, without waiting
    FRACTION_WAITING,  // the rest: waits, time without CPU time outside MPI, after the rank's end
    N_FRACTIONS
};
extern const char *const fraction_names[N_FRACTIONS];

struct fractions_page {
    const char *database; // NULL: none
    struct difference_runs runs;
    size_t n_ranks;
    struct fractions_rank {
        double of[2][N_FRACTIONS]; // by group: the mean of its runs; they sum to 1
    } * ranks;
    struct fraction_error {
        double mean, deviation; // of the absolute differences; DEVIATION of one rank: NAN
    } errors[N_FRACTIONS];
};

/// The fractions of the judged part of each run, from the stored trials of CHOICE. 0, or -1 and
/// ERR: no such trial, other numbers of ranks, a run without times of its ranks. PAGE is to be
/// released in either case.
int fractions_page_read(struct database *database, const struct difference_choice *choice,
                        struct fractions_page *page, struct error *err);
void fractions_page_release(struct fractions_page *page);
