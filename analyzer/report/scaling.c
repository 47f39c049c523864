// SPDX-License-Identifier: BSD-3-Clause
// A scaling study as text (what it shows in sentences, then points, then the growth of the parts),
// as JSON, and as comma-separated values (RFC 4180), one number a line, so that any tool can filter
// and pivot it.

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/format/csv.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/scaling.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

static void add_time(struct table *table, double time_ns)
{
    table_add_cell(table, "%s", quantity_mean_time(time_ns).text);
}

/// N values from their least to their greatest by the eight heights of block characters.
static char *sparkline(const double *values, size_t n)
{
    char *line = memory_zeroed(3 * n + 1, 1);
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    for (size_t i = 0; i < n; i++) {
        double height = most > least ? (values[i] - least) / (most - least) : 0;
        line[3 * i] = (char)0xe2; // U+2581 to U+2588
        line[3 * i + 1] = (char)0x96;
        line[3 * i + 2] = (char)(0x81 + (int)(height * 7 + 0.5));
    }
    return line;
}

static void print_trend(const struct scaling *scaling, FILE *stream)
{
    SCOPED double *speedups = memory_new(scaling->n_points * sizeof *speedups);
    for (size_t i = 0; i < scaling->n_points; i++)
        speedups[i] = scaling->points[i].speedup;
    char *line = sparkline(speedups, scaling->n_points);
    fprintf(stream, "  speedup %s", line);
    free(line);
    if (scaling->kind != SCALING_SIZE) {
        for (size_t i = 0; i < scaling->n_points; i++)
            speedups[i] = scaling->points[i].efficiency;
        line = sparkline(speedups, scaling->n_points);
        fprintf(stream, "  efficiency %s", line);
        free(line);
    }
    fputc('\n', stream);
}

/// A value that is known, and of CPU time one that is not all of it.
static bool is_worth_showing(enum scaling_factor factor, double value)
{
    return !isnan(value) && (factor != FACTOR_CPU || value < 0.9995);
}

static void print_points(const struct scaling_page *page, const struct scaling *scaling,
                         FILE *stream)
{
    static const struct {
        enum scaling_factor factor;
        const char *title;
    } columns[] = {
        {FACTOR_PARALLEL, "parallel"},
        {FACTOR_LOAD_BALANCE, "load bal."},
        {FACTOR_CPU, "CPU"},
        {FACTOR_COMMUNICATION, "communic."},
        {FACTOR_SERIALIZATION, "serializ."},
        {FACTOR_TRANSFER, "transfer"},
        {FACTOR_COMPUTATION, "comput."},
    };
    struct table table = {0};
    bool is_shown[N_FACTORS] = {false};
    table_add_column(&table, page->by, false);
    table_add_columns(&table, "runs", "time", "+-", "speedup");
    if (scaling->kind != SCALING_SIZE)
        table_add_column(&table, "effic.", false);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        for (size_t j = 0; j < scaling->n_points; j++)
            is_shown[i] |=
                is_worth_showing(columns[i].factor, scaling->points[j].factors[columns[i].factor]);
        if (is_shown[i])
            table_add_column(&table, columns[i].title, false);
    }
    for (size_t i = 0; i < scaling->n_points; i++) {
        const struct scaling_point *point = &scaling->points[i];
        table_add_cells(&table, quantity_format("%g", point->x).text,
                        quantity_number(point->n_trials).text);
        add_time(&table, point->time_ns);
        table_add_cells(&table, quantity_share(point->time_spread_ns / point->time_ns).text,
                        quantity_format("%.2f", point->speedup).text);
        if (scaling->kind != SCALING_SIZE)
            table_add_cell(&table, "%s", quantity_share(point->efficiency).text);
        for (size_t j = 0; j < sizeof columns / sizeof columns[0]; j++)
            if (is_shown[j])
                table_add_cell(&table, "%s",
                               quantity_share(point->factors[columns[j].factor]).text);
    }
    fprintf(stream, "\n  Points (time: mean over the runs, between MPI_Init and MPI_Finalize; +-: "
                    "standard deviation)\n");
    table_print(&table, 2, 0, stream);
}

