// SPDX-License-Identifier: BSD-3-Clause
// The difference of groups of runs as text and JSON: of the run time, whose parts are means per run
// and rank, so that they compare with it; and of one metric, summed over the ranks. Runs compared
// with limits.
#include "analyzer/compare/difference.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/fractions.h"
#include "analyzer/compare/limits.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

/// With its sign, as a change has it.
static struct quantity change_text(int64_t time_ns)
{
    return quantity_format("%s%s", time_ns < 0 ? "" : "+", quantity_signed_time(time_ns).text);
}

static struct quantity relative_change(const struct difference_row *row)
{
    if (row->a_ns > 0)
        return quantity_format("%+.1f %%", 100 * (row->b_ns - row->a_ns) / row->a_ns);
    return quantity_format("%s", row->b_ns > 0 ? "new" : "-");
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

static void print_runs(const struct difference_runs *runs, FILE *stream)
{
    struct table table = {0};
    table_add_columns(&table, "<", "time", "ranks", "<origin", "<trial");
    for (size_t i = 0; i < runs->n; i++) {
        const struct difference_run *run = &runs->list[i];
        table_add_cells(
            &table, run->group == DIFFERENCE_A ? "A" : "B", quantity_time(run->trial.time_ns).text,
            quantity_number(run->trial.n_ranks).text, run->trial.origin, run->trial.name);
    }
    table_print(&table, 0, 0, stream);
}

/// A difference without a test: one measurement on each side. Predictions scatter by nothing.
static bool may_be_noise(const struct difference_page *page)
{
    bool is_measured[2] = {false, false};
    for (size_t i = 0; i < page->runs.n; i++)
        if (strcmp(page->runs.list[i].trial.origin, "measured") == 0)
            is_measured[page->runs.list[i].group == DIFFERENCE_B] = true;
    return isnan(page->tables[0].total.p) && is_measured[0] && is_measured[1];
}

static void print_total(const struct difference_page *page, FILE *stream)
{
    const struct difference_row *total = &page->tables[0].total;
    SCOPED char *text =
        memory_format("run time %s -> %s: %s (%s)", quantity_mean_time(total->a_ns).text,
                      quantity_mean_time(total->b_ns).text, change_text(total->change_ns).text,
                      relative_change(total).text);
    if (!isnan(total->p))
        text_append(&text, " +- %s at %g %%, p %.2g", quantity_mean_time(total->half_width_ns).text,
                    100 * (1 - page->thresholds.alpha), total->p);
    // The rows below may be changes all the same: what one part gains another may lose.
    if (!total->is_change)
        text_append(&text, "; as a whole no change beyond the thresholds");
    else if (may_be_noise(page))
        text_append(
            &text, "; beyond the thresholds, but one measurement on each side cannot tell a change "
                   "from noise");
    else
        text_append(&text, "; changed");
    fputc('\n', stream);
    print_wrapped(text, stream);
}

/// (A part of) a call path, INDENT columns in.
static void add_path_cell(struct table *table, const struct shown_paths *paths, size_t indent,
                          const char *path)
{
    SCOPED char *name = shown_paths_text(paths, path);
    table_add_cell(table, "%*s%s", (int)indent, "", name);
}

static void add_values(struct table *table, const struct difference_row *row)
{
    table_add_cells(table, row->is_change ? "*" : "",
                    row->is_in_a ? quantity_mean_time(row->a_ns).text : "-",
                    row->is_in_b ? quantity_mean_time(row->b_ns).text : "-");
}

static void add_p(struct table *table, const struct difference_row *row)
{
    table_add_cells(table, isnan(row->p) ? "-" : quantity_format("%.2g", row->p).text);
}

static void add_row(struct table *table, const struct difference_table *from,
                    const struct difference_row *row, enum difference_by by,
                    const struct shown_paths *paths)
{
    add_values(table, row);
    table_add_cells(table, change_text(row->change_ns).text,
                    from->total.change_ns
                        ? quantity_format("%+.1f %%", 100 * (double)row->change_ns /
                                                          (double)from->total.change_ns)
                              .text
                        : "-");
    add_p(table, row);
    if (by == DIFFERENCE_BY_PROCESS) {
        SCOPED char *process = resource_path_plain(resource_path_short(row->process));
        table_add_cell(table, "%s", row->is_unrecorded ? difference_kind(row) : process);
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
    table_add_cell(table, "%s", change_text(change_ns).text);
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
    table_add_column(&table, by == DIFFERENCE_BY_PROCESS ? "rank" : "wait state", true);
    if (by == DIFFERENCE_BY_CALL_PATH)
        table_add_column(&table, "call path", true);
    size_t n_shown = from->n_rows <= top ? from->n_rows : (size_t)top;
    for (size_t i = 0; i < n_shown; i++)
        add_row(&table, from, &from->rows[i], by, paths);
    if (n_shown < from->n_rows)
        add_rest(&table, from, n_shown);
    SCOPED char *heading =
        memory_format("%s: time per rank, the changes add up to that of the run time "
                      "(*: beyond the thresholds)",
                      titles[by]);
    fputc('\n', stream);
    print_wrapped(heading, stream);
    table_print(&table, 2, width_of(stream), stream);
}

static int compare_sizes(const void *a, const void *b)
{
    return MORE_FIRST(*(const long long *)a, *(const long long *)b);
}

/// The least difference shown of rows without a change: that of the least change, or so little that
/// TOP rows are shown.
static long long least_shown(const struct difference_table *from, uint64_t top)
{
    long long *sizes = memory_zeroed(from->n_rows + 1, sizeof *sizes), least = LLONG_MAX;
    size_t n = 0, n_changes = 0;
    for (size_t i = 0; i < from->n_rows; i++) {
        long long size = llabs(from->rows[i].change_ns);
        if (from->rows[i].is_change) {
            n_changes++;
            least = size < least ? size : least;
        } else {
            sizes[n++] = size;
        }
    }
    if (n > 0)
        qsort(sizes, n, sizeof *sizes, compare_sizes);
    if (n > 0 && top > n_changes) {
        long long next = top - n_changes < n ? sizes[top - n_changes - 1] : 0;
        least = next < least ? next : least;
    }
    free(sizes);
    return least;
}

static void print_top_down(const struct difference_page *page, const struct shown_paths *paths,
                           uint64_t top, FILE *stream)
{
    struct table table = {0};
    long long least = least_shown(&page->top_down, top);
    size_t n_hidden = 0;
    table_add_columns(&table, "<", "A", "B", "change", "p", "<call path");
    for (size_t i = 0; i < page->top_down.n_rows; i++) {
        const struct difference_row *row = &page->top_down.rows[i];
        if (!row->is_change && llabs(row->change_ns) < least) {
            n_hidden++;
            continue;
        }
        add_values(&table, row);
        if (!row->is_in_a || !row->is_in_b)
            table_add_cell(&table, "only %s", row->is_in_a ? "A" : "B");
        else
            table_add_cell(&table, "%s", change_text(row->change_ns).text);
        add_p(&table, row);
        size_t depth = resource_path_depth(row->call_path);
        add_path_cell(&table, paths, depth > 2 ? 2 * (depth - 2) : 0,
                      resource_path_last(row->call_path));
    }
    fprintf(stream, "\nFrom the top down, where there is a change: time per rank, all below "
                    "included\n");
    table_print(&table, 2, width_of(stream), stream);
    if (n_hidden > 0)
        fprintf(stream, "  ... %s more without a change (--top)\n",
                quantity_count(n_hidden, "call path").text);
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

/// "Uneven work in solve (solve.c:56), ranks 0-3", with other ranks where these changed.
static char *finding_text(const struct finding_change *change)
{
    const struct finding_side *a = &change->sides[DIFFERENCE_A], *b = &change->sides[DIFFERENCE_B];
    const struct finding_side *last = b->n_runs > 0 ? b : a;
    const char *ranks = last->ranks;
    const char *label = !ranks[0] ? "" : strpbrk(ranks, ",-") ? ", ranks " : ", rank ";
    char *text = memory_format("%s%s%s%s%s", change->name, last->place[0] ? " in " : "",
                               last->place, label, ranks);
    if (a->n_runs > 0 && b->n_runs > 0 && strcmp(a->ranks, b->ranks) != 0)
        text_append(&text, " (A: %s)", a->ranks[0] ? a->ranks : "none");
    return text;
}

static void print_findings(const struct difference_page *page, FILE *stream)
{
    const struct finding_changes *findings = &page->findings;
    const bool *is_unsearched = findings->is_unsearched;
    struct table table = {0};
    if (!finding_changes_are_known(findings))
        fprintf(stream,
                "\nFindings are not compared: %s without a search for them, as imports are.\n",
                !is_unsearched[DIFFERENCE_B]  ? "A has runs"
                : is_unsearched[DIFFERENCE_A] ? "A and B have runs"
                                              : "B has runs");
    if (findings->n == 0)
        return;
    table_add_columns(&table, "<", "A", "B", "change", "<finding");
    for (size_t i = 0; i < findings->n; i++) {
        const struct finding_change *change = &findings->items[i];
        bool is_in_a = change->sides[DIFFERENCE_A].n_runs > 0;
        bool is_in_b = change->sides[DIFFERENCE_B].n_runs > 0;
        SCOPED char *text = finding_text(change);
        table_add_cells(&table, change->state == FINDING_SAME ? "" : "*",
                        is_in_a ? quantity_mean_time(change->a_ns).text : "-",
                        is_in_b ? quantity_mean_time(change->b_ns).text : "-",
                        is_in_a && is_in_b ? change_text(llround(change->b_ns - change->a_ns)).text
                                           : finding_state_names[change->state],
                        text);
    }
    fputs("\nFindings: what they cost per rank (*: beyond the thresholds)\n", stream);
    table_print(&table, 2, width_of(stream), stream);
}

void text_print_difference(const struct difference_page *page, uint64_t top, FILE *stream)
{
    static const enum difference_by order[] = {DIFFERENCE_BY_WAIT_STATE, DIFFERENCE_BY_CALL_PATH,
                                               DIFFERENCE_BY_PROCESS};
    SCOPED_BY(shown_paths_release) struct shown_paths paths = paths_of(page);
    print_runs(&page->runs, stream);
    print_total(page, stream);
    print_findings(page, stream);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        print_table(page, &paths, order[i], top, stream);
    print_top_down(page, &paths, top, stream);
}

static void print_violation(const struct difference_row *row, const char *what,
                            const struct shown_paths *paths, FILE *stream)
{
    SCOPED char *call_path = shown_paths_text(paths, resource_path_short(row->call_path));
    fprintf(stream, "%s: %s%s%s -> %s (%s", what, call_path, *call_path ? ": " : "",
            quantity_mean_time(row->a_ns).text, quantity_mean_time(row->b_ns).text,
            relative_change(row).text);
    fprintf(stream, isnan(row->p) ? ")\n" : ", p %.2g)\n", row->p);
}

void text_print_violations(const struct difference_page *page, FILE *stream)
{
    const struct difference_table *table = &page->tables[DIFFERENCE_BY_CALL_PATH];
    SCOPED_BY(shown_paths_release) struct shown_paths paths = paths_of(page);
    if (difference_is_worse(&table->total))
        print_violation(&table->total, "run time", &paths, stream);
    for (size_t i = 0; i < table->n_rows; i++)
        if (difference_is_worse(&table->rows[i]))
            print_violation(&table->rows[i], difference_kind(&table->rows[i]), &paths, stream);
}

static json_t *name_of(const char *path)
{
    SCOPED char *name = resource_path_plain(resource_path_short(path));
    return json_text(name);
}

static json_t *put_values(json_t *object, const struct difference_row *row)
{
    return JSON_PUT(object, {"a_ns", row->is_in_a ? json_real(row->a_ns) : json_null()},
                    {"b_ns", row->is_in_b ? json_real(row->b_ns) : json_null()},
                    JSON_INTEGER(row, change_ns), JSON_NUMBER(row, p),
                    JSON_NUMBER(row, half_width_ns), JSON_FLAG(row, is_change));
}

static json_t *path_row(const struct difference_row *row)
{
    return put_values(
        JSON_OBJECT({"kind", json_text(difference_kind(row))}, {"path", name_of(row->call_path)}),
        row);
}

static json_t *rank_row(const struct difference_row *row)
{
    const char *kind = row->is_unrecorded ? difference_kind(row) : "all";
    return put_values(JSON_OBJECT({"kind", json_text(kind)}, {"rank", name_of(row->process)}), row);
}

static json_t *wait_state_row(const struct difference_row *row)
{
    return put_values(JSON_OBJECT({"kind", json_text(difference_kind(row))}), row);
}

static json_t *top_down_row(const struct difference_row *row)
{
    return put_values(JSON_OBJECT({"path", name_of(row->call_path)}), row);
}

static json_t *run_object(const struct difference_run *run)
{
    return JSON_OBJECT({"trial", json_text(run->trial.name)}, JSON_TEXT(&run->trial, origin),
                       JSON_COUNT(&run->trial, time_ns), {"ranks", json_count(run->trial.n_ranks)});
}

static json_t *runs_array(const struct difference_runs *runs, enum difference_group group)
{
    return JSON_EACH(i, runs->n, runs->list[i].group == group ? run_object(&runs->list[i]) : NULL);
}

static json_t *side_place(const struct finding_side *side)
{
    return side->n_runs > 0 ? JSON_OBJECT(JSON_TEXT(side, place), JSON_TEXT(side, ranks),
                                          {"runs", json_count(side->n_runs)})
                            : json_null();
}

static json_t *finding_row(const struct finding_change *change)
{
    const struct finding_side *a = &change->sides[DIFFERENCE_A], *b = &change->sides[DIFFERENCE_B];
    return JSON_OBJECT(JSON_TEXT(change, kind), JSON_TEXT(change, name),
                       {"state", json_text(finding_state_names[change->state])},
                       {"a", side_place(a)}, {"b", side_place(b)}, JSON_REAL(change, a_ns),
                       JSON_REAL(change, b_ns), JSON_NUMBER(change, p));
}

static json_t *page_object(const struct difference_page *page)
{
    const struct difference_table *tables = page->tables;
    return JSON_OBJECT(
        {"a", runs_array(&page->runs, DIFFERENCE_A)}, {"b", runs_array(&page->runs, DIFFERENCE_B)},
        {"time", put_values(json_object(), &tables[0].total)},
        {"by_path", JSON_EACH(i, tables[DIFFERENCE_BY_CALL_PATH].n_rows,
                              path_row(&tables[DIFFERENCE_BY_CALL_PATH].rows[i]))},
        {"by_rank", JSON_EACH(i, tables[DIFFERENCE_BY_PROCESS].n_rows,
                              rank_row(&tables[DIFFERENCE_BY_PROCESS].rows[i]))},
        {"by_wait_state", JSON_EACH(i, tables[DIFFERENCE_BY_WAIT_STATE].n_rows,
                                    wait_state_row(&tables[DIFFERENCE_BY_WAIT_STATE].rows[i]))},
        {"top_down", JSON_EACH(i, page->top_down.n_rows, top_down_row(&page->top_down.rows[i]))},
        {"findings", finding_changes_are_known(&page->findings)
                         ? JSON_EACH(i, page->findings.n, finding_row(&page->findings.items[i]))
                         : json_null()});
}

void json_print_differences(const struct difference_page *pages, size_t n, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1),
               {"database", json_text_or_null(n ? pages[0].database : NULL)},
               {"differences", JSON_EACH(i, n, page_object(&pages[i]))});
}

// --- fractions of the ranks' time

static void add_fraction_cells(struct table *table, const double a[N_FRACTIONS],
                               const double b[N_FRACTIONS])
{
    for (enum fraction f = 0; f < N_FRACTIONS; f++)
        table_add_cells(table, quantity_format("%.1f", 100 * a[f]).text,
                        quantity_format("%.1f", 100 * b[f]).text);
}

void text_print_fractions(const struct fractions_page *page, uint64_t top, FILE *stream)
{
    size_t n = page->n_ranks < top ? page->n_ranks : (size_t)top;
    struct table table = {0};
    print_runs(&page->runs, stream);
    fputs("\nFractions of the judged part in %, rank by rank\n", stream);
    table_add_columns(&table, "rank", "computing A", "B", "overhead A", "B", "waiting A", "B");
    for (size_t i = 0; i < n; i++) {
        table_add_cells(&table, quantity_number(i).text);
        add_fraction_cells(&table, page->ranks[i].of[DIFFERENCE_A],
                           page->ranks[i].of[DIFFERENCE_B]);
    }
    table_print(&table, 2, width_of(stream), stream);
    if (n < page->n_ranks)
        fprintf(stream, "  and %zu more ranks (--top)\n", page->n_ranks - n);
    fprintf(stream, "\nError of %s in percentage points, mean (standard deviation)\n",
            quantity_count(page->n_ranks, "rank").text);
    for (enum fraction f = 0; f < N_FRACTIONS; f++) {
        const struct fraction_error *error = &page->errors[f];
        fprintf(stream, "  %-10s %.1f (%s)\n", fraction_names[f], 100 * error->mean,
                isnan(error->deviation) ? "-"
                                        : quantity_format("%.1f", 100 * error->deviation).text);
    }
}

static json_t *fractions_object(const double of[N_FRACTIONS])
{
    json_t *object = json_object();
    for (enum fraction f = 0; f < N_FRACTIONS; f++)
        JSON_PUT(object, {fraction_names[f], json_real(of[f])});
    return object;
}

static json_t *fraction_rank(const struct fractions_rank *rank, size_t i)
{
    return JSON_OBJECT({"rank", json_count(i)}, {"a", fractions_object(rank->of[DIFFERENCE_A])},
                       {"b", fractions_object(rank->of[DIFFERENCE_B])});
}

static json_t *fractions_page_object(const struct fractions_page *page)
{
    json_t *errors = json_object();
    for (enum fraction f = 0; f < N_FRACTIONS; f++)
        JSON_PUT(errors,
                 {fraction_names[f], JSON_OBJECT(JSON_REAL(&page->errors[f], mean),
                                                 JSON_NUMBER(&page->errors[f], deviation))});
    return JSON_OBJECT({"a", runs_array(&page->runs, DIFFERENCE_A)},
                       {"b", runs_array(&page->runs, DIFFERENCE_B)}, {"errors", errors},
                       {"ranks", JSON_EACH(i, page->n_ranks, fraction_rank(&page->ranks[i], i))});
}

void json_print_fractions(const struct fractions_page *pages, size_t n, FILE *stream)
{
    JSON_PRINT(stream, JSON_FORMAT, {"database", json_text_or_null(n ? pages[0].database : NULL)},
               {"fractions", JSON_EACH(i, n, fractions_page_object(&pages[i]))});
}

// --- of one metric

/// A value of the metric, with a sign if it is a change.
static struct quantity amount(const struct metric_difference *of, double value, bool is_change)
{
    const char *sign = is_change && value >= 0 ? "+" : value < 0 ? "-" : "";
    if (strcmp(of->unit, "ns") == 0)
        return quantity_format("%s%s", sign, quantity_time((uint64_t)llround(fabs(value))).text);
    if (strcmp(of->unit, "bytes") == 0)
        return quantity_format("%s%s", sign, quantity_size((uint64_t)llround(fabs(value))).text);
    return quantity_format("%s%.10g", sign, fabs(value));
}

static void add_metric_row(struct table *table, const struct metric_difference *of,
                           const struct difference_row *row, const struct shown_paths *paths)
{
    table_add_cells(table, row->is_change ? "*" : "",
                    row->is_in_a ? amount(of, row->a_ns, false).text : "-",
                    row->is_in_b ? amount(of, row->b_ns, false).text : "-",
                    amount(of, row->b_ns - row->a_ns, true).text);
    add_p(table, row);
    size_t depth = of->adds_up ? resource_path_depth(row->call_path) : 0;
    add_path_cell(table, paths, depth > 2 ? 2 * (depth - 2) : 0,
                  of->adds_up ? resource_path_last(row->call_path) : row->call_path);
}

static void print_hierarchy(const struct metric_difference *of,
                            const struct metric_hierarchy *hierarchy, FILE *stream)
{
    SCOPED_BY(shown_paths_release) struct shown_paths paths = {0};
    for (size_t i = 0; i < hierarchy->table.n_rows; i++)
        shown_paths_add(&paths, hierarchy->table.rows[i].call_path);
    shown_paths_complete(&paths);
    struct table table = {0};
    table_add_columns(&table, "<", "A", "B", "change", "p", "<resource");
    for (size_t i = 0; i < hierarchy->table.n_rows; i++)
        add_metric_row(&table, of, &hierarchy->table.rows[i], &paths);
    fprintf(stream, "\n%s, %s\n", hierarchy->name,
            of->adds_up ? "from the top down where there is a change (*)"
                        : "all parts with a change");
    table_print(&table, 2, width_of(stream), stream);
}

void text_print_metric_difference(const struct metric_difference *of, FILE *stream)
{
    const struct difference_row *total = &of->total;
    print_runs(&of->runs, stream);
    fprintf(stream, "\n%s: %s -> %s: %s (%s)", of->metric, amount(of, total->a_ns, false).text,
            amount(of, total->b_ns, false).text, amount(of, total->b_ns - total->a_ns, true).text,
            relative_change(total).text);
    if (!isnan(total->p))
        fprintf(stream, ", p %.2g", total->p);
    fprintf(stream, "%s\n", total->is_change ? "" : "; as a whole no change beyond the thresholds");
    for (size_t i = 0; i < of->n_hierarchies; i++)
        print_hierarchy(of, &of->hierarchies[i], stream);
}

static json_t *metric_values(json_t *object, const struct difference_row *row)
{
    return JSON_PUT(object, {"a", row->is_in_a ? json_real(row->a_ns) : json_null()},
                    {"b", row->is_in_b ? json_real(row->b_ns) : json_null()},
                    {"change", json_real(row->b_ns - row->a_ns)}, JSON_NUMBER(row, p),
                    {"half_width", json_number(row->half_width_ns)}, JSON_FLAG(row, is_change));
}

static json_t *resource_row(const struct difference_row *row)
{
    return metric_values(JSON_OBJECT({"resource", json_text(row->call_path)}), row);
}

static json_t *hierarchy_object(const struct metric_hierarchy *hierarchy)
{
    return JSON_OBJECT({"hierarchy", json_string(hierarchy->name)},
                       {"resources", JSON_EACH(i, hierarchy->table.n_rows,
                                               resource_row(&hierarchy->table.rows[i]))});
}

static json_t *metric_object(const struct metric_difference *of)
{
    return JSON_OBJECT(
        {"a", runs_array(&of->runs, DIFFERENCE_A)}, {"b", runs_array(&of->runs, DIFFERENCE_B)},
        JSON_TEXT(of, metric), JSON_TEXT(of, unit),
        {"total", metric_values(json_object(), &of->total)},
        {"hierarchies", JSON_EACH(i, of->n_hierarchies, hierarchy_object(&of->hierarchies[i]))});
}

void json_print_metric_differences(const struct metric_difference *list, size_t n, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1), {"database", json_text_or_null(n ? list[0].database : NULL)},
               {"differences", JSON_EACH(i, n, metric_object(&list[i]))});
}

