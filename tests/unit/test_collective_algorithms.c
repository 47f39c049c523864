// SPDX-License-Identifier: BSD-3-Clause
// Collectives carried out by algorithms: random runs of them against programs of messages written
// down one by one (tests/reference/collective_messages.h), to the nanosecond. Programs that do
// other things, too: test_prediction.c.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds.
#include <stdbool.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/collective_messages.h"
#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"
#include "tests/unit/machine_text.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(400, 20) };
enum { MAX_RANKS = 33, MAX_CALLS = 8, SLOT_NS = 1000000, SIZES = 2 };

/// Operations and what they can be carried out by.
static const struct {
    const char *name, *algorithms;
    bool has_root, has_even_shares;
} operations[] = {
    {"barrier", "flat binomial quaternary recursive-doubling ring hardware-multicast", false, true},
    {"bcast", "flat binomial quaternary recursive-doubling ring hardware-multicast", true, true},
    {"gather", "flat binomial", true, true},
    {"gatherv", "flat binomial", true, false},
    {"scatter", "flat binomial", true, true},
    {"scatterv", "flat binomial", true, false},
    {"allgather", "flat binomial recursive-doubling ring", false, true},
    {"allgatherv", "flat binomial recursive-doubling ring", false, false},
    {"alltoall", "flat recursive-doubling ring", false, true},
    {"alltoallv", "flat recursive-doubling ring", false, false},
    {"alltoallw", "flat recursive-doubling ring", false, false},
    {"allreduce",
     "flat binomial quaternary recursive-doubling recursive-halving ring hardware-multicast", false,
     true},
    {"reduce", "flat binomial quaternary recursive-doubling ring", true, true},
    {"reduce_scatter", "flat binomial recursive-doubling ring", false, true},
    {"scan", "flat recursive-doubling ring", false, true},
    {"exscan", "flat recursive-doubling ring", false, true},
    {"reduce_scatter_block", "flat binomial recursive-doubling ring", false, true},
};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

/// How the machine carries out an operation: below a size, and from it on.
struct choice {
    char algorithm[SIZES][24], tree[SIZES][24];
    uint64_t bound_bytes;
};

struct one_call {
    uint32_t operation, root; // root: place in the communicator
    uint32_t n, ranks[MAX_RANKS];
    bool is_nonblocking, is_in_place;
    uint64_t share_bytes[MAX_RANKS];                      // by member
    uint64_t before_ns[MAX_RANKS], between_ns[MAX_RANKS]; // work before it, and before its wait
};

struct test_run {
    uint32_t n_ranks, n_calls;
    uint32_t node[MAX_RANKS];
    struct scenario_messages messages[2]; // on a node, network
    struct choice choices[N_OPERATIONS];
    struct one_call calls[MAX_CALLS];
};

// --- random runs

static void choose_word(const char *words, struct random *random, char *word)
{
    uint32_t n = 1;
    for (const char *at = words; *at; at++)
        n += *at == ' ';
    for (n = random_below(random, n); n > 0; n--)
        words = strchr(words, ' ') + 1;
    size_t length = strcspn(words, " ");
    memcpy(word, words, length);
    word[length] = '\0';
}

static void choose_machine(struct test_run *run, struct random *random)
{
    for (int scope = 0; scope < 2; scope++) {
        struct scenario_messages *messages = &run->messages[scope];
        *messages = (struct scenario_messages){.is_given = true,
                                               .send_overhead_ns = random_below(random, 3) * 7,
                                               .receive_overhead_ns = random_below(random, 3) * 5,
                                               .n_points = 1 + random_below(random, 3)};
        uint64_t bytes = random_below(random, 2) * 16, time_ns = random_below(random, 60);
        for (uint32_t i = 0; i < messages->n_points; i++) {
            messages->bytes[i] = bytes;
            messages->time_ns[i] = time_ns;
            bytes += 1 + random_below(random, 300);
            time_ns += random_below(random, 100);
        }
    }
    for (uint32_t o = 0; o < N_OPERATIONS; o++) {
        struct choice *choice = &run->choices[o];
        for (int i = 0; i < SIZES; i++) {
            choose_word(operations[o].algorithms, random, choice->algorithm[i]);
            choose_word("flat binomial quaternary", random, choice->tree[i]);
        }
        bool has_bound = operations[o].has_even_shares && random_chance(random, 30);
        choice->bound_bytes = has_bound ? 1 + random_below(random, 200) : UINT64_MAX;
    }
}

