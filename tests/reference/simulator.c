// SPDX-License-Identifier: BSD-3-Clause
// The event loop: runs the operations of all ranks in time order and writes the trace of it. Each
// MPI call goes through begin (enter), post (requests and their records), block, and finish
// (completion records, leave); all durations are small random multiples of one quantum, so that
// ties are frequent.
#include "tests/reference/simulator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { MAX_POLLS = 8 };

uint64_t sim_some(struct simulation *sim, uint32_t max)
{
    return (uint64_t)random_below(&sim->program->random, max + 1) * sim->program->quantum;
}

static bool comes_before(const struct sim_event *a, const struct sim_event *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

void sim_schedule(struct simulation *sim, uint64_t time, enum sim_event_kind kind, int index)
{
    sim->heap = array_reserve(sim->heap, &sim->heap_capacity, sim->n_heap + 1, sizeof *sim->heap);
    size_t at = sim->n_heap++;
    struct sim_event event = {
        .time = time, .sequence = sim->sequence++, .kind = kind, .index = index};
    for (; at > 0 && comes_before(&event, &sim->heap[(at - 1) / 2]); at = (at - 1) / 2)
        sim->heap[at] = sim->heap[(at - 1) / 2];
    sim->heap[at] = event;
}

static struct sim_event pop(struct simulation *sim)
{
    struct sim_event first = sim->heap[0], last = sim->heap[--sim->n_heap];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < sim->n_heap && comes_before(&sim->heap[child + 1], &sim->heap[child]))
            child++;
        if (child >= sim->n_heap || comes_before(&last, &sim->heap[child]))
            break;
        sim->heap[at] = sim->heap[child];
        at = child;
    }
    sim->heap[at] = last;
    return first;
}

struct sim_record *sim_emit(struct simulation *sim, uint32_t rank, uint32_t thread, uint64_t time,
                            const char *format, ...)
{
    struct sim_lines *lines = &sim->ranks[rank].lines[thread];
    struct sim_record *record = ARRAY_NEXT(lines->records, lines->n_records, lines->capacity);
    *record = (struct sim_record){
        .time = time, .message = SIM_NONE, .receive_request = SIM_NONE, .coll_request = SIM_NONE};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(record->text, sizeof record->text, format, arguments);
    va_end(arguments);
    return record;
}

/// The lowest id no open request of RANK has.
static uint32_t free_id(const struct simulation *sim, uint32_t rank)
{
    for (uint32_t id = 0;; id++) {
        bool is_used = false;
        for (size_t r = 0; r < sim->n_requests && !is_used; r++)
            is_used = sim->requests[r].rank == rank && !sim->requests[r].is_internal &&
                      !sim->requests[r].is_freed && sim->requests[r].id == id;
        if (!is_used)
            return id;
    }
}

/// Makes a request; the one of a blocking call has no id in the trace.
static int sim_new_request(struct simulation *sim, uint32_t rank, enum sim_request_kind kind,
                           const struct operation *operation, bool is_internal)
{
    uint32_t id = is_internal ? 0 : free_id(sim, rank);
    sim->requests = array_reserve(sim->requests, &sim->request_capacity, sim->n_requests + 1,
                                  sizeof *sim->requests);
    sim->requests[sim->n_requests] = (struct sim_request){.kind = kind,
                                                          .rank = rank,
                                                          .is_internal = is_internal,
                                                          .id = id,
                                                          .operation = operation,
                                                          .message = SIM_NONE,
                                                          .instance = SIM_NONE};
    return (int)sim->n_requests++;
}

static const char *comm_name(const struct simulation *sim, uint32_t comm)
{
    return sim->program->comms[comm].name;
}

static void emit_send(struct simulation *sim, uint32_t rank, uint64_t time,
                      const struct operation *operation, int request)
{
    const struct sim_request *own = &sim->requests[request];
    char id[16] = "";
    if (!own->is_internal)
        snprintf(id, sizeof id, " %u", own->id);
    struct sim_record *record =
        sim_emit(sim, rank, 0, time, "%s %s %u %u %u%s", own->is_internal ? "send" : "isend",
                 comm_name(sim, operation->comm),
                 sim_program_rank_in(sim->program, operation->comm, rank, operation->peer),
                 operation->tag, operation->size_bytes, id);
    record->message = own->message;
    record->is_send = true;
}

