// SPDX-License-Identifier: BSD-3-Clause
// The reader on what is not an archive, on archives with missing files, and on one whose files are
// cut at every single byte: always a sentence that names the file, never a crash or an endless
// loop.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/reader.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/unit_test.h"

// The library asks for as much memory as a damaged count says, and loses some when it gives up.
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__lsan_default_suppressions(void)
{
    return "leak:libopen-trace-format2\n";
}

static char *directory; // of the running test
static struct error err;

static int make_directory(void **state)
{
    directory = scratch_directory();
    err.text[0] = '\0';
    return 0;
}

static int remove_directory(void **state)
{
    scratch_remove(directory);
    return 0;
}

static char *in_directory(const char *name)
{
    return memory_format("%s/%s", directory, name);
}

// Two ranks, N messages from 0 to 1, 8 N events.
static void write_archive(const char *name, unsigned n)
{
    SCOPED char *text = memory_new((size_t)n * 400 + 1);
    size_t length = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < n; i++)
        length += (size_t)sprintf(text + length,
                                  "0 %u enter MPI_Send\n0 %u send world 1 5 100\n"
                                  "0 %u leave MPI_Send\n0 %u cpu %u\n"
                                  "1 %u enter MPI_Recv\n1 %u recv world 0 5 100\n"
                                  "1 %u leave MPI_Recv\n1 %u cpu %u\n",
                                  10 * i, 10 * i + 1, 10 * i + 2, 10 * i + 3, i, 10 * i, 10 * i + 1,
                                  10 * i + 2, 10 * i + 3, i);
    SCOPED char *path = in_directory(name);
    if (text_trace_write(text, path, &err) != 0)
        fail_msg("%s", err.text);
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) // FNV-1a
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

// Reads what is left of TRACE: a sum of all events and of what is reported.
static uint64_t sum_of_all(struct trace *trace)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t location = 0; location < trace_definitions(trace)->n_locations; location++) {
        struct cursor *cursor = trace_cursor(trace, location);
        const struct event *event;
        for (; (event = trace_peek(trace, location, cursor, 0)); cursor->position++)
            sum = add_bytes(sum, event, sizeof *event);
        const struct location_report *report = trace_location_report(trace, location);
        sum = add_bytes(sum, &report->n_read, sizeof report->n_read);
        sum = add_bytes(sum, &report->n_backward, sizeof report->n_backward);
        sum = add_bytes(sum, &(bool[]){report->is_cut, report->is_skipped}, 2 * sizeof(bool));
        if (report->reason)
            sum = add_bytes(sum, report->reason, strlen(report->reason));
    }
    return sum;
}

// Another reading finds what the one before found, whatever the damage.
static void assert_read_again(struct trace *trace)
{
    uint64_t sums[2];
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(trace_again(trace, &err), trace);
        sums[i] = sum_of_all(trace);
        trace_give_back(trace, trace);
    }
    assert_int_equal(sums[0], sums[1]);
}

// Reads all of an archive; false when it cannot be opened.
static bool read_all(const char *name, uint64_t *n_events, size_t *n_cut, size_t *n_skipped)
{
    SCOPED char *path = in_directory(name);
    struct trace *trace = trace_open(path, &err);
    *n_events = *n_cut = *n_skipped = 0;
    if (!trace)
        return false;
    size_t n_locations = trace_definitions(trace)->n_locations;
    for (size_t location = 0; location < n_locations; location++) {
        struct cursor *cursor = trace_cursor(trace, location);
        uint64_t last_ns = 0;
        const struct event *event;
        while ((event = trace_peek(trace, location, cursor, 0))) {
            assert_true(event->time_ns >= last_ns);
            last_ns = event->time_ns;
            ++*n_events;
            cursor->position++;
        }
        const struct location_report *report = trace_location_report(trace, location);
        *n_cut += report->is_cut;
        *n_skipped += report->is_skipped;
        if (report->is_cut || report->is_skipped)
            assert_true(report->reason && *report->reason);
        else
            assert_null(report->reason);
    }
    assert_read_again(trace);
    trace_close(trace);
    return true;
}

TEST(test_readings_at_once)
{
    write_archive("long", 2000);
    SCOPED char *path = in_directory("long");
    struct trace *first = trace_open(path, &err);
    assert_non_null(first);
    uint64_t sum = sum_of_all(first);
    struct trace *again = trace_again(first, &err), *other = trace_again(first, &err);
    assert_ptr_equal(again, first);
    assert_ptr_not_equal(other, first);
    for (int i = 0; i < 1000; i++) { // part of both, by turns
        assert_non_null(trace_peek(again, 1, trace_cursor(again, 1), 0));
        trace_cursor(again, 1)->position++;
        assert_non_null(trace_peek(other, 1, trace_cursor(other, 1), 0));
        trace_cursor(other, 1)->position++;
    }
    trace_give_back(first, other);
    struct trace *third = trace_again(first, &err);
    assert_ptr_equal(third, other); // kept, and at its begin again
    assert_int_equal(sum_of_all(third), sum);
    trace_give_back(first, again);
    assert_ptr_equal(trace_again(first, &err), first);
    assert_int_equal(sum_of_all(first), sum);
    trace_give_back(first, first);
    trace_give_back(first, third);
    trace_close(first);
}

