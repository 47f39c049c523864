// SPDX-License-Identifier: BSD-3-Clause
// Names of C++ functions in a line of text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyzer/report/short_name.h"

static void check(const char *name, size_t width, const char *expected)
{
    char *found = short_name(name, width);
    assert_string_equal(found, expected);
    free(found);
}

static void test_what_fits_stays(void **state)
{
    (void)state;
    check("solve(int)", 10, "solve(int)");
    check("", 0, "");
    check("a_c_function_of_a_long_name", 5, "a_c_function_of_a_long_name");
    check("(program)", 5, "(program)");
}

static void test_arguments_go_first(void **state)
{
    (void)state;
    check("solve(std::vector<int> const&, int)", 20, "solve");
    check("void solver::Grid<double, 3, std::vector<double> >::step(int (*)(int)) const", 20,
          "solver::Grid<>::step");
    check("std::vector<int> make<int>(unsigned long)", 30, "make<>");
    check("run(int) [clone .part.0]", 10, "run");
    check("run()::{lambda(int)#1}::operator()(int) const", 36, "run::{lambda#1}::operator()");
    check("(anonymous namespace)::work(int)", 20, "(anonymous)::work");
}

static void test_then_qualifiers_from_the_left(void **state)
{
    (void)state;
    check("solver::Grid<double>::step(int)", 12, "Grid<>::step");
    check("solver::Grid<double>::step(int)", 11, "step");
    check("solver::Grid<double>::a_long_name(int)", 5, "a_long_name");
}

static void test_operators(void **state)
{
    (void)state;
    check("ns::operator<<(std::ostream&, ns::A const&)", 20, "ns::operator<<");
    check("A::operator()(int) const", 14, "A::operator()");
    check("A::operator bool() const", 18, "A::operator bool");
    check("A::operator->() const", 14, "A::operator->");
    check("bool ns::operator< <int>(A<int> const&)", 20, "ns::operator<<>");
}

static void test_broken_names(void **state)
{
    (void)state;
    check("a<b<c(d", 4, "a<>");
    check("a)>::", 2, "a)>::");
    check("f(((((", 3, "f");
    check("((((((", 3, "((((((");
    check("<<<<<<", 3, "<>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_fits_stays),
        cmocka_unit_test(test_arguments_go_first),
        cmocka_unit_test(test_then_qualifiers_from_the_left),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_broken_names),
    };
    return cmocka_run_group_tests_name("report_short_name", tests, NULL, NULL);
}
