// SPDX-License-Identifier: BSD-3-Clause
// Text traces to archives (see text_trace.h). Two passes over the lines: the first finds out how
// many ranks there are and reads the definitions, the second writes the events as they come.
#include "tests/tools/lib/text_trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/archive_writer.h"

enum { MAX_WORDS = 4096 };

struct parser {
    struct archive_writer *writer; // NULL in the pass that counts ranks
    OTF2_AttributeList *attributes;
    struct error *err;
    unsigned line;
    char **words; // of the current line
    size_t n_words;
    uint32_t n_ranks;
    // of the current event line
    OTF2_EvtWriter *events;
    uint64_t ticks;
};

#define FAIL(parser, ...) (error_set((parser)->err, __VA_ARGS__), false)

static bool parse_number(struct parser *parser, const char *word, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)*word) || *end || errno)
        return FAIL(parser, "'%s' is no number", word);
    return true;
}

static bool parse_u32(struct parser *parser, const char *word, uint32_t *number)
{
    uint64_t wide;
    if (!parse_number(parser, word, &wide))
        return false;
    if (wide > UINT32_MAX)
        return FAIL(parser, "'%s' is too large", word);
    *number = (uint32_t)wide;
    return true;
}

// RANK or RANK.THREAD
static bool parse_location(struct parser *parser, const char *word, uint64_t *location)
{
    uint64_t rank, thread = 0;
    char *copy = memory_copy_text(word);
    char *dot = strchr(copy, '.');
    if (dot)
        *dot = '\0';
    bool is_good =
        parse_number(parser, copy, &rank) && (!dot || parse_number(parser, dot + 1, &thread));
    free(copy);
    if (!is_good)
        return false;
    if (rank >= 1 << 24 || thread >= 1 << 24)
        return FAIL(parser, "location %s is out of range", word);
    if (rank >= parser->n_ranks)
        parser->n_ranks = (uint32_t)rank + 1;
    *location = archive_location((uint32_t)rank, (uint32_t)thread);
    return true;
}

static bool parse_comm(struct parser *parser, const char *word, uint32_t *comm)
{
    *comm = archive_writer_find_comm(parser->writer, word);
    return *comm != OTF2_UNDEFINED_COMM || FAIL(parser, "communicator '%s' is not defined", word);
}

static bool parse_op(struct parser *parser, const char *word, OTF2_CollectiveOp *op)
{
    static const char *const names[] = {
        "barrier",
        "bcast",
        "gather",
        "gatherv",
        "scatter",
        "scatterv",
        "allgather",
        "allgatherv",
        "alltoall",
        "alltoallv",
        "alltoallw",
        "allreduce",
        "reduce",
        "reduce_scatter",
        "scan",
        "exscan",
        "reduce_scatter_block",
        "create_handle",
        "destroy_handle",
        "allocate",
        "deallocate",
        "create_handle_and_allocate",
        "destroy_handle_and_deallocate",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0) {
            *op = (OTF2_CollectiveOp)i;
            return true;
        }
    return FAIL(parser, "'%s' is no collective operation", word);
}

static bool parse_root(struct parser *parser, const char *word, uint32_t *root)
{
    if (strcmp(word, "-") == 0)
        *root = OTF2_COLLECTIVE_ROOT_NONE;
    else if (strcmp(word, "self") == 0)
        *root = OTF2_COLLECTIVE_ROOT_SELF;
    else if (strcmp(word, "this-group") == 0)
        *root = OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    else
        return parse_u32(parser, word, root);
    return true;
}

// The communicator, rank, tag and size of a message, words 3 to 6.
struct message {
    uint32_t comm, peer, tag;
    uint64_t size_bytes;
};

static bool parse_message(struct parser *parser, struct message *message)
{
    return parse_comm(parser, parser->words[3], &message->comm) &&
           parse_u32(parser, parser->words[4], &message->peer) &&
           parse_u32(parser, parser->words[5], &message->tag) &&
           parse_number(parser, parser->words[6], &message->size_bytes);
}

static OTF2_Paradigm default_paradigm(const char *region)
{
    return strncmp(region, "MPI_", 4) == 0 ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER;
}

