// SPDX-License-Identifier: BSD-3-Clause
// Sweeps: value lists, order of points, substitution, words, checkpoints.
#include <math.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/sweep/checkpoint.h"
#include "analyzer/sweep/plan.h"
#include "tests/unit/unit_test.h"

static void expect_values(const char *text, const char *expected)
{
    struct sweep_values values = {0};
    struct error err = {{0}};
    char *joined = memory_copy_text("");
    assert_int_equal(sweep_values_read(text, &values, &err), 0);
    for (size_t i = 0; i < values.n; i++) {
        char *longer = memory_format("%s%s%s", joined, i ? " " : "", values.texts[i]);
        free(joined);
        joined = longer;
    }
    assert_string_equal(joined, expected);
    free(joined);
    sweep_values_release(&values);
}

static void expect_no_values(const char *text, const char *complaint)
{
    struct sweep_values values = {0};
    struct error err = {{0}};
    assert_int_equal(sweep_values_read(text, &values, &err), -1);
    assert_non_null(strstr(err.text, complaint));
    sweep_values_release(&values);
}

TEST(test_values)
{
    expect_values("{1, 2:8:2}", "1 2 4 6 8"); // Aksum's example
    expect_values("2:9:3", "2 5 8");          // floor((9 - 2) / 3) = 2
    expect_values("3:5", "3 4 5");
    expect_values("7:7", "7");
    expect_values("9:1:-4", "9 5 1");
    expect_values("-1:1", "-1 0 1");
    expect_values("0.1:0.5:0.1", "0.1 0.2 0.3 0.4 0.5");
    expect_values("1:2:0.25", "1 1.25 1.5 1.75 2");
    expect_values("-0.5:0.5:0.5", "-0.5 0 0.5");
    expect_values(" block , cyclic ", "block cyclic");
    expect_values("008,1e3,host:1", "008 1e3 host:1"); // as they are written
    expect_no_values("1,,2", "empty");
    expect_no_values("{}", "empty");
    expect_no_values("5:1", "is empty");
    expect_no_values("1:5:-1", "is empty");
    expect_no_values("1:5:0", "step of 0");
    expect_no_values("1:200000", "more than 100000");
    expect_no_values("100000000000000:1:0.000000001", "too many digits");
}

static void add(struct sweep_plan *plan, const char *name, const char *search, const char *first,
                const char *second)
{
    struct error err = {{0}};
    struct sweep_parameter *parameter = sweep_plan_add(plan, name, search, &err);
    assert_non_null(parameter);
    sweep_values_add(&parameter->values, first);
    sweep_values_add(&parameter->values, second);
}

static void expect_point(const struct sweep_plan *plan, size_t number, const char *name,
                         const char *text, const char *expected)
{
    struct sweep_point point;
    sweep_plan_point(plan, number, &point);
    assert_string_equal(point.name, name);
    SCOPED char *made = sweep_substitute(plan, &point, "/d", text);
    assert_string_equal(made, expected);
    sweep_point_release(&point);
}

// Aksum's example: parameters that replace "-mp = 1" and "THREADS = 2", two values each.
TEST(test_policies)
{
    struct error err = {{0}};
    struct sweep_plan plan;
    sweep_plan_init(&plan);
    add(&plan, "mp", "-mp = 1", "-mp = 1", "-mp = 4");
    add(&plan, "threads", "THREADS = 2", "THREADS = 2", "THREADS = 4");
    const char *text = "-mp = 1; THREADS = 2";
    assert_int_equal(sweep_plan_check(&plan, &err), 0);
    assert_int_equal(sweep_plan_n_points(&plan), 4);
    expect_point(&plan, 0, "mp=-mp = 1,threads=THREADS = 2", text, "-mp = 1; THREADS = 2");
    expect_point(&plan, 1, "mp=-mp = 1,threads=THREADS = 4", text, "-mp = 1; THREADS = 4");
    expect_point(&plan, 2, "mp=-mp = 4,threads=THREADS = 2", text, "-mp = 4; THREADS = 2");
    expect_point(&plan, 3, "mp=-mp = 4,threads=THREADS = 4", text, "-mp = 4; THREADS = 4");
    plan.is_line_by_line = true;
    assert_int_equal(sweep_plan_n_points(&plan), 2);
    expect_point(&plan, 0, "mp=-mp = 1,threads=THREADS = 2", text, "-mp = 1; THREADS = 2");
    expect_point(&plan, 1, "mp=-mp = 4,threads=THREADS = 4", text, "-mp = 4; THREADS = 4");
    sweep_plan_release(&plan);
}

