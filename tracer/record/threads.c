// SPDX-License-Identifier: BSD-3-Clause
// Records of POSIX threads. A call that waits has a record at its enter and another one at its
// leave, so that a thread may end in it, or the process hang. Calls that do not wait have one.
//
// Only threads that record are looked at: the program's, once MPI_Init has returned, and those that
// have called MPI or entered a region. A thread of the program that begins before takes part from
// its first wait after MPI_Init on.
#include "tracer/record/recording.h"

#include "tracer/record/claim.h"
#include "tracer/record/clock.h"
#include "tracer/record/module.h"
#include "tracer/record/region.h"

// Each takes a file, a descriptor and a window. A program with more threads at a time than these
// has them recorded only where they call MPI.
enum { MOST_THREADS = 256 };

static bool is_excluded[N_THREAD_CALLS]; // by a filter of regions
static __thread bool is_of_program __attribute__((tls_model("initial-exec")));

static struct stream *claim(int *error)
{
    bool is_recorded = stream_of_thread || (is_of_program && stream_may_open(MOST_THREADS));
    return is_recorded ? claim_stream(error) : NULL;
}

static void begin(uint32_t number)
{
    int error;
    is_of_program = true;
    struct stream *stream = claim(&error);
    if (!stream) {
        stream_count_left_out();
        return;
    }
    uint64_t time_ns = clock_now_ns();
    recording_check(stream, time_ns);
    counters_take(stream);
    if (!stream->off)
        STREAM_WRITE(stream, RECORD_THREAD_BEGIN, number, record_time, .time_ns = time_ns);
    give_stream(error);
}

static bool enter(const struct thread_action *action)
{
    int error;
    struct stream *stream = is_excluded[action->call] ? NULL : claim(&error);
    if (!stream)
        return false;
    module_met(stream, (uint64_t)(uintptr_t)action->site);
    uint64_t time_ns = clock_now_ns();
    recording_check(stream, time_ns);
    counters_take(stream);
    bool is_recorded =
        !stream->off && STREAM_WRITE(stream, RECORD_THREAD_CALL, action->call, record_thread_call,
                                     .time_ns = time_ns, .site = (uint64_t)(uintptr_t)action->site,
                                     .object = action->object, .order = action->order,
                                     .condition = action->condition);
    give_stream(error);
    return is_recorded;
}

/// Also where recording was switched off meanwhile.
static void leave(const struct thread_action *action)
{
    int error;
    struct stream *stream = claim(&error);
    if (!stream)
        return;
    counters_take(stream);
    STREAM_WRITE(stream, RECORD_THREAD_CALL_LEAVE, action->call, record_thread_call_leave,
                 .time_ns = clock_now_ns(), .object = action->object, .order = action->order);
    give_stream(error);
}

static uint64_t now_ns(void)
{
    int error;
    struct stream *stream = claim(&error);
    if (!stream)
        return 0;
    uint64_t time_ns = clock_now_ns();
    recording_check(stream, time_ns);
    bool is_off = stream->off;
    give_stream(error);
    return is_off ? 0 : time_ns;
}

static void done(const struct thread_action *action)
{
    int error;
    struct stream *stream = is_excluded[action->call] ? NULL : claim(&error);
    if (!stream)
        return;
    module_met(stream, (uint64_t)(uintptr_t)action->site);
    if (!stream->off)
        STREAM_WRITE(stream, RECORD_THREAD_DONE, action->call, record_thread_done,
                     .enter_ns = action->enter_ns, .leave_ns = clock_now_ns(),
                     .site = (uint64_t)(uintptr_t)action->site, .object = action->object,
                     .order = action->order);
    give_stream(error);
}

static const struct thread_recorder recorder = {
    .begin = begin,
    .enter = enter,
    .leave = leave,
    .now_ns = now_ns,
    .done = done,
};

const struct thread_recorder *thread_recorder_start(void)
{
    filter_names(thread_call_names, N_THREAD_CALLS, is_excluded);
    return &recorder;
}
