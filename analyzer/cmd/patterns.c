// SPDX-License-Identifier: BSD-3-Clause
// `pagoda patterns [ID]`: lists the catalogue of wait states, with the user's files if given, or
// explains one of them. Also the test of a catalogue that somebody writes: it is loaded and checked
// as for a replay.
#include "analyzer/cmd/patterns.h"

#include <stdlib.h>

#include "analyzer/base/exit_status.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/spelling.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/json/patterns.h"
#include "analyzer/report/pattern_page.h"
#include "analyzer/report/text.h"

struct patterns_request {
    const char *id; // NULL: all
    bool wants_json, wants_manual;
    struct option_list files;
};

static bool read_request(int argc, char **argv, struct patterns_request *request, int *status)
{
    const struct option_row rows[] = {
        OPTION_LIST_ROW("patterns", 0, "FILE", &request->files, "with the patterns in this file"),
        OPTION_FLAG_ROW("json", 0, &request->wants_json, "print JSON (schema 1) instead of text"),
        OPTION_FLAG_ROW("man", 0, &request->wants_manual,
                        "print the catalogue section of pagoda-patterns(5)"),
    };
    const struct option_usage usage = {
        .command = "patterns",
        .operands = "[ID]",
        .summary = "Lists the patterns a replay looks for, or explains one of them",
        .details = "ID is a name in the first column of the list, such as late-sender.\n",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .max_operands = 1,
    };
    int first_operand;
    if (!options_parse(&usage, argc, argv, &first_operand, status))
        return false;
    request->id = first_operand < argc ? argv[first_operand] : NULL;
    if (request->wants_manual && (request->id || request->wants_json)) {
        *status = options_usage_error(&usage, "--man prints all patterns, and no JSON");
        return false;
    }
    return true;
}

static int unknown_pattern(const struct catalogue *catalogue, const char *id, struct error *err)
{
    const char **ids = memory_zeroed(catalogue->n_patterns, sizeof *ids);
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        ids[i] = catalogue->patterns[i].id;
    const char *nearest = spelling_nearest(id, ids, catalogue->n_patterns);
    if (nearest)
        error_set(err, "there is no pattern `%s`; did you mean `%s`?", id, nearest);
    else
        error_set(err, "there is no pattern `%s` (`pagoda patterns` lists them)", id);
    free(ids);
    return -1;
}

static int print(const struct patterns_request *request, const struct catalogue *catalogue,
                 struct error *err)
{
    uint32_t index = PATTERN_NONE;
    if (request->id) {
        index = catalogue_find(catalogue, request->id);
        if (index == PATTERN_NONE)
            return unknown_pattern(catalogue, request->id, err);
    }
    size_t width = text_options_for(stdout).width;
    if (request->wants_json)
        return json_print_patterns(catalogue, index, PAGODA_VERSION, stdout, err);
    if (request->wants_manual)
        pattern_page_manual(catalogue, stdout);
    else if (index == PATTERN_NONE)
        pattern_page_tree(catalogue, width, stdout);
    else
        pattern_page_one(catalogue, index, width, stdout);
    return 0;
}

int cmd_patterns(int argc, char **argv)
{
    struct patterns_request request = {0};
    struct error err = {{0}};
    int status = STATUS_FAILED;
    if (read_request(argc, argv, &request, &status)) {
        struct catalogue *catalogue =
            catalogue_load_shipped(request.files.values, request.files.count, &err);
        if (catalogue && print(&request, catalogue, &err) == 0)
            status = STATUS_DONE;
        else
            log_error("%s", err.text);
        catalogue_free(catalogue);
    }
    options_list_release(&request.files);
    return status;
}
