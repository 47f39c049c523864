// SPDX-License-Identifier: BSD-3-Clause
// What ranks do over time, as rows of letters or shares (pagoda replay --timeline).
#include "analyzer/result/views/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"

enum { MAX_ROWS = 32, LEAST_CELLS = 20, JSON_CELLS = 100 };

static const struct {
    char letter;
    const char *name, *colour, *key;
} kinds[TIMELINE_KINDS] = {
    [TIMELINE_COMPUTING] = {'#', "outside MPI", "\033[34m", "computing"},
    [TIMELINE_WAITING] = {'.', "waiting", "\033[31m", "waiting"},
    [TIMELINE_POINT_TO_POINT] = {'m', "messages", "\033[33m", "point_to_point"},
    [TIMELINE_COLLECTIVE] = {'c', "collective operations", "\033[35m", "collective"},
    [TIMELINE_OTHER_MPI] = {'o', "other MPI", "\033[90m", "other_mpi"},
    [TIMELINE_NO_CPU] = {'-', "outside MPI without CPU time", "\033[36m", "no_cpu"},
};

static size_t n_rows(const struct timeline_page *page)
{
    return page->timeline->n_ranks < MAX_ROWS ? page->timeline->n_ranks : MAX_ROWS;
}

/// The first rank of ROW; ranks share rows where there are too many.
static size_t first_rank(const struct timeline_page *page, size_t row)
{
    return row * page->timeline->n_ranks / n_rows(page);
}

/// What most of a cell's time is; TIMELINE_KINDS: most of it is not in the run.
static int main_kind(const double *shares)
{
    int most = 0;
    double sum = 0;
    for (int kind = 0; kind < TIMELINE_KINDS; kind++) {
        sum += shares[kind];
        if (shares[kind] > shares[most])
            most = kind;
    }
    return sum < 0.5 ? TIMELINE_KINDS : most;
}

static void print_cells(const double *shares, size_t n_cells, bool has_colours, FILE *stream)
{
    int before = TIMELINE_KINDS;
    for (size_t i = 0; i < n_cells; i++) {
        int kind = main_kind(shares + i * TIMELINE_KINDS);
        if (has_colours && kind != before)
            fputs(kind == TIMELINE_KINDS ? "\033[0m" : kinds[kind].colour, stream);
        putc(kind == TIMELINE_KINDS ? ' ' : kinds[kind].letter, stream);
        before = kind;
    }
    fputs(has_colours && before != TIMELINE_KINDS ? "\033[0m\n" : "\n", stream);
}

static void print_legend(const struct timeline_page *page, const struct text_options *options,
                         FILE *stream)
{
    char *legend = NULL;
    for (int kind = 0; kind < TIMELINE_KINDS; kind++) {
        if (kind == TIMELINE_NO_CPU && !page->timeline->has_no_cpu)
            continue;
        text_append(&legend, "%s%c %s", legend ? ", " : "", kinds[kind].letter, kinds[kind].name);
    }
    fputs("  ", stream);
    print_paragraph(legend, 2, 2, options->width, stream);
    free(legend);
}

static struct quantity row_name(const struct timeline_page *page, size_t row)
{
    size_t first = first_rank(page, row), last = first_rank(page, row + 1) - 1;
    return first == last ? quantity_format("rank %zu", first)
                         : quantity_format("ranks %zu-%zu", first, last);
}

static void print_timeline(const struct timeline_page *page, const char *heading,
                           const struct text_options *options, FILE *stream)
{
    size_t rows = n_rows(page), name_width = strlen(row_name(page, rows - 1).text);
    size_t n_cells = options->width > name_width + 4 + LEAST_CELLS ? options->width - name_width - 4
                                                                   : LEAST_CELLS;
    SCOPED double *shares = memory_new(n_cells * TIMELINE_KINDS * sizeof *shares);
    fprintf(stream, "%s from %s to %s, %s a column\n", heading, quantity_time(page->begin_ns).text,
            quantity_time(page->end_ns).text,
            quantity_time((page->end_ns - page->begin_ns) / n_cells).text);
    for (size_t row = 0; row < rows; row++) {
        fprintf(stream, "  %-*s  ", (int)name_width, row_name(page, row).text);
        timeline_cells(page->timeline, first_rank(page, row), first_rank(page, row + 1),
                       page->begin_ns, page->end_ns, n_cells, shares);
        print_cells(shares, n_cells, options->has_colours, stream);
    }
    print_legend(page, options, stream);
}

void text_print_timelines(const struct timeline_page *pages, size_t n,
                          const struct text_options *options, FILE *stream)
{
    static const char *const headings[] = {"Timeline", "\nPredicted"};
    for (size_t i = 0; i < n; i++)
        print_timeline(&pages[i], headings[i], options, stream);
}

// ---- JSON

static json_t *rank_object(const struct timeline_page *page, size_t rank)
{
    double shares[JSON_CELLS * TIMELINE_KINDS];
    json_t *object = JSON_OBJECT({"rank", json_count(rank)});
    timeline_cells(page->timeline, rank, rank + 1, page->begin_ns, page->end_ns, JSON_CELLS,
                   shares);
    for (int kind = 0; kind < TIMELINE_KINDS; kind++)
        JSON_PUT(object,
                 {kinds[kind].key,
                  JSON_EACH(i, JSON_CELLS, json_number(shares[i * TIMELINE_KINDS + kind]))});
    return object;
}

static json_t *page_object(const struct timeline_page *page)
{
    return JSON_OBJECT(JSON_COUNT(page, begin_ns), JSON_COUNT(page, end_ns),
                       {"ranks", JSON_EACH(i, page->timeline->n_ranks, rank_object(page, i))});
}

void json_print_timelines(const struct timeline_page *pages, size_t n, FILE *stream)
{
    JSON_PRINT(stream, JSON_COMPACT | JSON_REAL_PRECISION(6), {"timeline", page_object(&pages[0])},
               {"predicted", n > 1 ? page_object(&pages[1]) : NULL});
}
