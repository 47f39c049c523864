// SPDX-License-Identifier: BSD-3-Clause
// Candidates are the values that parameters have in the data, for repetitions and gaps in the grid,
// and the target's value, at most a factor of two beyond the data: the next larger run.
#include <math.h>
#include <string.h>

#include "analyzer/model/model.h"
#include "analyzer/model/search.h"

enum { MAX_VALUES = 12 };

static void add_value(double *values, size_t *n, double value)
{
    for (size_t i = 0; i < *n; i++)
        if (!(values[i] < value || values[i] > value))
            return;
    if (*n < MAX_VALUES)
        values[(*n)++] = value;
}

/// The values of the parameter K that candidates have.
static size_t values_of(const struct model *model, const struct model_data *data, size_t k,
                        const double *at, double values[MAX_VALUES])
{
    size_t n = 0;
    add_value(values, &n, model->least[k]);
    add_value(values, &n, model->greatest[k]);
    if (model->greatest[k] > model->least[k])
        add_value(values, &n, fmin(fmax(at[k], model->least[k] / 2), 2 * model->greatest[k]));
    for (size_t i = 0; i < data->n_rows && data->n_parameters <= 2; i++)
        add_value(values, &n, data->x[i * data->n_parameters + k]);
    return n;
}

struct model_next model_measure_next(const struct model *model, const struct model_data *data,
                                     const double *at, const struct model_prediction *prediction)
{
    struct model_next best = {.width = 1};
    double values[MODEL_MAX_PARAMETERS][MAX_VALUES], x[MODEL_MAX_PARAMETERS];
    size_t n[MODEL_MAX_PARAMETERS], n_candidates = 1;
    if (!model->posterior || !(prediction->high > prediction->low * (1 + 1e-3)))
        return best;
    for (size_t k = 0; k < model->n_parameters; k++) {
        n[k] = values_of(model, data, k, at, values[k]);
        n_candidates *= n[k];
    }
    for (size_t i = 0; i < n_candidates; i++) {
        for (size_t k = 0, rest = i; k < model->n_parameters; rest /= n[k++])
            x[k] = values[k][rest % n[k]];
        double width = posterior_width_after(model->posterior, model->n_parameters, at,
                                             prediction->low, prediction->high, x);
        if (!(width < best.width))
            continue;
        best.width = width;
        memcpy(best.x, x, sizeof x);
    }
    return best;
}
