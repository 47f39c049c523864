// SPDX-License-Identifier: BSD-3-Clause
// `pagoda query`: reads from the command line what to ask of an experiment database.
// query_values.c asks and combines values, report/relation.h prints.
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/cmd/query_values.h"
#include "analyzer/report/relation.h"
#include "db/database.h"
#include "db/names.h"
#include "db/query/query.h"

static const char details[] =
    "DB is an experiment database, as `pagoda replay --store DB` makes it. Without\n"
    "--metric, --property, --findings or --sql the command lists the metrics in DB.\n"
    "A FOCUS is \"< /Code/main.c/(a,b), /Machine, /Process/3 >\", for example. TRIAL is\n"
    "a name, a number, a pattern or PARAMETER=VALUE, as in `pagoda diff`.\n";

static const struct option_group groups[] = {
    {"metric", "values", NULL}, {"trial", "trials", NULL}, {"column", "summary", NULL},
    {"sql", "SQL", NULL},       {"csv", "output", NULL},
};

struct settings {
    struct query_request request;
    struct option_list shown, quantile_texts;
    const char *by, *over, *aggregate, *delta, *sql, *as;
    struct trial_path path; // what `as` says
    bool wants_findings, wants_json, wants_csv;
    struct aggregation aggregation;
    double quantiles[20];
};

// --- reading the command line

/// The place of WORD in NAMES; -1 and ERR.
static int choose(const char *option, const char *word, const char *const *names, size_t n_names,
                  struct error *err)
{
    size_t place = FIND_TEXT(names, n_names, word);
    if (place < n_names)
        return (int)place;
    bool has_none = !*names[0]; // "" stands for the option not given
    char *list = memory_copy_text("");
    for (size_t i = n_names; i-- > 0;) {
        if (!*names[i])
            continue;
        const char *separator = !*list ? "" : i + 2 == n_names ? " or " : ", ";
        char *longer = memory_format("%s%s%s", names[i], separator, list);
        free(list);
        list = longer;
    }
    error_set(
        err, "--%s %s: it is %s%s", option, word, list,
        spelling_hint(word, names + has_none, n_names - has_none, "; did you mean %s?", "").text);
    free(list);
    return -1;
}

static int read_choices(struct settings *settings, struct error *err)
{
    static const char *const by[N_QUERY_BY] = {"trial",   "process", "call-path",  "code",
                                               "machine", "message", "sync-object"};
    static const char *const over[] = {"", "trials", "ranks", "intervals"};
    static const char *const aggregates[] = {"statistics", "list", "cluster"};
    static const char *const origins[] = {"measured", "predicted", "threshold", "interval"};
    const char *origin = settings->request.conditions.origin;
    bool combines = settings->aggregate || settings->quantile_texts.count;
    int by_chosen = 0, over_chosen = combines ? OVER_TRIALS : OVER_NOTHING, chosen = 0;
    if ((origin && choose("origin", origin, origins, 4, err) < 0) ||
        (settings->by && (by_chosen = choose("by", settings->by, by, N_QUERY_BY, err)) < 0) ||
        (settings->over && (over_chosen = choose("over", settings->over, over, 4, err)) < 0) ||
        (settings->aggregate &&
         (chosen = choose("aggregate", settings->aggregate, aggregates, 3, err)) < 0))
        return -1;
    settings->request.by = (enum query_by)by_chosen;
    settings->aggregation.over = settings->request.over = (enum query_over)over_chosen;
    settings->aggregation.aggregate = (enum query_aggregate)chosen;
    return 0;
}

/// A number in the unit of the metric, or a time with its unit.
static int read_delta(const char *text, double *delta, struct error *err)
{
    uint64_t duration_ns;
    if (option_read_number(text, delta, err) == 0)
        return 0;
    if (option_read_duration(text, &duration_ns, err))
        return -1;
    *delta = (double)duration_ns;
    return 0;
}

static int read_numbers(struct settings *settings, struct error *err)
{
    static const double quartiles[] = {0.25, 0.75};
    struct aggregation *aggregation = &settings->aggregation;
    const struct option_list *texts = &settings->quantile_texts;
    struct error why;
    if (settings->delta && read_delta(settings->delta, &aggregation->delta, &why))
        return error_set(err, "--delta %s", why.text);
    aggregation->quantiles = texts->count ? settings->quantiles : quartiles;
    aggregation->n_quantiles = texts->count ? texts->count : 2;
    if (texts->count > sizeof settings->quantiles / sizeof settings->quantiles[0])
        return error_set(err, "there are too many --quantile");
    for (size_t i = 0; i < texts->count; i++)
        if (option_read_number(texts->values[i], &settings->quantiles[i], &why) ||
            settings->quantiles[i] > 1)
            return error_set(err, "--quantile %s: not a number from 0 to 1", texts->values[i]);
    return 0;
}

