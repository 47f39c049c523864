// SPDX-License-Identifier: BSD-3-Clause
// Points of a sweep: value lists, order, substitution.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/sweep/plan.h"
#include "analyzer/sweep/substitute.h"
#include "analyzer/sweep/values.h"

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

static void test_values(void **state)
{
    (void)state;
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
    char *made = sweep_substitute(plan, &point, "/d", text);
    assert_string_equal(made, expected);
    free(made);
    sweep_point_release(&point);
}

// Aksum's example: parameters that replace "-mp = 1" and "THREADS = 2", two values each.
static void test_policies(void **state)
{
    (void)state;
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

static void test_substitution(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_substitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
