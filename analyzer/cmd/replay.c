// SPDX-License-Identifier: BSD-3-Clause
// `pagoda replay TRACE`: replays an archive once, forward, and reports where the time went; with
// --store it keeps the result as well, with what-if options it predicts other runs. Nothing is
// computed here: replay_run.c makes the passes, whatif/whatif.c the predictions.
#include "analyzer/cmd/commands.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/cmd/stored_trials.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/properties/hierarchy.h"
#include "analyzer/replay/interval.h"
#include "analyzer/replay/named_values.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/report/report.h"
#include "analyzer/result/properties/metrics.h"
#include "analyzer/result/properties/property_search.h"
#include "analyzer/result/views/child_paths.h"
#include "analyzer/result/views/groups.h"
#include "analyzer/result/views/single_waits.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/spread/spread.h"
#include "analyzer/whatif/options.h"
#include "analyzer/whatif/placement_search.h"
#include "analyzer/whatif/whatif.h"
#include "db/store.h"

/// What the command line asks for.
struct replay_request {
    const char *trace;
    bool wants_json, wants_ideal;
    struct text_options text;
    struct option_list pattern_files, intervals;
    const char *database; // NULL: the result is not kept
    const char *errors;   // a database of past predictions, NULL: `database`
    const char *explain;  // RANK@TIME, NULL: the whole report
    struct pag_moment moment;
    const char *paths;      // a region, NULL: the whole report
    const char *waits;      // a condition, NULL: the whole report
    const char *properties; // a hierarchy, NULL: the whole report
    bool keeps_all;         // properties that pruning would leave out
    const char *timeline;   // run, judged or FROM:TO, NULL: the whole report
    const char *group;      // NULL: no groups
    struct grouping grouping;
    const char *out; // NULL: the predicted run is not written
    const char *as;
    struct trial_path path;        // what it says
    struct option_list parameters; // NAME=VALUE
    struct option_list predicted_parameters;
    struct whatif_options whatif;
    struct advice_word *words; // these
    size_t n_words;
};

/// All that comes of it.
struct replay_outcome {
    struct catalogue *catalogue;
    struct whatif_plan plan;
    struct property_search search; // of --properties, its hierarchy in the catalogue
    struct replay_run measured;
    struct past_predictions past;
    struct whatif_report predicted;
    struct timeline *predicted_timeline; // NULL: not asked for
    char **places;                       // of --map auto
    size_t n_places;
    bool is_whatif;
};

/// A part of a run that --timeline names.
struct time_window {
    uint64_t begin_ns, end_ns;
};

/// The parameters of the run, then the first N_PREDICTED of the predictions only. The caller
/// releases the list.
static struct option_list all_parameters(const struct replay_request *request, size_t n_predicted)
{
    struct option_list all = {0};
    options_list_append(&all, request->parameters.values, request->parameters.count);
    options_list_append(&all, request->predicted_parameters.values, n_predicted);
    return all;
}

static int check_store(const struct replay_request *request, struct error *err)
{
    SCOPED_BY(options_list_release)
    struct option_list all = all_parameters(request, request->predicted_parameters.count);
    if (!request->database && (request->as || all.count > 0))
        return error_set(err, "--as and --parameter name what --store DB keeps");
    return named_values_check("parameter", &request->parameters, err) == 0
               ? named_values_check("prediction-parameter", &all, err)
               : -1;
}

/// Intervals are of the measured run, and nothing but that.
static int check_intervals(const struct replay_request *request, struct error *err)
{
    bool is_more = request->wants_ideal || request->out || request->n_words > 0;
    if (request->intervals.count > 0 && is_more)
        return error_set(err, "--interval is of the measured run: it goes without what-if options, "
                              "--ideal and --output");
    return intervals_check(&request->intervals, err) == 0 ? 0 : error_wrap(err, "--interval");
}