static bool uses_multicast(const struct choice *choice)
{
    return strcmp(choice->algorithm[0], "hardware-multicast") == 0 ||
           strcmp(choice->algorithm[1], "hardware-multicast") == 0;
}

static void choose_call(const struct test_run *run, struct one_call *call, struct random *random)
{
    uint32_t o = random_below(random, N_OPERATIONS);
    // Multicasts of different groups take turns in the order of time, which nobody knows here.
    uint32_t share = uses_multicast(&run->choices[o]) || random_chance(random, 60) ? 100 : 50;
    *call = (struct one_call){.operation = o, .is_nonblocking = random_chance(random, 30)};
    while (call->n == 0)
        for (uint32_t r = 0; r < run->n_ranks; r++)
            if (random_chance(random, share))
                call->ranks[call->n++] = r;
    if (operations[o].has_root)
        call->root = random_below(random, call->n);
    call->is_in_place = random_chance(random, 30);
    uint32_t spread = random_chance(random, 30) ? 1 : 600;
    uint64_t bytes = random_chance(random, 20) ? 0 : random_below(random, 400);
    for (uint32_t i = 0; i < call->n; i++) {
        // What a member has posted is known when it is complete: until then it counts as the first.
        bool is_even = operations[o].has_even_shares || call->is_nonblocking;
        call->share_bytes[i] = is_even ? bytes : 1 + random_below(random, 300);
        call->before_ns[i] = random_below(random, spread);
        call->between_ns[i] = random_below(random, spread);
    }
}

static struct test_run *random_run(uint64_t seed)
{
    struct random random = {seed * 0x9e3779b97f4a7c15u + 3};
    struct test_run *run = memory_zeroed(1, sizeof *run);
    run->n_ranks = 1 + random_below(&random, MAX_RANKS);
    uint32_t n_nodes = 0, most = 1 + random_below(&random, 8);
    for (uint32_t r = 0; r < run->n_ranks; r++) { // numbered in the order of their first use
        run->node[r] = random_below(&random, n_nodes < most ? n_nodes + 1 : n_nodes);
        n_nodes += run->node[r] == n_nodes;
    }
    choose_machine(run, &random);
    run->n_calls = 1 + random_below(&random, MAX_CALLS);
    for (uint32_t c = 0; c < run->n_calls; c++)
        choose_call(run, &run->calls[c], &random);
    return run;
}

// --- as a trace

/// Whether member I of the call gives MPI_IN_PLACE; MPI_Exscan always counts like that.
static bool is_in_place(const struct one_call *call, uint32_t i)
{
    const char *name = operations[call->operation].name;
    if (strcmp(name, "bcast") == 0 || strcmp(name, "barrier") == 0)
        return false;
    bool may_be = !operations[call->operation].has_root || i == call->root;
    return strcmp(name, "exscan") == 0 || (call->is_in_place && may_be);
}

/// What is recorded of member I's bytes: what goes to and comes from all members, itself included
/// unless it is in place.
static void count_bytes(const struct one_call *call, uint32_t i, uint64_t *sent, uint64_t *received)
{
    const char *name = operations[call->operation].name;
    bool keeps = is_in_place(call, i);
    uint64_t share = call->share_bytes[i], own = keeps ? 0 : share;
    uint64_t all = share * (call->n - keeps);
    bool is_up = strcmp(name, "reduce") == 0 || strncmp(name, "gather", 6) == 0;
    *sent = *received = all;
    if (strcmp(name, "barrier") == 0) {
        *sent = *received = 0;
    } else if (strcmp(name, "scan") == 0 || strcmp(name, "exscan") == 0) {
        *sent = (call->n - 1 - i) * share + own;
        *received = i * share + own;
    } else if (operations[call->operation].has_root) {
        bool is_root = i == call->root;
        *sent = is_up ? own : is_root ? all : 0;
        *received = is_up ? (is_root ? all : 0) : own;
    }
}

