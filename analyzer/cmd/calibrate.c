// SPDX-License-Identifier: BSD-3-Clause
// `pagoda calibrate`: appends the measuring program (tracer/calibrate) to a launch line, reads what
// it finds, and writes a machine file.
#include "analyzer/cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/calibrate/calibration.h"
#include "analyzer/cmd/calibrate/learn_slowdown.h"
#include "analyzer/report/report.h"
#include "analyzer/simulation/cost/machine.h"

#define PROGRAM "pagoda-calibrate"

struct calibrate_options {
    const char *output, *name, *against, *mpi;
    bool wants_json, has_points, overwrites, learns, learns_speeds;
    uint64_t limit_ns, max_bytes, set_bytes;
    double spread;
};

struct calibration {
    const struct calibrate_options *options;
    struct measurements measurements;
    struct machine against; // as it was before anything was written
    char *path;             // of the machine file, NULL: not known yet
};

// --- the measuring program

/// LINE with the measuring program and its arguments after it. The caller frees it and its last
/// five words.
static char **complete_line(char **line, const char *program,
                            const struct calibrate_options *options)
{
    size_t n = 0;
    while (line[n])
        n++;
    char **full = memory_zeroed(n + 6, sizeof *full);
    memcpy(full, line, n * sizeof *full);
    full[n] = memory_copy_text(program);
    full[n + 1] = memory_format("%llu", (unsigned long long)options->limit_ns);
    full[n + 2] = memory_format("%g", options->spread);
    full[n + 3] = memory_format("%llu", (unsigned long long)options->max_bytes);
    full[n + 4] = memory_format("%llu", (unsigned long long)options->set_bytes);
    return full;
}

static void free_line(char **full)
{
    size_t n = 0;
    while (full[n])
        n++;
    for (size_t i = n - 5; i < n; i++)
        free(full[i]);
    free(full);
}

/// Starts LINE; the reading end of its standard output, NULL with errno.
static FILE *start(char **line, const char *mpi, pid_t *child)
{
    int out[2];
    pid_t parent = getpid();
    if (pipe2(out, O_CLOEXEC) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        // Ranks whose output is read no more must not go on: however this process ends, they do.
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(127);
        dup2(out[1], STDOUT_FILENO);
        if (mpi)
            setenv("PAGODA_CALIBRATE_MPI", mpi, 1);
        execvp(line[0], line);
        log_error("cannot run %s: %s", line[0], strerror(errno));
        _exit(127);
    }
    close(out[1]);
    if (*child > 0)
        return fdopen(out[0], "r");
    close(out[0]);
    return NULL;
}

/// When hosts and MPI are known: the name of the file, where it was not given. 0, or -1 after a
/// message.
static int choose_path(struct calibration *calibration)
{
    struct error err = {{0}};
    if (calibration->path)
        return 0;
    calibration->path = machine_file_default_path(&calibration->measurements);
    if (machine_file_check(calibration->path, calibration->options->overwrites, &err) == 0)
        return 0;
    log_error("%s", err.text);
    return -1;
}

/// Reads what the program says, up to its end, which comes soon where that cannot be used. 0, or -1
/// after a message.
static int read_lines(struct calibration *calibration, FILE *lines, pid_t child)
{
    struct measurements *measurements = &calibration->measurements;
    struct progress progress = {0};
    SCOPED char *text = NULL;
    size_t size = 0;
    int status = 0;
    while (getline(&text, &size, lines) > 0) {
        if (!measurements_read(measurements, text)) {
            fputs(text, stderr); // the launcher's own words
            continue;
        }
        if (status != 0 || measurements->n_steps == 0)
            continue;
        if (progress.total == 0) {
            progress_begin(&progress, "measuring", measurements->n_steps);
            status = choose_path(calibration);
            if (status != 0)
                kill(child, SIGTERM);
        }
        progress_update(&progress, measurements->n_done);
    }
    progress_end(&progress);
    return status == 0 && measurements->is_complete ? choose_path(calibration) : status;
}

