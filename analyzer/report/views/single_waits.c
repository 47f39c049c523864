// SPDX-License-Identifier: BSD-3-Clause
// Single waits that a condition selects (pagoda replay --list-waits).
#include "analyzer/result/views/single_waits.h"

#include "analyzer/base/memory.h"
#include "analyzer/report/json.h"
#include "analyzer/report/page.h"

static void add_row(struct table *table, const struct single_wait *wait, struct time_unit unit)
{
    table_add_cells(table, quantity_in((int64_t)wait->begin_ns, unit).text,
                    quantity_time(wait->wait_ns).text, quantity_number(wait->rank).text,
                    wait->cause_rank == MATCHER_NO_RANK ? "-"
                                                        : quantity_number(wait->cause_rank).text,
                    wait->pattern->name);
    table_add_cell(table, "%s%s%s", wait->path, wait->source[0] ? " at " : "", wait->source);
}

void text_print_waits(const char *trace, const struct single_waits *waits,
                      const struct text_options *options, FILE *stream)
{
    struct time_unit unit = time_unit_for(waits->run_ns);
    struct table table = {0};
    fprintf(stream, "trace %s: %s where %s, %s in sum\n", trace,
            quantity_count(waits->count, "wait").text, waits->condition,
            quantity_time(waits->total_ns).text);
    if (waits->n == 0)
        return;
    SCOPED char *begin = memory_format("begin in %s", unit.name);
    table_add_columns(&table, begin, "wait", "rank", "for rank", "<wait state", "<call path");
    for (size_t i = 0; i < waits->n; i++)
        add_row(&table, &waits->items[i], unit);
    if (waits->n < waits->count)
        fprintf(stream, "the %zu longest (more with --top), in the order of time\n", waits->n);
    fprintf(stream, "\n");
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
}

static json_t *wait_object(const struct single_wait *wait)
{
    return JSON_OBJECT({"pattern", json_text(wait->pattern->id)}, JSON_COUNT(wait, rank),
                       {"cause_rank", wait->cause_rank == MATCHER_NO_RANK
                                          ? json_null()
                                          : json_count(wait->cause_rank)},
                       JSON_COUNT(wait, begin_ns), JSON_COUNT(wait, wait_ns), JSON_TEXT(wait, path),
                       JSON_TEXT(wait, source));
}

void json_print_waits(const char *trace, const struct single_waits *waits, FILE *stream)
{
    JSON_PRINT(stream, JSON_FORMAT, {"trace", json_text(trace)}, JSON_TEXT(waits, condition),
               JSON_COUNT(waits, count), JSON_COUNT(waits, total_ns),
               {"waits", JSON_EACH(i, waits->n, wait_object(&waits->items[i]))});
}
