// SPDX-License-Identifier: BSD-3-Clause
// Formulas and conditions in a few variables, such as 2.0e-6*log2(p) or n * size > 4096: read once,
// computed often. Operators, functions (sqrt, log2, log10, ln, exp, min, max, abs, ...) and
// constants are those of muParser, and `!` (pagoda-conditions(7)); numbers do not depend on the
// locale.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

enum { FORMULA_MAX_VARIABLES = 8 }; // where users name them

struct formula;

/// Reads TEXT, a formula in the N variables NAMES, and computes it once with all of them 1. NULL
/// and ERR with the place and, of an unknown name, the nearest known one. The caller frees.
struct formula *formula_new(const char *text, const char *const *names, size_t n,
                            struct error *err);
/// The same where errors are to quote SHOWN, which differs from TEXT but has the same places.
struct formula *formula_new_shown(const char *text, const char *shown, const char *const *names,
                                  size_t n, struct error *err);
void formula_free(struct formula *formula);

/// A function that a caller adds to those of muParser: of one argument, or of two.
struct formula_function {
    const char *name;
    double (*of_one)(void *context, double a); // NULL: OF_TWO
    double (*of_two)(void *context, double a, double b);
    void *context; // not NULL
};
/// As formula_new(), with N_FUNCTIONS more functions, which must outlive the formula.
struct formula *formula_new_with(const char *text, const char *const *names, size_t n,
                                 const struct formula_function *functions, size_t n_functions,
                                 struct error *err);

/// Whether the formula TEXT uses the variable NAME.
bool formula_uses(const char *text, const char *name);

/// The value with these values of the variables, in the order of the names; may be no number.
double formula_value(struct formula *formula, const double *values);

// Conditions on what has a name but no number of its own, such as parameters of stored runs or tags
// of messages: NAME OPERATOR VALUE, joined by &&. What NAME and VALUE mean is for the caller.

enum relation {
    RELATION_NONE, // NAME alone
    RELATION_EQUAL,
    RELATION_UNEQUAL,
    RELATION_LESS,
    RELATION_AT_MOST,
    RELATION_MORE,
    RELATION_AT_LEAST,
};

struct comparison {
    char *name, *value; // without white space at their ends; value "" for a name alone
    enum relation relation;
};

/// "==", "<=", ...; "" for RELATION_NONE. SQL has the same signs.
const char *relation_sign(enum relation relation);

/// Whether RELATION is that of a value to another one: ORDER is below 0 where it is less, 0 where
/// they are equal, above 0 where it is more. RELATION_NONE is that of none.
bool relation_holds(enum relation relation, int order);

/// Reads TEXT, which is changed and holds the parts of COMPARISON. 0, or -1 and ERR: no name, no
/// value after an operator, or an unknown operator.
int comparison_read(char *text, struct comparison *comparison, struct error *err);

/// Cuts what stands before the next && off *REST, which is changed and NULL at the end.
char *comparison_next(char **rest);
