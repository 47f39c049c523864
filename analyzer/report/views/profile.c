// SPDX-License-Identifier: BSD-3-Clause
// The tables of time by region and by call path.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/sites.h"

enum { STRETCH_ROWS = 6 };

double page_place_time_ns(const struct result *result)
{
    double sum_ns = 0, ranks_ns = (double)result->n_ranks * (double)result->time_ns;
    for (size_t i = 0; i < result->n_regions; i++)
        sum_ns += (double)result->regions[i].exclusive_ns;
    return result->threads.n_threads > 0 && sum_ns > ranks_ns ? sum_ns : ranks_ns;
}

static void add_time_columns(struct table *table)
{
    table_add_columns(table, "exclusive", "share", "inclusive", "visits");
}

static void add_time_cells(struct table *table, const struct page *page, uint64_t exclusive_ns,
                           uint64_t inclusive_ns, uint64_t visits)
{
    table_add_cells(table, page_time(page, exclusive_ns).text,
                    quantity_part((double)exclusive_ns, page->place_time_ns).text,
                    page_time(page, inclusive_ns).text, quantity_number(visits).text);
}

static void add_region_row(struct table *table, const struct page *page,
                           const struct result_region *region)
{
    add_time_cells(table, page, region->exclusive_ns, region->inclusive_ns, region->visits);
    if (page->result->n_ranks > 1) {
        const struct result *result = page->result;
        bool has_groups = result->groups.n > 0;
        size_t index = (size_t)(region - result->regions);
        uint32_t max = has_groups ? result->groups.of_region[index] : region->max_rank;
        uint64_t max_ns = has_groups ? result->groups.of_region_ns[index] : region->max_ns;
        double mean = (double)region->exclusive_ns / (double)result->n_ranks;
        table_add_cells(table,
                        max == RESULT_NONE || mean <= 0
                            ? "-"
                            : quantity_format("%.2f", (double)max_ns / mean).text,
                        max == RESULT_NONE ? "-"
                        : has_groups       ? result->groups.items[max].name
                                           : quantity_number(region->max_rank).text);
    }
    bool has_line = region->file[0] && region->line && !region->is_mpi;
    SCOPED char *source = has_line ? source_text(region->file, region->line) : memory_copy_text("");
    // What is known of a shortened name is where it is, unless the line would be too long.
    size_t width = utf8_width(region->shown) + 2 + utf8_width(source);
    has_line = has_line && (width <= FUNCTION_NAME_COLUMNS || !strcmp(region->name, region->shown));
    table_add_cell(table, "%s%s%s%s", region->shown, page_gpu_mark(region), has_line ? "  " : "",
                   has_line ? source : "");
}

static void add_stretch_row(struct table *table, const struct page *page, uint32_t index)
{
    const struct result_site *site = &page->result->sites[index];
    double mean_ns = (double)site->before_ns / (double)page->result->n_ranks;
    table_add_cells(table, page_time(page, site->before_ns).text,
                    quantity_part((double)site->before_ns, page->rank_time_ns).text,
                    quantity_format("%.2f", (double)site->before_max_ns / mean_ns).text,
                    quantity_index(site->before_max_rank).text);
    SCOPED char *text = site_text(page->result, index, RESULT_NONE);
    table_add_cell(table, "%s", text);
}

/// "(program)" by the MPI calls that ended it; false when the trace does not tell where they are.
static bool print_stretches(const struct page *page)
{
    const struct result *result = page->result;
    SCOPED uint32_t *order = memory_zeroed(result->n_sites, sizeof *order);
    size_t n = 0;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        uint32_t around = result->sites[i].before_path;
        if (around != RESULT_NONE && result->sites[i].before_ns > 0 &&
            !strcmp(result->regions[result->paths[around].region].name, RESULT_REGION_PROGRAM))
            order[n++] = i;
    }
    if (n > 0) {
        SORT_NUMBERS_BY(order, n, result->sites, MOST(before_ns));
        struct table table = {0};
        table_add_columns(&table, "time", "share", "max/mean", "rank", "<before");
        for (size_t i = 0; i < n && i < STRETCH_ROWS; i++)
            add_stretch_row(&table, page, order[i]);
        page_heading_of_times(page, "Time in (program)",
                              "outside recorded regions, by the next call");
        page_table(page, &table);
    }
    return n > 0;
}

/// Whether lines of Python made most of the calls before which the program computed: none of its
/// functions can be recorded.
static bool is_python(const struct result *result)
{
    uint64_t python_ns = 0, all_ns = 0;
    for (size_t i = 0; i < result->n_sites; i++) {
        const char *ending = strrchr(result->sites[i].file, '.');
        all_ns += result->sites[i].before_ns;
        python_ns += ending && strcmp(ending, ".py") == 0 ? result->sites[i].before_ns : 0;
    }
    return 2 * python_ns > all_ns;
}

/// What "(program)" means, where it is much.
static void explain_program(const struct page *page)
{
    const struct result *result = page->result;
    for (size_t i = 0; i < result->n_regions; i++) {
        const struct result_region *region = &result->regions[i];
        if (!strcmp(region->name, RESULT_REGION_PROGRAM) &&
            (double)region->exclusive_ns > 0.05 * page->rank_time_ns) {
            // Other tools have other ways to record more.
            bool is_ours = !strncmp(result->creator, "pagoda", 6);
            bool has_places = print_stretches(page);
            if (has_places && !is_ours)
                continue;
            fputs("  ", page->stream);
            print_paragraph(
                has_places && is_python(result)
                    ? "only the lines of Python that call MPI are recorded; cProfile shows what "
                      "runs between them"
                : has_places ? "compile with -finstrument-functions to see functions there"
                : is_ours    ? "(program) is the time outside recorded regions; compile "
                               "with -finstrument-functions to see functions there"
                             : "(program) is the time outside recorded regions",
                2, 2, page->options->width, page->stream);
        }
    }
}

