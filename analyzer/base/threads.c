// SPDX-License-Identifier: BSD-3-Clause
// A pool of threads for the time of one call. Each of its threads owns a share of all there may be,
// so what a job starts within it keeps to the limit, too.
#include "analyzer/base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

uint64_t threads_limit;

static _Thread_local unsigned own_share; // 0: all of them

static unsigned own_cores; // 0: all that the process may use

// The kernel refuses a set that is too small for its own.
unsigned char *threads_cores(size_t *n_bytes)
{
    unsigned char *cores = NULL;
    int status = -1;
    for (size_t n_bits = 1024; status != 0 && n_bits <= 1024 * 1024; n_bits *= 2) {
        *n_bytes = CPU_ALLOC_SIZE(n_bits);
        free(cores);
        cores = memory_zeroed(*n_bytes, 1);
        status = sched_getaffinity(0, *n_bytes, (cpu_set_t *)(void *)cores);
    }
    return cores;
}

static unsigned count_cores(void)
{
    size_t n_bytes;
    SCOPED unsigned char *cores = threads_cores(&n_bytes);
    int n = CPU_COUNT_S(n_bytes, (cpu_set_t *)(void *)cores);
    return n > 0 ? (unsigned)n : 1;
}

void threads_set_cores(unsigned n)
{
    own_cores = n;
}

unsigned threads_count(void)
{
    if (own_share > 0)
        return own_share;
    if (threads_limit > 0)
        return threads_limit < UINT32_MAX ? (unsigned)threads_limit : UINT32_MAX;
    return own_cores > 0 ? own_cores : count_cores();
}

struct crew {
    void (*job)(void *context, size_t number);
    void *context;
    size_t n_jobs;
    atomic_size_t next;
};

struct worker {
    struct crew *crew;
    unsigned share;
    pthread_t thread;
};

static void *work(void *argument)
{
    const struct worker *worker = argument;
    struct crew *crew = worker->crew;
    own_share = worker->share;
    for (size_t i; (i = atomic_fetch_add(&crew->next, 1)) < crew->n_jobs;)
        crew->job(crew->context, i);
    return NULL;
}

void threads_each(size_t n, void (*job)(void *context, size_t number), void *context)
{
    if (n == 0)
        return;
    struct crew crew = {.job = job, .context = context, .n_jobs = n};
    unsigned n_threads = threads_count(), share_before = own_share;
    size_t n_wanted = n < n_threads ? n : n_threads, n_workers = 0;
    SCOPED struct worker *workers = memory_zeroed(n_wanted, sizeof *workers);
    atomic_init(&crew.next, 0);
    for (size_t i = 0; i < n_wanted; i++)
        workers[i] =
            (struct worker){.crew = &crew, .share = (unsigned)((n_threads + i) / n_wanted)};
    while (n_workers + 1 < n_wanted &&
           pthread_create(&workers[n_workers].thread, NULL, work, &workers[n_workers]) == 0)
        n_workers++;
    work(&workers[n_wanted - 1]); // with what was started, perhaps alone
    own_share = share_before;
    for (size_t i = 0; i < n_workers; i++)
        pthread_join(workers[i].thread, NULL);
}
