// SPDX-License-Identifier: BSD-3-Clause
// A scaling study on a terminal: what it shows in sentences, then points, then the growth of the
// parts.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/compare/scaling_series.h"
#include "analyzer/report/page.h"
#include "analyzer/report/table.h"
#include "analyzer/report/text.h"

static const double little = 0.02; // of the ranks' time: not worth a sentence

char *scaling_law(const struct growth *growth, const char *by)
{
    switch (growth->form) {
    case GROWTH_CONSTANT:
        return memory_copy_text("constant");
    case GROWTH_POWER:
        return memory_format("%s^%.2f", by, growth->b);
    case GROWTH_LOGARITHM:
        return memory_format("log2(%s)", by);
    case GROWTH_UNKNOWN:
        break;
    }
    return memory_copy_text("?");
}

static struct quantity time_of(double time_ns)
{
    return quantity_time(time_ns > 0 ? (uint64_t)llround(time_ns) : 0);
}

static const char *part_kind(const struct scaling_part *part)
{
    return *part->wait_state ? "waiting in " : "";
}

static void conclude_break(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *at = &scaling->points[scaling->looked_at];
    if (!scaling->is_broken)
        fprintf(to, "Scaling holds over all points: the efficiency is %s at %s = %g.",
                quantity_share(at->efficiency).text, page->by, at->x);
    else if (scaling->looked_at > 1)
        fprintf(to, "Scaling breaks at %s = %g: the efficiency is %s there, and was %s at %g.",
                page->by, at->x, quantity_share(at->efficiency).text,
                quantity_share(scaling->points[scaling->looked_at - 1].efficiency).text,
                scaling->points[scaling->looked_at - 1].x);
    else
        fprintf(to, "Scaling breaks at once: the efficiency is %s at %s = %g.",
                quantity_share(at->efficiency).text, page->by, at->x);
    if (scaling->why < N_FACTORS) {
        fprintf(to, " What is lost most there is %s (%s", scaling_factor_names[scaling->why],
                quantity_share(first->factors[scaling->why]).text);
        fprintf(to, " -> %s; %s of all that is lost)",
                quantity_share(at->factors[scaling->why]).text,
                quantity_share(scaling->why_share).text);
        if (scaling->cause != SCALING_NONE)
            fprintf(to, "; of what costs more than at %g most is %s%s (%s)", first->x,
                    part_kind(&scaling->parts[scaling->cause]), scaling->parts[scaling->cause].name,
                    quantity_share(scaling->cause_share).text);
        fputc('.', to);
    }
    const struct scaling_point *fastest = &scaling->points[scaling->fastest];
    if (scaling->kind == SCALING_STRONG && scaling->fastest + 1 < scaling->n_points)
        fprintf(to, " More than %s = %g is slower: the least time, %s, is there.", page->by,
                fastest->x, time_of(fastest->time_ns).text);
}

static void conclude_size(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *last = &scaling->points[scaling->n_points - 1];
    char *law = scaling_law(&scaling->time_growth, page->by);
    fprintf(to, "From %s = %g to %g the time goes from %s", page->by, first->x, last->x,
            time_of(first->time_ns).text);
    fprintf(to, " to %s", time_of(last->time_ns).text);
    if (scaling->time_growth.form == GROWTH_CONSTANT)
        fprintf(to, ": it stays the same");
    else if (growth_is_good(&scaling->time_growth))
        fprintf(to, ", as %s", law);
    fputc('.', to);
    if (scaling->cause != SCALING_NONE)
        fprintf(to, " Of what takes longer most is %s%s (%s).",
                part_kind(&scaling->parts[scaling->cause]), scaling->parts[scaling->cause].name,
                quantity_share(scaling->cause_share).text);
    free(law);
}

static void conclude_riser(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    const struct scaling_part *riser = &scaling->parts[scaling->riser];
    const struct scaling_part *leader = &scaling->parts[scaling->leader];
    char *law = scaling_law(&riser->growth, page->by);
    fprintf(to, " Next to dominate is %s%s (%s): %s of the time there", part_kind(riser),
            riser->name, law, quantity_share(riser->next_ns / scaling->next_ns).text);
    if (scaling->riser == scaling->leader)
        fprintf(to, ", more of it than ever");
    else if (isfinite(scaling->riser_overtakes_x))
        fprintf(to, ", more than %s%s from about %s = %.3g on", part_kind(leader), leader->name,
                page->by, scaling->riser_overtakes_x);
    else
        fprintf(to, ", but less than %s%s as far as can be foreseen", part_kind(leader),
                leader->name);
    fputc('.', to);
    free(law);
}

