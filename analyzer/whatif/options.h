// SPDX-License-Identifier: BSD-3-Clause
// The what-if options of a command line. A new one is a row of the table in table.c and a
// reader, whose prototype is in readers.h: the command's rows, whether a what-if is wanted,
// combinations of lists of values, the change in words and the `set` of each point follow from it.
#ifndef PAGODA_WHATIF_OPTIONS_H
#define PAGODA_WHATIF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options.h"
#include "analyzer/whatif/set.h"

enum whatif_option_kind {
    WHATIF_AXIS,          // one value, or several between commas: a prediction for each
    WHATIF_VALUE,         // one value, which may hold commas
    WHATIF_REPEATED,      // the same, may be given several times
    WHATIF_REPEATED_AXIS, // [NAME=]VALUE, may be given several times; VALUE may be several ones
    WHATIF_FLAG,          // no value
};

struct whatif_option {
    const char *name; // without the dashes
    enum whatif_option_kind kind;
    const char *argument; // for the help, NULL for a flag
    int (*read)(const char *text, struct whatif_set *set, struct error *err);
    /// Of a repeated axis: where its values begin, NULL where it has none; NULL: behind the last
    /// `=`.
    const char *(*values)(const char *text);
    const char *help;         // lower case, no full stop
    const char *default_text; // for the help, NULL for none
    const char *needs;        // the option it means nothing without, NULL: none
    const char *does;         // then: "NAME does what to --NEEDS, which is missing"
    const char *excludes;     // an option that cannot be given as well, NULL: none
    const char *why;          // then: "NAME and --EXCLUDED why"
    bool is_no_trace;         // what it predicts cannot be written as a trace (replay --out)
};

extern const struct whatif_option whatif_table[];
extern const size_t n_whatif_table;

enum { WHATIF_MAX_OPTIONS = 64 }; // rows of the table

/// The table's subjects in a command's help, below the topic `what-if`.
enum { WHATIF_GROUPS = 5 };
extern const struct option_group whatif_groups[WHATIF_GROUPS];

/// The options as they were given, by row of the table; zeroed: none.
struct whatif_options {
    struct whatif_given {
        bool is_set;              // a flag
        const char *text;         // one value; NULL: not given
        struct option_list texts; // one that may be repeated
    } given[WHATIF_MAX_OPTIONS];
};

/// Puts the options' rows, at most WHATIF_MAX_OPTIONS, into a command's table; their number.
size_t whatif_option_rows(struct whatif_options *options, struct option_row *rows);

/// Gives the option NAME (without dashes) as a command line would: VALUE, NULL for a flag, belongs
/// to the caller as long as OPTIONS. False when there is no such option.
bool whatif_options_give(struct whatif_options *options, const char *name, const char *value);

/// What the options ask for: every combination of the values of options with several.
struct whatif_plan {
    struct whatif_set *sets;
    size_t n_sets;
    bool is_list;
    struct whatif_machines *machines; // read so far
    char *change;                     // in words
    const char *no_trace;             // an option given whose row is_no_trace, NULL: none
};

/// Whether the option NAME, one of the table, was given.
bool whatif_options_have(const struct whatif_options *options, const char *name);

bool whatif_is_wanted(const struct whatif_options *options);

/// Reads the options. 0, or -1 and ERR: which value is none, with what it could be. The caller
/// releases the plan in either case.
int whatif_plan_read(struct whatif_plan *plan, const struct whatif_options *options,
                     struct error *err);
void whatif_plan_release(struct whatif_plan *plan);

void whatif_options_release(struct whatif_options *options);

#endif
