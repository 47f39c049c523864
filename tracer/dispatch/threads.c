// SPDX-License-Identifier: BSD-3-Clause
// The C library's functions for threads: POSIX's and those of <threads.h>. C++'s call these. Each
// one calls the definition that follows, and tells the recorder what the program's threads do.
//
// A thread is the program's if it is made outside of MPI calls, by code that is neither MPI nor a
// thread runtime (caller.c). It begins in run_thread(). That it ends, however it does, the recorder
// knows by a key of its own.
//
// Programs lock far more often than they wait for a lock. So a lock is tried first, and only where
// somebody has it the wait is recorded. Who waits counts itself in the lock's slot; who finds
// somebody there when it gives the lock back, or signals a condition, records that. All else costs
// a look into a table.
//
// The C library's functions call each other without passing through here, so each call counts once.
#include "tracer/dispatch/dispatch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

// ---- The definitions that follow

#define NEXT_OF(name) FOLLOWING(name, NULL)
// Begins the definition of an exported function.
#define EXPORTED_FUNCTION(name, parameters)                                                        \
    NEXT_OF(name)                                                                                  \
    EXPORTED int name parameters;                                                                  \
    int name parameters

/// NULL: nothing of what the calling thread does now is recorded.
static inline const struct thread_recorder *recorder_here(void)
{
    const struct recorder *attached = dispatch_recorder();
    return attached && !dispatch_is_inside() ? attached->threads : NULL;
}

// ---- The numbers of threads. A thread keeps its number until it is joined, or a new thread has
// the same handle, which finds it out when it begins.

enum { N_CELLS = 4096, N_PROBES = 16 };

static struct {
    uint64_t thread; // 0: empty
    uint32_t number;
} numbers[N_CELLS];

static uint64_t cell_of(uint64_t thread)
{
    return thread * 0x9e3779b97f4a7c15U >> 52;
}

static void set_number(uint64_t thread, uint32_t number)
{
    for (uint64_t i = cell_of(thread), end = i + N_PROBES; i < end; i++) {
        uint64_t empty = 0;
        if (!__atomic_compare_exchange_n(&numbers[i % N_CELLS].thread, &empty, thread, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
            empty != thread)
            continue;
        __atomic_store_n(&numbers[i % N_CELLS].number, number, __ATOMIC_RELEASE);
        return;
    }
}

/// 0: not known.
static uint32_t number_of(uint64_t thread)
{
    for (uint64_t i = cell_of(thread), end = i + N_PROBES; i < end; i++)
        if (__atomic_load_n(&numbers[i % N_CELLS].thread, __ATOMIC_RELAXED) == thread)
            return __atomic_load_n(&numbers[i % N_CELLS].number, __ATOMIC_ACQUIRE);
    return 0;
}

/// THREAD, which had NUMBER, has been joined: the next one may have its handle, and be joined
/// before it has begun.
static void forget_number(uint64_t thread, uint32_t number)
{
    for (uint64_t i = cell_of(thread), end = i + N_PROBES; i < end; i++)
        if (__atomic_load_n(&numbers[i % N_CELLS].thread, __ATOMIC_RELAXED) == thread) {
            __atomic_compare_exchange_n(&numbers[i % N_CELLS].number, &number, 0, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED);
            return;
        }
}

static uint32_t n_made;

/// What a thread of the program begins with.
struct start {
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    uint32_t number;
};

static struct start take_start(void *memory)
{
    struct start start = *(struct start *)memory;
    const struct thread_recorder *recorder = recorder_here();
    free(memory);
    set_number((uint64_t)pthread_self(), start.number);
    if (recorder)
        recorder->begin(start.number);
    return start;
}

static void *run_thread(void *memory)
{
    struct start start = take_start(memory);
    return start.run(start.argument);
}

static int run_c11_thread(void *memory)
{
    struct start start = take_start(memory);
    return start.run_c11(start.argument);
}

/// NULL: the thread that is to begin with START is not recorded. Else it frees what is returned.
static struct start *begin_creation(struct thread_action *action, struct start start)
{
    const struct thread_recorder *recorder = recorder_here();
    struct start *memory = NULL;
    if (recorder && !dispatch_is_foreign(action->site))
        memory = malloc(sizeof *memory);
    if (!memory)
        return NULL;
    action->object = start.number = __atomic_add_fetch(&n_made, 1, __ATOMIC_RELAXED);
    action->enter_ns = recorder->now_ns();
    *memory = start;
    return memory;
}

static void end_creation(struct thread_action *action, struct start *memory, bool has_succeeded)
{
    const struct thread_recorder *recorder = recorder_here();
    action->order = has_succeeded;
    if (recorder && action->enter_ns != 0)
        recorder->done(action);
    if (!has_succeeded)
        free(memory);
}

NEXT_OF(pthread_create)
EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *argument)
{
    struct thread_action action = {.call = THREAD_pthread_create, .site = CALLER};
    struct start *start = begin_creation(&action, (struct start){.run = run, .argument = argument});
    if (!start)
        return NEXT(pthread_create)(thread, attributes, run, argument);
    int error = NEXT(pthread_create)(thread, attributes, run_thread, start);
    end_creation(&action, start, error == 0);
    return error;
}

