// SPDX-License-Identifier: BSD-3-Clause
// The text of `--help`: usage line, summary, details, and one entry per row of the option table,
// wrapped to 80 columns.
#include <string.h>

#include "analyzer/base/options.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/// Words of TEXT from column HELP_COLUMN to HELP_WIDTH.
static void print_wrapped(const char *text, FILE *stream)
{
    size_t column = HELP_COLUMN;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
            fprintf(stream, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        if (column > HELP_COLUMN) {
            fputc(' ', stream);
            column++;
        }
        fwrite(text, 1, length, stream);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', stream);
}

static void print_row(const struct option_row *row, FILE *stream)
{
    char head[128], help[1024];
    char letter[5] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(head, sizeof head, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    const char *again = row->type == OPTION_LIST ? " (may be repeated)" : "";
    if (row->default_text)
        snprintf(help, sizeof help, "%s%s [%s]", row->help, again, row->default_text);
    else
        snprintf(help, sizeof help, "%s%s", row->help, again);
    if (strlen(head) + 2 > HELP_COLUMN)
        fprintf(stream, "%s\n%*s", head, HELP_COLUMN, "");
    else
        fprintf(stream, "%-*s", HELP_COLUMN, head);
    print_wrapped(help, stream);
}

void options_print_help(const struct option_usage *usage, FILE *stream)
{
    const struct option_row help = OPTION_FLAG_ROW("help", 'h', NULL, "print this");
    fprintf(stream, "usage: pagoda %s [options]%s%s\n\n%s.\n", usage->command,
            usage->operands[0] ? " " : "", usage->operands, usage->summary);
    if (usage->details)
        fprintf(stream, "\n%s", usage->details);
    fprintf(stream, "\noptions:\n");
    for (size_t i = 0; i < usage->n_rows; i++)
        print_row(&usage->rows[i], stream);
    print_row(&help, stream);
    fprintf(stream, "\nFull description: man pagoda-%.*s\n", (int)strcspn(usage->command, " "),
            usage->command);
}
