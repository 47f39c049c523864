// SPDX-License-Identifier: BSD-3-Clause
// Traces of Paraver, as Extrae and `pagoda export --format prv` write them (paraver/prv_trace.h has
// the lines). Functions and MPI calls become regions, by the names in the .pcf; events of counters
// metrics, communications messages, and calls of collective operations of all to all such
// operations, on the communicator that their events name. States follow from these.
//
// Lines come in the order of time, a communication when it is sent. Until the receiver gets to the
// time of the receive, that is kept at its location. Of lines of one time communications go first:
// messages are sent after the begin of a call, and received before its end.
#include "analyzer/convert/convert.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/convert/new_trace.h"
#include "analyzer/paraver/prv_trace.h"

enum {
    FIRST_MPI = 50000001,
    LAST_MPI = 50000099,
    LAST_COUNTER = 42999999,
    MOST_TASKS = 1 << 20,
};

/// A message that is sent or received at TIME_NS.
struct end_of_message {
    uint64_t time_ns, order, size_bytes; // order: of the lines
    uint32_t partner, tag;
    bool is_receive;
};

/// What a region is to messages and collective operations.
struct call_kind {
    bool is_mpi, is_immediate, is_collective;
    OTF2_CollectiveOp operation;
};

struct open_region {
    uint32_t type, region;
};

struct prv_location {
    uint32_t location, task, application;
    uint64_t last_ns; // of what was written
    struct open_region *open;
    size_t n_open, open_capacity;
    struct end_of_message *messages; // a heap, by time
    size_t n_messages, messages_capacity;
    uint64_t sent_bytes, received_bytes; // of the open collective operation
    uint32_t communicator;
};

struct prv_event {
    uint32_t location, type;
    uint64_t time_ns, value;
};

struct prv {
    const char *path;
    FILE *stream;
    size_t line;
    struct new_trace *trace;
    struct conversion *done;
    uint64_t unit_ns, end_ns, now_ns;
    struct prv_location *locations;
    size_t n_locations, capacity;
    uint32_t *first_location; // by task, of all applications
    size_t n_tasks, tasks_capacity;
    uint32_t *first_task; // by application
    size_t n_applications, applications_capacity;
    struct map names;         // type and value: region; type of a counter: counter
    struct map communicators; // by application and Paraver's number
    struct call_kind *kinds;  // by region
    size_t n_kinds, kinds_capacity, n_counters;
    uint64_t *sums;           // location and counter
    uint64_t n_ends;          // of messages
    struct prv_event *events; // of now_ns
    size_t n_events, events_capacity;
};

static int malformed(const struct prv *prv, const char *what, struct error *err)
{
    return error_set(err, "%s:%zu: %s", prv->path, prv->line, what);
}

/// Reads a number, and END after it unless that is 0.
static bool take(char **at, char end, uint64_t *value)
{
    char *after;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *value = strtoull(*at, &after, 10);
    if (errno != 0 || (end != '\0' && *after != end))
        return false;
    *at = after + (end != '\0');
    return true;
}

// --- names

static uint64_t pair_key(uint64_t type, uint64_t value)
{
    return type << 32 ^ value;
}

