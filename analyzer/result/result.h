// SPDX-License-Identifier: BSD-3-Clause
// Everything one replay found, as plain data: facts, global call paths, values by rank, pattern
// instances, critical path. Reports, JSON, HTML and the database consume it and compute nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/result/thread_losses.h"
#include "analyzer/trace/file_operations.h"

#define RESULT_NONE UINT32_MAX

struct result_warning {
    char *code; // kebab-case, stable: unmatched-send, clock-violation, location-skipped, ...
    uint64_t count;
    char *text;        // one sentence: what, where, what it means for the report
    bool is_of_damage; // records or locations of the trace could not be read
};

/// What MPI calls are for (enum mpi_class): 0 is none. Names in JSON: result_mpi_class_keys.
enum { RESULT_MPI_CLASSES = 8 };
extern const char *const result_mpi_class_keys[RESULT_MPI_CLASSES];

/// A region that occurs in the call tree; definitions of the same name count as one. Time outside
/// any recorded region belongs to regions of the names below.
struct result_region {
    char *name;
    char *shown; // the name in texts, short but of this region only (base/function_names.h)
    char *file;  // "" when unknown
    uint32_t line;
    bool is_mpi;
    bool is_on_gpu;    // all its visits are on streams of GPUs
    uint8_t construct; // enum construct, of a thread runtime
    uint8_t mpi_class;
    // Sums over ranks; inclusive counts recursive calls once.
    uint64_t visits, inclusive_ns, exclusive_ns;
    uint32_t max_rank; // the rank with most exclusive time (lowest of equals), RESULT_NONE
    uint64_t max_ns;   // its exclusive time
    // Its time on the critical path above the mean over the ranks, where it is more: what a
    // perfectly even distribution of it would take off the path. Source: Boehme et al., "Scalable
    // critical-path based performance analysis" (2012).
    uint64_t path_imbalance_ns;
};

#define RESULT_REGION_PROGRAM "(program)"          // a process outside its recorded regions
#define RESULT_REGION_THREAD  "(thread)"           // a further thread outside its recorded regions
#define RESULT_REGION_OFF     "(recording off)"    // a stretch in which nothing was recorded
#define RESULT_REGION_NO_CPU  "(without CPU time)" // the process was descheduled or blocked,
#define RESULT_REGION_BLOCKED "(blocked)"          // and known to be blocked
#define RESULT_REGION_BEFORE  "(before start)"     // critical path: a rank that began later
#define RESULT_REGION_CLOCK   "(clock correction)" // critical path: negative, see lineage rules

/// A node of the call tree merged over all locations, parents before children, children of one
/// parent sorted by inclusive time (descending), then name.
struct result_path {
    char *path;      // "main/solve/MPI_Recv"
    char *shown;     // the same of the names that are shown
    uint32_t region; // the last one in it
    uint32_t parent; // RESULT_NONE for a root
    uint32_t depth;
    uint64_t visits, inclusive_ns, exclusive_ns; // sums over ranks
    uint64_t master_ns;                          // of exclusive_ns: in the ranks' master threads
    // The region that findings charge its computing to: its own, or the caller's if that region
    // works for different callers on different ranks.
    uint32_t charged;
};

/// Values of one path on one rank (all its locations together); only pairs that occurred.
struct result_path_rank {
    uint32_t path, rank;
    uint64_t visits, inclusive_ns, exclusive_ns;
    uint64_t master_ns; // of exclusive_ns: in the rank's master thread
};

/// A counter of the archive, such as PAPI_TOT_CYC: what it grew by, outside the paths below a path.
struct result_counter {
    char *name, *unit, *description; // "" when unknown
    double total;                    // above 0
    double *by_path_rank;            // in the order of result.path_ranks
};

/// What one place has of a sensor; times from the run's first event on.
struct result_sensor_place {
    char *label;             // "rank 3", "device 0", "node n1"
    uint32_t rank, location; // RESULT_NONE: of a node or something else
    uint64_t n_values, first_ns, last_ns;
    double mean, min, max; // of a sum: mean is how much it grows in a second, the others NAN
    double total;          // of a sum: what it grew by; of power: energy in J; else NAN
};

