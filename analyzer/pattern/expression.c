// SPDX-License-Identifier: BSD-3-Clause
// Compiler of pattern expressions: recursive descent that emits three-address steps. Temporaries
// are a stack above the named slots; an operation leaves its value in the lower of its operands'
// temporaries. Operations on constants are computed here. `&&`, `||` and `?:` jump, so that
// `n > 0 && total / n > 5` never divides by zero.
//
// The syntax is muParser's (base/formula.h). muParser itself needs 170 to 450 ns for a condition, a
// replay some 500 ns for a whole event; these programs need some 10 ns.
#include "analyzer/pattern/expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { MAX_DEPTH = 50, MAX_BYTES = 4000, MAX_NAMES = 64, WORD_BYTES = 64 };

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
    union program_number number;

    struct program_step *steps;
    size_t n_steps, steps_capacity;
    size_t label; // the last step jumped to: what stands before it must stay as it is
    unsigned n_slots;
};

/// Where a value is.
struct operand {
    bool is_constant;
    bool is_truth; // 0 or 1
    uint8_t slot;
    union program_number constant;
};

static struct operand parse_expression(struct parser *p);

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
              (int)(p->token_start - p->start) + 1, p->start);
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
    uint64_t digits = 0;
    double scale = 1;
    bool has_point = false, is_too_long = false;
    while (is_digit(*p->at) || (*p->at == '.' && !has_point)) {
        if (*p->at == '.') {
            has_point = true;
        } else {
            is_too_long |= __builtin_mul_overflow(digits, 10, &digits) ||
                           __builtin_add_overflow(digits, (uint64_t)(*p->at - '0'), &digits);
            scale *= has_point ? 10 : 1;
        }
        p->at++;
    }
    p->token = TOKEN_NUMBER;
    if (is_letter(*p->at) || *p->at == '.')
        fail(p, "a number is followed directly by '%c'", *p->at);
    else if (is_too_long || digits > INT64_MAX)
        fail(p, "a number is too large");
    else if (has_point && !p->scope->is_real)
        fail(p, "only whole numbers can be used here");
    else if (p->scope->is_real)
        p->number.real = (double)digits / scale;
    else
        p->number.whole = (int64_t)digits;
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

// ---- steps ----

static struct program_step *emit(struct parser *p, enum program_operation operation)
{
    p->steps = array_reserve(p->steps, &p->steps_capacity, p->n_steps + 1, sizeof(*p->steps));
    struct program_step *step = &p->steps[p->n_steps++];
    *step = (struct program_step){.operation = (uint8_t)operation};
    return step;
}

static bool is_temporary(const struct operand *operand)
{
    return !operand->is_constant && operand->slot >= PROGRAM_NAMES;
}

static uint8_t new_slot(struct parser *p)
{
    if (p->n_slots == PROGRAM_SLOTS) {
        fail(p, "the expression is nested too deeply");
        return PROGRAM_SLOTS - 1;
    }
    return (uint8_t)p->n_slots++;
}

static void set_right(struct program_step *step, const struct operand *operand)
{
    step->right = operand->is_constant ? PROGRAM_IMMEDIATE : operand->slot;
    if (operand->is_constant)
        step->immediate = operand->constant;
}

/// Puts a value into slot TO. If the step before has just computed it, that step writes there.
static void move(struct parser *p, uint8_t to, const struct operand *from)
{
    struct program_step *last = p->n_steps > p->label ? &p->steps[p->n_steps - 1] : NULL;
    if (!from->is_constant && from->slot == to)
        return;
    if (last && is_temporary(from) && last->to == from->slot && last->operation <= PROGRAM_MOVE) {
        last->to = to;
        return;
    }
    struct program_step *step = emit(p, PROGRAM_MOVE);
    step->to = to;
    set_right(step, from);
}

/// The value in a temporary slot of its own.
static uint8_t in_temporary(struct parser *p, const struct operand *operand)
{
    if (is_temporary(operand))
        return operand->slot;
    uint8_t slot = new_slot(p);
    move(p, slot, operand);
    return slot;
}

static struct operand in_slot(uint8_t slot, bool is_truth)
{
    return (struct operand){.slot = slot, .is_truth = is_truth};
}

