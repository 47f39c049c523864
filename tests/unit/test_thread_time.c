// SPDX-License-Identifier: BSD-3-Clause
// Where threads spend their time: traces computed by hand, tests/traces/threads/*.txt, with lines
//
//     #! LOC KIND NS                        KIND as in JSON, or `caused`, or `in_mpi`: of all
//     losses
//                                           but idle_mpi, while the master is in MPI
//     #! place LOC CALL/PATH KIND COUNT NS  losses at a call path of names as in the text
//     #! waited LOC CALL/PATH LOC CALL/PATH COUNT NS  for a lock, and who gave it back where
//
// What is not mentioned is 0; places need not be mentioned, waits for locks must be. And random
// programs of parallel regions, whose threads' times are known as they are written. The spans that
// a listener gets add up to the same.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/reader.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"
#include "tests/unit/text_fixture.h"
#include "tests/unit/unit_test.h"

enum { CAUSED = RESULT_THREAD_KINDS, IN_MPI, N_FACTS, MAX_LOCATIONS = 16, N_PROGRAMS = 300 };

struct spans {
    struct pag_thread_span *items;
    size_t n, capacity;
};

struct replay {
    char *directory;
    struct trace *trace;
    const struct definitions *definitions;
    struct pag_result result;
    struct spans spans;
};

static void keep_span(void *context, const struct pag_thread_span *span)
{
    struct spans *spans = context;
    *ARRAY_NEXT(spans->items, spans->n, spans->capacity) = *span;
}

static struct replay replay_text(const char *text)
{
    struct replay replay = {.directory = scratch_directory()};
    struct error err = {{0}};
    SCOPED char *archive = memory_format("%s/a", replay.directory);
    SCOPED char *path = memory_format("%s/traces.otf2", archive);
    const struct pag_listener listener = {.thread_span = {keep_span, &replay.spans}};
    if (text_trace_write(text, archive, &err) != 0 || !(replay.trace = trace_open(path, &err)) ||
        pag_run(replay.trace, &PAG_OPTIONS_DEFAULT, &listener, &replay.result, &err) != 0)
        fail_msg("%s", err.text);
    replay.definitions = trace_definitions(replay.trace);
    assert_uint_in_range(replay.definitions->n_locations, 1, MAX_LOCATIONS);
    return replay;
}

static void replay_release(struct replay *replay)
{
    pag_result_release(&replay->result);
    free(replay->spans.items);
    trace_close(replay->trace);
    scratch_remove(replay->directory);
}

static size_t location_of(const struct replay *replay, const char *word)
{
    char *dot;
    uint64_t rank = strtoull(word, &dot, 10);
    uint64_t id = rank | (*dot == '.' ? strtoull(dot + 1, NULL, 10) << 32 : 0);
    for (size_t i = 0; i < replay->definitions->n_locations; i++)
        if (replay->definitions->locations[i].id == id)
            return i;
    fail_msg("no location %s", word);
    return 0;
}

static size_t kind_of(const char *word)
{
    for (size_t i = 0; i < RESULT_THREAD_KINDS; i++)
        if (strcmp(word, result_thread_kind_keys[i]) == 0)
            return i;
    if (strcmp(word, "in_mpi") == 0)
        return IN_MPI;
    if (strcmp(word, "caused") != 0)
        fail_msg("no kind %s", word);
    return CAUSED;
}

/// Whether threads lose time of KIND that counts for their rank where the master is outside MPI.
static bool is_loss(size_t kind)
{
    return kind >= RESULT_THREAD_FIRST_LOSS && kind != PAG_THREAD_IDLE_MPI;
}

static uint64_t fact_of(const struct pag_thread *thread, size_t fact)
{
    uint64_t in_mpi_ns = 0;
    for (size_t kind = 0; kind < PAG_THREAD_KINDS; kind++)
        in_mpi_ns += is_loss(kind) ? thread->in_mpi_ns[kind] : 0;
    return fact == CAUSED ? thread->caused_ns : fact == IN_MPI ? in_mpi_ns : thread->ns[fact];
}

/// Kinds of which only the sum is told by spans are one: of idle time and, where threads leave
/// barriers for tasks, of time in barriers.
static size_t kind_of_span(size_t kind, bool has_tasks)
{
    bool is_barrier = kind == PAG_THREAD_BARRIER || kind == PAG_THREAD_IMPLICIT_BARRIER;
    return kind >= PAG_THREAD_IDLE_SERIAL ? PAG_THREAD_IDLE_SERIAL
           : has_tasks && is_barrier      ? PAG_THREAD_RUNTIME
                                          : kind;
}

