// SPDX-License-Identifier: BSD-3-Clause
// The what-if options of a command line, and the predictions they ask for. Each kind of change is
// one file, kind_*.c: the rows of its options, the readers of their values, and what a report
// says of it. The command's rows, whether a what-if is wanted, combinations of lists of values, the
// change in words and the `set` of each point follow from the rows.
//
//     words ── whatif_plan_read() ──▶ a case for each combination of values, with its settings
//           ── whatif_plan_prepare() ──▶ each case with the scenario that the simulation takes
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"
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
struct whatif_option;

/// Puts one value of OPTION into ASKED; TEXT lives as long as that, NULL for a flag. 0, or -1 and
/// ERR with a sentence that begins with the option: "--cores 0: from 1 to 65536".
typedef int whatif_reader(const struct whatif_option *option, const char *text,
                          struct whatif_case *asked, struct error *err);

struct whatif_option {
    const char *name; // without the dashes
    enum whatif_option_kind kind;
    const char *argument; // for the help, NULL for a flag
    whatif_reader *read;
    // Of WHATIF_TEXT() and the like: where the value goes in struct whatif_case.
    size_t field, n_field;
    uint32_t most;
    int (*parse)(const char *text, uint64_t *value, struct error *err);
    int (*check)(const char *text, struct error *err); // NULL: none is needed
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

/// The options of a command line, by row; zeroed: none.
struct whatif_options {
    struct whatif_given {
        bool is_set;              // a flag
        const char *text;         // one value; NULL: not given
        struct option_list texts; // one that may be repeated
    } given[WHATIF_MAX_OPTIONS];
};

/// Puts the options' rows, at most WHATIF_MAX_OPTIONS, into a command's table; their number.
size_t whatif_option_rows(struct whatif_options *options, struct option_row *rows);
/// What was given, in the order of the table: how many *WORDS, which the caller frees.
size_t whatif_options_words(const struct whatif_options *options, struct advice_word **words);
void whatif_options_release(struct whatif_options *options);

/// The row of the option NAME, without dashes. NULL and ERR with the nearest name.
const struct whatif_option *whatif_option_find(const char *name, struct error *err);

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
    struct advice_word *given;   // likewise, as options that ask for this case alone
    size_t n_values;
    struct scenario_settings settings;
    // The machine is read from this file when the case is prepared, and changed by these.
    const char *machine_file;         // NULL: none
    const char *slowdown_file;        // likewise, settings.slowdown
    const char *speeds_file;          // likewise, settings.speeds
    uint64_t latency_ns, eager_bytes; // PAG_NOT_KNOWN: not given
    uint64_t bandwidth;               // bytes a second, 0: not given
    // Estimates, see kind_dealt.c.
    uint32_t n_workers;  // of a task farm; 0: as recorded
    const char *dealing; // a policy, NULL: not given
    struct whatif_rebalance {
        const char *policy; // NULL: not given
        uint64_t threshold; // in place of its file's, millionths; PAG_NOT_KNOWN: none
        uint64_t poll_ns, transfer_ns, n_free_hosts; // likewise
    } rebalance;
    const double *tolerances; // percent
    size_t n_tolerances;
    bool wants_parts;       // what of the time is latency, bandwidth, contention
    uint32_t n_draws, seed; // of the machine's noise; 0: none
    bool keeps_recording;   // what it cost, in computing
    void **kept;            // what is freed with the case
    size_t n_kept, kept_capacity;

    struct machine machine;   // settings.machine, unless that is NULL
    struct policy policy;     // of dealing or rebalance
    struct scenario scenario; // once prepared
};

/// Whether the run time of ASKED is estimated: only that is known.
bool whatif_case_is_estimate(const struct whatif_case *asked);

// --- readers that need nothing but their row

whatif_reader whatif_read_text, whatif_read_one_more, whatif_read_flag, whatif_read_choice,
    whatif_read_count, whatif_read_value;

/// The first members of a row: its kind, name, and argument.
#define WHATIF_ROW(kind_, name_, argument_)                                                        \
    .name = (name_), .kind = WHATIF_##kind_, .argument = (argument_)

