// SPDX-License-Identifier: BSD-3-Clause
// What calls and messages cost in a simulated run. A call has three parts: work before its messages
// depart, the wait until all its conditions are met, work after that. The models: the recorded run
// (recorded_costs.c), a machine file and its timeless replay (machine_costs.c), an ideal network
// (ideal.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct prediction;

/// An MPI call: when it was entered and left in the recording, when it is entered now.
struct simulated_call {
    uint32_t location, rank, site;
    uint32_t region; // EVENT_NO_INDEX: a record without call
    uint64_t recorded_enter_ns, recorded_leave_ns;
    uint64_t recorded_attend_ns; // when its receivers had been in MPI (pag_message), 0: not known
    uint64_t recorded_work_ns;   // CPU time it took in the recording, its whole length if not known
    uint64_t enter_ns;
    uint32_t n_sent;      // messages that depart in it, and have an overhead
    uint32_t n_records;   // of messages and collectives in it
    uint32_t n_left_out;  // of these: messages not sent, or not waited for, operations left out
    uint64_t freed_bytes; // of sends that wait for their receivers no longer: copied into buffers
    uint32_t n_joined;    // of these: sends it completes that follow another one (aggregate.h)
    bool is_waiting;  // it has conditions, or is a handle call, which takes its time but no core
    bool is_init;     // MPI_Init
    bool is_finalize; // MPI_Finalize
    // MPI_Init, MPI_Finalize, of files, or its only operations create or destroy handles:
    bool is_handle;
};

enum condition_kind {
    CONDITION_MESSAGE,    // a message the call receives
    CONDITION_POSTING,    // the receive of a message it sends or has sent
    CONDITION_COLLECTIVE, // the members of a collective that release it
};

/// What a partner must have done before a call can be left; both known by now.
struct call_condition {
    enum condition_kind kind;
    uint64_t recorded_ns; // enter of the send, the posting, the latest member, in the recording
    uint64_t time_ns;     // now: the departure of the message, the posting, the latest member
    uint64_t departed_ns, posted_ns; // message, posting: both sides, now
    uint64_t arrived_ns; // message, posting: PAG_NOT_KNOWN where messages do not hinder each other
    uint64_t entered_ns; // collective: when the waiting member entered it, now
    uint64_t size_bytes; // message, posting
    uint64_t recorded_bytes;   // message, posting: in the recording
    uint64_t follows_ns;       // message, posting: that long after its departure it is there, since
                               // it follows another one (aggregate.h); else PAG_NOT_KNOWN
    uint32_t sender, receiver; // message, posting: world ranks
    uint32_t sender_site, receiver_site; // and where they are (placement.h) when it begins to move
    uint32_t n_members;                  // collective
    uint8_t operation, class_;           // collective: OTF2_CollectiveOp, enum collective_class
    struct pag_volume volume;            // collective
    bool is_finalize;                    // collective: MPI_Finalize
    bool is_nonblocking;                 // collective: posted before the call
    bool is_carried_out;   // collective: message by message; the member is through at time_ns
    bool is_root;          // collective
    bool is_rendezvous;    // message, posting: its sender waits for its receiver
    bool needs_attendance; // posting: the sender waits until its receiver is in MPI, at time_ns
    bool is_probed;        // message: the call only waits to see it
    bool are_scattered;    // collective: the nodes of its members are not in a row
    uint32_t luck;         // message, posting, collective: what it gets of the noise (noise.h)
    uint32_t communicator; // collective: index of the communicator, UINT32_MAX for MPI_Finalize
};

/// Times are simulated ns and never go back.
struct cost_model {
    bool departs_at_enter; // messages depart when their call is entered, not after work_before
    bool polls_wait;       // polls that find nothing wait for what ends their loop (steps.h)
    /// Work of a call before its messages depart, to ranks at the sites RECEIVERS[0..n_sent).
    pag_work (*work_before)(struct prediction *prediction, const struct simulated_call *call,
                            const uint32_t *receivers);
    /// All partners are known: when the call has what it waits for (not before its enter), and how
    /// much work follows.
    void (*settle)(struct prediction *prediction, const struct simulated_call *call,
                   const struct call_condition *conditions, uint32_t n_conditions,
                   uint64_t *ready_ns, pag_work *work);
    /// The shortest length of CALL, whose partners are not known (IS_UNKNOWN) or which is a handle
    /// call without partners.
    uint64_t (*least_length)(const struct prediction *prediction, const struct simulated_call *call,
                             bool is_unknown);
    /// Whether the sender of a message waits for its receiver, both at these sites.
    bool (*is_rendezvous)(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                          uint64_t size_bytes);
    /// Whether it waits until its receiver is in MPI; NULL: it never does.
    bool (*needs_attendance)(const struct prediction *prediction, uint32_t sender,
                             uint32_t receiver, uint64_t size_bytes);
    /// Usual time of a message of that size.
    uint64_t (*message_ns)(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                           uint64_t size_bytes);
    /// Whether an operation that need not synchronise its members (it handles no data) does so.
    bool (*synchronises)(const struct prediction *prediction, uint8_t operation, bool is_finalize);
    /// A location has ended; NULL: not needed.
    void (*ended)(struct prediction *prediction, uint32_t location, uint64_t now_ns);
};

extern const struct cost_model recorded_costs, machine_costs, timeless_costs;
