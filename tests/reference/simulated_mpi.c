// SPDX-License-Identifier: BSD-3-Clause
// MPI as the simulation sees it: messages do not overtake each other, receives match in posting
// order, a rendezvous send ends after its receive was posted, collectives end when those they
// depend on have come.
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/simulator.h"

static void finish_at(struct simulation *sim, uint64_t time, int request)
{
    sim_schedule(sim, time, SIM_DONE, request);
}

static bool matches(const struct simulation *sim, const struct sim_request *receive,
                    const struct sim_message *message)
{
    const struct operation *operation = receive->operation;
    uint32_t source =
        operation->kind == OPERATION_SENDRECV ? operation->other_peer : operation->peer;
    return operation->comm == message->comm &&
           (operation->any_source || source == message->sender) &&
           (operation->any_tag || operation->tag == message->tag);
}

static void match(struct simulation *sim, uint64_t time, int receive, int m)
{
    struct sim_message *message = &sim->messages[m];
    uint32_t latency = sim->program->max_latency;
    sim->requests[receive].message = m;
    if (message->is_rendezvous) {
        finish_at(sim, time + sim_some(sim, latency), message->send);
        finish_at(sim, time + sim_some(sim, latency), receive);
    } else {
        finish_at(sim, time + sim_some(sim, 2), receive);
    }
}

static void remove_at(int *items, uint32_t *n_items, uint32_t at)
{
    memmove(&items[at], &items[at + 1], (*n_items - at - 1) * sizeof *items);
    --*n_items;
}

void sim_post_send(struct simulation *sim, uint32_t rank, uint64_t time,
                   const struct operation *operation, int request)
{
    sim->messages = array_reserve(sim->messages, &sim->message_capacity, sim->n_messages + 1,
                                  sizeof *sim->messages);
    int m = (int)sim->n_messages++;
    sim->messages[m] = (struct sim_message){.comm = operation->comm,
                                            .sender = rank,
                                            .receiver = operation->peer,
                                            .tag = operation->tag,
                                            .size_bytes = operation->size_bytes,
                                            .is_rendezvous = operation->is_rendezvous,
                                            .send = request};
    sim->requests[request].message = m;
    uint64_t arrival = time + sim_some(sim, sim->program->max_latency);
    uint64_t *last = &sim->ranks[operation->peer].last_arrival[rank];
    if (arrival < *last)
        arrival = *last;
    *last = arrival;
    sim_schedule(sim, arrival, SIM_ARRIVAL, m);
    if (!operation->is_rendezvous)
        finish_at(sim, time + sim_some(sim, 2), request);
}

void sim_arrive(struct simulation *sim, uint64_t time, int m)
{
    struct sim_rank *receiver = &sim->ranks[sim->messages[m].receiver];
    for (uint32_t i = 0; i < receiver->n_posted; i++) {
        int receive = receiver->posted[i];
        if (matches(sim, &sim->requests[receive], &sim->messages[m])) {
            remove_at(receiver->posted, &receiver->n_posted, i);
            match(sim, time, receive, m);
            return;
        }
    }
    receiver->unexpected[receiver->n_unexpected++] = m;
}

void sim_post_receive(struct simulation *sim, uint32_t rank, uint64_t time, int request)
{
    struct sim_rank *receiver = &sim->ranks[rank];
    for (uint32_t i = 0; i < receiver->n_unexpected; i++) {
        int m = receiver->unexpected[i];
        if (matches(sim, &sim->requests[request], &sim->messages[m])) {
            remove_at(receiver->unexpected, &receiver->n_unexpected, i);
            match(sim, time, request, m);
            return;
        }
    }
    receiver->posted[receiver->n_posted++] = request;
}

static struct sim_instance *find_instance(struct simulation *sim, uint32_t comm, uint32_t rank,
                                          int *index)
{
    uint32_t place = sim->ranks[rank].n_collectives[comm]++;
    for (size_t i = 0; i < sim->n_instances; i++) {
        if (sim->instances[i].comm == comm && sim->instances[i].place == place) {
            *index = (int)i;
            return &sim->instances[i];
        }
    }
    sim->instances = array_reserve(sim->instances, &sim->instance_capacity, sim->n_instances + 1,
                                   sizeof *sim->instances);
    *index = (int)sim->n_instances;
    struct sim_instance *instance = &sim->instances[sim->n_instances++];
    *instance = (struct sim_instance){.comm = comm, .place = place};
    instance->n_members = sim_program_comm_members(sim->program, comm, rank, instance->members);
    for (uint32_t m = 0; m < instance->n_members; m++)
        instance->requests[m] = SIM_NONE;
    return instance;
}

/// Does member OWN's operation need member OTHER to have come?
static bool needs(const struct operation *operation, const struct sim_instance *instance,
                  uint32_t own, uint32_t other)
{
    if (own == other || operation->is_loose)
        return false;
    switch (operation->collective_kind) {
    case COLLECTIVE_KIND_FROM_ROOT:
        return instance->members[other] == operation->peer;
    case COLLECTIVE_KIND_TO_ROOT:
        return instance->members[own] == operation->peer;
    case COLLECTIVE_KIND_SCAN:
        return other < own;
    default:
        return true;
    }
}

