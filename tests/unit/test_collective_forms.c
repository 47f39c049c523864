// SPDX-License-Identifier: BSD-3-Clause
// Collectives carried out by algorithms: the times of the literature where all members come at once
// and all messages cost the same, and which size of an operation counts.
#include <stdbool.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/engine_run.h"
#include "tests/unit/machine_text.h"
#include "tests/unit/unit_test.h"

enum { MAX_MEMBERS = CASES(33, 8) };

/// Predicts TEXT on a machine whose file has MESSAGES and COLLECTIVES in it.
static void predict(const char *text, const char *messages, const char *collectives,
                    struct predicted_times *times)
{
    SCOPED char *machine = memory_format("<machine>%s%s</machine>\n", messages, collectives);
    assert_true(predict_on(text, machine, times, stderr));
    assert_int_equal(times->n_forced, 0);
}

/// Compares the ends of the ranks with N expected ones.
static void ends(const char *text, const char *messages, const char *collectives,
                 const uint64_t *expected, size_t n)
{
    struct predicted_times times;
    predict(text, messages, collectives, &times);
    assert_int_equal(times.n_ranks, n);
    for (size_t r = 0; r < n; r++) {
        if (times.ranks[r].finish_ns != expected[r])
            print_error("rank %zu: %" PRIu64 ", by hand %" PRIu64 "\n", r, times.ranks[r].finish_ns,
                        expected[r]);
        assert_int_equal(times.ranks[r].finish_ns, expected[r]);
    }
    predicted_times_release(&times);
}

// --- closed forms

// A message of b bytes: overhead o, latency L, G a byte, overhead r. In the simpler model of
// Thakur, Rabenseifner, Gropp (2005) alpha = o + L + r, beta = G.
enum { O = 7, L = 50, G = 3, R = 5, ALPHA = O + L + R };

/// Time of OPERATION on N members with a node each that all come at 0 and whose share is BYTES.
static uint64_t time_of(const char *operation, const char *algorithm, uint32_t n, uint64_t bytes,
                        const char *messages)
{
    bool is_bcast = strcmp(operation, "bcast") == 0, is_scatter = strcmp(operation, "scatter") == 0;
    bool is_up = strcmp(operation, "reduce") == 0 || strcmp(operation, "gather") == 0;
    bool is_scan = strcmp(operation, "scan") == 0, has_root = is_bcast || is_scatter || is_up;
    char *text = NULL, *collective;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    fputs("nodes", stream);
    for (uint32_t i = 0; i < n; i++)
        fprintf(stream, " n%" PRIu32, i);
    fputc('\n', stream);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t all = bytes * n, sent = all, received = all;
        if (has_root) {
            sent = is_up ? bytes : i == 0 ? all : 0;
            received = !is_up ? bytes : i == 0 ? all : 0;
        } else if (is_scan) {
            sent = (n - i) * bytes;
            received = (i + 1) * bytes;
        }
        fprintf(stream,
                "%" PRIu32 " 0 enter MPI_X\n%" PRIu32 " 9 coll-end %s world %s %" PRIu64 " %" PRIu64
                "\n%" PRIu32 " 9 leave MPI_X\n",
                i, i, operation, has_root ? "0" : "-", sent, received, i);
    }
    fclose(stream);
    collective = memory_format("<collective op=\"%s\" algorithm=\"%s\"/>", operation, algorithm);
    struct predicted_times times;
    predict(text, messages, collective, &times);
    uint64_t time_ns = times.time_ns;
    predicted_times_release(&times);
    FREE_ALL(collective, text);
    return time_ns;
}

static const char uniform[] =
    "<message scope=\"network\" send-overhead=\"7ns\" recv-overhead=\"5ns\">"
    "<point bytes=\"0\" time=\"50ns\"/><point bytes=\"1000\" time=\"3050ns\"/></message>";

static uint32_t log2_up(uint32_t n)
{
    uint32_t log = 0;
    while (1u << log < n)
        log++;
    return log;
}

