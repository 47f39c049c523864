// SPDX-License-Identifier: BSD-3-Clause
// What a replay in simulated time asks of whoever predicts: when a location goes on, and what its
// calls cost. The engine matches messages and collectives by their order, which no clock changes,
// and tells here what is known; pag_simulate() then counts the answers as if they had been
// recorded. A location is outside MPI, or in a call, which has three parts: work before its
// messages depart, the wait until all its conditions are met, work after that.
#ifndef PAGODA_SIMULATION_CLOCK_H
#define PAGODA_SIMULATION_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct event;

/// Processor time in millionths of a nanosecond.
__extension__ typedef unsigned __int128 pag_work;

/// An MPI call: when it was entered and left in the recording, when it is entered now.
struct pag_call {
    uint32_t location, rank;
    uint32_t region; // EVENT_NO_INDEX: a record without call
    uint64_t recorded_enter_ns, recorded_leave_ns;
    uint64_t recorded_work_ns; // CPU time it took in the recording, its whole length if not known
    uint64_t enter_ns;
    uint32_t n_sent;     // messages that depart in it, and have an overhead
    uint64_t sent_bytes; // of the message where there is one
    uint32_t n_records;  // of messages and collectives in it
    uint32_t n_left_out; // of these: messages not sent, operations left out
    bool is_waiting;     // it has conditions, or is a handle call, which takes its time but no core
    bool is_finalize;    // MPI_Finalize
    // MPI_Init, MPI_Finalize, of files, or its only operations create or destroy handles:
    bool is_handle;
};

enum pag_condition_kind {
    PAG_CONDITION_MESSAGE,    // a message the call receives
    PAG_CONDITION_POSTING,    // the receive of a message it sends or has sent
    PAG_CONDITION_COLLECTIVE, // the members of a collective that release it
};

/// What a partner must have done before a call can be left; both known by now.
struct pag_condition {
    enum pag_condition_kind kind;
    uint64_t recorded_ns; // enter of the send, the posting, the latest member, in the recording
    uint64_t recorded_since_ns; // message: begin of what of the call that sent it was the sender's
                                // own (pag_clock.own_work); else recorded_ns
    uint64_t time_ns;           // now: the departure of the message, the posting, the latest member
    uint64_t departed_ns, posted_ns; // message, posting: both sides, now
    uint64_t arrived_ns;       // message, posting: as transfer() said, PAG_NOT_KNOWN without it
    uint64_t entered_ns;       // collective: when the waiting member entered it, now
    uint64_t size_bytes;       // message, posting
    uint64_t added_bytes;      // message, posting: of these, what comes along with moved work
    uint64_t recorded_bytes;   // message, posting: in the recording
    uint64_t follows_ns;       // message, posting: that long after its departure it is there, since
                               // it follows another one (aggregation.h); else PAG_NOT_KNOWN
    uint32_t sender, receiver; // message, posting: world ranks
    uint32_t n_members;        // collective
    uint8_t operation, class_; // collective: OTF2_CollectiveOp, enum collective_class
    struct pag_volume volume;  // collective
    bool is_finalize;          // collective: MPI_Finalize
    bool is_nonblocking;       // collective: posted before the call
    bool is_carried_out;       // collective: by the clock; the member is through at time_ns
    bool is_root;              // collective
    bool is_rendezvous;        // message, posting: its sender waits for its receiver
    bool is_probed;            // message: the call only waits to see it
    uint32_t communicator;     // collective: index of the communicator, UINT32_MAX for MPI_Finalize
};

/// A collective operation of one group of processes, as one of its members sees it.
struct pag_operation {
    uint32_t instance;     // number among those not over; may be used again after that
    uint32_t communicator; // index
    uint32_t n_members, member;
    uint32_t root;     // member, UINT32_MAX: it has none
    bool is_described; // false: posted, and what it is comes with its completion
    bool is_root;      // of here on: if described
    uint8_t operation; // OTF2_CollectiveOp
    struct pag_volume volume;
};

/// Of several locations done at the same time, those go on first whose turn is lower.
enum pag_turn {
    PAG_TURN_FIRST,
    PAG_TURN_LEAVE, // of an MPI call: all that enter one at this time may have to do with it
    PAG_TURN_LAST,  // the join of a team, the end of a location
};

/// A message of an operation that is carried out; world ranks.
struct pag_part_message {
    uint32_t sender, receiver;
    uint64_t size_bytes, ready_ns;
    uint64_t number; // order of sending
    uint32_t id;     // for the clock
};

/// What a clock does with a call path, beside scaling its work.
struct pag_path_change {
    uint32_t moves; // moves of its work that name it, bits (migration.h)
    bool overlaps;  // its MPI calls are waited for later (overlap.h)
};

