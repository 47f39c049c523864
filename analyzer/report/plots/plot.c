// SPDX-License-Identifier: BSD-3-Clause
// Single pictures of a run as SVG 1.1, and their values as CSV and JSON (pagoda export --view).
#include "analyzer/result/views/plot.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/plots/svg.h"
#include "analyzer/report/relation.h"
#include "analyzer/report/report.h"

// --- tables

static void add_key(struct relation *relation, const struct plot *plot, size_t row)
{
    if (plot->rows)
        relation_add_text(relation, plot->rows[row]);
    else
        relation_add_number(relation, round(plot->begin_ns + (double)row * plot->row_ns));
}

/// A row for each value of cells, without pairs of ranks that exchange nothing; else one for all
/// metrics of the same thing.
static void put_table(const struct plot *plot, struct relation *relation)
{
    relation_add_column(relation, plot->view->keys[0]);
    if (plot->metric)
        relation_add_columns(relation, plot->view->keys[1], plot->metric);
    for (size_t i = 0; i < plot->n_columns && !plot->metric; i++)
        relation_add_column(relation, plot->columns[i]);
    for (size_t row = 0; row < plot->n_rows; row++) {
        const double *values = plot->values + row * plot->n_columns;
        if (!plot->metric)
            add_key(relation, plot, row);
        for (size_t i = 0; i < plot->n_columns; i++) {
            if (plot->metric && plot->rows && values[i] == 0)
                continue;
            if (plot->metric) {
                add_key(relation, plot, row);
                relation_add_text(relation, plot->columns[i]);
            }
            relation_add_number(relation, values[i]);
        }
    }
}

void csv_print_plot(const struct plot *plot, FILE *stream)
{
    SCOPED_BY(relation_release) struct relation relation = {0};
    put_table(plot, &relation);
    relation_print_csv(&relation, stream);
}

void json_print_plot(const struct plot *plot, const char *trace, FILE *stream)
{
    SCOPED_BY(relation_release) struct relation relation = {0};
    put_table(plot, &relation);
    relation_print_json(&relation, "trace", trace, stream);
}

// --- pictures

enum {
    WIDTH = 900,
    TOP = 44,
    RIGHT = 30,
    PLOT_HEIGHT = 260,
    MOST_HEIGHT = 960, // of rows
    LETTER = 6,        // about as wide
    MOST_LETTERS = 60, // of the name of a row
};

/// The picture, and where its axes lie.
struct canvas {
    const struct plot *plot;
    FILE *stream;
    double left, height;
};

static double right_of(const struct canvas *canvas)
{
    return WIDTH - RIGHT - canvas->left;
}

/// VALUE of UNIT as people read it.
static struct quantity value_text(double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t thousands = 0;
    if (strcmp(unit, "ns") == 0)
        return quantity_time((uint64_t)llround(value));
    if (strcmp(unit, "bytes") == 0)
        return quantity_size((uint64_t)llround(value));
    unit = strcmp(unit, "#") == 0 ? "" : unit;
    for (; value >= 1000 && thousands < 5; thousands++)
        value /= 1000;
    return quantity_format("%.4g%s%s%.16s", value, thousands || unit[0] ? " " : "",
                           prefixes[thousands], unit);
}

/// A round step of which three to seven reach MOST.
static double step_to(double most)
{
    double ten = pow(10, floor(log10(most / 3)));
    double steps = most / 3 / ten;
    return ten * (steps >= 5 ? 5 : steps >= 2 ? 2 : 1);
}

/// The end of the name of a row, which says more than its begin. The caller frees.
static char *row_name(const char *name)
{
    size_t width = utf8_width(name);
    if (width <= MOST_LETTERS)
        return memory_copy_text(name);
    return memory_format("\u2026%s", name + utf8_prefix(name, width - MOST_LETTERS));
}

static void put_title(const struct canvas *canvas)
{
    fprintf(canvas->stream, "<g font-size=\"14\">\n");
    svg_text(8, 20, "start", canvas->plot->title, canvas->stream);
    fprintf(canvas->stream, "</g>\n");
}

/// Names of N rows of HEIGHT each, as far as there is room.
static void put_names(const struct canvas *canvas, char *const *names, size_t n, double height)
{
    size_t every = (size_t)ceil(12 / height);
    for (size_t i = 0; i < n; i += every) {
        SCOPED char *name = row_name(names[i]);
        svg_text(canvas->left - 6, TOP + height * ((double)i + 0.5) + 4, "end", name,
                 canvas->stream);
    }
}

static double room_for(char *const *names, size_t n)
{
    size_t letters = 6;
    for (size_t i = 0; i < n; i++)
        letters = utf8_width(names[i]) > letters ? utf8_width(names[i]) : letters;
    return 14 + LETTER * (double)(letters < MOST_LETTERS ? letters : MOST_LETTERS + 1);
}

