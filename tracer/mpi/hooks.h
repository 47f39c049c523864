// SPDX-License-Identifier: BSD-3-Clause
// What wrappers record: the functions that functions.list and the hand-written wrappers call after
// an MPI function succeeded (so that its arguments are known to be valid).
#ifndef PAGODA_TRACER_HOOKS_H
#define PAGODA_TRACER_HOOKS_H

#include "tracer/dispatch/dispatch.h"
#include "tracer/mpi/call.h"

#include <mpi.h>
#include <stdbool.h>

#include "functions.gen.h" // generated from this mpi.h, in its build folder

/// The MPI functions of this mpi.h, one FN_... number each. functions.gen.h also declares the
/// definitions to call (next_...) and the wrappers (wrap_...).
struct wrapper {
    const char *name;
    function_pointer *next;
    function_pointer wrap;
    bool enter_leave_only; // nothing else depends on its records
};

extern const struct wrapper wrappers[N_MPI_FUNCTIONS];

// A hand-written wrapper of an MPI function that returns int. The generator looks for WRAP at the
// start of a line.
#define WRAP(name) int wrap_##name

// ---- wrap_p2p.c. Messages to and from MPI_PROC_NULL are no messages.
void p2p_send(struct call *call, MPI_Comm comm, int dest, int tag, MPI_Count count,
              MPI_Datatype datatype);
/// A receive that fails because the message was too long has received it all the same.
void p2p_recv(struct call *call, int returned, MPI_Comm comm, const MPI_Status *status);
void p2p_sendrecv(struct call *call, int returned, MPI_Comm comm, int dest, int tag,
                  MPI_Count count, MPI_Datatype datatype, const MPI_Status *status);
/// Did the call (or request) with this result take its message?
bool p2p_was_received(int returned);
void p2p_isend(struct call *call, MPI_Comm comm, int dest, int tag, MPI_Count count,
               MPI_Datatype datatype, MPI_Request request);
void p2p_irecv(struct call *call, MPI_Comm comm, int source, int tag, MPI_Request request);
/// `n_room` is the size of the receive buffer.
void p2p_isendrecv(struct call *call, MPI_Comm comm, int dest, int send_tag, uint64_t n_bytes,
                   int source, int recv_tag, uint64_t n_room, MPI_Request request);
uint64_t p2p_bytes(MPI_Count count, MPI_Datatype datatype);
/// The size of a received message.
uint64_t p2p_bytes_of(const MPI_Status *status);
/// Records the begin of a message (RECORD_ISEND, RECORD_IRECV_POST), or all of it (RECORD_SEND,
/// RECORD_RECV).
void p2p_write(struct call *call, uint16_t kind, uint32_t comm, int32_t peer, int32_t tag,
               uint64_t n_bytes, uint64_t request);
/// The same for a communicator known by its number.
void p2p_received(struct call *call, uint32_t comm, const MPI_Status *status);
void p2p_posted(struct call *call, uint32_t comm, int source, int tag, MPI_Request request);
void p2p_send_init(struct call *call, MPI_Comm comm, int dest, int tag, MPI_Count count,
                   MPI_Datatype datatype, MPI_Request request);
void p2p_recv_init(struct call *call, MPI_Comm comm, int source, int tag, MPI_Request request);
/// A persistent request becomes active.
void request_start(struct call *call, MPI_Request request);

// ---- wrap_coll.c. Bytes as Score-P counts them: what the operation moves by its definition,
// a rank's own contribution included unless MPI_IN_PLACE is given.
struct coll_bytes {
    uint64_t sent;
    uint64_t received;
    bool is_in_place;
};

/// A counts array of a vector collective: int, or MPI_Count in the large-count functions.
struct counts {
    const void *array;
    size_t element_bytes;
};
#define COUNTS(array) ((struct counts){(array), sizeof *(array)})
uint64_t count_at(struct counts counts, int i);

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

void coll_done(struct call *call, MPI_Comm comm, enum coll_operation operation, int root,
               struct coll_bytes bytes);
/// The same without bytes or root, for a communicator known by its number only.
void coll_done_on(struct call *call, uint32_t comm_id, enum coll_operation operation);
void coll_started(struct call *call, MPI_Comm comm, enum coll_operation operation, int root,
                  struct coll_bytes bytes, MPI_Request request);
/// A persistent one is made, and starts nothing yet.
void coll_init(struct call *call, MPI_Comm comm, enum coll_operation operation, int root,
               struct coll_bytes bytes, MPI_Request request);
/// The begin of a nonblocking or persistent one.
void coll_posted(struct call *call, uint32_t comm, uint64_t request);

