// SPDX-License-Identifier: BSD-3-Clause
// A scaling study as comma-separated values (RFC 4180), one number a line, so that any tool can
// filter and pivot it.
#include <math.h>

#include "analyzer/base/csv.h"
#include "analyzer/report/scaling.h"

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
