// SPDX-License-Identifier: BSD-3-Clause
// Rounds of messages among ranks 0 to 2 by all kinds of calls (see crowded_exchange.h). Each side
// computes, enters its call and leaves it soon after both are there and the message is moved; ranks
// 3 to 5, one beside each of them, compute and call something that has to do with nobody.
#include "tests/reference/crowded_exchange.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/reference/program.h"

enum { N_NODES = 3, MAX_ROUNDS = 5, LONGEST_NS = 150, LARGE_BYTES = 60000, SMALL_BYTES = 8 };

struct exchange {
    struct random random;
    FILE *stream;
    uint64_t now_ns[2 * N_NODES];
    uint32_t n_requests;
};

static void put(struct exchange *exchange, uint32_t rank, const char *record)
{
    fprintf(exchange->stream, "%" PRIu32 " %" PRIu64 " %s\n", rank, exchange->now_ns[rank], record);
}

static void put_message(struct exchange *exchange, uint32_t rank, const char *kind, uint32_t other,
                        uint32_t size_bytes)
{
    char record[64];
    snprintf(record, sizeof record, "%s world %" PRIu32 " 0 %" PRIu32, kind, other, size_bytes);
    put(exchange, rank, record);
}

static void put_request(struct exchange *exchange, uint32_t rank, const char *format, uint32_t id)
{
    char record[64];
    snprintf(record, sizeof record, "%s %" PRIu32, format, id);
    put(exchange, rank, record);
}

static uint32_t below(struct exchange *exchange, uint32_t n)
{
    return random_below(&exchange->random, n);
}

/// RANK computes, mostly; often in a function.
static void compute(struct exchange *exchange, uint32_t rank)
{
    bool is_in_function = random_chance(&exchange->random, 50);
    if (is_in_function)
        put(exchange, rank, "enter solve");
    exchange->now_ns[rank] += below(exchange, LONGEST_NS);
    if (is_in_function)
        put(exchange, rank, "leave solve");
}

static uint32_t send_later(struct exchange *exchange, uint32_t rank, uint32_t receiver,
                           uint32_t size_bytes)
{
    char record[64];
    uint32_t id = ++exchange->n_requests;
    put(exchange, rank, "enter MPI_Isend");
    snprintf(record, sizeof record, "isend world %" PRIu32 " 0 %" PRIu32 " %" PRIu32, receiver,
             size_bytes, id);
    put(exchange, rank, record);
    exchange->now_ns[rank] += below(exchange, 5);
    put(exchange, rank, "leave MPI_Isend");
    return id;
}

/// What SENDER, RECEIVER and perhaps a third one do in a round.
struct round {
    enum { SEND, SYNCHRONOUS, NONBLOCKING, TESTED, EXCHANGE, TO_BOTH, N_KINDS } kind;
    uint32_t sender, receiver, third;
    uint32_t size_bytes, other_bytes;
    uint32_t request, other_request;
};

static void enter_sender(struct exchange *exchange, struct round *round)
{
    static const char *const calls[N_KINDS] = {"enter MPI_Send",     "enter MPI_Ssend",
                                               "enter MPI_Wait",     "enter MPI_Test",
                                               "enter MPI_Sendrecv", "enter MPI_Waitall"};
    uint32_t rank = round->sender;
    bool is_posted = round->kind == NONBLOCKING || round->kind == TESTED || round->kind == TO_BOTH;
    if (is_posted)
        round->request = send_later(exchange, rank, round->receiver, round->size_bytes);
    if (round->kind == TO_BOTH)
        round->other_request = send_later(exchange, rank, round->third, round->other_bytes);
    if (is_posted)
        compute(exchange, rank);
    put(exchange, rank, calls[round->kind]);
    if (!is_posted)
        put_message(exchange, rank, "send", round->receiver, round->size_bytes);
}

static void leave_sender(struct exchange *exchange, const struct round *round)
{
    static const char *const calls[N_KINDS] = {"leave MPI_Send",     "leave MPI_Ssend",
                                               "leave MPI_Wait",     "leave MPI_Test",
                                               "leave MPI_Sendrecv", "leave MPI_Waitall"};
    uint32_t rank = round->sender;
    if (round->kind == EXCHANGE)
        put_message(exchange, rank, "recv", round->receiver, round->other_bytes);
    if (round->request > 0)
        put_request(exchange, rank, "isend-complete", round->request);
    if (round->other_request > 0)
        put_request(exchange, rank, "isend-complete", round->other_request);
    put(exchange, rank, calls[round->kind]);
}

