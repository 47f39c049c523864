// SPDX-License-Identifier: BSD-3-Clause
// Command lines from one table: the rows of a command's table yield the parsing (getopt_long), the
// text of `--help`, the section OPTIONS of the manual page, and the completions of shells.
//
//     struct settings { bool json; uint64_t top; const char *store; struct option_list patterns; };
//     struct settings s = {.top = 10};
//     const struct option_row rows[] = {
//         OPTION_FLAG_ROW("json", 0, &s.json, "print JSON instead of text"),
//         OPTION_COUNT_ROW("top", 0, "N", &s.top, "rows per table", "10"),
//         OPTION_TEXT_ROW("store", 0, "DB", &s.store, "keep the result in this database", NULL),
//         OPTION_LIST_ROW("patterns", 0, "FILE", &s.patterns, "also load these patterns"),
//     };
//     const struct option_usage usage = {.command = "replay", .operands = "TRACE", ...
//         OPTIONS_OF(rows)};
//     int first_operand, status;
//     if (!options_parse(&usage, argc, argv, &first_operand, &status))
//         return status;
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

enum option_type {
    OPTION_FLAG,     // bool *, set to true
    OPTION_TEXT,     // const char **, points into argv
    OPTION_COUNT,    // uint64_t *
    OPTION_NUMBER,   // double *
    OPTION_DURATION, // uint64_t *, nanoseconds: 10us, 1.5ms, 2s; a bare number is seconds
    OPTION_SIZE,     // uint64_t *, bytes: 64KiB, 1.5MB; a bare number is bytes
    OPTION_LIST,     // struct option_list *, may be given several times
};

/// Values of a repeatable option in the order given; they point into argv. options_list_release()
/// frees the array.
struct option_list {
    const char **values;
    size_t count;
    size_t capacity;
};

struct option_row {
    const char *name; // long name without the dashes
    char letter;      // short name, 0 for none
    enum option_type type;
    const char *argument;     // NULL for a flag; words in small letters stand for themselves: a|b
    void *value;              // by type; holds the default already
    const char *help;         // lower case, no full stop; NULL: an option that no text mentions
    const char *default_text; // shown in the help, NULL for none
    const char *manual;       // sentences that only the manual page adds, NULL for none
    uint64_t least;           // of a count
};

/// A row; that ITS_VALUE points to a C_TYPE is what the conditional checks. `.manual = "..."` may
/// follow as a last argument.
#define OPTION_ROW(long_name, short_name, its_type, its_argument, c_type, its_value, its_help,     \
                   its_default, ...)                                                               \
    {                                                                                              \
        .name = long_name, .letter = short_name, .type = its_type, .argument = its_argument,       \
        .value = 1 ? (its_value) : (c_type *)0, .help = its_help, .default_text = its_default,     \
        __VA_ARGS__                                                                                \
    }
#define OPTION_FLAG_ROW(name, letter, value, help, ...)                                            \
    OPTION_ROW(name, letter, OPTION_FLAG, NULL, bool, value, help, NULL, __VA_ARGS__)
#define OPTION_TEXT_ROW(name, letter, argument, value, help, ...)                                  \
    OPTION_ROW(name, letter, OPTION_TEXT, argument, const char *, value, help, __VA_ARGS__)
#define OPTION_COUNT_ROW(name, letter, argument, value, help, ...)                                 \
    OPTION_ROW(name, letter, OPTION_COUNT, argument, uint64_t, value, help, __VA_ARGS__)
#define OPTION_NUMBER_ROW(name, letter, argument, value, help, ...)                                \
    OPTION_ROW(name, letter, OPTION_NUMBER, argument, double, value, help, __VA_ARGS__)
#define OPTION_DURATION_ROW(name, letter, argument, value, help, ...)                              \
    OPTION_ROW(name, letter, OPTION_DURATION, argument, uint64_t, value, help, __VA_ARGS__)
#define OPTION_SIZE_ROW(name, letter, argument, value, help, ...)                                  \
    OPTION_ROW(name, letter, OPTION_SIZE, argument, uint64_t, value, help, __VA_ARGS__)
