// SPDX-License-Identifier: BSD-3-Clause
// The tables of time by region and by call path.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/page.h"

static int compare_regions(const void *left, const void *right, void *context)
{
    const struct result *result = context;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const struct result_region *a = &result->regions[i], *b = &result->regions[j];
    if (a->exclusive_ns != b->exclusive_ns)
        return a->exclusive_ns > b->exclusive_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void add_time_columns(struct table *table)
{
    table_add_column(table, "exclusive", false);
    table_add_column(table, "share", false);
    table_add_column(table, "inclusive", false);
    table_add_column(table, "visits", false);
}

static void add_time_cells(struct table *table, const struct page *page, uint64_t exclusive_ns,
                           uint64_t inclusive_ns, uint64_t visits)
{
    table_add_cell(table, "%s", quantity_in((int64_t)exclusive_ns, page->unit).text);
    table_add_cell(table, "%s", quantity_part((double)exclusive_ns, page->rank_time_ns).text);
    table_add_cell(table, "%s", quantity_in((int64_t)inclusive_ns, page->unit).text);
    table_add_cell(table, "%llu", (unsigned long long)visits);
}

static void add_region_row(struct table *table, const struct page *page,
                           const struct result_region *region)
{
    add_time_cells(table, page, region->exclusive_ns, region->inclusive_ns, region->visits);
    if (page->result->n_ranks > 1) {
        double mean = (double)region->exclusive_ns / (double)page->result->n_ranks;
        if (region->max_rank == RESULT_NONE || mean <= 0)
            table_add_cell(table, "-");
        else
            table_add_cell(table, "%.2f", (double)region->max_ns / mean);
        if (region->max_rank == RESULT_NONE)
            table_add_cell(table, "-");
        else
            table_add_cell(table, "%u", region->max_rank);
    }
    const char *slash = strrchr(region->file, '/');
    const char *file = slash ? slash + 1 : region->file;
    if (file[0] && region->line && !region->is_mpi)
        table_add_cell(table, "%s  %s:%u", region->name, file, region->line);
    else
        table_add_cell(table, "%s", region->name);
}

/// What "(program)" means, where it is much.
static void explain_program(const struct page *page)
{
    const struct result *result = page->result;
    for (size_t i = 0; i < result->n_regions; i++) {
        const struct result_region *region = &result->regions[i];
        if (!strcmp(region->name, RESULT_REGION_PROGRAM) &&
            (double)region->exclusive_ns > 0.05 * page->rank_time_ns) {
            fputs("  ", page->stream);
            // Other tools have other ways to record more.
            bool is_ours = !strncmp(result->creator, "pagoda", 6);
            print_paragraph(is_ours ? "(program) is the time outside recorded regions; compile "
                                      "with -finstrument-functions to see functions there"
                                    : "(program) is the time outside recorded regions",
                            2, 2, page->options->width, page->stream);
        }
    }
}

void page_regions(const struct page *page)
{
    const struct result *result = page->result;
    uint32_t *order = memory_zeroed(result->n_regions, sizeof *order);
    size_t n_shown = 0;
    for (uint32_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].visits > 0)
            order[n_shown++] = i;
    qsort_r(order, n_shown, sizeof *order, compare_regions, (void *)result);
    size_t n_used = n_shown;
    if (n_shown > page->options->top)
        n_shown = page->options->top;

    struct table table = {0};
    add_time_columns(&table);
    if (result->n_ranks > 1) {
        table_add_column(&table, "max/mean", false);
        table_add_column(&table, "rank", false);
    }
    table_add_column(&table, "region", true);
    for (size_t i = 0; i < n_shown; i++)
        add_region_row(&table, page, &result->regions[order[i]]);
    page_heading_of_times(page, "Time by region",
                          "sums over ranks; max/mean: rank with most exclusive time");
    page_table(page, &table);
    page_left_out(page, n_used - n_shown, "further region", "--top");
    explain_program(page);
    table_release(&table);
    free(order);
}

static int compare_inclusive(const void *left, const void *right, void *context)
{
    const struct result *result = context;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    if (result->paths[i].inclusive_ns != result->paths[j].inclusive_ns)
        return result->paths[i].inclusive_ns > result->paths[j].inclusive_ns ? -1 : 1;
    return (i > j) - (i < j);
}

/// Marks the call paths that are shown: of those not too deep, the ones with most inclusive time. A
/// parent has at least as much as its child and a lower index, so parents are among them.
static size_t choose_paths(const struct page *page, bool *is_shown)
{
    const struct result *result = page->result;
    uint32_t *order = memory_zeroed(result->n_paths, sizeof *order);
    size_t n_candidates = 0;
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (result->paths[i].depth < page->options->depth)
            order[n_candidates++] = i;
    qsort_r(order, n_candidates, sizeof *order, compare_inclusive, (void *)result);
    size_t n_shown = n_candidates < page->options->top ? n_candidates : page->options->top;
    for (size_t i = 0; i < n_shown; i++)
        is_shown[order[i]] = true;
    free(order);
    return n_shown;
}

void page_call_tree(const struct page *page)
{
    const struct result *result = page->result;
    bool *is_shown = memory_zeroed(result->n_paths, sizeof *is_shown);
    size_t n_shown = choose_paths(page, is_shown);
    struct table table = {0};
    add_time_columns(&table);
    table_add_column(&table, "call path", true);
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        if (!is_shown[i])
            continue;
        add_time_cells(&table, page, path->exclusive_ns, path->inclusive_ns, path->visits);
        table_add_cell(&table, "%*s%s", 2 * (int)path->depth, "",
                       result->regions[path->region].name);
    }
    page_heading_of_times(page, "Time by call path",
                          "sums over ranks; share: of the ranks' run time");
    page_table(page, &table);
    page_left_out(page, result->n_paths - n_shown, "further call path", "--depth, --top");
    table_release(&table);
    free(is_shown);
}
