// SPDX-License-Identifier: BSD-3-Clause
// See prv_trace.h. Paraver reads the records of a thread in the order of the file, so they are
// sorted (record_sort.c) and written when the replay is over. The format is that of Extrae's
// merger: 1:cpu:application:task:thread:begin:end:state, 2:...:time:type:value, and of a message
// 3:, the sender with the times of its logical and physical send, the receiver likewise, bytes and
// tag.
//
// There is one application, whose tasks are the ranks, their threads the locations. A location of
// no process is a task of its own. Each location has a processor of its own on its node.
#include "analyzer/paraver/prv_trace.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/new_file.h"
#include "analyzer/base/text.h"

/// Numbers from 1 on.
struct row {
    uint32_t task, thread, cpu;
};

struct location_states {
    uint32_t *open; // regions
    size_t n_open, open_capacity;
    size_t n_to_call; // regions up to the outermost MPI call; 0: none is open
    enum prv_state state;
    uint64_t since_ns;
    double *counted; // by counter; NULL: none has grown
};

enum { PRV, PCF, ROW, N_FILES };

struct prv_trace {
    const struct definitions *definitions;
    struct new_file files[N_FILES];
    struct record_sort *records;
    struct location_states *locations;
    struct row *rows; // by location
    uint32_t n_tasks;
    uint32_t *n_cpus;               // by node
    struct prv_function *functions; // by region
};

// --- rows

static uint32_t node_of(const struct definitions *definitions, size_t location)
{
    uint32_t rank = definitions->locations[location].rank;
    return rank != EVENT_NO_INDEX ? definitions->ranks[rank].node : 0;
}

static void number_rows(struct prv_trace *trace)
{
    const struct definitions *definitions = trace->definitions;
    SCOPED uint32_t *n_threads = memory_zeroed(definitions->n_ranks + 1, sizeof *n_threads);
    trace->n_tasks = (uint32_t)definitions->n_ranks;
    for (size_t i = 0; i < definitions->n_locations; i++) {
        uint32_t rank = definitions->locations[i].rank;
        bool has_rank = rank != EVENT_NO_INDEX;
        trace->rows[i].task = has_rank ? rank + 1 : ++trace->n_tasks;
        trace->rows[i].thread = has_rank ? ++n_threads[rank] : 1;
        trace->n_cpus[node_of(definitions, i)]++;
    }
    SCOPED uint32_t *last_cpu = memory_zeroed(definitions->n_nodes + 1, sizeof *last_cpu);
    for (size_t node = 0; node < definitions->n_nodes; node++)
        last_cpu[node + 1] = last_cpu[node] + trace->n_cpus[node];
    for (size_t i = 0; i < definitions->n_locations; i++)
        trace->rows[i].cpu = ++last_cpu[node_of(definitions, i)];
}

/// By task: its threads and node.
struct task {
    uint32_t n_threads, node;
};

static struct task *tasks_of(const struct prv_trace *trace)
{
    struct task *tasks = memory_zeroed(trace->n_tasks + 1, sizeof *tasks);
    for (size_t i = 0; i < trace->definitions->n_locations; i++) {
        struct task *task = &tasks[trace->rows[i].task - 1];
        task->node = node_of(trace->definitions, i);
        task->n_threads++;
    }
    return tasks;
}

// --- begin

/// PATH without .prv, with SUFFIX. The caller frees.
static char *path_beside(const char *path, const char *suffix)
{
    size_t length = strlen(path);
    size_t n_kept = text_ends_in(path, ".prv") ? length - 4 : length;
    return memory_format("%.*s%s", (int)n_kept, path, suffix);
}

static int open_files(struct prv_trace *trace, const char *path, struct error *err)
{
    static const char *const suffixes[N_FILES] = {[PCF] = ".pcf", [ROW] = ".row"};
    int status = new_file_refuse_special(path, err);
    for (int i = 0; i < N_FILES && status == 0; i++) {
        SCOPED char *name = i == PRV ? memory_copy_text(path) : path_beside(path, suffixes[i]);
        status = new_file_open(&trace->files[i], name, err);
    }
    return status;
}

