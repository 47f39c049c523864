// SPDX-License-Identifier: BSD-3-Clause
// `pagoda trace`: runs a launch line with the tracer preloaded, and when it has ended lets
// pagoda-trace-finish (tracer/finish) turn the records of its processes into an OTF2 archive.
//
// Standard streams are the program's own; everything this command has to say is one line on stderr
// at the end. Whatever goes wrong with tracing, the program is run, and its exit status is ours.
#include "analyzer/cmd/commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/launch/launch.h"
#include "analyzer/launch/settings.h"
#include "analyzer/result/dilation.h"

#define PRELOAD_LIBRARY "libpagoda-trace.so"
#define PROBE_BYTES     (2 << 20)
// A launcher that was killed leaves processes behind that notice within moments, or never.
#define WAIT_FOR_PROCESSES "10" // seconds

struct trace {
    char *dir;   // absolute path of the archive's folder
    char *spool; // folder of the records, inside
    int folder;  // the same, open: a link put in its place later changes nothing; -1: not yet
    bool made_dir;
};

static char *default_dir(const struct launch *launch)
{
    const char *name = launch->path[0] ? path_base_name(launch->path) : "run";
    time_t now = time(NULL);
    struct tm parts;
    char date[32];
    char *dir;

    localtime_r(&now, &parts);
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", &parts);
    dir = memory_format("pagoda-%s-%s", name, date);
    for (int i = 2; access(dir, F_OK) == 0; i++) {
        free(dir);
        dir = memory_format("pagoda-%s-%s-%d", name, date, i);
    }
    return dir;
}

/// Makes the folder and those above it. 0 or an errno value.
static int make_dirs(char *path, bool *made)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        int error = errno;
        *slash = '/';
        if (failed)
            return error;
    }
    *made = mkdir(path, 0777) == 0;
    return *made || errno == EEXIST ? 0 : errno;
}

/// The three files that this command makes in the folder of the records.
static const char facts_name[] = "facts", settings_name[] = "settings", probe_name[] = "probe";

static void remove_files(int folder)
{
    unlinkat(folder, facts_name, 0);
    unlinkat(folder, settings_name, 0);
    unlinkat(folder, probe_name, 0);
}

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Makes the folder of the records. An existing one is made anew; it may hold nothing except what a
/// killed command left. 0 or an errno value.
static int make_spool(struct trace *trace)
{
    if (mkdir(trace->spool, 0777) != 0) {
        int old = errno == EEXIST ? open_folder(trace->spool) : -1;

        if (old < 0)
            return errno;
        remove_files(old);
        close(old);
        if (rmdir(trace->spool) != 0 || mkdir(trace->spool, 0777) != 0)
            return errno;
    }
    trace->folder = open_folder(trace->spool);
    return trace->folder >= 0 ? 0 : errno;
}

