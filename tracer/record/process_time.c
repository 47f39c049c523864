// SPDX-License-Identifier: BSD-3-Clause
// Process time: when to read the CPU clock, which costs as much as recording three calls.
//
// Only intervals between MPI calls longer than LONG_INTERVAL_NS get CPU times, one at each end. A
// team of threads begins and ends intervals, too; while it has one thread only, it gets CPU times
// like them, and one where it begins, however long it takes: constructs stand inside it. An
// interval is expected to be long if the last one after the same MPI function was. One that was not
// expected (often a preemption) takes its start time from the last reading, at most
// CPU_READING_AGE_NS older, assuming that the process ran since. If a user event stands in between,
// it gets a time at its end only, because records go in time order. Calls longer than that get a
// time at their end. What ends within READING_HOLDS_NS of a reading (a short call between two long
// intervals) goes by that reading: a process that loses its core loses it for longer. One that
// yields in such a call seems to have had up to that time more. Once several threads call MPI, the
// process's CPU time says nothing about any of them, and readings end.
#include "tracer/record/process_time.h"

#include "tracer/record/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define READING_HOLDS_NS 10000U

/// CPU time never steps back, although some of it is estimated.
static void write_cpu(struct stream *stream, uint64_t time_ns, uint64_t cpu_ns)
{
    if (cpu_ns > stream->cpu_written_ns)
        stream->cpu_written_ns = cpu_ns;
    STREAM_WRITE(stream, RECORD_CPU, 0, record_cpu, .time_ns = time_ns,
                 .cpu_ns = stream->cpu_written_ns, .core_wait_ns = stream->core_wait_ns);
}

/// How long this thread has been ready without a core so far, and had one, by its schedstat.
/// RECORD_NO_CORE_WAIT if the system has none, or counts nothing: Linux then writes three times 0,
/// where the third number is how often the thread got a core. Some 3 us.
static uint64_t read_core_wait(uint64_t *thread_ns)
{
    char text[64] = "", *rest = text;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return RECORD_NO_CORE_WAIT;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return RECORD_NO_CORE_WAIT;
    *thread_ns = strtoull(rest, &rest, 10);
    uint64_t wait_ns = strtoull(rest, &rest, 10);
    return strtoull(rest, NULL, 10) > 0 ? wait_ns : RECORD_NO_CORE_WAIT;
}

void process_time_core_use(struct spool_core_use *use)
{
    use->time_ns = clock_now_ns();
    use->process_ns = clock_process_cpu_ns();
    use->wait_ns = read_core_wait(&use->thread_ns);
}

/// Takes a reading of the CPU clock. Where CPU time is missing since the one before, the system
/// says for how much of that the thread was ready to run.
static void see_cpu(struct stream *stream, uint64_t now_ns, uint64_t cpu_ns)
{
    uint64_t since_ns = now_ns - stream->cpu_read_at_ns, used_ns = cpu_ns - stream->cpu_ns;
    bool is_missing = used_ns < since_ns - since_ns / 100 || stream->cpu_read_at_ns == 0;
    uint64_t thread_ns;
    if (is_missing && stream->core_wait_ns != RECORD_NO_CORE_WAIT)
        stream->core_wait_ns = read_core_wait(&thread_ns);
    stream->cpu_ns = cpu_ns;
    stream->cpu_read_at_ns = now_ns;
}

void process_time_long_interval(struct stream *stream, uint64_t now_ns, bool is_whole)
{
    if (stream_n_threads() > 1)
        return;
    uint64_t cpu_ns = clock_process_cpu_ns();
    stream->long_after[stream->left_function] = true;
    if (!stream->left_sampled && is_whole && stream->cpu_read_at_ns != 0) {
        uint64_t since_ns = stream->left_ns - stream->cpu_read_at_ns;
        write_cpu(stream, stream->left_ns, least_ns(stream->cpu_ns + since_ns, cpu_ns));
        stream->left_sampled = true;
    }
    see_cpu(stream, now_ns, cpu_ns);
    write_cpu(stream, now_ns, cpu_ns);
}

/// Reads the CPU clock if the last reading is older than AGE_NS, and records the time if WRITE.
static void read_if_older(struct stream *stream, uint64_t now_ns, uint64_t age_ns, bool write)
{
    if (now_ns - stream->cpu_read_at_ns > age_ns)
        see_cpu(stream, now_ns, clock_process_cpu_ns());
    if (write) {
        write_cpu(stream, now_ns, stream->cpu_ns + (now_ns - stream->cpu_read_at_ns));
        stream->left_sampled = true;
    }
}

void process_time_read(struct stream *stream, uint64_t now_ns, bool write)
{
    if (stream_n_threads() <= 1)
        read_if_older(stream, now_ns, READING_HOLDS_NS, write);
}

void process_time_at_team(struct stream *stream, uint64_t now_ns, bool begins)
{
    if (stream->off || stream_n_threads() > 1)
        return;
    bool is_long = now_ns - stream->left_ns > LONG_INTERVAL_NS;
    bool is_whole = stream->window.left_at && stream->window.left_at == stream->window.at;
    if (is_long)
        process_time_long_interval(stream, now_ns, is_whole);
    else
        stream->long_after[stream->left_function] = false;
    stream->left_ns = now_ns;
    stream->left_function = MAX_FUNCTIONS;
    stream->left_sampled = is_long;
    stream->window.left_at = NULL; // a record follows
    if (begins && !is_long)
        read_if_older(stream, now_ns, CPU_READING_AGE_NS, true);
}
