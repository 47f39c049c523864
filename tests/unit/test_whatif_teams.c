// SPDX-License-Identifier: BSD-3-Clause
// Threads that share cores: random processes whose threads are made in teams, in teams within these
// or one by one, compute, have locks, meet at barriers and are awaited, carried out here step by
// step in real numbers. With a core for each thread that is the recording; with fewer or faster
// cores it is what the analyzer is to predict from there, up to the rounding of each piece of work
// to whole nanoseconds. A thread that waited for a critical section in the recording then waits for
// the same other one.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "tests/reference/engine_run.h"
#include "tests/unit/seeds.h"
#include "tests/unit/unit_test.h"

enum { MAX_THREADS = 8, MAX_RANKS = 2, MAX_STEPS = 512, MAX_MEETINGS = 256, DEFAULT_SEEDS = 400 };

struct step {
    enum { WORK, PAUSE, ARRIVE, AWAIT, RECORD, LOCK, UNLOCK } kind;
    double ns;        // of work and pauses
    unsigned meeting; // that the thread arrives at, or awaits; of an unlock: who waits for it
    bool has_waited;  // of a lock, in the recording: for the unlock with this meeting
    char event[40];
};

struct thread {
    unsigned rank, number;
    struct step steps[MAX_STEPS];
    size_t n_steps;
};

struct program {
    struct random random;
    struct thread threads[MAX_THREADS];
    unsigned n_threads, n_ranks;
    unsigned n_needed[MAX_MEETINGS]; // by meeting: who has to arrive
    unsigned n_meetings;
    size_t n_work;      // pieces
    unsigned n_created; // threads that were made one by one
};

/// The critical section of a process while a program is carried out.
struct lock {
    bool is_held;
    unsigned n_queued, queue[MAX_THREADS];
    double free_ns;   // when it was given back last,
    unsigned meeting; // by this unlock
};

// --- what is to be carried out

static void add(struct thread *thread, struct step step)
{
    assert_true(thread->n_steps < MAX_STEPS);
    thread->steps[thread->n_steps++] = step;
}

__attribute__((format(printf, 2, 3))) static void record(struct thread *thread, const char *format,
                                                         ...)
{
    struct step step = {.kind = RECORD};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(step.event, sizeof step.event, format, arguments);
    va_end(arguments);
    add(thread, step);
}

static void work(struct program *program, struct thread *thread)
{
    bool is_named = random_chance(&program->random, 50);
    if (is_named)
        record(thread, "enter solve");
    add(thread, (struct step){.kind = WORK, .ns = 1000 + random_below(&program->random, 1000000)});
    if (is_named)
        record(thread, "leave solve");
    program->n_work++;
}

/// THREAD goes on some time after all have arrived at MEETING. What passes in a team of one thread
/// is work.
static void await(struct program *program, struct thread *thread, unsigned meeting, bool is_alone)
{
    add(thread, (struct step){.kind = AWAIT, .meeting = meeting});
    add(thread,
        (struct step){.kind = is_alone ? WORK : PAUSE, .ns = random_below(&program->random, 5000)});
    program->n_work += is_alone;
}

static void arrive(struct program *program, struct thread *thread, unsigned meeting)
{
    add(thread, (struct step){.kind = ARRIVE, .meeting = meeting});
    program->n_needed[meeting]++;
}

static unsigned meeting(struct program *program)
{
    assert_true(program->n_meetings < MAX_MEETINGS);
    return program->n_meetings++;
}

/// THREAD waits for a task to be done.
static void wait_for_task(struct program *program, struct thread *thread, bool is_alone)
{
    record(thread, "enter taskwait");
    add(thread, (struct step){.kind = is_alone ? WORK : PAUSE,
                              .ns = random_below(&program->random, 100000)});
    record(thread, "leave taskwait");
    program->n_work += is_alone;
}

