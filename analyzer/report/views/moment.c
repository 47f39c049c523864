// SPDX-License-Identifier: BSD-3-Clause
// What a rank does at a moment, and why it waits (pagoda replay --explain).
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/sites.h"

/// "solve", "main/MPI_Recv at a.c:3" of a call, "(program) before MPI_Recv at a.c:3" of computing;
/// the caller frees.
static char *place_text(const struct result *result, uint32_t path, uint32_t site)
{
    if (path == RESULT_NONE)
        return memory_copy_text("");
    const struct result_region *region = &result->regions[result->paths[path].region];
    if (site == RESULT_NONE)
        return memory_copy_text(region->is_mpi ? result->paths[path].shown : region->shown);
    SCOPED char *calls =
        site_text(result, site, region->is_mpi ? RESULT_NONE : result->paths[path].region);
    return region->is_mpi ? memory_copy_text(calls)
                          : memory_format("%s before %s", region->shown, calls);
}

/// "from 1.200 s to 1.350 s"; of what is too short for these digits, how long it takes.
static struct quantity span(uint64_t begin_ns, uint64_t end_ns)
{
    struct quantity begin = quantity_time(begin_ns), end = quantity_time(end_ns);
    if (strcmp(begin.text, end.text) == 0)
        return quantity_format("from %s on, for %s", begin.text,
                               quantity_time(end_ns - begin_ns).text);
    return quantity_format("from %s to %s", begin.text, end.text);
}

static void print_state(const struct page *page, const char *place)
{
    const struct result *result = page->result;
    struct quantity lasts = span(result->moment.begin_ns, result->moment.end_ns);
    fprintf(page->stream, "Rank %" PRIu32 " at %s ", result->moment.rank,
            quantity_time(result->moment.time_ns).text);
    switch (result->moment.state) {
    case RESULT_MOMENT_NONE:
        break;
    case RESULT_MOMENT_BEFORE:
        fputs("has not begun\n", page->stream);
        break;
    case RESULT_MOMENT_AFTER:
        fprintf(page->stream, "has ended: its last record is at %s\n",
                quantity_time(result->moment.end_ns).text);
        break;
    case RESULT_MOMENT_COMPUTES:
        if (strcmp(place, RESULT_REGION_NO_CPU) == 0)
            fprintf(page->stream, "is outside MPI, %s, longest without CPU time\n", lasts.text);
        else
            fprintf(page->stream, "computes, %s%s%s\n", lasts.text, place[0] ? ", longest in " : "",
                    place);
        break;
    case RESULT_MOMENT_WAITS:
    case RESULT_MOMENT_CALLS:
        fprintf(page->stream, "%s %s, %s\n",
                result->moment.state == RESULT_MOMENT_WAITS ? "waits in"
                                                            : "does not wait: it is in",
                place, lasts.text);
        if (result->moment.wait_ns == 0)
            break;
        if (result->moment.releaser == RESULT_NONE)
            fprintf(page->stream, "  It is not known for whom: the partner is not in the trace.\n");
        else
            fprintf(page->stream, "  It waits %s of that, for rank %" PRIu32 ".\n",
                    quantity_time(result->moment.wait_ns).text, result->moment.releaser);
        break;
    }
}

static void print_steps(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->moment.n_steps;
    size_t n_shown = page_n_shown(page, n);
    page_heading(page, "Chain of causes", "the last one first");
    table_add_columns(&table, "rank", "from", "to", "computing", "MPI", "<longest in",
                      "<after waiting");
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_step *step = &result->moment.steps[i];
        SCOPED char *place = place_text(result, step->path, step->site);
        SCOPED char *wait = place_text(result, step->wait_path, step->wait_site);
        uint64_t mpi_ns = step->end_ns - step->begin_ns - step->computing_ns;
        table_add_cells(&table, quantity_number(step->rank).text,
                        quantity_time(step->begin_ns).text, quantity_time(step->end_ns).text,
                        quantity_time(step->computing_ns).text, quantity_time(mpi_ns).text, place);
        if (step->wait_ns > 0 && i + 1 < n)
            table_add_cell(&table, "%s for rank %" PRIu32 " in %s",
                           quantity_time(step->wait_ns).text, result->moment.steps[i + 1].rank,
                           wait);
        else
            table_add_cell(&table, "%s", "");
    }
    page_table_of(page, &table, n, "earlier one");
}

