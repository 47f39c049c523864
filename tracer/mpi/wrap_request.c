// SPDX-License-Identifier: BSD-3-Clause
// The test and wait family, and probes.
//
// MPI sets handles to MPI_REQUEST_NULL on completion, so they are copied before the call. Source,
// tag and size of a receive are only in its status, so the wrapper supplies one if the program
// ignores it. For long lists, both live in a buffer of the stream.
//
// Polling: consecutive calls of one function that found nothing become one call record, from the
// first enter to the last leave, with the first call site and a POLL record that counts them. They
// are joined only if nothing was recorded between them, and no long interval (which has CPU times).
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"
#include "tracer/mpi/request.h"

#include <string.h>

/// Statuses and handles for one call on `n` requests.
struct scratch {
    MPI_Request *requests; // NULL: nothing to look up
    uint64_t *expected;    // ids of the requests, as request_expect() says
    MPI_Status *statuses;
};

#define N_ON_STACK 32

struct scratch_space {
    MPI_Request requests[N_ON_STACK];
    uint64_t expected[N_ON_STACK];
    MPI_Status statuses[N_ON_STACK];
};

_Static_assert(sizeof(MPI_Status) % _Alignof(MPI_Request) == 0,
               "scratch_from() puts one behind the other");

/// Room for `n` of each in the stream's buffer. False: no memory.
static bool scratch_from(struct stream *stream, struct scratch *scratch, size_t n)
{
    size_t n_bytes = n * (sizeof(uint64_t) + sizeof(MPI_Status) + sizeof(MPI_Request));
    uint8_t *buffer = stream_scratch(stream, n_bytes);
    if (!buffer)
        return false;
    // By falling alignment.
    scratch->expected = (void *)buffer;
    scratch->statuses = (void *)(buffer + n * sizeof(uint64_t));
    scratch->requests = (void *)(buffer + n * (sizeof(uint64_t) + sizeof(MPI_Status)));
    return true;
}

/// Copies the handles. The program's own statuses are used where it gave some.
static struct scratch scratch_for(const struct call *call, struct scratch_space *space, int count,
                                  const MPI_Request *list, MPI_Status *statuses)
{
    struct scratch scratch = {NULL, NULL, statuses};
    size_t n = (size_t)count;
    if (count <= 0 || !list || !request_any())
        return scratch;
    if (count <= N_ON_STACK) {
        scratch.requests = space->requests;
        scratch.expected = space->expected;
        scratch.statuses = space->statuses;
    } else if (!scratch_from(call->stream, &scratch, n)) {
        return scratch;
    }
    memcpy(scratch.requests, list, n * sizeof *list);
    memset(scratch.expected, 0, n * sizeof *scratch.expected);
    for (size_t i = 0; tables_are_threaded() && i < n; i++)
        scratch.expected[i] = request_expect(call->stream, list[i]);
    if (statuses != MPI_STATUSES_IGNORE)
        scratch.statuses = statuses;
    return scratch;
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
    if (before && window->poll_call->head.id == call->function &&
        (uint8_t *)window->open == (uint8_t *)(before + 1)) {
        stream_undo(stream, window->open, (size_t)window->open->head.n_words * 8);
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
    if (!poll)
        return;
    poll->count = 1;
    poll->inside_ns = inside_ns;
    poll->request = request;
    stream_commit(&poll->head, RECORD_POLL, 0, sizeof *poll);
    // The call's own record may have been in the window before: then it cannot be extended.
    if (!window->open)
        return;
    window->poll = poll;
    window->poll_call = window->open;
}

static int class_of(int result)
{
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    return class;
}

/// A call said `result` of one request. A message that was too long has come all the same; of a
/// request that ended otherwise there is nothing to record.
static void ended(struct call *call, int result, MPI_Request handle, uint64_t expected,
                  const MPI_Request *request, const MPI_Status *status)
{
    if (result == MPI_SUCCESS || p2p_was_received(result))
        request_completed(call, handle, expected, status);
    else if (request && handle != MPI_REQUEST_NULL && *request == MPI_REQUEST_NULL)
        request_remove(call->stream, handle);
}

/// A call that completes any one of several requests failed: `index` may not be set.
static void any_failed(struct call *call, int result, int count, const MPI_Request requests[],
                       const struct scratch *scratch, const MPI_Status *status)
{
    for (int i = 0; scratch->requests && i < count; i++)
        if (scratch->requests[i] != MPI_REQUEST_NULL && requests[i] == MPI_REQUEST_NULL)
            ended(call, result, scratch->requests[i], scratch->expected[i], &requests[i], status);
}

WRAP(MPI_Wait)(MPI_Request *request, MPI_Status *status)
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Wait))
        return next_MPI_Wait(request, status);
    MPI_Request handle = request ? *request : MPI_REQUEST_NULL;
    uint64_t expected = request_expect(call.stream, handle);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int result = next_MPI_Wait(request, status);
    call_returned(&call);
    ended(&call, result, handle, expected, request, status);
    call_leave(&call);
    return result;
}

WRAP(MPI_Test)(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Test))
        return next_MPI_Test(request, flag, status);
    MPI_Request handle = request ? *request : MPI_REQUEST_NULL;
    uint64_t expected = request_expect(call.stream, handle);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int result = next_MPI_Test(request, flag, status);
    call_returned(&call);
    if (result == MPI_SUCCESS && !*flag)
        poll_missed(&call, handle);
    else
        ended(&call, result, handle, expected, request, status);
    call_leave(&call);
    return result;
}