static void add_growth(struct table *table, const struct scaling *scaling,
                       const struct scaling_part *part, const struct scaling_text_options *options)
{
    double total_ns = scaling->points[scaling->n_points - 1].time_ns;
    add_time(table, part->ns[0]);
    add_time(table, part->ns[scaling->n_points - 1]);
    table_add_cell(table, "%s", quantity_share(part->ns[scaling->n_points - 1] / total_ns).text);
    const struct model_series *model = scaling_model(scaling, part);
    bool fits = model_series_fits(model);
    if (scaling->has_next)
        add_time(table, fits ? part->next_ns : NAN);
    SCOPED char *growth = fits ? scaling_growth(scaling, model) : NULL;
    table_add_cells(table,
                    fits            ? growth
                    : model->reason ? "?"
                                    : "none fits",
                    model->reason ? "-" : quantity_share(model->model.rms_error).text);
    if (options->has_sparklines) {
        SCOPED char *line = sparkline(part->ns, scaling->n_points);
        table_add_cell(table, "%s", line);
    }
    table_add_cells(table, *part->wait_state ? "wait" : "region", part->shown);
}

/// Names the point that the model of NAME leaves out, if it does.
static void print_outlier(const struct scaling *scaling, const struct model_series *model,
                          const char *name, const struct scaling_text_options *options,
                          FILE *stream)
{
    SCOPED char *text = model_outlier_text(&scaling->models, model);
    if (!text)
        return;
    SCOPED char *note = memory_format("note: %s: %s", name, text);
    fputs("  ", stream);
    print_paragraph(note, 2, 4, options->width, stream);
}

static void print_growth(const struct scaling *scaling, const struct scaling_text_options *options,
                         FILE *stream)
{
    struct table table = {0};
    SCOPED char *first = memory_format("at %g", scaling->points[0].x);
    SCOPED char *last = memory_format("at %g", scaling->points[scaling->n_points - 1].x);
    SCOPED char *next = memory_format("next: %g", scaling->next_x);
    table_add_columns(&table, first, last, "share");
    if (scaling->has_next)
        table_add_column(&table, next, false);
    table_add_columns(&table, "<growth", "error");
    if (options->has_sparklines)
        table_add_column(&table, "", true);
    table_add_columns(&table, "<kind", "<part");
    uint64_t n_shown = 0, n_parts = 0;
    for (size_t i = 0; i < scaling->n_parts; i++) {
        if (scaling->parts[i].is_start_or_end)
            continue;
        if (n_parts++ >= options->top)
            continue;
        add_growth(&table, scaling, &scaling->parts[i], options);
        n_shown++;
    }
    fprintf(stream, "\n  Growth (mean time per rank; regions without their waits)\n");
    table_print(&table, 2, 0, stream);
    if (n_shown < n_parts)
        fprintf(stream, "  ... and %s (more with --top)\n",
                quantity_count(n_parts - n_shown, "further part").text);
    print_outlier(scaling, &scaling->models.series[0], "run time", options, stream);
    for (size_t i = 0, n = 0; i < scaling->n_parts && n < n_shown; i++) {
        const struct scaling_part *part = &scaling->parts[i];
        if (part->is_start_or_end)
            continue;
        print_outlier(scaling, scaling_model(scaling, part), part->shown, options, stream);
        n++;
    }
}

static void print_findings(const struct scaling_series *series, size_t width, FILE *stream)
{
    SCOPED_BY(table_release) struct table table = {0};
    size_t n_unknown = 0, n_held = 0;
    table_add_columns(&table, "<", "severity", "confidence", "<property", "<of");
    for (size_t i = 0; i < series->n_findings; i++) {
        const struct scaling_finding *finding = &series->findings[i];
        n_unknown += !finding->is_evaluated;
        if (!finding->holds)
            continue;
        n_held++;
        table_add_cells(&table, finding->severity >= finding->threshold ? "*" : "",
                        quantity_format("%.3f", finding->severity).text,
                        quantity_format("%.2f", finding->confidence).text, finding->id,
                        *finding->subject ? finding->subject : "program");
    }
    fprintf(stream, "\n  Properties of all runs together: %zu of %zu hold", n_held,
            series->n_findings);
    if (n_unknown)
        fprintf(stream, ", %zu cannot be evaluated", n_unknown);
    fprintf(stream, " (*: critical)\n");
    if (n_held)
        table_print(&table, 2, 0, stream);
    for (size_t i = 0; i < series->n_findings; i++) {
        const struct scaling_finding *finding = &series->findings[i];
        if (!finding->holds || finding->severity < finding->threshold)
            continue;
        SCOPED char *text =
            memory_format("%s%s%s: %s %s", finding->id, *finding->subject ? " of " : "",
                          finding->subject, finding->summary, finding->diagnosis);
        fprintf(stream, "\n  ");
        print_paragraph(text, 2, 4, width, stream);
    }
}

