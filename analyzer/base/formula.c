// SPDX-License-Identifier: BSD-3-Clause
// Formulas by muParser's C interface; the only file that includes it.
#include "analyzer/base/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <muParserDLL.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

struct formula {
    muParserHandle_t parser;
    double value; // with these values:
    size_t n;
    double values[];
};

static const char *const functions[] = {
    "sin", "cos", "tan",  "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log2",  "log10",
    "log", "ln",  "sqrt", "sign", "rint", "abs",  "min",  "max",  "sum",  "avg", "round", "trunc"};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

// muParser has no `!`, and its C interface gives prefix operators the lowest precedence. So `!a` is
// handed over as `0 ! a`, a binary operator.
enum { NEGATION_PRECEDENCE = 8 }; // above all others

static double negate(double zero, double value)
{
    (void)zero;
    return value == 0;
}

static bool is_negation(const char *at)
{
    return at[0] == '!' && at[1] != '=';
}

/// TEXT with a 0 before each `!`; to be freed.
static char *with_zeros(const char *text)
{
    char *copy = memory_new(2 * strlen(text) + 1), *to = copy;
    for (; *text; text++) {
        if (is_negation(text))
            *to++ = '0';
        *to++ = *text;
    }
    *to = '\0';
    return copy;
}

/// The place in TEXT that is at PLACE of with_zeros().
static int place_in(const char *text, int place)
{
    int at = 0;
    for (int with = 0; text[at]; at++, with++) {
        with += is_negation(text + at);
        if (with >= place)
            break;
    }
    return at;
}

void formula_free(struct formula *formula)
{
    if (!formula)
        return;
    mupRelease(formula->parser);
    free(formula);
}

static void name_variables(const char *text, const char *token, int place, const char *const *names,
                           size_t n, struct error *err)
{
    SCOPED char *list = spelling_list(names, n);
    error_set(err, "formula `%s`: unknown name %s at %d; its variables are %s", text, token,
              place + 1, list);
}

/// Why the parser refuses TEXT.
static void explain(struct formula *formula, const char *text, const char *const *names, size_t n,
                    const struct formula_function *added, size_t n_added, struct error *err)
{
    SCOPED char *token = memory_copy_text(mupGetErrorToken(formula->parser));
    int place = place_in(text, mupGetErrorPos(formula->parser));
    size_t n_known = n + N_FUNCTIONS + n_added;
    SCOPED const char **known = memory_zeroed(n_known, sizeof *known);
    for (size_t i = 0; i < n; i++)
        known[i] = names[i];
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        known[n + i] = functions[i];
    for (size_t i = 0; i < n_added; i++)
        known[n + N_FUNCTIONS + i] = added[i].name;
    size_t length = strcspn(token, " ()+-*/^,<>=!&|?:");
    token[length] = '\0';
    const char *nearest = length > 0 ? spelling_nearest(token, known, n_known) : NULL;
    if (nearest && strcmp(nearest, token) != 0)
        error_set(err, "formula `%s`: unknown name %s at %d; is it %s?", text, token, place + 1,
                  nearest);
    else if (!nearest && isalpha((unsigned char)token[0]))
        name_variables(text, token, place, names, n, err);
    else if (length > 0)
        error_set(err, "formula `%s`: cannot be understood at %d, `%s`", text, place + 1, token);
    else
        error_set(err, "formula `%s`: it ends too early or lacks something", text);
}

/// muParser's = sets a variable, which is never meant. 0, or -1 and ERR.
static int refuse_assignment(const char *text, const char *shown, struct error *err)
{
    for (const char *at = text; *at; at++) {
        if (strchr("!<>=", *at) && at[1] == '=')
            at++;
        else if (*at == '=')
            return error_set(err, "formula `%s`: = at %d has no meaning, write ==", shown,
                             (int)(at - text) + 1);
    }
    return 0;
}