struct prv_trace *prv_trace_new(const char *path, const struct definitions *definitions,
                                struct error *err)
{
    struct prv_trace *trace = memory_zeroed(1, sizeof *trace);
    SCOPED char *folder = path_folder(path);
    trace->definitions = definitions;
    if (open_files(trace, path, err) == 0)
        trace->records = record_sort_new(folder, err);
    if (!trace->records) {
        prv_trace_free(trace);
        return NULL;
    }
    trace->locations = memory_zeroed(definitions->n_locations + 1, sizeof *trace->locations);
    trace->rows = memory_zeroed(definitions->n_locations + 1, sizeof *trace->rows);
    trace->n_cpus = memory_zeroed(definitions->n_nodes + 1, sizeof *trace->n_cpus);
    trace->functions = memory_zeroed(definitions->n_regions + 1, sizeof *trace->functions);
    for (size_t i = 0; i < definitions->n_locations; i++)
        trace->locations[i].state = PRV_STATE_NOT_CREATED;
    for (uint32_t i = 0; i < definitions->n_regions; i++)
        trace->functions[i] = prv_function_of(definitions, i);
    number_rows(trace);
    return trace;
}

void prv_trace_free(struct prv_trace *trace)
{
    struct error ignored = {{0}};
    if (!trace)
        return;
    FREE_MEMBERS(trace->locations, trace->definitions->n_locations, open, counted);
    for (int i = 0; i < N_FILES; i++)
        new_file_finish(&trace->files[i], -1, &ignored);
    record_sort_free(trace->records);
    FREE_ALL(trace->locations, trace->rows, trace->n_cpus, trace->functions, trace);
}

// --- the listener

/// The location is in STATE from TIME_NS on.
static void set_state(struct prv_trace *trace, uint32_t location, uint64_t time_ns,
                      enum prv_state state)
{
    struct location_states *states = &trace->locations[location];
    if (state == states->state)
        return;
    if (time_ns > states->since_ns)
        record_sort_add(trace->records, &(struct prv_record){.time_ns = states->since_ns,
                                                             .kind = PRV_STATE,
                                                             .location = location,
                                                             .value = states->state,
                                                             .end_ns = time_ns});
    states->state = state;
    states->since_ns = time_ns;
}

static void add_event(struct prv_trace *trace, uint32_t location, uint64_t time_ns, uint32_t type,
                      uint64_t value)
{
    record_sort_add(trace->records, &(struct prv_record){.time_ns = time_ns,
                                                         .kind = PRV_EVENT,
                                                         .location = location,
                                                         .type = type,
                                                         .value = value});
}

static enum prv_state state_of(const struct prv_trace *trace, const struct location_states *states)
{
    if (states->n_open > 0 && states->open[states->n_open - 1] == trace->definitions->gap_region)
        return PRV_STATE_TRACING_DISABLED;
    return states->n_to_call > 0 ? trace->functions[states->open[states->n_to_call - 1]].state
                                 : PRV_STATE_RUNNING;
}

/// Not of a record outside of any call, nor of a gap.
static bool is_function(const struct prv_trace *trace, uint32_t region)
{
    return region != EVENT_NO_INDEX && region != trace->definitions->gap_region;
}

static bool has_tasks(const struct communicator *communicator)
{
    return communicator->is_mpi && !communicator->is_intercommunicator &&
           communicator->n_members > 0;
}

/// What the call says of the collective operations that it completes; communicators are as numbered
/// in the lines of print_communicators().
static void add_operations(struct prv_trace *trace, const struct pag_entered *entered)
{
    const struct event *end = entered->records + entered->n_records;
    uint32_t location = entered->location, rank = trace->definitions->locations[location].rank;
    for (const struct event *event = entered->records; event < end; event++) {
        if (event->kind != EVENT_COLLECTIVE_END || (event->flags & EVENT_OF_WINDOW) != 0 ||
            !has_tasks(&trace->definitions->communicators[event->index]))
            continue;
        const struct communicator *on = &trace->definitions->communicators[event->index];
        add_event(trace, location, entered->time_ns, PRV_COMMUNICATOR, (uint64_t)event->index + 1);
        add_event(trace, location, entered->time_ns, PRV_SEND_SIZE, event->size_bytes);
        add_event(trace, location, entered->time_ns, PRV_RECEIVE_SIZE, event->received_bytes);
        if (event->peer < on->n_members && on->members[event->peer] == rank)
            add_event(trace, location, entered->time_ns, PRV_ROOT, 1);
    }
}