static void critical(struct program *program, struct thread *thread, bool is_alone)
{
    unsigned given = meeting(program);
    record(thread, "enter critical");
    if (!is_alone)
        add(thread, (struct step){.kind = LOCK});
    add(thread,
        (struct step){.kind = is_alone ? WORK : PAUSE, .ns = random_below(&program->random, 3000)});
    record(thread, "enter sblock");
    work(program, thread);
    record(thread, "leave sblock");
    if (!is_alone)
        add(thread, (struct step){.kind = UNLOCK, .meeting = given});
    record(thread, "leave critical");
    program->n_needed[given] = 1;
    program->n_work += is_alone;
}

static void barrier(struct program *program, struct thread *const *team, unsigned n)
{
    unsigned all = meeting(program);
    bool is_explicit = random_chance(&program->random, 50);
    for (unsigned i = 0; i < n; i++) {
        record(team[i], is_explicit ? "enter explicit" : "enter implicit");
        arrive(program, team[i], all);
        await(program, team[i], all, n == 1);
        record(team[i], is_explicit ? "leave explicit" : "leave implicit");
    }
}

/// The threads of TEAM work, in critical sections as well, and meet.
static void work_together(struct program *program, struct thread *const *team, unsigned n)
{
    for (unsigned n_barriers = random_below(&program->random, 4); n_barriers > 0; n_barriers--) {
        for (unsigned i = 0; i < n; i++) {
            if (random_chance(&program->random, 80))
                work(program, team[i]);
            if (random_chance(&program->random, 30))
                critical(program, team[i], n == 1);
            if (random_chance(&program->random, 10))
                wait_for_task(program, team[i], n == 1);
        }
        barrier(program, team, n);
    }
}

/// A team of threads[0] and some of the others, in DEPTH others. Where it does not take the last
/// ones, its last thread may make a team with these.
static void parallel_region(struct program *program, struct thread *threads, unsigned n,
                            unsigned depth, bool may_nest)
{
    struct thread *team[MAX_THREADS] = {threads};
    unsigned n_team = 1, made = meeting(program), parted = meeting(program);
    unsigned n_outer = may_nest && n > 2 ? 2 : n;
    for (unsigned i = 1; i < n_outer; i++)
        if (random_chance(&program->random, 75))
            team[n_team++] = &threads[i];
    record(threads, "fork 0");
    arrive(program, threads, made);
    for (unsigned i = 0; i < n_team; i++) {
        if (i > 0)
            await(program, team[i], made, false);
        record(team[i], "team-begin depth%u", depth);
        record(team[i], "enter parallel");
    }
    work_together(program, team, n_team);
    if (n_outer < n && n_team == n_outer) {
        work(program, team[n_team - 1]);
        parallel_region(program, team[n_team - 1], n - n_outer + 1, depth + 1, false);
        work_together(program, team, n_team);
    }
    for (unsigned i = 0; i < n_team; i++) {
        work(program, team[i]);
        record(team[i], "leave parallel");
        record(team[i], "team-end depth%u", depth);
        arrive(program, team[i], parted);
    }
    await(program, threads, parted, n_team == 1);
    record(threads, "join");
}

/// THREAD has the lock for some work. Only who waits for it leaves records in a real trace, but
/// these are allowed to be there.
static void lock(struct program *program, struct thread *thread)
{
    unsigned given = meeting(program);
    record(thread, "enter pthread_mutex_lock");
    add(thread, (struct step){.kind = LOCK});
    add(thread, (struct step){.kind = PAUSE, .ns = random_below(&program->random, 3000)});
    record(thread, "locked 7");
    record(thread, "leave pthread_mutex_lock");
    work(program, thread);
    record(thread, "enter pthread_mutex_unlock");
    add(thread, (struct step){.kind = UNLOCK, .meeting = given});
    record(thread, "unlocked 7");
    record(thread, "leave pthread_mutex_unlock");
    program->n_needed[given] = 1;
}

