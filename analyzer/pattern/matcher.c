// SPDX-License-Identifier: BSD-3-Clause
// Matching by a decision table compiled at start: for each kind of trigger event the patterns whose
// condition demands an equality with a constant (`kind == barrier`) are listed under that value, so
// that a trigger event meets only the patterns that can hold. A list is in the order of the
// hierarchy; where a pattern found no wait, those evaluated within it are stepped over.
#include "analyzer/pattern/matcher.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/pattern/expression.h"
#include "analyzer/pattern/pattern.h"

enum { MAX_GUARD = 128 }; // only values below this can choose a list

/// A pattern in a list.
struct candidate {
    const struct pattern *pattern;
    const bool *regions; // that it is for; NULL: its trigger events are of no region
    uint32_t index;      // of the pattern
    uint32_t n_within;   // candidates after it that are evaluated only where it waited
};

struct candidate_list {
    struct candidate *candidates;
    size_t n;
    uint8_t fields[TRIGGER_MAX_FIELDS]; // of a trigger event that their expressions use
    size_t n_fields;
};

struct decision {
    size_t enter, leave;         // fields that bound the call
    uint8_t slot;                // field whose value chooses the list
    struct candidate_list other; // for values that no condition demands
    struct candidate_list *lists[MAX_GUARD];
};

/// Waits of senders for messages with as many binary digits in their sizes.
struct held_messages {
    uint64_t wait_ns, most_bytes;
};
enum { SIZE_CLASSES = 65 };

struct location_sums {
    struct matcher_cell *cells; // by call path
    size_t n_cells;
    uint64_t window_ns;
    uint64_t window; // the matcher's window that window_ns belongs to
};

struct pattern_total {
    struct matcher_finding finding;
    struct matcher_cell *causes;  // by the rank waited for; NULL until the first
    struct matcher_cell *objects; // by trigger.sync_object
    size_t n_objects;
    struct held_messages *held; // by SIZE_CLASSES; NULL until the first
    double confidence_ns;       // sum of confidence * wait
    int64_t wait, begin;        // at the present trigger event, for the patterns within
};

struct matcher {
    const struct catalogue *catalogue;
    size_t n_locations, n_ranks;
    struct decision *decisions;   // by kind of trigger event
    bool **regions;               // by pattern: those that it is for, NULL: all
    bool shares_decisions;        // they and the regions are those of another matcher
    struct pattern_total *totals; // by pattern
    struct location_sums *sums;   // by pattern * n_locations + location
    uint64_t window;              // counts matcher_window_moved()
    const struct pag_part *parts; // by location: what counts of waits; NULL: all
    matcher_listener *listener;   // NULL: nobody listens
    void *listener_context;
};

// ---- decision tables ----

static bool guard_of(const struct pattern *pattern, uint8_t *slot, int64_t *value)
{
    return expression_guard(&pattern->compiled.condition, slot, value) && *value >= 0 &&
           *value < MAX_GUARD;
}

/// Lists are chosen by the field that most conditions demand a value of.
static uint8_t choose_slot(const struct catalogue *catalogue, enum trigger_kind kind)
{
    unsigned votes[EXPRESSION_SLOTS] = {0};
    uint8_t best = 0;
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        uint8_t slot;
        int64_t value;
        if (pattern->is_abstract || pattern->trigger_kind != kind ||
            !guard_of(pattern, &slot, &value))
            continue;
        if (slot < TRIGGER_MAX_FIELDS && ++votes[slot] > votes[best])
            best = slot;
    }
    return best;
}

/// Lists the patterns that can hold when the chosen field has VALUE (-1: none that is demanded).
/// The patterns within another one follow it directly, which the order of the catalogue does not
/// give where a subtree of a sibling lies between.
static void list_from(const struct catalogue *catalogue, bool *const *regions,
                      enum trigger_kind kind, uint8_t slot, int64_t value, uint32_t within,
                      struct candidate_list *list)
{
    for (uint32_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        uint32_t owner = pattern->is_within ? pattern->ancestor : PATTERN_NONE;
        uint8_t guard_slot;
        int64_t guard_value;
        if (pattern->is_abstract || pattern->trigger_kind != kind || owner != within)
            continue;
        if (guard_of(pattern, &guard_slot, &guard_value) && guard_slot == slot &&
            guard_value != value)
            continue;
        size_t place = list->n++;
        list->candidates[place] =
            (struct candidate){.pattern = pattern, .regions = regions[i], .index = i};
        list_from(catalogue, regions, kind, slot, value, i, list);
        list->candidates[place].n_within = (uint32_t)(list->n - place - 1);
    }
}

