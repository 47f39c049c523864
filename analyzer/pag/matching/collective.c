// SPDX-License-Identifier: BSD-3-Clause
// Collective operations: the k-th operation of every member of a communicator belongs together. An
// instance is held from the first member in to the last one out; lineages are kept only of members
// that may release another one (the last one in, the root, lower ranks of a scan).

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/matching/matching.h"

// How far the completion of a nonblocking operation is looked for when its posting does not name
// the communicator.
enum { MAX_COMPLETION_AHEAD = 4096 };

static uint32_t n_members_of(const struct communicator *communicator)
{
    uint32_t n = communicator->n_members;
    if (communicator->is_intercommunicator)
        n += communicator->n_remote_members;
    return n ? n : 1;
}

/// Members that the archive does not define: they never come.
static uint32_t n_undefined_of(const struct communicator *communicator)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < communicator->n_members; i++)
        n += communicator->members[i] == NONE;
    for (uint32_t i = 0; i < communicator->n_remote_members; i++)
        n += communicator->remote_members[i] == NONE;
    return n;
}

static void init_state(struct communicator_state *state, uint32_t n_members)
{
    *state = (struct communicator_state){
        .first_open = NONE,
        .last_open = NONE,
        .n_members = n_members,
    };
}

void collective_init(struct engine *engine)
{
    const struct definitions *definitions = engine->definitions;
    pool_init(&engine->collectives, sizeof(struct collective));
    pool_init(&engine->postings, sizeof(struct posting));
    engine->communicators =
        memory_zeroed(definitions->n_communicators, sizeof(*engine->communicators));
    engine->result->collectives =
        memory_zeroed(definitions->n_communicators, sizeof(*engine->result->collectives));
    for (size_t i = 0; i < definitions->n_communicators; i++) {
        init_state(&engine->communicators[i], n_members_of(&definitions->communicators[i]));
        engine->communicators[i].n_ended = n_undefined_of(&definitions->communicators[i]);
    }
    init_state(&engine->finalize, (uint32_t)engine->n_ranks);
}

void collective_release(struct engine *engine)
{
    FREE_MEMBERS(engine->communicators, engine->definitions->n_communicators, sequences);
    FREE_ALL(engine->communicators, engine->finalize.sequences);
    for (uint32_t i = 0; i < engine->collectives.n_used; i++)
        free(collective_instance(engine, i)->members);
    pool_release(&engine->collectives);
    pool_release(&engine->postings);
}

static struct communicator_state *state_of(struct engine *engine, uint32_t communicator)
{
    return communicator == NONE ? &engine->finalize : &engine->communicators[communicator];
}

/// Place of a world rank among the members (both groups of an intercommunicator, the local one
/// first); NONE when it is not a member. COMMUNICATOR NONE is MPI_Finalize of all ranks.
static uint32_t member_of(const struct engine *engine, uint32_t communicator, uint32_t world_rank)
{
    if (communicator == NONE)
        return world_rank;
    const struct communicator *comm = &engine->definitions->communicators[communicator];
    if (comm->n_members == 0)
        return 0;
    uint32_t rank = communicator_rank_of(comm, world_rank);
    bool is_local = rank < comm->n_members && comm->members[rank] == world_rank;
    return is_local || rank == NONE ? rank : comm->n_members + rank;
}

// --- instances

static void count_operation(struct engine *engine, uint32_t communicator)
{
    if (communicator == NONE)
        return;
    engine->result->n_collectives += !definitions_is_of_files(engine->definitions, communicator);
    engine->result->collectives[communicator]++;
}

static uint32_t open_instance(struct engine *engine, uint32_t communicator, uint64_t sequence)
{
    struct communicator_state *state = state_of(engine, communicator);
    uint32_t index = pool_take(&engine->collectives);
    struct collective *instance = collective_instance(engine, index);
    *instance = (struct collective){
        .index = index,
        .communicator = communicator,
        .is_finalize = communicator == NONE,
        .previous = state->last_open,
        .next = NONE,
        .sequence = sequence,
        .n_members = state->n_members,
        .root = NONE,
        .last = NONE,
        .first_leave_ns = UINT64_MAX,
        .members = memory_zeroed(state->n_members, sizeof(struct member)),
    };
    if (state->last_open == NONE)
        state->first_open = index;
    else
        collective_instance(engine, state->last_open)->next = index;
    state->last_open = index;
    count_operation(engine, communicator);
    return index;
}

