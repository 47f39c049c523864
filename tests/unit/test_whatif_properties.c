// SPDX-License-Identifier: BSD-3-Clause
// What must hold for predictions, on random MPI programs. Of any: the critical path sums to the run
// time, the times of a rank to its life, no rank waits for ever. Of some, what their row says:
// nothing changes; the same as another prediction; no later than it.
//
// PAGODA_SEEDS=FIRST or FIRST-LAST chooses other seeds. The trace of a failure is left as text.
#include <stdbool.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "tests/reference/asked.h"
#include "tests/reference/engine_run.h"
#include "tests/reference/program.h"
#include "tests/reference/scenarios.h"
#include "tests/tools/lib/scratch.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { SEEDS_SHARE = CASES(1, 4) };
enum { MAX_ROWS = 24, MAX_TEXT = 300 };

/// What must hold of a prediction, compared with the recording or with another one, its base.
enum must {
    AS_RECORDED = 1 << 0,     // each rank ends as in the recording
    SAME = 1 << 1,            // all of a rank's times
    SAME_WORK = 1 << 2,       // the sum of all ranks' work
    NOT_LATER = 1 << 3,       // no rank ends later, unless the base hangs: what waits for ever
                              // there goes on without, perhaps earlier than it can
    NOT_MUCH_LATER = 1 << 4,  // likewise, with costs as recorded: an eighth and 50 ns at most
    NOT_LONGER = 1 << 5,      // the run
    IDLE = 1 << 6,            // no rank computes
    MAY_HANG = 1 << 7,        // calls may wait for ever
    HANGS_AS_BASE = 1 << 8,   // some do only if they do in the base
    HANGS_LIKE_BASE = 1 << 9, // and if they do
    MAY_FAIL = 1 << 10,       // the program may have nothing that is named
    IS_DAMAGED = 1 << 11,     // nothing but that there is a prediction
};

struct row {
    char options[MAX_TEXT];
    int must;
    size_t base;
    uint64_t slice_ns; // 0: of the options, which take no less than 1 us
};

struct rows {
    struct row rows[MAX_ROWS];
    size_t n;
    struct random random;
    uint64_t seed;
    uint32_t n_ranks;
    bool has_wildcards;
};

/// Adds a prediction; its number.
__attribute__((format(printf, 4, 5))) static size_t add(struct rows *rows, int must, size_t base,
                                                        const char *format, ...)
{
    struct row *row = &rows->rows[rows->n];
    va_list args;
    va_start(args, format);
    assert_true(rows->n < MAX_ROWS && vsnprintf(row->options, MAX_TEXT, format, args) < MAX_TEXT);
    va_end(args);
    row->must = must;
    row->base = base;
    return rows->n++;
}

// --- checks

static uint64_t work_of(const struct predicted_times *times)
{
    uint64_t sum_ns = 0;
    for (size_t r = 0; r < times->n_ranks; r++)
        sum_ns += times->ranks[r].outside_ns;
    return sum_ns;
}

/// Why rank R is not as it must be, NULL when it is.
static const char *wrong_rank(const struct row *row, const struct predicted_times *times,
                              const struct predicted_times *base, size_t r)
{
    const struct predicted_rank *rank = &times->ranks[r], *other = &base->ranks[r];
    uint64_t life_ns = rank->finish_ns - rank->first_ns;
    if (rank->outside_ns + rank->wait_ns + rank->overhead_ns != life_ns)
        return "its times are not its life";
    if (row->must & AS_RECORDED && rank->finish_ns != times->measured_finish_ns[r])
        return "it does not end as recorded";
    if (row->must & SAME && memcmp(rank, other, sizeof *rank) != 0)
        return "it is not the same";
    bool is_comparable = base->n_forced == 0;
    if (row->must & NOT_LATER && is_comparable && rank->finish_ns > other->finish_ns)
        return "it ends later";
    if (row->must & NOT_MUCH_LATER && is_comparable &&
        rank->finish_ns > other->finish_ns + other->finish_ns / 8 + 50)
        return "it ends much later";
    if (row->must & IDLE && rank->outside_ns > 0)
        return "it computes";
    return NULL;
}

