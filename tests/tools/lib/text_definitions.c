// SPDX-License-Identifier: BSD-3-Clause
// The definitions of a text trace (see text_trace.h), one function for each kind of line. In the
// first pass, without a writer, they say how many ranks there are.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/text_parser.h"

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
        if (!text_parse_number(parser, parser->words[i], &members[*n]))
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
    if (strcmp(parser->words[2], "ranks") != 0)
        return FAIL(parser, "a communicator is: comm NAME ranks R ...");
    SCOPED uint64_t *members = memory_zeroed(parser->n_words, sizeof *members);
    bool is_good = parse_members(parser, 3, members, &n_left, &n);
    bool is_intercomm = strcmp(parser->words[0], "intercomm") == 0;
    if (is_good && is_intercomm != (n_left < n))
        is_good = FAIL(parser, "an intercommunicator has two groups with | between them");
    if (is_good && parser->writer)
        archive_writer_comm(parser->writer, parser->words[1], members, n_left, members + n_left,
                            n - n_left);
    return is_good;
}

static bool define_window(struct parser *parser)
{
    if (!parser->writer)
        return true;
    uint32_t comm = archive_writer_find_comm(parser->writer, parser->words[2]);
    if (comm == OTF2_UNDEFINED_COMM)
        return FAIL(parser, "communicator '%s' is not defined", parser->words[2]);
    archive_writer_window(parser->writer, parser->words[1], comm);
    return true;
}

static bool define_file(struct parser *parser)
{
    if (!parser->writer)
        return true;
    uint32_t comm = archive_writer_find_comm(parser->writer, parser->words[2]);
    if (comm == OTF2_UNDEFINED_COMM && strcmp(parser->words[2], "-") != 0)
        return FAIL(parser, "communicator '%s' is not defined", parser->words[2]);
    archive_writer_file(parser->writer, parser->words[1], comm);
    return true;
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
    if (!text_parse_u32(parser, parser->words[2], &n_cores))
        return false;
    if (parser->writer)
        archive_writer_set_cores(parser->writer, parser->words[1], n_cores);
    return true;
}

static bool define_bound(struct parser *parser)
{
    uint32_t rank;
    if (!text_parse_u32(parser, parser->words[1], &rank))
        return false;
    if (parser->writer && rank < parser->n_ranks)
        archive_writer_set_bound(parser->writer, rank, parser->words[2]);
    return true;
}

static bool define_property(struct parser *parser)
{
    uint64_t location, number;
    if (!text_parse_location(parser, parser->words[1], &location) ||
        !text_parse_number(parser, parser->words[3], &number))
        return false;
    if (parser->writer)
        archive_writer_set_property(parser->writer, location, parser->words[2], number);
    return true;
}

static bool define_mpi(struct parser *parser)
{
    if (parser->writer)
        archive_writer_set_mpi(parser->writer, parser->words[1],
                               parser->n_words == 3 ? parser->words[2] : NULL);
    return true;
}

static bool define_region(struct parser *parser)
{
    char *colon = strrchr(parser->words[2], ':');
    uint32_t line = 0;
    if (colon && !text_parse_u32(parser, colon + 1, &line))
        return false;
    if (colon)
        *colon = '\0';
    OTF2_Paradigm paradigm = text_default_paradigm(parser->words[1]);
    const char *word = parser->n_words > 3 ? parser->words[3] : "";
    bool is_marker = strcmp(word, "marker") == 0;
    if (strcmp(word, "pthread") == 0)
        paradigm = POSIX;
    else if (is_marker || strcmp(word, "user") == 0)
        paradigm = OTF2_PARADIGM_USER;
    else if (strcmp(word, "mpi") == 0)
        paradigm = OTF2_PARADIGM_MPI;
    else if (strcmp(word, "openmp") == 0)
        paradigm = OTF2_PARADIGM_OPENMP;
    else if (strcmp(word, "libc") == 0)
        paradigm = OTF2_PARADIGM_NONE;
    else if (*word)
        return FAIL(parser, "a region is of user, mpi, openmp, pthread, libc or marker, not '%s'",
                    word);
    const char *file = strcmp(parser->words[2], "-") == 0 ? NULL : parser->words[2];
    if (parser->writer) {
        uint32_t region =
            archive_writer_region(parser->writer, parser->words[1], file, line, paradigm);
        if (is_marker)
            archive_writer_is_marker(parser->writer, region);
        if (parser->n_words > 4)
            archive_writer_call_region(parser->writer, region, parser->words[4]);
    }
    return true;
}