/// A new file in the folder of the records, or NULL.
static FILE *make_file(const struct trace *trace, const char *name)
{
    int fd = openat(trace->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/// Is there room for what the first process would record? 0 or an errno value.
static int probe(const struct trace *trace)
{
    FILE *file = make_file(trace, probe_name);
    int error = file ? posix_fallocate(fileno(file), 0, PROBE_BYTES) : errno;

    if (!file)
        return error;
    fclose(file);
    unlinkat(trace->folder, probe_name, 0);
    return error;
}

static void remove_folders(const struct trace *trace)
{
    if (trace->folder >= 0) {
        remove_files(trace->folder);
        rmdir(trace->spool);
    }
    if (trace->made_dir)
        rmdir(trace->dir);
}

/// Folder of the archive and of the records. 0, or an errno value: nothing was made.
static int prepare(struct trace *trace, const char *dir)
{
    SCOPED char *path = memory_copy_text(dir);
    char *real;
    int error;

    error = make_dirs(path, &trace->made_dir);
    real = error ? NULL : realpath(path, NULL);
    if (!error && !real)
        error = errno;
    trace->dir = real ? memory_copy_text(real) : memory_copy_text(dir);
    trace->spool = memory_format("%s/spool", trace->dir);
    free(real);
    if (error)
        return error;
    error = make_spool(trace);
    if (!error)
        error = probe(trace);
    if (error)
        remove_folders(trace);
    return error;
}

static void write_facts(const struct trace *trace, char **line, const struct launch *launch)
{
    FILE *file = make_file(trace, facts_name);

    if (!file)
        return;
    launch_facts_write(line, launch->path, file);
    fclose(file);
}

/// How long the launch line took, for the archive.
static void add_launch_time(const struct trace *trace, const struct timespec *begin)
{
    int fd = openat(trace->folder, facts_name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "a") : NULL;
    struct timespec end;

    if (!file)
        return;
    clock_gettime(CLOCK_MONOTONIC, &end);
    launch_facts_add_time(
        (uint64_t)((end.tv_sec - begin->tv_sec) * 1000000000 + end.tv_nsec - begin->tv_nsec), file);
    fclose(file);
}

/// What is to be recorded, for the tracer. 0 or an errno value.
static int write_settings(const struct trace *trace, const struct trace_settings *settings)
{
    FILE *file = make_file(trace, settings_name);
    int error;

    if (!file)
        return errno;
    trace_settings_write(settings, file);
    error = ferror(file) ? EIO : 0;
    return fclose(file) != 0 ? errno : error;
}

/// The path as the user would type it.
static const char *shown(const char *path)
{
    static char cwd[4096];
    size_t length;

    if (!getcwd(cwd, sizeof cwd))
        return path;
    length = strlen(cwd);
    return !strncmp(path, cwd, length) && path[length] == '/' ? path + length + 1 : path;
}

/// What to do when a launcher started its ranks as as many programs. Empty: it did not.
static const char *single_ranks_hint(const struct launch *launch,
                                     const struct trace_finished *finished)
{
    if (launch == NULL || launch->launcher < 0 || finished->n_runs < 2 ||
        finished->n_runs_of_one < finished->n_runs)
        return "";
    if (launch->kind == LAUNCHER_SRUN)
        return "; for one run of all ranks srun needs the --mpi= of the program's MPI, see "
               "srun --mpi=list";
    return "; for one run of all ranks use the launcher of the program's MPI";
}

static uint64_t n_folder_bytes;

static int add_file(const char *path, const struct stat *file, int kind, struct FTW *where)
{
    (void)path;
    (void)where;
    if (kind == FTW_F)
        n_folder_bytes += (uint64_t)file->st_size;
    return 0;
}

/// Size of all files in DIR and below.
static uint64_t folder_bytes(const char *dir)
{
    n_folder_bytes = 0;
    nftw(dir, add_file, 16, FTW_PHYS);
    return n_folder_bytes;
}

/// LAUNCH may be NULL: not known.
static void say_where(const struct trace *trace, const struct launch *launch,
                      const struct trace_finished *finished)
{
    const char *dir = shown(trace->dir);
    SCOPED char *word = shell_path(dir);
    char open[64] = "";
    char more[192] = "";
    char slower[48] = "";

    if (finished->n_open == 1 && finished->n_ranks == 1)
        snprintf(open, sizeof open, " without MPI_Finalize");
    else if (finished->n_open > 0)
        snprintf(open, sizeof open, ", %u of them without MPI_Finalize", finished->n_open);
    if (finished->n_runs > 1)
        snprintf(more, sizeof more, " (%s in run-2%s%s)",
                 quantity_count(finished->n_runs - 1, "more MPI run").text,
                 finished->n_runs > 2 ? " ..." : "", single_ranks_hint(launch, finished));
    double traced_ns = (double)finished->counted_ns;
    double slowest = dilation(traced_ns, traced_ns - (double)finished->recording_ns);
    if (slowest <= DILATION_MOST) // not where it is not known
        snprintf(slower, sizeof slower, ", estimated dilation %.2f", slowest);
    else if (finished->counted_ns > 0)
        snprintf(slower, sizeof slower, ", estimated dilation above %d", DILATION_MOST);
    log_note("%s%s, %s in %s%s; %s%s; next: pagoda replay %s",
             quantity_count(finished->n_ranks, "rank").text, open,
             quantity_count(finished->n_events, "event").text, dir, more,
             quantity_size(folder_bytes(trace->dir)).text, slower, word);
}

static void say_no_mpi(const struct launch *launch, bool is_static, bool failed)
{
    const char *program = launch->path[0] ? launch->path : "the program";

    if (is_static)
        log_error("no trace: %s is linked statically, so the tracer cannot enter it; link it "
                  "dynamically (without -static)",
                  program);
    else if (failed)
        log_error("no trace: the launch line failed before any process called MPI_Init");
    else
        log_error("no trace: no process of %s called MPI_Init with an MPI this tracer was built "
                  "for (Open MPI, MPICH); is it an MPI program, linked dynamically?",
                  program);
}

/// Ends as the launch line ended.
static int pass_on(int status)
{
    if (WIFSIGNALED(status)) {
        fflush(NULL);
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

/// Turns the records into the archive and says so. Returns the exit status.
static int conclude(const struct trace *trace, const struct launch *launch, int status)
{
    struct trace_finished finished = trace_finish(trace->dir, trace->spool, WAIT_FOR_PROCESSES);

    if (finished.status == 0) {
        say_where(trace, launch, &finished);
    } else if (finished.status == FINISHER_NO_RECORDS) {
        bool failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;

        say_no_mpi(launch, launch->path[0] && launch_is_static(launch->path), failed);
        remove_folders(trace);
        return failed ? pass_on(status) : STATUS_FAILED;
    } else if (finished.status == FINISHER_REFUSED) {
        remove_folders(trace); // the tracer has said why
    }
    return pass_on(status);
}

/// Are there records of an earlier run in the folder?
static bool holds_records(const char *dir)
{
    SCOPED char *path = memory_format("%s/spool", dir);
    SCOPED_FOLDER DIR *folder = opendir(path);
    const struct dirent *entry;
    bool any = false;

    while (folder && !any && (entry = readdir(folder)))
        any = text_ends_in(entry->d_name, ".spool");
    return any;
}

static int trace_line(char **line, const char *dir, const struct trace_settings *settings)
{
    struct launch launch = launch_inspect(line);
    struct trace trace = {NULL, NULL, -1, false};
    char *library = program_part(PRELOAD_LIBRARY);
    char *chosen = dir ? memory_copy_text(dir) : default_dir(&launch);
    char *anchor = memory_format("%s/traces.otf2", chosen);
    bool traced = false;
    char **full = NULL;
    struct timespec begin;
    int result = STATUS_FAILED;
    int error;
    int status;

    if (access(anchor, F_OK) == 0) {
        log_error("%s holds a trace already: choose another folder with -o", chosen);
        goto out;
    }
    if (holds_records(chosen)) {
        char *word = shell_path(chosen);

        log_error("%s holds the records of a run that has no archive yet: choose another folder "
                  "with -o, or make the archive with pagoda trace --finish %s",
                  chosen, word);
        free(word);
        goto out;
    }
    traced = library && trace_can_preload(library);
    error = traced ? prepare(&trace, chosen) : 0;
    if (traced && !error) {
        error = write_settings(&trace, settings);
        if (error)
            remove_folders(&trace);
    }
    if (library && !traced) {
        log_warning(
            "LD_PRELOAD cannot hold the path %s, because of its colon or semicolon: install "
            "Pagoda elsewhere; tracing is off, the program runs untraced",
            library);
    } else if (!library) {
        log_warning("cannot find " PRELOAD_LIBRARY " beside this program or in " PAGODA_LIBDIR
                    ": tracing is off, the program runs untraced");
    } else if (error) {
        traced = false;
        log_warning("cannot record in %s (%s): tracing is off, the program runs untraced", chosen,
                    strerror(error));
    } else {
        write_facts(&trace, line, &launch);
        full = launch_with_exports(line, &launch, trace_exports(library));
    }
    trace_forward_signals();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    status = trace_run_line(full ? full : line, traced ? library : NULL, trace.spool);
    if (status == -1) {
        log_error("cannot run %s: %s", line[0], strerror(errno));
        if (traced)
            remove_folders(&trace);
        goto out;
    }
    if (traced)
        add_launch_time(&trace, &begin);
    result = traced ? conclude(&trace, &launch, status) : pass_on(status);
out:
    if (trace.folder >= 0)
        close(trace.folder);
    FREE_ALL(trace.dir, trace.spool, library, chosen, anchor);
    words_free(full);
    return result;
}

/// Makes the archive of a run whose `pagoda trace` could not.
static int finish_dir(const char *dir)
{
    struct trace trace = {memory_copy_text(dir), memory_format("%s/spool", dir), -1, false};
    struct trace_finished finished = trace_finish(trace.dir, trace.spool, "0");

    if (finished.status == 0)
        say_where(&trace, NULL, &finished);
    else if (finished.status == FINISHER_NO_RECORDS)
        log_error("%s holds no records of a traced run", trace.spool);
    FREE_ALL(trace.dir, trace.spool);
    return finished.status == 0 ? STATUS_DONE : STATUS_FAILED;
}

/// Settings are right or nothing is run. Returns the exit status.
static int trace_with(struct trace_settings *settings, char **line, const char *dir, bool only_show)
{
    struct error err = {{0}};

    if (trace_settings_resolve(settings, &err) != 0) {
        log_error("%s", err.text);
        return STATUS_USAGE;
    }
    if (!only_show)
        return trace_line(line, dir, settings);
    trace_settings_print(settings, stdout);
    return STATUS_DONE;
}

int cmd_trace(int argc, char **argv)
{
    const char *dir = NULL;
    const char *unfinished = NULL;
    bool only_show = false;
    SCOPED_BY(trace_settings_release) struct trace_settings settings;
    struct option_row rows[TRACE_N_SETTINGS + 4] = {
        OPTION_TEXT_ROW("output", 'o', "DIR", &dir, "write the trace to DIR", "pagoda-PROGRAM-DATE",
                        .manual = "DIR is made if need be, with the folders above it. A folder "
                                  "that has a trace already is refused."),
        OPTION_TEXT_ROW("finish", 0, "DIR", &unfinished,
                        "make the trace from the records that an interrupted run left in DIR", NULL,
                        .manual = "The records are in DIR/spool. They stay there when the command "
                                  "was killed, or found no room for the trace."),
        OPTION_FLAG_ROW("show-settings", 0, &only_show,
                        "print the settings in force and where each comes from; run nothing",
                        .manual = "The form is that of a configuration file."),
    };
    struct option_usage usage = {
        .command = "trace",
        .operands = "-- LAUNCHER...",
        .summary = "Runs an MPI program under the tracer and leaves an OTF2 archive",
        .details = "LAUNCHER is the whole launch line: mpirun -n 4 ./app, srun ./app, a script.\n"
                   "The program must be linked dynamically to Open MPI or MPICH; it need not be\n"
                   "recompiled. Its output, exit status and signals are unchanged.\n"
                   "\n"
                   "The options from --filter on can also be set by environment variables, such\n"
                   "as PAGODA_MIN_DURATION for --min-duration, and in a configuration file. An\n"
                   "option overrides the variable, and the variable overrides the file.\n",
        .rows = rows,
        .stops_at_operand = true,
    };
    int first;
    int status;

    trace_settings_init(&settings);
    usage.n_rows = 3 + trace_settings_rows(&settings, rows + 3);
    if (!options_parse(&usage, argc, argv, &first, &status))
        ;
    else if (unfinished && first < argc)
        status = options_usage_error(&usage, "--finish runs nothing: leave out the launch line");
    else if (unfinished && (dir || only_show))
        status = options_usage_error(&usage, "--finish leaves the archive in its DIR: leave out %s",
                                     dir ? "--output" : "--show-settings");
    else if (unfinished)
        status = finish_dir(unfinished);
    else if (first >= argc && !only_show)
        status =
            options_usage_error(&usage, "what is to be run? for example: -- mpirun -n 4 ./app");
    else
        status = trace_with(&settings, argv + first, dir, only_show);
    return status;
}
