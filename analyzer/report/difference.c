// SPDX-License-Identifier: BSD-3-Clause
// The difference of groups of runs as text and JSON. All times are means per run and rank, so that
// they compare with the run time.
#include "analyzer/compare/difference.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/report/json.h"
#include "analyzer/report/table.h"
#include "analyzer/report/text.h"

/// Call paths of a database as reports of a run show them: their names short, but so that each
/// means one function of all paths there are (base/function_names.h).
struct shown_paths {
    char **names, **shown; // sorted when they are complete
    size_t n, capacity;
};

/// The next name of *PATH, which is moved behind it; NULL at the end. The caller frees.
static char *next_name(const char **path)
{
    const char *begin = *path + (**path == '/'), *end = begin;
    if (*begin == '\0')
        return NULL;
    while (*end && *end != '/')
        end += 1 + (end[0] == '\\' && end[1] != '\0');
    char *escaped = memory_format("%.*s", (int)(end - begin), begin);
    char *name = resource_path_plain(escaped);
    free(escaped);
    *path = end;
    return name;
}

/// Adds the names of PATH, such as "/CallPath/main/f\(int\)", before any path is asked for.
static void shown_paths_add(struct shown_paths *paths, const char *path)
{
    for (char *name; (name = next_name(&path)) != NULL;) {
        paths->names =
            array_reserve(paths->names, &paths->capacity, paths->n + 1, sizeof *paths->names);
        paths->names[paths->n++] = name;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// After the last path.
static void shown_paths_complete(struct shown_paths *paths)
{
    size_t n = 0;
    if (paths->n > 0)
        qsort(paths->names, paths->n, sizeof *paths->names, by_name);
    for (size_t i = 0; i < paths->n; i++) {
        if (n > 0 && strcmp(paths->names[i], paths->names[n - 1]) == 0)
            free(paths->names[i]);
        else
            paths->names[n++] = paths->names[i];
    }
    paths->n = n;
    paths->shown = function_names_shown((const char *const *)paths->names, n);
}

/// A path, or a part of one, of names that were added: "main/f(int)". The caller frees.
static char *shown_paths_text(const struct shown_paths *paths, const char *path)
{
    char *text = memory_copy_text("");
    for (char *name; (name = next_name(&path)) != NULL;) {
        char **found = paths->n > 0
                           ? bsearch(&name, paths->names, paths->n, sizeof *paths->names, by_name)
                           : NULL;
        char *longer = memory_format("%s%s%s", text, *text ? "/" : "",
                                     found ? paths->shown[found - paths->names] : name);
        free(text);
        free(name);
        text = longer;
    }
    return text;
}

static void shown_paths_release(struct shown_paths *paths)
{
    function_names_free(paths->names, paths->n);
    function_names_free(paths->shown, paths->n);
    *paths = (struct shown_paths){0};
}

struct signed_text {
    char text[48];
};

static struct signed_text signed_time(int64_t time_ns)
{
    struct signed_text text;
    uint64_t size_ns = time_ns < 0 ? -(uint64_t)time_ns : (uint64_t)time_ns;
    snprintf(text.text, sizeof text.text, "%s%s", time_ns < 0 ? "-" : "+",
             quantity_time(size_ns).text);
    return text;
}

/// A mean: rounded, and below 0 only by corrected clocks.
static struct signed_text mean_time(double time_ns)
{
    struct signed_text text = signed_time(llround(time_ns));
    if (text.text[0] == '+')
        snprintf(text.text, sizeof text.text, "%s", quantity_time((uint64_t)llround(time_ns)).text);
    return text;
}

static struct signed_text relative_change(const struct difference_row *row)
{
    struct signed_text text;
    if (row->a_ns > 0)
        snprintf(text.text, sizeof text.text, "%+.1f %%",
                 100 * (row->b_ns - row->a_ns) / row->a_ns);
    else
        snprintf(text.text, sizeof text.text, "%s", row->b_ns > 0 ? "new" : "-");
    return text;
}

static void print_p(const struct difference_row *row, FILE *stream)
{
    if (!isnan(row->p))
        fprintf(stream, ", p %.2g", row->p);
}

/// The width of the terminal STREAM is, 0 when it is none: then no line is cut.
static size_t width_of(FILE *stream)
{
    struct text_options options = text_options_for(stream);
    return options.cuts_lines ? options.width : 0;
}

/// TEXT in as many lines as a terminal needs, else in one.
static void print_wrapped(const char *text, FILE *stream)
{
    size_t width = width_of(stream);
    print_paragraph(text, 0, 2, width > 0 ? width : SIZE_MAX, stream);
}

static void print_runs(const struct difference_page *page, FILE *stream)
{
    struct table table = {0};
    table_add_columns(&table, "<", "time", "ranks", "<origin", "<trial");
    for (size_t i = 0; i < page->n_runs; i++) {
        const struct difference_run *run = &page->runs[i];
        table_add_cell(&table, "%s", run->group == DIFFERENCE_A ? "A" : "B");
        table_add_cell(&table, "%s", quantity_time(run->trial.time_ns).text);
        table_add_cell(&table, "%" PRIu64, run->trial.n_ranks);
        table_add_cell(&table, "%s", run->trial.origin);
        table_add_cell(&table, "%s", run->trial.name);
    }
    table_print(&table, 0, 0, stream);
}

/// A difference without a test: one measurement on each side. Predictions scatter by nothing.
static bool may_be_noise(const struct difference_page *page)
{
    bool is_measured[2] = {false, false};
    for (size_t i = 0; i < page->n_runs; i++)
        if (strcmp(page->runs[i].trial.origin, "measured") == 0)
            is_measured[page->runs[i].group == DIFFERENCE_B] = true;
    return isnan(page->tables[0].total.p) && is_measured[0] && is_measured[1];
}

static void print_total(const struct difference_page *page, FILE *stream)
{
    const struct difference_row *total = &page->tables[0].total;
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    fprintf(out, "run time %s", mean_time(total->a_ns).text);
    fprintf(out, " -> %s: ", mean_time(total->b_ns).text);
    fprintf(out, "%s (%s)", signed_time(total->change_ns).text, relative_change(total).text);
    if (!isnan(total->p)) {
        fprintf(out, " +- %s", mean_time(total->half_width_ns).text);
        fprintf(out, " at %g %%", 100 * (1 - page->thresholds.alpha));
    }
    print_p(total, out);
    // The rows below may be changes all the same: what one part gains another may lose.
    if (!total->is_change)
        fprintf(out, "; as a whole no change beyond the thresholds");
    else if (may_be_noise(page))
        fprintf(out,
                "; beyond the thresholds, but one measurement on each side cannot tell a change "
                "from noise");
    else
        fprintf(out, "; changed");
    fclose(out);
    fputc('\n', stream);
    print_wrapped(text, stream);
    free(text);
}

/// (A part of) a call path, INDENT columns in.
static void add_path_cell(struct table *table, const struct shown_paths *paths, size_t indent,
                          const char *path)
{
    char *name = shown_paths_text(paths, path);
    table_add_cell(table, "%*s%s", (int)indent, "", name);
    free(name);
}

static void add_values(struct table *table, const struct difference_row *row)
{
    table_add_cell(table, "%s", row->is_change ? "*" : "");
    table_add_cell(table, "%s", row->is_in_a ? mean_time(row->a_ns).text : "-");
    table_add_cell(table, "%s", row->is_in_b ? mean_time(row->b_ns).text : "-");
}

static void add_p(struct table *table, const struct difference_row *row)
{
    if (isnan(row->p))
        table_add_cell(table, "-");
    else
        table_add_cell(table, "%.2g", row->p);
}

static void add_row(struct table *table, const struct difference_table *from,
                    const struct difference_row *row, enum difference_by by,
                    const struct shown_paths *paths)
{
    add_values(table, row);
    table_add_cell(table, "%s", signed_time(row->change_ns).text);
    if (from->total.change_ns)
        table_add_cell(table, "%+.1f %%",
                       100 * (double)row->change_ns / (double)from->total.change_ns);
    else
        table_add_cell(table, "-");
    add_p(table, row);
    if (by == DIFFERENCE_BY_PROCESS) {
        char *process = resource_path_plain(resource_path_short(row->process));
        table_add_cell(table, "%s", row->is_unrecorded ? difference_kind(row) : process);
        free(process);
        return;
    }
    table_add_cell(table, "%s", difference_kind(row));
    if (by == DIFFERENCE_BY_CALL_PATH)
        add_path_cell(table, paths, 0, resource_path_short(row->call_path));
}

/// The rows from FIRST on in one.
static void add_rest(struct table *table, const struct difference_table *from, size_t first)
{
    int64_t change_ns = 0;
    for (size_t i = first; i < from->n_rows; i++)
        change_ns += from->rows[i].change_ns;
    size_t n_filled = 3;
    for (size_t i = 0; i < n_filled; i++)
        table_add_cell(table, "%s", "");
    table_add_cell(table, "%s", signed_time(change_ns).text);
    for (size_t i = n_filled + 1; i + 1 < table->n_columns; i++)
        table_add_cell(table, "%s", "");
    table_add_cell(table, "... %s more (--top)", quantity_count(from->n_rows - first, "row").text);
}

static void print_table(const struct difference_page *page, const struct shown_paths *paths,
                        enum difference_by by, uint64_t top, FILE *stream)
{
    static const char *const titles[] = {[DIFFERENCE_BY_CALL_PATH] = "By call path and wait state",
                                         [DIFFERENCE_BY_PROCESS] = "By rank",
                                         [DIFFERENCE_BY_WAIT_STATE] = "By wait state"};
    const struct difference_table *from = &page->tables[by];
    struct table table = {0};
    table_add_columns(&table, "<", "A", "B", "change", "share", "p");
    table_add_column(&table, by == DIFFERENCE_BY_PROCESS ? "rank" : "kind", true);
    if (by == DIFFERENCE_BY_CALL_PATH)
        table_add_column(&table, "call path", true);
    size_t n_shown = from->n_rows <= top ? from->n_rows : (size_t)top;
    for (size_t i = 0; i < n_shown; i++)
        add_row(&table, from, &from->rows[i], by, paths);
    if (n_shown < from->n_rows)
        add_rest(&table, from, n_shown);
    char *heading =
        memory_format("%s: time per rank, the changes sum to that of the run time", titles[by]);
    fputc('\n', stream);
    print_wrapped(heading, stream);
    free(heading);
    table_print(&table, 2, width_of(stream), stream);
}

static void print_top_down(const struct difference_page *page, const struct shown_paths *paths,
                           FILE *stream)
{
    struct table table = {0};
    table_add_columns(&table, "<", "A", "B", "change", "p", "<call path");
    for (size_t i = 0; i < page->top_down.n_rows; i++) {
        const struct difference_row *row = &page->top_down.rows[i];
        add_values(&table, row);
        if (!row->is_in_a || !row->is_in_b)
            table_add_cell(&table, "only %s", row->is_in_a ? "A" : "B");
        else
            table_add_cell(&table, "%s", signed_time(row->change_ns).text);
        add_p(&table, row);
        size_t depth = resource_path_depth(row->call_path);
        add_path_cell(&table, paths, depth > 2 ? 2 * (depth - 2) : 0,
                      resource_path_last(row->call_path));
    }
    fprintf(stream, "\nFrom the top down, where there is a change: time per rank, all below "
                    "included\n");
    table_print(&table, 2, width_of(stream), stream);
}

/// The names of all call paths of PAGE. The caller releases them.
static struct shown_paths paths_of(const struct difference_page *page)
{
    const struct difference_table *tables[] = {&page->tables[DIFFERENCE_BY_CALL_PATH],
                                               &page->top_down};
    struct shown_paths paths = {0};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (size_t i = 0; i < tables[t]->n_rows; i++)
            shown_paths_add(&paths, tables[t]->rows[i].call_path);
    shown_paths_complete(&paths);
    return paths;
}

void text_print_difference(const struct difference_page *page, uint64_t top, FILE *stream)
{
    static const enum difference_by order[] = {DIFFERENCE_BY_WAIT_STATE, DIFFERENCE_BY_CALL_PATH,
                                               DIFFERENCE_BY_PROCESS};
    struct shown_paths paths = paths_of(page);
    print_runs(page, stream);
    print_total(page, stream);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        print_table(page, &paths, order[i], top, stream);
    print_top_down(page, &paths, stream);
    shown_paths_release(&paths);
}

static void print_violation(const struct difference_row *row, const char *what,
                            const struct shown_paths *paths, FILE *stream)
{
    fprintf(stream, "%s: ", what);
    char *call_path = shown_paths_text(paths, resource_path_short(row->call_path));
    fprintf(stream, "%s%s", call_path, *call_path ? ": " : "");
    free(call_path);
    fprintf(stream, "%s", mean_time(row->a_ns).text);
    fprintf(stream, " -> %s", mean_time(row->b_ns).text);
    fprintf(stream, " (%s", relative_change(row).text);
    print_p(row, stream);
    fprintf(stream, ")\n");
}

void text_print_violations(const struct difference_page *page, FILE *stream)
{
    const struct difference_table *table = &page->tables[DIFFERENCE_BY_CALL_PATH];
    struct shown_paths paths = paths_of(page);
    if (difference_is_worse(&table->total))
        print_violation(&table->total, "run time", &paths, stream);
    for (size_t i = 0; i < table->n_rows; i++)
        if (difference_is_worse(&table->rows[i]))
            print_violation(&table->rows[i], difference_kind(&table->rows[i]), &paths, stream);
    shown_paths_release(&paths);
}

static json_t *name_of(const char *path)
{
    char *name = resource_path_plain(resource_path_short(path));
    json_t *value = json_text(name);
    free(name);
    return value;
}

static json_t *put_values(json_t *object, const struct difference_row *row)
{
    return JSON_PUT(object, {"a_ns", row->is_in_a ? json_real(row->a_ns) : json_null()},
                    {"b_ns", row->is_in_b ? json_real(row->b_ns) : json_null()},
                    {"change_ns", json_integer(row->change_ns)}, {"p", json_number(row->p)},
                    {"half_width_ns", json_number(row->half_width_ns)},
                    {"is_change", json_boolean(row->is_change)});
}

static json_t *path_row(const void *of, size_t i)
{
    const struct difference_row *row = &((const struct difference_table *)of)->rows[i];
    return put_values(
        JSON_OBJECT({"kind", json_text(difference_kind(row))}, {"path", name_of(row->call_path)}),
        row);
}

static json_t *rank_row(const void *of, size_t i)
{
    const struct difference_row *row = &((const struct difference_table *)of)->rows[i];
    const char *kind = row->is_unrecorded ? difference_kind(row) : "all";
    return put_values(JSON_OBJECT({"kind", json_text(kind)}, {"rank", name_of(row->process)}), row);
}

static json_t *wait_state_row(const void *of, size_t i)
{
    const struct difference_row *row = &((const struct difference_table *)of)->rows[i];
    return put_values(JSON_OBJECT({"kind", json_text(difference_kind(row))}), row);
}

static json_t *top_down_row(const void *of, size_t i)
{
    const struct difference_row *row = &((const struct difference_table *)of)->rows[i];
    return put_values(JSON_OBJECT({"path", name_of(row->call_path)}), row);
}

static json_t *run_object(const struct difference_run *run)
{
    return JSON_OBJECT(
        {"trial", json_text(run->trial.name)}, {"origin", json_text(run->trial.origin)},
        {"time_ns", json_count(run->trial.time_ns)}, {"ranks", json_count(run->trial.n_ranks)});
}

static json_t *run_of_a(const void *of, size_t i)
{
    const struct difference_run *run = &((const struct difference_page *)of)->runs[i];
    return run->group == DIFFERENCE_A ? run_object(run) : NULL;
}

static json_t *run_of_b(const void *of, size_t i)
{
    const struct difference_run *run = &((const struct difference_page *)of)->runs[i];
    return run->group == DIFFERENCE_B ? run_object(run) : NULL;
}

static json_t *table_array(const struct difference_table *table,
                           json_t *(*row)(const void *of, size_t i))
{
    return json_list(table->n_rows, row, table);
}

static json_t *page_object(const void *of, size_t i)
{
    const struct difference_page *page = &((const struct difference_page *)of)[i];
    const struct difference_table *tables = page->tables;
    return JSON_OBJECT(
        {"a", json_list(page->n_runs, run_of_a, page)},
        {"b", json_list(page->n_runs, run_of_b, page)},
        {"time", put_values(json_object(), &tables[0].total)},
        {"by_path", table_array(&tables[DIFFERENCE_BY_CALL_PATH], path_row)},
        {"by_rank", table_array(&tables[DIFFERENCE_BY_PROCESS], rank_row)},
        {"by_wait_state", table_array(&tables[DIFFERENCE_BY_WAIT_STATE], wait_state_row)},
        {"top_down", table_array(&page->top_down, top_down_row)});
}

int json_print_differences(const struct difference_page *pages, size_t n, const char *version,
                           FILE *stream, struct error *err)
{
    json_t *root = JSON_PUT(json_document(version),
                            {"database", json_text_or_null(n ? pages[0].database : NULL)},
                            {"differences", json_list(n, page_object, pages)});
    return json_print_object(root, JSON_INDENT(1), "the differences", stream, err);
}
