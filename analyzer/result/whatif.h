// SPDX-License-Identifier: BSD-3-Clause
// What a prediction found, beside the measured run, as plain data.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/result/result.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/network/contention.h"
#include "analyzer/simulation/simulated.h"

// --- past_errors.c
// How far earlier predictions of a kind were off, and what that says of a new one.

/// Past predictions of a kind that were measured. Zeroed: they were not looked up.
struct past_errors {
    char *kind;         // the what-if options, "--cores --latency"
    char *machine;      // they were recorded on; NULL: on any machine
    size_t n;           // different ones; repeated runs of the same count once
    double coverage;    // share of measured times from `least` to `most`; 0: they are too few
    double least, most; // measured over predicted time
};

void past_errors_release(struct past_errors *errors);

/// Between which times a run is expected, and whether past errors say so.
struct expected_time {
    uint64_t low_ns, high_ns;
    bool is_by_past_errors; // false: by the replay error alone
};

/// Of a run predicted as PREDICTED_NS, of which JUDGED_NS are judged: ERRORS are of that part, and
/// the rest is taken to be right. Without past errors it is off by REPLAY_ERROR, a share.
struct expected_time expected_time(const struct past_errors *errors, uint64_t predicted_ns,
                                   uint64_t judged_ns, double replay_error);

// --- whatif.c

struct whatif_rank {
    char *node;
    uint32_t node_index;
    uint64_t finish_ns;   // from the first event of the run
    uint64_t busy_ns;     // process time outside MPI, at the speed of its cores
    uint64_t shared_ns;   // outside MPI, while others had its core
    uint64_t wait_ns;     // in MPI, waiting for others; and without a core before it
    uint64_t overhead_ns; // the rest of its time in MPI
};

struct whatif_setting {
    char *name, *value; // "cores", "2"
};

/// What --move asks for, and what came of it.
struct whatif_move {
    char *text;                    // REGION=FROM:TO
    uint64_t moved_ns, n_messages; // process time done by others, and what it went along with
    uint64_t stayed_ns;            // in the region at FROM, but not for TO
};

/// A change that the program may not be able to make as much of as was predicted.
struct whatif_bound {
    char *key; // of the JSON, for how many were changed
    uint64_t value;
    char *sentence; // what was changed, and why the prediction is an upper bound; no full stop
};

/// What a <compute> of the machine file made of a run, summed over the ranks.
struct whatif_rule {
    char *region;
    uint64_t n_visits, work_units, time_ns;
};

/// What --workers and --dealing make of a task farm.
struct whatif_farm {
    char *policy, *summary;         // of --dealing; NULL: as recorded
    uint32_t n_workers, n_recorded; // 0: not asked for
    uint32_t master, n_cores;       // cores: 0: one for each rank
    uint64_t n_tasks, n_phases;
    // Length of the phases with every task done by who did it in the recording; of those of the
    // recorded run, and the same by the model; and with the workers asked for.
    uint64_t replayed_ns, recorded_ns, modelled_ns, predicted_ns;
};

/// What --rebalance makes of the work between operations in which all ranks meet.
struct whatif_rebalancing {
    char *policy, *summary;                // NULL: not asked for
    uint64_t n_spans, before_ns, after_ns; // the longest works, summed
    uint64_t n_migrations, moved_ns, transfer_ns;
};

/// What --draws makes of a prediction: run times with the noise of the machine, in ascending order.
struct whatif_draws {
    uint64_t *times_ns;
    size_t n;
    uint32_t seed;
};

/// What --slowdown makes of a prediction.
struct whatif_slowdown {
    char *file;                        // NULL: not asked for
    uint32_t n_regions, n_here;        // that the file has; of these in the run
    bool goes_beyond;                  // ranks share cores with fewer or more than it was learned
    bool is_compared;                  // these are known, of an estimate they are not:
    uint64_t without_ns;               // predicted run time without it
    uint64_t work_ns, without_work_ns; // CPU time outside MPI with and without, of all ranks
};

/// One prediction.
struct whatif_point {
    struct whatif_setting *set; // the values that differ between points
    size_t n_set;
    uint64_t predicted_ns;
    uint64_t window_begin_ns, window_end_ns; // as in struct result, of the predicted run
    uint64_t work_end_ns; // the last rank enters MPI_Finalize; the run's end if not all do
    struct recorded_use message_times;
    struct contention_use transfers; // messages where links or buses count
    bool is_untraced;                // then recording_ns of the ranks' work is left out
    uint64_t recording_ns;
    uint64_t hand_over_ns; // that changes of cores between ranks cost, summed over the ranks
    bool has_phases;       // from which on ranks may be on other nodes
    uint64_t n_relocated, relocated_ns; // times that one went there, how long that took
    bool leaves_out; // some messages or collective operations are to be left out:
    struct simulated_left_out left_out;
    uint64_t n_forced; // calls that would have waited for ever
    struct collective_use collectives;
    bool is_timeless; // by the order of events only: visits of regions, those of them that cost
                      // nothing, and those without the work count they should have
    uint64_t n_visits, n_without_rule, n_without_work;
    struct whatif_rule *rules;
    size_t n_rules;
    char *unused_rules; // of the machine file, in words; NULL: none
    struct whatif_rank *ranks;
    size_t n_ranks;
    struct whatif_bound *bounds;
    size_t n_bounds;
    uint64_t n_held; // calls that wait later than best: for messages that move only then
    struct whatif_draws draws;
    struct whatif_slowdown slowdown;
    struct whatif_farm farm;
    struct whatif_rebalancing rebalancing;
    struct whatif_move *moves;
    size_t n_moves;
    // With moves: longest paths of process time by the published client/server algorithm, with the
    // moves, with moved work after its message, and without moves
    // (simulation/change/move.h).
    uint64_t client_server_ns, in_turn_ns, unchanged_ns;
};

