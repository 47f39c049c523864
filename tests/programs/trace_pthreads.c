// SPDX-License-Identifier: BSD-3-Clause
/*
 * POSIX threads and those of C11, for the tests of the tracer. Each of 2 ranks does what its
 * argument says and prints "pthreads ok" if all went as it does without the tracer:
 *
 * wait     waits of known length: for a lock, a condition, a barrier, another thread
 * c11      the same with <threads.h>
 * ends     threads end by pthread_exit, are cancelled in each wait, detached, still running at
 * exit; their own data is destroyed errors   kinds of locks, and what goes wrong with them many
 * more threads, one after another and at a time, than may be recorded early    threads that begin
 * before MPI_Init, and one that goes on after MPI_Finalize fork     a child of a process whose
 * threads wait for a lock cost     prints how long an uncontended lock takes, and a thread
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static int is_ready;
static atomic_int n_coming; /* how often the first thread said that it waits next */

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * MS};

    while (nanosleep(&time, &time) != 0)
        continue;
}

static struct timespec in_ms(long ms)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += ms * MS;
    time.tv_sec += time.tv_nsec / (1000 * MS);
    time.tv_nsec %= 1000 * MS;
    return time;
}

static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "trace_pthreads: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

#define REQUIRE(condition) require(condition, #condition)

static void begin(pthread_t *thread, void *(*run)(void *), void *argument)
{
    REQUIRE(pthread_create(thread, NULL, run, argument) == 0);
}

/* ---- Waits of known length */

static void coming(void)
{
    atomic_fetch_add(&n_coming, 1);
}

/* MS after the first thread has said N times that it waits next, however late it does. */
static void sleep_after(int n, long ms)
{
    while (atomic_load(&n_coming) < n)
        sleep_ms(1);
    sleep_ms(ms);
}

static void hold_lock(void)
{
    pthread_mutex_lock(&lock);
    pthread_barrier_wait(&barrier);
    sleep_after(1, 60);
    pthread_mutex_unlock(&lock); /* held until here */
}

static void want_lock(void)
{
    pthread_barrier_wait(&barrier);
    coming();
    pthread_mutex_lock(&lock); /* 60 ms */
    pthread_mutex_unlock(&lock);
}

static void write_table(void)
{
    pthread_rwlock_wrlock(&table);
    pthread_barrier_wait(&barrier);
    sleep_after(2, 40);
    pthread_rwlock_unlock(&table);
}

static void read_table(void)
{
    pthread_barrier_wait(&barrier);
    coming();
    pthread_rwlock_rdlock(&table); /* 40 ms */
    pthread_rwlock_unlock(&table);
}

static void *work(void *unused)
{
    hold_lock();
    write_table();
    sleep_after(3, 80);
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&condition); /* 80 ms */
    pthread_mutex_unlock(&lock);
    sleep_after(4, 50);
    pthread_barrier_wait(&barrier); /* 50 ms for the other thread */
    sleep_after(5, 70);
    return unused;
}

static void wait_for_work(void)
{
    pthread_t thread;

    pthread_barrier_init(&barrier, NULL, 2);
    begin(&thread, work, NULL);
    want_lock();
    read_table();
    coming();
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    coming();
    pthread_barrier_wait(&barrier);
    coming();
    pthread_join(thread, NULL); /* 70 ms */
}

/* ---- C11 */

static mtx_t mutex;
static cnd_t changed;
static int n_changes;

static int hold_mutex(void *number)
{
    mtx_lock(&mutex);
    n_changes++;
    cnd_broadcast(&changed);
    sleep_ms(60);
    mtx_unlock(&mutex);
    return *(int *)number;
}

static void c11(void)
{
    struct timespec soon = in_ms(20);
    int number = 17, result = 0;
    thrd_t thread;

    mtx_init(&mutex, mtx_timed);
    cnd_init(&changed);
    mtx_lock(&mutex);
    REQUIRE(cnd_timedwait(&changed, &mutex, &soon) == thrd_timedout);
    REQUIRE(thrd_create(&thread, hold_mutex, &number) == thrd_success);
    while (n_changes == 0)
        cnd_wait(&changed, &mutex); /* and 60 ms until it has the mutex again */
    REQUIRE(mtx_trylock(&mutex) == thrd_busy);
    mtx_unlock(&mutex);
    REQUIRE(thrd_join(thread, &result) == thrd_success && result == 17);
}

/* ---- Ends */

static pthread_key_t key;
static int n_destroyed, n_cleaned;