static void write_call(FILE *stream, const struct one_call *call, uint32_t number, uint32_t i,
                       uint64_t *time_ns)
{
    const char *name = operations[call->operation].name;
    uint32_t rank = call->ranks[i];
    uint64_t sent, received, end_ns = (uint64_t)(number + 1) * SLOT_NS;
    char root[16] = "-";
    if (operations[call->operation].has_root)
        snprintf(root, sizeof root, "%" PRIu32, call->root);
    count_bytes(call, i, &sent, &received);
    *time_ns += call->before_ns[i];
    fprintf(stream, "%" PRIu32 " %" PRIu64 " enter MPI_X\n", rank, *time_ns);
    if (call->is_nonblocking) {
        fprintf(stream, "%" PRIu32 " %" PRIu64 " coll-request %" PRIu32 " c%" PRIu32 "\n", rank,
                *time_ns, number, number);
        fprintf(stream, "%" PRIu32 " %" PRIu64 " leave MPI_X\n", rank, *time_ns);
        *time_ns += call->between_ns[i];
        fprintf(stream, "%" PRIu32 " %" PRIu64 " enter MPI_Wait\n", rank, *time_ns);
    }
    fprintf(stream, "%" PRIu32 " %" PRIu64 " coll-%s %s c%" PRIu32 " %s %" PRIu64 " %" PRIu64, rank,
            end_ns, call->is_nonblocking ? "complete" : "end", name, number, root, sent, received);
    if (call->is_nonblocking)
        fprintf(stream, " %" PRIu32, number);
    if (is_in_place(call, i))
        fputs(" in-place", stream);
    fprintf(stream, "\n%" PRIu32 " %" PRIu64 " leave %s\n", rank, end_ns,
            call->is_nonblocking ? "MPI_Wait" : "MPI_X");
    *time_ns = end_ns;
}

static uint32_t member_of(const struct one_call *call, uint32_t rank)
{
    uint32_t i = 0;
    while (i < call->n && call->ranks[i] != rank)
        i++;
    return i;
}

static char *text_of(const struct test_run *run)
{
    char *text = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    fputs("nodes", stream);
    for (uint32_t r = 0; r < run->n_ranks; r++)
        fprintf(stream, " n%" PRIu32, run->node[r]);
    for (uint32_t c = 0; c < run->n_calls; c++) {
        fprintf(stream, "\ncomm c%" PRIu32 " ranks", c);
        for (uint32_t i = 0; i < run->calls[c].n; i++)
            fprintf(stream, " %" PRIu32, run->calls[c].ranks[i]);
    }
    fputs("\nregion MPI_X x.c:1 mpi\n", stream);
    for (uint32_t r = 0; r < run->n_ranks; r++) {
        uint64_t time_ns = 0;
        fprintf(stream, "%" PRIu32 " 0 enter main\n", r);
        for (uint32_t c = 0; c < run->n_calls; c++)
            if (member_of(&run->calls[c], r) < run->calls[c].n)
                write_call(stream, &run->calls[c], c, member_of(&run->calls[c], r), &time_ns);
        fprintf(stream, "%" PRIu32 " %" PRIu64 " leave main\n", r, time_ns);
    }
    fclose(stream);
    return text;
}

static void write_element(FILE *stream, uint32_t operation, const struct choice *choice, int which)
{
    bool is_multicast = strcmp(choice->algorithm[which], "hardware-multicast") == 0;
    fprintf(stream, "<collective op=\"%s\" algorithm=\"%s\"", operations[operation].name,
            choice->algorithm[which]);
    if (is_multicast)
        fprintf(stream, " tree=\"%s\"", choice->tree[which]);
    if (choice->bound_bytes < UINT64_MAX)
        fprintf(stream, " %s=\"%" PRIu64 "\"", which ? "from" : "below", choice->bound_bytes);
    fputs("/>\n", stream);
}