static bool is_comparison(enum program_operation operation)
{
    return operation >= PROGRAM_EQUAL && operation <= PROGRAM_AT_LEAST;
}

/// Computes an operation on two constants by running it.
static void fold(struct parser *p, const struct program_step *step, const struct operand *left,
                 struct operand *result)
{
    struct program_step alone = *step;
    alone.left = alone.to = 0;
    struct program program = {.steps = &alone, .n_steps = 1, .is_real = p->scope->is_real};
    *result = (struct operand){.is_constant = true,
                               .is_truth = is_comparison((enum program_operation)step->operation)};
    if (p->scope->is_real) {
        double slots[PROGRAM_SLOTS] = {left->constant.real};
        program_run_real(&program, slots, &result->constant.real);
    } else {
        int64_t slots[PROGRAM_SLOTS] = {left->constant.whole};
        program_run(&program, slots, &result->constant.whole);
    }
}

static bool is_zero(const struct parser *p, const struct operand *operand)
{
    return operand->is_constant &&
           (p->scope->is_real ? operand->constant.real == 0 : operand->constant.whole == 0);
}

/// The operation that gives the same with its operands exchanged; false when there is none.
static bool mirror(enum program_operation *operation)
{
    switch (*operation) {
    case PROGRAM_ADD:
    case PROGRAM_MULTIPLY:
    case PROGRAM_MIN:
    case PROGRAM_MAX:
    case PROGRAM_EQUAL:
    case PROGRAM_UNEQUAL:
        return true;
    case PROGRAM_LESS:
        *operation = PROGRAM_GREATER;
        return true;
    case PROGRAM_AT_MOST:
        *operation = PROGRAM_AT_LEAST;
        return true;
    case PROGRAM_GREATER:
        *operation = PROGRAM_LESS;
        return true;
    case PROGRAM_AT_LEAST:
        *operation = PROGRAM_AT_MOST;
        return true;
    default:
        return false;
    }
}

static struct operand binary(struct parser *p, enum program_operation operation,
                             const struct operand *left, const struct operand *right)
{
    struct operand result = {0};
    if (p->has_failed)
        return result;
    if (left->is_constant && !right->is_constant && mirror(&operation)) {
        const struct operand *first = left;
        left = right;
        right = first;
    }
    struct program_step step = {.operation = (uint8_t)operation};
    set_right(&step, right);
    if (operation == PROGRAM_DIVIDE && is_zero(p, right)) {
        fail(p, "a division by zero");
        return result;
    }
    if (left->is_constant && right->is_constant) {
        fold(p, &step, left, &result);
        return result;
    }
    if (is_temporary(left))
        step.to = step.left = left->slot;
    else if (left->is_constant) // the right operand is no constant: load the left one above it
        step.left = step.to = in_temporary(p, left);
    else
        step.left = left->slot;
    if (is_temporary(right) && !is_temporary(left))
        step.to = right->slot;
    else if (!step.to)
        step.to = new_slot(p);
    p->n_slots = step.to + 1u;
    *emit(p, operation) = step;
    return in_slot(step.to, is_comparison(operation));
}

static struct operand constant(struct parser *p, int64_t value)
{
    struct operand operand = {.is_constant = true};
    if (p->scope->is_real)
        operand.constant.real = (double)value;
    else
        operand.constant.whole = value;
    return operand;
}

static struct operand truth_of(struct parser *p, struct operand operand)
{
    if (operand.is_truth)
        return operand;
    struct operand zero = constant(p, 0);
    return binary(p, PROGRAM_UNEQUAL, &operand, &zero);
}

static void set_target(struct parser *p, size_t jump)
{
    p->steps[jump].target = (uint32_t)p->n_steps;
    p->label = p->n_steps;
}

// ---- grammar ----

static struct operand parse_name(struct parser *p)
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
        return name->is_constant ? constant(p, name->value) : in_slot((uint8_t)name->value, false);
    }
    const char *nearest = spelling_nearest(p->word, candidates, n_candidates);
    if (nearest)
        fail(p, "there is no value '%s' here, did you mean '%s'?", p->word, nearest);
    else
        fail(p, "there is no value '%s' here%s", p->word,
             strcmp(p->word, "not") == 0 ? ", write '!'" : "");
    return (struct operand){0};
}