/// A metric of the archive that belongs to no call path: a state, such as power, or a sum that a
/// device, a node or a process has. States are weighted by the time for which they hold.
struct result_sensor {
    char *name, *unit, *description; // NAME without the device; "" when unknown
    bool is_state;
    double mean;                        // of a state over its places, of a sum the rate of all
    double min, max;                    // over places; NAN for sums
    double total;                       // of all places; NAN as above
    struct result_sensor_place *places; // greatest mean first
    size_t n_places;
};

/// A stream of a GPU, on which something ran.
struct result_stream {
    char *name;
    uint32_t rank;            // whose process uses it; RESULT_NONE: not known
    uint64_t n_runs, busy_ns; // kernels, copies, ...
    struct result_stream_part {
        uint32_t region;
        uint64_t ns;
    } parts[3]; // most time first; RESULT_NONE: no more
};

/// N times, their mean and standard deviation, that of a sample; NAN: too few.
struct result_moments {
    uint64_t n;
    double mean_ns, deviation_ns;
};

/// A rank that serves messages of others (result/views/servers.h).
struct result_server {
    uint32_t rank, n_clients;       // ranks that send to it and have few other partners
    uint64_t n_requests;            // messages to it
    struct result_moments arrival;  // from one being sent to the next
    struct result_moments service;  // until it attends to the next one
    struct result_moments response; // from sending to receiving the next message from the server
    double busy;                    // share of the time from the first request to the last
    double think_ns;   // mean, of a client between an answer and its next request; NAN: no answers
    double saturating; // so many such clients would keep it busy all the time; NAN likewise
};

/// A part of a run: RESULT_NONE is all of them. Not both a region and a path, nor a rank and a
/// node; an iteration alone.
struct result_part {
    uint32_t region, path, rank, node;
    uint32_t iteration; // in result.iterations.items
};
#define RESULT_PART_ALL                                                                            \
    {                                                                                              \
        RESULT_NONE, RESULT_NONE, RESULT_NONE, RESULT_NONE, RESULT_NONE                            \
    }

/// A value of a metric in one part of the run.
struct result_metric_value {
    struct result_part in;
    double value; // not 0
};

/// A metric that a file of properties defines (pagoda-patterns(5)).
struct result_metric {
    char *name, *unit, *summary; // "" without a comment
    char *focus;                 // what it is asked of (property_focus_names)
    char *needs; // what the trace does not have, so that there are no values; NULL: nothing
    // Of the whole run if there is such a value, then of each part that has one; of each of these
    // first that of all ranks, then those of the ranks.
    struct result_metric_value *values;
    size_t n_values;
};

/// A property that is critical in a part of the run. Its name is that of the property that was
/// searched for, which must outlive it.
struct result_property {
    const char *name;
    uint32_t node; // of the hierarchy
    struct result_part in;
    double severity, confidence;            // 0..1
    double severity_before;                 // in the last trial; NAN: it was not critical
    uint64_t n_evaluations, n_without_past; // that found it, and would have without earlier trials
};

/// A property that was critical in an earlier trial.
struct result_past_property {
    char *name;
    char *where;           // its resource, "/Code/main.c/solve", "" the program
    struct result_part in; // if this run has that part
    bool is_here, is_last; // in this run; of the last trial
    double severity;       // in the last trial; NAN: could not be evaluated there
};

enum result_property_state {
    RESULT_PROPERTY_NEW,
    RESULT_PROPERTY_GONE,
    RESULT_PROPERTY_CHANGED,
};

/// What is different from the last trial.
struct result_property_change {
    enum result_property_state state;
    const char *name;
    struct result_part in;
    const char *where;  // NULL: `in`; else a resource that this run does not have
    double before, now; // severities; NAN: not known
    double size;        // of the difference
};

