// SPDX-License-Identifier: BSD-3-Clause
// Parses text traces, one line after the other, into arrays of records by location.
#include "tests/reference/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/text_trace.h"

enum { MAX_WORDS = 64 };

/// One line, or event of a line, taken apart.
struct line {
    char **words;
    size_t n_words;
};

/// Records, and their operands after time and name: a region (r), a number of CPU time (n), a
/// communicator or window (c), an operation (o), a rank or root (p), a tag (t), bytes sent and
/// received (b, B), a request (q), the target of a lock (g) and its type (x), the members of a
/// communicator (G), what is synchronised (s), a file (F), how it is accessed (k) and by whom (f).
static const struct {
    const char *name;
    enum record_kind kind;
    const char *format;
} records[] = {
    {"enter", RECORD_ENTER, "r"},
    {"leave", RECORD_LEAVE, "r"},
    {"send", RECORD_SEND, "cptb"},
    {"isend", RECORD_ISEND, "cptbq"},
    {"isend-complete", RECORD_ISEND_COMPLETE, "q"},
    {"irecv-request", RECORD_IRECV_REQUEST, "qcpt"},
    {"recv", RECORD_RECV, "cptb"},
    {"irecv", RECORD_IRECV, "cptbq"},
    {"cancel", RECORD_CANCEL, "q"},
    {"coll-end", RECORD_COLL_END, "ocpbB"},
    {"window-end", RECORD_COLL_END, "ocpbB"},
    {"file-open", RECORD_COLL_END, "F"},
    {"file-close", RECORD_COLL_END, "F"},
    {"file-change", RECORD_COLL_END, "F"},
    {"file-begin", RECORD_COLL_END, "kFf"},
    {"file-end", RECORD_OTHER, ""},
    {"coll-request", RECORD_COLL_REQUEST, "q"},
    {"coll-complete", RECORD_COLL_COMPLETE, "ocpbBq"},
    {"fork", RECORD_FORK, ""},
    {"join", RECORD_JOIN, ""},
    {"team-begin", RECORD_TEAM_BEGIN, ""},
    {"team-end", RECORD_TEAM_END, ""},
    {"thread-create", RECORD_THREAD_CREATE, "cq"},
    {"thread-begin", RECORD_THREAD_BEGIN, "cq"},
    {"thread-end", RECORD_THREAD_END, "cq"},
    {"thread-wait", RECORD_THREAD_WAIT, "cq"},
    {"test", RECORD_OTHER, ""},
    {"coll-begin", RECORD_OTHER, ""},
    {"window-begin", RECORD_OTHER, ""},
    {"locked", RECORD_OTHER, ""},
    {"unlocked", RECORD_OTHER, ""},
    {"cpu", RECORD_CPU, "n"},
    {"lock", RECORD_LOCK, "cgx"},
    {"unlock", RECORD_UNLOCK, "cg"},
    {"sync", RECORD_SYNC, "cGs"},
    {"put", RECORD_ACCESS, "cp"},
    {"get", RECORD_ACCESS, "cp"},
    {"atomic", RECORD_ACCESS, "cp"},
};

static const struct {
    const char *name;
    enum operation_class class;
    bool is_uneven; // members may give and take different amounts
} operations[] = {
    {"barrier", CLASS_BARRIER, false},
    {"bcast", CLASS_ONE_TO_ALL, false},
    {"scatter", CLASS_ONE_TO_ALL, false},
    {"scatterv", CLASS_ONE_TO_ALL, false},
    {"gather", CLASS_ALL_TO_ONE, false},
    {"gatherv", CLASS_ALL_TO_ONE, true},
    {"reduce", CLASS_ALL_TO_ONE, false},
    {"allgather", CLASS_ALL_TO_ALL, false},
    {"allgatherv", CLASS_ALL_TO_ALL, true},
    {"alltoall", CLASS_ALL_TO_ALL, false},
    {"alltoallv", CLASS_ALL_TO_ALL, true},
    {"alltoallw", CLASS_ALL_TO_ALL, true},
    {"allreduce", CLASS_ALL_TO_ALL, false},
    {"reduce_scatter", CLASS_ALL_TO_ALL, true},
    {"reduce_scatter_block", CLASS_ALL_TO_ALL, false},
    {"scan", CLASS_SCAN, false},
    {"exscan", CLASS_SCAN, false},
    {"create_handle", CLASS_HANDLE, false},
    {"destroy_handle", CLASS_HANDLE, false},
};

