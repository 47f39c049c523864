// SPDX-License-Identifier: BSD-3-Clause
// From trials to points: means of repeated trials, efficiencies, and where efficiency is lost. When
// the parameter doubles the run time and each part follow their formulas (analyzer/model). Parts
// that no formula fits stay as they are.
#include "analyzer/compare/scaling.h"

#include <ctype.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/function_names.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

/// What was added.
struct scaling_value {
    char *name, *wait_state;
    bool is_start_or_end;
    size_t trial;
    double value_ns;
};

const char *const scaling_factor_keys[N_FACTORS] = {
    [FACTOR_PARALLEL] = "parallel_efficiency",
    [FACTOR_LOAD_BALANCE] = "load_balance",
    [FACTOR_CPU] = "cpu_efficiency",
    [FACTOR_COMMUNICATION] = "communication_efficiency",
    [FACTOR_SERIALIZATION] = "serialization_efficiency",
    [FACTOR_TRANSFER] = "transfer_efficiency",
    [FACTOR_COMPUTATION] = "computation_scaling",
    [FACTOR_GLOBAL] = "global_efficiency",
};

const char *const scaling_factor_names[N_FACTORS] = {
    [FACTOR_PARALLEL] = "parallel efficiency",
    [FACTOR_LOAD_BALANCE] = "load balance",
    [FACTOR_CPU] = "CPU time outside MPI",
    [FACTOR_COMMUNICATION] = "communication efficiency",
    [FACTOR_SERIALIZATION] = "serialization efficiency",
    [FACTOR_TRANSFER] = "transfer efficiency",
    [FACTOR_COMPUTATION] = "computation scaling",
    [FACTOR_GLOBAL] = "global efficiency",
};

const char *const scaling_kind_names[] = {
    [SCALING_STRONG] = "strong", [SCALING_WEAK] = "weak", [SCALING_SIZE] = "parameter"};

struct scaling *scaling_new(enum scaling_kind kind, const char *by)
{
    struct scaling *scaling = memory_zeroed(1, sizeof *scaling);
    scaling->kind = kind;
    scaling->by = memory_copy_text(by);
    return scaling;
}

void scaling_free(struct scaling *scaling)
{
    if (!scaling)
        return;
    FREE_MEMBERS(scaling->trials, scaling->n_trials, name);
    FREE_MEMBERS(scaling->values, scaling->n_values, name, wait_state);
    FREE_MEMBERS(scaling->parts, scaling->n_parts, name, shown, wait_state, ns);
    model_table_release(&scaling->models);
    FREE_ALL(scaling->by, scaling->parts, scaling->points, scaling->values, scaling->trials,
             scaling);
}

size_t scaling_add_trial(struct scaling *scaling, const struct scaling_trial *trial)
{
    struct scaling_trial *added =
        ARRAY_NEXT(scaling->trials, scaling->n_trials, scaling->trial_capacity);
    *added = *trial;
    added->name = memory_copy_text(trial->name ? trial->name : "");
    return scaling->n_trials - 1;
}

void scaling_add_part(struct scaling *scaling, size_t trial, const char *name,
                      const char *wait_state, bool is_start_or_end, double value_ns)
{
    *ARRAY_NEXT(scaling->values, scaling->n_values, scaling->value_capacity) =
        (struct scaling_value){.name = memory_copy_text(name),
                               .wait_state = memory_copy_text(wait_state),
                               .is_start_or_end = is_start_or_end,
                               .trial = trial,
                               .value_ns = value_ns};
}

/// The different x in order; to be freed.
static double *different_x(const struct scaling *scaling, size_t *n)
{
    double *x = memory_new((scaling->n_trials + 1) * sizeof *x);
    *n = 0;
    for (size_t i = 0; i < scaling->n_trials; i++)
        x[i] = scaling->trials[i].x;
    if (scaling->n_trials)
        qsort(x, scaling->n_trials, sizeof *x, double_compare);
    for (size_t i = 0; i < scaling->n_trials; i++)
        if (*n == 0 || x[i] > x[*n - 1])
            x[(*n)++] = x[i];
    return x;
}

