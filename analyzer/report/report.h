// SPDX-License-Identifier: BSD-3-Clause
// The reports: as text for people, as JSON, and where noted as CSV and SVG. Printers compute
// nothing: what they print is described where their argument is declared, here for what no other
// folder knows.
//
// JSON is of schema 1: keys may be added, never renamed. Each printer writes one object and a
// newline, the same bytes for the same result in any locale: keys in a fixed order, times as
// integers in ns, null for what is unknown. A failed write is left to ferror(STREAM).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/result/result.h"

struct advice;
struct back_test;
struct calibration_report;
struct child_paths;
struct single_waits;
struct catalogue;
struct difference_page;
struct fractions_page;
struct metric_difference;
struct limit_page;
struct machine;
struct policy;
struct property_search;
struct slowdown_fit;
struct asl_property;
struct hierarchy;
struct hierarchy_list;
struct property_list;
struct model_table;
struct plot;
struct scaling_page;
struct structure_page;
struct task_answer;
struct task_model;
struct task_solution;
struct whatif_report;

struct text_options {
    uint64_t depth;  // levels of the call tree that are shown
    uint64_t top;    // rows of a table
    size_t width;    // columns of the page
    bool cuts_lines; // rows longer than the page lose the middle of their last column
    bool has_colours;
    bool shows_all; // details of each wait state, however small
};

/// 4 levels, 12 rows, the width of the terminal STREAM is (then lines are cut) or 80.
struct text_options text_options_for(FILE *stream);

/// The report on a replay: the findings first, then what it rests on.
void text_print(const struct result *result, const struct text_options *options, FILE *stream);

/// What a rank does at the moment that was asked for, and why.
void text_print_moment(const struct result *result, const struct text_options *options,
                       FILE *stream);
void json_print_moment(const struct result *result, FILE *stream);

/// What ranks do from BEGIN_NS to END_NS.
struct timeline_page {
    const struct timeline *timeline; // concluded
    uint64_t begin_ns, end_ns;
};

/// PAGES of the measured run, and then of the predicted one if N is 2. The text has a row of
/// letters for each rank; ranks share rows where there are many.
void text_print_timelines(const struct timeline_page *pages, size_t n,
                          const struct text_options *options, FILE *stream);
void json_print_timelines(const struct timeline_page *pages, size_t n, FILE *stream);

/// The paths through a region: the text has options->top of them, the rest in sum.
void text_print_child_paths(const struct child_paths *paths, const struct text_options *options,
                            FILE *stream);
void json_print_child_paths(const struct child_paths *paths, FILE *stream);

/// Single waits of a run: the text has the options->top longest, in the order of time.
void text_print_waits(const char *trace, const struct single_waits *waits,
                      const struct text_options *options, FILE *stream);
void json_print_waits(const char *trace, const struct single_waits *waits, FILE *stream);

/// The critical properties of a run, the first options->top of them, what pruning saved, and what
/// could not be evaluated.
void text_print_properties(const struct property_search *search, const struct text_options *options,
                           FILE *stream);
void json_print_properties(const struct property_search *search, FILE *stream);

/// Prints REPORT, a prediction from the run MEASURED.
void text_print_whatif(const struct result *measured, const struct whatif_report *report,
                       const struct text_options *options, FILE *stream);

/// A replay and predictions from it (NULL: none), as in pagoda-json(5).
void json_print(const struct result *result, const struct whatif_report *whatif, FILE *stream);

/// Prints the best LIMIT candidates of each group.
void text_print_advice(const struct advice *advice, size_t limit, FILE *stream);
void json_print_advice(const struct advice *advice, FILE *stream);

void text_print_calibration(const struct calibration_report *report, FILE *stream);
void json_print_calibration(const struct calibration_report *report, FILE *stream);

/// What FIT has learned, and wrote to PATH; speeds are those of speed_fit().
void text_print_slowdown(const struct slowdown_fit *fit, const char *path, FILE *stream);
void text_print_speeds(const struct slowdown_fit *fit, const char *path, FILE *stream);
void json_print_slowdown(const struct slowdown_fit *fit, const char *path, FILE *stream);

