// SPDX-License-Identifier: BSD-3-Clause
// The open end of a location's lineage: nothing is stored while time passes, only the paths touched
// since the last cut are known with their exclusive time at that moment (the mark). A cut turns the
// differences into a node.
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"

void head_init(struct engine *engine, struct head *head)
{
    *head = (struct head){.node = lineage_hold(&engine->lineage, LINEAGE_ROOT), .epoch = 1};
}

void head_release(struct head *head)
{
    free(head->touched);
}

static void begin_leaf(struct head *head)
{
    head->n_touched = 0;
    head->epoch++;
    head->clock_repair_ns = 0;
    head->before_start_ns = 0;
}

static void add_if_any(struct tally *tally, uint32_t location, uint32_t path, int64_t ns)
{
    if (ns)
        tally_add(tally, activity_key(location, path), ns);
}

static void add_open_leaf(const struct location_state *location, struct tally *tally)
{
    const struct head *head = &location->head;
    for (size_t i = 0; i < head->n_touched; i++) {
        const struct path *path = &location->profile.paths[head->touched[i]];
        add_if_any(tally, location->index, head->touched[i],
                   (int64_t)(path->exclusive_ns - path->mark_ns));
    }
    add_if_any(tally, location->index, PAG_PATH_CLOCK_REPAIR, head->clock_repair_ns);
    add_if_any(tally, location->index, PAG_PATH_BEFORE_START, (int64_t)head->before_start_ns);
}

uint32_t head_cut(struct engine *engine, struct location_state *location)
{
    struct head *head = &location->head;
    struct tally content = {0};
    if (engine->options.only_times)
        return LINEAGE_NONE;
    add_open_leaf(location, &content);
    begin_leaf(head);
    if (content.n_entries > 0) {
        uint32_t node = lineage_extend(&engine->lineage, head->node, &content);
        lineage_let_go(&engine->lineage, head->node);
        head->node = node;
    }
    return lineage_hold(&engine->lineage, head->node);
}

void head_take_over(struct engine *engine, struct location_state *location, uint32_t node,
                    uint32_t path_index, uint64_t own_ns, int64_t clock_repair_ns)
{
    struct head *head = &location->head;
    if (engine->options.only_times)
        return;
    lineage_hold(&engine->lineage, node);
    lineage_let_go(&engine->lineage, head->node);
    head->node = node;
    begin_leaf(head);
    head->clock_repair_ns = clock_repair_ns;
    struct path *path = &location->profile.paths[path_index];
    path->epoch = head->epoch;
    path->mark_ns = path->exclusive_ns - own_ns;
    head->touched = array_reserve(head->touched, &head->touched_capacity, 1, sizeof(uint32_t));
    head->touched[head->n_touched++] = path_index;
}

void head_sum(const struct engine *engine, const struct location_state *location, struct tally *sum)
{
    add_open_leaf(location, sum);
    lineage_sum(&engine->lineage, location->head.node, sum);
}
