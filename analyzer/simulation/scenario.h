// SPDX-License-Identifier: BSD-3-Clause
// What is different in a predicted run: where ranks run, how cores are shared, how fast they are,
// how much work regions are.
#ifndef PAGODA_SIMULATION_SCENARIO_H
#define PAGODA_SIMULATION_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/change/drop_sync.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cores/scheduler.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/cost/scopes.h"
#include "analyzer/trace/definitions.h"

struct visits;

/// The processors of one node.
struct node_speed {
    const char *node;
    uint64_t speed; // millionths
};

/// What a user asks for; SCENARIO_UNCHANGED: nothing. Each value is held here only: the reader of
/// an option fills it, and the simulation reads it by way of the scenario.
struct scenario_settings {
    const char *const *places; // NODE=RANKS
    size_t n_places;
    uint32_t n_nodes; // 0: as recorded, or as placed
    bool is_cyclic;   // with n_nodes
    uint32_t n_cores; // per node; 0: as recorded, 1 with a placement
    uint64_t speed;   // of all nodes, millionths, 0: unchanged
    const struct node_speed *node_speeds;
    size_t n_node_speeds;
    const struct machine *machine; // its cores and speed count unless given here; NULL: none; it
                                   // must outlive the scenario
    uint64_t hand_over_ns;         // of a core between ranks; PAG_NOT_KNOWN: the machine's, else 0
    uint64_t added_latency_ns;     // of each message between nodes, see add_latency.h
    uint64_t added_byte_fs;        // of each of its bytes
    bool is_timeless;              // no time of the recording counts, see timeless.h
    uint64_t slice_ns; // how long a rank keeps a shared core, 0: no time at all; PAG_NOT_KNOWN: the
                       // machine's, else 0
    bool spins;        // a waiting process keeps its share of the cores
    bool is_sticky;    // ranks stay on one core of their node each
    const struct region_scale *scales;
    size_t n_scales;
    const char *const *moves; // REGION=FROM:TO
    size_t n_moves;
    uint64_t move_data_bytes;    // by which a message grows that takes work along
    const char *const *overlaps; // REGION
    size_t n_overlaps;
    uint64_t aggregate_bytes;        // up to this size messages are put together; 0: not
    const struct region_work *works; // --duration, --balance
    size_t n_works;
    const char *const *drops; // REGION of --drop-sync
    size_t n_drops;
    const char *const *cuts; // cut_messages.h
    size_t n_cuts;
};

#define SCENARIO_UNCHANGED_FIELDS                                                                  \
    {                                                                                              \
        .hand_over_ns = PAG_NOT_KNOWN, .slice_ns = PAG_NOT_KNOWN                                   \
    }
#define SCENARIO_UNCHANGED ((struct scenario_settings)SCENARIO_UNCHANGED_FIELDS)

#define SCENARIO_NO_PATTERN UINT32_MAX

/// The settings as they are for one run.
struct scenario {
    const struct scenario_settings *settings;
    struct placement placement;
    uint32_t *group_of_rank; // whose cores a rank shares
    struct core_group *groups;
    size_t n_groups;
    struct scopes scopes;             // which messages of the machine two ranks exchange
    uint32_t least_cores, most_cores; // of a node with ranks
    bool knows_cores;                 // false: every rank has a core of its own
    bool is_shared;                   // some node has more ranks than cores
    uint64_t slice_ns;                // of the settings, or of their machine
    bool is_bound;                    // ranks share those cores they were bound to
    bool *keeps_cores; // by rank: it has as many cores as in the recording, with the same ranks
    struct region_patterns *regions; // that settings name
    uint32_t *compute_patterns; // timeless: by <compute> of the machine, SCENARIO_NO_PATTERN where
                                // that goes by the names of regions
    struct region_scales scales;
    struct moves moves;
    struct overlaps overlaps;
    struct drops drops;
    struct region_works works;
    const struct visits *visits; // which the works were counted as (set_work.h); NULL: they were
                                 // not. Set by who counts them
    struct message_cuts cuts;
};

/// How long ranks keep a core they share under SETTINGS; 0: no time at all.
uint64_t scenario_slice_ns(const struct scenario_settings *settings);

/// The scenario of SETTINGS, which must outlive it, for a run with DEFINITIONS. 0, or -1 and ERR:
/// which setting does not fit the run. The caller releases it in either case.
int scenario_init(struct scenario *scenario, const struct definitions *definitions,
                  const struct scenario_settings *settings, struct error *err);

/// The recorded nodes, every rank on a core of its own.
void scenario_alone(struct scenario *scenario, const struct definitions *definitions);
void scenario_release(struct scenario *scenario);

#endif
