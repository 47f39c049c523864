// SPDX-License-Identifier: BSD-3-Clause
// The run on an ideal network: messages and collectives take no time, whatever their size, and a
// process in MPI does nothing but wait for what its partners have not done yet. From it POP's
// serialisation and transfer efficiency follow (POP project, standard metrics for MPI; there by
// Dimemas).
//
// Exactly, with B and F begin and end of the recorded run's window:
// - Each rank has a core of its own, and takes the recorded wall time between two MPI calls: what
//   counts as useful time stays the same, also where ranks had to share cores.
// - A call takes no time. One that receives waits until the messages were sent (their sending calls
//   were entered); synchronous sends (MPI_Ssend, MPI_Issend), and only they, until the receive was
//   posted; the members of a collective for those who release them by its class, those of
//   operations that handle no data only where the recording shows that they do (recorded.h).
//   Operations that create or destroy handles are no exception. Of a partner that is not known the
//   call lasts as long as it did.
// - The ideal network begins with the window: before B everything happens when it did. A call
//   recorded from E to L ends at min(L, B) at the earliest.
// - The ideal time is that until the last rank has come to where it was at F in the recording, from
//   B on. In an MPI call it has come there when the call is entered. So all ranks do what they did
//   within the window, no more and no less, and the busiest one's useful time fits into it.
//
// Where clocks agree (nothing is received before it was sent) no call ends later than in the
// recording, and the ideal time is at most F - B.
#pragma once

#include "analyzer/pag/pag.h"
#include "analyzer/simulation/prediction.h"

/// How far a location has come.
struct ideal_location {
    bool counts;               // the master of a rank, and at work before the window's end
    bool has_reached;          // where it was at the window's end
    uint64_t recorded_last_ns; // its last event
    uint64_t reached_ns;
};

struct ideal {
    struct scenario alone; // the recorded nodes, every rank on a core of its own
    struct ideal_location *locations;
    size_t n_locations;
    uint64_t begin_ns, end_ns;    // the window
    struct prediction prediction; // the simulated run
};

/// Prepares the simulated run. MEASURED is what the measured replay found, RECORDED what it
/// gathered; RECORDED must outlive IDEAL, which must not move.
void ideal_init(struct ideal *ideal, const struct definitions *definitions,
                const struct pag_result *measured, const struct recorded *recorded);
void ideal_release(struct ideal *ideal);

/// After the run: what the window takes.
uint64_t ideal_time_ns(const struct ideal *ideal);
