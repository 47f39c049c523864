// SPDX-License-Identifier: BSD-3-Clause
// The option table at work: parsing by getopt_long, values with units, wrong usage. The texts made
// of it are in option_help.c.
#include "analyzer/base/options/options.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { ROW_BASE = 256 }; // getopt value of row 0; letters stay below

int options_usage_error(const struct option_usage *usage, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (usage->said)
        error_set(usage->said, "%s", text);
    else
        log_error("%s (`pagoda %s --help` tells more)", text, usage->command);
    return STATUS_USAGE;
}

void options_list_append(struct option_list *list, const char *const *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *ARRAY_NEXT(list->values, list->count, list->capacity) = values[i];
}

void options_list_release(struct option_list *list)
{
    free(list->values);
    *list = (struct option_list){0};
}

void options_release(const struct option_usage *usage)
{
    for (size_t i = 0; i < usage->n_rows; i++)
        if (usage->rows[i].type == OPTION_LIST)
            options_list_release(usage->rows[i].value);
}

static int store_value(const struct option_row *row, const char *text, struct error *err)
{
    if (row->type != OPTION_FLAG && *text == '\0')
        return error_set(err, "its value is empty");
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)row->value = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)row->value = text;
        return 0;
    case OPTION_LIST:
        options_list_append(row->value, &text, 1);
        return 0;
    case OPTION_COUNT:
        if (option_read_count(text, row->value, err) != 0)
            return -1;
        return *(uint64_t *)row->value >= row->least
                   ? 0
                   : error_set(err, "must be at least %" PRIu64, row->least);
    case OPTION_NUMBER:
        return option_read_number(text, row->value, err);
    case OPTION_DURATION:
        return option_read_duration(text, row->value, err);
    case OPTION_SIZE:
        return option_read_size(text, row->value, err);
    }
    return error_set(err, "bug: option --%s has no type", row->name);
}

/// The tables getopt_long wants, made from ours; `letters` begins with ':' (tell missing arguments
/// apart) and '+' where the first operand ends the options.
struct getopt_tables {
    struct option *longs;
    char *letters;
};

static struct getopt_tables getopt_tables_new(const struct option_usage *usage)
{
    struct getopt_tables tables = {
        .longs = memory_zeroed(usage->n_rows + 2, sizeof *tables.longs),
        .letters = memory_new(2 * usage->n_rows + 4),
    };
    char *end = tables.letters;
    if (usage->stops_at_operand)
        *end++ = '+';
    *end++ = ':';
    *end++ = 'h';
    for (size_t i = 0; i < usage->n_rows; i++) {
        const struct option_row *row = &usage->rows[i];
        int has_argument = row->type == OPTION_FLAG ? no_argument : required_argument;
        tables.longs[i] = (struct option){row->name, has_argument, NULL, ROW_BASE + (int)i};
        if (row->letter) {
            *end++ = row->letter;
            if (has_argument == required_argument)
                *end++ = ':';
        }
    }
    *end = '\0';
    tables.longs[usage->n_rows] = (struct option){"help", no_argument, NULL, 'h'};
    return tables;
}

static void getopt_tables_free(struct getopt_tables *tables)
{
    FREE_ALL(tables->longs, tables->letters);
}

static const struct option_row *row_of(const struct option_usage *usage, int value)
{
    if (value >= ROW_BASE && (size_t)(value - ROW_BASE) < usage->n_rows)
        return &usage->rows[value - ROW_BASE];
    for (size_t i = 0; i < usage->n_rows && value; i++)
        if (usage->rows[i].letter == value)
            return &usage->rows[i];
    return NULL;
}

static bool is_same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/// Whether SHORTER is LONGER with letters left out, as DB is of database.
static bool is_abbreviation(const char *shorter, const char *longer)
{
    if (strlen(shorter) < 2 || !is_same_letter(shorter[0], longer[0]))
        return false;
    for (; *shorter; shorter++, longer++) {
        while (*longer && !is_same_letter(*longer, *shorter))
            longer++;
        if (!*longer)
            return false;
    }
    return true;
}

