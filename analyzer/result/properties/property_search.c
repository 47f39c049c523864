// SPDX-License-Identifier: BSD-3-Clause
// Nodes come after their parents, and foci after those around them, so one loop over both does it.
#include "analyzer/result/properties/property_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

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

static const struct property_focus everything = FOCUS_OF_ALL;

static const struct asl_property *property_of(const struct searching *s, uint32_t node)
{
    return &s->search->properties->items[s->search->hierarchy->nodes[node].property];
}

// ---- foci

/// The first iteration may hold what was before the loop.
static size_t n_foci(const struct result *result, enum property_focus_kind kind)
{
    switch (kind) {
    case FOCUS_region:
        return result->n_regions;
    case FOCUS_call_path:
        return result->n_paths;
    case FOCUS_rank:
        return result->n_ranks;
    case FOCUS_iteration:
        return result->iterations.n_items > 1 ? result->iterations.n_items - 1 : 0;
    default:
        return 1;
    }
}

static struct property_focus focus_at(enum property_focus_kind kind, uint32_t index)
{
    struct property_focus focus = everything;
    if (kind == FOCUS_region)
        focus.region = index;
    else if (kind == FOCUS_call_path)
        focus.path = index;
    else if (kind == FOCUS_rank)
        focus.rank = index;
    else if (kind == FOCUS_iteration)
        focus.iteration = index + 1;
    return focus;
}

// ---- values of one property in one focus

struct evaluation {
    struct property_values *values;
    const struct result *result;
    const struct asl_property *property;
    const struct property_node *node;
    struct property_focus focus;
    double slots[EXPRESSION_SLOTS];
};

static double slot_value(const struct evaluation *e, const struct property_slot *slot,
                         const struct property_focus *element)
{
    struct property_focus of = slot->is_of_focus ? e->focus : everything;
    if (slot->is_of_basis)
        return property_basis_value(e->values, e->node->basis, &e->focus);
    if (slot->set != SLOT_NONE && element->path != RESULT_NONE) {
        of.region = RESULT_NONE;
        of.path = element->path;
    }
    if (slot->set != SLOT_NONE && element->rank != RESULT_NONE)
        of.rank = element->rank;
    if (slot->set != SLOT_NONE && element->iteration != RESULT_NONE)
        of = *element;
    return property_value(e->values, slot, &of);
}

struct aggregate {
    double value;
    size_t n;
};

static void note(struct aggregate *to, enum property_operation operation, double value)
{
    bool is_first = to->n++ == 0;
    double before = is_first ? (operation == SET_all) : to->value;
    switch (operation) {
    case SET_any:
        to->value = before != 0 || value != 0;
        return;
    case SET_all:
        to->value = before != 0 && value != 0;
        return;
    case SET_min:
        to->value = is_first ? value : fmin(before, value);
        return;
    case SET_max:
        to->value = is_first ? value : fmax(before, value);
        return;
    default:
        to->value = before + value;
        return;
    }
}

/// Adds the value of the set SLOT for one of its elements.
static void note_element(struct evaluation *e, uint32_t set, const struct property_focus *element,
                         struct aggregate *to)
{
    const struct property_slot *slot = &e->property->slots[set];
    for (size_t i = 0; i < e->property->n_slots; i++)
        if (e->property->slots[i].set == set)
            e->slots[i] = slot_value(e, &e->property->slots[i], element);
    double value;
    if (expression_value(&slot->value, e->slots, &value) && !isnan(value))
        note(to, slot->operation, value);
}

static void note_paths(struct evaluation *e, uint32_t set, uint32_t begin, uint32_t end,
                       struct aggregate *to)
{
    for (uint32_t i = begin; i < end; i++) {
        struct property_focus element = focus_at(FOCUS_call_path, i);
        note_element(e, set, &element, to);
    }
}

/// The call paths within the focus.
static void note_call_paths(struct evaluation *e, uint32_t set, struct aggregate *to)
{
    size_t n = 0;
    if (e->focus.region != RESULT_NONE) {
        const uint32_t *paths = property_values_paths(e->values, e->focus.region, &n);
        for (size_t i = 0; i < n; i++)
            note_paths(e, set, paths[i], property_values_end(e->values, paths[i]), to);
    } else if (e->focus.path != RESULT_NONE) {
        note_paths(e, set, e->focus.path, property_values_end(e->values, e->focus.path), to);
    } else {
        note_paths(e, set, 0, (uint32_t)e->result->n_paths, to);
    }
}

/// NAN for an empty set, except of any and all.
static double set_value(struct evaluation *e, uint32_t set)
{
    const struct property_slot *slot = &e->property->slots[set];
    struct aggregate all = {slot->operation == SET_any   ? 0
                            : slot->operation == SET_all ? 1
                                                         : NAN,
                            0};
    if (slot->over == FOCUS_call_path)
        note_call_paths(e, set, &all);
    for (uint32_t i = 0; slot->over != FOCUS_call_path && i < n_foci(e->result, slot->over); i++) {
        struct property_focus element = focus_at(slot->over, i);
        if (slot->over != FOCUS_rank || !e->result->ranks[i].is_skipped)
            note_element(e, set, &element, &all);
    }
    return slot->operation == SET_mean && all.n > 0 ? all.value / (double)all.n : all.value;
}

