// SPDX-License-Identifier: BSD-3-Clause
// `pagoda sweep`: runs a program at all points of a parameter sweep and keeps what each run shows.
// A sweep file and options become a plan (analyzer/sweep/), sweep/run/driver.c carries it out.
#include "analyzer/cmd/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/sweep/plan.h"
#include "analyzer/sweep/run/driver.h"
#include "db/names.h"

/// What the command line says; NULL, 0 or UINT64_MAX where it does not.
struct sweep_request {
    const char *ranks;             // -n
    struct option_list parameters; // NAME=VALUES
    struct option_list skips, checkpoints;
    bool is_line_by_line, is_dry, wants_json, retries_failed, keeps_no_traces;
    uint64_t n_repetitions, point_limit_ns, limit_ns;
    const char *database, *dir, *batch;
    struct trial_path path; // application and experiment
    uint64_t leaves_result; // number of the point, in a batch job
    char **arguments;       // as they were given
    char **line;            // the launch line
    const char *file;       // or a sweep file
};

/// A parameter of the command line: a new one, or other values of one of the sweep file's.
static int set_parameter(struct sweep_plan *plan, const char *name, const char *values,
                         bool has_file, struct error *err)
{
    struct sweep_parameter *parameter = has_file ? sweep_plan_find(plan, name) : NULL;
    if (has_file && !parameter) {
        SCOPED const char **names = NAMED_NAMES(plan->parameters, plan->n_parameters);
        return error_set(
            err, "the sweep file has no parameter %s%s", name,
            spelling_hint(name, names, plan->n_parameters, "; did you mean %s?", "").text);
    }
    if (parameter)
        sweep_values_release(&parameter->values);
    else
        parameter = sweep_plan_add(plan, name, NULL, err);
    if (!parameter)
        return -1;
    char *without = memory_copy_text(values), *colon = strrchr(without, ':');
    struct error ignored;
    if (colon && sweep_parameter_set_role(parameter, colon + 1, &ignored) == 0)
        *colon = '\0';
    int status = sweep_values_read(without, &parameter->values, err);
    if (status != 0)
        error_wrap(err, "parameter %s, values %s", name, values);
    free(without);
    return status;
}

/// -1 and ERR when two words of the command line give values to one parameter: only one could
/// count.
static int check_once(const struct sweep_request *request, struct error *err)
{
    for (size_t i = 0; i < request->parameters.count; i++) {
        const char *text = request->parameters.values[i];
        size_t n = strcspn(text, "=");
        bool is_twice = request->ranks && n == 1 && text[0] == 'n';
        for (size_t j = 0; j < i && !is_twice; j++)
            is_twice = strncmp(request->parameters.values[j], text, n + 1) == 0;
        if (is_twice)
            return error_set(err, "--parameter %s: there are two parameters %.*s", text, (int)n,
                             text);
    }
    return 0;
}

static int set_parameters(struct sweep_plan *plan, const struct sweep_request *request,
                          struct error *err)
{
    bool has_file = request->file != NULL;
    if (check_once(request, err) != 0)
        return -1;
    if (request->ranks && set_parameter(plan, "n", request->ranks, has_file, err) != 0)
        return -1;
    if (request->ranks && !has_file)
        sweep_parameter_set_role(sweep_plan_find(plan, "n"), "machine", err);
    for (size_t i = 0; i < request->parameters.count; i++) {
        const char *text = request->parameters.values[i];
        const char *equals = strchr(text, '=');
        if (!equals)
            return error_set(err, "--parameter %s: not of the form NAME=VALUE,VALUE,...", text);
        SCOPED char *name = memory_format("%.*s", (int)(equals - text), text);
        int status = set_parameter(plan, name, equals + 1, has_file, err);
        if (status != 0)
            return -1;
    }
    return 0;
}

static int set_conditions(struct sweep_spec *spec, const struct sweep_request *request,
                          struct error *err)
{
    for (size_t i = 0; i < request->skips.count; i++)
        if (sweep_skips_add(&spec->skips, &spec->plan, request->skips.values[i], NULL, err) != 0)
            return error_wrap(err, "--skip");
    for (size_t i = 0; i < request->checkpoints.count; i++)
        if (sweep_checkpoints_add(&spec->checkpoints, request->checkpoints.values[i], err) != 0)
            return error_wrap(err, "--stop-when");
    return 0;
}

static int read_plan(struct sweep_spec *spec, const struct sweep_request *request,
                     struct error *err)
{
    struct sweep_plan *plan = &spec->plan;
    if (request->file && sweep_spec_read(spec, request->file, err) != 0)
        return -1;
    if (!request->file)
        plan->line = words_copy(request->line);
    if (request->is_line_by_line)
        plan->is_line_by_line = true;
    if (request->n_repetitions != UINT64_MAX)
        plan->n_repetitions = request->n_repetitions;
    if (request->batch) {
        free(plan->batch);
        plan->batch = memory_copy_text(request->batch);
    }
    if (plan->batch && strcmp(plan->line[0], "pagoda") == 0)
        return error_set(err, "predictions are no batch jobs: leave out --sbatch");
    if (plan->batch && (request->limit_ns || spec->limit_ns))
        return error_set(err,
                         "--stop-after is for runs one after the other; with --sbatch the options "
                         "of sbatch limit the jobs");
    if (set_parameters(plan, request, err) != 0 || sweep_plan_check(plan, err) != 0 ||
        sweep_check_uses(plan, err) != 0)
        return -1;
    return set_conditions(spec, request, err);
}

