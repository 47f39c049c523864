// SPDX-License-Identifier: BSD-3-Clause
// A property is asked once for a series, or once for each wait state; its severities are read trial
// by trial, in the order of the parameter.
#include "analyzer/compare/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/sweep/property.h"
#include "db/query/figures.h"

/// Severities against the smallest run of the series: losses of its efficiencies.
static const char *const series_severities[] = {"computation-loss", "efficiency-loss", NULL};

struct finding {
    struct database *database;
    const struct catalogue *patterns;
    struct property_catalogue *properties;
    struct scaling_series *series;
    const struct scaling_trial **trials; // its trials by the parameter
    struct error *err;
};

static double loss_at(const struct scaling *scaling, double x, bool is_computation)
{
    for (size_t i = 0; i < scaling->n_points; i++) {
        const struct scaling_point *point = &scaling->points[i];
        double kept = is_computation ? point->factors[FACTOR_COMPUTATION] : point->efficiency;
        if (point->x <= x && point->x >= x)
            return isnan(kept) ? NAN : fmin(fmax(1 - kept, 0), 1);
    }
    return NAN;
}

/// The severity that ABOUT is about in a trial, and how sure that is. 0, or -1 and ERR.
static int severity_in(const struct finding *finding, const struct sweep_series *about,
                       const struct scaling_trial *trial, double *severity, double *sure)
{
    bool is_computation = strcmp(about->property, series_severities[0]) == 0;
    bool is_loss = is_computation || strcmp(about->property, series_severities[1]) == 0;
    if (about->region) // a loss against the smallest run has none
        *severity = region_severity_read(finding->database, trial->id, about->property,
                                         about->region, NULL);
    else if (is_loss)
        *severity = loss_at(finding->series->scaling, trial->x, is_computation);
    else
        return trial_severity_read(finding->database, trial->id, about->property, severity, sure,
                                   finding->err);
    *sure = isnan(*severity) ? 0 : 1;
    return 0;
}

/// Notes the severities that QUESTION asks for, of all trials; *CONFIDENCE is the least of them.
static int note_severities(const struct finding *finding, struct property_question *question,
                           double *confidence)
{
    *confidence = 1;
    for (size_t i = 0; i < question->checkpoints.n_series; i++) {
        for (size_t j = 0; j < finding->series->scaling->n_trials; j++) {
            const struct scaling_trial *trial = finding->trials[j];
            double severity, sure;
            if (severity_in(finding, &question->checkpoints.series[i], trial, &severity, &sure))
                return -1;
            sweep_checkpoints_note_at(&question->checkpoints, i, trial->x, severity);
            *confidence = fmin(*confidence, sure);
        }
    }
    return 0;
}

static int evaluate(struct finding *finding, const struct experiment_property *property,
                    const char *subject)
{
    struct scaling_series *series = finding->series;
    struct property_question question;
    double confidence = 0;
    if (property_ask(property, subject, &question, finding->err))
        return -1;
    int status = 0;
    for (size_t i = 0; i < question.checkpoints.n_series && status == 0; i++) {
        const struct sweep_series *about = &question.checkpoints.series[i];
        if (strcmp(about->property, subject) != 0) // which is a wait state of the store
            status = severity_name_check(finding->patterns, series_severities, about->property,
                                         property->id, finding->err);
        if (status == 0 && about->region)
            status = region_severity_check(about->property, about->region, series_severities,
                                           property->id, finding->err);
    }
    if (status == 0)
        status = note_severities(finding, &question, &confidence);
    if (status == 0) {
        double severity = sweep_checkpoints_value(&question.checkpoints, &question.severity);
        bool holds = sweep_checkpoints_reached(&question.checkpoints) != NULL;
        *ARRAY_EXTEND(series->findings, series->n_findings) = (struct scaling_finding){
            .id = property->id,
            .subject = property->is_each ? subject : "",
            .name = property->name,
            .summary = property->summary,
            .diagnosis = property->diagnosis,
            .condition = property->condition,
            .is_evaluated = !isnan(severity) && confidence > 0,
            .holds = holds,
            .severity = holds ? fmin(fmax(severity, 0), 1) : 0,
            .confidence = confidence,
            .threshold = property->threshold,
        };
    }
    property_question_release(&question);
    return status;
}

/// Wait states that some trial of the series has.
static int evaluate_each(struct finding *finding, const struct experiment_property *property)
{
    const struct scaling *scaling = finding->series->scaling;
    int status = 0;
    for (size_t i = 0; i < scaling->n_parts && status == 0; i++)
        if (*scaling->parts[i].wait_state)
            status = evaluate(finding, property, scaling->parts[i].wait_state);
    return status;
}

static int evaluate_all(struct finding *finding)
{
    struct scaling_series *series = finding->series;
    size_t n_trials = series->scaling->n_trials;
    finding->trials = memory_new(n_trials * sizeof *finding->trials);
    for (size_t i = 0; i < n_trials; i++)
        finding->trials[i] = &series->scaling->trials[i];
    SORT_POINTERS_BY(finding->trials, n_trials, LEAST(x));
    int status = 0;
    for (size_t i = 0; i < finding->properties->n && status == 0; i++) {
        const struct experiment_property *property = &finding->properties->items[i];
        status =
            property->is_each ? evaluate_each(finding, property) : evaluate(finding, property, "");
    }
    free(finding->trials);
    SORT_BY(series->findings, series->n_findings, MOST(severity), LEAST(id), LEAST(subject));
    return status;
}

int scaling_properties_find(struct database *database, const struct option_list *files,
                            struct scaling_page *page, struct error *err)
{
    struct finding finding = {.database = database, .err = err};
    finding.properties = page->properties = memory_zeroed(1, sizeof *page->properties);
    SCOPED char *directory = data_folder(err);
    if (!directory)
        return -1;
    SCOPED char *folder = memory_format("%s/experiments", directory);
    struct catalogue *patterns = catalogue_load(directory, NULL, 0, err);
    int status = patterns ? property_folder_read(finding.properties, folder, err) : -1;
    for (size_t i = 0; i < files->count && status == 0; i++)
        status = property_file_read(finding.properties, files->values[i], err);
    finding.patterns = patterns;
    for (size_t i = 0; i < page->n_series && status == 0; i++) {
        finding.series = &page->series[i];
        status = evaluate_all(&finding);
    }
    page->has_findings = true;
    catalogue_free(patterns);
    return status;
}
