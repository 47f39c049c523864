// SPDX-License-Identifier: BSD-3-Clause
// A model file: a program as a tree of tasks whose costs are formulas (pagoda-tasks(5)). Tasks run
// one after the other, or at the same time on groups of processes. After the M-task model of
// Kuehnemann, Rauber, Ruenger, "Performance Modelling for Task-Parallel Programs" (2002).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/formula.h"
#include "analyzer/simulation/cost/machine.h"

/// What is bundled, for bundled_names().
extern const struct bundled bundled_models;

enum task_kind {
    TASK_LEAF,     // <task>, <exchange>
    TASK_SEQUENCE, // its tasks one after the other
    TASK_GROUPS,   // its tasks at the same time, each on a group of processes of its own
    TASK_PHASES,   // groups one after the other; a change of their sizes costs time
};

/// The costs of a task, in seconds each.
enum task_part { TASK_COMPUTE, TASK_LATENCY, TASK_BANDWIDTH, TASK_CONTENTION, TASK_PARTS };
extern const char *const task_part_names[TASK_PARTS];

/// How groups may run.
enum task_run { RUN_EITHER, RUN_GROUPS, RUN_CONSECUTIVE };

struct task_formula {
    const char *text; // NULL: not given
    struct formula *formula;
};

struct task {
    enum task_kind kind;
    const char *name;
    uint32_t line;
    struct task_formula parts[TASK_PARTS]; // of a leaf
    struct task_formula repeat, copies;    // default 1
    struct task_formula least, most;       // processes; default 1 and any number
    struct task_formula change;            // of phases: seconds when sizes change
    bool has_rows;                         // of a leaf: sums over the rows of a table
    unsigned run;                          // enum task_run, of groups
    struct task *tasks;
    size_t n_tasks;
    struct task *exchange; // of groups: what follows them where they run as groups; may be NULL
};

/// A name in formulas: a parameter, whose value the user may give, or a value with a formula.
struct task_name {
    const char *name, *summary;
    bool is_parameter, has_default, is_column; // a column of the rows
    double value;                              // of a parameter: its default
    struct task_formula formula;
    char *fitted; // the formula fitted to a table, the text of FORMULA; NULL without
    bool has_least;
    double least; // a smaller value becomes this
};

/// The names that every formula knows, before those of the file. `latency` and `bandwidth` are the
/// other parts of a task, for its contention.
enum {
    NAME_P,        // processes of the task
    NAME_TOTAL,    // of the program
    NAME_GROUPS,   // groups that run at the same time as the task's, its own included
    NAME_SMALLEST, // processes of the smallest of them
    NAME_LATENCY,
    NAME_BANDWIDTH,
    NAMES_FIXED
};
enum { TASK_MAX_NAMES = 64 };

/// What formulas ask of the machine: message(b), startup(b), compute(w, e), allgather(p, b), ...
struct task_machine {
    const struct machine *machine; // NULL: none was named
    const char *missing;           // what a formula asked for in vain, since it was NULL
};

enum { TASK_MACHINE_FUNCTIONS = 5 + COLLECTIVE_OPERATIONS };

struct task_model {
    char *path;
    struct xml_document *document;
    const char *name, *summary, *source, *missing, *bias; // "" for none
    const char *names[TASK_MAX_NAMES];                    // of all variables, the fixed ones first
    struct task_name defined[TASK_MAX_NAMES];
    size_t n_names;
    struct task *top;
    struct task_machine machine;
    struct formula_function functions[TASK_MACHINE_FUNCTIONS];
    struct task_operation {
        struct task_machine *machine;
        uint8_t operation;
    } operations[COLLECTIVE_OPERATIONS];
    size_t n_functions;
    char **notes; // on formulas fitted to tables, a sentence each, up to NULL; may be NULL
};

/// Reads and checks a file, or the bundled one called NAME, for MACHINE, which may be NULL and must
/// outlive it; formulas fitted to tables beside the file are fitted now. 0, or -1 and ERR
/// ("PATH:LINE: what is wrong"). MODEL must not move after that; the caller releases it in either
/// case.
int task_model_read(struct task_model *model, const char *name, const struct machine *machine,
                    struct error *err);
void task_model_release(struct task_model *model);

/// Adds the functions of the machine to MODEL. One that the machine tells nothing of is NAN, and
/// machine.missing says what was asked for.
void task_model_add_functions(struct task_model *model);

/// How many tasks of their own costs TASK consists of.
size_t task_count(const struct task *task);

// --- group_search.c
// Sizes of groups of processes: those with which tasks that run at the same time are done first,
// and those of several phases where a change of sizes costs time.

/// N tasks on at most N_PROCESSES together, task i on LEAST[i] to MOST[i] of them.
struct group_search {
    size_t n, n_processes;
    const size_t *least, *most;
    /// Seconds of a task on SIZE processes: any function, not NAN; INFINITY: impossible.
    double (*time)(void *context, size_t task, size_t size);
    /// Seconds of what follows where the smallest group is SMALLEST; NULL: does not depend on it.
    double (*exchange)(void *context, size_t smallest);
    void *context;
};

/// The SIZES with the smallest largest time and exchange, exactly; each size is the smallest one
/// with which its task is no later than that. Returns this time, INFINITY if there are not enough
/// processes.
double group_search(const struct group_search *search, size_t *sizes);

/// Of N_PHASES phases of the same N tasks.
struct phase_search {
    size_t n_phases, n, n_processes;
    const size_t *least, *most; // of the tasks in any phase
    /// Seconds of PHASE when its tasks have SIZES.
    double (*time)(void *context, size_t phase, const size_t *sizes);
    void *context;
    double change_s;       // of sizes between two phases
    const size_t *optimal; // the sizes each phase would choose alone, phase by phase
};

struct phase_sizes {
    double time_s;   // with changes
    double kept_s;   // with the best sizes that never change
    bool is_optimal; // all sizes were tried; else the optimal ones of each phase only
};

/// The SIZES of all phases, N numbers each, with the least time.
struct phase_sizes phase_search(const struct phase_search *search, size_t *sizes);

// --- task_time.c
// How long a model's program takes at one point: its tree of tasks evaluated, sizes of groups
// chosen.

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

// --- task_answer.c
// What is asked of a model: points, what takes the time there, and the inverse question.

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
