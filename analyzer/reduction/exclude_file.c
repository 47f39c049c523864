// SPDX-License-Identifier: BSD-3-Clause
// Exclude files (see exclude_file.h).
#include "analyzer/reduction/exclude_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// NAME as a pattern that fits nothing else.
static void write_name(FILE *file, const char *name)
{
    static const char *const words[] = {"EXCLUDE", "INCLUDE", "MANGLED"};
    bool is_word = strncmp(name, "SCOREP_", 7) == 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        is_word = is_word || strcmp(name, words[i]) == 0;
    if (is_word)
        fputc('\\', file);
    for (const char *c = name; *c; c++) {
        bool is_control = (unsigned char)*c < ' ';
        if (!is_control && strchr("*?[]\\# ", *c))
            fputc('\\', file);
        fputc(is_control ? '?' : *c, file);
    }
}

/// TEXT without line ends.
static void write_comment(FILE *file, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
}

static void write_text(FILE *file, const char *earlier, const char *source,
                       const struct exclude_line *lines, size_t n)
{
    if (earlier && *earlier)
        fprintf(file, "%s%s", earlier, earlier[strlen(earlier) - 1] == '\n' ? "" : "\n");
    fprintf(file, "# pagoda reduce, from ");
    write_comment(file, source);
    fprintf(file, "\nSCOREP_REGION_NAMES_BEGIN\n");
    if (n > 0)
        fprintf(file, "EXCLUDE\n");
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "    ");
        write_name(file, lines[i].name);
        fprintf(file, " # ");
        write_comment(file, lines[i].reason);
        fprintf(file, "\n");
    }
    fprintf(file, "SCOREP_REGION_NAMES_END\n");
}

int exclude_file_write(const char *path, const char *earlier, const char *source,
                       const struct exclude_line *lines, size_t n, struct error *err)
{
    char *new_path = memory_format("%s.new", path);
    FILE *file = fopen(new_path, "we");
    bool is_written = file != NULL;
    if (file) {
        write_text(file, earlier, source, lines, n);
        is_written = !ferror(file);
        is_written = fclose(file) == 0 && is_written && rename(new_path, path) == 0;
    }
    if (!is_written) {
        error_set(err, "cannot write %s: %s", path, strerror(errno));
        if (file)
            remove(new_path);
    }
    free(new_path);
    return is_written ? 0 : -1;
}
