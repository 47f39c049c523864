// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/model/search.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"

bool least_squares_solve(const double *x, const double *y, size_t n, size_t n_columns,
                         double *coefficients)
{
    if (n < n_columns)
        return false;
    gsl_matrix_const_view rows = gsl_matrix_const_view_array(x, n, n_columns);
    gsl_vector_const_view values = gsl_vector_const_view_array(y, n);
    gsl_vector *solution = gsl_vector_alloc(n_columns);
    gsl_matrix *covariance = gsl_matrix_alloc(n_columns, n_columns);
    gsl_multifit_linear_workspace *workspace = gsl_multifit_linear_alloc(n, n_columns);
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    double sum;
    bool is_solved = gsl_multifit_linear(&rows.matrix, &values.vector, solution, covariance, &sum,
                                         workspace) == GSL_SUCCESS;
    for (size_t k = 0; k < n_columns && is_solved; k++)
        coefficients[k] = gsl_vector_get(solution, k);
    gsl_set_error_handler(handler);
    gsl_multifit_linear_free(workspace);
    gsl_matrix_free(covariance);
    gsl_vector_free(solution);
    return is_solved;
}

void side_reserve(struct side *side, size_t n_columns, size_t n_points)
{
    side->values = array_reserve(side->values, &side->values_capacity, n_columns * n_points,
                                 sizeof *side->values);
    if (n_columns > side->columns_capacity) {
        side->columns_capacity = 2 * n_columns;
        double **arrays[] = {&side->scales, &side->own, &side->with_one, &side->with_y};
        for (size_t i = 0; i < 4; i++)
            *arrays[i] = memory_resize(*arrays[i], side->columns_capacity, sizeof(double));
    }
}

void side_finish(struct side *side, size_t i, const struct model_points *points,
                 const double *weights, const size_t *order)
{
    double *values = side->values + i * side->n_points, greatest = 0;
    for (size_t j = 0; j < side->n_points; j++)
        greatest = fmax(greatest, fabs(values[j]));
    double scale = greatest > 0 && isfinite(greatest) ? greatest : 1;
    side->scales[i] = scale;
    side->own[i] = side->with_one[i] = side->with_y[i] = 0;
    for (size_t j = 0; j < side->n_points; j++) {
        values[j] /= scale;
        side->own[i] += values[j] * values[j];
        side->with_one[i] += values[j] * side->values[j];
        side->with_y[i] += values[j] * points->y[order[j]] * weights[order[j]];
    }
}

void side_negate(struct side *side, size_t i)
{
    for (size_t j = 0; j < side->n_points; j++)
        side->values[i * side->n_points + j] *= -1;
    side->scales[i] *= -1;
    side->with_one[i] *= -1;
    side->with_y[i] *= -1;
}

void side_cut(struct side *part, const struct side *whole, const struct model_points *points,
              const double *weights, const size_t *order, size_t begin, size_t n)
{
    side_reserve(part, whole->n_columns, n);
    part->n_points = n;
    part->n_columns = whole->n_columns;
    part->y_squared = 0;
    for (size_t j = 0; j < n; j++) {
        double y = points->y[order[begin + j]] * weights[order[begin + j]];
        part->y_squared += y * y;
    }
    for (size_t i = 0; i < whole->n_columns; i++) {
        memcpy(part->values + i * n, whole->values + i * whole->n_points + begin,
               n * sizeof *part->values);
        side_finish(part, i, points, weights, order + begin);
        part->scales[i] *= whole->scales[i];
    }
}

static double side_product(const struct side *side, size_t a, size_t b)
{
    if (a == 0 || b == 0)
        return side->with_one[a + b];
    const double *left = side->values + a * side->n_points,
                 *right = side->values + b * side->n_points;
    double sum = 0;
    for (size_t j = 0; j < side->n_points; j++)
        sum += left[j] * right[j];
    return sum;
}

bool fit_columns(const struct side *side, const uint16_t *columns, size_t n, double most_squares,
                 struct column_fit *fit)
{
    double factor[MODEL_MAX_TERMS][MODEL_MAX_TERMS] = {{0}}, right[MODEL_MAX_TERMS] = {0};
    double inverse[MODEL_MAX_TERMS][MODEL_MAX_TERMS] = {{0}}; // of L
    double determinant = 1;                                   // of L
    fit->n = n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum =
                i == j ? side->own[columns[i]] : side_product(side, columns[i], columns[j]);
            double whole = sum;
            for (size_t k = 0; k < j; k++)
                sum -= factor[i][k] * factor[j][k];
            if (i == j && !(sum > 1e-11 * whole))
                return false;
            factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
        }
        double sum = side->with_y[columns[i]];
        for (size_t k = 0; k < i; k++)
            sum -= factor[i][k] * right[k];
        right[i] = sum / factor[i][i];
    }
    fit->squares = side->y_squared;
    for (size_t i = n; i-- > 0;) {
        double sum = right[i];
        for (size_t k = i + 1; k < n; k++)
            sum -= factor[k][i] * fit->coefficients[k];
        fit->coefficients[i] = sum / factor[i][i];
        if (!(fit->coefficients[i] > 0))
            return false;
        fit->squares -= right[i] * right[i];
        determinant *= factor[i][i];
    }
    fit->squares = fmax(fit->squares, 1e-15 * (double)side->n_points);
    if (fit->squares > most_squares)
        return false;
    fit->log_determinant = 2 * log(determinant);
    for (size_t i = 0; i < n; i++) {
        inverse[i][i] = 1 / factor[i][i];
        for (size_t j = 0; j < i; j++) {
            double sum = 0;
            for (size_t k = j; k < i; k++)
                sum -= factor[i][k] * inverse[k][j];
            inverse[i][j] = sum / factor[i][i];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            fit->inverse[i][j] = 0;
            for (size_t k = i > j ? i : j; k < n; k++)
                fit->inverse[i][j] += inverse[k][i] * inverse[k][j];
        }
    return true;
}

void side_release(struct side *side)
{
    FREE_ALL(side->values, side->scales, side->own, side->with_one, side->with_y);
}
