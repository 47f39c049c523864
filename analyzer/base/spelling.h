// SPDX-License-Identifier: BSD-3-Clause
// "Did you mean ...?" for commands, options and names in input files.
#ifndef PAGODA_BASE_SPELLING_H
#define PAGODA_BASE_SPELLING_H

#include <stddef.h>

/// The nearest of COUNT candidates to WORD by edit distance with transpositions (optimal string
/// alignment), NULL when none is near enough to be a slip (a third of the letters, one to three)
/// and WORD is no beginning of a single candidate. The first one wins a tie.
const char *spelling_nearest(const char *word, const char *const *candidates, size_t count);

/// "a, b, c": the N words; the caller frees.
char *spelling_list(const char *const *words, size_t n);

/// "; there are a, b, c, d, ...": the first of N words, each behind BEFORE, for where none is near;
/// "" without words. The caller frees.
char *spelling_some(const char *before, const char *const *words, size_t n);

#endif
