// SPDX-License-Identifier: BSD-3-Clause
// Hints: the sentence of a pattern with the facts of one finding put in. {name} stands for a fact;
// a part in [square brackets] is left out when one of its facts is unknown.
#ifndef PAGODA_PATTERN_HINT_H
#define PAGODA_PATTERN_HINT_H

#include "analyzer/base/error.h"

/// The facts a hint may name: X(name). Each is text, ready to be read ("12.3 ms", "3").
#define HINT_FACTS(X)                                                                              \
    X(rank)       /* that waited longest in one instance */                                        \
    X(cause_rank) /* that it waited for */                                                         \
    X(path)       /* call path of that instance */                                                 \
    X(source)     /* file:line of the code to look at */                                           \
    X(wait)       /* length of that instance */                                                    \
    X(time)       /* when it began */                                                              \
    X(total)      /* of all instances */                                                           \
    X(share)      /* of the run time of all ranks */                                               \
    X(count)      /* instances */                                                                  \
    X(ranks)      /* how many ranks waited */

struct hint_facts { // NULL or "" where unknown
#define HINT_FACT(name) const char *name;
    HINT_FACTS(HINT_FACT)
#undef HINT_FACT
};

/// 0, or -1 and ERR when TEMPLATE names an unknown fact or leaves a bracket open.
int hint_check(const char *text_template, struct error *err);

/// The sentence; an unknown fact outside of brackets reads "unknown". The caller frees.
char *hint_text(const char *text_template, const struct hint_facts *facts);

#endif