static struct candidate_list list_new(const struct catalogue *catalogue, bool *const *regions,
                                      enum trigger_kind kind, uint8_t slot, int64_t value)
{
    struct candidate_list list = {
        .candidates = memory_zeroed(catalogue->n_patterns, sizeof(*list.candidates))};
    list_from(catalogue, regions, kind, slot, value, PATTERN_NONE, &list);
    uint32_t used = 0;
    for (size_t i = 0; i < list.n; i++) {
        const struct pattern *pattern = list.candidates[i].pattern;
        used |= expression_slots(&pattern->compiled.condition) |
                expression_slots(&pattern->compiled.wait) |
                expression_slots(&pattern->compiled.begin) |
                expression_slots(&pattern->compiled.cause) |
                expression_slots(&pattern->compiled.confidence);
    }
    for (uint8_t field = 0; field < TRIGGER_MAX_FIELDS; field++)
        if (used >> field & 1)
            list.fields[list.n_fields++] = field;
    return list;
}

static void decision_init(struct decision *decision, const struct catalogue *catalogue,
                          bool *const *regions, enum trigger_kind kind)
{
    decision->enter = trigger_enter_field(kind);
    decision->leave = trigger_leave_field(kind);
    decision->slot = choose_slot(catalogue, kind);
    decision->other = list_new(catalogue, regions, kind, decision->slot, -1);
    for (size_t i = 0; i < MAX_GUARD; i++)
        decision->lists[i] = &decision->other;
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        uint8_t slot;
        int64_t value;
        if (pattern->is_abstract || pattern->trigger_kind != kind ||
            !guard_of(pattern, &slot, &value) || slot != decision->slot ||
            decision->lists[value] != &decision->other)
            continue;
        decision->lists[value] = memory_new(sizeof(*decision->lists[value]));
        *decision->lists[value] = list_new(catalogue, regions, kind, slot, value);
    }
}

static void decision_release(struct decision *decision)
{
    for (size_t i = 0; i < MAX_GUARD; i++) {
        if (decision->lists[i] == &decision->other)
            continue;
        FREE_ALL(decision->lists[i]->candidates, decision->lists[i]);
    }
    free(decision->other.candidates);
}

static struct matcher *new_with(const struct catalogue *catalogue, size_t n_locations,
                                size_t n_ranks, struct decision *decisions, bool **regions)
{
    struct matcher *matcher = memory_zeroed(1, sizeof(*matcher));
    matcher->catalogue = catalogue;
    matcher->n_locations = n_locations;
    matcher->n_ranks = n_ranks;
    matcher->decisions = decisions;
    matcher->regions = regions;
    matcher->totals = memory_zeroed(catalogue->n_patterns, sizeof(*matcher->totals));
    matcher->sums = memory_zeroed(catalogue->n_patterns * n_locations, sizeof(*matcher->sums));
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        matcher->totals[i].finding.worst.cause_rank = MATCHER_NO_RANK;
    return matcher;
}

// ---- regions ----

/// By region: whether PATTERN is for it. NULL: it is for none in particular. The caller frees.
static bool *regions_of(const struct pattern *pattern, const struct definitions *definitions)
{
    if (pattern->is_abstract || pattern->trigger_kind != TRIGGER_REGION)
        return NULL;
    struct error ambiguous; // it is for all of that name
    bool *is_meant = memory_zeroed(definitions->n_regions + 1, sizeof *is_meant);
    region_names_take(definitions, pattern->region, is_meant, &ambiguous);
    return is_meant;
}