/// Mean of the numbers among VALUES, NAN when there is none.
static double mean_of(double *values, size_t n)
{
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            values[n_known++] = values[i];
    return n_known ? gsl_stats_mean(values, 1, n_known) : NAN;
}

static struct scaling_point make_point(const struct scaling *scaling, double x)
{
    struct scaling_point point = {.x = x, .time_spread_ns = NAN};
    SCOPED double *values = memory_new((scaling->n_trials + 1) * sizeof *values);
    double *const means[] = {&point.time_ns, &point.useful_ns, &point.n_ranks, &point.no_cpu_share,
                             &point.machine_size};
    for (size_t field = 0; field < N_FACTORS + 5; field++) {
        size_t n = 0;
        for (size_t i = 0; i < scaling->n_trials; i++) {
            const struct scaling_trial *trial = &scaling->trials[i];
            if (trial->x > x || trial->x < x)
                continue;
            point.has_few_cores |= trial->n_cores > 0 && trial->n_ranks > trial->n_cores;
            values[n++] = field < N_FACTORS        ? trial->factors[field]
                          : field == N_FACTORS     ? trial->time_ns
                          : field == N_FACTORS + 1 ? trial->useful_ns
                          : field == N_FACTORS + 2 ? (double)trial->n_ranks
                          : field == N_FACTORS + 3 ? trial->no_cpu_share
                                                   : trial->machine_size;
        }
        point.n_trials = n;
        if (field == N_FACTORS && n > 1)
            point.time_spread_ns = gsl_stats_sd(values, 1, n);
        double mean = mean_of(values, n);
        *(field < N_FACTORS ? &point.factors[field] : means[field - N_FACTORS]) = mean;
    }
    return point;
}

/// Efficiencies against the smallest run: strong, the ranks' time together stays the same; weak,
/// that of each rank does. Where the machine grows otherwise than in ranks, a rank's time holds
/// that much more of it.
static void compare_with_reference(struct scaling *scaling)
{
    const struct scaling_point first = scaling->points[0];
    for (size_t i = 0; i < scaling->n_points; i++) {
        struct scaling_point *point = &scaling->points[i];
        double more_ranks = point->n_ranks / first.n_ranks;
        double more = point->machine_size / first.machine_size;
        point->speedup = first.time_ns / point->time_ns;
        point->efficiency = point->factors[FACTOR_COMPUTATION] = NAN;
        if (scaling->kind == SCALING_STRONG) {
            point->efficiency = point->speedup / more;
            point->factors[FACTOR_COMPUTATION] =
                first.useful_ns / point->useful_ns / (more / more_ranks);
        } else if (scaling->kind == SCALING_WEAK) {
            point->efficiency = point->speedup;
            point->speedup *= more;
            point->factors[FACTOR_COMPUTATION] = first.useful_ns * more_ranks / point->useful_ns;
        }
        point->factors[FACTOR_GLOBAL] =
            point->factors[FACTOR_PARALLEL] * point->factors[FACTOR_COMPUTATION];
    }
}

static bool is_one_part(const struct scaling_value *a, const struct scaling_value *b)
{
    return !strcmp(a->wait_state, b->wait_state) && !strcmp(a->name, b->name);
}

static size_t point_of(const struct scaling *scaling, double x)
{
    size_t point = 0;
    while (point + 1 < scaling->n_points && scaling->points[point].x < x)
        point++;
    return point;
}

static int compare_parts(const void *a, const void *b, void *last)
{
    const struct scaling_part *part_a = a, *part_b = b;
    size_t point = *(const size_t *)last;
    return ORDER_BY(MORE_FIRST(part_a->ns[point], part_b->ns[point]),
                    strcmp(part_a->wait_state, part_b->wait_state),
                    strcmp(part_a->name, part_b->name));
}

const struct model_series *scaling_model(const struct scaling *scaling,
                                         const struct scaling_part *part)
{
    return &scaling->models.series[part->model];
}

