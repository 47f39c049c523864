// SPDX-License-Identifier: BSD-3-Clause
// Parses text traces, one line after the other, into arrays of records by location.
#include "tests/reference/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_WORDS = 64 };

/// One line taken apart; words point into `buffer`.
struct line {
    char *buffer;
    size_t capacity;
    char *words[MAX_WORDS];
    size_t n_words;
    size_t number;
};

static const struct {
    const char *name;
    enum record_kind kind;
} record_names[] = {
    {"enter", RECORD_ENTER},
    {"leave", RECORD_LEAVE},
    {"send", RECORD_SEND},
    {"isend", RECORD_ISEND},
    {"isend-complete", RECORD_ISEND_COMPLETE},
    {"irecv-request", RECORD_IRECV_REQUEST},
    {"recv", RECORD_RECV},
    {"irecv", RECORD_IRECV},
    {"cancel", RECORD_CANCEL},
    {"coll-end", RECORD_COLL_END},
    {"coll-request", RECORD_COLL_REQUEST},
    {"coll-complete", RECORD_COLL_COMPLETE},
    {"fork", RECORD_FORK},
    {"join", RECORD_JOIN},
    {"team-begin", RECORD_TEAM_BEGIN},
    {"team-end", RECORD_TEAM_END},
    {"test", RECORD_OTHER},
    {"coll-begin", RECORD_OTHER},
    {"cpu", RECORD_CPU},
};

static const struct {
    const char *name;
    enum operation_class class;
} operation_names[] = {
    {"barrier", CLASS_BARRIER},
    {"bcast", CLASS_ONE_TO_ALL},
    {"scatter", CLASS_ONE_TO_ALL},
    {"scatterv", CLASS_ONE_TO_ALL},
    {"gather", CLASS_ALL_TO_ONE},
    {"gatherv", CLASS_ALL_TO_ONE},
    {"reduce", CLASS_ALL_TO_ONE},
    {"allgather", CLASS_ALL_TO_ALL},
    {"allgatherv", CLASS_ALL_TO_ALL},
    {"alltoall", CLASS_ALL_TO_ALL},
    {"alltoallv", CLASS_ALL_TO_ALL},
    {"alltoallw", CLASS_ALL_TO_ALL},
    {"allreduce", CLASS_ALL_TO_ALL},
    {"reduce_scatter", CLASS_ALL_TO_ALL},
    {"reduce_scatter_block", CLASS_ALL_TO_ALL},
    {"scan", CLASS_SCAN},
    {"exscan", CLASS_SCAN},
    {"create_handle", CLASS_HANDLE},
    {"destroy_handle", CLASS_HANDLE},
};

static bool line_next(struct line *line, const char **text)
{
    if (!**text)
        return false;
    const char *end = strchr(*text, '\n');
    size_t length = end ? (size_t)(end - *text) : strlen(*text);
    line->buffer = array_reserve(line->buffer, &line->capacity, length + 1, 1);
    memcpy(line->buffer, *text, length);
    line->buffer[length] = '\0';
    *text += length + (end != NULL);
    line->number++;
    line->n_words = 0;
    char *rest = line->buffer, *word;
    line->buffer[strcspn(line->buffer, "#")] = '\0';
    while ((word = strtok_r(rest, " \t\r", &rest)) && line->n_words < MAX_WORDS)
        line->words[line->n_words++] = word;
    return true;
}

static int fail(const struct line *line, const char *what, struct error *err)
{
    return error_set(err, "line %zu: %s", line->number, what);
}

static bool read_number(const char *word, uint64_t *number)
{
    char *end;
    *number = strtoull(word, &end, 10);
    return *word >= '0' && *word <= '9' && *end == '\0';
}

static uint32_t find_comm(const struct reference_trace *trace, const char *name)
{
    for (size_t c = 0; c < trace->n_comms; c++) {
        if (strcmp(trace->comms[c].name, name) == 0)
            return (uint32_t)c;
    }
    return REFERENCE_NONE;
}

static struct reference_comm *add_comm(struct reference_trace *trace, const char *name)
{
    trace->comms = array_reserve(trace->comms, &trace->comm_capacity, trace->n_comms + 1,
                                 sizeof *trace->comms);
    struct reference_comm *comm = &trace->comms[trace->n_comms++];
    *comm = (struct reference_comm){.name = memory_copy_text(name)};
    return comm;
}

