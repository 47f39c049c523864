// SPDX-License-Identifier: BSD-3-Clause
// Merging call trees: each local node, parents first, is looked up as (merged parent, region name).
// Then the merged tree is put into its final order (children by inclusive time, then name) and the
// sums by region are taken. Nothing depends on the order of hash slots.
#include "analyzer/result/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

struct merge {
    const struct definitions *definitions;
    char **names; // cleaned, one per distinct name; the synthetic ones last
    size_t n_names;
    uint32_t *name_of;         // by region definition
    uint32_t *definition_of;   // by name: first definition, RESULT_NONE for a synthetic one
    uint32_t program, thread;  // synthetic names
    struct result_path *nodes; // without their texts; region: index into names
    size_t n_nodes, nodes_capacity;
    struct map node_of;                  // (parent + 1, name)
    struct result_path_rank *path_ranks; // of each location; those of a rank are added up later
    size_t n_path_ranks;
};

struct named_region {
    char *name;
    uint32_t definition;
};

/// Definitions of one name become one name, numbered by its first definition in name order (the
/// final numbers follow the tree, see put_regions()).
static void merge_names(struct merge *merge)
{
    size_t n_regions = merge->definitions->n_regions;
    SCOPED struct named_region *sorted = memory_zeroed(n_regions, sizeof *sorted);
    for (size_t i = 0; i < n_regions; i++)
        sorted[i] =
            (struct named_region){utf8_clean(merge->definitions->regions[i].name), (uint32_t)i};
    SORT_BY(sorted, n_regions, LEAST(name), LEAST(definition));
    merge->names = memory_zeroed(n_regions + 2, sizeof *merge->names);
    merge->name_of = memory_zeroed(n_regions, sizeof *merge->name_of);
    merge->definition_of = memory_zeroed(n_regions + 2, sizeof *merge->definition_of);
    for (size_t i = 0; i < n_regions; i++) {
        bool is_new = i == 0 || strcmp(sorted[i].name, merge->names[merge->n_names - 1]) != 0;
        if (is_new) {
            merge->definition_of[merge->n_names] = sorted[i].definition;
            merge->names[merge->n_names++] = sorted[i].name;
        } else {
            free(sorted[i].name);
        }
        merge->name_of[sorted[i].definition] = (uint32_t)(merge->n_names - 1);
    }
    merge->program = (uint32_t)merge->n_names;
    merge->definition_of[merge->n_names] = RESULT_NONE;
    merge->names[merge->n_names++] = memory_copy_text(RESULT_REGION_PROGRAM);
    merge->thread = (uint32_t)merge->n_names;
    merge->definition_of[merge->n_names] = RESULT_NONE;
    merge->names[merge->n_names++] = memory_copy_text(RESULT_REGION_THREAD);
}

static uint32_t node_at(struct merge *merge, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)(uint32_t)(parent + 1) << 32 | name; // RESULT_NONE becomes 0
    uint32_t node;
    if (map_get(&merge->node_of, key, &node))
        return node;
    node = (uint32_t)merge->n_nodes;
    *ARRAY_NEXT(merge->nodes, merge->n_nodes, merge->nodes_capacity) =
        (struct result_path){.region = name, .parent = parent};
    map_put(&merge->node_of, key, node);
    return node;
}

static void add_times(struct merge *merge, uint32_t node, const struct location *definition,
                      const struct call_path *times)
{
    struct result_path *sum = &merge->nodes[node];
    uint32_t rank = definition->rank;
    uint64_t master_ns = definition->is_master ? times->exclusive_ns : 0;
    sum->master_ns += master_ns;
    sum->visits += times->visits;
    sum->inclusive_ns += times->inclusive_ns;
    sum->exclusive_ns += times->exclusive_ns;
    if (rank == EVENT_NO_INDEX)
        return;
    merge->path_ranks[merge->n_path_ranks++] =
        (struct result_path_rank){.path = node,
                                  .rank = rank,
                                  .visits = times->visits,
                                  .inclusive_ns = times->inclusive_ns,
                                  .exclusive_ns = times->exclusive_ns,
                                  .master_ns = master_ns};
}