/// What a search for properties found (result/properties/property_search.h).
struct result_search {
    const char *hierarchy;
    bool prunes;
    struct result_property *found; // critical ones, by severity
    size_t n_found;
    struct result_property_gap { // cannot be evaluated
        const char *name;
        char *needs; // what the trace does not have: "num_reads, bytes_read"
    } * gaps;        // in the order of the hierarchy
    size_t n_gaps;
    uint64_t n_evaluated, n_saved; // properties of one part of the run
    // The same search in earlier trials of the application.
    uint64_t n_trials, last_ranks;
    char *last; // the name of the last one, NULL: there is none
    struct result_past_property *past;
    size_t n_past;
    struct result_property_change *changes; // since the last trial, greatest first
    size_t n_changes;
};

/// A file as a paradigm of I/O has it, and what was done to it there.
struct result_file {
    char *name, *paradigm; // "" when unknown
    struct file_sums sums;
};

/// The same at one path on one rank; IS_INNER: within other operations.
struct result_file_use {
    uint32_t file, path, rank;
    bool is_inner;
    struct file_sums sums;
};

/// A place in the source that MPI calls are made from: the calls of one call path at one line.
struct result_site {
    uint32_t path;                 // of the calls
    char *function;                // around the call, "" when unknown
    char *function_shown;          // its name in texts
    char *file;                    // as recorded, "" when unknown
    uint32_t line;                 // of the call, 0 when unknown
    char *source;                  // "file.c:56", without the folders; "" when unknown
    uint64_t visits, inclusive_ns; // of the calls, sums over ranks
    // Computing right before the calls, since the location's last recorded event: a part of the
    // exclusive time of the path it is in.
    uint32_t before_path; // RESULT_NONE without
    uint64_t before_ns;
    uint32_t before_max_rank; // the rank with most of it (lowest of equals), RESULT_NONE
    uint64_t before_max_ns;
    uint64_t before_longest_ns; // between two events
    uint32_t before_since;      // the site whose call was before that, RESULT_NONE
    // Of all computing right before the calls, what began with calls of before_since.
    uint64_t since_ns;
    uint32_t since_max_rank; // as before_max_rank; RESULT_NONE: not known
    uint64_t since_max_ns;
    uint64_t blocked_before_ns; // blocked right before the calls; not in before_ns
};

struct result_amount {
    uint32_t key; // rank, path, or site
    uint64_t count;
    uint64_t ns;
};

/// Waits in messages with a tag on a communicator, RESULT_NONE: with others than those of
/// result.tags, or in collective operations on one; only those that occurred.
struct result_object_amount {
    uint32_t communicator, tag;
    bool is_collective; // then without a tag
    uint64_t count, ns;
};

/// Waits of one pattern at one call path on one rank; only pairs that occurred.
struct result_instance_sum {
    uint32_t path, rank;
    uint64_t count;
    uint64_t ns;
};

/// A part of the critical path, or of what made ranks wait; RESULT_NONE: summed over all regions,
/// or ranks. By site the rank is the one with more than half of it, else RESULT_NONE.
struct result_path_share {
    uint32_t region, rank;
    int64_t time_ns;
    double share; // of the run time, or of the waits of the pattern
    // By site, and by path and rank, only: of the calls, or of those the computing in the region
    // ended with.
    uint32_t site;
    uint32_t path; // by path and rank only
};

/// Where waits come from: what the releasers' time went to that made them late, less what the
/// waiters did meanwhile. Of the waits within the window, as the efficiencies; if all of a
/// pattern's waits lie outside, of these. The parts by region, those by region and rank, and those
/// of these by call path and site, are positive and sum to explained_ns exactly. A rank has no more
/// of them than the other ranks wait. Explained and unexplained time sum to these waits; all zero:
/// no pattern whose waits are explained, or no wait.
struct result_origins {
    uint64_t explained_ns, unexplained_ns;
    // Of the explained time: while the awaited rank did its own work, and before, while it waited
    // itself, so that the origin is at least two ranks away (short-term and long-term delay costs).
    uint64_t direct_ns, indirect_ns;
    int64_t offset_ns; // the waiters' own work in other regions, which was taken off the parts
    struct result_path_share *by_region; // time descending
    size_t n_by_region;
    struct result_path_share *by_region_rank;
    size_t n_by_region_rank;
    struct result_path_share *by_path_rank; // and by site; path and site may be RESULT_NONE
    size_t n_by_path_rank;
    struct result_path_share *by_site; // what has a site; time descending
    size_t n_by_site;
};

