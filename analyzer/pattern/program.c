// SPDX-License-Identifier: BSD-3-Clause
// Interpreter of compiled expressions: one switch per step. The whole-number form runs for each
// root event of a replay and is the one that must be fast.
#include "analyzer/pattern/program.h"

#include <stdlib.h>

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
