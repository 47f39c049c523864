// SPDX-License-Identifier: BSD-3-Clause
// See single_waits.h. A condition becomes tables of what it selects before the replay, so that a
// wait is judged by a few look-ups.
#include "analyzer/result/views/single_waits.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/sites.h"
#include "analyzer/simulation/cores/placement.h"

/// In place of the slots of trigger events.
enum { WAIT_LENGTH = EXPRESSION_SLOTS, WAIT_BEGIN, NO_SUCH_SLOT };

/// Names of a condition that are no fields of trigger events.
enum subject { OF_PATTERN, OF_RANK, OF_CAUSE, OF_NODE, OF_PATH, OF_WAIT, OF_BEGIN, N_SUBJECTS };
static const char *const subjects[N_SUBJECTS] = {"pattern", "rank", "cause", "node",
                                                 "path",    "wait", "begin"};

/// One comparison of the text, being read.
struct term {
    struct comparison is;
    enum subject subject; // N_SUBJECTS: a field
};

// --- reading

static const struct expression_name *find_name(enum trigger_kind kind, const char *name)
{
    const struct expression_scope scope = trigger_scope(kind, false);
    return ITEM_BY(scope.names, scope.n_names, name, name);
}

/// The field NAME of trigger events of KIND; NO_SUCH_SLOT.
static uint8_t slot_of(enum trigger_kind kind, const char *name)
{
    const struct expression_name *found = find_name(kind, name);
    return found && !found->is_constant ? (uint8_t)found->value : (uint8_t)NO_SUCH_SLOT;
}

static bool is_field(const char *name)
{
    for (size_t kind = 0; kind < TRIGGER_KINDS; kind++)
        if (slot_of((enum trigger_kind)kind, name) != NO_SUCH_SLOT)
            return true;
    return false;
}

/// A constant, a number, a size in bytes or a duration in ns.
static int read_value(const struct term *term, int64_t *value, struct error *err)
{
    const char *text = term->is.value;
    const struct expression_name *constant = find_name(TRIGGER_COLLECTIVE, text);
    bool is_time = term->subject == OF_WAIT || term->subject == OF_BEGIN;
    uint64_t number = 0;
    struct error ignored;
    if (!is_time && constant && constant->is_constant)
        *value = constant->value;
    else if ((!is_time && option_read_size(text, &number, &ignored) == 0) ||
             option_read_duration(text, &number, err) == 0)
        *value = number < INT64_MAX ? (int64_t)number : INT64_MAX;
    else
        return error_wrap(err, "%s", term->is.name);
    return 0;
}

static int read_term(char *text, struct term *term, struct error *err)
{
    int64_t value;
    if (comparison_read(text, &term->is, err) != 0)
        return -1;
    const char *name = term->is.name;
    term->subject = (enum subject)FIND_TEXT(subjects, N_SUBJECTS, name);
    if (term->subject == N_SUBJECTS && !is_field(name))
        return error_set(err, "unknown name `%s`%s", name,
                         spelling_hint(name, subjects, N_SUBJECTS, "; did you mean %s?",
                                       "; there are pattern, rank, cause, node, path, wait, begin, "
                                       "and the fields of trigger events (pagoda-patterns(5))")
                             .text);
    if (term->is.relation == RELATION_NONE)
        return error_set(err, "what is `%s` compared with? Such as wait>=1ms, rank==0-3", name);
    if (term->subject >= OF_WAIT)
        return read_value(term, &value, err);
    if (term->is.relation == RELATION_EQUAL ||
        (term->is.relation == RELATION_UNEQUAL && term->subject != OF_PATTERN))
        return 0;
    return error_set(err, "only == %smay follow %s",
                     term->subject == OF_PATTERN ? "" : "or != ", name);
}

/// Calls READ for each comparison in TEXT.
static int for_each_term(const char *text,
                         int (*read)(void *context, const struct term *term, struct error *err),
                         void *context, struct error *err)
{
    char *copy = memory_copy_text(text), *rest = copy;
    int status = 0;
    while (rest && status == 0) {
        struct term term;
        status = read_term(comparison_next(&rest), &term, err);
        if (status == 0)
            status = read(context, &term, err);
    }
    free(copy);
    return status == 0 ? 0 : error_wrap(err, "`%s`", text);
}

