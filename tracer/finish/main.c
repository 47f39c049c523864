// SPDX-License-Identifier: BSD-3-Clause
// pagoda-trace-finish SPOOL ARCHIVE [SECONDS]: makes the OTF2 archive of a traced run from the
// records in folder SPOOL, and removes them. `pagoda trace` runs it when the launcher has ended. It
// waits up to SECONDS for processes that still record. SPOOL/facts holds NAME=VALUE texts, each
// ended by a zero byte, that become archive properties. The first MPI run of a launch line goes to
// ARCHIVE, the next to ARCHIVE/run-2 and so on.
//
// Prints one line "ranks R locations L events N open O recording C of T" a run: recording took C ns
// of T of the rank where its share is largest. Exit status: 0 done, 1 the archive could not be
// written (the records are kept), 4 no records, 5 the processes could not record and have said so,
// 6 processes still record.
#include "tracer/finish/events.h"
#include "tracer/finish/memory.h"
#include "tracer/finish/spool.h"
#include "tracer/record/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_NO_RECORDS = 4, EXIT_REFUSED = 5, EXIT_ALIVE = 6 };

struct run {
    struct spool *spools; // of all its worlds, the first one's first
    size_t n;
    struct thread_cost *costs;          // theirs
    const struct spool_header **clocks; // theirs: a header with the offsets of this clock, or NULL
    const struct worlds *worlds;
    uint32_t root;
    uint32_t n_ranks;
    struct process *processes; // by rank
    struct archive archive;
    struct unify unify;
    struct gaps *gaps;
    struct symbols *symbols;
    uint64_t n_events; // in the archive
    size_t n_locations;
    uint32_t n_open;
    uint64_t recording_ns; // of the rank that recording took the largest share of,
    uint64_t counted_ns;   // and of how much (cost.h)
};

/// Prints "pagoda: TEXT" to standard error. Names in it are other people's: control characters (C0,
/// DEL, and C1 as UTF-8) become '?'.
static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < ' ' || *c == 0x7f)
            *c = '?';
        else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
            c[0] = c[1] = '?';
    }
    fprintf(stderr, "pagoda: %s\n", text);
}

static struct record_costs record_costs; // on this machine
static struct spool_set records;
static struct archive *volatile writing; // NULL: no archive has been begun

/// A file of records is cut while it is read.
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    static const char text[] = "pagoda: a file of records was cut while it was read. The others "
                               "are kept: run pagoda trace --finish\n";
    (void)context;
    if (info->si_code <= 0 || !spool_set_holds(&records, info->si_addr)) {
        signal(number, SIG_DFL);
        if (info->si_code <= 0)
            raise(number);
        return;
    }
    if (writing) {
        writing->error = "a file of records was cut while it was read";
        longjmp(*writing->on_failure, 1);
    }
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
}

/// Clock offsets hold for all ranks that share the clock on which they were measured.
static void find_clocks(struct run *run)
{
    struct table domains = {0};
    const struct spool_header **measured = alloc_or_die(run->n * sizeof(void *)); // by domain
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < run->n; i++) {
            const struct spool_header *header = run->spools[i].header;
            const char *text = header->clock_domain;
            uint32_t domain = table_number(&domains, text, strlen(text) + 1, NULL);
            if (!measured[domain] && header->n_clock_offsets > 0)
                measured[domain] = header;
            run->clocks[i] = measured[domain];
        }
    }
    table_release(&domains);
    free(measured);
}

/// From the clock of spool `i` to that of the archive.
static int64_t offset_of(const struct run *run, size_t i)
{
    const struct spool_header *clock = run->clocks[i];
    return clock ? clock->clock_offsets[clock->n_clock_offsets - 1].offset_ns : 0;
}

/// Events before the last measurement are corrected by another offset than the one used here, so
/// the first may come out a little earlier.
static uint64_t correction_slack(const struct run *run)
{
    uint64_t slack_ns = 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct spool_clock_offset *offsets = run->spools[i].header->clock_offsets;
        uint64_t drift_ns = (uint64_t)llabs(offsets[1].offset_ns - offsets[0].offset_ns);
        if (run->spools[i].header->n_clock_offsets == 2 && 2 * drift_ns > slack_ns)
            slack_ns = 2 * drift_ns;
    }
    return slack_ns;
}

