// SPDX-License-Identifier: BSD-3-Clause
// See ti_trace.h. The actions are those that SimGrid 3.32 reads
// (src/smpi/internals/smpi_replay.cpp there): "RANK ACTION ARGUMENTS", sizes in bytes. A request
// has no number: it is waited for by sender, receiver and tag, and of several alike the oldest one
// is meant, which MPI's order of messages allows.
//
// Who sent a message that a rank has posted a receive for, and its size, is known when the receive
// completes. Until then its line computes nothing; then the line, of a fixed length, is written
// over. So a receive that never completes, or is cancelled, is none.
//
// SimGrid's collective actions are all of all ranks, blocking, and of one size. Operations of a
// part of the ranks, or of different sizes, are written as the messages by which MPI libraries
// commonly carry them out (simulation/network/collective_plan.h).
#include "analyzer/simgrid/ti_trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/new_file.h"
#include "analyzer/base/pool.h"
#include "analyzer/pag/location/cpu_time.h"
#include "analyzer/simulation/network/collective_plan.h"

enum {
    TAIL_BYTES = 1 << 20,
    LINE_BYTES = 128,      // no line is longer
    POSTED_BYTES = 60,     // of the line of a posted receive, which has at most three numbers
    TAGS = 1 << 16,        // by which the tags of communicators differ
    ANY_SIZE = INT32_MAX,  // that a receive may have
    OWN_TAGS = 0x7fff0000, // of messages of operations
    TAG_MASK = 0x7fffffff,
};

/// An open request.
struct request {
    uint64_t line;      // of a receive: where it is
    uint32_t peer, tag; // of a send
};

struct ti_rank {
    uint32_t depth, call_depth; // open regions, up to the outermost MPI call; 0: none is open
    bool has_begun;
    uint64_t since_ns; // it computes since then
    struct cpu_span cpu;
    uint64_t used_ns, blocked_ns; // since the last action
    struct map requests;          // id -> place in the pool
};

struct ti_trace {
    const struct definitions *definitions;
    struct new_file list, actions;
    char *tail; // of the actions, not written yet
    size_t n_tail;
    uint64_t n_written;
    struct ti_rank *ranks;
    struct pool requests;
    struct ti_losses losses;
    const struct location *further; // a further thread of its rank with messages, NULL: none
};

// --- the file of actions

static void write_tail(struct ti_trace *trace)
{
    fwrite(trace->tail, 1, trace->n_tail, trace->actions.stream);
    trace->n_written += trace->n_tail;
    trace->n_tail = 0;
}

/// A further action of RANK.
__attribute__((format(printf, 3, 4))) static void add(struct ti_trace *trace, uint32_t rank,
                                                      const char *format, ...)
{
    va_list arguments;
    if (trace->n_tail + LINE_BYTES > TAIL_BYTES)
        write_tail(trace);
    char *line = trace->tail + trace->n_tail;
    int n = sprintf(line, "%u ", rank);
    va_start(arguments, format);
    n += vsnprintf(line + n, (size_t)(LINE_BYTES - n), format, arguments);
    va_end(arguments);
    line[n] = '\n';
    trace->n_tail += (size_t)n + 1;
}

/// Returns where the line of a receive is, which is to be known later.
static uint64_t add_posted(struct ti_trace *trace, uint32_t rank)
{
    char line[POSTED_BYTES];
    sprintf(line, "%u ", rank);
    add(trace, rank, "%-*s", POSTED_BYTES - 1 - (int)strlen(line), "compute 0");
    return trace->n_written + trace->n_tail - POSTED_BYTES;
}

static void set_posted(struct ti_trace *trace, uint64_t at, uint32_t rank, uint32_t sender,
                       uint32_t tag, uint64_t size_bytes)
{
    char line[LINE_BYTES];
    int n = sprintf(line, "%u irecv %u %u %" PRIu64, rank, sender, tag, size_bytes);
    if (at >= trace->n_written) {
        memcpy(trace->tail + (at - trace->n_written), line, (size_t)n);
    } else {
        fseeko(trace->actions.stream, (off_t)at, SEEK_SET);
        fwrite(line, 1, (size_t)n, trace->actions.stream);
        fseeko(trace->actions.stream, 0, SEEK_END);
    }
}

// --- begin