/// A part of a visit (pag_clock.visit), as long as it can be told what that is: the part up to an
/// MPI call, the rest of it, or all.
struct pag_visit_part {
    bool is_first, is_last;
    pag_work recorded; // work of this part in the recording; not known of the last one
};

/// The callbacks of a clock. Times are simulated ns and never go back.
struct pag_clock {
    void *context;
    const uint32_t *node_of_rank; // where ranks run; NULL: as recorded
    bool
        counts_wall_time; // the process time of an interval is its length, whatever CPU samples say
    bool departs_at_enter; // messages depart when their call is entered, not after work_before
    /// LOCATION works from NOW_NS on, within MPI or outside.
    void (*work)(void *context, uint32_t location, uint64_t now_ns, pag_work work,
                 enum pag_turn turn);
    /// LOCATION waits in MPI from NOW_NS on, until a time or until it is woken (PAG_NOT_KNOWN), and
    /// works WORK then; it is done in the turn of those that leave a call. At the start of the run:
    /// it comes to its first event, at UNTIL_NS.
    void (*wait)(void *context, uint32_t location, uint64_t now_ns, uint64_t until_ns,
                 pag_work work);
    /// LOCATION, which waits, goes on at UNTIL_NS and works WORK.
    void (*wake)(void *context, uint32_t location, uint64_t until_ns, pag_work work);
    /// LOCATION has ended; also the call that takes a location out before its first event.
    void (*end)(void *context, uint32_t location, uint64_t now_ns);
    /// The location that is done first, ties: by turn, then the lowest; false when none is, and all
    /// others wait.
    bool (*next)(void *context, uint32_t *location, uint64_t *time_ns);
    /// LOCATION, which next() gave for NOW_NS, has waited in a call. True: it works from now on,
    /// and next() gives it again; false: it leaves the call.
    bool (*works_on)(void *context, uint32_t location, uint64_t now_ns);
    /// Whether beside LOCATION, which next() gave for NOW_NS, others may be done at that time.
    bool (*has_others)(void *context, uint32_t location, uint64_t now_ns);
    /// By how much the work of a call path of LOCATION is multiplied, in millionths. The clock
    /// knows the path from *MARK, which is that of the path above (0: none) and becomes that of the
    /// path, from its region, and of an MPI call from where it is called (EVENT_NO_INDEX where
    /// unknown). With region EVENT_NO_INDEX: of the stretch before the call with *MARK, which
    /// stays. NULL: never, and nothing is known of paths.
    uint64_t (*scale)(void *context, uint32_t location, uint64_t *mark, uint32_t region,
                      uint32_t calling_context);
    /// What is done with a path of RANK with this mark. NULL: nothing.
    struct pag_path_change (*change)(void *context, uint64_t mark, uint32_t rank);
    bool overlaps; // some paths
    /// The first of MOVES, bits, by which work of rank FROM goes along with a message to rank TO;
    /// PAG_MAX_MOVES: none. NULL: there are no moves.
    uint32_t (*move_of)(void *context, uint32_t moves, uint32_t from, uint32_t to);
    uint64_t aggregate_bytes; // largest sum of messages that are put together; 0: none are
    /// Usual time of a message of that size, where messages are put together.
    uint64_t (*message_ns)(void *context, uint32_t sender, uint32_t receiver, uint64_t size_bytes);
    uint64_t move_data_bytes; // by which a message grows that takes work along
    /// Whether a visit begins where LOCATION, in none, comes to a path with MARK. 0: no; a positive
    /// kind: its work is set (visit_work); a negative one: it is told (visited). NULL: never. What
    /// is visited inside a visit is part of it.
    int32_t (*visit)(void *context, uint32_t location, uint64_t mark);
    /// The work of a part of the visit LOCATION is in; *IS_SCALED: times the scale of its paths.
    pag_work (*visit_work)(void *context, uint32_t location, int32_t kind,
                           const struct pag_visit_part *part, bool *is_scaled);
    /// The factor in millionths by which the visit that begins at LOCATION changes, for listeners
    /// that want to know before its work is set.
    uint64_t (*visit_scale)(void *context, uint32_t location, int32_t kind, bool *is_scaled);
    /// N_VISITS visits of LOCATION are over, in the order they began; RECORDED work all together.
    /// HAS_CALLS: it is one visit, with work before and after an MPI call.
    void (*visited)(void *context, uint32_t location, int32_t kind, uint64_t n_visits,
                    pag_work recorded, bool has_calls);
    /// Whether a message is sent at all; *SIZE_BYTES, as recorded, becomes its size. NULL: all are,
    /// as recorded.
    bool (*sends)(void *context, uint32_t sender, uint32_t receiver, uint32_t tag,
                  uint64_t *size_bytes);
    /// Whether who entered a collective operation on a path with MARK (scale), by which it sends
    /// and receives SIZE_BYTES, leaves it out. NULL: none is left out.
    bool (*leaves_out)(void *context, uint64_t mark, uint8_t class_, uint64_t size_bytes,
                       bool is_uneven);
    /// What the visit of a region outside MPI costs that begins with ENTER at a path with MARK
    /// (scale; 0 without that), in ps. With it nothing else takes time outside MPI, no time of the
    /// recording counts, and all locations begin at 0. NULL: computing takes its recorded time.
    uint64_t (*visit_ps)(void *context, uint32_t location, uint64_t mark,
                         const struct event *enter);
    /// Whether the sender of a message waits for its receiver.
    bool (*is_rendezvous)(void *context, uint32_t sender, uint32_t receiver, uint64_t size_bytes);
    /// When a message arrives whose way depends on the others: it is READY_NS when it has departed,
    /// and if its sender waits for the receiver, when that has posted. Asked once for each message,
    /// in the order of (ready, sender, order of sending; messages of operations after others), when
    /// all that can be ready until then are known; nobody learns earlier that it is coming. NULL:
    /// settle() finds out by itself.
    uint64_t (*transfer)(void *context, uint32_t sender, uint32_t receiver, uint64_t size_bytes,
                         uint64_t ready_ns);
    /// Whether an operation that need not synchronise its members (it handles no data) does so.
    bool (*synchronises)(void *context, uint8_t operation, bool is_finalize);
    /// recorded_work_ns of CALL, of a master location, which says what would be it without this;
    /// the same whenever it is asked between the call's enter and its leave. NULL: that.
    uint64_t (*own_work)(void *context, const struct pag_call *call);
    /// Process time of WALL_NS of the master location of RANK outside MPI, up to the next call or
    /// its end at END_NS, of which its CPU clock says that it is CPU_NS. NULL: that.
    uint64_t (*process_time)(void *context, uint32_t rank, uint64_t end_ns, uint64_t wall_ns,
                             uint64_t cpu_ns);
    /// How long RANK takes up to MPI_Init at least: it has WORK to do until then, and was LOST_NS
    /// without a core in the recording. NULL: as long as both take together as recorded.
    uint64_t (*start_time)(void *context, uint32_t rank, pag_work work, uint64_t lost_ns);
    /// Whether polls of RANK that find nothing wait for what ends their loop (polling.h). NULL:
    /// they are calls without records like any other.
    bool (*polls_wait)(void *context, uint32_t rank);
    /// Work of a call before its messages depart, to the world ranks RECEIVERS[0..n_sent).
    pag_work (*work_before)(void *context, const struct pag_call *call, const uint32_t *receivers);
    /// All partners are known: when the call has what it waits for (not before its enter), and how
    /// much work follows.
    void (*settle)(void *context, const struct pag_call *call,
                   const struct pag_condition *conditions, uint32_t n_conditions,
                   uint64_t *ready_ns, pag_work *work);
    /// How long CALL lasts at least that has partners nobody knows (IS_UNKNOWN), or is a handle
    /// call that waits for nobody. NULL: as long as in the recording.
    uint64_t (*least_length)(void *context, const struct pag_call *call, bool is_unknown);