static uint32_t find_region(struct reference_trace *trace, const char *name)
{
    for (size_t r = 0; r < trace->n_regions; r++) {
        if (strcmp(trace->regions[r].name, name) == 0)
            return (uint32_t)r;
    }
    trace->regions = array_reserve(trace->regions, &trace->region_capacity, trace->n_regions + 1,
                                   sizeof *trace->regions);
    trace->regions[trace->n_regions] = (struct reference_region){
        .name = memory_copy_text(name), .is_mpi = strncmp(name, "MPI_", 4) == 0};
    return (uint32_t)trace->n_regions++;
}

static uint32_t find_context(struct reference_trace *trace, const char *name)
{
    for (size_t c = 0; c < trace->n_contexts; c++) {
        if (strcmp(trace->contexts[c].name, name) == 0)
            return (uint32_t)c;
    }
    trace->contexts = array_reserve(trace->contexts, &trace->context_capacity,
                                    trace->n_contexts + 1, sizeof *trace->contexts);
    trace->contexts[trace->n_contexts] = (struct reference_context){
        .name = memory_copy_text(name), .region = REFERENCE_NONE, .caller = REFERENCE_NONE};
    return (uint32_t)trace->n_contexts++;
}

static struct reference_location *find_location(struct reference_trace *trace, const char *word)
{
    char *end;
    uint32_t rank = (uint32_t)strtoul(word, &end, 10);
    uint32_t thread = *end == '.' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
    if (*word < '0' || *word > '9' || *end)
        return NULL;
    size_t at = 0;
    for (; at < trace->n_locations; at++) {
        struct reference_location *location = &trace->locations[at];
        if (location->rank == rank && location->thread == thread)
            return location;
        if (location->rank > rank || (location->rank == rank && location->thread > thread))
            break;
    }
    trace->locations = array_reserve(trace->locations, &trace->location_capacity,
                                     trace->n_locations + 1, sizeof *trace->locations);
    memmove(&trace->locations[at + 1], &trace->locations[at],
            (trace->n_locations - at) * sizeof *trace->locations);
    trace->n_locations++;
    trace->locations[at] = (struct reference_location){.rank = rank, .thread = thread};
    if (rank >= trace->n_ranks)
        trace->n_ranks = rank + 1;
    return &trace->locations[at];
}

static int parse_comm(struct reference_trace *trace, const struct line *line, struct error *err)
{
    if (line->n_words < 3 || strcmp(line->words[2], "ranks") != 0)
        return fail(line, "expected NAME ranks ...", err);
    struct reference_comm *comm = add_comm(trace, line->words[1]);
    comm->members = memory_zeroed(line->n_words, sizeof *comm->members);
    comm->remote = memory_zeroed(line->n_words, sizeof *comm->remote);
    bool in_remote = false;
    for (size_t w = 3; w < line->n_words; w++) {
        uint64_t rank;
        if (strcmp(line->words[w], "|") == 0) {
            in_remote = true;
            continue;
        }
        if (!read_number(line->words[w], &rank))
            return fail(line, "expected a rank", err);
        if (in_remote)
            comm->remote[comm->n_remote++] = (uint32_t)rank;
        else
            comm->members[comm->n_members++] = (uint32_t)rank;
    }
    return 0;
}

static int parse_region(struct reference_trace *trace, const struct line *line, struct error *err)
{
    if (line->n_words < 2)
        return fail(line, "expected a region name", err);
    uint32_t index = find_region(trace, line->words[1]);
    struct reference_region *region = &trace->regions[index];
    if (line->n_words > 3)
        region->is_mpi = strcmp(line->words[3], "mpi") == 0;
    return 0;
}

static int parse_context(struct reference_trace *trace, const struct line *line, struct error *err)
{
    if (line->n_words < 4)
        return fail(line, "expected NAME FUNCTION SOURCE", err);
    uint32_t index = find_context(trace, line->words[1]);
    if (line->n_words > 4 && strcmp(line->words[4], "?") != 0) {
        uint32_t caller = find_context(trace, line->words[4]);
        trace->contexts[index].caller = caller;
    }
    if (strchr(line->words[3], ':'))
        trace->contexts[index].place = memory_copy_text(line->words[3]);
    if (strcmp(line->words[2], "-") != 0 && strcmp(line->words[2], "?") != 0)
        trace->contexts[index].region = find_region(trace, line->words[2]);
    return 0;
}

