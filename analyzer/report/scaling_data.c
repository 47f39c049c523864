// SPDX-License-Identifier: BSD-3-Clause
// A scaling study for other programs: JSON, and comma-separated values (RFC 4180), one number a
// line, so that any tool can filter and pivot it.

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/csv.h"
#include "analyzer/compare/scaling_series.h"
#include "analyzer/report/json.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/page.h"
#include "analyzer/report/text.h"

static json_t *index_or_null(size_t index)
{
    return index == SCALING_NONE ? json_null() : json_count(index);
}

static json_t *fit_object(const struct growth *growth)
{
    static const char *const forms[] = {[GROWTH_UNKNOWN] = "unknown",
                                        [GROWTH_CONSTANT] = "constant",
                                        [GROWTH_POWER] = "power",
                                        [GROWTH_LOGARITHM] = "logarithm"};
    if (growth->form == GROWTH_UNKNOWN)
        return json_null();
    return JSON_OBJECT({"form", json_string(forms[growth->form])}, {"a", json_real(growth->a)},
                       {"b", json_real(growth->b)}, {"r_squared", json_number(growth->r_squared)},
                       {"n_points", json_count(growth->n_points)},
                       {"is_good", json_boolean(growth_is_good(growth))});
}

static json_t *point_object(const void *of, size_t i)
{
    const struct scaling_point *point = &((const struct scaling *)of)->points[i];
    json_t *object = JSON_OBJECT(
        {"x", json_real(point->x)}, {"ranks", json_number(point->n_ranks)},
        {"n_trials", json_count(point->n_trials)}, {"time_ns", json_number(point->time_ns)},
        {"time_stddev_ns", json_number(point->time_spread_ns)},
        {"speedup", json_number(point->speedup)}, {"efficiency", json_number(point->efficiency)},
        {"no_cpu_share", json_number(point->no_cpu_share)});
    for (enum scaling_factor j = 0; j < N_FACTORS; j++)
        JSON_PUT(object, {scaling_factor_keys[j], json_number(point->factors[j])});
    return object;
}

static json_t *part_object(const void *of, size_t i)
{
    const struct scaling *scaling = of;
    const struct scaling_part *part = &scaling->parts[i];
    bool has_next = scaling->has_next && growth_is_good(&part->growth);
    json_t *times = json_array();
    for (size_t j = 0; j < scaling->n_points; j++)
        json_array_append_new(times, json_real(part->ns[j]));
    return JSON_OBJECT({"kind", json_string(*part->wait_state ? "wait-state" : "region")},
                       {"name", json_text(part->name)},
                       {"is_start_or_end", json_boolean(part->is_start_or_end)},
                       {"per_rank_ns", times}, {"fit", fit_object(&part->growth)},
                       {"next_ns", has_next ? json_real(part->next_ns) : json_null()});
}

static json_t *break_object(const struct scaling *scaling)
{
    bool has_factor = scaling->why < N_FACTORS;
    return JSON_OBJECT(
        {"is_broken", json_boolean(scaling->is_broken)},
        {"x", json_real(scaling->points[scaling->looked_at].x)},
        {"factor", has_factor ? json_string(scaling_factor_keys[scaling->why]) : json_null()},
        {"factor_share", json_number(scaling->why_share)}, {"part", index_or_null(scaling->cause)},
        {"part_share", json_number(scaling->cause_share)},
        {"fastest_x", json_real(scaling->points[scaling->fastest].x)});
}

static json_t *next_object(const struct scaling *scaling)
{
    if (!scaling->has_next)
        return json_null();
    return JSON_OBJECT(
        {"x", json_real(scaling->next_x)}, {"time_ns", json_number(scaling->next_ns)},
        {"efficiency", json_number(scaling->next_efficiency)},
        {"unfitted_share", json_number(scaling->next_unfitted_share)},
        {"leader_now", index_or_null(scaling->leader)},
        {"leader", index_or_null(scaling->next_leader)}, {"riser", index_or_null(scaling->riser)},
        {"riser_overtakes_at", json_number(scaling->riser_overtakes_x)});
}

static json_t *finding_object(const void *of, size_t i)
{
    const struct scaling_finding *finding = &((const struct scaling_series *)of)->findings[i];
    bool is_critical = finding->holds && finding->severity >= finding->threshold;
    return JSON_OBJECT(
        {"id", json_text(finding->id)},
        {"of", json_text(*finding->subject ? finding->subject : "program")},
        {"name", json_text(finding->name)}, {"condition", json_text(finding->condition)},
        {"is_evaluated", json_boolean(finding->is_evaluated)},
        {"holds", json_boolean(finding->holds)}, {"severity", json_real(finding->severity)},
        {"confidence", json_real(finding->confidence)}, {"is_critical", json_boolean(is_critical)});
}

static json_t *trial_object(const void *of, size_t i)
{
    const struct scaling_trial *trial = &((const struct scaling *)of)->trials[i];
    return JSON_OBJECT({"trial", json_text(trial->name)}, {"x", json_real(trial->x)});
}

static json_t *series_object(const void *of, size_t i)
{
    const struct scaling_page *page = of;
    const struct scaling_series *series = &page->series[i];
    const struct scaling *scaling = series->scaling;
    char *conclusion = scaling_conclusion(page, series);
    json_t *object = JSON_OBJECT(
        {"name", json_text(series->name)}, {"kind", json_string(scaling_kind_names[scaling->kind])},
        {"kind_reason", json_text(series->kind_reason)}, {"conclusion", json_text(conclusion)},
        {"trials", json_list(scaling->n_trials, trial_object, scaling)},
        {"points", json_list(scaling->n_points, point_object, scaling)},
        {"breaks", break_object(scaling)},
        {"growth", json_list(scaling->n_parts, part_object, scaling)},
        {"time_fit", fit_object(&scaling->time_growth)}, {"next", next_object(scaling)},
        {"properties",
         page->has_findings ? json_list(series->n_findings, finding_object, series) : NULL});
    free(conclusion);
    return object;
}

int json_print_scaling(const struct scaling_page *page, const char *version, FILE *stream,
                       struct error *err)
{
    json_t *root = JSON_PUT(json_document(version), {"database", json_text_or_null(page->database)},
                            {"by", json_text(page->by)}, {"time", json_string("window")},
                            {"threshold", json_real(page->threshold)},
                            {"series", json_list(page->n_series, series_object, page)});
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