void text_print_scaling(const struct scaling_page *page, const struct scaling_text_options *options,
                        FILE *stream)
{
    for (size_t i = 0; i < page->n_series; i++) {
        const struct scaling_series *series = &page->series[i];
        const struct scaling *scaling = series->scaling;
        SCOPED char *head =
            memory_format("%s: %s %g to %g, %s", series->name, page->by, scaling->points[0].x,
                          scaling->points[scaling->n_points - 1].x,
                          quantity_count(scaling->n_trials, "run").text);
        fprintf(stream, "%s", i ? "\n" : "");
        print_paragraph(head, 0, 2, options->width, stream);
        fprintf(stream, "  ");
        if (scaling->kind != SCALING_SIZE) {
            SCOPED char *kind = memory_format("%s scaling (%s)", scaling_kind_names[scaling->kind],
                                              series->kind_reason);
            print_paragraph(kind, 2, 2, options->width, stream);
            fprintf(stream, "  ");
        }
        print_paragraph(series->conclusion, 2, 2, options->width, stream);
        if (options->has_sparklines)
            print_trend(scaling, stream);
        print_points(page, scaling, stream);
        print_growth(scaling, options, stream);
        if (page->has_findings)
            print_findings(series, options->width, stream);
    }
}

static json_t *index_or_null(size_t index)
{
    return index == SCALING_NONE ? json_null() : json_count(index);
}

static json_t *curve_object(const struct scaling *scaling, const struct model_series *model,
                            size_t i)
{
    const struct model_prediction *at = &model->predictions[i];
    return JSON_OBJECT({"x", json_real(*model_table_asked(&scaling->models, model, i))},
                       {"ns", json_number(1e9 * at->value)}, {"low_ns", json_number(1e9 * at->low)},
                       {"high_ns", json_number(1e9 * at->high)});
}

static json_t *fit_object(const struct scaling *scaling, const struct model_series *series)
{
    const struct model *model = &series->model;
    if (series->reason)
        return json_null();
    SCOPED char *growth = scaling_growth(scaling, series);
    return JSON_OBJECT(
        JSON_TEXT(series, formula), JSON_NUMBER(model, rms_error), JSON_NUMBER(model, r_squared),
        JSON_COUNT(model, n_points),
        {"outlier_x", model->has_outlier ? json_real(model->outlier.x[0]) : json_null()},
        {"is_good", json_boolean(model_series_fits(series))}, {"growth", json_text(growth)},
        {"curve", series->n_asked > 0
                      ? JSON_EACH(i, series->n_asked, curve_object(scaling, series, i))
                      : NULL});
}

static json_t *point_object(const struct scaling_point *point)
{
    json_t *object = JSON_OBJECT(JSON_REAL(point, x), {"ranks", json_number(point->n_ranks)},
                                 JSON_COUNT(point, n_trials), JSON_NUMBER(point, time_ns),
                                 {"time_stddev_ns", json_number(point->time_spread_ns)},
                                 JSON_NUMBER(point, speedup), JSON_NUMBER(point, efficiency),
                                 JSON_NUMBER(point, no_cpu_share));
    for (enum scaling_factor j = 0; j < N_FACTORS; j++)
        JSON_PUT(object, {scaling_factor_keys[j], json_number(point->factors[j])});
    return object;
}

static json_t *part_object(const struct scaling *scaling, const struct scaling_part *part)
{
    const struct model_series *model = scaling_model(scaling, part);
    bool has_next = scaling->has_next && model_series_fits(model);
    return JSON_OBJECT({"kind", json_string(*part->wait_state ? "wait-state" : "region")},
                       JSON_TEXT(part, name), JSON_TEXT(part, shown),
                       JSON_FLAG(part, is_start_or_end),
                       {"per_rank_ns", JSON_EACH(j, scaling->n_points, json_real(part->ns[j]))},
                       {"fit", fit_object(scaling, model)},
                       {"next_ns", has_next ? json_real(part->next_ns) : json_null()});
}

static json_t *break_object(const struct scaling *scaling)
{
    bool has_factor = scaling->why < N_FACTORS;
    return JSON_OBJECT(
        JSON_FLAG(scaling, is_broken), {"x", json_real(scaling->points[scaling->looked_at].x)},
        {"factor", has_factor ? json_string(scaling_factor_keys[scaling->why]) : json_null()},
        {"factor_share", json_number(scaling->why_share)}, {"part", index_or_null(scaling->cause)},
        {"part_share", json_number(scaling->cause_share)},
        {"fastest_x", json_real(scaling->points[scaling->fastest].x)});
}

