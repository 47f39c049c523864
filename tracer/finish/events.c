// SPDX-License-Identifier: BSD-3-Clause
// Second pass: records to OTF2 events, see events.h.
//
// A CALL record with its details becomes: enter; what happened when the call began (sends, posted
// receives, the begin of a collective); what was known when it returned (received messages,
// completed requests, the end of the collective); leave. A CPU time stands before the enter or
// leave whose time it has, as Score-P writes metrics of a synchronous class. Time never steps back
// within a location (clock corrections aside), and enters and leaves are balanced: a leave closes
// what was opened inside it, a leave without its enter is dropped.
#include "tracer/finish/events.h"

#include "tracer/finish/file_events.h"
#include "tracer/finish/memory.h"
#include "tracer/finish/thread_events.h"
#include "tracer/finish/window_events.h"

#include <stdlib.h>

struct context {
    struct process *process;
    struct archive *archive;
    struct unify *unify;
    struct symbols *symbols;
    const struct spool *spool;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    uint64_t now_ns;                 // of the last event
    bool has_begun;                  // there is an event
    const struct record_cpu *sample; // CPU time that waits for its event, NULL: none
    uint32_t *stack;                 // open regions
    size_t depth;
    size_t n_stack;
    struct archive_location *location;
    uint32_t team;     // the team of OpenMP that the thread is in, UNDEFINED: none
    size_t team_depth; // regions open around it
    bool is_forked;
    uint32_t thread; // number of the POSIX thread that has begun, 0: none
};

static uint64_t not_before(struct context *context, uint64_t time_ns)
{
    if (time_ns > context->now_ns)
        context->now_ns = time_ns;
    return context->now_ns;
}

static void check(struct context *context, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && !context->archive->error)
        context->archive->error = OTF2_Error_GetDescription(code);
}

static void write_metric(struct context *context, const struct record_cpu *record)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    OTF2_MetricValue values[] = {{.unsigned_int = record->cpu_ns},
                                 {.unsigned_int = record->core_wait_ns}};
    bool has_wait = record->core_wait_ns != RECORD_NO_CORE_WAIT;
    check(context,
          OTF2_EvtWriter_Metric(context->writer, NULL, not_before(context, record->time_ns),
                                has_wait, has_wait ? 2 : 1, types, values));
}

/// An event is about to be written.
static void write_sample(struct context *context)
{
    const struct record_cpu *sample = context->sample;
    context->sample = NULL;
    context->has_begun = true;
    if (sample)
        write_metric(context, sample);
}

/// A sample whose event was not recorded gives way to the next one. The first one, from when the
/// tracer came into the process, gets an event of its own.
static void see_sample(struct context *context, const struct record_cpu *record)
{
    context->sample = record;
    if (context->has_begun)
        return;
    write_sample(context);
    check(context,
          OTF2_EvtWriter_ProgramBegin(
              context->writer, NULL, context->now_ns,
              archive_string(context->archive, context->spool->header->executable), 0, NULL));
}

/// Attributes added to context->attributes before go with the event.
static void enter(struct context *context, uint64_t time_ns, uint32_t region)
{
    if (context->depth == context->n_stack) {
        context->n_stack = context->n_stack == 0 ? 64 : 2 * context->n_stack;
        context->stack = realloc_or_die(context->stack, context->n_stack * sizeof *context->stack);
    }
    context->stack[context->depth++] = region;
    write_sample(context);
    check(context, OTF2_EvtWriter_Enter(context->writer, context->attributes,
                                        not_before(context, time_ns), region));
}

static void leave_top(struct context *context, uint64_t time_ns)
{
    uint32_t region = context->stack[--context->depth];
    write_sample(context);
    check(context,
          OTF2_EvtWriter_Leave(context->writer, NULL, not_before(context, time_ns), region));
}

static void leave(struct context *context, uint64_t time_ns, uint32_t region)
{
    size_t depth = context->depth;
    while (depth > 0 && context->stack[depth - 1] != region)
        depth--;
    if (depth == 0)
        return;
    while (context->depth >= depth)
        leave_top(context, time_ns);
}