/// Reads RANK@TIME. 0, or -1 and ERR: it is none.
static int read_moment(const char *text, struct pag_moment *moment, struct error *err)
{
    SCOPED char *rank = memory_copy_text(text);
    char *at = strchr(rank, '@');
    uint64_t number = 0;
    struct error why = {{0}};
    if (at)
        *at++ = '\0';
    bool is_read = at && option_read_count(rank, &number, &why) == 0 && number < UINT32_MAX &&
                   option_read_duration(at, &moment->time_ns, &why) == 0;
    moment->rank = (uint32_t)number;
    return is_read ? 0
                   : error_set(err, "--explain: `%s` is not a RANK@TIME, such as 3@1.5s%s%s", text,
                               why.text[0] ? "; " : "", why.text);
}

/// Whether one view of the measured run is all that is printed.
static bool wants_view(const struct replay_request *request)
{
    return request->explain || request->paths || request->waits;
}

/// Properties are of the measured run, and all that is printed.
static int check_properties(const struct replay_request *request, struct error *err)
{
    bool is_more = request->out || request->n_words > 0 || request->group ||
                   request->intervals.count > 0 || wants_view(request);
    if (request->properties && is_more)
        return error_set(err, "--properties is of the measured run: it goes without what-if "
                              "options, --explain, --paths, --list-waits, --group, --interval "
                              "and --output");
    return request->properties || !request->keeps_all
               ? 0
               : error_set(err, "--no-prune goes with --properties");
}

/// A view is of the measured run, too, and alone.
static int check_view(struct replay_request *request, struct error *err)
{
    bool is_more = request->wants_ideal || request->out || request->n_words > 0 ||
                   request->database || request->intervals.count > 0;
    int n_views = !!request->explain + !!request->paths + !!request->waits;
    if (n_views > 1 || (n_views == 1 && is_more))
        return error_set(err,
                         "%s is of the measured run: it goes alone, without what-if options, "
                         "--ideal, --interval, --store and --output",
                         request->explain ? "--explain"
                         : request->paths ? "--paths"
                                          : "--list-waits");
    if (request->waits && single_waits_check(request->waits, err) != 0)
        return error_wrap(err, "--list-waits");
    return request->explain ? read_moment(request->explain, &request->moment, err) : 0;
}

/// Reads what --timeline says: WINDOW of RESULT, or of any run if that is NULL.
static int read_window(const char *text, const struct result *result, struct time_window *window,
                       struct error *err)
{
    struct error why = {{0}};
    *window = (struct time_window){0, result ? result->time_ns : UINT64_MAX};
    if (strcmp(text, "run") == 0)
        return 0;
    if (strcmp(text, "judged") == 0) {
        if (result && result->window_end_ns > result->window_begin_ns)
            *window = (struct time_window){result->window_begin_ns, result->window_end_ns};
        return 0;
    }
    char *begin = memory_copy_text(text), *end = strchr(begin, ':');
    if (end)
        *end++ = '\0';
    bool is_read = end && option_read_duration(begin, &window->begin_ns, &why) == 0 &&
                   option_read_duration(end, &window->end_ns, &why) == 0 &&
                   window->begin_ns < window->end_ns;
    free(begin);
    if (!is_read)
        return error_set(err, "--timeline: `%s` is not run, judged or FROM:TO, such as 1s:1.5s",
                         text);
    if (result && window->begin_ns >= result->time_ns)
        return error_set(err, "--timeline %s: the run ends at %s", text,
                         quantity_time(result->time_ns).text);
    return 0;
}

/// A timeline is all that is printed, of the measured run and of one predicted one.
static int check_timeline(const struct replay_request *request,
                          const struct replay_outcome *outcome, struct error *err)
{
    struct time_window window;
    if (!request->timeline)
        return 0;
    if (request->wants_ideal || wants_view(request) || request->properties || request->group ||
        request->intervals.count > 0)
        return error_set(err,
                         "--timeline is all that is printed: it goes without --ideal, --explain, "
                         "--paths, --list-waits, --properties, --group and --interval");
    if (outcome->is_whatif && (outcome->plan.is_list || outcome->plan.estimate))
        return error_set(err, "--timeline shows one prediction, of what each rank does: neither a "
                              "list of values nor an estimate");
    return read_window(request->timeline, NULL, &window, err);
}