struct ti_trace *ti_trace_new(const char *path, const struct definitions *definitions,
                              struct error *err)
{
    struct ti_trace *trace = memory_zeroed(1, sizeof *trace);
    trace->definitions = definitions;
    trace->losses.has_windows = definitions->n_windows > 0;
    trace->ranks = memory_zeroed(definitions->n_ranks + 1, sizeof *trace->ranks);
    pool_init(&trace->requests, sizeof(struct request));
    SCOPED char *actions = memory_format("%s.actions", path);
    if (new_file_refuse_special(path, err) != 0 || new_file_open(&trace->list, path, err) != 0 ||
        new_file_refuse_special(actions, err) != 0 ||
        new_file_open(&trace->actions, actions, err) != 0) {
        ti_trace_free(trace);
        trace = NULL;
    } else {
        fprintf(trace->list.stream, "%s\n", actions);
        trace->tail = memory_new(TAIL_BYTES);
        for (uint32_t rank = 0; rank < definitions->n_ranks; rank++)
            add(trace, rank, "init");
    }
    return trace;
}

void ti_trace_free(struct ti_trace *trace)
{
    struct error ignored = {{0}};
    if (!trace)
        return;
    for (size_t i = 0; i < trace->definitions->n_ranks; i++)
        map_release(&trace->ranks[i].requests);
    new_file_finish(&trace->list, -1, &ignored);
    new_file_finish(&trace->actions, -1, &ignored);
    pool_release(&trace->requests);
    FREE_ALL(trace->ranks, trace->tail, trace);
}

// --- messages

static const struct communicator *communicator_of(const struct ti_trace *trace,
                                                  const struct event *event)
{
    return &trace->definitions->communicators[event->index];
}

/// The other rank of a message, EVENT_NO_INDEX: not known.
static uint32_t peer_of(const struct ti_trace *trace, uint32_t rank, const struct event *event)
{
    return communicator_peer(communicator_of(trace, event), rank, event->peer);
}

/// SimGrid has one communicator, where the tags of each of ours lie elsewhere.
static uint32_t tag_of(const struct event *event)
{
    return (event->tag + event->index * TAGS) & TAG_MASK;
}

static uint32_t request_at(struct ti_trace *trace, uint32_t rank, uint64_t id)
{
    uint32_t place;
    if (!map_get(&trace->ranks[rank].requests, id, &place)) {
        place = pool_take(&trace->requests);
        map_put(&trace->ranks[rank].requests, id, place);
    }
    return place;
}

/// The request with this ID is over. False: there was none.
static bool take_request(struct ti_trace *trace, uint32_t rank, uint64_t id,
                         struct request *request)
{
    uint32_t place;
    if (!map_get(&trace->ranks[rank].requests, id, &place))
        return false;
    *request = *POOL_AT(&trace->requests, struct request, place);
    pool_give(&trace->requests, place);
    map_remove(&trace->ranks[rank].requests, id);
    return true;
}

static void post(struct ti_trace *trace, uint32_t rank, const struct event *event)
{
    struct request request = {0};
    if (event->kind == EVENT_IRECV_REQUEST) {
        request.line = add_posted(trace, rank);
    } else {
        request.peer = peer_of(trace, rank, event);
        request.tag = tag_of(event);
        if (request.peer == EVENT_NO_INDEX)
            return;
        add(trace, rank, "isend %u %u %" PRIu64, request.peer, request.tag, event->size_bytes);
        if (event->flags & EVENT_OF_WINDOW) // no call waits for it
            return;
    }
    uint32_t place = request_at(trace, rank, event->request);
    *POOL_AT(&trace->requests, struct request, place) = request;
}

static void receive(struct ti_trace *trace, uint32_t rank, const struct event *event)
{
    uint32_t sender = peer_of(trace, rank, event), tag = tag_of(event);
    struct request request;
    if (sender == EVENT_NO_INDEX)
        return;
    if (event->kind == EVENT_IRECV && take_request(trace, rank, event->request, &request)) {
        set_posted(trace, request.line, rank, sender, tag, event->size_bytes);
        add(trace, rank, "wait %u %u %u", sender, rank, tag);
    } else if (event->kind == EVENT_RECV || !(event->flags & EVENT_OF_WINDOW)) {
        // Else MPI_Win_complete has it again, and MPI_Win_start has waited for it.
        add(trace, rank, "recv %u %u %" PRIu64, sender, tag, event->size_bytes);
    }
}

/// A send by a blocking call.
static void send(struct ti_trace *trace, uint32_t rank, const struct event *event,
                 const char *action)
{
    uint32_t receiver = peer_of(trace, rank, event), tag = tag_of(event);
    if (receiver != EVENT_NO_INDEX)
        add(trace, rank, "%s %u %u %" PRIu64, action, receiver, tag, event->size_bytes);
}

static void wait_for_send(struct ti_trace *trace, uint32_t rank, const struct event *event)
{
    uint32_t receiver = peer_of(trace, rank, event);
    if (receiver != EVENT_NO_INDEX)
        add(trace, rank, "wait %u %u %u", rank, receiver, tag_of(event));
}

// --- collective operations

