// SPDX-License-Identifier: BSD-3-Clause
// Where a thread's records go: a window onto its spool file (record.h), one stream a thread.
//
// Before MPI_Init returns, rank and run are unknown: records wait in memory until the file is
// opened. A stream that cannot continue stops for good and notes why in its file's header; the
// program never notices.
//
// Any reservation may unmap the window, because it is full or recording stops. So a record is valid
// until the next reservation, and all pointers to earlier records are in `stream->window`, where
// they become NULL when the window goes.
#pragma once

#include "tracer/record/counters.h"
#include "tracer/record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MAX_FUNCTIONS   1024
#define SEEN_CODE_BITS  11
#define MAX_OPEN_ENTERS 256 // deeper regions are kept however short they are

/// All pointers into the window. NULL: there is no such record, or the window has gone.
struct window {
    uint8_t *start;
    uint8_t *at; // where the next record goes
    uint8_t *end;
    uint8_t *left_at;                 // end of the last call's records
    struct record_call *open;         // the call that the thread is in, or was in last
    struct record_poll *poll;         // the last call's, if it found nothing
    struct record_call *poll_call;    // that call
    struct record_poll *poll_before;  // of the call before the one that has just returned
    uint8_t *enters[MAX_OPEN_ENTERS]; // of the regions open now, for dropping short ones
};

struct stream {
    struct window window;
    bool in_file;
    bool stopped;
    bool is_own; // false in a forked child, where the system has zeroed the whole structure
    uint64_t file_bytes;
    uint32_t thread; // number of the file
    int fd;
    dev_t device; // of the file that fd was opened for
    ino_t inode;
    struct spool_header *header;
    uint64_t n_dropped_short; // while there is no header yet
    // The last MPI call, or begin or end of a team, for process time (process_time.c); for folding
    // polls.
    uint64_t left_ns;
    uint32_t left_function;
    bool left_sampled;       // a CPU record stands at left_ns
    uint64_t cpu_read_at_ns; // the last reading of the CPU clock
    uint64_t cpu_ns;
    uint64_t cpu_written_ns; // the last one recorded
    uint64_t core_wait_ns;   // the last one read, RECORD_NO_CORE_WAIT: cannot be read
    struct counters counters;
    // OpenMP (openmp.c).
    uint32_t n_teams;      // that the thread is in
    bool forks_alone;      // the last team that it forked had no other thread
    uint32_t n_nested;     // parallel regions within that it has forked
    uint32_t n_unrecorded; // open constructs that were entered while recording was off
    // Recording switched off (recording.h).
    bool off;
    uint64_t off_event_ns;
    struct gap *gap;
    struct {
        bool is_open; // no record has been written for it
        uint64_t enter_ns;
        uint64_t site;
    } unrecorded;                            // the call that the thread is in while off
    bool request_unrecorded;                 // the request that completes was started while off
    uint32_t n_enters;                       // regions open now
    bool known[MAX_FUNCTIONS];               // FUNCTION record written
    bool long_after[MAX_FUNCTIONS + 1];      // the last interval after this function was long; the
                                             // last one: after the begin or end of a team
    uint64_t seen_code[1 << SEEN_CODE_BITS]; // addresses met lately, by a hash (module.h)
    struct callstack_table *stacks;          // NULL: none recorded
    void *scratch;                           // stream_scratch()
    size_t scratch_bytes;
    struct stream *next;
    struct stream *next_idle; // of a thread that has ended
};

/// The calling thread's stream, opened if need be; NULL if nothing is to be recorded.
struct stream *stream_open_current(void);

extern __thread struct stream *stream_of_thread __attribute__((tls_model("initial-exec")));

static inline struct stream *stream_current(void)
{
    struct stream *stream = stream_of_thread;
    if (__builtin_expect(stream && stream->in_file && !stream->stopped, 1))
        return stream;
    return stream_open_current();
}

/// Makes room for `n_bytes` in the next window. NULL: recording has stopped.
void *stream_reserve_slow(struct stream *stream, size_t n_bytes);

/// Room for a record of `n_bytes` (a multiple of 8), valid until the next reservation. The record
/// exists once its head is set with stream_commit(). NULL: not recording.
static inline void *stream_reserve(struct stream *stream, size_t n_bytes)
{
    uint8_t *record = stream->window.at;
    if (__builtin_expect((size_t)(stream->window.end - record) < n_bytes, 0))
        return stream_reserve_slow(stream, n_bytes);
    if (!record)
        __builtin_unreachable(); // without a window there is no room
    stream->window.at = record + n_bytes;
    return record;
}

/// Takes back the last record, of `n_bytes`: zero is the end of the records again.
static inline void stream_undo(struct stream *stream, void *record, size_t n_bytes)
{
    stream->window.at = record;
    __builtin_memset(record, 0, n_bytes);
}

