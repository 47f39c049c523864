// SPDX-License-Identifier: BSD-3-Clause
// Processes meet in exchanges: each sends bytes, and all get those of all. The first exchange
// compares command lines and cores; each of the others is about jobs, or ends the process. Between
// two of them there may be messages of one process to another.
#include "analyzer/spread/spread.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/threads.h"
#include "analyzer/spread/module.h"

enum {
    PATIENCE_S = 10,
    YIELDS = 200, // the first pauses are short ones,
    FIRST_PAUSE_NS = 20000,
    LAST_PAUSE_NS = 1000000
};

/// A message on its way.
struct sending {
    void *of_module;
    unsigned char *bytes;
    struct sending *next; // sent later
};

static struct {
    const struct spread_module *module; // NULL: this process is alone
    unsigned rank, size;
    struct error last; // of another process than the first
    uint64_t n_rounds; // of jobs
    struct sending *first_sending, *last_sending;
    unsigned n_pauses; // in a row
} spread;

bool spread_is_first(void)
{
    return spread.rank == 0;
}

unsigned spread_rank(void)
{
    return spread.rank;
}

unsigned spread_size(void)
{
    return spread.module ? spread.size : 1;
}

// --- the launcher

/// What launchers tell their processes. Slurm's PMIx serves Open MPI, its PMI-2 MPICH.
static const struct launcher {
    const char *rank, *size, *mpi;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "openmpi"},
    {"PMI_RANK", "PMI_SIZE", "mpich"},
};

/// Whether this process's parent has the variable NAME: then that is what the launcher started, a
/// script perhaps, which runs commands as it likes.
static bool parent_has(const char *name)
{
    SCOPED char *path = memory_format("/proc/%d/environ", (int)getppid()), *variable = NULL;
    SCOPED_FILE FILE *file = fopen(path, "r");
    size_t capacity = 0, length = strlen(name);
    bool has = false;
    while (file && !has && getdelim(&variable, &capacity, '\0', file) > 0)
        has = strncmp(variable, name, length) == 0 && variable[length] == '=';
    return has;
}

/// The MPI whose launcher started this process as one of several; NULL: none.
static const char *launching_mpi(void)
{
    const char *chosen = getenv("PAGODA_MPI");
    if (chosen)
        return strcmp(chosen, "none") == 0 ? NULL : chosen;
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *size = getenv(launchers[i].size);
        if (getenv(launchers[i].rank) && size)
            return strtoul(size, NULL, 10) > 1 && !parent_has(launchers[i].rank) ? launchers[i].mpi
                                                                                 : NULL;
    }
    return NULL;
}