TEST(test_closed_forms)
{
    const uint64_t b = 40;
    for (uint32_t p = 2; p <= MAX_MEMBERS; p++) {
        uint32_t log = log2_up(p);
        uint64_t part = (b + p - 1) / p;
        bool is_power = 1u << log == p;
#define IS(operation, algorithm, expected)                                                         \
    assert_int_equal(time_of(operation, algorithm, p, b, uniform), expected)
        IS("barrier", "recursive-doubling", log * ALPHA);
        IS("barrier", "ring", (2 * p - 1) * ALPHA);
        // One port: the next message leaves b G after the one before, their latencies overlap.
        IS("bcast", "flat", ALPHA + b * G + (p - 2) * b * G);
        IS("scatter", "flat", ALPHA + b * G + (p - 2) * b * G);
        IS("reduce", "flat", ALPHA + b * G + (p - 2) * b * G);
        IS("allgather", "ring", (p - 1) * (ALPHA + b * G));
        IS("alltoall", "ring", (p - 1) * (ALPHA + b * G));
        IS("reduce_scatter", "ring", (p - 1) * (ALPHA + b * G));
        IS("allreduce", "ring", 2 * (p - 1) * (ALPHA + part * G));
        IS("scan", "ring", (p - 1) * (ALPHA + b * G));
        IS("allgather", "recursive-doubling", log * ALPHA + (p - 1) * b * G);
        if (!is_power)
            continue;
        IS("bcast", "binomial", log * (ALPHA + b * G));
        IS("reduce", "binomial", log * (ALPHA + b * G));
        IS("allreduce", "binomial", 2 * log * (ALPHA + b * G));
        IS("scan", "recursive-doubling", log * (ALPHA + b * G));
        IS("allreduce", "recursive-doubling", log * (ALPHA + b * G));
        IS("scatter", "binomial", log * ALPHA + (p - 1) * b * G);
        IS("gather", "binomial", log * ALPHA + (p - 1) * b * G);
        IS("reduce_scatter", "recursive-doubling", log * ALPHA + (p - 1) * b * G);
        IS("alltoall", "recursive-doubling", log * (ALPHA + b * p / 2 * G));
        IS("bcast", "recursive-doubling", 2 * (log * ALPHA + (p - 1) * part * G));
        IS("allreduce", "recursive-halving", 2 * (log * ALPHA + (p - 1) * part * G));
        IS("reduce", "recursive-doubling", 2 * (log * ALPHA + (p - 1) * part * G));
        IS("reduce", "ring", (p - 1) * (ALPHA + part * G) + log * ALPHA + (p - 1) * part * G);
#undef IS
    }
}

TEST(test_one_member)
{
    static const char *const algorithms[] = {"flat", "binomial", "recursive-doubling", "ring",
                                             "hardware-multicast"};
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
        assert_int_equal(time_of("bcast", algorithms[i], 1, 40, uniform), 0);
}

/// Steps of the tree of QsNet's software broadcast, of which a node does one message a step: 6 for
/// 16 nodes, 8 for 32, where a binary tree has 5 (Coll, Duato, Mora, Petrini, Hoisie 2002).
TEST(test_steps_of_trees)
{
    static const char step[] =
        "<message scope=\"network\" send-overhead=\"1ns\"><point bytes=\"0\" time=\"0s\"/>"
        "</message>";
    assert_int_equal(time_of("bcast", "quaternary", 16, 1, step), 6);
    assert_int_equal(time_of("bcast", "quaternary", 32, 1, step), 8);
    assert_int_equal(time_of("bcast", "binomial", 32, 1, step), 5);
    // The hardware does it at once; a barrier goes up the tree first, 3 levels of one step each.
    assert_int_equal(time_of("bcast", "hardware-multicast", 32, 1, step), 1);
    assert_int_equal(time_of("barrier", "hardware-multicast", 32, 0, step), 4);
}

// --- sizes

#define PLAIN(time)                                                                                \
    "<message scope=\"network\" send-overhead=\"10ns\" recv-overhead=\"20ns\">"                    \
    "<point bytes=\"0\" time=\"" time "\"/></message>"

