// SPDX-License-Identifier: BSD-3-Clause
// The section on streams of GPUs: how long each is busy, and with what.

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"

enum { N_PARTS = sizeof((struct result_stream *)0)->parts / sizeof(struct result_stream_part) };

const char *page_gpu_mark(const struct result_region *region)
{
    return region->is_on_gpu ? " (GPU)" : "";
}

void page_gpu_time(const struct page *page)
{
    const struct result *result = page->result;
    uint64_t busy_ns = 0;
    for (size_t i = 0; i < result->n_streams; i++)
        busy_ns += result->streams[i].busy_ns;
    if (busy_ns == 0)
        return;
    const struct result_stream *first = &result->streams[0];
    double run_ns = (double)result->time_ns;
    page_labelled(page, "GPU", "%s busy %s of the run%s, %s with most: %s, mostly in %s",
                  quantity_count(result->n_streams, "stream").text,
                  quantity_part((double)busy_ns, run_ns * (double)result->n_streams).text,
                  result->n_streams > 1 ? " on average" : "", first->name,
                  quantity_part((double)first->busy_ns, run_ns).text,
                  result->regions[first->parts[0].region].shown);
}

static void add_row(const struct page *page, const struct result_stream *stream,
                    struct table *table)
{
    const struct result *result = page->result;
    SCOPED char *parts = memory_copy_text("");
    for (size_t i = 0; i < N_PARTS && stream->parts[i].region != RESULT_NONE; i++)
        text_append(&parts, "%s%s %s", i ? ", " : "",
                    result->regions[stream->parts[i].region].shown,
                    quantity_part((double)stream->parts[i].ns, (double)stream->busy_ns).text);
    table_add_cells(table, page_time(page, stream->busy_ns).text,
                    quantity_part((double)stream->busy_ns, (double)result->time_ns).text,
                    quantity_number(stream->n_runs).text, quantity_index(stream->rank).text,
                    stream->name, parts);
}

void page_streams(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->n_streams;
    size_t n_shown = page_n_shown(page, n);
    if (n == 0)
        return;
    table_add_columns(&table, "busy", "share", "runs", "rank", "<stream", "<mostly in");
    for (size_t i = 0; i < n_shown; i++)
        add_row(page, &result->streams[i], &table);
    page_heading_of_times(page, "GPU streams", "kernels, copies; share: of the run time");
    page_table_of(page, &table, n, "further stream");
}

static json_t *part_object(const struct result *result, const struct result_stream_part *part)
{
    return part->region == RESULT_NONE ? NULL
                                       : JSON_OBJECT({"region", json_region(result, part->region)},
                                                     {"time_ns", json_count(part->ns)});
}

static json_t *stream_object(const struct result *result, const struct result_stream *stream)
{
    return JSON_OBJECT(JSON_TEXT(stream, name), {"rank", json_index(stream->rank)},
                       {"runs", json_count(stream->n_runs)}, JSON_COUNT(stream, busy_ns),
                       {"most", JSON_EACH(k, N_PARTS, part_object(result, &stream->parts[k]))});
}

json_t *json_streams(const struct result *result)
{
    return result->n_streams > 0
               ? JSON_EACH(i, result->n_streams, stream_object(result, &result->streams[i]))
               : NULL;
}
