// SPDX-License-Identifier: BSD-3-Clause
// Random changes of the code of random programs, and the texts a user gives for them.
#include "tests/reference/change_choice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { ONE = 1000000 };

static bool occurs(const char *text, const char *region)
{
    SCOPED char *enter = memory_format(" enter %s\n", region);
    SCOPED char *enter_at = memory_format(" enter %s at ", region);
    return strstr(text, enter) || strstr(text, enter_at);
}

/// Of TEXTS, each after the function or the piece of text that must be there for it, one; NULL: it
/// is not. Where there is " at c" MPI calls have places.
static const char *choose_of(const char *const texts[][2], size_t n, const char *text,
                             struct random *random)
{
    size_t i = random_below(random, (uint32_t)n);
    bool is_there =
        *texts[i][0] == ' ' ? strstr(text, texts[i][0]) != NULL : occurs(text, texts[i][0]);
    return is_there ? texts[i][1] : NULL;
}

/// The computing before some calls of TEXT; NULL: it has not those that came up.
static const char *choose_stretches(const char *text, struct random *random)
{
    static const char *const texts[][2] = {
        {" at c", "run.c:10"},
        {" at c", "run.c:20"},
        {" at c", "run.c:30"},
        {" at c", "run.c:40"},
        {" at c", "run.c:*"},
        {" at c", "before run.c:31"},
        {" at c", "before main/work/**"},
        {" at c", "before solve/* at run.c:*"},
        {"MPI_Recv", "before MPI_Recv"},
        {"MPI_Send", "before main/**/MPI_Send"},
        {"MPI_Waitall", "before MPI_Wait*"},
        {" enter MPI_", "before /main/MPI_*"},
        {" at c", "between run.c:* and run.c:10"},
        {" at c", "between run.c:20 and run.c:*"},
        {" at c", "between main/** and run.c:30"},
        {" at c", "between run.c:* and **/MPI_*"},
    };
    static const char *const both[][2] = {
        {"MPI_Recv", "before MPI_Recv at run.c:*"},
        {"MPI_Send", "before MPI_Send at run.c:20"},
        {"MPI_Allreduce", "before MPI_Allreduce at run.c:10"},
        {"MPI_Barrier", "before **/MPI_Barrier at run.c:40"},
    };
    if (random_chance(random, 70) || !strstr(text, " at c"))
        return choose_of(texts, sizeof texts / sizeof texts[0], text, random);
    return choose_of(both, sizeof both / sizeof both[0], text, random);
}

/// Some functions of TEXT by name, path or glob, or the computing before some calls; NULL: it has
/// not the one that came up.
static const char *choose_functions(const char *text, struct random *random)
{
    static const struct {
        const char *region, *patterns[3];
    } functions[] = {
        {"main", {"main", "/main", "ma*"}},
        {"solve", {"solve", "main/**/solve", "so[kl]ve"}},
        {"exchange", {"exchange", "main/exchange", "ex*e"}},
        {"output", {"output", "main/**/output", "?utput"}},
        {"step", {"step", "step/**", "st*"}},
        {"setup", {"setup", "main/*/setup", "s*up"}},
    };
    uint32_t f = random_below(random, sizeof functions / sizeof functions[0]);
    uint32_t p = random_below(random, 3);
    if (random_chance(random, 10))
        return "(program)";
    if (random_chance(random, 35))
        return choose_stretches(text, random);
    return occurs(text, functions[f].region) ? functions[f].patterns[p] : NULL;
}

/// Functions, or some MPI functions, or the calls made at some places.
static const char *choose_calls(const char *text, struct random *random)
{
    static const char *const calls[][2] = {
        {"MPI_Recv", "MPI_Recv"},       {"MPI_Wait", "MPI_Wait"},
        {"MPI_Waitall", "MPI_Waitall"}, {"MPI_Send", "MPI_Send"},
        {"MPI_Bcast", "MPI_Bcast"},     {"MPI_Reduce", "MPI_Reduce"},
        {"MPI_Barrier", "MPI_*rrier"},  {"MPI_Allreduce", "MPI_Allreduce"},
    };
    static const char *const places[][2] = {
        {"MPI_Allreduce", "MPI_Allreduce at run.c:*"},
        {"MPI_Bcast", "**/MPI_Bcast at run.c:20"},
        {"MPI_Barrier", "MPI_Barrier at run.c:40"},
        {"MPI_Recv", "MPI_Recv at run.c:30"},
        {" at c", "run.c:10"},
        {" at c", "run.c:20"},
        {" at c", "run.c:31"},
        {" at c", "run.c:*"},
        {" at c", "work/** at run.c:30"},
    };
    if (random_chance(random, 50)) {
        const char *name = choose_functions(text, random);
        return name && strncmp(name, "between ", strlen("between ")) != 0 ? name : NULL;
    }
    if (random_chance(random, 40) && strstr(text, " at c"))
        return choose_of(places, sizeof places / sizeof places[0], text, random);
    return choose_of(calls, sizeof calls / sizeof calls[0], text, random);
}