/// All threads of a process meet.
static void meet(struct program *program, struct thread *const *threads, unsigned n)
{
    unsigned all = meeting(program);
    for (unsigned i = 0; i < n; i++) {
        record(threads[i], "enter pthread_barrier_wait barrier %u", n);
        arrive(program, threads[i], all);
        await(program, threads[i], all, false);
        record(threads[i], "leave pthread_barrier_wait");
    }
}

/// THREAD makes OTHER, whose number this returns, and which is over at *PARTED.
static unsigned create(struct program *program, struct thread *thread, struct thread *other,
                       unsigned *parted)
{
    unsigned made = meeting(program), number = ++program->n_created;
    *parted = meeting(program);
    record(thread, "thread-create threads %u", number);
    arrive(program, thread, made);
    await(program, other, made, false);
    record(other, "thread-begin threads %u", number);
    return number;
}

static void join(struct program *program, struct thread *thread, unsigned number, unsigned parted)
{
    record(thread, "enter pthread_join");
    await(program, thread, parted, false);
    record(thread, "thread-wait threads %u", number);
    record(thread, "leave pthread_join");
}

/// The master makes some of the other threads, the last of which may make a further one, which the
/// master awaits as well; or nobody does.
static void created_threads(struct program *program, struct thread *threads, unsigned n)
{
    struct thread *made[MAX_THREADS];
    unsigned n_made = 0, numbers[MAX_THREADS], parted[MAX_THREADS];
    bool is_chain = random_chance(&program->random, 30);
    for (unsigned i = 1; i < n; i++) {
        struct thread *maker = is_chain && n_made > 0 ? made[n_made - 1] : threads;
        if (!random_chance(&program->random, 75))
            continue;
        work(program, maker);
        made[n_made] = &threads[i];
        numbers[n_made] = create(program, maker, &threads[i], &parted[n_made]);
        n_made++;
    }
    for (unsigned n_meetings = random_below(&program->random, 3); n_meetings > 0; n_meetings--) {
        for (unsigned i = 0; i < n_made; i++) {
            work(program, made[i]);
            if (random_chance(&program->random, 40))
                lock(program, made[i]);
        }
        if (n_made > 0)
            meet(program, made, n_made);
    }
    for (unsigned i = 0; i < n_made; i++) {
        work(program, made[i]);
        record(made[i], "thread-end threads %u", numbers[i]);
        arrive(program, made[i], parted[i]);
    }
    for (unsigned i = n_made; i > 0; i--) {
        if (random_chance(&program->random, 50))
            work(program, threads);
        if (random_chance(&program->random, 90))
            join(program, threads, numbers[i - 1], parted[i - 1]);
    }
}

static void make(struct program *program, uint64_t seed)
{
    *program = (struct program){.random.state = seed};
    program->n_ranks = 1 + random_below(&program->random, MAX_RANKS);
    for (unsigned rank = 0; rank < program->n_ranks; rank++) {
        struct thread *threads = &program->threads[program->n_threads];
        unsigned n = 1 + random_below(&program->random, MAX_THREADS / MAX_RANKS);
        bool creates = random_chance(&program->random, 40);
        bool nests = random_chance(&program->random, 40);
        for (unsigned i = 0; i < n; i++) {
            threads[i].rank = rank;
            threads[i].number = i;
        }
        record(threads, "enter main");
        for (unsigned n_regions = 1 + random_below(&program->random, 4); n_regions > 0;
             n_regions--) {
            work(program, threads);
            if (creates && random_chance(&program->random, 70))
                created_threads(program, threads, n);
            else
                parallel_region(program, threads, n, 0, nests);
        }
        work(program, threads);
        record(threads, "leave main");
        program->n_threads += n;
    }
}

// --- carried out

struct state {
    size_t step;
    double left; // of the work or pause it is at
    bool has_asked;
    double asked_ns; // for a lock
};

