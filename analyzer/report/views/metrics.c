// SPDX-License-Identifier: BSD-3-Clause
// Metrics that files define: of each the whole run, then the parts of it that took longest.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/report/views/views.h"

/// A part of the run and the values there: FIRST is of all ranks, or of the first one where there
/// is none.
struct part {
    const struct result_metric_value *first;
    size_t n;
    uint64_t time_ns; // 0 where it does not matter
};

static bool is_same_part(const struct result_part *a, const struct result_part *b)
{
    return a->region == b->region && a->path == b->path && a->iteration == b->iteration &&
           a->node == b->node;
}

static uint64_t time_of(const struct result *result, const struct result_part *part)
{
    return part->region != RESULT_NONE ? result->regions[part->region].inclusive_ns
           : part->path != RESULT_NONE ? result->paths[part->path].inclusive_ns
           : part->iteration != RESULT_NONE || part->node != RESULT_NONE ? 0
                                                                         : UINT64_MAX;
}

/// The parts that METRIC has values of, *N of them. The caller frees.
static struct part *parts_of(const struct result *result, const struct result_metric *metric,
                             size_t *n)
{
    struct part *parts = memory_zeroed(metric->n_values + 1, sizeof *parts);
    *n = 0;
    for (size_t i = 0; i < metric->n_values; i++) {
        const struct result_metric_value *value = &metric->values[i];
        if (*n == 0 || !is_same_part(&parts[*n - 1].first->in, &value->in))
            parts[(*n)++] = (struct part){value, 0, time_of(result, &value->in)};
        parts[*n - 1].n++;
    }
    return parts;
}

struct quantity metric_amount(const char *unit, double value)
{
    if (isnan(value))
        return quantity_format("-");
    if (strcmp(unit, "ns") == 0 && value >= 0)
        return quantity_time((uint64_t)llround(value));
    if (strcmp(unit, "bytes") == 0 && value >= 0)
        return quantity_size((uint64_t)llround(value));
    return strcmp(unit, "share") == 0 ? quantity_share(value) : quantity_format("%.4g", value);
}

/// The least and the greatest value of a rank in PART, and whose it is: two cells each.
static void add_ranks(struct table *table, const struct result_metric *metric,
                      const struct part *part)
{
    const struct result_metric_value *least = NULL, *most = NULL;
    for (const struct result_metric_value *at = part->first; at < part->first + part->n; at++) {
        if (at->in.rank == RESULT_NONE)
            continue;
        least = !least || at->value < least->value ? at : least;
        most = !most || at->value > most->value ? at : most;
    }
    table_add_cells(table, least ? metric_amount(metric->unit, least->value).text : "",
                    least ? quantity_format("%" PRIu32, least->in.rank).text : "",
                    most ? metric_amount(metric->unit, most->value).text : "",
                    most ? quantity_format("%" PRIu32, most->in.rank).text : "");
}

static bool has_ranks(const struct result_metric *metric)
{
    size_t i = 0;
    while (i < metric->n_values && metric->values[i].in.rank == RESULT_NONE)
        i++;
    return i < metric->n_values;
}

static void print_parts(const struct page *page, const struct result_metric *metric)
{
    struct table table = {0};
    size_t n;
    SCOPED struct part *parts = parts_of(page->result, metric, &n);
    size_t n_shown = page_n_shown(page, n);
    SORT_BY(parts, n, MOST(time_ns), LEAST(first));
    table_add_column(&table, "value", false);
    if (has_ranks(metric))
        table_add_columns(&table, "least", "rank", "most", "rank");
    table_add_column(&table, "where", true);
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_metric_value *first = parts[i].first;
        struct result_part place = first->in;
        place.rank = RESULT_NONE;
        SCOPED char *where = part_text(page->result, &place, "whole run");
        table_add_cell(
            &table, "%s",
            first->in.rank == RESULT_NONE ? metric_amount(metric->unit, first->value).text : "");
        if (has_ranks(metric))
            add_ranks(&table, metric, &parts[i]);
        table_add_cell(&table, "%s", where);
    }
    page_table_of(page, &table, n, "further part");
}

static void page_metric(const struct page *page, const struct result_metric *metric)
{
    bool is_share = strcmp(metric->unit, "share") == 0;
    SCOPED char *heading =
        memory_format("Metric %s in %s", metric->name, is_share ? "%" : metric->unit);
    page_heading(page, heading, "");
    if (metric->summary[0]) {
        fputs("  ", page->stream);
        print_paragraph(metric->summary, 2, 2, page->options->width, page->stream);
    }
    if (metric->needs)
        fprintf(page->stream, "  cannot be evaluated: needs %s%s\n", metric->needs,
                page->result->interval.what ? ", which may be known of whole runs only" : "");
    else if (metric->n_values == 0)
        fprintf(page->stream, "  no value other than 0\n");
    else
        print_parts(page, metric);
}

void page_metrics(const struct page *page)
{
    for (size_t i = 0; i < page->result->n_metrics; i++)
        page_metric(page, &page->result->metrics[i]);
}

static json_t *value_object(const struct result *result, const struct result_metric_value *value)
{
    return JSON_PUT(json_put_part(json_object(), result, &value->in), JSON_REAL(value, value));
}

static json_t *metric_object(const struct result *result, const struct result_metric *metric)
{
    return JSON_OBJECT(
        {"metric", json_text(metric->name)}, JSON_TEXT(metric, unit),
        {"text", json_text(metric->summary)}, JSON_TEXT(metric, focus),
        {"needs", metric->needs ? json_text(metric->needs) : json_null()},
        {"values", JSON_EACH(i, metric->n_values, value_object(result, &metric->values[i]))});
}

json_t *json_metrics(const struct result *result)
{
    return result->n_metrics > 0
               ? JSON_EACH(i, result->n_metrics, metric_object(result, &result->metrics[i]))
               : NULL;
}
