// SPDX-License-Identifier: BSD-3-Clause
// Texts and names as they are written in files of patterns, of our form or another.
#ifndef PAGODA_PATTERN_WORDS_H
#define PAGODA_PATTERN_WORDS_H

#include <stdbool.h>

/// TEXT with runs of white space made one space and none at the ends; with KEEP_PARAGRAPHS an empty
/// line stays one. The caller frees.
char *pattern_text(const char *text, bool keep_paragraphs);

/// Is it lower-case words joined by single hyphens?
bool pattern_id_is_valid(const char *id);

#endif
