// SPDX-License-Identifier: BSD-3-Clause
// Which functions a recording leaves out: the profiles of runs, the rules, and the filter file.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/report/report.h"

// --- profile.c
// The functions of a run with their calls and times, from a trace or a stored trial.

/// A function on one rank.
struct reduce_part {
    uint32_t row, rank;
    double n_calls, exclusive_us, inclusive_us;
};

struct reduce_profile {
    struct reduction_row *rows; // by inclusive time, descending
    size_t n_rows, capacity;
    struct reduce_part *parts; // those of a row together, by rank
    size_t n_parts, parts_capacity;
    uint64_t time_ns;
    uint64_t n_ranks, n_events;
    uint64_t launch_ns; // how long the launch line of a trace took, 0: not known
    bool has_unreadable_records;
};

/// The functions recorded in the archive TRACE, without those of MPI. Functions of one name, which
/// a filter cannot tell apart, are one. 0, or -1 and ERR; PROFILE is to be released in either case.
int reduce_profile_of_trace(struct reduce_profile *profile, const char *trace, struct error *err);

/// The same of a trial in the database at PATH, chosen as in trials.h.
int reduce_profile_of_trial(struct reduce_profile *profile, const char *path, const char *trial,
                            struct error *err);

/// An inclusive time in percent of the run time.
double reduce_profile_percent(const struct reduce_profile *profile, double inclusive_us);

/// From now on the profile is that of RANK alone. 0, or -1 and ERR: there is no such rank.
int reduce_profile_choose_rank(struct reduce_profile *profile, uint64_t rank, struct error *err);

void reduce_profile_release(struct reduce_profile *profile);

/// The row of this name, or NULL.
const struct reduction_row *reduce_profile_find(const struct reduce_profile *profile,
                                                const char *name);

// --- rules.c
// Rules that choose the functions not worth recording, in the language of TAUreduce (Malony et al.,
// "Advances in the TAU Performance System", 2003):
//
//     # small functions that are called often; of the solver all that is called once
//     usec > 1000 & numcalls > 400000 & usecs/call < 30 & percent > 25
//     solver.c: numcalls = 1
//
// A rule is a line: conditions [PREFIX:] FIELD OPERATOR NUMBER with & between them. It holds for a
// function if all its conditions do; a function is left out if any rule holds for it.

/// What a profile says of a function: means over the ranks. Inclusive time counts recursive calls
/// once; percent is inclusive time in percent of the run time.
struct reduction_function {
    const char *name, *file; // file without its folder, "" when unknown
    double n_calls, exclusive_us, inclusive_us, percent;
};

enum reduction_field {
    REDUCTION_NUMCALLS,
    REDUCTION_PERCENT,  // inclusive
    REDUCTION_USEC,     // exclusive
    REDUCTION_CUMUSEC,  // inclusive
    REDUCTION_PER_CALL, // usecs/call, inclusive
    N_REDUCTION_FIELDS,
};

enum { REDUCTION_MAX_CONDITIONS = 16 };

struct reduction_condition {
    char *prefix; // wildcards for a function or a source file, or TAU_USER for all; NULL: none
    bool was_met; // by a function's name or file
    enum reduction_field field;
    char relation; // < > =
    double number;
};

struct reduction_rule {
    char *text, *place; // as written, and where: "small.rules:3"
    struct reduction_condition conditions[REDUCTION_MAX_CONDITIONS];
    size_t n_conditions;
};

struct reduction_rules {
    struct reduction_rule *items;
    size_t n, capacity;
};

/// Adds the rule TEXT, which stands at PLACE. 0, or -1 and ERR: what cannot be understood.
int reduction_rules_add(struct reduction_rules *rules, const char *text, const char *place,
                        struct error *err);

/// Adds the rules of a file: one a line, # begins a comment. 0, or -1 and ERR: unreadable, wrong,
/// or without a rule.
int reduction_rules_read(struct reduction_rules *rules, const char *path, struct error *err);

/// True when the file at PATH seems to be one of rules: its first line that is not a comment
/// compares by < or >, or a field of the language by =.
bool reduction_rules_is_file(const char *path);

/// The first rule that holds for FUNCTION, or NULL. Prefixes that fit it are noted.
const struct reduction_rule *reduction_rules_find(struct reduction_rules *rules,
                                                  const struct reduction_function *function);

void reduction_rules_release(struct reduction_rules *rules);

// --- runs.c
// Runs a launch line untraced and traced, to see what tracing costs it.

struct reduce_runs {
    char **line;            // the launch line, up to NULL
    uint64_t n_repetitions; // of each run
    char *dir;              // of outputs and traces
    bool is_own_dir;        // it was made for these runs and is removed after them
};

/// Makes the folder DIR, which must not be there yet, NULL: one of its own in the working folder.
/// 0, or -1 and ERR.
int reduce_runs_begin(struct reduce_runs *runs, const char *dir, struct error *err);
/// Removes a folder of its own unless KEEPS, and frees what is in RUNS.
void reduce_runs_end(struct reduce_runs *runs, bool keeps);

/// Runs the line untraced; *WALL_NS is the shortest time. 0, or -1 and ERR: it failed, or the call
/// was interrupted.
int reduce_runs_untraced(const struct reduce_runs *runs, uint64_t *wall_ns, struct error *err);

/// The same under the tracer, with the filter file FILTER unless it is NULL; the trace of the first
/// run is left in DIR/NAME, and PROFILE (to be released) is of it.
int reduce_runs_traced(const struct reduce_runs *runs, const char *name, const char *filter,
                       struct reduce_profile *profile, uint64_t *wall_ns, struct error *err);
