// SPDX-License-Identifier: BSD-3-Clause
// Does the trace hold the records that its MPI calls should have left? A trace of enters and leaves
// only shows no wait states, which is not the same as a program without any.
#ifndef PAGODA_RESULT_COVERAGE_H
#define PAGODA_RESULT_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"

struct coverage {
    uint64_t n_message_calls;    // visits of sends and receives, when none of them left a record
    uint64_t n_collective_calls; // likewise
};

/// Compares the visits of MPI regions in RESULT with the records REPLAY counted. A run of one rank
/// counts as covered: it has nobody to exchange messages with; and so does one of pagoda trace,
/// which leaves no record of a call that failed or whose partner is MPI_PROC_NULL.
struct coverage coverage_of(const struct result *result, const struct pag_result *replay);

#endif
