// SPDX-License-Identifier: BSD-3-Clause
// Expressions of patterns, in the syntax of all conditions (pagoda-conditions(7)): numbers, names,
// + - * /, min() max(), comparisons, && || !, ?:, parentheses.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

enum {
    EXPRESSION_SLOTS = 32,   // of named values
    EXPRESSION_BYTES = 4000, // of text at most
};

struct expression {
    struct expression_node *nodes;
    size_t root;
};

/// The value with these named values. False when a division by zero left none.
bool expression_value(const struct expression *expression, const double *slots, double *value);

/// The slots that EXPRESSION uses, a bit for each.
uint32_t expression_slots(const struct expression *expression);

/// A value as a whole number, cut; the largest or least one beyond the range.
int64_t expression_whole(double value);

/// If EXPRESSION can only be true where a named value equals a whole constant, says which (it is
/// `name == constant`, or begins with `name == constant && ...`).
bool expression_guard(const struct expression *expression, uint8_t *slot, int64_t *value);

void expression_release(struct expression *expression);

/// A name an expression may use: a slot, or a constant.
struct expression_name {
    const char *name;
    bool is_constant;
    int64_t value; // slot, below EXPRESSION_SLOTS, or the constant
};

struct expression_scope {
    const struct expression_name *names;
    size_t n_names;
    const char *shown; // what errors quote, with the same places; NULL: the text itself
};

/// Compiles TEXT; 0, or -1 and one sentence in ERR that says what is wrong at which character.
/// The caller releases EXPRESSION when 0 was returned.
int expression_compile(const char *text, const struct expression_scope *scope,
                       struct expression *expression, struct error *err);