/// Leaves the innermost region of PARADIGM and ROLE (UNDEFINED: any), wherever it is called.
static void leave_innermost(struct context *context, uint64_t time_ns, OTF2_Paradigm paradigm,
                            uint32_t role)
{
    for (size_t i = context->depth; i-- > 0;) {
        const struct archive_region *region =
            table_key(&context->archive->regions, context->stack[i]);
        if (region->paradigm == paradigm && (role == UNDEFINED || region->role == role)) {
            leave(context, time_ns, context->stack[i]);
            return;
        }
    }
}

// ---- MPI calls

/// Details follow their call; definitions may stand between them.
static bool belongs_to_call(const struct record_head *head)
{
    return head && (head->kind >= RECORD_SEND || head->kind < RECORD_CALL);
}

/// A communicator without definition counts as MPI_COMM_WORLD.
static OTF2_CommRef comm_ref(const struct context *context, uint32_t id)
{
    uint32_t comm = unify_find(&context->process->comms, id);
    return comm == RECORD_NO_COMM ? 0 : context->unify->comms[comm].number;
}

/// Whether local number `id` is that of a window, which is *window in the archive.
static bool window_ref(const struct context *context, uint32_t id, OTF2_RmaWinRef *window)
{
    uint32_t place = unify_find(&context->process->comms, id);
    if (place == RECORD_NO_COMM || context->unify->comms[place].remote != UNIFY_WINDOW)
        return false;
    *window = context->unify->comms[place].number;
    return true;
}

static OTF2_CommRef message_comm(const struct context *context,
                                 const struct record_message *message)
{
    uint32_t comm = unify_find(&context->process->comms, message->head.id);
    if (message->tag != RECORD_TAG_NEIGHBOR)
        return comm_ref(context, message->head.id);
    uint32_t twin = unify_neighborhood(context->unify, comm == RECORD_NO_COMM ? 0 : comm);
    return context->unify->comms[twin].number;
}

static int32_t message_tag(const struct record_message *message)
{
    return message->tag == RECORD_TAG_NEIGHBOR ? 0 : message->tag;
}

static void receive_posted(struct context *context, uint64_t time_ns,
                           const struct record_message *message)
{
    OTF2_AttributeList *list = context->attributes;
    check(context, OTF2_AttributeList_AddCommRef(list, ATTRIBUTE_COMMUNICATOR,
                                                 message_comm(context, message)));
    check(context, OTF2_AttributeList_AddInt32(list, ATTRIBUTE_SOURCE, message->peer));
    check(context, OTF2_AttributeList_AddInt32(list, ATTRIBUTE_TAG, message_tag(message)));
    check(context,
          OTF2_EvtWriter_MpiIrecvRequest(context->writer, list, time_ns, message->request));
}

static void collective_posted(struct context *context, uint64_t time_ns,
                              const struct record_request *request)
{
    OTF2_AttributeList *list = context->attributes;
    check(context, OTF2_AttributeList_AddCommRef(list, ATTRIBUTE_COMMUNICATOR,
                                                 comm_ref(context, request->head.id)));
    check(context, OTF2_EvtWriter_NonBlockingCollectiveRequest(context->writer, list, time_ns,
                                                               request->request));
}

static void write_window_event(struct context *context, uint64_t time_ns,
                               const struct record_head *head)
{
    OTF2_RmaWinRef window;
    if (window_ref(context, head->id, &window))
        check(context, window_events_write(context->process, context->unify, context->writer,
                                           time_ns, window, head));
}

static void write_file_event(struct context *context, uint64_t time_ns,
                             const struct record_head *head, bool at_enter)
{
    const struct process *process = context->process;
    uint32_t file = RECORD_FILE_OF(head->id);
    uint32_t handle = file < process->n_files ? process->files[file] : UNDEFINED;
    if (handle != UNDEFINED)
        check(context, file_events_write(context->writer, time_ns, handle, head, at_enter));
}

