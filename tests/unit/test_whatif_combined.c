// SPDX-License-Identifier: BSD-3-Clause
// All that a prediction can change at once, on random MPI programs: whatever is combined, the same
// is predicted again, and the critical path is the run time; nobody waits for ever where the
// program did not; changes that change nothing do not matter; with a core for every rank nobody
// gets slower by what is left out.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a failure is left as text.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"
#include "tests/reference/scenarios.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/machine_text.h"
#include "tests/unit/seeds.h"

#ifdef __SANITIZE_ADDRESS__
enum { DEFAULT_SEEDS = 40 };
#else
enum { DEFAULT_SEEDS = 150 };
#endif
enum { MAX_PREDICTIONS = 16, N_MACHINES = 3 };

// Overheads, a rendezvous limit and a faster processor; algorithms; links and buses.
static const char *const machine_texts[N_MACHINES] = {
    "<machine name=\"plain\" cpu-speed=\"1.5\">\n"
    "<message scope=\"node\"><point bytes=\"0\" time=\"7ns\"/><point bytes=\"100\" time=\"20ns\"/>"
    "</message>\n"
    "<message scope=\"network\" eager=\"1000\" send-overhead=\"3ns\" recv-overhead=\"5ns\">"
    "<point bytes=\"0\" time=\"50ns\"/><point bytes=\"50000\" time=\"900ns\"/></message>\n"
    "<collective op=\"allreduce\" time=\"1e-8 * log2(p) + 1e-9 * b\"/>\n"
    "</machine>\n",
    "<machine name=\"algorithms\">\n"
    "<message scope=\"node\"><point bytes=\"0\" time=\"7ns\"/></message>\n"
    "<message scope=\"network\" send-overhead=\"3ns\" recv-overhead=\"5ns\">"
    "<point bytes=\"0\" time=\"50ns\"/><point bytes=\"50000\" time=\"900ns\"/></message>\n"
    "<collective op=\"barrier\" algorithm=\"recursive-doubling\"/>\n"
    "<collective op=\"allreduce\" algorithm=\"ring\"/>\n"
    "<collective op=\"bcast\" algorithm=\"binomial\"/>\n"
    "<collective op=\"reduce\" algorithm=\"flat\"/>\n"
    "</machine>\n",
    "<machine name=\"narrow\" out-links=\"1\" in-links=\"1\">\n"
    "<message scope=\"node\" buses=\"1\"><point bytes=\"0\" time=\"7ns\"/></message>\n"
    "<message scope=\"network\" buses=\"2\"><point bytes=\"0\" time=\"50ns\"/>"
    "<point bytes=\"50000\" time=\"900ns\"/></message>\n"
    "</machine>\n",
};

struct predictions {
    struct scenario_settings settings[MAX_PREDICTIONS];
    const char *names[MAX_PREDICTIONS];
    size_t n;
};

static struct machine machines[N_MACHINES];

static struct scenario_settings *add(struct predictions *predictions, const char *name,
                                     const struct scenario_settings *like)
{
    predictions->names[predictions->n] = name;
    predictions->settings[predictions->n] = *like;
    return &predictions->settings[predictions->n++];
}

/// What may be combined; regions that are not there are refused, so only "main" is sure.
static void combine(struct scenario_settings *settings, struct random *random)
{
    static const struct region_scale scale = {.pattern = "main", .factor = 700000};
    static const char *const overlaps[] = {"main"}, *const drops[] = {"main"};
    static const char *const moves[] = {"main=0:1"};
    static const char *const cuts[] = {"size>=1000=0.5", "tag==1"};
    if (random_chance(random, 50)) {
        settings->scales = &scale;
        settings->n_scales = 1;
    }
    if (random_chance(random, 40)) {
        settings->overlaps = overlaps;
        settings->n_overlaps = 1;
    }
    if (random_chance(random, 40)) {
        settings->drops = drops;
        settings->n_drops = 1;
    }
    if (random_chance(random, 40)) {
        settings->cuts = cuts;
        settings->n_cuts = 1 + random_below(random, 2);
    }
    if (random_chance(random, 30)) {
        settings->moves = moves;
        settings->n_moves = 1;
        settings->move_data_bytes = random_below(random, 2) * 100;
    }
    if (random_chance(random, 40))
        settings->aggregate_bytes = random_chance(random, 50) ? 5000 : UINT64_MAX;
    if (random_chance(random, 30))
        settings->added_latency_ns = random_below(random, 100);
}

/// Where ranks run, on which machine; IS_ALONE: each on a core of its own.
static void place(struct scenario_settings *settings, struct random *random, bool is_alone)
{
    uint32_t machine = random_below(random, N_MACHINES + 2);
    *settings = SCENARIO_UNCHANGED;
    settings->n_nodes = 1 + random_below(random, 4);
    settings->n_cores = is_alone ? PROGRAM_MAX_RANKS : 1 + random_below(random, 3);
    settings->is_cyclic = random_chance(random, 50);
    settings->is_sticky = random_chance(random, 30);
    settings->spins = random_chance(random, 30);
    settings->machine = machine < N_MACHINES ? &machines[machine] : NULL;
    if (!is_alone)
        settings->hand_over_ns = random_below(random, 3) * 5;
}