/// Node 0 of a location is the location itself: its exclusive time is time outside any region,
/// shown as one leaf beside the regions of the top.
static uint32_t merge_outside(struct merge *merge, const struct location *definition,
                              const struct call_path *self)
{
    if (self->exclusive_ns == 0)
        return RESULT_NONE;
    bool is_program = definition->is_master || definition->rank == EVENT_NO_INDEX;
    uint32_t node = node_at(merge, RESULT_NONE, is_program ? merge->program : merge->thread);
    struct call_path outside = {
        .visits = 1, .inclusive_ns = self->exclusive_ns, .exclusive_ns = self->exclusive_ns};
    add_times(merge, node, definition, &outside);
    return node;
}

/// By path whether it, or one below it, was visited or took time: not all of them are in an
/// interval.
static bool *paths_met(const struct pag_location *location)
{
    bool *is_met = memory_zeroed(location->n_paths + 1, sizeof *is_met);
    for (size_t i = location->n_paths; i-- > 1;) {
        const struct call_path *path = &location->paths[i];
        is_met[i] |= path->visits > 0 || path->inclusive_ns > 0 || path->exclusive_ns > 0;
        is_met[path->parent] |= is_met[i];
    }
    return is_met;
}

static void merge_location(struct merge *merge, const struct pag_location *location,
                           const struct location *definition, struct call_place *places)
{
    SCOPED bool *is_met = paths_met(location);
    for (size_t i = 0; i < location->n_paths; i++) {
        const struct call_path *local = &location->paths[i];
        places[i] = (struct call_place){RESULT_NONE, RESULT_NONE};
        if (i == 0) {
            places[i].path = merge_outside(merge, definition, local);
        } else if (local->is_stretch) { // its time is in that of its parent
            places[i].path = places[local->parent].path;
        } else if (is_met[i]) {
            uint32_t parent = local->parent == 0 ? RESULT_NONE : places[local->parent].path;
            places[i].path = node_at(merge, parent, merge->name_of[local->region]);
            add_times(merge, places[i].path, definition, local);
        }
    }
}

/// What qsort needs to know; qsort_r keeps it out of globals.
static int compare_siblings(const void *left, const void *right, void *context)
{
    const struct merge *merge = context;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const struct result_path *a = &merge->nodes[i], *b = &merge->nodes[j];
    if (a->parent != b->parent) // RESULT_NONE + 1 = 0: the roots come first
        return a->parent + 1 < b->parent + 1 ? -1 : 1;
    return ORDER_BY(MORE_FIRST(a->inclusive_ns, b->inclusive_ns),
                    strcmp(merge->names[a->region], merge->names[b->region]));
}

