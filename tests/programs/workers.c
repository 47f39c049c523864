// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each rank makes POSIX threads in each step, gives the first one more work than the others, and
 * waits for their ends; then the ranks add up what came out. The threads may also meet at barriers,
 * keep a lock while they do a part of their work, or wait for what the first one hands on by a
 * condition. The check: program_work_result() gives each result without doing the work.
 */
#include "program.h"

#include <pthread.h>

enum { MAX_THREADS = 64 };

static long n_steps = 4, n_threads = 2, heavy = 40000, light = 15000, n_meetings, locked, handed,
            seed = 1;

static const struct program_option options[] = {
    {"steps", "N", &n_steps, 1, 1000000, "how often threads are made"},
    {"threads", "N", &n_threads, 1, MAX_THREADS, "threads that each rank makes"},
    {"heavy", "N", &heavy, 0, 1000000000, "units of work of the first thread"},
    {"light", "N", &light, 0, 1000000000, "units of work of each other one"},
    {"meetings", "N", &n_meetings, 0, 1000000, "barriers, each after such work again"},
    {"locked", "N", &locked, 0, 1000000000, "units of work of each with the lock, twice"},
    {"handed", "N", &handed, 0, 1000000000, "units of work of each other one after the first's"},
    {"seed", "N", &seed, 0, 1000000, "of what the threads begin with"},
    {NULL, NULL, NULL, 0, 0, NULL}};

static struct program program = {
    .name = "workers",
    .summary = "POSIX threads with uneven work that are made and awaited in each step",
    .rank_rule = "Any number of ranks.",
    .min_ranks = 1,
    .options = options,
};

static struct worker {
    pthread_t thread;
    int number;
    uint64_t value;
} workers[MAX_THREADS];

static pthread_barrier_t meeting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_handed_on = PTHREAD_COND_INITIALIZER;
static int has_handed_on;

__attribute__((noinline)) static uint64_t compute_heavy(uint64_t value)
{
    return program_work((uint64_t)heavy, value);
}

__attribute__((noinline)) static uint64_t compute_light(uint64_t value)
{
    return program_work((uint64_t)light, value);
}

__attribute__((noinline)) static uint64_t compute_locked(uint64_t value)
{
    return program_work((uint64_t)locked, value);
}

__attribute__((noinline)) static uint64_t compute_handed(uint64_t value)
{
    return program_work((uint64_t)handed, value);
}

static void compute_in_turn(struct worker *worker)
{
    pthread_mutex_lock(&lock);
    worker->value = compute_locked(worker->value);
    pthread_mutex_unlock(&lock);
}

static void hand_on(void)
{
    pthread_mutex_lock(&queue);
    has_handed_on = 1;
    pthread_cond_broadcast(&is_handed_on);
    pthread_mutex_unlock(&queue);
}

static void wait_for_first(void)
{
    pthread_mutex_lock(&queue);
    while (!has_handed_on)
        pthread_cond_wait(&is_handed_on, &queue);
    pthread_mutex_unlock(&queue);
}

static void compute(struct worker *worker)
{
    worker->value =
        worker->number == 0 ? compute_heavy(worker->value) : compute_light(worker->value);
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    if (locked > 0)
        compute_in_turn(worker);
    for (long i = 0; i < n_meetings; i++) {
        compute(worker);
        pthread_barrier_wait(&meeting);
    }
    compute(worker);
    if (locked > 0)
        compute_in_turn(worker);
    if (handed > 0 && worker->number == 0)
        hand_on();
    if (handed > 0 && worker->number > 0) {
        wait_for_first();
        worker->value = compute_handed(worker->value);
    }
    return NULL;
}

static uint64_t first_value(long step, int number)
{
    return program_random((uint64_t)seed, (uint64_t)(step * MAX_THREADS + number));
}

static uint64_t expected(int number, uint64_t value)
{
    long n = number == 0 ? heavy : light;
    long units = n * (n_meetings + 1) + 2 * locked + (number > 0 ? handed : 0);

    return program_work_result((uint64_t)units, value);
}

/* Whether all values of this step are right. */
static int step(long number)
{
    int is_right = 1;

    has_handed_on = 0;
    for (int i = 0; i < n_threads; i++) {
        workers[i].number = i;
        workers[i].value = first_value(number, i);
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    for (int i = 0; i < n_threads; i++) {
        pthread_join(workers[i].thread, NULL);
        uint64_t value = first_value(number, i);
        is_right = is_right && workers[i].value == expected(i, value);
    }
    return is_right;
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int status = program_begin(&program, argc, argv);
    if (status < 0) {
        double begin_s = MPI_Wtime();
        uint64_t sum = 0, all = 0;
        int is_right = 1;

        pthread_barrier_init(&meeting, NULL, (unsigned)n_threads);
        for (long i = 0; i < n_steps; i++) {
            is_right = step(i) && is_right;
            for (int t = 0; t < n_threads; t++)
                sum += workers[t].value;
            MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
        }
        program_time(&program, "steps", begin_s);
        if (program.spoiled)
            is_right = 0;
        if (program.rank == 0)
            printf("%ld steps, value %016" PRIx64 "\n", n_steps, sum);
        status = program_end(&program, is_right ? NULL : "a thread's value is not its work's");
    }
    MPI_Finalize();
    return status;
}
