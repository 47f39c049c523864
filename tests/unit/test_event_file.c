// SPDX-License-Identifier: BSD-3-Clause
// Our reading of event files against the OTF2 library's: the same events and counts, on archives
// that the library wrote and on files of random records of all kinds, in both byte orders, with
// identifiers and clock offsets of their own, and numbers and records longer than they need be. And
// reading on from places within a file.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds, PAGODA_ARCHIVES=FOLDER further archives.
#include <stdbool.h>

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/trace/decode.h"
#include "analyzer/trace/otf2_records.h"
#include "analyzer/trace/reader.h"
#include "tests/reference/program.h"
#include "tests/tools/lib/archive_writer.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/seeds.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = 150, MIN_TRACES = 100, STEP = 37 };

// --- an archive read both ways

static OTF2_Reader *open_with_library(const struct trace *trace)
{
    const struct definitions *definitions = trace_definitions(trace);
    OTF2_Reader *library = OTF2_Reader_Open(trace_path(trace));
    assert_non_null(library);
    OTF2_Reader_SetSerialCollectiveCallbacks(library);
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (definitions->locations[i].is_defined)
            OTF2_Reader_SelectLocation(library, definitions->locations[i].id);
    OTF2_Reader_OpenDefFiles(library);
    for (size_t i = 0; i < definitions->n_locations; i++) {
        uint64_t n_read;
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(library, definitions->locations[i].id);
        if (local)
            OTF2_Reader_ReadAllLocalDefinitions(library, local, &n_read);
        if (local)
            OTF2_Reader_CloseDefReader(library, local);
    }
    OTF2_Reader_OpenEvtFiles(library);
    return library;
}

// The events of a location as the library reads them; the caller frees OUTPUT and N_UNUSED.
static struct decoder read_with_library(OTF2_Reader *library, const struct trace *trace,
                                        size_t location, uint64_t n_records)
{
    const struct trace_source source = trace_source(trace);
    uint64_t n_read = 0;
    struct decoder decoder = {
        .output = memory_new((n_records + 1) * sizeof *decoder.output),
        .end_ticks = INT64_MAX,
        .clock = source.clock,
        .records = source.records,
        .resolved = source.resolved,
        .n_unused = memory_zeroed(source.records->metrics.n + source.records->parameters.n,
                                  sizeof *decoder.n_unused),
    };
    decoder_begin(&decoder);
    OTF2_EvtReader *reader =
        OTF2_Reader_GetEvtReader(library, trace_definitions(trace)->locations[location].id);
    OTF2_EvtReaderCallbacks *callbacks = otf2_records_callbacks();
    assert_non_null(reader);
    OTF2_Reader_RegisterEvtCallbacks(library, reader, callbacks, &decoder);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_ReadLocalEvents(library, reader, n_records + 1, &n_read);
    OTF2_Reader_CloseEvtReader(library, reader);
    decoder.report.n_read = n_read;
    return decoder;
}

// Whether reading LOCATION both ways gives the same; why not goes to STREAM.
static bool location_agrees(struct trace *trace, OTF2_Reader *library, size_t location,
                            FILE *stream)
{
    struct cursor *cursor = trace_cursor(trace, location);
    SCOPED struct event *ours = NULL;
    size_t n = 0, capacity = 0;
    const struct event *event;
    for (; (event = trace_peek(trace, location, cursor, 0)); cursor->position++) {
        *ARRAY_NEXT(ours, n, capacity) = *event;
    }
    const struct location_report *report = trace_location_report(trace, location);
    if (report->is_skipped)
        return true;
    struct decoder theirs = read_with_library(library, trace, location, report->n_read);
    const struct records *records = trace_source(trace).records;
    size_t n_same = 0;
    while (n_same < n && n_same < theirs.n_output &&
           memcmp(&ours[n_same], &theirs.output[n_same], sizeof *ours) == 0)
        n_same++;
    bool agrees =
        !report->is_cut && n_same == n && n == theirs.n_output &&
        report->n_read == theirs.report.n_read && report->n_unknown == theirs.report.n_unknown &&
        report->n_bad_references == theirs.report.n_bad_references &&
        report->n_backward == theirs.report.n_backward &&
        memcmp(report->n_unused, theirs.n_unused,
               (records->metrics.n + records->parameters.n) * sizeof *theirs.n_unused) == 0;
    if (!agrees)
        fprintf(stream,
                "location %zu (%s): %zu of our %zu and the library's %" PRIu32
                " events agree, of %" PRIu64 " and %" PRIu64 " records\n",
                location, report->reason ? report->reason : "whole", n_same, n, theirs.n_output,
                report->n_read, theirs.report.n_read);
    FREE_ALL(theirs.output, theirs.n_unused);
    return agrees;
}

