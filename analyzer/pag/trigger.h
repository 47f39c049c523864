// SPDX-License-Identifier: BSD-3-Clause
// Trigger events: the places in a replay where a wait state can be seen. The engine resolves the
// partners of a call (matching message, members of a collective) and hands all the times a pattern
// may compare as one flat array; patterns (analyzer/pattern/) name them by the field names below.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/event.h"

enum trigger_kind {
    TRIGGER_RECEIVE,    // a call that completed receives (never MPI_Test*), or MPI_Probe
    TRIGGER_SEND,       // a call in which a sender may have waited for its receiver
    TRIGGER_COLLECTIVE, // one member of one finished collective operation
    TRIGGER_RMA,        // a call of one-sided communication in which a rank waited for another one
    TRIGGER_REGION,     // a visit of a region, as it is left; only of regions that are asked for
    TRIGGER_KINDS
};

#define TRIGGER_NO_OBJECT UINT32_MAX
#define TRIGGER_NEVER     INT64_MAX // a time field whose event did not happen

/// Fields of TRIGGER_RECEIVE. Of several messages completed in one call the deciding one is
/// described: the latest send_enter, ties to the highest sender.
#define TRIGGER_RECEIVE_FIELDS(X)                                                                  \
    X(RECEIVE, ENTER, enter)           /* of the call */                                           \
    X(RECEIVE, LEAVE, leave)           /* of the call */                                           \
    X(RECEIVE, POST_ENTER, post_enter) /* enter of the call that posted the receive */             \
    X(RECEIVE, SEND_ENTER, send_enter) /* enter of the call that sent (posted the send) */         \
    X(RECEIVE, SEND_LEAVE, send_leave) /* leave of that call */                                    \
    X(RECEIVE, BYTES, bytes)                                                                       \
    X(RECEIVE, TAG, tag)                                                                           \
    X(RECEIVE, SENDER, sender)           /* world rank */                                          \
    X(RECEIVE, N_MESSAGES, n_messages)   /* receives the call completed */                         \
    X(RECEIVE, QUEUED_SEND, queued_send) /* when the earliest message to this rank, on the same */ \
                                         /* communicator, sent before the wait's end and not */    \
                                         /* received by the end of the call, was sent */           \
                                         /* (time of the send record); `never` when none */        \
    X(RECEIVE, QUEUED_SAME_SOURCE, queued_same_source) /* 1: that one came from `sender` */        \
    X(RECEIVE, IS_NONBLOCKING, is_nonblocking)         /* posted by an earlier call */

/// Fields of TRIGGER_SEND: of several sends completed in one call the one whose receiver let it go
/// last (but before the leave) is described.
#define TRIGGER_SEND_FIELDS(X)                                                                     \
    X(SEND, ENTER, enter)           /* of the call in which the sender is: the send or its Wait */ \
    X(SEND, LEAVE, leave)           /* of that call */                                             \
    X(SEND, SEND_ENTER, send_enter) /* enter of the call that posted the send */                   \
    X(SEND, POST_ENTER, post_enter) /* enter of the call that posted the receive, before the */    \
                                    /* leave; `never` when none did */                             \
    X(SEND, ATTEND_ENTER, attend_enter) /* enter of the receiver's call that took the message, */  \
                                        /* in the wait; `never` when none had to */                \
    X(SEND, BYTES, bytes)                                                                          \
    X(SEND, TAG, tag)                                                                              \
    X(SEND, RECEIVER, receiver)             /* world rank */                                       \
    X(SEND, IS_SYNCHRONOUS, is_synchronous) /* 1: MPI_Ssend, MPI_Issend */                         \
    X(SEND, IS_CERTAIN, is_certain) /* 1: such a send, or as large as ten others that waited */    \
    X(SEND, IS_NONBLOCKING, is_nonblocking)

/// Fields of TRIGGER_COLLECTIVE, one trigger event per member, given when the last member has left.
#define TRIGGER_COLLECTIVE_FIELDS(X)                                                               \
    X(COLLECTIVE, ENTER, enter)                                                                    \
    X(COLLECTIVE, LEAVE, leave)                                                                    \
    X(COLLECTIVE, KIND, kind) /* enum collective_class; TRIGGER_KIND_FINALIZE for MPI_Finalize */  \
    X(COLLECTIVE, OPERATION, operation)     /* OTF2_CollectiveOp */                                \
    X(COLLECTIVE, FIRST_ENTER, first_enter) /* of all members */                                   \
    X(COLLECTIVE, LAST_ENTER, last_enter)                                                          \
    X(COLLECTIVE, LAST_RANK, last_rank) /* world rank of the last one in; ties: lowest */          \
    X(COLLECTIVE, END, end) /* of the operation for this member, before its leave or at it */      \
    X(COLLECTIVE, FIRST_END, first_end)                                                            \
    X(COLLECTIVE, ROOT_ENTER, root_enter) /* `never` without a root */                             \
    X(COLLECTIVE, ROOT_RANK, root_rank)   /* world rank, -1 without a root */                      \
    X(COLLECTIVE, IS_ROOT, is_root)                                                                \
    X(COLLECTIVE, FIRST_SENDER_ENTER, first_sender_enter) /* earliest enter of the others */       \
                                                          /* than the root; `never` if none */     \
    X(COLLECTIVE, FIRST_SENDER_RANK, first_sender_rank)                                            \
    X(COLLECTIVE, LAST_LOWER_ENTER, last_lower_enter) /* latest enter of ranks 0..own */           \
    X(COLLECTIVE, LAST_LOWER_RANK, last_lower_rank)                                                \
    X(COLLECTIVE, BYTES, bytes) /* sent + received by this member */                               \
    X(COLLECTIVE, N_MEMBERS, n_members)                                                            \
    X(COLLECTIVE, IS_WINDOW, is_window) /* 1: on an RMA window; of `kind` handle, fences, too */   \
    X(COLLECTIVE, IS_FILE, is_file) /* 1: on files, of `kind` handle; first_end is the first */    \
                                    /* leave then */

