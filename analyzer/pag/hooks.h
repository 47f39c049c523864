// SPDX-License-Identifier: BSD-3-Clause
// A driver replays a run in times other than the recorded ones (analyzer/simulation). It takes the
// locations through their events itself, by the functions of engine.h; the engine matches, keeps
// profiles and lineages, and tells the driver what matching finds out. pag_run() has no driver.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct collective;
struct engine;
struct event;
struct location_state;
struct member;
struct part;

/// All are set. Indices are those of the engine's pools; EVENT is a record of the open call.
struct engine_hooks {
    /// No other location goes on at NOW_NS, when LOCATION enters its call.
    bool (*is_alone)(const struct engine *engine, const struct location_state *location,
                     uint64_t now_ns);
    /// LOCATION sends MESSAGE by EVENT. May set message.is_left_out.
    void (*sent)(struct engine *engine, struct location_state *location, uint32_t message,
                 const struct event *event);
    /// RECEIVE is posted by EVENT, or EVENT only says that it is over.
    void (*posted)(struct engine *engine, struct location_state *location, uint32_t receive,
                   const struct event *event);
    /// EVENT completes RECEIVE with a message of world rank SOURCE. May set receive.is_left_out.
    void (*received)(struct engine *engine, struct location_state *location, uint32_t receive,
                     uint32_t source, const struct event *event);
    /// The two belong together.
    void (*matched)(struct engine *engine, uint32_t message, uint32_t receive);
    /// The open call of LOCATION, which has been entered, is one that waits later (it has become
    /// another one): its rank is not in MPI for that.
    bool (*waits_later)(struct engine *engine, const struct location_state *location);
    /// RANK enters a call in which it takes the messages of senders that wait for that.
    void (*attends)(struct engine *engine, uint32_t rank);
    /// MEMBER has entered a collective operation, or posted it.
    void (*entered)(struct engine *engine, struct collective *instance, uint32_t member);
    /// A nonblocking operation is posted by EVENT.
    void (*operation_posted)(struct engine *engine, struct location_state *location,
                             uint32_t posting, const struct event *event);
    /// The open call completes the operation of MEMBER by EVENT (NULL: MPI_Finalize). INSTANCE is
    /// NULL for an operation with one member, POSTING is NONE for a blocking one. May set
    /// member.is_left_out.
    void (*operation_completed)(struct engine *engine, struct location_state *location,
                                const struct collective *instance, struct member *member,
                                uint32_t posting, const struct event *event);
    /// Whether the driver decides which member releases PART's member: *RELEASER, or NULL if no
    /// other one does.
    bool (*decides)(const struct engine *engine, struct part part, const struct member **releaser);
    /// Whether PART's member waits, as the driver decides, for a member that has not come.
    bool (*is_held)(const struct engine *engine, struct part part);
    /// All members have left INSTANCE, or never come. True: they have left it out; it has no roots.
    bool (*over)(struct engine *engine, const struct collective *instance);
    /// After that: INSTANCE is forgotten.
    void (*closed)(struct engine *engine, const struct collective *instance);
};
