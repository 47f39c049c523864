// SPDX-License-Identifier: BSD-3-Clause
// Nodes come after their parents, and foci after those around them, so one loop over both does it.
// What was critical in earlier trials goes through the same loop before; what cannot be decided
// there yet, for what rules it out is not known, waits for the second loop.
#include "analyzer/result/properties/property_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

enum decision { UNDECIDED, RULED_OUT, NOT_CRITICAL, CRITICAL };

struct node_state {
    uint8_t *decisions; // by focus
    size_t n_foci, n_critical;
    bool is_gap;
    struct property_evaluation evaluation;
    bool is_complete; // all foci are decided
};

/// A property that earlier trials had, at a node of that property.
struct mark {
    uint32_t node, focus, past;
};

struct searching {
    struct property_search *search;
    struct property_values *values;
    struct node_state *nodes;
    struct mark *marks; // by node and focus
    size_t n_marks;
    size_t capacity; // of what is found
    size_t changes_capacity;
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
static bool is_critical(const struct searching *s, struct result_property *to)
{
    struct property_evaluation *e = &s->nodes[to->node].evaluation;
    double holds;
    e->focus = to->in;
    property_evaluate(e);
    if (!expression_value(&e->property->condition, e->slots, &holds) || isnan(holds) || holds == 0)
        return false;
    to->severity = share_of(&e->property->severity, e->slots);
    to->confidence = share_of(&e->property->confidence, e->slots);
    return to->severity > 0 && to->confidence > 0 && to->severity >= e->node->threshold;
}

static struct result_property property_at(const struct searching *s, uint32_t node, uint32_t focus)
{
    const struct asl_property *property = property_of(s, node);
    return (struct result_property){.name = property->name,
                                    .node = node,
                                    .in = property_focus_at(property->focus, focus),
                                    .severity_before = NAN};
}

// ---- the search

static void add_gap(struct result_search *found, const char *name, char *needs)
{
    if (HAS_BY(found->gaps, found->n_gaps, name, name)) {
        free(needs);
        return;
    }
    *ARRAY_EXTEND(found->gaps, found->n_gaps) = (struct result_property_gap){name, needs};
}

/// The nearest node above that can be evaluated.
static uint32_t node_above(const struct searching *s, uint32_t node)
{
    do {
        node = s->search->hierarchy->nodes[node].parent;
    } while (node != NODE_NONE && s->nodes[node].is_gap);
    return node;
}

/// What the decision OUTER on a property in one part of the run means for what is within:
/// UNDECIDED, RULED_OUT, or CRITICAL where nothing speaks against it.
static enum decision decision_within(uint8_t outer)
{
    return outer == UNDECIDED || outer == CRITICAL ? (enum decision)outer : RULED_OUT;
}

/// The same of NODE in all that the focus is within.
static enum decision decision_around(const struct searching *s, uint32_t node, uint32_t focus)
{
    const uint8_t *decisions = s->nodes[node].decisions;
    enum property_focus_kind kind = property_of(s, node)->focus;
    if (kind == FOCUS_call_path) {
        uint32_t parent = s->search->result->paths[focus].parent;
        return parent == RESULT_NONE ? CRITICAL : decision_within(decisions[parent]);
    }
    size_t n = 0;
    const uint32_t *around =
        kind == FOCUS_region ? property_values_around(s->values, focus, &n) : NULL;
    enum decision all = CRITICAL;
    for (size_t i = 0; i < n; i++) {
        enum decision one = decision_within(decisions[around[i]]);
        if (one == RULED_OUT)
            return RULED_OUT;
        all = one == UNDECIDED ? UNDECIDED : all;
    }
    return all;
}

/// Whether a property that is not critical around the focus, or above in the hierarchy, rules NODE
/// out there. CRITICAL: it does not, UNDECIDED: that is not known yet.
static enum decision decision_above(const struct searching *s, uint32_t node, uint32_t focus)
{
    uint32_t above = node_above(s, node);
    enum decision decision = decision_around(s, node, focus);
    if (decision == RULED_OUT || above == NODE_NONE)
        return decision;
    const struct node_state *state = &s->nodes[above];
    enum decision other = state->n_critical > 0 ? CRITICAL
                          : state->is_complete  ? RULED_OUT
                                                : UNDECIDED;
    if (property_of(s, above)->focus == property_of(s, node)->focus)
        other = decision_within(state->decisions[focus]);
    return other == RULED_OUT || decision == CRITICAL ? other : decision;
}

/// Decides on NODE in one focus, unless what rules it out is not decided.
static void decide(struct searching *s, uint32_t node, uint32_t focus)
{
    struct result_search *found = &s->search->found;
    struct node_state *state = &s->nodes[node];
    uint8_t *decision = &state->decisions[focus];
    if (*decision != UNDECIDED)
        return;
    enum decision above = found->prunes ? decision_above(s, node, focus) : CRITICAL;
    if (above == UNDECIDED)
        return;
    if (above == RULED_OUT) {
        *decision = RULED_OUT;
        found->n_saved++;
        return;
    }
    struct result_property property = property_at(s, node, focus);
    property.n_evaluations = ++found->n_evaluated;
    *decision = is_critical(s, &property) ? CRITICAL : NOT_CRITICAL;
    if (*decision == NOT_CRITICAL)
        return;
    state->n_critical++;
    *ARRAY_NEXT(found->found, found->n_found, s->capacity) = property;
}

static void begin_node(struct searching *s, uint32_t node)
{
    struct property_search *search = s->search;
    const struct asl_property *property = property_of(s, node);
    struct node_state *state = &s->nodes[node];
    char *needs = property_needs(search->result, property,
                                 search->hierarchy->nodes[node].basis == BASIS_phase);
    state->is_gap = needs != NULL;
    if (state->is_gap) {
        add_gap(&search->found, property->name, needs);
        return;
    }
    state->n_foci = property_n_foci(search->result, property->focus);
    state->decisions = memory_zeroed(state->n_foci + 1, sizeof *state->decisions);
    state->evaluation = (struct property_evaluation){.values = s->values,
                                                     .result = search->result,
                                                     .property = property,
                                                     .node = &search->hierarchy->nodes[node]};
    property_evaluation_begin(&state->evaluation);
}

// ---- what earlier trials had

/// The number of the part IN among the foci of KIND, RESULT_NONE: it is none of them.
static uint32_t focus_number(enum property_focus_kind kind, const struct result_part *in)
{
    uint32_t number = kind == FOCUS_region      ? in->region
                      : kind == FOCUS_call_path ? in->path
                      : kind == FOCUS_rank      ? in->rank
                      : kind == FOCUS_node      ? in->node
                      : kind == FOCUS_program   ? 0
                                                : in->iteration;
    return kind == FOCUS_iteration && number != RESULT_NONE ? number - 1 : number;
}

/// Marks what earlier trials had at each node of its property.
static void find_marks(struct searching *s)
{
    const struct result_search *found = &s->search->found;
    size_t capacity = 0;
    for (uint32_t i = 0; i < found->n_past; i++) {
        const struct result_past_property *past = &found->past[i];
        for (uint32_t node = 0; past->is_here && node < s->search->hierarchy->n_nodes; node++) {
            const struct asl_property *property = property_of(s, node);
            uint32_t focus = focus_number(property->focus, &past->in);
            if (!s->nodes[node].is_gap && focus < s->nodes[node].n_foci &&
                strcmp(property->name, past->name) == 0)
                *ARRAY_NEXT(s->marks, s->n_marks, capacity) = (struct mark){node, focus, i};
        }
    }
    SORT_BY(s->marks, s->n_marks, LEAST(node), LEAST(focus));
}

static bool is_change(double before, double now)
{
    double size = fabs(now - before);
    return size >= PROPERTY_CHANGE && size >= PROPERTY_CHANGE_SHARE * before;
}

static void add_change(struct searching *s, const struct result_property_change *change)
{
    struct result_search *found = &s->search->found;
    *ARRAY_NEXT(found->changes, found->n_changes, s->changes_capacity) = *change;
}

/// What the last trial had and this run has not. What cannot be evaluated any more is not among
/// it.
static void add_gone(struct searching *s)
{
    struct result_search *found = &s->search->found;
    SCOPED bool *is_there = memory_zeroed(found->n_past + 1, sizeof *is_there);
    SCOPED double *now = memory_zeroed(found->n_past + 1, sizeof *now);
    for (size_t i = 0; i < found->n_past; i++)
        now[i] = NAN;
    for (size_t i = 0; i < s->n_marks; i++) {
        const struct mark *mark = &s->marks[i];
        uint8_t decision = s->nodes[mark->node].decisions[mark->focus];
        is_there[mark->past] |= decision == CRITICAL;
        struct result_property property = property_at(s, mark->node, mark->focus);
        if (decision != NOT_CRITICAL)
            continue;
        is_critical(s, &property); // once more, for its severity
        now[mark->past] = fmax(now[mark->past], property.severity);
    }
    for (size_t i = 0; i < found->n_past; i++) {
        const struct result_past_property *past = &found->past[i];
        if (past->is_last && !is_there[i] && !isnan(past->severity) &&
            !HAS_BY(found->gaps, found->n_gaps, name, past->name))
            add_change(s, &(struct result_property_change){
                              RESULT_PROPERTY_GONE, past->name, past->in,
                              past->is_here ? NULL : past->where, past->severity, now[i],
                              past->severity - (now[i] > 0 ? now[i] : 0)});
    }
}

/// Whether PROPERTY could not be evaluated in the last trial.
static bool was_gap(const struct result_search *found, const struct result_property *property)
{
    for (size_t i = 0; i < found->n_past; i++)
        if (found->past[i].is_last && isnan(found->past[i].severity) &&
            strcmp(found->past[i].name, property->name) == 0)
            return true;
    return false;
}

/// What the last trial had not, or with another severity.
static void add_new_and_changed(struct searching *s)
{
    struct result_search *found = &s->search->found;
    for (size_t i = 0; i < found->n_found; i++) {
        const struct result_property *property = &found->found[i];
        double before = property->severity_before, now = property->severity;
        if (isnan(before) ? !was_gap(found, property) : is_change(before, now))
            add_change(s, &(struct result_property_change){
                              isnan(before) ? RESULT_PROPERTY_NEW : RESULT_PROPERTY_CHANGED,
                              property->name, property->in, NULL, before, now,
                              isnan(before) ? now : fabs(now - before)});
    }
}

#define IN_ORDER_OF_PARTS                                                                          \
    LEAST(in.region), LEAST(in.path), LEAST(in.rank), LEAST(in.node), LEAST(in.iteration)

/// Compares what was found, sorted by node and part, with the last trial, and says when it would
/// have been found without earlier trials.
static void compare(struct searching *s)
{
    struct result_search *found = &s->search->found;
    uint64_t n_evaluations = 0;
    size_t n = 0, m = 0;
    for (uint32_t node = 0; node < s->search->hierarchy->n_nodes; node++)
        for (uint32_t i = 0; i < s->nodes[node].n_foci; i++) {
            uint8_t decision = s->nodes[node].decisions[i];
            const struct mark *mark = NULL;
            while (m < s->n_marks && s->marks[m].node == node && s->marks[m].focus == i)
                mark = &s->marks[m++];
            n_evaluations += decision == CRITICAL || decision == NOT_CRITICAL;
            if (decision != CRITICAL)
                continue;
            struct result_property *property = &found->found[n++];
            property->n_without_past = n_evaluations;
            if (mark && found->past[mark->past].is_last)
                property->severity_before = found->past[mark->past].severity;
        }
    if (!found->last)
        return;
    add_gone(s);
    add_new_and_changed(s);
    SORT_BY(found->changes, found->n_changes, MOST(size), LEAST(name), IN_ORDER_OF_PARTS,
            LEAST(before));
}

void property_search_run(struct property_search *search)
{
    size_t n_nodes = search->hierarchy->n_nodes;
    struct searching s = {.search = search,
                          .values = property_values_new(search->result),
                          .nodes = memory_zeroed(n_nodes + 1, sizeof *s.nodes)};
    struct result_search *found = &search->found;
    for (uint32_t i = 0; i < n_nodes; i++)
        begin_node(&s, i);
    find_marks(&s);
    for (size_t i = 0; i < s.n_marks; i++)
        decide(&s, s.marks[i].node, s.marks[i].focus);
    for (uint32_t node = 0; node < n_nodes; node++) {
        for (uint32_t i = 0; i < s.nodes[node].n_foci; i++)
            decide(&s, node, i);
        s.nodes[node].is_complete = true;
    }
    SORT_BY(found->found, found->n_found, LEAST(node), IN_ORDER_OF_PARTS);
    compare(&s);
    SORT_BY(found->found, found->n_found, MOST(severity), LEAST(node), IN_ORDER_OF_PARTS);
    FREE_MEMBERS(s.nodes, n_nodes, decisions);
    FREE_ALL(s.nodes, s.marks);
    property_values_free(s.values);
}

void property_search_release(struct property_search *search)
{
    struct result_search *found = &search->found;
    FREE_MEMBERS(found->gaps, found->n_gaps, needs);
    FREE_MEMBERS(found->past, found->n_past, name, where);
    FREE_ALL(found->gaps, found->found, found->past, found->changes, found->last);
}
