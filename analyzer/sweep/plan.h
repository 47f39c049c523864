// SPDX-License-Identifier: BSD-3-Clause
// What a sweep runs: parameters with their values, the launch line they are put into, and the
// points that come of it, in their order.
//
// The points are all combinations of the values, the last parameter changing fastest, or line by
// line the first values of all parameters, then the second ones (as in Aksum). Repetitions come
// round by round: all points once, then all of them again.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/formula.h"
#include "analyzer/sweep/checkpoint.h"

enum { SWEEP_MAX_VALUES = 100000 }; // of one parameter

/// The values of a parameter, written as "1,2,4", "{1, 2:8:2}", "block,cyclic".
struct sweep_values {
    char **texts; // NULL: undefined, the parameter has no value in this place
    size_t n, capacity;
};

/// Appends the values of a list: texts between commas, in braces or not. A range A:B:C of numbers
/// stands for A + iC with 0 <= i <= floor((B - A) / C), as in Aksum; A:B for A:B:1. Values go
/// through as they are written. 0, or -1 and ERR: empty value, empty range, step 0, too many.
int sweep_values_read(const char *text, struct sweep_values *values, struct error *err);

/// Appends one value, NULL for an undefined one.
void sweep_values_add(struct sweep_values *values, const char *text);

void sweep_values_release(struct sweep_values *values);

enum { SWEEP_MAX_POINTS = 1000000, SWEEP_MAX_PARAMETERS = 64, SWEEP_MAX_TEMPLATES = 64 };

struct sweep_parameter {
    char *name;   // letters, digits, _ and -
    char *search; // what its values are put in place of: {name}, or another text
    char *role;   // "machine" or "problem": it is the size of that; "free"
    struct sweep_values values;
};

/// A file that each point gets a copy of, with its values (substitute.c).
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

/// After all has been added: 0, or -1 and ERR - no parameter or one without values, lists of
/// different lengths line by line, too many points, two of one name.
int sweep_plan_check(const struct sweep_plan *plan, struct error *err);

/// How many points there are, repetitions included.
size_t sweep_plan_n_points(const struct sweep_plan *plan);

/// The point of a number from 0; sweep_point_release() frees its name.
void sweep_plan_point(const struct sweep_plan *plan, size_t number, struct sweep_point *point);
void sweep_point_release(struct sweep_point *point);

/// A condition on the parameters, such as "n * size > 4096", whose points are impossible.
struct sweep_skip {
    char *when;
    char *reason; // "" for none
    struct formula *formula;
    size_t parameters[FORMULA_MAX_VARIABLES]; // of the plan, that the formula uses
    size_t n_parameters;
};

struct sweep_skips {
    struct sweep_skip *items;
    size_t n, capacity;
};

/// Adds the condition WHEN, a formula in the parameters of PLAN, which has all of them already.
/// REASON NULL: none is given. 0, or -1 and ERR.
int sweep_skips_add(struct sweep_skips *skips, const struct sweep_plan *plan, const char *when,
                    const char *reason, struct error *err);

/// The first condition that holds for POINT, or NULL. One that uses a value that is undefined or no
/// number does not hold.
const struct sweep_skip *sweep_skips_find(const struct sweep_skips *skips,
                                          const struct sweep_point *point);

void sweep_skips_release(struct sweep_skips *skips);

// --- spec.c
// Sweep files, pagoda-sweep(5).

struct sweep_spec {
    struct sweep_plan plan;
    struct sweep_skips skips;
    struct sweep_checkpoints checkpoints;
    char *name, *application, *database; // NULL: not given
    uint64_t point_limit_ns, limit_ns;   // 0: none
    uint32_t run_line;                   // where the launch line stands
};

void sweep_spec_init(struct sweep_spec *spec);
void sweep_spec_release(struct sweep_spec *spec);

/// Reads the file PATH into SPEC, which is empty. 0, or -1 and ERR ("PATH:LINE: what is wrong").
int sweep_spec_read(struct sweep_spec *spec, const char *path, struct error *err);

/// The words of TEXT, up to NULL, by the shell's rules of quoting ('...', "...", \c) and nothing
/// else of it: no variables, no wildcards. NULL and ERR: no word, or a quote that does not end. The
/// caller frees each word and the array.
char **sweep_words(const char *text, struct error *err);

// --- substitute.c
// Puts the values of a point into texts: words of command lines, and copies of files.

/// TEXT with the parameters' values in place of what they replace, in one pass: values are not
/// searched again, and of two matches at one place the longer one counts. {dir} becomes DIR and
/// {{name} becomes {name}, unless DIR is NULL (in files). Undefined values replace nothing. The
/// caller frees.
char *sweep_substitute(const struct sweep_plan *plan, const struct sweep_point *point,
                       const char *dir, const char *text);

/// The launch line of a point, up to NULL, for words_free().
char **sweep_line(const struct sweep_plan *plan, const struct sweep_point *point, const char *dir);

/// 0 when each {name} in TEXT is a parameter (or {dir}); {{name} is one that shall stay as {name}.
/// -1 and ERR with the nearest parameter.
int sweep_check_names(const struct sweep_plan *plan, const char *text, struct error *err);

/// Names in the launch line are parameters, and each parameter changes something: the launch line,
/// the build or a file. 0, or -1 and ERR.
int sweep_check_uses(const struct sweep_plan *plan, struct error *err);

/// Reads the file PATH and adds it to the plan. PATH is relative and below the working folder,
/// because the copy has the same path below the point's folder. 0, or -1 and ERR.
int sweep_template_add(struct sweep_plan *plan, const char *path, struct error *err);

/// Writes the copies of the point into its folder DIR. 0, or -1 and ERR.
int sweep_template_write(const struct sweep_plan *plan, const struct sweep_point *point,
                         const char *dir, struct error *err);
