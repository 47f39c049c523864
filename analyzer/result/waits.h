// SPDX-License-Identifier: BSD-3-Clause
// What the matcher found, by location and local call path, becomes the patterns of a result: by
// rank, by merged call path, by the rank that was waited for, with hints.
#pragma once

#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"

/// Does the trace hold the records that its MPI calls should have left? A trace of enters and
/// leaves only shows no wait states, which is not the same as a program without any.
struct coverage {
    uint64_t n_message_calls;    // visits of sends and receives, when none of them left a record
    uint64_t n_collective_calls; // likewise
    uint64_t n_window_calls; // of fences, of locks, and calls that create or free windows, likewise
};

/// Compares the visits of MPI regions in RESULT with the records REPLAY counted. A run of one rank
/// counts as covered: it has no partner to exchange messages with; and so does one of pagoda trace,
/// which leaves no record of a call that failed or whose partner is MPI_PROC_NULL.
struct coverage coverage_of(const struct result *result, const struct pag_result *replay,
                            const struct definitions *definitions);

struct waits_input {
    const struct catalogue *catalogue;
    const struct matcher *matcher;
    const struct call_tree *tree;    // of the same result
    const struct coverage *coverage; // likewise
};

/// Fills patterns and hints of RESULT and adds to wait_ns of its ranks; ranks, paths and times are
/// there already. Patterns of the catalogue without a wait of their own are left out.
void waits_collect(const struct waits_input *input, struct result *result);