TEST(test_substitution)
{
    struct error err = {{0}};
    struct sweep_plan plan;
    sweep_plan_init(&plan);
    add(&plan, "a", NULL, "{b}", NULL);
    add(&plan, "b", NULL, "2", "3");
    add(&plan, "c", "{b}x", "long", "long");
    // A value is not looked through; the longer of two goes; {{ keeps; undefined stays.
    expect_point(&plan, 0, "a={b},b=2,c=long", "{a}{b}{b}x {{b} {dir}{", "{b}2long {b} /d{");
    expect_point(&plan, 4, "b=2,c=long", "{a} {b}", "{a} 2");
    plan.n_repetitions = 2;
    assert_int_equal(sweep_plan_n_points(&plan), 16);
    expect_point(&plan, 12, "b=2,c=long#2", "{b}", "2");
    assert_int_equal(sweep_check_names(&plan, "{a} {{x} {dir} {} {1}", &err), 0);
    assert_int_equal(sweep_check_names(&plan, "{x}", &err), -1);
    sweep_plan_release(&plan);
}

static void expect_words(const char *text, const char *expected)
{
    struct error err = {{0}};
    char **words = sweep_words(text, &err);
    char *joined = memory_copy_text("");
    assert_non_null(words);
    for (size_t i = 0; words[i]; i++) {
        char *longer = memory_format("%s[%s]", joined, words[i]);
        free(joined);
        joined = longer;
    }
    assert_string_equal(joined, expected);
    free(joined);
    words_free(words);
}

TEST(test_words)
{
    struct error err = {{0}};
    expect_words(" a  'b c'\n\"d 'e\" ", "[a][b c][d 'e]");
    expect_words("a\\ b '\\' \"\\\"\\n\" '' x''y", "[a b][\\][\"\\n][][xy]");
    assert_null(sweep_words("a 'b", &err));
    assert_null(sweep_words("  ", &err));
}

/// Notes the severities and returns whether the checkpoint TEXT then holds.
static bool reached(const char *text, const double *severities, size_t n)
{
    struct error err = {{0}};
    struct sweep_checkpoints checkpoints = {0};
    assert_int_equal(sweep_checkpoints_add(&checkpoints, text, &err), 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < checkpoints.n_series; k++)
            sweep_checkpoints_note(&checkpoints, k, severities[i]);
    bool is_reached = sweep_checkpoints_reached(&checkpoints) != NULL;
    sweep_checkpoints_release(&checkpoints);
    return is_reached;
}

