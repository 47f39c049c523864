// SPDX-License-Identifier: BSD-3-Clause
// The brute-force prediction: what a recorded run would take on other nodes, cores, processors or
// networks. Event by event over the whole trace in memory, written from the definition of the
// what-if replay and without a look at the analyzer's.
//
// Runs of one thread per rank, with as many cores as ranks, and without damage only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/reference/model.h"
#include "tests/reference/program.h"

enum {
    SCENARIO_MAX_POINTS = 4,
    SCENARIO_MAX_FORMULAS = 6,
    SCENARIO_MAX_REGIONS = 3,
    SCENARIO_MAX_SCOPES = 2,
    SCENARIO_MAX_GROUPS = 3,
    SCENARIO_MAX_WORKS = 2,
    SCENARIO_MAX_CHANGES = 3,
    SCENARIO_MAX_COMPUTES = 4
};

/// Messages of one scope on the machine.
struct scenario_messages {
    bool is_given, has_eager;
    uint64_t eager_bytes, send_overhead_ns, receive_overhead_ns;
    uint32_t n_points;
    uint64_t bytes[SCENARIO_MAX_POINTS], time_ns[SCENARIO_MAX_POINTS];
    uint32_t n_buses; // 0: any number
};

/// A scope with a name of its own: nodes of one group, or of two.
struct scenario_scope {
    struct scenario_messages messages;
    bool is_within;
    uint32_t n_groups;
    uint32_t groups[SCENARIO_MAX_GROUPS];                                   // nodes, a bit each
    uint32_t out_links[SCENARIO_MAX_GROUPS], in_links[SCENARIO_MAX_GROUPS]; // of groups of several
};

/// What is particular about one node; 0: nothing.
struct scenario_node {
    uint32_t n_cores, out_links, in_links;
    uint64_t speed;
};

/// The time in a region, and in all it calls, times factor.
struct scenario_region {
    const char *name;
    uint64_t factor; // millionths
    uint32_t ranks;  // bits; 0: all
};

/// A region takes ALONE times its work where each rank has a core of its own, CROWDED times with
/// SCENARIO_CROWD ranks on a core or more, and in between in proportion; millionths.
struct scenario_slowdown {
    const char *region;
    uint64_t alone, crowded;
};
#define SCENARIO_CROWD 2500000

/// A collective takes base + per_member * p + per_byte * b ns, or is carried out by messages.
struct scenario_formula {
    const char *operation;
    const char *algorithm; // NULL: none
    uint64_t base_ns, per_member_ns, per_byte_ns;
};

/// What a visit of a region costs where only the order of events counts: base, and more for each
/// unit of work, element of its process, rank of the run, rank before its own, visit up to it.
struct scenario_compute {
    const char *region;
    uint64_t base_ps, per_work_ps, per_element_ps, per_member_ps, per_rank_ps, per_visit_ps;
};

struct scenario_machine {
    struct scenario_messages core, node, network;
    uint32_t n_scopes;
    struct scenario_scope scopes[SCENARIO_MAX_SCOPES];
    uint32_t out_links, in_links; // of every node, 0: any number
    struct scenario_node nodes[PROGRAM_MAX_RANKS];
    uint32_t n_regions;
    struct scenario_region regions[SCENARIO_MAX_REGIONS]; // factor: how much faster
    uint32_t n_formulas;
    struct scenario_formula formulas[SCENARIO_MAX_FORMULAS];
    uint32_t n_computes;
    struct scenario_compute computes[SCENARIO_MAX_COMPUTES];
};

/// Visits of a region have a fixed duration, or all ranks the same work.
struct scenario_work {
    const char *region;
    bool is_balanced;
    uint64_t duration_ns;
    uint32_t ranks; // that take part, bits
};

/// Messages with all of these are sent with FACTOR times their bytes; 0: not at all.
struct scenario_cut {
    uint64_t least_bytes, most_bytes;
    uint32_t first_tag, last_tag;
    uint32_t senders, receivers, peers; // bits; peers: either of them
    uint64_t factor;                    // millionths
};

/// The work of the ranks FROM for the ranks TO, bits.
struct scenario_move {
    const char *region;
    uint32_t from, to;
};

/// What the code does otherwise.
struct scenario_changes {
    uint32_t n_works, n_drops, n_cuts, n_moves, n_overlaps, n_slowdowns;
    struct scenario_slowdown slowdowns[SCENARIO_MAX_CHANGES];
    struct scenario_work works[SCENARIO_MAX_WORKS];
    const char *drops[SCENARIO_MAX_CHANGES];
    struct scenario_cut cuts[SCENARIO_MAX_CHANGES];
    struct scenario_move moves[SCENARIO_MAX_CHANGES];
    const char *overlaps[SCENARIO_MAX_CHANGES];
    uint64_t move_data_bytes;
    uint64_t aggregate_bytes;
};

struct predicted_scenario {
    uint32_t recorded_node[PROGRAM_MAX_RANKS];
    uint32_t node[PROGRAM_MAX_RANKS]; // below PROGRAM_MAX_RANKS
    uint32_t n_cores;                 // of each node; 0: every rank has a core of its own
    bool begins_elsewhere; // each rank on a node of its own, which it leaves where it enters main
    uint64_t state_bytes;  // that go with it then
    bool is_sticky, spins;
    bool is_mpich;      // the MPI of the recording
    bool holds_senders; // with slices: messages of more than BUFFERED_BYTES, on one node or those
                        // whose sender waits for its receive, wait for a core of their receiver
    uint64_t buffered_bytes;
    uint64_t slice_ns;                      // for which ranks keep cores they share, 0: no time
    uint64_t speed;                         // of all nodes, millionths
    uint64_t node_speed[PROGRAM_MAX_RANKS]; // of one, 0: as all
    uint32_t n_regions;
    struct scenario_region regions[SCENARIO_MAX_REGIONS];
    uint64_t added_latency_ns, added_byte_fs; // of messages between nodes, of all if there is one
    struct scenario_changes changes;
    bool has_machine;
    struct scenario_machine machine;
    bool is_timeless; // with a machine: no time of the recording counts, only the order of events
    bool is_ideal; // with a machine whose messages take no time: nothing takes time in MPI from the
                   // begin of the window on, see predicted_ideal()
};

/// Does the machine of N_RANKS ranks have a limited number of links or buses? It has no nodes but
/// those of the ranks, whatever else the file names.
bool scenario_has_contention(const struct predicted_scenario *scenario, uint32_t n_ranks);

/// When each rank of MODEL's run ends under SCENARIO, into FINISH_NS by rank. False when the ranks
/// wait for each other for ever.
bool predicted_run(const struct model *model, const struct predicted_scenario *scenario,
                   uint64_t *finish_ns);

/// The run of MODEL on an ideal network, from the begin of the recorded window on: a call takes no
/// time but what it waits for, each rank has a core of its own and its wall times. *WINDOW_NS:
/// until all ranks have come to where they were when the window ended. Else as predicted_run().
bool predicted_ideal(const struct model *model, uint64_t *finish_ns, uint64_t *window_ns);

/// Does some send wait for a rank that posts receives whose messages only their completion tells
/// (wildcards), in a way the engine does not look ahead for? Then it lasts as long as it did.
bool predicted_run_is_open(const struct model *model, const struct predicted_scenario *scenario);
