// SPDX-License-Identifier: BSD-3-Clause
// What the program of a simulated run does no longer do: messages that are not sent, parts in
// collective operations that are left out. Both sides of a message know from their own record, so
// nobody has to wait to find out: its send is over at once, its receive leaves the call at once and
// stays in its channel until its message comes to it, so that the order of the others stays what it
// was. A member that leaves out an operation takes its place in it, waits for nobody, and lets
// others wait for it that do not leave it out. Its records are no longer in the run if all members
// leave it out: an operation without some of its members would be none.
#ifndef PAGODA_SIMULATION_CHANGE_LEFT_OUT_H
#define PAGODA_SIMULATION_CHANGE_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/base/pool.h"

struct call;
struct collective;
struct engine;
struct event;
struct location_state;
struct member;

/// The records of parts in operations that are not over and were left out so far.
struct left_out_parts {
    struct map first_of; // instance -> index of its first part
    struct pool parts;
};

void left_out_init(struct left_out_parts *left_out);
void left_out_release(struct left_out_parts *left_out);

/// Whether LOCATION's message from SENDER to RECEIVER, world ranks, recorded as EVENT in its open
/// call, is left out; notes that, and another size. Not in measured time.
bool left_out_message(struct engine *engine, struct location_state *location,
                      const struct event *event, uint32_t sender, uint32_t receiver);

/// MEMBER of an operation entered by LOCATION on a path with MARK (interval.h) and recorded as
/// EVENT in its open call, posted by the event numbered POSTED (PAG_NOT_KNOWN: none): notes whether
/// it leaves it out. INSTANCE NULL: of one member, whose records stay. Not in measured time.
void left_out_member(struct engine *engine, struct location_state *location,
                     const struct collective *instance, struct member *member,
                     const struct event *event, uint64_t posted, uint64_t mark);

/// INSTANCE is over: counts it if members have left it out; true if all have.
bool left_out_over(struct engine *engine, const struct collective *instance);

#endif
