// SPDX-License-Identifier: BSD-3-Clause
// What the leave of a call settles: waits, root events, hand-over of the lineage.
#ifndef PAGODA_PAG_LEAVE_H
#define PAGODA_PAG_LEAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/root.h"

struct engine;
struct location_state;

struct message;

/// A call that left while receives of its messages were still unknown.
struct send_wait {
    struct root root;
    uint64_t enter_ns; // of the call
    uint32_t n_open;
    bool has_candidate;
};

/// After the enter of a call: keeps the lineage of a waiter for the explanation of its wait.
void leave_expect(struct engine *engine, struct location_state *location);

/// Settles the open call. EVENT_NO_INDEX when done, else the world rank that must be read first.
uint32_t leave_call(struct engine *engine, struct location_state *location);
/// A message whose sender has left already (message.send_wait) was matched, or never will be.
void leave_resolve_send(struct engine *engine, struct message *message);

#endif