static void put_horizontal_axis(const struct canvas *canvas, double least, double most,
                                const char *unit)
{
    double step = step_to(most - least), bottom = TOP + canvas->height;
    for (double at = ceil(least / step) * step; at <= most * (1 + 1e-9); at += step) {
        double x = canvas->left + (at - least) / (most - least) * right_of(canvas);
        fprintf(canvas->stream, "<path d=\"M%.1f %dV%.1f\" stroke=\"#ddd\"/>", x, TOP, bottom + 4);
        svg_text(x, bottom + 16, "middle", value_text(at, unit).text, canvas->stream);
    }
}

static void put_legend(const struct canvas *canvas, double y)
{
    double x = canvas->left;
    for (size_t i = 0; i < canvas->plot->n_columns; i++) {
        const char *name = canvas->plot->legend[i];
        double width = 30 + LETTER * (double)utf8_width(name);
        if (x + width > WIDTH - 8 && x > canvas->left) {
            x = canvas->left;
            y += 16;
        }
        fprintf(canvas->stream,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>", x, y - 9,
                svg_colour(i));
        svg_text(x + 14, y, "start", name, canvas->stream);
        x += width;
    }
}

static double row_sum(const struct plot *plot, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < plot->n_columns; i++)
        sum += plot->values[row * plot->n_columns + i];
    return sum;
}

static void put_bars(struct canvas *canvas)
{
    const struct plot *plot = canvas->plot;
    double row_height = fmin(18, fmax(1, MOST_HEIGHT / (double)plot->n_drawn)), most = 0;
    canvas->left = room_for(plot->rows, plot->n_drawn);
    canvas->height = row_height * (double)plot->n_drawn;
    for (size_t i = 0; i < plot->n_drawn; i++)
        most = fmax(most, row_sum(plot, i));
    most = most > 0 ? most : 1;
    svg_begin(WIDTH, (size_t)(TOP + canvas->height) + 70, canvas->stream);
    put_title(canvas);
    put_horizontal_axis(canvas, 0, most, plot->unit);
    put_names(canvas, plot->rows, plot->n_drawn, row_height);
    for (size_t row = 0; row < plot->n_drawn; row++) {
        double x = canvas->left;
        for (size_t i = 0; i < plot->n_columns; i++) {
            double value = plot->values[row * plot->n_columns + i];
            double width = value / most * right_of(canvas);
            fprintf(canvas->stream,
                    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x,
                    TOP + row_height * (double)row, width, row_height * (row_height > 3 ? 0.85 : 1),
                    svg_colour(i));
            x += width;
        }
    }
    if (plot->n_columns > 1)
        put_legend(canvas, TOP + canvas->height + 40);
    svg_end(canvas->stream);
}

/// What a curve shows of a value: of time how many ranks, or cores, spend it; else how much comes
/// in a second.
static double rate_of(const struct plot *plot, double value)
{
    return strcmp(plot->unit, "ns") == 0 ? value / plot->row_ns : value / plot->row_ns * 1e9;
}

static void put_vertical_axis(const struct canvas *canvas, double most)
{
    const struct plot *plot = canvas->plot;
    bool is_time = strcmp(plot->unit, "ns") == 0;
    double step = step_to(most);
    for (double at = 0; at <= most * (1 + 1e-9); at += step) {
        double y = TOP + canvas->height * (1 - at / most);
        struct quantity text = value_text(at, is_time ? "" : plot->unit);
        fprintf(canvas->stream, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#ddd\"/>", canvas->left, y,
                right_of(canvas));
        svg_text(canvas->left - 6, y + 4, "end",
                 is_time ? text.text : quantity_format("%.30s/s", text.text).text, canvas->stream);
    }
    svg_text(canvas->left - 6, TOP - 10, "end", is_time ? "ranks" : "", canvas->stream);
}

static void put_curves(struct canvas *canvas)
{
    const struct plot *plot = canvas->plot;
    double most = 0;
    canvas->left = 90;
    canvas->height = PLOT_HEIGHT;
    for (size_t i = 0; i < plot->n_rows * plot->n_columns; i++)
        most = fmax(most, rate_of(plot, plot->values[i]));
    most = most > 0 ? most * 1.02 : 1;
    svg_begin(WIDTH, TOP + PLOT_HEIGHT + 80, canvas->stream);
    put_title(canvas);
    put_horizontal_axis(canvas, plot->begin_ns,
                        plot->begin_ns + plot->row_ns * (double)plot->n_rows, "ns");
    put_vertical_axis(canvas, most);
    for (size_t i = 0; i < plot->n_columns; i++) {
        fprintf(canvas->stream, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"",
                svg_colour(i));
        for (size_t row = 0; row < plot->n_rows; row++) // a step for each moment
            fprintf(canvas->stream, "%c%.1f %.1fH%.1f", row ? 'L' : 'M',
                    canvas->left + (double)row / (double)plot->n_rows * right_of(canvas),
                    TOP + PLOT_HEIGHT *
                              (1 - rate_of(plot, plot->values[row * plot->n_columns + i]) / most),
                    canvas->left + (double)(row + 1) / (double)plot->n_rows * right_of(canvas));
        fprintf(canvas->stream, "\"/>\n");
    }
    put_legend(canvas, TOP + PLOT_HEIGHT + 40);
    svg_end(canvas->stream);
}

