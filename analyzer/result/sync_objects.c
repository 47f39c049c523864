// SPDX-License-Identifier: BSD-3-Clause
// Communicators by name (see sync_objects.h). Only few names are kept, so that a program that makes
// communicators all the time does not fill a database with them.
#include "analyzer/result/sync_objects.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_NAMES = 64 };

/// The place of the name, made when it is new and there is room.
static uint32_t place_of(struct result *result, const char *name)
{
    for (uint32_t i = 0; i < result->n_communicators; i++)
        if (strcmp(result->communicators[i].name, name) == 0)
            return i;
    if (result->n_communicators >= MAX_NAMES && strcmp(name, RESULT_OTHER_COMMUNICATORS) != 0)
        return place_of(result, RESULT_OTHER_COMMUNICATORS);
    result->communicators[result->n_communicators].name = memory_copy_text(name);
    return (uint32_t)result->n_communicators++;
}

static int by_tag(const void *a, const void *b)
{
    const struct result_tag *left = a, *right = b;
    if (left->communicator != right->communicator)
        return left->communicator < right->communicator ? -1 : 1;
    return left->tag < right->tag ? -1 : left->tag > right->tag;
}

/// Tags of communicators that have become one are one.
static void merge_tags(struct result *result)
{
    size_t n = 0;
    qsort(result->tags, result->n_tags, sizeof *result->tags, by_tag);
    for (size_t i = 0; i < result->n_tags; i++) {
        if (n > 0 && by_tag(&result->tags[n - 1], &result->tags[i]) == 0) {
            result->tags[n - 1].n_messages += result->tags[i].n_messages;
            result->tags[n - 1].size_bytes += result->tags[i].size_bytes;
        } else {
            result->tags[n++] = result->tags[i];
        }
    }
    result->n_tags = n;
}

void sync_objects_collect(const struct definitions *definitions, const struct pag_result *replay,
                          struct result *result)
{
    size_t n = definitions->n_communicators;
    uint32_t *places = memory_zeroed(n + 1, sizeof *places);
    bool *is_used = memory_zeroed(n + 1, sizeof *is_used);
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
    }
    if (result->n_tags > 0)
        merge_tags(result);
    free(places);
    free(is_used);
}