static int find_operation(const char *name)
{
    for (size_t o = 0; o < sizeof operation_names / sizeof operation_names[0]; o++) {
        if (strcmp(operation_names[o].name, name) == 0)
            return (int)operation_names[o].class;
    }
    return -1;
}

/// The same name, where it stays.
static const char *operation_name(const char *name)
{
    for (size_t o = 0; o < sizeof operation_names / sizeof operation_names[0]; o++) {
        if (strcmp(operation_names[o].name, name) == 0)
            return operation_names[o].name;
    }
    return NULL;
}

static bool is_uneven(const char *operation)
{
    static const char *const uneven[] = {"gatherv", "allgatherv", "alltoallv", "alltoallw",
                                         "reduce_scatter"};
    for (size_t i = 0; i < sizeof uneven / sizeof uneven[0]; i++)
        if (strcmp(operation, uneven[i]) == 0)
            return true;
    return false;
}

/// Puts the operands of one record, words 3.., into RECORD. The ranks are those of the
/// communicator yet; resolve_peers() makes world ranks of them. NULL, or what was expected.
static const char *parse_operands(struct reference_trace *trace, const struct line *line,
                                  struct record *record)
{
    static const char *const formats[] = {
        [RECORD_ENTER] = "r",
        [RECORD_LEAVE] = "r",
        [RECORD_SEND] = "cptb",
        [RECORD_ISEND] = "cptbq",
        [RECORD_ISEND_COMPLETE] = "q",
        [RECORD_IRECV_REQUEST] = "qcpt",
        [RECORD_RECV] = "cptb",
        [RECORD_IRECV] = "cptbq",
        [RECORD_CANCEL] = "q",
        [RECORD_COLL_END] = "ocpbB",
        [RECORD_COLL_REQUEST] = "q",
        [RECORD_COLL_COMPLETE] = "ocpbBq",
        [RECORD_FORK] = "",
        [RECORD_JOIN] = "",
        [RECORD_TEAM_BEGIN] = "",
        [RECORD_TEAM_END] = "",
        [RECORD_CPU] = "n",
        [RECORD_OTHER] = "",
    };
    char *const *words = line->words + 3;
    size_t n_words = line->n_words - 3;
    const char *format = formats[record->kind];
    for (size_t i = 0; format[i]; i++) {
        if (i >= n_words && record->kind == RECORD_IRECV_REQUEST && i == 1)
            return NULL;
        if (i >= n_words)
            return "more operands";
        uint64_t number = REFERENCE_NONE;
        bool is_open = strcmp(words[i], "any") == 0 || strcmp(words[i], "-") == 0;
        if (strchr("ptbBqn", format[i]) && !is_open && !read_number(words[i], &number))
            return "a number";
        int class;
        switch (format[i]) {
        case 'r':
            record->region = find_region(trace, words[i]);
            break;
        case 'o':
            if ((class = find_operation(words[i])) < 0)
                return "a collective operation";
            record->class = (enum operation_class) class;
            record->is_uneven = is_uneven(words[i]);
            record->operation = operation_name(words[i]);
            break;
        case 'n':
            record->cpu_ns = number;
            break;
        case 'c':
            if ((record->comm = find_comm(trace, words[i])) == REFERENCE_NONE)
                return "a communicator declared above";
            record->has_envelope = true;
            break;
        case 'p':
            record->peer = (uint32_t)number;
            break;
        case 't':
            record->tag = (uint32_t)number;
            break;
        case 'b':
            record->sent_bytes = number;
            break;
        case 'B':
            record->received_bytes = number;
            break;
        default:
            record->request = number;
            break;
        }
    }
    return NULL;
}

/// Takes what says where the call is off the end of an enter line.
static uint32_t take_context(struct reference_trace *trace, struct line *line)
{
    if (line->n_words < 6)
        return REFERENCE_NONE;
    const char *kind = line->words[line->n_words - 2], *name = line->words[line->n_words - 1];
    bool is_context = strcmp(kind, "at") == 0;
    if (!is_context && strcmp(kind, "at-line") != 0)
        return REFERENCE_NONE;
    line->n_words -= 2;
    return is_context ? find_context(trace, name) : REFERENCE_NONE;
}

