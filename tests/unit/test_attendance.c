// SPDX-License-Identifier: BSD-3-Clause
// Senders that wait until their receivers are in MPI, on random runs of an MPI library that needs
// that: an event-by-event simulation of the library writes the trace and knows every wait. What is
// measured, and what is predicted for another speed of computing, must be what the simulation says
// of the same program at that speed.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/asked.h"
#include "tests/reference/engine_findings.h"
#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { DEFAULT_SEEDS = CASES(300, 40) };
enum { MAX_RANKS = 4, MAX_ROUNDS = 60, MAX_STEPS = MAX_ROUNDS * 16, MAX_MESSAGES = 400 };
enum { OWN_NS = 1000 }; // what the library takes for anything
enum { LEAST_PROOF_NS = 10000, N_PROOFS = 10 };
static const uint64_t never = UINT64_MAX;

enum step_kind { COMPUTE, ASK_TIME, POST, SEND, WAIT, END };

struct step {
    enum step_kind kind;
    uint64_t compute_ns;
    uint32_t message; // POST, SEND; WAIT: round
};

struct message {
    uint32_t sender, receiver, round;
    uint64_t post_ns, send_ns, leave_ns, attended_ns;
};

struct process {
    struct step steps[MAX_STEPS];
    uint32_t n_steps, at;
    uint64_t now_ns, enter_ns; // the latter of the call it is in
    bool is_inside, attends;
};

struct run {
    struct random random;
    uint32_t n_ranks, n_rounds;
    struct process processes[MAX_RANKS];
    struct message messages[MAX_MESSAGES];
    uint32_t n_messages;
    bool needs_post; // messages are too large to be buffered
    uint64_t factor; // of computing, percent
    FILE *trace;     // NULL: not written
    uint64_t finish_ns[MAX_RANKS];
};

// --- the program

static void add_step(struct run *run, uint32_t rank, enum step_kind kind, uint64_t number)
{
    struct process *process = &run->processes[rank];
    assert_true(process->n_steps < MAX_STEPS);
    process->steps[process->n_steps++] = (struct step){
        .kind = kind, .compute_ns = number, .message = kind == COMPUTE ? 0 : (uint32_t)number};
}

static void add_computing(struct run *run, uint32_t rank)
{
    add_step(run, rank, COMPUTE, 2000 + random_below(&run->random, 200000));
    if (random_chance(&run->random, 30)) {
        add_step(run, rank, ASK_TIME, 0);
        add_step(run, rank, COMPUTE, 2000 + random_below(&run->random, 50000));
    }
}

/// In each round some ranks send to others, which have posted their receives, and wait for them in
/// the end.
static void make_program(struct run *run)
{
    run->n_ranks = 2 + random_below(&run->random, MAX_RANKS - 1);
    run->n_rounds = 20 + random_below(&run->random, MAX_ROUNDS - 20);
    run->needs_post = random_chance(&run->random, 50);
    for (uint32_t round = 0; round < run->n_rounds; round++) {
        uint32_t first = run->n_messages;
        for (uint32_t s = 0; s < run->n_ranks; s++) {
            uint32_t r = random_below(&run->random, run->n_ranks);
            if (r != s && random_chance(&run->random, 60))
                run->messages[run->n_messages++] = (struct message){s, r, round, 0, 0, 0, 0};
        }
        for (uint32_t rank = 0; rank < run->n_ranks; rank++) {
            bool receives = false;
            for (uint32_t m = first; m < run->n_messages; m++) {
                if (run->messages[m].receiver == rank)
                    add_step(run, rank, POST, m);
                receives = receives || run->messages[m].receiver == rank;
            }
            add_computing(run, rank);
            for (uint32_t m = first; m < run->n_messages; m++)
                if (run->messages[m].sender == rank) {
                    add_step(run, rank, SEND, m);
                    add_computing(run, rank);
                }
            if (receives)
                add_step(run, rank, WAIT, round);
        }
    }
    for (uint32_t rank = 0; rank < run->n_ranks; rank++)
        add_step(run, rank, END, 0);
}

// --- the library

static void write_record(struct run *run, uint32_t rank, uint64_t time_ns, const char *record)
{
    if (run->trace)
        fprintf(run->trace, "%" PRIu32 " %" PRIu64 " %s\n", rank, time_ns, record);
}

