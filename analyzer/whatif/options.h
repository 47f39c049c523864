// SPDX-License-Identifier: BSD-3-Clause
// The what-if options of a command line, and the predictions they ask for. Each kind of change is
// told in its kind_*.c: the rows of its options, the readers of their values, and what a report
// says of it. The command's rows, whether a what-if is wanted, combinations of lists of values, the
// change in words and the `set` of each point follow from the rows.
//
//     options ── whatif_plan_read() ──▶ a case for each combination of values, with its settings
//             ── whatif_plan_prepare() ──▶ each case with the scenario that the simulation takes
#ifndef PAGODA_WHATIF_OPTIONS_H
#define PAGODA_WHATIF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/simulation/scenario.h"

// --- a row

enum whatif_option_kind {
    WHATIF_AXIS,          // one value, or several between commas: a prediction for each
    WHATIF_VALUE,         // one value, which may hold commas
    WHATIF_REPEATED,      // the same, may be given several times
    WHATIF_REPEATED_AXIS, // [NAME=]VALUE, may be given several times; VALUE may be several ones
    WHATIF_FLAG,          // no value
};

struct whatif_case;

/// Puts one value of an option into ASKED; TEXT lives as long as that, NULL for a flag. 0, or -1
/// and ERR with a sentence that begins with the option: "--cores 0: from 1 to 65536".
typedef int whatif_reader(const char *text, struct whatif_case *asked, struct error *err);

struct whatif_option {
    const char *name; // without the dashes
    enum whatif_option_kind kind;
    const char *argument; // for the help, NULL for a flag
    whatif_reader *read;
    /// Of a repeated axis: where its values begin, NULL where it has none; NULL: after the last
    /// `=`.
    const char *(*values)(const char *text);
    /// Of an axis: how many bytes of a list are its first value; NULL: up to the first comma.
    size_t (*value_bytes)(const char *text);
    const char *help;         // lower case, no full stop
    const char *default_text; // for the help, NULL for none
    const char *needs;        // the option it means nothing without, NULL: none
    const char *does;         // then: "NAME does what to --NEEDS, which is missing"
    const char *excludes;     // an option that cannot be given as well, NULL: none
    const char *why;          // then: "NAME and --EXCLUDED why"
    bool is_estimate; // a model over the run that is simulated: only the run time is known, and no
                      // trace can be written (replay --output)
};

/// The table's subjects in a command's help, below the topic `what-if`.
enum { WHATIF_GROUPS = 5 };
extern const struct option_group whatif_groups[WHATIF_GROUPS];

// --- what was given

enum { WHATIF_MAX_OPTIONS = 40 }; // rows of all kinds

/// The options as they were given, by row; zeroed: none.
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

/// Whether any option was given, and whether NAME, one of the table, was.
bool whatif_is_wanted(const struct whatif_options *options);
bool whatif_options_have(const struct whatif_options *options, const char *name);

/// What was given for NAME, one of the table.
struct whatif_given *whatif_options_given(struct whatif_options *options, const char *name);

/// Calls EACH with every option given and its value, NULL for a flag, in the order of the table.
void whatif_options_each(const struct whatif_options *options,
                         void (*each)(void *context, const char *name, const char *value),
                         void *context);

void whatif_options_release(struct whatif_options *options);

// --- what they ask for

/// An option, and the one of its values that a prediction has.
struct whatif_value {
    const struct whatif_option *option;
    char *name, *value; // "scale solve", where an option may have values for several names
    bool is_chosen;     // from several
};

/// One prediction: settings that the readers fill value by value, and what is prepared of them.
struct whatif_case {
    char *words;                 // the options with their values
    struct whatif_value *values; // the same, one by one
    size_t n_values;
    struct scenario_settings settings;
    // The machine is read from this file when the case is prepared, and changed by these.
    const char *machine_file;         // NULL: none
    uint64_t latency_ns, eager_bytes; // PAG_NOT_KNOWN: not given
    uint64_t bandwidth;               // bytes a second, 0: not given
    // Estimates, see kind_dealt.c.
    uint32_t n_workers;  // of a task farm; 0: as recorded
    const char *dealing; // a policy, NULL: not given
    struct whatif_rebalance {
        const char *policy;            // NULL: not given
        uint64_t threshold;            // in place of its file's, millionths; PAG_NOT_KNOWN: none
        uint64_t poll_ns, transfer_ns; // likewise
        uint32_t n_free_hosts;         // UINT32_MAX: none
    } rebalance;
    const double *tolerances; // percent
    size_t n_tolerances;
    void **kept; // what is freed with the case
    size_t n_kept, kept_capacity;