static struct operand parse_extremum(struct parser *p, enum program_operation operation)
{
    expect(p, "(");
    struct operand value = parse_expression(p);
    if (p->token != TOKEN_SIGN || strcmp(p->word, ",") != 0)
        fail(p, "min and max need two values or more");
    while (!p->has_failed && take(p, ",")) {
        struct operand other = parse_expression(p);
        value = binary(p, operation, &value, &other);
    }
    expect(p, ")");
    return value;
}

static struct operand parse_primary(struct parser *p)
{
    struct operand operand = {0};
    if (p->token == TOKEN_NUMBER) {
        operand = (struct operand){.is_constant = true, .constant = p->number};
        next(p);
    } else if (take(p, "(")) {
        operand = parse_expression(p);
        expect(p, ")");
    } else if (p->token == TOKEN_NAME && *(p->at + strspn(p->at, " \t\r\n")) == '(') {
        if (take(p, "min"))
            operand = parse_extremum(p, PROGRAM_MIN);
        else if (take(p, "max"))
            operand = parse_extremum(p, PROGRAM_MAX);
        else
            fail(p, "there is no function '%s'; there are min and max", p->word);
    } else if (p->token == TOKEN_NAME) {
        operand = parse_name(p);
    } else {
        fail(p, "a value is missing %s%s", p->token == TOKEN_END ? "at the end" : "before ",
             p->token == TOKEN_END ? "" : p->word);
    }
    return operand;
}

static struct operand parse_unary(struct parser *p)
{
    bool is_negation = take(p, "-");
    if (!is_negation && !take(p, "!"))
        return parse_primary(p);
    if (++p->depth > MAX_DEPTH) {
        fail(p, "the expression is nested too deeply");
        return (struct operand){0};
    }
    struct operand operand = parse_unary(p);
    p->depth--;
    struct operand zero = constant(p, 0);
    return is_negation ? binary(p, PROGRAM_SUBTRACT, &zero, &operand)
                       : binary(p, PROGRAM_EQUAL, &operand, &zero);
}

static struct operand parse_product(struct parser *p)
{
    struct operand left = parse_unary(p);
    for (;;) {
        enum program_operation operation = PROGRAM_MULTIPLY;
        if (take(p, "/"))
            operation = PROGRAM_DIVIDE;
        else if (!take(p, "*"))
            return left;
        struct operand right = parse_unary(p);
        left = binary(p, operation, &left, &right);
    }
}

static struct operand parse_sum(struct parser *p)
{
    struct operand left = parse_product(p);
    for (;;) {
        enum program_operation operation = PROGRAM_ADD;
        if (take(p, "-"))
            operation = PROGRAM_SUBTRACT;
        else if (!take(p, "+"))
            return left;
        struct operand right = parse_product(p);
        left = binary(p, operation, &left, &right);
    }
}

static bool take_comparison(struct parser *p, enum program_operation *operation)
{
    static const struct {
        const char *sign;
        enum program_operation operation;
    } signs[] = {
        {"==", PROGRAM_EQUAL},   {"!=", PROGRAM_UNEQUAL}, {"<", PROGRAM_LESS},
        {"<=", PROGRAM_AT_MOST}, {">", PROGRAM_GREATER},  {">=", PROGRAM_AT_LEAST},
    };
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (take(p, signs[i].sign)) {
            *operation = signs[i].operation;
            return true;
        }
    return false;
}

static struct operand parse_comparison(struct parser *p)
{
    struct operand left = parse_sum(p);
    enum program_operation operation;
    if (!take_comparison(p, &operation))
        return left;
    struct operand right = parse_sum(p);
    left = binary(p, operation, &left, &right);
    if (take_comparison(p, &operation))
        fail(p, "comparisons cannot be chained; write a < b && b < c");
    return left;
}