static int check_group(struct replay_request *request, struct error *err)
{
    if (!request->group)
        return 0;
    if (wants_view(request) || request->n_words > 0)
        return error_set(err, "--group: it goes without what-if options, --explain, --paths and "
                              "--list-waits");
    return grouping_read(request->group, &request->grouping, err) == 0 ? 0
                                                                       : error_wrap(err, "--group");
}

static int read_plan(const struct replay_request *request, struct replay_outcome *outcome,
                     struct error *err)
{
    const struct whatif_plan *plan = &outcome->plan;
    outcome->is_whatif = request->n_words > 0;
    if (!outcome->is_whatif && request->errors)
        return error_set(err, "--errors FILE tells how right predictions were: say by what-if "
                              "options what to predict");
    if (!outcome->is_whatif && request->out)
        return error_set(err, "--output DIR writes a predicted run: say by what-if options what is "
                              "different in it");
    if (!outcome->is_whatif)
        return 0;
    if (whatif_plan_read(&outcome->plan, request->words, request->n_words, err) != 0)
        return -1;
    return !request->out || (!plan->is_list && !plan->estimate)
               ? 0
               : error_set(err,
                           plan->is_list
                               ? "--output DIR writes one predicted run, not one for each value of "
                                 "a list"
                               : "--output DIR cannot write what --%s predicts: its messages are "
                                 "not those of the trace",
                           plan->estimate);
}

/// Whether the options fit together. 0, or -1 and ERR.
static int check_request(struct replay_request *request, struct replay_outcome *outcome,
                         struct error *err)
{
    return check_store(request, err) || check_intervals(request, err) ||
                   check_properties(request, err) || check_view(request, err) ||
                   check_group(request, err) || read_plan(request, outcome, err) ||
                   check_timeline(request, outcome, err)
               ? -1
               : 0;
}

enum { MAX_REPORT_ROWS = 18 };