static bool archive_agrees(const char *path, FILE *stream)
{
    struct error err = {0};
    struct trace *trace = trace_open(path, &err);
    if (!trace) {
        fprintf(stream, "%s\n", err.text);
        return false;
    }
    OTF2_Reader *library = open_with_library(trace);
    bool agrees = true;
    for (size_t i = 0; i < trace_definitions(trace)->n_locations; i++)
        agrees = location_agrees(trace, library, i, stream) && agrees;
    OTF2_Reader_Close(library);
    trace_close(trace);
    return agrees;
}

// --- reading on from a place

/// The events of a location, and where some of them are.
struct places {
    struct event *events;
    size_t n, capacity;
    struct trace_place *items; // of each STEP-th event
    size_t place_capacity;
};

static struct places read_places(struct trace *trace, size_t location)
{
    struct places places = {0};
    struct cursor *cursor = trace_cursor(trace, location);
    const struct event *event;
    for (; (event = trace_peek(trace, location, cursor, 0)); cursor->position++) {
        size_t n_places = places.n / STEP;
        if (places.n % STEP == 0) {
            places.items = array_reserve(places.items, &places.place_capacity, n_places + 1,
                                         sizeof *places.items);
            places.items[n_places] = trace_place(trace, location);
            assert_int_equal(places.items[n_places].event, places.n);
        }
        *ARRAY_NEXT(places.events, places.n, places.capacity) = *event;
        if (places.n % 5 == 0) // some are read ahead
            trace_peek(trace, location, cursor, (uint32_t)places.n % 700);
    }
    return places;
}

/// Whether the events from each place on are those that followed it.
static bool places_agree(const char *path, FILE *stream)
{
    struct error err = {0};
    struct trace *trace = trace_open(path, &err);
    bool agrees = trace != NULL;
    size_t n_locations = trace ? trace_definitions(trace)->n_locations : 0;
    for (size_t i = 0; i < n_locations && agrees; i++) {
        struct trace *again = trace_again(trace, &err);
        struct places places = {0};
        if (again && trace_keep_places(again))
            places = read_places(again, i);
        trace_give_back(trace, again);
        for (size_t at = 0; at < places.n && agrees; at += STEP) {
            again = trace_again(trace, &err);
            assert_non_null(again);
            trace_go_to(again, i, &places.items[at / STEP]);
            struct cursor *cursor = trace_cursor(again, i);
            const struct event *event;
            size_t n = at;
            for (; (event = trace_peek(again, i, cursor, 0)) && n < places.n; cursor->position++)
                if (memcmp(event, &places.events[n], sizeof *event) == 0)
                    n++;
                else
                    break;
            agrees = !event && n == places.n;
            if (!agrees)
                fprintf(stream, "location %zu from event %zu on: %zu of %zu events agree\n", i, at,
                        n - at, places.n - at);
            trace_give_back(trace, again);
        }
        FREE_ALL(places.events, places.items);
    }
    trace_close(trace);
    return agrees;
}

// --- files of random records

enum {
    N_CHUNKS = 3,
    MAX_CHUNK_RECORDS = 400,
    MAX_CONTENT = 1000,
    N_REGIONS = 4,
    N_COMMS = 3,
    N_WINDOWS = 2,
    N_CONTEXTS = 3,
    N_LINES = 3,
    N_METRICS = 3,
    N_PARAMETERS = 2,
    N_ATTRIBUTES = 12, // the last one is not defined
};

struct bytes {
    unsigned char *at;
    bool is_big_endian;
};

static void put_full(struct bytes *out, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        *out->at++ = (unsigned char)(value >> 8 * (out->is_big_endian ? n - 1 - i : i));
}

// VALUE as a number, sometimes longer than it need be.
static void put_number(struct bytes *out, struct random *random, uint64_t value, unsigned max_bytes)
{
    uint64_t max = UINT64_MAX >> 8 * (8 - max_bytes);
    unsigned n = 0;
    value &= max;
    while (n < 8 && value >> 8 * n)
        n++;
    if (n < max_bytes && random_chance(random, 20))
        n += 1 + random_below(random, max_bytes - n);
    if (value == max && random_chance(random, 50)) {
        *out->at++ = 255;
        return;
    }
    *out->at++ = (unsigned char)n;
    put_full(out, value, n);
}

