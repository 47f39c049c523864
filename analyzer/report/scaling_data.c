// SPDX-License-Identifier: BSD-3-Clause
// A scaling study for other programs: JSON, and comma-separated values (RFC 4180), one number a
// line, so that any tool can filter and pivot it.

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/csv.h"
#include "analyzer/compare/scaling_series.h"
#include "analyzer/report/json.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/page.h"
#include "analyzer/report/text.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *index_or_null(size_t index)
{
    return index == SCALING_NONE ? json_null() : json_integer((json_int_t)index);
}

static json_t *fit_object(const struct growth *growth)
{
    static const char *const forms[] = {[GROWTH_UNKNOWN] = "unknown",
                                        [GROWTH_CONSTANT] = "constant",
                                        [GROWTH_POWER] = "power",
                                        [GROWTH_LOGARITHM] = "logarithm"};
    if (growth->form == GROWTH_UNKNOWN)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "form", json_string(forms[growth->form]));
    json_object_set_new(object, "a", json_real(growth->a));
    json_object_set_new(object, "b", json_real(growth->b));
    json_object_set_new(object, "r_squared", number(growth->r_squared));
    json_object_set_new(object, "n_points", json_integer((json_int_t)growth->n_points));
    json_object_set_new(object, "is_good", json_boolean(growth_is_good(growth)));
    return object;
}

