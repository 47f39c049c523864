// SPDX-License-Identifier: BSD-3-Clause
// generate [OPTION]... DIRECTORY: writes DIRECTORY/traces.otf2, the run of an imagined program, and
// prints what a replay must find in it, a line "NAME COUNT [NS]" each.
//
//   --pattern P      messages of a step [ring]:
//                    ring        to the next rank, and an allreduce in each tenth step
//                    random      the same to a rank that changes with each step
//                    halo        to four neighbours on a torus, nonblocking
//                    all-to-one  all send to rank 0, which is 20 steps behind
//                    collective  broadcast, gather, scan and allreduce in turn
//   --ranks N [8]    --events N [1e6]: the number of steps follows
//   --user-events N  per MPI call, 0 to 1000 [1]; they are computing, before the calls of a step
//   --depth N [1]    user functions nested in each other
//   --functions N    that compute in turn, a call path each [1]
//   --sites          each MPI call says where it is called
//   --nodes N [1]
//
// All steps begin at the same time on all ranks, and the computing of a rank in a step is known to
// all. So times are arithmetic, what a rank waits for follows from the definition of the wait
// state, and the same options write the same archive.
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/archive_writer.h"

enum pattern { RING, RANDOM, HALO, ALL_TO_ONE, COLLECTIVE, N_PATTERNS };

// The calls of a step, and their events; what comes in each tenth step only counts a tenth.
static const struct {
    const char *name;
    unsigned calls, tenths_of_events;
} patterns[N_PATTERNS] = {
    [RING] = {"ring", 2, 64},
    [RANDOM] = {"random", 2, 64},
    [HALO] = {"halo", 9, 340},
    [ALL_TO_ONE] = {"all-to-one", 2, 60}, // of a sender and of the receiver, for it
    [COLLECTIVE] = {"collective", 1, 40},
};

enum call {
    INIT,
    FINALIZE,
    SEND,
    RECV,
    IRECV,
    ISEND,
    WAITALL,
    BCAST,
    GATHER,
    SCAN,
    ALLREDUCE,
    N_CALLS
};
static const char *const call_names[N_CALLS] = {
    "MPI_Init",    "MPI_Finalize", "MPI_Send",   "MPI_Recv", "MPI_Irecv",     "MPI_Isend",
    "MPI_Waitall", "MPI_Bcast",    "MPI_Gather", "MPI_Scan", "MPI_Allreduce",
};

enum { TAG = 7, BYTES = 1024, N_NEIGHBOURS = 4, LAG_STEPS = 20 };

enum wait { LATE_SENDER, NXN, LATE_BROADCAST, EARLY_SCAN, EARLY_REDUCE, NX1, N_WAITS };
static const char *const wait_names[N_WAITS] = {
    "late-sender", "wait-at-nxn", "late-broadcast", "early-scan", "early-reduce", "wait-at-nx1",
};

/// The program, and what was found while it was written.
static struct {
    enum pattern pattern;
    uint32_t n_ranks, n_nodes, depth, n_functions, user_events;
    bool has_sites;
    double n_events;

    uint32_t width; // of the torus
    uint64_t n_steps, step_ns, begin_ns;
    uint64_t events_per_step; // of user functions
    uint32_t main, calls[N_CALLS], contexts[N_CALLS], *functions, *levels;
    struct archive_writer *archive;
    // Of the ranks in a step: the last one to enter its collective, of those written up to now the
    // last one, and without rank 0 the first one.
    uint64_t *last_ns, *last_lower_ns, *first_other_ns;

    uint64_t n_written, n_messages, n_collectives, n_visits, computing_ns;
    uint64_t n_waits[N_WAITS], wait_ns[N_WAITS];
} run = {.pattern = RING,
         .n_ranks = 8,
         .n_nodes = 1,
         .depth = 1,
         .n_functions = 1,
         .user_events = 1,
         .n_events = 1e6};

/// One rank's events and clock.
struct rank {
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    uint32_t id;
    uint64_t now_ns;
    uint64_t n_requests;
};

static void waited(enum wait wait, uint64_t until_ns, uint64_t enter_ns)
{
    run.n_waits[wait] += until_ns > enter_ns;
    run.wait_ns[wait] += until_ns > enter_ns ? until_ns - enter_ns : 0;
}

/// Uneven, up to twice the least.
static uint64_t compute_ns(uint32_t rank, uint64_t step)
{
    uint64_t least_ns = 1000 + 20 * run.events_per_step;
    return least_ns + least_ns / 10 * ((rank * UINT64_C(7) + step * 13) % 11);
}