/// Options that exclude each other, or lack each other.
static const char *contradiction(const struct settings *settings)
{
    const struct query_request *request = &settings->request;
    const struct trial_conditions *conditions = &request->conditions;
    bool shapes = request->focus || request->interval || settings->by || settings->over ||
                  settings->aggregate || settings->shown.count;
    bool selects = conditions->selectors.count || conditions->parameters.count ||
                   conditions->properties.count || conditions->application ||
                   conditions->experiment || conditions->origin || conditions->since ||
                   conditions->until || shapes;
    bool asks = request->metrics.count || request->properties.count;
    if (settings->wants_csv && settings->wants_json)
        return "--csv and --json exclude each other";
    if (settings->wants_findings && (settings->sql || asks || shapes))
        return "--findings goes with options that select trials, and none about values";
    if (settings->sql && (selects || asks))
        return "--sql excludes the options that select: select in SQL";
    if (!asks && selects && !settings->wants_findings)
        return "name what is asked for by --metric, --property or --findings";
    if (settings->aggregation.over == OVER_RANKS && settings->by)
        return "--over ranks summarises the processes of each trial: it excludes --by";
    if (request->over == OVER_INTERVALS && request->interval)
        return "--over intervals covers all of them: it excludes --interval";
    if ((settings->aggregation.aggregate == AGGREGATE_CLUSTER) != (settings->delta != NULL))
        return "--summarize cluster and --delta go together";
    if (settings->quantile_texts.count && settings->aggregation.aggregate != AGGREGATE_STATISTICS)
        return "--quantile goes with --summarize statistics";
    if (settings->shown.count && settings->aggregation.over == OVER_TRIALS)
        return "--column has a value for each trial, --over trials summarises them: they exclude "
               "each other";
    return NULL;
}

/// What is parsed, read and checked. 0, or -1 and ERR.
static int take_settings(struct settings *settings, struct error *err)
{
    struct query_request *request = &settings->request;
    struct trial_conditions *conditions = &request->conditions;
    if (trial_path_read_experiment(&settings->path, settings->as, err))
        return -1;
    conditions->application = settings->path.application;
    conditions->experiment = settings->path.experiment;
    if (read_choices(settings, err) || read_numbers(settings, err))
        return -1;
    if (settings->aggregation.over == OVER_RANKS)
        request->by = QUERY_BY_PROCESS;
    const char *wrong = contradiction(settings);
    return wrong ? error_set(err, "%s", wrong) : 0;
}