struct result_pattern {
    // From the pattern's file. Parent "" for none; it may be a class that is no pattern itself and
    // not listed here.
    char *id, *parent, *name, *summary, *unit;
    char *diagnosis;
    uint64_t count;
    uint64_t total_ns;             // whole run
    uint64_t window_ns;            // part within the window
    double severity;               // by its own formula, total_ns / (n_ranks * time_ns); 0..1
    double confidence;             // 0..1, mean over the instances weighted by their wait
    uint64_t held_bytes;           // of waits for receivers: nine tenths are for messages of up to
                                   // this size; else 0
    bool is_evaluated;             // false: the trace holds no record it could be seen in
    struct result_amount *by_rank; // sorted by rank; ranks with waits only
    size_t n_by_rank;
    struct result_amount *by_path; // sorted by ns descending, then path
    size_t n_by_path;
    struct result_amount *by_site; // sorted by ns descending, then site; calls of known place only
    size_t n_by_site;
    struct result_amount *by_cause; // sorted by ns descending, then rank: whom it waited for
    size_t n_by_cause;
    struct result_object_amount *by_object; // sorted by ns descending, communicator, tag
    size_t n_by_object;
    struct result_instance_sum *sums; // sorted by (path, rank)
    size_t n_sums;
    bool is_top;    // its waits count towards the waiting of a rank: in no other pattern's total
    uint32_t depth; // in the hierarchy of the patterns listed here: 1 below an is_top one, ...
    struct {
        uint32_t rank, path;
        uint32_t cause_rank; // whom it waited for, RESULT_NONE when unknown
        uint64_t time_ns;    // when the wait began
        uint64_t wait_ns;    // 0: the pattern has no instance
        uint32_t site;       // RESULT_NONE when unknown
    } worst;
    struct result_origins origins;
};

struct result_hint {
    char *pattern;
    char *text;
    char *source; // "file.c:56" where most of the waiting is, without folders; "" when unknown
    char *file;   // of `source`, as recorded
};

/// Until where less work in a region pays (advise/bends.c).
struct result_bend {
    uint64_t path_ns; // what of that work is on the critical path of the run with nothing changed
    double share;     // of that work; 0: it pays all the way, or, if `then` is known, nothing
    int64_t gain_ns;  // what so much less saves: beyond it the rate of gain is less than half
    char *then;       // what is critical then, "exchange on rank 1"; NULL or "": not known
};

/// How much less of the computing of a place on one rank shortens the run, before another path is
/// critical (advise/slack.c).
struct result_slack {
    char *what; // "solve on rank 3", as --scale takes it
    uint32_t region, rank;
    uint32_t site; // the calls after it, of a program outside its regions; else RESULT_NONE
    struct result_bend until; // share 1: all of it pays; 0: nothing, another path is as long
};

/// A change that may help against a finding, as an option of `pagoda replay`.
struct result_remedy {
    char *option, *value; // without dashes; value NULL for a flag
    char *sentence;       // what it means in the program, without a full stop
    char *setting;        // of the MPI library or its launcher, which it is; NULL: it is of code
    char *limits;         // of the setting, sentences; NULL or "" without
    bool is_fallback;     // of use only where the others of the finding save nothing
    bool is_limit;        // it may not be possible
    bool is_proof;  // the finding is of this kind only if this, or another proof, saves something
    uint32_t apart; // which of the causes it changes that the finding joins; 0: the first, or all
    bool is_predicted;
    char *failure;           // why it could not be; NULL: it was, or was not tried
    uint64_t predicted_ns;   // the run with it
    int64_t gain_ns;         // less than the run predicted without it; negative: a loss
    struct result_bend bend; // of --scale
};

/// Calls or computing: RESULT_NONE where not known.
struct result_place {
    uint32_t region, path;
    uint32_t site; // of the calls, or of those after the computing
};