// FILE or FILE:LINE as a source code location, `-` and `?` as in text_trace.h.
static bool parse_source(struct parser *parser, char *word, uint32_t *source)
{
    char *colon = strrchr(word, ':');
    uint32_t line = 0;
    *source = strcmp(word, "?") == 0 ? ARCHIVE_DANGLING : OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
    if (strcmp(word, "?") == 0 || strcmp(word, "-") == 0)
        return true;
    if (colon && !parse_u32(parser, colon + 1, &line))
        return false;
    if (colon)
        *colon = '\0';
    if (parser->writer)
        *source = archive_writer_source(parser->writer, word, line);
    return true;
}

// The end of an enter line: `at CONTEXT` or `at-line FILE:LINE`, taken off the words.
static bool parse_call_site(struct parser *parser)
{
    size_t n = parser->n_words;
    bool is_line = n > 5 && strcmp(parser->words[n - 2], "at-line") == 0;
    if (!is_line && (n < 6 || strcmp(parser->words[n - 2], "at") != 0))
        return true;
    parser->n_words -= 2;
    if (!is_line) {
        OTF2_AttributeList_AddCallingContextRef(
            parser->attributes, ARCHIVE_ATTRIBUTE_CALL_SITE,
            archive_writer_context(parser->writer, parser->words[n - 1]));
        return true;
    }
    uint32_t source;
    if (!parse_source(parser, parser->words[n - 1], &source))
        return false;
    OTF2_AttributeList_AddSourceCodeLocationRef(parser->attributes, ARCHIVE_ATTRIBUTE_CALL_LINE,
                                                source);
    return true;
}

static bool write_context_enter(struct parser *parser)
{
    uint32_t context = archive_writer_context(parser->writer, parser->words[3]);
    OTF2_EvtWriter_CallingContextEnter(parser->events, NULL, parser->ticks, context, 1);
    return true;
}

static bool write_context_leave(struct parser *parser)
{
    uint32_t context = archive_writer_context(parser->writer, parser->words[3]);
    OTF2_EvtWriter_CallingContextLeave(parser->events, NULL, parser->ticks, context);
    return true;
}

static bool write_enter(struct parser *parser)
{
    if (!parse_call_site(parser))
        return false;
    const char *name = parser->words[3];
    uint64_t n_polls, inside_ns;
    bool has_work = parser->n_words > 5 && strcmp(parser->words[4], "work") == 0;
    if (has_work) {
        char *end;
        double work = strtod(parser->words[5], &end);
        if (*end)
            return FAIL(parser, "'%s' is no number", parser->words[5]);
        OTF2_AttributeList_AddDouble(parser->attributes, ARCHIVE_ATTRIBUTE_WORK, work);
        uint64_t n_elements = 0;
        if (parser->n_words > 6 && !parse_number(parser, parser->words[6], &n_elements))
            return false;
        if (parser->n_words > 6)
            OTF2_AttributeList_AddUint64(parser->attributes, ARCHIVE_ATTRIBUTE_ELEMENTS,
                                         n_elements);
        parser->n_words = 4;
    }
    if (parser->n_words > 4) {
        if (!parse_number(parser, parser->words[4], &n_polls))
            return false;
        OTF2_AttributeList_AddUint64(parser->attributes, ARCHIVE_ATTRIBUTE_POLL_COUNT, n_polls);
    }
    if (parser->n_words > 5) {
        if (!parse_number(parser, parser->words[5], &inside_ns))
            return false;
        OTF2_AttributeList_AddUint64(parser->attributes, ARCHIVE_ATTRIBUTE_POLL_NS, inside_ns);
    }
    uint32_t region = archive_writer_region(parser->writer, name, NULL, 0, default_paradigm(name));
    OTF2_EvtWriter_Enter(parser->events, parser->attributes, parser->ticks, region);
    return true;
}

static bool write_leave(struct parser *parser)
{
    const char *name = parser->words[3];
    uint32_t region = archive_writer_region(parser->writer, name, NULL, 0, default_paradigm(name));
    OTF2_EvtWriter_Leave(parser->events, NULL, parser->ticks, region);
    return true;
}