/// Puts the rows about the report into ROWS; how many.
static size_t put_report_rows(struct replay_request *request, struct option_row *rows)
{
    const struct option_row own_rows[] = {
        OPTION_FLAG_ROW("json", 0, &request->wants_json, "print JSON (schema 1) instead of text",
                        .manual =
                            "It has all rows: --depth, --top and --all concern the text only."),
        OPTION_COUNT_ROW("depth", 0, "N", &request->text.depth, "show N levels of the call tree",
                         "4", .least = 1),
        OPTION_COUNT_ROW(
            "top", 0, "N", &request->text.top, "show N rows of a table", "12", .least = 1,
            .manual = "Of the call tree these are the paths with the largest inclusive time."),
        OPTION_FLAG_ROW(
            "all", 0, &request->text.shows_all, "show details of every wait state, however small",
            .manual =
                "Without it wait states below 0.5 % of the run time of all ranks have no details."),
        OPTION_FLAG_ROW("ideal", 0, &request->wants_ideal,
                        "split communication into serialisation and transfer",
                        .manual = "Section The ideal network says how."),
        OPTION_LIST_ROW(
            "patterns", 0, "FILE", &request->pattern_files,
            "also look for what FILE defines: patterns, a kind of findings, properties, metrics",
            .manual = "What has the id of a shipped one replaces it."),
        OPTION_LIST_ROW("interval", 0, "WHAT", &request->intervals,
                        "report on this part of the run only: 1s:2s, REGION, REGION#3, REGION#*",
                        .manual = "Section Intervals says what an interval is."),
        OPTION_TEXT_ROW(
            "paths", 0, "REGION", &request->paths,
            "list the distinct sequences of calls that the visits of REGION make", NULL,
            .manual = "Instead of the report: how often each sequence of child calls occurs, "
                      "and the total, mean, least and largest time of these visits. A visit "
                      "within another one is part of it; calls of one function in a row are "
                      "one item. At most 1024 sequences have a row each, with up to 64 items."),
        OPTION_TEXT_ROW("list-waits", 0, "COND", &request->waits,
                        "list single waits: wait>=1ms && rank==0-3", NULL,
                        .manual = "Instead of the report, the waits that the condition selects; "
                                  "section Single waits says how it is written."),
        OPTION_TEXT_ROW(
            "properties", 0, "HIERARCHY", &request->properties,
            "list critical properties: message-passing, threads, mixed, or a hierarchy of "
            "--patterns",
            NULL,
            .manual = "Instead of the report; pagoda-patterns(5) describes properties and "
                      "hierarchies. Properties of --patterns that the hierarchy does not have are "
                      "evaluated as well. With --store they are kept; what earlier trials of the "
                      "application had is evaluated first, and the report says what changed since "
                      "the last one."),
        OPTION_FLAG_ROW("no-prune", 0, &request->keeps_all,
                        "with --properties: evaluate all, critical or not",
                        .manual = "Without it a property that is not critical somewhere is not "
                                  "looked for within, nor are those below it."),
        OPTION_TEXT_ROW(
            "timeline", 0, "WHEN", &request->timeline,
            "draw the ranks over time: run, judged or FROM:TO", NULL,
            .manual =
                "Instead of the report: a row of letters for each rank. A letter is what most "
                "of its time is; more than 32 ranks share rows. With what-if options the predicted "
                "run follows. With --json each rank has its shares of 100 equal parts of the time. "
                "pagoda-export(1) makes a picture to zoom into."),
        OPTION_TEXT_ROW("group", 0, "WHAT", &request->group,
                        "group ranks by node, machine, program, N, or 0,1-4", NULL,
                        .manual = "Section Groups of ranks says where."),
        OPTION_TEXT_ROW("explain", 0, "RANK@TIME", &request->explain,
                        "explain what a rank does then, or waits for: 3@1.5s", NULL,
                        .manual = "Section Explaining a moment says what the output means."),
        THREADS_ROW,
    };
    size_t n = sizeof own_rows / sizeof own_rows[0];
    assert(n <= MAX_REPORT_ROWS && "bug: more rows than there is room for");
    memcpy(rows, own_rows, sizeof own_rows);
    return n;
}

