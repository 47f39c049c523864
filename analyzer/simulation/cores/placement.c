// SPDX-License-Identifier: BSD-3-Clause
// Placements (see placement.h).
#include "analyzer/simulation/cores/placement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

#define UNPLACED UINT32_MAX

static void init(struct placement *placement, uint32_t n_ranks, uint32_t n_nodes)
{
    *placement = (struct placement){
        .node_of_rank = memory_zeroed(n_ranks, sizeof *placement->node_of_rank),
        .n_ranks = n_ranks,
        .node_names = memory_zeroed(n_nodes, sizeof *placement->node_names),
        .n_nodes = n_nodes,
        .phase_names = memory_zeroed(1, sizeof *placement->phase_names),
        .n_phases = 1,
    };
}

void placement_release(struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_nodes; i++)
        free(placement->node_names[i]);
    memory_free_each(placement->phase_names, placement->n_phases);
    FREE_ALL(placement->node_names, placement->node_of_rank);
    *placement = (struct placement){0};
}

void placement_recorded(struct placement *placement, const struct definitions *definitions)
{
    init(placement, (uint32_t)definitions->n_ranks, (uint32_t)definitions->n_nodes);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        placement->node_of_rank[rank] = definitions->ranks[rank].node;
    for (uint32_t node = 0; node < placement->n_nodes; node++)
        placement->node_names[node] = memory_copy_text(definitions->nodes[node].name);
}

void placement_map(struct placement *placement, uint32_t n_ranks, uint32_t n_nodes, bool is_cyclic)
{
    init(placement, n_ranks, n_nodes);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        placement->node_of_rank[rank] =
            is_cyclic ? rank % n_nodes : (uint32_t)((uint64_t)rank * n_nodes / n_ranks);
    for (uint32_t node = 0; node < n_nodes; node++)
        placement->node_names[node] = memory_format("node%" PRIu32, node);
}

/// One text, [PHASE:]NODE=RANKS, taken to pieces.
struct placed_text {
    const char *phase, *node, *ranks;
    size_t phase_length, node_length; // 0: no phase
};

/// False: TEXT is not of the form.
static bool take_text(const char *text, struct placed_text *taken)
{
    const char *equals = strrchr(text, '='), *node = equals ? equals : text;
    while (node > text && node[-1] != ':')
        node--;
    equals = strchr(node, '=');
    *taken = (struct placed_text){.phase = text, .node = node, .ranks = equals ? equals + 1 : NULL};
    if (!equals || node == equals || !equals[1] || node == text + 1)
        return false;
    taken->phase_length = node > text ? (size_t)(node - text) - 1 : 0;
    taken->node_length = (size_t)(equals - node);
    return true;
}

/// The name among N NAMES, NULL or not, which becomes a new last one where it is not there.
static uint32_t find_name(char ***names, uint32_t *n, const char *name, size_t length)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*names)[i] && strlen((*names)[i]) == length && strncmp((*names)[i], name, length) == 0)
            return i;
    *names = memory_resize(*names, *n + 1, sizeof **names);
    (*names)[*n] = memory_format("%.*s", (int)length, name);
    return (*n)++;
}

/// The sites of the phase of TAKEN, which begin as those of phase 0.
static uint32_t *find_sites(struct placement *placement, const struct placed_text *taken)
{
    uint32_t n_ranks = placement->n_ranks, n_before = placement->n_phases;
    if (taken->phase_length == 0)
        return placement->node_of_rank;
    uint32_t phase =
        find_name(&placement->phase_names, &placement->n_phases, taken->phase, taken->phase_length);
    if (placement->n_phases > n_before) {
        placement->node_of_rank = memory_resize(
            placement->node_of_rank, placement_n_sites(placement), sizeof *placement->node_of_rank);
        memcpy(placement->node_of_rank + (size_t)phase * n_ranks, placement->node_of_rank,
               n_ranks * sizeof *placement->node_of_rank);
    }
    return placement->node_of_rank + (size_t)phase * n_ranks;
}