/// An allreduce of a million doubles by a ring, of a few by recursive doubling; formulas beside.
TEST(test_sizes)
{
    static const char collectives[] =
        "<collective op=\"allreduce\" below=\"100\" algorithm=\"recursive-doubling\"/>"
        "<collective op=\"allreduce\" from=\"100\" below=\"1kB\" time=\"b*1e-9\"/>"
        "<collective op=\"allreduce\" from=\"1kB\" algorithm=\"ring\"/>";
    static const struct {
        uint64_t bytes, time_ns;
    } cases[] = {{99, 130}, {100, 100}, {999, 999}, {1000, 260}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SCOPED char *text = memory_format("nodes a b\n"
                                          "0 0 enter MPI_X\n0 9 coll-end allreduce world - %" PRIu64
                                          " %" PRIu64 "\n0 9 leave MPI_X\n"
                                          "1 0 enter MPI_X\n1 9 coll-end allreduce world - %" PRIu64
                                          " %" PRIu64 "\n1 9 leave MPI_X\n",
                                          2 * cases[i].bytes, 2 * cases[i].bytes,
                                          2 * cases[i].bytes, 2 * cases[i].bytes);
        ends(text, PLAIN("100ns"), collectives, (uint64_t[]){cases[i].time_ns, cases[i].time_ns},
             2);
    }
}

/// What rank 2 of 3, the root where there is one, records of an operation whose b is 100.
TEST(test_bytes_of_operations)
{
    static const struct {
        const char *operation, *root;
        uint64_t sent, received;
        bool is_in_place;
    } cases[] = {
        {"allreduce", "-", 300, 300, false},
        {"allreduce", "-", 200, 200, true},
        {"allreduce", "-", 200, 200, false}, // of a tool that does not say so: 200 is no 3 x b
        {"allgather", "-", 200, 200, true},
        {"alltoall", "-", 200, 200, true},
        {"reduce_scatter_block", "-", 200, 200, true},
        {"scan", "-", 100, 300, false},
        {"scan", "-", 0, 200, true},
        {"exscan", "-", 0, 200, false},
        {"gather", "2", 100, 300, false},
        {"gather", "2", 0, 200, true},
        {"reduce", "2", 0, 200, true},
        // v-operations: the mean, whatever its own share is
        {"gatherv", "2", 0, 300, false},
        {"gatherv", "2", 7, 300, false},
        {"gatherv", "2", 0, 200, true},
        {"allgatherv", "-", 30, 300, false},
        {"allgatherv", "-", 20, 200, true},
        {"reduce_scatter", "-", 300, 0, false},
        {"reduce_scatter", "-", 200, 20, true},
        {"alltoallv", "-", 0, 600, false},
        {"alltoallv", "-", 200, 200, true},
        {"alltoallw", "-", 400, 200, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct predicted_times times;
        SCOPED char *others = memory_format("%s world %s 8 8", cases[i].operation, cases[i].root);
        SCOPED char *text =
            memory_format("nodes a b c\n"
                          "0 0 enter MPI_X\n0 9 coll-end %s\n0 9 leave MPI_X\n"
                          "1 0 enter MPI_X\n1 9 coll-end %s\n1 9 leave MPI_X\n"
                          "2 0 enter MPI_X\n2 9 coll-end %s world %s %" PRIu64 " %" PRIu64
                          "%s\n2 9 leave MPI_X\n",
                          others, others, cases[i].operation, cases[i].root, cases[i].sent,
                          cases[i].received, cases[i].is_in_place ? " in-place" : "");
        SCOPED char *collective =
            memory_format("<collective op=\"%s\" time=\"b*1e-9\"/>", cases[i].operation);
        predict(text, PLAIN("100ns"), collective, &times);
        if (times.ranks[2].finish_ns != 100)
            print_error("case %zu, %s\n", i, cases[i].operation);
        assert_int_equal(times.ranks[2].finish_ns, 100);
        predicted_times_release(&times);
    }
}
