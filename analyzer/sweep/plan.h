// SPDX-License-Identifier: BSD-3-Clause
// What a sweep runs: parameters with their values, the launch line they are put into, and the
// points that come of it, in their order.
//
// The points are all combinations of the values, the last parameter changing fastest, or line by
// line the first values of all parameters, then the second ones (as in Aksum). Repetitions come
// round by round: all points once, then all of them again.
#ifndef PAGODA_SWEEP_PLAN_H
#define PAGODA_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/sweep/values.h"

enum { SWEEP_MAX_POINTS = 1000000, SWEEP_MAX_PARAMETERS = 64, SWEEP_MAX_TEMPLATES = 64 };

struct sweep_parameter {
    char *name;   // letters, digits, _ and -
    char *search; // what its values are put in place of: {name}, or another text
    char *role;   // "machine" or "problem": it is the size of that; "free"
    struct sweep_values values;
};

/// A file that each point gets a copy of, with its values (template.h).
struct sweep_template {
    char *path;
    char *text;
};

struct sweep_plan {
    struct sweep_parameter parameters[SWEEP_MAX_PARAMETERS];
    size_t n_parameters;
    bool is_line_by_line;
    uint64_t n_repetitions; // at least 1
    char **line;            // words of the launch line, up to NULL
    char *build;            // text for the shell before each run, NULL: none
    char *batch;            // options of sbatch, NULL: points run here
    struct sweep_template templates[SWEEP_MAX_TEMPLATES];
    size_t n_templates;
};

struct sweep_point {
    const char *values[SWEEP_MAX_PARAMETERS]; // of the plan's parameters; NULL: undefined
    uint64_t repetition;                      // from 1
    char *name; // "n=4,size=64", with "#2" when it is repeated; of the trial
};

void sweep_plan_init(struct sweep_plan *plan);
void sweep_plan_release(struct sweep_plan *plan);

/// A further parameter without values. SEARCH NULL: {NAME}. NULL and ERR: no name, one that is
/// taken, or an empty SEARCH. It stays where it is.
struct sweep_parameter *sweep_plan_add(struct sweep_plan *plan, const char *name,
                                       const char *search, struct error *err);

/// Says what the parameter is the size of. 0, or -1 and ERR: ROLE is no such word.
int sweep_parameter_set_role(struct sweep_parameter *parameter, const char *role,
                             struct error *err);

/// The parameter NAME, or NULL.
struct sweep_parameter *sweep_plan_find(struct sweep_plan *plan, const char *name);

/// Copies the words of the launch line, up to NULL.
void sweep_plan_set_line(struct sweep_plan *plan, char **line);

/// After all has been added: 0, or -1 and ERR - no parameter or one without values, lists of
/// different lengths line by line, too many points, two of one name.
int sweep_plan_check(const struct sweep_plan *plan, struct error *err);

/// How many points there are, repetitions included.
size_t sweep_plan_n_points(const struct sweep_plan *plan);

/// The point of a number from 0; sweep_point_release() frees its name.
void sweep_plan_point(const struct sweep_plan *plan, size_t number, struct sweep_point *point);
void sweep_point_release(struct sweep_point *point);

#endif