bool *matcher_visited(const struct catalogue *catalogue, const struct definitions *definitions)
{
    bool *visited = NULL;
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        SCOPED bool *regions = regions_of(&catalogue->patterns[i], definitions);
        if (!regions)
            continue;
        if (!visited)
            visited = memory_zeroed(definitions->n_regions + 1, sizeof *visited);
        for (size_t region = 0; region < definitions->n_regions; region++)
            visited[region] = visited[region] || regions[region];
    }
    return visited;
}

struct matcher *matcher_new(const struct catalogue *catalogue,
                            const struct definitions *definitions)
{
    struct decision *decisions = memory_zeroed(TRIGGER_KINDS, sizeof(*decisions));
    bool **regions = memory_zeroed(catalogue->n_patterns + 1, sizeof(bool *));
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        regions[i] = regions_of(&catalogue->patterns[i], definitions);
    for (size_t kind = 0; kind < TRIGGER_KINDS; kind++)
        decision_init(&decisions[kind], catalogue, regions, (enum trigger_kind)kind);
    return new_with(catalogue, definitions->n_locations, definitions->n_ranks, decisions, regions);
}

void matcher_listen(struct matcher *matcher, matcher_listener *listener, void *context)
{
    matcher->listener = listener;
    matcher->listener_context = context;
}

/// A matcher of one part of each location, with the decision tables of WHOLE.
static struct matcher *new_of_part(const struct matcher *whole, const struct pag_part *parts)
{
    struct matcher *matcher = new_with(whole->catalogue, whole->n_locations, whole->n_ranks,
                                       whole->decisions, whole->regions);
    matcher->shares_decisions = true;
    matcher->parts = parts;
    return matcher;
}

void matcher_free(struct matcher *matcher)
{
    if (!matcher)
        return;
    for (size_t i = 0; i < matcher->catalogue->n_patterns * matcher->n_locations; i++)
        free(matcher->sums[i].cells);
    if (!matcher->shares_decisions) {
        for (size_t kind = 0; kind < TRIGGER_KINDS; kind++)
            decision_release(&matcher->decisions[kind]);
        memory_free_each(matcher->regions, matcher->catalogue->n_patterns);
        free(matcher->decisions);
    }
    FREE_MEMBERS(matcher->totals, matcher->catalogue->n_patterns, causes, objects, held);
    FREE_ALL(matcher->sums, matcher->totals, matcher);
}

// ---- trigger events ----

/// The cell at INDEX of *CELLS, of which there are *N.
static struct matcher_cell *cell_at(struct matcher_cell **cells, size_t *n, uint32_t index)
{
    if (index >= *n) {
        size_t n_before = *n;
        *cells = array_reserve(*cells, n, (size_t)index + 1, sizeof **cells);
        memset(*cells + n_before, 0, (*n - n_before) * sizeof **cells);
    }
    return &(*cells)[index];
}

static void add_to(struct matcher_cell *cell, uint64_t wait_ns)
{
    cell->count++;
    cell->wait_ns += wait_ns;
}

/// 0..1; what the formula gives beyond that is cut.
static double confidence_of(const struct pattern *pattern, const double *slots)
{
    double confidence;
    if (!expression_value(&pattern->compiled.confidence, slots, &confidence))
        return 0;
    return confidence > 0 ? (confidence < 1 ? confidence : 1) : 0;
}

/// The rank that was waited for, summed; MATCHER_NO_RANK when unknown.
static uint32_t note_cause(const struct matcher *matcher, const struct candidate *candidate,
                           const double *slots)
{
    struct pattern_total *total = &matcher->totals[candidate->index];
    double rank;
    if (!expression_value(&candidate->pattern->compiled.cause, slots, &rank) || !(rank >= 0) ||
        rank >= (double)matcher->n_ranks)
        return MATCHER_NO_RANK;
    if (!total->causes)
        total->causes = memory_zeroed(matcher->n_ranks, sizeof(*total->causes));
    uint32_t cause = (uint32_t)rank;
    add_to(&total->causes[cause], (uint64_t)total->wait);
    return cause;
}