static void fill_slots(struct evaluation *e)
{
    const struct property_slot *slots = e->property->slots;
    for (size_t i = 0; i < e->property->n_slots; i++) {
        if (slots[i].kind == SLOT_NUMBER)
            e->slots[i] = slots[i].number;
        else if (slots[i].kind == SLOT_METRIC && slots[i].set == SLOT_NONE)
            e->slots[i] = slot_value(e, &slots[i], NULL);
    }
    for (size_t i = 0; i < e->node->n_settings; i++)
        e->slots[e->node->settings[i].slot] = e->node->settings[i].value;
    for (size_t i = 0; i < e->property->n_slots; i++) {
        if (slots[i].kind == SLOT_SET)
            e->slots[i] = set_value(e, (uint32_t)i);
        else if (slots[i].kind == SLOT_LET &&
                 !expression_value(&slots[i].value, e->slots, &e->slots[i]))
            e->slots[i] = NAN;
    }
}

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
    struct evaluation e = {.values = s->values,
                           .result = s->search->result,
                           .property = property_of(s, node),
                           .node = &s->search->hierarchy->nodes[node],
                           .focus = to->focus};
    double holds;
    fill_slots(&e);
    if (!expression_value(&e.property->condition, e.slots, &holds) || isnan(holds) || holds == 0)
        return false;
    to->severity = share_of(&e.property->severity, e.slots);
    to->confidence = share_of(&e.property->confidence, e.slots);
    return to->severity > 0 && to->confidence > 0 && to->severity >= e.node->threshold;
}

// ---- the search

static void add_need(char **needs, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = *needs; at && (at = strstr(at, name)); at += length)
        if ((at == *needs || at[-1] == ' ') && (at[length] == ',' || !at[length]))
            return;
    text_append(needs, "%s%s", *needs ? ", " : "", name);
}

/// What the property of NODE needs and the trace does not have; NULL without.
static char *needs_of(const struct searching *s, uint32_t node)
{
    const struct asl_property *property = property_of(s, node);
    bool is_of_phase = s->search->hierarchy->nodes[node].basis == BASIS_phase;
    bool has_loop = s->search->result->iterations.n_items > 1;
    char *needs = NULL;
    for (size_t i = 0; i < property->n_slots; i++) {
        const struct property_slot *slot = &property->slots[i];
        if (slot->kind == SLOT_METRIC && !property_values_have(s->values, slot))
            add_need(&needs, slot->metric_name);
        if (!has_loop && ((slot->kind == SLOT_SET && slot->over == FOCUS_iteration) ||
                          (slot->is_of_basis && is_of_phase)))
            add_need(&needs, "iterations");
    }
    if (!has_loop && property->focus == FOCUS_iteration)
        add_need(&needs, "iterations");
    return needs;
}

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
    char *needs = needs_of(s, node);
    state->is_gap = needs != NULL;
    if (state->is_gap) {
        add_gap(search, search->hierarchy->nodes[node].property, needs);
        return;
    }
    state->n_foci = n_foci(search->result, kind);
    state->is_critical = memory_zeroed(state->n_foci + 1, sizeof *state->is_critical);
    for (uint32_t i = 0; i < state->n_foci; i++) {
        struct property_instance instance = {.node = node, .focus = focus_at(kind, i)};
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

static int compare_instances(const void *a, const void *b)
{
    const struct property_instance *x = a, *y = b;
    const struct property_focus *left = &x->focus, *right = &y->focus;
    return ORDER_BY(MORE_FIRST(x->severity, y->severity), LESS_FIRST(x->node, y->node),
                    LESS_FIRST(left->region, right->region), LESS_FIRST(left->path, right->path),
                    LESS_FIRST(left->rank, right->rank),
                    LESS_FIRST(left->iteration, right->iteration));
}

void property_search_run(struct property_search *search)
{
    size_t n_nodes = search->hierarchy->n_nodes;
    struct searching s = {.search = search,
                          .values = property_values_new(search->result),
                          .nodes = memory_zeroed(n_nodes + 1, sizeof *s.nodes)};
    for (uint32_t i = 0; i < n_nodes; i++)
        search_node(&s, i);
    if (search->n_instances > 0)
        qsort(search->instances, search->n_instances, sizeof *search->instances, compare_instances);
    for (size_t i = 0; i < n_nodes; i++)
        free(s.nodes[i].is_critical);
    free(s.nodes);
    property_values_free(s.values);
}

void property_search_release(struct property_search *search)
{
    for (size_t i = 0; i < search->n_gaps; i++)
        free(search->gaps[i].needs);
    free(search->gaps);
    free(search->instances);
}