static void define(struct run *run)
{
    const struct spool_header *first = run->spools[0].header;
    for (size_t i = 0; i < run->n; i++) {
        const struct spool *spool = &run->spools[i];
        const struct spool_header *header = spool->header;
        uint64_t offset = (uint64_t)offset_of(run, i);
        uint64_t first_ns = UINT64_MAX;
        uint64_t last_ns = 0;
        process_define(&run->processes[header->rank], spool, offset, &first_ns, &last_ns,
                       &run->costs[i]);
        run->processes[header->rank].is_finalized |= header->finalized != 0;
        if (!run->archive.hosts[header->rank])
            run->archive.hosts[header->rank] = strdup_or_die(header->host);
        run->archive.cores[header->rank] = header->cores;
        if (last_ns == 0)
            continue;
        if (first_ns + offset < run->archive.first_ns)
            run->archive.first_ns = first_ns + offset;
        if (last_ns + offset > run->archive.last_ns)
            run->archive.last_ns = last_ns + offset;
    }
    if (run->archive.first_ns == UINT64_MAX)
        run->archive.first_ns = run->archive.last_ns = first->clock_ns;
    run->archive.first_ns -= correction_slack(run);
    run->archive.realtime_ns = first->realtime_ns + run->archive.first_ns -
                               (first->clock_ns + (uint64_t)offset_of(run, 0));
}

static void set_offsets(struct run *run, const struct spool_header *clock)
{
    struct archive_location *location = &run->archive.locations[run->archive.n_locations - 1];
    if (!clock)
        return;
    location->n_offsets = clock->n_clock_offsets;
    memcpy(location->offsets, clock->clock_offsets, sizeof location->offsets);
}

/// Writes a location without events.
static void write_empty(struct run *run, const struct archive_location *location)
{
    OTF2_EvtWriter *writer = archive_begin_events(&run->archive, location->rank, 0);
    if (writer)
        archive_end_events(&run->archive, writer, location);
}

/// Ranks without records (killed before MPI_Init was over, files lost) get an empty location, so
/// that ranks in communicators keep their numbers.
static void write_missing_ranks(struct run *run)
{
    struct archive_location location = {.recorded_until_ns = run->archive.first_ns,
                                        .stopped = "no records"};
    for (; location.rank < run->n_ranks && !run->archive.error; location.rank++)
        if (!run->archive.hosts[location.rank])
            write_empty(run, &location);
}

/// Communicators may have members that were not traced (children of MPI_Comm_spawn, partners of
/// MPI_Comm_connect). One location without events stands for all of them: some readers cannot open
/// an archive whose groups have members that are not defined.
static void write_outsiders(struct run *run)
{
    if (run->archive.error || !unify_has_outsiders(&run->unify))
        return;
    run->archive.has_outsiders = true;
    write_empty(run, &(struct archive_location){.rank = run->n_ranks});
}

/// What recording cost the thread of spool `i`. The rank it slowed most is kept: time is that of
/// the rank's first thread, for others may have lived for moments only.
static struct recording_cost take_cost(struct run *run, size_t i)
{
    const struct spool_header *header = run->spools[i].header;
    const struct thread_cost *first = &run->costs[i];
    struct recording_cost cost = cost_of(&run->costs[i], header, &record_costs);
    for (size_t k = i; k > 0 && run->spools[k - 1].header->rank == header->rank; k--)
        first = &run->costs[k - 1];
    cost.of_ns = cost_counted_ns(first);
    if (cost.ns > cost.of_ns)
        cost.ns = cost.of_ns;
    if ((double)cost.ns * (double)run->counted_ns >=
        (double)run->recording_ns * (double)cost.of_ns) {
        run->recording_ns = cost.ns;
        run->counted_ns = cost.of_ns;
    }
    return cost;
}