static bool write_send(struct parser *parser)
{
    struct message m;
    if (!parse_message(parser, &m))
        return false;
    OTF2_EvtWriter_MpiSend(parser->events, NULL, parser->ticks, m.peer, m.comm, m.tag,
                           m.size_bytes);
    return true;
}

static bool write_recv(struct parser *parser)
{
    struct message m;
    if (!parse_message(parser, &m))
        return false;
    OTF2_EvtWriter_MpiRecv(parser->events, NULL, parser->ticks, m.peer, m.comm, m.tag,
                           m.size_bytes);
    return true;
}

static bool write_isend(struct parser *parser)
{
    struct message m;
    uint64_t request;
    if (!parse_message(parser, &m) || !parse_number(parser, parser->words[7], &request))
        return false;
    OTF2_EvtWriter_MpiIsend(parser->events, NULL, parser->ticks, m.peer, m.comm, m.tag,
                            m.size_bytes, request);
    return true;
}

static bool write_irecv(struct parser *parser)
{
    struct message m;
    uint64_t request;
    if (!parse_message(parser, &m) || !parse_number(parser, parser->words[7], &request))
        return false;
    OTF2_EvtWriter_MpiIrecv(parser->events, NULL, parser->ticks, m.peer, m.comm, m.tag,
                            m.size_bytes, request);
    return true;
}

// A rank or a tag, -1 for `any`.
static bool parse_pattern(struct parser *parser, const char *word, int32_t *number)
{
    uint32_t value;
    *number = -1;
    if (strcmp(word, "any") == 0)
        return true;
    if (!parse_u32(parser, word, &value))
        return false;
    *number = (int32_t)value;
    return true;
}

static bool write_irecv_request(struct parser *parser)
{
    uint64_t request;
    if (!parse_number(parser, parser->words[3], &request))
        return false;
    if (parser->n_words > 4) {
        uint32_t comm;
        int32_t source, tag;
        if (parser->n_words < 7)
            return FAIL(parser, "an envelope is COMM SOURCE TAG");
        if (!parse_comm(parser, parser->words[4], &comm) ||
            !parse_pattern(parser, parser->words[5], &source) ||
            !parse_pattern(parser, parser->words[6], &tag))
            return false;
        OTF2_AttributeList_AddCommRef(parser->attributes, ARCHIVE_ATTRIBUTE_COMMUNICATOR, comm);
        OTF2_AttributeList_AddInt32(parser->attributes, ARCHIVE_ATTRIBUTE_SOURCE, source);
        OTF2_AttributeList_AddInt32(parser->attributes, ARCHIVE_ATTRIBUTE_TAG, tag);
    }
    OTF2_EvtWriter_MpiIrecvRequest(parser->events, parser->attributes, parser->ticks, request);
    return true;
}

// Events that carry one number: a request, a time, a count.
typedef OTF2_ErrorCode write_request(OTF2_EvtWriter *, OTF2_AttributeList *, OTF2_TimeStamp,
                                     uint64_t);

static bool write_one_number(struct parser *parser, write_request *write)
{
    uint64_t number;
    if (!parse_number(parser, parser->words[3], &number))
        return false;
    write(parser->events, NULL, parser->ticks, number);
    return true;
}

static bool write_isend_complete(struct parser *parser)
{
    return write_one_number(parser, OTF2_EvtWriter_MpiIsendComplete);
}

static bool write_test(struct parser *parser)
{
    return write_one_number(parser, OTF2_EvtWriter_MpiRequestTest);
}

static bool write_cancel(struct parser *parser)
{
    return write_one_number(parser, OTF2_EvtWriter_MpiRequestCancelled);
}

static bool write_collective_request(struct parser *parser)
{
    uint64_t request;
    uint32_t comm;
    if (!parse_number(parser, parser->words[3], &request))
        return false;
    if (parser->n_words > 4) {
        if (!parse_comm(parser, parser->words[4], &comm))
            return false;
        OTF2_AttributeList_AddCommRef(parser->attributes, ARCHIVE_ATTRIBUTE_COMMUNICATOR, comm);
    }
    OTF2_EvtWriter_NonBlockingCollectiveRequest(parser->events, parser->attributes, parser->ticks,
                                                request);
    return true;
}