/// A loss with one cause. Findings do not overlap: each part of the ranks' time is in one at most.
struct result_finding {
    char *kind, *name;               // of its file in patterns/findings
    char *text, *hint;               // sentences: what it is; what to do, "" without
    char *place;                     // where the cause is, "" without
    uint64_t loss_ns, remediable_ns; // time of all ranks in the judged part; with the same cause
    double share;                    // of their time
    uint32_t region, site, path;     // of the cause: RESULT_NONE where that is not one of these
    uint32_t wait_pattern;           // with most of the waits in it, RESULT_NONE
    uint32_t *ranks; // that cause most of it, ascending; of some kinds those that wait
    size_t n_ranks;
    uint32_t *causing, *waiting; // that cause most of it, and wait most for that, ascending
    size_t n_causing, n_waiting;
    struct result_place cause_at, wait_at; // where these are
    double confidence;              // 0..1: how sure its waits are, weighted by what they take
    struct result_remedy *remedies; // best first once they are predicted
    size_t n_remedies;
    char *tried;        // options of all its remedies, where none of them saves anything; else NULL
    bool has_no_remedy; // no prediction tells what it may save
    bool is_of_machine; // no change of the program takes it away
    bool is_of_threads; // what threads lose
    uint64_t potential_ns; // of the run where remedies are predicted, else loss: orders findings
    // What it is where its proof fails: the finding of the next kind; none if its kind needs none.
    struct result_finding *otherwise;
    size_t n_otherwise; // 0 or 1
};

struct result_rank {
    char *name;
    char *program; // the run's, or of a run of several programs its own; "": unknown
    uint32_t node;
    uint64_t first_ns, last_ns;
    // Within the window: computing, with CPU time as far as the trace tells; outside MPI without
    // CPU time; in MPI.
    uint64_t useful_ns, no_cpu_ns, mpi_ns;
    uint64_t blocked_ns;    // of no_cpu_ns: known to be blocked (asleep, or by a device)
    uint64_t wait_ns;       // of its MPI time: waits of the patterns with is_top
    uint64_t no_cpu_mpi_ns; // of the rest: without CPU time
    uint64_t ended_ns;      // in the window, but after its end
    uint64_t mpi_class_ns[RESULT_MPI_CLASSES]; // whole run, all threads: in MPI calls of each class
    bool shares_cores;                         // with other ranks, more of them than cores
    double n_cores;                            // its part of those it may use; 0: unknown
    bool is_skipped;            // its events could not be read; not in any mean or share
    bool is_cut_short;          // our tracer says that it did not end by MPI_Finalize:
    uint64_t recorded_until_ns; // time of its last record then
};

struct result_traffic {
    uint32_t sender, receiver;
    uint64_t n_messages, size_bytes;
};

/// Messages by size: the first class has those without data, class k those of 2^(k-1) bytes on, to
/// the next class.
enum { RESULT_SIZE_CLASSES = 65 };
struct result_size_class {
    uint64_t n_messages, size_bytes;
};

/// A communicator of this name, or several. Of many those that come first in the archive have
/// their own; the others are one called RESULT_OTHER_COMMUNICATORS.
struct result_communicator {
    char *name;
    uint64_t n_collectives; // operations
};
#define RESULT_OTHER_COMMUNICATORS "(others)"

/// Messages of one tag; RESULT_NONE: of all tags that are not there for themselves.
enum { RESULT_SLACK_CLASSES = 7 };
struct result_tag {
    uint32_t communicator, tag;
    uint64_t n_messages, size_bytes;
    uint64_t by_slack[RESULT_SLACK_CLASSES]; // of those received, but not by tests: how many were
                                             // sent how long before they were asked for: not at
                                             // all, less than 1 us, 10 us, ..., 10 ms, longer
};

struct result_named {
    char *name;
    char *value;
};
/// Frees NAMED and its texts.
void result_named_free(struct result_named *named, size_t count);

struct result_node {
    char *name, *machine;
    uint32_t n_cores; // that its ranks may use together, 0 when unknown
    uint32_t n_ranks;
    uint32_t n_team_threads; // that its ranks have in teams, their first threads among them
};

/// One iteration, or neighbouring ones where there are many. Times are sums over the ranks.
struct result_iteration {
    uint64_t first, last;      // numbers from 1 on
    uint64_t begin_ns, end_ns; // the first rank's begin, the last one's end
    uint64_t time_ns;          // from each rank's begin to its end, and of that
    uint64_t useful_ns, no_cpu_ns, wait_ns, other_mpi_ns; // the rest was not recorded
    uint32_t slowest_rank; // that computes longest, time without CPU time included
    uint64_t slowest_ns;   // so long
};

