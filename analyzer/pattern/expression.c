// SPDX-License-Identifier: BSD-3-Clause
// Expressions of patterns: a tree of nodes by recursive descent, walked for each value. Operations
// on constants are computed here. `&&`, `||` and `?:` look only at what decides, so that
// `n > 0 && total / n > 5` never divides by zero.
//
// The syntax is muParser's (base/formula.h). muParser itself needs 170 to 450 ns for a condition, a
// replay some 500 ns for a whole event; these trees need some 20 ns.
#include "analyzer/pattern/expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { MAX_DEPTH = 50, MAX_NAMES = 64, WORD_BYTES = 64 };

enum operation {
    CONSTANT,
    NAMED, // the value of a slot
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MIN,
    MAX,
    EQUAL,
    UNEQUAL,
    LESS,
    AT_MOST,
    GREATER,
    AT_LEAST,
    AND,
    OR,
    CHOICE, // left ? right : otherwise
};

struct expression_node {
    uint8_t operation; // enum operation
    uint8_t slot;
    uint16_t left, right, otherwise; // nodes
    double constant;
};

// ---- values ----

static double value_of_operation(const struct expression_node *nodes,
                                 const struct expression_node *node, const double *slots,
                                 bool *has_failed);

/// The value of a node; *HAS_FAILED is set by a division by zero.
static inline double value_of(const struct expression_node *nodes, size_t index,
                              const double *slots, bool *has_failed)
{
    const struct expression_node *node = &nodes[index];
    return node->operation == NAMED      ? slots[node->slot]
           : node->operation == CONSTANT ? node->constant
                                         : value_of_operation(nodes, node, slots, has_failed);
}

static double value_of_operation(const struct expression_node *nodes,
                                 const struct expression_node *node, const double *slots,
                                 bool *has_failed)
{
    double left = value_of(nodes, node->left, slots, has_failed);
    if (node->operation == CHOICE)
        return value_of(nodes, left != 0 ? node->right : node->otherwise, slots, has_failed);
    if (node->operation == AND && left == 0)
        return 0;
    if (node->operation == OR && left != 0)
        return 1;
    double right = value_of(nodes, node->right, slots, has_failed);
    switch ((enum operation)node->operation) {
    case ADD:
        return left + right;
    case SUBTRACT:
        return left - right;
    case MULTIPLY:
        return left * right;
    case DIVIDE:
        *has_failed |= right == 0;
        return left / right;
    case MIN:
        return left < right ? left : right;
    case MAX:
        return left > right ? left : right;
    case EQUAL:
        return left == right;
    case UNEQUAL:
        return left != right;
    case LESS:
        return left < right;
    case AT_MOST:
        return left <= right;
    case GREATER:
        return left > right;
    case AT_LEAST:
        return left >= right;
    default: // AND, OR
        return right != 0;
    }
}

static uint32_t slots_below(const struct expression_node *nodes, size_t index)
{
    const struct expression_node *node = &nodes[index];
    if (node->operation == CONSTANT)
        return 0;
    if (node->operation == NAMED)
        return UINT32_C(1) << node->slot;
    return slots_below(nodes, node->left) | slots_below(nodes, node->right) |
           (node->operation == CHOICE ? slots_below(nodes, node->otherwise) : 0);
}

uint32_t expression_slots(const struct expression *expression)
{
    return expression->nodes ? slots_below(expression->nodes, expression->root) : 0;
}

bool expression_value(const struct expression *expression, const double *slots, double *value)
{
    bool has_failed = false;
    *value = value_of(expression->nodes, expression->root, slots, &has_failed);
    return !has_failed;
}

bool expression_guard(const struct expression *expression, uint8_t *slot, int64_t *value)
{
    const struct expression_node *nodes = expression->nodes, *node = &nodes[expression->root];
    while (node->operation == AND)
        node = &nodes[node->left];
    if (node->operation != EQUAL)
        return false;
    const struct expression_node *name = &nodes[node->left], *constant = &nodes[node->right];
    if (name->operation == CONSTANT) {
        constant = name;
        name = &nodes[node->right];
    }
    if (name->operation != NAMED || constant->operation != CONSTANT)
        return false;
    *slot = name->slot;
    *value = expression_whole(constant->constant);
    return (double)*value == constant->constant;
}