static uint64_t any_value(struct random *random)
{
    uint64_t value = random_next(random) >> random_below(random, 64);
    return random_chance(random, 5) ? UINT64_MAX : value;
}

static void put_any(struct bytes *out, struct random *random, unsigned max_bytes)
{
    put_number(out, random, any_value(random), max_bytes);
}

// One of N identifiers, sometimes an undefined one.
static void put_id(struct bytes *out, struct random *random, uint32_t n)
{
    put_number(out, random, random_chance(random, 5) ? UINT32_MAX : random_below(random, n + 1), 4);
}

static void put_byte(struct bytes *out, uint32_t byte)
{
    *out->at++ = (unsigned char)byte;
}

static void put_value(struct bytes *out, struct random *random, OTF2_Type type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        put_byte(out, random_below(random, 3));
        break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        put_full(out, random_next(random), 2);
        break;
    case OTF2_TYPE_FLOAT:
        put_full(out, random_next(random), 4);
        break;
    case OTF2_TYPE_DOUBLE:
        put_full(out, random_next(random), 8);
        break;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_LOCATION:
        put_any(out, random, 8);
        break;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
        put_any(out, random, 4);
        break;
    default:
        put_id(out, random, 4);
    }
}

// A list of attributes, most of them of the type that they should have.
static void put_attributes(struct bytes *out, struct random *random)
{
    static const OTF2_Type types[N_ATTRIBUTES] = {OTF2_TYPE_COMM,
                                                  OTF2_TYPE_INT32,
                                                  OTF2_TYPE_INT32,
                                                  OTF2_TYPE_UINT64,
                                                  OTF2_TYPE_UINT64,
                                                  OTF2_TYPE_UINT8,
                                                  OTF2_TYPE_CALLING_CONTEXT,
                                                  OTF2_TYPE_DOUBLE,
                                                  OTF2_TYPE_UINT64,
                                                  OTF2_TYPE_SOURCE_CODE_LOCATION,
                                                  OTF2_TYPE_UINT32,
                                                  OTF2_TYPE_STRING};
    bool has[N_ATTRIBUTES] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_ATTRIBUTES; i++)
        n += has[i] = random_chance(random, 40);
    put_number(out, random, n, 4);
    for (uint32_t i = 0; i < N_ATTRIBUTES; i++) {
        if (!has[i])
            continue;
        OTF2_Type type =
            random_chance(random, 10) ? (OTF2_Type)(1 + random_below(random, 25)) : types[i];
        put_number(out, random, i, 4);
        put_byte(out, type);
        put_value(out, random, type);
    }
}

// The kinds of records by what they hold: letters for a byte (b), numbers of 4 and 8 bytes (4, 8),
// time stamps (t), references (regions r, communicators c, windows w, contexts x, metrics m,
// parameters p), the values of a metric (v), and zeros (0), which fit all kinds that no replay
// uses. Those in capitals have no length.
static const char *const fields_of[] = {
    [10] = "t",      [11] = "b",     [12] = "R",      [13] = "R",     [14] = "4c48", [15] = "4c488",
    [16] = "E",      [17] = "E",     [18] = "4c48",   [19] = "4c488", [20] = "E",    [21] = "E",
    [22] = "",       [23] = "bc488", [24] = "F",      [25] = "0",     [28] = "E",    [29] = "E",
    [30] = "E",      [31] = "mv",    [32] = "p4",     [33] = "p8",    [34] = "p8",   [37] = "",
    [38] = "b4w488", [46] = "0",     [53] = "b4",     [54] = "b",     [55] = "c",    [56] = "c",
    [57] = "b44",    [58] = "b44",   [63] = "c8",     [65] = "c8",    [66] = "x4",   [67] = "x",
    [68] = "0",      [69] = "4b44",  [75] = "4b488",  [78] = "488",   [79] = "48",   [80] = "0",
    [83] = "0",      [85] = "8",     [86] = "bc4888", [87] = "0",     [99] = "0",    [200] = "0",
    [254] = "0"};

