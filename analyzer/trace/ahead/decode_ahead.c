// SPDX-License-Identifier: BSD-3-Clause
// Threads that decode, and a ring of requested locations (see decode_ahead.h). A waiting thread
// spins a little before it sleeps: a batch takes some ten microseconds.
#include "analyzer/trace/ahead/decode_ahead.h"

#include <pthread.h>
#include <stdatomic.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/threads.h"

enum { SPINS = 4000 };

#define NO_LOCATION SIZE_MAX

enum slot_state { SLOT_IDLE, SLOT_REQUESTED, SLOT_TAKEN, SLOT_READY };

struct slot {
    struct batch batch;
    _Atomic int state; // enum slot_state; taken under the lock
};

struct decode_ahead {
    decode_batch *decode;
    void *context;
    struct slot *slots; // by location
    size_t n_slots;
    size_t *ring; // requested locations, n_slots places; some may have been taken since
    _Atomic size_t n_requested, n_taken;
    _Atomic bool stops;
    pthread_t *threads;
    size_t n_threads;
    pthread_mutex_t lock;
    pthread_cond_t is_requested, is_ready;
};

static bool has_work(struct decode_ahead *ahead)
{
    return atomic_load_explicit(&ahead->n_requested, memory_order_relaxed) !=
           atomic_load_explicit(&ahead->n_taken, memory_order_relaxed);
}

/// Takes a requested location, or NO_LOCATION.
static size_t take(struct decode_ahead *ahead)
{
    size_t taken = NO_LOCATION;
    pthread_mutex_lock(&ahead->lock);
    while (taken == NO_LOCATION && has_work(ahead)) {
        size_t location = ahead->ring[ahead->n_taken++ % ahead->n_slots];
        int requested = SLOT_REQUESTED;
        if (atomic_compare_exchange_strong(&ahead->slots[location].state, &requested, SLOT_TAKEN))
            taken = location;
    }
    pthread_mutex_unlock(&ahead->lock);
    return taken;
}

static void fill(struct decode_ahead *ahead, size_t location)
{
    struct slot *slot = &ahead->slots[location];
    ahead->decode(ahead->context, location, &slot->batch);
    atomic_store_explicit(&slot->state, SLOT_READY, memory_order_release);
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

static void announce_ready(struct decode_ahead *ahead)
{
    pthread_mutex_lock(&ahead->lock);
    pthread_cond_signal(&ahead->is_ready);
    pthread_mutex_unlock(&ahead->lock);
}

static void *work(void *argument)
{
    struct decode_ahead *ahead = argument;
    while (!atomic_load(&ahead->stops)) {
        size_t location = take(ahead);
        if (location == NO_LOCATION) {
            wait_for_work(ahead);
            continue;
        }
        fill(ahead, location);
        announce_ready(ahead);
    }
    return NULL;
}

struct decode_ahead *decode_ahead_start(size_t n_locations, decode_batch *decode, void *context)
{
    size_t n_threads = threads_count() - 1;
    if (n_threads > n_locations)
        n_threads = n_locations;
    struct decode_ahead *ahead = memory_zeroed(1, sizeof *ahead);
    ahead->decode = decode;
    ahead->context = context;
    ahead->n_slots = n_locations;
    ahead->slots = memory_zeroed(n_locations, sizeof *ahead->slots);
    ahead->ring = memory_zeroed(n_locations, sizeof *ahead->ring);
    ahead->threads = memory_zeroed(n_threads, sizeof *ahead->threads);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->is_requested, NULL);
    pthread_cond_init(&ahead->is_ready, NULL);
    while (ahead->n_threads < n_threads &&
           pthread_create(&ahead->threads[ahead->n_threads], NULL, work, ahead) == 0)
        ahead->n_threads++;
    return ahead;
}

void decode_ahead_stop(struct decode_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    atomic_store(&ahead->stops, true);
    pthread_cond_broadcast(&ahead->is_requested);
    pthread_mutex_unlock(&ahead->lock);
    for (size_t i = 0; i < ahead->n_threads; i++)
        pthread_join(ahead->threads[i], NULL);
    FREE_MEMBERS(ahead->slots, ahead->n_slots, batch.events);
    pthread_cond_destroy(&ahead->is_ready);
    pthread_cond_destroy(&ahead->is_requested);
    pthread_mutex_destroy(&ahead->lock);
    FREE_ALL(ahead->threads, ahead->slots, ahead->ring, ahead);
}

static bool is_ready(struct slot *slot)
{
    return atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_READY;
}

/// Another thread decodes SLOT: waits for it.
static void wait_until_ready(struct decode_ahead *ahead, struct slot *slot)
{
    for (int spins = 0; spins < SPINS; spins++)
        if (is_ready(slot))
            return;
    pthread_mutex_lock(&ahead->lock);
    while (!is_ready(slot))
        pthread_cond_wait(&ahead->is_ready, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
}

struct batch *decode_ahead_wait(struct decode_ahead *ahead, size_t location)
{
    struct slot *slot = &ahead->slots[location];
    int idle = SLOT_IDLE, requested = SLOT_REQUESTED;
    if (atomic_compare_exchange_strong(&slot->state, &idle, SLOT_TAKEN) ||
        atomic_compare_exchange_strong(&slot->state, &requested, SLOT_TAKEN))
        fill(ahead, location);
    while (!is_ready(slot)) {
        size_t other = take(ahead);
        if (other == NO_LOCATION)
            wait_until_ready(ahead, slot);
        else
            fill(ahead, other);
    }
    return &slot->batch;
}

bool decode_ahead_help(struct decode_ahead *ahead)
{
    size_t location = take(ahead);
    if (location != NO_LOCATION)
        fill(ahead, location);
    return location != NO_LOCATION;
}

void decode_ahead_request(struct decode_ahead *ahead, size_t location)
{
    pthread_mutex_lock(&ahead->lock);
    atomic_store_explicit(&ahead->slots[location].state, SLOT_REQUESTED, memory_order_relaxed);
    // Where the ring is full of locations that were taken otherwise, decode_ahead_wait() does it.
    if (ahead->n_requested - ahead->n_taken < ahead->n_slots)
        ahead->ring[ahead->n_requested++ % ahead->n_slots] = location;
    pthread_cond_signal(&ahead->is_requested);
    pthread_mutex_unlock(&ahead->lock);
}