NEXT_OF(thrd_create)
EXPORTED int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    struct thread_action action = {.call = THREAD_thrd_create, .site = CALLER};
    struct start *start =
        begin_creation(&action, (struct start){.run_c11 = run, .argument = argument});
    if (!start)
        return NEXT(thrd_create)(thread, run, argument);
    int error = NEXT(thrd_create)(thread, run_c11_thread, start);
    end_creation(&action, start, error == thrd_success);
    return error;
}

// ---- Calls that wait

/// False: the wait is not recorded, and must not be ended.
static bool begin_wait(const struct thread_action *action)
{
    const struct thread_recorder *recorder = recorder_here();
    return recorder && !dispatch_is_foreign(action->site) && recorder->enter(action);
}

static void end_wait(const struct thread_action *action)
{
    const struct thread_recorder *recorder = recorder_here();
    if (recorder)
        recorder->leave(action);
}

#define JOIN(what, name, parameters, arguments)                                                    \
    EXPORTED_FUNCTION(name, parameters)                                                            \
    {                                                                                              \
        struct thread_action action = {.call = THREAD_##what, .site = CALLER};                     \
        action.object = number_of((uint64_t)thread);                                               \
        if (!begin_wait(&action))                                                                  \
            return NEXT(name) arguments;                                                           \
        int error = NEXT(name) arguments;                                                          \
        if (action.object == 0) /* it had not begun */                                             \
            action.object = number_of((uint64_t)thread);                                           \
        action.order = error == 0;                                                                 \
        if (error == 0)                                                                            \
            forget_number((uint64_t)thread, (uint32_t)action.object);                              \
        end_wait(&action);                                                                         \
        return error;                                                                              \
    }
JOIN(pthread_join, pthread_join, (pthread_t thread, void **result), (thread, result))
JOIN(pthread_join, pthread_timedjoin_np,
     (pthread_t thread, void **result, const struct timespec *limit), (thread, result, limit))
JOIN(pthread_join, pthread_clockjoin_np,
     (pthread_t thread, void **result, clockid_t clock, const struct timespec *limit),
     (thread, result, clock, limit))
JOIN(thrd_join, thrd_join, (thrd_t thread, int *result), (thread, result))

NEXT_OF(pthread_barrier_wait)
EXPORTED int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct thread_action action = {.call = THREAD_pthread_barrier_wait,
                                   .object = (uint64_t)(uintptr_t)barrier,
                                   .site = CALLER};
    if (!begin_wait(&action))
        return NEXT(pthread_barrier_wait)(barrier);
    int result = NEXT(pthread_barrier_wait)(barrier);
    end_wait(&action);
    return result;
}

// ---- Locks and conditions. Several may have the same slot: then more is recorded than is needed.

enum { SLOT_BITS = 10 };

static struct slot {
    uint32_t n_waiting;
    uint32_t order;    // of acquisitions
    const void *owner; // the thread whose acquisition was recorded last
} slots[1 << SLOT_BITS];

static inline struct slot *slot_of(const void *object)
{
    return &slots[(uint64_t)(uintptr_t)object * 0x9e3779b97f4a7c15U >> (64 - SLOT_BITS)];
}

