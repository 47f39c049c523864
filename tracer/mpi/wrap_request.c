// SPDX-License-Identifier: BSD-3-Clause
// The test and wait family, and probes.
//
// Handles are copied before the call. Source, tag and size of a receive are only in its status, so
// the wrapper supplies one if the program ignores it.
//
// Polling: consecutive calls of one function that found nothing become one call record, from the
// first enter to the last leave, with the first call site and a POLL record that counts them. They
// are joined only if nothing was recorded between them, and no long interval (which has CPU times).
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"
#include "tracer/mpi/request.h"

#include <string.h>

_Static_assert(sizeof(MPI_Status) % _Alignof(MPI_Request) == 0,
               "use_scratch() places one array after the other");

/// Room for `n` of each in the stream's buffer. False: no memory.
static bool use_scratch(struct stream *stream, struct asked *asked, size_t n)
{
    size_t n_bytes = n * (sizeof(uint64_t) + sizeof(MPI_Status) + sizeof(MPI_Request));
    uint8_t *buffer = stream_scratch(stream, n_bytes);
    if (!buffer)
        return false;
    // By falling alignment.
    asked->expected = (void *)buffer;
    asked->statuses = (void *)(buffer + n * sizeof(uint64_t));
    asked->requests = (void *)(buffer + n * (sizeof(uint64_t) + sizeof(MPI_Status)));
    return true;
}

static void use_own(struct asked *asked)
{
    asked->requests = asked->own_requests;
    asked->expected = asked->own_expected;
    asked->statuses = asked->own_statuses;
}

void asked_one(struct call *call, struct asked *asked, const MPI_Request *request)
{
    use_own(asked);
    asked->n = 1;
    asked->requests[0] = request ? *request : MPI_REQUEST_NULL;
    asked->expected[0] = request_expect(call->stream, asked->requests[0]);
}

MPI_Status *asked_several(struct call *call, struct asked *asked, int count,
                          const MPI_Request requests[], MPI_Status *statuses)
{
    size_t n = (size_t)count;
    asked->n = 0;
    asked->statuses = statuses;
    if (count <= 0 || !requests || !request_any())
        return statuses;
    if (count <= ASKED_IN_PLACE)
        use_own(asked);
    else if (!use_scratch(call->stream, asked, n))
        return statuses;
    asked->n = count;
    memcpy(asked->requests, requests, n * sizeof *requests);
    memset(asked->expected, 0, n * sizeof *asked->expected);
    for (size_t i = 0; tables_are_threaded() && i < n; i++)
        asked->expected[i] = request_expect(call->stream, requests[i]);
    if (statuses != MPI_STATUSES_IGNORE)
        asked->statuses = statuses;
    return asked->statuses;
}

/// Whether a cancelled request was cancelled can only be asked as long as it exists.
void asked_to_free(struct call *call, struct asked *asked, const MPI_Request *request)
{
    int is_done = 0;
    asked_one(call, asked, request);
    if (asked->requests[0] != MPI_REQUEST_NULL &&
        request_is_cancelling(call->stream, asked->requests[0]))
        PMPI_Request_get_status(asked->requests[0], &is_done, asked->statuses);
    if (!is_done)
        asked->statuses = NULL;
}

void poll_missed(struct call *call, MPI_Request handle)
{
    struct stream *stream = call->stream;
    uint64_t request = handle != MPI_REQUEST_NULL ? request_id(stream, handle) : 0;
    struct window *window = &stream->window;
    struct record_poll *before = window->poll_before;
    if (!window->open)
        return;
    uint64_t inside_ns = call->leave_ns - window->open->enter_ns;
    size_t between = 2 * stream->counters.n_bytes; // counters of its leave, and of this enter
    if (before && window->poll_call->head.id == call->function &&
        (uint8_t *)window->open == (uint8_t *)(before + 1) + between) {
        stream_undo(stream, before + 1, between + (size_t)window->open->head.n_words * 8);
        window->open = window->poll_call;
        window->open->leave_ns = call->leave_ns;
        before->count++;
        before->inside_ns += inside_ns;
        if (before->request != request)
            before->request = 0;
        window->poll = before;
        return;
    }
    struct record_poll *poll = stream_reserve(stream, sizeof *poll);
    bool is_written = RECORD_WRITE(poll, RECORD_POLL, 0, record_poll, .count = 1,
                                   .inside_ns = inside_ns, .request = request);
    // The call's own record may have been in the window before: then it cannot be extended.
    if (!is_written || !window->open)
        return;
    window->poll = poll;
    window->poll_call = window->open;
}