/// What MODEL predicts at next_x.
static const struct model_prediction *at_next(const struct model_series *model)
{
    return &model->predictions[model->n_asked];
}

char *scaling_growth(const struct scaling *scaling, const struct model_series *model)
{
    return model_growth_text(&model->model.formula, (const char *const *)scaling->models.parameters,
                             1, &scaling->points[scaling->n_points - 1].x, &scaling->next_x);
}

static void add_row(struct scaling *scaling, size_t series, size_t trial, double value_ns)
{
    model_series_add_row(&scaling->models.series[series], 1, &scaling->trials[trial].x,
                         value_ns / 1e9);
}

/// Adds the rows of PART, whose values begin at FIRST of those added. Returns where they end.
static size_t add_part_rows(struct scaling *scaling, struct scaling_part *part, size_t first)
{
    SCOPED char *name = memory_format("%s\n%s", part->wait_state, part->name);
    size_t i = first;
    part->model = model_table_series(&scaling->models, name);
    for (size_t trial = 0; trial < scaling->n_trials; trial++) {
        uint64_t n_ranks = scaling->trials[trial].n_ranks;
        double ns = 0; // where a trial lacks the part
        for (; i < scaling->n_values && scaling->values[i].trial == trial &&
               is_one_part(&scaling->values[i], &scaling->values[first]);
             i++)
            ns += scaling->values[i].value_ns / (double)(n_ranks ? n_ranks : 1);
        add_row(scaling, part->model, trial, ns);
    }
    return i;
}

/// Gives the values of the run time and of the parts, which are in their order, to the models.
static void give_values(struct scaling *scaling)
{
    struct model_table *models = &scaling->models;
    char *name = memory_copy_text(scaling->by); // cpu_speed for cpu-speed
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '_';
    words_add(&models->parameters, model_parameter_is_name(name) ? name : "x");
    free(name);
    models->n_parameters = 1;
    size_t time = model_table_series(models, "");
    for (size_t i = 0; i < scaling->n_trials; i++)
        add_row(scaling, time, i, scaling->trials[i].time_ns);
    for (size_t part = 0, value = 0; part < scaling->n_parts; part++)
        value = add_part_rows(scaling, &scaling->parts[part], value);
}

/// Asks for the points of a curve from the first x to the next one.
static void ask_for_curve(const struct scaling *scaling, struct model_series *series)
{
    enum { N_CURVE = 33 };
    double first = scaling->points[0].x, ratio = scaling->next_x / first;
    for (int i = 0; i < N_CURVE; i++) {
        double share = (double)i / (N_CURVE - 1);
        double x = first > 0 ? first * pow(ratio, share) : share * scaling->next_x;
        model_series_ask_at(series, 1, &x);
    }
}

/// Fits the models, once the parts are in their order.
static void fit_models(struct scaling *scaling)
{
    enum { N_GREATEST = 6 };
    struct model_series *series = scaling->models.series;
    ask_for_curve(scaling, &series[0]);
    for (size_t i = 0, n = 0; i < scaling->n_parts && n < N_GREATEST; i++) {
        if (scaling->parts[i].is_start_or_end)
            continue;
        ask_for_curve(scaling, &series[scaling->parts[i].model]);
        n++;
    }
    model_table_ask_at(&scaling->models, &scaling->next_x);
    model_table_fit(&scaling->models);
}

static void name_parts(struct scaling *scaling)
{
    SCOPED const char **names = NAMED_NAMES(scaling->parts, scaling->n_parts);
    SCOPED char **shown = function_names_shown(names, scaling->n_parts);
    for (size_t i = 0; i < scaling->n_parts; i++)
        scaling->parts[i].shown = shown[i];
}

