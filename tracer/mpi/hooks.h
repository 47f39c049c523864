// SPDX-License-Identifier: BSD-3-Clause
// What wrappers record: the functions that functions.list and the hand-written wrappers call after
// an MPI function succeeded (so that its arguments are known to be valid).
#pragma once

#include "tracer/mpi/call.h"
#include "tracer/mpi/wrapper.h"

/// What a call did about its operation: all of it (BLOCKING), or begin it, or make a persistent
/// request, which begins nothing yet.
struct start {
    enum { START_AND_END, START, START_LATER } kind;
    MPI_Request handle;
};
#define BLOCKING           ((struct start){START_AND_END, MPI_REQUEST_NULL})
#define STARTED(handle)    ((struct start){START, (handle)})
#define PERSISTENT(handle) ((struct start){START_LATER, (handle)})

/// How much goes to, or comes from, each of several ranks.
struct amounts {
    MPI_Count count;
    MPI_Datatype type;
    const void *counts; // of int, or of MPI_Count in large-count functions; NULL: `count` for all
    size_t count_bytes;
    const MPI_Datatype *types; // NULL: `type` for all
};
#define NOTHING            ((struct amounts){.count = 0})
#define EACH(count, type)  ((struct amounts){(count), (type), NULL, 0, NULL})
#define LIST(counts, type) ((struct amounts){0, (type), (counts), sizeof *(counts), NULL})
#define LISTS(counts, types)                                                                       \
    ((struct amounts){0, MPI_DATATYPE_NULL, (counts), sizeof *(counts), (types)})

/// Bytes to or from rank `i` of them.
uint64_t amounts_at(const struct amounts *amounts, int i);

// ---- wrap_p2p.c. Messages to and from MPI_PROC_NULL are no messages.
void p2p_send(struct call *call, struct start start, MPI_Comm comm, int dest, int tag,
              MPI_Count count, MPI_Datatype datatype);
/// A receive that fails because the message was too long has received it all the same.
void p2p_recv(struct call *call, int returned, MPI_Comm comm, const MPI_Status *status);
void p2p_sendrecv(struct call *call, int returned, MPI_Comm comm, int dest, int tag,
                  MPI_Count count, MPI_Datatype datatype, const MPI_Status *status);
/// Did the call (or request) with this result take its message?
bool p2p_was_received(int returned);
int p2p_error_class(int returned);
void p2p_irecv(struct call *call, struct start start, MPI_Comm comm, int source, int tag);
/// `n_room` is the size of the receive buffer.
void p2p_isendrecv(struct call *call, struct start start, MPI_Comm comm, int dest, int send_tag,
                   uint64_t n_bytes, int source, int recv_tag, uint64_t n_room);
/// A partitioned message of `n_parts` to or from `peer`.
void p2p_parts(struct call *call, struct start start, bool is_send, MPI_Comm comm, int peer,
               int tag, int n_parts, uint64_t part_bytes);
uint64_t p2p_bytes(MPI_Count count, MPI_Datatype datatype);
/// The size of a received message.
uint64_t p2p_bytes_of(const MPI_Status *status);
/// Records the begin of a message (RECORD_ISEND, RECORD_IRECV_POST), or all of it (RECORD_SEND,
/// RECORD_RECV).
void p2p_write(struct call *call, uint16_t kind, uint32_t comm, int32_t peer, int32_t tag,
               uint64_t n_bytes, uint64_t request);
/// A matched probe has taken a message out of `comm`; a receive is about to take it (`message` may
/// be NULL), and has taken it, or has been posted. What passes between them is the communicator's
/// number, RECORD_NO_COMM: the probe was not seen.
void message_probed(struct call *call, MPI_Comm comm, MPI_Message handle);
uint32_t message_taken(const MPI_Message *message);
void message_received(struct call *call, int returned, uint32_t comm, const MPI_Status *status);
void message_posted(struct call *call, struct start start, uint32_t comm);