static bool launched_as_first(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *rank = getenv(launchers[i].rank);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

/// 0, or -1 and ERR.
static int load_module(const char *mpi, struct error *err)
{
    SCOPED char *name = memory_format("libpagoda-mpi-%s.so", mpi), *path = program_part(name);
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    spread.module = library ? dlsym(library, SPREAD_MODULE) : NULL;
    if (!spread.module)
        error_set(err, "%s",
                  path ? dlerror()
                       : "there is no such library beside pagoda; it is built where there is an "
                         "mpicc of that MPI");
    if (!spread.module)
        error_wrap(err, "cannot load %s, so each process works and prints by itself", name);
    return spread.module ? 0 : -1;
}

// --- exchanges

/// The messages of all processes, in their order; the caller frees with free_messages().
static struct owned *exchange(const struct owned *own)
{
    SCOPED uint64_t *sizes = memory_zeroed(spread.size, sizeof *sizes);
    struct owned *all = memory_zeroed(spread.size, sizeof *all);
    spread.module->gather(own->n, sizes);
    for (unsigned i = 0; i < spread.size; i++) {
        all[i] =
            (struct owned){.purpose = OWNED_READ, .bytes = memory_new(sizes[i] + 1), .n = sizes[i]};
        if (i == spread.rank)
            memcpy(all[i].bytes, own->bytes, own->n);
        spread.module->broadcast(all[i].bytes, sizes[i], i);
    }
    return all;
}

static void free_messages(struct owned *messages)
{
    for (unsigned i = 0; i < spread.size; i++)
        free(messages[i].bytes);
    free(messages);
}

// --- messages

/// Frees what has gone; what was sent later stays, even if it has gone before.
static void free_gone(void)
{
    struct sending *sending;
    while ((sending = spread.first_sending) && spread.module->is_sent(sending->of_module)) {
        spread.first_sending = sending->next;
        FREE_ALL(sending->bytes, sending);
    }
}

void spread_send(unsigned to, unsigned char *bytes, size_t n)
{
    free_gone();
    struct sending *sending = memory_new(sizeof *sending);
    *sending = (struct sending){spread.module->send(bytes, n, to), bytes, NULL};
    if (spread.first_sending)
        spread.last_sending->next = sending;
    else
        spread.first_sending = sending;
    spread.last_sending = sending;
}

unsigned char *spread_receive(size_t *n, unsigned *from)
{
    uint64_t length;
    free_gone();
    if (!spread.module->has_come(&length, from))
        return NULL;
    unsigned char *bytes = memory_new(length + 1);
    spread.module->receive(bytes, length, *from);
    *n = length;
    spread.n_pauses = 0;
    return bytes;
}

void spread_pause(void)
{
    if (spread.n_pauses++ < YIELDS) {
        sched_yield();
        return;
    }
    unsigned n_doubled = spread.n_pauses - YIELDS;
    long pause_ns = n_doubled < 8 ? (long)FIRST_PAUSE_NS << n_doubled : LAST_PAUSE_NS;
    nanosleep(&(struct timespec){.tv_nsec = pause_ns < LAST_PAUSE_NS ? pause_ns : LAST_PAUSE_NS},
              NULL);
}

void spread_flush(void)
{
    spread.n_pauses = 0;
    for (free_gone(); spread.first_sending; free_gone())
        spread_pause();
}

// --- the first exchange: programs, command lines, and cores that several processes may use

struct greeting {
    char *command; // and version and size of the program, whose structs cross
    char *host;
    unsigned char *cores; // threads_cores()
    size_t n_core_bytes;
};

static void greeting_move(struct owned *walk, struct greeting *greeting)
{
    owned_block(walk, greeting, sizeof *greeting);
    owned_text(walk, &greeting->command);
    owned_text(walk, &greeting->host);
    OWNED_ARRAY(walk, greeting->cores, greeting->n_core_bytes);
}

static void greeting_release(struct greeting *greeting)
{
    FREE_ALL(greeting->command, greeting->host, greeting->cores);
}

static char *host_name(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return memory_copy_text(name);
}

static struct greeting greeting_of(int argc, char **argv)
{
    struct greeting greeting = {.host = host_name()};
    size_t size;
    FILE *text = memory_stream(&greeting.command, &size);
    struct stat program = {0};
    if (stat("/proc/self/exe", &program) != 0)
        program.st_size = 0;
    fprintf(text, "%s %lld\n", PAGODA_VERSION, (long long)program.st_size);
    for (int i = 0; i < argc; i++)
        fprintf(text, "%s\n", argv[i]);
    fclose(text);
    greeting.cores = threads_cores(&greeting.n_core_bytes);
    return greeting;
}

/// Of the cores that processes on OWN's node may use, this one gets as many as each of them.
static void share_cores(const struct greeting *own, const struct greeting *all)
{
    SCOPED unsigned char *cores = memory_zeroed(own->n_core_bytes, 1);
    unsigned n_processes = 0, n_cores = 0;
    for (unsigned i = 0; i < spread.size; i++) {
        if (strcmp(own->host, all[i].host) != 0)
            continue;
        n_processes++;
        for (size_t k = 0; k < own->n_core_bytes && k < all[i].n_core_bytes; k++)
            cores[k] |= all[i].cores[k];
    }
    for (size_t k = 0; k < own->n_core_bytes; k++)
        n_cores += (unsigned)__builtin_popcount(cores[k]);
    threads_set_cores(n_cores > n_processes ? n_cores / n_processes : 1);
}

/// Whether all processes are the same program with the same command line; then cores are shared.
static bool agree(int argc, char **argv)
{
    struct owned message = {.purpose = OWNED_WRITE};
    SCOPED_BY(greeting_release) struct greeting own = greeting_of(argc, argv);
    SCOPED struct greeting *all = memory_zeroed(spread.size, sizeof *all);
    greeting_move(&message, &own);
    struct owned *messages = exchange(&message);
    bool are_same = true;
    for (unsigned i = 0; i < spread.size; i++) {
        greeting_move(&messages[i], &all[i]);
        are_same = are_same && strcmp(own.command, all[i].command) == 0;
    }
    if (are_same)
        share_cores(&own, all);
    for (unsigned i = 0; i < spread.size; i++)
        greeting_release(&all[i]);
    free_messages(messages);
    owned_end(&message);
    return are_same;
}

static void warn_of_waiting(union sigval nothing)
{
    (void)nothing;
    log_warning(
        "after %d s not all processes of the launcher have started pagoda; waiting for them "
        "(PAGODA_MPI=none: do not work together)",
        PATIENCE_S);
}

/// Waits until all processes that the launcher started are here, not without a word.
static void join(bool is_first)
{
    struct sigevent warn = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = warn_of_waiting};
    timer_t timer;
    bool has_timer = is_first && timer_create(CLOCK_MONOTONIC, &warn, &timer) == 0;
    if (has_timer)
        timer_settime(timer, 0, &(struct itimerspec){.it_value.tv_sec = PATIENCE_S}, NULL);
    spread.module->begin(&spread.rank, &spread.size);
    if (has_timer)
        timer_delete(timer);
}

