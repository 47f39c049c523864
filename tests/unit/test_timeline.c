// SPDX-License-Identifier: BSD-3-Clause
// The timeline of random runs against the time that the same calls take in each of its columns.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/views/timeline.h"
#include "analyzer/trace/definitions.h"
#include "tests/unit/unit_test.h"

enum { N_RANKS = 3, N_REGIONS = 3 };

static struct region regions[N_REGIONS] = {{.mpi_class = MPI_CLASS_POINT_TO_POINT},
                                           {.mpi_class = MPI_CLASS_COLLECTIVE},
                                           {.mpi_class = MPI_CLASS_MANAGEMENT}};
static struct rank ranks[N_RANKS] = {{.master = 0}, {.master = 1}, {.master = 2}};
static const struct definitions definitions = {
    .regions = regions, .n_regions = N_REGIONS, .ranks = ranks, .n_ranks = N_RANKS};

/// A span of a rank, for the reference.
struct span {
    uint64_t begin_ns, end_ns;
    uint32_t rank;
    int kind;
    double share;
};

struct run {
    struct timeline *timeline;
    struct pag_location locations[N_RANKS];
    struct span *spans;
    size_t n_spans, capacity;
};

/// RANK does KIND for SHARE of that time.
static void add_share(struct run *run, uint32_t rank, int kind, uint64_t begin_ns, uint64_t end_ns,
                      double share)
{
    *ARRAY_NEXT(run->spans, run->n_spans, run->capacity) =
        (struct span){begin_ns, end_ns, rank, kind, share};
}

static void add_span(struct run *run, uint32_t rank, int kind, uint64_t begin_ns, uint64_t end_ns)
{
    add_share(run, rank, kind, begin_ns, end_ns, 1);
}

/// Calls of RANK, one after the other.
static void make_calls(struct run *run, uint32_t rank, size_t n_calls, uint64_t longest_ns)
{
    uint64_t begin_ns = (uint64_t)rand() % longest_ns, now_ns = begin_ns;
    run->locations[rank].first_ns = begin_ns;
    for (size_t i = 0; i < n_calls; i++) {
        uint32_t region = (uint32_t)rand() % N_REGIONS;
        uint64_t enter_ns = now_ns + (uint64_t)rand() % longest_ns;
        uint64_t release_ns = enter_ns + (rand() % 2 ? (uint64_t)rand() % longest_ns : 0);
        uint64_t leave_ns = release_ns + (uint64_t)rand() % longest_ns;
        uint64_t lost_ns = rand() % 2 ? (uint64_t)rand() % (enter_ns - now_ns + 1) : 0;
        double lost = lost_ns > 0 ? (double)lost_ns / (double)(enter_ns - now_ns) : 0;
        add_share(run, rank, TIMELINE_COMPUTING, now_ns, enter_ns, 1 - lost);
        add_share(run, rank, TIMELINE_NO_CPU, now_ns, enter_ns, lost);
        add_span(run, rank, TIMELINE_WAITING, enter_ns, release_ns);
        add_span(run, rank, TIMELINE_POINT_TO_POINT + (int)region, release_ns, leave_ns);
        timeline_called(run->timeline, &(struct pag_called){.rank = rank,
                                                            .region = region,
                                                            .began_ns = begin_ns,
                                                            .enter_ns = enter_ns,
                                                            .leave_ns = leave_ns,
                                                            .lost_ns = lost_ns,
                                                            .release_ns = release_ns,
                                                            .releaser = (rank + 1) % N_RANKS});
        now_ns = leave_ns;
    }
    run->locations[rank].last_ns = now_ns + (uint64_t)rand() % longest_ns;
    add_span(run, rank, TIMELINE_COMPUTING, now_ns, run->locations[rank].last_ns);
}

static void conclude(struct run *run)
{
    struct call_place place = {.path = 5, .site = 7}, *of_location = &place;
    struct call_place *places[N_RANKS] = {of_location, of_location, of_location};
    for (int rank = 0; rank < N_RANKS; rank++)
        run->locations[rank].n_paths = 1;
    const struct pag_result replay = {.locations = run->locations, .n_locations = N_RANKS};
    const struct call_tree tree = {
        .definitions = &definitions, .replay = &replay, .places = places};
    timeline_conclude(run->timeline, &tree);
}

static void release(struct run *run)
{
    timeline_free(run->timeline);
    free(run->spans);
}

static void check_columns(const struct run *run)
{
    const struct timeline *timeline = run->timeline;
    size_t n_cells = timeline->n_columns * TIMELINE_KINDS;
    double width = (double)timeline->column_ns;
    SCOPED double *ns = memory_new(n_cells * sizeof *ns);
    for (uint32_t rank = 0; rank < N_RANKS; rank++) {
        memset(ns, 0, n_cells * sizeof *ns);
        for (size_t i = 0; i < run->n_spans; i++) {
            const struct span *span = &run->spans[i];
            for (uint64_t at = span->begin_ns; span->rank == rank && at < span->end_ns;) {
                uint64_t column = at / timeline->column_ns;
                uint64_t end_ns = (column + 1) * timeline->column_ns;
                end_ns = end_ns < span->end_ns ? end_ns : span->end_ns;
                ns[column * TIMELINE_KINDS + (size_t)span->kind] +=
                    (double)(end_ns - at) * span->share;
                at = end_ns;
            }
        }
        for (size_t i = 0; i < n_cells; i++) {
            double share = timeline->shares[rank * n_cells + i] / (double)TIMELINE_WHOLE;
            // Each joining of columns rounds once; time without CPU time is whole ns in a column.
            double most = 1e-3 + 2 / width;
            assert_true(share - ns[i] / width < most && ns[i] / width - share < most);
        }
    }
}