static int check_term(void *context, const struct term *term, struct error *err)
{
    struct rank_range range;
    const char *at = term->is.value, *end = at + strlen(at);
    (void)context;
    while (at < end && (term->subject == OF_RANK || term->subject == OF_CAUSE))
        if (rank_list_next(&at, end, RANK_LIST_ANY_RUN, &range, err) != 0)
            return -1;
    return 0;
}

int single_waits_check(const char *text, struct error *err)
{
    return for_each_term(text, check_term, NULL, err);
}

// --- what a condition selects in a run

/// A table of N, in which all is selected, unless there is one.
static bool *table_of(bool **table, size_t n)
{
    if (!*table) {
        *table = memory_new(n + 1);
        memset(*table, true, n + 1);
    }
    return *table;
}

/// Leaves of TABLE what IS_NAMED says, or with != all but that. IS_NAMED is freed.
static void select_named(bool *table, bool *is_named, size_t n, const struct term *term)
{
    for (size_t i = 0; i < n; i++)
        table[i] = table[i] && is_named[i] == (term->is.relation == RELATION_EQUAL);
    free(is_named);
}

static bool is_below(const struct catalogue *catalogue, size_t pattern, uint32_t other)
{
    uint32_t at = (uint32_t)pattern;
    while (at != PATTERN_NONE && at != other)
        at = catalogue->patterns[at].parent_index;
    return at == other;
}

/// A pattern without a wait of its own stands for those below it that are not within others; none,
/// for all these.
static void select_pattern(struct single_waits *waits, uint32_t chosen)
{
    const struct catalogue *catalogue = waits->catalogue;
    bool *table = table_of(&waits->patterns, catalogue->n_patterns);
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        bool is_top = !pattern->is_abstract && pattern->ancestor == PATTERN_NONE;
        table[i] =
            table[i] &&
            (i == chosen || (is_top && (chosen == PATTERN_NONE || is_below(catalogue, i, chosen))));
    }
}

static int find_pattern(struct single_waits *waits, const char *id, struct error *err)
{
    uint32_t found = catalogue_find(waits->catalogue, id);
    if (found == PATTERN_NONE)
        return error_set(err, "there is no pattern `%s`; `pagoda explain` lists them", id);
    select_pattern(waits, found);
    return 0;
}

static int select_ranks(bool **table, const struct definitions *definitions,
                        const struct term *term, struct error *err)
{
    size_t n_ranks = definitions->n_ranks;
    bool *is_named = memory_zeroed(n_ranks + 1, sizeof *is_named);
    const char *at = term->is.value, *end = at + strlen(at);
    int status = 0;
    do {
        struct rank_range range;
        status = rank_list_next(&at, end, (uint32_t)n_ranks, &range, err);
        for (uint64_t rank = range.first; status == 0 && rank <= range.last; rank++)
            is_named[rank] = true;
    } while (status == 0 && at < end);
    select_named(table_of(table, n_ranks), is_named, n_ranks, term);
    return status;
}

static int select_node(struct single_waits *waits, const struct term *term, struct error *err)
{
    const struct definitions *definitions = waits->definitions;
    bool *is_named = memory_zeroed(definitions->n_ranks + 1, sizeof *is_named), is_any = false;
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        uint32_t node = definitions->ranks[i].node;
        is_named[i] = node < definitions->n_nodes &&
                      fnmatch(term->is.value, definitions->nodes[node].name, 0) == 0;
        is_any = is_any || is_named[i];
    }
    select_named(table_of(&waits->ranks, definitions->n_ranks), is_named, definitions->n_ranks,
                 term);
    return is_any ? 0 : error_set(err, "no rank runs on a node `%s`", term->is.value);
}

static void add_number(struct single_waits *waits, const struct term *term)
{
    struct wait_number *number =
        ARRAY_NEXT(waits->numbers, waits->n_numbers, waits->numbers_capacity);
    struct error ignored;
    *number = (struct wait_number){.relation = term->is.relation};
    read_value(term, &number->value, &ignored); // it has been read before
    for (size_t kind = 0; kind < TRIGGER_KINDS; kind++)
        number->slots[kind] = term->subject == OF_WAIT ? WAIT_LENGTH
                              : term->subject == OF_BEGIN
                                  ? WAIT_BEGIN
                                  : slot_of((enum trigger_kind)kind, term->is.name);
}