/// Ranks that belong together (groups.h). Times are sums over them, within the window.
struct result_group {
    char *name; // in texts: "node 3", "ranks 0-3"
    uint32_t n_ranks;
    uint64_t useful_ns, no_cpu_ns, wait_ns, other_mpi_ns;
    int64_t critical_path_ns; // of the whole run
    uint64_t busiest_ns;      // what its busiest rank does not wait
    uint32_t n_spare; // ranks that it could do without: the others would do its work, divided
                      // evenly, in the time that the busiest rank of all is busy
};

/// A rank, node or iteration that others wait for (findings/stragglers.c). Of a rank or node: waits
/// within the window, by their origin; of an iteration: the waits in it, and what it has more than
/// the others in the mean.
struct result_straggler {
    struct result_part in;
    uint64_t late_ns; // what other ranks wait, all together
    double share;     // of all such waits
    // What makes it late: computing, time without CPU time, of that known to be blocked (apart, not
    // of iterations), MPI calls. Less than late_ns where it started late; of an iteration 0 where
    // they are too little to explain its waits.
    uint64_t work_ns, core_ns, blocked_ns, network_ns;
    uint64_t slowest_in; // of a rank: items of iterations in which it computes longest
};

enum result_odd_cause {
    RESULT_ODD_UNKNOWN,
    RESULT_ODD_COMPUTING, // longer,
    RESULT_ODD_NO_CPU,    // or without CPU time,
    RESULT_ODD_MPI,       // or longer in MPI calls without waiting
};

/// Iterations that take longer than the usual ones.
struct result_odd {
    uint64_t first, last;
    uint64_t every; // the distance from one such iteration to the next; 1: all from first to last
    bool is_trend;  // up to the last iteration of all: a shift, or a growth
    double factor;  // how many times as long as usual, in the mean,
    double last_factor; // and in the last quarter of a trend; else the same
    uint64_t lost_ns;   // run time beyond the usual
    enum result_odd_cause cause;
    uint32_t rank; // that it is of; RESULT_NONE: all alike, or not known
    uint32_t path; // where its computing grew most, RESULT_NONE when unknown
    uint32_t site; // the computing right before these calls; RESULT_NONE: not known by its calls
};

/// What one rank did on the way to the end of a wait, from its release to that of the step before.
struct result_step {
    uint32_t rank;
    uint64_t begin_ns, end_ns;
    uint64_t computing_ns; // the rest was spent in MPI
    uint32_t path, site;   // where it computed longest, and before which calls; RESULT_NONE
    uint64_t wait_ns; // the wait that ended at its begin, for the rank of the next step; 0: none
    uint32_t wait_path, wait_site;
};

enum result_moment_state {
    RESULT_MOMENT_NONE,   // no moment was asked for
    RESULT_MOMENT_BEFORE, // the rank has not begun,
    RESULT_MOMENT_AFTER,  // or has ended
    RESULT_MOMENT_COMPUTES,
    RESULT_MOMENT_WAITS, // in a call,
    RESULT_MOMENT_CALLS, // or does not wait in it (any more)
};

/// Share values are NAN when they cannot be computed from what was read.
struct result_efficiency {
    double parallel, load_balance, communication, serialization, transfer;
    double cpu; // of the time outside MPI, with CPU time
};

