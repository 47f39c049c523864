// SPDX-License-Identifier: BSD-3-Clause
// Formulas of models: their values, and their text.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

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

static void piece_text(const struct model_piece *piece, const char *const *names,
                       size_t n_parameters, FILE *stream)
{
    for (size_t i = 0; i < piece->n_terms; i++) {
        const struct model_term *term = &piece->terms[i];
        fprintf(stream, "%s%.10g", i && term->coefficient >= 0 ? "+" : "", term->coefficient);
        for (size_t k = 0; k < n_parameters; k++) {
            struct model_factor factor = term->factors[k];
            if (factor.exponent == 1)
                fprintf(stream, "*%s", names[k]);
            else if (factor.exponent != 0)
                fprintf(stream, factor.exponent < 0 ? "*%s^(%.12g)" : "*%s^%.12g", names[k],
                        factor.exponent);
            if (factor.log_exponent > 0)
                fprintf(stream, "*log2(%s)", names[k]);
            if (factor.log_exponent > 1)
                fprintf(stream, "^%d", factor.log_exponent);
        }
    }
    if (piece->n_terms == 0)
        fputs("0", stream);
}

char *model_formula_text(const struct model_formula *formula, const char *const *names,
                         size_t n_parameters)
{
    char *text;
    size_t size;
    FILE *stream = memory_stream(&text, &size);
    if (formula->n_pieces > 1) {
        fprintf(stream, "%s<=%.10g ? ", names[formula->break_parameter], formula->break_at);
        piece_text(&formula->pieces[0], names, n_parameters, stream);
        fputs(" : ", stream);
    }
    piece_text(&formula->pieces[formula->n_pieces - 1], names, n_parameters, stream);
    fclose(stream);
    return text;
}