/// Those of all ranks, in the order of OTF2_CollectiveOp: the first argument is the size, the
/// second one the root. NULL: sizes differ, or SimGrid has no such action.
static const char *const collective_actions[COLLECTIVE_OPERATIONS] = {
    "barrier",
    "bcast %1$" PRIu64 " %2$u",
    "gather %1$" PRIu64 " %1$" PRIu64 " %2$u",
    NULL,
    "scatter %1$" PRIu64 " %1$" PRIu64 " %2$u",
    NULL,
    "allgather %1$" PRIu64 " %1$" PRIu64,
    NULL,
    "alltoall %1$" PRIu64 " %1$" PRIu64,
    NULL,
    NULL,
    "allreduce %1$" PRIu64 " 0",
    "reduce %1$" PRIu64 " 0 %2$u",
    NULL,
    "scan %1$" PRIu64 " 0",
    "exscan %1$" PRIu64 " 0",
    NULL,
};

/// A rank's part in a collective operation that is made of messages.
struct part {
    uint32_t rank, communicator;
    uint32_t place, root; // in the communicator; root 0: there is none
    uint64_t size_bytes;
};

enum step_action { EXCHANGE, WAIT };

/// The messages of PART, or the waits for those that it sends.
static void add_steps(struct ti_trace *trace, const struct collective_plan *plan,
                      const struct part *part, enum step_action action)
{
    const struct communicator *comm = &trace->definitions->communicators[part->communicator];
    uint32_t n = comm->n_members, place = (part->place + n - part->root) % n;
    uint32_t tag = OWN_TAGS | (part->communicator % TAGS);
    struct collective_step step;
    for (uint32_t phase = 0; phase < plan->n_phases; phase++)
        for (uint32_t i = 0; collective_plan_step(plan, phase, place, i, part->size_bytes, &step);
             i++) {
            uint32_t peer = step.kind == STEP_NOTHING ? EVENT_NO_INDEX
                                                      : comm->members[(step.peer + part->root) % n];
            if (peer == EVENT_NO_INDEX)
                continue;
            if (action == WAIT && step.kind == STEP_SEND)
                add(trace, part->rank, "wait %u %u %u", part->rank, peer, tag);
            else if (action == EXCHANGE && step.kind == STEP_SEND)
                add(trace, part->rank, "isend %u %u %" PRIu64, peer, tag, step.size_bytes);
            else if (action == EXCHANGE)
                add(trace, part->rank, "recv %u %u %d", peer, tag, ANY_SIZE);
        }
}

/// Creating or freeing a communicator and the like is a barrier.
static void take_part(struct ti_trace *trace, uint32_t rank, const struct event *event)
{
    const struct communicator *comm = communicator_of(trace, event);
    uint32_t n = comm->n_members, place = communicator_rank_of(comm, rank);
    if ((event->flags & EVENT_OF_FILE) != 0) // what happens in it is not known
        return;
    trace->losses.n_nonblocking += event->kind == EVENT_COLLECTIVE_COMPLETE;
    trace->losses.n_left_out += comm->is_intercommunicator;
    if (comm->is_intercommunicator || n < 2 || place == EVENT_NO_INDEX)
        return;
    const struct pag_volume volume = {event->size_bytes, event->received_bytes,
                                      (event->flags & EVENT_IN_PLACE) != 0};
    uint8_t operation = event->class_ == COLLECTIVE_HANDLE ? 0 : event->op;
    uint32_t root = event->peer < n ? event->peer : 0;
    uint64_t size = collective_size_bytes(operation, n, event->peer == place, &volume);
    if (n == trace->definitions->n_ranks && collective_actions[operation]) {
        add(trace, rank, collective_actions[operation], size, comm->members[root]);
        return;
    }
    // What the algorithm follows from must be the same for all members.
    uint64_t equal_size = event->flags & EVENT_UNEVEN ? 0 : size;
    struct collective_plan plan = collective_plan(
        operation, collective_usual_algorithm(MPI_LIBRARY_UNKNOWN, operation, n, equal_size, false),
        ALGORITHM_BINOMIAL, n);
    const struct part part = {rank, event->index, place, plan.has_root ? root : 0, size};
    add_steps(trace, &plan, &part, EXCHANGE);
    add_steps(trace, &plan, &part, WAIT);
}

// --- the listener

