// SPDX-License-Identifier: BSD-3-Clause
// Which member released which in a collective operation, by its kind: the last one in, the root,
// the lower ranks of a scan; or, where a driver carries operations out, by the messages they
// consist of.
#include "analyzer/pag/matching/matching.h"

bool collective_must_synchronise(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    const struct member *member = &instance->members[part.member];
    if (instance->is_finalize || member->class_ == COLLECTIVE_HANDLE || member->is_left_out)
        return false;
    bool needs_all =
        member->class_ == COLLECTIVE_BARRIER || member->class_ == COLLECTIVE_ALL_TO_ALL;
    // Between two groups no member need wait for its own one.
    if (needs_all &&
        engine->definitions->communicators[instance->communicator].is_intercommunicator)
        return false;
    return member->class_ == COLLECTIVE_BARRIER || (member->size_bytes > 0 && !member->is_uneven);
}

/// Whether OTHER could release MEMBER, by the class of MEMBER's operation.
static bool depends_on(const struct collective *instance, const struct member *member, uint32_t own,
                       uint32_t other)
{
    if (member->is_passive || instance->members[other].is_passive)
        return false;
    switch (member->class_) {
    case COLLECTIVE_ONE_TO_ALL:
        return other == instance->root && !member->is_root;
    case COLLECTIVE_ALL_TO_ONE:
        return member->is_root && other != own;
    case COLLECTIVE_SCAN:
        return other < own;
    default:
        return true;
    }
}

uint32_t collective_world_rank(const struct engine *engine, uint32_t communicator, uint32_t member)
{
    if (communicator == NONE)
        return member;
    const struct communicator *comm = &engine->definitions->communicators[communicator];
    return member < comm->n_members ? comm->members[member]
                                    : comm->remote_members[member - comm->n_members];
}

bool collective_has_releasers(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    const struct member *member = &instance->members[part.member];
    if (member->is_passive || (member->class_ == COLLECTIVE_ONE_TO_ALL && member->is_root) ||
        (member->class_ == COLLECTIVE_ALL_TO_ONE && !member->is_root))
        return false;
    return member->class_ != COLLECTIVE_SCAN || part.member > 0;
}

uint32_t collective_missing_rank(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    if (instance->n_entered == instance->n_members)
        return NONE;
    const struct member *member = &instance->members[part.member];
    bool needs_root = member->class_ == COLLECTIVE_ONE_TO_ALL;
    uint32_t missing = needs_root ? instance->root : instance->first_missing;
    if (missing == NONE || instance->members[missing].has_entered ||
        !depends_on(instance, member, part.member, missing))
        return NONE;
    return collective_world_rank(engine, instance->communicator, missing);
}

/// The latest of the members before OWN, NULL unless all of them have entered. Each member is
/// looked at once, whatever their number.
static const struct member *last_lower(struct collective *instance, uint32_t own)
{
    struct member *members = instance->members;
    if (instance->first_missing < own)
        return NULL;
    for (; instance->n_lower <= own; instance->n_lower++) {
        uint32_t i = instance->n_lower, last = NONE;
        uint64_t recorded_ns = 0;
        if (i > 0) {
            const struct member *before = &members[i - 1];
            last = before->last_lower;
            recorded_ns = before->recorded_lower_ns > before->recorded_in_ns
                              ? before->recorded_lower_ns
                              : before->recorded_in_ns;
            if (!before->is_passive &&
                (last == NONE || collective_is_later(before, &members[last])))
                last = i - 1;
        }
        members[i].last_lower = last;
        members[i].recorded_lower_ns = recorded_ns;
    }
    uint32_t last = members[own].last_lower;
    return last == NONE ? NULL : &members[last];
}

const struct member *collective_releaser(const struct engine *engine, struct part part)
{
    struct collective *instance = collective_instance(engine, part.collective);
    const struct member *member = &instance->members[part.member];
    const struct member *releaser = NULL;
    if (member->is_left_out)
        return NULL;
    if (engine->any_member_delays && collective_waits_for_some(member) &&
        engine->hooks->decides(engine, part, &releaser))
        return releaser;
    if (!collective_has_releasers(engine, part))
        return NULL;
    bool needs_all = member->class_ == COLLECTIVE_BARRIER ||
                     member->class_ == COLLECTIVE_ALL_TO_ALL || member->class_ == COLLECTIVE_HANDLE;
    if (needs_all) {
        if (instance->n_entered < instance->n_members || instance->last == part.member)
            return NULL;
        const struct member *last = &instance->members[instance->last];
        return member->is_file && !collective_let_wait(instance, last->in_ns) ? NULL : last;
    }
    if (member->class_ == COLLECTIVE_ONE_TO_ALL) {
        if (instance->root == NONE)
            return NULL;
        const struct member *root = &instance->members[instance->root];
        return root->has_entered ? root : NULL;
    }
    if (member->class_ == COLLECTIVE_SCAN)
        return last_lower(instance, part.member);
    for (uint32_t i = 0; i < instance->n_members; i++) {
        const struct member *other = &instance->members[i];
        if (!depends_on(instance, member, part.member, i))
            continue;
        if (!other->has_entered)
            return NULL;
        if (!releaser || collective_is_later(other, releaser))
            releaser = other;
    }
    return releaser;
}

bool collective_release_times(const struct engine *engine, struct part part, uint64_t *time_ns,
                              uint64_t *recorded_ns)
{
    struct collective *instance = collective_instance(engine, part.collective);
    const struct member *member = &instance->members[part.member];
    bool needs_all = member->class_ == COLLECTIVE_BARRIER ||
                     member->class_ == COLLECTIVE_ALL_TO_ALL || member->class_ == COLLECTIVE_HANDLE;
    *time_ns = *recorded_ns = 0;
    if (!collective_has_releasers(engine, part))
        return false;
    if (needs_all) {
        *time_ns = instance->members[instance->last].in_ns;
        *recorded_ns = instance->recorded_last_ns;
        return instance->n_entered == instance->n_members;
    }
    uint32_t first = 0, end = instance->n_members;
    if (member->class_ == COLLECTIVE_SCAN) {
        const struct member *last = last_lower(instance, part.member);
        end = part.member;
        if (last) {
            *time_ns = last->in_ns;
            *recorded_ns = member->recorded_lower_ns;
            return true;
        }
    } else if (member->class_ == COLLECTIVE_ONE_TO_ALL) {
        first = instance->root;
        end = first == NONE ? first : first + 1;
    }
    bool is_released = false;
    for (uint32_t i = first; i < end; i++) {
        const struct member *other = &instance->members[i];
        if (!other->has_entered || !depends_on(instance, member, part.member, i))
            continue;
        is_released = true;
        if (other->in_ns > *time_ns)
            *time_ns = other->in_ns;
        if (other->recorded_in_ns > *recorded_ns)
            *recorded_ns = other->recorded_in_ns;
    }
    return is_released;
}