/// "runs.sweep/EXPERIMENT" beside "runs.db".
static char *default_dir(const struct sweep_place *place)
{
    size_t length = strlen(place->database);
    if (text_ends_in(place->database, ".db"))
        length -= 3;
    return memory_format("%.*s.sweep/%s", (int)length, place->database, place->experiment);
}

/// The first of the two that is given, else OTHERWISE.
static const char *given(const char *option, const char *in_file, const char *otherwise)
{
    return option ? option : in_file ? in_file : otherwise;
}

/// What is wrong with predictions is found before the first of them. True, or false and ERR.
static bool predictions_are_sound(const struct sweep_request *request,
                                  const struct sweep_spec *spec,
                                  const struct sweep_setting *setting, struct error *err)
{
    if (request->leaves_result || sweep_check_predictions(setting, err) == 0)
        return true;
    if (request->file)
        error_wrap(err, "%s:%u", request->file, spec->run_line);
    return false;
}

/// Runs the points, or looks what is to be run, and reports. Returns the exit status.
static int run_points(const struct sweep_request *request, struct sweep_setting *setting)
{
    struct error err = {{0}};
    SCOPED_BY(sweep_report_release) struct sweep_report report = {0};
    int status = request->is_dry ? sweep_look(setting, &report, &err)
                                 : sweep_carry_out(setting, &report, &err);
    if (status == 0 && request->wants_json)
        sweep_report_print_json(&report, stdout);
    else if (status == 0 && request->is_dry)
        sweep_report_print_points(&report, stdout);
    else if (status == 0)
        sweep_report_print(&report, stdout);
    status = log_outcome(status, false, &err);
    bool has_failed = sweep_report_count(&report, SWEEP_FAILED) > 0 ||
                      sweep_report_count(&report, SWEEP_TOO_LONG) > 0;
    if (status == STATUS_DONE && report.is_interrupted) {
        log_error("interrupted: the same command goes on where it was");
        status = STATUS_FAILED;
    } else if (status == STATUS_DONE && has_failed && !request->is_dry) {
        status = STATUS_UNREADABLE;
    }
    return status;
}

static int carry_out(const struct sweep_request *request, struct sweep_spec *spec)
{
    struct error err = {{0}};
    struct sweep_setting setting = {
        .plan = &spec->plan,
        .skips = &spec->skips,
        .checkpoints = &spec->checkpoints,
        .place = {.database = given(request->database, spec->database, "sweep.db"),
                  .application = given(request->path.application, spec->application, NULL),
                  .experiment = given(request->path.experiment, spec->name, "sweep"),
                  .point_limit_ns =
                      request->point_limit_ns ? request->point_limit_ns : spec->point_limit_ns},
        .limit_ns = request->limit_ns ? request->limit_ns : spec->limit_ns,
        .retries_failed = request->retries_failed,
        .keeps_no_traces = request->keeps_no_traces,
        .arguments = request->arguments,
        .check_replay = replay_check,
    };
    char *dir = request->dir ? memory_copy_text(request->dir) : default_dir(&setting.place);
    setting.place.dir = dir;
    int status = STATUS_USAGE;
    if (!predictions_are_sound(request, spec, &setting, &err))
        log_error("%s", err.text);
    else if (request->leaves_result)
        status =
            log_outcome(sweep_batch_leave(&setting, request->leaves_result, &err), false, &err);
    else
        status = run_points(request, &setting);
    free(dir);
    return status;
}

/// The words after `--` are the launch line; without one, the operand is a sweep file. Options of a
/// launch line before `--` would be taken for ours. 0, or -1 and ERR.
static int read_operands(struct sweep_request *request, char **operands, int n_operands,
                         int n_after_dashes, struct error *err)
{
    if (n_after_dashes == n_operands && n_operands > 0)
        request->line = operands;
    else if (n_after_dashes < 0 && n_operands == 1)
        request->file = operands[0];
    else if (n_operands == 0)
        return error_set(err, "what is to be run? for example: -n 1,2,4 -- mpirun -n {n} ./app");
    else if (n_after_dashes > 0)
        return error_set(err, "either a sweep file or a launch line, not %s and a line",
                         operands[0]);
    else
        return error_set(err, "the launch line comes after --: -- %s ...", operands[0]);
    return 0;
}

/// What follows the command's name, up to NULL; the words stay where they are.
static char **copy_arguments(int argc, char **argv)
{
    char **arguments = memory_zeroed((size_t)argc + 1, sizeof *arguments);
    for (int i = 1; i < argc; i++)
        arguments[i - 1] = argv[i];
    return arguments;
}