/// The one option that NAME means in other words: by its value, as --db means `--store DB`, or by a
/// word that its name or value is short for, as --database does; of two names of one option the
/// first. NULL: there is none, or several.
static const char *option_in_other_words(const struct option_usage *usage, const char *name)
{
    const struct option_row *found = NULL;
    for (size_t i = 0; i < usage->n_rows; i++) {
        const struct option_row *row = &usage->rows[i];
        if (!is_abbreviation(row->name, name) &&
            !(row->argument && is_abbreviation(row->argument, name)))
            continue;
        if (found && found->value != row->value)
            return NULL;
        found = found ? found : row;
    }
    return found ? found->name : NULL;
}

/// "--patterns, --parameter or --place": the options that begin with NAME, which are *N. The caller
/// frees.
static char *options_beginning(const struct option_usage *usage, const char *name, size_t *n)
{
    char *list = memory_copy_text("");
    *n = 0;
    for (size_t i = usage->n_rows; i-- > 0;) {
        const char *separator = *n == 0 ? "" : *n == 1 ? " or " : ", ";
        if (!usage->rows[i].help || strncmp(usage->rows[i].name, name, strlen(name)) != 0)
            continue;
        char *longer = memory_format("--%s%s%s", usage->rows[i].name, separator, list);
        free(list);
        list = longer;
        ++*n;
    }
    return list;
}

static int unknown_long_option(const struct option_usage *usage, const char *given)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    size_t n_beginning;
    SCOPED char *beginning = options_beginning(usage, name, &n_beginning);
    SCOPED const char **names = memory_zeroed(usage->n_rows + 1, sizeof *names);
    for (size_t i = 0; i < usage->n_rows; i++)
        names[i] = usage->rows[i].name;
    names[usage->n_rows] = "help";
    const char *nearest = spelling_nearest(name, names, usage->n_rows + 1);
    if (!nearest)
        nearest = option_in_other_words(usage, name);
    int status;
    if (n_beginning > 1)
        status = options_usage_error(usage, "--%s can mean %s", name, beginning);
    else if (nearest)
        status = options_usage_error(usage, "there is no option --%s; did you mean --%s?", name,
                                     nearest);
    else
        status = options_usage_error(usage, "there is no option --%s", name);
    return status;
}

static int refused_option(const struct option_usage *usage, const char *given)
{
    const struct option_row *row = row_of(usage, optopt);
    if (row || optopt == 'h') // a flag that was given a value
        return options_usage_error(usage, "--%s takes no value", row ? row->name : "help");
    if (optopt)
        return options_usage_error(usage, "there is no option -%c", optopt);
    return unknown_long_option(usage, given);
}

static int missing_argument(const struct option_usage *usage)
{
    const struct option_row *row = row_of(usage, optopt);
    if (!row)
        return options_usage_error(usage, "an option needs a value");
    return options_usage_error(usage, "--%s needs a value: --%s %s", row->name, row->name,
                               row->argument);
}

/// How many operands a usage line has, by the least and the greatest of its alternatives: words in
/// capitals, which brackets make optional, but not those after an option ("-o DIR", "-- LAUNCHER").
/// "..." stands for any number.
static void count_operands(const char *text, int *least, int *most)
{
    int n_needed = 0, n_possible = 0, depth = 0;
    bool is_after_option = false;
    *least = INT_MAX;
    *most = 0;
    for (const char *at = text, *word = text;; at++) {
        if (*at == '\0' || (*at == '|' && depth == 0)) {
            *least = n_needed < *least ? n_needed : *least;
            *most = n_possible > *most ? n_possible : *most;
            n_needed = n_possible = 0;
        }
        if (*at == '\0')
            break;
        if (at > text && (at[-1] == ' ' || at[-1] == '|')) {
            is_after_option = *word == '-';
            word = at;
        }
        bool begins = at == word && depth == 0 && !is_after_option;
        n_needed += begins && isupper((unsigned char)*at);
        n_possible += begins && (isupper((unsigned char)*at) || *at == '[');
        depth += (*at == '[') - (*at == ']');
    }
    if (strstr(text, "..."))
        *most = INT_MAX;
}

