// SPDX-License-Identifier: BSD-3-Clause
// Paths through a region (pagoda replay --paths).
#include "analyzer/result/views/child_paths.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/json.h"
#include "analyzer/report/page.h"

enum { MAX_SHOWN = 12 };

/// "pack, MPI_Isend x 4, MPI_Waitall", of many the first; the caller frees.
static char *calls_text(const struct child_paths *paths, const struct child_path *path)
{
    char *text = NULL;
    size_t n_shown = path->n_calls <= MAX_SHOWN + 1 ? path->n_calls : MAX_SHOWN;
    for (size_t i = 0; i < n_shown; i++) {
        text_append(&text, "%s%s", i > 0 ? ", " : "", paths->shown[path->calls[i].region]);
        if (path->calls[i].n_times > 1)
            text_append(&text, " x %" PRIu64, path->calls[i].n_times);
    }
    if (path->n_calls > n_shown)
        text_append(&text, " and %zu%s further", path->n_calls - n_shown,
                    path->is_cut ? " or more" : "");
    else if (path->is_cut)
        text_append(&text, ", ...");
    return text ? text : memory_copy_text("(no call)");
}

static void add_row(struct table *table, const struct child_path *path, const char *calls)
{
    table_add_cells(table, quantity_number(path->count).text, quantity_time(path->total_ns).text,
                    quantity_time(path->total_ns / path->count).text,
                    quantity_time(path->min_ns).text, quantity_time(path->max_ns).text, calls);
}

void text_print_child_paths(const struct child_paths *paths, const struct text_options *options,
                            FILE *stream)
{
    struct child_path others = paths->others;
    struct table table = {0};
    size_t n_shown = paths->n < options->top ? paths->n : options->top;
    table_add_columns(&table, "count", "total", "mean", "min", "max", "<calls");
    for (size_t i = 0; i < n_shown; i++) {
        SCOPED char *calls = calls_text(paths, &paths->items[i]);
        add_row(&table, &paths->items[i], calls);
    }
    for (size_t i = n_shown; i < paths->n; i++) {
        const struct child_path *path = &paths->items[i];
        others.min_ns =
            others.count == 0 || path->min_ns < others.min_ns ? path->min_ns : others.min_ns;
        others.max_ns = path->max_ns > others.max_ns ? path->max_ns : others.max_ns;
        others.count += path->count;
        others.total_ns += path->total_ns;
    }
    if (others.count > 0)
        add_row(&table, &others, "(others)");
    fprintf(stream, "trace %s: paths through %s%s\n\n", paths->trace, paths->region,
            paths->others.count > 0 ? "; the first 1024 have a row each" : "");
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
}

static json_t *amounts_object(const struct child_path *path)
{
    return JSON_OBJECT(JSON_COUNT(path, count), JSON_COUNT(path, total_ns),
                       JSON_COUNT(path, min_ns), JSON_COUNT(path, max_ns));
}

static json_t *path_object(const struct child_paths *paths, const struct child_path *path)
{
    return JSON_PUT(
        amounts_object(path), JSON_FLAG(path, is_cut),
        {"calls", JSON_EACH(k, path->n_calls,
                            JSON_OBJECT({"region", json_text(paths->shown[path->calls[k].region])},
                                        {"times", json_count(path->calls[k].n_times)}))});
}

void json_print_child_paths(const struct child_paths *paths, FILE *stream)
{
    JSON_PRINT(stream, JSON_FORMAT, JSON_TEXT(paths, trace), JSON_TEXT(paths, region),
               {"paths", JSON_EACH(i, paths->n, path_object(paths, &paths->items[i]))},
               {"others", paths->others.count > 0 ? amounts_object(&paths->others) : json_null()});
}