static void enter(struct rank *rank, enum call call)
{
    if (run.has_sites)
        OTF2_AttributeList_AddCallingContextRef(rank->attributes, ARCHIVE_ATTRIBUTE_CALL_SITE,
                                                run.contexts[call]);
    OTF2_EvtWriter_Enter(rank->writer, run.has_sites ? rank->attributes : NULL, rank->now_ns,
                         run.calls[call]);
}

static void leave(struct rank *rank, enum call call, uint64_t leave_ns)
{
    rank->now_ns = leave_ns;
    OTF2_EvtWriter_Leave(rank->writer, NULL, leave_ns, run.calls[call]);
}

/// Down to the last level and up again, as often as there are events for.
static void compute(struct rank *rank, uint64_t step)
{
    uint64_t begin_ns = rank->now_ns, length_ns = compute_ns(rank->id, step);
    uint64_t n_left = run.events_per_step / 2, i = 0; // visits
    uint32_t *outer = &run.functions[step % run.n_functions];
    run.n_visits += n_left;
    while (n_left > 0) {
        uint32_t depth = n_left < run.depth ? (uint32_t)n_left : run.depth;
        uint64_t chain_ns = rank->now_ns;
        for (uint32_t k = 0; k < 2 * depth; k++, i++) {
            uint32_t level = k < depth ? k : 2 * depth - 1 - k;
            uint32_t function = level == 0 ? *outer : run.levels[level];
            rank->now_ns = begin_ns + length_ns * i / (run.events_per_step - 1);
            if (k < depth)
                OTF2_EvtWriter_Enter(rank->writer, NULL, rank->now_ns, function);
            else
                OTF2_EvtWriter_Leave(rank->writer, NULL, rank->now_ns, function);
            if (k == 0)
                chain_ns = rank->now_ns;
        }
        run.computing_ns += rank->now_ns - chain_ns;
        n_left -= depth;
    }
    rank->now_ns = begin_ns + length_ns;
}

static void send(struct rank *rank, uint32_t receiver)
{
    enter(rank, SEND);
    OTF2_EvtWriter_MpiSend(rank->writer, NULL, rank->now_ns + 100, receiver, ARCHIVE_WORLD, TAG,
                           BYTES);
    leave(rank, SEND, rank->now_ns + 400);
}

static void receive(struct rank *rank, uint32_t sender, uint64_t send_enter_ns, uint64_t done_ns)
{
    enter(rank, RECV);
    waited(LATE_SENDER, send_enter_ns, rank->now_ns);
    if (done_ns < rank->now_ns + 200)
        done_ns = rank->now_ns + 200;
    OTF2_EvtWriter_MpiRecv(rank->writer, NULL, done_ns - 50, sender, ARCHIVE_WORLD, TAG, BYTES);
    leave(rank, RECV, done_ns);
    run.n_messages++;
}

static void collective(struct rank *rank, enum call call, OTF2_CollectiveOp operation,
                       bool has_root, uint64_t leave_ns)
{
    enter(rank, call);
    OTF2_EvtWriter_MpiCollectiveBegin(rank->writer, NULL, rank->now_ns);
    OTF2_EvtWriter_MpiCollectiveEnd(rank->writer, NULL, leave_ns - 10, operation, ARCHIVE_WORLD,
                                    has_root ? 0 : OTF2_UNDEFINED_UINT32, 8, 8);
    leave(rank, call, leave_ns);
    run.n_collectives += rank->id == 0;
}

