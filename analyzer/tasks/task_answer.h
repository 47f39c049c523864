// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a model: points, what takes the time there, and the inverse question.
#pragma once

#include "analyzer/tasks/task_time.h"

/// The values of all parameters of MODEL at TEXT, "p=64,n=1000"; others have defaults, p is 1.
/// 0, or -1 and ERR: one is unknown, twice there, no number, or has no value.
int task_point_read(struct task_point *point, struct task_model *model, const char *text,
                    struct error *err);

/// Reads the CSV file PATH: a row for each process of a step, a column for each <column> of MODEL.
/// 0 (ROWS is to be released), or -1 and ERR.
int task_rows_read(struct task_rows *rows, const struct task_model *model, const char *path,
                   struct error *err);
void task_rows_release(struct task_rows *rows);

/// A task with costs of its own, copies of it included, and how much of the run time it is: 0 where
/// its group waits for the slowest one. Shares sum to the run time.
struct task_share {
    const struct task_outcome *outcome;
    double seconds;
};

struct task_answer {
    struct task_point point;
    double time_s, parts[TASK_PARTS];
    double groups_s, consecutive_s; // with all groups run so; NAN: impossible, or no choice
    struct error why_not;           // if one of them is impossible
    struct task_outcome outcome;
    struct task_share *shares; // the largest first
    size_t n_shares;
};

/// Everything about POINT. 0 (ANSWER is to be released), or -1 and ERR.
int task_answer(struct task_answer *answer, const struct task_point *point, struct error *err);
void task_answer_release(struct task_answer *answer);

/// Where a condition holds.
struct task_solution {
    const char *name, *condition;
    double low, high; // within these values of NAME
    double at;        // from (RISES) or up to this one it holds; NAN: everywhere or nowhere
    bool holds_above; // from AT on; without AT: everywhere
    bool is_whole;    // AT is the first or last whole number
};

/// Solves CONDITION (formulas in time, compute, latency, bandwidth, contention, in seconds, and
/// communication, the share of all but compute) for RANGE, "MCPS=64:16384", at POINT. The left
/// side must rise or fall all the way. 0, or -1 and ERR.
int task_solve(const struct task_point *point, const char *range, const char *condition,
               struct task_solution *solution, struct error *err);
