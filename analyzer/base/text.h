// SPDX-License-Identifier: BSD-3-Clause
// Texts: UTF-8, white space, words for the shell, "did you mean ...?", paragraphs, numbers.
//
// Names in archives may be any bytes. They become valid UTF-8 without control characters when they
// enter a result, so terminals, JSON and databases can take them as they are.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/// TEXT, valid UTF-8, in at most COLUMNS columns, 10 at least: where it takes more, "..." stands
/// for its middle. Of names and call paths the beginning and the end tell most. The caller frees.
char *utf8_shortened(const char *text, size_t columns);

/// How many columns reports and messages use for a name, for a cell of a table, and for a
/// paragraph at most. JSON has all.
enum { NAME_COLUMNS = 100, CELL_COLUMNS = 300, PARAGRAPH_COLUMNS = 4000 };

/// TEXT as one word of the shell: as it is if that will do, else in quotes. The caller frees.
char *shell_word(const char *text);

/// The same for a path, with ./ in front if it begins with -, so that no command takes it for an
/// option.
char *shell_path(const char *path);

/// What follows the last slash of PATH; all of it where there is none, or nothing follows it.
const char *path_base_name(const char *path);

/// The folder that PATH is in. The caller frees.
char *path_folder(const char *path);

/// Whether PATH is a folder that can be looked up.
bool path_is_folder(const char *path);

/// Whether TEXT ends in ENDING, after at least a byte more.
bool text_ends_in(const char *text, const char *ending);

/// For qsort() and bsearch(): texts, or structs that begin with one, by strcmp().
int text_compare(const void *a, const void *b);

/// The nearest of COUNT candidates to WORD by edit distance with transpositions (optimal string
/// alignment), NULL when none is near enough to be a slip (a third of the letters, one to three)
/// and WORD is no beginning of a single candidate. The first one wins a tie.
const char *spelling_nearest(const char *word, const char *const *candidates, size_t count);

struct spelling_hint {
    char text[1024]; // as a message may be long
};
/// For the end of a message: FORMAT, in which %s is the nearest of the candidates (as in "; did you
/// mean %s?"), or OTHERWISE where none is near.
struct spelling_hint spelling_hint(const char *word, const char *const *candidates, size_t count,
                                   const char *format, const char *otherwise);

/// "a, b, c": the N words; the caller frees.
char *spelling_list(const char *const *words, size_t n);

/// "; there are a, b, c, d, ...": the first of N words, each with BEFORE in front of it, for where
/// none is near; "" without words. The caller frees.
char *spelling_some(const char *before, const char *const *words, size_t n);

/// Words up to NULL, all of the heap. The first adds a copy of WORD to *WORDS, which may be NULL.
void words_add(char ***words, const char *word);
size_t words_count(char *const *words);
char **words_copy(char *const *words);
void words_free(char **words);
static inline void words_leave(char ***words) // for SCOPED_BY()
{
    words_free(*words);
}

/// Appends to *TEXT, of the heap or NULL, as printf does.
void text_append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// TEXT without white space at its ends; it is changed.
char *text_trim(char *text);

/// TEXT with runs of white space made one space and none at the ends; with KEEP_PARAGRAPHS an empty
/// line stays one. The caller frees.
char *text_single_spaced(const char *text, bool keep_paragraphs);

/// Whether ID is lower-case words joined by single hyphens, 64 bytes at most.
bool text_is_id(const char *id);

/// The text of a file, 16 MiB at most; the caller frees. NULL and *WHY in words: unreadable, too
/// large, or no text.
char *text_of_file(const char *path, const char **why);

/// Prints the words of TEXT between columns INDENT and WIDTH; the first line begins at column
/// COLUMN, where the cursor is.
void print_paragraph(const char *text, size_t column, size_t indent, size_t width, FILE *stream);

// Numbers as texts: for people, with units, and exact ones for machines.

/// A short text returned by value, so that several fit in one printf.
struct quantity {
    char text[40];
};

/// As printf writes it.
struct quantity quantity_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// A whole number, and the same of an index: "-" for UINT32_MAX.
struct quantity quantity_number(uint64_t number);
struct quantity quantity_index(uint32_t index);

/// A unit for a column of durations.
struct time_unit {
    const char *name;
    double ns;
    int decimals;
};

/// The unit in which a run of RUN_NS reads well: seconds from 10 s on, else ms, below 1 ms us.
struct time_unit time_unit_for(uint64_t run_ns);

/// TIME_NS in UNIT, without its name: "12.345".
struct quantity quantity_in(int64_t time_ns, struct time_unit unit);

/// TIME_NS with four digits and its own unit: "1.234 s", "12.34 ms", "56 ns".
struct quantity quantity_time(uint64_t time_ns);
/// The same with "-" before what is below 0.
struct quantity quantity_signed_time(int64_t time_ns);
/// The same of a mean, rounded; "-" for NAN.
struct quantity quantity_mean_time(double time_ns);

/// Share of a whole as "12.3 %"; "-" for NAN or a whole of 0; "< 0.1 %" for what rounds to 0.0 %.
struct quantity quantity_share(double share);
struct quantity quantity_part(double part, double whole);

/// SIZE_BYTES with its unit: "512 B", "1.5 MiB".
struct quantity quantity_size(uint64_t size_bytes);

/// COUNT followed by the noun in its number: "1 rank", "4 ranks".
struct quantity quantity_count(uint64_t count, const char *noun);

/// Reads digits with an optional fraction and exponent; returns where they end, TEXT when there are
/// none.
const char *text_read_decimal(const char *text, double *value);

struct exact_number {
    char text[32];
};

/// VALUE with the fewest of 15, 16 or 17 significant digits from which it can be read back exactly;
/// what looks like an integer gets ".0", so that readers do not take it for one. VALUE is finite.
struct exact_number exact_number(double value);