static void destroy(void *value)
{
    (void)value;
    __atomic_add_fetch(&n_destroyed, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&other_lock); /* after the tracer's own data perhaps */
    pthread_mutex_unlock(&other_lock);
}

static void clean(void *held)
{
    if (held)
        pthread_mutex_unlock(held);
    __atomic_add_fetch(&n_cleaned, 1, __ATOMIC_RELAXED);
}

static void *exit_within(void *value)
{
    pthread_setspecific(key, value);
    pthread_cleanup_push(clean, NULL);
    pthread_exit(value);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *wait_for_ever(void *how)
{
    pthread_setspecific(key, how);
    if (*(char *)how == 'c') {
        pthread_mutex_lock(&lock);
        pthread_cleanup_push(clean, &lock);
        for (;;)
            pthread_cond_wait(&condition, &lock);
        pthread_cleanup_pop(0);
    } else if (*(char *)how == 't') {
        struct timespec late = in_ms(100000);

        pthread_mutex_lock(&lock);
        pthread_cleanup_push(clean, &lock);
        for (;;)
            pthread_cond_timedwait(&condition, &lock, &late);
        pthread_cleanup_pop(0);
    } else if (*(char *)how == 'j') {
        pthread_t never = *(pthread_t *)((char *)how + 8);

        pthread_cleanup_push(clean, NULL);
        pthread_join(never, NULL);
        pthread_cleanup_pop(0);
    }
    return NULL;
}

static void *sleep_long(void *unused)
{
    sleep_ms(100000);
    return unused;
}

static void cancel_in(const char *how, pthread_t awaited)
{
    struct {
        char how[8];
        pthread_t awaited;
    } argument;
    pthread_t thread;
    void *result = NULL;
    int before = n_cleaned;

    memset(&argument, 0, sizeof argument);
    argument.how[0] = how[0];
    argument.awaited = awaited;
    begin(&thread, wait_for_ever, &argument);
    sleep_ms(20);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    REQUIRE(result == PTHREAD_CANCELED && n_cleaned == before + 1);
    REQUIRE(pthread_mutex_trylock(&lock) == 0); /* given back by the handler */
    pthread_mutex_unlock(&lock);
}

/* It is cancelled before it begins, but nowhere before it says that it will not be. */
static void *refuse(void *value)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    sleep_ms(5);
    return value;
}

static void *detached(void *done)
{
    pthread_mutex_lock(&lock);
    *(int *)done = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void ends(void)
{
    int done = 0, value = 1;
    pthread_attr_t attributes;
    pthread_t thread, sleeping;
    void *result = NULL;

    pthread_key_create(&key, destroy);
    begin(&thread, exit_within, &value);
    pthread_join(thread, &result);
    REQUIRE(result == &value && n_destroyed == 1 && n_cleaned == 1);
    begin(&sleeping, sleep_long, NULL);
    cancel_in("condition", sleeping);
    cancel_in("timed", sleeping);
    cancel_in("join", sleeping);
    REQUIRE(n_destroyed == 4);
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        begin(&thread, refuse, &value);
        pthread_cancel(thread);
        pthread_mutex_unlock(&lock);
        pthread_join(thread, &result);
        REQUIRE(result == &value);
    }
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
    pthread_mutex_lock(&lock);
    REQUIRE(pthread_create(&thread, &attributes, detached, &done) == 0);
    while (!done)
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    pthread_attr_destroy(&attributes);
    /* One thread still sleeps at exit. */
}

/* ---- Kinds of locks */

static void *die_with_lock(void *robust)
{
    pthread_mutex_lock(robust);
    return NULL;
}

static void *try_all(void *held)
{
    struct timespec soon = in_ms(10);

    errno = 12345;
    REQUIRE(pthread_mutex_trylock(held) == EBUSY);
    REQUIRE(pthread_mutex_timedlock(held, &soon) == ETIMEDOUT);
    REQUIRE(pthread_mutex_clocklock(held, CLOCK_REALTIME, &soon) == ETIMEDOUT);
    REQUIRE(pthread_rwlock_tryrdlock(&table) == EBUSY);
    REQUIRE(pthread_rwlock_timedrdlock(&table, &soon) == ETIMEDOUT);
    REQUIRE(pthread_rwlock_timedwrlock(&table, &soon) == ETIMEDOUT);
    REQUIRE(errno == 12345);
    return NULL;
}