/// Runs LINE and reads what it measures. 0, or -1 after a message.
static int measure(char **line, struct calibration *calibration)
{
    const struct measurements *measurements = &calibration->measurements;
    pid_t child;
    FILE *lines = start(line, calibration->options->mpi, &child);
    if (!lines) {
        log_error("cannot run %s: %s", line[0], strerror(errno));
        return -1;
    }
    int failure = read_lines(calibration, lines, child), status = 0;
    fclose(lines);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (failure != 0)
        return -1;
    if (measurements->n_programs > 1) {
        log_error(
            "the launcher started %u programs of one rank each instead of one program: it belongs "
            "to another MPI; --implementation says to which",
            measurements->n_programs);
        return -1;
    }
    if (measurements->is_complete)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return -1; // said already
    log_error(
        "the launch line ended with %s %d before everything was measured; no machine file was "
        "written",
        WIFSIGNALED(status) ? "signal" : "status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return -1;
}

// --- the machine file

static int conclude(struct calibration *calibration)
{
    const struct calibrate_options *options = calibration->options;
    struct measurements *measurements = &calibration->measurements;
    struct error err = {{0}};
    struct machine_text_errors errors;
    SCOPED_BY(machine_release) struct machine own = {0};
    char date[32];
    time_t now = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S%z", localtime_r(&now, &parts));
    SCOPED char *name = utf8_clean(options->name               ? options->name
                                   : measurements->n_hosts > 0 ? measurements->hosts[0].name
                                                               : "");
    const struct machine_text_settings settings = {
        .name = name,
        .date = date,
        .spread = options->spread,
        .has_points = options->has_points,
    };
    int status =
        machine_file_write(measurements, &settings, calibration->path, &errors, &own, &err);
    const struct calibration_report report = {
        .path = calibration->path,
        .measurements = measurements,
        .errors = &errors,
        .machine = &own,
        .against = options->against ? &calibration->against : NULL,
        .against_path = options->against,
    };
    if (status == 0 && options->wants_json)
        json_print_calibration(&report, stdout);
    else if (status == 0)
        text_print_calibration(&report, stdout);
    return log_outcome(status, false, &err);
}

/// What can be known to be wrong before an hour of measuring. 0, or -1 after a message.
static int prepare(struct calibration *calibration)
{
    const struct calibrate_options *options = calibration->options;
    struct error err = {{0}};
    if ((options->against && machine_read(&calibration->against, options->against, &err) != 0) ||
        (options->output && machine_file_check(options->output, options->overwrites, &err) != 0)) {
        log_error("%s", err.text);
        return -1;
    }
    calibration->path = options->output ? memory_copy_text(options->output) : NULL;
    return 0;
}

static int calibrate(char **line, const struct calibrate_options *options)
{
    struct calibration calibration = {.options = options};
    int status = STATUS_FAILED;
    measurements_init(&calibration.measurements);
    SCOPED char *program = program_part(PROGRAM);
    if (!program)
        log_error("cannot find " PROGRAM " beside this program or where it is installed: there "
                  "was no MPI compiler when pagoda was built");
    if (program && prepare(&calibration) == 0) {
        char **full = complete_line(line, program, options);
        if (measure(full, &calibration) == 0)
            status = conclude(&calibration);
        free_line(full);
    }
    free(calibration.path);
    machine_release(&calibration.against);
    measurements_release(&calibration.measurements);
    return status;
}

/// Learns from the N recordings TRACES. An exit status.
static int learn(const struct option_usage *usage, const struct calibrate_options *options,
                 char **traces, int n)
{
    const char *name = options->learns ? "slowdown" : "speeds";
    if (options->learns && options->learns_speeds)
        return options_usage_error(usage, "--slowdown and --speeds exclude each other");
    if (options->name || options->against || options->has_points || options->mpi)
        return options_usage_error(usage,
                                   "--%s measures nothing: it goes without --name, --against, "
                                   "--points and --implementation",
                                   name);
    if (options->learns_speeds && n != 2)
        return options_usage_error(usage, "--speeds: give two recordings, HERE and TARGET");
    if (n < 2)
        return options_usage_error(usage, "--slowdown: two recordings at least");
    for (int i = 0; i < n; i++)
        if (traces[i][0] == '-')
            return options_usage_error(usage, "%s: options come before the recordings", traces[i]);
    return learn_slowdown(traces, (size_t)n, options->learns_speeds, options->output,
                          options->overwrites, options->wants_json);
}

int cmd_calibrate(int argc, char **argv)
{
    struct calibrate_options options = {
        .limit_ns = 250000000, .max_bytes = 4 << 20, .set_bytes = 256 << 10, .spread = 0.02};
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("output", 'o', "FILE", &options.output, "write the machine file to FILE",
                        "HOST-MPI.xml"),
        OPTION_FLAG_ROW("slowdown", 0, &options.learns,
                        "learn from recordings RUN how ranks that share a core slow each other "
                        "down; FILE is a slowdown file",
                        .manual =
                            "Section Slowdown files says what is learned. FILE is slowdown.xml "
                            "by default. Options of measuring do not go with it."),
        OPTION_FLAG_ROW("speeds", 0, &options.learns_speeds,
                        "learn from recordings HERE and TARGET how fast a target machine computes; "
                        "FILE is for replay --speeds",
                        .manual =
                            "Section Speeds of a target machine says what is learned. FILE is "
                            "speeds.xml by default. Options of measuring do not go with it."),
        OPTION_FLAG_ROW("force", 0, &options.overwrites, "overwrite an existing FILE"),
        OPTION_TEXT_ROW("name", 0, "NAME", &options.name, "name the machine NAME", "the host name"),
        OPTION_TEXT_ROW("against", 0, "FILE", &options.against,
                        "compare this machine with another machine file", NULL,
                        .manual = "The report says which --cpu-speed leads from one to the other "
                                  "where both were calibrated. FILE may be the one that --force "
                                  "overwrites: then the old one counts. Collectives are compared "
                                  "with as many ranks as were measured for both, 16 at most."),
        OPTION_FLAG_ROW("points", 0, &options.has_points,
                        "write the measured points of messages instead of fitted lines"),
        OPTION_DURATION_ROW("point-time", 0, "T", &options.limit_ns,
                            "measure each point for at most T", "250ms",
                            .manual = "Each point is measured at least once, after a trial."),
        OPTION_NUMBER_ROW(
            "spread", 0, "S", &options.spread,
            "measure a point until its quartiles differ by at most this share of the median",
            "0.02"),
        OPTION_SIZE_ROW("max-size", 0, "BYTES", &options.max_bytes,
                        "measure messages up to this size", "4MiB"),
        OPTION_SIZE_ROW("working-set", 0, "BYTES", &options.set_bytes,
                        "ranks that share a core read this much between context switches",
                        "256KiB"),
        OPTION_TEXT_ROW("implementation", 0, "openmpi|mpich", &options.mpi,
                        "name the MPI if the launcher does not show which it is", NULL),
        OPTION_FLAG_ROW("json", 0, &options.wants_json, "print JSON instead of text"),
    };
    const struct option_usage usage = {
        .command = "calibrate",
        .operands = "-- LAUNCHER... | --slowdown RUN RUN... | --speeds HERE TARGET",
        .summary = "Measures the costs of messages, collectives and cores; writes a machine file",
        .details =
            "LAUNCHER is a launch line without a program: mpirun -n 2, srun -n 16. Use the\n"
            "options your runs use; a rank on each of two nodes measures the network, two\n"
            "on one node the messages within it.\n"
            "With --slowdown RUNs are traces of one program with different numbers of ranks\n"
            "per core: pagoda replay --slowdown predicts with what is learned from them.\n"
            "With --speeds HERE and TARGET are traces of one program on this machine and on\n"
            "another one: pagoda replay --speeds predicts runs there.\n",
        OPTIONS_OF(rows),
        .stops_at_operand = true,
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (options.learns || options.learns_speeds)
        return learn(&usage, &options, argv + first, argc - first);
    if (first >= argc)
        return options_usage_error(&usage, "which launcher? for example: -- mpirun -n 2");
    if (options.mpi && strcmp(options.mpi, "openmpi") != 0 && strcmp(options.mpi, "mpich") != 0)
        return options_usage_error(&usage, "--implementation %s: it is openmpi or mpich",
                                   options.mpi);
    if (options.max_bytes > (1 << 30))
        return options_usage_error(&usage, "--max-size: at most 1 GiB");
    if (options.spread <= 0 || options.spread > 1)
        return options_usage_error(&usage, "--spread %g: more than 0, at most 1", options.spread);
    return calibrate(argv + first, &options);
}