/// A call said `result` of the request that it asked for as number `i`. A message that was too long
/// has come all the same; of a request that ended otherwise there is nothing to record.
static void ended(struct call *call, int result, const struct asked *asked, int i,
                  const MPI_Request *request, const MPI_Status *status)
{
    MPI_Request handle = asked->requests[i];
    if (result == MPI_SUCCESS || p2p_was_received(result))
        request_completed(call, handle, asked->expected[i], status);
    else if (request && handle != MPI_REQUEST_NULL && *request == MPI_REQUEST_NULL)
        request_remove(call->stream, handle);
}

void one_ended(struct call *call, int returned, const struct asked *asked, const int *flag,
               const MPI_Request *request, const MPI_Status *status)
{
    if (flag && returned == MPI_SUCCESS && !*flag)
        poll_missed(call, asked->requests[0]);
    else
        ended(call, returned, asked, 0, request, status);
}

/// Whether the statuses tell how each request ended. *result is then what holds for all, or
/// MPI_ERR_IN_STATUS.
static bool is_told(int returned, const struct asked *asked, int *result)
{
    *result = p2p_error_class(returned);
    return asked->n > 0 && (*result == MPI_SUCCESS || *result == MPI_ERR_IN_STATUS);
}

static void ended_as_told(struct call *call, int result, const struct asked *asked, int i,
                          const MPI_Request *request, const MPI_Status *status)
{
    ended(call, result == MPI_SUCCESS ? MPI_SUCCESS : status->MPI_ERROR, asked, i, request, status);
}

void all_ended(struct call *call, int returned, const struct asked *asked, const int *flag,
               const MPI_Request requests[])
{
    int result;
    if (flag && returned == MPI_SUCCESS && !*flag)
        poll_missed(call, MPI_REQUEST_NULL);
    else if (is_told(returned, asked, &result))
        for (int i = 0; i < asked->n; i++)
            ended_as_told(call, result, asked, i, &requests[i], &asked->statuses[i]);
}

/// After a failure `index` may not be set.
void any_ended(struct call *call, int returned, const struct asked *asked, const int *flag,
               const int *index, const MPI_Request requests[], const MPI_Status *status)
{
    if (returned != MPI_SUCCESS) {
        for (int i = 0; i < asked->n; i++)
            if (asked->requests[i] != MPI_REQUEST_NULL && requests[i] == MPI_REQUEST_NULL)
                ended(call, returned, asked, i, &requests[i], status);
    } else if (flag && !*flag) {
        poll_missed(call, MPI_REQUEST_NULL);
    } else if (asked->n > 0 && *index != MPI_UNDEFINED) {
        request_completed(call, asked->requests[*index], asked->expected[*index], status);
    }
}

void some_ended(struct call *call, int returned, const struct asked *asked, bool is_test,
                const int *n_done, const int indices[], const MPI_Request requests[])
{
    int result;
    if (is_test && returned == MPI_SUCCESS && *n_done == 0)
        poll_missed(call, MPI_REQUEST_NULL);
    else if (is_told(returned, asked, &result) && *n_done != MPI_UNDEFINED)
        for (int i = 0; i < *n_done; i++)
            ended_as_told(call, result, asked, indices[i], &requests[indices[i]],
                          &asked->statuses[i]);
}
