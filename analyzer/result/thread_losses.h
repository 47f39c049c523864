// SPDX-License-Identifier: BSD-3-Clause
// What the threads of ranks do, and what they lose one another: a part of results (result.h), made
// by threads.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What threads spend the judged part with; names in JSON: result_thread_kind_keys. The kinds are
/// those of enum pag_thread_kind, from RESULT_THREAD_FIRST_LOSS on losses.
enum { RESULT_THREAD_KINDS = 11, RESULT_THREAD_FIRST_LOSS = 2 };
extern const char *const result_thread_kind_keys[RESULT_THREAD_KINDS];
/// The same in words.
extern const char *const result_thread_kind_names[RESULT_THREAD_KINDS];

struct result_rank_threads {
    uint32_t n_threads; // with events
    uint64_t ns[RESULT_THREAD_KINDS];
    char *latest;         // the thread that others wait for most at barriers, NULL: none
    uint64_t latest_ns;   // what they wait for it, all together
    bool is_made_singly;  // the program makes threads one by one; then:
    uint32_t busy_region; // where the one that computes longest does most
    double busy_part;     // of that, left if as many as it has cores compute as long; 0: unknown
};

/// Losses of one kind on one rank at one place, sums over its threads.
struct result_thread_loss {
    uint32_t kind, rank;
    uint32_t region; // the parallel region around it, else the construct itself; of idle threads
                     // where the master is most meanwhile; RESULT_NONE: unknown
    uint64_t count;  // 0: not counted
    uint64_t ns;
    uint64_t lost_ns; // of the rank's time, see struct result_threads
    char *latest;     // the thread that others wait for most at barriers there, NULL: none
};

/// Waits of a rank's threads for locks at one place that others of them gave back at one place, a
/// region each.
struct result_lock_wait {
    uint32_t rank, region, holder_region;
    uint64_t count, ns;
};

/// POP's hybrid model in its multiplicative form: hybrid = process x thread, thread = serial x
/// load_balance x runtime. All are shares of the threads' time: process of what is outside MPI and
/// not idle because the master is in MPI; serial of that what is not idle because the master
/// computes alone; load_balance of that what no thread waits at barriers or is left out of a team;
/// runtime of that what is computing. NAN when unknown.
struct result_thread_efficiency {
    double hybrid, process, thread, serial, load_balance, runtime;
};

/// Losses of threads as parts of the ranks' time: that of a rank is divided among its threads
/// evenly. What they lose while the master is in MPI does not count, for MPI has all of the rank's
/// time then; nor does what is more than the rank computes. So lost_ns is a part of
/// result.useful_ns.
struct result_threads {
    uint64_t n_threads; // of all processes; 0: none has several, or this was not looked at
    uint64_t total_ns;  // n_threads x length of the window: ns and unrecorded_ns together
    uint64_t ns[RESULT_THREAD_KINDS], unrecorded_ns;
    uint64_t lost_ns; // of the ranks' time: sum over losses
    struct result_thread_efficiency efficiency;
    struct result_rank_threads *ranks; // by rank
    size_t n_ranks;
    struct result_thread_loss *losses; // time descending
    size_t n_losses;
    struct result_lock_wait *lock_waits; // likewise
    size_t n_lock_waits;
};
