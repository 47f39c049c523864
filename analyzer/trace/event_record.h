// SPDX-License-Identifier: BSD-3-Clause
// The structure of a record of events (.evt, see chunk_file.h). Some old kinds have no length, but
// a single number. A number is the byte for its length, 0 for zero and 255 for the largest number,
// and as many bytes. In front of a record may be the byte 5 and a time stamp of 8 bytes, which
// holds for the records after it as well, and lists of attributes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/chunk_file.h"

enum { TIME_STAMP = 5, ATTRIBUTE_LIST = 6 }; // where a kind could be

/// Those that a replay reads.
enum record_kind {
    BUFFER_FLUSH = 10,
    MEASUREMENT_ON_OFF = 11,
    ENTER = 12,
    LEAVE = 13,
    MPI_SEND = 14,
    MPI_ISEND = 15,
    MPI_ISEND_COMPLETE = 16,
    MPI_IRECV_REQUEST = 17,
    MPI_RECV = 18,
    MPI_IRECV = 19,
    MPI_REQUEST_TEST = 20,
    MPI_REQUEST_CANCELLED = 21,
    MPI_COLLECTIVE_BEGIN = 22,
    MPI_COLLECTIVE_END = 23,
    OMP_FORK = 24,
    OMP_TASK_CREATE = 28,
    OMP_TASK_SWITCH = 29,
    OMP_TASK_COMPLETE = 30,
    METRIC = 31,
    PARAMETER_STRING = 32,
    PARAMETER_INT = 33,
    PARAMETER_UNSIGNED_INT = 34,
    RMA_COLLECTIVE_BEGIN = 37,
    RMA_COLLECTIVE_END = 38,
    RMA_GROUP_SYNC = 39,
    RMA_REQUEST_LOCK = 40,
    RMA_RELEASE_LOCK = 43,
    RMA_PUT = 46,
    RMA_GET = 47,
    RMA_ATOMIC = 48,
    THREAD_FORK = 53,
    THREAD_JOIN = 54,
    THREAD_TEAM_BEGIN = 55,
    THREAD_TEAM_END = 56,
    THREAD_ACQUIRE_LOCK = 57,
    THREAD_RELEASE_LOCK = 58,
    THREAD_CREATE = 62,
    THREAD_BEGIN = 63,
    THREAD_WAIT = 64,
    THREAD_END = 65,
    CALLING_CONTEXT_ENTER = 66,
    CALLING_CONTEXT_LEAVE = 67,
    IO_CREATE_HANDLE = 69,
    IO_DESTROY_HANDLE = 70,
    IO_CHANGE_STATUS_FLAGS = 73,
    IO_OPERATION_BEGIN = 75,
    IO_OPERATION_COMPLETE = 78,
    IO_OPERATION_CANCELLED = 79,
    NON_BLOCKING_COLLECTIVE_REQUEST = 85,
    NON_BLOCKING_COLLECTIVE_COMPLETE = 86,
    MPI_PROBE = 89, // since OTF2 3.2
    MPI_MRECV = 90,
    MPI_IMRECV_REQUEST = 91,
    MPI_IMRECV = 92,
    LAST_KNOWN = MPI_IMRECV
};

/// Kinds of OTF2 1.0 whose content is a number without a length in front of it.
static inline bool event_record_is_bare_number(int kind)
{
    const uint64_t kinds = UINT64_C(1) << ENTER | UINT64_C(1) << LEAVE |
                           UINT64_C(1) << MPI_ISEND_COMPLETE | UINT64_C(1) << MPI_IRECV_REQUEST |
                           UINT64_C(1) << MPI_REQUEST_TEST | UINT64_C(1) << MPI_REQUEST_CANCELLED |
                           UINT64_C(1) << OMP_FORK | UINT64_C(1) << OMP_TASK_CREATE |
                           UINT64_C(1) << OMP_TASK_SWITCH | UINT64_C(1) << OMP_TASK_COMPLETE;
    return kind < 64 && (kinds >> kind & 1);
}

/// Finds the content of a record, which begins at WINDOW's place; false when it is damaged.
static inline bool event_record_find_content(struct chunk_file *file, struct window *window,
                                             int kind, struct content *content)
{
    uint64_t n = 1;
    if (!event_record_is_bare_number(kind)) {
        if (!window_find_content(file, window, &n))
            return false;
    } else {
        if (!window_have(file, window, 0))
            return false;
        if (*window->at != LONG_LENGTH)
            n += *window->at;
        if (n > FULL_NUMBER_BYTES + 1 || !window_have(file, window, n))
            return false;
    }
    *content = (struct content){
        .at = window->at, .end = window->at + n, .is_big_endian = file->is_big_endian};
    window->at += n;
    return true;
}
