// SPDX-License-Identifier: BSD-3-Clause
// What is different in a predicted run: where ranks run, how cores are shared, how fast they are,
// how much work regions are. Plain data; prediction.h prepares it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/simulation/change/slowdown.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cores/scheduler.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/cost/scopes.h"
#include "analyzer/simulation/network/mpi_habits.h"

struct message_cut;
struct region_patterns;
struct visits;

/// The processors of one node.
struct node_speed {
    const char *node;
    uint64_t speed; // millionths
};

/// The time that PATTERN names (struct scaled_text) times FACTOR.
struct region_scale {
    const char *pattern;
    uint64_t factor; // millionths
};

/// What --duration and --balance ask for.
struct region_work {
    const char *pattern;  // region_pattern.h
    bool is_balanced;     // else the duration counts
    uint64_t duration_ns; // of every visit
    const char *ranks;    // that take part, such as 0-3,8; NULL: all that visit it
};

/// What a user asks for; SCENARIO_UNCHANGED: nothing. Each value is held here only: the reader of
/// an option fills it, and the simulation reads it by way of the scenario.
struct scenario_settings {
    const char *const *places; // [PHASE:]NODE=RANKS
    size_t n_places;
    uint64_t state_bytes; // that go with a rank where it changes its node
    uint32_t n_nodes;     // 0: as recorded, or as placed
    bool is_cyclic;       // with n_nodes
    uint32_t n_cores;     // per node; 0: as recorded, 1 with a placement
    uint64_t speed;       // of all nodes, millionths, 0: unchanged
    const struct node_speed *node_speeds;
    size_t n_node_speeds;
    const struct machine *machine; // its cores and speed count unless given here; NULL: none; it
                                   // must outlive the scenario
    uint64_t hand_over_ns;         // of a core between ranks; PAG_NOT_KNOWN: the machine's, else 0
    uint64_t added_latency_ns;     // of each message between nodes, see add_latency.h
    uint64_t added_byte_fs;        // of each of its bytes
    bool is_timeless;              // no time of the recording counts, see timeless.h
    uint64_t draw;                 // of what is by chance on the machine (noise.h), 0: none
    bool is_untraced;              // without what recording the regions outside MPI took
    uint64_t slice_ns; // how long a rank keeps a shared core, 0: no time at all; PAG_NOT_KNOWN: the
                       // machine's, else 0
    uint64_t buffered_bytes; // larger messages wait for the core of their receiver, where ranks
                             // share cores in slices, and for it to be in MPI, where calls wait
                             // later; PAG_NOT_KNOWN: as the machine says, else as usual for the
                             // recorded MPI
    uint64_t eager_bytes;    // up to this size no sender waits for its receiver, except by
                             // MPI_Ssend; PAG_NOT_KNOWN: as recorded, or as the machine says
    bool spins;              // a waiting process keeps its share of the cores
    bool is_sticky;          // ranks stay on one core of their node each
    const struct region_scale *scales;
    size_t n_scales;
    const char *const *moves; // REGION=FROM:TO
    size_t n_moves;
    uint64_t move_data_bytes;    // by which a message grows that takes work along
    const char *const *overlaps; // REGION
    size_t n_overlaps;
    const char *const *progresses; // REGION of --overlap-progress
    size_t n_progresses;
    uint64_t aggregate_bytes;        // up to this size messages are put together; 0: not
    const struct region_work *works; // --duration, --balance
    size_t n_works;
    const char *const *drops; // REGION of --drop-sync
    size_t n_drops;
    const char *const *cuts; // cut_messages.h
    size_t n_cuts;
    const struct machine
        *speeds; // only its regions count; NULL: none. It must outlive the scenario
    const struct slowdown *slowdown; // work by ranks per core; NULL: the same with any number. It
                                     // must outlive the scenario
};

#define SCENARIO_UNCHANGED_FIELDS                                                                  \
    {                                                                                              \
        .hand_over_ns = PAG_NOT_KNOWN, .slice_ns = PAG_NOT_KNOWN, .buffered_bytes = PAG_NOT_KNOWN, \
        .eager_bytes = PAG_NOT_KNOWN,                                                              \
    }