/// What is wrong with the command line is printed, or goes to SAID if that is not NULL.
static bool read_request(int argc, char **argv, struct replay_request *request,
                         struct replay_outcome *outcome, int *status, struct error *said)
{
    request->text = text_options_for(stdout);
    const struct option_row own_rows[] = {
        OPTION_TEXT_ROW("store", 0, "DB", &request->database,
                        "store the result in a new or existing database", NULL,
                        .manual = "Section Storing results says what is stored, and its names."),
        OPTION_TEXT_ROW("as", 0, "TRIAL", &request->as,
                        "with --store: [APPLICATION/]EXPERIMENT/ and the name "
                        "of the run or prediction",
                        "the trace's name and date",
                        .manual = "How runs are named is described in pagoda-store(1)."),
        OPTION_LIST_ROW(
            "parameter", 0, "NAME=VALUE", &request->parameters,
            "with --store: a parameter of the run, such as size=1024",
            .manual = "`:problem` or `:machine` after the value, as in `size=1024:problem`, says "
                      "that the parameter is the size of the problem or of the machine."),
        OPTION_LIST_ROW("prediction-parameter", 0, "NAME=VALUE", &request->predicted_parameters,
                        NULL),
        OPTION_TEXT_ROW("errors", 0, "FILE", &request->errors, "judge predictions by past ones",
                        "that of --store",
                        .manual = "FILE is a database of predictions that were measured later; "
                                  "pagoda-whatif(7), section Past errors, says how."),
        OPTION_TEXT_ROW("output", 'o', "DIR", &request->out,
                        "write the predicted run to DIR as a trace", NULL,
                        .manual = "DIR must be new or empty. Section The predicted run as a trace "
                                  "says what is in it."),
    };
    struct option_row
        rows[MAX_REPORT_ROWS + sizeof own_rows / sizeof own_rows[0] + WHATIF_MAX_OPTIONS];
    size_t n_rows = put_report_rows(request, rows);
    memcpy(rows + n_rows, own_rows, sizeof own_rows);
    n_rows += sizeof own_rows / sizeof own_rows[0];
    n_rows += whatif_option_rows(&request->whatif, rows + n_rows);
    struct option_group groups[3 + WHATIF_GROUPS] = {
        {"json", "report", NULL},
        {"store", "experiment database", NULL},
        {"output", "predicted run", NULL},
    };
    memcpy(groups + 3, whatif_groups, sizeof whatif_groups);
    const struct option_usage usage = {
        .command = "replay",
        .operands = "TRACE",
        .summary = "Replays a trace and reports where the time was lost, and why",
        .details =
            "TRACE is an OTF2 archive: its anchor file (*.otf2) or its directory.\n"
            "What-if options predict how the run would have gone under other conditions.\n"
            "They combine: --nodes 2 --cpu-speed 1.5. A number may be a list, which makes a\n"
            "prediction for each value: --latency 1us,2us,5us.\n",
        .rows = rows,
        .n_rows = n_rows,
        OPTION_GROUPS_OF(groups),
        .said = said,
    };
    int first_operand;
    if (!options_parse(&usage, argc, argv, &first_operand, status))
        return false;
    request->trace = argv[first_operand];
    request->n_words = whatif_options_words(&request->whatif, &request->words);
    trial_path_read(&request->path, request->as);
    struct error wrong = {{0}};
    if (check_request(request, outcome, &wrong) == 0)
        return true;
    *status = options_usage_error(&usage, "%s", wrong.text);
    return false;
}

static int load_patterns(const struct replay_request *request, struct replay_outcome *outcome,
                         struct error *err)
{
    outcome->catalogue =
        catalogue_load_shipped(request->pattern_files.values, request->pattern_files.count, err);
    if (!outcome->catalogue || findings_check_remedies(outcome->catalogue, err) != 0)
        return -1;
    if (!request->properties)
        return 0;
    const struct property_files files = {NULL, request->pattern_files.values,
                                         request->pattern_files.count};
    outcome->search.hierarchy =
        hierarchy_choose(&outcome->catalogue->hierarchies, request->properties,
                         &outcome->catalogue->properties, &files, err);
    return outcome->search.hierarchy ? 0 : error_wrap(err, "--properties");
}

/// Whether several predictions are asked for, which processes of a launcher share.
static bool has_shares(const struct replay_outcome *outcome)
{
    return outcome->is_whatif && (outcome->plan.is_list || whatif_plan_searches(&outcome->plan));
}

/// 0, or -1 and ERR: the run has no such rank, or is not that long.
static int set_moment(const struct replay_request *request, struct replay_run *measured,
                      struct error *err)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    if (request->moment.rank >= definitions->n_ranks)
        return error_set(err, "--explain %s: the run has no rank %u; its ranks are 0 to %zu",
                         request->explain, request->moment.rank, definitions->n_ranks - 1);
    measured->moment = &request->moment;
    return 0;
}