static const char *wrong_run(const struct row *row, const struct predicted_times *times,
                             const struct predicted_times *base)
{
    bool hangs = times->n_forced > 0, base_hangs = base->n_forced > 0;
    if (times->critical_path_ns != times->time_ns)
        return "the critical path is not the run time";
    if (row->must & HANGS_LIKE_BASE && hangs != base_hangs)
        return "calls wait for ever in one of the two";
    if (hangs && !(row->must & MAY_HANG) && !(row->must & HANGS_AS_BASE && base_hangs))
        return "calls wait for ever";
    if (row->must & SAME && times->time_ns != base->time_ns)
        return "the run time is not the same";
    if (row->must & SAME_WORK && work_of(times) != work_of(base))
        return "there is more work, or less";
    if (row->must & NOT_LONGER && times->time_ns > base->time_ns)
        return "the run takes longer";
    return NULL;
}

static bool is_right(const struct rows *rows, size_t i, const struct predicted_times *all,
                     FILE *stream)
{
    const struct row *row = &rows->rows[i];
    const struct predicted_times *times = &all[i], *base = &all[row->base];
    const char *wrong = wrong_run(row, times, base);
    size_t r;
    for (r = 0; r < times->n_ranks && !wrong; r++)
        wrong = wrong_rank(row, times, base, r);
    if (wrong)
        fprintf(stream, "  %s (%zu ranks looked at; base %s): %s: %" PRIu64 " ns, %" PRIu64 " ns\n",
                row->options, r, rows->rows[row->base].options, wrong, times->time_ns,
                base->time_ns);
    return !wrong;
}

/// A kind of random programs, and the predictions that are made of each.
struct property_case {
    uint64_t n_seeds;
    uint64_t further_seed; // 0: none
    void (*plan)(struct rows *rows);
    struct sim_program_limits (*limits)(uint64_t seed);
    char *(*text)(uint64_t seed, const struct sim_program_limits *limits);
    uint64_t *n_effective; // counts predictions that differ from their base
};

static bool predict(struct engine_run *run, const struct row *row, struct predicted_times *times,
                    FILE *stream)
{
    struct asked asked;
    struct error err = {{0}};
    bool is_sound = asked_read(&asked, row->options, NULL, &err) == 0;
    if (is_sound) {
        struct scenario_settings settings = *asked.settings;
        if (row->slice_ns > 0)
            settings.slice_ns = row->slice_ns;
        is_sound = predicted_times_of(run, &settings, times, &err) == 0;
    }
    asked_release(&asked);
    if (!is_sound && !(row->must & MAY_FAIL))
        fprintf(stream, "  %s: %s\n", row->options, err.text);
    return is_sound;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    const struct property_case *self = context;
    const struct sim_program_limits limits = self->limits(seed);
    struct rows rows = {.random = {seed}, .seed = seed};
    struct predicted_times times[MAX_ROWS] = {{0}};
    struct error err = {{0}};
    *text = self->text(seed, &limits);
    if (!strstr(*text, " enter main\n")) // a program without functions has no region to name
        return true;
    struct engine_run *run = engine_run_new(*text, &err);
    if (!run) {
        fprintf(stream, "  %s\n", err.text);
        return false;
    }
    rows.has_wildcards = strstr(*text, " any") != NULL;
    rows.n_ranks = (uint32_t)engine_run_definitions(run)->n_ranks;
    self->plan(&rows);
    bool is_sound = true;
    for (size_t i = 0; i < rows.n && is_sound; i++) {
        int must = rows.rows[i].must;
        bool is_predicted = predict(run, &rows.rows[i], &times[i], stream);
        is_sound =
            is_predicted ? must & IS_DAMAGED || is_right(&rows, i, times, stream) : must & MAY_FAIL;
        *self->n_effective += times[i].time_ns != times[rows.rows[i].base].time_ns;
    }
    for (size_t i = 0; i < rows.n; i++)
        predicted_times_release(&times[i]);
    engine_run_free(run);
    return is_sound;
}

