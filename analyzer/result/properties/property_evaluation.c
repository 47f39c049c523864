// SPDX-License-Identifier: BSD-3-Clause
// The values of a property's or metric's expressions in one part of a run.
#include "analyzer/result/properties/property_search.h"

#include <math.h>

static const struct result_part everything = RESULT_PART_ALL;

// ---- foci

/// The first iteration may hold what was before the loop.
size_t property_n_foci(const struct result *result, enum property_focus_kind kind)
{
    switch (kind) {
    case FOCUS_region:
        return result->n_regions;
    case FOCUS_call_path:
        return result->n_paths;
    case FOCUS_rank:
        return result->n_ranks;
    case FOCUS_node:
        return result->n_nodes;
    case FOCUS_iteration:
        return result->iterations.n_items > 1 ? result->iterations.n_items - 1 : 0;
    default:
        return 1;
    }
}

struct result_part property_focus_at(enum property_focus_kind kind, uint32_t index)
{
    struct result_part focus = everything;
    if (kind == FOCUS_region)
        focus.region = index;
    else if (kind == FOCUS_call_path)
        focus.path = index;
    else if (kind == FOCUS_rank)
        focus.rank = index;
    else if (kind == FOCUS_node)
        focus.node = index;
    else if (kind == FOCUS_iteration)
        focus.iteration = index + 1;
    return focus;
}

// ---- values of one property in one focus

/// Of slot INDEX, a SLOT_METRIC; for ELEMENT of the set that it is of.
static double slot_value(const struct property_evaluation *e, size_t index,
                         const struct result_part *element)
{
    const struct property_slot *slot = &e->property->slots[index];
    struct result_part of = slot->is_of_focus ? e->focus : everything;
    if (slot->is_of_basis)
        return property_basis_value(e->values, e->node->basis, &e->focus);
    if (slot->set != SLOT_NONE && element->path != RESULT_NONE) {
        of.region = RESULT_NONE;
        of.path = element->path;
    }
    if (slot->set != SLOT_NONE && element->rank != RESULT_NONE)
        of.rank = element->rank;
    if (slot->set != SLOT_NONE && element->node != RESULT_NONE)
        of.node = element->node;
    if (slot->set != SLOT_NONE && element->iteration != RESULT_NONE)
        of = *element;
    if (slot->region_name)
        of.region = e->named[index].region;
    return property_value(e->values, e->named[index].metric, &of);
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
static void note_element(struct property_evaluation *e, uint32_t set,
                         const struct result_part *element, struct aggregate *to)
{
    const struct property_slot *slot = &e->property->slots[set];
    for (size_t i = 0; i < e->property->n_slots; i++)
        if (e->property->slots[i].set == set)
            e->slots[i] = slot_value(e, i, element);
    double value;
    if (expression_value(&slot->value, e->slots, &value) && !isnan(value))
        note(to, slot->operation, value);
}

static void note_paths(struct property_evaluation *e, uint32_t set, uint32_t begin, uint32_t end,
                       struct aggregate *to)
{
    for (uint32_t i = begin; i < end; i++) {
        struct result_part element = property_focus_at(FOCUS_call_path, i);
        note_element(e, set, &element, to);
    }
}

/// The call paths within the focus.
static void note_call_paths(struct property_evaluation *e, uint32_t set, struct aggregate *to)
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
static double set_value(struct property_evaluation *e, uint32_t set)
{
    const struct property_slot *slot = &e->property->slots[set];
    struct aggregate all = {slot->operation == SET_any   ? 0
                            : slot->operation == SET_all ? 1
                                                         : NAN,
                            0};
    if (slot->over == FOCUS_call_path)
        note_call_paths(e, set, &all);
    for (uint32_t i = 0;
         slot->over != FOCUS_call_path && i < property_n_foci(e->result, slot->over); i++) {
        struct result_part element = property_focus_at(slot->over, i);
        if (slot->over != FOCUS_rank || !e->result->ranks[i].is_skipped)
            note_element(e, set, &element, &all);
    }
    return slot->operation == SET_mean && all.n > 0 ? all.value / (double)all.n : all.value;
}

/// Slots that come from others: sets and values between `let` and `in`.
static void compute_slots(struct property_evaluation *e, bool with_sets)
{
    const struct property_slot *slots = e->property->slots;
    for (size_t i = 0; i < e->property->n_slots; i++) {
        if (slots[i].kind == SLOT_SET && with_sets)
            e->slots[i] = set_value(e, (uint32_t)i);
        else if (slots[i].kind == SLOT_LET &&
                 !expression_value(&slots[i].value, e->slots, &e->slots[i]))
            e->slots[i] = NAN;
    }
}

/// Whether SLOT is a metric whose value depends on the focus, except in a set.
static bool is_of_focus(const struct property_slot *slot)
{
    return slot->kind == SLOT_METRIC && slot->set == SLOT_NONE &&
           (slot->is_of_focus || slot->is_of_basis);
}

void property_evaluation_begin(struct property_evaluation *e)
{
    const struct property_slot *slots = e->property->slots;
    for (size_t i = 0; i < e->property->n_slots; i++) {
        if (slots[i].kind == SLOT_NUMBER)
            e->slots[i] = slots[i].number;
        if (slots[i].kind != SLOT_METRIC)
            continue;
        e->named[i].metric = property_metric(e->result, &slots[i]);
        e->named[i].region =
            slots[i].region_name ? property_region(e->result, slots[i].region_name) : RESULT_NONE;
        if (slots[i].set == SLOT_NONE && !is_of_focus(&slots[i]))
            e->slots[i] = slot_value(e, i, NULL);
    }
    for (size_t i = 0; e->node && i < e->node->n_settings; i++)
        e->slots[e->node->settings[i].slot] = e->node->settings[i].value;
}

void property_evaluate(struct property_evaluation *e)
{
    for (size_t i = 0; i < e->property->n_slots; i++)
        if (is_of_focus(&e->property->slots[i]))
            e->slots[i] = slot_value(e, i, NULL);
    compute_slots(e, true);
}

void property_evaluate_rank(struct property_evaluation *e, uint32_t rank)
{
    const struct property_slot *slots = e->property->slots;
    e->focus.rank = rank;
    for (size_t i = 0; i < e->property->n_slots; i++)
        if (slots[i].is_of_focus && slots[i].set == SLOT_NONE)
            e->slots[i] = slot_value(e, i, NULL);
    compute_slots(e, false);
}
