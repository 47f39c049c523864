// SPDX-License-Identifier: BSD-3-Clause
// The command `pagoda`: a table of subcommands, help, and what they all share - exit statuses, a
// checked stdout, and numbers that do not depend on the locale.
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/spread/spread.h"

#ifndef PAGODA_VERSION
#define PAGODA_VERSION "0.0.0"
#endif

/// argv[0] is the command's own name; returns an enum exit_status. One line of `commands` per file
/// in analyzer/cmd/.
struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
    bool is_spread; // processes of a launcher share its work (spread.h)
};

static const struct command commands[] = {
    {"trace", cmd_trace, "run an MPI program under the tracer", false},
    {"replay", cmd_replay, "replay a trace: where the time was lost, and why", true},
    {"advise", cmd_advise, "rank possible changes by what they would save", true},
    {"calibrate", cmd_calibrate, "measure the costs of messages, collectives and cores", false},
    {"reduce", cmd_reduce, "find functions that are called too often to be worth recording", false},
    {"store", cmd_store, "keep runs in a database: add, show, copy and remove them", false},
    {"query", cmd_query, "print values of stored runs, by metric, place and parameter, or by SQL",
     false},
    {"sweep", cmd_sweep, "run, trace and store the points of a parameter sweep", false},
    {"diff", cmd_diff, "show what a change of run time between runs consists of", false},
    {"scaling", cmd_scaling, "show how runs scale, where scaling breaks, and what will dominate",
     false},
    {"model", cmd_model, "fit formulas to measured values and predict other sizes", false},
    {"export", cmd_export, "write a run, or all runs of a database, as an HTML page", false},
    {"align", cmd_align, "correct the clocks of ranks in a copy of a trace", false},
    {"convert", cmd_convert, "make a trace of one of Paraver or of Chrome's format", false},
    {"check", cmd_check, "check traces, patterns, machine, policy, sweep and settings files",
     false},
    {"explain", cmd_explain, "list patterns, findings, machines and policies, or explain one",
     false},
    {NULL, NULL, NULL, false},
};

static const size_t n_commands = sizeof commands / sizeof commands[0] - 1;

static void print_help(FILE *stream)
{
    fprintf(stream, "usage: pagoda COMMAND [options] ...\n"
                    "\n"
                    "Records MPI programs and shows, after the run, where the time is lost and "
                    "why.\n"
                    "\n"
                    "commands:\n");
    for (size_t i = 0; i < n_commands; i++)
        fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(stream, "\n"
                    "`pagoda COMMAND --help` (or `pagoda help COMMAND`) explains a command;\n"
                    "`pagoda --version` prints the version.\n"
                    "\n"
                    "exit status: 0 done, 1 failed, 2 wrong usage, 3 done, but part of the input\n"
                    "is unreadable\n");
}

static int unknown_command(const char *name)
{
    const char *names[sizeof commands / sizeof commands[0] + 1];
    for (size_t i = 0; i < n_commands; i++)
        names[i] = commands[i].name;
    names[n_commands] = "help";
    const char *nearest = spelling_nearest(name, names, n_commands + 1);
    static const char *const options[] = {"--help", "--version"};
    const char *option = name[0] == '-' ? spelling_nearest(name, options, 2) : NULL;
    if (option)
        log_error("there is no option %s; did you mean %s?", name, option);
    else if (name[0] == '-')
        log_error("there is no option %s before the command (`pagoda --help` tells more)", name);
    else if (nearest)
        log_error("there is no command `%s`; did you mean `%s`?", name, nearest);
    else
        log_error("there is no command `%s` (`pagoda --help` lists them)", name);
    return STATUS_USAGE;
}

/// What `pagoda help [NAME [TOPIC]]` does; NULL for a word that is missing.
static int run_help(const char *name, const char *topic)
{
    if (!name) {
        print_help(stdout);
        return STATUS_DONE;
    }
    const struct command *command = ITEM_BY(commands, n_commands, name, name);
    if (!command)
        return unknown_command(name);
    char option[] = "--help";
    char *arguments[] = {(char *)command->name, option, (char *)topic, NULL};
    return command->run(topic ? 3 : 2, arguments);
}

/// Answers the completion scripts of shells: WORDS are what was typed after `pagoda`, N at least 1.
static int run_complete(int n, char **words)
{
    bool is_help = strcmp(words[0], "help") == 0;
    const struct command *command = ITEM_BY(commands, n_commands, name, words[0]);
    if (n == 1 || (is_help && n == 2)) {
        for (size_t i = 0; i < n_commands; i++)
            options_print_candidate(commands[i].name, words[n - 1], commands[i].summary, stdout);
        for (size_t i = 0; i < 3 && !is_help; i++)
            options_print_candidate((const char *[]){"help", "--help", "--version"}[i], words[0],
                                    NULL, stdout);
    } else if (command) {
        SCOPED char **arguments = memory_zeroed((size_t)n + 2, sizeof *arguments);
        arguments[0] = words[0];
        arguments[1] = (char *)OPTIONS_COMPLETE;
        memcpy(arguments + 2, words + 1, ((size_t)n - 1) * sizeof *arguments);
        command->run(n + 1, arguments);
    }
    return STATUS_DONE;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct error err = {{0}};
    if (!command->is_spread)
        return command->run(argc, argv);
    if (spread_begin(argc, argv, &err) != 0)
        log_warning("%s", err.text);
    return spread_end(command->run(argc, argv));
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version")) {
        printf("pagoda %s\n", PAGODA_VERSION);
        return STATUS_DONE;
    }
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return run_help(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
    if (!strcmp(name, OPTIONS_COMPLETE) && argc > 2)
        return run_complete(argc - 2, argv + 2);
    const struct command *command = ITEM_BY(commands, n_commands, name, name);
    if (!command)
        return unknown_command(name);
    return run_command(command, argc - 1, argv + 1);
}

/// A standard stream that is closed would become the first file that is opened. In its place comes
/// /dev/null, opened the wrong way round, so that using it still fails.
static void occupy_standard_streams(void)
{
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY);
}

/// What was printed must have arrived, or the job is not done. A reader that went away (a pager
/// that was left, `head`) is no failure to talk about.
static int finish_stdout(int status)
{
    bool had_error = ferror(stdout) != 0;
    bool has_output = __fpending(stdout) > 0 || had_error;
    errno = 0;
    if (fclose(stdout) == 0 && !had_error)
        return status;
    if (errno == EBADF && !has_output) // closed from the start, and nothing to say
        return status;
    if (errno != EPIPE)
        log_error("cannot write the output: %s",
                  errno ? strerror(errno) : "an earlier write failed");
    return status == STATUS_DONE || status == STATUS_UNREADABLE ? STATUS_FAILED : status;
}

int main(int argc, char **argv)
{
    occupy_standard_streams();
    // Character widths follow the user's locale; numbers never do (LC_NUMERIC stays "C").
    setlocale(LC_CTYPE, "");
    return finish_stdout(run(argc, argv));
}