/// `a && b && ...` (or the same with `||`): the truth of each in one slot, and a jump to the end
/// as soon as it decides.
static struct operand parse_chain(struct parser *p, const char *word,
                                  enum program_operation jump_operation,
                                  struct operand (*parse_part)(struct parser *))
{
    struct operand value = parse_part(p);
    if (p->token != TOKEN_SIGN || strcmp(p->word, word) != 0)
        return value;
    value = truth_of(p, value);
    uint8_t slot = in_temporary(p, &value);
    size_t jumps = 0; // the last jump so far; each one's target holds the one before, 0 for none
    while (!p->has_failed && take(p, word)) {
        struct program_step *jump = emit(p, jump_operation);
        jump->left = slot;
        jump->target = (uint32_t)jumps;
        jumps = p->n_steps - 1;
        value = parse_part(p);
        value = truth_of(p, value);
        move(p, slot, &value);
        p->n_slots = slot + 1u;
    }
    while (jumps) {
        size_t before = p->steps[jumps].target;
        set_target(p, jumps);
        jumps = before;
    }
    return in_slot(slot, true);
}

static struct operand parse_and(struct parser *p)
{
    return parse_chain(p, "&&", PROGRAM_JUMP_FALSE, parse_comparison);
}

/// After `condition ?`: "then : else".
static struct operand parse_choice(struct parser *p, const struct operand *condition)
{
    uint8_t slot = in_temporary(p, condition);
    size_t jump_else = p->n_steps;
    emit(p, PROGRAM_JUMP_FALSE)->left = slot;
    struct operand value = parse_expression(p);
    move(p, slot, &value);
    size_t jump_end = p->n_steps;
    emit(p, PROGRAM_JUMP);
    set_target(p, jump_else);
    p->n_slots = slot + 1u;
    expect(p, ":");
    value = parse_expression(p);
    move(p, slot, &value);
    set_target(p, jump_end);
    p->n_slots = slot + 1u;
    return in_slot(slot, false);
}

static struct operand parse_expression(struct parser *p)
{
    if (++p->depth > MAX_DEPTH) {
        fail(p, "the expression is nested too deeply");
        return (struct operand){0};
    }
    struct operand value = parse_chain(p, "||", PROGRAM_JUMP_TRUE, parse_and);
    if (take(p, "?"))
        value = parse_choice(p, &value);
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
                       struct program *program, struct error *err)
{
    struct parser p = {.start = text,
                       .at = text,
                       .token_start = text,
                       .scope = scope,
                       .err = err,
                       .n_slots = PROGRAM_NAMES};
    if (strlen(text) > MAX_BYTES)
        fail(&p, "the expression is longer than %d characters", MAX_BYTES);
    next(&p);
    struct operand value = parse_expression(&p);
    if (p.token == TOKEN_NUMBER)
        fail(&p, "an operator is missing before a number");
    else if (p.token != TOKEN_END)
        fail(&p, "an operator is missing before '%s'%s", p.word, sign_for(p.word));
    if (p.has_failed) {
        free(p.steps);
        return -1;
    }
    *program = (struct program){.steps = p.steps,
                                .n_steps = p.n_steps,
                                .result = value.slot,
                                .is_real = scope->is_real,
                                .is_constant = value.is_constant,
                                .constant = value.constant};
    return 0;
}

bool program_guard(const struct program *program, uint8_t *slot, int64_t *value)
{
    if (program->is_constant || program->is_real || program->n_steps == 0)
        return false;
    const struct program_step *step = &program->steps[0];
    if (step->operation != PROGRAM_EQUAL || step->right != PROGRAM_IMMEDIATE ||
        step->left >= PROGRAM_NAMES || step->to != program->result)
        return false;
    if (program->n_steps > 1 && (step[1].operation != PROGRAM_JUMP_FALSE ||
                                 step[1].left != step->to || step[1].target != program->n_steps))
        return false;
    *slot = step->left;
    *value = step->immediate.whole;
    return true;
}

static int64_t saturate(bool is_positive)
{
    return is_positive ? INT64_MAX : INT64_MIN;
}

static int64_t add(int64_t left, int64_t right)
{
    int64_t sum;
    return __builtin_add_overflow(left, right, &sum) ? saturate(right > 0) : sum;
}

