// SPDX-License-Identifier: BSD-3-Clause
// Names of functions as they are shown and typed.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "tests/unit/unit_test.h"

static void check(const char *name, size_t width, const char *expected)
{
    SCOPED char *found = function_name_short(name, width);
    assert_string_equal(found, expected);
}

TEST(test_what_fits_stays)
{
    check("solve(int)", 10, "solve(int)");
    check("", 0, "");
    check("a_c_function_of_a_long_name", 5, "a_c_function_of_a_long_name");
    check("(program)", 5, "(program)");
}

TEST(test_arguments_go_first)
{
    check("solve(std::vector<int> const&, int)", 20, "solve");
    check("void solver::Grid<double, 3, std::vector<double> >::step(int (*)(int)) const", 20,
          "solver::Grid<>::step");
    check("std::vector<int> make<int>(unsigned long)", 30, "make<>");
    check("run(int) [clone .part.0]", 10, "run");
    check("run()::{lambda(int)#1}::operator()(int) const", 36, "run::{lambda#1}::operator()");
    check("(anonymous namespace)::work(int)", 20, "(anonymous)::work");
}

TEST(test_then_qualifiers_from_the_left)
{
    check("solver::Grid<double>::step(int)", 12, "Grid<>::step");
    check("solver::Grid<double>::step(int)", 11, "step");
    check("solver::Grid<double>::a_long_name(int)", 5, "a_long_name");
}

TEST(test_operators)
{
    check("ns::operator<<(std::ostream&, ns::A const&)", 20, "ns::operator<<");
    check("A::operator()(int) const", 14, "A::operator()");
    check("A::operator bool() const", 18, "A::operator bool");
    check("A::operator->() const", 14, "A::operator->");
    check("bool ns::operator< <int>(A<int> const&)", 20, "ns::operator<<>");
    check("bool ns::operator==<double, 3>(A<double, 3> const&)", 20, "ns::operator==<>");
    check("ns::A ns::operator/<double, 3>(A<double, 3> const&)", 20, "ns::operator/<>");
    check("ns::A& ns::operator<< <int>(std::ostream&)", 20, "ns::operator<<<>");
    check("A::operator->*(int)", 14, "A::operator->*");
    check("A::operator[](unsigned long)", 14, "A::operator[]");
    check("void ns::Halo<double>::operator()<int>(int)", 5, "Halo<>::operator()<>");
    check("ns::A::operator bool() const", 5, "A::operator bool");
    check("ns::A::operators(int)", 5, "operators");
    check("double ns::relaxation_operator<ns::field<double, 2ul> >::sweep<int>(int)", 34,
          "ns::relaxation_operator<>::sweep<>");
    check("bool my_operator <int>(int)", 13, "my_operator<>");
}

TEST(test_broken_names)
{
    check("a<b<c(d", 4, "a<>");
    check("a)>::", 2, "a)>::");
    check("f(((((", 3, "f");
    check("((((((", 3, "((((((");
    check("<<<<<<", 3, "<>");
}

static const char *const names[] = {
    "main",
    "step",
    "solver::Grid<double, 3, std::vector<double> >::step(int) const",
    "solver::Grid<double, 3, std::vector<double> >::exchange(std::vector<double>&, int)",
    "solver::Grid<float, 3, std::vector<float> >::exchange(std::vector<float>&, int)",
    "void solver::relax_all_of_them<int>(std::vector<int> const&)",
    "void solver::sum_of_some_overload(int, std::vector<int> const&)",
    "void solver::sum_of_some_overload(double, std::vector<int> const&)",
    "solver::operator==(solver::Grid<double> const&, solver::Grid<double> const&)",
    "solver::operator/(solver::Grid<double> const&, double)",
    "f(int, char)",
    "a\tname with a tab",
    "step",
};
enum { N_NAMES = sizeof names / sizeof names[0] };

TEST(test_shown_names_mean_one)
{
    static const char *const expected[N_NAMES] = {
        "main",
        "step",
        "solver::Grid<>::step",
        "solver::Grid<double, 3, std::vector<double> >::exchange",
        "solver::Grid<float, 3, std::vector<float> >::exchange",
        "relax_all_of_them<>",
        "sum_of_some_overload(int, std::vector<int> const&)",
        "sum_of_some_overload(double, std::vector<int> const&)",
        "solver::operator==",
        "solver::operator/",
        "f(int, char)",
        "a?name with a tab",
        "step",
    };
    char **shown = function_names_shown(names, N_NAMES);
    bool is_meant[N_NAMES];
    for (size_t i = 0; i < N_NAMES; i++) {
        if (i != 3 && i != 4) // by the least qualifiers that tell them apart
            assert_string_equal(shown[i], expected[i]);
        assert_int_equal(function_names_find(names, N_NAMES, shown[i], is_meant),
                         FUNCTION_NAMES_ONE);
        for (size_t j = 0; j < N_NAMES; j++)
            assert_int_equal(is_meant[j], strcmp(names[i], names[j]) == 0);
    }
    memory_free_each(shown, N_NAMES);
}

/// TEXT means the name INDEX; -1: none, -2: several.
static void means(const char *text, int index)
{
    bool is_meant[N_NAMES];
    enum function_names_found found = function_names_find(names, N_NAMES, text, is_meant);
    if (found != FUNCTION_NAMES_ONE)
        assert_int_equal(index, found == FUNCTION_NAMES_NONE ? -1 : -2);
    else
        assert_true(index >= 0 && is_meant[index]);
}

TEST(test_what_texts_mean)
{
    means("step", 1); // the whole name of another one
    means("Grid<>::step", 2);
    means("Grid::step", 2);
    means("solver::Grid::step", 2);
    means("Grid<double, 3, std::vector<double> >::step", 2);
    means("Grid<double, 3, std::vector<double> >::step(int) const", 2);
    means("Grid<float>::step", -1);
    means("step(double)", -1);
    means("rid<>::step", -1);
    means("exchange", -2);
    means("Grid::exchange", -2);
    means("exchange(std::vector<float>&, int)", 4);
    means("relax_all_of_them", 5);
    means("void solver::relax_all_of_them<int>(std::vector<int> const&)", 5);
    means("sum_of_some_overload", -2);
    means("operator==", 8);
    means("operator/", 9);
    means("f", 10);
    means("f(int)", -1);
    means("a\tname with a tab", 11);
    means("", -1);
    means("vector<double> >::step", -1);
}

TEST(test_lists_of_matches)
{
    bool is_meant[N_NAMES] = {[1] = true, [12] = true, [10] = true};
    char *list = function_names_list(names, N_NAMES, is_meant);
    assert_string_equal(list, "step, f(int, char)");
    free(list);
    const char *const many[] = {"a", "b", "c", "d", "e", "f"};
    const bool all[] = {true, true, true, true, true, true};
    list = function_names_list(many, 6, all);
    assert_string_equal(list, "a, b, c, d and 2 more");
    free(list);
}
