// SPDX-License-Identifier: BSD-3-Clause
// Switching recording off and on while the program runs: pagoda_trace_off() and pagoda_trace_on(),
// the settings start_at and stop_at, time windows.
//
// The whole process is switched; each thread notices at its next event and writes OFF and ON
// records. While it is off, communicators and requests are followed as always, but calls, details
// and user regions leave no records, with three exceptions:
// - a call that completes a request started before is recorded, so that no request stays open;
// - the leave of a region entered before is recorded, and regions entered meanwhile and still open
//   are entered when recording continues, so that enters and leaves stay balanced;
// - messages and collectives are counted (SKIPPED records), so that the finisher knows which of the
//   recorded ones have a counterpart on other ranks.
#pragma once

#include "tracer/dispatch/dispatch.h"
#include "tracer/record/record.h"
#include "tracer/record/stream.h"

struct recording {
    bool is_on;
    uint64_t next_switch_ns; // windows: when it changes by itself; UINT64_MAX: never
};

extern struct recording recording;

/// After the settings have been read: is recording on from the start?
void recording_init(void);

/// MPI_Init has returned: windows count from now.
void recording_mpi_started(uint64_t now_ns);

/// Switches the process, and the calling thread at once (`stream` may be NULL).
void recording_set(struct stream *stream, bool on, uint64_t now_ns);

/// The same without waiting, for a signal handler, which may have interrupted one of these
/// functions: it holds when that one returns. Each thread notices at its next event.
void recording_ask(bool on, uint64_t now_ns);

/// MPI_Init and MPI_Finalize are always recorded: it is on from here, or no longer, but as it was.
void recording_hold(bool on, uint64_t now_ns);

/// Brings the thread up to date; `stream->off` tells what holds then.
void recording_follow(struct stream *stream, uint64_t now_ns);

static inline void recording_check(struct stream *stream, uint64_t now_ns)
{
    if (__builtin_expect(now_ns >= recording.next_switch_ns || stream->off == recording.is_on, 0))
        recording_follow(stream, now_ns);
}

/// The thread ends, perhaps while off; another one is going to have its stream.
void recording_thread_ends(struct stream *stream, uint64_t now_ns);

/// While off: notes a message (RECORD_SEND or RECORD_RECV) or collective (RECORD_COLLECTIVE,
/// RECORD_ICOLL_POST) that is not recorded. While on: one whose request was started while off.
void recording_skip(struct stream *stream, uint16_t kind, uint32_t comm, int32_t peer, int32_t tag);

/// Writes what recording_skip() has counted, so that the next records stand after it.
void recording_write_skipped(struct stream *stream);

/// While off: a user region is entered, or left. `id` and `kind` are those of the record that
/// enters it. recording_region_left() returns true if the leave belongs to an enter recorded
/// before.
void recording_region_entered(struct stream *stream, uint16_t kind, uint64_t id);
bool recording_region_left(struct stream *stream);

// --- openmp.c
// OpenMP: teams of threads and the constructs they meet, whichever runtime they are of.

/// Where the dispatcher sends what OpenMP threads do.
extern const struct openmp_recorder openmp_recorder;

// --- threads.c
// Records of POSIX threads: who makes whom, and where they wait for each other.

/// After the settings have been read.
const struct thread_recorder *thread_recorder_start(void);

// --- files.c
// Files, by numbers of the process.

/// A number that no other file of this process has, from 1 to RECORD_FILES - 1; 0: none is left.
uint32_t file_number_new(void);

/// RECORD_FILE of a new file, which communicator `comm` opened, or RECORD_NO_COMM. Its name is cut
/// where a record would be too long.
void file_define(struct stream *stream, uint32_t number, enum file_paradigm paradigm, uint32_t comm,
                 const char *name);

/// Where the dispatcher sends what is done to files by the C library; NULL if the settings do not
/// want that. After filter_init().
const struct file_recorder *file_recorder_start(void);
