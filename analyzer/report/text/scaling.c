// SPDX-License-Identifier: BSD-3-Clause
// A scaling study on a terminal: what it shows first, then points, then the growth of the parts.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/report/scaling.h"
#include "analyzer/report/table.h"

static void add_time(struct table *table, double time_ns)
{
    if (isnan(time_ns))
        table_add_cell(table, "-");
    else
        table_add_cell(table, "%s%s", time_ns < 0 ? "-" : "",
                       quantity_time((uint64_t)llround(fabs(time_ns))).text);
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
    double *speedups = memory_new(scaling->n_points * sizeof *speedups);
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
    free(speedups);
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
    table_add_column(&table, "runs", false);
    table_add_column(&table, "time", false);
    table_add_column(&table, "+-", false);
    table_add_column(&table, "speedup", false);
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
        table_add_cell(&table, "%g", point->x);
        table_add_cell(&table, "%zu", point->n_trials);
        add_time(&table, point->time_ns);
        table_add_cell(&table, "%s", quantity_share(point->time_spread_ns / point->time_ns).text);
        table_add_cell(&table, "%.2f", point->speedup);
        if (scaling->kind != SCALING_SIZE)
            table_add_cell(&table, "%s", quantity_share(point->efficiency).text);
        for (size_t j = 0; j < sizeof columns / sizeof columns[0]; j++)
            if (is_shown[j])
                table_add_cell(&table, "%s",
                               quantity_share(point->factors[columns[j].factor]).text);
    }
    fprintf(stream, "\n  Points (time: mean over the runs, %s; +-: standard deviation)\n",
            page->is_whole_run ? "whole run" : "between MPI_Init and MPI_Finalize");
    table_print(&table, 2, 0, stream);
    table_release(&table);
}

static void add_growth(struct table *table, const struct scaling_page *page,
                       const struct scaling *scaling, const struct scaling_part *part,
                       const struct scaling_text_options *options)
{
    double total_ns = scaling->points[scaling->n_points - 1].time_ns;
    add_time(table, part->ns[0]);
    add_time(table, part->ns[scaling->n_points - 1]);
    table_add_cell(table, "%s", quantity_share(part->ns[scaling->n_points - 1] / total_ns).text);
    bool is_good = growth_is_good(&part->growth);
    if (scaling->has_next)
        add_time(table, is_good ? part->next_ns : NAN);
    char *law = scaling_law(&part->growth, page->by);
    table_add_cell(table, "%s",
                   is_good || scaling->n_points < GROWTH_LEAST_POINTS ? law : "none fits");
    free(law);
    if (isnan(part->growth.r_squared))
        table_add_cell(table, "-");
    else
        table_add_cell(table, "%.3f", part->growth.r_squared);
    table_add_cell(table, "%zu", part->growth.n_points);
    if (options->has_sparklines) {
        char *line = sparkline(part->ns, scaling->n_points);
        table_add_cell(table, "%s", line);
        free(line);
    }
    table_add_cell(table, "%s", *part->wait_state ? "wait" : "region");
    table_add_cell(table, "%s", part->name);
}

static void print_growth(const struct scaling_page *page, const struct scaling *scaling,
                         const struct scaling_text_options *options, FILE *stream)
{
    struct table table = {0};
    char *first = memory_format("at %g", scaling->points[0].x);
    char *last = memory_format("at %g", scaling->points[scaling->n_points - 1].x);
    char *next = memory_format("next: %g", scaling->next_x);
    table_add_column(&table, first, false);
    table_add_column(&table, last, false);
    table_add_column(&table, "share", false);
    if (scaling->has_next)
        table_add_column(&table, next, false);
    table_add_column(&table, "growth", true);
    table_add_column(&table, "R2", false);
    table_add_column(&table, "points", false);
    if (options->has_sparklines)
        table_add_column(&table, "", true);
    table_add_column(&table, "kind", true);
    table_add_column(&table, "part", true);
    uint64_t n_shown = 0, n_parts = 0;
    for (size_t i = 0; i < scaling->n_parts; i++) {
        if (scaling->parts[i].is_start_or_end)
            continue;
        if (n_parts++ >= options->top)
            continue;
        add_growth(&table, page, scaling, &scaling->parts[i], options);
        n_shown++;
    }
    fprintf(stream, "\n  Growth (mean time per rank; regions without their waits)\n");
    table_print(&table, 2, 0, stream);
    if (n_shown < n_parts)
        fprintf(stream, "  ... and %s (more with --top)\n",
                quantity_count(n_parts - n_shown, "further part").text);
    if (scaling->n_points < GROWTH_LEAST_POINTS)
        fprintf(stream, "  Growth is not fitted: %s, and %d are needed.\n",
                quantity_count(scaling->n_points, "point").text, GROWTH_LEAST_POINTS);
    table_release(&table);
    free(first);
    free(last);
    free(next);
}

