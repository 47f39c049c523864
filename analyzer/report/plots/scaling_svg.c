// SPDX-License-Identifier: BSD-3-Clause
// A scaling study as a picture in SVG 1.1: for each series three panels, speedup, efficiencies and
// the parts with most time, over the logarithm of the parameter.
#include <math.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/scaling.h"
#include "analyzer/report/plots/svg.h"
#include "analyzer/report/report.h"

enum {
    PANEL_WIDTH = 400,
    PANEL_HEIGHT = 340,
    LEFT = 60,
    TOP = 50,
    PLOT_WIDTH = 310,
    PLOT_HEIGHT = 160,
    MOST_LINES = 6,
};

struct panel {
    FILE *stream;
    double left, top;
    double x_least, x_most, y_least, y_most; // on the axes' scales
    bool is_log_x, is_log_y;
    size_t n_lines;
};

static double place_x(const struct panel *panel, double x)
{
    double value = panel->is_log_x ? log2(x) : x;
    double width = panel->x_most - panel->x_least;
    return panel->left + (width > 0 ? (value - panel->x_least) / width : 0.5) * PLOT_WIDTH;
}

static double place_y(const struct panel *panel, double y)
{
    double value = panel->is_log_y ? log2(y) : y;
    double height = panel->y_most - panel->y_least;
    double share = height > 0 ? (value - panel->y_least) / height : 0.5;
    return panel->top + (1 - fmin(fmax(share, 0), 1)) * PLOT_HEIGHT;
}

static bool is_shown(const struct panel *panel, double y)
{
    return isfinite(y) && (!panel->is_log_y || y > 0);
}

static void panel_begin(struct panel *panel, const char *title, const struct scaling *scaling,
                        const char *by)
{
    FILE *to = panel->stream;
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">%s</text>\n", panel->left,
            panel->top - 8, title);
    fprintf(to,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#888\"/>\n",
            panel->left, panel->top, PLOT_WIDTH, PLOT_HEIGHT);
    for (size_t i = 0; i < scaling->n_points; i++) {
        double x = place_x(panel, scaling->points[i].x);
        fprintf(to, "<path d=\"M%.1f %.1fv4\" stroke=\"#888\"/>", x, panel->top + PLOT_HEIGHT);
        fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x,
                panel->top + PLOT_HEIGHT + 16, scaling->points[i].x);
    }
    svg_text(panel->left + PLOT_WIDTH / 2., panel->top + PLOT_HEIGHT + 30, "middle", by, to);
}

static void panel_tick(const struct panel *panel, double y, const char *label)
{
    fprintf(panel->stream,
            "<path d=\"M%.1f %.1fh%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%.1f\" "
            "text-anchor=\"end\">%s</text>\n",
            panel->left, place_y(panel, y), PLOT_WIDTH, panel->left - 4, place_y(panel, y) + 4,
            label);
}

/// Four marks between the ends of the vertical axis.
static void panel_ticks(const struct panel *panel, bool is_time, const char *unit)
{
    enum { N_TICKS = 4 };
    for (int i = 0; i <= N_TICKS; i++) {
        double value = panel->y_least + (panel->y_most - panel->y_least) * i / N_TICKS;
        char label[48];
        value = panel->is_log_y ? exp2(value) : value;
        if (is_time)
            snprintf(label, sizeof label, "%s",
                     quantity_time((uint64_t)llround(fmax(value, 0))).text);
        else
            snprintf(label, sizeof label, "%.3g%s", value, unit);
        panel_tick(panel, value, label);
    }
}

/// A line through N values over the points of X, its name in the legend below the panel.
static void panel_line(struct panel *panel, const double *x, const double *y, size_t n,
                       const char *name)
{
    FILE *to = panel->stream;
    const char *colour = svg_colour(panel->n_lines);
    bool is_begun = false;
    fprintf(to, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
    for (size_t i = 0; i < n; i++) {
        if (!is_shown(panel, y[i]))
            continue;
        fprintf(to, "%c%.1f %.1f", is_begun ? 'L' : 'M', place_x(panel, x[i]),
                place_y(panel, y[i]));
        is_begun = true;
    }
    fprintf(to, "%s\"/>\n", is_begun ? "" : "M0 0");
    for (size_t i = 0; i < n; i++)
        if (is_shown(panel, y[i]))
            fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                    place_x(panel, x[i]), place_y(panel, y[i]), colour);
    double below = panel->top + PLOT_HEIGHT + 46 + 13 * (double)panel->n_lines;
    fprintf(to, "<path d=\"M%.1f %.1fh18\" stroke=\"%s\" stroke-width=\"2\"/>", panel->left,
            below - 4, colour);
    svg_text(panel->left + 24, below, "start", name, to);
    panel->n_lines++;
}

static void panel_dashes(const struct panel *panel, double x0, double y0, double x1, double y1)
{
    if (is_shown(panel, y0) && is_shown(panel, y1))
        fprintf(panel->stream,
                "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>\n",
                place_x(panel, x0), place_y(panel, y0), place_x(panel, x1), place_y(panel, y1));
}

static struct panel panel_of(FILE *stream, const struct scaling *scaling, size_t column, size_t row)
{
    double first = scaling->points[0].x, last = scaling->points[scaling->n_points - 1].x;
    struct panel panel = {.stream = stream,
                          .left = LEFT + (double)(column * PANEL_WIDTH),
                          .top = TOP + 20 + (double)(row * PANEL_HEIGHT),
                          .is_log_x = first > 0};
    panel.x_least = panel.is_log_x ? log2(first) : first;
    panel.x_most = panel.is_log_x ? log2(last) : last;
    return panel;
}