static uint64_t within(uint64_t time_ns, uint64_t begin_ns, uint64_t end_ns)
{
    return time_ns < begin_ns ? begin_ns : time_ns > end_ns ? end_ns : time_ns;
}

/// What of the spans is in the window adds up to what is known of the threads. Further threads are
/// idle after their last span, and while recording of their only process is off.
static size_t expect_spans(const struct replay *replay, const char *name)
{
    bool has_tasks = strstr(name, "tasks") != NULL;
    uint64_t sums[MAX_LOCATIONS][PAG_THREAD_KINDS] = {{0}}, told_ns[MAX_LOCATIONS] = {0};
    const struct pag_result *result = &replay->result;
    uint64_t begin_ns = result->window_begin_ns, end_ns = result->window_end_ns;
    size_t n_failed = 0;
    for (size_t i = 0; i < replay->spans.n; i++) {
        const struct pag_thread_span *span = &replay->spans.items[i];
        n_failed += span->begin_ns < told_ns[span->location] || span->begin_ns >= span->end_ns;
        told_ns[span->location] = span->end_ns;
        sums[span->location][kind_of_span(span->kind, has_tasks)] +=
            within(span->end_ns, begin_ns, end_ns) - within(span->begin_ns, begin_ns, end_ns);
    }
    for (size_t i = 0; i < replay->definitions->n_locations; i++) {
        uint64_t known[PAG_THREAD_KINDS] = {0};
        if (!result->threads[i].is_thread)
            continue;
        for (size_t kind = 0; kind < PAG_THREAD_KINDS; kind++)
            known[kind_of_span(kind, has_tasks)] += result->threads[i].ns[kind];
        if (!replay->definitions->locations[i].is_master) {
            known[PAG_THREAD_IDLE_SERIAL] += result->off_ns;
            sums[i][PAG_THREAD_IDLE_SERIAL] += end_ns - within(told_ns[i], begin_ns, end_ns);
        }
        for (size_t kind = 0; kind <= PAG_THREAD_IDLE_SERIAL; kind++)
            if (sums[i][kind] != known[kind]) {
                n_failed++;
                print_error("%s: location %zu: %s %llu by spans, not %llu\n", name, i,
                            result_thread_kind_keys[kind], (unsigned long long)sums[i][kind],
                            (unsigned long long)known[kind]);
            }
    }
    return n_failed;
}

static size_t expect(const struct replay *replay, const char *name,
                     const uint64_t facts[MAX_LOCATIONS][N_FACTS])
{
    size_t n_failed = expect_spans(replay, name);
    for (size_t i = 0; i < replay->definitions->n_locations; i++) {
        const struct pag_thread *thread = &replay->result.threads[i];
        for (size_t k = 0; k < N_FACTS; k++) {
            uint64_t found = fact_of(thread, k);
            if (found == facts[i][k])
                continue;
            n_failed++;
            print_error("%s: location %zu: %s %llu, not %llu\n", name, i,
                        k == CAUSED   ? "caused"
                        : k == IN_MPI ? "in_mpi"
                                      : result_thread_kind_keys[k],
                        (unsigned long long)found, (unsigned long long)facts[i][k]);
        }
    }
    return n_failed;
}

// --- by hand

/// Whether CALL_PATH is PATH, whose names are parts of the recorded ones.
static bool is_path(const struct replay *replay, size_t location, uint32_t call_path, char *path)
{
    const struct call_path *paths = replay->result.locations[location].paths;
    for (;;) {
        char *slash = strrchr(path, '/');
        if (call_path == 0 || !strstr(replay->definitions->regions[paths[call_path].region].name,
                                      slash ? slash + 1 : path))
            return false;
        call_path = paths[call_path].parent;
        if (!slash)
            return call_path == 0;
        *slash = '\0';
    }
}

