// SPDX-License-Identifier: BSD-3-Clause
// Findings about threads.
#include "tests/unit/findings_fixture.h"
#include "tests/unit/unit_test.h"

TEST(test_work_of_one_thread)
{
    struct result result = make_result();
    struct result_rank_threads threads[] = {{.n_threads = 1}, {.n_threads = 2}};
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    result.threads.ranks = threads;
    result.threads.n_ranks = 2;
    for (int is_alone = 0; is_alone < 2; is_alone++) {
        paths[0].master_ns = is_alone ? paths[0].exclusive_ns : paths[0].exclusive_ns / 2;
        find(&result);
        assert_string_equal(found.findings[1].kind, is_alone ? "idle-threads" : "serial-work");
    }
    paths[0].master_ns = 0;
}

/// From a tenth of the threads' time on, what they wait for locks is named, with its places.
TEST(test_locks_of_threads)
{
    struct result result = make_result();
    struct result_rank_threads threads[] = {{.n_threads = 1}, {.n_threads = 2}};
    struct result_lock_wait waits[] = {{.rank = 0, .region = 1, .holder_region = 1, .ns = 9},
                                       {.rank = 1, .region = 0, .holder_region = 0, .ns = 8}};
    uint64_t window_ns = result.window_end_ns - result.window_begin_ns;
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    result.threads.ranks = threads;
    result.threads.n_ranks = 2;
    threads[1].ns[PAG_THREAD_LOCK] = 2 * window_ns / 10 - 2;
    find_kind(&result, 1, "serial-work");
    threads[1].ns[PAG_THREAD_LOCK] = 2 * window_ns / 10;
    find_kind(&result, 1, "thread-locks");
    assert_says("are in calls for locks for 10.0 % of their time.");
    result.threads.lock_waits = waits;
    result.threads.n_lock_waits = 2;
    find(&result);
    assert_says("mostly in solve (solve.c:56) until another thread comes to solve (solve.c:56)");
}

/// Waits for a rank that is in a call of the thread runtime are no serial work of that rank.
TEST(test_waits_for_constructs)
{
    static const struct {
        enum construct construct;
        const char *kind;
    } rows[] = {
        {CONSTRUCT_WORK, "serial-work"},         {CONSTRUCT_IMPLICIT_BARRIER, "uneven-threads"},
        {CONSTRUCT_BARRIER, "thread-barriers"},  {CONSTRUCT_LOCK, "thread-lock-waits"},
        {CONSTRUCT_UNLOCK, "thread-lock-waits"}, {CONSTRUCT_CONDITION, "thread-waits"},
        {CONSTRUCT_TASK, "thread-waits"},        {CONSTRUCT_RUNTIME, "thread-runtime"}};
    struct result result = make_result();
    struct result_rank_threads threads[] = {{.n_threads = 1}, {.n_threads = 2}};
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    result.threads.ranks = threads;
    result.threads.n_ranks = 2;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        result.regions[0].construct = (uint8_t)rows[i].construct;
        find(&result);
        assert_string_equal(found.findings[1].kind, rows[i].kind);
        assert_int_equal(found.findings[1].loss_ns, 30 * MS);
    }
    result.regions[0].construct = CONSTRUCT_NONE;
}