/// How far the messages of a step go in a ring of all ranks.
static uint32_t distance(uint64_t step)
{
    if (run.pattern == RING)
        return 1;
    return 1 + (uint32_t)((step + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 33) % (run.n_ranks - 1);
}

/// When a rank's receive in a ring is done.
static uint64_t received_ns(uint32_t rank, uint32_t sender, uint64_t step)
{
    uint64_t message_ns = compute_ns(sender, step) + 700, own_ns = compute_ns(rank, step) + 600;
    return message_ns > own_ns ? message_ns : own_ns;
}

static void ring_step(struct rank *rank, uint64_t step)
{
    uint64_t begin_ns = rank->now_ns;
    uint32_t far = distance(step), sender = (rank->id + run.n_ranks - far) % run.n_ranks;
    compute(rank, step);
    send(rank, (rank->id + far) % run.n_ranks);
    receive(rank, sender, begin_ns + compute_ns(sender, step),
            begin_ns + received_ns(rank->id, sender, step));
    if (step % 10 != 9)
        return;
    waited(NXN, begin_ns + run.last_ns[step], rank->now_ns);
    collective(rank, ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, false,
               begin_ns + run.last_ns[step] + 500);
}

/// East, west, south, north; the opposite of DIRECTION is DIRECTION ^ 1.
static uint32_t neighbour(uint32_t rank, unsigned direction)
{
    uint32_t x = rank % run.width, y = rank / run.width, height = run.n_ranks / run.width;
    uint32_t x_step = direction == 0 ? 1 : direction == 1 ? run.width - 1 : 0;
    uint32_t y_step = direction == 2 ? 1 : direction == 3 ? height - 1 : 0;
    return (y + y_step) % height * run.width + (x + x_step) % run.width;
}

/// Each message has the direction it takes as its tag.
static void halo_step(struct rank *rank, uint64_t step)
{
    uint64_t begin_ns = rank->now_ns, request = rank->n_requests, last_ns = 0;
    compute(rank, step);
    for (unsigned way = 0; way < N_NEIGHBOURS; way++) {
        uint32_t source = neighbour(rank->id, way ^ 1);
        enter(rank, IRECV);
        OTF2_AttributeList_AddCommRef(rank->attributes, ARCHIVE_ATTRIBUTE_COMMUNICATOR,
                                      ARCHIVE_WORLD);
        OTF2_AttributeList_AddInt32(rank->attributes, ARCHIVE_ATTRIBUTE_SOURCE, (int32_t)source);
        OTF2_AttributeList_AddInt32(rank->attributes, ARCHIVE_ATTRIBUTE_TAG, (int32_t)way);
        OTF2_EvtWriter_MpiIrecvRequest(rank->writer, rank->attributes, rank->now_ns + 50,
                                       request + way);
        leave(rank, IRECV, rank->now_ns + 100);
    }
    for (unsigned way = 0; way < N_NEIGHBOURS; way++) {
        enter(rank, ISEND);
        OTF2_EvtWriter_MpiIsend(rank->writer, NULL, rank->now_ns + 50, neighbour(rank->id, way),
                                ARCHIVE_WORLD, way, BYTES, request + N_NEIGHBOURS + way);
        leave(rank, ISEND, rank->now_ns + 100);
    }
    for (unsigned way = 0; way < N_NEIGHBOURS; way++) {
        uint64_t sent_ns =
            begin_ns + compute_ns(neighbour(rank->id, way ^ 1), step) + 400 + way * 100;
        last_ns = sent_ns > last_ns ? sent_ns : last_ns;
    }
    enter(rank, WAITALL);
    waited(LATE_SENDER, last_ns, rank->now_ns);
    uint64_t done_ns = last_ns > rank->now_ns ? last_ns + 300 : rank->now_ns + 300;
    for (unsigned way = 0; way < N_NEIGHBOURS; way++)
        OTF2_EvtWriter_MpiIrecv(rank->writer, NULL, done_ns - 100, neighbour(rank->id, way ^ 1),
                                ARCHIVE_WORLD, way, BYTES, request + way);
    for (unsigned way = 0; way < N_NEIGHBOURS; way++)
        OTF2_EvtWriter_MpiIsendComplete(rank->writer, NULL, done_ns - 50,
                                        request + N_NEIGHBOURS + way);
    leave(rank, WAITALL, done_ns);
    rank->n_requests += 2 * N_NEIGHBOURS;
    run.n_messages += N_NEIGHBOURS;
}

/// A message is sent LAG_STEPS steps before it is received, so no rank waits for it.
static void all_to_one_step(struct rank *rank, uint64_t step)
{
    if (rank->id) {
        compute(rank, step);
        send(rank, 0);
        return;
    }
    rank->now_ns += LAG_STEPS * run.step_ns;
    for (uint32_t sender = 1; sender < run.n_ranks; sender++)
        receive(rank, sender, 0, 0);
}

static void collective_step(struct rank *rank, uint64_t step)
{
    uint64_t begin_ns = rank->now_ns, last_ns = begin_ns + run.last_ns[step];
    uint64_t leave_ns = last_ns + 1000 + 10 * (rank->id % 50);
    compute(rank, step);
    if (run.last_lower_ns[step] < rank->now_ns)
        run.last_lower_ns[step] = rank->now_ns;
    switch (step % 4) {
    case 0:
        waited(LATE_BROADCAST, begin_ns + compute_ns(0, step), rank->now_ns);
        collective(rank, BCAST, OTF2_COLLECTIVE_OP_BCAST, true, leave_ns);
        break;
    case 1:
        if (rank->id == 0) {
            uint64_t first_ns = begin_ns + run.first_other_ns[step];
            waited(EARLY_REDUCE, first_ns, rank->now_ns);
            waited(NX1, last_ns, first_ns > rank->now_ns ? first_ns : rank->now_ns);
        }
        collective(rank, GATHER, OTF2_COLLECTIVE_OP_GATHER, true, leave_ns);
        break;
    case 2:
        waited(EARLY_SCAN, run.last_lower_ns[step], rank->now_ns);
        collective(rank, SCAN, OTF2_COLLECTIVE_OP_SCAN, false, leave_ns);
        break;
    default:
        waited(NXN, last_ns, rank->now_ns);
        collective(rank, ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, false, leave_ns);
    }
}

static void write_rank(uint32_t id)
{
    static void (*const steps[N_PATTERNS])(struct rank *, uint64_t) = {
        [RING] = ring_step,
        [RANDOM] = ring_step,
        [HALO] = halo_step,
        [ALL_TO_ONE] = all_to_one_step,
        [COLLECTIVE] = collective_step,
    };
    struct rank rank = {.writer = archive_writer_events(run.archive, archive_location(id, 0)),
                        .attributes = OTF2_AttributeList_New(),
                        .id = id};
    OTF2_EvtWriter_Enter(rank.writer, NULL, 0, run.main);
    enter(&rank, INIT);
    leave(&rank, INIT, run.begin_ns - 100);
    for (uint64_t step = 0; step < run.n_steps; step++) {
        rank.now_ns = run.begin_ns + step * run.step_ns;
        steps[run.pattern](&rank, step);
    }
    rank.now_ns = run.begin_ns + (run.n_steps + LAG_STEPS) * run.step_ns;
    enter(&rank, FINALIZE);
    leave(&rank, FINALIZE, rank.now_ns + 1000);
    OTF2_EvtWriter_Leave(rank.writer, NULL, rank.now_ns, run.main);
    OTF2_AttributeList_Delete(rank.attributes);
    run.n_written += archive_writer_end(run.archive, archive_location(id, 0));
}

static void define_regions(void)
{
    char name[32];
    run.main = archive_writer_region(run.archive, "main", "main.c", 1, OTF2_PARADIGM_USER);
    for (int call = 0; call < N_CALLS; call++) {
        run.calls[call] =
            archive_writer_region(run.archive, call_names[call], NULL, 0, OTF2_PARADIGM_MPI);
        run.contexts[call] = archive_writer_context(run.archive, call_names[call]);
        archive_writer_set_context(
            run.archive, run.contexts[call], run.main,
            archive_writer_source(run.archive, "main.c", 10 + (uint32_t)call),
            OTF2_UNDEFINED_CALLING_CONTEXT);
    }
    run.functions = memory_zeroed(run.n_functions, sizeof *run.functions);
    for (uint32_t i = 0; i < run.n_functions; i++) {
        snprintf(name, sizeof name, "compute-%" PRIu32, i + 1);
        run.functions[i] =
            archive_writer_region(run.archive, name, "compute.c", i + 1, OTF2_PARADIGM_USER);
    }
    run.levels = memory_zeroed(run.depth, sizeof *run.levels);
    for (uint32_t i = 1; i < run.depth; i++) {
        snprintf(name, sizeof name, "level-%" PRIu32, i + 1);
        run.levels[i] = archive_writer_region(run.archive, name, "level.c", i, OTF2_PARADIGM_USER);
    }
}

/// Of all ranks, what the calls of one may wait for in a step's collective.
static void gather_enters(void)
{
    run.last_ns = memory_zeroed(run.n_steps, sizeof *run.last_ns);
    run.last_lower_ns = memory_zeroed(run.n_steps, sizeof *run.last_lower_ns);
    run.first_other_ns = memory_zeroed(run.n_steps, sizeof *run.first_other_ns);
    if (run.pattern == HALO || run.pattern == ALL_TO_ONE)
        return;
    for (uint64_t step = 0; step < run.n_steps; step++) {
        uint64_t last_ns = 0, first_ns = UINT64_MAX;
        for (uint32_t rank = 0; rank < run.n_ranks; rank++) {
            uint32_t sender = (rank + run.n_ranks - distance(step)) % run.n_ranks;
            uint64_t enter_ns = run.pattern == COLLECTIVE ? compute_ns(rank, step)
                                                          : received_ns(rank, sender, step);
            last_ns = enter_ns > last_ns ? enter_ns : last_ns;
            first_ns = rank && enter_ns < first_ns ? enter_ns : first_ns;
        }
        run.last_ns[step] = last_ns;
        run.first_other_ns[step] = first_ns;
    }
}

/// The steps that make up the wanted number of events, and how long they take.
static void plan(void)
{
    unsigned calls = patterns[run.pattern].calls;
    uint64_t n_players = run.pattern == ALL_TO_ONE ? run.n_ranks - 1 : run.n_ranks;
    run.events_per_step = ((uint64_t)calls * run.user_events + 1) / 2 * 2;
    double per_step = (double)run.events_per_step + patterns[run.pattern].tenths_of_events / 10.0;
    run.n_steps = (uint64_t)(run.n_events / per_step / (double)n_players + 0.5);
    run.n_steps += run.n_steps == 0;
    run.step_ns = 2 * (1000 + 20 * run.events_per_step) + 4000;
    if (run.pattern == ALL_TO_ONE && run.step_ns < UINT64_C(250) * run.n_ranks)
        run.step_ns = UINT64_C(250) * run.n_ranks;
    run.begin_ns = 10000;
    for (run.width = 1; (uint64_t)run.width * run.width < run.n_ranks;)
        run.width++;
    while (run.n_ranks % run.width)
        run.width--;
}

static void usage(void)
{
    fprintf(stderr,
            "usage: generate [--pattern ring|random|halo|all-to-one|collective] [--ranks N]\n"
            "    [--events N] [--user-events N] [--depth N] [--functions N] [--sites]\n"
            "    [--nodes N] DIRECTORY\n");
    exit(2);
}

static void read_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"pattern", required_argument, NULL, 'p'},
        {"ranks", required_argument, NULL, 'r'},
        {"events", required_argument, NULL, 'e'},
        {"user-events", required_argument, NULL, 'u'},
        {"depth", required_argument, NULL, 'd'},
        {"sites", no_argument, NULL, 's'},
        {"functions", required_argument, NULL, 'f'},
        {"nodes", required_argument, NULL, 'n'},
        {0},
    };
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        double number = optarg ? strtod(optarg, NULL) : 0;
        switch (option) {
        case 'p':
            for (run.pattern = 0; strcmp(optarg, patterns[run.pattern].name) != 0;)
                if (++run.pattern == N_PATTERNS)
                    usage();
            break;
        case 'e':
            run.n_events = number;
            break;
        case 'r':
            run.n_ranks = (uint32_t)number;
            break;
        case 'u':
            run.user_events = (uint32_t)number;
            break;
        case 'd':
            run.depth = (uint32_t)number;
            break;
        case 'f':
            run.n_functions = (uint32_t)number;
            break;
        case 'n':
            run.n_nodes = (uint32_t)number;
            break;
        case 's':
            run.has_sites = true;
            break;
        default:
            usage();
        }
    }
    if (optind != argc - 1 || run.n_ranks < 2 || run.depth < 1 || run.n_functions < 1 ||
        run.n_nodes < 1 || run.user_events > 1000)
        usage();
}

