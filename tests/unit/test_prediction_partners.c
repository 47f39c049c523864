// SPDX-License-Identifier: BSD-3-Clause
// Predictions of runs whose large messages needed both sides on a core, against the brute-force
// prediction: random exchanges among ranks that share cores, which may be taken while a rank on
// them sends or receives. The end of every rank must be the same to the nanosecond.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a disagreement is left as text
// in the folder the message names.
#include <stdbool.h>

#include <inttypes.h>
#include <stdio.h>

#include "analyzer/base/memory.h"
#include "tests/reference/change_choice.h"
#include "tests/unit/prediction_subject.h"
#include "tests/unit/unit_test.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 60 };
#else
enum { DEFAULT_SEEDS = 250 };
#endif
enum { SCENARIOS_PER_RUN = 4, MAX_WORK_NS = 60, MAX_CALL_NS = 25 };

/// RANK computes from *NOW_NS on, perhaps in a region.
static void compute(FILE *out, struct random *random, uint32_t rank, uint64_t *now_ns)
{
    static const char *const regions[] = {"solve", "exchange", "output", "step"};
    uint64_t end_ns = *now_ns + random_below(random, MAX_WORK_NS);
    if (random_chance(random, 70)) {
        const char *region = regions[random_below(random, 4)];
        fprintf(out, "%" PRIu32 " %" PRIu64 " enter %s\n", rank, *now_ns, region);
        fprintf(out, "%" PRIu32 " %" PRIu64 " leave %s\n", rank, end_ns, region);
    }
    *now_ns = end_ns;
}

/// Two to six ranks on two nodes with fewer cores; one message after the other, each of them
/// between the nodes mostly, large mostly and hardly ever sent before its receiver is there.
static char *exchanges(uint64_t seed)
{
    char *text = NULL;
    size_t size_bytes;
    struct random random = {seed};
    FILE *out = open_memstream(&text, &size_bytes);
    uint32_t n_ranks = 3 + random_below(&random, 4), n_rounds = 8 + random_below(&random, 20);
    uint64_t now_ns[PROGRAM_MAX_RANKS] = {0};
    fprintf(out, "# seed %" PRIu64 "\nnodes", seed);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        fprintf(out, " n%" PRIu32, rank % 2);
    uint32_t n_cores = n_ranks > 4 && random_chance(&random, 30) ? 2 : 1;
    fprintf(out, "\ncores n0 %" PRIu32 "\ncores n1 %" PRIu32 "\n", n_cores, n_cores);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        now_ns[rank] = random_below(&random, MAX_CALL_NS);
        fprintf(out, "%" PRIu32 " %" PRIu64 " enter main\n", rank, now_ns[rank]);
    }
    for (uint32_t i = 0; i < n_rounds; i++) {
        uint32_t from = random_below(&random, n_ranks);
        uint32_t to = (from + 1 + random_below(&random, n_ranks - 1)) % n_ranks;
        uint32_t bytes = random_chance(&random, 85) ? 50000 + random_below(&random, 50000) : 8;
        compute(out, &random, from, &now_ns[from]);
        compute(out, &random, to, &now_ns[to]);
        uint64_t both_ns = now_ns[from] > now_ns[to] ? now_ns[from] : now_ns[to];
        uint64_t sent_ns = both_ns + 1 + random_below(&random, MAX_CALL_NS);
        if (seed % 4 == 0 && random_chance(&random, 5)) // nothing so small needs its receiver
            sent_ns = now_ns[from] + 1;
        uint64_t received_ns = both_ns + 1 + random_below(&random, MAX_CALL_NS);
        fprintf(out, "%" PRIu32 " %" PRIu64 " enter MPI_Send\n", from, now_ns[from]);
        fprintf(out, "%" PRIu32 " %" PRIu64 " send world %" PRIu32 " 0 %" PRIu32 "\n", from,
                now_ns[from], to, bytes);
        fprintf(out, "%" PRIu32 " %" PRIu64 " leave MPI_Send\n", from, sent_ns);
        fprintf(out, "%" PRIu32 " %" PRIu64 " enter MPI_Recv\n", to, now_ns[to]);
        fprintf(out, "%" PRIu32 " %" PRIu64 " recv world %" PRIu32 " 0 %" PRIu32 "\n", to,
                received_ns, from, bytes);
        fprintf(out, "%" PRIu32 " %" PRIu64 " leave MPI_Recv\n", to, received_ns);
        now_ns[from] = sent_ns;
        now_ns[to] = received_ns;
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        fprintf(out, "%" PRIu32 " %" PRIu64 " leave main\n", rank, now_ns[rank]);
    fclose(out);
    return text;
}

/// Other work on the same cores, messages of other sizes, calls put off; then other cores, too.
static bool check_changes(const struct subject *subject, struct random *random, FILE *stream)
{
    struct predicted_scenario unchanged = subject->unchanged;
    unchanged.n_cores = unchanged.recorded_cores[0];
    bool is_sound = subject_agrees(subject, &unchanged, stream);
    for (uint32_t i = 0; i < SCENARIOS_PER_RUN && is_sound; i++) {
        struct predicted_scenario scenario = unchanged;
        uint32_t kinds = i == 2 ? CHANGE_OVERLAPS | CHANGE_CUTS : CHANGE_CUTS;
        if (i == 3)
            scenario_change(&scenario, random, subject->text, subject->n_ranks);
        if (i != 1)
            changes_choose(&scenario.changes, random, subject->text, subject->n_ranks, kinds);
        scales_choose(&scenario, random, subject->text);
        is_sound = subject_agrees(subject, &scenario, stream);
    }
    return is_sound;
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST("messages that need both sides", .n_seeds = DEFAULT_SEEDS, .make = exchanges,
                 .check = check_changes),
};

TEST_TABLE(tests)