/// Prints the runs, the change of run time, and the TOP rows of each table, the rest of it in sum.
void text_print_difference(const struct difference_page *page, uint64_t top, FILE *stream);
/// Prints a line for the run time and for each call path and wait state that got worse.
void text_print_violations(const struct difference_page *page, FILE *stream);
/// N pages, which have the same A.
void json_print_differences(const struct difference_page *pages, size_t n, FILE *stream);
/// Prints the fractions of each rank (the text: of the first TOP) in both runs, and how far they
/// are apart.
void text_print_fractions(const struct fractions_page *page, uint64_t top, FILE *stream);
void json_print_fractions(const struct fractions_page *pages, size_t n, FILE *stream);
/// The difference of one metric, hierarchy by hierarchy.
void text_print_metric_difference(const struct metric_difference *of, FILE *stream);
/// N of them.
void json_print_metric_differences(const struct metric_difference *list, size_t n, FILE *stream);

void text_print_limits(const struct limit_page *page, FILE *stream);
/// One line for each limit that is not kept.
void text_print_limit_violations(const struct limit_page *page, FILE *stream);
void json_print_limits(const struct limit_page *page, FILE *stream);

/// Prints the runs with their ids, and for each hierarchy how many resources are in all runs, and
/// the tree of those that are not (SHOWS_ALL: of all), each with its sum of run ids.
void text_print_structure(const struct structure_page *page, bool shows_all, FILE *stream);
/// All resources.
void json_print_structure(const struct structure_page *page, FILE *stream);

struct scaling_text_options {
    uint64_t top; // rows of the growth table
    size_t width;
    bool has_sparklines;
};
void text_print_scaling(const struct scaling_page *page, const struct scaling_text_options *options,
                        FILE *stream);
/// One line for each number, with a heading: series, parameter, its value, ranks, kind of number,
/// name, value, spread, number of trials.
void csv_print_scaling(const struct scaling_page *page, FILE *stream);
/// A picture of speedup, efficiencies and growing parts, one row of panels a series.
void svg_print_scaling(const struct scaling_page *page, FILE *stream);
void json_print_scaling(const struct scaling_page *page, FILE *stream);

/// A single picture of a run, and its values as rows of a table. TRACE: its path.
void svg_print_plot(const struct plot *plot, FILE *stream);
void csv_print_plot(const struct plot *plot, FILE *stream);
void json_print_plot(const struct plot *plot, const char *trace, FILE *stream);

/// The models of TABLE: formulas, how well they fit, predictions; as text of the first TOP.
void text_print_models(const struct model_table *table, size_t top, FILE *stream);
void json_print_models(const struct model_table *table, FILE *stream);

/// N answers of one model (at least one), with SOLUTIONS, one for each, or NULL; as text with the
/// TOP tasks that take most time.
void text_print_task_answers(const struct task_answer *answers, size_t n,
                             const struct task_solution *solutions, uint64_t top, FILE *stream);
void json_print_task_answers(const struct task_answer *answers, size_t n,
                             const struct task_solution *solutions, FILE *stream);

/// How right predictions were: by kind, as JSON each of them, too.
void text_print_back_test(const struct back_test *test, FILE *stream);
void json_print_back_test(const struct back_test *test, FILE *stream);

// ---- stored runs

/// Prints the list that trials_read_json() (db/trials.h) reads, ARE_CHOSEN: of some runs only.
void text_print_trials(const char *json, bool are_chosen, FILE *stream);
/// Prints what trial_read_json() reads, with TOP regions.
void text_print_trial(const char *json, uint64_t top, FILE *stream);

// ---- several intervals of one run

/// What is kept of the result of one interval.
struct interval_row {
    char *name;
    bool is_phase;
    uint64_t begin_ns, end_ns, time_ns;
    struct result_efficiency efficiency;
    uint64_t useful_ns, no_cpu_ns, wait_ns, other_mpi_ns, outside_ns, total_ns; // sums over ranks
    char *headline;
    char *limiting; // the group of ranks that limits the rate; NULL: there are no groups, or one
    uint64_t others_wait_ns, n_spare; // of the other groups (struct result_group)
    struct interval_metric {          // that files define, of the whole interval
        char *name, *unit;
        double value; // NAN: unknown, or 0
    } * metrics;
    size_t n_metrics; // the same in all rows
};

struct interval_page {
    const char *trace;
    struct interval_row *rows; // in the order they were asked for
    size_t n_rows, capacity;
};

/// A table with one line an interval.
void text_print_intervals(const struct interval_page *page, const struct text_options *options,
                          FILE *stream);
void json_print_intervals(const struct interval_page *page, FILE *stream);

// ---- pagoda check