static void enter_receiver(struct exchange *exchange, const struct round *round, uint32_t rank)
{
    bool is_exchange = round->kind == EXCHANGE;
    put(exchange, rank, is_exchange ? "enter MPI_Sendrecv" : "enter MPI_Recv");
    if (is_exchange)
        put_message(exchange, rank, "send", round->sender, round->other_bytes);
}

static void leave_receiver(struct exchange *exchange, const struct round *round, uint32_t rank)
{
    put_message(exchange, rank, "recv", round->sender,
                rank == round->receiver ? round->size_bytes : round->other_bytes);
    put(exchange, rank, round->kind == EXCHANGE ? "leave MPI_Sendrecv" : "leave MPI_Recv");
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

static void put_round(struct exchange *exchange, struct round *round)
{
    uint32_t ranks[] = {round->sender, round->receiver, round->third};
    uint32_t n = round->kind == TO_BOTH ? 3 : 2;
    uint64_t ready_ns = 0;
    for (uint32_t i = 0; i < n; i++) {
        compute(exchange, ranks[i]);
        if (i == 0)
            enter_sender(exchange, round);
        else
            enter_receiver(exchange, round, ranks[i]);
        ready_ns = later(ready_ns, exchange->now_ns[ranks[i]]);
    }
    ready_ns += below(exchange, 2 * LONGEST_NS);
    bool is_small = round->size_bytes == SMALL_BYTES && round->kind == SEND;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *now_ns = &exchange->now_ns[ranks[i]];
        *now_ns = (i == 0 && is_small ? *now_ns : ready_ns) + below(exchange, 10);
        if (i == 0)
            leave_sender(exchange, round);
        else
            leave_receiver(exchange, round, ranks[i]);
    }
}

/// The rank beside RANK, for as long as that runs.
static void put_other(struct exchange *exchange, uint32_t rank, uint64_t until_ns)
{
    exchange->now_ns[rank] = below(exchange, 20);
    put(exchange, rank, "enter main");
    while (exchange->now_ns[rank] < until_ns) {
        compute(exchange, rank);
        put(exchange, rank, "enter MPI_Comm_size");
        exchange->now_ns[rank] += below(exchange, LONGEST_NS);
        put(exchange, rank, "leave MPI_Comm_size");
    }
    put(exchange, rank, "leave main");
}

char *crowded_exchange_text(uint64_t seed)
{
    struct exchange exchange = {.random = {seed * 0x9e3779b97f4a7c15u + 23}};
    char *text = NULL;
    size_t size_bytes;
    exchange.stream = open_memstream(&text, &size_bytes);
    fputs("# of seed\nnodes n0 n1 n2 n0 n1 n2\ncores n0 1\ncores n1 1\ncores n2 1\n",
          exchange.stream);
    for (uint32_t rank = 0; rank < N_NODES; rank++)
        put(&exchange, rank, "enter main");
    uint32_t n_rounds = 1 + below(&exchange, MAX_ROUNDS);
    for (uint32_t i = 0; i < n_rounds; i++) {
        struct round round = {.kind = below(&exchange, N_KINDS)};
        round.sender = below(&exchange, N_NODES);
        round.receiver = (round.sender + 1 + below(&exchange, N_NODES - 1)) % N_NODES;
        round.third = N_NODES - round.sender - round.receiver;
        round.size_bytes = random_chance(&exchange.random, 85) ? LARGE_BYTES : SMALL_BYTES;
        round.other_bytes = random_chance(&exchange.random, 70) ? 2 * LARGE_BYTES : SMALL_BYTES;
        put_round(&exchange, &round);
    }
    for (uint32_t rank = 0; rank < N_NODES; rank++) {
        compute(&exchange, rank);
        put(&exchange, rank, "leave main");
        put_other(&exchange, N_NODES + rank, exchange.now_ns[rank]);
    }
    fclose(exchange.stream);
    return text;
}