static void draw_speedup(struct panel *panel, const struct scaling *scaling, const char *by,
                         const double *x, double *y)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *last = &scaling->points[scaling->n_points - 1];
    bool has_ideal = scaling->kind != SCALING_SIZE;
    panel->y_most = has_ideal ? last->machine_size / first->machine_size : 1;
    for (size_t i = 0; i < scaling->n_points; i++) {
        y[i] = scaling->points[i].speedup;
        panel->y_most = fmax(panel->y_most, y[i]);
    }
    panel_begin(panel, has_ideal ? "Speedup" : "Time of the first point in that of each", scaling,
                by);
    panel_ticks(panel, false, "");
    for (size_t i = 1; has_ideal && i < scaling->n_points; i++)
        panel_dashes(panel, x[i - 1], scaling->points[i - 1].machine_size / first->machine_size,
                     x[i], scaling->points[i].machine_size / first->machine_size);
    panel_line(panel, x, y, scaling->n_points,
               has_ideal ? "speedup (dashed: ideal)" : "ratio of times");
    for (size_t i = 0; i < scaling->n_points; i++) {
        double spread = scaling->points[i].time_spread_ns / scaling->points[i].time_ns * y[i];
        if (!isnan(spread))
            fprintf(panel->stream, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n",
                    place_x(panel, x[i]), place_y(panel, y[i] - spread),
                    place_y(panel, y[i] + spread), svg_colour(0));
    }
}

static void draw_efficiencies(struct panel *panel, const struct scaling_page *page,
                              const struct scaling *scaling, const double *x, double *y)
{
    static const enum scaling_factor factors[] = {FACTOR_LOAD_BALANCE,  FACTOR_CPU,
                                                  FACTOR_SERIALIZATION, FACTOR_TRANSFER,
                                                  FACTOR_COMMUNICATION, FACTOR_COMPUTATION};
    panel->y_most = 100;
    for (size_t i = 0; i < scaling->n_points; i++)
        panel->y_most = fmax(panel->y_most, 100 * scaling->points[i].factors[FACTOR_COMPUTATION]);
    panel_begin(panel, "Efficiencies", scaling, page->by);
    panel_ticks(panel, false, " %");
    panel_dashes(panel, x[0], 100 * page->threshold, x[scaling->n_points - 1],
                 100 * page->threshold);
    for (size_t j = 0; j <= sizeof factors / sizeof factors[0]; j++) {
        bool is_there = false;
        for (size_t i = 0; i < scaling->n_points; i++) {
            y[i] = 100 * (j == 0 ? scaling->points[i].efficiency
                                 : scaling->points[i].factors[factors[j - 1]]);
            is_there |= !isnan(y[i]);
        }
        if (is_there)
            panel_line(panel, x, y, scaling->n_points,
                       j == 0 ? "efficiency" : scaling_factor_names[factors[j - 1]]);
    }
}

static void draw_growth(struct panel *panel, const struct scaling *scaling, const char *by,
                        const double *x)
{
    double least = INFINITY, most = 0;
    size_t n_lines = 0;
    for (size_t i = 0; i < scaling->n_parts && n_lines < MOST_LINES; i++) {
        if (scaling->parts[i].is_start_or_end)
            continue;
        n_lines++;
        for (size_t j = 0; j < scaling->n_points; j++) {
            double value = scaling->parts[i].ns[j];
            least = value > 0 ? fmin(least, value) : least;
            most = fmax(most, value);
        }
    }
    panel->is_log_y = true;
    panel->y_least = isfinite(least) ? log2(fmax(least, most / 1e6)) : 0;
    panel->y_most = most > 0 ? log2(most) : 1;
    panel_begin(panel, "Time per rank of the greatest parts", scaling, by);
    panel_ticks(panel, true, "");
    for (size_t i = 0; i < scaling->n_parts && panel->n_lines < n_lines; i++)
        if (!scaling->parts[i].is_start_or_end)
            panel_line(panel, x, scaling->parts[i].ns, scaling->n_points, scaling->parts[i].shown);
}

void svg_print_scaling(const struct scaling_page *page, FILE *stream)
{
    size_t height = page->n_series * PANEL_HEIGHT + 40;
    svg_begin(3 * PANEL_WIDTH, height, stream);
    for (size_t i = 0; i < page->n_series; i++) {
        const struct scaling_series *series = &page->series[i];
        const struct scaling *scaling = series->scaling;
        SCOPED double *x = memory_new(2 * scaling->n_points * sizeof *x);
        for (size_t j = 0; j < scaling->n_points; j++)
            x[j] = scaling->points[j].x;
        fprintf(stream, "<text x=\"%d\" y=\"%zu\" font-size=\"14\">", LEFT,
                i * PANEL_HEIGHT + TOP - 20);
        svg_escape(series->name, stream);
        fprintf(stream, "</text>\n");
        struct panel panel = panel_of(stream, scaling, 0, i);
        draw_speedup(&panel, scaling, page->by, x, x + scaling->n_points);
        panel = panel_of(stream, scaling, 1, i);
        draw_efficiencies(&panel, page, scaling, x, x + scaling->n_points);
        panel = panel_of(stream, scaling, 2, i);
        draw_growth(&panel, scaling, page->by, x);
    }
    svg_end(stream);
}