static bool define_context(struct parser *parser)
{
    uint32_t region = OTF2_UNDEFINED_REGION, source, parent = OTF2_UNDEFINED_CALLING_CONTEXT;
    if (!text_parse_source(parser, parser->words[3], &source))
        return false;
    if (!parser->writer)
        return true;
    const char *function = parser->words[2];
    if (strcmp(function, "?") == 0)
        region = ARCHIVE_DANGLING;
    else if (strcmp(function, "-") != 0)
        region = archive_writer_region(parser->writer, function, NULL, 0,
                                       text_default_paradigm(function));
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
    if (!text_parse_location(parser, parser->words[1], &location) ||
        !text_parse_number(parser, parser->words[2], &ticks))
        return false;
    if (parser->writer)
        archive_writer_clock_offset(parser->writer, location, ticks,
                                    strtoll(parser->words[3], NULL, 10));
    return true;
}

static bool define_location(struct parser *parser)
{
    uint64_t location;
    if (!text_parse_location(parser, parser->words[1], &location))
        return false;
    if (parser->writer)
        archive_writer_events(parser->writer, location);
    return true;
}

static bool define_clock(struct parser *parser)
{
    uint64_t ticks_per_second;
    if (!text_parse_number(parser, parser->words[1], &ticks_per_second))
        return false;
    if (parser->writer)
        archive_writer_set_clock(parser->writer, ticks_per_second);
    return true;
}

static bool define_realtime(struct parser *parser)
{
    uint64_t realtime_ns;
    if (!text_parse_number(parser, parser->words[1], &realtime_ns))
        return false;
    if (parser->writer)
        archive_writer_set_realtime(parser->writer, realtime_ns);
    return true;
}

static bool define_fact(struct parser *parser)
{
    if (parser->writer)
        archive_writer_set_fact(parser->writer, parser->words[1], parser->words[2]);
    return true;
}

static bool define_outsiders(struct parser *parser)
{
    if (parser->writer)
        archive_writer_set_outsiders(parser->writer);
    return true;
}

static bool define_spawned(struct parser *parser)
{
    uint64_t n_ranks;
    if (!text_parse_number(parser, parser->words[1], &n_ranks))
        return false;
    if (parser->writer)
        archive_writer_set_spawned(parser->writer, (uint32_t)n_ranks);
    return true;
}

bool text_definition(struct parser *parser, bool *is_definition)
{
    static const struct {
        const char *name;
        bool (*define)(struct parser *parser);
        size_t min_words, max_words;
        const char *usage;
    } definitions[] = {
        {"clock", define_clock, 2, 2, "a clock is: clock TICKS-PER-SECOND"},
        {"realtime", define_realtime, 2, 2, "the time of day is: realtime NS"},
        {"fact", define_fact, 3, 3, "a property of the archive is: fact NAME VALUE"},
        {"nodes", define_nodes, 1, MAX_WORDS, ""},
        {"location", define_location, 2, 2, "a location is: location RANK.THREAD"},
        {"comm", define_comm, 4, MAX_WORDS, "a communicator is: comm NAME ranks R ..."},
        {"intercomm", define_comm, 4, MAX_WORDS, "a communicator is: comm NAME ranks R ..."},
        {"window", define_window, 3, 3, "a window is: window NAME COMM"},
        {"file", define_file, 3, 3, "a file is: file NAME COMM"},
        {"region", define_region, 3, 5,
         "a region is: region NAME FILE:LINE [user|mpi|openmp|pthread|libc|marker [AS]]"},
        {"offset", define_offset, 4, 4, "a clock offset is: offset LOC TIME OFFSET"},
        {"cores", define_cores, 3, 3, "the cores of a node are: cores NODE NUMBER"},
        {"context", define_context, 4, 5,
         "a context is: context NAME FUNCTION FILE[:LINE] [CALLER]"},
        {"spawned", define_spawned, 2, 2, "spawned ranks are: spawned NUMBER"},
        {"outsiders", define_outsiders, 1, 1, "what was not traced is: outsiders"},
        {"bound", define_bound, 3, 3, "what a rank is bound to is: bound RANK CORES"},
        {"property", define_property, 4, 4, "a property is: property LOC NAME NUMBER"},
        {"mpi", define_mpi, 2, 3, "the MPI of the run is: mpi NAME [VARIABLE=VALUE]"},
    };
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++) {
        *is_definition = strcmp(parser->words[0], definitions[i].name) == 0;
        if (!*is_definition)
            continue;
        if (parser->n_words < definitions[i].min_words ||
            parser->n_words > definitions[i].max_words)
            return FAIL(parser, "%s", definitions[i].usage);
        return definitions[i].define(parser);
    }
    return true;
}
