// SPDX-License-Identifier: BSD-3-Clause
// Parts in collective operations that are left out (--drop-sync). A member that leaves out an
// operation takes its place in it, waits for no member, and lets others wait for it that do not
// leave it out. Its records are no longer in the run if all members leave it out: an operation
// without some of its members would be none.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct collective;
struct engine;
struct event;
struct location_state;
struct member;

/// The records of parts in operations that are not over and were left out so far. The caller frees.
struct left_out_parts;
struct left_out_parts *left_out_new(void);
void left_out_free(struct left_out_parts *left_out);

/// MEMBER of an operation entered by LOCATION on a path with MARK (steps.h) and recorded as
/// EVENT in its open call, posted by the event numbered POSTED (PAG_NOT_KNOWN: none): notes and
/// returns whether it leaves it out. INSTANCE NULL: of one member, whose records stay.
bool left_out_member(struct engine *engine, struct location_state *location,
                     const struct collective *instance, struct member *member,
                     const struct event *event, uint64_t posted, uint64_t mark);

/// INSTANCE is over: counts it if members have left it out; true if all have.
bool left_out_over(struct engine *engine, const struct collective *instance);
