// SPDX-License-Identifier: BSD-3-Clause
// Texts that select messages (see cut_messages.h).
#include "analyzer/simulation/change/cut_messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/state.h"

__extension__ typedef unsigned __int128 wide;

enum { FACTOR_OF_ONE = 1000000, MAX_FACTOR = 1000 };

enum field { FIELD_SIZE, FIELD_TAG, FIELD_PEER, FIELD_FROM, FIELD_TO, N_FIELDS };
static const char *const field_names[N_FIELDS] = {"size", "tag", "peer", "from", "to"};

/// The ranges one of which a field must be in; N 0: it may be anything.
struct ranges {
    struct range {
        uint64_t first, last;
    } * items;
    size_t n, capacity;
};

struct message_cut {
    struct ranges fields[N_FIELDS];
    uint64_t factor; // of the bytes, millionths
};

/// One condition of the option's value TEXT.
struct condition {
    const char *text;
    struct comparison is;
};

const char *message_cut_factor(const char *text)
{
    for (const char *at = text; *at; at++) {
        if (strchr("!<>=", *at) && at[1] == '=')
            at++;
        else if (*at == '=')
            return at + 1;
    }
    return NULL;
}

static int refuse(const struct condition *condition, const char *what, struct error *err)
{
    return error_set(err, "--cut-messages %s: %s", condition->text, what);
}

static void add_range(struct ranges *ranges, uint64_t first, uint64_t last)
{
    *ARRAY_NEXT(ranges->items, ranges->n, ranges->capacity) = (struct range){first, last};
}

static int read_size(struct ranges *sizes, const struct condition *condition, struct error *err)
{
    uint64_t size, least = 0, most = UINT64_MAX;
    if (option_read_size(condition->is.value, &size, err) != 0)
        return error_wrap(err, "--cut-messages %s: size", condition->text);
    switch (condition->is.relation) {
    case RELATION_EQUAL:
        least = most = size;
        break;
    case RELATION_AT_LEAST:
        least = size;
        break;
    case RELATION_MORE:
        least = size + 1;
        break;
    case RELATION_AT_MOST:
        most = size;
        break;
    case RELATION_LESS:
        if (size == 0)
            return refuse(condition, "no message is smaller than 0 bytes", err);
        most = size - 1;
        break;
    case RELATION_UNEQUAL:
    case RELATION_NONE:
        return refuse(condition, "only == > < >= <= may follow size", err);
    }
    if (sizes->n == 0)
        add_range(sizes, 0, UINT64_MAX);
    struct range *both = &sizes->items[0];
    both->first = least > both->first ? least : both->first;
    both->last = most < both->last ? most : both->last;
    return 0;
}

/// Ranks of a run with N_RANKS, or tags.
static int read_list(struct ranges *ranges, const struct condition *condition, bool is_tag,
                     uint32_t n_ranks, struct error *err)
{
    const char *at = condition->is.value, *end = at + strlen(at);
    if (ranges->n > 0)
        return error_set(err, "--cut-messages %s: %s is given twice", condition->text,
                         condition->is.name);
    do {
        struct rank_range range;
        int status = rank_list_next(&at, end, is_tag ? RANK_LIST_ANY_RUN : n_ranks, &range, err);
        if (is_tag && (status != 0 || range.last == UINT32_MAX))
            return refuse(condition, "tags are written as 7 or 7-9,12", err);
        if (status != 0)
            return error_wrap(err, "--cut-messages %s", condition->text);
        add_range(ranges, range.first, range.last);
    } while (at < end);
    return 0;
}

static int read_condition(struct message_cut *cut, const struct condition *condition,
                          uint32_t n_ranks, struct error *err)
{
    const char *name = condition->is.name;
    int field = (int)FIND_TEXT(field_names, N_FIELDS, name);
    if (field == N_FIELDS)
        return error_set(err, "--cut-messages %s: unknown selector `%s`; %s", condition->text, name,
                         spelling_hint(name, field_names, N_FIELDS, "is it %s?",
                                       "there are size, tag, peer, from and to")
                             .text);
    if (field == FIELD_SIZE)
        return read_size(&cut->fields[field], condition, err);
    if (condition->is.relation != RELATION_EQUAL)
        return error_set(err, "--cut-messages %s: only == may follow %s", condition->text, name);
    return read_list(&cut->fields[field], condition, field == FIELD_TAG, n_ranks, err);
}

static int read_factor(struct message_cut *cut, const char *text, const char *factor,
                       struct error *err)
{
    double number;
    if (option_read_number(factor, &number, err) != 0)
        return error_wrap(err, "--cut-messages %s", text);
    if (number < 0 || number > MAX_FACTOR)
        return error_set(err, "--cut-messages %s: the factor is from 0 to %d", text, MAX_FACTOR);
    cut->factor = (uint64_t)llround(number * FACTOR_OF_ONE);
    return 0;
}