int cmd_sweep(int argc, char **argv)
{
    struct sweep_request request = {.n_repetitions = UINT64_MAX};
    const char *as = NULL;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("ranks", 'n', "VALUES", &request.ranks,
                        "values of the parameter n; short for --parameter n=VALUES", NULL),
        OPTION_LIST_ROW("parameter", 'p', "NAME=VALUES", &request.parameters,
                        "a parameter and its values; {NAME} in the launch line is replaced by one",
                        .manual =
                            "`:problem` or `:machine` after the values says that the parameter is "
                            "the size of the problem or of the machine; n is the latter. With a "
                            "sweep file the values replace those of its parameter."),
        OPTION_FLAG_ROW(
            "line-by-line", 0, &request.is_line_by_line,
            "combine the first values of all parameters, then the second ones, and so on"),
        OPTION_COUNT_ROW("repeat", 0, "N", &request.n_repetitions, "run each point N times", "1"),
        OPTION_LIST_ROW("skip", 0, "CONDITION", &request.skips,
                        "leave out points where this holds, such as n*size>100"),
        OPTION_LIST_ROW("stop-when", 0, "CONDITION", &request.checkpoints,
                        "end the sweep when this holds of the results so far",
                        .manual = "CONDITION is as in a <checkpoint> of pagoda-sweep(5)."),
        OPTION_TEXT_ROW("store", 0, "DB", &request.database,
                        "store the runs in this database, created if missing", "sweep.db"),
        OPTION_TEXT_ROW("as", 0, "EXPERIMENT", &as,
                        "experiment the runs belong to, the name of the sweep; APPLICATION/ may "
                        "precede it",
                        "sweep", .manual = "How runs are named is described in pagoda-store(1)."),
        OPTION_TEXT_ROW("output", 'o', "DIR", &request.dir, "write the traces and outputs to DIR",
                        "DB.sweep/EXPERIMENT"),
        OPTION_DURATION_ROW("timeout", 0, "T", &request.point_limit_ns,
                            "end a run that takes longer than T, such as 10min", NULL),
        OPTION_DURATION_ROW("stop-after", 0, "T", &request.limit_ns,
                            "begin no further run after the sweep has lasted T", NULL),
        OPTION_TEXT_ROW("sbatch", 0, "OPTIONS", &request.batch,
                        "run the points as Slurm job arrays with these options of sbatch", NULL,
                        .manual = "{NAME} is replaced by the value of the parameter, as in `-n {n} "
                                  "-t 10`. Points whose options are the same share an array."),
        OPTION_COUNT_ROW("leave-result", 0, "NUMBER", &request.leaves_result, NULL, NULL),
        OPTION_FLAG_ROW("retry", 0, &request.retries_failed,
                        "run the points that failed earlier again"),
        OPTION_FLAG_ROW("remove-traces", 0, &request.keeps_no_traces,
                        "remove each trace after its run is stored"),
        OPTION_FLAG_ROW(
            "dry-run", 0, &request.is_dry, "print the points and their commands; run nothing",
            .manual = "The states are to run, stored, failed, too long and skipped. What can be "
                      "wrong is found as before a real sweep: the options of predictions, the "
                      "machine files and policies they name, and what checkpoints ask for."),
        OPTION_FLAG_ROW("json", 0, &request.wants_json, "print JSON instead of text"),
    };
    static const struct option_group groups[] = {
        {"ranks", "points", NULL},
        {"store", "experiment database", NULL},
        {"timeout", "runs", NULL},
        {"json", "output", NULL},
    };
    SCOPED_BY(options_release)
    const struct option_usage usage = {
        .command = "sweep",
        .operands = "SPEC.xml | -- LAUNCHER...",
        .summary = "Traces, replays and stores a program at all points of a parameter sweep",
        .details = "SPEC.xml is a sweep file, pagoda-sweep(5). LAUNCHER is a launch line with the\n"
                   "names of parameters in braces: mpirun -n {n} ./app {size}. VALUES is a list\n"
                   "of texts and ranges FIRST:LAST:STEP, such as 1,2:8:2. Stored points are\n"
                   "not run again: after an interruption the same command continues.\n",
        OPTIONS_OF(rows),
        OPTION_GROUPS_OF(groups),
    };
    struct sweep_spec spec;
    struct error err = {{0}};
    int n_after_dashes = options_words_after_dashes(argc, argv);
    int first, status;
    sweep_spec_init(&spec);
    request.arguments = copy_arguments(argc, argv); // before they are put in order
    if (!options_parse(&usage, argc, argv, &first, &status))
        ;
    else if (trial_path_read_experiment(&request.path, as, &err) != 0 ||
             read_operands(&request, argv + first, argc - first, n_after_dashes, &err) != 0)
        status = options_usage_error(&usage, "%s", err.text);
    else if (read_plan(&spec, &request, &err) == 0)
        status = carry_out(&request, &spec);
    else if (request.file)
        status = log_outcome(-1, false, &err);
    else
        status = options_usage_error(&usage, "%s", err.text);
    sweep_spec_release(&spec);
    trial_path_release(&request.path);
    free(request.arguments);
    return status;
}
