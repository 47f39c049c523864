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
    uint32_t line;
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
