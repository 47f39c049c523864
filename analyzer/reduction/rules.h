// SPDX-License-Identifier: BSD-3-Clause
// Rules that choose the functions not worth recording, in the language of TAUreduce (Malony et al.,
// "Advances in the TAU Performance System", 2003):
//
//     # small functions that are called often; of the solver all that is called once
//     usec > 1000 & numcalls > 400000 & usecs/call < 30 & percent > 25
//     solver.c: numcalls = 1
//
// A rule is a line: conditions [PREFIX:] FIELD OPERATOR NUMBER with & between them. It holds for a
// function if all its conditions do; a function is left out if any rule holds for it.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

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

/// Adds the rule TEXT, which stands at PLACE. 0, or -1 and ERR, which names the place and what
/// cannot be understood.
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