    // A clock that carries out collectives itself says which member waits for which others; all
    // NULL: they wait for whom the kind of the operation says.
    /// A member has entered an operation.
    void (*entered)(void *context, const struct pag_operation *operation, uint64_t entered_ns);
    /// Whether the clock carries out OPERATION, which is described; the same for all members.
    bool (*carries_out)(void *context, const struct pag_operation *operation);
    /// When the member, which has entered, is through with an operation that is carried out, and in
    /// *BY the member whose enter decided that. PAG_NOT_KNOWN: not before the member *BY, which
    /// has not entered, does something; UINT32_MAX: before messages that were sent have arrived.
    uint64_t (*through)(void *context, const struct pag_operation *operation, uint32_t *by);
    /// Of operations that are carried out by messages that go by transfer(), too: takes one that
    /// has been sent and was not taken, false when there is none. NULL: they do not.
    bool (*part_sent)(void *context, struct pag_part_message *message);
    /// It arrives at ARRIVED_NS: the members of its operation that are through by that, as world
    /// ranks, valid until the next call; their number.
    uint32_t (*part_arrived)(void *context, uint32_t id, uint64_t arrived_ns,
                             const uint32_t **ranks);
    /// LOCATION, which waits in an operation and which next() gave for NOW_NS, has the core it
    /// needed: it goes on there. The ranks that are through by that, valid until the next call;
    /// their number. NULL: nobody needs a core there.
    uint32_t (*step)(void *context, uint32_t location, uint64_t now_ns, const uint32_t **ranks);
    /// The member does not wait in the operation, or no longer: it goes on without a core. The
    /// ranks that are through by that, as above.
    uint32_t (*let_go)(void *context, const struct pag_operation *operation,
                       const uint32_t **ranks);
    /// All members have left it, or never come: what is kept about it can go.
    void (*over)(void *context, uint32_t instance);
};

#endif