static void close_instance(struct engine *engine, uint32_t index)
{
    struct collective *instance = collective_instance(engine, index);
    struct communicator_state *state = state_of(engine, instance->communicator);
    if (engine->hooks)
        engine->hooks->closed(engine, instance);
    for (uint32_t i = 0; i < instance->n_members; i++)
        if (instance->members[i].has_entered) {
            lineage_let_go(&engine->lineage, instance->members[i].node);
            lineage_let_go(&engine->lineage, instance->members[i].enter_node);
        }
    if (instance->previous == NONE)
        state->first_open = instance->next;
    else
        collective_instance(engine, instance->previous)->next = instance->next;
    if (instance->next == NONE)
        state->last_open = instance->previous;
    else
        collective_instance(engine, instance->next)->previous = instance->previous;
    free(instance->members);
    instance->members = NULL;
    pool_give(&engine->collectives, index);
}

/// The instance MEMBER enters next.
static uint32_t next_instance(struct engine *engine, uint32_t communicator, uint32_t member)
{
    struct communicator_state *state = state_of(engine, communicator);
    if (!state->sequences)
        state->sequences = memory_zeroed(state->n_members, sizeof(*state->sequences));
    uint64_t sequence = state->sequences[member]++;
    uint32_t index = state->first_open;
    if (state->last_open != NONE &&
        collective_instance(engine, state->last_open)->sequence < sequence)
        return open_instance(engine, communicator, sequence); // however many others are open
    while (index != NONE && collective_instance(engine, index)->sequence != sequence)
        index = collective_instance(engine, index)->next;
    return index != NONE ? index : open_instance(engine, communicator, sequence);
}

/// Whether no other member can enter at the time MEMBER entered.
static bool is_alone_now(const struct engine *engine, const struct location_state *location,
                         const struct member *member)
{
    if (engine->hooks)
        return engine->hooks->is_alone(engine, location, member->in_ns);
    if (engine->is_ahead)
        return false;
    tournament_key other = tournament_first_beside(&engine->order, location->index);
    return member->in_ns != (uint64_t)(other >> 64);
}

/// Keeps the lineage of a member that enters now if another one may continue from it: the last one
/// in is known when no member can enter at the same time or later. Whoever is not the latest so far
/// will not be the last one in.
static void keep_lineage(struct engine *engine, struct location_state *location,
                         struct collective *instance, struct member *member)
{
    bool is_final = instance->n_entered == instance->n_members;
    // Where messages decide, any member may delay others.
    bool is_any = collective_waits_for_some(member) && engine->any_member_delays;
    bool is_sure = !is_any && is_alone_now(engine, location, member);
    bool others_wait = instance->n_entered > 1;
    switch (member->class_) {
    case COLLECTIVE_ONE_TO_ALL:
        if (!is_any && (!member->is_root || (is_sure && !others_wait)))
            return;
        break;
    case COLLECTIVE_SCAN:
        if (is_sure && !others_wait)
            return;
        break;
    case COLLECTIVE_ALL_TO_ONE: // the root may wait for the first of the others as well
        if (is_sure && !is_final && instance->n_entered != 2)
            return;
        break;
    default:
        if (!is_any && (member != &instance->members[instance->last] || (is_sure && !is_final)))
            return;
    }
    member->node = head_cut(engine, location);
}

static void register_member(struct engine *engine, struct collective *instance, uint32_t index)
{
    struct member *member = &instance->members[index];
    member->has_entered = true;
    instance->n_entered++;
    instance->n_scans += member->class_ == COLLECTIVE_SCAN;
    while (instance->first_missing < instance->n_members &&
           instance->members[instance->first_missing].has_entered)
        instance->first_missing++;
    if (instance->last == NONE || collective_is_later(member, &instance->members[instance->last])) {
        struct member *before = instance->last == NONE ? NULL : &instance->members[instance->last];
        bool only_last_counts =
            member->class_ == COLLECTIVE_BARRIER || member->class_ == COLLECTIVE_ALL_TO_ALL;
        if (before && only_last_counts) {
            lineage_let_go(&engine->lineage, before->node);
            before->node = NONE;
        }
        instance->last = index;
    }
    if (engine->hooks)
        engine->hooks->entered(engine, instance, index);
}

