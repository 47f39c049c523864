// SPDX-License-Identifier: BSD-3-Clause
// Builds random MPI programs step by step.
#include "tests/reference/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { EAGER_LIMIT = 65536, MAX_DEPTH = 6, MAX_DELAY = 6, ANY_SOURCE_TAG = 7, CANCEL_TAG = 99 };

/// How receives on one (communicator, receiver) may look.
enum discipline { SPECIFIC, ANY_SOURCE, ANY_TAG, ANY_SOURCE_AND_TAG, MIXED, DISCIPLINES };

struct pending {
    uint32_t handle;
    uint32_t ready_step; // waiting for it before may deadlock
};

struct todo {
    uint32_t rank, step;
    struct operation operation;
    uint32_t ready_step;
};

struct builder {
    struct sim_program *program;
    const struct sim_program_limits *limits;
    uint32_t step;
    struct pending *pending[PROGRAM_MAX_RANKS];
    size_t n_pending[PROGRAM_MAX_RANKS], pending_capacity[PROGRAM_MAX_RANKS];
    const char *stack[PROGRAM_MAX_RANKS][MAX_DEPTH];
    uint32_t depth[PROGRAM_MAX_RANKS];
    struct todo *todo;
    size_t n_todo, todo_capacity;
    enum discipline discipline[PROGRAM_MAX_COMMS][PROGRAM_MAX_RANKS];
};

static const char *const user_regions[] = {"solve", "exchange", "output", "step", "setup"};

static const struct {
    const char *name, *region, *nonblocking_region;
    enum collective_kind kind;
    bool has_root, has_data;
} collectives[] = {
    {"barrier", "MPI_Barrier", "MPI_Ibarrier", COLLECTIVE_KIND_ALL, false, false},
    {"allreduce", "MPI_Allreduce", "MPI_Iallreduce", COLLECTIVE_KIND_ALL, false, true},
    {"alltoall", "MPI_Alltoall", "MPI_Ialltoall", COLLECTIVE_KIND_ALL, false, true},
    {"allgatherv", "MPI_Allgatherv", "MPI_Iallgatherv", COLLECTIVE_KIND_ALL, false, true},
    {"create_handle", "MPI_Comm_dup", "MPI_Comm_idup", COLLECTIVE_KIND_ALL, false, false},
    {"destroy_handle", "MPI_Comm_free", NULL, COLLECTIVE_KIND_ALL, false, false},
    {"bcast", "MPI_Bcast", "MPI_Ibcast", COLLECTIVE_KIND_FROM_ROOT, true, true},
    {"scatter", "MPI_Scatter", "MPI_Iscatter", COLLECTIVE_KIND_FROM_ROOT, true, true},
    {"reduce", "MPI_Reduce", "MPI_Ireduce", COLLECTIVE_KIND_TO_ROOT, true, true},
    {"gatherv", "MPI_Gatherv", "MPI_Igatherv", COLLECTIVE_KIND_TO_ROOT, true, true},
    {"scan", "MPI_Scan", "MPI_Iscan", COLLECTIVE_KIND_SCAN, false, true},
    {"exscan", "MPI_Exscan", "MPI_Iexscan", COLLECTIVE_KIND_SCAN, false, true},
};
enum { N_COLLECTIVES = sizeof collectives / sizeof collectives[0], N_UNROOTED = 4 };