/// Sorting by (parent, inclusive time, name) puts siblings side by side; a walk with a stack then
/// gives the preorder. ORDER[i] is the node at place i.
static uint32_t *tree_order(struct merge *merge)
{
    size_t n = merge->n_nodes;
    SCOPED uint32_t *sorted = memory_zeroed(n, sizeof *sorted);
    SCOPED uint32_t *first_child = memory_zeroed(n + 1, sizeof *first_child); // by parent + 1
    SCOPED uint32_t *n_children = memory_zeroed(n + 1, sizeof *n_children);
    SCOPED uint32_t *stack = memory_zeroed(n, sizeof *stack);
    uint32_t *order = memory_zeroed(n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (uint32_t)i;
    qsort_r(sorted, n, sizeof *sorted, compare_siblings, merge);
    for (size_t i = n; i-- > 0;) {
        uint32_t parent = merge->nodes[sorted[i]].parent + 1;
        first_child[parent] = (uint32_t)i;
        n_children[parent]++;
    }
    size_t n_stack = 0, n_order = 0;
    uint32_t parent = 0;
    for (;;) {
        for (uint32_t c = n_children[parent]; c-- > 0;)
            stack[n_stack++] = sorted[first_child[parent] + c];
        if (n_stack == 0)
            break;
        uint32_t node = stack[--n_stack];
        order[n_order++] = node;
        parent = node + 1;
    }
    return order;
}

/// The regions in order of their first place in the tree; returns the result's number by name.
static uint32_t *put_regions(struct merge *merge, const uint32_t *order, char *const *shown,
                             struct result *result)
{
    uint32_t *region_of = memory_zeroed(merge->n_names, sizeof *region_of);
    for (size_t i = 0; i < merge->n_names; i++)
        region_of[i] = RESULT_NONE;
    result->regions = memory_zeroed(merge->n_names, sizeof *result->regions);
    for (size_t i = 0; i < merge->n_nodes; i++) {
        uint32_t name = merge->nodes[order[i]].region;
        if (region_of[name] != RESULT_NONE)
            continue;
        region_of[name] = (uint32_t)result->n_regions;
        struct result_region *region = &result->regions[result->n_regions++];
        uint32_t definition = merge->definition_of[name];
        region->name = memory_copy_text(merge->names[name]);
        region->shown =
            memory_copy_text(definition == RESULT_NONE ? region->name : shown[definition]);
        region->max_rank = RESULT_NONE;
        if (definition == RESULT_NONE) {
            region->file = memory_copy_text("");
            continue;
        }
        const struct region *defined = &merge->definitions->regions[definition];
        region->file = utf8_clean(defined->file);
        region->line = defined->line;
        region->is_mpi = defined->mpi != MPI_FUNCTION_NONE;
        region->mpi_class = defined->mpi_class;
        region->construct = (uint8_t)defined->construct;
    }
    return region_of;
}

static void put_paths(struct merge *merge, const uint32_t *order, const uint32_t *place,
                      const uint32_t *region_of, struct result *result)
{
    result->paths = memory_zeroed(merge->n_nodes, sizeof *result->paths);
    result->n_paths = merge->n_nodes;
    for (size_t i = 0; i < merge->n_nodes; i++) {
        const struct result_path *node = &merge->nodes[order[i]];
        struct result_path *path = &result->paths[i];
        const char *name = merge->names[node->region];
        *path = *node;
        path->region = region_of[node->region];
        const char *shown = result->regions[path->region].shown;
        if (node->parent == RESULT_NONE) {
            path->path = memory_copy_text(name);
            path->shown = memory_copy_text(shown);
            continue;
        }
        path->parent = place[node->parent];
        path->depth = result->paths[path->parent].depth + 1;
        path->path = memory_format("%s/%s", result->paths[path->parent].path, name);
        path->shown = memory_format("%s/%s", result->paths[path->parent].shown, shown);
    }
}

static uint64_t path_and_rank(const void *item)
{
    const struct result_path_rank *pair = item;
    return sort_pair(pair->path, pair->rank);
}

/// Sorts the paths of ranks, and adds up those of the locations of a rank.
static void put_path_ranks(struct merge *merge, const uint32_t *place, struct result *result)
{
    struct result_path_rank *pairs = merge->path_ranks;
    size_t n = 0;
    for (size_t i = 0; i < merge->n_path_ranks; i++)
        pairs[i].path = place[pairs[i].path];
    sort_by_number(pairs, merge->n_path_ranks, sizeof *pairs, path_and_rank);
    for (size_t i = 0; i < merge->n_path_ranks; i++) {
        if (n == 0 || path_and_rank(&pairs[n - 1]) != path_and_rank(&pairs[i])) {
            pairs[n++] = pairs[i];
            continue;
        }
        pairs[n - 1].visits += pairs[i].visits;
        pairs[n - 1].inclusive_ns += pairs[i].inclusive_ns;
        pairs[n - 1].exclusive_ns += pairs[i].exclusive_ns;
        pairs[n - 1].master_ns += pairs[i].master_ns;
    }
    result->path_ranks = memory_resize(pairs, n, sizeof *pairs);
    result->n_path_ranks = n;
}

static bool is_recursive(const struct result *result, const struct result_path *path)
{
    for (uint32_t at = path->parent; at != RESULT_NONE; at = result->paths[at].parent)
        if (result->paths[at].region == path->region)
            return true;
    return false;
}

struct region_rank {
    uint32_t region, rank;
    uint64_t exclusive_ns;
};

static uint64_t region_and_rank(const void *item)
{
    const struct region_rank *pair = item;
    return sort_pair(pair->region, pair->rank);
}

static void sum_regions(struct result *result)
{
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        struct result_region *region = &result->regions[path->region];
        region->visits += path->visits;
        region->exclusive_ns += path->exclusive_ns;
        if (!is_recursive(result, path))
            region->inclusive_ns += path->inclusive_ns;
    }
    SCOPED struct region_rank *by_rank = memory_zeroed(result->n_path_ranks, sizeof *by_rank);
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *pair = &result->path_ranks[i];
        by_rank[i] =
            (struct region_rank){result->paths[pair->path].region, pair->rank, pair->exclusive_ns};
    }
    sort_by_number(by_rank, result->n_path_ranks, sizeof *by_rank, region_and_rank);
    for (size_t i = 0, next; i < result->n_path_ranks; i = next) {
        uint64_t sum_ns = 0;
        for (next = i; next < result->n_path_ranks &&
                       region_and_rank(&by_rank[i]) == region_and_rank(&by_rank[next]);
             next++)
            sum_ns += by_rank[next].exclusive_ns;
        struct result_region *region = &result->regions[by_rank[i].region];
        if (region->max_rank == RESULT_NONE || sum_ns > region->max_ns) {
            region->max_rank = by_rank[i].rank;
            region->max_ns = sum_ns;
        }
    }
}

