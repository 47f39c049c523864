// SPDX-License-Identifier: BSD-3-Clause
// Completions of a command line from the option table: names of options, words that an argument
// lists, files and folders by the argument's placeholder, bundled files. Bash cuts words at `=`, so
// `--map=block` may come as three words.
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"

/// What the shell completes for a placeholder, and the bundled files that may stand for one.
static const struct {
    const char *placeholder, *directive, *folder;
} kinds[] = {
    {"FILE", ":files", NULL},         {"FILES", ":files", NULL},
    {"DB", ":files", NULL},           {"TRACE", ":files", NULL},
    {"SPEC", ":files", NULL},         {"DIR", ":dirs", NULL},
    {"LAUNCHER", ":commands", NULL},  {"MACHINE", ":files", "machines"},
    {"POLICY", ":files", "policies"},
};

/// What completions see of the words before the last.
struct typed {
    const struct option_row *row; // whose value the last word is, NULL: none
    bool is_operand;              // the last word is no option: they have ended
    bool is_launch_line;          // ... it belongs to a command of the user's
};

void options_print_candidate(const char *word, const char *begun, const char *help, FILE *stream)
{
    if (strncmp(word, begun, strlen(begun)) == 0)
        fprintf(stream, "%s%s%s\n", word, help ? "\t" : "", help ? help : "");
}

static const struct option_row *row_named(const struct option_usage *usage, const char *word)
{
    size_t n = strcspn(word, "=");
    for (size_t i = 0; i < usage->n_rows; i++) {
        const struct option_row *row = &usage->rows[i];
        bool is_long = n > 2 && word[0] == '-' && word[1] == '-';
        if (is_long ? strlen(row->name) == n - 2 && strncmp(row->name, word + 2, n - 2) == 0
                    : word[0] == '-' && word[1] && word[1] == row->letter)
            return row;
    }
    return NULL;
}

static struct typed read_words(const struct option_usage *usage, size_t n, char *const *words)
{
    struct typed typed = {0};
    bool takes_line = strstr(usage->operands, "LAUNCHER") != NULL;
    for (size_t i = 0; i + 1 < n && !typed.is_operand; i++) {
        const char *word = words[i];
        if (typed.row) {
            if (strcmp(word, "=") != 0)
                typed.row = NULL;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            typed.is_operand = true;
            typed.is_launch_line = takes_line;
        } else if (word[0] == '-' && word[1]) {
            const struct option_row *row = row_named(usage, word);
            bool has_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
            typed.row = row && row->argument && !has_value ? row : NULL;
        } else if (usage->stops_at_operand) {
            typed.is_operand = typed.is_launch_line = true;
        }
    }
    return typed;
}

static void print_bundled(const char *folder, const char *before, const char *begun, FILE *stream)
{
    const struct bundled catalogue = {.folder = folder, .thing = ""};
    size_t n;
    char **names = bundled_names(&catalogue, &n, NULL);
    for (size_t i = 0; i < n; i++)
        if (strncmp(names[i], begun, strlen(begun)) == 0)
            fprintf(stream, "%s%s\n", before, names[i]);
    xml_folder_free(names, names ? n : 0);
}

/// Completes BEGUN as one of the words or placeholders that ARGUMENT lists; BEFORE comes before
/// each candidate.
static void complete_value(const char *argument, const char *before, const char *begun,
                           FILE *stream)
{
    const char *directive = NULL;
    for (size_t n; *argument; argument += n + strspn(argument + n, "|[] .-")) {
        n = strcspn(argument, "|[] .");
        if (islower((unsigned char)*argument)) {
            if (strncmp(argument, begun, strlen(begun)) == 0)
                fprintf(stream, "%s%.*s\n", before, (int)n, argument);
            continue;
        }
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            if (strlen(kinds[i].placeholder) != n || strncmp(kinds[i].placeholder, argument, n))
                continue;
            if (kinds[i].folder)
                print_bundled(kinds[i].folder, before, begun, stream);
            directive = kinds[i].directive;
        }
    }
    if (directive)
        fprintf(stream, "%s\n", directive);
}

void options_print_candidates(const struct option_usage *usage, size_t n, char *const *words,
                              FILE *stream)
{
    struct typed typed = read_words(usage, n, words);
    const char *last = words[n - 1], *equals = strchr(last, '=');
    const struct option_row *row = typed.is_operand ? NULL : row_named(usage, last);
    if (typed.is_launch_line) {
        fputs(":commands\n", stream);
    } else if (typed.row) {
        complete_value(typed.row->argument, "", strcmp(last, "=") == 0 ? "" : last, stream);
    } else if (row && row->argument && equals) {
        char *before = memory_format("%.*s", (int)(equals + 1 - last), last);
        complete_value(row->argument, before, equals + 1, stream);
        free(before);
    } else if (last[0] == '-' && !typed.is_operand) {
        for (size_t i = 0; i < usage->n_rows; i++) {
            char *name = memory_format("--%s", usage->rows[i].name);
            if (usage->rows[i].help)
                options_print_candidate(name, last, usage->rows[i].help, stream);
            free(name);
        }
        options_print_candidate("--help", last, "print a summary of the options", stream);
    } else {
        complete_value(usage->operands, "", last, stream);
    }
}