uint64_t random_next(struct random *random)
{
    uint64_t x = random->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint32_t random_below(struct random *random, uint32_t bound)
{
    return (uint32_t)((random_next(random) >> 32) * bound >> 32);
}

bool random_chance(struct random *random, uint32_t percent)
{
    return random_below(random, 100) < percent;
}

static uint32_t below(struct builder *builder, uint32_t bound)
{
    return random_below(&builder->program->random, bound);
}

static bool chance(struct builder *builder, uint32_t percent)
{
    return random_chance(&builder->program->random, percent);
}

uint32_t sim_program_comm_members(const struct sim_program *program, uint32_t comm, uint32_t rank,
                                  uint32_t *members)
{
    const struct sim_program_comm *definition = &program->comms[comm];
    uint32_t n = 0;
    if (definition->is_self)
        members[n++] = rank;
    for (uint32_t m = 0; m < definition->n_members; m++)
        members[n++] = definition->members[m];
    for (uint32_t m = 0; m < definition->n_remote; m++)
        members[n++] = definition->remote[m];
    return n;
}

uint32_t sim_program_rank_in(const struct sim_program *program, uint32_t comm, uint32_t rank,
                             uint32_t peer)
{
    const struct sim_program_comm *definition = &program->comms[comm];
    if (definition->is_self)
        return 0;
    bool is_local = false;
    for (uint32_t m = 0; m < definition->n_members; m++)
        is_local = is_local || definition->members[m] == rank;
    bool in_remote = definition->n_remote > 0 && is_local;
    const uint32_t *group = in_remote ? definition->remote : definition->members;
    uint32_t n_group = in_remote ? definition->n_remote : definition->n_members;
    for (uint32_t m = 0; m < n_group; m++) {
        if (group[m] == peer)
            return m;
    }
    return UINT32_MAX;
}

static struct operation *push(struct builder *builder, uint32_t rank, struct operation operation)
{
    struct sim_program_rank *place = &builder->program->ranks[rank];
    struct operation *added = ARRAY_NEXT(place->operations, place->n_operations, place->capacity);
    *added = operation;
    return added;
}

/// Pushes a nonblocking operation whose request may be waited for from READY_STEP on.
static void push_request(struct builder *builder, uint32_t rank, struct operation operation,
                         uint32_t ready_step)
{
    operation.handle = builder->program->ranks[rank].n_handles++;
    push(builder, rank, operation);
    builder->pending[rank] =
        array_reserve(builder->pending[rank], &builder->pending_capacity[rank],
                      builder->n_pending[rank] + 1, sizeof *builder->pending[rank]);
    builder->pending[rank][builder->n_pending[rank]++] =
        (struct pending){.handle = operation.handle, .ready_step = ready_step};
}

static void push_now_or_later(struct builder *builder, uint32_t rank, uint32_t step,
                              struct operation operation, uint32_t ready_step)
{
    if (step > builder->step) {
        *ARRAY_NEXT(builder->todo, builder->n_todo, builder->todo_capacity) = (struct todo){
            .rank = rank, .step = step, .operation = operation, .ready_step = ready_step};
        return;
    }
    bool is_request = operation.kind == OPERATION_ISEND || operation.kind == OPERATION_IRECV ||
                      operation.kind == OPERATION_ICOLLECTIVE;
    if (is_request)
        push_request(builder, rank, operation, ready_step);
    else
        push(builder, rank, operation);
}

static void do_todo(struct builder *builder)
{
    size_t n = 0, n_todo = builder->n_todo;
    for (size_t i = 0; i < n_todo; i++) {
        struct todo item = builder->todo[i];
        if (item.step <= builder->step)
            push_now_or_later(builder, item.rank, item.step, item.operation, item.ready_step);
        else
            builder->todo[n++] = item;
    }
    builder->n_todo = n;
}

static void push_completion(struct builder *builder, uint32_t rank, const uint32_t *set,
                            uint32_t n_set)
{
    static const struct {
        enum operation_kind kind;
        const char *region, *single_region;
    } ways[] = {
        {OPERATION_WAITALL, "MPI_Waitall", "MPI_Wait"},
        {OPERATION_WAITALL, "MPI_Waitall", "MPI_Wait"},
        {OPERATION_WAITANY, "MPI_Waitany", "MPI_Waitany"},
        {OPERATION_WAITSOME, "MPI_Waitsome", "MPI_Waitsome"},
        {OPERATION_TEST, "MPI_Testsome", "MPI_Test"},
    };
    uint32_t way = below(builder, sizeof ways / sizeof ways[0]);
    struct operation operation = {.kind = ways[way].kind,
                                  .region = n_set == 1 ? ways[way].single_region : ways[way].region,
                                  .n_set = n_set};
    memcpy(operation.set, set, n_set * sizeof *set);
    uint32_t n_times = operation.kind == OPERATION_WAITANY ? n_set : 1;
    for (uint32_t i = 0; i < n_times; i++) {
        push(builder, rank, operation);
        if (chance(builder, 30))
            push(builder, rank,
                 (struct operation){.kind = OPERATION_COMPUTE, .duration = below(builder, 20)});
    }
}

/// Completes some of RANK's requests that are ready, all of them if IS_ALL.
static void complete_some(struct builder *builder, uint32_t rank, bool is_all)
{
    uint32_t set[PROGRAM_MAX_SET], n_set = 0;
    size_t n = 0;
    for (size_t i = 0; i < builder->n_pending[rank]; i++) {
        struct pending pending = builder->pending[rank][i];
        if (pending.ready_step <= builder->step && n_set < PROGRAM_MAX_SET &&
            (is_all || chance(builder, 60)))
            set[n_set++] = pending.handle;
        else
            builder->pending[rank][n++] = pending;
    }
    builder->n_pending[rank] = n;
    for (uint32_t i = n_set; i > 1 && chance(builder, 50); i--) {
        uint32_t j = below(builder, i), swapped = set[i - 1];
        set[i - 1] = set[j];
        set[j] = swapped;
    }
    if (n_set > 0)
        push_completion(builder, rank, set, n_set);
    if (is_all && n_set == PROGRAM_MAX_SET)
        complete_some(builder, rank, true);
}

static void step_compute(struct builder *builder, uint32_t rank)
{
    struct sim_program *program = builder->program;
    const char *region = user_regions[below(builder, sizeof user_regions / sizeof *user_regions)];
    if (builder->depth[rank] < MAX_DEPTH && chance(builder, 40)) {
        builder->stack[rank][builder->depth[rank]++] = region;
        push(builder, rank, (struct operation){.kind = OPERATION_ENTER, .region = region});
    }
    if (program->has_teams && chance(builder, 20)) {
        program->ranks[rank].has_team = true;
        push(builder, rank, (struct operation){.kind = OPERATION_TEAM});
    }
    uint32_t duration = below(builder, 8) ? below(builder, 30) : below(builder, 200);
    push(builder, rank, (struct operation){.kind = OPERATION_COMPUTE, .duration = duration});
    if (builder->depth[rank] > 1 && chance(builder, 50)) {
        region = builder->stack[rank][--builder->depth[rank]];
        push(builder, rank, (struct operation){.kind = OPERATION_LEAVE, .region = region});
    }
    if (chance(builder, 5))
        push(builder, rank,
             (struct operation){.kind = OPERATION_PLAIN, .region = "MPI_Send", .duration = 3});
}

static struct operation message(struct builder *builder, uint32_t comm, uint32_t sender,
                                uint32_t receiver)
{
    enum discipline discipline = builder->discipline[comm][receiver];
    bool must_be_eager = discipline != SPECIFIC && discipline != ANY_TAG;
    static const uint32_t sizes[] = {0, 8, 1000, 100000};
    struct operation operation = {.comm = comm, .peer = receiver, .other_peer = sender};
    operation.size_bytes = sizes[below(builder, must_be_eager ? 3 : 4)];
    operation.is_rendezvous = operation.size_bytes > EAGER_LIMIT;
    operation.size_bytes += below(builder, 100); // tells messages apart
    operation.tag = discipline == ANY_SOURCE ? ANY_SOURCE_TAG : below(builder, 3);
    operation.any_source = discipline == ANY_SOURCE || discipline == ANY_SOURCE_AND_TAG ||
                           (discipline == MIXED && chance(builder, 50));
    operation.any_tag = discipline == ANY_TAG || discipline == ANY_SOURCE_AND_TAG ||
                        (discipline == MIXED && chance(builder, 50));
    return operation;
}

static bool may_synchronise(const struct builder *builder, uint32_t comm, uint32_t receiver)
{
    return builder->discipline[comm][receiver] == SPECIFIC ||
           builder->discipline[comm][receiver] == ANY_TAG;
}

/// One message, its halves in any form that cannot block for ever.
static void step_message(struct builder *builder, uint32_t comm, uint32_t sender, uint32_t receiver)
{
    struct operation send = message(builder, comm, sender, receiver);
    uint32_t send_step = builder->step, receive_step = builder->step;
    bool is_self = sender == receiver;
    uint32_t order = below(builder, 3); // 0: together, 1: the send first, 2: the receive first
    if (order == 1)
        receive_step += 1 + below(builder, MAX_DELAY);
    else if (order == 2)
        send_step += 1 + below(builder, MAX_DELAY);
    uint32_t ready_step = send_step > receive_step ? send_step : receive_step;
    bool may_block_for_receive = !is_self && receive_step <= send_step;
    bool is_nonblocking =
        chance(builder, 40) || is_self || (send.is_rendezvous && !may_block_for_receive);
    if (may_synchronise(builder, comm, receiver) && chance(builder, 25) &&
        (is_nonblocking || may_block_for_receive)) {
        send.is_rendezvous = true;
        send.region = is_nonblocking ? "MPI_Issend" : "MPI_Ssend";
    } else {
        send.region = !is_nonblocking       ? "MPI_Send"
                      : chance(builder, 10) ? "MPI_Start"
                                            : "MPI_Isend";
    }
    send.kind = is_nonblocking ? OPERATION_ISEND : OPERATION_SEND;
    struct operation receive = send;
    bool is_posted = send_step > receive_step || chance(builder, 50);
    receive.kind = is_posted ? OPERATION_IRECV : OPERATION_RECV;
    receive.region = !is_posted ? "MPI_Recv" : chance(builder, 10) ? "MPI_Start" : "MPI_Irecv";
    receive.peer = sender;
    push_now_or_later(builder, sender, send_step, send, ready_step);
    push_now_or_later(builder, receiver, receive_step, receive, ready_step);
}

/// Everybody of COMM sends to the member SHIFT places on and receives from the one before.
static void step_shift(struct builder *builder, uint32_t comm)
{
    const struct sim_program_comm *definition = &builder->program->comms[comm];
    uint32_t n = definition->n_members, shift = 1 + below(builder, n);
    for (uint32_t m = 0; m < n; m++) {
        uint32_t own = definition->members[m];
        struct operation operation =
            message(builder, comm, own, definition->members[(m + shift) % n]);
        operation.kind = OPERATION_SENDRECV;
        operation.region = "MPI_Sendrecv";
        operation.other_peer = definition->members[(m + n - shift % n) % n];
        // What it receives is sent with the tag of the other message: all use one tag.
        operation.tag = ANY_SOURCE_TAG;
        struct operation received = message(builder, comm, operation.other_peer, own);
        operation.any_source = received.any_source;
        operation.any_tag = received.any_tag;
        push(builder, own, operation);
    }
}

static void step_to_one(struct builder *builder, uint32_t comm)
{
    const struct sim_program_comm *definition = &builder->program->comms[comm];
    uint32_t root = definition->members[below(builder, definition->n_members)];
    for (uint32_t m = 0; m < definition->n_members; m++) {
        if (definition->members[m] != root)
            step_message(builder, comm, definition->members[m], root);
    }
}

static bool is_of_handle(const struct operation *operation)
{
    return strstr(operation->collective, "_handle") != NULL;
}

/// Puts an operation on the file of its communicator in the place of OPERATION.
static void put_file(struct operation *operation, uint32_t step)
{
    static const struct {
        const char *region, *record;
    } operations[] = {
        {"MPI_File_open", "file-open"},           {"MPI_File_close", "file-close"},
        {"MPI_File_set_view", "file-change"},     {"MPI_File_sync", "file-begin flush"},
        {"MPI_File_read_all", "file-begin read"}, {"MPI_File_write_all", "file-begin write"}};
    operation->region = operations[step % 6].region;
    operation->collective = operations[step % 6].record;
    operation->is_in_place = false;
    operation->is_file = true;
}

static void step_collective(struct builder *builder, uint32_t comm)
{
    struct sim_program *program = builder->program;
    uint32_t members[2 * PROGRAM_MAX_RANKS];
    bool is_intercomm = program->comms[comm].n_remote > 0;
    uint32_t which = below(builder, is_intercomm ? N_UNROOTED : N_COLLECTIVES);
    uint32_t n = sim_program_comm_members(program, comm, 0, members);
    bool is_empty = !collectives[which].has_data || chance(builder, 25);
    bool is_loose = collectives[which].kind == COLLECTIVE_KIND_ALL && is_empty && which > 0 &&
                    chance(builder, 50);
    bool is_nonblocking = chance(builder, 25) && collectives[which].nonblocking_region &&
                          builder->limits->allow_nonblocking_collectives;
    uint32_t root = members[below(builder, n)];
    for (uint32_t m = 0; m < n; m++) {
        struct operation operation = {.kind = OPERATION_COLLECTIVE,
                                      .comm = comm,
                                      .region = collectives[which].region,
                                      .collective = collectives[which].name,
                                      .collective_kind = collectives[which].kind,
                                      .has_root = collectives[which].has_root,
                                      .peer = root,
                                      .is_loose = is_loose};
        operation.size_bytes = is_empty ? 0 : 8 * below(builder, 4);
        operation.received_bytes = is_empty ? 0 : 8 * (1 + below(builder, 3));
        operation.is_in_place = builder->step % 5 == 0;
        if (program->has_files && is_of_handle(&operation) && !is_nonblocking && !is_intercomm)
            put_file(&operation, builder->step);
        if (is_nonblocking) {
            operation.kind = OPERATION_ICOLLECTIVE;
            operation.region = collectives[which].nonblocking_region;
            push_request(builder, members[m], operation, builder->step);
        } else {
            push(builder, members[m], operation);
        }
    }
}

static void step_cancel(struct builder *builder, uint32_t rank)
{
    push(builder, rank,
         (struct operation){.kind = OPERATION_CANCEL, .peer = rank, .tag = CANCEL_TAG});
}

/// RANK locks one target of the window over COMM, or all of them, and gives the lock back. It is
/// granted at once, or where it is needed.
static void push_epoch(struct builder *builder, uint32_t comm, uint32_t rank, uint32_t target)
{
    enum { IN_LOCK, IN_ACCESS, IN_UNLOCK, PLACES };
    static const char *const accesses[] = {"MPI_Put", "MPI_Get", "MPI_Fetch_and_op",
                                           "MPI_Win_flush"};
    bool is_of_all = chance(builder, 15);
    uint32_t granted = below(builder, PLACES);
    struct operation operation = {.kind = OPERATION_LOCK,
                                  .region = is_of_all ? "MPI_Win_lock_all" : "MPI_Win_lock",
                                  .comm = comm,
                                  .peer = target,
                                  .is_of_all = is_of_all,
                                  .is_exclusive = !is_of_all && chance(builder, 60),
                                  .takes_lock = granted == IN_LOCK};
    push(builder, rank, operation);
    step_compute(builder, rank);
    operation.kind = OPERATION_ACCESS;
    operation.region = accesses[below(builder, sizeof accesses / sizeof *accesses)];
    operation.takes_lock = granted == IN_ACCESS;
    push(builder, rank, operation);
    if (chance(builder, 50))
        step_compute(builder, rank);
    operation.kind = OPERATION_UNLOCK;
    operation.region = is_of_all ? "MPI_Win_unlock_all" : "MPI_Win_unlock";
    operation.takes_lock = granted == IN_UNLOCK;
    push(builder, rank, operation);
}

/// Some members of COMM lock, most of them the same target.
static void step_locks(struct builder *builder, uint32_t comm)
{
    const struct sim_program_comm *definition = &builder->program->comms[comm];
    uint32_t target = below(builder, definition->n_members);
    for (uint32_t m = 0; m < definition->n_members; m++)
        if (chance(builder, 70))
            push_epoch(builder, comm, definition->members[m],
                       chance(builder, 80) ? target : below(builder, definition->n_members));
}

/// Some members of COMM, one at least, as bits.
static uint32_t some_members(struct builder *builder, uint32_t comm)
{
    const struct sim_program_comm *definition = &builder->program->comms[comm];
    uint32_t group = 1U << definition->members[below(builder, definition->n_members)];
    for (uint32_t m = 0; m < definition->n_members; m++)
        if (chance(builder, 40))
            group |= 1U << definition->members[m];
    return group;
}

/// RANK accesses some targets of its epoch, and computes before and after that.
static void push_puts(struct builder *builder, uint32_t rank, const struct operation *epoch)
{
    if (chance(builder, 60))
        step_compute(builder, rank);
    for (uint32_t target = 0; target < builder->program->n_ranks; target++) {
        struct operation operation = *epoch;
        operation.kind = OPERATION_PUT;
        operation.region = "MPI_Put";
        operation.peer = target;
        if (epoch->group >> target & 1 && chance(builder, 50))
            push(builder, rank, operation);
    }
    if (chance(builder, 60))
        step_compute(builder, rank);
}

/// Some members of COMM access the memory of some. What waits for the posts of these is their
/// start, their complete, or nothing.
static void step_epoch(struct builder *builder, uint32_t comm)
{
    enum { IN_START, IN_COMPLETE, NOWHERE, PLACES };
    uint32_t origins = some_members(builder, comm), targets = some_members(builder, comm);
    uint32_t place = below(builder, PLACES);
    struct operation to_origins = {.comm = comm, .group = origins},
                     to_targets = {.comm = comm, .group = targets};
    for (uint32_t rank = 0; rank < builder->program->n_ranks; rank++) {
        struct operation operation = to_origins;
        operation.kind = OPERATION_POST;
        operation.region = "MPI_Win_post";
        if (targets >> rank & 1)
            push(builder, rank, operation);
        if ((targets | origins) >> rank & 1 && chance(builder, 60))
            step_compute(builder, rank);
        operation = to_targets;
        operation.kind = OPERATION_START;
        operation.region = "MPI_Win_start";
        operation.awaits = place == IN_START;
        if (origins >> rank & 1) {
            push(builder, rank, operation);
            push_puts(builder, rank, &to_targets);
            operation.kind = OPERATION_COMPLETE;
            operation.region = "MPI_Win_complete";
            operation.awaits = place == IN_COMPLETE;
            push(builder, rank, operation);
        }
        operation = to_origins;
        operation.kind = OPERATION_WAIT;
        operation.region = chance(builder, 80) ? "MPI_Win_wait" : "MPI_Win_test";
        operation.awaits = true;
        if (targets >> rank & 1)
            push(builder, rank, operation);
    }
}

static void random_step(struct builder *builder)
{
    struct sim_program *program = builder->program;
    uint32_t comm = below(builder, program->n_comms);
    const struct sim_program_comm *definition = &program->comms[comm];
    uint32_t rank = below(builder, program->n_ranks);
    bool is_plain = !definition->is_self && definition->n_remote == 0;
    uint32_t choice = below(builder, 100);
    if (program->has_locks && is_plain && chance(builder, 25)) {
        step_locks(builder, comm);
    } else if (program->has_epochs && is_plain && chance(builder, 15)) {
        step_epoch(builder, comm);
    } else if (choice < 20) {
        for (uint32_t r = 0; r < program->n_ranks; r++) {
            if (chance(builder, 50))
                step_compute(builder, r);
        }
    } else if (choice < 60) {
        uint32_t sender = rank, receiver = rank;
        if (definition->n_members > 0)
            sender = receiver = definition->members[below(builder, definition->n_members)];
        if (definition->n_members > 1)
            receiver = definition->members[below(builder, definition->n_members)];
        if (definition->n_remote > 0)
            receiver = definition->remote[below(builder, definition->n_remote)];
        bool is_turned = definition->n_remote > 0 && chance(builder, 50);
        step_message(builder, comm, is_turned ? receiver : sender, is_turned ? sender : receiver);
    } else if (choice < 65 && is_plain) {
        step_shift(builder, comm);
    } else if (choice < 70 && is_plain) {
        step_to_one(builder, comm);
    } else if (choice < 82 && !definition->is_self) {
        step_collective(builder, comm);
    } else if (choice < 98) {
        complete_some(builder, rank, chance(builder, 30));
    } else {
        step_cancel(builder, rank);
    }
}

static struct sim_program_comm *add_comm(struct sim_program *program, const char *name)
{
    struct sim_program_comm *comm = &program->comms[program->n_comms++];
    *comm = (struct sim_program_comm){0};
    snprintf(comm->name, sizeof comm->name, "%s", name);
    return comm;
}

static void shuffle(struct builder *builder, uint32_t *ranks, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = below(builder, i), swapped = ranks[i - 1];
        ranks[i - 1] = ranks[j];
        ranks[j] = swapped;
    }
}