/// Keeps the longest instance.
static void note_worst(const struct matcher *matcher, const struct candidate *candidate,
                       const struct trigger *trigger, uint32_t cause_rank)
{
    const struct pattern_total *total = &matcher->totals[candidate->index];
    struct matcher_finding *finding = &matcher->totals[candidate->index].finding;
    uint64_t wait_ns = (uint64_t)total->wait, time_ns = (uint64_t)total->begin;
    if (wait_ns < finding->worst.wait_ns)
        return;
    if (wait_ns == finding->worst.wait_ns &&
        (time_ns > finding->worst.time_ns ||
         (time_ns == finding->worst.time_ns && trigger->rank >= finding->worst.rank)))
        return;
    finding->worst.wait_ns = wait_ns;
    finding->worst.time_ns = time_ns;
    finding->worst.rank = trigger->rank;
    finding->worst.location = trigger->location;
    finding->worst.call_path = trigger->call_path;
    finding->worst.cause_rank = cause_rank;
}

/// The part of an instance that lies before the end of the window.
static uint64_t wait_in_window(const struct pattern_total *total, const struct trigger *trigger)
{
    uint64_t begin_ns = (uint64_t)total->begin, end_ns = begin_ns + (uint64_t)total->wait;
    if (end_ns > trigger->window_end_ns)
        end_ns = trigger->window_end_ns;
    return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static void note_held(struct pattern_total *total, uint64_t size_bytes, uint64_t wait_ns)
{
    if (!total->held)
        total->held = memory_zeroed(SIZE_CLASSES, sizeof *total->held);
    int class = size_bytes == 0 ? 0 : 64 - __builtin_clzll(size_bytes);
    total->held[class].wait_ns += wait_ns;
    if (size_bytes > total->held[class].most_bytes)
        total->held[class].most_bytes = size_bytes;
}

static void add_instance(struct matcher *matcher, const struct candidate *candidate,
                         const struct trigger *trigger, const double *slots)
{
    struct pattern_total *total = &matcher->totals[candidate->index];
    struct location_sums *sums =
        &matcher->sums[candidate->index * matcher->n_locations + trigger->location];
    uint64_t wait_ns = (uint64_t)total->wait;
    add_to(cell_at(&sums->cells, &sums->n_cells, trigger->call_path), wait_ns);
    if (!matcher->parts && trigger->sync_object != TRIGGER_NO_OBJECT)
        add_to(cell_at(&total->objects, &total->n_objects, trigger->sync_object), wait_ns);
    total->finding.count++;
    total->finding.total_ns += wait_ns;
    if (trigger->kind == TRIGGER_SEND)
        note_held(total, (uint64_t)trigger->value[TRIGGER_SEND_BYTES], wait_ns);
    total->confidence_ns += confidence_of(candidate->pattern, slots) * (double)wait_ns;
    if (trigger->in_window || matcher->parts) {
        uint64_t window_ns = matcher->parts ? wait_ns : wait_in_window(total, trigger);
        total->finding.window_ns += window_ns;
        if (sums->window != matcher->window) {
            sums->window = matcher->window;
            sums->window_ns = 0;
        }
        sums->window_ns += window_ns;
    }
    uint32_t cause = note_cause(matcher, candidate, slots);
    note_worst(matcher, candidate, trigger, cause);
    if (matcher->listener)
        matcher->listener(matcher->listener_context,
                          &(struct matcher_instance){.pattern = candidate->pattern,
                                                     .trigger = trigger,
                                                     .begin_ns = (uint64_t)total->begin,
                                                     .wait_ns = wait_ns,
                                                     .cause_rank = cause});
}

/// Evaluates one pattern; true and its wait and begin in TOTAL when there is an instance: the part
/// of [begin, begin + wait] that lies in the call.
static bool evaluate(const struct pattern *pattern, int64_t enter, int64_t leave,
                     const double *slots, struct pattern_total *total)
{
    double holds, length, from;
    if (!expression_value(&pattern->compiled.condition, slots, &holds) || holds == 0 ||
        !expression_value(&pattern->compiled.wait, slots, &length) || !(length > 0) ||
        !expression_value(&pattern->compiled.begin, slots, &from) || isnan(from))
        return false;
    int64_t wait = expression_whole(length), begin = expression_whole(from), end;
    if (__builtin_add_overflow(begin, wait, &end) || end > leave)
        end = leave;
    if (begin < enter)
        begin = enter;
    if (begin >= end)
        return false;
    total->wait = end - begin;
    total->begin = begin;
    return true;
}

/// Cuts the wait in TOTAL to the location's part; false when nothing is left.
static bool cut_to_part(const struct pag_part *part, struct pattern_total *total)
{
    int64_t begin = total->begin, end = begin + total->wait;
    begin = begin < (int64_t)part->begin_ns ? (int64_t)part->begin_ns : begin;
    end = end > (int64_t)part->end_ns ? (int64_t)part->end_ns : end;
    total->begin = begin;
    total->wait = end - begin;
    return begin < end;
}

void matcher_trigger(void *context, const struct trigger *trigger)
{
    struct matcher *matcher = context;
    const struct decision *decision = &matcher->decisions[trigger->kind];
    assert(trigger->location < matcher->n_locations);
    int64_t guard = trigger->value[decision->slot];
    const struct candidate_list *list =
        guard >= 0 && guard < MAX_GUARD ? decision->lists[guard] : &decision->other;
    double slots[EXPRESSION_SLOTS];
    for (size_t i = 0; i < list->n_fields; i++)
        slots[list->fields[i]] = (double)trigger->value[list->fields[i]];
    slots[FIELD_PARENT_WAIT] = slots[FIELD_PARENT_BEGIN] = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct candidate *candidate = &list->candidates[i];
        const struct pattern *pattern = candidate->pattern;
        if (pattern->is_within) {
            slots[FIELD_PARENT_WAIT] = (double)matcher->totals[pattern->ancestor].wait;
            slots[FIELD_PARENT_BEGIN] = (double)matcher->totals[pattern->ancestor].begin;
        }
        struct pattern_total *total = &matcher->totals[candidate->index];
        if ((!candidate->regions || candidate->regions[trigger->region]) &&
            evaluate(pattern, trigger->value[decision->enter], trigger->value[decision->leave],
                     slots, total) &&
            (!matcher->parts || cut_to_part(&matcher->parts[trigger->location], total)))
            add_instance(matcher, candidate, trigger, slots);
        else
            i += candidate->n_within;
    }
}