static void on_entered(void *context, const struct pag_entered *entered)
{
    struct prv_trace *trace = context;
    struct location_states *states = &trace->locations[entered->location];
    uint32_t region = entered->region;
    *ARRAY_NEXT(states->open, states->n_open, states->open_capacity) = region;
    if (is_function(trace, region)) {
        const struct prv_function *function = &trace->functions[region];
        if (states->n_to_call == 0 && function->type != PRV_USER_FUNCTION)
            states->n_to_call = states->n_open;
        add_event(trace, entered->location, entered->time_ns, function->type, function->value);
        add_operations(trace, entered);
    }
    set_state(trace, entered->location, entered->time_ns, state_of(trace, states));
}

static void on_left(void *context, uint32_t location, uint64_t time_ns)
{
    struct prv_trace *trace = context;
    struct location_states *states = &trace->locations[location];
    uint32_t region = states->open[--states->n_open];
    if (states->n_open < states->n_to_call)
        states->n_to_call = 0;
    if (is_function(trace, region))
        add_event(trace, location, time_ns, trace->functions[region].type, 0);
    set_state(trace, location, time_ns, state_of(trace, states));
}

/// Events have whole numbers, whose sum is that of the counter.
static void on_counted(void *context, uint32_t location, uint64_t time_ns, uint32_t counter,
                       double growth)
{
    struct prv_trace *trace = context;
    struct location_states *states = &trace->locations[location];
    if (!states->counted)
        states->counted = memory_zeroed(trace->definitions->n_counters, sizeof *states->counted);
    double before = states->counted[counter];
    states->counted[counter] += growth;
    add_event(trace, location, time_ns, PRV_FIRST_COUNTER + counter,
              (uint64_t)states->counted[counter] - (uint64_t)before);
}

static void on_message(void *context, const struct pag_message *message)
{
    struct prv_trace *trace = context;
    bool is_posted_before = message->post_enter_ns < message->leave_ns;
    record_sort_add(trace->records,
                    &(struct prv_record){
                        .time_ns = message->send_enter_ns,
                        .kind = PRV_COMMUNICATION,
                        .location = message->sender_location,
                        .type = message->tag,
                        .receiver = message->location,
                        .value = message->size_bytes,
                        .end_ns = message->leave_ns,
                        .post_ns = is_posted_before ? message->post_enter_ns : message->leave_ns,
                    });
}

struct pag_listener prv_trace_listener(struct prv_trace *trace)
{
    return (struct pag_listener){.entered = {on_entered, trace},
                                 .left = {on_left, trace},
                                 .counted = {on_counted, trace},
                                 .message = {on_message, trace}};
}

// --- the files

static void print_header(const struct prv_trace *trace, uint64_t time_ns, FILE *stream)
{
    const struct definitions *definitions = trace->definitions;
    time_t start_s = (time_t)(definitions->realtime_ns / 1000000000);
    struct tm start;
    size_t n_communicators = 0;
    for (size_t i = 0; i < definitions->n_communicators; i++)
        n_communicators += has_tasks(&definitions->communicators[i]);
    gmtime_r(&start_s, &start);
    fprintf(stream, "#Paraver (%02d/%02d/%04d at %02d:%02d):%" PRIu64 "_ns:%zu(", start.tm_mday,
            start.tm_mon + 1, start.tm_year + 1900, start.tm_hour, start.tm_min, time_ns,
            definitions->n_nodes);
    for (size_t i = 0; i < definitions->n_nodes; i++)
        fprintf(stream, "%s%u", i > 0 ? "," : "", trace->n_cpus[i]);
    SCOPED struct task *tasks = tasks_of(trace);
    fprintf(stream, "):1:%u(", trace->n_tasks);
    for (uint32_t i = 0; i < trace->n_tasks; i++)
        fprintf(stream, "%s%u:%u", i > 0 ? "," : "", tasks[i].n_threads, tasks[i].node + 1);
    fprintf(stream, "),%zu\n", n_communicators);
}