/// Cells of a random part of the run, of some ranks, against their spans; TOLERANCE in cells.
static void check_cells(const struct run *run, double tolerance)
{
    uint64_t end_ns = run->timeline->end_ns;
    uint64_t from_ns = (uint64_t)rand() % end_ns, to_ns = from_ns + 1 + (uint64_t)rand() % end_ns;
    size_t n = 1 + (size_t)rand() % 90, first = (size_t)rand() % N_RANKS;
    size_t last = first + 1 + (size_t)rand() % (N_RANKS - first);
    double width = (double)(to_ns - from_ns) / (double)n;
    SCOPED double *shares = memory_new(n * TIMELINE_KINDS * sizeof *shares);
    timeline_cells(run->timeline, first, last, from_ns, to_ns, n, shares);
    for (size_t cell = 0; cell < n; cell++) {
        double begin = (double)from_ns + (double)cell * width, end = begin + width;
        double ns[TIMELINE_KINDS] = {0};
        for (size_t i = 0; i < run->n_spans; i++) {
            const struct span *span = &run->spans[i];
            double a = (double)span->begin_ns > begin ? (double)span->begin_ns : begin;
            double b = (double)span->end_ns < end ? (double)span->end_ns : end;
            if (span->rank >= first && span->rank < last && b > a)
                ns[span->kind] += (b - a) * span->share / (double)(last - first);
        }
        for (int kind = 0; kind < TIMELINE_KINDS; kind++) {
            double off = shares[cell * TIMELINE_KINDS + (size_t)kind] - ns[kind] / width;
            assert_true(off < tolerance && off > -tolerance);
        }
    }
}

TEST(each_column_has_its_shares)
{
    static const uint64_t longest[] = {30, 5000, 700000, 1000000000};
    for (unsigned seed = 1; seed <= 12; seed++) {
        srand(seed);
        struct run run = {.timeline = timeline_new(&definitions, false)};
        for (uint32_t rank = 0; rank < N_RANKS; rank++)
            make_calls(&run, rank, 1 + (size_t)rand() % 3000, longest[seed % 4]);
        conclude(&run);
        check_columns(&run);
        assert_true(run.timeline->has_all_calls);
        for (int i = 0; i < 10; i++)
            check_cells(&run, 1e-6);
        for (size_t i = 0; i < run.timeline->n_calls; i++) {
            const struct timeline_call *call = &run.timeline->calls[i];
            assert_true(i == 0 || call->rank > call[-1].rank ||
                        call->enter_ns >= call[-1].leave_ns);
            assert_int_equal(call->path, 5);
            assert_int_equal(call->site, 7);
        }
        release(&run);
    }
}

TEST(too_many_calls_are_left_out_but_not_their_time)
{
    struct run run = {.timeline = timeline_new(&definitions, false)};
    srand(5);
    make_calls(&run, 0, 200000, 400);
    make_calls(&run, 1, 10, 400);
    make_calls(&run, 2, 1, 400);
    conclude(&run);
    assert_false(run.timeline->has_all_calls);
    assert_int_equal(run.timeline->n_calls, 0);
    check_columns(&run);
    // A cell of many columns is off by parts of those at its ends.
    double cell_ns = (double)run.timeline->end_ns / 50,
           *shares = memory_new((size_t)50 * TIMELINE_KINDS * sizeof *shares);
    timeline_cells(run.timeline, 0, 1, 0, run.timeline->end_ns, 50, shares);
    for (size_t cell = 0; cell < 50; cell++) {
        double sum = 0, waiting_ns = 0, begin = (double)cell * cell_ns, end = begin + cell_ns;
        for (int kind = 0; kind < TIMELINE_KINDS; kind++)
            sum += shares[cell * TIMELINE_KINDS + (size_t)kind];
        for (size_t i = 0; i < run.n_spans; i++) {
            const struct span *span = &run.spans[i];
            double a = (double)span->begin_ns > begin ? (double)span->begin_ns : begin;
            double b = (double)span->end_ns < end ? (double)span->end_ns : end;
            if (span->rank == 0 && span->kind == TIMELINE_WAITING && b > a)
                waiting_ns += b - a;
        }
        double off = shares[cell * TIMELINE_KINDS + TIMELINE_WAITING] - waiting_ns / cell_ns;
        assert_true(off < 0.01 && off > -0.01);
        assert_true(sum > 0.99 && sum < 1.01);
    }
    free(shares);
    release(&run);
}

TEST(the_messages_waited_for_longest_are_kept)
{
    struct run run = {.timeline = timeline_new(&definitions, false)};
    const uint64_t n = 100000;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t wait_ns = i * 7919 % n; // each from 0 to n - 1 once
        timeline_message(run.timeline, &(struct pag_message){.sender = 1,
                                                             .receiver = 2,
                                                             .enter_ns = 10 * i,
                                                             .send_enter_ns = 10 * i + wait_ns,
                                                             .leave_ns = 10 * i + wait_ns + 1,
                                                             .is_deciding = true});
    }
    for (uint32_t rank = 0; rank < N_RANKS; rank++)
        make_calls(&run, rank, 1, 400);
    conclude(&run);
    assert_true(run.timeline->n_all_messages == n && run.timeline->n_messages > 1000);
    for (size_t i = 0; i < run.timeline->n_messages; i++)
        assert_int_equal(run.timeline->messages[i].wait_ns, n - 1 - i);
    release(&run);
}
