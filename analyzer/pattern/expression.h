// SPDX-License-Identifier: BSD-3-Clause
// Expressions of patterns, in the syntax of all conditions (pagoda-conditions(7)): whole numbers
// (decimals in confidence, severity and threshold), names, + - * /, min() max(), comparisons,
// && || !, ?:, parentheses.
#ifndef PAGODA_PATTERN_EXPRESSION_H
#define PAGODA_PATTERN_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

enum {
    PROGRAM_NAMES = 32,            // slots of named values
    PROGRAM_SLOTS = 64,            // those and the temporaries
    PROGRAM_IMMEDIATE = UINT8_MAX, // `right` of a step whose right operand is its own number
};

enum program_operation {
    PROGRAM_ADD,
    PROGRAM_SUBTRACT,
    PROGRAM_MULTIPLY,
    PROGRAM_DIVIDE,
    PROGRAM_MIN,
    PROGRAM_MAX,
    PROGRAM_EQUAL,
    PROGRAM_UNEQUAL,
    PROGRAM_LESS,
    PROGRAM_AT_MOST,
    PROGRAM_GREATER,
    PROGRAM_AT_LEAST,
    PROGRAM_MOVE,       // to = right
    PROGRAM_JUMP,       // to step `target`
    PROGRAM_JUMP_FALSE, // to step `target` if left = 0
    PROGRAM_JUMP_TRUE,  // to step `target` if left != 0
};

union program_number {
    int64_t whole;
    double real;
};

struct program_step {
    uint8_t operation;       // enum program_operation
    uint8_t to, left, right; // slots
    uint32_t target;
    union program_number immediate;
};

struct program {
    struct program_step *steps;
    size_t n_steps;
    uint8_t result;   // slot that holds the value afterwards
    bool is_real;     // run by program_run_real(), else by program_run()
    bool is_constant; // no steps; the value is `constant`
    union program_number constant;
};

/// The steps of a program, for the functions below.
bool program_run_steps(const struct program *program, int64_t *slots, int64_t *value);
bool program_run_real_steps(const struct program *program, double *slots, double *value);

/// Runs a program over SLOTS (PROGRAM_SLOTS numbers, the named ones filled in; temporaries are
/// overwritten). False when a division by zero left no value.
static inline bool program_run(const struct program *program, int64_t *slots, int64_t *value)
{
    if (program->n_steps)
        return program_run_steps(program, slots, value);
    *value = program->is_constant ? program->constant.whole : slots[program->result];
    return true;
}

/// The same in floating point, for confidences and severities.
static inline bool program_run_real(const struct program *program, double *slots, double *value)
{
    if (program->n_steps)
        return program_run_real_steps(program, slots, value);
    *value = program->is_constant ? program->constant.real : slots[program->result];
    return true;
}

void program_release(struct program *program);

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
/// is `name == constant`, or begins with `name == constant && ...`).
bool program_guard(const struct program *program, uint8_t *slot, int64_t *value);

#endif