void matcher_window_moved(void *context)
{
    struct matcher *matcher = context;
    if (matcher->parts)
        return;
    matcher->window++;
    for (size_t i = 0; i < matcher->catalogue->n_patterns; i++)
        matcher->totals[i].finding.window_ns = 0;
}

// ---- results ----

/// See struct matcher_finding.
static uint64_t held_bytes(const struct held_messages *held, uint64_t total_ns)
{
    uint64_t bytes = 0, sum_ns = 0;
    for (int i = 0; i < SIZE_CLASSES && 10 * (double)sum_ns < 9 * (double)total_ns; i++) {
        bytes = held[i].wait_ns > 0 ? held[i].most_bytes : bytes;
        sum_ns += held[i].wait_ns;
    }
    return bytes;
}

struct matcher_finding matcher_finding(const struct matcher *matcher, size_t pattern)
{
    const struct pattern_total *total = &matcher->totals[pattern];
    struct matcher_finding finding = total->finding;
    finding.held_bytes = total->held ? held_bytes(total->held, finding.total_ns) : 0;
    finding.confidence = finding.total_ns ? total->confidence_ns / (double)finding.total_ns : 0;
    return finding;
}

const struct matcher_cell *matcher_cells(const struct matcher *matcher, size_t pattern,
                                         size_t location, size_t *n)
{
    const struct location_sums *sums = &matcher->sums[pattern * matcher->n_locations + location];
    *n = sums->n_cells;
    return sums->cells;
}

struct matcher_cell matcher_caused_by(const struct matcher *matcher, size_t pattern, uint32_t rank)
{
    const struct pattern_total *total = &matcher->totals[pattern];
    return total->causes && rank < matcher->n_ranks ? total->causes[rank]
                                                    : (struct matcher_cell){0};
}

