// SPDX-License-Identifier: BSD-3-Clause
// One worker thread and a ring of requested locations (see decode_ahead.h). A location is in the
// ring at most once, so the ring never overflows. A waiting thread spins a little before it sleeps:
// a batch takes some ten microseconds.
#include "analyzer/trace/decode_ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/threads.h"

enum { SPINS = 4000 };

enum slot_state { SLOT_IDLE, SLOT_REQUESTED, SLOT_READY };

struct slot {
    struct batch batch;
    _Atomic int state; // enum slot_state
};

struct decode_ahead {
    decode_batch *decode;
    void *context;
    struct slot *slots; // by location
    size_t n_slots;
    size_t *ring; // requested locations
    _Atomic size_t n_requested, n_taken;
    _Atomic bool stops;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t is_requested, is_ready;
};

static bool has_work(struct decode_ahead *ahead)
{
    return atomic_load_explicit(&ahead->n_requested, memory_order_acquire) !=
           atomic_load_explicit(&ahead->n_taken, memory_order_relaxed);
}

static void wait_for_work(struct decode_ahead *ahead)
{
    for (int spins = 0; spins < SPINS; spins++)
        if (has_work(ahead) || atomic_load(&ahead->stops))
            return;
    pthread_mutex_lock(&ahead->lock);
    while (!has_work(ahead) && !atomic_load(&ahead->stops))
        pthread_cond_wait(&ahead->is_requested, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
}

static void announce(struct decode_ahead *ahead, pthread_cond_t *condition)
{
    pthread_mutex_lock(&ahead->lock);
    pthread_cond_signal(condition);
    pthread_mutex_unlock(&ahead->lock);
}

static void *work(void *argument)
{
    struct decode_ahead *ahead = argument;
    for (;;) {
        wait_for_work(ahead);
        if (atomic_load(&ahead->stops))
            return NULL;
        size_t n_taken = atomic_load_explicit(&ahead->n_taken, memory_order_relaxed);
        size_t location = ahead->ring[n_taken % ahead->n_slots];
        atomic_store_explicit(&ahead->n_taken, n_taken + 1, memory_order_relaxed);
        struct slot *slot = &ahead->slots[location];
        ahead->decode(ahead->context, location, &slot->batch);
        atomic_store_explicit(&slot->state, SLOT_READY, memory_order_release);
        announce(ahead, &ahead->is_ready);
    }
}

struct decode_ahead *decode_ahead_start(size_t n_locations, decode_batch *decode, void *context)
{
    if (threads_count() < 2)
        return NULL;
    struct decode_ahead *ahead = memory_zeroed(1, sizeof *ahead);
    ahead->decode = decode;
    ahead->context = context;
    ahead->n_slots = n_locations;
    ahead->slots = memory_zeroed(n_locations, sizeof *ahead->slots);
    ahead->ring = memory_zeroed(n_locations, sizeof *ahead->ring);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->is_requested, NULL);
    pthread_cond_init(&ahead->is_ready, NULL);
    if (pthread_create(&ahead->thread, NULL, work, ahead) == 0)
        return ahead;
    free(ahead->slots);
    free(ahead->ring);
    free(ahead);
    return NULL;
}

void decode_ahead_stop(struct decode_ahead *ahead)
{
    if (!ahead)
        return;
    atomic_store(&ahead->stops, true);
    announce(ahead, &ahead->is_requested);
    pthread_join(ahead->thread, NULL);
    for (size_t i = 0; i < ahead->n_slots; i++)
        free(ahead->slots[i].batch.events);
    pthread_cond_destroy(&ahead->is_ready);
    pthread_cond_destroy(&ahead->is_requested);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->slots);
    free(ahead->ring);
    free(ahead);
}

static bool is_ready(struct slot *slot)
{
    return atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_READY;
}

struct batch *decode_ahead_wait(struct decode_ahead *ahead, size_t location)
{
    struct slot *slot = &ahead->slots[location];
    if (atomic_load_explicit(&slot->state, memory_order_relaxed) == SLOT_IDLE)
        decode_ahead_request(ahead, location);
    for (int spins = 0; spins < SPINS; spins++)
        if (is_ready(slot))
            return &slot->batch;
    pthread_mutex_lock(&ahead->lock);
    while (!is_ready(slot))
        pthread_cond_wait(&ahead->is_ready, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return &slot->batch;
}

void decode_ahead_request(struct decode_ahead *ahead, size_t location)
{
    atomic_store_explicit(&ahead->slots[location].state, SLOT_REQUESTED, memory_order_relaxed);
    size_t n_requested = atomic_load_explicit(&ahead->n_requested, memory_order_relaxed);
    ahead->ring[n_requested % ahead->n_slots] = location;
    atomic_store_explicit(&ahead->n_requested, n_requested + 1, memory_order_release);
    announce(ahead, &ahead->is_requested);
}