int main(int argc, char **argv)
{
    struct error err;
    read_options(argc, argv);
    plan();
    gather_enters();
    run.archive = archive_writer_new(argv[optind], run.n_ranks, &err);
    if (!run.archive) {
        fprintf(stderr, "generate: %s\n", err.text);
        return 1;
    }
    define_regions();
    for (uint32_t rank = 0; rank < run.n_ranks; rank++) {
        SCOPED char *node =
            memory_format("node%" PRIu64, (uint64_t)rank * run.n_nodes / run.n_ranks);
        archive_writer_set_node(run.archive, rank, node);
        write_rank(rank);
    }
    if (archive_writer_close(run.archive, NULL, NULL, &err)) {
        fprintf(stderr, "generate: %s\n", err.text);
        return 1;
    }
    printf("events %" PRIu64 "\nmessages %" PRIu64 "\ncollectives %" PRIu64 "\n", run.n_written,
           run.n_messages, run.n_collectives);
    printf("computing %" PRIu64 " %" PRIu64 "\n", run.n_visits, run.computing_ns);
    for (int wait = 0; wait < N_WAITS; wait++)
        if (run.n_waits[wait])
            printf("%s %" PRIu64 " %" PRIu64 "\n", wait_names[wait], run.n_waits[wait],
                   run.wait_ns[wait]);
    FREE_ALL(run.functions, run.levels, run.last_ns, run.last_lower_ns, run.first_other_ns);
    return 0;
}