int64_t expression_whole(double value)
{
    return value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

void expression_release(struct expression *expression)
{
    free(expression->nodes);
    *expression = (struct expression){0};
}

// ---- reading ----

enum token {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_SIGN, // an operator, a parenthesis or a comma
};

struct parser {
    const char *start;
    const char *at; // after the current token
    const struct expression_scope *scope;
    struct error *err;
    bool has_failed;
    int depth;

    enum token token;
    const char *token_start;
    char word[WORD_BYTES]; // of a name or sign
    double number;

    struct expression_node *nodes;
    size_t n_nodes, capacity;
};

static size_t parse_expression(struct parser *p);

static void __attribute__((format(printf, 2, 3))) fail(struct parser *p, const char *format, ...)
{
    if (p->has_failed)
        return;
    p->has_failed = true;
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    error_set(p->err, "%s (at character %d of \"%.80s\")", text,
              (int)(p->token_start - p->start) + 1, p->scope->shown ? p->scope->shown : p->start);
}

// ---- words ----

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void read_number(struct parser *p)
{
    p->at = text_read_decimal(p->at, &p->number);
    p->token = TOKEN_NUMBER;
    if (is_letter(*p->at) || *p->at == '.')
        fail(p, "a number is followed directly by '%c'", *p->at);
    else if (p->number > 0x1p63)
        fail(p, "a number is too large");
}

static void read_name(struct parser *p)
{
    size_t n = 0;
    while (is_letter(p->at[n]) || is_digit(p->at[n]))
        n++;
    p->token = TOKEN_NAME;
    if (n >= sizeof(p->word)) {
        fail(p, "a name has more than %d letters", WORD_BYTES - 1);
        n = sizeof(p->word) - 1;
    }
    memcpy(p->word, p->at, n);
    p->word[n] = '\0';
    p->at += n;
}

static void read_sign(struct parser *p)
{
    static const char *const doubles[] = {"<=", ">=", "!=", "==", "&&", "||"};
    p->token = TOKEN_SIGN;
    size_t length = 1;
    for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++)
        if (strncmp(p->at, doubles[i], 2) == 0)
            length = 2;
    if (length == 1 && strchr("=&|", *p->at)) {
        fail(p, "'%c' has no meaning here, write '%c%c'", *p->at, *p->at, *p->at);
    } else if (length == 1 && !strchr("+-*/()<>,!?:", *p->at)) {
        int n_bytes = 1; // of one character in UTF-8
        while ((p->at[n_bytes] & 0xC0) == 0x80)
            n_bytes++;
        fail(p, "'%.*s' has no meaning here", n_bytes, p->at);
    }
    memcpy(p->word, p->at, length);
    p->word[length] = '\0';
    p->at += length;
}

static void next(struct parser *p)
{
    while (*p->at && strchr(" \t\r\n", *p->at))
        p->at++;
    p->token_start = p->at;
    p->word[0] = '\0';
    if (p->has_failed || !*p->at)
        p->token = TOKEN_END;
    else if (is_digit(*p->at) || (*p->at == '.' && is_digit(p->at[1])))
        read_number(p);
    else if (is_letter(*p->at))
        read_name(p);
    else
        read_sign(p);
    if (p->has_failed)
        p->token = TOKEN_END;
}

/// Is the current token this operator or word? Then passes it.
static bool take(struct parser *p, const char *word)
{
    if ((p->token != TOKEN_SIGN && p->token != TOKEN_NAME) || strcmp(p->word, word) != 0)
        return false;
    next(p);
    return true;
}

static void expect(struct parser *p, const char *sign)
{
    if (!take(p, sign))
        fail(p, "'%s' is missing", sign);
}

// ---- nodes ----

static size_t add_node(struct parser *p, struct expression_node node)
{
    *ARRAY_NEXT(p->nodes, p->n_nodes, p->capacity) = node;
    return p->n_nodes - 1;
}

static size_t add_constant(struct parser *p, double constant)
{
    return add_node(p, (struct expression_node){.operation = CONSTANT, .constant = constant});
}

/// An operation on two nodes; one on constants is a constant.
static size_t combine(struct parser *p, enum operation operation, size_t left, size_t right)
{
    if (p->has_failed)
        return 0;
    bool is_constant =
        p->nodes[left].operation == CONSTANT && p->nodes[right].operation == CONSTANT;
    if (operation == DIVIDE && p->nodes[right].operation == CONSTANT &&
        p->nodes[right].constant == 0)
        fail(p, "a division by zero");
    size_t node = add_node(p, (struct expression_node){.operation = (uint8_t)operation,
                                                       .left = (uint16_t)left,
                                                       .right = (uint16_t)right});
    static const double no_slots[EXPRESSION_SLOTS];
    return is_constant ? add_constant(p, value_of(p->nodes, node, no_slots, &p->has_failed)) : node;
}

// ---- grammar ----

static size_t parse_name(struct parser *p)
{
    const struct expression_scope *scope = p->scope;
    const char *candidates[MAX_NAMES];
    size_t n_candidates = 0;
    for (size_t i = 0; i < scope->n_names; i++) {
        const struct expression_name *name = &scope->names[i];
        if (n_candidates < MAX_NAMES)
            candidates[n_candidates++] = name->name;
        if (strcmp(name->name, p->word) != 0)
            continue;
        next(p);
        return name->is_constant
                   ? add_constant(p, (double)name->value)
                   : add_node(p, (struct expression_node){.operation = NAMED,
                                                          .slot = (uint8_t)name->value});
    }
    fail(p, "there is no value '%s' here%s", p->word,
         spelling_hint(p->word, candidates, n_candidates, ", did you mean '%s'?",
                       strcmp(p->word, "not") == 0 ? ", write '!'" : "")
             .text);
    return 0;
}