static int read_text(struct placement *placement, const char *text, const struct placed_text *taken,
                     struct error *err)
{
    uint32_t *node_of_rank = find_sites(placement, taken);
    uint32_t node =
        find_name(&placement->node_names, &placement->n_nodes, taken->node, taken->node_length);
    for (const char *at = taken->ranks, *end = strchr(at, '\0'); at < end;) {
        struct rank_range range;
        if (rank_list_next(&at, end, placement->n_ranks, &range, err) != 0)
            return error_wrap(err, "--place %s", text);
        for (uint32_t rank = range.first; rank <= range.last; rank++)
            node_of_rank[rank] = node;
    }
    return 0;
}

/// The texts with a phase, or those without. 0, or -1 and ERR.
static int read_texts(struct placement *placement, const char *const *texts, size_t n_texts,
                      bool have_phase, struct error *err)
{
    struct placed_text taken;
    for (size_t i = 0; i < n_texts; i++)
        if (take_text(texts[i], &taken) && (taken.phase_length > 0) == have_phase &&
            read_text(placement, texts[i], &taken, err) != 0)
            return -1;
    return 0;
}

int placement_read(struct placement *placement, const struct definitions *definitions,
                   const char *const *texts, size_t n_texts, struct error *err)
{
    uint32_t n_ranks = (uint32_t)definitions->n_ranks;
    init(placement, n_ranks, 0);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        placement->node_of_rank[rank] = UNPLACED;
    if (read_texts(placement, texts, n_texts, false, err) != 0)
        return -1;
    if (placement->n_nodes == 0) {
        placement_release(placement);
        placement_recorded(placement, definitions);
    }
    SCOPED char *unplaced = rank_list_text(placement->node_of_rank, n_ranks, UNPLACED);
    bool is_one = strspn(unplaced, "0123456789") == strlen(unplaced);
    int status = 0;
    if (*unplaced)
        status = error_set(
            err, is_one ? "--place: rank %s is on no node" : "--place: ranks %s are on no node",
            unplaced);
    return status == 0 ? read_texts(placement, texts, n_texts, true, err) : -1;
}

/// A range of ranks of one text.
struct placed_range {
    struct rank_range ranks;
    struct placed_text taken;
    size_t text;
};

static int compare_phases(const struct placed_text *a, const struct placed_text *b)
{
    if (a->phase_length != b->phase_length)
        return a->phase_length < b->phase_length ? -1 : 1;
    return strncmp(a->phase, b->phase, a->phase_length);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct placed_range *first = a, *second = b;
    return ORDER_BY(compare_phases(&first->taken, &second->taken),
                    LESS_FIRST(first->ranks.first, second->ranks.first),
                    LESS_FIRST(first->text, second->text));
}

static int refuse_second(const char *const *texts, const struct placed_range *a,
                         const struct placed_range *b, struct error *err)
{
    const struct placed_range *first = a->text < b->text ? a : b;
    size_t second = a->text < b->text ? b->text : a->text;
    return error_set(err, "--place %s: rank %" PRIu32 " is on node %.*s already", texts[second],
                     b->ranks.first, (int)first->taken.node_length, first->taken.node);
}

int placement_check(const char *const *texts, size_t n_texts, struct error *err)
{
    SCOPED struct placed_range *ranges = NULL;
    size_t n = 0, capacity = 0;
    int status = 0;
    for (size_t i = 0; i < n_texts && status == 0; i++) {
        struct placed_text taken;
        if (!take_text(texts[i], &taken)) {
            status = error_set(
                err, "--place %s: not of the form [PHASE:]NODE=RANKS, such as a=0-3,8", texts[i]);
            break;
        }
        for (const char *at = taken.ranks, *end = strchr(at, '\0'); status == 0 && at < end;) {
            ranges = array_reserve(ranges, &capacity, n + 1, sizeof *ranges);
            ranges[n] = (struct placed_range){.taken = taken, .text = i};
            status = rank_list_next(&at, end, RANK_LIST_ANY_RUN, &ranges[n++].ranks, err);
            if (status != 0)
                error_wrap(err, "--place %s", texts[i]);
        }
    }
    if (n > 1)
        qsort(ranges, n, sizeof *ranges, compare_ranges);
    for (size_t i = 1; i < n && status == 0; i++)
        if (ranges[i].ranks.first <= ranges[i - 1].ranks.last &&
            compare_phases(&ranges[i].taken, &ranges[i - 1].taken) == 0)
            status = refuse_second(texts, &ranges[i - 1], &ranges[i], err);
    return status;
}
