// SPDX-License-Identifier: BSD-3-Clause
// Collective operations that are left out (see drop_sync.h).
#include "analyzer/simulation/change/drop_sync.h"

#include <stdlib.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/pool.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/state.h"
#include "analyzer/simulation/steps.h"

enum { N_RECORDS = 3 }; // posted, begun, completed

struct left_out_parts {
    struct map of_member; // (instance, member) -> part
    struct pool parts;
};

/// Where the records of a part in an operation are; PAG_NOT_KNOWN: there is none.
struct left_out_part {
    uint32_t location;
    uint64_t events[N_RECORDS];
};

/// Whether MEMBER of an operation, on a path with this MARK, leaves it out: what only synchronises
/// inside a dropped region, all that is named itself.
static bool drops_it(const struct scenario *scenario, uint64_t mark, const struct member *member)
{
    const struct region_patterns *patterns = scenario->regions;
    bool is_sync =
        member->class_ == COLLECTIVE_BARRIER ||
        (member->class_ != COLLECTIVE_HANDLE && member->size_bytes == 0 && !member->is_uneven);
    if (member->is_file) // which does more than that
        return false;
    if (is_sync && (region_patterns_inside(patterns, mark) & scenario->drops) != 0)
        return true;
    uint64_t named = region_patterns_named(patterns, mark) & scenario->drops;
    for (uint32_t i = 0; i < REGION_MAX_PATTERNS; i++)
        if (named >> i & 1 && region_patterns_names_calls(patterns, i))
            return true;
    return false;
}

struct left_out_parts *left_out_new(void)
{
    struct left_out_parts *left_out = memory_new(sizeof *left_out);
    map_init(&left_out->of_member);
    pool_init(&left_out->parts, sizeof(struct left_out_part));
    return left_out;
}

void left_out_free(struct left_out_parts *left_out)
{
    map_release(&left_out->of_member);
    pool_release(&left_out->parts);
    free(left_out);
}

static uint64_t key_of(const struct collective *instance, size_t member)
{
    return (uint64_t)instance->index << 32 | member;
}

/// Keeps where the records of MEMBER's part in INSTANCE are.
static void keep(struct engine *engine, const struct location_state *location,
                 const struct collective *instance, const struct member *member,
                 const struct event *event, uint64_t posted)
{
    struct left_out_parts *left_out = prediction_of(engine)->left_out;
    uint32_t index = pool_take(&left_out->parts);
    *(struct left_out_part *)pool_at(&left_out->parts, index) = (struct left_out_part){
        .location = location->index,
        .events = {posted, moved_begin_number(engine, location, event),
                   moved_number(engine, location, event)},
    };
    map_put(&left_out->of_member, key_of(instance, (size_t)(member - instance->members)), index);
}

bool left_out_member(struct engine *engine, struct location_state *location,
                     const struct collective *instance, struct member *member,
                     const struct event *event, uint64_t posted, uint64_t mark)
{
    const struct scenario *scenario = prediction_of(engine)->scenario;
    if (scenario->drops == 0 || location->call.is_init || location->call.is_finalize ||
        !drops_it(scenario, mark, member))
        return false;
    member->is_left_out = true;
    location->call.n_left_out++;
    if (engine->listener.changed.tell && instance)
        keep(engine, location, instance, member, event, posted);
    return true;
}

/// Tells the records of INSTANCE, which all members have left out, or not: then all stay.
static void tell_parts(struct engine *engine, const struct collective *instance, bool by_all)
{
    struct left_out_parts *left_out = prediction_of(engine)->left_out;
    for (uint32_t i = 0; i < instance->n_members; i++) {
        uint32_t index;
        if (!map_get(&left_out->of_member, key_of(instance, i), &index))
            continue;
        const struct left_out_part *part = pool_at(&left_out->parts, index);
        for (uint32_t k = 0; k < N_RECORDS && by_all; k++)
            moved_tell_left_out(engine, part->location, part->events[k]);
        map_remove(&left_out->of_member, key_of(instance, i));
        pool_give(&left_out->parts, index);
    }
}

bool left_out_over(struct engine *engine, const struct collective *instance)
{
    uint32_t n_left_out = 0;
    if (prediction_of(engine)->scenario->drops == 0)
        return false;
    for (uint32_t i = 0; i < instance->n_members; i++)
        n_left_out += instance->members[i].is_left_out;
    tell_parts(engine, instance, n_left_out == instance->n_members);
    simulated_of(engine)->left_out.n_collectives += n_left_out == instance->n_members;
    simulated_of(engine)->left_out.n_partly += n_left_out > 0 && n_left_out < instance->n_members;
    return n_left_out == instance->n_members;
}
