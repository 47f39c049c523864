// SPDX-License-Identifier: BSD-3-Clause
// Conditions on what has a name but no number of its own, such as parameters of stored runs or tags
// of messages: NAME OPERATOR VALUE, joined by &&, in the syntax of pagoda-conditions(7). What NAME
// and VALUE mean is for the caller.
#ifndef PAGODA_BASE_COMPARISON_H
#define PAGODA_BASE_COMPARISON_H

#include "analyzer/base/error.h"

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

/// Reads TEXT, which is changed and holds the parts of COMPARISON. 0, or -1 and ERR: no name, no
/// value behind an operator, or an operator that there is not.
int comparison_read(char *text, struct comparison *comparison, struct error *err);

/// Cuts what stands before the next && off *REST, which is changed and NULL at the end.
char *comparison_next(char **rest);

#endif
