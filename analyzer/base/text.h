// SPDX-License-Identifier: BSD-3-Clause
// Texts: UTF-8, white space, words for the shell, and "did you mean ...?".
//
// Names in archives may be any bytes. They become valid UTF-8 without control characters when they
// enter a result, so terminals, JSON and databases can take them as they are.
#ifndef PAGODA_BASE_TEXT_H
#define PAGODA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

/// Length of the well-formed sequence at TEXT (not at its end), 0 when there is none.
size_t utf8_sequence(const char *text);

/// True when the sequence of LENGTH bytes at TEXT is a control character: C0, DEL, or C1 (U+0080 to
/// U+009F), which some terminals obey too.
bool utf8_is_control(const char *text, size_t length);

/// A copy of TEXT (NULL counts as ""): control characters become '?', bytes that are no UTF-8
/// become U+FFFD. The caller frees.
char *utf8_clean(const char *text);

/// Columns TEXT takes on a terminal, counted as one per code point (combining marks as none would
/// need the locale). TEXT is valid UTF-8.
size_t utf8_width(const char *text);

/// Bytes of the longest beginning of TEXT that takes at most WIDTH columns.
size_t utf8_prefix(const char *text, size_t width);

/// TEXT as one word of the shell: as it is if that will do, else in quotes. The caller frees.
char *shell_word(const char *text);

/// The same for a path, with ./ in front if it begins with -, so that no command takes it for an
/// option.
char *shell_path(const char *path);

/// The nearest of COUNT candidates to WORD by edit distance with transpositions (optimal string
/// alignment), NULL when none is near enough to be a slip (a third of the letters, one to three)
/// and WORD is no beginning of a single candidate. The first one wins a tie.
const char *spelling_nearest(const char *word, const char *const *candidates, size_t count);

/// "a, b, c": the N words; the caller frees.
char *spelling_list(const char *const *words, size_t n);

/// "; there are a, b, c, d, ...": the first of N words, each with BEFORE in front of it, for where
/// none is near; "" without words. The caller frees.
char *spelling_some(const char *before, const char *const *words, size_t n);

/// Copies and frees words up to NULL, all of the heap.
char **words_copy(char *const *words);
void words_free(char **words);

/// Appends to *TEXT, of the heap or NULL, as printf does.
void text_append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// TEXT without white space at its ends; it is changed.
char *text_trim(char *text);

/// TEXT with runs of white space made one space and none at the ends; with KEEP_PARAGRAPHS an empty
/// line stays one. The caller frees.
char *text_single_spaced(const char *text, bool keep_paragraphs);

/// Whether ID is lower-case words joined by single hyphens, 64 bytes at most.
bool text_is_id(const char *id);

/// The text of a file, 16 MiB at most; the caller frees. NULL and ERR: unreadable, too large, or no
/// text.
char *text_of_file(const char *path, struct error *err);

#endif