/// Details that belong to the moment the call began.
static void write_at_enter(struct context *context, uint64_t time_ns,
                           const struct record_head *head)
{
    const struct record_message *message = (const void *)head;
    OTF2_EvtWriter *writer = context->writer;
    OTF2_RmaWinRef window;
    if (head->kind == RECORD_SEND)
        check(context, OTF2_EvtWriter_MpiSend(writer, NULL, time_ns, (uint32_t)message->peer,
                                              message_comm(context, message),
                                              (uint32_t)message_tag(message), message->n_bytes));
    else if (head->kind == RECORD_ISEND)
        check(context, OTF2_EvtWriter_MpiIsend(writer, NULL, time_ns, (uint32_t)message->peer,
                                               message_comm(context, message),
                                               (uint32_t)message_tag(message), message->n_bytes,
                                               message->request));
    else if (head->kind == RECORD_IRECV_POST)
        receive_posted(context, time_ns, message);
    else if (head->kind == RECORD_ICOLL_POST)
        collective_posted(context, time_ns, (const void *)head);
    else if (head->kind == RECORD_ACCESS || head->kind == RECORD_LOCK)
        write_window_event(context, time_ns, head);
    else if (head->kind == RECORD_COLLECTIVE && window_ref(context, head->id, &window))
        check(context, OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, time_ns));
    else if (head->kind == RECORD_COLLECTIVE)
        check(context, OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, time_ns));
    else if (head->kind >= RECORD_FILE_OPEN && head->kind <= RECORD_FILE_END)
        write_file_event(context, time_ns, head, true);
}

static uint32_t root_ref(int32_t root)
{
    switch (root) {
    case RECORD_NO_ROOT:
        return OTF2_COLLECTIVE_ROOT_NONE;
    case RECORD_ROOT_SELF:
        return OTF2_COLLECTIVE_ROOT_SELF;
    case RECORD_ROOT_GROUP:
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    default:
        return (uint32_t)root;
    }
}

static void write_collective_end(struct context *context, uint64_t time_ns,
                                 const struct record_collective *record)
{
    OTF2_RmaWinRef window;
    if (window_ref(context, record->head.id, &window)) {
        write_window_event(context, time_ns, &record->head);
        return;
    }
    OTF2_CommRef comm = comm_ref(context, record->head.id);
    OTF2_CollectiveOp operation = (OTF2_CollectiveOp)record->operation;
    OTF2_AttributeList *list = record->is_in_place ? context->attributes : NULL;
    if (record->is_in_place)
        check(context, OTF2_AttributeList_AddUint8(list, ATTRIBUTE_IN_PLACE, 1));
    if (record->head.kind == RECORD_COLLECTIVE)
        check(context, OTF2_EvtWriter_MpiCollectiveEnd(context->writer, list, time_ns, operation,
                                                       comm, root_ref(record->root),
                                                       record->sent_bytes, record->received_bytes));
    else
        check(context, OTF2_EvtWriter_NonBlockingCollectiveComplete(
                           context->writer, list, time_ns, operation, comm, root_ref(record->root),
                           record->sent_bytes, record->received_bytes, record->request));
}

static void write_received(struct context *context, uint64_t time_ns,
                           const struct record_message *message)
{
    OTF2_CommRef comm = message_comm(context, message);
    uint32_t source = (uint32_t)message->peer;
    uint32_t tag = (uint32_t)message_tag(message);
    if (message->head.kind == RECORD_RECV)
        check(context, OTF2_EvtWriter_MpiRecv(context->writer, NULL, time_ns, source, comm, tag,
                                              message->n_bytes));
    else
        check(context, OTF2_EvtWriter_MpiIrecv(context->writer, NULL, time_ns, source, comm, tag,
                                               message->n_bytes, message->request));
}

/// Details that belong to the moment the call returned.
static void write_at_leave(struct context *context, uint64_t time_ns,
                           const struct record_head *head)
{
    const struct record_request *request = (const void *)head;
    const struct record_poll *poll = (const void *)head;
    OTF2_EvtWriter *writer = context->writer;
    switch ((enum record_kind)head->kind) {
    case RECORD_RECV:
    case RECORD_IRECV:
        write_received(context, time_ns, (const void *)head);
        break;
    case RECORD_ISEND_DONE:
        check(context, OTF2_EvtWriter_MpiIsendComplete(writer, NULL, time_ns, request->request));
        break;
    case RECORD_CANCELLED:
        check(context, OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, time_ns, request->request));
        break;
    case RECORD_COLLECTIVE:
    case RECORD_ICOLL:
        write_collective_end(context, time_ns, (const void *)head);
        break;
    case RECORD_UNLOCK:
    case RECORD_FLUSH:
    case RECORD_EPOCH:
        write_window_event(context, time_ns, head);
        break;
    case RECORD_ACCESS_DONE:
        check(context, accesses_complete_request(&context->process->accesses, writer, time_ns,
                                                 request->request));
        break;
    case RECORD_POLL:
        if (poll->request != 0)
            check(context, OTF2_EvtWriter_MpiRequestTest(writer, NULL, time_ns, poll->request));
        break;
    case RECORD_FILE_OPEN:
    case RECORD_FILE_CLOSE:
    case RECORD_FILE_DONE:
    case RECORD_FILE_BEGIN:
    case RECORD_FILE_END:
        write_file_event(context, time_ns, head, false);
        break;
    default:
        break;
    }
}