static int select_term(void *context, const struct term *term, struct error *err)
{
    struct single_waits *waits = context;
    switch (term->subject) {
    case OF_PATTERN:
        return find_pattern(waits, term->is.value, err);
    case OF_RANK:
        return select_ranks(&waits->ranks, waits->definitions, term, err);
    case OF_CAUSE:
        return select_ranks(&waits->causes, waits->definitions, term, err);
    case OF_NODE:
        return select_node(waits, term, err);
    case OF_PATH:
        waits->names_paths = true;
        return 0;
    case OF_WAIT:
    case OF_BEGIN:
    case N_SUBJECTS:
        break;
    }
    add_number(waits, term);
    return 0;
}

/// The field that a number is of must be one of a wait that is selected.
static int check_fields(const struct single_waits *waits, struct error *err)
{
    for (size_t k = 0; k < waits->n_numbers; k++) {
        bool is_any = false;
        for (size_t i = 0; i < waits->catalogue->n_patterns; i++)
            is_any =
                is_any || (waits->patterns[i] &&
                           waits->numbers[k].slots[waits->catalogue->patterns[i].trigger_kind] !=
                               NO_SUCH_SLOT);
        if (!is_any)
            return error_set(err,
                             "`%s`: a field that is compared is none of the pattern's trigger "
                             "events; pagoda-patterns(5) lists them",
                             waits->condition);
    }
    return 0;
}

int single_waits_begin(struct single_waits *waits, const char *text, size_t max,
                       const struct catalogue *catalogue, const struct definitions *definitions,
                       struct error *err)
{
    *waits = (struct single_waits){.condition = memory_copy_text(text),
                                   .catalogue = catalogue,
                                   .definitions = definitions,
                                   .max = max};
    if (for_each_term(text, select_term, waits, err) != 0)
        return -1;
    if (!waits->patterns)
        select_pattern(waits, PATTERN_NONE);
    return check_fields(waits, err);
}

void single_waits_release(struct single_waits *waits)
{
    for (size_t i = 0; waits->calls && i < waits->definitions->n_locations; i++)
        free(waits->calls[i].is_selected);
    free(waits->calls);
    result_release(&waits->result);
    FREE_ALL(waits->condition, waits->patterns, waits->ranks, waits->causes, waits->numbers,
             waits->items);
    *waits = (struct single_waits){0};
}

// --- waits of a replay

static bool is_number_right(const struct wait_number *number,
                            const struct matcher_instance *instance)
{
    uint8_t slot = number->slots[instance->trigger->kind];
    if (slot == NO_SUCH_SLOT)
        return false;
    int64_t value = slot == WAIT_LENGTH  ? (int64_t)instance->wait_ns
                    : slot == WAIT_BEGIN ? (int64_t)instance->begin_ns
                                         : instance->trigger->value[slot];
    return relation_holds(number->relation, LESS_FIRST(value, number->value));
}

static bool is_call_right(const struct single_waits *waits, const struct trigger *trigger)
{
    const struct call_choice *calls = &waits->calls[trigger->location];
    return trigger->call_path < calls->n && calls->is_selected[trigger->call_path];
}

static bool is_selected(const struct single_waits *waits, const struct matcher_instance *instance)
{
    const struct trigger *trigger = instance->trigger;
    if (!waits->patterns[instance->pattern - waits->catalogue->patterns] ||
        (waits->ranks && !waits->ranks[trigger->rank]) ||
        (waits->causes &&
         (instance->cause_rank == MATCHER_NO_RANK || !waits->causes[instance->cause_rank])))
        return false;
    for (size_t i = 0; i < waits->n_numbers; i++)
        if (!is_number_right(&waits->numbers[i], instance))
            return false;
    return !waits->names_paths || is_call_right(waits, trigger);
}

/// Only the longest stay.
static void drop_shorter(struct single_waits *waits)
{
    if (waits->n <= waits->max)
        return;
    SORT_BY(waits->items, waits->n, MOST(wait_ns), LEAST(begin_ns), LEAST(rank), LEAST(location),
            LEAST(pattern));
    waits->n = waits->max;
}