/// Lets all members go that have come and wait for nobody any more.
static void release_members(struct simulation *sim, struct sim_instance *instance)
{
    for (uint32_t m = 0; m < instance->n_members; m++) {
        if (instance->requests[m] == SIM_NONE || instance->is_scheduled[m])
            continue;
        const struct operation *operation = sim->requests[instance->requests[m]].operation;
        uint64_t time = instance->posted[m];
        bool is_free = true;
        for (uint32_t other = 0; other < instance->n_members; other++) {
            if (!needs(operation, instance, m, other))
                continue;
            is_free = is_free && instance->requests[other] != SIM_NONE;
            if (instance->posted[other] > time)
                time = instance->posted[other];
        }
        if (!is_free)
            continue;
        instance->is_scheduled[m] = true;
        finish_at(sim, time + sim_some(sim, sim->program->max_latency), instance->requests[m]);
    }
}

void sim_post_collective(struct simulation *sim, uint32_t rank, uint64_t time, int request)
{
    struct sim_request *own = &sim->requests[request];
    struct sim_instance *instance = find_instance(sim, own->operation->comm, rank, &own->instance);
    for (uint32_t m = 0; m < instance->n_members; m++) {
        if (instance->members[m] == rank) {
            instance->requests[m] = request;
            instance->posted[m] = time;
        }
    }
    release_members(sim, instance);
}

static bool is_of(const struct sim_lock *lock, uint32_t rank, const struct operation *operation)
{
    return lock->rank == rank && lock->operation->comm == operation->comm &&
           lock->operation->is_of_all == operation->is_of_all &&
           (operation->is_of_all || lock->operation->peer == operation->peer);
}

static bool conflict(const struct operation *a, const struct operation *b)
{
    return a->comm == b->comm && (a->is_exclusive || b->is_exclusive) &&
           (a->is_of_all || b->is_of_all || a->peer == b->peer);
}

/// Grants all locks that conflict with none asked for before.
static void grant(struct simulation *sim, uint64_t time)
{
    for (size_t i = 0; i < sim->n_locks; i++) {
        bool is_free = !sim->locks[i].is_granted;
        for (size_t before = 0; before < i && is_free; before++)
            is_free = !conflict(sim->locks[before].operation, sim->locks[i].operation);
        if (!is_free)
            continue;
        sim->locks[i].is_granted = true;
        finish_at(sim, time + sim_some(sim, 2), sim->locks[i].request);
    }
}

void sim_take_lock(struct simulation *sim, uint32_t rank, uint64_t time, int request)
{
    *ARRAY_NEXT(sim->locks, sim->n_locks, sim->lock_capacity) = (struct sim_lock){
        .operation = sim->requests[request].operation, .rank = rank, .request = request};
    grant(sim, time);
}

void sim_give_lock_back(struct simulation *sim, uint32_t rank, uint64_t time,
                        const struct operation *operation)
{
    size_t n = 0;
    for (size_t i = 0; i < sim->n_locks; i++)
        if (!is_of(&sim->locks[i], rank, operation))
            sim->locks[n++] = sim->locks[i];
    sim->n_locks = n;
    grant(sim, time);
}

/// Has the rank of REQUEST heard of all that it asked for?
static bool has_heard(const struct simulation *sim, const struct sim_request *request)
{
    const struct operation *operation = request->operation;
    unsigned side = operation->kind == OPERATION_WAIT ? SIM_COMPLETES : SIM_POSTS;
    const struct sim_epochs *epochs = &sim->epochs[side][operation->comm];
    for (uint32_t peer = 0; peer < PROGRAM_MAX_RANKS; peer++)
        if (operation->group >> peer & 1 &&
            epochs->told[peer][request->rank] < epochs->asked[peer][request->rank])
            return false;
    return true;
}

void sim_synchronise(struct simulation *sim, uint32_t rank, uint64_t time,
                     const struct operation *operation, int request)
{
    bool tells = operation->kind == OPERATION_POST || operation->kind == OPERATION_COMPLETE;
    bool asks = operation->kind == OPERATION_START || operation->kind == OPERATION_WAIT;
    bool is_begin = operation->kind == OPERATION_POST || operation->kind == OPERATION_START;
    struct sim_epochs *epochs = &sim->epochs[is_begin ? SIM_POSTS : SIM_COMPLETES][operation->comm];
    for (uint32_t peer = 0; peer < PROGRAM_MAX_RANKS; peer++) {
        epochs->told[rank][peer] += tells && operation->group >> peer & 1;
        epochs->asked[peer][rank] += asks && operation->group >> peer & 1;
    }
    if (request != SIM_NONE)
        sim->requests[request].is_waiting = true;
    for (size_t r = 0; r < sim->n_requests; r++) {
        struct sim_request *waiting = &sim->requests[r];
        if (!waiting->is_waiting || !has_heard(sim, waiting))
            continue;
        waiting->is_waiting = false;
        finish_at(sim, time + sim_some(sim, 2), (int)r);
    }
}