static bool read_settings(int argc, char **argv, struct settings *settings, const char **path,
                          int *status)
{
    struct query_request *request = &settings->request;
    struct trial_conditions *conditions = &request->conditions;
    const struct option_row rows[] = {
        OPTION_LIST_ROW("metric", 'm', "NAME", &request->metrics,
                        "values of this metric, or of all that match a pattern",
                        .manual = "A pattern is a glob, such as `*.wait_ns`."),
        OPTION_LIST_ROW("property", 0, "ID", &request->properties,
                        "severity, confidence, count and time of this wait state",
                        .manual = "The confidence is the mean of its instances."),
        OPTION_FLAG_ROW("findings", 0, &settings->wants_findings,
                        "what the lost time of each trial comes from, by cause",
                        .manual =
                            "For each finding: kind, place, the ranks that cause it, the time "
                            "of all ranks that it costs, the call path and ranks that wait, "
                            "how sure that is, and what the best remedy saves."),
        OPTION_TEXT_ROW("focus", 'f', "FOCUS", &request->focus, "only values within this focus",
                        "the whole program",
                        .manual = "FOCUS is in resource normal form, pagoda-store(5). Hierarchies "
                                  "that are left out are whole. /SyncObject and hierarchies of "
                                  "your own have values only where they are named."),
        OPTION_TEXT_ROW("by", 0, "process|call-path|code|machine|message|sync-object",
                        &settings->by, "one value for each of these", "one for each trial",
                        .manual =
                            "code is the function, machine the node, message the pair of ranks, "
                            "sync-object the communicator or the tag of messages."),
        OPTION_TEXT_ROW(
            "interval", 0, "NAME", &request->interval, "only values of this interval", NULL,
            .manual = "Examples are run, and window, which is between MPI_Init and MPI_Finalize. "
                      "Default: of each trial the first interval that has values."),
        OPTION_LIST_ROW("trial", 't', "TRIAL", &conditions->selectors,
                        "only these trials, chosen as in pagoda diff"),
        OPTION_TEXT_ROW(
            "as", 0, "EXPERIMENT", &settings->as,
            "only trials of experiments that match this pattern; APPLICATION/ may precede it", NULL,
            .manual = "How trials are named is described in pagoda-store(1)."),
        OPTION_TEXT_ROW("origin", 0, "measured|predicted|threshold|interval", &conditions->origin,
                        "only trials of this origin", NULL),
        OPTION_LIST_ROW("parameter", 'p', "CONDITION", &conditions->parameters,
                        "only trials with this parameter: size, 'size==64 && n>4'",
                        .manual = "It may also be a version or a variable of the environment. "
                                  "pagoda-conditions(7) has the operators; numbers compare as "
                                  "numbers."),
        OPTION_TEXT_ROW("since", 0, "DATE", &conditions->since,
                        "only runs that began at this date or later (UTC)", NULL,
                        .manual = "A date is 2026-11-21 or 2026-11-21T05:52. Of runs without a "
                                  "date the day they were stored counts."),
        OPTION_TEXT_ROW("until", 0, "DATE", &conditions->until,
                        "only runs that began at this date or earlier", NULL,
                        .manual = "A day counts whole."),
        OPTION_LIST_ROW(
            "with", 0, "CONDITION", &conditions->properties,
            "only trials with this wait state, such as late-sender or 'late-sender>=0.05'",
            .manual = "The number is compared with the severity in the whole program."),
        OPTION_LIST_ROW("column", 0, "NAME", &settings->shown,
                        "add a column with this parameter of each trial"),
        OPTION_TEXT_ROW("over", 0, "trials|ranks|intervals", &settings->over,
                        "combine values that differ only in this", NULL,
                        .manual = "ranks are the processes of each trial."),
        OPTION_TEXT_ROW(
            "summarize", 0, "statistics|list|cluster", &settings->aggregate,
            "how --over combines values", "statistics",
            .manual = "statistics: smallest, largest, mean, median, standard deviation of the "
                      "sample, quartiles. list: the values side by side. cluster: values near each "
                      "other in a row with their mean. list and cluster name the trials, ranks or "
                      "intervals. Without --over values are combined over trials."),
        OPTION_TEXT_ROW("delta", 0, "D", &settings->delta,
                        "values in one cluster differ by at most D", NULL,
                        .manual = "D is in the unit of the metric, or a time such as 10us."),
        OPTION_LIST_ROW("quantile", 0, "F", &settings->quantile_texts,
                        "print this quantile instead of the quartiles 0.25 and 0.75",
                        .manual = "F is from 0 to 1."),
        OPTION_TEXT_ROW(
            "sql", 0, "TEXT", &settings->sql, "run this SQL query, which can only read", NULL,
            .manual = "The tables and views are in pagoda-store(5). The query may take 60 s of "
                      "processor time and 512 MiB of memory; a longer one is for sqlite3(1)."),
        OPTION_FLAG_ROW("csv", 0, &settings->wants_csv, "print CSV instead of a table",
                        .manual =
                            "It has exact numbers and follows RFC 4180. A text that a spreadsheet "
                            "would take for a formula has an apostrophe before it."),
        OPTION_FLAG_ROW("json", 0, &settings->wants_json, "print JSON instead of a table",
                        .manual = "An object with schema (1), database, columns, and rows: objects "
                                  "with a value or null by column."),
    };
    const struct option_usage usage = {
        .command = "query",
        .operands = "DB",
        .summary = "Prints values of stored runs, one by one or summarised",
        .details = details,
        OPTIONS_OF(rows),
        OPTION_GROUPS_OF(groups),
    };
    int first;
    if (!options_parse(&usage, argc, argv, &first, status))
        return false;
    *path = argv[first];
    struct error wrong = {{0}};
    if (take_settings(settings, &wrong) == 0)
        return true;
    *status = options_usage_error(&usage, "%s", wrong.text);
    return false;
}

// --- the three kinds of question