static void test_property(void **state)
{
    struct property_case self = *(const struct property_case *)*state;
    uint64_t n_effective = 0;
    self.n_effective = &n_effective;
    seeds_check(self.n_seeds / SEEDS_SHARE, check_seed, &self);
    assert_true(n_effective > 0 || getenv("PAGODA_SEEDS"));
    SCOPED char *text = NULL;
    assert_true(self.further_seed == 0 || check_seed(self.further_seed, &self, &text, stderr));
}

// --- programs

static struct sim_program_limits undamaged(uint64_t seed)
{
    struct sim_program_limits limits = PROGRAM_LIMITS_ALL;
    limits.allow_skew = limits.allow_cut = limits.allow_unmatched = limits.allow_teams = false;
    limits.allow_locks = false; // a call keeps its recorded wait for a lock
    return limits;
}

static struct sim_program_limits damaged(uint64_t seed)
{
    return PROGRAM_LIMITS_ALL;
}

/// Without wildcards: senders go on whose receiver is not known yet, which depends on who is first.
static struct sim_program_limits without_wildcards(uint64_t seed)
{
    struct sim_program_limits limits = undamaged(seed);
    limits.allow_wildcards = limits.allow_foreign = false;
    return limits;
}

static struct sim_program_limits some_wildcards(uint64_t seed)
{
    return seed % 2 ? without_wildcards(seed) : undamaged(seed);
}

static struct sim_program_limits short_or_long(uint64_t seed)
{
    struct sim_program_limits limits = without_wildcards(seed);
    limits.max_steps = seed % 2 ? 30 : 150;
    return limits;
}

/// A call that completes a message and the creation of a handle takes no time on a machine; where
/// the message is left out only the handle is left, and the call takes as long as it did.
static struct sim_program_limits without_posted(uint64_t seed)
{
    struct sim_program_limits limits = short_or_long(seed);
    limits.allow_nonblocking_collectives = false;
    return limits;
}

// --- machines, read from files of the scratch folder

#define WIDE_NODE "<point bytes=\"0\" time=\"7ns\"/><point bytes=\"100\" time=\"20ns\"/></message>"
#define WIDE_NETWORK                                                                               \
    "<point bytes=\"0\" time=\"50ns\"/><point bytes=\"50000\" time=\"900ns\"/>"                    \
    "<point bytes=\"100000\" time=\"1500ns\"/></message>"
#define LINKS                    "<machine out-links=\"1\" in-links=\"1\">"
#define BY(operation, algorithm) "<collective op=\"" operation "\" algorithm=\"" algorithm "\"/>"
#define COSTS                    "<message scope=\"network\" send-overhead=\"7ns\" recv-overhead=\"3ns\""