/// Takes back the last record, an event's, and the counters that belong to it.
static inline void stream_undo_event(struct stream *stream, void *record, size_t n_bytes)
{
    uint8_t *begin = record;
    size_t before = stream->counters.n_bytes;
    if (begin - stream->window.start < (ptrdiff_t)before) // they are in the window before
        before = 0;
    stream_undo(stream, begin - before, n_bytes + before);
}

/// A region was too short to be kept.
static inline void stream_count_dropped(struct stream *stream)
{
    if (stream->header)
        stream->header->n_dropped_short++;
    else
        stream->n_dropped_short++;
}

/// An event of a function that the filter leaves out, which costs a little all the same.
static inline void stream_count_excluded(struct stream *stream)
{
    if (stream->header)
        stream->header->n_excluded++;
}

/// Sets the head, after the rest of the record: a reader of a process that died sees it whole.
static inline void stream_commit(struct record_head *head, uint16_t kind, uint32_t id,
                                 size_t n_bytes)
{
    struct record_head value = {kind, (uint16_t)(n_bytes / 8), id};
    uint64_t word;
    __builtin_memcpy(&word, &value, sizeof word);
    __atomic_store_n((uint64_t *)(void *)head, word, __ATOMIC_RELEASE);
}

/// Writes a record to ROOM, which was reserved for it: a structure TYPE with the FIELDS (as of an
/// initializer) that follow. False: there is no room (NULL).
#define RECORD_WRITE(room, kind, id, type, ...)                                                    \
    ({                                                                                             \
        struct type *record_ = (room);                                                             \
        if (record_) {                                                                             \
            *record_ = (struct type){__VA_ARGS__};                                                 \
            stream_commit(&record_->head, kind, id, sizeof *record_);                              \
        }                                                                                          \
        record_ != NULL;                                                                           \
    })
#define STREAM_WRITE(stream, kind, id, type, ...)                                                  \
    RECORD_WRITE(stream_reserve(stream, sizeof(struct type)), kind, id, type, __VA_ARGS__)

/// Reads the counters of the calling thread, where the settings want some: a system call or two for
/// each source.
static inline void counters_see(struct stream *stream)
{
    if (__builtin_expect(stream->counters.n_bytes != 0, 0) && !stream->off)
        counters_read(&stream->counters);
}

void stream_write_counters(struct stream *stream, uint32_t of);

/// Writes the last reading.
static inline void counters_put(struct stream *stream, uint32_t of)
{
    if (__builtin_expect(stream->counters.n_bytes != 0, 0) && !stream->off)
        stream_write_counters(stream, of);
}

/// Both, for an event that is about to be recorded.
static inline void counters_take(struct stream *stream)
{
    counters_see(stream);
    counters_put(stream, COUNTERS_OF_NEXT);
}

/// Memory of at least `n_bytes` for the call the thread is in, aligned for any type. It stays the
/// stream's, also when the thread ends. NULL: none left.
void *stream_scratch(struct stream *stream, size_t n_bytes);

/// Room for a record of *N_BYTES with TEXT (its first 4095 bytes) after them, which is there
/// already; *N_BYTES is then the length of the whole. NULL: not recording.
void *stream_reserve_with_text(struct stream *stream, size_t *n_bytes, const char *text);

/// Writes a record that has nothing but text.
void stream_write_name(struct stream *stream, uint16_t kind, uint32_t id, const char *text);

/// The attaching thread's stream; records wait in memory. `thread_ends` is called with the stream
/// of a thread that ends, before it is given to the next thread.
void stream_start_process(const char *spool_dir,
                          void (*thread_ends)(struct stream *stream, uint64_t now_ns));

/// Facts for the headers of all streams of this process (copied). From then on streams go to files.
void stream_set_facts(const struct spool_header *facts);

/// Opens the calling thread's file and moves what waits in memory there, the open call included.
/// Returns 0 or an errno value.
int stream_to_file(struct stream *stream);

/// The calling thread met a page of its file that is no more, at `address`. True: it is one of its
/// stream, which has stopped; what is still written there goes nowhere. For a signal handler.
bool stream_lose(const void *address);

/// No more recording in this process.
void stream_stop_process(void);

/// Number of threads that have recorded something.
uint32_t stream_n_threads(void);

/// Whether streams go to files, MOST at a time of threads that may never call MPI.
bool stream_may_open(uint32_t most);

/// A thread is not recorded because there are too many.
void stream_count_left_out(void);

/// The system answers a record in a spool file that was cut with SIGBUS. From now on this ends the
/// recording of its thread, not the program. Every other SIGBUS goes where it would have gone.
void bus_error_catch(void);