/// Whether the thread I gets LOCK in the recording, and after whom: kept in STEP.
static bool gets_lock(struct lock *lock, unsigned i, struct step *step, struct state *state,
                      double now_ns)
{
    if (!state->has_asked) {
        state->has_asked = true;
        state->asked_ns = now_ns;
        lock->queue[lock->n_queued++] = i;
    }
    if (lock->is_held || lock->queue[0] != i)
        return false;
    memmove(lock->queue, lock->queue + 1, --lock->n_queued * sizeof lock->queue[0]);
    lock->is_held = true;
    state->has_asked = false;
    step->has_waited = lock->free_ns > state->asked_ns;
    step->meeting = lock->meeting;
    return true;
}

static void write_record(FILE *text, const struct thread *thread, double now_ns, const char *event)
{
    if (text)
        fprintf(text, "%u.%u %.0f %s\n", thread->rank, thread->number, now_ns, event);
}

static void give_back(struct lock *lock, unsigned meeting, double now_ns)
{
    lock->is_held = false;
    lock->free_ns = now_ns;
    lock->meeting = meeting;
}

/// Takes STATE on as far as no time passes. Whether it went on.
static bool go_on(struct program *program, unsigned i, struct state *state, struct lock *lock,
                  unsigned *n_arrived, double now_ns, FILE *text)
{
    struct thread *thread = &program->threads[i];
    if (state->step == thread->n_steps)
        return false;
    struct step *step = &thread->steps[state->step];
    if ((step->kind == WORK || step->kind == PAUSE) && state->left > 0)
        return false;
    if (step->kind == AWAIT && n_arrived[step->meeting] < program->n_needed[step->meeting])
        return false;
    if (step->kind == LOCK && text && !gets_lock(lock, i, step, state, now_ns))
        return false;
    if (step->kind == UNLOCK && text)
        give_back(lock, step->meeting, now_ns);
    if (step->kind == LOCK && !text && step->has_waited && n_arrived[step->meeting] == 0)
        return false;
    if (step->kind == ARRIVE || step->kind == UNLOCK)
        n_arrived[step->meeting]++;
    if (step->kind == RECORD)
        write_record(text, thread, now_ns, step->event);
    state->step++;
    state->left = thread->steps[state->step].ns;
    return true;
}

/// By rank when its master is done, on N_CORES cores of SPEED.
static void carry_out(struct program *program, unsigned n_cores, double speed, double *ends,
                      FILE *text)
{
    struct state states[MAX_THREADS] = {{0}};
    struct lock locks[MAX_RANKS] = {{0}};
    unsigned n_arrived[MAX_MEETINGS] = {0};
    for (double now_ns = 0, passed_ns = 0;; now_ns += passed_ns) {
        bool is_on = true;
        while (is_on) {
            is_on = false;
            for (unsigned i = 0; i < program->n_threads; i++)
                is_on = go_on(program, i, &states[i], &locks[program->threads[i].rank], n_arrived,
                              now_ns, text) ||
                        is_on;
        }
        unsigned n_working = 0;
        double rates[MAX_THREADS] = {0};
        for (unsigned i = 0; i < program->n_threads; i++) {
            const struct thread *thread = &program->threads[i];
            bool is_over = states[i].step == thread->n_steps;
            if (!is_over)
                n_working += thread->steps[states[i].step].kind == WORK;
            if (!is_over && thread->number == 0)
                ends[thread->rank] = now_ns;
        }
        passed_ns = INFINITY;
        for (unsigned i = 0; i < program->n_threads; i++) {
            if (states[i].step == program->threads[i].n_steps || states[i].left <= 0)
                continue;
            double share = n_working > n_cores ? (double)n_cores / n_working : 1;
            bool is_pause = program->threads[i].steps[states[i].step].kind == PAUSE;
            rates[i] = is_pause ? 1 : share * speed;
            passed_ns = fmin(passed_ns, states[i].left / rates[i]);
        }
        if (isinf(passed_ns))
            return;
        for (unsigned i = 0; i < program->n_threads; i++) {
            states[i].left -= passed_ns * rates[i];
            if (states[i].left < 1e-6)
                states[i].left = 0;
            if (rates[i] > 0 && program->threads[i].number == 0)
                ends[program->threads[i].rank] = now_ns + passed_ns;
        }
    }
}