/// What the network may take longer until the predicted run does by `percent`.
struct whatif_tolerance {
    double percent;
    bool has_latency, has_byte; // false: nothing that was tried makes it so much longer
    uint64_t latency_ns;        // each message
    uint64_t byte_fs;           // each byte of a message, in femtoseconds
};

/// What of a predicted run's time a machine's network is: the same run without it, then what each
/// part adds to those before it. They sum to predicted_ns.
struct whatif_parts {
    bool is_known;
    uint64_t no_network_ns;
    int64_t latency_ns, bandwidth_ns, contention_ns;
};

struct whatif_report {
    uint64_t baseline_ns; // measured
    uint64_t replayed_ns; // predicted with nothing changed
    uint64_t untraced_ns; // the same without what recording cost; 0: that is not left out, or the
                          // only change
    uint64_t lost_ns;     // descheduled in the recording, except waits; summed over the ranks
    bool was_shared;      // then some node had more ranks than cores
    char *change;         // what is different, in words
    char **notes;         // what is assumed about it, a sentence each
    size_t n_notes, note_capacity;
    struct past_errors errors; // of predictions with the same options
    char *sharing;             // how cores are shared, in words
    const char *threads;       // what keeps its recorded times of threads, in words; NULL: nothing
    struct whatif_point *points;
    size_t n_points;
    struct whatif_tolerance *tolerances;
    size_t n_tolerances, n_tolerance_runs;
    bool tolerates_everywhere; // all ranks are on one node: all messages are meant
    struct whatif_parts network_parts;
    bool is_list;            // some option had several values
    struct result predicted; // the predicted run of a single point
    struct result unchanged; // likewise, with nothing changed; only if whatif_has_large_error(),
                             // or with untraced_ns, of that run
    bool has_predicted;      // these two are there
    struct result *results;  // of a list, by point: kept for a database, else NULL
};

/// The least of the times of DRAWS, some, that PERCENT of them do not exceed.
uint64_t whatif_draws_below(const struct whatif_draws *draws, unsigned percent);

/// Frees everything in POINT (zeroed is fine) but not itself.
void whatif_point_release(struct whatif_point *point);
/// What it owns (base/owned.h).
void whatif_point_owned(struct owned *walk, struct whatif_point *point);

/// Frees everything in REPORT (zeroed is fine) but not itself.
void whatif_report_release(struct whatif_report *report);

/// Adds what is assumed in the predictions, a sentence without a full stop; TEXT is REPORT's then.
void whatif_report_note(struct whatif_report *report, char *text);

/// (predicted - measured) / measured of a time; 0 when nothing was measured.
double whatif_change(uint64_t measured_ns, uint64_t predicted_ns);

/// Whether the replay error, that of the run predicted with nothing changed, is more than 1 % of
/// the run time.
bool whatif_has_large_error(const struct whatif_report *report);

/// Whether a run of MEASURED_NS, predicted with nothing changed as REPLAYED_NS, is missed by so
/// much (more than 30 %) that other predictions from it say nothing.
bool whatif_misses(uint64_t measured_ns, uint64_t replayed_ns);

/// How far a prediction can be relied on.
enum whatif_reliability {
    WHATIF_GOOD,
    WHATIF_UNCERTAIN, // a large replay error, and what is changed does no more than that
    WHATIF_NONE,      // whatif_misses()
};
extern const char *const whatif_reliability_names[];
enum whatif_reliability whatif_reliability(const struct whatif_report *report,
                                           const struct whatif_point *point);

/// Between which times the run of POINT is expected.
struct expected_time whatif_expected(const struct whatif_report *report,
                                     const struct whatif_point *point);

/// What a prediction is compared with.
enum whatif_base {
    WHATIF_MEASURED,
    WHATIF_UNCHANGED, // the run predicted with nothing changed
    WHATIF_UNTRACED,  // the same without what recording cost
};
extern const char *const whatif_base_names[];

/// With what the predictions of REPORT are best compared: the untraced run where recording's cost
/// is left out; that with nothing changed where the replay error is more than 1 % of the run time,
/// or all would look like the effect of what was changed; else, and where no recorded time counts
/// (--timeless), the measured one.
enum whatif_base whatif_base(const struct whatif_report *report);

/// That run: MEASURED, or REPORT's.
const struct result *whatif_base_result(const struct whatif_report *report,
                                        const struct result *measured);

/// The run time that changes of run time are relative to: the measured one, or untraced_ns.
uint64_t whatif_base_ns(const struct whatif_report *report);

/// Run time by the client/server algorithm: that predicted with nothing changed, and what its path
/// gains or loses.
uint64_t whatif_client_server_ns(const struct whatif_report *report,
                                 const struct whatif_point *point);