/// Rank 1 has two threads, which lose 60 ms in solve: 30 ms of the rank's time.
static const struct {
    uint32_t thread_kind;
    const char *kind, *says;
} losses_of_threads[] = {
    {PAG_THREAD_BARRIER, "thread-barriers",
     "wait for each other at a barrier in solve (solve.c:56) for 60.00 ms in sum over threads, on "
     "rank 1 mostly for its thread \"second\". This costs 30.00 ms, 15.0 % of the ranks' time"},
    {PAG_THREAD_IMPLICIT_BARRIER, "uneven-threads",
     "at the end of solve (solve.c:56) for 60.00 ms"},
    {PAG_THREAD_LOCK, "thread-lock-waits", "for 60.00 ms in sum over threads, mostly in solve"},
    {PAG_THREAD_CONDITION, "thread-waits", "wait for others in solve (solve.c:56) for 60.00 ms"},
    {PAG_THREAD_TASK, "thread-waits", "wait for others in solve (solve.c:56) for 60.00 ms"},
    {PAG_THREAD_RUNTIME, "thread-runtime", "for 60.00 ms in sum over threads, mostly at solve"},
    {PAG_THREAD_IDLE_SERIAL, "serial-threads", "computes alone, mostly in solve (solve.c:56)"},
    {PAG_THREAD_IDLE_LIMITED, "few-threads", "teams have fewer than 2 threads"},
};

TEST(test_losses_of_threads)
{
    struct result result = make_result();
    struct result_rank_threads threads[] = {{.n_threads = 1}, {.n_threads = 2}};
    struct result_thread_loss loss = {.rank = 1, .ns = 70 * MS, .lost_ns = 30 * MS};
    result.threads = (struct result_threads){.n_threads = 3,
                                             .lost_ns = 30 * MS,
                                             .ranks = threads,
                                             .n_ranks = 2,
                                             .losses = &loss,
                                             .n_losses = 1};
    for (size_t i = 0; i < sizeof losses_of_threads / sizeof losses_of_threads[0]; i++) {
        loss.kind = losses_of_threads[i].thread_kind;
        loss.latest = i == 0 ? (char *)"second" : NULL;
        find(&result);
        assert_int_equal(found.n_findings, 2);
        assert_string_equal(found.findings[1].kind, losses_of_threads[i].kind);
        assert_int_equal(found.findings[1].loss_ns, 30 * MS);
        assert_int_equal(found.findings[1].ranks[0], 1);
        assert_int_equal(found.found_rest_ns, 20 * MS); // in calls
        assert_says(losses_of_threads[i].says);
    }
}

/// What a remedy takes off the master's time in a parallel region, or in a call where it waits.
TEST(test_remedies_of_uneven_threads)
{
    struct result result = make_result();
    struct result_rank_threads threads[] = {{.n_threads = 1}, {.n_threads = 2}};
    struct result_thread_loss loss = {
        .kind = PAG_THREAD_IMPLICIT_BARRIER, .rank = 1, .ns = 20 * MS, .lost_ns = 10 * MS};
    struct result_path_rank times[] = {{0, 1, 1, 100 * MS, 0, 0}, {0, 0, 1, 40 * MS, 0, 0}};
    result.path_ranks = times;
    result.n_path_ranks = 2;
    result.threads = (struct result_threads){.n_threads = 3,
                                             .lost_ns = 10 * MS,
                                             .ranks = threads,
                                             .n_ranks = 2,
                                             .losses = &loss,
                                             .n_losses = 1};
    result.regions[0].construct = CONSTRUCT_PARALLEL;
    find(&result); // both threads are in it for 50 ms
    assert_string_equal(found.findings[1].remedies[0].value, "solve=0.80");
    times[1].inclusive_ns = 45 * MS; // rank 0, which loses nothing, is longest there then
    find(&result);
    assert_string_equal(found.findings[1].remedies[0].value, "solve=0.90");
    result.regions[0].construct = CONSTRUCT_IMPLICIT_BARRIER;
    times[0].master_ns = 40 * MS;
    find(&result);
    assert_string_equal(found.findings[1].remedies[0].value, "solve=0.75");
    times[0].master_ns = 9 * MS; // the master itself waits for less
    find(&result);
    assert_int_equal(found.findings[1].n_remedies, 0);
    loss.kind = PAG_THREAD_IDLE_SERIAL;
    result.regions[0].construct = CONSTRUCT_NONE;
    find(&result);
    assert_string_equal(found.findings[1].remedies[0].value, "solve=0.5");
}

AROUND_ALL(load, unload)
