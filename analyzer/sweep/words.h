// SPDX-License-Identifier: BSD-3-Clause
// A command line in a file, as words.
#ifndef PAGODA_SWEEP_WORDS_H
#define PAGODA_SWEEP_WORDS_H

#include "analyzer/base/error.h"

/// The words of TEXT, up to NULL, by the shell's rules of quoting ('...', "...", \c) and nothing
/// else of it: no variables, no wildcards. NULL and ERR: no word, or a quote that does not end. The
/// caller frees each word and the array.
char **sweep_words(const char *text, struct error *err);

#endif
