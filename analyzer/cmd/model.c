// SPDX-License-Identifier: BSD-3-Clause
// `pagoda model`: reads series of measured values from a table or a database, has formulas fitted
// to them, prints what they predict, or how accurate predictions were; or reads a model file and
// prints what it predicts.
#include "analyzer/cmd/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/calibrate/communication.h"
#include "analyzer/cmd/compared_traces.h"
#include "analyzer/compare/back_test.h"
#include "analyzer/model/model_table.h"
#include "analyzer/report/report.h"
#include "analyzer/tasks/task_model.h"
#include "db/database.h"
#include "db/names.h"

struct request {
    struct model_choice choice;
    struct option_list points, by;
    uint64_t top;
    bool wants_errors, wants_json;
    const char *machine, *rows, *solve, *where; // of a model file
};

static const char details[] =
    "DB is an experiment database. TRIALS selects trials as in `pagoda scaling`;\n"
    "without it, all measured trials are used. One formula is fitted to the run time,\n"
    "and one to the time of each region and each wait state; or to those of a metric.\n"
    "TABLE is CSV with a header: an optional column series, a column for each\n"
    "parameter, and value last. Repetitions are further rows. A row without a value\n"
    "asks for a prediction of its series at that point.\n"
    "TRACE is a recorded run: the times of its messages and collective operations are\n"
    "modelled by ranks (p) and bytes (b).\n"
    "MODEL is an XML file that describes a program as tasks with formulas, or the\n"
    "name of a bundled one (`pagoda explain models`). The command prints how long the\n"
    "tasks take, and the best sizes of groups of ranks.\n";

/// The trials and, where predictions are asked for, how right those of models were.
static int read_trials(const char *path, const struct request *request, struct model_table *table,
                       struct back_test *test, struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    if (database_open_snapshot(&database, path, err))
        return -1;
    int status = model_trials_read(database, &request->choice, table, err);
    if (status == 0 && table->n_left_out > 0)
        log_warning("%zu of %s %s no values of %s and %s left out", table->n_left_out,
                    quantity_count(table->n_left_out + table->n_trials, "trial").text,
                    table->n_left_out == 1 ? "has" : "have", table->metric,
                    table->n_left_out == 1 ? "is" : "are");
    if (status == 0 && request->points.count > 0 && !table->metric)
        status = back_test_read(database, NULL, NULL, BACK_TEST_MODELS, test, err);
    return status;
}

static int print(const struct model_table *table, const struct request *request, size_t n_fitted,
                 const char *path, struct error *err)
{
    if (n_fitted == 0 && table->n_series == 1)
        return error_set(err, "%s: %s", path, table->series[0].reason);
    if (n_fitted == 0)
        return error_set(err, "%s: none of %zu series has a model; of the first: %s", path,
                         table->n_series, table->series[0].reason);
    if (n_fitted < table->n_series)
        log_warning("%zu of %zu series have no model, as the report says",
                    table->n_series - n_fitted, table->n_series);
    if (request->wants_json)
        json_print_models(table, stdout);
    else
        text_print_models(table, request->top, stdout);
    return 0;
}

/// What messages and collective operations of PATH and the other operands, all traces, took.
static int read_traces(const char *path, const struct request *request, struct model_table *table,
                       bool *is_unreadable, struct error *err)
{
    SCOPED_BY(communication_leave) struct communication *communication = communication_new();
    for (size_t i = 0; i <= request->choice.n_selectors; i++) {
        const char *trace = i == 0 ? path : request->choice.selectors[i - 1];
        struct communication_flaws flaws;
        if (communication_read(communication, trace, &flaws, err) != 0)
            return -1;
        if (flaws.is_unreadable)
            log_warning("%s: parts of the trace cannot be read: their messages are missing", trace);
        *is_unreadable |= flaws.is_unreadable;
        if (flaws.n_violations > 0)
            log_warning("%s: %s before it was sent, as the clocks have it: times of messages "
                        "between nodes are as wrong as these",
                        trace, quantity_count(flaws.n_violations, "message came").text);
    }
    return communication_table(communication, table, err) ? error_wrap(err, "%s", path) : 0;
}