// ---- wrap_coll.c
enum coll_operation { // OTF2's numbers
    COLL_BARRIER,
    COLL_BCAST,
    COLL_GATHER,
    COLL_GATHERV,
    COLL_SCATTER,
    COLL_SCATTERV,
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_ALLTOALL,
    COLL_ALLTOALLV,
    COLL_ALLTOALLW,
    COLL_ALLREDUCE,
    COLL_REDUCE,
    COLL_REDUCE_SCATTER,
    COLL_SCAN,
    COLL_EXSCAN,
    COLL_REDUCE_SCATTER_BLOCK,
    COLL_CREATE_HANDLE,
    COLL_DESTROY_HANDLE
};

/// What the operation moves to and from this rank.
struct coll_bytes {
    uint64_t sent;
    uint64_t received;
    bool is_in_place;
};

/// `sent` and `received` are the arguments of the call, as significant or not as they are; `buffer`
/// is the one that may be MPI_IN_PLACE.
void coll_called(struct call *call, struct start start, MPI_Comm comm,
                 enum coll_operation operation, int root, struct amounts sent,
                 struct amounts received, const void *buffer);
/// One without bytes and root, for a communicator known by its number.
void coll_done_on(struct call *call, uint32_t comm_id, enum coll_operation operation);
/// The begin of a nonblocking or persistent one.
void coll_posted(struct call *call, uint32_t comm, uint64_t request);

// ---- wrap_neighbor.c. Neighbourhood collectives: amounts in the order of the topology.
void neighbor_called(struct call *call, struct start start, MPI_Comm comm, struct amounts sent,
                     struct amounts received);

// ---- wrap_comm.c
// A collective call over `parent` made `created` (MPI_COMM_NULL: not for this process).
void comm_created(struct call *call, MPI_Comm parent, MPI_Comm created);
/// A call in which only the members of `created` took part; `parent` may be MPI_COMM_NULL.
void comm_created_by_members(struct call *call, MPI_Comm parent, MPI_Comm created);
/// A nonblocking duplication was started; *created may be set as late as by its completion.
void comm_dup_started(struct call *call, struct start start, MPI_Comm parent, MPI_Comm *created);
/// The same, where rank `root` of `parent` has met another root through `port`; `side`: "accept" or
/// "connect".
void comm_connected(struct call *call, MPI_Comm parent, MPI_Comm created, const char *side,
                    const char *port, int root);
/// MPI_Comm_join with the process at the other end of `socket`: no other process of MPI_COMM_WORLD
/// takes part.
void comm_joined(struct call *call, MPI_Comm created, int socket);
void comm_named(struct call *call, MPI_Comm comm, const char *name);
struct comm;
/// The communicator or window that comm_take() took out has been released, or could not be.
void comm_freed(struct call *call, int returned, const struct comm *freed);

// ---- wrap_rma.c
/// A collective call over `parent` made `window`.
void window_created(struct call *call, MPI_Comm parent, MPI_Win window);
void window_named(struct call *call, MPI_Win window, const char *name);
void window_fenced(struct call *call, MPI_Win window);
/// `target`: a rank in the window, RECORD_ALL_TARGETS.
void window_locked(struct call *call, MPI_Win window, int target, bool is_exclusive);
void window_unlocked(struct call *call, MPI_Win window, int target);
enum access_kind { // numbers as in records
    ACCESS_PUT = RECORD_PUT,
    ACCESS_GET = RECORD_GET,
    ACCESS_ACCUMULATE = RECORD_ATOMIC + 0, // and OTF2's
    ACCESS_COMPARE_AND_SWAP = RECORD_ATOMIC + 3,
    ACCESS_FETCH_AND_ACCUMULATE = RECORD_ATOMIC + 7
};

/// Memory of TARGET, a rank in the window, is put, got, or changed.
void window_accessed(struct call *call, struct start start, MPI_Win window, int target,
                     enum access_kind kind, uint64_t sent_bytes, uint64_t received_bytes);