    struct machine machine;   // settings.machine, unless that is NULL
    struct policy policy;     // of dealing or rebalance
    struct scenario scenario; // once prepared
};

/// Whether the run time of ASKED is estimated: only that is known.
bool whatif_case_is_estimate(const struct whatif_case *asked);

// --- for readers

/// TEXT, which is freed with ASKED.
char *whatif_case_keep(struct whatif_case *asked, char *text);

/// The N items of ARRAY with room for one more at their end, zeroed; it lives as long as ASKED. For
/// the arrays of scenario_settings:
///     s->scales = scales = whatif_case_grow(asked, s->scales, s->n_scales, sizeof *scales);
///     scales[s->n_scales++] = ...;
void *whatif_case_grow(struct whatif_case *asked, const void *array, size_t n, size_t item_bytes);

/// Appends TEXT to a list of texts.
void whatif_case_append(struct whatif_case *asked, const char *const **texts, size_t *n_texts,
                        const char *text);

// OPTION is the name for the error's sentence. 0, or -1 and ERR.

/// FIRST or SECOND; *IS_SECOND says which.
int whatif_choose(const char *option, const char *text, const char *first, const char *second,
                  bool *is_second, struct error *err);
/// A whole number from 1 to MOST.
int whatif_read_number(const char *option, const char *text, uint32_t most, uint32_t *number,
                       struct error *err);
/// A time, by cost_time_read().
int whatif_read_time(const char *option, const char *text, uint64_t *time_ns, struct error *err);
/// A factor in millionths, at least LEAST of them; what is before a `=` is skipped.
int whatif_read_factor(const char *option, const char *text, uint64_t least, uint64_t *millionths,
                       struct error *err);

// --- plan.c

/// What the options ask for: every combination of the values of options with several. It must not
/// be moved once it is prepared.
struct whatif_plan {
    struct whatif_case *cases; // the last option with several values varies fastest
    size_t n_cases;
    bool is_list;
    bool assumes_waiting;   // the measured run says how waiting ranks behave
    const char *estimate;   // an option given whose row is_estimate, NULL: none
    char *change;           // in words
    struct machine machine; // of all cases, once files are read
    bool has_files;
    // Nothing changed, except that ranks wait as in the plan: what predictions are compared with.
    struct scenario_settings unchanged_settings;
    struct scenario unchanged;
    bool is_prepared; // this and all cases
};

/// Reads the options. 0, or -1 and ERR: which value is none, with what it could be. The caller
/// releases the plan in either case.
int whatif_plan_read(struct whatif_plan *plan, const struct whatif_options *options,
                     struct error *err);

/// Reads the machines and policies that PLAN names. 0, or -1 and ERR.
int whatif_plan_read_files(struct whatif_plan *plan, struct error *err);

/// Reads its files, and prepares the scenario of each case for runs with DEFINITIONS, once. 0, or
/// -1 and ERR: which setting does not fit the run.
int whatif_plan_prepare(struct whatif_plan *plan, const struct definitions *definitions,
                        struct error *err);

/// Prepares PLAN, read from OPTIONS, for MEASURED, which was replayed with its costs gathered.
/// Where OPTIONS do not say how waiting ranks behave and MEASURED does, OPTIONS get that, and PLAN
/// is made anew from them. 0, or -1 and ERR.
int whatif_plan_complete(struct whatif_plan *plan, struct whatif_options *options,
                         const struct replay_run *measured, struct error *err);

/// That assumption in words.
extern const char whatif_waiting_note[];

void whatif_plan_release(struct whatif_plan *plan);

#endif