/// Further members: the value goes into this FIELD of struct whatif_case as a text, a flag, one of
/// the words of the row's argument (is it the second one?), a whole number from 1 to LIMIT, or what
/// PARSER makes of it, a uint64_t; or is one more text of LIST in PART, which has n_LIST of them.
#define WHATIF_INTO(field_)         .field = offsetof(struct whatif_case, field_)
#define WHATIF_TEXT(field_)         .read = whatif_read_text, WHATIF_INTO(field_)
#define WHATIF_SET(field_)          .read = whatif_read_flag, WHATIF_INTO(field_)
#define WHATIF_WORD(field_)         .read = whatif_read_choice, WHATIF_INTO(field_)
#define WHATIF_COUNT(field_, limit) .read = whatif_read_count, WHATIF_INTO(field_), .most = (limit)
#define WHATIF_NUMBER(field_, parser)                                                              \
    .read = whatif_read_value, WHATIF_INTO(field_), .parse = (parser)
#define WHATIF_TEXTS(part, list)                                                                   \
    .read = whatif_read_one_more, WHATIF_INTO(part.list),                                          \
    .n_field = offsetof(struct whatif_case, part.n_##list)

// --- for the others

/// TEXT, which is freed with ASKED.
char *whatif_case_keep(struct whatif_case *asked, char *text);

/// The N items of ARRAY with room for one more at their end, zeroed; it lives as long as ASKED. For
/// the arrays of scenario_settings:
///     s->scales = scales = whatif_case_grow(asked, s->scales, s->n_scales, sizeof *scales);
///     scales[s->n_scales++] = ...;
void *whatif_case_grow(struct whatif_case *asked, const void *array, size_t n, size_t item_bytes);

/// A factor in millionths, at least LEAST of them; what is before a `=` is skipped. 0, or -1 and
/// ERR.
int whatif_read_factor(const struct whatif_option *option, const char *text, uint64_t least,
                       uint64_t *millionths, struct error *err);

// --- plan.c

/// What the options ask for: every combination of the values of options with several. It must not
/// be moved once it is prepared.
struct whatif_plan {
    struct advice_word *words; // the options; their texts belong to the caller
    size_t n_words;
    struct whatif_case *cases; // the last option with several values varies fastest
    size_t n_cases;
    bool is_list;
    bool assumes_spinning;    // of waiting ranks, as the MPI of the measured run does
    bool assumes_slices;      // of time on shared cores
    bool assumes_untraced;    // that what recording cost is left out
    const char *estimate;     // an option given whose row is_estimate, NULL: none
    char *change;             // in words
    struct machine machine;   // of all cases, once files are read
    struct slowdown slowdown; // likewise
    struct machine speeds;    // likewise
    bool has_files;
    // Nothing changed, except that ranks wait as in the plan; and the same without what recording
    // cost, if the cases are without.
    struct scenario_settings unchanged_settings, untraced_settings;
    struct scenario unchanged, untraced;
    bool has_untraced_base; // what predictions are compared with: the latter, else the former
    bool is_prepared;       // this and all cases
};

/// Reads the N options WORDS; of one that is given again the last value counts, unless it may be
/// repeated. 0, or -1 and ERR: which value is none, with what it could be. The caller releases the
/// plan in either case.
int whatif_plan_read(struct whatif_plan *plan, const struct advice_word *words, size_t n,
                     struct error *err);

/// Whether the option NAME is given.
bool whatif_plan_has(const struct whatif_plan *plan, const char *name);

/// Reads the machines, speeds, slowdown files and policies that PLAN names. 0, or -1 and ERR.
int whatif_plan_read_files(struct whatif_plan *plan, struct error *err);

/// Reads its files, and prepares the scenario of each case for runs with DEFINITIONS, once. 0, or
/// -1 and ERR: which setting does not fit the run.
int whatif_plan_prepare(struct whatif_plan *plan, const struct definitions *definitions,
                        struct error *err);

/// PLAN becomes what the N options WORDS ask for, prepared likewise.
int whatif_plan_change(struct whatif_plan *plan, const struct advice_word *words, size_t n,
                       const struct definitions *definitions, struct error *err);

/// Prepares PLAN for MEASURED, which was replayed with its costs gathered. Where PLAN does not say
/// how ranks share cores, or whether what recording cost is left out, what MEASURED shows is added
/// to its options. 0, or -1 and ERR.
int whatif_plan_complete(struct whatif_plan *plan, const struct replay_run *measured,
                         struct error *err);

/// What that adds, in words without a full stop; NULL: nothing.
const char *whatif_sharing_note(const struct whatif_plan *plan);

/// Time slices as that assumes them of a task farm that shares cores, where SETTINGS say neither
/// how long a rank keeps a shared core nor what changing it costs.
void whatif_assume_slices(struct scenario_settings *settings);

void whatif_plan_release(struct whatif_plan *plan);