static void write_events(struct run *run)
{
    for (size_t i = 0; i < run->n && !run->archive.error; i++) {
        const struct spool_header *header = run->spools[i].header;
        uint64_t close_ns = run->archive.last_ns - (uint64_t)offset_of(run, i);
        if (!run->processes[header->rank].is_finalized && header->stop_errno == 0)
            run->n_open += header->thread == 0;
        events_write(&run->processes[header->rank], &run->spools[i], close_ns, &run->costs[i],
                     take_cost(run, i));
        if (!run->archive.error)
            set_offsets(run, run->clocks[i]);
    }
    write_missing_ranks(run);
    write_outsiders(run);
}

static void add_number(struct archive *archive, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    archive_property(archive, name, text);
}

static void write_facts(struct run *run, const char *facts_path)
{
    const struct spool_header *header = run->spools[0].header;
    int fd = open(facts_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    archive_property(&run->archive, "PAGODA::MPI", header->mpi);
    archive_property(&run->archive, "PAGODA::MPI_VERSION", header->mpi_version);
    archive_property(&run->archive, "PAGODA::HOST", header->host);
    archive_property(&run->archive, "PAGODA::EXECUTABLE", header->executable);
    archive_property(&run->archive, "PAGODA::COMPILER",
                     symbols_compiler(run->symbols, header->executable));
    archive_property(&run->archive, "PAGODA::PROGRAM", header->command);
    archive_property(&run->archive, "PAGODA::CLOCK", "CLOCK_MONOTONIC");
    add_number(&run->archive, "PAGODA::RANKS", run->n_ranks);
    if (run->n_ranks > run->worlds->items[run->root].n_ranks)
        add_number(&run->archive, "PAGODA::SPAWNED_RANKS",
                   run->n_ranks - run->worlds->items[run->root].n_ranks);
    if (settings.min_duration_ns > 0)
        add_number(&run->archive, "PAGODA::MIN_DURATION_NS", settings.min_duration_ns);
    if (run->n_open > 0)
        add_number(&run->archive, "PAGODA::RANKS_WITHOUT_FINALIZE", run->n_open);
    char *line = NULL;
    size_t size = 0;
    while (file && getdelim(&line, &size, '\0', file) > 0) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        archive_property(&run->archive, line, value);
    }
    free(line);
    if (file)
        fclose(file);
}

/// What of threads is missing in the archive.
static void report_threads(const struct run *run)
{
    uint64_t n_nested = 0, n_tasks = 0, n_left_out = 0;
    for (size_t i = 0; i < run->n; i++) {
        n_nested += run->spools[i].header->n_nested_teams;
        n_tasks += run->spools[i].header->n_unknown_tasks;
        n_left_out += run->spools[i].header->n_left_out_threads;
    }
    if (n_left_out > 0)
        say("%llu threads were not recorded from their begin: their process had too many at a time",
            (unsigned long long)n_left_out);
    if (n_nested > 0)
        say("%llu parallel regions within others: their threads were not recorded, only the one "
            "that forked them",
            (unsigned long long)n_nested);
    if (n_tasks > 0)
        say("%llu times tasks were created that cannot be recorded (taskloop, detach): computing "
            "in them counts as waiting where a thread waits for others meanwhile",
            (unsigned long long)n_tasks);
}

/// Says once how the recording itself fared.
static void report(const struct run *run)
{
    report_threads(run);
    for (size_t i = 0; i < run->n; i++) {
        const struct spool_header *header = run->spools[i].header;
        if (header->stop_errno == 0)
            continue;
        say("rank %u on %s stopped recording %.3f s after its start (%s): the trace is incomplete",
            header->rank, header->host, (double)(header->stop_ns - header->clock_ns) * 1e-9,
            spool_stop_reason(header));
        return;
    }
}

