// SPDX-License-Identifier: BSD-3-Clause
// Expressions of patterns: values, precedence, what is left out, errors, and random expressions
// against values computed as they are written.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/pattern/expression.h"
#include "tests/unit/unit_test.h"

static const struct expression_name names[] = {
    {"a", false, 0},
    {"b", false, 1},
    {"c", false, 2},
    {"zero", false, 3},
    {"never", true, INT64_MAX},
    {"seven", true, 7},
};
static const struct expression_scope scope = {names, sizeof(names) / sizeof(names[0]), NULL};
static const double values[] = {10, 3, -4, 0};

static bool evaluate(const char *text, double *value)
{
    struct error err = {{0}};
    struct expression expression;
    if (expression_compile(text, &scope, &expression, &err))
        fail_msg("%s: %s", text, err.text);
    bool has_value = expression_value(&expression, values, value);
    expression_release(&expression);
    return has_value;
}

static void check(const char *text, int64_t expected)
{
    double value;
    if (!evaluate(text, &value))
        fail_msg("%s has no value", text);
    if (expression_whole(value) != expected)
        fail_msg("%s is %.17g, not %lld", text, value, (long long)expected);
}

static void check_real(const char *text, double expected)
{
    double value;
    assert_true(evaluate(text, &value));
    if (fabs(value - expected) > 1e-15 * fabs(expected))
        fail_msg("%s is %.17g, not %.17g", text, value, expected);
}

static void check_error(const char *text, const char *message)
{
    struct error err = {{0}};
    struct expression expression;
    if (!expression_compile(text, &scope, &expression, &err))
        fail_msg("%s was accepted", text);
    if (strncmp(err.text, message, strlen(message)) != 0)
        fail_msg("%s: \"%s\" instead of \"%s\"", text, err.text, message);
}

// What random expressions (below) do not have.
TEST(test_numbers_signs_and_functions)
{
    check("42", 42);
    check("a / b * b", 10);
    check("-a", -10);
    check("- - a", 10);
    check("5 - -a", 15);
    check("min(a, b)", 3);
    check("max(a, b, c, 12)", 12);
    check("min(a + 1, max(b, c) * 2) - 1", 5);
    check(" a\n\t+ b ", 13);
    check("!a == b", 0); // of a
}

TEST(test_divisions_by_zero_have_no_value)
{
    double value;
    assert_false(evaluate("a / zero", &value));
    assert_false(evaluate("1 + a / (b - 3)", &value));
    check("zero == 0 || a / zero > 1", 1);
    check("zero != 0 && a / zero > 1", 0);
    check("(zero ? a / zero : 5)", 5);
}

TEST(test_largest_numbers)
{
    check("never", INT64_MAX);
    check("never + 1", INT64_MAX);
    check("never - -a", INT64_MAX);
    check("-never - 2", INT64_MIN);
    check("-never - a", INT64_MIN);
    check("never * a", INT64_MAX);
    check("never * c", INT64_MIN);
    check("(-never - 1) / -1", INT64_MAX);
    check("(-never - a) * never * c", INT64_MAX);
    check("min(never, a)", 10);
    check("9223372036854775807", INT64_MAX);
}

TEST(test_real)
{
    check_real("a / b", 10.0 / 3.0);
    check_real("0.5", 0.5);
    check_real(".25 + 1.", 1.25);
    check_real("2.5e-3 + 1E+2", 100.0025);
    check_real("b > 3.5 ? 1 : 0.1", 0.1);
    check_real("123456.789", 123456.789);
    check_real("max(0.001, min(a, b)) * 2 - 1", 5);
}