static void merge_release(struct merge *merge)
{
    memory_free_each(merge->names, merge->n_names);
    FREE_ALL(merge->name_of, merge->definition_of, merge->nodes);
    map_release(&merge->node_of);
}

void call_tree_build(struct call_tree *tree, const struct definitions *definitions,
                     const struct pag_result *replay, struct result *result)
{
    SCOPED_BY(merge_release) struct merge merge = {.definitions = definitions};
    map_init(&merge.node_of);
    merge_names(&merge);
    size_t n_pairs = 0;
    for (size_t i = 0; i < replay->n_locations; i++)
        n_pairs += replay->locations[i].n_paths;
    merge.path_ranks = memory_new(n_pairs * sizeof *merge.path_ranks);
    *tree = (struct call_tree){
        .definitions = definitions,
        .replay = replay,
        .places = memory_zeroed(replay->n_locations, sizeof *tree->places),
        .shown = region_names_shown(definitions),
    };
    for (size_t i = 0; i < replay->n_locations; i++) {
        const struct pag_location *location = &replay->locations[i];
        tree->places[i] = memory_zeroed(location->n_paths, sizeof *tree->places[i]);
        merge_location(&merge, location, &definitions->locations[i], tree->places[i]);
    }

    SCOPED uint32_t *order = tree_order(&merge);
    SCOPED uint32_t *place = memory_zeroed(merge.n_nodes, sizeof *place);
    for (size_t i = 0; i < merge.n_nodes; i++)
        place[order[i]] = (uint32_t)i;
    SCOPED uint32_t *region_of = put_regions(&merge, order, tree->shown, result);
    put_paths(&merge, order, place, region_of, result);
    put_path_ranks(&merge, place, result);
    for (size_t i = 0; i < replay->n_locations; i++)
        for (size_t j = 0; j < replay->locations[i].n_paths; j++)
            if (tree->places[i][j].path != RESULT_NONE)
                tree->places[i][j].path = place[tree->places[i][j].path];
    sum_regions(result);
}

void call_tree_release(struct call_tree *tree)
{
    memory_free_each(tree->places, tree->replay->n_locations);
    memory_free_each(tree->shown, tree->definitions->n_regions);
}

struct call_place call_tree_place(const struct call_tree *tree, uint32_t location,
                                  uint32_t call_path)
{
    if (location >= tree->replay->n_locations ||
        call_path >= tree->replay->locations[location].n_paths)
        return (struct call_place){RESULT_NONE, RESULT_NONE};
    return tree->places[location][call_path];
}