enum check_kind {
    CHECK_UNKNOWN,
    CHECK_ARCHIVE,
    CHECK_CATALOGUE,
    CHECK_SETTINGS,
    CHECK_FILTER,
    CHECK_MACHINE,
    CHECK_SWEEP,
    CHECK_PROPERTIES,
    CHECK_POLICY,
    CHECK_SLOWDOWN,
    CHECK_RULES,
    CHECK_FINDING,
    CHECK_TUNING,
    CHECK_ASL,
    CHECK_HIERARCHY,
    CHECK_MODEL
};

struct check_location {
    uint64_t id;
    uint32_t rank; // RESULT_NONE for a location of no process
    char *name;
    uint64_t n_declared, n_read, n_unknown, n_bad_references, n_backward;
    char *reason; // why it was skipped or cut, "" when it was not
};

/// Something that a repaired archive lacks.
struct check_loss {
    char *code, *text;
    bool has_location, has_count;
    uint64_t location, n_events; // its OTF2 id; events that are lost
};

struct check {
    const char *path; // as the caller named it
    enum check_kind kind;
    int status;           // enum exit_status
    char *error;          // why it cannot be checked, NULL when it was
    struct result result; // of an archive: facts and warnings; no patterns
    struct check_location *locations;
    size_t n_locations;
    const char *repaired_from; // the archive that PATH is a repaired copy of, NULL: it is none
    struct check_loss *losses; // then
    size_t n_losses;
    char **pattern_ids; // of a catalogue
    size_t n_patterns;
    size_t n_entries; // settings of a configuration file, rules of a filter file, operations with
                      // a formula of a machine file, points of a sweep, properties, rules of
                      // pagoda reduce, remedies of a kind of findings, nodes of a hierarchy
};

/// Prints what was found out about a file that could be read: what it is, then a line for each
/// thing to know.
void check_print(const struct check *check, FILE *stream);

/// Frees everything in CHECK, not CHECK itself.
void check_release(struct check *check);

/// N findings.
void json_print_checks(const struct check *checks, size_t n, FILE *stream);

// ---- pagoda reduce

/// A function that the profile has; means over the ranks.
struct reduction_row {
    char *name;
    char *file; // "" when unknown
    double n_calls, exclusive_us, inclusive_us, percent;
    const char *rule;          // that leaves it out, NULL: it stays
    uint32_t rule_rank;        // the first rank for which it holds, with is_any_rank
    double after_inclusive_us; // in the run without those left out, NAN: not measured
};

/// One way to run the program.
struct reduction_run {
    uint64_t wall_ns;  // of the launch line, the shortest of the repetitions
    uint64_t n_events; // 0: untraced
};

enum { REDUCTION_UNTRACED, REDUCTION_TRACED, REDUCTION_REDUCED, N_REDUCTION_RUNS };

struct reduction_page {
    const char *source;         // the trace, trial or launch line
    uint64_t n_ranks;           // that the means are over
    bool is_any_rank;           // rules hold for single ranks, not for means
    const char *rank;           // the only rank looked at, NULL: all
    struct reduction_row *rows; // inclusive time descending
    size_t n_rows;
    const char *output; // the exclude file, NULL: none was written
    bool is_measured;   // then:
    struct reduction_run runs[N_REDUCTION_RUNS];
    uint64_t n_repetitions;
};

/// TOP: how many of the functions that stay are shown.
void text_print_reduction(const struct reduction_page *page, uint64_t top, FILE *stream);
void json_print_reduction(const struct reduction_page *page, FILE *stream);

// ---- pagoda sweep

enum sweep_state {
    SWEEP_TO_RUN,
    SWEEP_STORED,   // now or in an earlier call
    SWEEP_FAILED,   // its program or its build failed
    SWEEP_TOO_LONG, // over the limit of a point
    SWEEP_SKIPPED,  // impossible, by a condition on its parameters
    N_SWEEP_STATES,
};
extern const char *const sweep_state_names[N_SWEEP_STATES]; // "to run", ...

struct sweep_row {
    char *name;    // of the point, and of its trial
    char *command; // with its values
    char *reason;  // why it is skipped or failed, "" where there is nothing to say
    enum sweep_state state;
    uint64_t wall_ns; // of the run, 0: not known
};

