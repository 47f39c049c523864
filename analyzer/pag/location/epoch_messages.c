// SPDX-License-Identifier: BSD-3-Clause
// See epoch_messages.h. A record tells the window, the group, and whether an epoch begins or ends.
// Which of the two sides of the epoch it is tells the function.
#include "analyzer/pag/location/epoch_messages.h"

// Apart from any that a program's requests have: those count up.
#define FIRST_REQUEST (UINT64_C(1) << 63)

uint64_t epoch_request(uint32_t window, uint32_t target)
{
    return FIRST_REQUEST | (uint64_t)window << 32 | target;
}

static struct event message(const struct event *sync, enum event_kind kind, uint32_t peer,
                            uint32_t tag)
{
    return (struct event){
        .time_ns = sync->time_ns,
        .kind = (uint8_t)kind,
        .flags = EVENT_OF_WINDOW,
        .index = sync->index,
        .peer = peer,
        .tag = tag,
    };
}

static struct event post(const struct event *sync, enum event_kind kind, uint32_t peer,
                         uint32_t target)
{
    struct event event = message(sync, kind, peer, EVENT_TAG_POST);
    event.request = epoch_request(sync->index, target);
    if (kind == EVENT_IRECV_REQUEST)
        event.flags |= EVENT_HAS_ENVELOPE;
    return event;
}

uint32_t epoch_messages(const struct definitions *definitions, const struct event *sync,
                        enum mpi_function function, uint32_t own, uint32_t member,
                        struct event events[EPOCH_MAX_MESSAGES])
{
    const struct communicator *window = &definitions->communicators[sync->index];
    uint32_t other = definitions->groups[sync->peer].members[member];
    bool is_end = sync->tag != 0, is_alone = window->n_members == 0;
    if (other == EVENT_NO_INDEX || (is_alone && other != own))
        return 0;
    uint32_t peer = communicator_rank_of(window, other);
    if (peer == EVENT_NO_INDEX)
        return 0;
    if (function == MPI_FUNCTION_WIN_POST && !is_end) {
        events[0] = message(sync, EVENT_ISEND, peer, EVENT_TAG_POST);
        return 1;
    }
    if (function == MPI_FUNCTION_WIN_START && !is_end) {
        events[0] = post(sync, EVENT_IRECV_REQUEST, peer, other);
        events[1] = post(sync, EVENT_IRECV, peer, other);
        return 2;
    }
    if (function == MPI_FUNCTION_WIN_COMPLETE && is_end) {
        events[0] = post(sync, EVENT_IRECV, peer, other);
        events[1] = message(sync, EVENT_ISEND, peer, EVENT_TAG_COMPLETE);
        return 2;
    }
    if ((function == MPI_FUNCTION_WIN_WAIT || function == MPI_FUNCTION_TEST) && is_end) {
        events[0] = message(sync, EVENT_RECV, peer, EVENT_TAG_COMPLETE);
        return 1;
    }
    return 0;
}