static bool same_times(const struct predicted_times *a, const struct predicted_times *b)
{
    bool is_same = a->time_ns == b->time_ns && a->critical_path_ns == b->critical_path_ns;
    for (size_t r = 0; r < a->n_ranks; r++)
        is_same = is_same && memcmp(&a->ranks[r], &b->ranks[r], sizeof a->ranks[r]) == 0;
    return is_same;
}

/// A check of the predictions of one run; what is wrong goes to STREAM.
typedef bool check(const struct predictions *predictions, const struct predicted_times *times,
                   FILE *stream);

static bool check_again(const struct predictions *predictions, const struct predicted_times *times,
                        FILE *stream)
{
    bool is_sound = true;
    for (size_t i = 0; i + 1 < predictions->n; i += 2) {
        if (!same_times(&times[i], &times[i + 1])) {
            fprintf(stream, "  %s: %" PRIu64 " ns, then %" PRIu64 " ns\n", predictions->names[i],
                    times[i].time_ns, times[i + 1].time_ns);
            is_sound = false;
        }
        if (times[i].critical_path_ns != times[i].time_ns) {
            fprintf(stream, "  %s: the critical path has %" PRIu64 " ns of %" PRIu64 "\n",
                    predictions->names[i], times[i].critical_path_ns, times[i].time_ns);
            is_sound = false;
        }
    }
    return is_sound;
}

static void plan_again(struct predictions *predictions, struct random *random)
{
    for (int i = 0; i < 4; i++) {
        struct scenario_settings settings;
        place(&settings, random, i == 0);
        combine(&settings, random);
        add(predictions, "combined", &settings);
        add(predictions, "again", &settings);
    }
}

/// Nobody is let go because nobody can go on, where that did not happen in the first prediction.
static bool check_nobody_waits(const struct predictions *predictions,
                               const struct predicted_times *times, FILE *stream)
{
    bool is_sound = true;
    for (size_t i = 1; i < predictions->n; i++) {
        if (times[0].n_forced > 0 || times[i].n_forced == 0)
            continue;
        fprintf(stream, "  %s: %" PRIu64 " calls let go that nobody would have ended\n",
                predictions->names[i], times[i].n_forced);
        is_sound = false;
    }
    return is_sound;
}

/// Nobody ends later than in the first prediction. As recorded, a call that completes the rest of
/// its messages may take a little longer: what each of them usually takes, not what one of them
/// took.
static bool check_not_slower(const struct predictions *predictions,
                             const struct predicted_times *times, FILE *stream)
{
    bool is_sound = check_nobody_waits(predictions, times, stream);
    for (size_t i = 1; i < predictions->n && times[0].n_forced == 0; i++) {
        for (size_t r = 0; r < times[0].n_ranks; r++) {
            uint64_t limit_ns = times[0].ranks[r].finish_ns;
            limit_ns += predictions->settings[0].machine ? 0 : limit_ns / 8 + 50;
            if (times[i].ranks[r].finish_ns <= limit_ns)
                continue;
            fprintf(stream, "  %s: rank %zu ends at %" PRIu64 ", without it at %" PRIu64 "\n",
                    predictions->names[i], r, times[i].ranks[r].finish_ns,
                    times[0].ranks[r].finish_ns);
            is_sound = false;
        }
    }
    return is_sound;
}

static struct scenario_settings *cut(struct predictions *predictions, const char *const *text,
                                     const struct scenario_settings *base)
{
    struct scenario_settings *settings = add(predictions, *text, base);
    settings->cuts = text;
    settings->n_cuts = 1;
    return settings;
}

/// A core for every rank, and no links and buses: who goes earlier may take them from one that
/// matters more. Costs as recorded where ranks are where they were.
static void place_alone(struct scenario_settings *base, struct random *random)
{
    place(base, random, true);
    if (base->machine == &machines[N_MACHINES - 1])
        base->machine = NULL;
    if (!base->machine)
        base->n_nodes = 0;
}

static void plan_not_slower(struct predictions *predictions, struct random *random)
{
    static const char *const everything[] = {"main"}, *const one[] = {"tag==1"},
                             *const all[] = {"size>=0"}, *const half[] = {"size>=0=0.5"};
    struct scenario_settings base;
    place_alone(&base, random);
    add(predictions, "as it is", &base);
    cut(predictions, one, &base);
    cut(predictions, all, &base);
    if (base.machine) // in a recording smaller messages may have taken longer
        cut(predictions, half, &base);
    struct scenario_settings *drop = add(predictions, "drop-sync", &base);
    drop->drops = everything;
    drop->n_drops = 1;
}

