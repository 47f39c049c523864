// SPDX-License-Identifier: BSD-3-Clause
// How runs of one program scale with a parameter: speedup and efficiency, the efficiencies of POP
// (https://pop-coe.eu/node/69) and which of them is lost, how the parts of the run time grow, and
// which part will have most of it next.
//
//     struct scaling *scaling = scaling_new(SCALING_STRONG, "ranks");
//     size_t trial = scaling_add_trial(scaling, &facts);
//     scaling_add_part(scaling, trial, "MPI_Recv", "late-sender", false, value_ns);
//     ...
//     scaling_compute(scaling, 0.8);
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/model/model_table.h"
#include "db/database.h"

enum scaling_kind {
    SCALING_STRONG, // the same work on a larger machine
    SCALING_WEAK,   // work that grows with the machine
    SCALING_SIZE,   // the same ranks, another parameter: no efficiency of more processors
};

/// The efficiencies of a run; shares, NAN when unknown.
enum scaling_factor {
    FACTOR_PARALLEL,      // load balance x CPU x communication
    FACTOR_LOAD_BALANCE,  // mean over greatest useful time
    FACTOR_CPU,           // CPU time outside MPI; 1 where no samples tell it
    FACTOR_COMMUNICATION, // serialization x transfer
    FACTOR_SERIALIZATION,
    FACTOR_TRANSFER,
    FACTOR_COMPUTATION, // time outside MPI: that of the smallest run over this one's, all ranks
                        // together; weak: per rank
    FACTOR_GLOBAL,      // parallel x computation
    N_FACTORS,
};

/// "parallel_efficiency", ... as in JSON and CSV; "parallel efficiency", ... for people.
extern const char *const scaling_factor_keys[N_FACTORS];
extern const char *const scaling_factor_names[N_FACTORS];
/// "strong", "weak", "parameter".
extern const char *const scaling_kind_names[];

struct scaling_trial {
    int64_t id; // in the database
    char *name; // application/experiment/trial
    double x;   // the parameter
    uint64_t n_ranks;
    double machine_size; // what efficiencies compare with: ranks, or a parameter such as threads
    // All ranks together: useful, outside MPI with CPU time; the share of their time without, or in
    // MPI but not waiting.
    double time_ns, useful_ns, no_cpu_share;
    uint64_t n_cores;          // of all nodes, 0 when unknown
    double factors[N_FACTORS]; // computation and global are computed
};

/// Trials of one x: means, and for two and more the standard deviation of a sample (else NAN).
struct scaling_point {
    double x, n_ranks, machine_size;
    size_t n_trials;
    double time_ns, time_spread_ns;
    double useful_ns, no_cpu_share;
    bool has_few_cores; // than ranks, in one of the trials
    double speedup;     // time of the smallest run over this one's; weak: times the machines' ratio
    double efficiency;  // speedup over the machines' ratio; NAN for SCALING_SIZE
    double factors[N_FACTORS];
};

/// A part of the run time: the waits of a wait state, or the time of a region without its waits.
struct scaling_part {
    char *name;
    char *shown;          // the name in texts, short but of this part only
    char *wait_state;     // "" for a region
    bool is_start_or_end; // MPI_Init, MPI_Finalize: not in the sums below
    double *ns;           // by point: mean per rank
    size_t model;         // of it over x: a series of the models
    double next_ns;       // predicted at next_x; what it is at the last point where no formula fits
};

#define SCALING_NONE SIZE_MAX

struct scaling {
    enum scaling_kind kind;
    char *by;                     // the parameter
    struct scaling_trial *trials; // in the order in which they were added
    size_t n_trials, trial_capacity;
    struct scaling_point *points; // by x, the first one is the reference
    size_t n_points;
    struct scaling_part *parts; // greatest at the last point first
    size_t n_parts;
    // In seconds over the parameter, from the trials: first the run time, then the parts; each
    // predicted at next_x, the run time and the greatest parts at the points of a curve before.
    struct model_table models;

    // Where scaling breaks: the first point whose efficiency is below the threshold, or, if there
    // is none, the last point; what is lost from the reference to there.
    bool is_broken;
    size_t looked_at;        // that point
    enum scaling_factor why; // the factor that lost most, N_FACTORS when none did
    double why_share;        // of the loss, by logarithms; 1 when others gained
    size_t cause;            // the part that costs most more than at the reference, or NONE
    double cause_share;      // of what all parts that cost more cost more
    size_t fastest;          // point of the least time