static char *recorded_text(struct program *program)
{
    char *text = NULL;
    size_t size_bytes;
    double ends[MAX_RANKS] = {0};
    FILE *stream = open_memstream(&text, &size_bytes);
    fprintf(stream, "nodes%s\ncores n %u\n", program->n_ranks == 1 ? " n" : " n n",
            program->n_threads);
    fprintf(stream, "region parallel a.c:10 openmp \"!$omp parallel @a.c:10\"\n"
                    "region explicit a.c:20 openmp \"!$omp barrier @a.c:20\"\n"
                    "region critical a.c:40 openmp \"!$omp critical @a.c:40\"\n"
                    "region sblock a.c:40 openmp \"!$omp critical sblock @a.c:40\"\n"
                    "region taskwait a.c:50 openmp \"!$omp taskwait @a.c:50\"\n"
                    "region implicit a.c:30 openmp \"!$omp implicit barrier @a.c:30\"\n"
                    "region pthread_join - pthread\nregion pthread_mutex_lock - pthread\n"
                    "region pthread_mutex_unlock - pthread\n"
                    "region pthread_barrier_wait - pthread\n"
                    "comm depth0 ranks 0\ncomm depth1 ranks 0\ncomm threads ranks 0\n");
    for (unsigned i = 0; i < program->n_threads; i++)
        if (program->threads[i].number > 0)
            fprintf(stream, "location %u.%u\n", program->threads[i].rank,
                    program->threads[i].number);
    carry_out(program, program->n_threads, 1, ends, stream);
    fclose(stream);
    return text;
}

// --- predicted

static bool is_predicted(struct program *program, const struct engine_run *run, unsigned n_cores,
                         unsigned speed, FILE *stream)
{
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    struct predicted_times times = {0};
    struct error err = {{0}};
    double ends[MAX_RANKS] = {0};
    bool is_right = true;
    settings.n_cores = n_cores;
    settings.speed = (uint64_t)speed * SCENARIO_WHOLE;
    settings.spins = n_cores % 2 == 0; // who waits for threads needs no core in either case
    carry_out(program, n_cores, speed, ends, NULL);
    if (predicted_times_of(run, &settings, &times, &err) != 0) {
        fprintf(stream, "  %s\n", err.text);
        is_right = false;
    }
    double most_ns = n_cores == program->n_threads && speed == 1 ? 0 : 2 * (double)program->n_work;
    for (size_t rank = 0; rank < times.n_ranks; rank++)
        if (fabs((double)times.ranks[rank].finish_ns - ends[rank]) > most_ns) {
            fprintf(stream, "  %u cores of speed %u: rank %zu ends at %llu, not %.0f\n", n_cores,
                    speed, rank, (unsigned long long)times.ranks[rank].finish_ns, ends[rank]);
            is_right = false;
        }
    if (times.n_forced > 0) {
        fprintf(stream, "  some rank waits for ever\n");
        is_right = false;
    }
    predicted_times_release(&times);
    return is_right;
}

static bool check_seed(uint64_t seed, const void *context, char **text, FILE *stream)
{
    SCOPED struct program *program = memory_new(sizeof *program);
    struct error err = {{0}};
    bool is_right = true;
    make(program, seed);
    *text = recorded_text(program);
    struct engine_run *run = engine_run_new(*text, &err);
    if (!run)
        fprintf(stream, "  %s\n", err.text);
    for (unsigned n_cores = 1; run && n_cores <= program->n_threads; n_cores++)
        for (unsigned speed = 1; speed <= 2; speed++)
            is_right = is_predicted(program, run, n_cores, speed, stream) && is_right;
    is_right = is_right && run;
    engine_run_free(run);
    return is_right;
}

TEST(test_teams_share_cores)
{
    seeds_check(DEFAULT_SEEDS, check_seed, NULL);
}
