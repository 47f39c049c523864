// SPDX-License-Identifier: BSD-3-Clause
// Texts that select messages (see cut_messages.h).
#include "analyzer/simulation/change/cut_messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cores/rank_list.h"
#include "analyzer/simulation/state.h"

__extension__ typedef unsigned __int128 wide;

enum { FACTOR_OF_ONE = 1000000, MAX_FACTOR = 1000 };

struct tag_range {
    uint32_t first, last;
};

struct message_cut {
    uint64_t least_bytes, most_bytes;
    struct tag_range *tags; // NULL: any
    size_t n_tags, tag_capacity;
    bool *is_peer, *is_sender, *is_receiver; // by rank, NULL: any
    uint64_t factor;                         // of the bytes, millionths
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

static int read_size(struct message_cut *cut, const struct condition *condition, struct error *err)
{
    uint64_t size;
    if (option_read_size(condition->is.value, &size, err) != 0)
        return error_wrap(err, "--cut-messages %s: size", condition->text);
    uint64_t least = 0, most = UINT64_MAX;
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
    cut->least_bytes = least > cut->least_bytes ? least : cut->least_bytes;
    cut->most_bytes = most < cut->most_bytes ? most : cut->most_bytes;
    return 0;
}

static int read_tags(struct message_cut *cut, const struct condition *condition, struct error *err)
{
    if (cut->tags)
        return refuse(condition, "tag is given twice", err);
    for (char *at = condition->is.value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *text = memory_format("%.*s", (int)strcspn(at, ","), at);
        char *dash = strchr(text, '-');
        uint64_t first, last;
        if (dash)
            *dash = '\0';
        int status = option_read_count(text, &first, err);
        last = first;
        if (status == 0 && dash)
            status = option_read_count(dash + 1, &last, err);
        free(text);
        if (status != 0 || last < first || last > UINT32_MAX)
            return refuse(condition, "tags are written as 7 or 7-9,12", err);
        cut->tags =
            array_reserve(cut->tags, &cut->tag_capacity, cut->n_tags + 1, sizeof *cut->tags);
        cut->tags[cut->n_tags++] = (struct tag_range){(uint32_t)first, (uint32_t)last};
    }
    return 0;
}

static int read_ranks(bool **ranks, const struct condition *condition, uint32_t n_ranks,
                      struct error *err)
{
    if (*ranks)
        return error_set(err, "--cut-messages %s: %s is given twice", condition->text,
                         condition->is.name);
    bool is_any_run = n_ranks == RANK_LIST_ANY_RUN;
    *ranks = memory_zeroed(is_any_run ? 1 : n_ranks, sizeof **ranks);
    const char *list = condition->is.value;
    int status = is_any_run ? rank_list_check(list, strlen(list), err)
                            : rank_list_read(list, strlen(list), n_ranks, *ranks, err);
    return status == 0 ? 0 : error_wrap(err, "--cut-messages %s", condition->text);
}

static int read_condition(struct message_cut *cut, const struct condition *condition,
                          uint32_t n_ranks, struct error *err)
{
    static const char *const names[] = {"size", "tag", "peer", "from", "to"};
    const char *name = condition->is.name;
    bool is_equal = condition->is.relation == RELATION_EQUAL;
    if (strcmp(name, "size") == 0)
        return read_size(cut, condition, err);
    const char *nearest = spelling_nearest(name, names, sizeof names / sizeof names[0]);
    bool is_known = nearest && strcmp(nearest, name) == 0;
    if (!is_known)
        return error_set(err, "--cut-messages %s: unknown selector `%s`; %s%s%s", condition->text,
                         name, nearest ? "is it " : "there are size, tag, peer, from and to",
                         nearest ? nearest : "", nearest ? "?" : "");
    if (!is_equal)
        return error_set(err, "--cut-messages %s: only == may follow %s", condition->text, name);
    if (strcmp(name, "tag") == 0)
        return read_tags(cut, condition, err);
    bool **ranks = strcmp(name, "peer") == 0   ? &cut->is_peer
                   : strcmp(name, "from") == 0 ? &cut->is_sender
                                               : &cut->is_receiver;
    return read_ranks(ranks, condition, n_ranks, err);
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
    *cut = (struct message_cut){.most_bytes = UINT64_MAX};
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
    if (status == 0 && cut->least_bytes > cut->most_bytes)
        return error_set(err, "--cut-messages %s: no size is both", text);
    return status;
}

static void release(struct message_cut *cut)
{
    free(cut->tags);
    free(cut->is_peer);
    free(cut->is_sender);
    free(cut->is_receiver);
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

static bool selects(const struct message_cut *cut, uint32_t sender, uint32_t receiver, uint32_t tag,
                    uint64_t size_bytes)
{
    if (size_bytes < cut->least_bytes || size_bytes > cut->most_bytes ||
        (cut->is_peer && !cut->is_peer[sender] && !cut->is_peer[receiver]) ||
        (cut->is_sender && !cut->is_sender[sender]) ||
        (cut->is_receiver && !cut->is_receiver[receiver]))
        return false;
    bool has_tag = cut->n_tags == 0;
    for (size_t i = 0; i < cut->n_tags && !has_tag; i++)
        has_tag = tag >= cut->tags[i].first && tag <= cut->tags[i].last;
    return has_tag;
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
    if (scenario->cuts.n == 0)
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