/// The number WORD is; REFERENCE_NONE: any, none.
static uint64_t number_of(const char *word)
{
    return *word >= '0' && *word <= '9' ? strtoull(word, NULL, 10) : REFERENCE_NONE;
}

static uint32_t find_comm(const struct reference_trace *trace, const char *name)
{
    size_t c = FIND_BY(trace->comms, trace->n_comms, name, name);
    return c < trace->n_comms ? (uint32_t)c : REFERENCE_NONE;
}

/// What stands for the window or file NAME among the communicators.
static uint32_t find_window(const struct reference_window *windows, size_t n, const char *name)
{
    const struct reference_window *window = ITEM_BY(windows, n, name, name);
    return window ? window->comm : REFERENCE_NONE;
}

static struct reference_comm *add_comm(struct reference_trace *trace, const char *name)
{
    struct reference_comm *comm = ARRAY_NEXT(trace->comms, trace->n_comms, trace->comm_capacity);
    *comm = (struct reference_comm){.name = memory_copy_text(name)};
    return comm;
}

/// Operations on a window match apart from those on its communicator.
static void parse_window(struct reference_trace *trace, const struct line *line)
{
    uint32_t base = find_comm(trace, line->words[2]);
    *ARRAY_NEXT(trace->windows, trace->n_windows, trace->window_capacity) =
        (struct reference_window){memory_copy_text(line->words[1]), base, (uint32_t)trace->n_comms};
    add_comm(trace, "");
}

/// So do those on all files of a communicator.
static void parse_file(struct reference_trace *trace, const struct line *line)
{
    uint32_t base = find_comm(trace, line->words[2]), comm = (uint32_t)trace->n_comms;
    for (size_t f = 0; f < trace->n_files; f++)
        if (trace->files[f].base == base)
            comm = trace->files[f].comm;
    if (base == REFERENCE_NONE || trace->comms[base].is_self)
        comm = base = REFERENCE_NONE;
    *ARRAY_NEXT(trace->files, trace->n_files, trace->file_capacity) =
        (struct reference_window){memory_copy_text(line->words[1]), base, comm};
    if (comm == trace->n_comms)
        add_comm(trace, "");
}

/// Windows or files get the members of their communicators, when these are known.
static void fill_windows(struct reference_trace *trace, const struct reference_window *windows,
                         size_t n)
{
    for (size_t w = 0; w < n; w++) {
        if (windows[w].base == REFERENCE_NONE)
            continue;
        const struct reference_comm *base = &trace->comms[windows[w].base];
        struct reference_comm *comm = &trace->comms[windows[w].comm];
        free(comm->members);
        comm->is_self = base->is_self;
        comm->n_members = base->n_members;
        comm->members = memory_zeroed(base->n_members + 1, sizeof *comm->members);
        for (uint32_t m = 0; m < base->n_members; m++)
            comm->members[m] = base->members[m];
    }
}

static uint32_t find_region(struct reference_trace *trace, const char *name)
{
    size_t r = FIND_BY(trace->regions, trace->n_regions, name, name);
    if (r < trace->n_regions)
        return (uint32_t)r;
    *ARRAY_NEXT(trace->regions, trace->n_regions, trace->region_capacity) =
        (struct reference_region){.name = memory_copy_text(name),
                                  .is_mpi = strncmp(name, "MPI_", 4) == 0};
    return (uint32_t)trace->n_regions - 1;
}

static uint32_t find_context(struct reference_trace *trace, const char *name)
{
    size_t c = FIND_BY(trace->contexts, trace->n_contexts, name, name);
    if (c < trace->n_contexts)
        return (uint32_t)c;
    *ARRAY_NEXT(trace->contexts, trace->n_contexts, trace->context_capacity) =
        (struct reference_context){
            .name = memory_copy_text(name), .region = REFERENCE_NONE, .caller = REFERENCE_NONE};
    return (uint32_t)trace->n_contexts - 1;
}

