// SPDX-License-Identifier: BSD-3-Clause
// What `pagoda trace` writes into the spool (analyzer/launch/settings.c) is what the tracer
// reads there (tracer/record/settings.c). The two share no code: this is where they meet.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/launch/settings.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/unit_test.h"
#include "tracer/record/counters.h"
#include "tracer/record/settings.h"

static char *folder;
static char filter_path[PATH_MAX], spool_path[PATH_MAX];

/// Resolves what the environment says, and hands it over. `settings` is the tracer's.
static void hand_over(void)
{
    struct trace_settings chosen;
    struct error err = {{0}};
    FILE *file = fopen(spool_path, "w");

    assert_non_null(file);
    trace_settings_init(&chosen);
    if (trace_settings_resolve(&chosen, &err) != 0)
        fail_msg("%s", err.text);
    trace_settings_write(&chosen, file);
    trace_settings_release(&chosen);
    fclose(file);
    settings_read(folder);
}

static size_t n_rules(char kind, bool include)
{
    size_t n = 0;

    for (size_t i = 0; i < settings.n_rules; i++)
        n += settings.rules[i].kind == kind && settings.rules[i].include == include;
    return n;
}

/// The Kth rule of a kind.
static const char *pattern(char kind, size_t k)
{
    for (size_t i = 0; i < settings.n_rules; i++)
        if (settings.rules[i].kind == kind && k-- == 0)
            return settings.rules[i].pattern;
    return "";
}

TEST(test_defaults_are_the_same)
{
    struct settings own = settings;
    hand_over();
    assert_int_equal(settings.call_stack, own.call_stack);
    assert_int_equal(settings.only_mpi_files, own.only_mpi_files);
    assert_int_equal(settings.min_duration_ns, own.min_duration_ns);
    assert_int_equal(settings.max_bytes, own.max_bytes);
    assert_int_equal(settings.buffer_bytes, own.buffer_bytes);
    assert_null(settings.start_at);
    assert_null(settings.stop_at);
    assert_int_equal(settings.n_windows, 0);
    assert_true(n_rules('e', true) > 5);
    assert_int_equal(settings.n_rules, n_rules('e', true));
    assert_int_equal(settings.n_counters, 0);
    assert_int_equal(TRACE_MOST_WINDOWS, SETTINGS_WINDOWS);
    assert_int_equal(TRACE_MOST_COUNTERS, SETTINGS_COUNTERS);
}

#define COUNTER(name, ...) name ","
static const char counter_names[] = COUNTERS "PAPI_X, a::b";
#undef COUNTER
#define COUNTER(...) +1
enum { N_COUNTERS = COUNTERS };
#undef COUNTER

/// Every setting of the table with a value, so that a new one is not forgotten here.
static const char *const values[][2] = {
    {"filter", filter_path}, {"mpi", "communication"},  {"min_duration", "7us"},
    {"start_at", "a = b"},   {"stop_at", "c"},          {"max_bytes", "3MiB"},
    {"window", ""},          {"buffer_bytes", "100KB"}, {"call_stack", "5"},
    {"env", "A_*, B"},       {"files", "mpi"},          {"counters", counter_names},
};
enum { N_VALUES = sizeof values / sizeof values[0] };

static void set_all(void)
{
    for (int i = 0; i < N_VALUES; i++) {
        char name[64];
        size_t length = (size_t)snprintf(name, sizeof name, "PAGODA_%s", values[i][0]);

        for (size_t k = 0; k < length; k++)
            name[k] = (char)(name[k] >= 'a' && name[k] <= 'z' ? name[k] - 'a' + 'A' : name[k]);
        setenv(name, values[i][1], 1);
    }
}

TEST(test_all_settings_arrive)
{
    assert_int_equal(N_VALUES, TRACE_N_SETTINGS);
    set_all();
    settings.n_rules = 0;
    hand_over();
    assert_int_equal(settings.call_stack, 5);
    assert_int_equal(settings.min_duration_ns, 7000);
    assert_int_equal(settings.max_bytes, 3 << 20);
    assert_int_equal(settings.buffer_bytes, 128 << 10); // rounded up to 64 KiB
    assert_string_equal(settings.start_at, "a = b");
    assert_string_equal(settings.stop_at, "c");
    assert_int_equal(settings.n_counters, 2 + N_COUNTERS);
    assert_string_equal(settings.counters[0], "cycles");
    assert_string_equal(settings.counters[N_COUNTERS + 1], "a::b");
    assert_int_equal(n_rules('e', true), 2);
    assert_string_equal(pattern('e', 0), "A_*");
    assert_string_equal(pattern('e', 1), "B");
    assert_int_equal(n_rules('r', false), 2);
    assert_int_equal(n_rules('r', true), 1);
    assert_int_equal(n_rules('m', false), 1);
    assert_int_equal(n_rules('f', false), 1);
    assert_true(n_rules('p', false) > 20);
    assert_string_equal(pattern('f', 0), "x\\ y=*");
}

TEST(test_windows_arrive)
{
    setenv("PAGODA_START_AT", "", 1);
    setenv("PAGODA_STOP_AT", "", 1);
    setenv("PAGODA_WINDOW", "-1s, 2s-3s,4.5s-", 1);
    hand_over();
    assert_int_equal(settings.n_windows, 3);
    assert_int_equal(settings.windows[0].from_ns, 0);
    assert_int_equal(settings.windows[0].to_ns, 1000000000);
    assert_int_equal(settings.windows[1].from_ns, 2000000000);
    assert_int_equal(settings.windows[2].from_ns, 4500000000);
    assert_true(settings.windows[2].to_ns == UINT64_MAX);
}

static int make_files(void **state)
{
    FILE *file;

    (void)state;
    folder = scratch_directory();
    snprintf(filter_path, sizeof filter_path, "%s/filter", folder);
    snprintf(spool_path, sizeof spool_path, "%s/%s", folder, SETTINGS_FILE);
    file = fopen(filter_path, "w");
    if (!file)
        return -1;
    fputs("SCOREP_REGION_NAMES_BEGIN EXCLUDE a MPI_B*\nINCLUDE c EXCLUDE MANGLED _Zd\n"
          "SCOREP_REGION_NAMES_END SCOREP_FILE_NAMES_BEGIN\nEXCLUDE x\\ y=*\n"
          "SCOREP_FILE_NAMES_END\n",
          file);
    return fclose(file);
}

static int remove_files(void **state)
{
    int status = unlink(filter_path) | unlink(spool_path) | rmdir(folder);
    free(folder);
    return status;
}

AROUND_ALL(make_files, remove_files)
