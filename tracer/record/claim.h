// SPDX-License-Identifier: BSD-3-Clause
// How a function of the C library that this library stands in front of comes to record something:
// nothing is recorded within MPI calls and within the tracer, and errno stays as it was.
#pragma once

#include "tracer/dispatch/dispatch.h"
#include "tracer/record/stream.h"

#include <errno.h>

/// The calling thread's stream, which is busy until give_stream(); NULL: nothing is to be recorded.
/// *error is errno as it was.
static inline struct stream *claim_stream(int *error)
{
    if (dispatch_is_inside())
        return NULL;
    *error = errno;
    struct stream *stream = stream_current();
    if (stream)
        dispatch_set_inside(INSIDE_TRACER);
    else
        errno = *error;
    return stream;
}

static inline void give_stream(int error)
{
    dispatch_set_inside(0);
    errno = error;
}