static void errors(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t checked, recursive, robust;
    pthread_attr_t bad;
    pthread_t thread;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    REQUIRE(pthread_mutex_unlock(&checked) == EPERM);
    REQUIRE(pthread_mutex_lock(&checked) == 0);
    REQUIRE(pthread_mutex_lock(&checked) == EDEADLK);
    REQUIRE(pthread_rwlock_wrlock(&table) == 0);
    REQUIRE(pthread_rwlock_wrlock(&table) == EDEADLK);
    begin(&thread, try_all, &checked);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&table);
    pthread_mutex_unlock(&checked);
    REQUIRE(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
    REQUIRE(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    REQUIRE(pthread_mutex_unlock(&recursive) == EPERM);
    begin(&thread, die_with_lock, &robust);
    pthread_join(thread, NULL);
    REQUIRE(pthread_mutex_lock(&robust) == EOWNERDEAD);
    REQUIRE(pthread_mutex_consistent(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
    REQUIRE(pthread_join(pthread_self(), NULL) == EDEADLK);
    pthread_attr_init(&bad);
    pthread_attr_setstacksize(&bad, (size_t)1 << 50);
    REQUIRE(pthread_create(&thread, &bad, work, NULL) == EAGAIN);
}

/* ---- Many */

enum { N_LATER = 400, N_AT_A_TIME = 300 };

static void *add_one(void *sum)
{
    pthread_mutex_lock(&lock);
    ++*(int *)sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *add_together(void *sum)
{
    pthread_barrier_wait(&barrier);
    return add_one(sum);
}

static void many(void)
{
    static pthread_t threads[N_AT_A_TIME];
    int sum = 0;

    for (int i = 0; i < N_LATER; i++) {
        begin(&threads[0], add_one, &sum);
        pthread_join(threads[0], NULL);
    }
    pthread_barrier_init(&barrier, NULL, N_AT_A_TIME);
    for (int i = 0; i < N_AT_A_TIME; i++)
        begin(&threads[i], add_together, &sum);
    for (int i = 0; i < N_AT_A_TIME; i++)
        pthread_join(threads[i], NULL);
    REQUIRE(sum == N_LATER + N_AT_A_TIME);
}

/* ---- Before and after MPI */

static pthread_t early_thread;

static void *begin_early(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&condition, &lock);
    is_ready = 2;
    pthread_cond_broadcast(&condition);
    while (is_ready == 2)
        pthread_cond_wait(&condition, &lock); /* from after MPI_Init on */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void use_early_thread(void)
{
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_broadcast(&condition);
    while (is_ready == 1)
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    sleep_ms(30);
}

static void end_early_thread(void)
{
    pthread_mutex_lock(&lock);
    is_ready = 3;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&lock);
    pthread_join(early_thread, NULL);
}

/* ---- Children */

static void fork_while_waiting(void)
{
    pthread_t thread;
    int status, sum = 0;
    pid_t child;

    pthread_mutex_lock(&lock);
    begin(&thread, add_one, &sum);
    sleep_ms(20); /* it waits */
    child = fork();
    if (child == 0) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        begin(&thread, add_one, &sum);
        pthread_mutex_unlock(&lock);
        pthread_join(thread, NULL);
        _exit(sum);
    }
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    REQUIRE(sum == 1);
}

/* ---- Cost */

enum { N_LOCKS = 5000000, N_THREADS = 1000 };

static double now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void cost(void)
{
    pthread_t thread;
    int sum = 0;
    double begin_ns = now_ns(), lock_ns;

    for (int i = 0; i < N_LOCKS; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    lock_ns = (now_ns() - begin_ns) / N_LOCKS;
    begin_ns = now_ns();
    for (int i = 0; i < N_THREADS; i++) {
        begin(&thread, add_one, &sum);
        pthread_join(thread, NULL);
    }
    printf("lock and unlock %.1f ns, thread %.0f ns\n", lock_ns, (now_ns() - begin_ns) / N_THREADS);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "wait";
    int rank, provided, is_early = strcmp(what, "early") == 0;

    if (is_early)
        pthread_create(&early_thread, NULL, begin_early, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "wait") == 0)
        wait_for_work();
    else if (strcmp(what, "c11") == 0)
        c11();
    else if (strcmp(what, "ends") == 0)
        ends();
    else if (strcmp(what, "errors") == 0)
        errors();
    else if (strcmp(what, "many") == 0)
        many();
    else if (is_early)
        use_early_thread();
    else if (strcmp(what, "fork") == 0)
        fork_while_waiting();
    else
        cost();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("pthreads ok\n");
    MPI_Finalize();
    if (is_early)
        end_early_thread();
    return 0;
}