static int run_request(struct replay_request *request, struct replay_outcome *outcome,
                       struct error *err)
{
    struct replay_run *measured = &outcome->measured;
    if (load_patterns(request, outcome, err) != 0)
        return -1;
    if (outcome->is_whatif &&
        past_predictions_read(&outcome->past, request->errors, request->database, err) != 0)
        return -1;
    if ((has_shares(outcome) ? replay_run_open : replay_run_open_shared)(measured, request->trace,
                                                                         err) != 0)
        return -1;
    if (outcome->is_whatif &&
        whatif_plan_prepare(&outcome->plan, trace_definitions(measured->trace), err) != 0)
        return -1;
    if (request->explain && set_moment(request, measured, err) != 0)
        return -1;
    if (request->out && rewrite_check(request->out, err) != 0)
        return -1;
    const char *why_not = outcome->is_whatif
                              ? "Predicted without what-if options only."
                              : findings_too_large(trace_definitions(measured->trace));
    bool wants_findings = request->database || !request->properties; // to be kept, or shown
    bool predicts = !why_not && !request->explain && wants_findings && !request->timeline;
    if (request->timeline)
        measured->timeline = timeline_new(trace_definitions(measured->trace), false);
    bool gathers = outcome->is_whatif || request->wants_ideal || predicts;
    if (replay_run(measured, outcome->catalogue, NULL, gathers, "replaying", err) != 0)
        return -1;
    groups_collect(&request->grouping, &measured->result);
    if (request->explain && request->moment.time_ns > measured->result.time_ns)
        return error_set(err, "--explain %s: the run ends at %s", request->explain,
                         quantity_time(measured->result.time_ns).text);
    if (request->wants_ideal) {
        if (replay_run_ideal(measured, err) != 0)
            return -1;
        metrics_collect(&outcome->catalogue->properties, &measured->result);
    }
    struct error unpredicted;
    if (predicts && findings_predict(measured, &unpredicted) != 0)
        log_warning("%s", unpredicted.text);
    else if (!predicts)
        findings_leave_unproven(&measured->result, why_not);
    if (!outcome->is_whatif)
        return 0;
    if (whatif_plan_complete(&outcome->plan, measured, err) != 0 ||
        whatif_map_auto(&outcome->plan, measured, &outcome->places, &outcome->n_places, err) != 0)
        return -1;
    if (!outcome->plan.is_list && !spread_is_first())
        return 0;
    if (request->timeline)
        outcome->predicted_timeline = timeline_new(trace_definitions(measured->trace), false);
    const struct whatif_outputs outputs = {.out = request->out,
                                           .timeline = outcome->predicted_timeline,
                                           .keeps_results = request->database != NULL};
    if (whatif_run(&outcome->plan, outcome->catalogue, measured, &outputs, &outcome->predicted,
                   err) != 0)
        return -1;
    past_predictions_judge(&outcome->past, &outcome->plan, &measured->result, &outcome->predicted);
    return 0;
}

static int store_run(const struct replay_request *request, const struct replay_outcome *outcome,
                     struct error *err)
{
    const struct result *result = &outcome->measured.result;
    size_t n_own = outcome->is_whatif ? request->predicted_parameters.count : 0;
    SCOPED_BY(options_list_release) struct option_list given = all_parameters(request, n_own);
    struct result_named *parameters = named_values_read(&given);
    struct store_names names = store_names_of(&request->path);
    bool is_of_prediction = // of --output
        HAS_BY(result->properties, result->n_properties, name, "PAGODA::PREDICTED");
    names.origin = is_of_prediction ? "predicted" : NULL;
    names.parameters = parameters;
    names.n_parameters = given.count;
    names.n_predicted_only = n_own;
    int status = outcome->is_whatif ? predictions_store(request->database, &outcome->plan,
                                                        &outcome->predicted, result, &names, err)
                                    : store_result(request->database, result, &names, err);
    result_named_free(parameters, given.count);
    return status;
}

/// Those of earlier trials are known before this one is stored.
static int search_properties(const struct replay_request *request, struct replay_outcome *outcome,
                             struct error *err)
{
    struct property_search *search = &outcome->search;
    struct store_names names = store_names_of(&request->path);
    search->result = &outcome->measured.result;
    search->properties = &outcome->catalogue->properties;
    search->found.hierarchy = search->hierarchy->id;
    search->found.prunes = !request->keeps_all;
    int status = request->database ? store_read_past(request->database, &names, search->result,
                                                     &search->found, err)
                                   : 0;
    property_search_run(search);
    outcome->measured.result.search = &search->found;
    return status;
}

