// SPDX-License-Identifier: BSD-3-Clause
// Messages and collectives around gaps in the recording (events.h), in two passes over all records:
// number what was skipped; find what has its counterpart there.
#include "tracer/finish/event_context.h"

#include "tracer/finish/memory.h"

#include <stdlib.h>

/// One side of a channel, or a rank's part in the collectives of a communicator, or (`from` -1)
/// what any of its members skipped of them. No padding: a key.
struct side {
    uint32_t comm; // index in struct unify
    uint32_t kind; // RECORD_SEND, RECORD_RECV; RECORD_COLLECTIVE, RECORD_ICOLL_POST, RECORD_EPOCH
    int32_t from;  // ranks in MPI_COMM_WORLD
    int32_t to;    // collectives, epochs: -1
    int32_t tag;
};

struct sequence {
    uint64_t next; // number of the next one
    struct run {
        uint64_t first;
        uint64_t n;
    } * skipped; // in order
    size_t n_skipped;
};

struct gaps {
    const struct unify *unify;
    const struct process *processes;
    struct table sides;    // their values: struct sequence
    struct table requests; // dropped: rank and number
    struct table drops;    // dropped records: addresses
};

static struct sequence *sequence_of(struct gaps *gaps, const struct side *side)
{
    return table_value(&gaps->sides, side, sizeof *side, sizeof(struct sequence), NULL);
}

static struct sequence *sequence_at(const struct gaps *gaps, uint32_t number)
{
    return table_value_at(&gaps->sides, number);
}

static void add_skipped(struct sequence *sequence, uint64_t n)
{
    struct run *last = sequence->n_skipped > 0 ? &sequence->skipped[sequence->n_skipped - 1] : NULL;
    if (last && last->first + last->n == sequence->next)
        last->n += n;
    else
        APPEND(sequence->skipped, sequence->n_skipped, (struct run){sequence->next, n});
}

static int by_number(const void *key, const void *element)
{
    uint64_t number = *(const uint64_t *)key;
    const struct run *run = element;
    return number < run->first ? -1 : number >= run->first + run->n;
}

static bool was_skipped(const struct sequence *sequence, uint64_t number)
{
    return sequence->n_skipped > 0 && bsearch(&number, sequence->skipped, sequence->n_skipped,
                                              sizeof *sequence->skipped, by_number);
}

/// The side that a record counts for. False: none, or one that is not followed (intercommunicators,
/// members outside MPI_COMM_WORLD).
static bool side_of(const struct gaps *gaps, uint32_t rank, uint32_t kind, uint32_t comm_id,
                    int32_t peer, int32_t tag, struct side *side)
{
    uint32_t comm = unify_find(&gaps->processes[rank].comms, comm_id);
    if (comm == RECORD_NO_COMM || comm == 1 || gaps->unify->comms[comm].group == RECORD_NO_COMM ||
        (gaps->unify->comms[comm].remote != RECORD_NO_COMM &&
         gaps->unify->comms[comm].remote != UNIFY_WINDOW))
        return false;
    struct unify_group group = unify_group(gaps->unify, gaps->unify->comms[comm].group);
    if (kind == RECORD_COLLECTIVE || kind == RECORD_ICOLL_POST || kind == RECORD_EPOCH) {
        *side = (struct side){comm, kind, (int32_t)rank, -1, 0};
        return true;
    }
    if (peer < 0 || (uint32_t)peer >= group.n || group.members[peer] < 0)
        return false;
    peer = group.members[peer];
    *side = kind == RECORD_SEND || kind == RECORD_ISEND
                ? (struct side){comm, RECORD_SEND, (int32_t)rank, peer, tag}
                : (struct side){comm, RECORD_RECV, peer, (int32_t)rank, tag};
    return true;
}

/// The same for a record that is such an event.
static bool side_of_record(const struct gaps *gaps, uint32_t rank, const struct record_head *head,
                           struct side *side)
{
    const struct record_message *message = (const void *)head;
    switch ((enum record_kind)head->kind) {
    case RECORD_SEND:
    case RECORD_ISEND:
    case RECORD_RECV:
    case RECORD_IRECV:
        return side_of(gaps, rank, head->kind, head->id, message->peer, message->tag, side);
    case RECORD_COLLECTIVE:
    case RECORD_EPOCH:
    case RECORD_ICOLL_POST:
        return side_of(gaps, rank, head->kind, head->id, 0, 0, side);
    default:
        return false;
    }
}

/// Does the other side, or any other member, lack the event? Only some members take part in
/// an epoch. So if one member lacks an epoch, those of the others cannot be matched.
static bool has_counterpart(struct gaps *gaps, const struct side *side, uint64_t number)
{
    struct side other = *side;
    if (side->kind == RECORD_SEND)
        other.kind = RECORD_RECV;
    else if (side->kind == RECORD_RECV)
        other.kind = RECORD_SEND;
    else
        other.from = -1;
    if (side->kind == RECORD_EPOCH)
        return sequence_of(gaps, &other)->n_skipped == 0;
    return !was_skipped(sequence_of(gaps, &other), number);
}

static int by_first(const void *a, const void *b)
{
    const struct run *left = a;
    const struct run *right = b;
    return (left->first > right->first) - (left->first < right->first);
}