void page_regions(const struct page *page)
{
    const struct result *result = page->result;
    SCOPED uint32_t *order = memory_zeroed(result->n_regions, sizeof *order);
    size_t n_shown = 0;
    for (uint32_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].visits > 0)
            order[n_shown++] = i;
    SORT_NUMBERS_BY(order, n_shown, result->regions, MOST(exclusive_ns), LEAST(name));
    size_t n_used = n_shown;
    if (n_shown > page->options->top)
        n_shown = page->options->top;

    struct table table = {0};
    add_time_columns(&table);
    if (result->n_ranks > 1)
        table_add_columns(&table, "max/mean", page->result->groups.n > 0 ? "group" : "rank");
    table_add_column(&table, "region", true);
    for (size_t i = 0; i < n_shown; i++)
        add_region_row(&table, page, &result->regions[order[i]]);
    page_heading_of_times(page, "Time by region",
                          page->place_time_ns > page->rank_time_ns
                              ? "sums over threads, shares of their time; max/mean: rank with most"
                          : page->result->groups.n > 0
                              ? "sums over ranks; max/mean: group with most a rank"
                              : "sums over ranks; max/mean: rank with most exclusive time");
    page_table_of(page, &table, n_used, "further region");
    explain_program(page);
}

/// Marks the call paths that are shown: of those not too deep, the ones with most inclusive time. A
/// parent has at least as much as its child and a lower index, so parents are among them.
static size_t choose_paths(const struct page *page, bool *is_shown)
{
    const struct result *result = page->result;
    SCOPED uint32_t *order = memory_zeroed(result->n_paths, sizeof *order);
    size_t n_candidates = 0;
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (result->paths[i].depth < page->options->depth)
            order[n_candidates++] = i;
    SORT_NUMBERS_BY(order, n_candidates, result->paths, MOST(inclusive_ns));
    size_t n_shown = page_n_shown(page, n_candidates);
    for (size_t i = 0; i < n_shown; i++)
        is_shown[order[i]] = true;
    return n_shown;
}

/// Where the calls of PATH are: "solve.c:56", "3 places", or "" when unknown. The caller frees.
static char *places_text(const struct result *result, uint32_t path)
{
    const char *source = "";
    size_t n_places = 0;
    for (size_t i = 0; i < result->n_sites; i++) {
        if (result->sites[i].path != path || !result->sites[i].source[0])
            continue;
        source = result->sites[i].source;
        n_places++;
    }
    return n_places > 1 ? memory_format("%zu places", n_places) : memory_copy_text(source);
}

void page_call_tree(const struct page *page)
{
    const struct result *result = page->result;
    SCOPED bool *is_shown = memory_zeroed(result->n_paths, sizeof *is_shown);
    size_t n_shown = choose_paths(page, is_shown);
    struct table table = {0};
    add_time_columns(&table);
    table_add_column(&table, "call path", true);
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        if (!is_shown[i])
            continue;
        add_time_cells(&table, page, path->exclusive_ns, path->inclusive_ns, path->visits);
        SCOPED char *source = places_text(result, (uint32_t)i);
        const struct result_region *region = &result->regions[path->region];
        table_add_cell(&table, "%*s%s%s%s%s", 2 * (int)path->depth, "", region->shown,
                       page_gpu_mark(region), source[0] ? "  " : "", source);
    }
    page_heading_of_times(page, "Time by call path",
                          page->place_time_ns > page->rank_time_ns
                              ? "sums over threads; share: of the threads' run time"
                              : "sums over ranks; share: of the ranks' run time");
    page_table(page, &table);
    page_left_out(page, result->n_paths - n_shown, "further call path", "--depth, --top");
}

// ---- JSON

static json_t *site_object(const struct result *result, const struct result_site *site)
{
    return JSON_PUT(json_put_site(json_object(), site), JSON_COUNT(site, visits),
                    JSON_COUNT(site, inclusive_ns), JSON_COUNT(site, before_ns),
                    {"since", json_source(result, site->before_since)});
}

json_t *json_profile(const struct result *result)
{
    json_t *profile = json_array();
    size_t site = 0; // of the path at hand
    for (uint32_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        json_t *sources = NULL;
        uint8_t mpi_class = result->regions[path->region].mpi_class;
        json_t *class_ = mpi_class ? json_string(result_mpi_class_keys[mpi_class]) : NULL;
        for (; site < result->n_sites && result->sites[site].path == i; site++) {
            sources = sources ? sources : json_array();
            json_array_append_new(sources, site_object(result, &result->sites[site]));
        }
        json_array_append_new(profile,
                              JSON_OBJECT({"path", json_path(result, i)},
                                          {"region", json_region(result, path->region)},
                                          JSON_COUNT(path, visits), JSON_COUNT(path, inclusive_ns),
                                          JSON_COUNT(path, exclusive_ns), {"mpi_class", class_},
                                          {"sources", sources}));
    }
    return profile;
}
