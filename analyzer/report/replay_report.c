// SPDX-License-Identifier: BSD-3-Clause
// The report on a replay, section by section; each of them is a file in views/.
#include "analyzer/base/text.h"
#include "analyzer/report/views/views.h"

void text_print(const struct result *result, const struct text_options *options, FILE *stream)
{
    struct page page = {
        .result = result,
        .options = options,
        .stream = stream,
        .unit = time_unit_for(result->time_ns),
        .rank_time_ns = (double)result->n_ranks * (double)result->time_ns,
        .place_time_ns = page_place_time_ns(result),
    };
    page_run(&page);
    fputc('\n', stream);
    page_efficiency(&page);
    page_thread_efficiency(&page);
    page_task_time(&page);
    page_gpu_time(&page);
    page_findings(&page);
    page_warnings(&page, false);
    page_groups(&page);
    page_iterations(&page);
    page_stragglers(&page);
    page_servers(&page);
    page_regions(&page);
    page_call_tree(&page);
    page_waits(&page);
    if (page.options->shows_all)
        page_slack(&page);
    page_threads(&page);
    page_streams(&page);
    page_counters(&page);
    page_sensors(&page);
    page_metrics(&page);
    page_files(&page);
    if (!result->interval.what)
        page_critical_path(&page);
}

json_t *json_report(const struct result *result, const struct whatif_report *whatif)
{
    json_t *report = json_document();
    json_put_run(report, result);
    JSON_PUT(report, {"groups", json_groups(result)}, {"message_sizes", json_message_sizes(result)},
             {"message_slack", json_slack(result)}, {"iterations", json_iterations(result)},
             {"stragglers", json_stragglers(result)}, {"servers", json_servers(result)},
             {"threads", json_threads(result)}, {"profile", json_profile(result)},
             {"counters", json_counters(result)}, {"streams", json_streams(result)},
             {"sensors", json_sensors(result)}, {"metrics", json_metrics(result)},
             {"files", json_files(result)}, {"critical_path", json_critical_path(result)},
             {"patterns", json_wait_states(result)});
    json_put_findings(report, result);
    return JSON_PUT(report, {"whatif", whatif ? json_whatif(whatif, result) : NULL});
}

void json_print(const struct result *result, const struct whatif_report *whatif, FILE *stream)
{
    json_print_document(stream, JSON_FORMAT, json_report(result, whatif));
}

// ---- several intervals of one run

void text_print_intervals(const struct interval_page *page, const struct text_options *options,
                          FILE *stream)
{
    struct table table = {0};
    bool has_lost = false, has_groups = false;
    for (size_t i = 0; i < page->n_rows; i++) {
        has_lost |= page->rows[i].no_cpu_ns > 0;
        has_groups |= page->rows[i].limiting != NULL;
    }
    table_add_columns(&table, "from", "time", "efficiency", "load balance");
    if (has_lost)
        table_add_column(&table, "no CPU time", false);
    table_add_column(&table, "waiting", false);
    for (size_t k = 0; page->n_rows > 0 && k < page->rows[0].n_metrics; k++)
        table_add_column(&table, page->rows[0].metrics[k].name, false);
    if (has_groups)
        table_add_columns(&table, "others wait", "to spare", "<limited by");
    table_add_columns(&table, "<interval", "<biggest loss");
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct interval_row *row = &page->rows[i];
        table_add_cells(&table, quantity_time(row->begin_ns).text, quantity_time(row->time_ns).text,
                        quantity_share(row->efficiency.parallel).text,
                        quantity_share(row->efficiency.load_balance).text);
        if (has_lost)
            table_add_cell(&table, "%s",
                           quantity_part((double)row->no_cpu_ns, (double)row->total_ns).text);
        table_add_cell(&table, "%s",
                       quantity_part((double)row->wait_ns, (double)row->total_ns).text);
        for (size_t k = 0; k < row->n_metrics; k++)
            table_add_cell(&table, "%s",
                           metric_amount(row->metrics[k].unit, row->metrics[k].value).text);
        if (has_groups)
            table_add_cells(&table, quantity_time(row->others_wait_ns).text,
                            quantity_number(row->n_spare).text, row->limiting ? row->limiting : "");
        table_add_cells(&table, row->name, row->headline);
    }
    fprintf(stream, "trace %s: %s\n\n", page->trace, quantity_count(page->n_rows, "interval").text);
    table_print(&table, 2, options->cuts_lines ? options->width : 0, stream);
}

static json_t *interval_metric_object(const struct interval_metric *metric)
{
    return JSON_OBJECT({"metric", json_text(metric->name)}, JSON_TEXT(metric, unit),
                       JSON_NUMBER(metric, value));
}

static json_t *interval_row_object(const struct interval_row *row)
{
    return JSON_OBJECT(
        JSON_TEXT(row, name), JSON_FLAG(row, is_phase), JSON_COUNT(row, begin_ns),
        JSON_COUNT(row, end_ns), JSON_COUNT(row, time_ns), JSON_COUNT(row, useful_ns),
        JSON_COUNT(row, no_cpu_ns), JSON_COUNT(row, wait_ns), JSON_COUNT(row, other_mpi_ns),
        {"unrecorded_ns", json_count(row->outside_ns)},
        {"efficiency", JSON_OBJECT(JSON_NUMBER(&row->efficiency, parallel),
                                   JSON_NUMBER(&row->efficiency, load_balance),
                                   JSON_NUMBER(&row->efficiency, cpu),
                                   JSON_NUMBER(&row->efficiency, communication))},
        JSON_TEXT(row, headline), {"limiting", row->limiting ? json_text(row->limiting) : NULL},
        {"others_wait_ns", row->limiting ? json_count(row->others_wait_ns) : NULL},
        {"spare_ranks", row->limiting ? json_count(row->n_spare) : NULL},
        {"metrics", row->n_metrics > 0
                        ? JSON_EACH(i, row->n_metrics, interval_metric_object(&row->metrics[i]))
                        : NULL});
}

void json_print_intervals(const struct interval_page *page, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1) | JSON_REAL_PRECISION(12), JSON_TEXT(page, trace),
               {"intervals", JSON_EACH(i, page->n_rows, interval_row_object(&page->rows[i]))});
}