static struct reference_location *find_location(struct reference_trace *trace, const char *word)
{
    uint32_t rank = (uint32_t)number_of(word);
    assert(rank != REFERENCE_NONE);
    uint32_t thread = strchr(word, '.') ? (uint32_t)number_of(strchr(word, '.') + 1) : 0;
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

static void parse_comm(struct reference_trace *trace, const struct line *line)
{
    struct reference_comm *comm = add_comm(trace, line->words[1]);
    comm->members = memory_zeroed(line->n_words, sizeof *comm->members);
    comm->remote = memory_zeroed(line->n_words, sizeof *comm->remote);
    bool in_remote = false;
    for (size_t w = 3; w < line->n_words; w++) {
        if (strcmp(line->words[w], "|") == 0)
            in_remote = true;
        else if (in_remote)
            comm->remote[comm->n_remote++] = (uint32_t)number_of(line->words[w]);
        else
            comm->members[comm->n_members++] = (uint32_t)number_of(line->words[w]);
    }
}

static void parse_region(struct reference_trace *trace, const struct line *line)
{
    uint32_t index = find_region(trace, line->words[1]);
    if (line->n_words > 3)
        trace->regions[index].is_mpi = strcmp(line->words[3], "mpi") == 0;
}

static void parse_context(struct reference_trace *trace, const struct line *line)
{
    uint32_t index = find_context(trace, line->words[1]);
    if (line->n_words > 4 && strcmp(line->words[4], "?") != 0) {
        uint32_t caller = find_context(trace, line->words[4]);
        trace->contexts[index].caller = caller;
    }
    if (strchr(line->words[3], ':'))
        trace->contexts[index].place = memory_copy_text(line->words[3]);
    if (strcmp(line->words[2], "-") != 0 && strcmp(line->words[2], "?") != 0)
        trace->contexts[index].region = find_region(trace, line->words[2]);
}

/// Puts the operands of one record, words 3.., into RECORD. The ranks are those of the
/// communicator yet; resolve_records() makes world ranks of them.
static void parse_operands(struct reference_trace *trace, const struct line *line,
                           const char *format, struct record *record)
{
    for (size_t i = 0; format[i] && 3 + i < line->n_words; i++) {
        const char *word = line->words[3 + i];
        switch (format[i]) {
        case 'r':
            record->region = find_region(trace, word);
            break;
        case 'o':
            for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
                if (strcmp(word, operations[o].name) != 0)
                    continue;
                record->class = operations[o].class;
                record->operation = operations[o].name;
                record->is_uneven = operations[o].is_uneven;
            }
            if (record->is_window) // a fence need not synchronise
                record->class = CLASS_HANDLE;
            break;
        case 'n':
            record->cpu_ns = number_of(word);
            break;
        case 'c':
            record->comm = record->is_window ? find_window(trace->windows, trace->n_windows, word)
                                             : find_comm(trace, word);
            record->has_envelope = true;
            break;
        case 'F':
            record->comm = find_window(trace->files, trace->n_files, word);
            if (record->comm == REFERENCE_NONE)
                record->kind = RECORD_OTHER;
            break;
        case 'k':
            record->operation = strcmp(word, "read") == 0    ? "file_read"
                                : strcmp(word, "write") == 0 ? "file_write"
                                                             : "file_sync";
            break;
        case 'f':
            if (strcmp(word, "collective") != 0)
                record->kind = RECORD_OTHER;
            break;
        case 'g':
            record->target = strcmp(word, "all") == 0 ? REFERENCE_NONE : (uint32_t)number_of(word);
            break;
        case 'G':
            record->group = find_comm(trace, word);
            break;
        case 's':
            record->is_end = strcmp(word, "memory") == 0;
            if (strcmp(word, "none") == 0)
                record->kind = RECORD_OTHER;
            break;
        case 'x':
            record->is_exclusive = strcmp(word, "exclusive") == 0;
            break;
        case 'p':
            record->peer = (uint32_t)number_of(word);
            break;
        case 't':
            record->tag = (uint32_t)number_of(word);
            break;
        case 'b':
            record->sent_bytes = number_of(word);
            break;
        case 'B':
            record->received_bytes = number_of(word);
            break;
        default:
            record->request = number_of(word);
            break;
        }
    }
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
    record->work_units = number_of(line->words[5]);
    if (line->n_words > 6)
        record->n_elements = number_of(line->words[6]);
    line->n_words = 4;
}

/// Takes a last word that says that an operation is in place off the line.
static bool take_in_place(struct line *line)
{
    bool is_there = line->n_words > 0 && strcmp(line->words[line->n_words - 1], "in-place") == 0;
    line->n_words -= is_there;
    return is_there;
}