static void assert_refused(const char *name, const char *sentence)
{
    SCOPED char *path = in_directory(name);
    assert_null(trace_open(path, &err));
    if (!strstr(err.text, sentence))
        fail_msg("'%s' does not say '%s'", err.text, sentence);
    assert_non_null(strstr(err.text, directory));
}

TEST(test_not_an_archive)
{
    char *path = in_directory("text.otf2");
    scratch_write(path, "hello\n", 6);
    assert_refused("text.otf2", "is not an OTF2 archive");
    scratch_write(path, "", 0);
    assert_refused("text.otf2", "is not an OTF2 archive");
    free(path);
    path = in_directory("plain.txt");
    scratch_write(path, "hello\n", 6);
    assert_refused("plain.txt", "is not an OTF2 archive");
    free(path);
    assert_refused("missing", "No such file or directory");
}

TEST(test_directories)
{
    char *path = in_directory("empty");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused("empty", "no *.otf2 file");
    free(path);
    path = in_directory("a.otf2");
    scratch_write(path, "", 0);
    free(path);
    path = in_directory("b.otf2");
    scratch_write(path, "", 0);
    free(path);
    assert_refused("", "2 archives in the directory");
    assert_non_null(strstr(err.text, "(a.otf2, b.otf2): name one of them"));
}

TEST(test_missing_files)
{
    uint64_t n_events;
    size_t n_cut, n_skipped;
    write_archive("run", 10);
    assert_true(read_all("run", &n_events, &n_cut, &n_skipped));
    assert_int_equal(n_events, 80);
    assert_int_equal(n_cut + n_skipped, 0);
    char *path = in_directory("run/traces/0.evt");
    assert_int_equal(unlink(path), 0);
    free(path);
    assert_true(read_all("run", &n_events, &n_cut, &n_skipped));
    assert_int_equal(n_events, 40);
    assert_int_equal(n_cut, 0);
    assert_int_equal(n_skipped, 1);
    path = in_directory("run/traces.def");
    assert_int_equal(unlink(path), 0);
    free(path);
    assert_refused("run", "cannot read the global definitions");
}

// Cuts FILE of the archive "run" at every length below its own, restores it in the end. CHECK sees
// how many bytes were left out and what reading gave each time.
static void cut_everywhere(const char *file, void (*check)(bool is_open, size_t n_left,
                                                           uint64_t n_events, size_t n_bad))
{
    size_t size_bytes;
    SCOPED char *path = memory_format("%s/run/%s", directory, file);
    SCOPED char *content = scratch_read(path, &size_bytes);
    assert_true(size_bytes > 0);
    for (size_t length = 0; length < size_bytes; length++) {
        uint64_t n_events;
        size_t n_cut, n_skipped;
        scratch_write(path, content, length);
        err.text[0] = '\0';
        bool is_open = read_all("run", &n_events, &n_cut, &n_skipped);
        assert_true(is_open || *err.text);
        check(is_open, size_bytes - length, n_events, n_cut + n_skipped);
    }
    scratch_write(path, content, size_bytes);
}

// OTF2 does not read the last byte of a file.
static void expect_refusal(bool is_open, size_t n_left, uint64_t n_events, size_t n_bad)
{
    assert_int_equal(is_open, n_left == 1);
    if (is_open)
        assert_int_equal(n_bad, 0);
    else
        assert_non_null(strstr(err.text, "traces.def"));
}

// The other location is whole; of the damaged one a part is read, and it is reported.
static void expect_events_cut(bool is_open, size_t n_left, uint64_t n_events, size_t n_bad)
{
    assert_true(is_open);
    assert_true(n_events >= 80);
    assert_int_equal(n_bad, n_left > 1 || n_events < 160);
}

static void expect_location_skipped(bool is_open, size_t n_left, uint64_t n_events, size_t n_bad)
{
    assert_true(is_open);
    assert_int_equal(n_bad, n_left > 1);
    assert_int_equal(n_events, n_left > 1 ? 80 : 160);
}

static void expect_either(bool is_open, size_t n_left, uint64_t n_events, size_t n_bad)
{
    assert_true(!is_open || n_events == 160);
}

