// SPDX-License-Identifier: BSD-3-Clause
// Process time: when to read the CPU clock, which costs as much as recording three calls.
//
// Only intervals between two MPI calls that last longer than LONG_INTERVAL_NS are given CPU times,
// one at each end. Whether an interval will be long is not known when it starts; it is expected to
// be if the last one after the same MPI function was. An unexpected one (often a preemption) gets
// its start time from the last reading, which is at most CPU_READING_AGE_NS older, by assuming
// that the process ran since then. Records go in time order, so this works only while no
// user event stands between; such an interval has a CPU time at its end only, and readers know no
// more than that it had at most what the process used since the record before. Calls as long as
// that get a CPU time at their end. Once several threads call MPI the process's CPU time says
// nothing about any of them, and recording it ends.
#include "tracer/call.h"

#include "tracer/functions.h"

#define JUMP_BYTES (1U << 20)

void call_define_function(struct stream *stream, uint32_t function)
{
    stream->known[function] = true;
    stream_write_name(stream, RECORD_FUNCTION, function, wrappers[function].name);
}

static void write_cpu(struct stream *stream, uint64_t time_ns, uint64_t cpu_ns)
{
    struct record_cpu *record = stream_reserve(stream, sizeof *record);

    if (record == NULL)
        return;
    record->time_ns = time_ns;
    record->cpu_ns = cpu_ns;
    stream_commit(&record->head, RECORD_CPU, 0, sizeof *record);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void call_long_interval(struct stream *stream, uint64_t now_ns, bool is_whole)
{
    uint64_t cpu_ns;

    if (stream_n_threads() > 1)
        return;
    cpu_ns = clock_process_cpu_ns();
    stream->long_after[stream->left_function] = true;
    if (!stream->left_sampled && is_whole && stream->cpu_read_at_ns != 0) {
        uint64_t since_ns = stream->left_ns - stream->cpu_read_at_ns;

        write_cpu(stream, stream->left_ns, least(stream->cpu_ns + since_ns, cpu_ns));
        stream->left_sampled = true;
    }
    write_cpu(stream, now_ns, cpu_ns);
    stream->cpu_ns = cpu_ns;
    stream->cpu_read_at_ns = now_ns;
}

void call_read_cpu(struct stream *stream, uint64_t now_ns, bool write)
{
    if (stream_n_threads() > 1)
        return;
    stream->cpu_ns = clock_process_cpu_ns();
    stream->cpu_read_at_ns = now_ns;
    if (write) {
        write_cpu(stream, now_ns, stream->cpu_ns);
        stream->left_sampled = true;
    }
}

bool call_language_enter(uint32_t function, const void *caller)
{
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    struct stream *stream = stream_current();

    if (stream == NULL)
        return false;
    dispatch_set_inside(INSIDE_TRACER);
    module_met(stream, (uint64_t)(uintptr_t)caller);
    dispatch_set_inside(0);
    thread->caller = caller;
    thread->enter_ns = clock_now_ns();
    thread->language = function + 1;
    return true;
}

void call_language_leave(void)
{
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    struct call call;

    if (thread->language != LANGUAGE_RECORDED && call_enter(&call, thread->language - 1)) {
        call_returned(&call);
        call_leave(&call);
    }
    thread->language = 0;
}

void call_enter_off(struct call *call, struct stream *stream, uint32_t function, uint64_t now_ns,
                    uint64_t site)
{
    stream->window.open = NULL;
    stream->unrecorded.is_open = true;
    stream->unrecorded.enter_ns = now_ns;
    stream->unrecorded.site = site;
    call->stream = stream;
    call->function = function;
    dispatch_set_inside(INSIDE_CALL);
}

// The stack grows down: a call within the open one has its frame below. Far away is another stack
// (of a fiber, a coroutine), where nothing can be told.
bool call_abandoned(struct stream *stream, const void *frame)
{
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    uintptr_t distance = (uintptr_t)frame - (uintptr_t)thread->frame;
    const struct record_call *open = stream->window.open;
    struct call call = {.stream = stream};

    if (thread->inside != INSIDE_CALL || (uintptr_t)frame < (uintptr_t)thread->frame ||
        distance > JUMP_BYTES)
        return false;
    call.function = open != NULL ? open->head.id : stream->left_function;
    call_returned(&call);
    call_leave(&call);
    thread->language = 0;
    return true;
}

void *call_reserve_completion(struct call *call, size_t n_bytes)
{
    struct stream *stream = call->stream;
    struct record_call *record;

    if (stream->request_unrecorded)
        return NULL;
    if (stream->off && stream->unrecorded.is_open) {
        recording_write_skipped(stream);
        record = stream_reserve(stream, sizeof *record);
        if (record == NULL)
            return NULL;
        record->enter_ns = stream->unrecorded.enter_ns;
        record->leave_ns = call->leave_ns;
        record->site = stream->unrecorded.site;
        stream_commit(&record->head, RECORD_CALL, call->function, sizeof *record);
        stream->unrecorded.is_open = false;
    }
    return stream_reserve(stream, n_bytes);
}
