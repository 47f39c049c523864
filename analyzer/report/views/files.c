// SPDX-License-Identifier: BSD-3-Clause
// The section on file I/O: what was done to each file, and where most of its time went.

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/report/views/views.h"

enum { SHOWN_PATHS = 2 }; // busiest_paths() knows no more

/// The first use of FILE.
static size_t first_use(const struct result *result, size_t file)
{
    size_t first;
    SEARCH(first, 0, result->n_file_uses, i, result->file_uses[i].file < file);
    return first;
}

/// The call paths with most of the time of FILE. The caller frees.
static char *busiest_paths(const struct result *result, uint32_t file)
{
    char *text = memory_copy_text("");
    uint32_t shown = RESULT_NONE; // already
    size_t first = first_use(result, file);
    for (size_t n = 0; n < SHOWN_PATHS; n++) {
        uint32_t best = RESULT_NONE;
        uint64_t best_ns = 0, ns = 0;
        for (size_t i = first; i < result->n_file_uses && result->file_uses[i].file == file; i++) {
            const struct result_file_use *use = &result->file_uses[i];
            bool is_next = i > first && result->file_uses[i - 1].path == use->path;
            ns = use->sums.ns + (is_next ? ns : 0);
            if (ns > best_ns && use->path != shown) {
                best = use->path;
                best_ns = ns;
            }
        }
        if (best == RESULT_NONE)
            break;
        shown = best;
        text_append(&text, "%s%s %s", n ? ", " : "", result->paths[best].shown,
                    quantity_part((double)best_ns, (double)result->files[file].sums.ns).text);
    }
    return text;
}

static void add_row(const struct page *page, uint32_t file, struct table *table)
{
    const struct result_file *of = &page->result->files[file];
    SCOPED char *paths = busiest_paths(page->result, file);
    table_add_cells(table, quantity_number(of->sums.n_opens).text,
                    quantity_number(of->sums.n_reads).text, quantity_size(of->sums.read_bytes).text,
                    quantity_number(of->sums.n_writes).text,
                    quantity_size(of->sums.written_bytes).text,
                    quantity_number(of->sums.n_syncs).text, quantity_number(of->sums.n_small).text,
                    page_time(page, of->sums.ns).text, of->paradigm, of->name, paths);
}

void page_files(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->n_files;
    size_t n_shown = page_n_shown(page, n);
    if (n == 0)
        return;
    table_add_columns(&table, "opens", "reads", "read", "writes", "written", "syncs", "small",
                      "time", "<by", "<file", "<most time in");
    for (uint32_t i = 0; i < n_shown; i++)
        add_row(page, i, &table);
    page_heading_of_times(page, "File I/O",
                          "recorded operations, sums over ranks, whole run; small: below 64 KiB");
    page_table_of(page, &table, n, "further file");
}

static json_t *put_sums(json_t *object, const struct file_sums *sums)
{
    JSON_PUT(object, {"opens", json_count(sums->n_opens)}, {"reads", json_count(sums->n_reads)},
             JSON_COUNT(sums, read_bytes), {"writes", json_count(sums->n_writes)},
             JSON_COUNT(sums, written_bytes), {"syncs", json_count(sums->n_syncs)},
             {"small", json_count(sums->n_small)}, {"time_ns", json_count(sums->ns)});
    return object;
}

static json_t *file_object(const struct result *result, size_t file)
{
    json_t *uses = json_array();
    for (size_t i = first_use(result, file);
         i < result->n_file_uses && result->file_uses[i].file == file; i++) {
        const struct result_file_use *use = &result->file_uses[i];
        json_array_append_new(uses, put_sums(JSON_OBJECT({"path", json_path(result, use->path)},
                                                         JSON_COUNT(use, rank),
                                                         {"inner", json_boolean(use->is_inner)}),
                                             &use->sums));
    }
    return JSON_OBJECT({"file", json_text(result->files[file].name)},
                       {"paradigm", json_text(result->files[file].paradigm)},
                       {"sums", put_sums(json_object(), &result->files[file].sums)},
                       {"uses", uses});
}

json_t *json_files(const struct result *result)
{
    return result->n_files > 0 ? JSON_EACH(i, result->n_files, file_object(result, i)) : NULL;
}
