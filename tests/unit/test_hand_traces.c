// SPDX-License-Identifier: BSD-3-Clause
// Text traces with their expected results, computed by hand, checked against the engine and against
// the brute-force reference. A test is a file in tests/traces/engine or tests/traces/patterns with
// lines like
//
//     #! late-sender rank 1 count 1 ns 40
//     #! critical-path main/solve rank 0 ns 120 rank 1.1 ns 7
//
// A fact (findings.h), then words read from left to right: a call path (`-`: outside any region)
// and `rank R` or `rank R.THREAD` choose what the `count N` and `ns N` after them are about;
// before any `rank` that is the whole run. A wait pattern that is not mentioned must not be found,
// and the critical path, where it is mentioned, must be mentioned as a whole.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pattern/catalogue.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/reference.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

enum { MIN_TRACES = 60, MAX_LINE = 400, MAX_SHOWN_LINES = 20 };

/// One file's check against one of the two.
struct check {
    const char *path, *who;
    const struct findings *found;
    char *is_mentioned; // by pattern of the catalogue
    int64_t path_ns;    // of the critical path, as far as it was mentioned
    bool has_path;
    size_t n_failed;
};

static void expect(struct check *check, const char *directive, const char *what, int64_t expected,
                   int64_t found)
{
    if (expected == found)
        return;
    check->n_failed++;
    print_error("%s: %s: %s: %s %lld, not %lld\n", check->path, check->who, directive, what,
                (long long)found, (long long)expected);
}

/// Checks one line: what stands after `#!`.
static void check_directive(struct check *check, const char *directive)
{
    char line[MAX_LINE], *rest = line, *word;
    snprintf(line, sizeof line, "%s", directive);
    const char *fact = strtok_r(rest, " \t", &rest), *path = NULL;
    uint32_t rank = FINDING_NO_RANK, thread = 0;
    if (!fact)
        return;
    uint32_t pattern = catalogue_find(shipped_catalogue, fact);
    if (pattern != PATTERN_NONE)
        check->is_mentioned[pattern] = 1;
    bool is_path = strcmp(fact, "critical-path") == 0;
    check->has_path = check->has_path || is_path;
    while ((word = strtok_r(rest, " \t", &rest))) {
        bool is_key =
            strcmp(word, "rank") == 0 || strcmp(word, "count") == 0 || strcmp(word, "ns") == 0;
        const char *value = is_key ? strtok_r(rest, " \t", &rest) : NULL;
        if (!is_key) {
            path = strcmp(word, "-") == 0 ? "" : word;
        } else if (!value) {
            expect(check, directive, "numbers after the last word", 1, 0);
        } else if (strcmp(word, "rank") == 0) {
            char *dot;
            rank = (uint32_t)strtoul(value, &dot, 10);
            thread = *dot == '.' ? (uint32_t)strtoul(dot + 1, NULL, 10) : 0;
        } else {
            struct finding sum = findings_sum(check->found, fact, rank, thread, path);
            bool is_count = strcmp(word, "count") == 0;
            expect(check, directive, word, strtoll(value, NULL, 10), is_count ? sum.count : sum.ns);
            check->path_ns += is_path ? sum.ns : 0;
        }
    }
}

static void check_text(struct check *check, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strcspn(line, "\n");
        char directive[MAX_LINE];
        if (strncmp(line, "#! ", 3) != 0 || length >= sizeof directive)
            continue;
        memcpy(directive, line + 3, length - 3);
        directive[length - 3] = '\0';
        check_directive(check, directive);
    }
    for (size_t p = 0; p < shipped_catalogue->n_patterns; p++) {
        if (!check->is_mentioned[p])
            expect(check, shipped_catalogue->patterns[p].id, "count", 0,
                   findings_sum(check->found, shipped_catalogue->patterns[p].id, FINDING_NO_RANK, 0,
                                NULL)
                       .count);
    }
    if (check->has_path)
        expect(check, "critical-path", "sum", check->path_ns,
               findings_sum(check->found, "time", FINDING_NO_RANK, 0, NULL).ns);
}

/// Facts only one of the two knows.
static bool is_ignored(const char *fact, const void *context)
{
    return strcmp(fact, "size-mismatches") == 0 || strcmp(fact, "lost-calls") == 0;
}

/// Returns how many of the file's lines are wrong.
static size_t check_file(const char *path, char *text)
{
    SCOPED char *is_mentioned = calloc(2, shipped_catalogue->n_patterns);
    struct error err = {{0}};
    struct findings expected = {0}, found = {0};
    struct check engine = {
        .path = path, .who = "engine", .found = &found, .is_mentioned = is_mentioned};
    struct check reference = {.path = path,
                              .who = "reference",
                              .found = &expected,
                              .is_mentioned = is_mentioned + shipped_catalogue->n_patterns};
    if (engine_findings_of_text(text, shipped_catalogue, &found, &err) != 0) {
        print_error("%s: %s\n", path, err.text);
        engine.n_failed++;
    } else {
        reference_analyse_text(text, &expected);
        check_text(&engine, text);
        check_text(&reference, text);
        if (!findings_equal(&expected, "reference", &found, "engine", is_ignored, NULL, stderr,
                            MAX_SHOWN_LINES)) {
            print_error("%s: the two disagree\n", path);
            engine.n_failed++;
        }
    }
    findings_release(&expected);
    findings_release(&found);
    return engine.n_failed + reference.n_failed;
}

TEST(test_traces_computed_by_hand)
{
    traces_check("{engine,patterns}/*.txt", MIN_TRACES, check_file);
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
