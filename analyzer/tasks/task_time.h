// SPDX-License-Identifier: BSD-3-Clause
// How long a model's program takes at one point: its tree of tasks evaluated, sizes of groups
// chosen.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/tasks/task_model.h"

/// The rows of tasks with rows="yes", a value for each column of the model.
struct task_rows {
    const double *values; // row by row
    size_t n_rows, n_columns;
    const size_t *names; // of the columns, indices of the model's names
    size_t step;         // the name of the column "step": rows with the same one are processes at
                         // the same time; 0: each row is a step
};

/// What became of a task.
struct task_outcome {
    const struct task *task;
    size_t n_processes;
    double repeat;
    double parts[TASK_PARTS]; // seconds, all repetitions
    unsigned clamped;         // bits of parts that would be negative, and count as 0
    // Of groups:
    double groups_s, consecutive_s; // of one execution; NAN: not considered
    bool are_groups;                // they run as groups
    size_t n_released;              // processes without which they would be as fast
    size_t limiting;                // of TASKS, the one that takes longest
    // Of phases:
    double kept_s, bound_s;     // with sizes that never change, and less than which it cannot be
    bool is_optimal;            // all sizes were tried
    struct task_outcome *tasks; // copies apart, the exchange last
    size_t n_tasks;
};

/// Everything that formulas are evaluated with.
struct task_point {
    struct task_model *model;
    double names[TASK_MAX_NAMES]; // parameters, given and NAME_TOTAL; others are computed
    enum task_run run;            // of groups that may run either way: RUN_EITHER: the faster
    const struct task_rows *rows; // NULL: none
    // What evaluation finds:
    struct error problem; // why a time is not known, the first reason
};

/// Seconds of the whole program. 0 (OUTCOME is to be released), or -1 and ERR: a formula has no
/// value, or there are too few processes.
int task_evaluate(struct task_point *point, struct task_outcome *outcome, struct error *err);
void task_outcome_release(struct task_outcome *outcome);

/// The sum of the parts.
double task_seconds(const double *parts);