static size_t check_place(const struct replay *replay, const char *name, char **words)
{
    size_t location = location_of(replay, words[0]), kind = kind_of(words[2]);
    const struct pag_thread *thread = &replay->result.threads[location];
    for (size_t i = 0; i < thread->n_places; i++) {
        const struct pag_thread_place *place = &thread->places[i];
        SCOPED char *path = memory_copy_text(words[1]);
        bool is_it = place->kind == kind && is_path(replay, location, place->call_path, path) &&
                     place->count == strtoull(words[3], NULL, 10) &&
                     place->ns == strtoull(words[4], NULL, 10);
        if (is_it)
            return 0;
    }
    print_error("%s: not found: place %s %s %s %s %s\n", name, words[0], words[1], words[2],
                words[3], words[4]);
    return 1;
}

static size_t check_lock_wait(const struct replay *replay, const char *name, char **words)
{
    size_t location = location_of(replay, words[0]), holder = location_of(replay, words[2]);
    const struct pag_thread *thread = &replay->result.threads[location];
    for (size_t i = 0; i < thread->n_lock_waits; i++) {
        const struct pag_lock_wait *wait = &thread->lock_waits[i];
        SCOPED char *path = memory_copy_text(words[1]), *holder_path = memory_copy_text(words[3]);
        bool is_it = wait->holder == holder && is_path(replay, location, wait->call_path, path) &&
                     is_path(replay, holder, wait->holder_path, holder_path) &&
                     wait->count == strtoull(words[4], NULL, 10) &&
                     wait->ns == strtoull(words[5], NULL, 10);
        if (is_it)
            return 0;
    }
    print_error("%s: not found: waited %s %s %s %s %s %s\n", name, words[0], words[1], words[2],
                words[3], words[4], words[5]);
    return 1;
}

static size_t count_lock_waits(const struct replay *replay)
{
    size_t n = 0;
    for (size_t i = 0; i < replay->definitions->n_locations; i++)
        n += replay->result.threads[i].n_lock_waits;
    return n;
}

static size_t check_file(const char *name, char *text)
{
    static uint64_t facts[MAX_LOCATIONS][N_FACTS];
    size_t n_failed = 0, n_lock_waits = 0;
    struct replay replay = replay_text(text);
    memset(facts, 0, sizeof facts);
    assert_non_null(replay.result.threads);
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        char *words[8] = {0};
        size_t n = 0;
        for (char *word; n < 8 && (word = strsep(&line, " "));)
            words[n++] = word;
        if (strcmp(words[0], "#!") != 0)
            continue;
        if (n == 7 && strcmp(words[1], "place") == 0)
            n_failed += check_place(&replay, name, &words[2]);
        else if (n == 8 && strcmp(words[1], "waited") == 0) {
            n_failed += check_lock_wait(&replay, name, &words[2]);
            n_lock_waits++;
        } else if (n == 4)
            facts[location_of(&replay, words[1])][kind_of(words[2])] = strtoull(words[3], NULL, 10);
        else
            fail_msg("%s: a line is not understood", name);
    }
    n_failed += expect(&replay, name, facts);
    assert_int_equal(count_lock_waits(&replay), n_lock_waits);
    replay_release(&replay);
    return n_failed;
}

TEST(test_computed_by_hand)
{
    traces_check("threads/*.txt", 1, check_file);
}

// --- random programs

struct stretch {
    unsigned thread, kind;
    uint64_t begin_ns, end_ns;
};

/// A process whose threads 1 to n - 1 are further ones. Each writes its own text: lines of several
/// locations may be in any order.
struct program {
    struct stretch *stretches;
    size_t n_stretches;
    unsigned seed;
    FILE *text;
    unsigned n_threads;
    uint64_t now_ns[MAX_LOCATIONS];
    bool has_lock;              // some thread has had it
    uint64_t (*facts)[N_FACTS]; // by thread
};

static unsigned any(struct program *program, unsigned n)
{
    return (unsigned)rand_r(&program->seed) / 7 % n;
}

static void put(struct program *program, unsigned thread, const char *event)
{
    fprintf(program->text, "0.%u %llu %s\n", thread, (unsigned long long)program->now_ns[thread],
            event);
}

static void spend(struct program *program, unsigned thread, unsigned kind, uint64_t begin_ns,
                  uint64_t end_ns)
{
    program->facts[thread][kind] += end_ns - begin_ns;
    *ARRAY_EXTEND(program->stretches, program->n_stretches) =
        (struct stretch){thread, kind, begin_ns, end_ns};
}

static void pass(struct program *program, unsigned thread, unsigned kind, uint64_t ns)
{
    spend(program, thread, kind, program->now_ns[thread], program->now_ns[thread] + ns);
    program->now_ns[thread] += ns;
}