static const struct {
    const char *name, *text;
} machines[] = {
    {"wide", "<machine cpu-speed=\"1.5\"><message scope=\"node\">" WIDE_NODE
             "<message scope=\"network\" send-overhead=\"3ns\" recv-overhead=\"5ns\">" WIDE_NETWORK
             "</machine>"},
    // One message at a time in and out of a node.
    {"narrow", LINKS "<message scope=\"node\" buses=\"1\">" WIDE_NODE
                     "<message scope=\"network\" buses=\"2\">" WIDE_NETWORK "</machine>"},
    // Large messages wait for their receiver, without and with links and buses.
    {"rendezvous", "<machine><message scope=\"node\" eager=\"777\">" WIDE_NODE
                   "<message scope=\"network\" eager=\"777\">" WIDE_NETWORK "</machine>"},
    {"narrow-rendezvous",
     LINKS "<message scope=\"node\" eager=\"777\" buses=\"1\">" WIDE_NODE
           "<message scope=\"network\" eager=\"777\" buses=\"2\">" WIDE_NETWORK "</machine>"},
    {"formula", "<machine cpu-speed=\"1.5\"><message scope=\"node\">" WIDE_NODE
                "<message scope=\"network\" eager=\"1000\" send-overhead=\"3ns\" "
                "recv-overhead=\"5ns\">" WIDE_NETWORK
                "<collective op=\"allreduce\" time=\"1e-8 * log2(p) + 1e-9 * b\"/></machine>"},
    {"algorithms", "<machine><message scope=\"node\">" WIDE_NODE
                   "<message scope=\"network\" send-overhead=\"3ns\" recv-overhead=\"5ns\">"
                   "<point bytes=\"0\" time=\"50ns\"/><point bytes=\"50000\" time=\"900ns\"/>"
                   "</message><collective op=\"barrier\" algorithm=\"recursive-doubling\"/>"
                   "<collective op=\"allreduce\" algorithm=\"ring\"/>"
                   "<collective op=\"bcast\" algorithm=\"binomial\"/>"
                   "<collective op=\"reduce\" algorithm=\"flat\"/></machine>"},
    {"rings", "<machine>" COSTS ">" WIDE_NETWORK BY("barrier", "ring") BY("bcast", "ring")
                  BY("allreduce", "ring") BY("reduce", "ring") BY("allgather", "ring")
                      BY("alltoall", "ring") BY("scan", "ring") BY("gather", "flat") "</machine>"},
    {"doubling", "<machine>" COSTS ">" WIDE_NETWORK BY("barrier", "hardware-multicast")
                     BY("bcast", "hardware-multicast") BY("allreduce", "recursive-halving")
                         BY("reduce", "recursive-doubling") BY("allgather", "recursive-doubling")
                             BY("alltoall", "recursive-doubling") BY("scan", "recursive-doubling")
                                 BY("gather", "binomial") "</machine>"},
    {"eager-30000", "<machine><message scope=\"network\" eager=\"30000\"><point bytes=\"0\" "
                    "time=\"50ns\"/><point bytes=\"50000\" time=\"900ns\"/></message></machine>"},
    {"eager-500", "<machine><message scope=\"network\" eager=\"500\"><point bytes=\"0\" "
                  "time=\"50ns\"/><point bytes=\"100000\" time=\"1500ns\"/></message></machine>"},
    // Bytes cost more and more, less and less, or nothing until there are many.
    {"dearer", "<machine>" COSTS " eager=\"2000\"><point bytes=\"0\" time=\"5ns\"/>"
               "<point bytes=\"100\" time=\"6ns\"/><point bytes=\"1000\" time=\"200ns\"/>"
               "<point bytes=\"30000\" time=\"90us\"/></message></machine>"},
    {"cheaper", "<machine>" COSTS "><point bytes=\"0\" time=\"100ns\"/>"
                "<point bytes=\"200\" time=\"400ns\"/><point bytes=\"30000\" time=\"500ns\"/>"
                "</message></machine>"},
    {"by-leaps", "<machine>" COSTS "><point bytes=\"50\" time=\"10ns\"/>"
                 "<point bytes=\"400\" time=\"10ns\"/><point bytes=\"401\" time=\"900ns\"/>"
                 "<point bytes=\"2000\" time=\"950ns\"/></message></machine>"},
};
enum { N_MACHINES = sizeof machines / sizeof machines[0] };

static char *folder;

static int write_machines(void **state)
{
    folder = scratch_directory();
    if (chdir(folder) != 0)
        return -1;
    for (size_t i = 0; i < N_MACHINES; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s.xml", machines[i].name);
        scratch_write(name, machines[i].text, strlen(machines[i].text));
    }
    return 0;
}

static int remove_machines(void **state)
{
    scratch_remove(folder);
    return 0;
}

// --- predictions