/// Some of N_RANKS ranks, bits.
static uint32_t choose_ranks(struct random *random, uint32_t n_ranks)
{
    return 1 + random_below(random, (1u << n_ranks) - 1);
}

static void choose_works(struct scenario_changes *changes, struct random *random, const char *text,
                         uint32_t n_ranks)
{
    static const uint64_t durations[] = {0, 1, 7, 100, 1234};
    for (uint32_t i = 0; i < SCENARIO_MAX_WORKS; i++) {
        struct scenario_work work = {.region = choose_functions(text, random),
                                     .is_balanced = random_chance(random, 60),
                                     .duration_ns = durations[random_below(random, 5)],
                                     .ranks = UINT32_MAX};
        if (work.is_balanced && random_chance(random, 30))
            work.ranks = choose_ranks(random, n_ranks);
        if (work.region && random_chance(random, 60))
            changes->works[changes->n_works++] = work;
    }
}

static void choose_cuts(struct scenario_changes *changes, struct random *random, uint32_t n_ranks)
{
    static const uint64_t sizes[] = {0, 1, 100, 3000, 65536};
    static const uint64_t factors[] = {0, ONE / 2, 333333, ONE, 3 * ONE};
    for (uint32_t i = random_below(random, SCENARIO_MAX_CHANGES + 1); i > 0; i--) {
        struct scenario_cut cut = {.most_bytes = UINT64_MAX,
                                   .last_tag = UINT32_MAX,
                                   .senders = UINT32_MAX,
                                   .receivers = UINT32_MAX,
                                   .peers = UINT32_MAX,
                                   .factor = factors[random_below(random, 5)]};
        if (random_chance(random, 50))
            cut.least_bytes = sizes[random_below(random, 5)];
        else if (random_chance(random, 50))
            cut.most_bytes = sizes[random_below(random, 5)];
        if (random_chance(random, 30))
            cut.last_tag = (cut.first_tag = random_below(random, 4)) + random_below(random, 2);
        if (random_chance(random, 20))
            cut.senders = choose_ranks(random, n_ranks);
        if (random_chance(random, 20))
            cut.receivers = choose_ranks(random, n_ranks);
        if (random_chance(random, 20))
            cut.peers = choose_ranks(random, n_ranks);
        changes->cuts[changes->n_cuts++] = cut;
    }
}

static void choose_moves(struct scenario_changes *changes, struct random *random, const char *text,
                         uint32_t n_ranks)
{
    for (uint32_t i = random_below(random, SCENARIO_MAX_CHANGES + 1); i > 0 && n_ranks > 1; i--) {
        struct scenario_move move = {.region = choose_functions(text, random),
                                     .from = choose_ranks(random, n_ranks)};
        move.to = ~move.from & ((1u << n_ranks) - 1);
        if (move.region && move.to)
            changes->moves[changes->n_moves++] = move;
    }
    changes->move_data_bytes = random_chance(random, 50) ? random_below(random, 4000) : 0;
}

/// The whole program comes last, for it is around all others, and there is always one.
static void choose_slowdowns(struct scenario_changes *changes, struct random *random,
                             const char *text)
{
    static const uint64_t factors[] = {ONE, ONE / 2, 1200000, 1333333, 3 * ONE};
    for (uint32_t i = 0; i < SCENARIO_MAX_CHANGES; i++) {
        bool is_last = i + 1 == SCENARIO_MAX_CHANGES;
        const char *region = is_last ? "(program)" : choose_functions(text, random);
        if (region && strncmp(region, "between ", strlen("between ")) != 0)
            changes->slowdowns[changes->n_slowdowns++] = (struct scenario_slowdown){
                region, factors[random_below(random, 5)], factors[random_below(random, 5)]};
    }
}

void scales_choose(struct predicted_scenario *scenario, struct random *random, const char *text,
                   uint32_t n_ranks)
{
    static const uint64_t factors[] = {0, ONE / 2, 2 * ONE, 333333, ONE};
    while (scenario->n_regions < SCENARIO_MAX_REGIONS && random_chance(random, 70)) {
        const char *name = choose_functions(text, random);
        struct scenario_region region = {name, factors[random_below(random, 5)], 0};
        if (random_chance(random, 40))
            region.ranks = choose_ranks(random, n_ranks) & ((1u << n_ranks) - 1);
        if (name)
            scenario->regions[scenario->n_regions++] = region;
    }
}

