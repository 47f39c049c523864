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
#include "tests/tools/lib/text_parser.h"

bool text_parse_number(struct parser *parser, const char *word, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)*word) || *end || errno)
        return FAIL(parser, "'%s' is not a number", word);
    return true;
}

bool text_parse_u32(struct parser *parser, const char *word, uint32_t *number)
{
    uint64_t wide;
    if (!text_parse_number(parser, word, &wide))
        return false;
    if (wide > UINT32_MAX)
        return FAIL(parser, "'%s' is too large", word);
    *number = (uint32_t)wide;
    return true;
}

// RANK or RANK.THREAD
bool text_parse_location(struct parser *parser, const char *word, uint64_t *location)
{
    uint64_t rank, thread = 0;
    char *copy = memory_copy_text(word);
    char *dot = strchr(copy, '.');
    if (dot)
        *dot = '\0';
    bool is_good = text_parse_number(parser, copy, &rank) &&
                   (!dot || text_parse_number(parser, dot + 1, &thread));
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

static bool parse_op(struct parser *parser, const char *word, uint64_t *op)
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
            *op = i;
            return true;
        }
    return FAIL(parser, "'%s' is not a collective operation", word);
}

enum { MAX_ARGUMENTS = 6 };

/// One word of an event by its type: a number (`n`, `u` of 32 bits), a communicator, an operation,
/// its root, `any` or a number (`p`), in-place, on or off (`m`), a window (`W`), the target of a
/// lock (`t`) and its type (`x`), the group of a communicator (`g`), what a window synchronises
/// (`s`), a word that stays one.
static bool parse_argument(struct parser *parser, char type, const char *word, uint64_t *value)
{
    *value = 0;
    switch (type) {
    case 'c':
        *value = archive_writer_find_comm(parser->writer, word);
        return *value != OTF2_UNDEFINED_COMM || strcmp(word, "-") == 0 ||
               FAIL(parser, "communicator '%s' is not defined", word);
    case 'o':
        return parse_op(parser, word, value);
    case 'r':
        *value = strcmp(word, "-") == 0            ? OTF2_COLLECTIVE_ROOT_NONE
                 : strcmp(word, "self") == 0       ? OTF2_COLLECTIVE_ROOT_SELF
                 : strcmp(word, "this-group") == 0 ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                                   : 0;
        return *value != 0 || parse_argument(parser, 'u', word, value);
    case 'p':
        *value = (uint64_t)-1;
        return strcmp(word, "any") == 0 || parse_argument(parser, 'u', word, value);
    case 'i':
        return strcmp(word, "in-place") == 0 || FAIL(parser, "'%s' is not in-place", word);
    case 'm':
        *value = strcmp(word, "on") == 0;
        return *value || strcmp(word, "off") == 0 ||
               FAIL(parser, "measurement is on or off, not '%s'", word);
    case 'W':
        *value = archive_writer_find_window(parser->writer, word);
        return *value != OTF2_UNDEFINED_RMA_WIN || FAIL(parser, "window '%s' is not defined", word);
    case 'g':
        if (!parse_argument(parser, 'c', word, value))
            return false;
        *value = archive_writer_group(parser->writer, (uint32_t)*value);
        return true;
    case 's':
        *value = strcmp(word, "process") == 0 ? OTF2_RMA_SYNC_LEVEL_PROCESS
                 : strcmp(word, "memory") == 0
                     ? OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY
                     : OTF2_RMA_SYNC_LEVEL_NONE;
        return *value != OTF2_RMA_SYNC_LEVEL_NONE || strcmp(word, "none") == 0 ||
               FAIL(parser, "a window synchronises none, process or memory, not '%s'", word);
    case 't':
        *value = UINT32_MAX;
        return strcmp(word, "all") == 0 || parse_argument(parser, 'u', word, value);
    case 'x':
        *value = strcmp(word, "exclusive") == 0;
        return *value || strcmp(word, "shared") == 0 ||
               FAIL(parser, "a lock is exclusive or shared, not '%s'", word);
    case 'w':
        return true;
    case 'u':
        return text_parse_number(parser, word, value) &&
               (*value <= UINT32_MAX || FAIL(parser, "'%s' is too large", word));
    default:
        return text_parse_number(parser, word, value);
    }
}