const struct matcher_cell *matcher_objects(const struct matcher *matcher, size_t pattern, size_t *n)
{
    *n = matcher->totals[pattern].n_objects;
    return matcher->totals[pattern].objects;
}

uint64_t matcher_window_ns(const struct matcher *matcher, size_t pattern, size_t location)
{
    const struct location_sums *sums = &matcher->sums[pattern * matcher->n_locations + location];
    return sums->window == matcher->window ? sums->window_ns : 0;
}

/// Memory that the matcher's sums take.
static size_t bytes_of(const struct matcher *matcher)
{
    size_t n_patterns = matcher->catalogue->n_patterns, n_sums = n_patterns * matcher->n_locations;
    size_t bytes =
        sizeof(*matcher) + n_patterns * sizeof(*matcher->totals) + n_sums * sizeof(*matcher->sums);
    for (size_t i = 0; i < n_patterns; i++) {
        const struct pattern_total *total = &matcher->totals[i];
        bytes += total->causes ? matcher->n_ranks * sizeof(struct matcher_cell) : 0;
        bytes += total->held ? SIZE_CLASSES * sizeof *total->held : 0;
    }
    for (size_t i = 0; i < n_sums; i++)
        bytes += matcher->sums[i].n_cells * sizeof(struct matcher_cell);
    return bytes;
}

/// A part, as a node of the tree of a location.
struct part_node {
    struct pag_part time;
    uint64_t last_end_ns; // of this part and all below it
    uint32_t part;
};

struct part_matchers {
    struct matcher *tables;    // sees no trigger event
    struct matcher **matchers; // by part
    struct part_node *nodes;   // of each location n_parts
    size_t n_parts, n_locations;
};

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
        matchers->matchers[k] = new_of_part(matchers->tables, parts[k]);
    matchers->nodes = memory_zeroed(n_parts * matchers->n_locations, sizeof *matchers->nodes);
    for (size_t i = 0; i < matchers->n_locations; i++) {
        struct part_node *nodes = &matchers->nodes[i * n_parts];
        for (size_t k = 0; k < n_parts; k++)
            nodes[k] = (struct part_node){.time = parts[k][i], .part = (uint32_t)k};
        SORT_BY(nodes, n_parts, LEAST(time.begin_ns), LEAST(part));
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
    FREE_ALL(matchers->matchers, matchers->nodes, matchers);
}

/// Shows ROOT, whose call lasts for TIME, to those of N parts that overlap it.
static void show(struct part_matchers *matchers, const struct part_node *nodes, size_t n,
                 struct pag_part time, const struct trigger *trigger)
{
    while (n > 0) {
        const struct part_node *middle = &nodes[n / 2];
        if (middle->last_end_ns <= time.begin_ns)
            return;
        show(matchers, nodes, n / 2, time, trigger);
        if (middle->time.begin_ns >= time.end_ns)
            return;
        if (middle->time.end_ns > time.begin_ns)
            matcher_trigger(matchers->matchers[middle->part], trigger);
        n -= n / 2 + 1;
        nodes = middle + 1;
    }
}

void part_matchers_trigger(void *context, const struct trigger *trigger)
{
    struct part_matchers *matchers = context;
    const struct part_node *nodes = &matchers->nodes[trigger->location * matchers->n_parts];
    struct pag_part time = {(uint64_t)trigger->value[trigger_enter_field(trigger->kind)],
                            (uint64_t)trigger->value[trigger_leave_field(trigger->kind)]};
    show(matchers, nodes, matchers->n_parts, time, trigger);
}

const struct matcher *part_matchers_at(const struct part_matchers *matchers, size_t part)
{
    return matchers->matchers[part];
}

size_t part_matchers_bytes(const struct part_matchers *matchers)
{
    size_t bytes = matchers->n_parts * matchers->n_locations * sizeof *matchers->nodes;
    for (size_t k = 0; k < matchers->n_parts; k++)
        bytes += bytes_of(matchers->matchers[k]);
    return bytes;
}