/// The files of all worlds of the run. Headers are changed so that their ranks are those of the
/// archive, and of clocks only the first world's measurements count.
static void gather_spools(struct run *run)
{
    const struct worlds *worlds = run->worlds;
    for (uint32_t i = run->root; i < worlds->n; i++)
        if (worlds->items[i].root == run->root)
            run->n += worlds->items[i].n;
    run->spools = alloc_or_die(run->n * sizeof *run->spools);
    run->costs = alloc_or_die(run->n * sizeof *run->costs);
    run->clocks = alloc_or_die(run->n * sizeof(void *));
    run->n = 0;
    for (uint32_t i = run->root; i < worlds->n; i++) {
        const struct world *world = &worlds->items[i];
        for (size_t k = 0; world->root == run->root && k < world->n; k++, run->n++) {
            struct spool_header *header = world->spools[k].header;
            header->rank += world->base;
            if (i != run->root)
                header->n_clock_offsets = 0;
            run->spools[run->n] = world->spools[k];
        }
    }
    find_clocks(run);
}

static void introduce_worlds(struct run *run)
{
    const struct worlds *worlds = run->worlds;
    unify_init(&run->unify, worlds->items[run->root].n_ranks);
    for (uint32_t i = run->root; i < worlds->n; i++) {
        const struct world *world = &worlds->items[i];
        if (world->root != run->root)
            continue;
        uint32_t index = 0;
        if (i != run->root)
            index = unify_add_world(&run->unify, world->base, world->n_ranks);
        for (uint32_t rank = 0; rank < world->n_ranks; rank++) {
            struct process *process = &run->processes[world->base + rank];
            process->archive = process->code.archive = &run->archive;
            process->unify = &run->unify;
            process->code.symbols = run->symbols;
            process->comms.origin = world;
            process->comms.world = index;
            process->comms.rank = rank;
        }
    }
}

/// Writes the archive of a run; false when OTF2 failed somewhere.
static bool write_run(struct run *run, const char *dir, const char *facts_path)
{
    jmp_buf on_failure;
    if (!archive_open(&run->archive, dir, run->n_ranks) || setjmp(on_failure) != 0)
        return false;
    run->archive.on_failure = &on_failure;
    writing = &run->archive;
    define(run);
    run->gaps = gaps_find(run->spools, run->n, run->processes, &run->unify);
    for (uint32_t i = 0; i < run->n_ranks; i++)
        run->processes[i].gaps = run->gaps;
    write_events(run);
    write_facts(run, facts_path);
    for (size_t i = 0; i < run->archive.n_locations; i++)
        run->n_events += run->archive.locations[i].n_events;
    run->n_locations = run->archive.n_locations;
    return archive_close(&run->archive, &run->unify);
}

/// Is it a folder, and no link to one? Returns 0 or an errno value.
static int check_folder(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno;
    return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

static void release_run(struct run *run)
{
    for (uint32_t i = 0; i < run->n_ranks; i++)
        process_release(&run->processes[i]);
    free(run->processes);
    gaps_free(run->gaps);
    unify_release(&run->unify);
    symbols_free(run->symbols);
    free(run->spools);
    free(run->costs);
    free(run->clocks);
}

static bool finish_run(const struct worlds *worlds, uint32_t root, const char *dir,
                       const char *facts_path)
{
    const struct world *world = &worlds->items[root];
    struct run run = {.worlds = worlds, .root = root, .n_ranks = world->n_archive_ranks};
    if (world->n_ranks / 4096 > world->n) {
        say("the records are damaged: %zu files for %u ranks", world->n, world->n_ranks);
        return false;
    }
    if (mkdir(dir, 0777) != 0 && (errno != EEXIST || (root > 0 && check_folder(dir) != 0))) {
        say("cannot create the folder %s: %s", dir, strerror(errno));
        return false;
    }
    gather_spools(&run);
    run.symbols = symbols_new();
    run.processes = alloc_or_die(run.n_ranks * sizeof *run.processes);
    introduce_worlds(&run);
    bool done = write_run(&run, dir, facts_path);
    writing = NULL;
    if (done) {
        printf("ranks %u locations %zu events %llu open %u recording %llu of %llu\n", run.n_ranks,
               run.n_locations, (unsigned long long)run.n_events, run.n_open,
               (unsigned long long)run.recording_ns, (unsigned long long)run.counted_ns);
        report(&run);
    } else {
        say("cannot write the archive in %s (%s). The records are kept: solve the problem, then "
            "run pagoda trace --finish",
            dir, run.archive.error);
        archive_discard(&run.archive, dir);
    }
    release_run(&run);
    return done;
}

/// Says once for all of them which worlds have an archive of their own although others started
/// them.
static void report_unknown_parents(const struct worlds *worlds)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < worlds->n; i++)
        n += worlds->items[i].has_unknown_parents;
    if (n > 0)
        say("%u MPI_COMM_WORLD%s started by MPI_Comm_spawn %s: the processes of this trace that "
            "started %s could not be identified",
            n, n == 1 ? "" : "s",
            n == 1 ? "has an archive of its own" : "have archives of their own",
            n == 1 ? "it" : "them");
}