static void add_poll_attributes(struct context *context, const struct record_poll *poll)
{
    check(context,
          OTF2_AttributeList_AddUint64(context->attributes, ATTRIBUTE_POLL_COUNT, poll->count));
    check(context,
          OTF2_AttributeList_AddUint64(context->attributes, ATTRIBUTE_POLL_NS, poll->inside_ns));
}

/// `address`: where the call returns to; `stack`: the number of its callers, 0: not recorded.
static void add_call_site(struct context *context, uint64_t address, uint64_t stack,
                          uint64_t time_ns)
{
    struct code *code = &context->process->code;
    uint32_t site = UNDEFINED;
    if (stack != 0)
        site = code_call_above(code, context->archive, context->symbols, address, stack, time_ns);
    else if (address != 0)
        site = code_call_site(code, context->archive, context->symbols, address, time_ns);
    if (site != UNDEFINED)
        check(context, OTF2_AttributeList_AddCallingContextRef(context->attributes,
                                                               ATTRIBUTE_CALL_SITE, site));
}

static uint64_t stack_of(const struct record_call *call)
{
    bool has_stack = (size_t)call->head.n_words * 8 >= sizeof(struct record_call_above);
    return has_stack ? ((const struct record_call_above *)call)->stack : 0;
}

/// Writes a call. Returns its last record. A call that never returned stays open.
static const struct record_head *write_call(struct context *context, const struct record_call *call)
{
    const struct record_head *last = &call->head;
    uint32_t region =
        call->head.id < N_FUNCTIONS_MAX ? context->process->functions[call->head.id] : UNDEFINED;
    if (region == UNDEFINED)
        region = archive_mpi_region(context->archive, "MPI_unknown");
    const struct record_head *detail = spool_next(context->spool, last);
    if (detail && detail->kind == RECORD_POLL)
        add_poll_attributes(context, (const void *)detail);
    add_call_site(context, call->site, stack_of(call), call->enter_ns);
    enter(context, call->enter_ns, region);
    for (; belongs_to_call(detail); detail = spool_next(context->spool, detail))
        if (!gaps_drop(context->process->gaps, context->spool, detail))
            write_at_enter(context, context->now_ns, detail);
    if (call->leave_ns == 0)
        return last;
    not_before(context, call->leave_ns);
    for (detail = spool_next(context->spool, last); belongs_to_call(detail);
         detail = spool_next(context->spool, detail)) {
        if (!gaps_drop(context->process->gaps, context->spool, detail))
            write_at_leave(context, context->now_ns, detail);
        last = detail;
    }
    if (detail && detail->kind == RECORD_CPU &&
        ((const struct record_cpu *)(const void *)detail)->time_ns == call->leave_ns) {
        see_sample(context, (const void *)detail);
        last = detail;
    }
    leave(context, context->now_ns, region);
    return last;
}

// ---- Calls of the C library for files

static uint32_t file_call_region(struct context *context, const struct record_head *head)
{
    return archive_file_region(context->archive, RECORD_FILE_WHAT(head->id) % N_FILE_CALLS);
}

static void enter_file_call(struct context *context, const struct record_head *head, uint64_t site,
                            uint64_t time_ns)
{
    add_call_site(context, site, 0, time_ns);
    enter(context, time_ns, file_call_region(context, head));
    write_file_event(context, context->now_ns, head, true);
}

static void leave_file_call(struct context *context, const struct record_head *head,
                            uint64_t time_ns)
{
    write_file_event(context, not_before(context, time_ns), head, false);
    leave(context, time_ns, file_call_region(context, head));
}

static void write_file_call(struct context *context, const struct record_head *head)
{
    const struct record_file_call *begun = (const void *)head;
    const struct record_call *whole = (const void *)head; // OPENED and SEEK begin as a CALL does
    if (head->kind == RECORD_FILE_CALL) {
        enter_file_call(context, head, begun->site, begun->time_ns);
    } else if (head->kind == RECORD_FILE_CALL_LEAVE) {
        leave_file_call(context, head, begun->time_ns);
    } else {
        enter_file_call(context, head, whole->site, whole->enter_ns);
        leave_file_call(context, head, whole->leave_ns);
    }
}

