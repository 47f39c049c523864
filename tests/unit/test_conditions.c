// SPDX-License-Identifier: BSD-3-Clause
// Conditions outside of patterns: comparisons of names with values, and formulas.
#include <string.h>

#include "analyzer/base/formula.h"
#include "tests/unit/unit_test.h"

static void check(const char *text, const char *name, enum relation relation, const char *value)
{
    char copy[64];
    struct comparison comparison;
    struct error err = {{0}};
    strcpy(copy, text);
    if (comparison_read(copy, &comparison, &err))
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(comparison.name, name);
    assert_int_equal(comparison.relation, relation);
    assert_string_equal(comparison.value, value);
}

static void check_error(const char *text, const char *message)
{
    char copy[64];
    struct comparison comparison;
    struct error err = {{0}};
    strcpy(copy, text);
    assert_int_equal(comparison_read(copy, &comparison, &err), -1);
    assert_string_equal(err.text, message);
}

TEST(test_comparisons)
{
    check("size>=64KiB", "size", RELATION_AT_LEAST, "64KiB");
    check(" late-sender <= 200 ms\t", "late-sender", RELATION_AT_MOST, "200 ms");
    check("a==b", "a", RELATION_EQUAL, "b");
    check("a!=-1", "a", RELATION_UNEQUAL, "-1");
    check("a<1", "a", RELATION_LESS, "1");
    check("a > x=y", "a", RELATION_MORE, "x=y");
    check("name", "name", RELATION_NONE, "");
    check_error("a=1", "`a=1`: `=` is not an operator; there are == != < <= > >=");
    check_error("a=>1", "`a=>1`: `=>` is not an operator; there are == != < <= > >=");
    check_error("a<>1", "`a<>1`: `<>` is not an operator; there are == != < <= > >=");
    check_error("a ===1", "`a ===1`: `===` is not an operator; there are == != < <= > >=");
    check_error("a!", "`a!`: `!` is not an operator; there are == != < <= > >=");
    check_error(" <1", "` <1`: a name is missing");
    check_error("", "``: a name is missing");
    check_error("a< ", "`a< `: a value is missing after <");
}

TEST(test_parts)
{
    char text[] = "a<1&&b==2 && c";
    char *rest = text;
    assert_string_equal(comparison_next(&rest), "a<1");
    assert_string_equal(comparison_next(&rest), "b==2 ");
    assert_string_equal(comparison_next(&rest), " c");
    assert_null(comparison_next(&rest));
}

TEST(test_formulas)
{
    static const char *const names[] = {"n", "size"};
    struct error err = {{0}};
    struct formula *formula = formula_new("!(n == 2) && size >= 4", names, 2, &err);
    assert_non_null(formula);
    assert_true(formula_value(formula, (const double[]){1, 4}) == 1);
    assert_true(formula_value(formula, (const double[]){2, 4}) == 0);
    assert_true(formula_value(formula, (const double[]){1, 3}) == 0);
    formula_free(formula);
    formula = formula_new("-!!n - !size * 10 + !n == -1", names, 2, &err);
    assert_non_null(formula);
    assert_true(formula_value(formula, (const double[]){7, 2}) == 1); // -1 - 0 + 0
    assert_true(formula_value(formula, (const double[]){0, 0}) == 0); // 0 - 10 + 1
    formula_free(formula);
    assert_null(formula_new("!n && !sise", names, 2, &err));
    assert_string_equal(err.text, "formula `!n && !sise`: unknown name sise at 8; is it size?");
    assert_null(formula_new("n ! size", names, 2, &err));
    assert_null(formula_new("n <= 1 || n = 2", names, 2, &err));
    assert_string_equal(err.text, "formula `n <= 1 || n = 2`: = at 13 has no meaning, write ==");
    assert_null(formula_new("n == sise", names, 2, &err));
    assert_string_equal(err.text, "formula `n == sise`: unknown name sise at 6; is it size?");
}