/// What threads lose while the master is in MPI.
static void sum_in_mpi(struct program *program)
{
    for (size_t i = 0; i < program->n_stretches; i++)
        for (size_t k = 0; k < program->n_stretches; k++) {
            const struct stretch *mpi = &program->stretches[i], *loss = &program->stretches[k];
            if (mpi->thread == 0 && mpi->kind == PAG_THREAD_MPI && is_loss(loss->kind))
                program->facts[loss->thread][IN_MPI] +=
                    within(loss->end_ns, mpi->begin_ns, mpi->end_ns) -
                    within(loss->begin_ns, mpi->begin_ns, mpi->end_ns);
        }
}

static void call(struct program *program, unsigned thread)
{
    put(program, thread, "enter MPI_Comm_rank");
    pass(program, thread, PAG_THREAD_MPI, any(program, 6));
    put(program, thread, "leave MPI_Comm_rank");
}

static void work(struct program *program, unsigned thread)
{
    pass(program, thread, PAG_THREAD_COMPUTING, 1 + any(program, 5)); // between two barriers
    if (any(program, 3) == 0) {
        put(program, thread, "enter critical");
        pass(program, thread, PAG_THREAD_LOCK, any(program, 4));
        put(program, thread, "enter sblock");
        pass(program, thread, PAG_THREAD_COMPUTING, any(program, 4));
        put(program, thread, "leave sblock");
        pass(program, thread, PAG_THREAD_RUNTIME, any(program, 2));
        put(program, thread, "leave critical");
    }
    if (any(program, 4) == 0)
        call(program, thread);
    if (any(program, 4) == 0) {
        put(program, thread, "enter solve");
        pass(program, thread, PAG_THREAD_COMPUTING, any(program, 4));
        put(program, thread, "leave solve");
    }
}

/// All of TEAM enter, and leave some time after the last one.
static void barrier(struct program *program, const bool *team)
{
    unsigned kind = any(program, 2) ? PAG_THREAD_BARRIER : PAG_THREAD_IMPLICIT_BARRIER;
    const char *name = kind == PAG_THREAD_BARRIER ? "explicit" : "implicit";
    char event[32];
    uint64_t last_ns = 0, waited_ns = 0;
    unsigned last = 0;
    for (unsigned i = 0; i < program->n_threads; i++)
        if (team[i] && program->now_ns[i] >= last_ns) {
            last_ns = program->now_ns[i];
            last = i;
        }
    for (unsigned i = 0; i < program->n_threads; i++) {
        if (!team[i])
            continue;
        snprintf(event, sizeof event, "enter %s", name);
        put(program, i, event);
        waited_ns += last_ns - program->now_ns[i];
        pass(program, i, kind, last_ns - program->now_ns[i]);
        pass(program, i, PAG_THREAD_RUNTIME, any(program, 3));
        snprintf(event, sizeof event, "leave %s", name);
        put(program, i, event);
    }
    program->facts[last][CAUSED] += waited_ns;
}

/// Each thread of TEAM takes the lock in the order in which they ask for it, and computes while it
/// holds it. The first one finds the lock as it was left; of a new lock nothing is known.
static void lock_in_turn(struct program *program, const bool *team)
{
    uint64_t free_ns = 0;
    bool has_had[MAX_LOCATIONS] = {false};
    for (unsigned n = 0; n < program->n_threads; n++) {
        unsigned next = MAX_LOCATIONS;
        for (unsigned i = 0; i < program->n_threads; i++)
            if (team[i] && !has_had[i] &&
                (next == MAX_LOCATIONS || program->now_ns[i] < program->now_ns[next]))
                next = i;
        if (next == MAX_LOCATIONS)
            return;
        has_had[next] = true;
        put(program, next, "enter pthread_mutex_lock");
        if (free_ns > program->now_ns[next])
            pass(program, next, PAG_THREAD_LOCK, free_ns - program->now_ns[next]);
        pass(program, next, program->has_lock ? PAG_THREAD_RUNTIME : PAG_THREAD_LOCK,
             1 + any(program, 2));
        put(program, next, "locked 5");
        put(program, next, "leave pthread_mutex_lock");
        pass(program, next, PAG_THREAD_COMPUTING, any(program, 4));
        put(program, next, "unlocked 5");
        free_ns = program->now_ns[next];
        program->has_lock = true;
    }
}