// ---- POSIX threads

static OTF2_CommRef threads_of_rank(struct context *context)
{
    uint32_t threads = unify_threads(context->unify, context->spool->header->rank);
    context->location->has_threads = true;
    return context->unify->comms[threads].number;
}

/// The event of a call on OBJECT at its begin or end.
static void write_thread_event(struct context *context, uint32_t call, uint64_t object,
                               uint64_t order, bool at_enter)
{
    struct thread_event event = {
        .call = call % N_THREAD_CALLS, .thread = object, .order = (uint32_t)order};
    event.threads = threads_of_rank(context);
    if (event.call > THREAD_thrd_join)
        event.object = table_number(&context->process->objects, &object, sizeof object, NULL);
    check(context, thread_events_write(context->writer, context->now_ns, &event, at_enter));
}

static void enter_thread_call(struct context *context, uint32_t call, uint64_t site,
                              uint64_t object, uint64_t time_ns)
{
    struct process *process = context->process;
    if (call == THREAD_pthread_barrier_wait)
        check(context, OTF2_AttributeList_AddUint32(
                           context->attributes, ATTRIBUTE_BARRIER,
                           table_number(&process->objects, &object, sizeof object, NULL)));
    enter(context, time_ns,
          code_thread_call(&process->code, context->archive, context->symbols,
                           call % N_THREAD_CALLS, site, time_ns));
}

static void write_thread_call(struct context *context, const struct record_head *head)
{
    const struct record_thread_call *begun = (const void *)head;
    const struct record_thread_call_leave *ended = (const void *)head;
    const struct record_thread_done *whole = (const void *)head;
    if (head->kind == RECORD_THREAD_CALL) {
        enter_thread_call(context, head->id, begun->site, begun->object, begun->time_ns);
        write_thread_event(context, head->id, begun->object, begun->order, true);
    } else if (head->kind == RECORD_THREAD_CALL_LEAVE) {
        not_before(context, ended->time_ns);
        write_thread_event(context, head->id, ended->object, ended->order, false);
        leave_innermost(context, ended->time_ns, OTF2_PARADIGM_PTHREAD, UNDEFINED);
    } else {
        enter_thread_call(context, head->id, whole->site, whole->object, whole->enter_ns);
        write_thread_event(context, head->id, whole->object, whole->order, true);
        leave_innermost(context, whole->leave_ns, OTF2_PARADIGM_PTHREAD, UNDEFINED);
    }
}

static void end_thread(struct context *context, uint64_t time_ns)
{
    uint32_t thread = context->thread;
    context->thread = 0;
    if (thread != 0)
        check(context, OTF2_EvtWriter_ThreadEnd(context->writer, NULL, not_before(context, time_ns),
                                                threads_of_rank(context), thread));
}

static void begin_thread(struct context *context, uint64_t time_ns, uint32_t thread)
{
    end_thread(context, time_ns); // its end was not recorded
    context->thread = thread;
    context->has_begun = true;
    check(context, OTF2_EvtWriter_ThreadBegin(context->writer, NULL, not_before(context, time_ns),
                                              threads_of_rank(context), thread));
}

// ---- User regions

static uint32_t function_region(struct context *context, uint64_t address, uint64_t time_ns)
{
    return code_function(&context->process->code, context->archive, context->symbols, address,
                         time_ns);
}

static const char *name_of(const struct process *process, uint64_t id)
{
    return id < process->n_names && process->names[id] ? process->names[id] : "unnamed";
}

static uint32_t named_region(struct context *context, uint32_t id, bool is_marker)
{
    struct process *process = context->process;
    uint32_t *regions = is_marker ? process->marker_regions : process->name_regions;
    if (id >= process->n_names)
        id = 0;
    if (regions[id] == UNDEFINED)
        regions[id] = archive_user_region(context->archive, name_of(process, id), is_marker);
    return regions[id];
}

