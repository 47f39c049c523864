// SPDX-License-Identifier: BSD-3-Clause
// By what ranks synchronise: messages by communicator and tag, collective operations by
// communicator, and the waits of each pattern there (see parts.h).
#include "analyzer/result/parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/result/collect.h"

// Only a limited number of names is kept, so that a program that makes communicators all the time
// does not fill a database with them.
enum { MAX_NAMES = 64 };
_Static_assert((int)RESULT_SLACK_CLASSES == (int)PAG_SLACK_CLASSES, "one meaning");

/// The place of the name, made when it is new and there is room.
static uint32_t place_of(struct result *result, const char *name)
{
    size_t i = FIND_BY(result->communicators, result->n_communicators, name, name);
    if (i < result->n_communicators)
        return (uint32_t)i;
    if (result->n_communicators >= MAX_NAMES && strcmp(name, RESULT_OTHER_COMMUNICATORS) != 0)
        return place_of(result, RESULT_OTHER_COMMUNICATORS);
    result->communicators[result->n_communicators].name = memory_copy_text(name);
    return (uint32_t)result->n_communicators++;
}

/// Whether two items are of the same communicator and tag.
#define IS_SAME_TAG(a, b) ((a)->communicator == (b)->communicator && (a)->tag == (b)->tag)

/// Tags of communicators that have become one are one.
static void merge_tags(struct result *result)
{
    size_t n = 0;
    SORT_BY(result->tags, result->n_tags, LEAST(communicator), LEAST(tag));
    for (size_t i = 0; i < result->n_tags; i++) {
        if (n > 0 && IS_SAME_TAG(&result->tags[n - 1], &result->tags[i])) {
            result->tags[n - 1].n_messages += result->tags[i].n_messages;
            result->tags[n - 1].size_bytes += result->tags[i].size_bytes;
            for (size_t k = 0; k < RESULT_SLACK_CLASSES; k++)
                result->tags[n - 1].by_slack[k] += result->tags[i].by_slack[k];
        } else {
            result->tags[n++] = result->tags[i];
        }
    }
    result->n_tags = n;
}

/// Fills RESULT's communicators and tags, and by communicator of the trace its PLACES among those.
/// Communicators of one name are one, for names are all that tells communicators of different runs
/// apart.
static void put_communicators(const struct definitions *definitions,
                              const struct pag_result *replay, struct result *result,
                              uint32_t *places)
{
    size_t n = definitions->n_communicators;
    SCOPED bool *is_used = memory_zeroed(n + 1, sizeof *is_used);
    result->communicators = memory_zeroed(MAX_NAMES + 1, sizeof *result->communicators); // others
    for (size_t i = 0; i < replay->n_message_kinds; i++)
        is_used[replay->message_kinds[i].communicator] = true;
    for (size_t i = 0; i < n; i++) {
        if (!is_used[i] && replay->collectives[i] == 0)
            continue;
        const char *name = definitions->communicators[i].name;
        places[i] = place_of(result, *name ? name : "(unnamed)");
        result->communicators[places[i]].n_collectives += replay->collectives[i];
    }
    result->n_tags = replay->n_message_kinds;
    result->tags = memory_zeroed(result->n_tags + 1, sizeof *result->tags);
    for (size_t i = 0; i < result->n_tags; i++) {
        const struct pag_message_kind *kind = &replay->message_kinds[i];
        result->tags[i] = (struct result_tag){
            .communicator = places[kind->communicator],
            .tag = kind->tag == PAG_OTHER_TAGS ? RESULT_NONE : kind->tag,
            .n_messages = kind->n_messages,
            .size_bytes = kind->size_bytes,
        };
        memcpy(result->tags[i].by_slack, kind->by_slack, sizeof kind->by_slack);
    }
    merge_tags(result);
}

// ---- waits

/// The object of the trigger events of KIND with this number.
static struct result_object_amount object_of(const struct pag_result *replay,
                                             const uint32_t *places, enum trigger_kind kind,
                                             uint32_t number)
{
    if (kind == TRIGGER_COLLECTIVE)
        return (struct result_object_amount){
            .communicator = places[number], .tag = RESULT_NONE, .is_collective = true};
    const struct pag_message_kind *of = replay->message_kinds;
    while (of->number != number)
        of++;
    return (struct result_object_amount){.communicator = places[of->communicator],
                                         .tag = of->tag == PAG_OTHER_TAGS ? RESULT_NONE : of->tag};
}

/// Fills what PATTERN, number INDEX of the catalogue, waits by object.
static void put_waits(const struct collect_input *input, size_t index, const uint32_t *places,
                      struct result_pattern *pattern)
{
    size_t n, n_found = 0;
    const struct matcher_cell *cells = matcher_objects(input->matcher, index, &n);
    struct result_object_amount *found = memory_zeroed(n + 1, sizeof *found);
    for (uint32_t number = 0; number < n; number++) {
        if (cells[number].count == 0)
            continue;
        found[n_found] = object_of(input->replay, places,
                                   input->catalogue->patterns[index].trigger_kind, number);
        found[n_found].count = cells[number].count;
        found[n_found++].ns = cells[number].wait_ns;
    }
    SORT_BY(found, n_found, LEAST(communicator), LEAST(tag));
    for (size_t i = 0; i < n_found; i++) {
        struct result_object_amount *last = &found[pattern->n_by_object];
        if (pattern->n_by_object > 0 && IS_SAME_TAG(last - 1, &found[i])) {
            last[-1].count += found[i].count;
            last[-1].ns += found[i].ns;
        } else {
            *last = found[i];
            pattern->n_by_object++;
        }
    }
    SORT_BY(found, pattern->n_by_object, MOST(ns), LEAST(communicator), LEAST(tag));
    pattern->by_object = found;
}

void sync_objects_collect(const struct collect_input *input, struct result *result)
{
    const struct definitions *definitions = trace_definitions(input->trace);
    const struct catalogue *catalogue = input->catalogue;
    SCOPED uint32_t *places = memory_zeroed(definitions->n_communicators + 1, sizeof *places);
    put_communicators(definitions, input->replay, result, places);
    if (input->interval) // whose messages are not counted
        return;
    for (size_t i = 0, k = 0; i < catalogue->n_patterns; i++)
        if (!catalogue->patterns[i].is_abstract)
            put_waits(input, i, places, &result->patterns[k++]);
}
