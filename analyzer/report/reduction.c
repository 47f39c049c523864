// SPDX-License-Identifier: BSD-3-Clause
// A reduction as text and JSON (see reduction.h): what is left out, what stays, what it comes to.
#include "analyzer/report/report.h"

#include <math.h>

#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/json.h"
#include "analyzer/report/table.h"
#include "analyzer/result/dilation.h"

/// How many times as long as the untraced one a run took.
static double dilation_of(const struct reduction_page *page, size_t run)
{
    return dilation((double)page->runs[run].wall_ns,
                    (double)page->runs[REDUCTION_UNTRACED].wall_ns);
}

static struct quantity microseconds(double us)
{
    return quantity_time((uint64_t)(us * 1e3 + 0.5));
}

static void add_row(struct table *table, const struct reduction_row *row, const char *name,
                    bool has_after, bool is_any_rank)
{
    table_add_cells(table, quantity_format("%.10g", round(row->n_calls * 100) / 100).text,
                    microseconds(row->exclusive_us).text, microseconds(row->inclusive_us).text,
                    microseconds(row->n_calls > 0 ? row->inclusive_us / row->n_calls : 0).text,
                    quantity_format("%.1f", row->percent).text);
    if (has_after)
        table_add_cell(table, "%s",
                       isnan(row->after_inclusive_us) ? "-"
                                                      : microseconds(row->after_inclusive_us).text);
    table_add_cells(table, name, row->file);
    if (row->rule && is_any_rank)
        table_add_cell(table, "rank %u: %s", (unsigned)row->rule_rank, row->rule);
    else if (row->rule)
        table_add_cell(table, "%s", row->rule);
}

/// The functions that are left out, or those that stay; at most TOP.
static void print_rows(const struct reduction_page *page, bool is_left_out, uint64_t top,
                       FILE *stream)
{
    SCOPED_BY(table_release) struct table table = {0};
    bool has_after = !is_left_out && page->is_measured;
    size_t n = 0;
    table_add_columns(&table, "calls", "exclusive", "inclusive", "per call", "percent");
    if (has_after)
        table_add_column(&table, "then", false);
    table_add_columns(&table, "<function", "<file");
    if (is_left_out)
        table_add_column(&table, "rule", true);
    SCOPED const char **names = NAMED_NAMES(page->rows, page->n_rows);
    char **shown = function_names_shown(names, page->n_rows);
    for (size_t i = 0; i < page->n_rows; i++)
        if ((page->rows[i].rule != NULL) == is_left_out && n++ < top)
            add_row(&table, &page->rows[i], shown[i], has_after, page->is_any_rank);
    if (n > 0)
        table_print(&table, 2, 0, stream);
    if (n > top)
        fprintf(stream, "  ... and %s more (--top)\n", quantity_count(n - top, "function").text);
    memory_free_each(shown, page->n_rows);
}

static void print_dilation(const struct reduction_page *page, FILE *stream)
{
    static const char *const names[N_REDUCTION_RUNS] = {"untraced", "all functions recorded",
                                                        "without those left out"};
    struct table table = {0};
    table_add_columns(&table, "<run", "time", "dilation", "events");
    for (size_t i = 0; i < N_REDUCTION_RUNS; i++) {
        table_add_cell(&table, "%s", names[i]);
        table_add_cells(&table, quantity_time(page->runs[i].wall_ns).text,
                        quantity_format("%.2f", dilation_of(page, i)).text,
                        i == REDUCTION_UNTRACED ? "-"
                                                : quantity_number(page->runs[i].n_events).text);
    }
    fprintf(stream, "\nDilation");
    if (page->n_repetitions > 1)
        fprintf(stream, " (the shortest of %llu runs each)",
                (unsigned long long)page->n_repetitions);
    fprintf(stream, "\n");
    table_print(&table, 2, 0, stream);
}

void text_print_reduction(const struct reduction_page *page, uint64_t top, FILE *stream)
{
    size_t n_left_out = 0;
    double calls = 0, left_out_calls = 0;
    for (size_t i = 0; i < page->n_rows; i++) {
        calls += page->rows[i].n_calls;
        if (!page->rows[i].rule)
            continue;
        n_left_out++;
        left_out_calls += page->rows[i].n_calls;
    }
    fprintf(stream, "%s: %zu of %s left out, with %s of their calls\n", page->source, n_left_out,
            quantity_count(page->n_rows, "function").text,
            quantity_part(left_out_calls, calls).text);
    if (n_left_out > 0) {
        fprintf(stream, "\nLeft out (%s%s)\n",
                page->n_ranks > 1 ? "means over the ranks"
                : page->rank      ? "of rank "
                                  : "of the rank",
                page->rank ? page->rank : "");
        print_rows(page, true, UINT64_MAX, stream);
    }
    if (n_left_out < page->n_rows) {
        fprintf(stream, "\nRecorded%s\n",
                page->is_measured ? " (then: inclusive, in the run without those left out)" : "");
        print_rows(page, false, top, stream);
    }
    if (page->is_measured)
        print_dilation(page, stream);
    if (page->output)
        fprintf(stream, "\nIn %s; next: pagoda trace --filter %s -- LAUNCHER\n", page->output,
                page->output);
}

static json_t *function_object(const struct reduction_page *page, const struct reduction_row *row)
{
    bool has_rank = row->rule && page->is_any_rank;
    return JSON_OBJECT({"function", json_text(row->name)}, JSON_TEXT_OR_NULL(row, file),
                       {"numcalls", json_real(row->n_calls)},
                       {"usec", json_real(row->exclusive_us)},
                       {"cumusec", json_real(row->inclusive_us)}, JSON_REAL(row, percent),
                       JSON_TEXT_OR_NULL(row, rule),
                       {"rule_rank", has_rank ? json_count(row->rule_rank) : json_null()},
                       {"then_cumusec", json_number(row->after_inclusive_us)});
}

static json_t *run_object(const struct reduction_page *page, size_t run)
{
    return JSON_OBJECT({"wall_ns", json_count(page->runs[run].wall_ns)},
                       {"events", json_count(page->runs[run].n_events)},
                       {"dilation", json_number(dilation_of(page, run))});
}

static json_t *dilation_object(const struct reduction_page *page)
{
    return JSON_OBJECT({"untraced", run_object(page, REDUCTION_UNTRACED)},
                       {"all", run_object(page, REDUCTION_TRACED)},
                       {"reduced", run_object(page, REDUCTION_REDUCED)},
                       {"repetitions", json_count(page->n_repetitions)});
}

void json_print_reduction(const struct reduction_page *page, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1) | JSON_ENSURE_ASCII, JSON_TEXT(page, source),
               {"ranks", json_count(page->n_ranks)},
               {"functions", JSON_EACH(i, page->n_rows, function_object(page, &page->rows[i]))},
               JSON_TEXT_OR_NULL(page, output),
               {"dilation", page->is_measured ? dilation_object(page) : json_null()});
}
