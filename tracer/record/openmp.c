// SPDX-License-Identifier: BSD-3-Clause
// Records of OpenMP threads. Each thread writes to its own stream and shares nothing with the
// others of its team.
//
// Only the outermost team of a thread is recorded. Inside a nested region a thread records nothing
// of OpenMP, for its barriers are others than those of the recorded team; its MPI calls and user
// regions are recorded as always. Nor is anything of OpenMP that MPI itself does. Where recording
// is switched off inside a region, what was entered before is still left.
#include "tracer/record/recording.h"

#include "tracer/record/clock.h"
#include "tracer/record/module.h"
#include "tracer/record/process_time.h"
#include "tracer/record/stream.h"

/// NULL: nothing of OpenMP is to be recorded now.
static struct stream *current_stream(void)
{
    struct stream *stream = stream_current();
    return dispatch_is_inside() ? NULL : stream;
}

static uint64_t now_of(struct stream *stream)
{
    uint64_t now_ns = clock_now_ns();
    recording_check(stream, now_ns);
    counters_take(stream);
    return now_ns;
}

static void write_time(struct stream *stream, uint16_t kind, uint32_t id, uint64_t now_ns)
{
    STREAM_WRITE(stream, kind, id, record_time, .time_ns = now_ns);
}

static uint32_t fork_team(unsigned n_threads)
{
    struct stream *stream = current_stream();
    if (!stream)
        return OPENMP_NO_TEAM;
    if (stream->n_teams > 0) {
        stream->n_nested++;
        return OPENMP_NESTED_TEAM;
    }
    dispatch_set_inside(INSIDE_TRACER);
    uint64_t now_ns = now_of(stream);
    bool is_recorded = !stream->off;
    if (is_recorded) {
        if (stream->forks_alone)
            process_time_at_team(stream, now_ns, false);
        write_time(stream, RECORD_FORK, n_threads, now_ns);
    }
    dispatch_set_inside(0);
    return is_recorded ? stream->thread + 1 : OPENMP_NO_TEAM;
}

static uint64_t join_team(uint32_t team, unsigned n_others)
{
    struct stream *stream = current_stream();
    if (!stream)
        return UINT64_MAX;
    if (team == OPENMP_NESTED_TEAM) {
        stream->n_nested--;
        if (n_others > 0 && stream->header)
            stream->header->n_nested_teams++;
        return UINT64_MAX;
    }
    dispatch_set_inside(INSIDE_TRACER);
    uint64_t now_ns = now_of(stream);
    stream->forks_alone = n_others == 0;
    process_time_at_team(stream, now_ns, false);
    write_time(stream, RECORD_JOIN, 0, now_ns);
    dispatch_set_inside(0);
    return now_ns;
}

static void begin_team(uint32_t team, unsigned thread, const void *site)
{
    struct stream *stream = current_stream();
    if (!stream)
        return;
    dispatch_set_inside(INSIDE_TRACER);
    stream->n_teams++;
    module_met(stream, (uint64_t)(uintptr_t)site);
    uint64_t now_ns = now_of(stream);
    process_time_at_team(stream, now_ns, true);
    STREAM_WRITE(stream, RECORD_TEAM_BEGIN, team - 1, record_team, .time_ns = now_ns,
                 .site = (uint64_t)(uintptr_t)site, .thread = thread);
    dispatch_set_inside(0);
}

static void end_team(uint32_t team, uint64_t most_ns)
{
    struct stream *stream = current_stream();
    if (!stream || stream->n_teams == 0)
        return;
    dispatch_set_inside(INSIDE_TRACER);
    stream->n_teams--;
    uint64_t now_ns = least_ns(now_of(stream), most_ns);
    process_time_at_team(stream, now_ns, false);
    write_time(stream, RECORD_TEAM_END, team - 1, now_ns);
    dispatch_set_inside(0);
}

/// NULL: the thread is in no recorded team. Then it may have no stream, and is given none here.
static struct stream *stream_in_team(void)
{
    const struct stream *stream = stream_of_thread;
    return stream && stream->n_teams > 0 && stream->n_nested == 0 ? current_stream() : NULL;
}

static void enter_construct(enum openmp_construct construct, const void *site)
{
    struct stream *stream = stream_in_team();
    if (!stream)
        return;
    dispatch_set_inside(INSIDE_TRACER);
    module_met(stream, (uint64_t)(uintptr_t)site);
    uint64_t now_ns = now_of(stream);
    stream->n_unrecorded += stream->off;
    if (!stream->off)
        STREAM_WRITE(stream, RECORD_CONSTRUCT_ENTER, construct, record_function_event,
                     .time_ns = now_ns, .address = (uint64_t)(uintptr_t)site);
    dispatch_set_inside(0);
}

static void leave_construct(enum openmp_construct construct, uint64_t most_ns)
{
    struct stream *stream = stream_in_team();
    if (!stream)
        return;
    dispatch_set_inside(INSIDE_TRACER);
    uint64_t time_ns = least_ns(now_of(stream), most_ns);
    bool has_body = construct == OPENMP_CRITICAL || construct == OPENMP_ORDERED;
    if (stream->n_unrecorded > 0)
        stream->n_unrecorded -= has_body && stream->n_unrecorded > 1 ? 2 : 1;
    else
        write_time(stream, RECORD_CONSTRUCT_LEAVE, construct, time_ns);
    dispatch_set_inside(0);
}

static void unknown_tasks(void)
{
    struct stream *stream = stream_in_team();
    if (stream && stream->header)
        stream->header->n_unknown_tasks++;
}

const struct openmp_recorder openmp_recorder = {
    .fork = fork_team,
    .join = join_team,
    .begin = begin_team,
    .end = end_team,
    .enter = enter_construct,
    .leave = leave_construct,
    .unknown_tasks = unknown_tasks,
};
