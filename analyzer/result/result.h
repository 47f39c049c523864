// SPDX-License-Identifier: BSD-3-Clause
// Everything one replay found, as plain data: facts, global call paths, values by rank, pattern
// instances, critical path. Reports, JSON, HTML and the database consume it and compute nothing.
#ifndef PAGODA_RESULT_RESULT_H
#define PAGODA_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESULT_NONE UINT32_MAX

struct result_warning {
    char *code; // kebab-case, stable: unmatched-send, clock-violation, location-skipped, ...
    uint64_t count;
    char *text;        // one sentence: what, where, what it means for the report
    bool is_of_damage; // records or locations of the trace could not be read
};

/// A region that occurs in the call tree; definitions of the same name count as one. Time outside
/// any recorded region belongs to regions of the names below.
struct result_region {
    char *name;
    char *shown; // the name in texts, short but of this region only (base/function_names.h)
    char *file;  // "" when unknown
    uint32_t line;
    bool is_mpi;
    // Sums over ranks; inclusive counts recursive calls once.
    uint64_t visits, inclusive_ns, exclusive_ns;
    uint32_t max_rank; // the rank with most exclusive time (lowest of equals), RESULT_NONE
    uint64_t max_ns;   // its exclusive time
};

#define RESULT_REGION_PROGRAM "(program)"          // a process outside its recorded regions
#define RESULT_REGION_THREAD  "(thread)"           // a further thread outside its recorded regions
#define RESULT_REGION_OFF     "(recording off)"    // a stretch in which nothing was recorded
#define RESULT_REGION_NO_CPU  "(without CPU time)" // the process was descheduled or blocked
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
};

/// Values of one path on one rank (all its locations together); only pairs that occurred.
struct result_path_rank {
    uint32_t path, rank;
    uint64_t visits, inclusive_ns, exclusive_ns;
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
    uint32_t before_since; // the site whose call was before the longest of it, RESULT_NONE
};

struct result_amount {
    uint32_t key; // rank, path, or site
    uint64_t count;
    uint64_t ns;
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
    double share;  // of the run time, or of the waits of the pattern
    uint32_t site; // by site only: of the calls, or of those the computing in the region ended with
};

/// Where waits come from: what the releasers' time went to that made them late, less what the
/// waiters did meanwhile. The parts by region, and those by region and rank, are positive and sum
/// to explained_ns exactly. Explained and unexplained time sum to the pattern's; all zero: no
/// pattern whose waits are explained, or no wait.
struct result_origins {
    uint64_t explained_ns, unexplained_ns;
    int64_t offset_ns; // the waiters' own work in other regions, which was taken off the parts
    struct result_path_share *by_region; // time descending
    size_t n_by_region;
    struct result_path_share *by_region_rank;
    size_t n_by_region_rank;
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
    bool is_evaluated;             // false: the trace holds no record it could be seen in
    struct result_amount *by_rank; // sorted by rank; ranks with waits only
    size_t n_by_rank;
    struct result_amount *by_path; // sorted by ns descending, then path
    size_t n_by_path;
    struct result_amount *by_site; // sorted by ns descending, then site; calls of known place only
    size_t n_by_site;
    struct result_amount *by_cause; // sorted by ns descending, then rank: whom it waited for
    size_t n_by_cause;
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

struct result_rank {
    char *name;
    uint32_t node;
    uint64_t first_ns, last_ns;
    // Within the window: computing, with CPU time as far as the trace tells; outside MPI without
    // CPU time; in MPI.
    uint64_t useful_ns, no_cpu_ns, mpi_ns;
    uint64_t wait_ns;           // of its MPI time: waits of the patterns with is_top
    uint64_t no_cpu_mpi_ns;     // of the rest: without CPU time
    bool shares_cores;          // with other ranks, more of them than cores
    bool is_skipped;            // its events could not be read; not in any mean or share
    bool is_cut_short;          // our tracer says that it did not end by MPI_Finalize:
    uint64_t recorded_until_ns; // time of its last record then
};

struct result_traffic {
    uint32_t sender, receiver;
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
struct result_tag {
    uint32_t communicator, tag;
    uint64_t n_messages, size_bytes;
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
};

/// Share values are NAN when they cannot be computed from what was read.
struct result_efficiency {
    double parallel, load_balance, communication, serialization, transfer;
    double cpu; // of the time outside MPI, with CPU time
};

struct result {
    char *trace_path;
    char *program; // or the script an interpreter ran, without its folder; "" when the archive does
                   // not say
    char *arguments; // it was called with, "" when there are none or unknown
    char *creator;
    uint64_t n_locations, n_events, n_messages, n_collectives, n_clock_violations;
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
    // useful, waits of the patterns with is_top, the rest of the time inside MPI calls, and time of
    // ranks whose events begin late or end early.
    uint64_t useful_ns, wait_ns, other_mpi_ns, unrecorded_ns;
    bool has_cpu_time;  // CPU samples tell computing from
    uint64_t no_cpu_ns; // time outside MPI, and in MPI but not waiting, without CPU time
    uint64_t total_ns;  // ranks that were read x length of the window
    struct result_named *properties; // archive properties: command line, MPI, host, ...
    size_t n_properties;
    struct result_node *nodes;
    size_t n_nodes;
    struct result_rank *ranks;
    size_t n_ranks;
    struct result_warning *warnings; // sorted by code
    size_t n_warnings;
    struct result_region *regions;
    size_t n_regions;
    struct result_path *paths;
    size_t n_paths;
    struct result_path_rank *path_ranks; // sorted by (path, rank)
    size_t n_path_ranks;
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
    } critical_path;
    struct result_traffic *traffic; // sorted by (sender, receiver)
    size_t n_traffic;
    struct result_communicator *communicators; // those in which something happened
    size_t n_communicators;
    struct result_tag *tags; // sorted by (communicator, tag)
    size_t n_tags;
    char *headline; // the biggest loss in a few words
    struct {        // sentences, "" for none
        char *loss, *cause, *change, *certainty;
    } answer;
    char *conclusion; // the same as one paragraph, with how the ranks spent their time
};

/// Frees everything in RESULT (a zeroed result is fine) but not RESULT itself.
void result_release(struct result *result);

struct owned;
/// What it owns (base/owned.h).
void result_owned(struct owned *walk, struct result *result);

#endif