static void print_findings(const struct scaling_series *series, size_t width, FILE *stream)
{
    struct table table = {0};
    size_t n_unknown = 0, n_held = 0;
    table_add_column(&table, "", true);
    table_add_column(&table, "severity", false);
    table_add_column(&table, "confidence", false);
    table_add_column(&table, "property", true);
    table_add_column(&table, "of", true);
    for (size_t i = 0; i < series->n_findings; i++) {
        const struct scaling_finding *finding = &series->findings[i];
        n_unknown += !finding->is_evaluated;
        if (!finding->holds)
            continue;
        n_held++;
        table_add_cell(&table, "%s", finding->severity >= finding->threshold ? "*" : "");
        table_add_cell(&table, "%.3f", finding->severity);
        table_add_cell(&table, "%.2f", finding->confidence);
        table_add_cell(&table, "%s", finding->id);
        table_add_cell(&table, "%s", *finding->subject ? finding->subject : "program");
    }
    fprintf(stream, "\n  Properties of all runs together: %zu of %zu hold", n_held,
            series->n_findings);
    if (n_unknown)
        fprintf(stream, ", %zu cannot be evaluated", n_unknown);
    fprintf(stream, " (*: critical)\n");
    if (n_held)
        table_print(&table, 2, 0, stream);
    table_release(&table);
    for (size_t i = 0; i < series->n_findings; i++) {
        const struct scaling_finding *finding = &series->findings[i];
        if (!finding->holds || finding->severity < finding->threshold)
            continue;
        char *text = memory_format("%s%s%s: %s %s", finding->id, *finding->subject ? " of " : "",
                                   finding->subject, finding->summary, finding->diagnosis);
        fprintf(stream, "\n  ");
        print_paragraph(text, 2, 4, width, stream);
        free(text);
    }
}

void text_print_scaling(const struct scaling_page *page, const struct scaling_text_options *options,
                        FILE *stream)
{
    for (size_t i = 0; i < page->n_series; i++) {
        const struct scaling_series *series = &page->series[i];
        const struct scaling *scaling = series->scaling;
        char *conclusion = scaling_conclusion(page, series);
        char *head = memory_format("%s: %s %g to %g, %s", series->name, page->by,
                                   scaling->points[0].x, scaling->points[scaling->n_points - 1].x,
                                   quantity_count(series->n_trials, "run").text);
        fprintf(stream, "%s", i ? "\n" : "");
        print_paragraph(head, 0, 2, options->width, stream);
        fprintf(stream, "  ");
        if (scaling->kind != SCALING_SIZE) {
            char *kind = memory_format("%s scaling (%s)", scaling_kind_names[scaling->kind],
                                       series->kind_reason);
            print_paragraph(kind, 2, 2, options->width, stream);
            fprintf(stream, "  ");
            free(kind);
        }
        print_paragraph(conclusion, 2, 2, options->width, stream);
        free(head);
        free(conclusion);
        if (options->has_sparklines)
            print_trend(scaling, stream);
        print_points(page, scaling, stream);
        print_growth(page, scaling, options, stream);
        if (page->has_findings)
            print_findings(series, options->width, stream);
    }
}