static void build_comms(struct builder *builder)
{
    struct sim_program *program = builder->program;
    uint32_t ranks[PROGRAM_MAX_RANKS], n = program->n_ranks;
    struct sim_program_comm *world = add_comm(program, "world");
    for (uint32_t r = 0; r < n; r++)
        world->members[r] = ranks[r] = r;
    world->n_members = n;
    if (chance(builder, 30))
        add_comm(program, "self")->is_self = true;
    if (chance(builder, 30)) {
        struct sim_program_comm *dup = add_comm(program, "dup");
        memcpy(dup->members, world->members, sizeof dup->members);
        dup->n_members = n;
    }
    if (n < 3 || chance(builder, 40))
        return;
    if (chance(builder, 50))
        shuffle(builder, ranks, n);
    struct sim_program_comm *low = add_comm(program, "low"), *high = add_comm(program, "high");
    uint32_t border = 1 + below(builder, n - 1);
    for (uint32_t r = 0; r < n; r++) {
        struct sim_program_comm *part = r < border ? low : high;
        part->members[part->n_members++] = ranks[r];
    }
    if (chance(builder, 50))
        return;
    struct sim_program_comm *inter = add_comm(program, "inter");
    memcpy(inter->members, low->members, sizeof inter->members);
    memcpy(inter->remote, high->members, sizeof inter->remote);
    inter->n_members = low->n_members;
    inter->n_remote = high->n_members;
}