static char *machine_of(const struct test_run *run)
{
    static const char *const scopes[] = {"node", "network"};
    char *text = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    fputs("<machine name=\"random\">\n", stream);
    for (int scope = 0; scope < 2; scope++) {
        const struct scenario_messages *messages = &run->messages[scope];
        fprintf(stream,
                "<message scope=\"%s\" send-overhead=\"%" PRIu64 "ns\" recv-overhead=\"%" PRIu64
                "ns\">\n",
                scopes[scope], messages->send_overhead_ns, messages->receive_overhead_ns);
        for (uint32_t i = 0; i < messages->n_points; i++)
            fprintf(stream, "<point bytes=\"%" PRIu64 "\" time=\"%" PRIu64 "ns\"/>\n",
                    messages->bytes[i], messages->time_ns[i]);
        fputs("</message>\n", stream);
    }
    for (uint32_t o = 0; o < N_OPERATIONS; o++)
        for (int i = 0; i < (run->choices[o].bound_bytes < UINT64_MAX ? SIZES : 1); i++)
            write_element(stream, o, &run->choices[o], i);
    fputs("</machine>\n", stream);
    fclose(stream);
    return text;
}

// --- what must come out

static void expected_ends(const struct test_run *run, uint64_t *finish_ns)
{
    uint64_t switch_ns = 0;
    memset(finish_ns, 0, MAX_RANKS * sizeof *finish_ns);
    for (uint32_t c = 0; c < run->n_calls; c++) {
        const struct one_call *call = &run->calls[c];
        const struct choice *choice = &run->choices[call->operation];
        int which = call->share_bytes[0] >= choice->bound_bytes;
        if (strcmp(operations[call->operation].name, "barrier") == 0)
            which = 0;
        struct collective_case one = {.operation = operations[call->operation].name,
                                      .algorithm = choice->algorithm[which],
                                      .tree = choice->tree[which],
                                      .n = call->n,
                                      .root = call->root,
                                      .on_node = &run->messages[0],
                                      .network = &run->messages[1]};
        uint64_t through_ns[COLLECTIVE_MAX_MEMBERS];
        for (uint32_t i = 0; i < call->n; i++) {
            one.share_bytes[i] = call->share_bytes[i];
            one.node[i] = run->node[call->ranks[i]];
            one.enter_ns[i] = finish_ns[call->ranks[i]] + call->before_ns[i];
        }
        collective_through(&one, &switch_ns, through_ns);
        for (uint32_t i = 0; i < call->n; i++) {
            uint64_t wait_ns = one.enter_ns[i] + (call->is_nonblocking ? call->between_ns[i] : 0);
            finish_ns[call->ranks[i]] = through_ns[i] > wait_ns ? through_ns[i] : wait_ns;
        }
    }
}

/// The collectives of SEED against programs of messages.
static bool agrees(uint64_t seed, const void *context, char **text, FILE *stream)
{
    SCOPED struct test_run *run = random_run(seed);
    SCOPED char *machine = machine_of(run);
    uint64_t expected[MAX_RANKS];
    struct predicted_times times;
    *text = text_of(run);
    expected_ends(run, expected);
    bool is_sound = predict_on(*text, machine, &times, stream);
    for (uint32_t r = 0; is_sound && r < run->n_ranks; r++)
        if (times.ranks[r].finish_ns != expected[r]) {
            fprintf(stream, "rank %" PRIu32 " ends at %" PRIu64 ", by messages at %" PRIu64 "\n%s",
                    r, times.ranks[r].finish_ns, expected[r], machine);
            is_sound = false;
        }
    if (is_sound && (times.n_forced > 0 || times.critical_path_ns != times.time_ns)) {
        fprintf(stream, "%" PRIu64 " forced, critical path %" PRIu64 " of %" PRIu64 "\n%s",
                times.n_forced, times.critical_path_ns, times.time_ns, machine);
        is_sound = false;
    }
    predicted_times_release(&times);
    return is_sound;
}

TEST(test_random_collectives)
{
    seeds_check(DEFAULT_SEEDS, agrees, NULL);
}

/// Runs with missing ranks and records, skewed clocks, threads: predicted to the end.
static bool ends(uint64_t seed, const void *context, char **text, FILE *stream)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    struct random random = {seed * 0x9e3779b97f4a7c15u + 11};
    limits.allow_epochs = false; // the reference does not predict them
    SCOPED struct test_run *run = memory_zeroed(1, sizeof *run);
    struct predicted_times times;
    choose_machine(run, &random);
    SCOPED char *machine = machine_of(run);
    *text = sim_program_trace_text(seed, &limits);
    bool is_sound = predict_on(*text, machine, &times, stream);
    predicted_times_release(&times);
    return is_sound;
}

TEST(test_damaged_runs)
{
    seeds_check(DEFAULT_SEEDS, ends, NULL);
}