/// A region or counter of the .pcf.
static void add_name(struct prv *prv, uint64_t type, uint64_t value, const char *name)
{
    static const struct {
        const char *name;
        OTF2_CollectiveOp operation;
    } operations[] = {
        {"MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER},
        {"MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
        {"MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
        {"MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
        {"MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
        {"MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
        {"MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
        {"MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
        {"MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    };
    if (value == 0) {
        uint32_t counter = new_trace_counter(prv->trace, name, OTF2_TYPE_UINT64);
        prv->n_counters = counter + 1 > prv->n_counters ? counter + 1 : prv->n_counters;
        map_put(&prv->names, pair_key(type, 0), counter);
        return;
    }
    uint32_t region = new_trace_region(prv->trace, name);
    map_put(&prv->names, pair_key(type, value), region);
    if (region < prv->n_kinds)
        return;
    struct call_kind *kind = ARRAY_NEXT(prv->kinds, prv->n_kinds, prv->kinds_capacity);
    *kind = (struct call_kind){.is_mpi = strncmp(name, "MPI_", 4) == 0,
                               .is_immediate = strncmp(name, "MPI_I", 5) == 0 ||
                                               strncmp(name, "MPI_Start", 9) == 0};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(name, operations[i].name) == 0) {
            kind->is_collective = true;
            kind->operation = operations[i].operation;
        }
}

static bool is_function(uint64_t type)
{
    return (type >= FIRST_MPI && type <= LAST_MPI) || type == PRV_USER_FUNCTION;
}

/// The .pcf: lines "COLOUR TYPE NAME" after EVENT_TYPE, "VALUE NAME" after VALUES, up to an empty
/// line.
static int read_names(struct prv *prv, struct error *err)
{
    enum { ELSEWHERE, IN_TYPES, IN_VALUES } part = ELSEWHERE;
    size_t length = strlen(prv->path), capacity = 0;
    SCOPED char *path = memory_format("%.*s.pcf", (int)(length - 4), prv->path), *line = NULL;
    uint64_t types[64], value;
    size_t n_types = 0;
    SCOPED_FILE FILE *stream = fopen(path, "re");
    int status = stream ? 0
                        : error_set(err, "cannot read '%s': %s; it names the functions of '%s'",
                                    path, strerror(errno), prv->path);
    while (stream && getline(&line, &capacity, stream) > 0) {
        char *at = line + strspn(line, " \t");
        at[strcspn(at, "\r\n")] = '\0';
        if (strcmp(at, "EVENT_TYPE") == 0 || *at == '\0') {
            part = *at ? IN_TYPES : ELSEWHERE;
            n_types = 0;
        } else if (strcmp(at, "VALUES") == 0 && part == IN_TYPES) {
            part = IN_VALUES;
        } else if (part != ELSEWHERE && take(&at, '\0', &value)) {
            at += strspn(at, " \t");
            if (part == IN_TYPES && n_types < 64 && take(&at, '\0', &types[n_types])) {
                uint64_t type = types[n_types++];
                at += strspn(at, " \t");
                if (type >= PRV_FIRST_COUNTER && type <= LAST_COUNTER)
                    add_name(prv, type, 0, at);
            } else if (part == IN_VALUES && value != 0) {
                for (size_t i = 0; i < n_types; i++)
                    if (is_function(types[i]))
                        add_name(prv, types[i], value, at);
            }
        }
    }
    return status;
}

// --- the header: #Paraver
// (DATE):TIME[_ns]:NODES(CPUS,..):N:TASKS(THREADS:NODE,..),COMMUNICATORS:..

static void add_task(struct prv *prv, uint64_t n_threads, uint64_t node)
{
    char name[64];
    uint32_t task = (uint32_t)prv->n_tasks;
    snprintf(name, sizeof name, "node%" PRIu64, node > 0 ? node - 1 : 0);
    node = new_trace_node(prv->trace, name);
    snprintf(name, sizeof name, "rank %" PRIu32, task);
    uint32_t process = new_trace_process(prv->trace, name, (uint32_t)node);
    *ARRAY_NEXT(prv->first_location, prv->n_tasks, prv->tasks_capacity) =
        (uint32_t)prv->n_locations;
    for (uint64_t i = 0; i < n_threads; i++) {
        char key[64];
        snprintf(name, sizeof name, i == 0 ? "Master thread" : "thread %" PRIu64, i);
        snprintf(key, sizeof key, "%zu", prv->n_locations);
        *ARRAY_NEXT(prv->locations, prv->n_locations, prv->capacity) =
            (struct prv_location){.location = new_trace_location(prv->trace, process, key, name),
                                  .task = task,
                                  .application = (uint32_t)prv->n_applications};
    }
}

static bool read_applications(struct prv *prv, char *at)
{
    uint64_t n_applications, n_tasks, n_threads, node;
    if (!take(&at, ':', &n_applications) || n_applications == 0)
        return false;
    for (uint64_t a = 0; a < n_applications; a++) {
        if (!take(&at, '(', &n_tasks) || n_tasks == 0)
            return false;
        *ARRAY_NEXT(prv->first_task, prv->n_applications, prv->applications_capacity) =
            (uint32_t)prv->n_tasks;
        for (uint64_t i = 0; i < n_tasks; i++) {
            if (!take(&at, ':', &n_threads) || !take(&at, i + 1 < n_tasks ? ',' : ')', &node) ||
                n_threads == 0 || prv->n_locations + n_threads > MOST_TASKS)
                return false;
            add_task(prv, n_threads, node);
        }
        if (*at == ',' && (at++, !take(&at, '\0', &node))) // how many lines of communicators follow
            return false;
        if (a + 1 < n_applications && *at++ != ':')
            return false;
    }
    return *at == '\0';
}

static int read_header(struct prv *prv, char *line, struct error *err)
{
    uint64_t end, n_nodes;
    char *at = strncmp(line, "#Paraver (", 10) == 0 ? strstr(line, "):") : NULL;
    if (!at)
        return malformed(prv, "this is no Paraver trace: it begins without '#Paraver ('", err);
    at += 2;
    bool is_good = take(&at, '\0', &end);
    prv->unit_ns = is_good && strncmp(at, "_ns", 3) == 0 ? 1 : 1000;
    at += prv->unit_ns == 1 ? 3 : 0;
    is_good = is_good && *at++ == ':' && take(&at, '\0', &n_nodes);
    if (is_good && *at == '(')
        at = strchr(at, ')') ? strchr(at, ')') + 1 : at;
    prv->end_ns = is_good ? end * prv->unit_ns : 0;
    if (!is_good || *at != ':' || !read_applications(prv, at + 1))
        return malformed(prv, "the header does not say which tasks and threads there are", err);
    return 0;
}

// --- messages and regions

static bool comes_before(const void *a, const void *b)
{
    const struct end_of_message *left = a, *right = b;
    return left->time_ns != right->time_ns ? left->time_ns < right->time_ns
                                           : left->order < right->order;
}

static void keep(struct prv_location *location, struct end_of_message message)
{
    size_t n = location->n_messages;
    (void)ARRAY_NEXT(location->messages, location->n_messages, location->messages_capacity);
    heap_push(location->messages, n, sizeof message, &message, comes_before);
}

static struct end_of_message take_earliest(struct prv_location *location)
{
    const struct end_of_message first = location->messages[0];
    heap_pop(location->messages, location->n_messages--, sizeof first, comes_before);
    return first;
}

static void write_message(struct prv *prv, struct prv_location *location,
                          const struct end_of_message *message)
{
    OTF2_EvtWriter *out = new_trace_events(prv->trace, location->location);
    size_t at = location->n_open;
    while (at > 0 && !prv->kinds[location->open[at - 1].region].is_mpi)
        at--;
    bool is_immediate = at > 0 && prv->kinds[location->open[at - 1].region].is_immediate;
    bool is_late = message->time_ns < location->last_ns;
    prv->done->n_late += is_late;
    uint64_t time_ns = is_late ? location->last_ns : message->time_ns;
    location->last_ns = time_ns;
    new_trace_uses_mpi(prv->trace);
    OTF2_ErrorCode code =
        message->is_receive ? OTF2_EvtWriter_MpiRecv(out, NULL, time_ns, message->partner, 0,
                                                     message->tag, message->size_bytes)
        : is_immediate      ? OTF2_EvtWriter_MpiIsend(out, NULL, time_ns, message->partner, 0,
                                                      message->tag, message->size_bytes, message->order)
                            : OTF2_EvtWriter_MpiSend(out, NULL, time_ns, message->partner, 0,
                                                     message->tag, message->size_bytes);
    new_trace_wrote(prv->trace, code);
}

/// Writes what is sent and received before UNTIL_NS.
static void write_messages(struct prv *prv, struct prv_location *location, uint64_t until_ns)
{
    while (location->n_messages > 0 && location->messages[0].time_ns < until_ns) {
        const struct end_of_message message = take_earliest(location);
        write_message(prv, location, &message);
    }
}

static void enter(struct prv *prv, struct prv_location *location, const struct prv_event *event)
{
    OTF2_EvtWriter *out = new_trace_events(prv->trace, location->location);
    uint32_t region;
    if (!map_get(&prv->names, pair_key(event->type, event->value), &region)) {
        char name[64];
        snprintf(name, sizeof name, "function %" PRIu32 ":%" PRIu64, event->type, event->value);
        add_name(prv, event->type, event->value, name);
        map_get(&prv->names, pair_key(event->type, event->value), &region);
    }
    *ARRAY_NEXT(location->open, location->n_open, location->open_capacity) =
        (struct open_region){event->type, region};
    new_trace_wrote(prv->trace, OTF2_EvtWriter_Enter(out, NULL, event->time_ns, region));
    if (prv->kinds[region].is_mpi)
        new_trace_uses_mpi(prv->trace);
    if (prv->kinds[region].is_collective)
        new_trace_wrote(prv->trace, OTF2_EvtWriter_MpiCollectiveBegin(out, NULL, event->time_ns));
}

/// The innermost region of the event's type ends, and those in it.
static void leave(struct prv *prv, struct prv_location *location, const struct prv_event *event)
{
    OTF2_EvtWriter *out = new_trace_events(prv->trace, location->location);
    size_t at = location->n_open;
    while (at > 0 && location->open[at - 1].type != event->type)
        at--;
    if (at == 0) {
        prv->done->n_unmatched++;
        return;
    }
    for (; location->n_open >= at; location->n_open--) {
        uint32_t region = location->open[location->n_open - 1].region;
        const struct call_kind *kind = &prv->kinds[region];
        if (kind->is_mpi)
            write_messages(prv, location, event->time_ns + 1);
        if (kind->is_collective && location->communicator != UINT32_MAX)
            new_trace_wrote(prv->trace, OTF2_EvtWriter_MpiCollectiveEnd(
                                            out, NULL, event->time_ns, kind->operation,
                                            location->communicator, OTF2_COLLECTIVE_ROOT_NONE,
                                            location->sent_bytes, location->received_bytes));
        if (kind->is_mpi) {
            location->communicator = UINT32_MAX;
            location->sent_bytes = location->received_bytes = 0;
        }
        new_trace_wrote(prv->trace, OTF2_EvtWriter_Leave(out, NULL, event->time_ns, region));
    }
}

/// The first value of a counter is what it grows from.
static void count(struct prv *prv, struct prv_location *location, const struct prv_event *event,
                  uint32_t counter)
{
    const OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_EvtWriter *out = new_trace_events(prv->trace, location->location);
    uint64_t *sum =
        &prv->sums[(size_t)(location - prv->locations) * (prv->n_counters + 1) + counter];
    OTF2_MetricValue value = {.unsigned_int = 0};
    if (*sum == 0)
        new_trace_wrote(prv->trace, OTF2_EvtWriter_Metric(out, NULL, event->time_ns, counter, 1,
                                                          &type, &value));
    value.unsigned_int = *sum += event->value;
    new_trace_wrote(prv->trace,
                    OTF2_EvtWriter_Metric(out, NULL, event->time_ns, counter, 1, &type, &value));
}

static void write_event(struct prv *prv, const struct prv_event *event)
{
    struct prv_location *location = &prv->locations[event->location];
    uint32_t index;
    write_messages(prv, location, event->time_ns);
    location->last_ns = event->time_ns;
    if (is_function(event->type))
        (event->value != 0 ? enter : leave)(prv, location, event);
    else if (event->type == PRV_SEND_SIZE)
        location->sent_bytes = event->value;
    else if (event->type == PRV_RECEIVE_SIZE)
        location->received_bytes = event->value;
    else if (event->type == PRV_COMMUNICATOR &&
             map_get(&prv->communicators, pair_key(location->application, event->value), &index))
        location->communicator = index;
    else if (event->type >= PRV_FIRST_COUNTER && event->type <= LAST_COUNTER &&
             map_get(&prv->names, pair_key(event->type, 0), &index))
        count(prv, location, event, index);
    else
        prv->done->n_ignored += event->type != PRV_ROOT;
}

/// All events of now_ns; the next one is at TIME_NS.
static void reach(struct prv *prv, uint64_t time_ns)
{
    if (time_ns <= prv->now_ns)
        return;
    for (size_t i = 0; i < prv->n_events; i++)
        write_event(prv, &prv->events[i]);
    prv->n_events = 0;
    prv->now_ns = time_ns;
}

// --- lines

/// After the last task of APPLICATION, which is counted from 1.
static uint64_t tasks_end(const struct prv *prv, uint64_t application)
{
    return application < prv->n_applications ? prv->first_task[application] : prv->n_tasks;
}

/// CPU:APPLICATION:TASK:THREAD:
static struct prv_location *take_location(const struct prv *prv, char **at)
{
    uint64_t cpu, application, task, thread;
    if (!take(at, ':', &cpu) || !take(at, ':', &application) || !take(at, ':', &task) ||
        !take(at, ':', &thread) || application - 1 >= prv->n_applications)
        return NULL;
    uint64_t end = tasks_end(prv, application);
    task += prv->first_task[application - 1];
    if (task - 1 >= end || task <= prv->first_task[application - 1])
        return NULL;
    end = task < prv->n_tasks ? prv->first_location[task] : prv->n_locations;
    thread += prv->first_location[task - 1];
    bool is_there = thread > prv->first_location[task - 1] && thread <= end;
    return is_there ? &prv->locations[thread - 1] : NULL;
}

static bool take_time(const struct prv *prv, char **at, char end, uint64_t *time_ns)
{
    if (!take(at, end, time_ns) || *time_ns > INT64_MAX / 1000)
        return false;
    *time_ns *= prv->unit_ns;
    return true;
}

static int read_events(struct prv *prv, char *at, struct error *err)
{
    const struct prv_location *location = take_location(prv, &at);
    uint64_t time_ns, type, value;
    if (!location || !take_time(prv, &at, '\0', &time_ns) || *at != ':')
        return malformed(prv, "an event needs a thread of the header, a time, types and values",
                         err);
    if (time_ns < prv->now_ns)
        return malformed(prv, "this event is before that of a line above: sort the lines by time",
                         err);
    reach(prv, time_ns);
    while (*at == ':') {
        at++;
        if (!take(&at, ':', &type) || !take(&at, '\0', &value) || type > UINT32_MAX)
            return malformed(prv, "an event needs pairs of a type and a value", err);
        *ARRAY_NEXT(prv->events, prv->n_events, prv->events_capacity) = (struct prv_event){
            (uint32_t)(location - prv->locations), (uint32_t)type, time_ns, value};
        prv->done->n_events++;
    }
    return *at == '\0' ? 0 : malformed(prv, "an event needs pairs of a type and a value", err);
}

static int read_communication(struct prv *prv, char *at, struct error *err)
{
    uint64_t sent_ns, ignored, received_ns, size_bytes, tag;
    struct prv_location *sender = take_location(prv, &at), *receiver = NULL;
    bool is_good = sender && take_time(prv, &at, ':', &sent_ns) && take(&at, ':', &ignored);
    if (is_good)
        receiver = take_location(prv, &at);
    if (!receiver || !take(&at, ':', &ignored) || !take_time(prv, &at, ':', &received_ns) ||
        !take(&at, ':', &size_bytes) || !take(&at, '\0', &tag) || *at != '\0')
        return malformed(prv,
                         "a communication needs two threads of the header, two times of each, "
                         "a size and a tag",
                         err);
    reach(prv, sent_ns);
    bool is_late = received_ns < sent_ns;
    prv->done->n_late += is_late;
    prv->done->n_messages++;
    keep(sender, (struct end_of_message){sent_ns, prv->n_ends++, size_bytes, receiver->task,
                                         (uint32_t)tag, false});
    keep(receiver, (struct end_of_message){is_late ? sent_ns : received_ns, prv->n_ends++,
                                           size_bytes, sender->task, (uint32_t)tag, true});
    return 0;
}

/// c:APPLICATION:NUMBER:N:TASK:..
static int read_communicator(struct prv *prv, char *at, struct error *err)
{
    uint64_t application, number, n = 0, task = 1;
    bool is_good = take(&at, ':', &application) && take(&at, ':', &number) && take(&at, '\0', &n) &&
                   application - 1 < prv->n_applications && n <= prv->n_tasks;
    uint64_t first = is_good ? prv->first_task[application - 1] : 0;
    SCOPED uint64_t *members = memory_zeroed(is_good ? n + 1 : 1, sizeof *members);
    for (uint64_t i = 0; i < n && is_good; i++) {
        is_good = *at++ == ':' && take(&at, '\0', &task) && task > 0 && task <= prv->n_tasks;
        members[i] = first + task - 1;
        is_good = is_good && members[i] < tasks_end(prv, application);
    }
    if (is_good)
        map_put(&prv->communicators, pair_key(application, number),
                new_trace_communicator(prv->trace, members, n));
    return is_good && *at == '\0'
               ? 0
               : malformed(prv, "a communicator needs its number and its tasks", err);
}

static int read_line(struct prv *prv, char *line, struct error *err)
{
    if (line[0] == '\0' || line[0] == '#')
        return 0;
    if (line[1] == ':' && line[0] == '1')
        return 0; // states follow from the events
    if (line[1] == ':' && line[0] == '2')
        return read_events(prv, line + 2, err);
    if (line[1] == ':' && line[0] == '3')
        return read_communication(prv, line + 2, err);
    if (line[1] == ':' && line[0] == 'c')
        return read_communicator(prv, line + 2, err);
    return malformed(prv, "a line begins with 1:, 2:, 3: or c:", err);
}

static int read_lines(struct prv *prv, struct error *err)
{
    SCOPED char *line = NULL;
    size_t capacity = 0;
    int status = 0;
    for (ssize_t n; status == 0 && (n = getline(&line, &capacity, prv->stream)) > 0;) {
        line[strcspn(line, "\r\n")] = '\0';
        prv->line++;
        status = prv->line == 1 ? read_header(prv, line, err) : read_line(prv, line, err);
        if (prv->line == 1 && status == 0) {
            status = read_names(prv, err);
            prv->sums = memory_zeroed(prv->n_locations * (prv->n_counters + 1), sizeof *prv->sums);
            for (size_t i = 0; i < prv->n_locations; i++)
                prv->locations[i].communicator = UINT32_MAX;
        }
        if (interrupt_has_come())
            status = error_set(err, "interrupted");
    }
    if (status == 0 && ferror(prv->stream))
        status = error_set(err, "cannot read '%s': %s", prv->path, strerror(errno));
    if (status == 0 && prv->line == 0)
        status = malformed(prv, "the file is empty", err);
    return status;
}

int convert_prv(const char *path, const char *folder, struct new_trace *trace,
                struct conversion *done, uint64_t *end_ns, struct error *err)
{
    struct prv prv = {.path = path, .stream = fopen(path, "re"), .trace = trace, .done = done};
    (void)folder;
    map_init(&prv.names);
    map_init(&prv.communicators);
    int status = prv.stream ? read_lines(&prv, err)
                            : error_set(err, "cannot read '%s': %s", path, strerror(errno));
    if (status == 0)
        reach(&prv, UINT64_MAX);
    for (size_t i = 0; i < prv.n_locations; i++) {
        if (status == 0)
            write_messages(&prv, &prv.locations[i], UINT64_MAX);
        FREE_ALL(prv.locations[i].open, prv.locations[i].messages);
    }
    *end_ns = prv.end_ns;
    if (prv.stream)
        fclose(prv.stream);
    map_release(&prv.names);
    map_release(&prv.communicators);
    FREE_ALL(prv.locations, prv.first_location, prv.first_task, prv.kinds, prv.sums, prv.events);
    return status;
}