    // Prediction at twice the last x, where a formula fits the run time.
    bool has_next;
    double next_x, next_ns, next_low_ns, next_high_ns; // the run time, 95 % of what it may be
    double next_efficiency;                            // NAN for SCALING_SIZE
    double next_parts_ns;                              // sum of the parts
    double next_unfitted_share;                        // of it in parts that no formula fits
    size_t leader;                                     // part with most time at the last point
    size_t next_leader;                                // at next_x
    size_t riser;                                      // part whose share rises most, or NONE
    double riser_overtakes_x; // from where on it is above the leader; INFINITY: not foreseeable

    struct scaling_value *values; // what was added; private
    size_t n_values, value_capacity;
};

/// BY, the parameter, is copied.
struct scaling *scaling_new(enum scaling_kind kind, const char *by);
void scaling_free(struct scaling *scaling);

/// Adds a run, whose name is copied; returns its number.
size_t scaling_add_trial(struct scaling *scaling, const struct scaling_trial *trial);
/// Adds time of a run, all ranks together; values of the same part are summed. Texts are copied.
void scaling_add_part(struct scaling *scaling, size_t trial, const char *name,
                      const char *wait_state, bool is_start_or_end, double value_ns);

/// Fills everything above. There must be two x at least. THRESHOLD: the efficiency below which
/// scaling is broken (for SCALING_SIZE it never is).
void scaling_compute(struct scaling *scaling, double threshold);

/// The model of PART; its formula holds if it fits (model_series_fits()).
const struct model_series *scaling_model(const struct scaling *scaling,
                                         const struct scaling_part *part);
/// How MODEL grows from the last point on: "ranks^2", "log2(ranks)", "constant". The caller frees.
char *scaling_growth(const struct scaling *scaling, const struct model_series *model);

/// What a computed study shows, in sentences: where scaling breaks, what is lost there, and a
/// forecast. The caller frees.
char *scaling_conclusion(const struct scaling *scaling);

// --- scaling_series.c
// The trials of a scaling study: chosen, put into series that differ in one parameter only, their
// times read, and properties declared over several runs evaluated.

/// A property of the runs of a series together, declared in patterns/experiments.
struct scaling_finding {
    const char *id, *subject; // subject: the wait state it is asked of, "" for none
    const char *name, *summary, *diagnosis, *condition;
    bool is_evaluated; // false: something it asks for is unknown of a run
    bool holds;
    double severity, confidence; // 0..1; severity 0 where it does not hold
    double threshold;            // severity from which on it is critical
};

/// Runs that differ in the parameter only, and in what follows from it.
struct scaling_series {
    char *name;        // what else they have in common: "app/sweep, size=64"
    char *kind_reason; // why they are taken for strong or weak scaling
    struct scaling *scaling;
    char *conclusion;
    struct scaling_finding *findings; // most severe first
    size_t n_findings;
};

struct scaling_page {
    const char *database;                  // NULL: none
    const char *by;                        // the parameter
    double threshold;                      // of the efficiency
    bool has_findings;                     // properties were asked for
    struct property_catalogue *properties; // which findings refer to
    struct scaling_series *series;
    size_t n_series;
    size_t n_without_parameter; // trials that were left out: they have no such parameter,
    size_t n_alone;             // or no other trial differs in it only
};

enum scaling_asked { SCALING_BY_PARAMETERS, SCALING_ASKED_STRONG, SCALING_ASKED_WEAK };

struct scaling_choice {
    const char *application, *experiment; // NULL: all
    char *const *selectors;               // trials, patterns, attributes; none: all trials
    size_t n_selectors;
    const char *by;                    // "ranks", "nodes", or a parameter
    const struct option_list *ignored; // parameters that do not tell runs apart
    enum scaling_asked asked;          // strong, weak, or whichever the parameters show
};

/// Reads the trials of DATABASE that CHOICE means into the series of PAGE, whose other members are
/// set. Without selectors these are the measured trials, or, when there are none, the predicted
/// ones. 0 (PAGE is to be
/// released), or -1 and ERR: no trial, a parameter that is not a number, or nothing that differs.
int scaling_series_read(struct database *database, const struct scaling_choice *choice,
                        struct scaling_page *page, struct error *err);
void scaling_series_release(struct scaling_page *page);

/// Evaluates the properties that come with the command, and those of FILES, over the trials of each
/// series of PAGE, whose findings are filled. 0, or -1 and ERR: a file that cannot be used, a name
/// that is not a severity, an unreadable database.
int scaling_properties_find(struct database *database, const struct option_list *files,
                            struct scaling_page *page, struct error *err);
