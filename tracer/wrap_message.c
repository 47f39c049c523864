// SPDX-License-Identifier: BSD-3-Clause
// Matched probes and receives. A message handle stands for a message already taken out of a
// communicator, so the communicator is remembered from the probe to the receive.
#include "tracer/comm.h"
#include "tracer/functions.h"
#include "tracer/request.h"

#include <stdlib.h>

static struct {
    MPI_Message handle;
    uint32_t comm;
} * pending;
static size_t n_pending;
static size_t n_slots;

void message_probed(struct call *call, MPI_Comm comm, MPI_Message handle)
{
    uint32_t id;

    if (!call->stream->in_file || handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC)
        return;
    id = comm_find(call->stream, comm).id;
    tables_lock();
    if (n_pending == n_slots) {
        size_t n_new = n_slots == 0 ? 64 : 2 * n_slots;
        void *larger = realloc(pending, n_new * sizeof *pending);

        if (larger != NULL) {
            pending = larger;
            n_slots = n_new;
        }
    }
    if (n_pending < n_slots) {
        pending[n_pending].handle = handle;
        pending[n_pending++].comm = id;
    }
    tables_unlock();
}

// Takes the handle's communicator out of the list; RECORD_NO_COMM if its probe was not seen.
static uint32_t take(MPI_Message handle)
{
    uint32_t comm = RECORD_NO_COMM;

    tables_lock();
    for (size_t i = 0; i < n_pending; i++) {
        if (pending[i].handle == handle) {
            comm = pending[i].comm;
            pending[i] = pending[--n_pending];
            break;
        }
    }
    tables_unlock();
    return comm;
}

// Both functions once more with a large count, where there is one.
#define WRAPPER_OF_MRECV(name, count_type)                                                         \
    (void *buf, count_type count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) \
    {                                                                                              \
        struct call call;                                                                          \
        MPI_Status own;                                                                            \
        uint32_t comm;                                                                             \
        int result;                                                                                \
                                                                                                   \
        if (!call_enter(&call, FN_##name))                                                         \
            return next_##name(buf, count, datatype, message, status);                             \
        comm = message != NULL ? take(*message) : RECORD_NO_COMM;                                  \
        if (status == MPI_STATUS_IGNORE)                                                           \
            status = &own;                                                                         \
        result = next_##name(buf, count, datatype, message, status);                               \
        call_returned(&call);                                                                      \
        if (comm != RECORD_NO_COMM && p2p_was_received(result))                                    \
            p2p_received(&call, comm, status);                                                     \
        call_leave(&call);                                                                         \
        return result;                                                                             \
    }

// Source and tag are known to the probe's caller only; the completion tells them.
#define WRAPPER_OF_IMRECV(name, count_type)                                                        \
    (void *buf, count_type count, MPI_Datatype datatype, MPI_Message *message,                     \
     MPI_Request *request)                                                                         \
    {                                                                                              \
        struct call call;                                                                          \
        uint32_t comm;                                                                             \
        int result;                                                                                \
                                                                                                   \
        if (!call_enter(&call, FN_##name))                                                         \
            return next_##name(buf, count, datatype, message, request);                            \
        comm = message != NULL ? take(*message) : RECORD_NO_COMM;                                  \
        result = next_##name(buf, count, datatype, message, request);                              \
        call_returned(&call);                                                                      \
        if (result == MPI_SUCCESS && comm != RECORD_NO_COMM)                                       \
            p2p_posted(&call, comm, MPI_ANY_SOURCE, MPI_ANY_TAG, *request);                        \
        call_leave(&call);                                                                         \
        return result;                                                                             \
    }

// WRAP has to stand at the start of a line, for the generator.
// clang-format off
WRAP(MPI_Mrecv) WRAPPER_OF_MRECV(MPI_Mrecv, int)
WRAP(MPI_Imrecv) WRAPPER_OF_IMRECV(MPI_Imrecv, int)
#ifdef HAVE_MPI_Mrecv_c
WRAP(MPI_Mrecv_c) WRAPPER_OF_MRECV(MPI_Mrecv_c, MPI_Count)
WRAP(MPI_Imrecv_c) WRAPPER_OF_IMRECV(MPI_Imrecv_c, MPI_Count)
#endif
    // clang-format on
