// SPDX-License-Identifier: BSD-3-Clause
// Second pass: records to OTF2 events, see event_context.h.
//
// A CALL record with its details becomes: enter; what happened when the call began (sends, posted
// receives, the begin of a collective); what was known when it returned (received messages,
// completed requests, the end of the collective); leave. A CPU time stands before the enter or
// leave whose time it has, as Score-P writes metrics of a synchronous class; so do counters. Time
// never steps back within a location (clock corrections aside), and enters and leaves are balanced:
// a leave closes what was opened inside it, a leave without its enter is dropped.
#include "tracer/finish/event_context.h"

#include "tracer/finish/memory.h"
#include "tracer/record/counters.h"

#include <stdlib.h>

void context_write_sample(struct context *context)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    const struct record_cpu *sample = context->sample;
    context->sample = NULL;
    context->has_begun = true;
    if (!sample)
        return;
    OTF2_MetricValue values[] = {{.unsigned_int = sample->cpu_ns},
                                 {.unsigned_int = sample->core_wait_ns}};
    bool has_wait = sample->core_wait_ns != RECORD_NO_CORE_WAIT;
    context_go_to(context, sample->time_ns);
    WRITE(context, Metric, NULL, has_wait, has_wait ? 2 : 1, types, values);
}

/// Counters that are not those of the header are damage.
static void see_reading(struct context *context, const struct record_counters *record)
{
    uint64_t set = context->spool->header->counters;
    if (record->head.n_words == 1 + __builtin_popcountll(set) && set >> settings.n_counters == 0)
        context->reading = record;
}

void context_write_reading(struct context *context)
{
    const struct record_counters *record = context->reading;
    OTF2_Type types[SETTINGS_COUNTERS];
    OTF2_MetricValue values[SETTINGS_COUNTERS];
    context->reading = NULL;
    if (!record)
        return;
    uint8_t n = (uint8_t)(record->head.n_words - 1);
    for (uint8_t i = 0; i < n; i++) {
        types[i] = OTF2_TYPE_UINT64;
        values[i].unsigned_int = record->values[i];
    }
    WRITE(context, Metric, NULL,
          archive_counters(context->archive, context->spool->header->counters), n, types, values);
}

/// A sample whose event was not recorded gives way to the next one. The first one, from when the
/// tracer came into the process, gets an event of its own.
static void see_sample(struct context *context, const struct record_cpu *record)
{
    context->sample = record;
    if (context->has_begun)
        return;
    context_write_sample(context);
    WRITE(context, ProgramBegin, NULL,
          archive_string(context->archive, context->spool->header->executable), 0, NULL);
}

void context_enter(struct context *context, uint64_t time_ns, uint32_t region)
{
    if (context->depth == context->n_stack) {
        context->n_stack = context->n_stack == 0 ? 64 : 2 * context->n_stack;
        context->stack = realloc_or_die(context->stack, context->n_stack * sizeof *context->stack);
    }
    context->stack[context->depth++] = region;
    context_write_sample(context);
    context_go_to(context, time_ns);
    context_write_reading(context);
    WRITE(context, Enter, context->attributes, region);
}

void context_leave_top(struct context *context, uint64_t time_ns)
{
    uint32_t region = context->stack[--context->depth];
    context_write_sample(context);
    context_go_to(context, time_ns);
    context_write_reading(context);
    WRITE(context, Leave, NULL, region);
}

void context_leave(struct context *context, uint64_t time_ns, uint32_t region)
{
    size_t depth = context->depth;
    while (depth > 0 && context->stack[depth - 1] != region)
        depth--;
    if (depth == 0)
        return;
    while (context->depth >= depth)
        context_leave_top(context, time_ns);
}