static void print_origin(const struct page *page)
{
    const struct result *result = page->result;
    if (result->moment.has_common)
        fprintf(page->stream,
                "  The chain meets the waiting rank's own past at rank %" PRIu32
                ", %s. From there rank %" PRIu32 " took %s to its wait.\n",
                result->moment.common_rank, quantity_time(result->moment.common_ns).text,
                result->moment.rank, quantity_time(result->moment.own_ns).text);
    else if (result->moment.is_cut)
        fputs("  Earlier causes are not kept.\n", page->stream);
    if (result->moment.origin_rank == RESULT_NONE)
        return;
    SCOPED char *place = place_text(result, result->moment.origin_path, result->moment.origin_site);
    fprintf(page->stream, "Origin: rank %" PRIu32 " in %s, %s of the wait\n",
            result->moment.origin_rank, place, quantity_time(result->moment.origin_ns).text);
}

void text_print_moment(const struct result *result, const struct text_options *options,
                       FILE *stream)
{
    const struct page page = {.result = result, .options = options, .stream = stream};
    SCOPED char *place = place_text(result, result->moment.path, result->moment.site);
    print_state(&page, place);
    if (result->moment.n_steps > 0) {
        print_steps(&page);
        print_origin(&page);
    }
    page_warnings(&page, true);
}

// ---- JSON

static json_t *step_object(const struct result *result, const struct result_step *step)
{
    return JSON_OBJECT(JSON_COUNT(step, rank), JSON_COUNT(step, begin_ns), JSON_COUNT(step, end_ns),
                       JSON_COUNT(step, computing_ns), {"path", json_path(result, step->path)},
                       {"before", json_source(result, step->site)}, JSON_COUNT(step, wait_ns),
                       {"wait_path", json_path(result, step->wait_path)},
                       {"wait_source", json_source(result, step->wait_site)});
}

static json_t *common_object(const struct result *result)
{
    if (!result->moment.has_common)
        return json_null();
    return JSON_OBJECT({"rank", json_count(result->moment.common_rank)},
                       {"time_ns", json_count(result->moment.common_ns)},
                       JSON_COUNT(&result->moment, own_ns));
}

static json_t *origin_object(const struct result *result)
{
    if (result->moment.origin_rank == RESULT_NONE)
        return json_null();
    return JSON_OBJECT({"rank", json_count(result->moment.origin_rank)},
                       {"path", json_path(result, result->moment.origin_path)},
                       {"source", json_source(result, result->moment.origin_site)},
                       {"ns", json_count(result->moment.origin_ns)});
}

void json_print_moment(const struct result *result, FILE *stream)
{
    static const char *const states[] = {
        [RESULT_MOMENT_NONE] = "none",     [RESULT_MOMENT_BEFORE] = "before",
        [RESULT_MOMENT_AFTER] = "after",   [RESULT_MOMENT_COMPUTES] = "computing",
        [RESULT_MOMENT_WAITS] = "waiting", [RESULT_MOMENT_CALLS] = "mpi",
    };
    json_t *moment = JSON_OBJECT(
        JSON_COUNT(&result->moment, rank), JSON_COUNT(&result->moment, time_ns),
        {"state", json_text(states[result->moment.state])}, JSON_COUNT(&result->moment, begin_ns),
        JSON_COUNT(&result->moment, end_ns), {"path", json_path(result, result->moment.path)},
        {"source", json_source(result, result->moment.site)}, JSON_COUNT(&result->moment, wait_ns),
        {"waits_for", json_index(result->moment.releaser)},
        {"steps",
         JSON_EACH(i, result->moment.n_steps, step_object(result, &result->moment.steps[i]))},
        {"common", common_object(result)}, JSON_FLAG(&result->moment, is_cut),
        {"origin", origin_object(result)});
    JSON_PRINT(stream, JSON_FORMAT, {"trace", json_text(result->trace_path)},
               {"warnings", json_warnings(result->warnings, result->n_warnings)},
               {"explain", moment});
}