static void put_field(struct bytes *out, struct random *random, char field, uint64_t now)
{
    uint32_t n = 0;
    switch (field) {
    case 'b':
        put_byte(out, random_below(random, 30));
        break;
    case '4':
    case 'F':
        put_any(out, random, 4);
        break;
    case '8':
    case 'E':
        put_any(out, random, 8);
        break;
    case 't':
        put_full(out, now + random_below(random, 1000), 8);
        break;
    case 'r':
    case 'R':
        put_id(out, random, N_REGIONS);
        break;
    case 'c':
        put_id(out, random, N_COMMS);
        break;
    case 'w':
        put_id(out, random, N_WINDOWS);
        break;
    case 'x':
        put_id(out, random, N_CONTEXTS);
        break;
    case 'm':
        put_id(out, random, N_METRICS);
        break;
    case 'p':
        put_id(out, random, N_PARAMETERS);
        break;
    case 'v':
        n = random_below(random, random_chance(random, 5) ? 80 : 4);
        put_byte(out, n);
        for (; n > 0; n--) {
            put_byte(out, OTF2_TYPE_UINT64 + random_below(random, 8));
            put_any(out, random, 8);
        }
        break;
    default:
        for (n = 60 + random_below(random, 3) * 100; n > 0; n--)
            put_byte(out, 0);
    }
}

static void put_record(struct bytes *out, struct random *random, unsigned kind, uint64_t now)
{
    unsigned char memory[MAX_CONTENT + 100];
    struct bytes content = {memory, out->is_big_endian};
    const char *fields = fields_of[kind];
    for (const char *field = fields; *field; field++)
        put_field(&content, random, *field, now);
    bool is_bare = *fields && strchr("REF", *fields);
    if (!is_bare && random_chance(random, 10)) // what a newer version adds
        for (uint32_t n = random_below(random, 20); n > 0; n--)
            put_byte(&content, random_below(random, 256));
    size_t n = (size_t)(content.at - memory);
    put_byte(out, kind);
    if (!is_bare && (n >= 255 || random_chance(random, 5))) {
        put_byte(out, 255);
        put_full(out, n, 8);
    } else if (!is_bare) {
        put_byte(out, (uint32_t)n);
    }
    memcpy(out->at, memory, n);
    out->at += n;
}

static void put_list(struct bytes *out, struct random *random)
{
    unsigned char memory[MAX_CONTENT];
    struct bytes content = {memory, out->is_big_endian};
    put_attributes(&content, random);
    size_t n = (size_t)(content.at - memory);
    put_byte(out, 6);
    put_byte(out, (uint32_t)n);
    memcpy(out->at, memory, n);
    out->at += n;
}

// Random records, in chunks of which most is not used.
static void write_random_file(const char *path, struct random *random, bool is_big_endian)
{
    unsigned char *memory = memory_zeroed(N_CHUNKS, OTF2_CHUNK_SIZE_MIN);
    struct bytes out = {memory, is_big_endian};
    uint64_t now = 1000000 + random_below(random, 1000), n_records = 0;
    for (unsigned chunk = 0; chunk < N_CHUNKS; chunk++) {
        uint32_t n = random_below(random, MAX_CHUNK_RECORDS) + 1;
        out.at = memory + (size_t)chunk * OTF2_CHUNK_SIZE_MIN;
        put_byte(&out, 3);
        put_byte(&out, is_big_endian ? 0x23 : 0x42);
        put_full(&out, n_records + 1, 8);
        put_full(&out, n_records + n, 8);
        n_records += n;
        for (uint32_t i = 0; i < n;) {
            uint32_t kind = random_chance(random, 40) ? 12 + random_below(random, 8)
                                                      : random_below(random, 255);
            if (kind >= sizeof fields_of / sizeof fields_of[0] || !fields_of[kind])
                continue;
            now += random_below(random, 50);
            now -= random_chance(random, 2) ? random_below(random, 100) : 0;
            if (i == 0 || random_chance(random, 80)) {
                put_byte(&out, 5);
                put_full(&out, now, 8);
            }
            if (random_chance(random, 30))
                put_list(&out, random);
            put_record(&out, random, kind, now);
            i++;
        }
        put_byte(&out, chunk + 1 < N_CHUNKS ? 0 : 2);
    }
    scratch_write(path, memory, (size_t)(out.at - memory) + 1);
    free(memory);
}

