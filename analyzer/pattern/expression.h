// SPDX-License-Identifier: BSD-3-Clause
// The little language of patterns: whole numbers (decimals in confidence, severity and threshold),
// names, + - * /, min() max() if(), comparisons, and or not, parentheses. man/pagoda-patterns.5
// explains it to users.
#ifndef PAGODA_PATTERN_EXPRESSION_H
#define PAGODA_PATTERN_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/program.h"

/// A name an expression may use: a slot of the program's named values, or a constant.
struct expression_name {
    const char *name;
    bool is_constant;
    int64_t value; // slot, below PROGRAM_NAMES, or the constant
};

struct expression_scope {
    const struct expression_name *names;
    size_t n_names;
    bool is_real; // computes in floating point; decimals are allowed
};

/// Compiles TEXT; 0, or -1 and one sentence in ERR that says what is wrong at which character.
/// The caller releases PROGRAM (program_release) when 0 was returned.
int expression_compile(const char *text, const struct expression_scope *scope,
                       struct program *program, struct error *err);

/// If PROGRAM can only be true where a named value equals a constant, says which (the condition
/// is `name = constant`, or begins with `name = constant and ...`).
bool program_guard(const struct program *program, uint8_t *slot, int64_t *value);

#endif
