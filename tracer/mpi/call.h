// SPDX-License-Identifier: BSD-3-Clause
// The frame of every wrapper: enter, returned, leave. A call made while another MPI call of the
// same thread is open (by the MPI library itself, by another tool, by a callback) is not recorded.
#pragma once

#include "tracer/dispatch/dispatch.h"
#include "tracer/record/clock.h"
#include "tracer/record/module.h"
#include "tracer/record/process_time.h"
#include "tracer/record/python.h"
#include "tracer/record/recording.h"
#include "tracer/record/settings.h"
#include "tracer/record/stream.h"

// The callers of an MPI call's call site, where the setting call_stack asks for them.

/// How many callers are recorded; 0: none, and callstack_number() must not be called.
extern uint32_t callstack_n_callers;

/// Gets ready to record up to `n_callers` of each call. Only now a library is loaded for it.
void callstack_init(uint64_t n_callers);

/// Number of the stack above the call that returns to `site`, by which it stands in a STACK record
/// before. 0: unknown. No record of another kind may be under construction.
uint64_t callstack_number(struct stream *stream, uint64_t site);

struct call {
    struct stream *stream; // its window has the record of the call (window.open)
    uint64_t leave_ns;
    uint32_t function;
};

/// Writes the FUNCTION record that gives the number its name.
void call_define_function(struct stream *stream, uint32_t function);

/// A language entry (dispatch.h) of `function` begins and ends.
bool call_language_enter(uint32_t function, const void *caller);
void call_language_leave(void);

/// Starts a call while recording is switched off.
void call_enter_off(struct call *call, struct stream *stream, uint32_t function, uint64_t now_ns,
                    uint64_t site);

/// Another call begins whose frame is at `frame` while one is open: was the open one left by a jump
/// (longjmp, a C++ exception) out of an error handler or callback? Then it ends here.
bool call_abandoned(struct stream *stream, const void *frame);

/// Room for the end of a request. If it was started while recording was on its end is recorded even
/// if it is off now, and with it the call. NULL: it was started while off.
void *call_reserve_completion(struct call *call, size_t n_bytes);

/// Room for another detail of the call. NULL: it is not recorded.
static inline void *call_reserve(struct call *call, size_t n_bytes)
{
    if (__builtin_expect(call->stream->off, 0))
        return NULL;
    return stream_reserve(call->stream, n_bytes);
}

/// Writes another detail of the call, as RECORD_WRITE() does.
#define CALL_WRITE(call, kind, id, type, ...)                                                      \
    RECORD_WRITE(call_reserve(call, sizeof(struct type)), kind, id, type, __VA_ARGS__)

/// Starts the record of a call. False: not recording, call the next definition and nothing else.
/// Takes the return address of the function it stands in, so that has to be the wrapper itself.
__attribute__((always_inline)) static inline bool call_enter(struct call *call, uint32_t function)
{
    struct stream *stream = stream_current();
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    uint64_t site = (uint64_t)(uintptr_t)__builtin_return_address(0);
    const void *frame = __builtin_dwarf_cfa();
    if (!stream || (thread->inside != 0 && !call_abandoned(stream, frame)))
        return false;
    dispatch_set_inside(INSIDE_TRACER);
    thread->frame = frame;
    uint64_t now_ns = 0;
    if (__builtin_expect(thread->language != 0, 0)) {
        if (thread->language != function + 1) {
            dispatch_set_inside(0);
            return false;
        }
        site = (uint64_t)(uintptr_t)thread->caller;
        now_ns = thread->enter_ns;
    }
    bool is_whole = stream->window.left_at == stream->window.at; // names below have no times
    module_met(stream, site);
    site = python_site(stream, site);
    uint64_t stack = 0;
    if (__builtin_expect(callstack_n_callers != 0, 0) && !stream->off && site < RECORD_LINE_SITE)
        stack = callstack_number(stream, site);
    counters_see(stream); // before the time: the call does not seem longer
    if (now_ns == 0)
        now_ns = clock_now_ns();
    if (__builtin_expect(!stream->known[function], 0))
        call_define_function(stream, function);
    recording_check(stream, now_ns);
    if (__builtin_expect(stream->off, 0)) {
        call_enter_off(call, stream, function, now_ns, site);
        return true;
    }
    if (now_ns - stream->left_ns > LONG_INTERVAL_NS)
        process_time_long_interval(stream, now_ns, is_whole && stream->window.left_at);
    else
        stream->long_after[stream->left_function] = false;
    counters_put(stream, COUNTERS_OF_NEXT);
    size_t n_bytes = stack != 0 ? sizeof(struct record_call_above) : sizeof(struct record_call);
    struct record_call *record = stream_reserve(stream, n_bytes);
    if (!record) {
        dispatch_set_inside(0);
        return false;
    }
    stream->window.open = record;
    call->stream = stream;
    call->function = function;
    record->enter_ns = now_ns;
    record->site = site;
    if (stack != 0)
        ((struct record_call_above *)record)->stack = stack;
    stream_commit(&record->head, RECORD_CALL, function, n_bytes);
    dispatch_set_inside(INSIDE_CALL);
    return true;
}

/// The wrapped function has returned. Details may be recorded between this and call_leave().
static inline void call_returned(struct call *call)
{
    struct window *window = &call->stream->window;
    call->leave_ns = clock_now_ns();
    if (__builtin_expect(window->open != NULL, 1)) // a child forked inside the call has none
        window->open->leave_ns = call->leave_ns;
    window->poll_before = window->poll;
    window->poll = NULL;
    counters_see(call->stream);
}

/// A call shorter than the setting min_duration in which nothing was recorded leaves nothing.
static inline bool call_drop_short(struct call *call)
{
    struct stream *stream = call->stream;
    struct record_call *record = stream->window.open;
    if (!record || call->leave_ns - record->enter_ns >= settings.min_duration_ns)
        return false;
    size_t n_bytes = (size_t)record->head.n_words * 8; // with its callers' number or without
    if (stream->window.at != (uint8_t *)record + n_bytes)
        return false;
    stream_undo_event(stream, record, n_bytes);
    stream_count_dropped(stream);
    return true;
}

static inline void call_leave(struct call *call)
{
    struct stream *stream = call->stream;
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    const struct record_call *record = stream->window.open;
    bool is_wanted = stream->long_after[call->function]; // a long interval is expected
    if (__builtin_expect(!stream->off, 1) &&
        (settings.min_duration_ns == 0 || !call_drop_short(call))) {
        // Of a long call it tells how much of it the process ran. After a poll it would keep the
        // next one from being folded into it.
        is_wanted |=
            !stream->window.poll && record && call->leave_ns - record->enter_ns > LONG_INTERVAL_NS;
        counters_put(stream, COUNTERS_OF_LEAVE); // the record's window may be gone after it
        stream->left_ns = call->leave_ns;
        stream->left_function = call->function;
        stream->left_sampled = false;
        stream->window.left_at = stream->window.at;
        if (is_wanted || call->leave_ns - stream->cpu_read_at_ns > CPU_READING_AGE_NS)
            process_time_read(stream, call->leave_ns, is_wanted);
    }
    if (thread->language != 0)
        thread->language = LANGUAGE_RECORDED;
    dispatch_set_inside(0);
}