static void make_parts(struct scaling *scaling)
{
    size_t capacity = 0, last = scaling->n_points - 1;
    SORT_BY(scaling->values, scaling->n_values, LEAST(wait_state), LEAST(name), LEAST(trial));
    for (size_t i = 0; i < scaling->n_values; i++) {
        const struct scaling_value *value = &scaling->values[i];
        if (i == 0 || !is_one_part(value, value - 1)) {
            *ARRAY_NEXT(scaling->parts, scaling->n_parts, capacity) =
                (struct scaling_part){.name = memory_copy_text(value->name),
                                      .wait_state = memory_copy_text(value->wait_state),
                                      .is_start_or_end = value->is_start_or_end,
                                      .ns = memory_zeroed(scaling->n_points, sizeof(double))};
        }
        const struct scaling_trial *trial = &scaling->trials[value->trial];
        size_t point = point_of(scaling, trial->x);
        scaling->parts[scaling->n_parts - 1].ns[point] +=
            value->value_ns / (double)(trial->n_ranks ? trial->n_ranks : 1) /
            (double)scaling->points[point].n_trials;
    }
    give_values(scaling);
    name_parts(scaling);
    if (scaling->n_parts)
        qsort_r(scaling->parts, scaling->n_parts, sizeof *scaling->parts, compare_parts, &last);
    fit_models(scaling);
}

/// The factor that lost most from the reference to POINT: their logarithms sum to that of the
/// efficiency, so that each has a share of the loss.
static void find_factor(struct scaling *scaling, const struct scaling_point *point)
{
    const struct scaling_point *first = &scaling->points[0];
    bool has_parts = !isnan(point->factors[FACTOR_TRANSFER]) &&
                     !isnan(first->factors[FACTOR_TRANSFER]) &&
                     !isnan(point->factors[FACTOR_SERIALIZATION]);
    double lost = 0, most = 0;
    scaling->why = N_FACTORS;
    for (enum scaling_factor i = FACTOR_LOAD_BALANCE; i < FACTOR_GLOBAL; i++) {
        if (i == (has_parts ? FACTOR_COMMUNICATION : FACTOR_SERIALIZATION) ||
            (!has_parts && i == FACTOR_TRANSFER))
            continue;
        double loss = log(first->factors[i] / point->factors[i]);
        if (!(loss > 0) || !isfinite(loss))
            continue;
        lost += loss;
        if (loss <= most)
            continue;
        most = loss;
        scaling->why = i;
    }
    scaling->why_share = lost > 0 ? most / lost : NAN;
}

/// The part whose cost rose most: time of all ranks for the same work.
static void find_cause(struct scaling *scaling, size_t at)
{
    double more = scaling->points[at].machine_size / scaling->points[0].machine_size;
    double risen = 0, most = 0;
    scaling->cause = SCALING_NONE;
    for (size_t i = 0; i < scaling->n_parts; i++) {
        const struct scaling_part *part = &scaling->parts[i];
        double factor = scaling->kind == SCALING_STRONG ? more : 1;
        double rise = part->ns[at] * factor - part->ns[0];
        if (part->is_start_or_end || !(rise > 0))
            continue;
        risen += rise;
        if (rise <= most)
            continue;
        most = rise;
        scaling->cause = i;
    }
    scaling->cause_share = risen > 0 ? most / risen : NAN;
}

/// Sum of the parts per rank at point AT.
static double sum_of(const struct scaling *scaling, size_t at)
{
    double sum = 0;
    for (size_t i = 0; i < scaling->n_parts; i++)
        sum += scaling->parts[i].is_start_or_end ? 0 : scaling->parts[i].ns[at];
    return sum;
}

static void find_leaders(struct scaling *scaling)
{
    size_t last = scaling->n_points - 1;
    double unfitted_ns = 0;
    for (size_t i = 0; i < scaling->n_parts; i++) {
        struct scaling_part *part = &scaling->parts[i];
        const struct model_series *model = scaling_model(scaling, part);
        bool fits = model_series_fits(model);
        part->next_ns = fits ? 1e9 * at_next(model)->value : part->ns[last];
        if (part->is_start_or_end)
            continue;
        scaling->next_parts_ns += part->next_ns;
        unfitted_ns += fits ? 0 : part->next_ns;
        if (scaling->leader == SCALING_NONE ||
            part->ns[last] > scaling->parts[scaling->leader].ns[last])
            scaling->leader = i;
        if (scaling->next_leader == SCALING_NONE ||
            part->next_ns > scaling->parts[scaling->next_leader].next_ns)
            scaling->next_leader = i;
    }
    if (scaling->next_parts_ns > 0)
        scaling->next_unfitted_share = unfitted_ns / scaling->next_parts_ns;
}