TEST(test_cut_anchor)
{
    write_archive("run", 20);
    cut_everywhere("traces.otf2", expect_either);
}

TEST(test_cut_global_definitions)
{
    write_archive("run", 20);
    cut_everywhere("traces.def", expect_refusal);
}

TEST(test_cut_local_definitions)
{
    write_archive("run", 20);
    cut_everywhere("traces/1.def", expect_location_skipped);
}

TEST(test_cut_events)
{
    write_archive("run", 20);
    cut_everywhere("traces/1.evt", expect_events_cut);
}

// A record cut in the middle is never delivered with zeros for what is missing.
TEST(test_no_half_record)
{
    enum { N = 700 }; // more than a batch
    size_t size_bytes;
    write_archive("run", N);
    SCOPED char *events = in_directory("run/traces/1.evt");
    SCOPED char *archive = in_directory("run");
    SCOPED char *content = scratch_read(events, &size_bytes);
    for (size_t length = size_bytes - 1; length > size_bytes / 2; length -= length % 71 + 1) {
        scratch_write(events, content, length);
        struct trace *trace = trace_open(archive, &err);
        assert_non_null(trace);
        struct cursor *cursor = trace_cursor(trace, 1);
        const struct event *event;
        for (uint64_t i = 0; (event = trace_peek(trace, 1, cursor, 0)); i++, cursor->position++) {
            const uint8_t kinds[] = {EVENT_ENTER, EVENT_RECV, EVENT_LEAVE, EVENT_CPU_TIME};
            assert_int_equal(event->kind, kinds[i % 4]);
            assert_int_equal(event->time_ns, i / 4 * 10 + i % 4);
            assert_true(event->kind != EVENT_RECV || event->size_bytes == 100);
            assert_true(event->kind != EVENT_CPU_TIME || event->size_bytes == i / 4);
        }
        trace_close(trace);
    }
}

// Files of several chunks: definitions that were cut are refused, and of events the complete chunks
// are read, not what the library's buffer holds after the cut.
TEST(test_cut_files_of_several_chunks)
{
    enum { N = 30000, CHUNK = 256 * 1024 };
    SCOPED char *text = memory_new((size_t)N * 140 + 1);
    size_t length = 0;
    for (unsigned i = 0; i < N; i++)
        length += (size_t)sprintf(text + length,
                                  "0 %u enter a_region_of_some_length_%u\n"
                                  "0 %u leave a_region_of_some_length_%u\n",
                                  2 * i, i % 10000, 2 * i + 1, i % 10000);
    SCOPED char *archive = in_directory("run"), *definitions = in_directory("run/traces.def");
    SCOPED char *events = in_directory("run/traces/0.evt");
    assert_int_equal(text_trace_write(text, archive, &err), 0);
    uint64_t n_events;
    size_t n_cut, n_skipped, definition_bytes, event_bytes;
    assert_true(read_all("run", &n_events, &n_cut, &n_skipped));
    assert_int_equal(n_events, 2 * N);
    SCOPED char *event_content = scratch_read(events, &event_bytes);
    assert_true(event_bytes > 2 * CHUNK);
    for (size_t at = CHUNK - 100; at < event_bytes - 100; at += CHUNK / 4 + 1) {
        scratch_write(events, event_content, at);
        assert_true(read_all("run", &n_events, &n_cut, &n_skipped));
        assert_int_equal(n_cut, 1);
        assert_true(n_events > 15000 && n_events < 2 * N);
    }
    scratch_write(events, event_content, event_bytes);
    SCOPED char *definition_content = scratch_read(definitions, &definition_bytes);
    assert_true(definition_bytes > 2 * CHUNK);
    for (size_t at = CHUNK - 100; at < definition_bytes; at += CHUNK / 4 + 1) {
        scratch_write(definitions, definition_content, at);
        assert_refused("run", "traces.def': damaged, or it ends too early");
    }
}

// Overwrites each byte of a file in turn.
static void spoil_everywhere(const char *file, unsigned char value)
{
    size_t size_bytes;
    SCOPED char *path = memory_format("%s/run/%s", directory, file);
    SCOPED char *content = scratch_read(path, &size_bytes);
    for (size_t at = 0; at < size_bytes; at++) {
        uint64_t n_events;
        size_t n_cut, n_skipped;
        char good = content[at];
        content[at] = (char)value;
        scratch_write(path, content, size_bytes);
        content[at] = good;
        err.text[0] = '\0';
        if (!read_all("run", &n_events, &n_cut, &n_skipped))
            assert_true(*err.text);
    }
    scratch_write(path, content, size_bytes);
}