void changes_choose(struct scenario_changes *changes, struct random *random, const char *text,
                    uint32_t n_ranks, uint32_t kinds)
{
    if (kinds & CHANGE_WORKS)
        choose_works(changes, random, text, n_ranks);
    if (kinds & CHANGE_CUTS)
        choose_cuts(changes, random, n_ranks);
    if (kinds & CHANGE_MOVES)
        choose_moves(changes, random, text, n_ranks);
    if (kinds & CHANGE_SLOWDOWNS)
        choose_slowdowns(changes, random, text);
    if ((kinds & CHANGE_GROUPS) && random_chance(random, 80))
        changes->aggregate_bytes =
            random_chance(random, 50) ? UINT64_MAX : random_below(random, 9000);
    for (uint32_t i = 0; i < SCENARIO_MAX_CHANGES; i++) {
        const char *drop = choose_calls(text, random), *overlap = choose_calls(text, random);
        if ((kinds & CHANGE_DROPS) && drop)
            changes->drops[changes->n_drops++] = drop;
        if ((kinds & CHANGE_OVERLAPS) && overlap)
            changes->overlaps[changes->n_overlaps++] = overlap;
    }
}

// --- as a user says it

static void print_ranks(uint32_t ranks, FILE *stream)
{
    for (uint32_t r = 0, n = 0; r < 32; r++)
        if (ranks >> r & 1)
            fprintf(stream, "%s%" PRIu32, n++ ? "," : "", r);
}

static void print_work(const struct scenario_work *work, uint32_t n_ranks, FILE *stream)
{
    if (!work->is_balanced) {
        fprintf(stream, " --duration \"%s=%" PRIu64 "ns\"", work->region, work->duration_ns);
        return;
    }
    fprintf(stream, " --balance \"%s", work->region);
    if (work->ranks != UINT32_MAX) {
        fputc('=', stream);
        print_ranks(work->ranks & ((1u << n_ranks) - 1), stream);
    }
    fputc('"', stream);
}

static void print_cut(const struct scenario_cut *cut, FILE *stream)
{
    fprintf(stream, " --cut-messages \"size>=%" PRIu64, cut->least_bytes);
    if (cut->most_bytes != UINT64_MAX)
        fprintf(stream, "&&size<=%" PRIu64, cut->most_bytes);
    if (cut->last_tag != UINT32_MAX)
        fprintf(stream, "&&tag==%" PRIu32 "-%" PRIu32, cut->first_tag, cut->last_tag);
    const uint32_t ranks[] = {cut->senders, cut->receivers, cut->peers};
    static const char *const names[] = {"from", "to", "peer"};
    for (int i = 0; i < 3; i++) {
        if (ranks[i] == UINT32_MAX)
            continue;
        fprintf(stream, "&&%s==", names[i]);
        print_ranks(ranks[i], stream);
    }
    fprintf(stream, "=%.6f\"", (double)cut->factor / ONE);
}

static void print_move(const struct scenario_move *move, FILE *stream)
{
    fprintf(stream, " --move \"%s=", move->region);
    print_ranks(move->from, stream);
    fputc(':', stream);
    print_ranks(move->to, stream);
    fputc('"', stream);
}

void changes_print(const struct scenario_changes *changes, uint32_t n_ranks, FILE *stream)
{
    for (uint32_t i = 0; i < changes->n_works; i++)
        print_work(&changes->works[i], n_ranks, stream);
    for (uint32_t i = 0; i < changes->n_drops; i++)
        fprintf(stream, " --drop-sync \"%s\"", changes->drops[i]);
    for (uint32_t i = 0; i < changes->n_cuts; i++)
        print_cut(&changes->cuts[i], stream);
    for (uint32_t i = 0; i < changes->n_moves; i++)
        print_move(&changes->moves[i], stream);
    if (changes->n_moves > 0)
        fprintf(stream, " --move-data %" PRIu64, changes->move_data_bytes);
    for (uint32_t i = 0; i < changes->n_overlaps; i++)
        fprintf(stream, " --overlap \"%s\"", changes->overlaps[i]);
    if (changes->aggregate_bytes == UINT64_MAX)
        fputs(" --aggregate all", stream);
    else if (changes->aggregate_bytes > 0)
        fprintf(stream, " --aggregate %" PRIu64, changes->aggregate_bytes);
}
