// SPDX-License-Identifier: BSD-3-Clause
// The merged hierarchies as trees and as JSON.
#include "analyzer/compare/structure.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

static uint64_t all_runs(const struct structure_page *page)
{
    return (UINT64_C(1) << page->n_runs) - 1;
}

static void print_runs(const struct structure_page *page, FILE *stream)
{
    struct table table = {0};
    table_add_columns(&table, "run id", "<trial");
    for (size_t i = 0; i < page->n_runs; i++) {
        table_add_cell(&table, "%" PRIu64, UINT64_C(1) << i);
        table_add_cell(&table, "%s", page->runs[i]);
    }
    table_print(&table, 0, 0, stream);
}

/// "5 = 1 + 4" after a resource that some runs lack.
static void add_ids_cell(struct table *table, const struct structure_page *page, uint64_t run_ids)
{
    if (run_ids == all_runs(page)) {
        table_add_cell(table, "in all");
        return;
    }
    SCOPED char *text = NULL;
    for (size_t i = 0; i < page->n_runs; i++)
        if (run_ids & UINT64_C(1) << i)
            text_append(&text, "%s%" PRIu64, text ? ", " : "only in ", UINT64_C(1) << i);
    table_add_cell(table, "%s", text);
}

/// Marks the resources from FIRST to BEFORE that are shown: those of interest and what is above
/// them.
static bool *choose_rows(const struct structure_page *page, size_t first, size_t before,
                         bool shows_all)
{
    const struct structure_resource *resources = page->structure.resources;
    bool *is_shown = memory_zeroed(before - first + 1, sizeof *is_shown);
    const char *below = NULL; // the last one shown, seen from the end
    for (size_t i = before; i-- > first;) {
        is_shown[i - first] = shows_all || resources[i].run_ids != all_runs(page) ||
                              (below && resource_path_is_within(below, resources[i].path));
        if (is_shown[i - first])
            below = resources[i].path;
    }
    return is_shown;
}

static void print_hierarchy(const struct structure_page *page, size_t first, size_t before,
                            bool shows_all, FILE *stream)
{
    const struct structure_resource *resources = page->structure.resources;
    size_t n_common = 0;
    for (size_t i = first; i < before; i++)
        n_common += resources[i].run_ids == all_runs(page);
    size_t root_length = resource_path_next(resources[first].path, 0);
    fprintf(stream, "\n%.*s: %s, %zu in all runs\n", (int)root_length, resources[first].path,
            quantity_count(before - first, "resource").text, n_common);
    if (n_common == before - first && !shows_all)
        return;
    SCOPED bool *is_shown = choose_rows(page, first, before, shows_all);
    struct table table = {0};
    table_add_columns(&table, "sum of ids", "<runs", "<resource");
    for (size_t i = first; i < before; i++) {
        if (!is_shown[i - first])
            continue;
        table_add_cell(&table, "%" PRIu64, resources[i].run_ids);
        add_ids_cell(&table, page, resources[i].run_ids);
        table_add_cell(&table, "%*s%s", (int)(2 * (resource_path_depth(resources[i].path) - 2)), "",
                       resource_path_last(resources[i].path));
    }
    table_print(&table, 2, 0, stream);
}

/// Where the hierarchy of the resource FIRST ends.
static size_t hierarchy_end(const struct structure *structure, size_t first)
{
    const char *path = structure->resources[first].path;
    SCOPED char *root = memory_format("%.*s", (int)resource_path_next(path, 0), path);
    size_t end = first + 1;
    while (end < structure->n_resources &&
           resource_path_is_within(structure->resources[end].path, root))
        end++;
    return end;
}

void text_print_structure(const struct structure_page *page, bool shows_all, FILE *stream)
{
    print_runs(page, stream);
    for (size_t first = 0, end; first < page->structure.n_resources; first = end) {
        end = hierarchy_end(&page->structure, first);
        print_hierarchy(page, first, end, shows_all, stream);
    }
}

static json_t *run_object(const struct structure_page *page, size_t i)
{
    return JSON_OBJECT({"id", json_count(UINT64_C(1) << i)}, {"trial", json_text(page->runs[i])});
}

static json_t *resource_object(const struct structure_resource *resource)
{
    return JSON_OBJECT(JSON_TEXT(resource, path), JSON_COUNT(resource, run_ids));
}

void json_print_structure(const struct structure_page *page, FILE *stream)
{
    const struct structure *structure = &page->structure;
    JSON_PRINT(stream, JSON_INDENT(1), JSON_TEXT_OR_NULL(page, database),
               {"runs", JSON_EACH(i, page->n_runs, run_object(page, i))},
               {"resources",
                JSON_EACH(k, structure->n_resources, resource_object(&structure->resources[k]))});
}