static bool operands_fit(const struct option_usage *usage, int n_operands, char **operands,
                         int *status)
{
    int least, most;
    count_operands(usage->operands, &least, &most);
    if (n_operands < least) {
        *status =
            options_usage_error(usage, "`pagoda %s` needs %s", usage->command, usage->operands);
        return false;
    }
    if (n_operands > most) {
        *status = options_usage_error(usage, "`%s` is one argument too many for `pagoda %s`",
                                      operands[most], usage->command);
        return false;
    }
    return true;
}

/// The value that ROW has been given before, perhaps by another name of it; NULL: none, or it may
/// have several. VALUES has those of all rows.
static const char *given_before(const struct option_usage *usage, const struct option_row *row,
                                const char *const *values)
{
    for (size_t i = 0; i < usage->n_rows && row->type != OPTION_LIST; i++)
        if (values[i] && usage->rows[i].value == row->value)
            return values[i];
    return NULL;
}

/// Stores the value in optarg, NULL for a flag. 0, or -1 and ERR.
static int take_option(const struct option_usage *usage, const struct option_row *row,
                       const char **values, struct error *err)
{
    const char *before = given_before(usage, row, values);
    if (before)
        return error_set(err, "given already, as %s", before);
    values[row - usage->rows] = optarg;
    return store_value(row, optarg, err);
}

/// GIVEN is the word with the option, NEXT the word after it, NULL for none.
static bool option_accepted(const struct option_usage *usage, int value, const char *given,
                            const char *next, const char **values, int *status)
{
    if (value == 'h' && usage->said) {
        *status = options_usage_error(usage, "--help asks for nothing else");
        return false;
    }
    if (value == 'h') {
        *status = options_print_help(usage, next, stdout);
        return false;
    }
    if (value == ':') {
        *status = missing_argument(usage);
        return false;
    }
    const struct option_row *row = row_of(usage, value);
    if (value == '?' || !row) {
        *status = refused_option(usage, given);
        return false;
    }
    struct error err = {{0}};
    if (take_option(usage, row, values, &err) != 0) {
        *status = options_usage_error(usage, "--%s%s%s: %s", row->name,
                                      optarg && *optarg ? " " : "", optarg ? optarg : "", err.text);
        return false;
    }
    return true;
}

bool options_parse(const struct option_usage *usage, int argc, char **argv, int *first_operand,
                   int *status)
{
    if (argc > 2 && strcmp(argv[1], OPTIONS_COMPLETE) == 0) {
        options_print_candidates(usage, (size_t)argc - 2, argv + 2, stdout);
        *status = STATUS_DONE;
        return false;
    }
    struct getopt_tables tables = getopt_tables_new(usage);
    SCOPED const char **values = memory_zeroed(usage->n_rows + 1, sizeof *values);
    bool accepted = true;
    opterr = 0;
    optind = 0; // GNU: begin anew
    while (accepted) {
        int value = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
        if (value == -1)
            break;
        accepted = option_accepted(usage, value, argv[optind - 1],
                                   optind < argc ? argv[optind] : NULL, values, status);
    }
    getopt_tables_free(&tables);
    *first_operand = optind;
    return accepted && operands_fit(usage, argc - optind, argv + optind, status);
}

int options_words_after_dashes(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return argc - i - 1;
    return -1;
}

// ---- values: decimal digits with an optional fraction, then a unit. strtod alone would take
// signs, infinities and hexadecimal numbers, too.

struct unit {
    const char *name;
    double factor;
};