OTF2_Paradigm text_default_paradigm(const char *region)
{
    return strncmp(region, "MPI_", 4) == 0 ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER;
}

// FILE or FILE:LINE as a source code location, `-` and `?` as in text_trace.h.
bool text_parse_source(struct parser *parser, char *word, uint32_t *source)
{
    char *colon = strrchr(word, ':');
    uint32_t line = 0;
    *source = strcmp(word, "?") == 0 ? ARCHIVE_DANGLING : OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
    if (strcmp(word, "?") == 0 || strcmp(word, "-") == 0)
        return true;
    if (colon && !text_parse_u32(parser, colon + 1, &line))
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
    if (!text_parse_source(parser, parser->words[n - 1], &source))
        return false;
    OTF2_AttributeList_AddSourceCodeLocationRef(parser->attributes, ARCHIVE_ATTRIBUTE_CALL_LINE,
                                                source);
    return true;
}

static bool write_enter(struct parser *parser)
{
    if (parser->n_words < 4 || parser->n_words > 8)
        return FAIL(parser, "'enter' has the wrong number of words");
    if (!parse_call_site(parser))
        return false;
    const char *name = parser->words[3];
    uint64_t n_polls, inside_ns;
    bool has_work = parser->n_words > 5 && strcmp(parser->words[4], "work") == 0;
    if (has_work) {
        char *end;
        double work = strtod(parser->words[5], &end);
        if (*end)
            return FAIL(parser, "'%s' is not a number", parser->words[5]);
        OTF2_AttributeList_AddDouble(parser->attributes, ARCHIVE_ATTRIBUTE_WORK, work);
        uint64_t n_elements = 0;
        if (parser->n_words > 6 && !text_parse_number(parser, parser->words[6], &n_elements))
            return false;
        if (parser->n_words > 6)
            OTF2_AttributeList_AddUint64(parser->attributes, ARCHIVE_ATTRIBUTE_ELEMENTS,
                                         n_elements);
        parser->n_words = 4;
    }
    if (parser->n_words == 6 && strcmp(parser->words[4], "barrier") == 0) {
        uint32_t barrier;
        if (!text_parse_u32(parser, parser->words[5], &barrier))
            return false;
        OTF2_AttributeList_AddUint32(parser->attributes, ARCHIVE_ATTRIBUTE_BARRIER, barrier);
        parser->n_words = 4;
    }
    if (parser->n_words > 4) {
        if (!text_parse_number(parser, parser->words[4], &n_polls))
            return false;
        OTF2_AttributeList_AddUint64(parser->attributes, ARCHIVE_ATTRIBUTE_POLL_COUNT, n_polls);
    }
    if (parser->n_words > 5) {
        if (!text_parse_number(parser, parser->words[5], &inside_ns))
            return false;
        OTF2_AttributeList_AddUint64(parser->attributes, ARCHIVE_ATTRIBUTE_POLL_NS, inside_ns);
    }
    uint32_t region =
        archive_writer_region(parser->writer, name, NULL, 0, text_default_paradigm(name));
    OTF2_EvtWriter_Enter(parser->events, parser->attributes, parser->ticks, region);
    return true;
}

enum event_kind {
    ENTER,
    LEAVE,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    SEND,
    ISEND,
    ISEND_COMPLETE,
    IRECV_REQUEST,
    RECV,
    IRECV,
    TEST,
    CANCEL,
    COLL_BEGIN,
    COLL_END,
    COLL_REQUEST,
    COLL_COMPLETE,
    WINDOW_BEGIN,
    WINDOW_END,
    LOCK,
    UNLOCK,
    SYNC,
    PUT,
    GET,
    ATOMIC,
    CPU,
    CPU_WAIT,
    FORK,
    JOIN,
    TEAM_BEGIN,
    TEAM_END,
    THREAD_CREATE,
    THREAD_BEGIN,
    THREAD_WAIT,
    THREAD_END,
    LOCKED,
    UNLOCKED,
    FLUSH,
    MEASUREMENT,
};