static void emit_receive_posting(struct simulation *sim, uint32_t rank, uint64_t time, int request)
{
    const struct sim_request *own = &sim->requests[request];
    const struct operation *operation = own->operation;
    char source[16] = "any", tag[16] = "any", envelope[64] = "";
    if (!operation->any_source)
        snprintf(source, sizeof source, "%u",
                 sim_program_rank_in(sim->program, operation->comm, rank, operation->peer));
    if (!operation->any_tag)
        snprintf(tag, sizeof tag, "%u", operation->tag);
    if (!sim->program->is_foreign)
        snprintf(envelope, sizeof envelope, " %s %s %s", comm_name(sim, operation->comm), source,
                 tag);
    sim_emit(sim, rank, 0, time, "irecv-request %u%s", own->id, envelope)->receive_request =
        request;
}

static void emit_collective(struct simulation *sim, uint32_t rank, uint64_t time, int request)
{
    const struct sim_request *own = &sim->requests[request];
    const struct operation *operation = own->operation;
    char root[16] = "-", id[16] = "";
    if (operation->has_root)
        snprintf(root, sizeof root, "%u",
                 sim_program_rank_in(sim->program, operation->comm, rank, operation->peer));
    if (!own->is_internal)
        snprintf(id, sizeof id, " %u", own->id);
    struct sim_record *record =
        operation->is_file
            ? sim_emit(sim, rank, 0, time, "%s f%u%s", operation->collective, operation->comm,
                       strncmp(operation->collective, "file-begin", 10) == 0 ? " collective" : "")
            : sim_emit(sim, rank, 0, time, "%s %s %s %s %u %u%s%s",
                       own->is_internal ? "coll-end" : "coll-complete", operation->collective,
                       comm_name(sim, operation->comm), root, operation->size_bytes,
                       operation->received_bytes, id, operation->is_in_place ? " in-place" : "");
    record->is_collective_end = true;
    record->coll_request = own->is_internal ? SIM_NONE : request;
    record->comm = operation->comm;
}

/// The record that a request is complete; blocking sends and silent collectives have none.
static void emit_completion(struct simulation *sim, uint32_t rank, uint64_t time, int request)
{
    struct sim_request *own = &sim->requests[request];
    own->is_freed = true;
    struct sim_record *record = NULL;
    if (own->kind == SIM_CANCELLED) {
        sim_emit(sim, rank, 0, time, "cancel %u", own->id);
    } else if (own->kind == SIM_COLLECTIVE) {
        if (own->operation->collective)
            emit_collective(sim, rank, time, request);
    } else if (own->kind == SIM_RECEIVE) {
        const struct sim_message *message = &sim->messages[own->message];
        char id[16] = "";
        if (!own->is_internal)
            snprintf(id, sizeof id, " %u", own->id);
        record = sim_emit(sim, rank, 0, time, "%s %s %u %u %u%s",
                          own->is_internal ? "recv" : "irecv", comm_name(sim, message->comm),
                          sim_program_rank_in(sim->program, message->comm, rank, message->sender),
                          message->tag, message->size_bytes, id);
    } else if (!own->is_internal) {
        record = sim_emit(sim, rank, 0, time, "isend-complete %u", own->id);
        record->is_send = true;
    }
    if (record)
        record->message = own->message;
}

static int post_own(struct simulation *sim, uint32_t rank, enum sim_request_kind kind,
                    const struct operation *operation, bool is_internal)
{
    int request = sim_new_request(sim, rank, kind, operation, is_internal);
    struct sim_rank *own = &sim->ranks[rank];
    if (is_internal)
        own->own[own->n_own++] = request;
    else
        own->requests[operation->handle] = request;
    return request;
}

static void post_send(struct simulation *sim, uint32_t rank, uint64_t time,
                      const struct operation *operation, bool is_internal)
{
    int request = post_own(sim, rank, SIM_SEND, operation, is_internal);
    sim_post_send(sim, rank, time, operation, request);
    emit_send(sim, rank, time, operation, request);
}

static void emit_lock(struct simulation *sim, uint32_t rank, uint64_t time,
                      const struct operation *operation)
{
    char target[16] = "all";
    if (!operation->is_of_all)
        snprintf(target, sizeof target, "%u", operation->peer);
    bool is_request = operation->kind == OPERATION_LOCK;
    const char *type = operation->is_exclusive ? " exclusive" : " shared";
    sim_emit(sim, rank, 0, time, "%s w%u %s%s", is_request ? "lock" : "unlock", operation->comm,
             target, is_request ? type : "");
}