static int print_timelines(const struct replay_request *request,
                           const struct replay_outcome *outcome, struct error *err)
{
    const struct result *results[] = {&outcome->measured.result, &outcome->predicted.predicted};
    struct timeline_page pages[] = {{.timeline = outcome->measured.timeline},
                                    {.timeline = outcome->predicted_timeline}};
    size_t n_pages = outcome->predicted_timeline ? 2 : 1;
    for (size_t i = 0; i < n_pages; i++) {
        struct time_window window;
        if (read_window(request->timeline, results[i], &window, err) != 0)
            return -1;
        pages[i].begin_ns = window.begin_ns;
        pages[i].end_ns = window.end_ns;
    }
    if (request->wants_json)
        json_print_timelines(pages, n_pages, stdout);
    else
        text_print_timelines(pages, n_pages, &request->text, stdout);
    return 0;
}

static void print_outcome(const struct replay_request *request,
                          const struct replay_outcome *outcome)
{
    const struct result *result = &outcome->measured.result;
    const struct whatif_report *predicted = outcome->is_whatif ? &outcome->predicted : NULL;
    if (request->properties && request->wants_json)
        json_print_properties(&outcome->search, stdout);
    else if (request->properties)
        text_print_properties(&outcome->search, &request->text, stdout);
    else if (request->explain && request->wants_json)
        json_print_moment(result, stdout);
    else if (request->explain)
        text_print_moment(result, &request->text, stdout);
    else if (request->wants_json)
        json_print(result, predicted, stdout);
    else if (predicted)
        text_print_whatif(result, predicted, &request->text, stdout);
    else
        text_print(result, &request->text, stdout);
}

static void release_request(struct replay_request *request)
{
    trial_path_release(&request->path);
    options_list_release(&request->pattern_files);
    options_list_release(&request->intervals);
    options_list_release(&request->parameters);
    options_list_release(&request->predicted_parameters);
    whatif_options_release(&request->whatif);
    free(request->words);
}

static void release_outcome(struct replay_outcome *outcome)
{
    past_predictions_release(&outcome->past);
    whatif_report_release(&outcome->predicted);
    timeline_free(outcome->measured.timeline);
    timeline_free(outcome->predicted_timeline);
    memory_free_each(outcome->places, outcome->n_places);
    property_search_release(&outcome->search);
    replay_run_release(&outcome->measured);
    whatif_plan_release(&outcome->plan);
    catalogue_free(outcome->catalogue);
}

/// Keeps and prints the result: a database that cannot be written costs the exit status, not the
/// report.
static int deliver(const struct replay_request *request, struct replay_outcome *outcome)
{
    struct error err = {{0}};
    if (!spread_is_first())
        return STATUS_DONE;
    int status = request->properties ? search_properties(request, outcome, &err) : 0;
    if (status == 0 && request->database)
        status = store_run(request, outcome, &err);
    if (status == 0 && request->timeline)
        status = print_timelines(request, outcome, &err);
    status = log_outcome(status, outcome->measured.result.has_unreadable_records, &err);
    if (!request->timeline)
        print_outcome(request, outcome);
    return status;
}

/// Replays the intervals, keeps and prints what is found in them.
static int run_intervals(struct replay_request *request, struct replay_outcome *outcome)
{
    struct error err = {{0}};
    struct result_named *parameters = named_values_read(&request->parameters);
    bool is_unreadable = false;
    struct store_names names = store_names_of(&request->path);
    names.parameters = parameters;
    names.n_parameters = request->parameters.count;
    int status = load_patterns(request, outcome, &err);
    const struct replay_intervals intervals = {.trace = request->trace,
                                               .texts = &request->intervals,
                                               .catalogue = outcome->catalogue,
                                               .database = request->database,
                                               .names = &names,
                                               .text = &request->text,
                                               .grouping = &request->grouping,
                                               .wants_json = request->wants_json};
    if (status == 0)
        status = replay_intervals(&intervals, &is_unreadable, &err);
    result_named_free(parameters, request->parameters.count);
    return log_outcome(status, is_unreadable, &err);
}