static const struct unit duration_units[] = {
    {"ns", 1},  {"us", 1e3},   {"µs", 1e3},   {"ms", 1e6},
    {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}, {"", 1e9},
};

static const struct unit size_units[] = {
    {"B", 1},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"KiB", 1024},
    {"MiB", 1024.0 * 1024},
    {"GiB", 1024.0 * 1024 * 1024},
    {"", 1},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// What is added where TEXT is no value because of its sign.
static const char *below_0(const char *text)
{
    return text[0] == '-' && (is_digit(text[1]) || text[1] == '.') ? ", it is below 0" : "";
}

/// UNIT is none of UNITS: the error names the nearest, or all.
static int refuse_unit(const char *unit, const struct unit *units, size_t n_units,
                       struct error *err)
{
    enum { MAX_UNITS = 16 };
    const char *names[MAX_UNITS], *nearest = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_units && n < MAX_UNITS; i++) {
        if (*units[i].name)
            names[n++] = units[i].name;
        if (!nearest && strcasecmp(units[i].name, unit) == 0)
            nearest = units[i].name;
    }
    nearest = nearest ? nearest : spelling_nearest(unit, names, n);
    if (nearest)
        return error_set(err, "unknown unit `%s`; is it %s?", unit, nearest);
    SCOPED char *all = spelling_list(names, n);
    return error_set(err, "unknown unit `%s`; there are %s", unit, all);
}

static int read_scaled(const char *text, const struct unit *units, size_t n_units,
                       const char *examples, uint64_t *value, struct error *err)
{
    double number;
    const char *unit = text_read_decimal(text, &number);
    if (unit == text)
        return error_set(err, "not a value such as %s%s", examples, below_0(text));
    for (size_t i = 0; i < n_units; i++) {
        if (strcmp(units[i].name, unit) != 0)
            continue;
        double scaled = round(number * units[i].factor);
        if (!(scaled < 9.2e18))
            return error_set(err, "too large");
        *value = (uint64_t)scaled;
        return 0;
    }
    return refuse_unit(unit, units, n_units, err);
}

int option_read_duration(const char *text, uint64_t *duration_ns, struct error *err)
{
    return read_scaled(text, duration_units, sizeof duration_units / sizeof duration_units[0],
                       "10us, 1.5ms or 2s", duration_ns, err);
}

int option_read_size(const char *text, uint64_t *size_bytes, struct error *err)
{
    return read_scaled(text, size_units, sizeof size_units / sizeof size_units[0],
                       "512, 64KiB or 1.5MB", size_bytes, err);
}

int option_read_number(const char *text, double *number, struct error *err)
{
    const char *end = text_read_decimal(text, number);
    if (end == text || *end || !isfinite(*number))
        return error_set(err, "not a number such as 3 or 0.25%s", below_0(text));
    return 0;
}

int option_read_count(const char *text, uint64_t *count, struct error *err)
{
    uint64_t value = 0;
    const char *at = text;
    for (; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return error_set(err, "too large");
        value = value * 10 + digit;
    }
    if (at == text || *at)
        return error_set(err, "not a whole number%s", below_0(text));
    *count = value;
    return 0;
}

int option_read_quantity(const char *text, double *value, struct error *err)
{
    const char *unit;
    return option_read_quantity_and_unit(text, value, &unit, err);
}

int option_read_quantity_and_unit(const char *text, double *value, const char **unit,
                                  struct error *err)
{
    char *end;
    uint64_t amount = 0;
    *unit = NULL;
    *value = strtod(text, &end);
    if (end != text && !*end && isfinite(*value))
        return 0;
    bool is_time = option_read_duration(text, &amount, NULL) == 0;
    if (!is_time && option_read_size(text, &amount, NULL) != 0)
        return error_set(err, "\"%s\" is not a number, nor one with a unit of time or size", text);
    *unit = is_time ? "s" : "bytes";
    *value = (double)amount / (is_time ? 1e9 : 1);
    return 0;
}