static inline bool is_awaited(const void *object)
{
    return __builtin_expect(__atomic_load_n(&slot_of(object)->n_waiting, __ATOMIC_RELAXED) != 0, 0);
}

/// The calling thread is going to wait for OBJECT. It counts as waiting before the record is made,
/// as the holder may give OBJECT back at any time.
static bool begin_wait_for(const void *object, const struct thread_action *action)
{
    struct slot *slot = slot_of(object);
    __atomic_add_fetch(&slot->n_waiting, 1, __ATOMIC_SEQ_CST);
    if (begin_wait(action))
        return true;
    __atomic_sub_fetch(&slot->n_waiting, 1, __ATOMIC_RELAXED);
    return false;
}

static void end_wait_for(const void *object, const struct thread_action *action)
{
    __atomic_sub_fetch(&slot_of(object)->n_waiting, 1, __ATOMIC_RELAXED);
    end_wait(action);
}

/// The number of the acquisition of LOCK that is recorded now.
static uint32_t order_of_acquisition(const void *lock)
{
    struct slot *slot = slot_of(lock);
    __atomic_store_n(&slot->owner, &pagoda_dispatch_thread, __ATOMIC_RELAXED);
    return __atomic_add_fetch(&slot->order, 1, __ATOMIC_RELAXED);
}

/// The number of the acquisition of LOCK that ends now: its own, where it was not recorded.
static uint32_t order_of_release(const void *lock)
{
    struct slot *slot = slot_of(lock);
    const void *owner = &pagoda_dispatch_thread;
    if (__atomic_load_n(&slot->owner, __ATOMIC_RELAXED) != owner)
        return __atomic_add_fetch(&slot->order, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->owner, NULL, __ATOMIC_RELAXED);
    return __atomic_load_n(&slot->order, __ATOMIC_RELAXED);
}

/// A lock is the caller's also if a thread died that had it.
static inline bool is_acquired(int error)
{
    return error == 0 || error == EOWNERDEAD;
}

NEXT_OF(pthread_mutex_trylock)
NEXT_OF(pthread_rwlock_tryrdlock)
NEXT_OF(pthread_rwlock_trywrlock)
NEXT_OF(mtx_trylock)

