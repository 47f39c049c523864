// SPDX-License-Identifier: BSD-3-Clause
// `pagoda sweep`: runs a program at all points of a parameter sweep and keeps what each run shows.
// The options become a plan (analyzer/sweep/plan.h), sweep_run.c carries it out.
#include "analyzer/cmd/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/exit_status.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/cmd/sweep_run.h"
#include "analyzer/sweep/plan.h"
#include "analyzer/sweep/substitute.h"

struct sweep_request {
    const char *ranks;             // -n
    struct option_list parameters; // NAME=VALUES
    bool is_line_by_line, is_dry;
    uint64_t n_repetitions;
    const char *dir; // NULL: beside the database
    struct sweep_setting setting;
};

static int add_parameter(struct sweep_plan *plan, const char *name, const char *values,
                         struct error *err)
{
    struct sweep_parameter *parameter = sweep_plan_add(plan, name, NULL, err);
    if (!parameter)
        return -1;
    if (sweep_values_read(values, &parameter->values, err) != 0)
        return error_wrap(err, "parameter %s, values %s", name, values);
    return 0;
}

static int add_parameters(struct sweep_plan *plan, const struct sweep_request *request,
                          struct error *err)
{
    if (request->ranks && add_parameter(plan, "n", request->ranks, err) != 0)
        return -1;
    for (size_t i = 0; i < request->parameters.count; i++) {
        const char *text = request->parameters.values[i];
        const char *equals = strchr(text, '=');
        if (!equals)
            return error_set(err, "--parameter %s: not of the form NAME=VALUE,VALUE,...", text);
        char *name = memory_format("%.*s", (int)(equals - text), text);
        int status = add_parameter(plan, name, equals + 1, err);
        free(name);
        if (status != 0)
            return -1;
    }
    return 0;
}

/// Each name in the launch line is a parameter, and each parameter is in it.
static int check_line(const struct sweep_plan *plan, struct error *err)
{
    for (size_t i = 0; plan->line[i]; i++)
        if (sweep_check_names(plan, plan->line[i], err) != 0)
            return error_wrap(err, "%s in the launch line", plan->line[i]);
    for (size_t i = 0; i < plan->n_parameters; i++) {
        bool is_used = false;
        for (size_t k = 0; plan->line[k]; k++)
            is_used = is_used || sweep_uses(&plan->parameters[i], plan->line[k]);
        if (!is_used)
            return error_set(err, "parameter %s changes nothing: %s is not in the launch line",
                             plan->parameters[i].name, plan->parameters[i].search);
    }
    return 0;
}

static int read_plan(struct sweep_plan *plan, const struct sweep_request *request, char **line,
                     struct error *err)
{
    plan->is_line_by_line = request->is_line_by_line;
    plan->n_repetitions = request->n_repetitions;
    sweep_plan_set_line(plan, line);
    if (add_parameters(plan, request, err) != 0 || sweep_plan_check(plan, err) != 0)
        return -1;
    return check_line(plan, err);
}

/// "runs.sweep/EXPERIMENT" beside "runs.db".
static char *default_dir(const struct sweep_setting *setting)
{
    size_t length = strlen(setting->database);
    if (length > 3 && strcmp(setting->database + length - 3, ".db") == 0)
        length -= 3;
    char *name = memory_copy_text(setting->experiment);
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
    char *dir = memory_format("%.*s.sweep/%s", (int)length, setting->database, name);
    free(name);
    return dir;
}

static void print_outcome(const struct sweep_outcome *outcome, const struct sweep_setting *setting)
{
    size_t n_done = outcome->n_stored + outcome->n_stored_before + outcome->n_failed;
    printf("%zu of %zu points stored in %s, %zu of them now",
           outcome->n_stored + outcome->n_stored_before, outcome->n_points, setting->database,
           outcome->n_stored);
    if (outcome->n_failed > 0)
        printf("; %zu failed (--retry runs them again)", outcome->n_failed);
    if (n_done < outcome->n_points)
        printf("; %zu to go: the same command goes on", outcome->n_points - n_done);
    printf("\n");
}

