// SPDX-License-Identifier: BSD-3-Clause
// Which receive will take a message whose sender waits for that. Where the receiver has posted one
// with a wildcard, or the trace does not say what was posted, matching knows it only from the
// completion: here it is looked for among the next events of the receiver. It cannot be told where
// that is too far ahead, where several threads receive, where the receiver names the message's
// channel in some posted receives and leaves it open in others, or where those that take its
// messages are completed in another order than they were posted in.
#ifndef PAGODA_SIMULATION_WILDCARD_H
#define PAGODA_SIMULATION_WILDCARD_H

#include <stdint.h>

struct engine;

enum wildcard_receive {
    RECEIVE_COMES,   // it has not been posted yet
    RECEIVE_POSTED,  // *RECEIVE
    RECEIVE_UNKNOWN, // it cannot be told
};

/// Of MESSAGE, which is not matched and whose receiver has posted receives that are not resolved.
enum wildcard_receive wildcard_find_receive(struct engine *engine, uint32_t message,
                                            uint32_t *receive);

#endif