static void conclude_next(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    if (!scaling->has_next && scaling->n_points >= GROWTH_LEAST_POINTS) {
        fprintf(
            to,
            " What comes next cannot be told: no law of growth fits the points of parts with %s "
            "of the time.",
            quantity_share(scaling->next_unfitted_share).text);
        return;
    }
    if (!scaling->has_next) {
        fprintf(to, " What comes next cannot be told: %s %s, %d are needed for a fit.",
                quantity_count(scaling->n_points, "point").text,
                scaling->n_points == 1 ? "is there" : "are there", GROWTH_LEAST_POINTS);
        return;
    }
    fprintf(to, " At %s = %g, if all goes on as in these %s, it takes %s", page->by,
            scaling->next_x, quantity_count(scaling->n_points, "point").text,
            time_of(scaling->next_ns).text);
    if (!isnan(scaling->next_efficiency))
        fprintf(to, " (efficiency %s)", quantity_share(scaling->next_efficiency).text);
    fputc('.', to);
    if (scaling->riser != SCALING_NONE)
        conclude_riser(page, scaling, to);
    if (scaling->next_unfitted_share > 0.1)
        fprintf(to, " Of that time %s is in parts without a good fit, taken as they are now.",
                quantity_share(scaling->next_unfitted_share).text);
}

/// The point with most time without CPU time, if that is worth a sentence, else SCALING_NONE.
static size_t worst_for_cores(const struct scaling *scaling)
{
    size_t worst = SCALING_NONE;
    for (size_t i = 0; i < scaling->n_points; i++)
        if (scaling->points[i].no_cpu_share >= little &&
            (worst == SCALING_NONE ||
             scaling->points[i].no_cpu_share > scaling->points[worst].no_cpu_share))
            worst = i;
    return worst;
}

/// Ranks without cores come before all causes and forecasts: those are about them, too.
static void conclude_cores(const struct scaling_page *page, const struct scaling *scaling, FILE *to)
{
    size_t worst = worst_for_cores(scaling);
    if (worst == SCALING_NONE)
        return;
    const struct scaling_point *point = &scaling->points[worst];
    fprintf(to,
            "At %s = %g ranks had no %s for %s of their time: %s. All that follows is about "
            "that, too, and no forecast for %s. ",
            page->by, point->x, point->has_few_cores ? "core" : "CPU time",
            quantity_share(point->no_cpu_share).text,
            point->has_few_cores
                ? "there were more ranks than cores"
                : "other programs had their cores, or they slept or waited for files",
            point->has_few_cores ? "a machine with a core for each rank" : "a quiet machine");
}

char *scaling_conclusion(const struct scaling_page *page, const struct scaling_series *series)
{
    char *text = NULL;
    size_t size;
    FILE *to = memory_stream(&text, &size);
    conclude_cores(page, series->scaling, to);
    if (series->scaling->kind == SCALING_SIZE)
        conclude_size(page, series->scaling, to);
    else
        conclude_break(page, series->scaling, to);
    conclude_next(page, series->scaling, to);
    fclose(to);
    return text;
}

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
    table_add_columns(&table, "runs", "time", "+-", "speedup", NULL);
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
    fprintf(stream, "\n  Points (time: mean over the runs, between MPI_Init and MPI_Finalize; +-: "
                    "standard deviation)\n");
    table_print(&table, 2, 0, stream);
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
    table_add_columns(&table, first, last, "share", NULL);
    if (scaling->has_next)
        table_add_column(&table, next, false);
    table_add_columns(&table, "<growth", "R2", "points", NULL);
    if (options->has_sparklines)
        table_add_column(&table, "", true);
    table_add_columns(&table, "<kind", "<part", NULL);
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
    free(first);
    free(last);
    free(next);
}

static void print_findings(const struct scaling_series *series, size_t width, FILE *stream)
{
    struct table table = {0};
    size_t n_unknown = 0, n_held = 0;
    table_add_columns(&table, "<", "severity", "confidence", "<property", "<of", NULL);
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
                                   quantity_count(scaling->n_trials, "run").text);
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
