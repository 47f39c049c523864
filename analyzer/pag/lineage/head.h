// SPDX-License-Identifier: BSD-3-Clause
// The open end of a location's lineage.
#ifndef PAGODA_PAG_LINEAGE_HEAD_H
#define PAGODA_PAG_LINEAGE_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/tally.h"

struct engine;
struct location_state;

/// The open end of a lineage: `node` plus what the touched paths gained since their marks.
struct head {
    uint32_t node; // one reference
    uint32_t epoch;
    uint32_t *touched; // paths
    size_t n_touched, touched_capacity;
    int64_t clock_repair_ns;  // not yet in a node
    uint64_t before_start_ns; // not yet in a node
};

void head_init(struct engine *engine, struct head *head);
void head_release(struct head *head);
/// The location's lineage as it is now, as a node; the caller gets a reference.
uint32_t head_cut(struct engine *engine, struct location_state *location);
/// The location's lineage becomes NODE plus OWN_NS of the location's own call PATH.
void head_take_over(struct engine *engine, struct location_state *location, uint32_t node,
                    uint32_t path, uint64_t own_ns, int64_t clock_repair_ns);
/// The whole lineage of the location as one tally.
void head_sum(const struct engine *engine, const struct location_state *location,
              struct tally *sum);

#endif