static void post(struct simulation *sim, uint32_t rank, uint64_t time,
                 const struct operation *operation)
{
    int request;
    switch (operation->kind) {
    case OPERATION_SEND:
    case OPERATION_ISEND:
        post_send(sim, rank, time, operation, operation->kind == OPERATION_SEND);
        break;
    case OPERATION_SENDRECV:
        post_send(sim, rank, time, operation, true);
        sim_post_receive(sim, rank, time, post_own(sim, rank, SIM_RECEIVE, operation, true));
        break;
    case OPERATION_RECV:
        sim_post_receive(sim, rank, time, post_own(sim, rank, SIM_RECEIVE, operation, true));
        break;
    case OPERATION_IRECV:
        request = post_own(sim, rank, SIM_RECEIVE, operation, false);
        emit_receive_posting(sim, rank, time, request);
        sim_post_receive(sim, rank, time, request);
        break;
    case OPERATION_COLLECTIVE:
        if (operation->collective && !operation->is_file)
            sim_emit(sim, rank, 0, time, "coll-begin");
        sim_post_collective(sim, rank, time, post_own(sim, rank, SIM_COLLECTIVE, operation, true));
        break;
    case OPERATION_ICOLLECTIVE:
        request = post_own(sim, rank, SIM_COLLECTIVE, operation, false);
        sim_emit(sim, rank, 0, time, "coll-request %u", sim->requests[request].id)->coll_request =
            request;
        sim_post_collective(sim, rank, time, request);
        break;
    case OPERATION_LOCK:
        emit_lock(sim, rank, time, operation);
        // fall through
    case OPERATION_ACCESS:
    case OPERATION_UNLOCK:
        if (operation->takes_lock)
            sim_take_lock(sim, rank, time, post_own(sim, rank, SIM_LOCK, operation, true));
        break;
    case OPERATION_PUT:
        sim_emit(sim, rank, 0, time, "put w%u %u 8", operation->comm,
                 sim_program_rank_in(sim->program, operation->comm, rank, operation->peer));
        break;
    case OPERATION_POST:
    case OPERATION_START:
    case OPERATION_COMPLETE:
    case OPERATION_WAIT:
        request = operation->awaits ? post_own(sim, rank, SIM_EPOCH, operation, true) : SIM_NONE;
        sim_synchronise(sim, rank, time, operation, request);
        break;
    default:
        break;
    }
}

static bool is_open(const struct simulation *sim, int request)
{
    return request != SIM_NONE && !sim->requests[request].is_freed;
}

/// How many of the call's requests are open, and how many of these are done.
static void count_requests(const struct simulation *sim, uint32_t rank,
                           const struct operation *operation, uint32_t *n_open, uint32_t *n_done)
{
    const struct sim_rank *own = &sim->ranks[rank];
    *n_open = *n_done = 0;
    for (uint32_t i = 0; i < own->n_own; i++) {
        *n_open += is_open(sim, own->own[i]);
        *n_done += is_open(sim, own->own[i]) && sim->requests[own->own[i]].is_done;
    }
    for (uint32_t i = 0; i < operation->n_set; i++) {
        int request = own->requests[operation->set[i]];
        *n_open += is_open(sim, request);
        *n_done += is_open(sim, request) && sim->requests[request].is_done;
    }
}

static bool may_finish(const struct simulation *sim, uint32_t rank,
                       const struct operation *operation)
{
    uint32_t n_open, n_done;
    count_requests(sim, rank, operation, &n_open, &n_done);
    switch (operation->kind) {
    case OPERATION_TEST:
        return sim->ranks[rank].n_polls < MAX_POLLS || n_done == n_open;
    case OPERATION_WAITANY:
    case OPERATION_WAITSOME:
        return n_done > 0 || n_open == 0;
    default:
        return n_done == n_open;
    }
}

/// Emits what is complete (of WAITANY only one); for a poll that failed what it asked for.
static void finish_requests(struct simulation *sim, uint32_t rank, uint64_t time,
                            const struct operation *operation)
{
    struct sim_rank *own = &sim->ranks[rank];
    uint32_t n_finished = 0;
    for (uint32_t i = 0; i < own->n_own; i++)
        emit_completion(sim, rank, time, own->own[i]);
    own->n_own = 0;
    for (uint32_t i = 0; i < operation->n_set; i++) {
        int request = own->requests[operation->set[i]];
        if (!is_open(sim, request) || !sim->requests[request].is_done ||
            (operation->kind == OPERATION_WAITANY && n_finished > 0))
            continue;
        emit_completion(sim, rank, time, request);
        n_finished++;
    }
    for (uint32_t i = 0; i < operation->n_set && n_finished == 0; i++) {
        int request = own->requests[operation->set[i]];
        if (operation->kind == OPERATION_TEST && is_open(sim, request))
            sim_emit(sim, rank, 0, time, "test %u", sim->requests[request].id);
    }
}