static json_t *points_array(const struct scaling *scaling)
{
    json_t *array = json_array();
    for (size_t i = 0; i < scaling->n_points; i++) {
        const struct scaling_point *point = &scaling->points[i];
        json_t *object = json_object();
        json_object_set_new(object, "x", json_real(point->x));
        json_object_set_new(object, "ranks", number(point->n_ranks));
        json_object_set_new(object, "n_trials", json_integer((json_int_t)point->n_trials));
        json_object_set_new(object, "time_ns", number(point->time_ns));
        json_object_set_new(object, "time_stddev_ns", number(point->time_spread_ns));
        json_object_set_new(object, "speedup", number(point->speedup));
        json_object_set_new(object, "efficiency", number(point->efficiency));
        json_object_set_new(object, "no_cpu_share", number(point->no_cpu_share));
        for (enum scaling_factor j = 0; j < N_FACTORS; j++)
            json_object_set_new(object, scaling_factor_keys[j], number(point->factors[j]));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *growth_array(const struct scaling *scaling)
{
    json_t *array = json_array();
    for (size_t i = 0; i < scaling->n_parts; i++) {
        const struct scaling_part *part = &scaling->parts[i];
        json_t *object = json_object(), *times = json_array();
        json_object_set_new(object, "kind",
                            json_string(*part->wait_state ? "wait-state" : "region"));
        json_object_set_new(object, "name", json_clean_text(part->name));
        json_object_set_new(object, "is_start_or_end", json_boolean(part->is_start_or_end));
        for (size_t j = 0; j < scaling->n_points; j++)
            json_array_append_new(times, json_real(part->ns[j]));
        json_object_set_new(object, "per_rank_ns", times);
        json_object_set_new(object, "fit", fit_object(&part->growth));
        json_object_set_new(object, "next_ns",
                            scaling->has_next && growth_is_good(&part->growth)
                                ? json_real(part->next_ns)
                                : json_null());
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *break_object(const struct scaling *scaling)
{
    json_t *object = json_object();
    json_object_set_new(object, "is_broken", json_boolean(scaling->is_broken));
    json_object_set_new(object, "x", json_real(scaling->points[scaling->looked_at].x));
    json_object_set_new(object, "factor",
                        scaling->why < N_FACTORS ? json_string(scaling_factor_keys[scaling->why])
                                                 : json_null());
    json_object_set_new(object, "factor_share", number(scaling->why_share));
    json_object_set_new(object, "part", index_or_null(scaling->cause));
    json_object_set_new(object, "part_share", number(scaling->cause_share));
    json_object_set_new(object, "fastest_x", json_real(scaling->points[scaling->fastest].x));
    return object;
}

static json_t *next_object(const struct scaling *scaling)
{
    if (!scaling->has_next)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "x", json_real(scaling->next_x));
    json_object_set_new(object, "time_ns", number(scaling->next_ns));
    json_object_set_new(object, "efficiency", number(scaling->next_efficiency));
    json_object_set_new(object, "unfitted_share", number(scaling->next_unfitted_share));
    json_object_set_new(object, "leader_now", index_or_null(scaling->leader));
    json_object_set_new(object, "leader", index_or_null(scaling->next_leader));
    json_object_set_new(object, "riser", index_or_null(scaling->riser));
    json_object_set_new(object, "riser_overtakes_at", number(scaling->riser_overtakes_x));
    return object;
}

static json_t *findings_array(const struct scaling_series *series)
{
    json_t *array = json_array();
    for (size_t i = 0; i < series->n_findings; i++) {
        const struct scaling_finding *finding = &series->findings[i];
        json_t *object = json_object();
        json_object_set_new(object, "id", json_clean_text(finding->id));
        json_object_set_new(object, "of",
                            json_clean_text(*finding->subject ? finding->subject : "program"));
        json_object_set_new(object, "name", json_clean_text(finding->name));
        json_object_set_new(object, "condition", json_clean_text(finding->condition));
        json_object_set_new(object, "is_evaluated", json_boolean(finding->is_evaluated));
        json_object_set_new(object, "holds", json_boolean(finding->holds));
        json_object_set_new(object, "severity", json_real(finding->severity));
        json_object_set_new(object, "confidence", json_real(finding->confidence));
        json_object_set_new(
            object, "is_critical",
            json_boolean(finding->holds && finding->severity >= finding->threshold));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *series_object(const struct scaling_page *page, const struct scaling_series *series)
{
    const struct scaling *scaling = series->scaling;
    json_t *object = json_object(), *trials = json_array();
    json_object_set_new(object, "name", json_clean_text(series->name));
    json_object_set_new(object, "kind", json_string(scaling_kind_names[scaling->kind]));
    json_object_set_new(object, "kind_reason", json_clean_text(series->kind_reason));
    char *conclusion = scaling_conclusion(page, series);
    json_object_set_new(object, "conclusion", json_clean_text(conclusion));
    free(conclusion);
    for (size_t i = 0; i < series->n_trials; i++) {
        json_t *trial = json_object();
        json_object_set_new(trial, "trial", json_clean_text(series->trials[i]));
        json_object_set_new(trial, "x", json_real(series->trial_x[i]));
        json_array_append_new(trials, trial);
    }
    json_object_set_new(object, "trials", trials);
    json_object_set_new(object, "points", points_array(scaling));
    json_object_set_new(object, "breaks", break_object(scaling));
    json_object_set_new(object, "growth", growth_array(scaling));
    json_object_set_new(object, "time_fit", fit_object(&scaling->time_growth));
    json_object_set_new(object, "next", next_object(scaling));
    if (page->has_findings)
        json_object_set_new(object, "properties", findings_array(series));
    return object;
}

int json_print_scaling(const struct scaling_page *page, const char *version, FILE *stream,
                       struct error *err)
{
    json_t *root = json_object(), *series = json_array();
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "pagoda", json_string(version));
    json_object_set_new(root, "database",
                        page->database ? json_clean_text(page->database) : json_null());
    json_object_set_new(root, "by", json_clean_text(page->by));
    json_object_set_new(root, "time", json_string("window"));
    json_object_set_new(root, "threshold", json_real(page->threshold));
    for (size_t i = 0; i < page->n_series; i++)
        json_array_append_new(series, series_object(page, &page->series[i]));
    json_object_set_new(root, "series", series);
    return json_print_object(root, JSON_INDENT(1), "the scaling study", stream, err);
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