TEST(test_errors)
{
    check_error("", "a value is missing at the end (at character 1 of \"\")");
    check_error("a +", "a value is missing at the end");
    check_error("* a", "a value is missing before *");
    check_error("a b", "an operator is missing before 'b' (at character 3 of \"a b\")");
    check_error("a 3", "an operator is missing before a number");
    check_error("(a + b", "')' is missing");
    check_error("a + b)", "an operator is missing before ')'");
    check_error("nevr - a", "there is no value 'nevr' here, did you mean 'never'?");
    check_error("a + wrongname", "there is no value 'wrongname' here (at character 5");
    check_error("a < b < c", "comparisons cannot be chained; write a < b && b < c");
    check_error("a & b", "'&' has no meaning here, write '&&' (at character 3");
    check_error("a | b", "'|' has no meaning here, write '||'");
    check_error("a = b", "'=' has no meaning here, write '=='");
    check_error("a and b", "an operator is missing before 'and', write '&&' (at character 3");
    check_error("a or b", "an operator is missing before 'or', write '||'");
    check_error("not a", "there is no value 'not' here, write '!'");
    check_error("a ! b", "an operator is missing before '!'");
    check_error("a \xE2\x89\xA5 b", "'\xE2\x89\xA5' has no meaning here (at character 3");
    check_error("1.5.2", "a number is followed directly by '.'");
    check_error("2e", "a number is followed directly by 'e'");
    check_error("2e+", "a number is followed directly by 'e'");
    check_error("1e19", "a number is too large");
    check_error("12ms", "a number is followed directly by 'm'");
    check_error("99999999999999999999", "a number is too large");
    check_error("9223372036854777856", "a number is too large");
    check_error("min(a)", "min and max need two values or more");
    check_error("min a", "there is no value 'min' here");
    check_error("minimum(a, b)", "there is no function 'minimum'; there are min and max");
    check_error("a ? b", "':' is missing");
    check_error("if(a, b, c)", "there is no function 'if'; there are min and max");
    check_error("1 / 0", "a division by zero");
    check_error("a / (seven - 7)", "a division by zero");
}

TEST(test_sizes_are_bounded)
{
    static char text[200000];
    struct error err = {{0}};
    struct expression expression;
    memset(text, '(', sizeof(text) - 1);
    assert_int_equal(expression_compile(text, &scope, &expression, &err), -1);
    text[300] = '\0';
    check_error(text, "the expression is nested too deeply");
    for (int i = 0; i < 900; i++)
        memcpy(text + 4 * i, "! ! ", 5);
    check_error(text, "the expression is nested too deeply");
    text[0] = '\0';
    for (int i = 0; i < 40; i++)
        strcat(text, "a*(b+c-("); // eighty parentheses
    check_error(text, "the expression is nested too deeply");
    strcpy(text, "a");
    for (int i = 0; i < 800; i++)
        strcat(text, " + b");
    check(text, 10 + 800 * 3);
}