static struct formula *read(const char *text, const char *shown, const char *const *names, size_t n,
                            const struct formula_function *added, size_t n_added, struct error *err)
{
    if (refuse_assignment(text, shown, err))
        return NULL;
    struct formula *formula = memory_zeroed(1, sizeof *formula + n * sizeof *formula->values);
    formula->parser = mupCreate(muBASETYPE_FLOAT);
    formula->n = n;
    mupDefineOprt(formula->parser, "!", negate, NEGATION_PRECEDENCE, muOPRT_ASCT_RIGHT, 0);
    for (size_t i = 0; i < n; i++) {
        formula->values[i] = 1;
        mupDefineVar(formula->parser, names[i], &formula->values[i]);
    }
    for (size_t i = 0; i < n_added; i++) {
        if (added[i].of_one)
            mupDefineFunUserData1(formula->parser, added[i].name, added[i].of_one, added[i].context,
                                  0);
        else
            mupDefineFunUserData2(formula->parser, added[i].name, added[i].of_two, added[i].context,
                                  0);
    }
    SCOPED char *written = with_zeros(text);
    mupSetExpr(formula->parser, written);
    formula->value = mupEval(formula->parser);
    if (!mupError(formula->parser))
        return formula;
    explain(formula, shown, names, n, added, n_added, err);
    formula_free(formula);
    return NULL;
}

struct formula *formula_new(const char *text, const char *const *names, size_t n, struct error *err)
{
    return read(text, text, names, n, NULL, 0, err);
}

struct formula *formula_new_shown(const char *text, const char *shown, const char *const *names,
                                  size_t n, struct error *err)
{
    return read(text, shown, names, n, NULL, 0, err);
}

struct formula *formula_new_with(const char *text, const char *const *names, size_t n,
                                 const struct formula_function *added, size_t n_added,
                                 struct error *err)
{
    return read(text, text, names, n, added, n_added, err);
}

double formula_value(struct formula *formula, const double *values)
{
    // Mostly it is asked for with the same values again.
    if (memcmp(formula->values, values, formula->n * sizeof *values) == 0)
        return formula->value;
    memcpy(formula->values, values, formula->n * sizeof *values);
    formula->value = mupEval(formula->parser);
    return formula->value;
}

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool formula_uses(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; *at; at++) {
        bool begins = is_name_byte(*at) && (at == text || !is_name_byte(at[-1]));
        if (begins && strncmp(at, name, length) == 0 && !is_name_byte(at[length]))
            return true;
    }
    return false;
}

// ---- comparisons: the first operator ends the name

static const char *const signs[] = {
    [RELATION_NONE] = "",       [RELATION_EQUAL] = "==",   [RELATION_UNEQUAL] = "!=",
    [RELATION_LESS] = "<",      [RELATION_AT_MOST] = "<=", [RELATION_MORE] = ">",
    [RELATION_AT_LEAST] = ">=",
};
enum { N_SIGNS = sizeof signs / sizeof signs[0] };

const char *relation_sign(enum relation relation)
{
    return signs[relation];
}

bool relation_holds(enum relation relation, int order)
{
    const bool truth[] = {
        [RELATION_NONE] = false,
        [RELATION_EQUAL] = order == 0,
        [RELATION_UNEQUAL] = order != 0,
        [RELATION_LESS] = order<0, [RELATION_AT_MOST] = order <= 0, [RELATION_MORE] = order> 0,
        [RELATION_AT_LEAST] = order >= 0,
    };
    return truth[relation];
}

/// The operator at the begin of TEXT, the longest that fits; RELATION_NONE for none.
static enum relation relation_at(const char *text)
{
    enum relation found = RELATION_NONE;
    for (size_t i = 1; i < N_SIGNS; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0 &&
            strlen(signs[i]) > strlen(signs[found]))
            found = (enum relation)i;
    return found;
}

int comparison_read(char *text, struct comparison *comparison, struct error *err)
{
    char *at = text + strcspn(text, "!<=>");
    enum relation relation = relation_at(at);
    size_t length = strlen(signs[relation]);
    if (*at && (relation == RELATION_NONE || strchr("<=>", at[length] ? at[length] : ' ')))
        return error_set(err, "`%s`: `%.*s` is not an operator; there are == != < <= > >=", text,
                         (int)strspn(at, "!<=>"), at);
    char *value = at + length;
    if (at == text || strspn(text, " \t") >= (size_t)(at - text))
        return error_set(err, "`%s`: a name is missing", text);
    if (relation != RELATION_NONE && value[strspn(value, " \t")] == '\0')
        return error_set(err, "`%s`: a value is missing after %s", text, signs[relation]);
    *at = '\0';
    *comparison = (struct comparison){text_trim(text), text_trim(value), relation};
    return 0;
}

char *comparison_next(char **rest)
{
    char *part = *rest, *end = part ? strstr(part, "&&") : NULL;
    if (end)
        *end = '\0';
    *rest = end ? end + 2 : NULL;
    return part;
}
