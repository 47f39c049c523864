// SPDX-License-Identifier: BSD-3-Clause
// MPI_Probe and MPI_Mprobe of a simulated run, and MPI_Iprobe that saw a message. They have no
// records; what such a call waits for is the message that its rank receives next, by a blocking
// receive, if the trace shows no other message and no operation in between, and no other probe but
// one right behind it that found the message there; at the end of a loop of
// polls also one posted (polling.h). It ends when that
// message is there: of one whose sender waits for the receiver its envelope, which has no bytes.
// Where an earlier receive that may take the message is still open, or the trace says no such
// thing, the call lasts as long as it did. For a message that is not sent nobody probes: the call
// takes no time.
#ifndef PAGODA_SIMULATION_PROBE_H
#define PAGODA_SIMULATION_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct event;
struct location_state;

/// What a call waits to see; communicator EVENT_NO_INDEX: nothing.
struct probe {
    uint32_t communicator, source, tag; // source: world rank
    bool is_left_out;                   // the message is not sent: nothing to wait for
};

/// LOCATION has entered its call, whose enter EVENT was: what it waits to see.
struct probe probe_of(struct engine *engine, struct location_state *location,
                      const struct event *event);

/// The message PROBE of LOCATION waits to see, NONE: it has not been sent, or departed.
uint32_t probe_message(struct engine *engine, struct location_state *location,
                       const struct probe *probe);

#endif