enum { SHADES = 20 };

/// How dark a value is, in steps up to SHADES; 0 is white.
static int shade_of(const struct plot *plot, size_t row, size_t column, double most)
{
    double value = plot->values[row * plot->n_columns + column];
    double whole = plot->rows ? most : plot->row_ns * plot->ranks_of[column];
    return value > 0 ? 1 + (int)fmin(SHADES - 1, value / whole * SHADES) : 0;
}

static void put_cell(const struct canvas *canvas, int shade, double x, double y, double width,
                     double height)
{
    if (shade > 0)
        fprintf(canvas->stream,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
                "fill-opacity=\"%.2f\"/>\n",
                x, y, width, height, svg_colour(0), (double)shade / SHADES);
}

/// From white to the darkest, with what these mean.
static void put_scale(const struct canvas *canvas, double y, const char *most)
{
    double x = canvas->left;
    fprintf(canvas->stream, "<g stroke=\"none\">");
    for (int shade = 0; shade <= SHADES; shade++)
        put_cell(canvas, shade, x + 9 * shade, y, 9, 10);
    fprintf(canvas->stream, "</g>");
    svg_text(x - 6, y + 9, "end", "0", canvas->stream);
    svg_text(x + 9 * (SHADES + 1) + 6, y + 9, "start", most, canvas->stream);
}

/// Ranks beneath each other over time: cells of the same shade beside each other are one.
static void put_map(struct canvas *canvas)
{
    const struct plot *plot = canvas->plot;
    double row_height = fmin(18, fmax(1, MOST_HEIGHT / (double)plot->n_columns));
    double cell = 0;
    canvas->left = room_for(plot->columns, plot->n_columns);
    canvas->height = row_height * (double)plot->n_columns;
    cell = right_of(canvas) / (double)plot->n_rows;
    svg_begin(WIDTH, (size_t)(TOP + canvas->height) + 70, canvas->stream);
    put_title(canvas);
    put_horizontal_axis(canvas, plot->begin_ns,
                        plot->begin_ns + plot->row_ns * (double)plot->n_rows, "ns");
    put_names(canvas, plot->columns, plot->n_columns, row_height);
    for (size_t i = 0; i < plot->n_columns; i++)
        for (size_t first = 0, last; first < plot->n_rows; first = last) {
            int shade = shade_of(plot, first, i, 0);
            for (last = first + 1; last < plot->n_rows && shade_of(plot, last, i, 0) == shade;)
                last++;
            put_cell(canvas, shade, canvas->left + cell * (double)first,
                     TOP + row_height * (double)i, cell * (double)(last - first), row_height);
        }
    put_scale(canvas, TOP + canvas->height + 36, "all of the time");
    svg_end(canvas->stream);
}

static void put_matrix(struct canvas *canvas)
{
    const struct plot *plot = canvas->plot;
    double most = 0, size = fmin(18, fmax(1, 640 / (double)plot->n_rows));
    canvas->left = room_for(plot->rows, plot->n_rows);
    canvas->height = size * (double)plot->n_rows;
    for (size_t i = 0; i < plot->n_rows * plot->n_columns; i++)
        most = fmax(most, plot->values[i]);
    svg_begin(WIDTH, (size_t)(TOP + canvas->height) + 70, canvas->stream);
    put_title(canvas);
    put_names(canvas, plot->rows, plot->n_rows, size);
    fprintf(canvas->stream,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#888\"/>\n",
            canvas->left, TOP, canvas->height, canvas->height);
    for (size_t row = 0; row < plot->n_rows; row++)
        for (size_t i = 0; i < plot->n_columns; i++)
            put_cell(canvas, shade_of(plot, row, i, most > 0 ? most : 1),
                     canvas->left + size * (double)i, TOP + size * (double)row, size, size);
    svg_text(canvas->left, TOP + canvas->height + 16, "start",
             "senders down, receivers to the right, in the same order", canvas->stream);
    put_scale(canvas, TOP + canvas->height + 36, value_text(most, plot->unit).text);
    svg_end(canvas->stream);
}

void svg_print_plot(const struct plot *plot, FILE *stream)
{
    struct canvas canvas = {.plot = plot, .stream = stream};
    if (plot->view->form == PLOT_BARS)
        put_bars(&canvas);
    else if (plot->view->form == PLOT_CURVES)
        put_curves(&canvas);
    else if (plot->rows)
        put_matrix(&canvas);
    else
        put_map(&canvas);
}