/// The part whose share of the time rises most, and where it comes to be above the present leader.
static void find_riser(struct scaling *scaling)
{
    static const double horizon = 1048576; // times the last x: beyond it nothing is foreseeable
    size_t last = scaling->n_points - 1;
    double most = 0.001; // a tenth of a percent is none
    double now_ns = sum_of(scaling, last);
    for (size_t i = 0; i < scaling->n_parts; i++) {
        const struct scaling_part *part = &scaling->parts[i];
        double rise = part->next_ns / scaling->next_parts_ns - part->ns[last] / now_ns;
        if (part->is_start_or_end || !model_series_fits(scaling_model(scaling, part)) ||
            !(rise > most))
            continue;
        most = rise;
        scaling->riser = i;
    }
    if (scaling->riser == SCALING_NONE || scaling->riser == scaling->leader)
        return;
    const struct model_series *leader = scaling_model(scaling, &scaling->parts[scaling->leader]);
    const struct model_series *riser = scaling_model(scaling, &scaling->parts[scaling->riser]);
    double x = scaling->points[last].x;
    if (model_series_fits(leader))
        scaling->riser_overtakes_x =
            model_formula_overtakes(&riser->model.formula, &leader->model.formula, x, x * horizon);
}

/// Models the run time and the parts, and predicts what is next.
static void look_ahead(struct scaling *scaling)
{
    const struct scaling_point *first = &scaling->points[0];
    const struct scaling_point *last = &scaling->points[scaling->n_points - 1];
    const struct model_series *time = &scaling->models.series[0];
    if (!model_series_fits(time))
        return;
    scaling->has_next = true;
    scaling->next_ns = 1e9 * at_next(time)->value;
    scaling->next_low_ns = 1e9 * at_next(time)->low;
    scaling->next_high_ns = 1e9 * at_next(time)->high;
    find_leaders(scaling);
    find_riser(scaling);
    double ratio = first->time_ns / scaling->next_ns;
    if (scaling->kind == SCALING_STRONG)
        scaling->next_efficiency = ratio * first->machine_size / (2 * last->machine_size);
    else if (scaling->kind == SCALING_WEAK)
        scaling->next_efficiency = ratio;
}

void scaling_compute(struct scaling *scaling, double threshold)
{
    SCOPED double *x = different_x(scaling, &scaling->n_points);
    scaling->points = memory_zeroed(scaling->n_points, sizeof *scaling->points);
    for (size_t i = 0; i < scaling->n_points; i++)
        scaling->points[i] = make_point(scaling, x[i]);
    scaling->leader = scaling->next_leader = scaling->riser = SCALING_NONE;
    scaling->riser_overtakes_x = INFINITY;
    scaling->next_efficiency = NAN;
    scaling->next_x = 2 * x[scaling->n_points - 1];
    compare_with_reference(scaling);
    make_parts(scaling);
    scaling->looked_at = scaling->n_points - 1;
    for (size_t i = scaling->n_points; i-- > 1;) {
        if (!(scaling->points[i].efficiency < threshold))
            continue;
        scaling->is_broken = true;
        scaling->looked_at = i;
    }
    for (size_t i = 1; i < scaling->n_points; i++)
        if (scaling->points[i].time_ns < scaling->points[scaling->fastest].time_ns)
            scaling->fastest = i;
    find_factor(scaling, &scaling->points[scaling->looked_at]);
    find_cause(scaling, scaling->looked_at);
    look_ahead(scaling);
}