// Metric 1 has two values, the second of which is CPU time; 2 is an instance of it.
static void define(OTF2_GlobalDefWriter *definitions, void *data)
{
    const OTF2_MetricMemberRef members[] = {1, 0};
    uint32_t name = ARCHIVE_FIRST_STRING;
    OTF2_GlobalDefWriter_WriteString(definitions, name, "of the test");
    OTF2_GlobalDefWriter_WriteMetricMember(definitions, 1, name, name, OTF2_METRIC_TYPE_OTHER,
                                           OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                                           OTF2_BASE_DECIMAL, 0, name);
    OTF2_GlobalDefWriter_WriteMetricClass(definitions, 1, 2, members, OTF2_METRIC_SYNCHRONOUS,
                                          OTF2_RECORDER_KIND_CPU);
    OTF2_GlobalDefWriter_WriteMetricInstance(definitions, 2, 1, 0, OTF2_SCOPE_LOCATION, 0);
    for (uint32_t i = 0; i < N_PARAMETERS; i++)
        OTF2_GlobalDefWriter_WriteParameter(definitions, i, name, OTF2_PARAMETER_TYPE_INT64);
}

static void define_run(struct archive_writer *writer, struct random *random)
{
    static const char *const names[N_REGIONS] = {"main", "work", "MPI_Send", "MPI_Recv"};
    const uint64_t both[] = {1, 0};
    for (uint32_t i = 0; i < N_REGIONS; i++)
        archive_writer_region(writer, names[i], NULL, 0, OTF2_PARADIGM_USER);
    archive_writer_comm(writer, "both", both, 2, NULL, 0);
    for (uint32_t i = 0; i < N_WINDOWS; i++)
        archive_writer_window(writer, i == 0 ? "first" : "second", i);
    for (uint32_t i = 0; i < N_LINES; i++)
        archive_writer_source(writer, "file.c", i + 1);
    for (uint32_t i = 0; i < N_CONTEXTS; i++)
        archive_writer_set_context(writer, archive_writer_context(writer, names[i]), i, i,
                                   OTF2_UNDEFINED_CALLING_CONTEXT);
    for (uint32_t rank = 0; rank < 2; rank++) {
        OTF2_EvtWriter_Enter(archive_writer_events(writer, rank), NULL, 1, 0);
        int64_t offset_ticks = 0;
        for (uint64_t ticks = 999000; random_chance(random, 70);
             ticks += 1 + random_below(random, 5000))
            archive_writer_clock_offset(writer, rank, ticks,
                                        offset_ticks += (int64_t)random_below(random, 600) - 300);
        for (uint32_t kind = 0; kind < OTF2_MAPPING_INTERRUPT_GENERATOR; kind++) {
            uint32_t ids[N_ATTRIBUTES];
            for (uint32_t i = 0; i < N_ATTRIBUTES; i++)
                ids[i] =
                    kind != OTF2_MAPPING_ATTRIBUTE && random_chance(random, 5) ? UINT32_MAX : i;
            for (uint32_t i = N_ATTRIBUTES; i-- > 1;) { // one to one: attributes are all different
                uint32_t other = random_below(random, i + 1), id = ids[i];
                ids[i] = ids[other];
                ids[other] = id;
            }
            if (kind != OTF2_MAPPING_LOCATION && random_chance(random, 30))
                archive_writer_map(writer, rank, (OTF2_MappingType)kind, ids,
                                   kind == OTF2_MAPPING_ATTRIBUTE ? N_ATTRIBUTES : N_REGIONS);
        }
    }
}

TEST(test_random_records)
{
    uint64_t first, last, n_failed = 0;
    seed_range(DEFAULT_SEEDS, &first, &last);
    for (uint64_t seed = first; seed <= last; seed++) {
        struct random random = {seed};
        struct error err = {0};
        char *directory = scratch_directory();
        SCOPED char *archive = memory_format("%s/run", directory);
        struct archive_writer *writer = archive_writer_new(archive, 2, &err);
        assert_non_null(writer);
        define_run(writer, &random);
        if (archive_writer_close(writer, define, NULL, &err) != 0)
            fail_msg("%s", err.text);
        for (unsigned rank = 0; rank < 2; rank++) {
            SCOPED char *path = memory_format("%s/traces/%u.evt", archive, rank);
            write_random_file(path, &random, rank == 1);
        }
        if (!archive_agrees(archive, stderr) || !places_agree(archive, stderr)) {
            fprintf(stderr, "seed %" PRIu64 " differs\n", seed);
            n_failed++;
        }
        scratch_remove(directory);
    }
    assert_int_equal(n_failed, 0);
}

// --- archives that the library wrote

static size_t check_text(const char *path, char *text)
{
    struct error err = {0};
    char *directory = scratch_directory();
    SCOPED char *archive = memory_format("%s/run", directory);
    bool differs = text_trace_write(text, archive, &err) == 0 && !archive_agrees(archive, stderr);
    scratch_remove(directory);
    return differs;
}