static void add_sql_columns(void *user, const char *const *names, size_t n_columns)
{
    for (size_t i = 0; i < n_columns; i++)
        relation_add_column(user, names[i]);
}

static void add_sql_row(void *user, const struct sql_value *values, size_t n_columns)
{
    for (size_t i = 0; i < n_columns; i++) {
        if (values[i].kind == SQL_TEXT)
            relation_add_text(user, values[i].text);
        else if (values[i].kind == SQL_INTEGER)
            relation_add_integer(user, values[i].integer);
        else if (values[i].kind == SQL_NUMBER)
            relation_add_number(user, values[i].number);
        else
            relation_add_null(user);
    }
}

/// What can be asked.
static int list_metrics(struct database *database, struct relation *relation, struct error *err)
{
    relation_add_columns(relation, "metric", "unit", "adds up over", "description");
    size_t n;
    struct query_metric *metrics = query_metrics(database, "*", &n, err);
    for (size_t i = 0; i < n; i++) {
        relation_add_text(relation, metrics[i].name);
        relation_add_text(relation, metrics[i].unit);
        relation_add_text(relation, metrics[i].adds_up_over);
        relation_add_text(relation, metrics[i].description);
    }
    database_rows_free(metrics, n, QUERY_METRIC_LETTERS);
    return metrics ? 0 : -1;
}

static int ask_values(struct database *database, const struct settings *settings,
                      struct relation *relation, struct error *err)
{
    SCOPED_BY(found_values_release)
    struct found_values found = {.attribute_names = settings->shown.values,
                                 .n_attributes = settings->shown.count};
    int status = query_find(database, &settings->request, &found, err);
    if (status == 0)
        values_to_rows(&found, &settings->aggregation, relation);
    return status;
}

/// SQL for the findings of the trials that CONDITIONS select, by trial, the most promising first.
/// The caller frees. NULL and ERR.
static char *findings_sql(const char *path, const struct trial_conditions *conditions,
                          struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    struct trial_group trials;
    if (database_open_snapshot(&database, path, err) ||
        trial_selection_find(database, conditions, &trials, err))
        return NULL;
    char *sql = memory_copy_text(
        "SELECT application || '/' || experiment || '/' || trial AS trial, kind, name AS finding, "
        "place, ranks, loss_ns, share, waiting, waiting_ranks, confidence, remedy, gain_ns "
        "FROM findings WHERE trial_id IN (");
    for (size_t i = 0; i < trials.n_ids; i++)
        text_append(&sql, "%s%" PRId64, i > 0 ? "," : "", trials.ids[i]);
    text_append(&sql, ") ORDER BY trial_id, number");
    trial_group_release(&trials);
    return sql;
}

static int answer(const char *path, const struct settings *settings, struct relation *relation,
                  struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    SCOPED char *found =
        settings->wants_findings ? findings_sql(path, &settings->request.conditions, err) : NULL;
    if (settings->wants_findings && !found)
        return -1;
    if (settings->sql || found) {
        const struct sql_consumer consumer = {add_sql_columns, add_sql_row, relation};
        return sql_query(path, found ? found : settings->sql, &sql_default_limits, &consumer, err);
    }
    if (database_open_snapshot(&database, path, err))
        return -1;
    bool asks = settings->request.metrics.count || settings->request.properties.count;
    return asks ? ask_values(database, settings, relation, err)
                : list_metrics(database, relation, err);
}

int cmd_query(int argc, char **argv)
{
    struct settings settings = {0};
    SCOPED_BY(relation_release) struct relation relation = {0};
    struct error err;
    const char *path;
    int status;
    if (read_settings(argc, argv, &settings, &path, &status)) {
        int failed = answer(path, &settings, &relation, &err);
        if (failed == 0 && settings.wants_json)
            relation_print_json(&relation, "database", path, stdout);
        else if (failed == 0 && settings.wants_csv)
            relation_print_csv(&relation, stdout);
        else if (failed == 0)
            relation_print_text(&relation, stdout);
        status = log_outcome(failed, false, &err);
    }
    trial_path_release(&settings.path);
    options_list_release(&settings.request.metrics);
    options_list_release(&settings.request.properties);
    options_list_release(&settings.request.conditions.selectors);
    options_list_release(&settings.request.conditions.parameters);
    options_list_release(&settings.request.conditions.properties);
    options_list_release(&settings.shown);
    options_list_release(&settings.quantile_texts);
    return status;
}