#define OPTION_LIST_ROW(name, letter, argument, value, help, ...)                                  \
    OPTION_ROW(name, letter, OPTION_LIST, argument, struct option_list, value, help, NULL,         \
               __VA_ARGS__)

/// A group of rows under a heading of its own in `--help`: from the row FIRST to that of the next
/// group. One with a TOPIC is named only; `--help TOPIC` and `--help all` explain its options.
struct option_group {
    const char *first, *heading, *topic;
};

struct option_usage {
    const char *command;  // "replay", or "store list"
    const char *operands; // "TRACE", "DB [TRIAL...] | TRACE...": how many there may be, too; what
                          // comes after -- is for the command to check; "" for none
    const char *summary;  // one sentence without a full stop
    const char *details;  // further paragraphs for --help, ending in a newline; NULL for none
    const struct option_row *rows;
    size_t n_rows;
    const struct option_group *groups; // in the order of the rows; NULL: one group
    size_t n_groups;
    bool stops_at_operand; // what follows the first operand is not ours (trace)
    struct error *said;    // gets what is wrong with the usage; NULL: stderr does
};
#define OPTIONS_OF(array)       .rows = array, .n_rows = sizeof array / sizeof array[0]
#define OPTION_GROUPS_OF(array) .groups = array, .n_groups = sizeof array / sizeof array[0]

/// Parses ARGV (argv[0] is the command's name); no value is empty, and only an OPTION_LIST has
/// several. True: the values are stored and argv[*first_operand] is the first operand. False: the
/// command returns *STATUS - help was printed to stdout, or one sentence about wrong usage to
/// stderr. `-h, --help [TOPIC]` is part of every table.
bool options_parse(const struct option_usage *usage, int argc, char **argv, int *first_operand,
                   int *status);

/// Number of words after the first `--`; -1 without one.
int options_words_after_dashes(int argc, char **argv);

/// What `--help` prints; TOPIC is the word after it, NULL for none. `man` prints the list of
/// options for the manual page. A word that is not a topic is wrong usage, unless it is an option
/// or the command has no topics. The exit status.
int options_print_help(const struct option_usage *usage, const char *topic, FILE *stream);

/// The first of ARGV when a shell asks for completions: the other words are what was typed, the
/// last of them (perhaps empty) is to be completed. options_parse() answers with a line for each
/// candidate, its explanation after a tab, and a line `:files`, `:dirs` or `:commands` where the
/// shell is to complete names itself.
#define OPTIONS_COMPLETE "--complete"

/// One such line if WORD begins with BEGUN.
void options_print_candidate(const char *word, const char *begun, const char *help, FILE *stream);
/// Completes the N words (at least one) of a command line of USAGE.
void options_print_candidates(const struct option_usage *usage, size_t n, char *const *words,
                              FILE *stream);

/// One sentence about wrong usage on stderr, with a pointer to `--help`, or without one where
/// USAGE says that it goes. Returns STATUS_USAGE.
int options_usage_error(const struct option_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void options_list_release(struct option_list *list);
/// Frees the values of all lists of a table; for SCOPED_BY, where the command's function has these.
void options_release(const struct option_usage *usage);
/// Adds N values, which are not copied.
void options_list_append(struct option_list *list, const char *const *values, size_t n);

/// One value of the given unit; 0, or -1 and ERR. Independent of the locale, no sign, no exponent
/// tricks: digits with an optional fraction and a unit (ns us ms s min h; B kB MB GB KiB MiB GiB).
int option_read_count(const char *text, uint64_t *count, struct error *err);
int option_read_number(const char *text, double *number, struct error *err);
int option_read_duration(const char *text, uint64_t *duration_ns, struct error *err);
int option_read_size(const char *text, uint64_t *size_bytes, struct error *err);
/// A number in any notation, or a duration (then in seconds) or a size (in bytes). 0, or -1 and
/// ERR.
int option_read_quantity(const char *text, double *value, struct error *err);
/// The same, and into UNIT "s", "bytes", or NULL for a number without unit.
int option_read_quantity_and_unit(const char *text, double *value, const char **unit,
                                  struct error *err);
