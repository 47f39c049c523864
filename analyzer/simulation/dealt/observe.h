// SPDX-License-Identifier: BSD-3-Clause
// A predicted run watched by a listener: what models of work that is dealt while a program runs
// (farm_run.h, balancing.h) are made from. The replay of the predictions, by the same simulation.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/reader.h"

/// Simulates TRACE, which has been replayed, under SCENARIO in a further pass and tells LISTENER,
/// in the times of that run, which takes *TIME_NS. 0, or -1 and ERR.
int observe_run(struct trace *trace, const struct scenario *scenario,
                const struct recorded *recorded, const struct pag_listener *listener,
                uint64_t *time_ns, struct error *err);

// How much each rank computes between two operations in which all ranks meet (barriers, all-to-all
// kinds, the end of MPI), from MPI_Init on where there is one: what load balancing may spread.

enum { WORK_SPANS_MAX_KEPT = 1 << 22 }; // works of ranks

struct work_span_rank;

/// Filled by a listener: WORK_NS[span * n_ranks + rank].
struct work_spans {
    uint32_t n_ranks;
    uint64_t *work_ns;
    size_t n_spans, capacity;
    uint64_t n_not_kept; // spans
    struct work_span_rank *ranks;
    uint64_t *open_ns; // works of the operation that is being read
    uint32_t n_open;
};

void work_spans_init(struct work_spans *spans, uint32_t n_ranks);
void work_spans_release(struct work_spans *spans);
struct pag_listener work_spans_listener(struct work_spans *spans);