/// A core for every rank changes nothing, however cores are shared.
static void plan_placements(struct rows *rows)
{
    static const char *const alone[] = {"--nodes 1 --cores 8 --sharing sticky --wait spin",
                                        "--nodes 8 --cores 1 --sharing sticky",
                                        "--nodes 1 --cores 8", "--nodes 1 --cores 8 --wait spin"};
    static const char *const shared[] = {"--nodes 1 --cores 1",
                                         "--nodes 1 --cores 1 --wait spin",
                                         "--nodes 2 --cores 1 --map cyclic",
                                         "--nodes 1 --cores 2 --sharing sticky --hand-over 10ns",
                                         "--nodes 1 --cores 3 --wait spin",
                                         "--nodes 1 --cores 8 --cpu-speed 0.333333",
                                         "--nodes 3 --cores 1 --machine wide.xml",
                                         "--nodes 2 --cores 2 --wait spin --machine wide.xml",
                                         "--nodes 3 --cores 8 --machine narrow.xml",
                                         "--nodes 8 --cores 1 --wait spin --machine narrow.xml"};
    static const char *const sliced[] = {"--nodes 1 --cores 1 --wait spin",
                                         "--nodes 2 --cores 2 --wait spin", "--nodes 1 --cores 1",
                                         "--nodes 2 --cores 2"};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
        add(rows, AS_RECORDED, 0, "%s", alone[i]);
    for (size_t i = 2; i < sizeof alone / sizeof alone[0]; i++)
        rows->rows[add(rows, AS_RECORDED, 0, "%s", alone[i])].slice_ns = 10;
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
        add(rows, 0, 0, "%s", shared[i]);
    // With slices operations are carried out, so members wait for more of each other. A wildcard
    // may have received what was sent after an operation that its receiver enters later, and the
    // sender may need the receiver there.
    int must = rows->has_wildcards ? MAY_HANG : 0;
    for (size_t i = 0; i < sizeof sliced / sizeof sliced[0]; i++)
        rows->rows[add(rows, must, 0, "%s", sliced[i])].slice_ns =
            1 + rows->seed % (i % 2 ? 7 : 40);
    // Programs that rely on being sent at once wait for ever. A rendezvous goes on where its
    // receiver has posted a wildcard, which times decide.
    size_t free = add(rows, MAY_HANG, 0, "--nodes 3 --cores 8 --machine rendezvous.xml");
    add(rows, MAY_HANG | (rows->has_wildcards ? 0 : HANGS_LIKE_BASE), free,
        "--nodes 3 --cores 8 --machine narrow-rendezvous.xml");
}

#define SOME_CUTS "--cut-messages size>=200 --cut-messages from==0&&tag==0-1=0.3"

static void plan_changes(struct rows *rows)
{
    add(rows, AS_RECORDED, 0, "--scale (program)=1");
    add(rows, AS_RECORDED, 0, "--balance (program)=0");
    add(rows, AS_RECORDED, 0, "--cut-messages size>=0=1");
    add(rows, AS_RECORDED, 0, "--cut-messages tag==4000000000&&from==0");
    add(rows, 0, 0, "--balance (program)");
    add(rows, 0, 0, "--duration (program)=77ns " SOME_CUTS);
    add(rows, 0, 0, "--cut-messages size>=0");
    add(rows, 0, 0, SOME_CUTS " --nodes 1 --cores 2");
    add(rows, 0, 0, "--drop-sync (program)");
    // A program without collectives has none to leave out.
    add(rows, MAY_FAIL, 0, "--drop-sync MPI_* --balance (program)");
    add(rows, MAY_FAIL, 0, "--drop-sync MPI_* --cut-messages size>=0");
    add(rows, 0, 0, SOME_CUTS " --overlap (program)");
    add(rows, 0, 0, SOME_CUTS " --aggregate 5000");
    add(rows, 0, 0, "--drop-sync (program) --overlap (program)");
    add(rows, 0, 0,
        SOME_CUTS " --drop-sync (program) --duration (program)=77ns --nodes 3 "
                  "--machine eager-500.xml");
    add(rows, MAY_FAIL | IDLE, 0, "--drop-sync MPI_* --cut-messages size>=0 --scale (program)=0");
}

/// With messages put together no rank that has a core of its own ends later than without.
static void plan_aggregate(struct rows *rows)
{
    static const char *const on[] = {"", "--machine dearer.xml", "--machine cheaper.xml",
                                     "--machine by-leaps.xml"};
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
        size_t base = add(rows, MAY_HANG, 0, "%s", on[i]);
        add(rows, MAY_HANG | NOT_LATER, base, "%s --aggregate 300", on[i]);
        add(rows, MAY_HANG | NOT_LATER, base, "%s --aggregate all", on[i]);
    }
}