static void parse_record(struct reference_trace *trace, struct line *line)
{
    struct reference_location *location = find_location(trace, line->words[0]);
    struct record record = {.kind = RECORD_OTHER,
                            .time_ns = number_of(line->words[1]),
                            .region = REFERENCE_NONE,
                            .comm = REFERENCE_NONE,
                            .peer = REFERENCE_NONE,
                            .tag = REFERENCE_NONE,
                            .is_in_place = take_in_place(line),
                            .context = take_context(trace, line)};
    size_t name = 0;
    while (strcmp(records[name].name, line->words[2]) != 0) {
        name++;
        assert(name < sizeof records / sizeof records[0]);
    }
    record.kind = records[name].kind;
    record.is_window = strcmp(line->words[2], "window-end") == 0 || record.kind == RECORD_LOCK ||
                       record.kind == RECORD_UNLOCK || record.kind == RECORD_SYNC ||
                       record.kind == RECORD_ACCESS;
    record.is_file = strncmp(line->words[2], "file-", 5) == 0;
    if (record.is_file) { // MPI does not ask for any of them to synchronise
        record.class = CLASS_HANDLE;
        record.operation = records[name].name;
    }
    take_work(line, &record);
    parse_operands(trace, line, records[name].format, &record);
    if (location->in_polls && record.time_ns > location->polls_end_ns)
        record.time_ns = location->polls_end_ns;
    if (record.kind == RECORD_LEAVE)
        location->in_polls = false;
    if (record.kind == RECORD_ENTER && line->n_words > 5) {
        location->in_polls = true;
        location->polls_end_ns = record.time_ns + number_of(line->words[5]);
    }
    if (record.kind == RECORD_ENTER && line->n_words > 4)
        record.n_polls = number_of(line->words[4]);
    *ARRAY_NEXT(location->records, location->n_records, location->capacity) = record;
}

static bool parse_line(void *context, char **words, size_t n_words)
{
    struct reference_trace *trace = context;
    struct line own = {words, n_words}, *line = &own;
    const char *word = words[0];
    if (strcmp(word, "clock") == 0)
        trace->ticks_per_second = number_of(line->words[1]);
    else if (strcmp(word, "spawned") == 0)
        trace->n_spawned_ranks = number_of(line->words[1]);
    else if (strcmp(word, "nodes") == 0)
        trace->n_ranks = (uint32_t)(line->n_words - 1);
    else if (strcmp(word, "location") == 0)
        find_location(trace, line->words[1]);
    else if (strcmp(word, "comm") == 0 || strcmp(word, "intercomm") == 0)
        parse_comm(trace, line);
    else if (strcmp(word, "window") == 0)
        parse_window(trace, line);
    else if (strcmp(word, "file") == 0)
        parse_file(trace, line);
    else if (strcmp(word, "region") == 0)
        parse_region(trace, line);
    else if (strcmp(word, "context") == 0)
        parse_context(trace, line);
    else if (strcmp(word, "cores") != 0 && strcmp(word, "mpi") != 0) // predictions read those
        parse_record(trace, line);
    return true;
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

void reference_trace_parse(struct reference_trace *trace, const char *text)
{
    *trace = (struct reference_trace){.ticks_per_second = 1000000000};
    add_comm(trace, "world");
    add_comm(trace, "self")->is_self = true;
    char *copy = memory_copy_text(text), *rest = copy, *next;
    while ((next = strsep(&rest, "\n"))) {
        char *words[MAX_WORDS];
        size_t n_words = 0;
        for (char *word; n_words < MAX_WORDS && (word = text_trace_word(&next));)
            words[n_words++] = word;
        if (n_words > 0)
            text_trace_events(words, n_words, parse_line, trace);
    }
    free(copy);
    struct reference_comm *world = &trace->comms[0];
    world->members = memory_zeroed(trace->n_ranks + 1, sizeof *world->members);
    for (world->n_members = 0; world->n_members < trace->n_ranks; world->n_members++)
        world->members[world->n_members] = world->n_members;
    fill_windows(trace, trace->windows, trace->n_windows);
    fill_windows(trace, trace->files, trace->n_files);
    resolve_records(trace);
    for (size_t l = 0; l < trace->n_locations; l++)
        close_open_regions(&trace->locations[l]);
}

void reference_trace_release(struct reference_trace *trace)
{
    FREE_MEMBERS(trace->locations, trace->n_locations, records);
    FREE_MEMBERS(trace->regions, trace->n_regions, name);
    FREE_MEMBERS(trace->contexts, trace->n_contexts, name, place);
    FREE_MEMBERS(trace->comms, trace->n_comms, name, members, remote);
    FREE_ALL(trace->locations, trace->regions, trace->comms);
    FREE_MEMBERS(trace->windows, trace->n_windows, name);
    FREE_MEMBERS(trace->files, trace->n_files, name);
    FREE_ALL(trace->windows, trace->files, trace->contexts);
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
