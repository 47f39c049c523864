// SPDX-License-Identifier: BSD-3-Clause
// `pagoda replay TRACE`: replays an archive once, forward, and reports where the time went; with
// --store it keeps the result as well. Nothing is computed here: trace_open, the pattern catalogue,
// pag_run, collect_result, then store and print.
#include "analyzer/cmd/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/exit_status.h"
#include "analyzer/base/log.h"
#include "analyzer/base/options.h"
#include "analyzer/base/progress.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/report/collect.h"
#include "analyzer/report/json.h"
#include "analyzer/report/text.h"
#include "analyzer/trace/reader.h"

/// What the command line asks for.
struct replay_request {
    const char *trace;
    bool wants_json;
    struct text_options text;
    struct option_list pattern_files;
};

/// A replay from its trace to its result; released as a whole.
struct replay_run {
    struct trace *trace;
    struct catalogue *catalogue;
    struct matcher *matcher;
    struct pag_result replay;
    struct result result;
};

static bool read_request(int argc, char **argv, struct replay_request *request, int *status)
{
    request->text = text_options_for(stdout);
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("json", 0, &request->wants_json, "print JSON (schema 1) instead of text"),
        OPTION_COUNT_ROW("depth", 0, "N", &request->text.depth, "levels of the call tree shown",
                         "4"),
        OPTION_COUNT_ROW("top", 0, "N", &request->text.top, "rows of a table shown", "12"),
        OPTION_FLAG_ROW("all", 0, &request->text.shows_all,
                        "details of every wait state, however small"),
        OPTION_LIST_ROW("patterns", 0, "FILE", &request->pattern_files,
                        "look for the patterns in this file too"),
    };
    const struct option_usage usage = {
        .command = "replay",
        .operands = "TRACE",
        .summary = "Replays a trace and reports where the time was lost, and why",
        .details = "TRACE is an OTF2 archive: its anchor file (*.otf2) or its directory.\n",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = 1,
    };
    int first_operand;
    if (!options_parse(&usage, argc, argv, &first_operand, status))
        return false;
    request->trace = argv[first_operand];
    if (request->text.depth == 0 || request->text.top == 0) {
        *status = options_usage_error(&usage, "--depth and --top are at least 1");
        return false;
    }
    return true;
}

static int load_patterns(const struct replay_request *request, struct replay_run *run,
                         struct error *err)
{
    char *directory = catalogue_directory(err);
    if (!directory)
        return -1;
    run->catalogue =
        catalogue_load(directory, request->pattern_files.values, request->pattern_files.count, err);
    free(directory);
    return run->catalogue ? 0 : -1;
}

static int run_replay(const struct replay_request *request, struct replay_run *run,
                      struct error *err)
{
    if (load_patterns(request, run, err) != 0)
        return -1;
    run->trace = trace_open(request->trace, err);
    if (!run->trace)
        return -1;
    run->matcher = matcher_new(run->catalogue, trace_definitions(run->trace));
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {
        .context = run->matcher,
        .root = matcher_root,
        .window_moved = matcher_window_moved,
    };
    if (pag_run(run->trace, &options, &listener, &run->replay, err) != 0)
        return error_wrap(err, "cannot replay %s", request->trace);
    collect_result(&(struct collect_input){.trace = run->trace,
                                           .catalogue = run->catalogue,
                                           .matcher = run->matcher,
                                           .replay = &run->replay},
                   &run->result);
    return 0;
}

static int print_result(const struct replay_request *request, const struct result *result,
                        struct error *err)
{
    if (request->wants_json)
        return json_print(result, PAGODA_VERSION, stdout, err);
    text_print(result, &request->text, stdout);
    return 0;
}

static void release_run(struct replay_run *run)
{
    result_release(&run->result);
    pag_result_release(&run->replay);
    matcher_free(run->matcher);
    catalogue_free(run->catalogue);
    trace_close(run->trace);
}

int cmd_replay(int argc, char **argv)
{
    struct replay_request request = {0};
    struct replay_run run = {0};
    struct error err = {{0}};
    int status = STATUS_FAILED;
    if (!read_request(argc, argv, &request, &status))
        goto out;
    if (run_replay(&request, &run, &err) != 0 || print_result(&request, &run.result, &err) != 0)
        log_error("%s", err.text);
    else
        status = run.result.has_unreadable_records ? STATUS_UNREADABLE : STATUS_DONE;
out:
    release_run(&run);
    options_list_release(&request.pattern_files);
    return status;
}