static void build_edges(struct builder *builder, const char *region, const char *collective)
{
    struct sim_program *program = builder->program;
    uint32_t way = below(builder, 5); // 0: nobody, 1: not all, 2: records, else: none
    bool is_loose = chance(builder, 50);
    for (uint32_t r = 0; way > 0 && r < program->n_ranks; r++) {
        struct operation operation = {.kind = OPERATION_COLLECTIVE,
                                      .region = region,
                                      .collective = way == 2 ? collective : NULL,
                                      .is_loose = is_loose};
        if (way == 1) {
            operation.kind = OPERATION_PLAIN;
            operation.duration = below(builder, 10);
        }
        if (way != 1 || chance(builder, 70))
            push(builder, r, operation);
    }
}

static void choose_traits(struct builder *builder)
{
    struct sim_program *program = builder->program;
    const struct sim_program_limits *limits = builder->limits;
    static const uint32_t quanta[] = {1, 1, 5, 10};
    program->quantum = quanta[below(builder, 4)];
    program->max_latency = below(builder, 4) ? below(builder, 12) : 0;
    program->has_wildcards = chance(builder, 50) && limits->allow_wildcards;
    program->is_foreign = chance(builder, 30) && limits->allow_foreign;
    program->is_skewed = chance(builder, 15) && limits->allow_skew;
    program->is_cut = chance(builder, 10) && limits->allow_cut;
    program->is_unmatched = chance(builder, 10) && limits->allow_unmatched;
    program->has_teams = chance(builder, 10) && limits->allow_teams;
    program->is_bare = chance(builder, 4) && limits->allow_skew;
    program->has_inner_regions = chance(builder, 15);
    // With wrong clocks it is not known who had a lock first.
    program->has_locks = limits->allow_locks && !program->is_skewed && chance(builder, 25);
    struct random apart = program->random; // other programs stay as they are
    program->has_epochs = limits->allow_epochs && !program->is_bare && random_chance(&apart, 20);
    program->has_probes = limits->allow_probes && random_chance(&apart, 30);
    program->has_files = limits->allow_files && random_chance(&apart, 30);
    program->ticks_per_second = chance(builder, 10) ? 250000000 : 0;
    for (uint32_t c = 0; c < PROGRAM_MAX_COMMS; c++) {
        for (uint32_t r = 0; r < PROGRAM_MAX_RANKS; r++)
            builder->discipline[c][r] =
                program->has_wildcards ? (enum discipline)below(builder, DISCIPLINES) : SPECIFIC;
    }
}