/// A parallel region: the second thread works beside the master, who joins it at the end.
static uint64_t run_team(struct simulation *sim, uint32_t rank, uint64_t time)
{
    sim_emit(sim, rank, 0, time, "enter parallel");
    uint64_t fork = time + sim_some(sim, 2), end[2];
    sim_emit(sim, rank, 0, fork, "fork 2");
    for (uint32_t thread = 0; thread < 2; thread++) {
        uint64_t begin = fork + sim_some(sim, 3), enter = begin + sim_some(sim, 2);
        uint64_t leave = enter + sim_some(sim, 20);
        end[thread] = leave + sim_some(sim, 3);
        sim_emit(sim, rank, thread, begin, "team-begin world");
        sim_emit(sim, rank, thread, enter, "enter loop");
        sim_emit(sim, rank, thread, leave, "leave loop");
        sim_emit(sim, rank, thread, end[thread], "team-end world");
    }
    uint64_t join = (end[0] > end[1] ? end[0] : end[1]) + sim_some(sim, 3);
    sim_emit(sim, rank, 0, join, "join");
    uint64_t leave = join + sim_some(sim, 2);
    sim_emit(sim, rank, 0, leave, "leave parallel");
    return leave;
}

/// An Irecv that is cancelled: three calls at once, nobody else sees them.
static uint64_t run_cancel(struct simulation *sim, uint32_t rank, uint64_t time,
                           const struct operation *operation)
{
    int request = sim_new_request(sim, rank, SIM_CANCELLED, operation, false);
    sim_emit(sim, rank, 0, time, "enter MPI_Irecv");
    emit_receive_posting(sim, rank, time + 1, request);
    sim_emit(sim, rank, 0, time + 2, "leave MPI_Irecv");
    sim_emit(sim, rank, 0, time + 2, "enter MPI_Cancel");
    sim_emit(sim, rank, 0, time + 3, "leave MPI_Cancel");
    sim_emit(sim, rank, 0, time + 3, "enter MPI_Wait");
    emit_completion(sim, rank, time + 5, request);
    sim_emit(sim, rank, 0, time + 5, "leave MPI_Wait");
    return time + 5;
}

/// Operations without partners. True: done, and the time moved on to *TIME.
static bool run_local(struct simulation *sim, uint32_t rank, const struct operation *operation,
                      uint64_t *time)
{
    switch (operation->kind) {
    case OPERATION_ENTER:
        sim_emit(sim, rank, 0, *time, "enter %s", operation->region);
        return true;
    case OPERATION_LEAVE:
        sim_emit(sim, rank, 0, *time, "leave %s", operation->region);
        return true;
    case OPERATION_COMPUTE:
        *time += (uint64_t)operation->duration * sim->program->quantum;
        return true;
    case OPERATION_PLAIN:
        sim_emit(sim, rank, 0, *time, "enter %s", operation->region);
        *time += operation->duration;
        sim_emit(sim, rank, 0, *time, "leave %s", operation->region);
        return true;
    case OPERATION_TEAM:
        *time = run_team(sim, rank, *time);
        return true;
    case OPERATION_CANCEL:
        *time = run_cancel(sim, rank, *time, operation);
        return true;
    default:
        return false;
    }
}

/// Begins the call, decides what it looks like in the trace.
static void enter_call(struct simulation *sim, uint32_t rank, uint64_t time, const char *region)
{
    struct sim_rank *own = &sim->ranks[rank];
    struct random *random = &sim->program->random;
    own->is_bare = sim->program->is_bare && random_chance(random, 20);
    if (!own->is_bare)
        sim_emit(sim, rank, 0, time, "enter %s", region);
}

static void enter_inner(struct simulation *sim, uint32_t rank, uint64_t time)
{
    static const char *const regions[] = {"MPI_Comm_rank", "callback"};
    struct sim_rank *own = &sim->ranks[rank];
    struct random *random = &sim->program->random;
    own->inner = NULL;
    if (own->is_bare || !sim->program->has_inner_regions || !random_chance(random, 20))
        return;
    own->inner = regions[random_below(random, 2)];
    sim_emit(sim, rank, 0, time, "enter %s", own->inner);
}