/// Fields of TRIGGER_RMA.
#define TRIGGER_RMA_FIELDS(X)                                                                      \
    X(RMA, ENTER, enter)                                                                           \
    X(RMA, LEAVE, leave)                                                                           \
    X(RMA, KIND, kind)                   /* enum trigger_rma: what it waited for */                \
    X(RMA, PARTNER_ENTER, partner_enter) /* enter of the call that ended the wait */               \
    X(RMA, PARTNER, partner)             /* world rank of that call */                             \
    X(RMA, LAST_ACCESS, last_access) /* leave of the partner's last access in the epoch that */    \
                                     /* it completes; `never` when none */

/// Fields of TRIGGER_REGION.
#define TRIGGER_REGION_FIELDS(X)                                                                   \
    X(REGION, ENTER, enter)                                                                        \
    X(REGION, LEAVE, leave)                                                                        \
    X(REGION, INSIDE, inside)       /* time in the regions that it entered */                      \
    X(REGION, VISIT, visit)         /* 1: the first at its call path of the location, ... */       \
    X(REGION, CONSTRUCT, construct) /* enum construct */                                           \
    X(REGION, IS_MPI, is_mpi)       /* 1: a function of MPI */

enum trigger_rma {
    TRIGGER_RMA_LOCK,     // until the last conflicting lock was given back
    TRIGGER_RMA_POST,     // until the last target of its epoch posted
    TRIGGER_RMA_COMPLETE, // until the last origin of its epoch completed
};

#define TRIGGER_KIND_FINALIZE                                                                      \
    100 // value of field KIND for MPI_Finalize, seen as a barrier of all ranks

#define TRIGGER_ENUM(KIND, NAME, name) TRIGGER_##KIND##_##NAME,
enum trigger_receive_field { TRIGGER_RECEIVE_FIELDS(TRIGGER_ENUM) TRIGGER_RECEIVE_N_FIELDS };
enum trigger_send_field { TRIGGER_SEND_FIELDS(TRIGGER_ENUM) TRIGGER_SEND_N_FIELDS };
enum trigger_collective_field {
    TRIGGER_COLLECTIVE_FIELDS(TRIGGER_ENUM) TRIGGER_COLLECTIVE_N_FIELDS
};
enum trigger_rma_field { TRIGGER_RMA_FIELDS(TRIGGER_ENUM) TRIGGER_RMA_N_FIELDS };
enum trigger_region_field { TRIGGER_REGION_FIELDS(TRIGGER_ENUM) TRIGGER_REGION_N_FIELDS };
#undef TRIGGER_ENUM

enum { TRIGGER_MAX_FIELDS = 24 };

struct trigger {
    enum trigger_kind kind;
    uint32_t location;      // where the wait would be
    uint32_t rank;          // its world rank
    uint32_t call_path;     // of the call, local to the location (pag.h)
    uint32_t region;        // of TRIGGER_REGION
    uint32_t sync_object;   // number of the pag_message_kind, or the communicator of a collective;
                            // TRIGGER_NO_OBJECT: neither
    bool in_window;         // entered between the last leave of MPI_Init and the last MPI_Finalize
    uint64_t window_end_ns; // the last enter of MPI_Finalize; UINT64_MAX: it is later than all this
    int64_t value[TRIGGER_MAX_FIELDS]; // by the field enum of `kind`; times in ns
};

/// Which of the others that the member of a TRIGGER_COLLECTIVE with VALUE needs came last, and
/// when: the root, one of the ranks up to its own, or of all. -1: it needs none of them.
struct trigger_releaser {
    int64_t rank, enter;
};
static inline struct trigger_releaser trigger_releaser(const int64_t *value)
{
#define RELEASER(NAME)                                                                             \
    ((struct trigger_releaser){value[TRIGGER_COLLECTIVE_##NAME##_RANK],                            \
                               value[TRIGGER_COLLECTIVE_##NAME##_ENTER]})
    int64_t kind = value[TRIGGER_COLLECTIVE_KIND], is_root = value[TRIGGER_COLLECTIVE_IS_ROOT];
    if (is_root ? kind == COLLECTIVE_ONE_TO_ALL : kind == COLLECTIVE_ALL_TO_ONE)
        return (struct trigger_releaser){-1, -1};
    return kind == COLLECTIVE_ONE_TO_ALL ? RELEASER(ROOT)
           : kind == COLLECTIVE_SCAN     ? RELEASER(LAST_LOWER)
                                         : RELEASER(LAST);
#undef RELEASER
}