void single_waits_begin_anew(struct single_waits *waits)
{
    waits->n = 0;
    waits->count = waits->total_ns = 0;
}

void single_waits_add(void *context, const struct matcher_instance *instance)
{
    struct single_waits *waits = context;
    if ((waits->names_paths && !waits->calls) || !is_selected(waits, instance))
        return;
    waits->count++;
    waits->total_ns += instance->wait_ns;
    *ARRAY_NEXT(waits->items, waits->n, waits->capacity) =
        (struct single_wait){.begin_ns = instance->begin_ns,
                             .wait_ns = instance->wait_ns,
                             .pattern = instance->pattern,
                             .rank = instance->trigger->rank,
                             .cause_rank = instance->cause_rank,
                             .location = instance->trigger->location,
                             .call_path = instance->trigger->call_path};
    if (waits->n == 2 * waits->max)
        drop_shorter(waits);
}

// --- call paths

/// The paths of the run that are selected so far, by their index.
struct path_choice {
    const struct result *result;
    bool *is_selected;
};

static int select_path(void *context, const struct term *term, struct error *err)
{
    struct path_choice *choice = context;
    const struct result *result = choice->result;
    if (term->subject != OF_PATH)
        return 0;
    bool *is_named = memory_zeroed(result->n_paths + 1, sizeof *is_named), is_any = false;
    for (size_t i = 0; i < result->n_paths; i++) {
        is_named[i] = fnmatch(term->is.value, result->paths[i].path, 0) == 0 ||
                      fnmatch(term->is.value, result->paths[i].shown, 0) == 0;
        is_any = is_any || is_named[i];
    }
    select_named(table_of(&choice->is_selected, result->n_paths), is_named, result->n_paths, term);
    return is_any ? 0
                  : error_set(err,
                              "the run has no call path `%s`, such as main/solve/MPI_Recv or "
                              "*/MPI_Recv",
                              term->is.value);
}

/// Which calls of each location are at paths that are selected.
static void select_calls(struct single_waits *waits, const struct call_tree *tree,
                         const bool *is_selected)
{
    size_t n_locations = waits->definitions->n_locations;
    waits->calls = memory_zeroed(n_locations + 1, sizeof *waits->calls);
    for (uint32_t i = 0; i < tree->replay->n_locations; i++) {
        struct call_choice *calls = &waits->calls[i];
        calls->n = tree->replay->locations[i].n_paths;
        calls->is_selected = memory_zeroed(calls->n + 1, sizeof *calls->is_selected);
        for (uint32_t k = 0; k < calls->n; k++) {
            uint32_t path = call_tree_place(tree, i, k).path;
            calls->is_selected[k] = path != RESULT_NONE && is_selected[path];
        }
    }
}

static void name_places(struct single_waits *waits, const struct call_tree *tree)
{
    for (size_t i = 0; i < waits->n; i++) {
        struct single_wait *wait = &waits->items[i];
        struct call_place place = call_tree_place(tree, wait->location, wait->call_path);
        wait->path = place.path == RESULT_NONE ? "" : waits->result.paths[place.path].shown;
        wait->source = place.site == RESULT_NONE ? "" : waits->result.sites[place.site].source;
    }
}

int single_waits_conclude(struct single_waits *waits, const struct pag_result *replay,
                          struct error *err)
{
    struct path_choice choice = {.result = &waits->result};
    SCOPED_BY(call_tree_release) struct call_tree tree;
    int status = 0;
    result_release(&waits->result);
    call_tree_build(&tree, waits->definitions, replay, &waits->result);
    sites_collect(&tree, &waits->result);
    if (waits->names_paths && !waits->calls) {
        status = for_each_term(waits->condition, select_path, &choice, err) == 0 ? 1 : -1;
        if (status == 1)
            select_calls(waits, &tree, choice.is_selected);
        free(choice.is_selected);
    } else {
        waits->run_ns = replay->time_ns;
        drop_shorter(waits);
        SORT_BY(waits->items, waits->n, LEAST(begin_ns), LEAST(rank), LEAST(location),
                MOST(wait_ns), LEAST(pattern));
        name_places(waits, &tree);
    }
    return status;
}