/// `target`: a rank in the window, RECORD_ALL_TARGETS.
void window_flushed(struct call *call, MPI_Win window, int target, bool is_local);
/// An epoch of the window: exposure of the own memory to a group, or access to that of a group
/// (which is MPI_GROUP_NULL at its end).
void epoch_begun(struct call *call, MPI_Win window, MPI_Group group, bool is_exposure);
void epoch_ended(struct call *call, MPI_Win window, bool is_exposure);

// ---- wrap_file.c. Operations on files whose opening was not seen are not recorded.
enum file_mode { FILE_READ, FILE_WRITE, FILE_SYNC }; // OTF2's numbers

void file_opened(struct call *call, MPI_Comm comm, const char *name, int mode, MPI_File handle);
/// The number of a file that is about to be closed; it has been.
uint32_t file_closing(const MPI_File *handle);
void file_closed(struct call *call, uint32_t number);
/// A blocking operation; without a `status` it has moved what was asked for.
void file_done(struct call *call, MPI_File handle, enum file_mode mode, bool is_collective,
               uint64_t asked_bytes, const MPI_Status *status);
/// A collective operation that moves no data.
void file_changed(struct call *call, MPI_File handle);
/// The begin of a nonblocking one.
void file_started(struct call *call, struct start start, MPI_File handle, enum file_mode mode,
                  bool is_collective, uint64_t asked_bytes);
/// A split collective one.
void file_split_begun(struct call *call, MPI_File handle, enum file_mode mode,
                      uint64_t asked_bytes);
void file_split_ended(struct call *call, MPI_File handle, const MPI_Status *status);

// ---- wrap_request.c, request.c
#define ASKED_IN_PLACE 32 // longer lists live in a buffer of the stream

/// The requests that a call may complete, as they were before it: MPI sets their handles to
/// MPI_REQUEST_NULL.
struct asked {
    int n; // 0: there is nothing to look up
    MPI_Request *requests;
    uint64_t *expected;   // their ids, as request_expect() says
    MPI_Status *statuses; // what MPI writes to
    MPI_Request own_requests[ASKED_IN_PLACE];
    uint64_t own_expected[ASKED_IN_PLACE];
    MPI_Status own_statuses[ASKED_IN_PLACE];
};

/// Before the call. asked_several() returns the statuses to be used: the program's own where it
/// gave some, since the end of a receive is only there.
void asked_one(struct call *call, struct asked *asked, const MPI_Request *request);
MPI_Status *asked_several(struct call *call, struct asked *asked, int count,
                          const MPI_Request requests[], MPI_Status *statuses);
void asked_to_free(struct call *call, struct asked *asked, const MPI_Request *request);

/// After it. `flag` is that of a test, NULL: the call has waited.
void one_ended(struct call *call, int returned, const struct asked *asked, const int *flag,
               const MPI_Request *request, const MPI_Status *status);
void all_ended(struct call *call, int returned, const struct asked *asked, const int *flag,
               const MPI_Request requests[]);
void any_ended(struct call *call, int returned, const struct asked *asked, const int *flag,
               const int *index, const MPI_Request requests[], const MPI_Status *status);
void some_ended(struct call *call, int returned, const struct asked *asked, bool is_test,
                const int *n_done, const int indices[], const MPI_Request requests[]);
/// The program gives up an active request, which goes on: records what can be said of its end.
void request_freed(struct call *call, const struct asked *asked);

/// A persistent request becomes active.
void request_start(struct call *call, MPI_Request request);
/// `n` more parts of a partitioned message are ready: the call with the last of them sends it.
void request_parts_ready(struct call *call, MPI_Request request, int n);
/// A poll that found nothing: joins the call before, or gets a POLL record of its own. `handle` is
/// what it looked for, MPI_REQUEST_NULL: several requests, or a message.
void poll_missed(struct call *call, MPI_Request handle);
// From now on the completion of this request may be a cancellation.
void request_cancelling(const struct call *call, MPI_Request request);