/// Takes what says how much work a visit does off the end of an enter line.
static void take_work(struct line *line, struct record *record)
{
    if (line->n_words < 6 || strcmp(line->words[4], "work") != 0)
        return;
    read_number(line->words[5], &record->work_units);
    if (line->n_words > 6)
        read_number(line->words[6], &record->n_elements);
    line->n_words = 4;
}

/// Takes a last word that says that an operation is in place off the line.
static bool take_in_place(struct line *line)
{
    bool is_there = line->n_words > 0 && strcmp(line->words[line->n_words - 1], "in-place") == 0;
    line->n_words -= is_there;
    return is_there;
}

static int parse_record(struct reference_trace *trace, struct line *line, struct error *err)
{
    struct reference_location *location = find_location(trace, line->words[0]);
    struct record record = {.kind = RECORD_OTHER,
                            .region = REFERENCE_NONE,
                            .comm = REFERENCE_NONE,
                            .peer = REFERENCE_NONE,
                            .tag = REFERENCE_NONE,
                            .is_in_place = take_in_place(line),
                            .context = take_context(trace, line)};
    if (!location || line->n_words < 3 || !read_number(line->words[1], &record.time_ns))
        return fail(line, "expected LOCATION TIME RECORD", err);
    size_t n_names = sizeof record_names / sizeof record_names[0], name = 0;
    while (name < n_names && strcmp(record_names[name].name, line->words[2]) != 0)
        name++;
    if (name == n_names)
        return fail(line, "unknown record", err);
    record.kind = record_names[name].kind;
    take_work(line, &record);
    const char *expected = parse_operands(trace, line, &record);
    if (expected)
        return error_set(err, "line %zu: expected %s", line->number, expected);
    if (location->in_polls && record.time_ns > location->polls_end_ns)
        record.time_ns = location->polls_end_ns;
    if (record.kind == RECORD_LEAVE)
        location->in_polls = false;
    uint64_t inside_ns;
    if (record.kind == RECORD_ENTER && line->n_words > 5 &&
        read_number(line->words[5], &inside_ns)) {
        location->in_polls = true;
        location->polls_end_ns = record.time_ns + inside_ns;
    }
    if (record.kind == RECORD_ENTER && line->n_words > 4)
        read_number(line->words[4], &record.n_polls);
    location->records = array_reserve(location->records, &location->capacity,
                                      location->n_records + 1, sizeof *location->records);
    location->records[location->n_records++] = record;
    return 0;
}

static int parse_line(struct reference_trace *trace, struct line *line, struct error *err)
{
    if (line->n_words == 0)
        return 0;
    const char *word = line->words[0];
    if (strcmp(word, "clock") == 0 && line->n_words == 2 &&
        read_number(line->words[1], &trace->ticks_per_second))
        return 0;
    if (strcmp(word, "spawned") == 0 && line->n_words == 2 &&
        read_number(line->words[1], &trace->n_spawned_ranks))
        return 0;
    if (strcmp(word, "cores") == 0 && line->n_words == 3)
        return 0; // predictions read it themselves
    if (strcmp(word, "nodes") == 0) {
        trace->n_ranks = (uint32_t)(line->n_words - 1);
        return 0;
    }
    if (strcmp(word, "location") == 0 && line->n_words == 2)
        return find_location(trace, line->words[1]) ? 0 : fail(line, "expected a location", err);
    if (strcmp(word, "comm") == 0 || strcmp(word, "intercomm") == 0)
        return parse_comm(trace, line, err);
    if (strcmp(word, "region") == 0)
        return parse_region(trace, line, err);
    if (strcmp(word, "context") == 0)
        return parse_context(trace, line, err);
    return parse_record(trace, line, err);
}

static uint32_t world_rank(const struct reference_trace *trace, const struct reference_comm *comm,
                           uint32_t rank, uint32_t peer)
{
    if (peer == REFERENCE_NONE || comm == &trace->comms[0])
        return peer;
    if (comm->is_self)
        return rank;
    const uint32_t *group = comm->members;
    uint32_t n_group = comm->n_members;
    for (uint32_t m = 0; comm->n_remote > 0 && m < comm->n_members; m++) {
        if (comm->members[m] == rank) {
            group = comm->remote;
            n_group = comm->n_remote;
        }
    }
    return peer < n_group ? group[peer] : REFERENCE_NONE;
}