static void leave(void)
{
    spread.module->end();
    spread.module = NULL;
}

int spread_begin(int argc, char **argv, struct error *err)
{
    const char *mpi = launching_mpi();
    if (!mpi)
        return 0;
    if (load_module(mpi, err) != 0)
        return -1;
    join(launched_as_first());
    if (spread.size == 1 || !agree(argc, argv)) {
        spread.rank = 0;
        leave();
    } else if (spread.rank > 0) {
        log_keep(&spread.last);
        if (!freopen("/dev/null", "w", stdout))
            return error_set(err, "cannot open /dev/null");
    }
    return 0;
}

// --- the others: jobs, or the end

/// What messages begin with.
struct head {
    bool is_end;
    int status;                     // of an end, with
    char *host, *failure;           // its error
    uint64_t number, n_jobs, input; // of a round of jobs
};

static void head_move(struct owned *walk, struct head *head)
{
    owned_block(walk, head, sizeof *head);
    owned_text(walk, &head->host);
    owned_text(walk, &head->failure);
}

static void head_release(struct head *head)
{
    FREE_ALL(head->host, head->failure);
}

/// The status that all processes return: that of the first process that failed, whose error is
/// printed. If none failed, all must be at their ends, and the status is that of process 0.
static int conclude(const struct head *heads)
{
    bool are_at_end = true;
    for (unsigned i = 0; i < spread.size; i++) {
        const struct head *head = &heads[i];
        are_at_end = are_at_end && head->is_end;
        if (!head->is_end || (head->status != STATUS_FAILED && head->status != STATUS_USAGE))
            continue;
        if (i > 0 && spread_is_first()) // its own it has said
            log_error("process %u on %s: %s", i, head->host, head->failure);
        return head->status;
    }
    if (are_at_end)
        return heads[0].status;
    if (spread_is_first())
        log_error("the processes read different traces: give all of them the same one");
    return STATUS_FAILED;
}

/// Exchanges messages that begin with OWN, which is released, and go on in MESSAGE. True: all are
/// about jobs, MESSAGES of all processes, after their heads. False: all end with *STATUS.
static bool meet(struct head *own, struct owned *message, struct owned **messages, int *status)
{
    SCOPED struct head *heads = memory_zeroed(spread.size, sizeof *heads);
    bool go_on = true;
    *messages = exchange(message);
    for (unsigned i = 0; i < spread.size; i++) {
        head_move(&(*messages)[i], &heads[i]);
        go_on = go_on && !heads[i].is_end && heads[i].number == own->number &&
                heads[i].n_jobs == own->n_jobs && heads[i].input == own->input;
    }
    *status = go_on ? STATUS_DONE : conclude(heads);
    for (unsigned i = 0; i < spread.size; i++)
        head_release(&heads[i]);
    head_release(own);
    owned_end(message);
    return go_on;
}

static void run_own(void *context, size_t number)
{
    const struct spread_jobs *jobs = context;
    jobs->run(jobs->context, spread.rank + number * spread.size);
}

void spread_each(const struct spread_jobs *jobs)
{
    if (!spread.module) {
        threads_each(jobs->n, jobs->run, jobs->context);
        return;
    }
    struct head head = {.number = spread.n_rounds++, .n_jobs = jobs->n, .input = jobs->input};
    struct owned message = {.purpose = OWNED_WRITE}, *messages;
    int status;
    threads_each((jobs->n + spread.size - 1 - spread.rank) / spread.size, run_own, (void *)jobs);
    head_move(&message, &head);
    for (size_t i = spread.rank; i < jobs->n; i += spread.size)
        jobs->move(jobs->context, i, &message);
    if (!meet(&head, &message, &messages, &status)) {
        leave();
        exit(status);
    }
    for (size_t i = 0; i < jobs->n; i++)
        if (i % spread.size != spread.rank)
            jobs->move(jobs->context, i, &messages[i % spread.size]);
    free_messages(messages);
}

int spread_end(int status)
{
    if (!spread.module)
        return status;
    struct head head = {.is_end = true,
                        .status = status,
                        .host = host_name(),
                        .failure = memory_copy_text(spread.last.text)};
    struct owned message = {.purpose = OWNED_WRITE}, *messages;
    head_move(&message, &head);
    meet(&head, &message, &messages, &status);
    free_messages(messages);
    leave();
    return status;
}
