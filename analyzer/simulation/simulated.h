// SPDX-License-Identifier: BSD-3-Clause
// What a simulated run comes to beside what any replay finds: pag_result.simulated.
#pragma once

#include <stdint.h>

/// Where the time of a rank's master location went; the times outside and in MPI sum to that from
/// its first to its last event.
struct simulated_rank {
    uint64_t work_ns;     // process time outside MPI, at full speed
    uint64_t outside_ns;  // outside MPI: the same as it went by on shared or slower cores
    uint64_t wait_ns;     // in MPI, waiting for others; and without a core before it
    uint64_t overhead_ns; // the rest of the time in MPI
    uint64_t lost_ns;     // without a core in the recording: outside MPI and in calls without waits
    uint64_t recording_ns; // left out of work_ns: what recording took (settings.is_untraced)
};

/// Process time that a move of work concerns (move.h).
struct simulated_move {
    uint64_t moved_ns, n_messages; // done by another rank, and the messages it went along with
    uint64_t stayed_ns;            // in its region, at a rank of FROM, for none of TO
};

enum { SIMULATED_MAX_MOVES = 32 };

struct simulated_left_out {
    uint64_t n_messages, n_resized;   // not sent; sent with other sizes
    uint64_t n_collectives, n_partly; // left out by all members; by some
};

struct simulated {
    struct simulated_left_out left_out;
    uint64_t n_aggregated; // messages that were sent together with an earlier one
    uint64_t n_overlapped; // MPI calls that were waited for later
    uint64_t n_held;       // of these: for messages that moved only then
    uint64_t n_relocated;  // times that a rank went to another node
    uint64_t relocated_ns; // how long these took, summed
    uint64_t n_forced;     // calls none of whose partners would have come: ended without
    struct simulated_move moves[SIMULATED_MAX_MOVES]; // in the order of the settings
    // Longest paths of process time by the papers' algorithm (move.h): with the moves, the
    // same with moved work after its message, and without moves.
    uint64_t client_server_ns, in_turn_ns, unchanged_ns;
    struct simulated_rank ranks[]; // by rank
};