/// The operand PATH, and what follows it, as a table.
static int read_series(const char *path, const struct request *request, struct model_table *table,
                       struct back_test *test, bool *is_unreadable, struct error *err)
{
    const struct model_choice *choice = &request->choice;
    bool has_traces = is_trace(path);
    if (database_is_file(path))
        return read_trials(path, request, table, test, err);
    if ((choice->n_selectors && !has_traces) || request->by.count || choice->by_call_path ||
        choice->metric)
        return error_set(err,
                         "%s is a %s; trials, --by, --call-paths and --metric are for a database",
                         path, has_traces ? "trace" : "table");
    return has_traces ? read_traces(path, request, table, is_unreadable, err)
                      : model_table_read(table, path, err);
}

static int run_model(const char *path, struct request *request)
{
    SCOPED_BY(model_table_release) struct model_table table = {0};
    SCOPED_BY(back_test_release) struct back_test test = {0};
    struct error err;
    bool is_unreadable = false;
    int status = read_series(path, request, &table, &test, &is_unreadable, &err);
    for (size_t i = 0; i < request->points.count && status == 0; i++)
        status = model_table_ask(&table, request->points.values[i], &err);
    if (status == 0) {
        size_t n_fitted = model_table_fit(&table);
        past_errors_of_models(&test, &table);
        status = print(&table, request, n_fitted, path, &err);
    }
    return log_outcome(status, is_unreadable, &err);
}

/// How right predictions in the database PATH were.
static int run_errors(const char *path, const struct request *request)
{
    struct database *database;
    struct back_test test;
    struct error err;
    int status = database_open_snapshot(&database, path, &err);
    if (status == 0) {
        status = back_test_read(database, request->choice.application, request->choice.experiment,
                                BACK_TEST_STORED | BACK_TEST_MODELS, &test, &err);
        database_close(database);
    }
    if (status == 0) {
        past_errors_of_kinds(&test);
        if (request->wants_json)
            json_print_back_test(&test, stdout);
        else
            text_print_back_test(&test, stdout);
        back_test_release(&test);
    }
    return log_outcome(status, false, &err);
}

// --- model files

/// A model file ends in .xml; what has neither folder nor ending and is not a file is a bundled
/// one.
static bool is_model_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? strcmp(dot, ".xml") == 0 : !strchr(path, '/') && access(path, F_OK) != 0;
}

/// The answer at the point TEXT, and with --solve the solution there.
static int ask(struct task_model *model, const char *text, const struct task_rows *rows,
               const struct request *request, struct task_answer *answer,
               struct task_solution *solution, struct error *err)
{
    struct task_point point;
    if (task_point_read(&point, model, text, err))
        return -1;
    point.rows = request->rows ? rows : NULL;
    if (request->solve && task_solve(&point, request->solve, request->where, solution, err))
        return -1;
    return task_answer(answer, &point, err);
}

static int ask_all(struct task_model *model, const struct task_rows *rows,
                   const struct request *request, struct error *err)
{
    size_t n = request->points.count ? request->points.count : 1, n_answers = 0;
    SCOPED struct task_answer *answers = memory_zeroed(n, sizeof *answers);
    SCOPED struct task_solution *solutions = memory_zeroed(n, sizeof *solutions);
    int status = 0;
    for (; n_answers < n && status == 0; n_answers += status == 0)
        status = ask(model, request->points.count ? request->points.values[n_answers] : "", rows,
                     request, &answers[n_answers], &solutions[n_answers], err);
    if (status == 0 && request->wants_json)
        json_print_task_answers(answers, n, request->solve ? solutions : NULL, stdout);
    else if (status == 0)
        text_print_task_answers(answers, n, request->solve ? solutions : NULL, request->top,
                                stdout);
    while (n_answers > 0)
        task_answer_release(&answers[--n_answers]);
    return status;
}

static int run_tasks(const char *path, const struct request *request)
{
    SCOPED_BY(machine_release) struct machine machine = {0};
    SCOPED_BY(task_model_release) struct task_model model = {0};
    SCOPED_BY(task_rows_release) struct task_rows rows = {0};
    struct error err;
    int status = request->machine ? machine_read(&machine, request->machine, &err) : 0;
    if (status == 0)
        status = task_model_read(&model, path, request->machine ? &machine : NULL, &err);
    for (size_t i = 0; i < words_count(model.notes); i++)
        log_warning("%s", model.notes[i]);
    if (status == 0 && request->rows)
        status = task_rows_read(&rows, &model, request->rows, &err);
    if (status == 0)
        status = ask_all(&model, &rows, request, &err);
    return log_outcome(status, false, &err);
}