/// From ranks in communicators to world ranks, from ticks to ns since the first record.
static void resolve_records(struct reference_trace *trace)
{
    uint64_t first = UINT64_MAX;
    for (size_t l = 0; l < trace->n_locations; l++) {
        if (trace->locations[l].n_records > 0 && trace->locations[l].records[0].time_ns < first)
            first = trace->locations[l].records[0].time_ns;
    }
    double ns_per_tick = 1e9 / (double)trace->ticks_per_second;
    for (size_t l = 0; l < trace->n_locations; l++) {
        struct reference_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->n_records; i++) {
            struct record *record = &location->records[i];
            uint64_t ticks = record->time_ns - first;
            record->time_ns = trace->ticks_per_second == 1000000000
                                  ? ticks
                                  : (uint64_t)((double)ticks * ns_per_tick);
            if (record->time_ns > trace->time_ns)
                trace->time_ns = record->time_ns;
            if (record->comm != REFERENCE_NONE)
                record->peer =
                    world_rank(trace, &trace->comms[record->comm], location->rank, record->peer);
        }
    }
}

static void close_open_regions(struct reference_location *location)
{
    uint32_t stack[256];
    size_t depth = 0;
    for (size_t i = 0; i < location->n_records; i++) {
        if (location->records[i].kind == RECORD_ENTER && depth < 256)
            stack[depth++] = location->records[i].region;
        else if (location->records[i].kind == RECORD_LEAVE && depth > 0)
            depth--;
    }
    if (depth == 0)
        return;
    uint64_t end_ns = location->records[location->n_records - 1].time_ns;
    location->records = array_reserve(location->records, &location->capacity,
                                      location->n_records + depth, sizeof *location->records);
    while (depth > 0)
        location->records[location->n_records++] = (struct record){.kind = RECORD_LEAVE,
                                                                   .time_ns = end_ns,
                                                                   .region = stack[--depth],
                                                                   .is_missing = true,
                                                                   .comm = REFERENCE_NONE};
}

int reference_trace_parse(struct reference_trace *trace, const char *text, struct error *err)
{
    *trace = (struct reference_trace){.ticks_per_second = 1000000000};
    add_comm(trace, "world");
    add_comm(trace, "self")->is_self = true;
    struct line line = {0};
    int status = 0;
    while (status == 0 && line_next(&line, &text))
        status = parse_line(trace, &line, err);
    free(line.buffer);
    if (status != 0)
        return status;
    struct reference_comm *world = &trace->comms[0];
    world->members = memory_zeroed(trace->n_ranks + 1, sizeof *world->members);
    for (world->n_members = 0; world->n_members < trace->n_ranks; world->n_members++)
        world->members[world->n_members] = world->n_members;
    resolve_records(trace);
    for (size_t l = 0; l < trace->n_locations; l++)
        close_open_regions(&trace->locations[l]);
    return 0;
}

void reference_trace_release(struct reference_trace *trace)
{
    for (size_t l = 0; l < trace->n_locations; l++)
        free(trace->locations[l].records);
    for (size_t r = 0; r < trace->n_regions; r++)
        free(trace->regions[r].name);
    for (size_t c = 0; c < trace->n_contexts; c++) {
        free(trace->contexts[c].name);
        free(trace->contexts[c].place);
    }
    for (size_t c = 0; c < trace->n_comms; c++) {
        free(trace->comms[c].name);
        free(trace->comms[c].members);
        free(trace->comms[c].remote);
    }
    free(trace->locations);
    free(trace->regions);
    free(trace->comms);
    free(trace->contexts);
    *trace = (struct reference_trace){0};
}

uint32_t reference_comm_members(const struct reference_trace *trace, uint32_t comm, uint32_t rank,
                                uint32_t *members)
{
    const struct reference_comm *definition = &trace->comms[comm];
    if (definition->is_self) {
        members[0] = rank;
        return 1;
    }
    uint32_t n = 0;
    for (uint32_t m = 0; m < definition->n_members; m++)
        members[n++] = definition->members[m];
    for (uint32_t m = 0; m < definition->n_remote; m++)
        members[n++] = definition->remote[m];
    return n;
}