static int read_cut(struct message_cut *cut, const char *text, uint32_t n_ranks, struct error *err)
{
    *cut = (struct message_cut){0};
    const char *factor = message_cut_factor(text);
    char *words = memory_copy_text(text), *rest = words, *part;
    if (factor)
        words[factor - 1 - text] = '\0';
    int status = 0;
    while (status == 0 && (part = comparison_next(&rest))) {
        struct condition condition = {.text = text};
        if (comparison_read(part, &condition.is, err) != 0)
            status = error_wrap(err, "--cut-messages %s", text);
        else if (condition.is.relation == RELATION_NONE)
            status = refuse(&condition,
                            "not of the form CONDITION[=F], such as size>=64KiB&&tag==7=0.5", err);
        else
            status = read_condition(cut, &condition, n_ranks, err);
    }
    if (status == 0 && factor)
        status = read_factor(cut, text, factor, err);
    free(words);
    const struct ranges *sizes = &cut->fields[FIELD_SIZE];
    if (status == 0 && sizes->n > 0 && sizes->items[0].first > sizes->items[0].last)
        return error_set(err, "--cut-messages %s: no size is both", text);
    return status;
}

static void release(struct message_cut *cut)
{
    for (int i = 0; i < N_FIELDS; i++)
        free(cut->fields[i].items);
}

int message_cut_check(const char *text, struct error *err)
{
    struct message_cut cut;
    int status = read_cut(&cut, text, RANK_LIST_ANY_RUN, err);
    release(&cut);
    return status;
}

int message_cuts_init(struct scenario *scenario, const struct definitions *definitions,
                      struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    struct message_cuts *cuts = &scenario->cuts;
    cuts->items = memory_zeroed(settings->n_cuts, sizeof *cuts->items);
    while (cuts->n < settings->n_cuts) {
        size_t i = cuts->n++;
        if (read_cut(&cuts->items[i], settings->cuts[i], (uint32_t)definitions->n_ranks, err) != 0)
            return -1;
    }
    return 0;
}

void message_cuts_release(struct message_cuts *cuts)
{
    for (size_t i = 0; i < cuts->n; i++)
        release(&cuts->items[i]);
    free(cuts->items);
    *cuts = (struct message_cuts){0};
}

static bool has(const struct ranges *ranges, uint64_t value)
{
    for (size_t i = 0; i < ranges->n; i++)
        if (value >= ranges->items[i].first && value <= ranges->items[i].last)
            return true;
    return ranges->n == 0;
}

static bool selects(const struct message_cut *cut, uint32_t sender, uint32_t receiver, uint32_t tag,
                    uint64_t size_bytes)
{
    const struct ranges *fields = cut->fields;
    return has(&fields[FIELD_SIZE], size_bytes) && has(&fields[FIELD_TAG], tag) &&
           (has(&fields[FIELD_PEER], sender) || has(&fields[FIELD_PEER], receiver)) &&
           has(&fields[FIELD_FROM], sender) && has(&fields[FIELD_TO], receiver);
}

bool message_cuts_sends(const struct scenario *scenario, uint32_t sender, uint32_t receiver,
                        uint32_t tag, uint64_t *size_bytes)
{
    const struct message_cuts *cuts = &scenario->cuts;
    for (size_t i = 0; i < cuts->n; i++) {
        const struct message_cut *cut = &cuts->items[i];
        if (!selects(cut, sender, receiver, tag, *size_bytes))
            continue;
        if (cut->factor == 0)
            return false;
        *size_bytes = (uint64_t)((wide)*size_bytes * cut->factor / FACTOR_OF_ONE);
        return true;
    }
    return true;
}

// --- in the run

bool left_out_message(struct engine *engine, struct location_state *location,
                      const struct event *event, uint32_t sender, uint32_t receiver,
                      uint64_t *size_bytes)
{
    const struct scenario *scenario = prediction_of(engine)->scenario;
    *size_bytes = event->size_bytes;
    if (scenario->cuts.n == 0 || event->flags & EVENT_OF_WINDOW)
        return false;
    if (!message_cuts_sends(scenario, sender, receiver, event->tag, size_bytes)) {
        call_complete_less(&location->call, event);
        return true;
    }
    if (*size_bytes != event->size_bytes) {
        struct event *record = &location->call.records[event - location->call.records];
        record->flags |= EVENT_RESIZED;
        record->received_bytes = *size_bytes;
    }
    return false;
}