/// From its begin to its join; the others' teams end before the join.
static void parallel_region(struct program *program)
{
    bool team[MAX_LOCATIONS] = {true};
    uint64_t fork_ns = program->now_ns[0], join_ns = 0, ends_ns[MAX_LOCATIONS];
    put(program, 0, "fork 2");
    for (unsigned i = 0; i < program->n_threads; i++) {
        team[i] = i == 0 || any(program, 4) > 0;
        program->now_ns[i] = fork_ns;
        if (!team[i])
            continue;
        pass(program, i, PAG_THREAD_RUNTIME, any(program, 3));
        put(program, i, "team-begin world");
        put(program, i, "enter parallel");
    }
    for (unsigned n = any(program, 4); n > 0; n--) {
        for (unsigned i = 0; i < program->n_threads; i++)
            if (team[i])
                work(program, i);
        if (any(program, 2) == 0)
            lock_in_turn(program, team);
        barrier(program, team);
    }
    for (unsigned i = 0; i < program->n_threads; i++) {
        if (!team[i])
            continue;
        work(program, i);
        put(program, i, "leave parallel");
        put(program, i, "team-end world");
        ends_ns[i] = program->now_ns[i];
        join_ns = ends_ns[i] > join_ns ? ends_ns[i] : join_ns;
    }
    join_ns += any(program, 2);
    for (unsigned i = 0; i < program->n_threads; i++) {
        if (team[i])
            spend(program, i, PAG_THREAD_RUNTIME, ends_ns[i], join_ns);
        else
            spend(program, i, PAG_THREAD_IDLE_LIMITED, fork_ns, join_ns);
        program->now_ns[i] = join_ns;
    }
    put(program, 0, "join");
}

/// The master goes on alone.
static void alone(struct program *program, unsigned kind, uint64_t ns)
{
    pass(program, 0, kind, ns);
    for (unsigned i = 1; i < program->n_threads; i++)
        program->facts[i][kind == PAG_THREAD_MPI ? PAG_THREAD_IDLE_MPI : PAG_THREAD_IDLE_SERIAL] +=
            ns;
}

TEST(test_random_programs)
{
    for (unsigned seed = 1; seed <= N_PROGRAMS; seed++) {
        static uint64_t facts[MAX_LOCATIONS][N_FACTS];
        memset(facts, 0, sizeof facts);
        struct program program = {.seed = seed, .facts = facts};
        char *text = NULL, name[32];
        size_t n;
        program.text = open_memstream(&text, &n);
        program.n_threads = 2 + any(&program, 3);
        fputs("region parallel a.c:1 openmp\nregion implicit a.c:2 openmp \"implicit barrier\"\n"
              "region explicit a.c:3 openmp barrier\nregion critical a.c:4 openmp\n"
              "region sblock a.c:5 openmp \"critical sblock\"\n"
              "region pthread_mutex_lock - pthread\n0 0 enter MPI_Init\n",
              program.text);
        for (unsigned i = 1; i < program.n_threads; i++)
            fprintf(program.text, "location 0.%u\n", i);
        program.now_ns[0] = 10;
        put(&program, 0, "leave MPI_Init");
        for (unsigned steps = 1 + any(&program, 6); steps > 0; steps--) {
            alone(&program, PAG_THREAD_COMPUTING, 1 + any(&program, 6));
            if (any(&program, 3) == 0) {
                put(&program, 0, "enter MPI_Comm_rank");
                alone(&program, PAG_THREAD_MPI, any(&program, 6));
                put(&program, 0, "leave MPI_Comm_rank");
            } else {
                parallel_region(&program);
            }
        }
        alone(&program, PAG_THREAD_COMPUTING, 1); // a team begins after the join of the one before
        parallel_region(&program);
        put(&program, 0, "enter MPI_Finalize");
        program.now_ns[0] += 10;
        put(&program, 0, "leave MPI_Finalize");
        fclose(program.text);
        sum_in_mpi(&program);
        struct replay replay = replay_text(text);
        for (unsigned i = 1; i < program.n_threads; i++) // one without events is none
            if (!replay.result.threads[i].is_thread)
                memset(facts[i], 0, sizeof facts[i]);
        snprintf(name, sizeof name, "seed %u", seed);
        size_t n_failed = expect(&replay, name, facts);
        replay_release(&replay);
        free(program.stretches);
        if (n_failed > 0)
            fail_msg("%s:\n%s", name, text);
        free(text);
    }
}