/// How many of the archives in FOLDER are read in two ways.
static size_t count_differing_archives(const char *folder)
{
    glob_t files;
    size_t n_differing = 0;
    SCOPED char *pattern = memory_format("%s/*/*.otf2", folder);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (!archive_agrees(files.gl_pathv[i], stderr)) {
            fprintf(stderr, "%s differs\n", files.gl_pathv[i]);
            n_differing++;
        }
    globfree(&files);
    return n_differing;
}

TEST(test_written_archives)
{
    const char *folder = getenv("PAGODA_ARCHIVES");
    traces_check("*/*.txt", MIN_TRACES, check_text);
    assert_int_equal(folder ? count_differing_archives(folder) : 0, 0);
}

// --- records of OTF2 3.2, which an older library cannot write

/// Rank 1 takes the messages 7 and 8 of rank 0 by matched probes; it receives 8 first, in two
/// steps.
static void write_matched_file(const char *path)
{
    static const unsigned char records[] = {
        89, 6, 0, 0,  1,  7,   1,   41,     // probed: peer 0, communicator 0, tag 7, message 41
        89, 7, 0, 1,  0,  1,   8,   1,  42, // its communicator is longer than it need be
        91, 5, 1, 42, 2,  40,  35,          // message 42 is posted as request 9000
        92, 6, 2, 40, 35, 2,   240, 3,      // request 9000 is complete, 1008 bytes
        90, 5, 1, 41, 2,  239, 3,           // message 41 is received, 1007 bytes
        90, 4, 1, 41, 1,  9,                // it was already
        92, 4, 1, 5,  1,  9,                // of no request
    };
    enum { N_RECORDS = 7 };
    unsigned char *memory = memory_zeroed(1, OTF2_CHUNK_SIZE_MIN);
    struct bytes out = {memory, false};
    put_byte(&out, 3);
    put_byte(&out, 0x42);
    put_full(&out, 1, 8);
    put_full(&out, N_RECORDS, 8);
    put_byte(&out, 5);
    put_full(&out, 1000, 8);
    memcpy(out.at, records, sizeof records);
    out.at += sizeof records;
    put_byte(&out, 2);
    scratch_write(path, memory, (size_t)(out.at - memory) + 1);
    free(memory);
}

TEST(test_matched_probes)
{
    static const struct event expected[] = {
        {.kind = EVENT_IRECV_REQUEST, .tag = 8, .request = 9000},
        {.kind = EVENT_IRECV, .tag = 8, .request = 9000, .size_bytes = 1008},
        {.kind = EVENT_RECV, .tag = 7, .size_bytes = 1007}};
    struct error err = {0};
    char *directory = scratch_directory();
    SCOPED char *archive = memory_format("%s/run", directory);
    struct archive_writer *writer = archive_writer_new(archive, 2, &err);
    assert_non_null(writer);
    const uint64_t both[] = {0, 1};
    archive_writer_region(writer, "main", NULL, 0, OTF2_PARADIGM_USER);
    archive_writer_comm(writer, "both", both, 2, NULL, 0);
    for (uint32_t rank = 0; rank < 2; rank++)
        OTF2_EvtWriter_Enter(archive_writer_events(writer, rank), NULL, 1000, 0);
    assert_int_equal(archive_writer_close(writer, NULL, NULL, &err), 0);
    SCOPED char *path = memory_format("%s/traces/1.evt", archive);
    write_matched_file(path);
    struct trace *trace = trace_open(archive, &err);
    assert_non_null(trace);
    struct cursor *cursor = trace_cursor(trace, 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, cursor->position++) {
        const struct event *event = trace_peek(trace, 1, cursor, 0);
        assert_non_null(event);
        assert_int_equal(event->kind, expected[i].kind);
        assert_int_equal(event->peer, 0);
        assert_int_equal(event->tag, expected[i].tag);
        assert_int_equal(event->size_bytes, expected[i].size_bytes);
        assert_int_equal(event->request, expected[i].request);
    }
    assert_null(trace_peek(trace, 1, cursor, 0));
    assert_int_equal(trace_location_report(trace, 1)->n_bad_references, 2);
    assert_int_equal(trace_location_report(trace, 1)->n_unknown, 0);
    // A copy would lack them, with an older library, and its events would have others' times.
    assert_int_equal(rewrite_check_source(trace, &err), -1);
    assert_non_null(strstr(err.text, "has matched probes as OTF2 3.2 records them"));
    trace_close(trace);
    scratch_remove(directory);
}