struct sweep_report {
    const char *database, *experiment, *dir;
    struct sweep_row *rows; // in the order of the points
    size_t n_rows;
    size_t n_stored_now;
    char *stopped_by; // the checkpoint that ended the sweep, or NULL
    bool is_interrupted, is_over_limit;
};

void sweep_report_release(struct sweep_report *report);

/// How many points are in a state.
size_t sweep_report_count(const struct sweep_report *report, enum sweep_state state);

/// One line a point: its number, name, state, and command.
void sweep_report_print_points(const struct sweep_report *report, FILE *stream);

/// What the sweep came to, in one or two lines.
void sweep_report_print(const struct sweep_report *report, FILE *stream);

void sweep_report_print_json(const struct sweep_report *report, FILE *stream);

// ---- pagoda explain

/// What is to be shown; a kind that is not has NULL.
struct known {
    const struct catalogue *catalogue;
    uint32_t pattern;         // only this one; PATTERN_NONE: all
    const char *pattern_file; // only those of this file; NULL: of any
    const struct finding_kind *findings;
    size_t n_findings;
    const struct tuning *tunings;
    size_t n_tunings;
    const struct machine *machines;
    size_t n_machines;
    const struct policy *policies;
    size_t n_policies;
    const struct task_model *models;
    size_t n_models;
    const struct property_list *properties; // all, for hierarchies, and the other way round:
    const struct hierarchy_list *all_hierarchies;
    const struct asl_property *property; // with items: those to be shown
    size_t n_properties;
    const struct hierarchy *hierarchies;
    size_t n_hierarchies;
};

/// Whether the pattern INDEX of the catalogue is one of those to be shown.
bool known_shows_pattern(const struct known *known, size_t index);

/// A key for each kind to be shown, "patterns", "findings", "tuning", "properties", "hierarchies",
/// "machines", "policies" or "models"; patterns in the order of their hierarchy.
void json_print_known(const struct known *known, FILE *stream);

/// The hierarchy, one pattern a line with its summary. Lines are WIDTH columns wide.
void pattern_page_tree(const struct catalogue *catalogue, size_t width, FILE *stream);

/// Everything about the pattern with this index.
void pattern_page_one(const struct catalogue *catalogue, uint32_t index, size_t width,
                      FILE *stream);

/// All patterns in the man macros, below a section heading.
void pattern_page_manual(const struct catalogue *catalogue, FILE *stream);

/// A line or more for each: id, subject, name; of a subject in the order in which they are tried.
/// Within WIDTH columns.
void finding_page_list(const struct finding_kind *kinds, size_t n, size_t width, FILE *stream);

/// All that one says: sentences, hint, condition, remedies with their options.
void finding_page_one(const struct finding_kind *kind, size_t width, FILE *stream);

/// A line or more for each: id, name. Within WIDTH columns.
void tuning_page_list(const struct tuning *tunings, size_t n, size_t width, FILE *stream);

/// All that one says: its findings, option, settings and limits.
void tuning_page_one(const struct tuning *tuning, size_t width, FILE *stream);

/// A line or more for each: name, what it is asked of, summary; then the hierarchies, and the
/// metrics that properties may use. Within WIDTH columns.
void property_page_list(const struct known *known, size_t width, FILE *stream);

/// What one says: summary, hierarchies that have it, text as written.
void property_page_one(const struct known *known, size_t width, FILE *stream);

/// A hierarchy: a property a line, below each the ones that are searched for where it is critical.
void hierarchy_page_one(const struct known *known, size_t width, FILE *stream);

/// A line or more for each: name, cores of a node, scopes of its messages, collective operations,
/// summary. Within WIDTH columns.
void machine_page_list(const struct machine *machines, size_t n, size_t width, FILE *stream);

/// All that one says: cores, messages of each scope, collectives, where its numbers are from, what
/// is missing.
void machine_page_one(const struct machine *machine, size_t width, FILE *stream);

/// A line or more for each: name, option that takes it, summary. Within WIDTH columns.
void policy_page_list(const struct policy *policies, size_t n, size_t width, FILE *stream);

/// All that one says: rules or tasks as sentences, times, source, what is missing.
void policy_page_one(const struct policy *policy, size_t width, FILE *stream);

/// A line or more for each: name, summary. Within WIDTH columns.
void model_page_list(const struct task_model *models, size_t n, size_t width, FILE *stream);

/// All that one says: parameters, values, the tree of tasks with their formulas, source, bias.
void model_page_one(const struct task_model *model, size_t width, FILE *stream);