struct coll_bytes coll_no_bytes(void);
/// `buffer` is the argument that may be MPI_IN_PLACE.
struct coll_bytes coll_all_to_one(MPI_Comm comm, int root, MPI_Count send_count,
                                  MPI_Datatype send_type, MPI_Count recv_count,
                                  MPI_Datatype recv_type, const void *buffer);
struct coll_bytes coll_one_to_all(MPI_Comm comm, int root, MPI_Count send_count,
                                  MPI_Datatype send_type, MPI_Count recv_count,
                                  MPI_Datatype recv_type, const void *buffer);
struct coll_bytes coll_gatherv(MPI_Comm comm, int root, MPI_Count send_count,
                               MPI_Datatype send_type, struct counts recv_counts,
                               MPI_Datatype recv_type, const void *buffer);
struct coll_bytes coll_scatterv(MPI_Comm comm, int root, struct counts send_counts,
                                MPI_Datatype send_type, MPI_Count recv_count,
                                MPI_Datatype recv_type, const void *buffer);
struct coll_bytes coll_all_to_all(MPI_Comm comm, MPI_Count send_count, MPI_Datatype send_type,
                                  MPI_Count recv_count, MPI_Datatype recv_type, const void *buffer);
struct coll_bytes coll_allgatherv(MPI_Comm comm, MPI_Count send_count, MPI_Datatype send_type,
                                  struct counts recv_counts, MPI_Datatype recv_type,
                                  const void *buffer);
struct coll_bytes coll_alltoallv(MPI_Comm comm, struct counts send_counts, MPI_Datatype send_type,
                                 struct counts recv_counts, MPI_Datatype recv_type,
                                 const void *buffer);
struct coll_bytes coll_alltoallw(MPI_Comm comm, struct counts send_counts,
                                 const MPI_Datatype *send_types, struct counts recv_counts,
                                 const MPI_Datatype *recv_types, const void *buffer);
struct coll_bytes coll_reduce_scatter(MPI_Comm comm, struct counts recv_counts,
                                      MPI_Datatype datatype, const void *buffer);
struct coll_bytes coll_reduce_scatter_block(MPI_Comm comm, MPI_Count recv_count,
                                            MPI_Datatype datatype, const void *buffer);
struct coll_bytes coll_scan(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype,
                            const void *buffer);

// ---- wrap_neighbor.c. Neighbourhood collectives: how much goes to (comes from) each neighbour, in
// the order of the topology.
struct neighbor_amounts {
    MPI_Count count;
    MPI_Datatype type;
    struct counts counts;      // .array NULL: `count` for all
    const MPI_Datatype *types; // NULL: `type` for all
};

struct neighbor_amounts neighbor_each(MPI_Count count, MPI_Datatype type);
struct neighbor_amounts neighbor_list(struct counts counts, MPI_Datatype type);
struct neighbor_amounts neighbor_typed(struct counts counts, const MPI_Datatype *types);

void neighbor_done(struct call *call, MPI_Comm comm, struct neighbor_amounts sent,
                   struct neighbor_amounts received);
void neighbor_started(struct call *call, MPI_Comm comm, struct neighbor_amounts sent,
                      struct neighbor_amounts received, MPI_Request request);
void neighbor_init(struct call *call, MPI_Comm comm, struct neighbor_amounts sent,
                   struct neighbor_amounts received, MPI_Request request);

// ---- wrap_comm.c
// A collective call over `parent` made `created` (MPI_COMM_NULL: not for this process).
void comm_created(struct call *call, MPI_Comm parent, MPI_Comm created);
/// A call in which only the members of `created` took part; `parent` may be MPI_COMM_NULL.
void comm_created_by_members(struct call *call, MPI_Comm parent, MPI_Comm created);
/// A nonblocking duplication was started; *created may be set as late as by its completion.
void comm_dup_started(struct call *call, MPI_Comm parent, MPI_Comm *created, MPI_Request request);
/// MPI_Comm_join: no other process of MPI_COMM_WORLD takes part.
void comm_joined(struct call *call, MPI_Comm created);
void comm_named(struct call *call, MPI_Comm comm, const char *name);

// ---- wrap_p2p.c
// A matched probe has taken a message out of `comm`.
void message_probed(struct call *call, MPI_Comm comm, MPI_Message handle);

// ---- wrap_request.c, request.c
/// A poll that found nothing: joins the call before, or gets a POLL record of its own. `handle` is
/// what it looked for, MPI_REQUEST_NULL: several requests, or a message.
void poll_missed(struct call *call, MPI_Request handle);
// From now on the completion of this request may be a cancellation.
void request_cancelling(const struct call *call, MPI_Request request);

#endif
