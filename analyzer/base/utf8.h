// SPDX-License-Identifier: BSD-3-Clause
// Names out of archives are bytes somebody else wrote: made valid UTF-8 without control characters
// once, when they enter a result, so that terminals, JSON and databases can take them as they are.
#ifndef PAGODA_BASE_UTF8_H
#define PAGODA_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
