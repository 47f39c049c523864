// SPDX-License-Identifier: BSD-3-Clause
// What the records of a call of a simulated run do not say, but the next events of its rank do:
// which polls belong to a loop that ends, what a probe waits for, which receive takes a message.
// No look ahead goes further than some thousand events.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/simulation/state.h"

// --- polls
//
// Polling loops of a simulated run. A call that only looks and finds nothing (MPI_Test, MPI_Testall
// and the like, MPI_Iprobe) waits for what the call that ends the loop finds: so it takes no time
// now, and the time it took in the recording belongs to the wait of that call, as if that had been
// entered so much earlier. The code between the polls stays as it is. The loop ends with
//   - a test that completes something, or
//   - MPI_Iprobe (MPI_Improbe) that saw the message which a blocking receive takes next (below),
//     or, where the trace folds polls and it stands right after some that found nothing, so that
//     it cannot be one of them, a receive that is posted next,
// if that is a call of the same function by the same one, which has not been left meanwhile (but
// may have been before the receive, if the loop must have seen its message), and no
// other call with records comes before it; calls without any (MPI_Wtime) may. A loop whose end is
// not found within some thousand events keeps its times, as do polls that lead nowhere or have
// regions in them. With nothing changed all calls end as recorded; only the code between the polls
// comes earlier.

/// LOCATION has entered its call, whose enter EVENT was: whether it is a poll that takes no time.
/// If it ends a loop, the time of that becomes its own (polling.of_call_ns).
bool polling_takes_no_time(struct engine *engine, struct location_state *location,
                           const struct event *event);

// --- probes
//
// MPI_Probe and MPI_Mprobe of a simulated run, and MPI_Iprobe that saw a message. They have no
// records; what such a call waits for is the message that its rank receives next, by a blocking
// receive, if the trace shows no other message and no operation in between, and no other probe but
// one right after it that found the message there; at the end of a loop of polls also one posted.
// It ends when that message is there: of one whose sender waits for the receiver its envelope,
// which has no bytes.
// Where an earlier receive that may take the message is still open, or the trace says no such
// thing, the call lasts as long as it did. A message that is not sent is not probed for: the call
// takes no time.

/// LOCATION has entered its call, whose enter EVENT was: what it waits to see.
struct probe probe_of(struct engine *engine, struct location_state *location,
                      const struct event *event);

/// The message PROBE of LOCATION waits to see, NONE: it has not been sent, or departed.
uint32_t probe_message(struct engine *engine, struct location_state *location,
                       const struct probe *probe);

// --- receives
//
// Which receive will take a message whose sender waits for that. Where the receiver has posted one
// with a wildcard, or the trace does not say what was posted, matching knows it only from the
// completion: here it is looked for among the next events of the receiver. It cannot be known where
// that is too far ahead, where several threads receive, where the receiver names the message's
// channel in some posted receives and leaves it open in others, or where those that take its
// messages are completed in another order than they were posted in.

enum wildcard_receive {
    RECEIVE_COMES,   // it has not been posted yet
    RECEIVE_POSTED,  // *RECEIVE
    RECEIVE_UNKNOWN, // it cannot be known
};

/// Of MESSAGE, which is not matched and whose receiver has posted receives that are not resolved.
enum wildcard_receive wildcard_find_receive(struct engine *engine, uint32_t message,
                                            uint32_t *receive);
