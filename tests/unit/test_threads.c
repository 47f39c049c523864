// SPDX-License-Identifier: BSD-3-Clause
// Threads: their limit holds, and is shared out to jobs that start some themselves.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "analyzer/base/threads.h"
#include "analyzer/trace/ahead/decode_ahead.h"
#include "tests/unit/unit_test.h"

enum { MAX_JOBS = 40 };

struct count {
    atomic_uint n_done[MAX_JOBS], n_inner, n_now, most, most_share;
};

static void raise_to(atomic_uint *most, unsigned value)
{
    unsigned before = atomic_load(most);
    while (value > before && !atomic_compare_exchange_weak(most, &before, value)) {
    }
}

static void inner_job(void *context, size_t number)
{
    struct count *count = context;
    (void)number;
    raise_to(&count->most, atomic_fetch_add(&count->n_now, 1) + 1);
    sched_yield();
    atomic_fetch_add(&count->n_inner, 1);
    atomic_fetch_sub(&count->n_now, 1);
}

static void outer_job(void *context, size_t number)
{
    struct count *count = context;
    raise_to(&count->most_share, threads_count());
    atomic_fetch_add(&count->n_done[number], 1);
    threads_each(3, inner_job, count);
}

TEST(test_each_job_runs_once_and_no_more_threads_than_allowed)
{
    for (unsigned limit = 1; limit < 8; limit++) {
        threads_limit = limit;
        for (size_t n = 0; n <= MAX_JOBS; n = n < 9 ? n + 1 : n + 31) {
            struct count count = {0};
            threads_each(n, outer_job, &count);
            for (size_t i = 0; i < MAX_JOBS; i++)
                assert_int_equal(count.n_done[i], i < n);
            assert_int_equal(count.n_inner, 3 * n);
            assert_true(count.most <= limit);
            unsigned share = n > 0 && n < limit ? (limit + (unsigned)n - 1) / (unsigned)n : 1;
            assert_true(count.most_share <= share);
            assert_int_equal(threads_count(), limit);
        }
    }
    threads_limit = 0;
}

TEST(test_cores_are_those_the_process_may_use)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        skip(); // more than 1024 cores
    assert_int_equal(threads_count(), CPU_COUNT(&all));
    int core = 0;
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(threads_count(), 1);
    threads_limit = 5;
    assert_int_equal(threads_count(), 5);
    threads_limit = 0;
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void note_location(void *context, size_t location, struct batch *batch)
{
    batch->n = (uint32_t)location;
    ((pthread_t *)context)[location] = pthread_self();
}

TEST(test_one_thread_decodes_when_it_helps_or_waits)
{
    pthread_t decoders[3] = {0};
    threads_limit = 1;
    struct decode_ahead *ahead = decode_ahead_start(3, note_location, decoders);
    assert_false(decode_ahead_help(ahead));
    decode_ahead_request(ahead, 2);
    decode_ahead_request(ahead, 1);
    assert_true(decode_ahead_help(ahead));
    assert_true(pthread_equal(decoders[2], pthread_self()));
    assert_false(pthread_equal(decoders[1], pthread_self()));
    assert_int_equal(decode_ahead_wait(ahead, 1)->n, 1);
    assert_false(decode_ahead_help(ahead));
    decode_ahead_stop(ahead);
    threads_limit = 0;
}