/// A region without duration whose enter carries the parameters as attributes.
static void write_marker(struct context *context, const struct record_marker *marker)
{
    for (uint32_t i = 0; i < marker->n; i++) {
        const char *name = name_of(context->process, marker->parameters[i].name);
        // The same name twice in one marker: OTF2 refuses it, the first value stands.
        if (!OTF2_AttributeList_TestAttributeByID(context->attributes,
                                                  archive_parameter(context->archive, name)))
            check(context, OTF2_AttributeList_AddDouble(context->attributes,
                                                        archive_parameter(context->archive, name),
                                                        marker->parameters[i].value));
    }
    enter(context, marker->time_ns, named_region(context, marker->head.id, true));
    leave_top(context, marker->time_ns);
}

static void write_function(struct context *context, const struct record_function_event *function)
{
    uint32_t region = function_region(context, function->address, function->time_ns);
    if (region == EXCLUDED)
        return;
    if (function->head.kind == RECORD_ENTER)
        enter(context, function->time_ns, region);
    else
        leave(context, function->time_ns, region);
}

// ---- OpenMP. As Score-P has it: fork, begin of the team, enter of the parallel region; and back.

/// Metrics belong to enters and leaves: a sample whose event was not recorded is dropped.
static uint64_t time_of_team(struct context *context, uint64_t time_ns)
{
    context->sample = NULL;
    context->has_begun = true;
    return not_before(context, time_ns);
}

static void begin_team(struct context *context, const struct record_team *record)
{
    uint32_t team = unify_team(context->unify, context->spool->header->rank, record->head.id);
    context->team = context->unify->comms[team].number;
    context->team_depth = context->depth;
    if (!context->location->has_teams)
        context->location->team_thread = record->thread;
    context->location->has_teams = true;
    check(context,
          OTF2_EvtWriter_ThreadTeamBegin(context->writer, NULL,
                                         time_of_team(context, record->time_ns), context->team));
    enter(context, record->time_ns,
          code_construct(&context->process->code, context->archive, context->symbols,
                         OPENMP_PARALLEL, record->site, record->time_ns));
}

static void end_team(struct context *context, uint64_t time_ns)
{
    if (context->team == UNDEFINED)
        return;
    while (context->depth > context->team_depth)
        leave_top(context, time_ns);
    check(context, OTF2_EvtWriter_ThreadTeamEnd(context->writer, NULL,
                                                time_of_team(context, time_ns), context->team));
    context->team = UNDEFINED;
}

static void write_fork(struct context *context, uint64_t time_ns, uint32_t n_threads)
{
    context->is_forked = true;
    check(context, OTF2_EvtWriter_ThreadFork(context->writer, NULL, time_of_team(context, time_ns),
                                             OTF2_PARADIGM_OPENMP, n_threads));
}

static void write_join(struct context *context, uint64_t time_ns)
{
    end_team(context, time_ns);
    if (!context->is_forked)
        return;
    context->is_forked = false;
    check(context, OTF2_EvtWriter_ThreadJoin(context->writer, NULL, time_of_team(context, time_ns),
                                             OTF2_PARADIGM_OPENMP));
}

static void enter_construct(struct context *context, const struct record_function_event *record)
{
    enum openmp_construct construct = record->head.id % N_OPENMP_CONSTRUCTS;
    enter(context, record->time_ns,
          code_construct(&context->process->code, context->archive, context->symbols, construct,
                         record->address, record->time_ns));
}

/// The thread has ended, or nothing more of it is known.
static void close_all(struct context *context, uint64_t time_ns)
{
    write_join(context, time_ns);
    while (context->depth > 0)
        leave_top(context, time_ns);
    end_thread(context, time_ns);
}