/// Ends the call; loops come back to the same operation.
static void leave_call(struct simulation *sim, uint32_t rank, uint64_t time,
                       const struct operation *operation)
{
    struct sim_rank *own = &sim->ranks[rank];
    finish_requests(sim, rank, time, operation);
    if (operation->kind == OPERATION_UNLOCK) {
        emit_lock(sim, rank, time, operation);
        sim_give_lock_back(sim, rank, time, operation);
    }
    if (operation->kind >= OPERATION_POST && operation->kind <= OPERATION_WAIT)
        sim_emit(sim, rank, 0, time, "sync w%u g%u %s", operation->comm, operation->group,
                 operation->kind >= OPERATION_COMPLETE ? "memory" : "process");
    if (own->inner)
        sim_emit(sim, rank, 0, time, "leave %s", own->inner);
    bool is_posting = operation->kind <= OPERATION_ICOLLECTIVE;
    uint64_t leave = time + sim_some(sim, 1) + is_posting;
    bool is_poll = operation->kind == OPERATION_TEST && own->n_polls < MAX_POLLS;
    const char *region =
        operation->kind == OPERATION_TEST && !is_poll ? "MPI_Waitall" : operation->region;
    if (!own->is_bare)
        sim_emit(sim, rank, 0, leave, "leave %s", region);
    uint32_t n_open, n_done;
    count_requests(sim, rank, operation, &n_open, &n_done);
    bool is_loop = operation->kind == OPERATION_TEST || operation->kind == OPERATION_WAITSOME;
    own->phase = SIM_BEGIN;
    if (is_loop && n_open > 0) {
        own->n_polls++;
        sim_schedule(sim, leave + sim_some(sim, 10), SIM_RANK, (int)rank);
        return;
    }
    own->n_polls = 0;
    own->next++;
    sim_schedule(sim, leave, SIM_RANK, (int)rank);
}

static void run_rank(struct simulation *sim, uint32_t rank, uint64_t time)
{
    struct sim_rank *own = &sim->ranks[rank];
    const struct sim_program_rank *place = &sim->program->ranks[rank];
    if (own->next == place->n_operations) {
        own->is_finished = true;
        return;
    }
    const struct operation *operation = &place->operations[own->next];
    bool is_late_poll = operation->kind == OPERATION_TEST && own->n_polls >= MAX_POLLS;
    switch (own->phase) {
    case SIM_BEGIN:
        if (run_local(sim, rank, operation, &time)) {
            own->next++;
            sim_schedule(sim, time, SIM_RANK, (int)rank);
            return;
        }
        enter_call(sim, rank, time, is_late_poll ? "MPI_Waitall" : operation->region);
        own->phase = SIM_POST;
        sim_schedule(sim, time + sim_some(sim, 1), SIM_RANK, (int)rank);
        return;
    case SIM_POST:
        enter_inner(sim, rank, time);
        post(sim, rank, time, operation);
        own->phase = SIM_BLOCK;
        // fall through
    case SIM_BLOCK:
        own->is_blocked = !may_finish(sim, rank, operation);
        if (own->is_blocked)
            return;
        own->phase = SIM_FINISH;
        sim_schedule(sim, time + sim_some(sim, 1), SIM_RANK, (int)rank);
        return;
    case SIM_FINISH:
        leave_call(sim, rank, time, operation);
        return;
    }
}

static bool run(struct simulation *sim)
{
    for (uint32_t r = 0; r < sim->program->n_ranks; r++) {
        sim->ranks[r].requests =
            memory_zeroed(sim->program->ranks[r].n_handles + 1, sizeof *sim->ranks[r].requests);
        sim_schedule(sim, sim->program->ranks[r].start * sim->program->quantum, SIM_RANK, (int)r);
    }
    while (sim->n_heap > 0) {
        struct sim_event event = pop(sim);
        if (event.kind == SIM_ARRIVAL) {
            sim_arrive(sim, event.time, event.index);
        } else if (event.kind == SIM_RANK) {
            run_rank(sim, (uint32_t)event.index, event.time);
        } else {
            struct sim_request *request = &sim->requests[event.index];
            request->is_done = true;
            if (sim->ranks[request->rank].is_blocked)
                run_rank(sim, request->rank, event.time);
        }
    }
    bool is_finished = true;
    for (uint32_t r = 0; r < sim->program->n_ranks; r++)
        is_finished = is_finished && sim->ranks[r].is_finished;
    return is_finished;
}

char *sim_program_simulate(struct sim_program *program)
{
    SCOPED struct simulation *sim = memory_zeroed(1, sizeof *sim);
    sim->program = program;
    char *text = run(sim) ? sim_text(sim) : NULL;
    for (uint32_t r = 0; r < program->n_ranks; r++) {
        FREE_ALL(sim->ranks[r].requests, sim->ranks[r].lines[0].records,
                 sim->ranks[r].lines[1].records);
    }
    FREE_ALL(sim->heap, sim->requests, sim->messages, sim->instances, sim->locks);
    return text;
}