static int64_t subtract(int64_t left, int64_t right)
{
    int64_t difference;
    return __builtin_sub_overflow(left, right, &difference) ? saturate(right < 0) : difference;
}

static int64_t multiply(int64_t left, int64_t right)
{
    int64_t product;
    return __builtin_mul_overflow(left, right, &product) ? saturate((left > 0) == (right > 0))
                                                         : product;
}

static int64_t divide(int64_t left, int64_t right)
{
    return right == -1 ? subtract(0, left) : left / right;
}

// What is written alike for whole and real numbers; in both loops `i` is the step, whose target is
// behind it.
#define OPERATIONS_OF_ANY_TYPE                                                                     \
    case PROGRAM_MIN:                                                                              \
        *to = left < right ? left : right;                                                         \
        break;                                                                                     \
    case PROGRAM_MAX:                                                                              \
        *to = left > right ? left : right;                                                         \
        break;                                                                                     \
    case PROGRAM_EQUAL:                                                                            \
        *to = left == right;                                                                       \
        break;                                                                                     \
    case PROGRAM_UNEQUAL:                                                                          \
        *to = left != right;                                                                       \
        break;                                                                                     \
    case PROGRAM_LESS:                                                                             \
        *to = left < right;                                                                        \
        break;                                                                                     \
    case PROGRAM_AT_MOST:                                                                          \
        *to = left <= right;                                                                       \
        break;                                                                                     \
    case PROGRAM_GREATER:                                                                          \
        *to = left > right;                                                                        \
        break;                                                                                     \
    case PROGRAM_AT_LEAST:                                                                         \
        *to = left >= right;                                                                       \
        break;                                                                                     \
    case PROGRAM_MOVE:                                                                             \
        *to = right;                                                                               \
        break;                                                                                     \
    case PROGRAM_JUMP:                                                                             \
        i = step->target - 1;                                                                      \
        break;                                                                                     \
    case PROGRAM_JUMP_FALSE:                                                                       \
        if (left == 0)                                                                             \
            i = step->target - 1;                                                                  \
        break;                                                                                     \
    case PROGRAM_JUMP_TRUE:                                                                        \
        if (left != 0)                                                                             \
            i = step->target - 1;                                                                  \
        break;

bool program_run_steps(const struct program *program, int64_t *slots, int64_t *value)
{
    const struct program_step *steps = program->steps;
    for (size_t i = 0; i < program->n_steps; i++) {
        const struct program_step *step = &steps[i];
        int64_t left = slots[step->left];
        int64_t right =
            step->right == PROGRAM_IMMEDIATE ? step->immediate.whole : slots[step->right];
        int64_t *to = &slots[step->to];
        switch ((enum program_operation)step->operation) {
        case PROGRAM_ADD:
            *to = add(left, right);
            break;
        case PROGRAM_SUBTRACT:
            *to = subtract(left, right);
            break;
        case PROGRAM_MULTIPLY:
            *to = multiply(left, right);
            break;
        case PROGRAM_DIVIDE:
            if (right == 0)
                return false;
            *to = divide(left, right);
            break;
            OPERATIONS_OF_ANY_TYPE
        }
    }
    *value = slots[program->result];
    return true;
}

bool program_run_real_steps(const struct program *program, double *slots, double *value)
{
    const struct program_step *steps = program->steps;
    for (size_t i = 0; i < program->n_steps; i++) {
        const struct program_step *step = &steps[i];
        double left = slots[step->left];
        double right = step->right == PROGRAM_IMMEDIATE ? step->immediate.real : slots[step->right];
        double *to = &slots[step->to];
        switch ((enum program_operation)step->operation) {
        case PROGRAM_ADD:
            *to = left + right;
            break;
        case PROGRAM_SUBTRACT:
            *to = left - right;
            break;
        case PROGRAM_MULTIPLY:
            *to = left * right;
            break;
        case PROGRAM_DIVIDE:
            if (right == 0)
                return false;
            *to = left / right;
            break;
            OPERATIONS_OF_ANY_TYPE
        }
    }
    *value = slots[program->result];
    return true;
}

void program_release(struct program *program)
{
    free(program->steps);
    *program = (struct program){0};
}
