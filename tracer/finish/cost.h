// SPDX-License-Identifier: BSD-3-Clause
// What recording cost a thread: its records by kind, times what one of that kind costs on this
// machine. An estimate from below: what its records displace in the program's caches is not in it.
#pragma once

#include "tracer/finish/spool.h"

/// Of one record, in ns.
struct record_costs {
    double stamp_ns;    // a record with a time; a call has two of them
    double cpu_ns;      // a reading of the CPU clock
    double excluded_ns; // finding out that a function is left out
};

/// Counts between the leave of MPI_Init and the enter of MPI_Finalize, where a thread calls them.
struct thread_cost {
    uint64_t begin_ns, end_ns; // of what is counted; end 0: there is no event
    uint64_t n_stamps;
    uint64_t n_cpu;
    struct record_cpu first_cpu, last_cpu; // with n_cpu > 0
    bool has_ended;                        // MPI_Finalize was called
};

/// Measures with a file in folder `dir`, once in a process, after the settings have been read;
/// takes some 3 ms, and as much again for functions left out. All zero: there is no room for the
/// file.
struct record_costs cost_measure(const char *dir, bool has_excluded);

/// Count records of the thread: an MPI call with the name of its function, `n_stamps` other times,
/// a reading of the CPU clock. Polls folded into a record do not count: they would take as long
/// without it.
void cost_call(struct thread_cost *thread, const struct record_call *call, const char *function);
void cost_stamp(struct thread_cost *thread, uint64_t time_ns, unsigned n_stamps);
void cost_cpu(struct thread_cost *thread, const struct record_cpu *cpu);

/// How long the time was that the counts are of.
uint64_t cost_counted_ns(const struct thread_cost *thread);

/// What recording took of it, at most all; and what of that went to functions left out. Where the
/// thread had no core for a part of its time, recording took as much longer as everything did.
struct recording_cost {
    uint64_t ns, excluded_ns;
    uint64_t of_ns;     // the time it is compared with: that of the rank's first thread
    uint64_t record_ps; // a record with a time, without that
};
struct recording_cost cost_of(const struct thread_cost *thread, const struct spool_header *header,
                              const struct record_costs *costs);