void context_leave_innermost(struct context *context, uint64_t time_ns, OTF2_Paradigm paradigm,
                             uint32_t role)
{
    for (size_t i = context->depth; i-- > 0;) {
        const struct archive_region *region =
            table_key(&context->archive->regions, context->stack[i]);
        if (region->paradigm == paradigm && (role == UNDEFINED || region->role == role)) {
            context_leave(context, time_ns, context->stack[i]);
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

static OTF2_CommRef message_comm(const struct context *context,
                                 const struct record_message *message)
{
    uint32_t comm = unify_find(&context->process->comms, message->head.id);
    if (message->tag != RECORD_TAG_NEIGHBOR)
        return comm_ref(context, message->head.id);
    uint32_t twin = unify_neighborhood(context->unify, comm == RECORD_NO_COMM ? 0 : comm);
    return context->unify->comms[twin].number;
}

static void write_message(struct context *context, const struct record_message *message)
{
    uint32_t peer = (uint32_t)message->peer;
    uint32_t tag = message->tag == RECORD_TAG_NEIGHBOR ? 0 : (uint32_t)message->tag;
    OTF2_CommRef comm = message_comm(context, message);
    uint64_t n_bytes = message->n_bytes, request = message->request;
    switch (message->head.kind) {
    case RECORD_SEND:
        WRITE(context, MpiSend, NULL, peer, comm, tag, n_bytes);
        break;
    case RECORD_ISEND:
        WRITE(context, MpiIsend, NULL, peer, comm, tag, n_bytes, request);
        break;
    case RECORD_RECV:
        WRITE(context, MpiRecv, NULL, peer, comm, tag, n_bytes);
        break;
    case RECORD_IRECV:
        WRITE(context, MpiIrecv, NULL, peer, comm, tag, n_bytes, request);
        break;
    case RECORD_IRECV_POST:
        ADD_ATTRIBUTE(context, CommRef, ATTRIBUTE_COMMUNICATOR, comm);
        ADD_ATTRIBUTE(context, Int32, ATTRIBUTE_SOURCE, message->peer);
        ADD_ATTRIBUTE(context, Int32, ATTRIBUTE_TAG, (int32_t)tag);
        WRITE(context, MpiIrecvRequest, context->attributes, request);
    }
}

/// Details that belong to the moment the call began.
static void write_at_enter(struct context *context, const struct record_head *head)
{
    OTF2_RmaWinRef window;
    switch ((enum record_kind)head->kind) {
    case RECORD_SEND:
    case RECORD_ISEND:
    case RECORD_IRECV_POST:
        write_message(context, (const void *)head);
        break;
    case RECORD_ICOLL_POST:
        ADD_ATTRIBUTE(context, CommRef, ATTRIBUTE_COMMUNICATOR, comm_ref(context, head->id));
        WRITE(context, NonBlockingCollectiveRequest, context->attributes,
              ((const struct record_request *)(const void *)head)->request);
        break;
    case RECORD_COLLECTIVE:
        if (window_ref(context, head->id, &window))
            WRITE(context, RmaCollectiveBegin, NULL);
        else
            WRITE(context, MpiCollectiveBegin, NULL);
        break;
    case RECORD_ACCESS:
    case RECORD_LOCK:
        window_event_write(context, head);
        break;
    default:
        file_event_write(context, head, true);
    }
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

static void write_collective_end(struct context *context, const struct record_collective *record)
{
    OTF2_RmaWinRef window;
    if (window_ref(context, record->head.id, &window)) {
        window_event_write(context, &record->head);
        return;
    }
    OTF2_CommRef comm = comm_ref(context, record->head.id);
    OTF2_CollectiveOp operation = (OTF2_CollectiveOp)record->operation;
    OTF2_AttributeList *list = record->is_in_place ? context->attributes : NULL;
    if (record->is_in_place)
        ADD_ATTRIBUTE(context, Uint8, ATTRIBUTE_IN_PLACE, 1);
    if (record->head.kind == RECORD_COLLECTIVE)
        WRITE(context, MpiCollectiveEnd, list, operation, comm, root_ref(record->root),
              record->sent_bytes, record->received_bytes);
    else
        WRITE(context, NonBlockingCollectiveComplete, list, operation, comm, root_ref(record->root),
              record->sent_bytes, record->received_bytes, record->request);
}

/// Details that belong to the moment the call returned.
static void write_at_leave(struct context *context, const struct record_head *head)
{
    uint64_t request = ((const struct record_request *)(const void *)head)->request;
    const struct record_poll *poll = (const void *)head;
    switch ((enum record_kind)head->kind) {
    case RECORD_RECV:
    case RECORD_IRECV:
        write_message(context, (const void *)head);
        break;
    case RECORD_ISEND_DONE:
        WRITE(context, MpiIsendComplete, NULL, request);
        break;
    case RECORD_CANCELLED:
        WRITE(context, MpiRequestCancelled, NULL, request);
        break;
    case RECORD_COLLECTIVE:
    case RECORD_ICOLL:
        write_collective_end(context, (const void *)head);
        break;
    case RECORD_UNLOCK:
    case RECORD_FLUSH:
    case RECORD_EPOCH:
        window_event_write(context, head);
        break;
    case RECORD_ACCESS_DONE:
        window_request_complete(context, request);
        break;
    case RECORD_POLL:
        if (poll->request != 0)
            WRITE(context, MpiRequestTest, NULL, poll->request);
        break;
    default:
        file_event_write(context, head, false);
    }
}

void context_add_call_site(struct context *context, uint64_t address, uint64_t stack,
                           uint64_t time_ns)
{
    struct code *code = &context->process->code;
    uint32_t site = UNDEFINED;
    if (stack != 0)
        site = code_call_above(code, address, stack, time_ns);
    else if (address != 0)
        site = code_call_site(code, address, time_ns);
    if (site != UNDEFINED)
        ADD_ATTRIBUTE(context, CallingContextRef, ATTRIBUTE_CALL_SITE, site);
}

static uint64_t stack_of(const struct record_call *call)
{
    bool has_stack = (size_t)call->head.n_words * 8 >= sizeof(struct record_call_above);
    return has_stack ? ((const struct record_call_above *)call)->stack : 0;
}

/// The time of CALL that is in its folded POLLs. A loop that spends less between them does nothing
/// else, for to record a poll and to ask again takes about as long as the poll: all of it is
/// theirs.
static uint64_t polling_ns(const struct record_call *call, const struct record_poll *poll)
{
    uint64_t whole_ns = call->leave_ns > call->enter_ns ? call->leave_ns - call->enter_ns : 0;
    return whole_ns / 2 < poll->inside_ns ? whole_ns : poll->inside_ns;
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
    const struct record_poll *poll = (const void *)detail;
    if (detail && detail->kind == RECORD_POLL) {
        ADD_ATTRIBUTE(context, Uint64, ATTRIBUTE_POLL_COUNT, poll->count);
        ADD_ATTRIBUTE(context, Uint64, ATTRIBUTE_POLL_NS, polling_ns(call, poll));
    }
    context_add_call_site(context, call->site, stack_of(call), call->enter_ns);
    context_enter(context, call->enter_ns, region);
    for (; belongs_to_call(detail); detail = spool_next(context->spool, detail))
        if (!gaps_drop(context->process->gaps, context->spool, detail))
            write_at_enter(context, detail);
    if (call->leave_ns == 0)
        return last;
    context_go_to(context, call->leave_ns);
    for (detail = spool_next(context->spool, last); belongs_to_call(detail);
         detail = spool_next(context->spool, detail)) {
        if (!gaps_drop(context->process->gaps, context->spool, detail))
            write_at_leave(context, detail);
        last = detail;
    }
    if (detail && detail->kind == RECORD_COUNTERS && detail->id == COUNTERS_OF_LEAVE) {
        see_reading(context, (const void *)detail);
        last = detail;
        detail = spool_next(context->spool, detail);
    }
    if (detail && detail->kind == RECORD_CPU &&
        ((const struct record_cpu *)(const void *)detail)->time_ns == call->leave_ns) {
        see_sample(context, (const void *)detail);
        last = detail;
    }
    context_leave(context, context->now_ns, region);
    return last;
}

// ---- User regions

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
        uint32_t parameter = archive_parameter(
            context->archive, name_of(context->process, marker->parameters[i].name));
        // The same name twice in one marker: OTF2 refuses it, the first value stands.
        if (!OTF2_AttributeList_TestAttributeByID(context->attributes, parameter))
            ADD_ATTRIBUTE(context, Double, parameter, marker->parameters[i].value);
    }
    context_enter(context, marker->time_ns, named_region(context, marker->head.id, true));
    context_leave_top(context, marker->time_ns);
}

static void write_function(struct context *context, const struct record_function_event *function)
{
    uint32_t region = code_function(&context->process->code, function->address, function->time_ns);
    if (region == EXCLUDED)
        return;
    if (function->head.kind == RECORD_ENTER)
        context_enter(context, function->time_ns, region);
    else
        context_leave(context, function->time_ns, region);
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
        context_write_sample(context);
        context_go_to(context, timed->time_ns);
        context_write_reading(context);
        WRITE(context, MeasurementOnOff, NULL,
              head->kind == RECORD_ON ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
        break;
    case RECORD_FILE_OPENED:
    case RECORD_FILE_CALL:
    case RECORD_FILE_CALL_LEAVE:
    case RECORD_FILE_SEEK:
        file_call_write(context, head);
        break;
    case RECORD_REGION_BEGIN:
        context_enter(context, timed->time_ns, named_region(context, head->id, false));
        break;
    case RECORD_REGION_END:
        context_leave(context, timed->time_ns, named_region(context, head->id, false));
        break;
    case RECORD_MARKER:
        write_marker(context, (const void *)head);
        break;
    case RECORD_CPU:
        see_sample(context, (const void *)head);
        break;
    case RECORD_COUNTERS:
        see_reading(context, (const void *)head);
        break;
    default:
        thread_record_write(context, head);
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

/// Of a thread that did not get to MPI_Finalize, by its last reading of the CPU clock; it was then
/// the only one that called MPI, and counts as the only one.
static struct spool_core_use last_core_use(const struct spool_header *header,
                                           const struct thread_cost *counted)
{
    const struct spool_core_use *begin = &header->core_use[0];
    const struct record_cpu *last = &counted->last_cpu;
    if (header->core_use[1].time_ns != 0 || counted->n_cpu == 0 || last->time_ns < begin->time_ns)
        return header->core_use[1];
    return (struct spool_core_use){.time_ns = last->time_ns,
                                   .process_ns = last->cpu_ns,
                                   .thread_ns =
                                       begin->thread_ns + (last->cpu_ns - begin->process_ns),
                                   .wait_ns = last->core_wait_ns};
}

/// Nothing is known where other threads of the process used CPU time, too: they may have been what
/// the thread waited for.
static struct core_use core_use_of(const struct spool_header *header,
                                   const struct thread_cost *counted)
{
    const struct spool_core_use *begin = &header->core_use[0];
    const struct spool_core_use end = last_core_use(header, counted);
    uint64_t of_ns = end.time_ns - begin->time_ns;
    uint64_t process_ns = end.process_ns - begin->process_ns;
    uint64_t thread_ns = end.thread_ns - begin->thread_ns;
    if (begin->time_ns == 0 || end.time_ns == 0 || begin->wait_ns == RECORD_NO_CORE_WAIT ||
        end.wait_ns == RECORD_NO_CORE_WAIT || process_ns > thread_ns + thread_ns / 20 + 1000000 ||
        thread_ns > of_ns + of_ns / 100)
        return (struct core_use){0};
    return (struct core_use){.of_ns = of_ns,
                             .used_ns = thread_ns,
                             .wait_ns =
                                 end.wait_ns > begin->wait_ns ? end.wait_ns - begin->wait_ns : 0};
}

void events_write(struct process *process, const struct spool *spool, uint64_t close_ns,
                  const struct thread_cost *counted, struct recording_cost cost)
{
    struct archive *archive = process->archive;
    const struct spool_header *header = spool->header;
    struct archive_location location = {.rank = header->rank,
                                        .thread = header->thread,
                                        .n_short = header->n_dropped_short,
                                        .cost = cost,
                                        .core_use = core_use_of(header, counted)};
    if (header->thread == 0) {
        location.executable = header->executable;
        location.command = header->command;
    }
    struct context context = {.process = process,
                              .archive = archive,
                              .unify = process->unify,
                              .spool = spool,
                              .location = &location,
                              .team = UNDEFINED};
    context.writer = archive_begin_events(archive, header->rank, header->thread);
    if (!context.writer)
        return;
    context.attributes = OTF2_AttributeList_New();
    for (const struct record_head *head = spool_next(spool, NULL); head && !archive->error;
         head = spool_next(spool, head))
        head = write_record(&context, head);
    if (!process->is_finalized || header->stop_errno != 0)
        set_end(&location, header, context.now_ns, archive->last_ns - close_ns);
    thread_close(&context, close_ns);
    archive_ok(archive, OTF2_EvtWriter_GetNumberOfEvents(context.writer, &location.n_events));
    OTF2_AttributeList_Delete(context.attributes);
    free(context.stack);
    archive_end_events(archive, context.writer, &location);
}