/// Putting off and putting together may cost time: work waits for the latest of several messages,
/// bytes go one after the other. But nobody waits for ever.
static void plan_put_off(struct predictions *predictions, struct random *random)
{
    static const char *const everything[] = {"main"};
    struct scenario_settings base;
    place(&base, random, false);
    add(predictions, "as it is", &base);
    struct scenario_settings *overlap = add(predictions, "overlap", &base);
    overlap->overlaps = everything;
    overlap->n_overlaps = 1;
    add(predictions, "aggregate", &base)->aggregate_bytes = UINT64_MAX;
    struct scenario_settings *both = add(predictions, "both", overlap);
    both->aggregate_bytes = 5000;
    combine(add(predictions, "combined", &base), random);
}

/// Changes by nothing.
static bool check_neutral(const struct predictions *predictions,
                          const struct predicted_times *times, FILE *stream)
{
    bool is_sound = true;
    for (size_t i = 1; i < predictions->n; i++) {
        if (same_times(&times[0], &times[i]))
            continue;
        fprintf(stream, "  %s: %" PRIu64 " ns, without it %" PRIu64 " ns\n", predictions->names[i],
                times[i].time_ns, times[0].time_ns);
        is_sound = false;
    }
    return is_sound;
}

static void plan_neutral(struct predictions *predictions, struct random *random)
{
    static const struct region_scale scale = {.pattern = "main", .factor = 1000000};
    static const char *const cuts[] = {"size>=0=1", "tag==7777"};
    struct scenario_settings base;
    place(&base, random, false);
    add(predictions, "as it is", &base);
    struct scenario_settings *scaled = add(predictions, "scale main=1", &base);
    scaled->scales = &scale;
    scaled->n_scales = 1;
    struct scenario_settings *cut = add(predictions, "cut size>=0=1", &base);
    cut->cuts = cuts;
    cut->n_cuts = 2;
    add(predictions, "aggregate up to no byte", &base)->aggregate_bytes = 0;
}

static struct sim_program_limits limits_of_seed(uint64_t seed, bool has_posted_collectives)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.max_steps = seed % 2 ? 30 : 150;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_wildcards = limits.allow_foreign = false;
    limits.allow_nonblocking_collectives = has_posted_collectives;
    return limits;
}

typedef void plan(struct predictions *predictions, struct random *random);

struct wanted {
    plan *prepare;
    check *what;
};

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    const struct wanted *wanted = context;
    struct random random = {seed};
    // A call that completes a message and the creation of a handle takes no time on a machine;
    // where the message is left out only the handle is left, and the call takes as long as it did.
    struct sim_program_limits limits = limits_of_seed(seed, wanted->what != check_not_slower);
    struct predictions predictions = {.n = 0};
    struct predicted_times times[MAX_PREDICTIONS] = {{0}};
    struct error err = {{0}};
    *text = scenario_trace_text(seed, &limits);
    if (!strstr(*text, " enter main\n")) // a program without functions has no region to name
        return true;
    wanted->prepare(&predictions, &random);
    bool is_sound = predicted_times(*text, predictions.settings, predictions.n, times, &err) == 0;
    if (!is_sound)
        fprintf(stream, "  %s\n", err.text);
    is_sound = is_sound && wanted->what(&predictions, times, stream);
    if (!is_sound)
        fprintf(stream, "  nodes %u cores %u %s%s%s\n", predictions.settings[0].n_nodes,
                predictions.settings[0].n_cores, predictions.settings[0].is_cyclic ? "cyclic " : "",
                predictions.settings[0].is_sticky ? "sticky " : "",
                predictions.settings[0].machine ? predictions.settings[0].machine->name
                                                : "recorded");
    for (size_t i = 0; i < predictions.n; i++)
        predicted_times_release(&times[i]);
    return is_sound;
}

static void check_seeds(plan *prepare, check *what)
{
    seeds_check(DEFAULT_SEEDS, check_seed, &(struct wanted){prepare, what});
}

static void test_combined_again(void **state)
{
    (void)state;
    check_seeds(plan_again, check_again);
}

static void test_left_out_is_not_slower(void **state)
{
    (void)state;
    check_seeds(plan_not_slower, check_not_slower);
}

static void test_nobody_waits_for_ever(void **state)
{
    (void)state;
    check_seeds(plan_put_off, check_nobody_waits);
}

static void test_neutral_changes(void **state)
{
    (void)state;
    check_seeds(plan_neutral, check_neutral);
}

static int read_machines(void **state)
{
    (void)state;
    for (int i = 0; i < N_MACHINES; i++)
        machines[i] = machine_of_text(machine_texts[i]);
    return 0;
}

static int release_machines(void **state)
{
    (void)state;
    for (int i = 0; i < N_MACHINES; i++)
        machine_release(&machines[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combined_again),
        cmocka_unit_test(test_left_out_is_not_slower),
        cmocka_unit_test(test_nobody_waits_for_ever),
        cmocka_unit_test(test_neutral_changes),
    };
    return cmocka_run_group_tests(tests, read_machines, release_machines);
}