/// Does what REQUEST asks of the N OPERANDS.
static int run(int n, char **operands, struct request *request, const struct option_usage *usage)
{
    bool is_file = !request->wants_errors && is_model_file(operands[0]);
    bool has_trials = n > 1 || request->by.count;
    if (!is_file && (request->machine || request->rows || request->solve || request->where))
        return options_usage_error(usage, "--machine, --rows, --solve and --where are for a MODEL");
    if (is_file && (has_trials || request->choice.by_call_path || request->choice.experiment ||
                    request->choice.metric))
        return options_usage_error(usage, "a MODEL takes neither trials, --as, --by, --call-paths "
                                          "nor --metric");
    if (!request->solve != !request->where)
        return options_usage_error(usage, "--solve and --where need each other");
    if (request->wants_errors && (has_trials || request->points.count || request->choice.metric))
        return options_usage_error(usage, "--errors takes neither trials, --at, --by nor --metric");
    if (is_file)
        return run_tasks(operands[0], request);
    request->choice.selectors = operands + 1;
    request->choice.n_selectors = (size_t)(n - 1);
    request->choice.by = &request->by;
    return request->wants_errors ? run_errors(operands[0], request)
                                 : run_model(operands[0], request);
}

int cmd_model(int argc, char **argv)
{
    const char *as = NULL;
    SCOPED_BY(trial_path_release) struct trial_path experiment = {0};
    struct error err;
    struct request request = {.top = 12};
    const struct option_row rows[] = {
        OPTION_LIST_ROW(
            "at", 0, "NAME=VALUE,...", &request.points, "predict each series at this point",
            .manual = "All parameters need a value. It may have a unit of time or size, "
                      "as may those of the data; they then count as seconds or bytes."),
        OPTION_TEXT_ROW("as", 0, "EXPERIMENT", &as,
                        "only trials of this experiment; APPLICATION/ may precede it", NULL),
        OPTION_LIST_ROW("by", 0, "ranks|NAME", &request.by,
                        "model by this parameter of the trials (default: all that vary)",
                        .manual = "A parameter that has one value only for each value of the ones "
                                  "before it, such as a size that grows with the ranks, tells "
                                  "nothing more and is left out."),
        OPTION_FLAG_ROW("call-paths", 0, &request.choice.by_call_path,
                        "model each call path instead of each region"),
        OPTION_FLAG_ROW("errors", 0, &request.wants_errors,
                        "show how accurate the stored predictions were, of runs measured later",
                        .manual = "Of all of DB, or of an experiment (--as); see ERRORS."),
        OPTION_TEXT_ROW("machine", 0, "FILE", &request.machine,
                        "machine whose costs the formulas of MODEL use", NULL,
                        .manual = "A machine file, or the name of a bundled one; "
                                  "see pagoda-machine(5)."),
        OPTION_TEXT_ROW("metric", 0, "NAME", &request.choice.metric,
                        "model this metric of the trials instead of their time", NULL,
                        .manual = "`pagoda query` lists the metrics; see Metrics."),
        OPTION_TEXT_ROW("rows", 0, "TABLE", &request.rows,
                        "CSV file with the rows that tasks of MODEL sum over", NULL),
        OPTION_TEXT_ROW(
            "solve", 0, "NAME=LOW:HIGH", &request.solve,
            "find the values of this parameter of MODEL, within the range, at which --where holds",
            NULL),
        OPTION_TEXT_ROW("where", 0, "CONDITION", &request.where,
                        "what --solve looks for, such as \"communication <= 0.2\"", NULL),
        THREADS_ROW,
        OPTION_COUNT_ROW("top", 0, "N", &request.top, "show N series or tasks", "12"),
        OPTION_FLAG_ROW("json", 0, &request.wants_json, "print JSON instead of text"),
    };
    SCOPED_BY(options_release)
    const struct option_usage usage = {
        .command = "model",
        .operands = "DB [TRIALS...] | TABLE | TRACE... | MODEL",
        .summary = "Fits formulas to measured values and predicts those at other sizes",
        .details = details,
        OPTIONS_OF(rows),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (trial_path_read_experiment(&experiment, as, &err))
        return options_usage_error(&usage, "%s", err.text);
    request.choice.application = experiment.application;
    request.choice.experiment = experiment.experiment;
    return run(argc - first, argv + first, &request, &usage);
}
