// SPDX-License-Identifier: BSD-3-Clause
// Formulas of models: their values, and their text.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/model/model_formula.h"

/// x^exponent * log2(x)^log_exponent
static double factor_value(struct model_factor factor, double x)
{
    double value = factor.exponent == 0 ? 1 : pow(x, factor.exponent);
    for (int j = 0; j < factor.log_exponent; j++)
        value *= log2(x);
    return value;
}

double term_value(const struct model_term *term, size_t n_parameters, const double *x)
{
    double value = 1;
    for (size_t i = 0; i < n_parameters; i++)
        value *= factor_value(term->factors[i], x[i]);
    return value;
}

const struct model_piece *model_piece_at(const struct model_formula *formula, const double *x)
{
    bool is_first = formula->n_pieces == 1 || x[formula->break_parameter] <= formula->break_at;
    return &formula->pieces[is_first ? 0 : 1];
}

double model_formula_value(const struct model_formula *formula, size_t n_parameters,
                           const double *x)
{
    const struct model_piece *piece = model_piece_at(formula, x);
    double value = 0;
    for (size_t i = 0; i < piece->n_terms; i++)
        value += piece->terms[i].coefficient * term_value(&piece->terms[i], n_parameters, x);
    return fmax(value, 0);
}

static void factor_text(struct model_factor factor, const char *name, FILE *stream)
{
    double thirds = 3 * factor.exponent;
    if (factor.exponent == 1)
        fprintf(stream, "*%s", name);
    else if (factor.exponent != round(factor.exponent) && fabs(thirds - round(thirds)) < 1e-9)
        fprintf(stream, "*%s^(%.0f/3)", name, thirds);
    else if (factor.exponent != 0)
        fprintf(stream, factor.exponent < 0 ? "*%s^(%.12g)" : "*%s^%.12g", name, factor.exponent);
    if (factor.log_exponent > 0)
        fprintf(stream, "*log2(%s)", name);
    if (factor.log_exponent > 1)
        fprintf(stream, "^%d", factor.log_exponent);
}

static void piece_text(const struct model_piece *piece, const char *const *names,
                       size_t n_parameters, int digits, FILE *stream)
{
    for (size_t i = 0; i < piece->n_terms; i++) {
        const struct model_term *term = &piece->terms[i];
        fprintf(stream, "%s%.*g", i && term->coefficient >= 0 ? "+" : "", digits,
                term->coefficient);
        for (size_t k = 0; k < n_parameters; k++)
            factor_text(term->factors[k], names[k], stream);
    }
    if (piece->n_terms == 0)
        fputs("0", stream);
}

char *model_formula_text(const struct model_formula *formula, const char *const *names,
                         size_t n_parameters, int digits)
{
    char *text;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (formula->n_pieces > 1) {
        fprintf(stream, "%s<=%.*g ? ", names[formula->break_parameter], digits, formula->break_at);
        piece_text(&formula->pieces[0], names, n_parameters, digits, stream);
        fputs(" : ", stream);
    }
    piece_text(&formula->pieces[formula->n_pieces - 1], names, n_parameters, digits, stream);
    fclose(stream);
    return text;
}

char *model_growth_text(const struct model_formula *formula, const char *const *names,
                        size_t n_parameters, const double *from, const double *to)
{
    const struct model_piece *piece = model_piece_at(formula, to);
    const struct model_term *greatest = NULL;
    double most = 0;
    for (size_t i = 0; i < piece->n_terms; i++) {
        const struct model_term *term = &piece->terms[i];
        double change = term->coefficient *
                        (term_value(term, n_parameters, to) - term_value(term, n_parameters, from));
        if (!(fabs(change) > most))
            continue;
        most = fabs(change);
        greatest = term;
    }
    if (!greatest)
        return memory_copy_text("constant");
    char *text;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    for (size_t k = 0; k < n_parameters; k++)
        factor_text(greatest->factors[k], names[k], stream);
    fclose(stream);
    char *without_sign = memory_format("%s%s", greatest->coefficient < 0 ? "1-" : "", text + 1);
    free(text);
    return without_sign;
}

double model_formula_overtakes(const struct model_formula *a, const struct model_formula *b,
                               double from, double to)
{
    enum { N_STEPS = 512, N_HALVINGS = 60 };
    double low, high = from, factor = pow(to / from, 1.0 / N_STEPS);
    size_t step = 0;
    bool is_above = false;
    do {
        low = high;
        high *= factor;
        is_above = model_formula_value(a, 1, &high) > model_formula_value(b, 1, &high);
    } while (!is_above && ++step < N_STEPS);
    for (int i = 0; i < N_HALVINGS && is_above; i++) {
        double middle = low + (high - low) / 2;
        if (model_formula_value(a, 1, &middle) > model_formula_value(b, 1, &middle))
            high = middle;
        else
            low = middle;
    }
    return is_above ? high : INFINITY;
}