static size_t parse_extremum(struct parser *p, enum operation operation)
{
    expect(p, "(");
    size_t value = parse_expression(p);
    if (p->token != TOKEN_SIGN || strcmp(p->word, ",") != 0)
        fail(p, "min and max need two values or more");
    while (!p->has_failed && take(p, ",")) {
        size_t other = parse_expression(p);
        value = combine(p, operation, value, other);
    }
    expect(p, ")");
    return value;
}

static size_t parse_primary(struct parser *p)
{
    size_t value = 0;
    if (p->token == TOKEN_NUMBER) {
        value = add_constant(p, p->number);
        next(p);
    } else if (take(p, "(")) {
        value = parse_expression(p);
        expect(p, ")");
    } else if (p->token == TOKEN_NAME && *(p->at + strspn(p->at, " \t\r\n")) == '(') {
        if (take(p, "min"))
            value = parse_extremum(p, MIN);
        else if (take(p, "max"))
            value = parse_extremum(p, MAX);
        else
            fail(p, "there is no function '%s'; there are min and max", p->word);
    } else if (p->token == TOKEN_NAME) {
        value = parse_name(p);
    } else {
        fail(p, "a value is missing %s%s", p->token == TOKEN_END ? "at the end" : "before ",
             p->token == TOKEN_END ? "" : p->word);
    }
    return value;
}

static size_t parse_unary(struct parser *p)
{
    bool is_negation = take(p, "-");
    if (!is_negation && !take(p, "!"))
        return parse_primary(p);
    if (++p->depth > MAX_DEPTH) {
        fail(p, "the expression is nested too deeply");
        return 0;
    }
    size_t value = parse_unary(p), zero = add_constant(p, 0);
    p->depth--;
    return is_negation ? combine(p, SUBTRACT, zero, value) : combine(p, EQUAL, value, zero);
}

enum { LEVEL_COMPARISON = 2, N_LEVELS = 5 };

/// The operators of two values; those of a higher level bind more tightly.
static const struct {
    const char *sign;
    int level;
    enum operation operation;
} operators[] = {
    {"||", 0, OR},
    {"&&", 1, AND},
    {"==", LEVEL_COMPARISON, EQUAL},
    {"!=", LEVEL_COMPARISON, UNEQUAL},
    {"<", LEVEL_COMPARISON, LESS},
    {"<=", LEVEL_COMPARISON, AT_MOST},
    {">", LEVEL_COMPARISON, GREATER},
    {">=", LEVEL_COMPARISON, AT_LEAST},
    {"+", 3, ADD},
    {"-", 3, SUBTRACT},
    {"*", 4, MULTIPLY},
    {"/", 4, DIVIDE},
};

static bool take_operator(struct parser *p, int level, enum operation *operation)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (operators[i].level == level && take(p, operators[i].sign)) {
            *operation = operators[i].operation;
            return true;
        }
    return false;
}

static size_t parse_level(struct parser *p, int level)
{
    if (level == N_LEVELS)
        return parse_unary(p);
    size_t value = parse_level(p, level + 1);
    enum operation operation;
    bool is_chained = false;
    while (take_operator(p, level, &operation)) {
        if (is_chained && level == LEVEL_COMPARISON)
            fail(p, "comparisons cannot be chained; write a < b && b < c");
        size_t right = parse_level(p, level + 1);
        value = combine(p, operation, value, right);
        is_chained = true;
    }
    return value;
}

static size_t parse_expression(struct parser *p)
{
    if (++p->depth > MAX_DEPTH) {
        fail(p, "the expression is nested too deeply");
        return 0;
    }
    size_t value = parse_level(p, 0);
    if (take(p, "?")) {
        size_t right = parse_expression(p);
        expect(p, ":");
        size_t otherwise = parse_expression(p);
        value = add_node(p, (struct expression_node){.operation = CHOICE,
                                                     .left = (uint16_t)value,
                                                     .right = (uint16_t)right,
                                                     .otherwise = (uint16_t)otherwise});
    }
    p->depth--;
    return value;
}

/// The sign that stands for a word of other languages; "" for none.
static const char *sign_for(const char *word)
{
    return strcmp(word, "and") == 0  ? ", write '&&'"
           : strcmp(word, "or") == 0 ? ", write '||'"
                                     : "";
}

int expression_compile(const char *text, const struct expression_scope *scope,
                       struct expression *expression, struct error *err)
{
    struct parser p = {.start = text, .at = text, .token_start = text, .scope = scope, .err = err};
    if (strlen(text) > EXPRESSION_BYTES)
        fail(&p, "the expression is longer than %d characters", EXPRESSION_BYTES);
    next(&p);
    size_t root = parse_expression(&p);
    if (p.token == TOKEN_NUMBER)
        fail(&p, "an operator is missing before a number");
    else if (p.token != TOKEN_END)
        fail(&p, "an operator is missing before '%s'%s", p.word, sign_for(p.word));
    if (p.has_failed) {
        free(p.nodes);
        return -1;
    }
    *expression = (struct expression){p.nodes, root};
    return 0;
}
