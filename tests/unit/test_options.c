// SPDX-License-Identifier: BSD-3-Clause
// Command lines: values with units, operands, and what is refused.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "tests/unit/unit_test.h"

struct settings {
    bool json;
    uint64_t top, latency_ns, eager_bytes;
    double speed;
    const char *store;
    struct option_list patterns;
};

static struct settings settings;
static int first, status;

/// Parses the words of LINE (at most 31) as the command line of a command with every type.
static bool parse(const char *line, bool stops_at_operand)
{
    static char words[512];
    static char *argv[32];
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("json", 'j', &settings.json, "print JSON"),
        OPTION_COUNT_ROW("top", 't', "N", &settings.top, "rows", "10"),
        OPTION_DURATION_ROW("latency", 0, "T", &settings.latency_ns, "time", NULL),
        OPTION_SIZE_ROW("eager", 0, "BYTES", &settings.eager_bytes, "size", NULL),
        OPTION_NUMBER_ROW("cpu-speed", 0, "F", &settings.speed, "factor", NULL),
        OPTION_TEXT_ROW("store", 0, "DB", &settings.store, "database", NULL),
        OPTION_LIST_ROW("patterns", 'p', "FILE", &settings.patterns, "more"),
    };
    const struct option_usage usage = {
        .command = "test",
        .operands = stops_at_operand ? "TRACE [WORD...]" : "TRACE [TRACE]",
        .summary = "Tests",
        OPTIONS_OF(rows),
        .stops_at_operand = stops_at_operand,
    };
    int argc = 0;
    options_list_release(&settings.patterns);
    settings = (struct settings){.top = 10};
    status = -1;
    strcpy(words, line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return options_parse(&usage, argc, argv, &first, &status);
}

TEST(test_values_of_each_type)
{
    assert_true(parse("test -j --top 3 --latency 1.5us --eager=64KiB --cpu-speed 0.5 --store a.db "
                      "-p one --patterns two trace",
                      false));
    assert_true(settings.json);
    assert_int_equal(settings.top, 3);
    assert_int_equal(settings.latency_ns, 1500);
    assert_int_equal(settings.eager_bytes, 65536);
    assert_true(settings.speed == 0.5);
    assert_string_equal(settings.store, "a.db");
    assert_int_equal(settings.patterns.count, 2);
    assert_string_equal(settings.patterns.values[0], "one");
    assert_string_equal(settings.patterns.values[1], "two");
}

TEST(test_defaults_stay)
{
    assert_true(parse("test trace", false));
    assert_false(settings.json);
    assert_int_equal(settings.top, 10);
    assert_null(settings.store);
    assert_int_equal(first, 1);
}

TEST(test_options_follow_operands)
{
    assert_true(parse("test trace --json", false));
    assert_true(settings.json);
    assert_int_equal(first, 2);
}

TEST(test_operands_end_the_options_where_asked)
{
    assert_true(parse("test --json mpirun --top 3", true));
    assert_int_equal(first, 2);
    assert_int_equal(settings.top, 10);
    assert_true(parse("test -- --top 3", true));
    assert_int_equal(first, 2);
}

TEST(test_wrong_usage_is_refused)
{
    static const char *const lines[] = {
        "test",                                  // no operand
        "test a b c",                            // too many
        "test --jsn trace",                      // misspelt
        "test --json=3 trace",                   // value for a flag
        "test -x trace",                         // no such letter
        "test trace --top",                      // value missing
        "test --top -1 trace",                   // not a count
        "test --top 0x10 trace",                 //
        "test --top 3.5 trace",                  //
        "test --top 18446744073709551616 trace", // one too many
        "test --latency 3parsec trace",          // no such unit
        "test --latency us trace",               // no digits
        "test --latency -1us trace",             //
        "test --latency inf trace",              //
        "test --eager 1e30 trace",               // too large
        "test --cpu-speed 1,5 trace",            // a comma is not a decimal point
        "test --top 3 trace --top 3",            // one value only
        "test -t 3 --top 4 trace",               //
        "test --store a --store=b trace",        //
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_false(parse(lines[i], false));
        assert_int_equal(status, STATUS_USAGE);
    }
}

TEST(test_units)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } durations[] = {
        {"7ns", 7},
        {"0.5us", 500},
        {"10µs", 10000},
        {"2ms", 2000000},
        {"1.25s", 1250000000},
        {"3", 3000000000},
        {"2min", 120000000000},
        {"1e-6s", 1000},
    };
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"0", 0},           {"17B", 17},          {"2kB", 2000},    {"2KiB", 2048},
                 {"1.5MB", 1500000}, {"1GiB", 1073741824}, {".5MiB", 524288}};
    struct error err = {{0}};
    uint64_t value;
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        assert_int_equal(option_read_duration(durations[i].text, &value, &err), 0);
        assert_int_equal(value, durations[i].ns);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(option_read_size(sizes[i].text, &value, &err), 0);
        assert_int_equal(value, sizes[i].bytes);
    }
}

TEST(test_help_ends_the_command)
{
    assert_false(parse("test --help", false));
    assert_int_equal(status, STATUS_DONE);
}

TEST(test_spelling)
{
    static const char *const names[] = {"replay", "trace", "store", "check", "patterns"};
    const size_t n = sizeof names / sizeof names[0];
    assert_string_equal(spelling_nearest("replya", names, n), "replay");
    assert_string_equal(spelling_nearest("trce", names, n), "trace");
    assert_string_equal(spelling_nearest("pat", names, n), "patterns");
    assert_null(spelling_nearest("frobnicate", names, n));
    assert_null(spelling_nearest("", names, n));
}

static int release(void **unused)
{
    options_list_release(&settings.patterns);
    return 0;
}

AROUND_ALL(NULL, release)