/// What a process other than the first does where there is one replay only. What is wrong with the
/// patterns is for the first one to say.
static int serve_first(const struct replay_request *request, struct replay_outcome *outcome)
{
    struct error err = {{0}};
    bool is_alone = request->paths || request->waits || request->intervals.count > 0;
    if (is_alone || load_patterns(request, outcome, &err) != 0)
        return 0;
    return log_outcome(replay_serve(request->trace, outcome->catalogue, &err), false, &err);
}

/// Reads and prints the paths through a region.
static int run_paths(const struct replay_request *request)
{
    SCOPED_BY(child_paths_release) struct child_paths paths = {0};
    struct error err = {{0}};
    int status = child_paths_find(request->trace, request->paths, &paths, &err);
    if (status == 0 && request->wants_json)
        json_print_child_paths(&paths, stdout);
    else if (status == 0)
        text_print_child_paths(&paths, &request->text, stdout);
    if (paths.is_unreadable)
        log_warning("%s: parts of the trace cannot be read: their calls are missing",
                    request->trace);
    return log_outcome(status, paths.is_unreadable, &err);
}

/// Replays the trace and prints the waits that are asked for.
static int run_waits(const struct replay_request *request, struct replay_outcome *outcome)
{
    enum { MOST = 100000 };
    struct replay_run *run = &outcome->measured;
    SCOPED_BY(single_waits_release) struct single_waits waits = {0};
    struct error err = {{0}};
    size_t max = request->wants_json || request->text.top > MOST ? MOST : request->text.top;
    int status = load_patterns(request, outcome, &err);
    if (status == 0)
        status = replay_run_open(run, request->trace, &err);
    if (status == 0)
        status = single_waits_begin(&waits, request->waits, max, outcome->catalogue,
                                    trace_definitions(run->trace), &err);
    if (status == 0)
        status = replay_run_find_waits(run, &waits, "replaying", &err);
    if (status == 0 && request->wants_json)
        json_print_waits(request->trace, &waits, stdout);
    else if (status == 0)
        text_print_waits(request->trace, &waits, &request->text, stdout);
    return log_outcome(status, run->result.has_unreadable_records, &err);
}

int cmd_replay(int argc, char **argv)
{
    struct replay_request request = {0};
    struct replay_outcome outcome = {0};
    struct error err = {{0}};
    int status = STATUS_FAILED;
    if (!read_request(argc, argv, &request, &outcome, &status, NULL))
        goto out;
    if (!has_shares(&outcome) && !spread_is_first())
        status = serve_first(&request, &outcome);
    else if (request.paths)
        status = run_paths(&request);
    else if (request.waits)
        status = run_waits(&request, &outcome);
    else if (request.intervals.count > 0)
        status = run_intervals(&request, &outcome);
    else if (run_request(&request, &outcome, &err) != 0)
        log_error("%s", err.text);
    else
        status = deliver(&request, &outcome);
out:
    release_outcome(&outcome);
    release_request(&request);
    return status;
}

int replay_check(int argc, char **argv, bool with_files, struct error *err)
{
    struct replay_request request = {0};
    struct replay_outcome outcome = {0};
    int status;
    int result = read_request(argc, argv, &request, &outcome, &status, err) ? 0 : -1;
    if (result == 0 && outcome.is_whatif && with_files)
        result = whatif_plan_read_files(&outcome.plan, err);
    release_outcome(&outcome);
    release_request(&request);
    return result;
}