// --- runs compared with limits

static struct quantity limited_amount(const struct limit_row *row, double value)
{
    if (strcmp(row->unit, "ns") == 0 && value >= 0)
        return quantity_time((uint64_t)llround(value));
    return strcmp(row->unit, "share") == 0 ? quantity_format("%.1f %%", 100 * value)
                                           : quantity_format("%.10g", value);
}

static const char *limited_focus(const struct limit_row *row)
{
    return *row->focus ? row->focus : "program";
}

void text_print_limits(const struct limit_page *page, FILE *stream)
{
    struct table table = {0};
    table_add_columns(&table, "<", "value", "limit", "runs", "<trial", "<metric", "<focus");
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct limit_row *row = &page->rows[i];
        table_add_cells(&table, row->is_kept ? "" : "*", limited_amount(row, row->value).text);
        table_add_cell(&table, "%s %s",
                       row->is_at_least ? ">=" : "<=", limited_amount(row, row->limit).text);
        table_add_cells(&table, quantity_number(row->n_runs).text, row->runs, row->metric,
                        limited_focus(row));
    }
    fprintf(stream, "%s: %zu of %s not kept (*)\n", page->source, limit_page_count_violations(page),
            quantity_count(page->n_rows, "limit").text);
    table_print(&table, 2, 0, stream);
}

void text_print_limit_violations(const struct limit_page *page, FILE *stream)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        const struct limit_row *row = &page->rows[i];
        if (row->is_kept)
            continue;
        fprintf(stream, "%s: %s of %s: %s is not %s %s\n", row->runs, row->metric,
                limited_focus(row), limited_amount(row, row->value).text,
                row->is_at_least ? ">=" : "<=", limited_amount(row, row->limit).text);
    }
}

static json_t *limit_object(const struct limit_row *row)
{
    return JSON_OBJECT(JSON_TEXT(row, metric), JSON_TEXT(row, unit), JSON_TEXT(row, focus),
                       {"relation", json_string(row->is_at_least ? ">=" : "<=")},
                       JSON_REAL(row, limit), {"trial", json_text(row->runs)},
                       {"n_trials", json_count(row->n_runs)}, JSON_REAL(row, value),
                       JSON_FLAG(row, is_kept));
}

void json_print_limits(const struct limit_page *page, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(1), JSON_TEXT_OR_NULL(page, database), JSON_TEXT(page, source),
               {"limits", JSON_EACH(i, page->n_rows, limit_object(&page->rows[i]))});
}