// By kind; the types of the words, those after a bar may be missing all together.
static const struct {
    const char *name, *arguments;
} event_kinds[] = {
    [ENTER] = {"enter", NULL},
    [LEAVE] = {"leave", "w"},
    [CONTEXT_ENTER] = {"context-enter", "w"},
    [CONTEXT_LEAVE] = {"context-leave", "w"},
    [SEND] = {"send", "cuun"},
    [ISEND] = {"isend", "cuunn"},
    [ISEND_COMPLETE] = {"isend-complete", "n"},
    [IRECV_REQUEST] = {"irecv-request", "n|cpp"},
    [RECV] = {"recv", "cuun"},
    [IRECV] = {"irecv", "cuunn"},
    [TEST] = {"test", "n"},
    [CANCEL] = {"cancel", "n"},
    [COLL_BEGIN] = {"coll-begin", ""},
    [COLL_END] = {"coll-end", "ocrnn|i"},
    [COLL_REQUEST] = {"coll-request", "n|c"},
    [COLL_COMPLETE] = {"coll-complete", "ocrnnn|i"},
    [WINDOW_BEGIN] = {"window-begin", ""},
    [WINDOW_END] = {"window-end", "oWrnn"},
    [LOCK] = {"lock", "Wtx"},
    [UNLOCK] = {"unlock", "Wt"},
    [SYNC] = {"sync", "Wgs"},
    [PUT] = {"put", "Wun"},
    [GET] = {"get", "Wun"},
    [ATOMIC] = {"atomic", "Wunn"},
    [CPU] = {"cpu", "n"},
    [CPU_WAIT] = {"cpu-wait", "nn"}, // and ready to run without a core
    [FORK] = {"fork", "u"},
    [JOIN] = {"join", ""},
    [TEAM_BEGIN] = {"team-begin", "c"},
    [TEAM_END] = {"team-end", "c"},
    [THREAD_CREATE] = {"thread-create", "cn"},
    [THREAD_BEGIN] = {"thread-begin", "cn"},
    [THREAD_WAIT] = {"thread-wait", "cn"},
    [THREAD_END] = {"thread-end", "cn"},
    [LOCKED] = {"locked", "u"},
    [UNLOCKED] = {"unlocked", "u"},
    [FLUSH] = {"flush", "n"},
    [MEASUREMENT] = {"measurement", "m"},
};
enum { N_EVENT_KINDS = sizeof event_kinds / sizeof *event_kinds };

/// What is said in words that may be missing.
static void add_attributes(OTF2_AttributeList *list, enum event_kind kind, const uint64_t *a)
{
    switch (kind) {
    case IRECV_REQUEST:
        OTF2_AttributeList_AddCommRef(list, ARCHIVE_ATTRIBUTE_COMMUNICATOR, (OTF2_CommRef)a[1]);
        OTF2_AttributeList_AddInt32(list, ARCHIVE_ATTRIBUTE_SOURCE, (int32_t)a[2]);
        OTF2_AttributeList_AddInt32(list, ARCHIVE_ATTRIBUTE_TAG, (int32_t)a[3]);
        break;
    case COLL_REQUEST:
        OTF2_AttributeList_AddCommRef(list, ARCHIVE_ATTRIBUTE_COMMUNICATOR, (OTF2_CommRef)a[1]);
        break;
    default:
        OTF2_AttributeList_AddUint8(list, ARCHIVE_ATTRIBUTE_IN_PLACE, 1);
    }
}

