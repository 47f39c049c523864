// SPDX-License-Identifier: BSD-3-Clause
// Text traces to archives (see text_trace.h). Two passes over the lines: the first finds out how
// many ranks there are and reads the definitions, the second writes the events as they come.
#include "tests/tools/lib/text_trace.h"

#include <ctype.h>
#include <errno.h>
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
    SCOPED char *copy = memory_copy_text(word);
    char *dot = strchr(copy, '.');
    if (dot)
        *dot = '\0';
    bool is_good = text_parse_number(parser, copy, &rank) &&
                   (!dot || text_parse_number(parser, dot + 1, &thread));
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

enum { MAX_ARGUMENTS = 6, MAX_EVENT_WORDS = 16 };

/// One word of an event by its type: a number (`n`, `u` of 32 bits), a communicator, an operation,
/// its root, `any` or a number (`p`), in-place, on or off (`m`), a window (`W`), the target of a
/// lock (`t`) and its type (`x`), the group of a communicator (`g`), what a window synchronises
/// (`s`), a file (`F`), how it is accessed (`k`) and by whom (`f`), a word that stays one.
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
    case 'F':
        *value = archive_writer_find_file(parser->writer, word);
        return *value != OTF2_UNDEFINED_IO_HANDLE || FAIL(parser, "file '%s' is not defined", word);
    case 'k':
        *value = strcmp(word, "read") == 0    ? OTF2_IO_OPERATION_MODE_READ
                 : strcmp(word, "write") == 0 ? OTF2_IO_OPERATION_MODE_WRITE
                                              : OTF2_IO_OPERATION_MODE_FLUSH;
        return *value != OTF2_IO_OPERATION_MODE_FLUSH || strcmp(word, "flush") == 0 ||
               FAIL(parser, "an operation is read, write or flush, not '%s'", word);
    case 'f':
        *value = strcmp(word, "collective") == 0 ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                 : strcmp(word, "split") == 0
                     ? OTF2_IO_OPERATION_FLAG_COLLECTIVE | OTF2_IO_OPERATION_FLAG_NON_BLOCKING
                     : OTF2_IO_OPERATION_FLAG_NONE;
        return *value != OTF2_IO_OPERATION_FLAG_NONE || strcmp(word, "alone") == 0 ||
               FAIL(parser, "an operation is alone, collective or split, not '%s'", word);
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
    if (colon)
        *colon = ':'; // for the next rank
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

static OTF2_RegionRef region_of(struct parser *parser)
{
    const char *name = parser->words[3];
    return archive_writer_region(parser->writer, name, NULL, 0, text_default_paradigm(name));
}