#define SCENARIO_UNCHANGED ((struct scenario_settings)SCENARIO_UNCHANGED_FIELDS)

// The changes of a scenario, read. Patterns are numbers of scenario.regions.

enum { REGION_MAX_SCALES = 64 };

/// Which of the time inside a region a factor changes.
enum scaled_time {
    SCALED_WORK,    // outside MPI, computing and blocked
    SCALED_BLOCKED, // blocked outside MPI
    SCALED_FILES,   // of MPI calls for files
};

/// What a text of --scale names: "solve", "blocked in solve", "files in solve on ranks 0-3". Points
/// into the text.
struct scaled_text {
    enum scaled_time time;
    const char *region; // region_pattern.h
    size_t region_length;
    const char *ranks; // such as 0-3,8; NULL: all
};
struct scaled_text scaled_text_read(const char *text);

struct region_scales {
    uint64_t factors[REGION_MAX_SCALES]; // millionths
    uint32_t patterns[REGION_MAX_SCALES];
    enum scaled_time times[REGION_MAX_SCALES];
    bool *is_scaled[REGION_MAX_SCALES]; // by rank; NULL: all
    size_t n, n_of_speeds;              // the latter of settings.speeds
};

/// What the work a rank FROM does in a region for a rank TO becomes: work of that rank.
struct move {
    uint32_t region; // pattern
    bool *from, *to; // by rank
};

struct moves {
    struct move *moves;
    uint32_t n_moves;
};

/// Kinds of visits (set_work.h) are 1 + the index of an item.
struct region_works {
    struct region_works_item {
        uint32_t pattern;
        bool is_balanced;
        uint64_t duration_ns;
        bool *takes_part; // by location
        uint32_t n_named; // ranks that the user names; 0: all that visit it
    } * items;
    size_t n;
};

struct message_cuts {
    struct message_cut *items;
    size_t n;
};

#define SCENARIO_NO_PATTERN UINT32_MAX
#define SCENARIO_WHOLE      1000000

/// The settings as they are for one run.
struct scenario {
    const struct scenario_settings *settings;
    struct placement placement;
    uint32_t *phase_patterns; // by phase of the placement but 0: where it begins
    uint32_t *group_of_rank;  // by site: whose cores a rank shares
    struct core_group *groups;
    size_t n_groups;
    struct scopes scopes;             // which messages of the machine two ranks exchange
    uint32_t least_cores, most_cores; // of a node with ranks
    bool knows_cores;                 // false: every rank has a core of its own
    bool is_shared;                   // some node has more ranks than cores
    uint64_t slice_ns;                // of the settings, or of their machine
    enum mpi_library library;         // the recorded MPI
    uint64_t buffered_bytes; // of the settings, their machine or library; PAG_NOT_KNOWN: no message
                             // waits for a core
    uint64_t held_bytes; // larger messages move while their receiver is in MPI; PAG_NOT_KNOWN: all
                         // do meanwhile
    bool is_bound;       // ranks share those cores they were bound to
    bool *keeps_cores;   // by rank: it has as many cores as in the recording, with the same ranks
    // By rank, of SCENARIO_WHOLE: which part of the time that handing over its core took in the
    // recording it is saved by sharing cores with fewer ranks.
    uint32_t *saved_hand_overs;
    struct region_patterns *regions; // that settings name
    uint32_t *compute_patterns; // timeless: by <compute> of the machine, SCENARIO_NO_PATTERN where
                                // that goes by the names of regions
    struct region_scales scales;
    struct moves moves;
    uint64_t overlaps, drops; // patterns, a bit each
    uint64_t progresses;      // those of the overlaps in which messages move meanwhile
    struct region_works works;
    const struct visits *visits; // which the works were counted as (set_work.h); NULL: they were
                                 // not. Set by who counts them
    struct message_cuts cuts;
    struct slowdown_use slowdown;
};
