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
#include "tracer/finish/memory.h"
#include "tracer/finish/run.h"
#include "tracer/record/settings.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_NO_RECORDS = 4, EXIT_REFUSED = 5, EXIT_ALIVE = 6 };

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

static struct spool_set records;

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
    run_fail("a file of records was cut while it was read");
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
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

/// Says once why counters are missing.
static void report_counters(const struct run *run)
{
    struct table said = {0};
    for (size_t i = 0; i < run->n; i++)
        for (const char *note = run->spools[i].header->counter_notes; *note != '\0';) {
            size_t length = strcspn(note, "\n");
            bool is_new;
            table_number(&said, note, length, &is_new);
            if (is_new)
                say("%.*s", (int)length, note);
            note += length + (note[length] == '\n');
        }
    table_release(&said);
}

/// Says once how the recording itself fared.
static void report(const struct run *run)
{
    report_threads(run);
    report_counters(run);
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

/// Is it a folder, and no link to one? Returns 0 or an errno value.
static int check_folder(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno;
    return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

static bool finish_run(const struct worlds *worlds, uint32_t root, const struct record_costs *costs,
                       const char *dir, const char *facts_path)
{
    const struct world *world = &worlds->items[root];
    if (world_is_damaged(world)) {
        say("the records are damaged: %zu files for %u ranks", world->n, world->n_ranks);
        return false;
    }
    if (mkdir(dir, 0777) != 0 && (errno != EEXIST || (root > 0 && check_folder(dir) != 0))) {
        say("cannot create the folder %s: %s", dir, strerror(errno));
        return false;
    }
    struct run run;
    run_init(&run, worlds, root);
    bool done = run_write(&run, costs, dir, facts_path);
    if (done) {
        printf("ranks %u locations %zu events %llu open %u recording %llu of %llu\n", run.n_ranks,
               run.n_locations, (unsigned long long)run.n_events, run.n_open,
               (unsigned long long)run.recording_ns, (unsigned long long)run.counted_ns);
        report(&run);
    } else {
        say("cannot write the archive in %s (%s). The records are kept: solve the problem, then "
            "run pagoda trace --finish",
            dir, run.archive.error);
    }
    run_release(&run);
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

static bool finish_all(const struct spool_set *set, const struct record_costs *costs,
                       const char *archive_dir, const char *facts_path)
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
        done = finish_run(&worlds, i, costs, dir, facts_path);
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
    const struct record_costs costs = cost_measure(argv[1], has_excluded(&records));
    char *facts_path = format_or_die("%s/facts", argv[1]);
    bool done = finish_all(&records, &costs, argv[2], facts_path);
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
