// SPDX-License-Identifier: BSD-3-Clause
// See intervals.h.
#include "analyzer/report/intervals.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

void interval_page_add(struct interval_page *page, const struct result *result)
{
    page->rows = array_reserve(page->rows, &page->capacity, page->n_rows + 1, sizeof *page->rows);
    page->rows[page->n_rows++] = (struct interval_row){
        .name = memory_copy_text(result->interval.what),
        .is_phase = result->interval.is_phase,
        .begin_ns = result->interval.begin_ns,
        .end_ns = result->interval.end_ns,
        .time_ns = result->time_ns,
        .efficiency = result->efficiency,
        .useful_ns = result->useful_ns,
        .no_cpu_ns = result->no_cpu_ns,
        .wait_ns = result->wait_ns,
        .other_mpi_ns = result->other_mpi_ns,
        .outside_ns = result->unrecorded_ns,
        .total_ns = result->total_ns,
        .headline = memory_copy_text(result->headline),
    };
}

void interval_page_release(struct interval_page *page)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        free(page->rows[i].name);
        free(page->rows[i].headline);
    }
    free(page->rows);
    *page = (struct interval_page){0};
}