static void finish(struct builder *builder)
{
    while (builder->n_todo > 0) {
        builder->step++;
        do_todo(builder);
    }
    for (uint32_t r = 0; r < builder->program->n_ranks; r++) {
        complete_some(builder, r, true);
        while (builder->depth[r] > 1)
            push(builder, r,
                 (struct operation){.kind = OPERATION_LEAVE,
                                    .region = builder->stack[r][--builder->depth[r]]});
    }
    build_edges(builder, "MPI_Finalize", "destroy_handle");
    for (uint32_t r = 0; r < builder->program->n_ranks; r++) {
        if (chance(builder, 50))
            push(builder, r,
                 (struct operation){.kind = OPERATION_COMPUTE, .duration = below(builder, 20)});
        push(builder, r, (struct operation){.kind = OPERATION_LEAVE, .region = "main"});
        free(builder->pending[r]);
    }
    free(builder->todo);
}

/// Builds the program of SEED. The caller releases it.
static void sim_program_build(struct sim_program *program, uint64_t seed,
                              const struct sim_program_limits *limits)
{
    *program = (struct sim_program){.random = {seed * 0x2545f4914f6cdd1du + 1}};
    struct builder builder = {.program = program, .limits = limits};
    program->n_ranks = 2 + below(&builder, limits->max_ranks - 1);
    choose_traits(&builder);
    build_comms(&builder);
    for (uint32_t r = 0; r < program->n_ranks; r++) {
        program->ranks[r].start = chance(&builder, 50) ? 0 : below(&builder, 50);
        builder.stack[r][builder.depth[r]++] = "main";
        push(&builder, r, (struct operation){.kind = OPERATION_ENTER, .region = "main"});
    }
    build_edges(&builder, "MPI_Init", "create_handle");
    uint32_t n_steps = 2 + below(&builder, limits->max_steps);
    if (!chance(&builder, 10))
        n_steps = 2 + n_steps / (chance(&builder, 60) ? 20 : 4);
    for (uint32_t s = 0; s < n_steps; s++) {
        builder.step++;
        do_todo(&builder);
        random_step(&builder);
    }
    finish(&builder);
}

static void sim_program_release(struct sim_program *program)
{
    for (uint32_t r = 0; r < program->n_ranks; r++)
        free(program->ranks[r].operations);
}

char *sim_program_trace_text(uint64_t seed, const struct sim_program_limits *limits)
{
    char *text = NULL;
    for (uint64_t variant = 0; !text; variant++) {
        struct sim_program program;
        sim_program_build(&program, seed + variant * 1000003, limits);
        text = sim_program_simulate(&program);
        sim_program_release(&program);
    }
    return text;
}
