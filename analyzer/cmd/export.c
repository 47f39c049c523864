// SPDX-License-Identifier: BSD-3-Clause
// `pagoda export TRACE -o FILE`: a replay, and a prediction from it, as an HTML page.
#include "analyzer/cmd/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/advise/findings.h"
#include "analyzer/base/cleanup.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/threads.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/report/run_page/run_page.h"
#include "analyzer/whatif/options.h"
#include "analyzer/whatif/placement_search.h"
#include "analyzer/whatif/whatif.h"

struct export_request {
    const char *trace, *path;
    struct whatif_options whatif;
    struct advice_word *words; // these
    size_t n_words;
};

struct exported {
    struct catalogue *catalogue;
    struct replay_run measured;
    struct whatif_plan plan;
    struct whatif_report predicted;
    struct timeline *predicted_timeline; // NULL: nothing is predicted
    char **places;                       // of --map auto
    size_t n_places;
};

static int close_written(FILE *stream, const char *path, struct error *err)
{
    bool is_written = !ferror(stream);
    if (fclose(stream) == 0 && is_written)
        return 0;
    return error_set(err, "cannot write %s: %s", path, strerror(errno));
}

static int print_page(const struct run_page *page, const char *file, const char *path,
                      struct error *err)
{
    FILE *stream = fopen(file, "we");
    if (!stream)
        return error_set(err, "cannot write %s: %s", path, strerror(errno));
    int status = run_page_print(page, stream, err);
    return close_written(stream, path, err) != 0 ? -1 : status;
}

/// Writes the page to PATH. A file appears when it is whole; pipes and devices are written at once.
static int write_page(const struct run_page *page, const char *path, struct error *err)
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return print_page(page, path, path, err);
    char *part = memory_format("%s.part", path);
    scratch_path_begin(part);
    int status = print_page(page, part, path, err);
    if (status == 0 && rename(part, path) != 0)
        status = error_set(err, "cannot write %s: %s", path, strerror(errno));
    scratch_path_end(part);
    free(part);
    return status;
}

static int replay_measured(const struct export_request *request, struct exported *exported,
                           struct error *err)
{
    struct replay_run *run = &exported->measured;
    exported->catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!exported->catalogue || replay_run_open(run, request->trace, err) != 0)
        return -1;
    const struct definitions *definitions = trace_definitions(run->trace);
    if (request->n_words > 0 && whatif_plan_prepare(&exported->plan, definitions, err) != 0)
        return -1;
    run->timeline = timeline_new(definitions);
    const char *why_not = findings_too_large(definitions);
    if (replay_run(run, exported->catalogue, NULL, !why_not || request->n_words > 0, "replaying",
                   err) != 0)
        return -1;
    if (why_not)
        findings_leave_unproven(&run->result, why_not);
    else
        findings_predict(run);
    return 0;
}

static int predict(struct exported *exported, struct error *err)
{
    const struct replay_run *measured = &exported->measured;
    struct whatif_plan *plan = &exported->plan;
    exported->predicted_timeline = timeline_new(trace_definitions(measured->trace));
    const struct whatif_outputs outputs = {.timeline = exported->predicted_timeline};
    if (whatif_plan_complete(plan, measured, err) != 0 ||
        whatif_map_auto(plan, measured, &exported->places, &exported->n_places, err) != 0)
        return -1;
    return whatif_run(plan, exported->catalogue, measured, &outputs, &exported->predicted, err);
}

static int export_run(const struct export_request *request, struct exported *exported,
                      struct error *err)
{
    int status = replay_measured(request, exported, err);
    if (status == 0 && request->n_words > 0)
        status = predict(exported, err);
    const struct run_page page = {
        .result = &exported->measured.result,
        .timeline = exported->measured.timeline,
        .predicted = exported->predicted_timeline ? &exported->predicted : NULL,
        .predicted_timeline = exported->predicted_timeline,
    };
    return status == 0 ? write_page(&page, request->path, err) : -1;
}

/// A page has one prediction, with the times of its ranks.
static bool plan_is_sound(const struct export_request *request, struct whatif_plan *plan,
                          const struct option_usage *usage, int *status)
{
    struct error err = {{0}};
    if (request->n_words == 0)
        return true;
    if (whatif_plan_read(plan, request->words, request->n_words, &err) == 0) {
        if (!plan->is_list && !plan->estimate)
            return true;
        error_set(&err,
                  plan->is_list ? "a page shows one prediction, not one for each value of a list"
                                : "--%s predicts a run time, but not when each rank does what",
                  plan->estimate);
    }
    *status = options_usage_error(usage, "%s", err.text);
    return false;
}

static bool read_request(int argc, char **argv, struct export_request *request,
                         struct whatif_plan *plan, int *status)
{
    const struct option_row own_rows[] = {
        OPTION_TEXT_ROW("output", 'o', "FILE", &request->path,
                        "write the page to FILE, such as run.html, in place of what it was", NULL),
        THREADS_ROW,
    };
    enum { N_OWN = sizeof own_rows / sizeof own_rows[0] };
    struct option_row rows[N_OWN + WHATIF_MAX_OPTIONS];
    memcpy(rows, own_rows, sizeof own_rows);
    struct option_group groups[1 + WHATIF_GROUPS] = {{"output", "page", NULL}};
    memcpy(groups + 1, whatif_groups, sizeof whatif_groups);
    const struct option_usage usage = {
        .command = "export",
        .operands = "TRACE -o FILE",
        .summary = "Writes a run as one HTML page: findings, timeline and tables",
        .details =
            "TRACE is an OTF2 archive: its anchor file (*.otf2) or its directory.\n"
            "With what-if options the page has the predicted timeline below the measured one.\n",
        .rows = rows,
        .n_rows = N_OWN + whatif_option_rows(&request->whatif, rows + N_OWN),
        OPTION_GROUPS_OF(groups),
    };
    int first;
    if (!options_parse(&usage, argc, argv, &first, status))
        return false;
    request->trace = argv[first];
    request->n_words = whatif_options_words(&request->whatif, &request->words);
    if (!request->path) {
        *status = options_usage_error(&usage, "-o FILE is missing: where the page goes");
        return false;
    }
    return plan_is_sound(request, plan, &usage, status);
}

int cmd_export(int argc, char **argv)
{
    struct export_request request = {0};
    struct exported exported = {0};
    struct error err = {{0}};
    int status;
    if (read_request(argc, argv, &request, &exported.plan, &status)) {
        status = export_run(&request, &exported, &err);
        status = log_outcome(status, status == 0 && damage_warn(&exported.measured.result), &err);
    }
    timeline_free(exported.measured.timeline);
    timeline_free(exported.predicted_timeline);
    whatif_report_release(&exported.predicted);
    for (size_t i = 0; i < exported.n_places; i++)
        free(exported.places[i]);
    free(exported.places);
    replay_run_release(&exported.measured);
    whatif_plan_release(&exported.plan);
    catalogue_free(exported.catalogue);
    whatif_options_release(&request.whatif);
    free(request.words);
    return status;
}