/// What a call does: it sends and posts, then receives and waits. If it does both at once, as
/// MPI_Sendrecv does, its sends do not hold up its receives.
static void add_call(struct ti_trace *trace, uint32_t rank, const struct pag_entered *entered)
{
    const struct event *end = entered->records + entered->n_records;
    bool receives = false;
    for (const struct event *event = entered->records; event < end; event++)
        receives |= event->kind == EVENT_RECV;
    for (const struct event *event = entered->records; event < end; event++)
        if (event->kind == EVENT_ISEND || event->kind == EVENT_IRECV_REQUEST)
            post(trace, rank, event);
        else if (event->kind == EVENT_SEND)
            send(trace, rank, event, receives ? "isend" : "send");
    struct request request;
    for (const struct event *event = entered->records; event < end; event++)
        if (event->kind == EVENT_RECV || event->kind == EVENT_IRECV)
            receive(trace, rank, event);
        else if (event->kind == EVENT_COLLECTIVE_END || event->kind == EVENT_COLLECTIVE_COMPLETE)
            take_part(trace, rank, event);
        else if (event->kind == EVENT_REQUEST_CANCELLED)
            take_request(trace, rank, event->request, &request);
        else if (event->kind == EVENT_ISEND_COMPLETE &&
                 take_request(trace, rank, event->request, &request))
            add(trace, rank, "wait %u %u %u", rank, request.peer, request.tag);
    for (const struct event *event = entered->records; event < end && receives; event++)
        if (event->kind == EVENT_SEND)
            wait_for_send(trace, rank, event);
}

/// The rank has computed up to END_NS.
static void compute(struct ti_rank *rank, uint64_t end_ns)
{
    if (end_ns <= rank->since_ns)
        return;
    uint64_t wall_ns = end_ns - rank->since_ns;
    uint64_t used_ns = cpu_span_used_ns(&rank->cpu, rank->since_ns, end_ns);
    rank->used_ns += used_ns;
    rank->blocked_ns += cpu_span_blocked_ns(&rank->cpu, wall_ns - used_ns);
}

static void add_computing(struct ti_trace *trace, uint32_t index)
{
    struct ti_rank *rank = &trace->ranks[index];
    if (rank->used_ns > 0)
        add(trace, index, "compute %" PRIu64, rank->used_ns);
    if (rank->blocked_ns > 0)
        add(trace, index, "sleep %" PRIu64 "e-9", rank->blocked_ns);
    rank->used_ns = rank->blocked_ns = 0;
}

static void on_entered(void *context, const struct pag_entered *entered)
{
    struct ti_trace *trace = context;
    const struct definitions *definitions = trace->definitions;
    const struct location *location = &definitions->locations[entered->location];
    if (location->rank == EVENT_NO_INDEX)
        return;
    if (!location->is_master) {
        if (entered->n_records > 0)
            trace->further = location;
        return;
    }
    struct ti_rank *rank = &trace->ranks[location->rank];
    if (!rank->has_begun)
        rank->since_ns = entered->time_ns;
    rank->has_begun = true;
    rank->depth++;
    if (rank->call_depth == 0 && (entered->region == EVENT_NO_INDEX ||
                                  definitions->regions[entered->region].mpi != MPI_FUNCTION_NONE)) {
        rank->call_depth = rank->depth;
        compute(rank, entered->time_ns);
    }
    if (entered->n_records > 0) {
        add_computing(trace, location->rank);
        add_call(trace, location->rank, entered);
    }
}

static void on_left(void *context, uint32_t location, uint64_t time_ns)
{
    struct ti_trace *trace = context;
    if (!trace->definitions->locations[location].is_master)
        return;
    struct ti_rank *rank = &trace->ranks[trace->definitions->locations[location].rank];
    if (rank->depth-- != rank->call_depth)
        return;
    rank->call_depth = 0;
    rank->since_ns = time_ns;
    cpu_span_begin(&rank->cpu);
}

static void on_cpu_time(void *context, uint32_t rank, const struct pag_cpu_sample *sample)
{
    struct ti_trace *trace = context;
    cpu_span_sample(&trace->ranks[rank].cpu, sample->time_ns, sample->cpu_ns, sample->wait_ns);
}

struct pag_listener ti_trace_listener(struct ti_trace *trace)
{
    return (struct pag_listener){
        .entered = {on_entered, trace}, .left = {on_left, trace}, .cpu_time = {on_cpu_time, trace}};
}

int ti_trace_finish(struct ti_trace *trace, const struct pag_result *replay,
                    struct ti_losses *losses, struct error *err)
{
    const struct definitions *definitions = trace->definitions;
    int status = 0;
    for (uint32_t rank = 0; rank < definitions->n_ranks; rank++) {
        if (trace->ranks[rank].has_begun && trace->ranks[rank].call_depth == 0)
            compute(&trace->ranks[rank],
                    replay->locations[definitions->ranks[rank].master].last_ns);
        add_computing(trace, rank);
        add(trace, rank, "finalize");
    }
    write_tail(trace);
    if (trace->further)
        status = error_set(err,
                           "rank %u sends or receives in %s as well as in its first thread; "
                           "SimGrid has one thread a rank",
                           trace->further->rank, trace->further->name);
    status = new_file_close(&trace->list, status, err);
    status = new_file_close(&trace->actions, status, err);
    status = new_file_finish(&trace->actions, status, err);
    *losses = trace->losses;
    return new_file_finish(&trace->list, status, err);
}
