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
    find(&result);
    assert_string_equal(found.findings[1].kind, "serial-work");
    threads[1].ns[PAG_THREAD_LOCK] = 2 * window_ns / 10;
    find(&result);
    assert_string_equal(found.findings[1].kind, "thread-locks");
    assert_says("wait for locks for 10.0 % of their time.");
    result.threads.lock_waits = waits;
    result.threads.n_lock_waits = 2;
    find(&result);
    assert_says("mostly in solve (solve.c:56) until another thread comes to solve (solve.c:56)");
}

TEST(test_waiting_for_threads)
{
    struct result result = make_result();
    struct result_rank_threads threads[] = {{.n_threads = 1}, {.n_threads = 2}};
    add_origin(&result, 0, (int64_t[]){0, 30 * MS});
    result.threads.ranks = threads;
    result.threads.n_ranks = 2;
    result.regions[0].is_thread_wait = true;
    find(&result);
    result.regions[0].is_thread_wait = false;
    assert_string_equal(found.findings[1].kind, "thread-waits");
    assert_says("Its first thread waits for the others in solve (solve.c:56)");
}

AROUND_ALL(load, unload)