// Last five of 0.1 0.7 0.8 0.8 0.8 0.9: mean 0.8, sample deviation sqrt(0.02 / 4) = 0.0707.
TEST(test_checkpoints)
{
    static const double seen[] = {0.1, 0.7, 0.8, 0.8, 0.8, 0.9};
    static const char aksum[] = "avg(inefficiency, program, last 5) > 0.75 && stddev <= 0.1";
    assert_true(reached(aksum, seen, 6));
    assert_false(reached(aksum, seen, 5)); // 0.1 counts: mean 0.64
    assert_false(reached(aksum, seen, 4)); // too few
    assert_true(reached("stddev(x, last 5) >= 0.0707 && stddev < 0.0708", seen, 6));
    assert_true(reached("avg(x) > 0.683 && avg < 0.684", seen, 6)); // 4.1 / 6
    assert_true(reached("min(x) == 0.1 && max(y, 1) >= 0.9", seen, 6));
    assert_false(reached("max(x) > 0.9", seen, 6));
    assert_true(reached("stddev(x) <= 0", seen, 1));
    assert_false(reached("avg(x) >= 0", seen, 0));
    assert_true(reached("max(x) >= 0.9 && min >= 0.1", seen, 6));
    assert_true(reached("max(x) > 0.9 || min == 0.1", seen, 6));
    assert_true(reached("max(x) > 8 * min && !(min > 0.1)", seen, 6));
    assert_true(reached("min(x, last 5) > 1e-1", seen, 6));
    assert_false(reached("min(x) >= 0 || min < 0", seen, 0)); // of nothing nothing holds
    assert_true(reached("avg(x, solve, last 5) > 0.75 && min(x, 6) == 0.1", seen, 6));
}

// Pairs of different x: of (1, a) (1, b) (2, c) two, so a and b need no order.
TEST(test_trend)
{
    struct error err = {{0}};
    struct sweep_checkpoints checkpoints = {0};
    struct sweep_value trend;
    assert_int_equal(sweep_checkpoints_add_value(&checkpoints, "trend(x)", &trend, &err), 0);
    sweep_checkpoints_note_at(&checkpoints, 0, 1, 0.2);
    sweep_checkpoints_note_at(&checkpoints, 0, 1, 0.1);
    assert_true(isnan(sweep_checkpoints_value(&checkpoints, &trend))); // no pair
    sweep_checkpoints_note_at(&checkpoints, 0, 2, 0.3);
    assert_float_equal(sweep_checkpoints_value(&checkpoints, &trend), 1, 1e-12);
    sweep_checkpoints_note_at(&checkpoints, 0, 4,
                              0.2); // rises from 0.1, equals 0.2, falls from 0.3
    assert_float_equal(sweep_checkpoints_value(&checkpoints, &trend), 0.4, 1e-12);
    sweep_checkpoints_note_at(&checkpoints, 0, 8, NAN);
    assert_true(isnan(sweep_checkpoints_value(&checkpoints, &trend)));
    assert_int_not_equal(sweep_checkpoints_add_value(&checkpoints, "median(x)", &trend, &err), 0);
    assert_int_not_equal(sweep_checkpoints_add_value(&checkpoints, "max(x) > 1", &trend, &err), 0);
    sweep_checkpoints_release(&checkpoints);
}

/// Regions are told apart, and from the program.
TEST(test_checkpoint_regions)
{
    struct error err = {{0}};
    struct sweep_checkpoints checkpoints = {0};
    static const char text[] =
        "avg(x, program) > 0 && avg(x) > 0 && avg(x, main/solve, last "
        "2) "
        "> 0 && avg(x, f(int, char), 3) > 0 && avg(x, \"last 5\") > 0 && avg(x, "
        "</Code/a.c/(f,g), /Process/1>) > 0 && avg(y, main/solve) > 0";
    assert_int_equal(sweep_checkpoints_add(&checkpoints, text, &err), 0);
    assert_int_equal(checkpoints.n_series, 6);
    assert_null(checkpoints.series[0].region);
    assert_string_equal(checkpoints.series[1].region, "main/solve");
    assert_string_equal(checkpoints.series[2].region, "f(int, char)");
    assert_string_equal(checkpoints.series[3].region, "last 5");
    assert_string_equal(checkpoints.series[4].region, "</Code/a.c/(f,g), /Process/1>");
    assert_string_equal(checkpoints.series[5].property, "y");
    assert_int_equal(checkpoints.items[0].values[2].last, 2);
    assert_int_equal(checkpoints.items[0].values[3].last, 3);
    assert_int_equal(checkpoints.items[0].values[4].last, 0);
    sweep_checkpoints_release(&checkpoints);
}