static void write_numbers(struct run *run, uint32_t rank, uint64_t time_ns, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void write_numbers(struct run *run, uint32_t rank, uint64_t time_ns, const char *format, ...)
{
    char text[100];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    write_record(run, rank, time_ns, text);
}

/// RANK leaves the call it is in at LEAVE_NS.
static void leave(struct run *run, uint32_t rank, uint64_t leave_ns)
{
    struct process *process = &run->processes[rank];
    const struct step *step = &process->steps[process->at];
    if (step->kind == SEND) {
        const struct message *message = &run->messages[step->message];
        write_numbers(run, rank, process->enter_ns + 1, "send world %" PRIu32 " 0 5000",
                      message->receiver);
    }
    for (uint32_t m = 0; step->kind == WAIT && m < run->n_messages; m++)
        if (run->messages[m].receiver == rank && run->messages[m].round == step->message)
            write_numbers(run, rank, leave_ns - 1, "irecv world %" PRIu32 " 0 5000 %" PRIu32,
                          run->messages[m].sender, m);
    write_record(run, rank, leave_ns, step->kind == SEND ? "leave MPI_Send" : "leave MPI_Waitall");
    process->is_inside = process->attends = false;
    process->now_ns = leave_ns;
    process->at++;
}

/// Whether the receiver of MESSAGE takes it at NOW_NS.
static bool is_taken(const struct run *run, const struct message *message)
{
    return run->processes[message->receiver].attends &&
           (!run->needs_post || message->post_ns != never);
}

/// RANK attends from NOW_NS on: senders that wait for it go on.
static void attend(struct run *run, uint32_t rank, uint64_t now_ns)
{
    run->processes[rank].attends = true;
    for (uint32_t other = 0; other < run->n_ranks; other++) {
        struct process *process = &run->processes[other];
        const struct step *step = &process->steps[process->at];
        struct message *message = &run->messages[step->message];
        if (!process->is_inside || step->kind != SEND || message->receiver != rank ||
            message->leave_ns != never || !is_taken(run, message))
            continue;
        message->attended_ns = now_ns;
        message->leave_ns = now_ns + OWN_NS;
    }
}

/// When what RANK waits for in a round is there; never: not all is sent.
static uint64_t there_ns(const struct run *run, uint32_t rank, uint32_t round)
{
    uint64_t latest_ns = run->processes[rank].enter_ns;
    for (uint32_t m = 0; m < run->n_messages; m++) {
        const struct message *message = &run->messages[m];
        if (message->receiver != rank || message->round != round)
            continue;
        if (message->send_ns == never)
            return never;
        latest_ns = message->send_ns > latest_ns ? message->send_ns : latest_ns;
    }
    return latest_ns + OWN_NS;
}

/// When RANK does something next; never: not before others do.
static uint64_t next_ns(const struct run *run, uint32_t rank)
{
    const struct process *process = &run->processes[rank];
    const struct step *step = &process->steps[process->at];
    if (process->at == process->n_steps)
        return never;
    if (!process->is_inside)
        return process->now_ns;
    return step->kind == SEND ? run->messages[step->message].leave_ns
                              : there_ns(run, rank, step->message);
}

static void enter(struct run *run, uint32_t rank, const char *record)
{
    struct process *process = &run->processes[rank];
    process->is_inside = true;
    process->enter_ns = process->now_ns;
    write_record(run, rank, process->now_ns, record);
    attend(run, rank, process->now_ns);
}

static void begin_step(struct run *run, uint32_t rank)
{
    struct process *process = &run->processes[rank];
    const struct step *step = &process->steps[process->at];
    struct message *message = &run->messages[step->message];
    uint64_t now_ns = process->now_ns, compute_ns = step->compute_ns * run->factor / 100;
    switch (step->kind) {
    case COMPUTE:
        write_record(run, rank, now_ns, "enter work");
        write_record(run, rank, now_ns + compute_ns, "leave work");
        process->now_ns += compute_ns;
        break;
    case ASK_TIME:
        write_record(run, rank, now_ns, "enter MPI_Wtime");
        write_record(run, rank, now_ns + OWN_NS, "leave MPI_Wtime");
        process->now_ns += OWN_NS;
        break;
    case POST:
        message->post_ns = now_ns;
        write_record(run, rank, now_ns, "enter MPI_Irecv");
        write_numbers(run, rank, now_ns, "irecv-request %" PRIu32 " world %" PRIu32 " 0",
                      step->message, message->sender);
        write_record(run, rank, now_ns + OWN_NS, "leave MPI_Irecv");
        process->now_ns += OWN_NS;
        break;
    case SEND:
        message->send_ns = now_ns;
        if (is_taken(run, message)) {
            message->attended_ns = now_ns;
            message->leave_ns = now_ns + OWN_NS;
        }
        enter(run, rank, "enter MPI_Send");
        return;
    case WAIT:
        enter(run, rank, "enter MPI_Waitall");
        return;
    default:
        write_record(run, rank, now_ns, "leave main");
        run->finish_ns[rank] = now_ns;
    }
    process->at++;
}

/// The program in simulated time. False: it hangs.
static bool execute(struct run *run)
{
    for (uint32_t m = 0; m < run->n_messages; m++)
        run->messages[m].post_ns = run->messages[m].send_ns = run->messages[m].leave_ns = never;
    for (uint32_t rank = 0; rank < run->n_ranks; rank++)
        write_record(run, rank, 0, "enter main");
    for (;;) {
        uint32_t first = 0;
        bool is_over = true;
        for (uint32_t rank = 0; rank < run->n_ranks; rank++) {
            first = next_ns(run, rank) < next_ns(run, first) ? rank : first;
            is_over = is_over && run->processes[rank].at == run->processes[rank].n_steps;
        }
        if (next_ns(run, first) == never)
            return is_over;
        if (run->processes[first].is_inside)
            leave(run, first, next_ns(run, first));
        else
            begin_step(run, first);
    }
}

// --- what must be found

/// How many sends that were over by TIME_NS prove that their senders waited for receivers in MPI.
static uint32_t count_proofs(const struct run *run, uint64_t time_ns)
{
    uint32_t n = 0;
    for (uint32_t m = 0; m < run->n_messages; m++) {
        const struct message *message = &run->messages[m];
        n += message->leave_ns < time_ns && message->attended_ns > message->send_ns &&
             message->attended_ns - message->send_ns >= LEAST_PROOF_NS;
    }
    return n;
}

/// What RANK's sends waited for receivers that were outside MPI, though they had posted their
/// receives, once that was proven.
static int64_t waits_of(const struct run *run, uint32_t rank)
{
    int64_t sum_ns = 0;
    for (uint32_t m = 0; m < run->n_messages; m++) {
        const struct message *message = &run->messages[m];
        uint64_t from_ns = message->send_ns;
        if (message->sender != rank || message->attended_ns <= message->send_ns ||
            count_proofs(run, message->send_ns) < N_PROOFS)
            continue;
        if (message->post_ns > from_ns && message->post_ns < message->attended_ns)
            from_ns = message->post_ns;
        sum_ns += (int64_t)(message->attended_ns - from_ns);
    }
    return sum_ns;
}

static bool is_measured_right(const struct run *run, const char *text, FILE *stream)
{
    struct findings findings = {0};
    struct error err = {{0}};
    bool is_right = true;
    if (engine_findings_of_text(text, shipped_catalogue, &findings, &err) != 0) {
        fprintf(stream, "  %s\n", err.text);
        return false;
    }
    for (uint32_t rank = 0; rank < run->n_ranks; rank++) {
        int64_t ns = findings_sum(&findings, "receiver-outside-mpi", rank, 0, NULL).ns;
        if (ns != waits_of(run, rank))
            fprintf(stream, "  rank %" PRIu32 " waits %" PRId64 " ns, not %" PRId64 " ns\n", rank,
                    waits_of(run, rank), ns);
        is_right = is_right && ns == waits_of(run, rank);
    }
    findings_release(&findings);
    return is_right;
}

static struct run *run_new(uint64_t seed, uint64_t factor, FILE *trace)
{
    struct run *run = memory_zeroed(1, sizeof *run);
    run->random.state = seed;
    run->factor = factor;
    run->trace = trace;
    make_program(run);
    assert_true(execute(run));
    return run;
}

static bool is_predicted_right(const struct run *recorded, uint64_t seed, uint64_t factor,
                               const char *text, FILE *stream)
{
    SCOPED struct run *other = run_new(seed, factor, NULL);
    char options[50];
    struct asked asked;
    struct error err = {{0}};
    struct predicted_times times = {0};
    bool is_right = true;
    snprintf(options, sizeof options, "--scale work=%" PRIu64 ".%02" PRIu64, factor / 100,
             factor % 100);
    assert_int_equal(asked_read(&asked, options, NULL, &err), 0);
    if (predicted_times(text, asked.settings, 1, &times, &err) != 0) {
        fprintf(stream, "  %s\n", err.text);
        is_right = false;
    }
    for (uint32_t rank = 0; is_right && rank < recorded->n_ranks; rank++) {
        uint64_t is_ns = times.ranks[rank].finish_ns, must_ns = other->finish_ns[rank];
        uint64_t off_ns = is_ns > must_ns ? is_ns - must_ns : must_ns - is_ns;
        if (off_ns <= recorded->processes[rank].n_steps) // work is rounded to 1 ns
            continue;
        fprintf(stream, "  %s: rank %" PRIu32 " ends at %" PRIu64 " ns, not at %" PRIu64 " ns\n",
                options, rank, must_ns, is_ns);
        is_right = false;
    }
    predicted_times_release(&times);
    asked_release(&asked);
    return is_right;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    static const uint64_t factors[] = {100, 50, 130, 200};
    size_t size;
    (void)context;
    FILE *trace = open_memstream(text, &size);
    SCOPED struct run *run = run_new(seed, 100, trace);
    fclose(trace);
    bool is_right = is_measured_right(run, *text, stream);
    size_t n_factors = count_proofs(run, never) < N_PROOFS ? 1 : sizeof factors / sizeof *factors;
    for (size_t i = 0; i < n_factors; i++)
        is_right = is_predicted_right(run, seed, factors[i], *text, stream) && is_right;
    return is_right;
}

TEST(test_waits_and_predictions_are_those_of_the_library)
{
    seeds_check(DEFAULT_SEEDS, check_seed, NULL);
}

AROUND_ALL(shipped_catalogue_load, shipped_catalogue_unload)
