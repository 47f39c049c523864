// SPDX-License-Identifier: BSD-3-Clause
// See part_matchers.h. The parts of a location are an interval tree: an array sorted by begin, read
// as a balanced tree whose root is the middle, with the latest end below each node.
#include "analyzer/pattern/part_matchers.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pattern/fields.h"

/// A part, as a node of the tree of a location.
struct part_node {
    struct pag_part time;
    uint64_t last_end_ns; // of this part and all below it
    uint32_t part;
};

struct part_matchers {
    struct matcher *tables;    // sees no root event
    struct matcher **matchers; // by part
    struct part_node *nodes;   // of each location n_parts
    size_t n_parts, n_locations;
};

static int by_begin(const void *a, const void *b)
{
    const struct part_node *left = a, *right = b;
    if (left->time.begin_ns != right->time.begin_ns)
        return left->time.begin_ns < right->time.begin_ns ? -1 : 1;
    return left->part < right->part ? -1 : left->part > right->part;
}

/// Fills last_end_ns of N nodes, and returns that of their root.
static uint64_t note_ends(struct part_node *nodes, size_t n)
{
    if (n == 0)
        return 0;
    struct part_node *middle = &nodes[n / 2];
    uint64_t before_ns = note_ends(nodes, n / 2), after_ns = note_ends(middle + 1, n - n / 2 - 1);
    middle->last_end_ns = middle->time.end_ns;
    if (before_ns > middle->last_end_ns)
        middle->last_end_ns = before_ns;
    if (after_ns > middle->last_end_ns)
        middle->last_end_ns = after_ns;
    return middle->last_end_ns;
}

struct part_matchers *part_matchers_new(const struct catalogue *catalogue,
                                        const struct definitions *definitions,
                                        const struct pag_part *const *parts, size_t n_parts)
{
    struct part_matchers *matchers = memory_zeroed(1, sizeof *matchers);
    matchers->n_parts = n_parts;
    matchers->n_locations = definitions->n_locations;
    matchers->tables = matcher_new(catalogue, definitions);
    matchers->matchers = memory_zeroed(n_parts, sizeof(struct matcher *));
    for (size_t k = 0; k < n_parts; k++)
        matchers->matchers[k] = matcher_new_of_part(matchers->tables, parts[k]);
    matchers->nodes = memory_zeroed(n_parts * matchers->n_locations, sizeof *matchers->nodes);
    for (size_t i = 0; i < matchers->n_locations; i++) {
        struct part_node *nodes = &matchers->nodes[i * n_parts];
        for (size_t k = 0; k < n_parts; k++)
            nodes[k] = (struct part_node){.time = parts[k][i], .part = (uint32_t)k};
        qsort(nodes, n_parts, sizeof *nodes, by_begin);
        note_ends(nodes, n_parts);
    }
    return matchers;
}

void part_matchers_free(struct part_matchers *matchers)
{
    if (!matchers)
        return;
    for (size_t k = 0; k < matchers->n_parts; k++)
        matcher_free(matchers->matchers[k]);
    matcher_free(matchers->tables);
    free(matchers->matchers);
    free(matchers->nodes);
    free(matchers);
}

/// Shows ROOT, whose call lasts for TIME, to those of N parts that overlap it.
static void show(struct part_matchers *matchers, const struct part_node *nodes, size_t n,
                 struct pag_part time, const struct root *root)
{
    while (n > 0) {
        const struct part_node *middle = &nodes[n / 2];
        if (middle->last_end_ns <= time.begin_ns)
            return;
        show(matchers, nodes, n / 2, time, root);
        if (middle->time.begin_ns >= time.end_ns)
            return;
        if (middle->time.end_ns > time.begin_ns)
            matcher_root(matchers->matchers[middle->part], root);
        n -= n / 2 + 1;
        nodes = middle + 1;
    }
}

void part_matchers_root(struct part_matchers *matchers, const struct root *root)
{
    const struct part_node *nodes = &matchers->nodes[root->location * matchers->n_parts];
    struct pag_part time = {(uint64_t)root->value[root_enter_field(root->kind)],
                            (uint64_t)root->value[root_leave_field(root->kind)]};
    show(matchers, nodes, matchers->n_parts, time, root);
}

const struct matcher *part_matchers_at(const struct part_matchers *matchers, size_t part)
{
    return matchers->matchers[part];
}

size_t part_matchers_bytes(const struct part_matchers *matchers)
{
    size_t bytes = matchers->n_parts * matchers->n_locations * sizeof *matchers->nodes;
    for (size_t k = 0; k < matchers->n_parts; k++)
        bytes += matcher_bytes(matchers->matchers[k]);
    return bytes;
}