/// Root in member indices; passive members of intercommunicators are marked.
static void set_root(const struct engine *engine, struct collective *instance, uint32_t own,
                     const struct event *event)
{
    struct member *member = &instance->members[own];
    bool has_root =
        member->class_ == COLLECTIVE_ONE_TO_ALL || member->class_ == COLLECTIVE_ALL_TO_ONE;
    if (!has_root)
        return;
    uint32_t root = event->peer;
    if (event->peer == EVENT_ROOT_SELF) {
        root = own;
    } else if (event->peer == EVENT_ROOT_THIS_GROUP) {
        member->is_passive = true;
        return;
    } else {
        const struct communicator *comm = &engine->definitions->communicators[event->index];
        if (comm->is_intercommunicator && own < comm->n_members)
            root += comm->n_members;
    }
    if (root >= instance->n_members)
        return;
    instance->root = root;
    member->is_root = root == own;
}

static void describe(struct member *member, const struct event *event)
{
    member->operation = event->op;
    member->class_ = event->class_;
    member->size_bytes = event->size_bytes + event->received_bytes;
    member->volume = (struct pag_volume){.sent_bytes = event->size_bytes,
                                         .received_bytes = event->received_bytes,
                                         .is_in_place = (event->flags & EVENT_IN_PLACE) != 0};
    member->is_uneven = (event->flags & EVENT_UNEVEN) != 0;
    member->is_window = (event->flags & EVENT_OF_WINDOW) != 0;
    member->is_file = (event->flags & EVENT_OF_FILE) != 0;
}

static void add_part(struct call *call, uint32_t collective, uint32_t member)
{
    *ARRAY_NEXT(call->parts, call->n_parts, call->parts_capacity) =
        (struct part){collective, member};
}

/// EVENT: the record of the operation's end, NULL: none. POSTING: NONE where it is blocking.
static void complete_in(struct engine *engine, struct location_state *location, uint32_t index,
                        uint32_t member_index, uint32_t posting, const struct event *event)
{
    struct call *call = &location->call;
    struct collective *instance = collective_instance(engine, index);
    struct member *member = &instance->members[member_index];
    member->enter_ns = call->enter_ns;
    member->is_test = call->is_test;
    member->location = location->index;
    member->path = call->path;
    member->recorded_end_ns = event && !member->is_file ? event->time_ns : UINT64_MAX;
    member->end_ns = member->recorded_end_ns;
    if (engine->hooks)
        engine->hooks->operation_completed(engine, location, instance, member, posting, event);
    add_part(call, index, member_index);
}

/// The rank enters an operation; the instance, NONE when it is not a member or the only one.
static uint32_t enter(struct engine *engine, struct location_state *location, uint32_t communicator,
                      uint64_t in_ns, uint32_t *member_index)
{
    struct communicator_state *state = state_of(engine, communicator);
    *member_index = member_of(engine, communicator, location->rank);
    if (*member_index == NONE) {
        engine->result->n_lost_calls++;
        return NONE;
    }
    if (state->n_members <= 1) {
        count_operation(engine, communicator);
        return NONE;
    }
    uint32_t index = next_instance(engine, communicator, *member_index);
    struct member *member = &collective_instance(engine, index)->members[*member_index];
    member->in_ns = in_ns;
    member->recorded_in_ns = location->call.recorded_enter_ns;
    member->rank = location->rank;
    member->node = member->enter_node = NONE;
    return index;
}

/// Where there are several worlds each one ends for itself: the record in MPI_Finalize says which.
/// Of merged launches nothing is known without one.
static bool ends_own_world(const struct engine *engine, const struct call *call)
{
    const struct definitions *definitions = engine->definitions;
    return call->is_finalize &&
           (definitions->is_merged || (call->has_collectives && definitions->n_spawned_ranks > 0));
}

/// LOCATION is the only member of EVENT's operation, or no member of it.
static void alone(struct engine *engine, struct location_state *location, uint32_t posting,
                  const struct event *event)
{
    struct member member = {0};
    if (!engine->hooks)
        return;
    describe(&member, event);
    engine->hooks->operation_completed(engine, location, NULL, &member, posting, event);
}