/// Moved work is neither lost nor doubled; waiting later makes no run without overheads longer.
static void plan_moves(struct rows *rows)
{
    const char *alone = "--nodes 1 --cores 8";
    const char *eager = "--nodes 1 --cores 8 --machine eager-30000.xml";
    uint32_t last = rows->n_ranks - 1;
    if (last == 0)
        return;
    size_t base = add(rows, 0, 0, "%s", alone);
    add(rows, SAME_WORK, base, "%s --move main=0:1-%u", alone, last);
    add(rows, SAME_WORK, base, "%s --move main=1-%u:0", alone, last);
    add(rows, 0, base, "%s --overlap main", alone);
    add(rows, 0, base, "%s --aggregate all", alone);
    add(rows, 0, base,
        "--nodes 2 --cores 1 --move main=0:1-%u --overlap main --aggregate 1000 --scale main=0.5%s",
        last, rows->seed % 2 ? "" : " --wait spin");
    size_t on = add(rows, 0, 0, "%s", eager);
    add(rows, rows->seed % 2 ? NOT_LONGER : 0, on, "%s --overlap main", eager);
}

/// With missing ranks and records, skewed clocks, threads: predicted to the end.
static void plan_damaged(struct rows *rows)
{
    static const char *const on[] = {"rings", "doubling", "algorithms", "narrow"};
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++)
        add(rows, IS_DAMAGED, 0, "--machine %s.xml", on[i]);
}

/// Where ranks run, on which machine; IS_ALONE: each on a core of its own.
static void place(struct rows *rows, bool is_alone, char *text)
{
    static const char *const on[] = {"", "", "--machine formula.xml", "--machine algorithms.xml",
                                     "--machine narrow.xml"};
    struct random *random = &rows->random;
    snprintf(text, MAX_TEXT, "--nodes %" PRIu32 " --cores %" PRIu32 "%s%s%s %s",
             1 + random_below(random, 4), is_alone ? 8 : 1 + random_below(random, 3),
             random_chance(random, 50) ? " --map cyclic" : "",
             random_chance(random, 30) ? " --sharing sticky" : "",
             random_chance(random, 30) ? " --wait spin" : "", on[random_below(random, 5)]);
    if (!is_alone && random_chance(random, 66))
        strcat(text, random_chance(random, 50) ? " --hand-over 5ns" : " --hand-over 10ns");
}

/// What may be combined; regions that are not there are refused, so only "main" is sure.
static void combine(struct rows *rows, char *text)
{
    static const struct {
        uint32_t percent;
        const char *options;
    } choices[] = {{50, " --scale main=0.7"},      {40, " --overlap main"},
                   {40, " --drop-sync main"},      {40, " --cut-messages size>=1000=0.5"},
                   {20, " --cut-messages tag==1"}, {20, " --aggregate 5000"},
                   {30, " --add-latency 70ns"}};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (random_chance(&rows->random, choices[i].percent))
            strcat(text, choices[i].options);
    if (rows->n_ranks > 1 && random_chance(&rows->random, 30))
        strcat(text, random_chance(&rows->random, 50) ? " --move main=0:1"
                                                      : " --move main=0:1 --move-data 100");
}

/// Whatever is combined, and whatever is predicted in between, the same is predicted again.
static void plan_again(struct rows *rows)
{
    enum { N = 4 };
    char texts[N][MAX_TEXT];
    for (size_t i = 0; i < N; i++) {
        place(rows, i == 0, texts[i]);
        combine(rows, texts[i]);
        add(rows, MAY_HANG, 0, "%s", texts[i]);
    }
    for (size_t i = 0; i < N; i++)
        add(rows, MAY_HANG | SAME, i, "%s", texts[i]);
}