static json_t *next_object(const struct scaling *scaling)
{
    if (!scaling->has_next)
        return json_null();
    return JSON_OBJECT(
        {"x", json_real(scaling->next_x)}, {"time_ns", json_number(scaling->next_ns)},
        {"low_ns", json_number(scaling->next_low_ns)},
        {"high_ns", json_number(scaling->next_high_ns)},
        {"efficiency", json_number(scaling->next_efficiency)},
        {"unfitted_share", json_number(scaling->next_unfitted_share)},
        {"leader_now", index_or_null(scaling->leader)},
        {"leader", index_or_null(scaling->next_leader)}, {"riser", index_or_null(scaling->riser)},
        {"riser_overtakes_at", json_number(scaling->riser_overtakes_x)});
}

static json_t *finding_object(const struct scaling_finding *finding)
{
    bool is_critical = finding->holds && finding->severity >= finding->threshold;
    return JSON_OBJECT(
        JSON_TEXT(finding, id), {"of", json_text(*finding->subject ? finding->subject : "program")},
        JSON_TEXT(finding, name), JSON_TEXT(finding, condition), JSON_FLAG(finding, is_evaluated),
        JSON_FLAG(finding, holds), JSON_REAL(finding, severity), JSON_REAL(finding, confidence),
        {"is_critical", json_boolean(is_critical)});
}

static json_t *trial_object(const struct scaling_trial *trial)
{
    return JSON_OBJECT({"trial", json_text(trial->name)}, JSON_REAL(trial, x));
}

static json_t *series_object(const struct scaling_page *page, const struct scaling_series *series)
{
    const struct scaling *scaling = series->scaling;
    return JSON_OBJECT(
        JSON_TEXT(series, name), {"kind", json_string(scaling_kind_names[scaling->kind])},
        JSON_TEXT(series, kind_reason), JSON_TEXT(series, conclusion),
        {"trials", JSON_EACH(i, scaling->n_trials, trial_object(&scaling->trials[i]))},
        {"points", JSON_EACH(k, scaling->n_points, point_object(&scaling->points[k]))},
        {"breaks", break_object(scaling)},
        {"growth", JSON_EACH(k, scaling->n_parts, part_object(scaling, &scaling->parts[k]))},
        {"time_fit", fit_object(scaling, &scaling->models.series[0])},
        {"next", next_object(scaling)},
        {"properties", page->has_findings
                           ? JSON_EACH(k, series->n_findings, finding_object(&series->findings[k]))
                           : NULL});
}

void json_print_scaling(const struct scaling_page *page, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1), JSON_TEXT_OR_NULL(page, database), JSON_TEXT(page, by),
               {"time", json_string("window")}, JSON_REAL(page, threshold),
               {"series", JSON_EACH(i, page->n_series, series_object(page, &page->series[i]))});
}

static void print_line(const struct scaling_page *page, const struct scaling_series *series,
                       const struct scaling_point *point, const char *kind, const char *name,
                       double value, double spread, FILE *stream)
{
    if (isnan(value))
        return;
    csv_put_quoted(stream, series->name);
    fputc(',', stream);
    csv_put_quoted(stream, page->by);
    fprintf(stream, ",%.15g,%.15g,%s,", point->x, point->n_ranks, kind);
    csv_put_quoted(stream, name);
    fprintf(stream, ",%.15g,", value);
    if (!isnan(spread))
        fprintf(stream, "%.15g", spread);
    fprintf(stream, ",%zu\n", point->n_trials);
}

void csv_print_scaling(const struct scaling_page *page, FILE *stream)
{
    fprintf(stream, "series,parameter,x,ranks,kind,name,value,stddev,trials\n");
    for (size_t i = 0; i < page->n_series; i++) {
        const struct scaling_series *series = &page->series[i];
        const struct scaling *scaling = series->scaling;
        for (size_t j = 0; j < scaling->n_points; j++) {
            const struct scaling_point *point = &scaling->points[j];
            print_line(page, series, point, "run", "time_ns", point->time_ns, point->time_spread_ns,
                       stream);
            print_line(page, series, point, "run", "speedup", point->speedup, NAN, stream);
            print_line(page, series, point, "run", "efficiency", point->efficiency, NAN, stream);
            for (enum scaling_factor k = 0; k < N_FACTORS; k++)
                print_line(page, series, point, "efficiency", scaling_factor_keys[k],
                           point->factors[k], NAN, stream);
            for (size_t k = 0; k < scaling->n_parts; k++)
                print_line(page, series, point,
                           *scaling->parts[k].wait_state ? "wait-state" : "region",
                           scaling->parts[k].name, scaling->parts[k].ns[j], NAN, stream);
        }
    }
}