static void blocking(struct engine *engine, struct location_state *location,
                     const struct event *event)
{
    uint32_t own;
    uint32_t index = enter(engine, location, event->index, location->call.enter_ns, &own);
    if (index == NONE) {
        alone(engine, location, NONE, event);
        return;
    }
    struct collective *instance = collective_instance(engine, index);
    struct member *member = &instance->members[own];
    describe(member, event);
    if (ends_own_world(engine, &location->call)) {
        instance->is_finalize = true;
        member->class_ = COLLECTIVE_BARRIER;
    }
    set_root(engine, instance, own, event);
    register_member(engine, instance, own);
    keep_lineage(engine, location, instance, member);
    complete_in(engine, location, index, own, NONE, event);
}

/// Which communicator a posted operation is on: the record says so, or its completion does, if that
/// is not too far ahead. EVENT_NO_INDEX when neither does.
static uint32_t posted_communicator(const struct location_state *location,
                                    const struct event *posted)
{
    if (posted->flags & EVENT_HAS_ENVELOPE)
        return posted->index;
    for (uint32_t ahead = 1; ahead < MAX_COMPLETION_AHEAD; ahead++) {
        const struct event *event = location_peek(location, ahead);
        if (!event)
            break;
        if (event->kind == EVENT_COLLECTIVE_COMPLETE && event->request == posted->request)
            return event->index;
    }
    return EVENT_NO_INDEX;
}

static void post(struct engine *engine, struct location_state *location, const struct event *event)
{
    uint32_t index = pool_take(&engine->postings);
    struct posting *posting = pool_at(&engine->postings, index);
    *posting = (struct posting){
        .in_ns = location->call.enter_ns,
        .recorded_in_ns = location->call.recorded_enter_ns,
        .node = head_cut(engine, location),
        .collective = NONE,
    };
    if (engine->hooks)
        engine->hooks->operation_posted(engine, location, index, event);
    match_remember_request(engine, location, event->request, index, REQUEST_COLLECTIVE);
    uint32_t own, communicator = posted_communicator(location, event);
    if (communicator == EVENT_NO_INDEX)
        return;
    posting->collective = enter(engine, location, communicator, posting->in_ns, &own);
    posting->is_placed = true;
    if (posting->collective == NONE)
        return;
    struct collective *instance = collective_instance(engine, posting->collective);
    instance->members[own].class_ = COLLECTIVE_HANDLE; // until its completion says more
    if (posting->node != NONE)
        instance->members[own].node = lineage_hold(&engine->lineage, posting->node);
    register_member(engine, instance, own);
}

static void complete(struct engine *engine, struct location_state *location,
                     const struct event *event)
{
    uint32_t index = match_forget_request(engine, location, event->request, REQUEST_COLLECTIVE);
    struct posting posting = {.in_ns = location->call.enter_ns, .node = NONE, .collective = NONE};
    if (index != NONE) {
        posting = *(struct posting *)pool_at(&engine->postings, index);
        pool_give(&engine->postings, index);
    }
    uint32_t own = member_of(engine, event->index, location->rank);
    bool is_new = !posting.is_placed;
    if (is_new)
        posting.collective = enter(engine, location, event->index, posting.in_ns, &own);
    if (posting.collective != NONE) {
        struct collective *instance = collective_instance(engine, posting.collective);
        struct member *member = &instance->members[own];
        describe(member, event);
        set_root(engine, instance, own, event);
        if (is_new) {
            if (index != NONE)
                member->recorded_in_ns = posting.recorded_in_ns;
            if (posting.node != NONE)
                member->node = lineage_hold(&engine->lineage, posting.node);
            register_member(engine, instance, own);
        }
        complete_in(engine, location, posting.collective, own, index, event);
    } else {
        alone(engine, location, index, event);
    }
    lineage_let_go(&engine->lineage, posting.node);
}

static void finalize(struct engine *engine, struct location_state *location)
{
    uint32_t own;
    uint32_t index = enter(engine, location, NONE, location->call.enter_ns, &own);
    if (index == NONE)
        return;
    struct collective *instance = collective_instance(engine, index);
    struct member *member = &instance->members[own];
    member->class_ = COLLECTIVE_BARRIER;
    register_member(engine, instance, own);
    keep_lineage(engine, location, instance, member);
    complete_in(engine, location, index, own, NONE, NULL);
}