static const struct record_head *write_record(struct context *context,
                                              const struct record_head *head)
{
    const struct record_time *timed = (const void *)head;
    switch ((enum record_kind)head->kind) {
    case RECORD_CALL:
        return write_call(context, (const void *)head);
    case RECORD_ENTER:
    case RECORD_LEAVE:
        write_function(context, (const void *)head);
        break;
    case RECORD_OFF:
    case RECORD_ON:
        write_sample(context);
        check(context, OTF2_EvtWriter_MeasurementOnOff(
                           context->writer, NULL, not_before(context, timed->time_ns),
                           head->kind == RECORD_ON ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
        break;
    case RECORD_THREAD_END:
        close_all(context, timed->time_ns);
        break;
    case RECORD_FORK:
        write_fork(context, timed->time_ns, head->id);
        break;
    case RECORD_TEAM_BEGIN:
        begin_team(context, (const void *)head);
        break;
    case RECORD_TEAM_END:
        end_team(context, timed->time_ns);
        break;
    case RECORD_JOIN:
        write_join(context, timed->time_ns);
        break;
    case RECORD_CONSTRUCT_ENTER:
        enter_construct(context, (const void *)head);
        break;
    case RECORD_CONSTRUCT_LEAVE:
        leave_innermost(context, timed->time_ns, OTF2_PARADIGM_OPENMP,
                        archive_openmp_role(head->id % N_OPENMP_CONSTRUCTS));
        break;
    case RECORD_FILE_OPENED:
    case RECORD_FILE_CALL:
    case RECORD_FILE_CALL_LEAVE:
    case RECORD_FILE_SEEK:
        write_file_call(context, head);
        break;
    case RECORD_THREAD_BEGIN:
        begin_thread(context, timed->time_ns, head->id);
        break;
    case RECORD_THREAD_CALL:
    case RECORD_THREAD_CALL_LEAVE:
    case RECORD_THREAD_DONE:
        write_thread_call(context, head);
        break;
    case RECORD_REGION_BEGIN:
        enter(context, timed->time_ns, named_region(context, head->id, false));
        break;
    case RECORD_REGION_END:
        leave(context, timed->time_ns, named_region(context, head->id, false));
        break;
    case RECORD_MARKER:
        write_marker(context, (const void *)head);
        break;
    case RECORD_CPU:
        see_sample(context, (const void *)head);
        break;
    default:
        break;
    }
    return head;
}

/// The process did not end regularly: says until when this thread was recorded.
static void set_end(struct archive_location *location, const struct spool_header *header,
                    uint64_t last_ns, uint64_t clock_offset_ns)
{
    if (last_ns == 0)
        last_ns = header->clock_ns; // nothing was recorded after the start
    location->recorded_until_ns = last_ns + clock_offset_ns;
    if (header->stop_errno != 0)
        location->stopped = spool_stop_reason(header);
}

/// Nothing is known where other threads of the process used CPU time, too: they may have been what
/// the thread waited for.
static struct core_use core_use_of(const struct spool_header *header)
{
    const struct spool_core_use *begin = &header->core_use[0], *end = &header->core_use[1];
    uint64_t process_ns = end->process_ns - begin->process_ns;
    uint64_t thread_ns = end->thread_ns - begin->thread_ns;
    if (begin->time_ns == 0 || end->time_ns == 0 || begin->wait_ns == RECORD_NO_CORE_WAIT ||
        end->wait_ns == RECORD_NO_CORE_WAIT || process_ns > thread_ns + thread_ns / 20 + 1000000)
        return (struct core_use){0};
    return (struct core_use){.of_ns = end->time_ns - begin->time_ns,
                             .used_ns = thread_ns,
                             .wait_ns = end->wait_ns - begin->wait_ns};
}

uint32_t events_write(struct process *process, struct archive *archive, struct unify *unify,
                      struct symbols *symbols, const struct spool *spool, uint64_t close_ns,
                      struct recording_cost cost)
{
    const struct spool_header *header = spool->header;
    struct archive_location location = {.rank = header->rank,
                                        .thread = header->thread,
                                        .n_short = header->n_dropped_short,
                                        .cost = cost,
                                        .core_use = core_use_of(header)};
    struct context context = {.process = process,
                              .archive = archive,
                              .unify = unify,
                              .symbols = symbols,
                              .spool = spool,
                              .location = &location,
                              .team = UNDEFINED};
    uint32_t open_call = UNDEFINED;
    context.writer = archive_begin_events(archive, header->rank, header->thread);
    if (!context.writer)
        return UNDEFINED;
    context.attributes = OTF2_AttributeList_New();
    for (const struct record_head *head = spool_next(spool, NULL); head && !archive->error;
         head = spool_next(spool, head)) {
        if (head->kind == RECORD_CALL && ((const struct record_call *)head)->leave_ns == 0)
            open_call = process->functions[head->id % N_FUNCTIONS_MAX];
        head = write_record(&context, head);
    }
    if (!process->is_finalized || header->stop_errno != 0)
        set_end(&location, header, context.now_ns, archive->last_ns - close_ns);
    close_all(&context, close_ns);
    check(&context, OTF2_EvtWriter_GetNumberOfEvents(context.writer, &location.n_events));
    OTF2_AttributeList_Delete(context.attributes);
    free(context.stack);
    archive_end_events(archive, context.writer, &location);
    return open_call;
}
