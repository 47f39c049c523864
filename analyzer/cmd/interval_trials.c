// SPDX-License-Identifier: BSD-3-Clause
// See stored_trials.h.
#include "analyzer/cmd/stored_trials.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/memory.h"
#include "analyzer/replay/interval.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/report/report.h"

/// Stores RESULT, of INTERVAL, as a trial of the origin "interval". Its parameters `interval` and
/// `visit` say which part it is; so does its name where none is given, or there are several.
static int store_one(const struct replay_intervals *request, const struct interval *interval,
                     bool is_several, const struct result *result, struct error *err)
{
    const struct store_names *names = request->names;
    struct store_names own = *names;
    struct result_named *parameters =
        memory_zeroed(names->n_parameters + 2, sizeof *own.parameters);
    char visit_name[] = "visit", interval_name[] = "interval";
    char *visit = memory_format("%" PRIu64, interval->visit);
    size_t n = 0;
    parameters[n++] = (struct result_named){interval_name, interval->what};
    if (interval->visit > 0)
        parameters[n++] = (struct result_named){visit_name, visit};
    for (size_t i = 0; i < names->n_parameters; i++)
        parameters[n++] = names->parameters[i];
    own.parameters = parameters;
    own.n_parameters = n;
    own.origin = "interval";
    if (is_several || !names->trial || !names->trial[0])
        own.suffix = interval->what;
    int status = store_result(request->database, result, &own, err);
    free(visit);
    free(parameters);
    return status;
}

/// Where results go, one after the other.
struct collection {
    const struct replay_intervals *request;
    bool is_several;
    struct interval_page page;
    bool *is_unreadable;
};

static void page_add(struct interval_page *page, const struct result *result)
{
    *ARRAY_NEXT(page->rows, page->n_rows, page->capacity) = (struct interval_row){
        .name = memory_copy_text(result->interval.what),
        .is_phase = result->interval.is_phase,
        .begin_ns = result->interval.begin_ns,
        .end_ns = result->interval.end_ns,
        .time_ns = result->time_ns,
        .efficiency = result->efficiency,
        .useful_ns = result->useful_ns,
        .no_cpu_ns = result->no_cpu_ns,
        .wait_ns = result->wait_ns,
        .other_mpi_ns = result->other_mpi_ns,
        .outside_ns = result->unrecorded_ns,
        .total_ns = result->total_ns,
        .headline = memory_copy_text(result->headline),
    };
}

/// Stores RESULT, and prints it or adds it to the table.
static int add_one(void *context, const struct interval *interval, struct result *result,
                   struct error *err)
{
    struct collection *collection = context;
    const struct replay_intervals *request = collection->request;
    bool is_several = collection->is_several;
    if (interval_check_result(interval, result, err) != 0)
        return -1;
    findings_leave_unproven(result, "Predicted for whole runs only.");
    // What cannot be stored is printed all the same.
    int status = request->database ? store_one(request, interval, is_several, result, err) : 0;
    bool is_reported = request->text && !is_several; // with its warnings
    if (result->has_unreadable_records && !is_reported && !*collection->is_unreadable)
        damage_warn(result);
    *collection->is_unreadable |= result->has_unreadable_records;
    if (request->text && is_several)
        page_add(&collection->page, result);
    else if (request->text && request->wants_json)
        json_print(result, NULL, stdout);
    else if (request->text)
        text_print(result, request->text, stdout);
    return status;
}

static void page_release(struct interval_page *page)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        free(page->rows[i].name);
        free(page->rows[i].headline);
    }
    free(page->rows);
    *page = (struct interval_page){0};
}

int replay_intervals(const struct replay_intervals *request, bool *is_unreadable, struct error *err)
{
    struct interval_list list = {0};
    struct collection collection = {
        .request = request, .page = {.trace = request->trace}, .is_unreadable = is_unreadable};
    struct interval_replay replay = {.trace = request->trace,
                                     .index = &PAG_INDEX_SETTINGS_DEFAULT,
                                     .catalogue = request->catalogue,
                                     .each = add_one,
                                     .context = &collection,
                                     .max_bytes = INTERVAL_REPLAY_BYTES};
    struct interval_page *page = &collection.page;
    int status = 0;
    for (size_t i = 0; i < request->texts->count && status == 0; i++)
        status = interval_find(&list, request->trace, request->texts->values[i], err);
    collection.is_several = list.n > 1;
    if (status == 0)
        status = interval_replay(&replay, list.items, list.n, err);
    if (page->n_rows > 0 && request->wants_json)
        json_print_intervals(page, stdout);
    else if (page->n_rows > 0)
        text_print_intervals(page, request->text, stdout);
    page_release(page);
    interval_list_release(&list);
    return status;
}