/// c:application:number:how many:tasks
static void print_communicators(const struct prv_trace *trace, FILE *stream)
{
    for (size_t i = 0; i < trace->definitions->n_communicators; i++) {
        const struct communicator *communicator = &trace->definitions->communicators[i];
        if (!has_tasks(communicator))
            continue;
        fprintf(stream, "c:1:%zu:%u", i + 1, communicator->n_members);
        for (uint32_t k = 0; k < communicator->n_members; k++)
            fprintf(stream, ":%u", communicator->members[k] + 1);
        fputc('\n', stream);
    }
}

static void print_row(const struct prv_trace *trace, uint32_t location, FILE *stream)
{
    const struct row *row = &trace->rows[location];
    fprintf(stream, "%u:1:%u:%u:", row->cpu, row->task, row->thread);
}

/// As record_sort_put.
static void print_record(void *context, const struct prv_record *record)
{
    const struct prv_trace *trace = context;
    FILE *stream = trace->files[PRV].stream;
    fprintf(stream, "%u:", record->kind);
    print_row(trace, record->location, stream);
    switch (record->kind) {
    case PRV_STATE:
        fprintf(stream, "%" PRIu64 ":%" PRIu64 ":%" PRIu64 "\n", record->time_ns, record->end_ns,
                record->value);
        break;
    case PRV_EVENT:
        fprintf(stream, "%" PRIu64 ":%u:%" PRIu64 "\n", record->time_ns, record->type,
                record->value);
        break;
    default:
        fprintf(stream, "%" PRIu64 ":%" PRIu64 ":", record->time_ns, record->time_ns);
        print_row(trace, record->receiver, stream);
        fprintf(stream, "%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%u\n", record->post_ns, record->end_ns,
                record->value, record->type);
    }
}

static void print_name(const char *name, FILE *stream)
{
    SCOPED char *text = utf8_clean(name);
    fprintf(stream, "%s\n", text);
}

static void print_rows(const struct prv_trace *trace, FILE *stream)
{
    const struct definitions *definitions = trace->definitions;
    fprintf(stream, "LEVEL NODE SIZE %zu\n", definitions->n_nodes);
    for (size_t i = 0; i < definitions->n_nodes; i++)
        print_name(definitions->nodes[i].name, stream);
    // Locations are in the order of tasks and threads.
    fprintf(stream, "\nLEVEL THREAD SIZE %zu\n", definitions->n_locations);
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        if (location->rank != EVENT_NO_INDEX)
            fprintf(stream, "rank %u: ", location->rank);
        print_name(location->name, stream);
    }
}

/// The states that the locations end in.
static void end_states(struct prv_trace *trace, const struct pag_result *replay)
{
    for (uint32_t i = 0; i < trace->definitions->n_locations; i++) {
        const struct pag_location *location = &replay->locations[i];
        if (trace->locations[i].state == PRV_STATE_NOT_CREATED)
            set_state(trace, i, location->first_ns, PRV_STATE_RUNNING);
        set_state(trace, i, location->last_ns, PRV_STATE_NOT_CREATED);
    }
}

int prv_trace_finish(struct prv_trace *trace, const struct pag_result *replay, struct error *err)
{
    end_states(trace, replay);
    print_header(trace, replay->time_ns, trace->files[PRV].stream);
    print_communicators(trace, trace->files[PRV].stream);
    prv_print_names(trace->definitions, trace->files[PCF].stream);
    print_rows(trace, trace->files[ROW].stream);
    int status = record_sort_walk(trace->records, print_record, trace, err);
    for (int i = 0; i < N_FILES; i++)
        status = new_file_close(&trace->files[i], status, err);
    for (int i = 0; i < N_FILES; i++)
        status = new_file_finish(&trace->files[i], status, err);
    return status;
}