// What malloc() hands out, while this is on, looks like what was read before: a chunk of OTF2
// begins at each place of it, has a header, no event, and an end mark after which the next chunk
// is taken. Sanitizers have a malloc() of their own.
static volatile bool memory_is_stale;

#ifndef __SANITIZE_ADDRESS__
extern void *__libc_malloc(size_t n_bytes);

void *malloc(size_t n_bytes)
{
    enum { PERIOD = 16 };
    static const unsigned char pattern[PERIOD] = {3, 0x42};
    unsigned char *bytes = __libc_malloc(n_bytes);
    for (size_t at = 0; memory_is_stale && bytes && at < n_bytes; at++)
        bytes[at] = pattern[at % PERIOD];
    return bytes;
}
#endif

// What malloc() left in the library's buffer is never read as events, nor for ever.
TEST(test_inserted_bytes)
{
    enum { N_PLACES = 48 };
    const struct itimerval longest = {.it_value.tv_sec = 60}, none = {{0, 0}, {0, 0}}; // CPU time
    static const unsigned char values[] = {0, 1, 2, 3, 5, 255};
    size_t size_bytes;
    write_archive("run", 5);
    SCOPED char *path = in_directory("run/traces/1.evt");
    SCOPED char *content = scratch_read(path, &size_bytes);
    SCOPED char *longer = memory_new(size_bytes + 1);
    setitimer(ITIMER_PROF, &longest, NULL);
    for (size_t at = 0; at < N_PLACES; at++)
        for (size_t i = 0; i < sizeof values; i++) {
            uint64_t n_events;
            size_t n_cut, n_skipped;
            memcpy(longer, content, at);
            longer[at] = (char)values[i];
            memcpy(longer + at + 1, content + at, size_bytes - at);
            scratch_write(path, longer, size_bytes + 1);
            memory_is_stale = true;
            bool is_open = read_all("run", &n_events, &n_cut, &n_skipped);
            memory_is_stale = false;
            assert_true(is_open);
            assert_true(n_events >= 20 && n_events <= 41);
        }
    setitimer(ITIMER_PROF, &none, NULL);
}

// An early end mark is damage, too: the file says itself how many events it holds.
TEST(test_early_end)
{
    enum { HEADER_BYTES = 18, END_MARK = 2 };
    uint64_t n_events;
    size_t size_bytes, n_cut, n_skipped;
    write_archive("run", 5);
    SCOPED char *path = in_directory("run/traces/1.evt");
    SCOPED char *content = scratch_read(path, &size_bytes);
    content[HEADER_BYTES] = END_MARK;
    scratch_write(path, content, size_bytes);
    assert_true(read_all("run", &n_events, &n_cut, &n_skipped));
    assert_int_equal(n_events, 20);
    assert_int_equal(n_skipped, 1);
}

// As an editor or a version control system adds it.
TEST(test_newlines_behind_the_end)
{
    static const char *const files[] = {"traces.def", "traces/0.def", "traces/1.def",
                                        "traces/0.evt", "traces/1.evt"};
    uint64_t n_events;
    size_t n_cut, n_skipped;
    write_archive("run", 10);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        size_t size_bytes;
        SCOPED char *path = memory_format("%s/run/%s", directory, files[i]);
        SCOPED char *content = scratch_read(path, &size_bytes);
        content = memory_resize(content, size_bytes + 1, 1);
        content[size_bytes] = '\n';
        scratch_write(path, content, size_bytes + 1);
    }
    if (!read_all("run", &n_events, &n_cut, &n_skipped))
        fail_msg("%s", err.text);
    assert_int_equal(n_events, 80);
    assert_int_equal(n_cut + n_skipped, 0);
}

TEST(test_spoiled_events)
{
    write_archive("run", 5);
    spoil_everywhere("traces/1.evt", 0xff);
    spoil_everywhere("traces/1.evt", 0);
}

TEST(test_spoiled_definitions)
{
    write_archive("run", 5);
    spoil_everywhere("traces.def", 0xff);
    spoil_everywhere("traces.def", 0);
    spoil_everywhere("traces/1.def", 0xff);
}

// The most virtual memory that this process has had.
static long peak_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;
    while (fgets(line, sizeof line, file))
        sscanf(line, "VmPeak: %ld", &kib);
    fclose(file);
    assert_true(kib > 0);
    return kib;
}

// An anchor file announces how many properties it has: memory for them, up to 64 GiB, would be for
// nothing.
TEST(test_spoiled_anchor)
{
    write_archive("run", 5);
    long before_kib = peak_kib();
    spoil_everywhere("traces.otf2", 0xff);
    spoil_everywhere("traces.otf2", 1);
    assert_true(peak_kib() - before_kib < 64 * 1024);
}

AROUND_EACH(make_directory, remove_directory)
