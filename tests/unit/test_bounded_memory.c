// SPDX-License-Identifier: BSD-3-Clause
// What a replay holds does not grow with the length of the run: the high-water marks of messages
// and lineage nodes are the same for a run and for one ten times as long.
#include <stdbool.h>
#include <stdio.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/unit_test.h"

enum { N_RANKS = 6 };

typedef void write_run(FILE *out, int n_steps);

/// A wavefront: each rank waits for its left neighbour in each step, with uneven work.
static void write_wavefront(FILE *out, int n_steps)
{
    for (int step = 0; step < n_steps; step++) {
        for (int rank = 0; rank < N_RANKS; rank++) {
            int begin = step * 1000 + rank * 100 + step * rank % 7;
            if (rank > 0) {
                fprintf(out, "%d %d enter MPI_Recv\n", rank, begin - 60);
                fprintf(out, "%d %d recv world %d 0 8\n", rank, begin + 5, rank - 1);
                fprintf(out, "%d %d leave MPI_Recv\n", rank, begin + 10);
            }
            fprintf(out, "%d %d enter solve\n%d %d leave solve\n", rank, begin + 20, rank,
                    begin + 90);
            if (rank + 1 < N_RANKS) {
                fprintf(out, "%d %d enter MPI_Send\n", rank, begin + 95);
                fprintf(out, "%d %d send world %d 0 8\n", rank, begin + 95, rank + 1);
                fprintf(out, "%d %d leave MPI_Send\n", rank, begin + 97);
            }
        }
    }
}

/// All ranks only send, to rank 0, which receives three steps later.
static void write_fan_in(FILE *out, int n_steps)
{
    for (int step = 0; step < n_steps; step++) {
        for (int rank = 1; rank < N_RANKS; rank++) {
            int time = step * 1000 + rank;
            fprintf(out, "%d %d enter MPI_Send\n%d %d send world 0 %d 8\n", rank, time, rank, time,
                    step); // a tag of its own for each step
            fprintf(out, "%d %d leave MPI_Send\n", rank, time + 1);
            time = (step + 3) * 1000 + rank * 50;
            fprintf(out, "0 %d enter MPI_Recv\n0 %d recv world %d %d 8\n", time, time + 9, rank,
                    step);
            fprintf(out, "0 %d leave MPI_Recv\n", time + 10);
        }
    }
}

/// An allreduce and a nonblocking ring exchange in each step.
static void write_exchange(FILE *out, int n_steps)
{
    for (int step = 0; step < n_steps; step++) {
        for (int rank = 0; rank < N_RANKS; rank++) {
            int time = step * 1000 + step * rank % 11;
            int left = (rank + N_RANKS - 1) % N_RANKS, right = (rank + 1) % N_RANKS;
            fprintf(out, "%d %d irecv-request %d world %d any\n", rank, time, 2 * step, left);
            fprintf(out, "%d %d isend world %d 0 8 %d\n", rank, time + 20 + 3 * rank, right,
                    2 * step + 1);
            fprintf(out, "%d %d enter MPI_Waitall\n", rank, time + 50);
            fprintf(out, "%d %d irecv world %d 0 8 %d\n", rank, time + 80, left, 2 * step);
            fprintf(out, "%d %d isend-complete %d\n", rank, time + 80, 2 * step + 1);
            fprintf(out, "%d %d leave MPI_Waitall\n", rank, time + 80);
            fprintf(out, "%d %d enter MPI_Allreduce\n%d %d coll-begin\n", rank, time + 100, rank,
                    time + 100);
            fprintf(out, "%d %d coll-end allreduce world - 8 8\n", rank, step * 1000 + 200);
            fprintf(out, "%d %d leave MPI_Allreduce\n", rank, step * 1000 + 200);
        }
    }
}

/// All ranks ask for one lock in each step, and get it one after the other.
static void write_locks(FILE *out, int n_steps)
{
    fprintf(out, "window w world\n");
    for (int step = 0; step < n_steps; step++) {
        for (int rank = 0; rank < N_RANKS; rank++) {
            int begin = step * 1000, turn = (rank + step) % N_RANKS;
            int ask = begin + turn, get = begin + 20 * turn + 12, give = get + 18;
            fprintf(out, "%d %d enter MPI_Win_lock\n", rank, ask);
            fprintf(out, "%d %d lock w 0 exclusive\n", rank, ask);
            fprintf(out, "%d %d leave MPI_Win_lock\n", rank, get);
            fprintf(out, "%d %d enter MPI_Win_unlock\n", rank, give);
            fprintf(out, "%d %d unlock w 0\n", rank, give + 1);
            fprintf(out, "%d %d leave MPI_Win_unlock\n", rank, give + 1);
        }
    }
}

/// In each step all ranks expose a window to their left and access that to their right.
static void write_epochs(FILE *out, int n_steps)
{
    static const char *const calls[] = {"post", "start", "complete", "wait"};
    fprintf(out, "window w world\n");
    for (int rank = 0; rank < N_RANKS; rank++)
        fprintf(out, "comm g%d ranks %d\n", rank, rank);
    for (int step = 0; step < n_steps; step++) {
        for (int rank = 0; rank < N_RANKS; rank++) {
            int left = (rank + N_RANKS - 1) % N_RANKS, right = (rank + 1) % N_RANKS;
            int enter = step * 1000 + (rank + step) % N_RANKS;
            for (int call = 0; call < 4; call++, enter += 200) {
                bool is_exposure = call == 0 || call == 3;
                fprintf(out, "%d %d enter MPI_Win_%s\n", rank, enter, calls[call]);
                fprintf(out, "%d %d sync w g%d %s\n", rank, enter + 50, is_exposure ? left : right,
                        call < 2 ? "process" : "memory");
                fprintf(out, "%d %d leave MPI_Win_%s\n", rank, enter + 50, calls[call]);
            }
        }
    }
}

static struct pag_result replay(write_run *write, int n_steps)
{
    SCOPED char *text = NULL;
    size_t size_bytes = 0;
    FILE *out = open_memstream(&text, &size_bytes);
    write(out, n_steps);
    fclose(out);
    char *directory = scratch_directory();
    struct error err = {{0}};
    assert_int_equal(text_trace_write(text, directory, &err), 0);
    struct trace *trace = trace_open(directory, &err);
    assert_non_null(trace);
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    struct pag_result result;
    assert_int_equal(pag_run(trace, &options, NULL, &result, &err), 0);
    trace_close(trace);
    scratch_remove(directory);
    return result;
}

static void check(write_run *write)
{
    struct pag_result once = replay(write, 100), ten_times = replay(write, 1000);
    assert_int_equal(ten_times.n_messages, 10 * once.n_messages);
    assert_int_equal(ten_times.n_unmatched_sends, 0);
    assert_int_equal(ten_times.max_messages, once.max_messages);
    // Where ranks wait, how many nodes live at once depends a little on who is where.
    assert_true(ten_times.max_lineage_nodes <= once.max_lineage_nodes + 2);
    assert_true(ten_times.max_lineage_nodes <= 4 * N_RANKS);
    pag_result_release(&once);
    pag_result_release(&ten_times);
}

TEST(test_wavefront)
{
    check(write_wavefront);
}

TEST(test_fan_in)
{
    check(write_fan_in);
}

TEST(test_exchange)
{
    check(write_exchange);
}

TEST(test_locks)
{
    check(write_locks);
}

TEST(test_epochs)
{
    check(write_epochs);
}
