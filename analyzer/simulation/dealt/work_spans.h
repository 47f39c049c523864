// SPDX-License-Identifier: BSD-3-Clause
// How much each rank computes between two operations in which all ranks meet (barriers, all-to-all
// kinds, the end of MPI), from MPI_Init on where there is one: what load balancing may spread.
#ifndef PAGODA_SIMULATION_DEALT_WORK_SPANS_H
#define PAGODA_SIMULATION_DEALT_WORK_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

enum { WORK_SPANS_MAX_KEPT = 1 << 22 }; // works of ranks

struct work_span_rank;

/// Filled by a listener: WORK_NS[span * n_ranks + rank].
struct work_spans {
    uint32_t n_ranks;
    uint64_t *work_ns;
    size_t n_spans, capacity;
    uint64_t n_not_kept; // spans
    struct work_span_rank *ranks;
    uint64_t *open_ns; // works of the operation that is being told
    uint32_t n_open;
};

void work_spans_init(struct work_spans *spans, uint32_t n_ranks);
void work_spans_release(struct work_spans *spans);
struct pag_listener work_spans_listener(struct work_spans *spans);

#endif