/// Threads, and what a location measures or does for the recording.
static void write_thread_kind(const struct parser *parser, enum event_kind kind, const uint64_t *a)
{
    OTF2_EvtWriter *events = parser->events;
    const OTF2_TimeStamp at = parser->ticks;
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    const OTF2_MetricValue values[] = {{.unsigned_int = a[0]}, {.unsigned_int = a[1]}};
    switch (kind) {
    case CPU:
        OTF2_EvtWriter_Metric(events, NULL, at, ARCHIVE_METRIC_CPU_TIME, 1, types, values);
        break;
    case CPU_WAIT:
        OTF2_EvtWriter_Metric(events, NULL, at, ARCHIVE_METRIC_CORE_WAIT, 2, types, values);
        break;
    case FORK:
        OTF2_EvtWriter_ThreadFork(events, NULL, at, OTF2_PARADIGM_OPENMP, (uint32_t)a[0]);
        break;
    case JOIN:
        OTF2_EvtWriter_ThreadJoin(events, NULL, at, OTF2_PARADIGM_OPENMP);
        break;
    case TEAM_BEGIN:
        OTF2_EvtWriter_ThreadTeamBegin(events, NULL, at, (OTF2_CommRef)a[0]);
        break;
    case TEAM_END:
        OTF2_EvtWriter_ThreadTeamEnd(events, NULL, at, (OTF2_CommRef)a[0]);
        break;
    case THREAD_CREATE:
        OTF2_EvtWriter_ThreadCreate(events, NULL, at, (OTF2_CommRef)a[0], a[1]);
        break;
    case THREAD_WAIT:
        OTF2_EvtWriter_ThreadWait(events, NULL, at, (OTF2_CommRef)a[0], a[1]);
        break;
    case THREAD_BEGIN:
        OTF2_EvtWriter_ThreadBegin(events, NULL, at, (OTF2_CommRef)a[0], a[1]);
        break;
    case THREAD_END:
        OTF2_EvtWriter_ThreadEnd(events, NULL, at, (OTF2_CommRef)a[0], a[1]);
        break;
    case LOCKED:
        OTF2_EvtWriter_ThreadAcquireLock(events, NULL, at, POSIX, (uint32_t)a[0], 1);
        break;
    case UNLOCKED:
        OTF2_EvtWriter_ThreadReleaseLock(events, NULL, at, POSIX, (uint32_t)a[0], 1);
        break;
    case FLUSH:
        OTF2_EvtWriter_BufferFlush(events, NULL, at, a[0]);
        break;
    case MEASUREMENT:
        OTF2_EvtWriter_MeasurementOnOff(events, NULL, at,
                                        a[0] ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
        break;
    default:
        break;
    }
}

static void write_kind(struct parser *parser, enum event_kind kind, const uint64_t *a)
{
    OTF2_EvtWriter *events = parser->events;
    OTF2_AttributeList *list = parser->attributes;
    const OTF2_TimeStamp at = parser->ticks;
    const char *name = parser->n_words > 3 ? parser->words[3] : "";
    const uint32_t comm = (uint32_t)a[0], peer = (uint32_t)a[1], tag = (uint32_t)a[2];
    const OTF2_CollectiveOp op = (OTF2_CollectiveOp)a[0];
    switch (kind) {
    case ENTER:
        break;
    case LEAVE:
        OTF2_EvtWriter_Leave(
            events, NULL, at,
            archive_writer_region(parser->writer, name, NULL, 0, text_default_paradigm(name)));
        break;
    case CONTEXT_ENTER:
        OTF2_EvtWriter_CallingContextEnter(events, NULL, at,
                                           archive_writer_context(parser->writer, name), 1);
        break;
    case CONTEXT_LEAVE:
        OTF2_EvtWriter_CallingContextLeave(events, NULL, at,
                                           archive_writer_context(parser->writer, name));
        break;
    case SEND:
        OTF2_EvtWriter_MpiSend(events, NULL, at, peer, comm, tag, a[3]);
        break;
    case ISEND:
        OTF2_EvtWriter_MpiIsend(events, NULL, at, peer, comm, tag, a[3], a[4]);
        break;
    case ISEND_COMPLETE:
        OTF2_EvtWriter_MpiIsendComplete(events, NULL, at, a[0]);
        break;
    case IRECV_REQUEST:
        OTF2_EvtWriter_MpiIrecvRequest(events, list, at, a[0]);
        break;
    case RECV:
        OTF2_EvtWriter_MpiRecv(events, NULL, at, peer, comm, tag, a[3]);
        break;
    case IRECV:
        OTF2_EvtWriter_MpiIrecv(events, NULL, at, peer, comm, tag, a[3], a[4]);
        break;
    case TEST:
        OTF2_EvtWriter_MpiRequestTest(events, NULL, at, a[0]);
        break;
    case CANCEL:
        OTF2_EvtWriter_MpiRequestCancelled(events, NULL, at, a[0]);
        break;
    case COLL_BEGIN:
        OTF2_EvtWriter_MpiCollectiveBegin(events, NULL, at);
        break;
    case COLL_END:
        OTF2_EvtWriter_MpiCollectiveEnd(events, list, at, op, (OTF2_CommRef)a[1], (uint32_t)a[2],
                                        a[3], a[4]);
        break;
    case COLL_REQUEST:
        OTF2_EvtWriter_NonBlockingCollectiveRequest(events, list, at, a[0]);
        break;
    case COLL_COMPLETE:
        OTF2_EvtWriter_NonBlockingCollectiveComplete(events, list, at, op, (OTF2_CommRef)a[1],
                                                     (uint32_t)a[2], a[3], a[4], a[5]);
        break;
    case WINDOW_BEGIN:
        OTF2_EvtWriter_RmaCollectiveBegin(events, NULL, at);
        break;
    case WINDOW_END:
        OTF2_EvtWriter_RmaCollectiveEnd(events, NULL, at, op, OTF2_RMA_SYNC_LEVEL_PROCESS,
                                        (OTF2_RmaWinRef)a[1], (uint32_t)a[2], a[3], a[4]);
        break;
    case LOCK:
        OTF2_EvtWriter_RmaRequestLock(events, NULL, at, (OTF2_RmaWinRef)a[0], (uint32_t)a[1], 0,
                                      a[2] ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
        break;
    case UNLOCK:
        OTF2_EvtWriter_RmaReleaseLock(events, NULL, at, (OTF2_RmaWinRef)a[0], (uint32_t)a[1], 0);
        break;
    case SYNC:
        OTF2_EvtWriter_RmaGroupSync(events, NULL, at, (OTF2_RmaSyncLevel)a[2], (OTF2_RmaWinRef)a[0],
                                    (OTF2_GroupRef)a[1]);
        break;
    case PUT:
        OTF2_EvtWriter_RmaPut(events, NULL, at, (OTF2_RmaWinRef)a[0], (uint32_t)a[1], a[2], 0);
        break;
    case GET:
        OTF2_EvtWriter_RmaGet(events, NULL, at, (OTF2_RmaWinRef)a[0], (uint32_t)a[1], a[2], 0);
        break;
    case ATOMIC:
        OTF2_EvtWriter_RmaAtomic(events, NULL, at, (OTF2_RmaWinRef)a[0], (uint32_t)a[1],
                                 OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, a[2], a[3], 0);
        break;
    default:
        write_thread_kind(parser, kind, a);
    }
}

/// The words of an event of KIND after its name, and the event.
static bool write_arguments(struct parser *parser, enum event_kind kind)
{
    const char *types = event_kinds[kind].arguments;
    size_t n_given = parser->n_words - 3, n_needed = strcspn(types, "|");
    size_t n_all = strlen(types) - (types[n_needed] == '|');
    uint64_t arguments[MAX_ARGUMENTS + 1] = {0};
    if (n_given != n_needed && n_given != n_all)
        return FAIL(parser, "'%s' has the wrong number of words", parser->words[2]);
    for (size_t i = 0; i < n_given; i++)
        if (!parse_argument(parser, types[i + (i >= n_needed)], parser->words[3 + i],
                            &arguments[i]))
            return false;
    if (n_given > n_needed)
        add_attributes(parser->attributes, kind, arguments);
    write_kind(parser, kind, arguments);
    return true;
}

static bool write_event(struct parser *parser)
{
    uint64_t location;
    if (!text_parse_location(parser, parser->words[0], &location))
        return false;
    if (!parser->writer)
        return true;
    if (parser->n_words < 3)
        return FAIL(parser, "an event is LOC TIME NAME ...");
    if (!text_parse_number(parser, parser->words[1], &parser->ticks))
        return false;
    parser->events = archive_writer_events(parser->writer, location);
    for (size_t kind = 0; kind < N_EVENT_KINDS; kind++)
        if (strcmp(parser->words[2], event_kinds[kind].name) == 0)
            return kind == ENTER ? write_enter(parser) : write_arguments(parser, kind);
    return FAIL(parser, "'%s' is not an event", parser->words[2]);
}

static bool read_line(struct parser *parser)
{
    bool is_definition;
    bool is_good = text_definition(parser, &is_definition);
    return is_definition ? is_good : write_event(parser);
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