static int carry_out(const struct sweep_request *request, const struct sweep_plan *plan)
{
    struct error err = {{0}};
    struct sweep_outcome outcome;
    if (request->is_dry ? sweep_show(plan, &request->setting, &err)
                        : sweep_run(plan, &request->setting, &outcome, &err)) {
        log_error("%s", err.text);
        return STATUS_FAILED;
    }
    if (request->is_dry)
        return STATUS_DONE;
    print_outcome(&outcome, &request->setting);
    if (outcome.is_interrupted) {
        log_error("interrupted: the same command goes on where it was");
        return STATUS_FAILED;
    }
    return outcome.n_failed > 0 ? STATUS_UNREADABLE : STATUS_DONE;
}

int cmd_sweep(int argc, char **argv)
{
    struct sweep_request request = {.n_repetitions = 1,
                                    .setting = {.database = "sweep.db", .experiment = "sweep"}};
    struct sweep_setting *setting = &request.setting;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("ranks", 'n', "VALUES", &request.ranks,
                        "values of the parameter n, short for --parameter n=VALUES", NULL),
        OPTION_LIST_ROW("parameter", 'p', "NAME=VALUES", &request.parameters,
                        "a parameter and its values; {NAME} in the launch line becomes one"),
        OPTION_FLAG_ROW("line-by-line", 0, &request.is_line_by_line,
                        "the first values together, then the second, ... instead of all with all"),
        OPTION_COUNT_ROW("repeat", 0, "N", &request.n_repetitions, "runs of each point", "1"),
        OPTION_TEXT_ROW("db", 0, "DB", &setting->database, "keep the runs in this database",
                        "sweep.db"),
        OPTION_TEXT_ROW("application", 0, "NAME", &setting->application,
                        "application the runs belong to", "the program's name"),
        OPTION_TEXT_ROW("experiment", 0, "NAME", &setting->experiment,
                        "experiment they belong to, the name of the sweep", "sweep"),
        OPTION_TEXT_ROW("dir", 0, "DIR", &request.dir, "folder of the traces and outputs",
                        "DB.sweep/EXPERIMENT"),
        OPTION_DURATION_ROW("point-limit", 0, "T", &setting->point_limit_ns,
                            "end a run that takes longer", NULL),
        OPTION_DURATION_ROW("limit", 0, "T", &setting->limit_ns, "begin no run after this time",
                            NULL),
        OPTION_FLAG_ROW("retry", 0, &setting->retries_failed,
                        "run points again that failed in an earlier call"),
        OPTION_FLAG_ROW("remove-traces", 0, &setting->keeps_no_traces,
                        "remove each archive when its run is stored"),
        OPTION_FLAG_ROW("dry-run", 0, &request.is_dry,
                        "print the points and their commands, run nothing"),
    };
    const struct option_usage usage = {
        .command = "sweep",
        .operands = "-- LAUNCHER...",
        .summary = "Traces, replays and stores a program at all points of a parameter sweep",
        .details = "LAUNCHER is a launch line with the names of parameters in braces:\n"
                   "mpirun -n {n} ./app {size}. VALUES is a list of texts and ranges\n"
                   "FIRST:LAST:STEP, such as 1,2:8:2. What is stored is not run again: after an\n"
                   "interruption the same command goes on.\n",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = -1,
        .stops_at_operand = true,
    };
    struct sweep_plan plan;
    struct error err = {{0}};
    char *dir = NULL;
    int first, status;
    sweep_plan_init(&plan);
    if (!options_parse(&usage, argc, argv, &first, &status))
        goto out;
    dir = request.dir ? NULL : default_dir(setting);
    setting->dir = request.dir ? request.dir : dir;
    if (read_plan(&plan, &request, argv + first, &err) != 0)
        status = options_usage_error(&usage, "%s", err.text);
    else
        status = carry_out(&request, &plan);
out:
    free(dir);
    sweep_plan_release(&plan);
    options_list_release(&request.parameters);
    return status;
}