static bool write_flush(struct parser *parser)
{
    return write_one_number(parser, OTF2_EvtWriter_BufferFlush);
}

static bool write_collective_begin(struct parser *parser)
{
    OTF2_EvtWriter_MpiCollectiveBegin(parser->events, NULL, parser->ticks);
    return true;
}

struct collective {
    OTF2_CollectiveOp op;
    uint32_t comm, root;
    uint64_t sent_bytes, received_bytes;
};

static bool parse_collective(struct parser *parser, struct collective *c)
{
    return parse_op(parser, parser->words[3], &c->op) &&
           parse_comm(parser, parser->words[4], &c->comm) &&
           parse_root(parser, parser->words[5], &c->root) &&
           parse_number(parser, parser->words[6], &c->sent_bytes) &&
           parse_number(parser, parser->words[7], &c->received_bytes);
}

/// The word at PLACE, if there is one: that the operation is in place.
static bool parse_in_place(struct parser *parser, size_t place)
{
    if (parser->n_words <= place)
        return true;
    if (strcmp(parser->words[place], "in-place") != 0)
        return FAIL(parser, "'%s' is not in-place", parser->words[place]);
    OTF2_AttributeList_AddUint8(parser->attributes, ARCHIVE_ATTRIBUTE_IN_PLACE, 1);
    return true;
}

static bool write_collective_end(struct parser *parser)
{
    struct collective c;
    if (!parse_collective(parser, &c) || !parse_in_place(parser, 8))
        return false;
    OTF2_EvtWriter_MpiCollectiveEnd(parser->events, parser->attributes, parser->ticks, c.op, c.comm,
                                    c.root, c.sent_bytes, c.received_bytes);
    return true;
}

static bool write_collective_complete(struct parser *parser)
{
    struct collective c;
    uint64_t request;
    if (!parse_collective(parser, &c) || !parse_number(parser, parser->words[8], &request) ||
        !parse_in_place(parser, 9))
        return false;
    OTF2_EvtWriter_NonBlockingCollectiveComplete(parser->events, parser->attributes, parser->ticks,
                                                 c.op, c.comm, c.root, c.sent_bytes,
                                                 c.received_bytes, request);
    return true;
}

static bool write_cpu(struct parser *parser)
{
    const OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value;
    if (!parse_number(parser, parser->words[3], &value.unsigned_int))
        return false;
    OTF2_EvtWriter_Metric(parser->events, NULL, parser->ticks, ARCHIVE_METRIC_CPU_TIME, 1, &type,
                          &value);
    return true;
}

static bool write_fork(struct parser *parser)
{
    uint32_t n_threads;
    if (!parse_u32(parser, parser->words[3], &n_threads))
        return false;
    OTF2_EvtWriter_ThreadFork(parser->events, NULL, parser->ticks, OTF2_PARADIGM_OPENMP, n_threads);
    return true;
}

static bool write_join(struct parser *parser)
{
    OTF2_EvtWriter_ThreadJoin(parser->events, NULL, parser->ticks, OTF2_PARADIGM_OPENMP);
    return true;
}

static bool write_team_begin(struct parser *parser)
{
    uint32_t comm;
    if (!parse_comm(parser, parser->words[3], &comm))
        return false;
    OTF2_EvtWriter_ThreadTeamBegin(parser->events, NULL, parser->ticks, comm);
    return true;
}

static bool write_team_end(struct parser *parser)
{
    uint32_t comm;
    if (!parse_comm(parser, parser->words[3], &comm))
        return false;
    OTF2_EvtWriter_ThreadTeamEnd(parser->events, NULL, parser->ticks, comm);
    return true;
}