struct result {
    char *trace_path;
    char *program;   // or the script an interpreter ran, without its folder; "" when not known
    char *arguments; // it was called with, "" when there are none or unknown
    char *programs;  // "ocean (ranks 0-1), atmosphere (ranks 2-5)"; NULL: there is one
    char *creator;
    uint64_t n_locations, n_events, n_messages, n_collectives;
    uint64_t n_clock_violations, max_clock_violation_ns; // by the recorded clocks
    uint64_t clock_moved_ns; // these were corrected: records come later by at most that; 0: not
    uint64_t n_clock_violations_left;
    uint64_t time_ns;
    uint64_t window_begin_ns, window_end_ns;
    struct {
        char *what;    // the interval or phase that all below is about, as it was asked for: 1s:2s,
                       // solve#3; NULL: the whole run
        bool is_phase; // each rank has its own begin and end
        uint64_t begin_ns, end_ns; // in the run: earliest begin and latest end; time_ns apart
    } interval;
    uint64_t realtime_ns;        // wall-clock start of the run (Unix time), 0 when unknown
    bool has_unreadable_records; // some warning is of damage: the exit status is 3
    struct result_efficiency efficiency;
    bool has_ideal;    // the run was replayed on an ideal network, too,
    uint64_t ideal_ns; // where the window takes so long
    // Where the time of the ranks within the window went, summed over the ranks that were read:
    // useful, waits of the patterns with is_top, the rest of the time inside MPI calls, time after
    // the end of ranks that had left MPI_Finalize, and other time of ranks whose events begin late
    // or end early.
    uint64_t useful_ns, wait_ns, other_mpi_ns, ended_ns, unrecorded_ns;
    bool has_cpu_time;   // CPU samples tell computing from
    uint64_t no_cpu_ns;  // time outside MPI, and in MPI but not waiting, without CPU time
    uint64_t blocked_ns; // of that, known to be blocked
    // CPU time that other programs took from the ranks at least, and its share of what the ranks
    // would have had; 0 where it is too little to tell.
    uint64_t taken_ns;
    double taken_share;
    uint64_t total_ns;               // ranks that were read x length of the window
    struct result_named *properties; // archive properties: command line, MPI, host, ...
    size_t n_properties;
    struct result_node *nodes;
    size_t n_nodes;
    struct result_rank *ranks;
    size_t n_ranks;
    struct result_threads threads;
    struct result_warning *warnings; // sorted by code
    size_t n_warnings;
    struct result_region *regions;
    size_t n_regions;
    uint64_t recording_of_visit_ns; // in the mean, by the tracer's estimate; 0: not known
    struct result_path *paths;
    size_t n_paths;
    struct result_path_rank *path_ranks; // sorted by (path, rank)
    size_t n_path_ranks;
    struct result_counter *counters; // of the whole run only, not of predictions
    size_t n_counters;
    bool is_of_tasks; // regions are tasks of a runtime, and threads are idle or in it otherwise
    struct result_server *servers; // the busiest first; of measured whole runs only
    size_t n_servers;
    struct result_stream *streams; // of GPUs, most time first
    size_t n_streams;
    struct result_sensor *sensors; // of the whole run only
    size_t n_sensors;
    struct result_metric *metrics; // those of the user's, and what shipped ones have values
    size_t n_metrics;
    const struct result_search *search; // NULL: no properties were searched for
    struct result_file *files;          // of the whole run only; most time first
    size_t n_files;
    struct result_file_use *file_uses; // sorted by (file, path, rank, is_inner)
    size_t n_file_uses;
    struct result_site *sites; // sorted by (path, file, line)
    size_t n_sites;
    struct result_pattern *patterns; // catalogue order
    size_t n_patterns;
    struct result_hint *hints; // heaviest first
    size_t n_hints;
    struct {
        int64_t length_ns;
        struct result_path_share *by_region; // time descending, rank RESULT_NONE
        size_t n_by_region;
        struct result_path_share *by_rank; // time descending, region RESULT_NONE
        size_t n_by_rank;
        struct result_path_share *by_region_rank; // time descending
        size_t n_by_region_rank;
        struct result_path_share *by_site; // what has a site; time descending
        size_t n_by_site;
        struct result_slack *slacks; // most of the path first; none where nothing is predicted
        size_t n_slacks;
    } critical_path;
    struct result_traffic *traffic; // sorted by (sender, receiver)
    size_t n_traffic;
    struct result_size_class message_sizes[RESULT_SIZE_CLASSES];
    struct result_communicator *communicators; // those in which something happened
    size_t n_communicators;
    struct result_tag *tags; // sorted by (communicator, tag)
    size_t n_tags;
    // The outermost loop that takes most of the judged time, found by calls that all or nearly all
    // ranks repeat equally often. The first iteration may hold what was before the loop.
    struct {
        uint64_t n;          // 0: no loop was found
        uint64_t usual_ns;   // the time of a usual one
        uint32_t path, site; // the last call of each on most ranks; site RESULT_NONE when unknown
        uint32_t region;     // the recorded function that each is one visit of, or RESULT_NONE
        uint32_t n_ranks;    // that iterate
        struct result_iteration *items;
        size_t n_items;
        struct result_odd *odd; // lost_ns descending
        size_t n_odd;
        uint32_t slowest_rank; // in most of the items, n_slowest
        uint64_t n_slowest;
    } iterations;
    struct result_straggler *stragglers; // nodes, then ranks, most first, then an iteration
    size_t n_stragglers;
    struct { // none unless asked for
        struct result_group *items;
        size_t n;
        uint32_t limiting;       // whose busiest rank is that of all; RESULT_NONE: of one group
        uint64_t others_wait_ns; // ranks of the other groups
        uint32_t *of_rank;       // by rank
        uint32_t *of_region;     // by region: that with most exclusive time a rank, or
                                 // RESULT_NONE
        uint64_t *of_region_ns;  // so much, mean over its ranks
        struct result_traffic *traffic; // between groups, sorted by (sender, receiver)
        size_t n_traffic;
    } groups;
    // What a rank does at a moment that was asked for, and why.
    struct {
        enum result_moment_state state;
        uint32_t rank;
        uint64_t time_ns;
        uint64_t begin_ns, end_ns; // of the computing, or of the call
        uint32_t path, site;       // of the call; of computing as in struct result_step
        uint64_t wait_ns;          // of the call, 0: none
        uint32_t releaser;         // whom it waited for, RESULT_NONE when unknown
        // From the releaser back to what both have in common: the moment of a rank that determined
        // when either came to where it was. The steps take wait_ns + own_ns.
        struct result_step *steps;
        size_t n_steps;
        bool has_common, is_cut; // is_cut: the calls that are kept do not go back so far
        uint32_t common_rank;
        uint64_t common_ns, own_ns; // from there the waiting rank took own_ns to its enter
        // What made the releaser late most: less what the waiting rank's way did of the same.
        uint32_t origin_rank, origin_path, origin_site;
        uint64_t origin_ns;
    } moment;
    struct result_finding *findings; // by what they may save, else loss descending; at most 5
    size_t n_findings;
    uint64_t found_rest_ns; // in no finding, of what ranks lose, their threads' losses included
    uint64_t replayed_ns;   // the run predicted with nothing changed, 0: not predicted
    uint64_t untraced_ns;   // the same without what recording cost; 0: gains are with that
    char *unpredicted; // why the findings' remedies are not predicted, a sentence; NULL: they are
    char *headline;    // the first finding in a few words
    char *remark;      // sentences besides the findings, "" without
    char *certainty;   // how sure it is, sentences, "" without
    char *conclusion;  // all of it as one paragraph
};

/// The run time that gains are relative to, untraced_ns or replayed_ns.
uint64_t result_gains_of_ns(const struct result *result);

/// The text of RESULT's warning CODE, NULL without.
const char *result_warning_text(const struct result *result, const char *code);

/// The number of the pattern ID in RESULT, RESULT_NONE: it is not there.
uint32_t result_find_pattern(const struct result *result, const char *id);

/// Whether waits of PATTERN are for messages or for their receivers.
bool result_waits_for_messages(const struct result_pattern *pattern);

/// Whether REGION is a call that completes nonblocking ones: MPI_Wait and the like.
bool result_completes_requests(const struct result_region *region);

/// Whether a call of REGION is around PATH.
bool result_path_is_within(const struct result *result, uint32_t path, uint32_t region);

/// The value of METRIC for the whole run, NAN without one.
double result_metric_whole(const struct result_metric *metric);

/// Frees everything in RESULT (a zeroed result is fine) but not RESULT itself.
void result_release(struct result *result);

struct owned;
/// What it owns (base/owned.h).
void result_owned(struct owned *walk, struct result *result);
void result_metrics_owned(struct owned *walk, struct result *result);
void result_finding_owned(struct owned *walk, struct result_finding *finding);