/// With a core for every rank, and no links and buses (who goes earlier may take them from one that
/// matters more), nobody gets slower by what is left out. In a recording smaller messages may have
/// taken longer, and a call that completes the rest of its messages may take what they usually do.
static void plan_not_slower(struct rows *rows)
{
    static const char *const on[] = {
        "--nodes 3 --cores 8 --machine formula.xml --cut-messages size>=0=0.5",
        "--nodes 3 --cores 8 --machine algorithms.xml --cut-messages size>=0=0.5", "--cores 8"};
    static const char *const left_out[] = {" --cut-messages tag==1", " --cut-messages size>=0",
                                           " --drop-sync main"};
    const char *half = on[rows->seed % 3];
    const char *cut = strstr(half, " --cut");
    int length = (int)(cut ? (size_t)(cut - half) : strlen(half));
    int must = HANGS_AS_BASE | (cut ? NOT_LATER : NOT_MUCH_LATER);
    size_t base = add(rows, MAY_HANG, 0, "%.*s", length, half);
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        add(rows, must, base, "%.*s%s", length, half, left_out[i]);
    if (cut)
        add(rows, must, base, "%s", half);
}

/// Putting off and putting together may cost time: work waits for the latest of several messages,
/// bytes go one after the other. But nobody waits for ever.
static void plan_put_off(struct rows *rows)
{
    char text[MAX_TEXT];
    place(rows, false, text);
    size_t base = add(rows, MAY_HANG, 0, "%s", text);
    add(rows, HANGS_AS_BASE, base, "%s --overlap main", text);
    add(rows, HANGS_AS_BASE, base, "%s --aggregate all", text);
    add(rows, HANGS_AS_BASE, base, "%s --overlap main --aggregate 5000", text);
    combine(rows, text);
    add(rows, HANGS_AS_BASE, base, "%s", text);
}

/// Changes by nothing.
static void plan_neutral(struct rows *rows)
{
    char text[MAX_TEXT];
    place(rows, false, text);
    size_t base = add(rows, MAY_HANG, 0, "%s", text);
    add(rows, MAY_HANG | SAME, base, "%s --scale main=1", text);
    add(rows, MAY_HANG | SAME, base, "%s --cut-messages size>=0=1 --cut-messages tag==7777", text);
    add(rows, MAY_HANG | SAME, base, "%s --aggregate 0", text);
    add(rows, MAY_HANG, base, "%s --scale main=2", text);
}

#define PROPERTY(name, ...)                                                                        \
    {                                                                                              \
        name, test_property, NULL, NULL, &(struct property_case)                                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct CMUnitTest tests[] = {
    // These further ones hang with slices, and where nothing is left out.
    PROPERTY("placements", .n_seeds = 600, .further_seed = 1346, .plan = plan_placements,
             .limits = undamaged, .text = sim_program_trace_text),
    PROPERTY("changes", .n_seeds = 200, .plan = plan_changes, .limits = undamaged,
             .text = sim_program_trace_text),
    PROPERTY("messages put together", .n_seeds = 600, .plan = plan_aggregate,
             .limits = without_wildcards, .text = sim_program_trace_text),
    PROPERTY("moves", .n_seeds = 600, .plan = plan_moves, .limits = some_wildcards,
             .text = sim_program_trace_text),
    PROPERTY("damaged runs", .n_seeds = 400, .plan = plan_damaged, .limits = damaged,
             .text = sim_program_trace_text),
    PROPERTY("again", .n_seeds = 150, .plan = plan_again, .limits = short_or_long,
             .text = scenario_trace_text),
    PROPERTY("again, where ranks shared cores", .n_seeds = 150, .plan = plan_again,
             .limits = short_or_long, .text = scenario_shared_trace_text),
    PROPERTY("what is left out", .n_seeds = 150, .further_seed = 336, .plan = plan_not_slower,
             .limits = without_posted, .text = scenario_trace_text),
    PROPERTY("what is put off", .n_seeds = 150, .plan = plan_put_off, .limits = short_or_long,
             .text = scenario_trace_text),
    PROPERTY("changes by nothing", .n_seeds = 150, .plan = plan_neutral, .limits = short_or_long,
             .text = scenario_trace_text),
};

TEST_TABLE(tests)

AROUND_ALL(write_machines, remove_machines)