TEST(test_guard)
{
    static const struct {
        const char *text;
        bool is_guard;
        int slot;
        int64_t value;
    } cases[] = {
        {"a == 3", true, 0, 3},
        {"b == seven && a > 3", true, 1, 7},
        {"3 == b && (a || c) && a", true, 1, 3},
        {"a == b", false, 0, 0},
        {"a == 3 || b == 2", false, 0, 0},
        {"(a == 3 && b) && c", true, 0, 3},
        {"a == 3 && b || c", false, 0, 0},
        {"a == 2.5", false, 0, 0},
        {"!(a == 3)", false, 0, 0},
        {"a > 3 && b == 2", false, 0, 0},
        {"(a == 3 ? b : c)", false, 0, 0},
        {"a", false, 0, 0},
        {"1", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct error err = {{0}};
        struct expression expression;
        uint8_t slot = 99;
        int64_t value = 99;
        assert_int_equal(expression_compile(cases[i].text, &scope, &expression, &err), 0);
        if (expression_guard(&expression, &slot, &value) != cases[i].is_guard)
            fail_msg("%s: guard expected: %d", cases[i].text, cases[i].is_guard);
        if (cases[i].is_guard) {
            assert_int_equal(slot, cases[i].slot);
            assert_int_equal(value, cases[i].value);
        }
        expression_release(&expression);
    }
}

// ---- random expressions ----

static uint32_t random_state;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

/// Whether operands of operators stand without parentheses; then the value on the way is another.
static bool omits_parentheses;

/// Writes a random expression and its value computed on the way; has_value turns false where a
/// division by zero is really reached.
static double generate(char *text, int depth, bool *has_value)
{
    static const char *const plain[] = {"a", "b", "c", "zero", "2", "7"};
    static const double plain_values[] = {10, 3, -4, 0, 2, 7};
    if (depth == 0 || random_below(6) == 0) {
        unsigned i = random_below(6);
        strcat(text, plain[i]);
        return plain_values[i];
    }
    static const char *const operators[] = {"+", "-", "*", "/", "<", ">=", "==", "!=", "&&", "||"};
    unsigned choice = random_below(13);
    bool left_has = true, right_has = true;
    double left, right;
    if (choice == 10) {
        strcat(text, "!");
        left = generate(text, depth - 1, &left_has);
        *has_value &= left_has;
        return !left;
    }
    if (choice > 10) {
        bool else_has = true;
        strcat(text, choice == 11 ? "(" : "max(");
        left = generate(text, depth - 1, &left_has);
        strcat(text, choice == 11 ? " ? " : ", ");
        right = generate(text, depth - 1, &right_has);
        strcat(text, choice == 11 ? " : " : ", ");
        double third = generate(text, depth - 1, &else_has);
        strcat(text, ")");
        *has_value &= left_has;
        if (choice == 11) {
            *has_value &= left ? right_has : else_has;
            return left ? right : third;
        }
        *has_value &= right_has && else_has;
        double larger = left > right ? left : right;
        return larger > third ? larger : third;
    }
    strcat(text, omits_parentheses ? "" : "(");
    left = generate(text, depth - 1, &left_has);
    sprintf(text + strlen(text), " %s ", operators[choice]);
    right = generate(text, depth - 1, &right_has);
    strcat(text, omits_parentheses ? "" : ")");
    *has_value &= left_has;
    if ((choice == 8 && !left) || (choice == 9 && left))
        return choice == 9;
    *has_value &= right_has && (choice != 3 || right != 0);
    switch (choice) {
    case 0:
        return left + right;
    case 1:
        return left - right;
    case 2:
        return left * right;
    case 3:
        return right ? left / right : 0;
    case 4:
        return left < right;
    case 5:
        return left >= right;
    case 6:
        return left == right;
    case 7:
        return left != right;
    default:
        return right != 0;
    }
}

TEST(test_random_expressions)
{
    unsigned n_values = 0;
    random_state = 1;
    for (int i = 0; i < 20000; i++) {
        char text[4000] = "";
        bool has_value = true;
        double expected = generate(text, 4, &has_value), value = 0;
        struct error err = {{0}};
        struct expression expression;
        if (expression_compile(text, &scope, &expression, &err)) {
            assert_non_null(strstr(err.text, "a division by zero"));
            continue; // of constants, found while compiling
        }
        bool ran = expression_value(&expression, values, &value);
        expression_release(&expression);
        if (ran != has_value || (ran && value != expected))
            fail_msg("%s: %.17g (%d) instead of %.17g (%d)", text, value, ran, expected, has_value);
        n_values += ran;
    }
    assert_true(n_values > 10000);
}

/// What patterns accept is muParser's language: the same text has the same value there, also
/// without parentheses, where precedence decides.
TEST(test_agrees_with_formulas)
{
    static const char *const variables[] = {"a", "b", "c", "zero"};
    unsigned n_values = 0;
    random_state = 2;
    for (int i = 0; i < 5000; i++) {
        char text[4000] = "";
        bool has_value = true;
        omits_parentheses = i % 2 == 0;
        generate(text, 3, &has_value);
        struct error err = {{0}};
        struct expression expression;
        if (expression_compile(text, &scope, &expression, &err))
            continue; // a division of constants by zero, or chained comparisons
        double value;
        bool ran = expression_value(&expression, values, &value);
        expression_release(&expression);
        struct formula *formula = formula_new(text, variables, 4, &err);
        if (!formula)
            fail_msg("%s: %s", text, err.text);
        double other = formula_value(formula, values);
        formula_free(formula);
        if (ran && fabs(value - other) > 1e-12 * fabs(value))
            fail_msg("%s: %.17g, as a formula %.17g", text, value, other);
        n_values += ran;
    }
    assert_true(n_values > 2500);
}