static void all_completed(struct call *call, int result, int count, const MPI_Request requests[],
                          const struct scratch *scratch)
{
    int class = class_of(result);
    if (!scratch->requests || (class != MPI_SUCCESS && class != MPI_ERR_IN_STATUS))
        return;
    for (int i = 0; i < count; i++)
        ended(call, class == MPI_SUCCESS ? MPI_SUCCESS : scratch->statuses[i].MPI_ERROR,
              scratch->requests[i], scratch->expected[i], &requests[i], &scratch->statuses[i]);
}

WRAP(MPI_Waitall)(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Waitall))
        return next_MPI_Waitall(count, requests, statuses);
    struct scratch_space space;
    struct scratch scratch = scratch_for(&call, &space, count, requests, statuses);
    int result = next_MPI_Waitall(count, requests, scratch.statuses);
    call_returned(&call);
    all_completed(&call, result, count, requests, &scratch);
    call_leave(&call);
    return result;
}

WRAP(MPI_Testall)(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Testall))
        return next_MPI_Testall(count, requests, flag, statuses);
    struct scratch_space space;
    struct scratch scratch = scratch_for(&call, &space, count, requests, statuses);
    int result = next_MPI_Testall(count, requests, flag, scratch.statuses);
    call_returned(&call);
    if (result == MPI_SUCCESS && !*flag)
        poll_missed(&call, MPI_REQUEST_NULL);
    else
        all_completed(&call, result, count, requests, &scratch);
    call_leave(&call);
    return result;
}

WRAP(MPI_Waitany)(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Waitany))
        return next_MPI_Waitany(count, requests, index, status);
    struct scratch_space space;
    struct scratch scratch = scratch_for(&call, &space, count, requests, MPI_STATUSES_IGNORE);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int result = next_MPI_Waitany(count, requests, index, status);
    call_returned(&call);
    if (result != MPI_SUCCESS)
        any_failed(&call, result, count, requests, &scratch, status);
    else if (scratch.requests && *index != MPI_UNDEFINED)
        request_completed(&call, scratch.requests[*index], scratch.expected[*index], status);
    call_leave(&call);
    return result;
}

WRAP(MPI_Testany)(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Testany))
        return next_MPI_Testany(count, requests, index, flag, status);
    struct scratch_space space;
    struct scratch scratch = scratch_for(&call, &space, count, requests, MPI_STATUSES_IGNORE);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int result = next_MPI_Testany(count, requests, index, flag, status);
    call_returned(&call);
    if (result != MPI_SUCCESS)
        any_failed(&call, result, count, requests, &scratch, status);
    else if (!*flag)
        poll_missed(&call, MPI_REQUEST_NULL);
    else if (scratch.requests && *index != MPI_UNDEFINED)
        request_completed(&call, scratch.requests[*index], scratch.expected[*index], status);
    call_leave(&call);
    return result;
}

static void some_completed(struct call *call, int result, const int *n_done, const int indices[],
                           const MPI_Request requests[], const struct scratch *scratch)
{
    int class = class_of(result);
    if (!scratch->requests || (class != MPI_SUCCESS && class != MPI_ERR_IN_STATUS) ||
        *n_done == MPI_UNDEFINED)
        return;
    for (int i = 0; i < *n_done; i++)
        ended(call, class == MPI_SUCCESS ? MPI_SUCCESS : scratch->statuses[i].MPI_ERROR,
              scratch->requests[indices[i]], scratch->expected[indices[i]], &requests[indices[i]],
              &scratch->statuses[i]);
}

WRAP(MPI_Waitsome)
(int count, MPI_Request requests[], int *n_done, int indices[], MPI_Status statuses[])
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Waitsome))
        return next_MPI_Waitsome(count, requests, n_done, indices, statuses);
    struct scratch_space space;
    struct scratch scratch = scratch_for(&call, &space, count, requests, statuses);
    int result = next_MPI_Waitsome(count, requests, n_done, indices, scratch.statuses);
    call_returned(&call);
    some_completed(&call, result, n_done, indices, requests, &scratch);
    call_leave(&call);
    return result;
}

WRAP(MPI_Testsome)
(int count, MPI_Request requests[], int *n_done, int indices[], MPI_Status statuses[])
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Testsome))
        return next_MPI_Testsome(count, requests, n_done, indices, statuses);
    struct scratch_space space;
    struct scratch scratch = scratch_for(&call, &space, count, requests, statuses);
    int result = next_MPI_Testsome(count, requests, n_done, indices, scratch.statuses);
    call_returned(&call);
    if (result == MPI_SUCCESS && *n_done == 0)
        poll_missed(&call, MPI_REQUEST_NULL);
    else
        some_completed(&call, result, n_done, indices, requests, &scratch);
    call_leave(&call);
    return result;
}

WRAP(MPI_Request_free)(MPI_Request *request)
{
    struct call call;
    if (!call_enter(&call, FN_MPI_Request_free))
        return next_MPI_Request_free(request);
    MPI_Request handle = request ? *request : MPI_REQUEST_NULL;
    MPI_Status status;
    int is_done = 0;
    // Whether a cancelled request was cancelled can only be asked as long as it exists.
    if (handle != MPI_REQUEST_NULL && request_is_cancelling(call.stream, handle))
        PMPI_Request_get_status(handle, &is_done, &status);
    int result = next_MPI_Request_free(request);
    call_returned(&call);
    if (result == MPI_SUCCESS)
        request_freed(&call, handle, is_done ? &status : NULL);
    call_leave(&call);
    return result;
}
