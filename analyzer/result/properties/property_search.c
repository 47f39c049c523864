// SPDX-License-Identifier: BSD-3-Clause
// Nodes come after their parents, and foci after those around them, so one loop over both does it.
#include "analyzer/result/properties/property_search.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

struct node_state {
    bool *is_critical; // by focus
    size_t n_foci, n_critical;
    bool is_gap;
};

struct searching {
    struct property_search *search;
    struct property_values *values;
    struct node_state *nodes;
    size_t capacity; // of instances
};

static const struct asl_property *property_of(const struct searching *s, uint32_t node)
{
    return &s->search->properties->items[s->search->hierarchy->nodes[node].property];
}

// ---- one property in one focus

/// A value from 0 to 1; 0 where there is none.
static double share_of(const struct expression *expression, const double *slots)
{
    double value;
    bool is_there = expression_value(expression, slots, &value) && value > 0;
    return !is_there ? 0 : value < 1 ? value : 1;
}

/// Whether the property holds there and reaches the threshold of its node.
static bool is_critical(const struct searching *s, uint32_t node, struct property_instance *to)
{
    struct property_evaluation e = {.values = s->values,
                                    .result = s->search->result,
                                    .property = property_of(s, node),
                                    .node = &s->search->hierarchy->nodes[node],
                                    .focus = to->focus};
    double holds;
    property_evaluate(&e);
    if (!expression_value(&e.property->condition, e.slots, &holds) || isnan(holds) || holds == 0)
        return false;
    to->severity = share_of(&e.property->severity, e.slots);
    to->confidence = share_of(&e.property->confidence, e.slots);
    return to->severity > 0 && to->confidence > 0 && to->severity >= e.node->threshold;
}

// ---- the search

static void add_gap(struct property_search *search, uint32_t property, char *needs)
{
    for (size_t i = 0; i < search->n_gaps; i++) {
        if (search->gaps[i].property == property) {
            free(needs);
            return;
        }
    }
    search->gaps = memory_resize(search->gaps, search->n_gaps + 1, sizeof *search->gaps);
    search->gaps[search->n_gaps++] = (struct property_gap){property, needs};
}

/// The nearest node above that can be evaluated.
static uint32_t node_above(const struct searching *s, uint32_t node)
{
    do {
        node = s->search->hierarchy->nodes[node].parent;
    } while (node != NODE_NONE && s->nodes[node].is_gap);
    return node;
}

/// Whether NODE is critical in all that the focus is within.
static bool holds_around(const struct searching *s, uint32_t node, uint32_t focus)
{
    const bool *is_critical = s->nodes[node].is_critical;
    enum property_focus_kind kind = property_of(s, node)->focus;
    size_t n = 0;
    const uint32_t *around =
        kind == FOCUS_region ? property_values_around(s->values, focus, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (!is_critical[around[i]])
            return false;
    uint32_t parent =
        kind == FOCUS_call_path ? s->search->result->paths[focus].parent : RESULT_NONE;
    return parent == RESULT_NONE || is_critical[parent];
}

/// Whether a property that is not critical around the focus, or above in the hierarchy, rules NODE
/// out there.
static bool is_ruled_out(const struct searching *s, uint32_t node, uint32_t focus)
{
    uint32_t above = node_above(s, node);
    if (!holds_around(s, node, focus))
        return true;
    if (above == NODE_NONE)
        return false;
    return property_of(s, above)->focus == property_of(s, node)->focus
               ? !s->nodes[above].is_critical[focus]
               : s->nodes[above].n_critical == 0;
}

static void search_node(struct searching *s, uint32_t node)
{
    struct property_search *search = s->search;
    struct node_state *state = &s->nodes[node];
    enum property_focus_kind kind = property_of(s, node)->focus;
    char *needs = property_needs(search->result, property_of(s, node),
                                 search->hierarchy->nodes[node].basis == BASIS_phase);
    state->is_gap = needs != NULL;
    if (state->is_gap) {
        add_gap(search, search->hierarchy->nodes[node].property, needs);
        return;
    }
    state->n_foci = property_n_foci(search->result, kind);
    state->is_critical = memory_zeroed(state->n_foci + 1, sizeof *state->is_critical);
    for (uint32_t i = 0; i < state->n_foci; i++) {
        struct property_instance instance = {.node = node, .focus = property_focus_at(kind, i)};
        if (search->prunes && is_ruled_out(s, node, i)) {
            search->n_saved++;
            continue;
        }
        search->n_evaluated++;
        if (!is_critical(s, node, &instance))
            continue;
        state->is_critical[i] = true;
        state->n_critical++;
        *ARRAY_NEXT(search->instances, search->n_instances, s->capacity) = instance;
    }
}

void property_search_run(struct property_search *search)
{
    size_t n_nodes = search->hierarchy->n_nodes;
    struct searching s = {.search = search,
                          .values = property_values_new(search->result),
                          .nodes = memory_zeroed(n_nodes + 1, sizeof *s.nodes)};
    for (uint32_t i = 0; i < n_nodes; i++)
        search_node(&s, i);
    SORT_BY(search->instances, search->n_instances, MOST(severity), LEAST(node),
            LEAST(focus.region), LEAST(focus.path), LEAST(focus.rank), LEAST(focus.node),
            LEAST(focus.iteration));
    FREE_MEMBERS(s.nodes, n_nodes, is_critical);
    free(s.nodes);
    property_values_free(s.values);
}

void property_search_release(struct property_search *search)
{
    FREE_MEMBERS(search->gaps, search->n_gaps, needs);
    FREE_ALL(search->gaps, search->instances);
}
