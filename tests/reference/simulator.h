// SPDX-License-Identifier: BSD-3-Clause
// State of a simulated run, shared by the event loop (simulator.c), the message and collective
// semantics (simulated_mpi.c) and the writer of the text trace (emission.c).
#pragma once

#include "tests/reference/program.h"

enum { SIM_NONE = -1 };

enum sim_event_kind { SIM_RANK, SIM_ARRIVAL, SIM_DONE };

struct sim_event {
    uint64_t time;
    uint64_t sequence; // breaks ties
    enum sim_event_kind kind;
    int index; // rank, message or request
};

enum sim_request_kind { SIM_SEND, SIM_RECEIVE, SIM_COLLECTIVE, SIM_CANCELLED, SIM_LOCK, SIM_EPOCH };

struct sim_request {
    enum sim_request_kind kind;
    uint32_t rank;
    bool is_done, is_freed;
    bool is_internal; // of a blocking call: has no id in the trace
    bool is_waiting;  // of an epoch
    uint32_t id;      // in the trace, reused after it was freed
    const struct operation *operation;
    int message;  // sent, or received once matched
    int instance; // of a collective
};

struct sim_message {
    uint32_t comm, sender, receiver, tag, size_bytes;
    bool is_rendezvous;
    int send; // request
};

struct sim_instance {
    uint32_t comm, place;
    uint32_t members[2 * PROGRAM_MAX_RANKS], n_members;
    int requests[2 * PROGRAM_MAX_RANKS];
    bool is_scheduled[2 * PROGRAM_MAX_RANKS];
    uint64_t posted[2 * PROGRAM_MAX_RANKS];
};

/// A lock of a window, from when the library asks for it.
struct sim_lock {
    const struct operation *operation; // that takes it
    uint32_t rank;
    int request;
    bool is_granted;
};

/// How often ranks told others by posts or completes of epochs, on a window, by sender and
/// receiver, and how often these asked for it.
struct sim_epochs {
    uint32_t told[PROGRAM_MAX_RANKS][PROGRAM_MAX_RANKS];
    uint32_t asked[PROGRAM_MAX_RANKS][PROGRAM_MAX_RANKS];
};
enum { SIM_POSTS, SIM_COMPLETES, SIM_EPOCH_SIDES };

/// One line of the trace. What must go together when something is lost: `message` and `is_send`.
struct sim_record {
    uint64_t time;
    char text[88]; // what follows the time
    int message;
    bool is_send;
    int receive_request;    // of an irecv-request line, whose message is known later
    int coll_request;       // of a nonblocking collective's lines
    bool is_collective_end; // the communicator `comm` has come one operation further
    uint32_t comm;
};

struct sim_lines {
    struct sim_record *records;
    size_t n_records, capacity;
};

enum sim_phase { SIM_BEGIN, SIM_POST, SIM_BLOCK, SIM_FINISH };

struct sim_rank {
    size_t next; // operation
    enum sim_phase phase;
    bool is_blocked, is_finished;
    bool is_bare;      // the current call leaves no enter and leave
    const char *inner; // region within the current call, NULL: none
    uint32_t n_polls;
    int *requests; // by handle
    int own[2];    // requests of a blocking call
    uint32_t n_own;
    int posted[512]; // receives not matched yet, oldest first
    uint32_t n_posted;
    int unexpected[512]; // messages arrived and not matched yet
    uint32_t n_unexpected;
    uint64_t last_arrival[PROGRAM_MAX_RANKS]; // at this rank, by sender
    uint32_t n_collectives[PROGRAM_MAX_COMMS];
    struct sim_lines lines[2]; // master, second thread
};

struct simulation {
    struct sim_program *program;
    struct sim_event *heap;
    size_t n_heap, heap_capacity;
    uint64_t sequence;
    struct sim_request *requests;
    size_t n_requests, request_capacity;
    struct sim_message *messages;
    size_t n_messages, message_capacity;
    struct sim_instance *instances;
    size_t n_instances, instance_capacity;
    struct sim_lock *locks; // asked for and not given back, in the order of asking
    size_t n_locks, lock_capacity;
    struct sim_epochs epochs[SIM_EPOCH_SIDES][PROGRAM_MAX_COMMS];
    struct sim_rank ranks[PROGRAM_MAX_RANKS];
};

/// A random duration of 0 .. MAX quanta.
uint64_t sim_some(struct simulation *sim, uint32_t max);
void sim_schedule(struct simulation *sim, uint64_t time, enum sim_event_kind kind, int index);

/// MPI's side of posting; completion comes as SIM_DONE events.
void sim_post_send(struct simulation *sim, uint32_t rank, uint64_t time,
                   const struct operation *operation, int request);
void sim_post_receive(struct simulation *sim, uint32_t rank, uint64_t time, int request);
void sim_post_collective(struct simulation *sim, uint32_t rank, uint64_t time, int request);
void sim_take_lock(struct simulation *sim, uint32_t rank, uint64_t time, int request);
void sim_give_lock_back(struct simulation *sim, uint32_t rank, uint64_t time,
                        const struct operation *operation);
/// A call that begins or ends an epoch; REQUEST, SIM_NONE without, is what it waits for.
void sim_synchronise(struct simulation *sim, uint32_t rank, uint64_t time,
                     const struct operation *operation, int request);
void sim_arrive(struct simulation *sim, uint64_t time, int message);

/// Appends a line; returns it for its bookkeeping fields to be set, until the next one.
struct sim_record *sim_emit(struct simulation *sim, uint32_t rank, uint32_t thread, uint64_t time,
                            const char *format, ...) __attribute__((format(printf, 5, 6)));

/// The whole run as a text trace, with the damage the program asks for. The caller frees.
char *sim_text(struct simulation *sim);