static bool write_enter(struct parser *parser)
{
    if (parser->n_words < 4 || parser->n_words > 8)
        return FAIL(parser, "'enter' has the wrong number of words");
    if (!parse_call_site(parser))
        return false;
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
    bool is_barrier = parser->n_words == 6 && strcmp(parser->words[4], "barrier") == 0;
    if (is_barrier || (parser->n_words == 6 && strcmp(parser->words[4], "condition") == 0)) {
        uint32_t number;
        if (!text_parse_u32(parser, parser->words[5], &number))
            return false;
        OTF2_AttributeList_AddUint32(
            parser->attributes,
            is_barrier ? ARCHIVE_ATTRIBUTE_BARRIER : ARCHIVE_ATTRIBUTE_CONDITION, number);
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
    OTF2_EvtWriter_Enter(parser->events, parser->attributes, parser->ticks, region_of(parser));
    return true;
}

/// The words after the name of an event, one for each of TYPES, into A. Those after a bar may be
/// missing all together; else they are attributes.
static bool parse_arguments(struct parser *parser, const char *types, uint64_t *a)
{
    OTF2_AttributeList *list = parser->attributes;
    size_t n_given = parser->n_words - 3, n_needed = strcspn(types, "|");
    size_t n_all = strlen(types) - (types[n_needed] == '|');
    if (n_given != n_needed && n_given != n_all)
        return FAIL(parser, "'%s' has the wrong number of words", parser->words[2]);
    for (size_t i = 0; i < n_given; i++)
        if (!parse_argument(parser, types[i + (i >= n_needed)], parser->words[3 + i], &a[i]))
            return false;
    if (n_given == n_needed)
        return true;
    if (types[n_needed + 1] == 'i')
        OTF2_AttributeList_AddUint8(list, ARCHIVE_ATTRIBUTE_IN_PLACE, 1);
    else
        OTF2_AttributeList_AddCommRef(list, ARCHIVE_ATTRIBUTE_COMMUNICATOR, (OTF2_CommRef)a[1]);
    if (n_given > n_needed + 1) {
        OTF2_AttributeList_AddInt32(list, ARCHIVE_ATTRIBUTE_SOURCE, (int32_t)a[2]);
        OTF2_AttributeList_AddInt32(list, ARCHIVE_ATTRIBUTE_TAG, (int32_t)a[3]);
    }
    return true;
}

static OTF2_CallingContextRef context_of(struct parser *parser)
{
    return archive_writer_context(parser->writer, parser->words[3]);
}

static void write_metric(struct parser *parser, OTF2_MetricRef metric, uint8_t n, const uint64_t *a)
{
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    const OTF2_MetricValue values[] = {{.unsigned_int = a[0]}, {.unsigned_int = a[1]}};
    OTF2_EvtWriter_Metric(parser->events, NULL, parser->ticks, metric, n, types, values);
}

/// Each event: its name, the types of its words, and what is written of them.
static bool write_words(struct parser *parser)
{
    const char *name = parser->words[2];
    uint64_t a[MAX_ARGUMENTS + 1] = {0};
#define EVENT(word, types, ...)                                                                    \
    if (strcmp(name, word) == 0) {                                                                 \
        if (!parse_arguments(parser, types, a))                                                    \
            return false;                                                                          \
        __VA_ARGS__;                                                                               \
        return true;                                                                               \
    }
#define WRITE(kind, ...) OTF2_EvtWriter_##kind(parser->events, __VA_ARGS__)
#define PLAIN            NULL, parser->ticks
#define LISTED           parser->attributes, parser->ticks
    EVENT("leave", "w", WRITE(Leave, PLAIN, region_of(parser)))
    EVENT("context-enter", "w", WRITE(CallingContextEnter, PLAIN, context_of(parser), 1))
    EVENT("context-leave", "w", WRITE(CallingContextLeave, PLAIN, context_of(parser)))
    EVENT("send", "cuun", WRITE(MpiSend, PLAIN, a[1], a[0], a[2], a[3]))
    EVENT("isend", "cuunn", WRITE(MpiIsend, PLAIN, a[1], a[0], a[2], a[3], a[4]))
    EVENT("isend-complete", "n", WRITE(MpiIsendComplete, PLAIN, a[0]))
    EVENT("irecv-request", "n|cpp", WRITE(MpiIrecvRequest, LISTED, a[0]))
    EVENT("recv", "cuun", WRITE(MpiRecv, PLAIN, a[1], a[0], a[2], a[3]))
    EVENT("irecv", "cuunn", WRITE(MpiIrecv, PLAIN, a[1], a[0], a[2], a[3], a[4]))
    EVENT("test", "n", WRITE(MpiRequestTest, PLAIN, a[0]))
    EVENT("cancel", "n", WRITE(MpiRequestCancelled, PLAIN, a[0]))
    EVENT("coll-begin", "", WRITE(MpiCollectiveBegin, PLAIN))
    EVENT("coll-end", "ocrnn|i", WRITE(MpiCollectiveEnd, LISTED, a[0], a[1], a[2], a[3], a[4]))
    EVENT("coll-request", "n|c", WRITE(NonBlockingCollectiveRequest, LISTED, a[0]))
    EVENT("coll-complete", "ocrnnn|i",
          WRITE(NonBlockingCollectiveComplete, LISTED, a[0], a[1], a[2], a[3], a[4], a[5]))
    EVENT("window-begin", "", WRITE(RmaCollectiveBegin, PLAIN))
    EVENT("window-end", "oWrnn",
          WRITE(RmaCollectiveEnd, PLAIN, a[0], OTF2_RMA_SYNC_LEVEL_PROCESS, a[1], a[2], a[3], a[4]))
    EVENT(
        "lock", "Wtx",
        WRITE(RmaRequestLock, PLAIN, a[0], a[1], 0, a[2] ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED))
    EVENT("unlock", "Wt", WRITE(RmaReleaseLock, PLAIN, a[0], a[1], 0))
    EVENT("sync", "Wgs", WRITE(RmaGroupSync, PLAIN, a[2], a[0], a[1]))
    EVENT("put", "Wun", WRITE(RmaPut, PLAIN, a[0], a[1], a[2], 0))
    EVENT("get", "Wun", WRITE(RmaGet, PLAIN, a[0], a[1], a[2], 0))
    EVENT("atomic", "Wunn",
          WRITE(RmaAtomic, PLAIN, a[0], a[1], OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, a[2], a[3], 0))
    EVENT("file-open", "F",
          WRITE(IoCreateHandle, PLAIN, a[0], OTF2_IO_ACCESS_MODE_READ_WRITE,
                OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE))
    EVENT("file-close", "F", WRITE(IoDestroyHandle, PLAIN, a[0]))
    EVENT("file-change", "F",
          OTF2_AttributeList_AddUint8(parser->attributes, ARCHIVE_ATTRIBUTE_COLLECTIVE, 1),
          WRITE(IoChangeStatusFlags, LISTED, a[0], OTF2_IO_STATUS_FLAG_NONE))
    EVENT("file-begin", "kFf", WRITE(IoOperationBegin, PLAIN, a[1], a[0], a[2], 0, 0))
    EVENT("file-end", "Fn", WRITE(IoOperationComplete, PLAIN, a[0], a[1], 0))
    EVENT("cpu", "n", write_metric(parser, ARCHIVE_METRIC_CPU_TIME, 1, a))
    // And ready to run without a core.
    EVENT("cpu-wait", "nn", write_metric(parser, ARCHIVE_METRIC_CORE_WAIT, 2, a))
    EVENT("fork", "u", WRITE(ThreadFork, PLAIN, OTF2_PARADIGM_OPENMP, a[0]))
    EVENT("join", "", WRITE(ThreadJoin, PLAIN, OTF2_PARADIGM_OPENMP))
    EVENT("team-begin", "c", WRITE(ThreadTeamBegin, PLAIN, a[0]))
    EVENT("team-end", "c", WRITE(ThreadTeamEnd, PLAIN, a[0]))
    EVENT("thread-create", "cn", WRITE(ThreadCreate, PLAIN, a[0], a[1]))
    EVENT("thread-begin", "cn", WRITE(ThreadBegin, PLAIN, a[0], a[1]))
    EVENT("thread-wait", "cn", WRITE(ThreadWait, PLAIN, a[0], a[1]))
    EVENT("thread-end", "cn", WRITE(ThreadEnd, PLAIN, a[0], a[1]))
    EVENT("locked", "u", WRITE(ThreadAcquireLock, PLAIN, POSIX, a[0], 1))
    EVENT("unlocked", "u", WRITE(ThreadReleaseLock, PLAIN, POSIX, a[0], 1))
    EVENT("flush", "n", WRITE(BufferFlush, PLAIN, a[0]))
    EVENT("measurement", "m",
          WRITE(MeasurementOnOff, PLAIN, a[0] ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF))
    return FAIL(parser, "'%s' is not an event", name);
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
    return strcmp(parser->words[2], "enter") == 0 ? write_enter(parser) : write_words(parser);
}

static bool read_line(void *context, char **words, size_t n_words)
{
    struct parser *parser = context;
    bool is_definition;
    parser->words = words;
    parser->n_words = n_words;
    bool is_good = text_definition(parser, &is_definition);
    return is_definition ? is_good : write_event(parser);
}

/// Calls TAKE for each event of a line of one location.
static bool take_line(char **words, size_t n_words, text_trace_take *take, void *context)
{
    char *dash = n_words > 2 && isdigit((unsigned char)*words[0]) ? strchr(words[1], '-') : NULL;
    if (!dash)
        return take(context, words, n_words);
    char *event[MAX_EVENT_WORDS] = {words[0], words[1], (char *)"enter"};
    size_t n = 3; // words of EVENT
    bool goes_on = true;
    *dash = '\0';
    for (size_t i = 2; i <= n_words && goes_on; i++) {
        bool is_end = i == n_words || strcmp(words[i], ";") == 0;
        if (!is_end && n < MAX_EVENT_WORDS)
            event[n++] = words[i];
        else if (is_end) {
            goes_on = take(context, event, n);
            n = 1;
        }
    }
    char *leave[] = {words[0], dash + 1, (char *)"leave", words[2]};
    goes_on = goes_on && take(context, leave, sizeof leave / sizeof *leave);
    *dash = '-';
    return goes_on;
}

bool text_trace_events(char **words, size_t n_words, text_trace_take *take, void *context)
{
    char *first = words[0], *end;
    unsigned long rank = strtoul(first, &end, 10);
    if (end == first || *end != '-')
        return take_line(words, n_words, take, context);
    unsigned long last = strtoul(end + 1, NULL, 10);
    bool goes_on = true;
    for (; rank <= last && goes_on; rank++) {
        SCOPED char *location = memory_format("%lu", rank);
        words[0] = location;
        goes_on = take_line(words, n_words, take, context);
    }
    words[0] = first;
    return goes_on;
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
    SCOPED char **words = memory_zeroed(MAX_WORDS, sizeof *words);
    bool is_good = true;
    parser->line = 0;
    for (char *line; is_good && (line = strsep(&rest, "\n"));) {
        size_t n_words = 0;
        parser->line++;
        for (char *word; (word = text_trace_word(&line));)
            if (n_words < MAX_WORDS)
                words[n_words++] = word;
        if (n_words)
            is_good = text_trace_events(words, n_words, read_line, parser);
    }
    free(copy);
    return is_good ? 0 : error_wrap(parser->err, "line %u", parser->line);
}

int text_trace_write(const char *text, const char *directory, struct error *err)
{
    struct parser parser = {.err = err};
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
    return result;
}