/// Brings the runs into order, where they overlap as one.
static void merge(struct sequence *sequence)
{
    size_t n = 0;
    if (sequence->n_skipped > 0)
        qsort(sequence->skipped, sequence->n_skipped, sizeof *sequence->skipped, by_first);
    for (size_t i = 0; i < sequence->n_skipped; i++) {
        struct run run = sequence->skipped[i];
        struct run *last = n > 0 ? &sequence->skipped[n - 1] : NULL;
        if (!last || run.first > last->first + last->n)
            sequence->skipped[n++] = run;
        else if (run.first + run.n > last->first + last->n)
            last->n = run.first + run.n - last->first;
    }
    sequence->n_skipped = n;
}

/// What all members skipped of the collectives of their communicators.
static void join_members(struct gaps *gaps)
{
    uint32_t n_sides = gaps->sides.n;
    for (uint32_t i = 0; i < n_sides; i++) {
        struct side side = *(const struct side *)table_key(&gaps->sides, i);
        if (side.to >= 0)
            continue;
        side.from = -1;
        struct sequence *all = sequence_of(gaps, &side);
        for (size_t k = 0; k < sequence_at(gaps, i)->n_skipped; k++)
            APPEND(all->skipped, all->n_skipped, sequence_at(gaps, i)->skipped[k]);
    }
    for (uint32_t i = n_sides; i < gaps->sides.n; i++)
        merge(sequence_at(gaps, i));
}

static void add(struct table *table, uint64_t a, uint64_t b)
{
    table_number(table, (uint64_t[]){a, b}, 2 * sizeof a, NULL);
}

/// Number of the request a record begins or ends, 0: none.
static uint64_t request_of(const struct record_head *head)
{
    switch ((enum record_kind)head->kind) {
    case RECORD_IRECV_POST:
    case RECORD_IRECV:
    case RECORD_ISEND:
        return ((const struct record_message *)(const void *)head)->request;
    case RECORD_ISEND_DONE:
    case RECORD_CANCELLED:
    case RECORD_ICOLL_POST:
        return ((const struct record_request *)(const void *)head)->request;
    case RECORD_ICOLL:
        return ((const struct record_collective *)(const void *)head)->request;
    case RECORD_POLL:
        return ((const struct record_poll *)(const void *)head)->request;
    default:
        return 0;
    }
}

/// A pass over the records of a thread, which numbers its messages and collectives. First, until
/// FINDS, it notes which were skipped; then it drops those without counterpart.
static void pass(struct gaps *gaps, const struct spool *spool, bool finds)
{
    uint32_t rank = spool->header->rank;
    struct side side;
    for (const struct record_head *head = spool_next(spool, NULL); head;
         head = spool_next(spool, head)) {
        const struct record_skipped *skipped = (const void *)head;
        if (head->kind == RECORD_SKIPPED) {
            if (!side_of(gaps, rank, skipped->kind, head->id, skipped->peer, skipped->tag, &side))
                continue;
            if (!finds)
                add_skipped(sequence_of(gaps, &side), skipped->n);
            sequence_of(gaps, &side)->next += skipped->n;
            continue;
        }
        if (!side_of_record(gaps, rank, head, &side))
            continue;
        uint64_t number = sequence_of(gaps, &side)->next++;
        if (!finds || has_counterpart(gaps, &side, number))
            continue;
        add(&gaps->drops, (uint64_t)(uintptr_t)head, 0);
        if (request_of(head) != 0)
            add(&gaps->requests, rank, request_of(head));
    }
}

static bool holds(const struct table *table, uint64_t a, uint64_t b)
{
    return table_has(table, (uint64_t[]){a, b}, 2 * sizeof a);
}

static bool is_followed(const struct spool *spools, size_t n, const struct process *processes)
{
    bool has_gap = false;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && spools[i].header->rank == spools[i - 1].header->rank)
            return false;
        has_gap |= processes[spools[i].header->rank].has_skipped;
    }
    return has_gap;
}

struct gaps *gaps_find(const struct spool *spools, size_t n, const struct process *processes,
                       const struct unify *unify)
{
    if (!is_followed(spools, n, processes))
        return NULL;
    struct gaps *gaps = alloc_or_die(sizeof *gaps);
    gaps->unify = unify;
    gaps->processes = processes;
    for (size_t i = 0; i < n; i++)
        pass(gaps, &spools[i], false);
    join_members(gaps);
    for (uint32_t i = 0; i < gaps->sides.n; i++)
        sequence_at(gaps, i)->next = 0;
    for (size_t i = 0; i < n; i++)
        pass(gaps, &spools[i], true);
    return gaps;
}

void gaps_free(struct gaps *gaps)
{
    if (!gaps)
        return;
    for (uint32_t i = 0; i < gaps->sides.n; i++)
        free(sequence_at(gaps, i)->skipped);
    table_release(&gaps->sides);
    table_release(&gaps->requests);
    table_release(&gaps->drops);
    free(gaps);
}

bool gaps_drop(const struct gaps *gaps, const struct spool *spool, const struct record_head *head)
{
    if (!gaps)
        return false;
    uint64_t request = gaps->requests.n > 0 ? request_of(head) : 0;
    return (request != 0 && holds(&gaps->requests, spool->header->rank, request)) ||
           holds(&gaps->drops, (uint64_t)(uintptr_t)head, 0);
}
