// SPDX-License-Identifier: BSD-3-Clause
// The location whose events are being written: what events.c shares with the files of special kinds
// of events.
#pragma once

#include "tracer/finish/process.h"

struct context {
    struct process *process;
    struct archive *archive;
    struct unify *unify;
    const struct spool *spool;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    uint64_t now_ns;                       // of the last event
    bool has_begun;                        // there is an event
    const struct record_cpu *sample;       // CPU time that waits for its event, NULL: none
    const struct record_counters *reading; // counters that do
    uint32_t *stack;                       // open regions
    size_t depth;
    size_t n_stack;
    struct archive_location *location;
    uint32_t team;     // the team of OpenMP that the thread is in, UNDEFINED: none
    size_t team_depth; // regions open around it
    bool is_forked;
    uint32_t thread; // number of the POSIX thread that has begun, 0: none
};

/// Writes an OTF2 event of this moment (context->now_ns).
#define WRITE(context, event, attributes, ...)                                                     \
    archive_ok((context)->archive, OTF2_EvtWriter_##event((context)->writer, attributes,           \
                                                          (context)->now_ns, ##__VA_ARGS__))

/// Adds an attribute, of context->attributes, to the next event written with these.
#define ADD_ATTRIBUTE(context, type, ...)                                                          \
    archive_ok((context)->archive, OTF2_AttributeList_Add##type((context)->attributes, __VA_ARGS__))

/// Time goes on, never back.
static inline void context_go_to(struct context *context, uint64_t time_ns)
{
    if (time_ns > context->now_ns)
        context->now_ns = time_ns;
}

/// An event is about to be written: the CPU time that waits for it comes first.
void context_write_sample(struct context *context);

/// An event of this moment is about to be written: the counters that wait for it come first.
void context_write_reading(struct context *context);

/// Attributes that were added before go with the event.
void context_enter(struct context *context, uint64_t time_ns, uint32_t region);
void context_leave(struct context *context, uint64_t time_ns, uint32_t region);

/// Leaves the region entered last, whichever it is.
void context_leave_top(struct context *context, uint64_t time_ns);

/// Leaves the innermost region of PARADIGM and ROLE (UNDEFINED: any), wherever it is called.
void context_leave_innermost(struct context *context, uint64_t time_ns, OTF2_Paradigm paradigm,
                             uint32_t role);

/// The next enter gets the calling context that a call returns to at ADDRESS (0: none is known),
/// with the callers of number STACK (0: not recorded).
void context_add_call_site(struct context *context, uint64_t address, uint64_t stack,
                           uint64_t time_ns);

// --- window_events.c: details of calls about windows of one-sided communication

/// Whether local number `id` is that of a window, which is *window in the archive.
bool window_ref(const struct context *context, uint32_t id, OTF2_RmaWinRef *window);

/// Writes the event of a detail, which may be of another thing than a window: then there is none.
void window_event_write(struct context *context, const struct record_head *head);

/// The request of an access is complete.
void window_request_complete(struct context *context, uint64_t request);

// --- file_events.c: details of MPI calls about files, and calls of the C library for files

void file_event_write(struct context *context, const struct record_head *head, bool at_enter);
void file_call_write(struct context *context, const struct record_head *head);

// --- thread_events.c: threads, of POSIX and of OpenMP

/// Writes the events of a record about threads, if it is one.
void thread_record_write(struct context *context, const struct record_head *head);

/// The thread has ended, or nothing more of it is known.
void thread_close(struct context *context, uint64_t time_ns);

// --- events.c: the events of one OTF2 location from the records of a thread

/// Second pass: writes the events. Regions still open at the end are closed at `close_ns`.
/// `counted` is the first pass's; `cost` what recording cost the thread.
void events_write(struct process *process, const struct spool *spool, uint64_t close_ns,
                  const struct thread_cost *counted, struct recording_cost cost);

// --- gaps.c: messages and collectives around the times in which recording was off.
//
// Ranks switch at different moments: a message may be recorded by its sender only. In the archive
// it would match the next receive, and shift all later messages of the channel. RECORD_SKIPPED says
// how many were left out, so each message has its number in its channel (communicator, sender,
// receiver, tag), each collective its number in its communicator. Those without counterpart are
// dropped.

struct gaps;

/// Looks through the records of a run, all of whose definitions have been taken. NULL: nothing is
/// to be dropped. Also NULL if some rank recorded with several threads: then their order is not
/// known.
struct gaps *gaps_find(const struct spool *spools, size_t n, const struct process *processes,
                       const struct unify *unify);
void gaps_free(struct gaps *gaps);

/// Is this record of a spool to be left out?
bool gaps_drop(const struct gaps *gaps, const struct spool *spool, const struct record_head *head);