#define LOCK(what, name, try, busy, parameters, arguments)                                         \
    EXPORTED_FUNCTION(name, parameters)                                                            \
    {                                                                                              \
        struct thread_action action = {                                                            \
            .call = THREAD_##what, .object = (uint64_t)(uintptr_t)lock, .site = CALLER};           \
        if (!recorder_here())                                                                      \
            return NEXT(name) arguments;                                                           \
        int error = NEXT(try)(lock);                                                               \
        if (__builtin_expect(error != busy, 1))                                                    \
            return error;                                                                          \
        if (!begin_wait_for(lock, &action))                                                        \
            return NEXT(name) arguments;                                                           \
        error = NEXT(name) arguments;                                                              \
        action.order = is_acquired(error) ? order_of_acquisition(lock) : 0;                        \
        end_wait_for(lock, &action);                                                               \
        return error;                                                                              \
    }
#define LOCK_OF_POSIX(lock_type, what, plain, timed, clocked, try)                                 \
    LOCK(what, plain, try, EBUSY, (lock_type * lock), (lock))                                      \
    LOCK(what, timed, try, EBUSY, (lock_type * lock, const struct timespec *limit), (lock, limit)) \
    LOCK(what, clocked, try, EBUSY,                                                                \
         (lock_type * lock, clockid_t clock, const struct timespec *limit), (lock, clock, limit))
LOCK_OF_POSIX(pthread_mutex_t, pthread_mutex_lock, pthread_mutex_lock, pthread_mutex_timedlock,
              pthread_mutex_clocklock, pthread_mutex_trylock)
LOCK_OF_POSIX(pthread_rwlock_t, pthread_rwlock_rdlock, pthread_rwlock_rdlock,
              pthread_rwlock_timedrdlock, pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock)
LOCK_OF_POSIX(pthread_rwlock_t, pthread_rwlock_wrlock, pthread_rwlock_wrlock,
              pthread_rwlock_timedwrlock, pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock)
LOCK(mtx_lock, mtx_lock, mtx_trylock, thrd_busy, (mtx_t * lock), (lock))
LOCK(mtx_lock, mtx_timedlock, mtx_trylock, thrd_busy, (mtx_t * lock, const struct timespec *limit),
     (lock, limit))

/// A call that does not wait is about to be made. False: it is not recorded.
static bool begin_call(struct thread_action *action)
{
    const struct thread_recorder *recorder = recorder_here();
    if (recorder && !dispatch_is_foreign(action->site))
        action->enter_ns = recorder->now_ns();
    return action->enter_ns != 0;
}

static void end_call(const struct thread_action *action)
{
    const struct thread_recorder *recorder = recorder_here();
    if (recorder)
        recorder->done(action);
}

// Once the lock is given back, another thread may free its memory.
#define CALL_IF_AWAITED(name, type, order_of)                                                      \
    EXPORTED_FUNCTION(name, (type * object))                                                       \
    {                                                                                              \
        if (!is_awaited(object))                                                                   \
            return NEXT(name)(object);                                                             \
        struct thread_action action = {                                                            \
            .call = THREAD_##name, .object = (uint64_t)(uintptr_t)object, .site = CALLER};         \
        if (!begin_call(&action))                                                                  \
            return NEXT(name)(object);                                                             \
        action.order = order_of(object);                                                           \
        int error = NEXT(name)(object);                                                            \
        end_call(&action);                                                                         \
        return error;                                                                              \
    }
CALL_IF_AWAITED(pthread_mutex_unlock, pthread_mutex_t, order_of_release)
CALL_IF_AWAITED(pthread_rwlock_unlock, pthread_rwlock_t, order_of_release)
CALL_IF_AWAITED(mtx_unlock, mtx_t, order_of_release)

static uint32_t no_order(const void *condition)
{
    (void)condition;
    return 0;
}
CALL_IF_AWAITED(pthread_cond_signal, pthread_cond_t, no_order)
CALL_IF_AWAITED(pthread_cond_broadcast, pthread_cond_t, no_order)
CALL_IF_AWAITED(cnd_signal, cnd_t, no_order)
CALL_IF_AWAITED(cnd_broadcast, cnd_t, no_order)

/// A thread that waits for a condition: it has given LOCK back, for which others may wait.
struct waiting {
    struct thread_action action;
    const void *condition;
};

static bool begin_waiting(struct waiting *waiting, const void *lock)
{
    if (!recorder_here())
        return false;
    waiting->action.order = is_awaited(lock) ? order_of_release(lock) : 0;
    waiting->action.condition = (uint64_t)(uintptr_t)waiting->condition;
    if (!begin_wait_for(waiting->condition, &waiting->action))
        return false;
    waiting->action.order = 0;
    return true;
}

/// Also where the thread is cancelled while it waits.
static void end_waiting(void *argument)
{
    const struct waiting *waiting = argument;
    end_wait_for(waiting->condition, &waiting->action);
}

#define WAIT(what, name, parameters, arguments)                                                    \
    EXPORTED_FUNCTION(name, parameters)                                                            \
    {                                                                                              \
        struct waiting waiting = {                                                                 \
            {.call = THREAD_##what, .object = (uint64_t)(uintptr_t)lock, .site = CALLER},          \
            condition};                                                                            \
        if (!begin_waiting(&waiting, lock))                                                        \
            return NEXT(name) arguments;                                                           \
        int error;                                                                                 \
        pthread_cleanup_push(end_waiting, &waiting);                                               \
        error = NEXT(name) arguments;                                                              \
        pthread_cleanup_pop(1);                                                                    \
        return error;                                                                              \
    }
WAIT(pthread_cond_wait, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *lock),
     (condition, lock))
WAIT(pthread_cond_timedwait, pthread_cond_timedwait,
     (pthread_cond_t * condition, pthread_mutex_t *lock, const struct timespec *limit),
     (condition, lock, limit))
WAIT(pthread_cond_timedwait, pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t *lock, clockid_t clock,
      const struct timespec *limit),
     (condition, lock, clock, limit))
WAIT(cnd_wait, cnd_wait, (cnd_t * condition, mtx_t *lock), (condition, lock))
WAIT(cnd_timedwait, cnd_timedwait, (cnd_t * condition, mtx_t *lock, const struct timespec *limit),
     (condition, lock, limit))