void collective_enter_call(struct engine *engine, struct location_state *location)
{
    const struct call *call = &location->call;
    for (uint32_t i = 0; i < call->n_records; i++) {
        const struct event *event = &call->records[i];
        if (event->kind == EVENT_COLLECTIVE_END)
            blocking(engine, location, event);
        else if (event->kind == EVENT_COLLECTIVE_REQUEST)
            post(engine, location, event);
        else if (event->kind == EVENT_COLLECTIVE_COMPLETE)
            complete(engine, location, event);
    }
    if (call->is_finalize && !engine->ranks[location->rank].has_finalize) {
        engine->ranks[location->rank].has_finalize = true;
        if (!ends_own_world(engine, call))
            finalize(engine, location);
    }
}

// --- the last one out

static void count_incomplete(struct engine *engine, const struct collective *instance)
{
    // Of files some tools, and ours where recording was off at times, record each rank's own part.
    if (instance->is_finalize ||
        definitions_is_of_files(engine->definitions, instance->communicator))
        return;
    if (n_undefined_of(&engine->definitions->communicators[instance->communicator]) > 0)
        engine->result->n_outside++;
    else
        engine->result->n_incomplete_collectives++;
}

static void end_instance(struct engine *engine, uint32_t index)
{
    struct collective *instance = collective_instance(engine, index);
    bool is_left_out = engine->hooks && engine->hooks->over(engine, instance);
    if (instance->n_entered < instance->n_members)
        count_incomplete(engine, instance);
    else if (!is_left_out)
        collective_emit_triggers(engine, instance);
    close_instance(engine, index);
}

static bool is_over(struct engine *engine, const struct collective *instance)
{
    if (instance->n_left == instance->n_members)
        return true;
    if (instance->n_left < instance->n_entered)
        return false;
    const struct communicator_state *state = state_of(engine, instance->communicator);
    if (instance->n_entered + state->n_ended < instance->n_members)
        return false;
    for (uint32_t i = 0; i < instance->n_members; i++) {
        uint32_t rank = collective_world_rank(engine, instance->communicator, i);
        if (!instance->members[i].has_entered && rank != NONE && !engine->ranks[rank].has_ended)
            return false;
    }
    return true;
}

void collective_ended(struct engine *engine, const struct call *call, uint64_t recorded_ns,
                      uint64_t time_ns)
{
    for (uint32_t i = 0; i < call->n_parts; i++) {
        struct part part = call->parts[i];
        struct member *member = &collective_instance(engine, part.collective)->members[part.member];
        if (member->recorded_end_ns == recorded_ns)
            member->end_ns = time_ns;
    }
}

void collective_leave(struct engine *engine, struct part part, const struct call *call)
{
    struct collective *instance = collective_instance(engine, part.collective);
    struct member *member = &instance->members[part.member];
    member->leave_ns = call->leave_ns;
    if (member->end_ns > call->leave_ns)
        member->end_ns = call->leave_ns;
    member->has_left = true;
    if (call->enter_node != NONE && collective_has_releasers(engine, part))
        member->enter_node = lineage_hold(&engine->lineage, call->enter_node);
    instance->n_left++;
    if (member->leave_ns < instance->first_leave_ns)
        instance->first_leave_ns = member->leave_ns;
    if (is_over(engine, instance))
        end_instance(engine, part.collective);
}

static void end_if_over(struct engine *engine, struct communicator_state *state)
{
    for (uint32_t i = state->first_open; i != NONE;) {
        uint32_t next = collective_instance(engine, i)->next;
        if (is_over(engine, collective_instance(engine, i)))
            end_instance(engine, i);
        i = next;
    }
}

void collective_rank_ended(struct engine *engine, uint32_t rank)
{
    for (uint32_t i = 0; i < engine->definitions->n_communicators; i++) {
        struct communicator_state *state = &engine->communicators[i];
        if (state->n_members <= 1 || member_of(engine, i, rank) == NONE)
            continue;
        state->n_ended++;
        end_if_over(engine, state);
    }
    engine->finalize.n_ended++;
    end_if_over(engine, &engine->finalize);
}

void collective_finish(struct engine *engine)
{
    for (size_t i = 0; i < engine->definitions->n_communicators; i++)
        for (uint32_t j = engine->communicators[i].first_open; j != NONE;
             j = collective_instance(engine, j)->next)
            count_incomplete(engine, collective_instance(engine, j));
}