static bool write_measurement(struct parser *parser)
{
    bool is_on = strcmp(parser->words[3], "on") == 0;
    if (!is_on && strcmp(parser->words[3], "off") != 0)
        return FAIL(parser, "measurement is on or off, not '%s'", parser->words[3]);
    OTF2_EvtWriter_MeasurementOnOff(parser->events, NULL, parser->ticks,
                                    is_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    return true;
}

static const struct {
    const char *name;
    size_t min_words, max_words; // of the line, LOC TIME NAME included
    bool (*write)(struct parser *parser);
} event_kinds[] = {
    {"enter", 4, 8, write_enter},
    {"leave", 4, 4, write_leave},
    {"context-enter", 4, 4, write_context_enter},
    {"context-leave", 4, 4, write_context_leave},
    {"send", 7, 7, write_send},
    {"isend", 8, 8, write_isend},
    {"isend-complete", 4, 4, write_isend_complete},
    {"irecv-request", 4, 7, write_irecv_request},
    {"recv", 7, 7, write_recv},
    {"irecv", 8, 8, write_irecv},
    {"test", 4, 4, write_test},
    {"cancel", 4, 4, write_cancel},
    {"coll-begin", 3, 3, write_collective_begin},
    {"coll-end", 8, 9, write_collective_end},
    {"coll-request", 4, 5, write_collective_request},
    {"coll-complete", 9, 10, write_collective_complete},
    {"cpu", 4, 4, write_cpu},
    {"fork", 4, 4, write_fork},
    {"join", 3, 3, write_join},
    {"team-begin", 4, 4, write_team_begin},
    {"team-end", 4, 4, write_team_end},
    {"flush", 4, 4, write_flush},
    {"measurement", 4, 4, write_measurement},
};

static bool write_event(struct parser *parser)
{
    uint64_t location;
    if (!parse_location(parser, parser->words[0], &location))
        return false;
    if (!parser->writer)
        return true;
    if (parser->n_words < 3)
        return FAIL(parser, "an event is LOC TIME NAME ...");
    if (!parse_number(parser, parser->words[1], &parser->ticks))
        return false;
    parser->events = archive_writer_events(parser->writer, location);
    for (size_t i = 0; i < sizeof event_kinds / sizeof *event_kinds; i++) {
        if (strcmp(parser->words[2], event_kinds[i].name) != 0)
            continue;
        if (parser->n_words < event_kinds[i].min_words ||
            parser->n_words > event_kinds[i].max_words)
            return FAIL(parser, "'%s' has the wrong number of words", parser->words[2]);
        return event_kinds[i].write(parser);
    }
    return FAIL(parser, "'%s' is no event", parser->words[2]);
}

// Member lists "0 2 3" or "0 1 | 2 3" from word FIRST on; *N_LEFT counts those left of the bar.
static bool parse_members(struct parser *parser, size_t first, uint64_t *members, uint32_t *n_left,
                          uint32_t *n)
{
    bool has_bar = false;
    *n = *n_left = 0;
    for (size_t i = first; i < parser->n_words; i++) {
        if (strcmp(parser->words[i], "|") == 0) {
            has_bar = true;
            continue;
        }
        if (!parse_number(parser, parser->words[i], &members[*n]))
            return false;
        if (members[*n] >= parser->n_ranks)
            parser->n_ranks = (uint32_t)members[*n] + 1;
        ++*n;
        if (!has_bar)
            ++*n_left;
    }
    return true;
}

static bool define_comm(struct parser *parser)
{
    uint32_t n_left, n;
    if (parser->n_words < 4 || strcmp(parser->words[2], "ranks") != 0)
        return FAIL(parser, "a communicator is: comm NAME ranks R ...");
    uint64_t *members = memory_zeroed(parser->n_words, sizeof *members);
    bool is_good = parse_members(parser, 3, members, &n_left, &n);
    bool is_intercomm = strcmp(parser->words[0], "intercomm") == 0;
    if (is_good && is_intercomm != (n_left < n))
        is_good = FAIL(parser, "an intercommunicator has two groups with | between them");
    if (is_good && parser->writer)
        archive_writer_comm(parser->writer, parser->words[1], members, n_left, members + n_left,
                            n - n_left);
    free(members);
    return is_good;
}

static bool define_nodes(struct parser *parser)
{
    uint32_t n = (uint32_t)parser->n_words - 1;
    if (n > parser->n_ranks)
        parser->n_ranks = n;
    for (uint32_t rank = 0; parser->writer && rank < n; rank++)
        archive_writer_set_node(parser->writer, rank, parser->words[rank + 1]);
    return true;
}

static bool define_cores(struct parser *parser)
{
    uint32_t n_cores;
    if (parser->n_words != 3)
        return FAIL(parser, "the cores of a node are: cores NODE NUMBER");
    if (!parse_u32(parser, parser->words[2], &n_cores))
        return false;
    if (parser->writer)
        archive_writer_set_cores(parser->writer, parser->words[1], n_cores);
    return true;
}

static bool define_bound(struct parser *parser)
{
    uint32_t rank;
    if (parser->n_words != 3)
        return FAIL(parser, "what a rank is bound to is: bound RANK CORES");
    if (!parse_u32(parser, parser->words[1], &rank))
        return false;
    if (parser->writer && rank < parser->n_ranks)
        archive_writer_set_bound(parser->writer, rank, parser->words[2]);
    return true;
}

static bool define_mpi(struct parser *parser)
{
    if (parser->n_words != 2 && parser->n_words != 3)
        return FAIL(parser, "the MPI of the run is: mpi NAME [VARIABLE=VALUE]");
    if (parser->writer)
        archive_writer_set_mpi(parser->writer, parser->words[1],
                               parser->n_words == 3 ? parser->words[2] : NULL);
    return true;
}

static bool define_region(struct parser *parser)
{
    if (parser->n_words < 3 || parser->n_words > 4)
        return FAIL(parser, "a region is: region NAME FILE:LINE [user|mpi|openmp|marker]");
    char *colon = strrchr(parser->words[2], ':');
    uint32_t line = 0;
    if (colon && !parse_u32(parser, colon + 1, &line))
        return false;
    if (colon)
        *colon = '\0';
    OTF2_Paradigm paradigm = default_paradigm(parser->words[1]);
    const char *word = parser->n_words > 3 ? parser->words[3] : "";
    bool is_marker = strcmp(word, "marker") == 0;
    if (is_marker || strcmp(word, "user") == 0)
        paradigm = OTF2_PARADIGM_USER;
    else if (strcmp(word, "mpi") == 0)
        paradigm = OTF2_PARADIGM_MPI;
    else if (strcmp(word, "openmp") == 0)
        paradigm = OTF2_PARADIGM_OPENMP;
    else if (*word)
        return FAIL(parser, "a region is of user, mpi, openmp or marker, not '%s'", word);
    const char *file = strcmp(parser->words[2], "-") == 0 ? NULL : parser->words[2];
    if (parser->writer) {
        uint32_t region =
            archive_writer_region(parser->writer, parser->words[1], file, line, paradigm);
        if (is_marker)
            archive_writer_is_marker(parser->writer, region);
    }
    return true;
}

static bool define_context(struct parser *parser)
{
    uint32_t region = OTF2_UNDEFINED_REGION, source, parent = OTF2_UNDEFINED_CALLING_CONTEXT;
    if (parser->n_words < 4 || parser->n_words > 5)
        return FAIL(parser, "a context is: context NAME FUNCTION FILE[:LINE] [CALLER]");
    if (!parse_source(parser, parser->words[3], &source))
        return false;
    if (!parser->writer)
        return true;
    const char *function = parser->words[2];
    if (strcmp(function, "?") == 0)
        region = ARCHIVE_DANGLING;
    else if (strcmp(function, "-") != 0)
        region =
            archive_writer_region(parser->writer, function, NULL, 0, default_paradigm(function));
    if (parser->n_words > 4)
        parent = strcmp(parser->words[4], "?") == 0
                     ? ARCHIVE_DANGLING
                     : archive_writer_context(parser->writer, parser->words[4]);
    archive_writer_set_context(parser->writer,
                               archive_writer_context(parser->writer, parser->words[1]), region,
                               source, parent);
    return true;
}

static bool define_offset(struct parser *parser)
{
    uint64_t location, ticks;
    if (parser->n_words != 4)
        return FAIL(parser, "a clock offset is: offset LOC TIME OFFSET");
    if (!parse_location(parser, parser->words[1], &location) ||
        !parse_number(parser, parser->words[2], &ticks))
        return false;
    if (parser->writer)
        archive_writer_clock_offset(parser->writer, location, ticks,
                                    strtoll(parser->words[3], NULL, 10));
    return true;
}

static bool define_location(struct parser *parser)
{
    uint64_t location;
    if (parser->n_words != 2)
        return FAIL(parser, "a location is: location RANK.THREAD");
    if (!parse_location(parser, parser->words[1], &location))
        return false;
    if (parser->writer)
        archive_writer_events(parser->writer, location);
    return true;
}

static bool define_clock(struct parser *parser)
{
    uint64_t ticks_per_second;
    if (parser->n_words != 2)
        return FAIL(parser, "a clock is: clock TICKS-PER-SECOND");
    if (!parse_number(parser, parser->words[1], &ticks_per_second))
        return false;
    if (parser->writer)
        archive_writer_set_clock(parser->writer, ticks_per_second);
    return true;
}

static bool define_spawned(struct parser *parser)
{
    uint64_t n_ranks;
    if (parser->n_words != 2)
        return FAIL(parser, "spawned ranks are: spawned NUMBER");
    if (!parse_number(parser, parser->words[1], &n_ranks))
        return false;
    if (parser->writer)
        archive_writer_set_spawned(parser->writer, (uint32_t)n_ranks);
    return true;
}

static bool read_line(struct parser *parser)
{
    static const struct {
        const char *name;
        bool (*define)(struct parser *parser);
    } definitions[] = {
        {"clock", define_clock},     {"nodes", define_nodes},    {"location", define_location},
        {"comm", define_comm},       {"intercomm", define_comm}, {"region", define_region},
        {"offset", define_offset},   {"cores", define_cores},    {"context", define_context},
        {"spawned", define_spawned}, {"bound", define_bound},    {"mpi", define_mpi},
    };
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        if (strcmp(parser->words[0], definitions[i].name) == 0)
            return definitions[i].define(parser);
    return write_event(parser);
}

char *text_trace_word(char **line)
{
    char *word = *line + strspn(*line, " \t\r");
    bool is_quoted = *word == '"';
    word += is_quoted;
    char *end = word + strcspn(word, is_quoted ? "\"" : " \t\r#");
    if (end == word)
        return NULL;
    bool is_last = *end == '\0' || *end == '#';
    *end = '\0';
    *line = end + !is_last;
    return word;
}

// One pass over all lines of TEXT.
static int read_text(struct parser *parser, const char *text)
{
    char *copy = memory_copy_text(text);
    char *rest = copy;
    bool is_good = true;
    parser->line = 0;
    for (char *line; is_good && (line = strsep(&rest, "\n"));) {
        parser->line++;
        parser->n_words = 0;
        for (char *word; (word = text_trace_word(&line));)
            if (parser->n_words < MAX_WORDS)
                parser->words[parser->n_words++] = word;
        if (parser->n_words)
            is_good = read_line(parser);
    }
    free(copy);
    return is_good ? 0 : error_wrap(parser->err, "line %u", parser->line);
}

int text_trace_write(const char *text, const char *directory, struct error *err)
{
    struct parser parser = {.err = err, .words = memory_zeroed(MAX_WORDS, sizeof(char *))};
    int result = read_text(&parser, text);
    if (result == 0 && parser.n_ranks == 0)
        result = error_set(err, "the text names no rank");
    if (result == 0) {
        parser.writer = archive_writer_new(directory, parser.n_ranks, err);
        if (!parser.writer)
            result = -1;
    }
    if (result == 0) {
        parser.attributes = OTF2_AttributeList_New();
        result = read_text(&parser, text);
        OTF2_AttributeList_Delete(parser.attributes);
        if (result == 0)
            result = archive_writer_close(parser.writer, NULL, NULL, err);
        else
            archive_writer_abandon(parser.writer);
    }
    free(parser.words);
    return result;
}