static bool finish_all(const struct spool_set *set, const char *archive_dir, const char *facts_path)
{
    struct worlds worlds;
    worlds_find(&worlds, set);
    unsigned number = 0;
    bool done = true;
    for (uint32_t i = 0; done && i < worlds.n; i++) {
        if (worlds.items[i].root != i)
            continue;
        char *dir = ++number == 1 ? strdup_or_die(archive_dir)
                                  : format_or_die("%s/run-%u", archive_dir, number);
        done = finish_run(&worlds, i, dir, facts_path);
        free(dir);
    }
    if (done)
        report_unknown_parents(&worlds);
    worlds_release(&worlds);
    return done;
}

static bool is_refused(const struct spool_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->spools[i].header->refused == 0)
            return false;
    return true;
}

/// Did the filter leave functions out?
static bool has_excluded(const struct spool_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->spools[i].header->n_excluded > 0)
            return true;
    return false;
}

static void say_alive(const struct alive *alive, const char *spool_dir, const char *dir)
{
    char others[48] = "";
    if (alive->n > 1)
        snprintf(others, sizeof others, " and %u more", alive->n - 1);
    say("no archive yet: rank %u (process %u on %s)%s still run%s. The records are kept in %s. "
        "When the processes have ended, run pagoda trace --finish %s",
        alive->rank, alive->pid, alive->host, others, alive->n > 1 ? "" : "s", spool_dir, dir);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (argc != 3 && argc != 4) {
        fputs("usage: pagoda-trace-finish SPOOL ARCHIVE [SECONDS]\n", stderr);
        return 2;
    }
    int error = check_folder(argv[1]);
    struct alive alive = {0};
    if (error == 0)
        alive = alive_wait(argv[1], argc == 4 ? (unsigned)atoi(argv[3]) : 0);
    if (alive.n > 0) {
        say_alive(&alive, argv[1], argv[2]);
        return EXIT_ALIVE;
    }
    sigaction(SIGBUS, &action, NULL);
    if (error == 0)
        error = spool_set_load(&records, argv[1]);
    if (error != 0) {
        say("cannot read the records in %s: %s", argv[1], strerror(error));
        return 1;
    }
    if (records.n_unreadable > 0)
        say("%zu files in %s are not records of this version of the tracer and are left out",
            records.n_unreadable, argv[1]);
    if (is_refused(&records)) { // also where there are none
        spool_set_remove(&records);
        if (records.n == 0 && records.n_unbegun > 0)
            say("no trace: the files of records in %s are empty", argv[1]);
        return records.n == 0 && records.n_unbegun == 0 ? EXIT_NO_RECORDS : EXIT_REFUSED;
    }
    settings_read(argv[1]);
    record_costs = cost_measure(argv[1], has_excluded(&records));
    char *facts_path = format_or_die("%s/facts", argv[1]);
    bool done = finish_all(&records, argv[2], facts_path);
    char *settings_path = format_or_die("%s/" SETTINGS_FILE, argv[1]);
    if (done) {
        spool_set_remove(&records);
        unlink(facts_path);
        unlink(settings_path);
        rmdir(argv[1]);
    }
    free(facts_path);
    free(settings_path);
    spool_set_release(&records);
    return done ? 0 : 1;
}
