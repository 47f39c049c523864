// SPDX-License-Identifier: BSD-3-Clause
// One line per message on stderr (see log.h). The line is composed first and written at once, so
// that lines of several processes do not mix. It is cleaned here, because what errors quote (names
// of an archive, paths, words of the command line) may hold what a terminal obeys.
#include "analyzer/base/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/utf8.h"

enum log_level { LOG_ERROR, LOG_WARNING, LOG_NOTE };

static const struct {
    const char *colour, *label;
} level_style[] = {
    [LOG_ERROR] = {"\033[31m", ""},
    [LOG_WARNING] = {"\033[33m", "warning: "},
    [LOG_NOTE] = {"", ""},
};

bool log_may_colour(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (no_color && no_color[0])
        return false;
    if (!terminal || !terminal[0] || !strcmp(terminal, "dumb"))
        return false;
    return isatty(fileno(stream)) == 1;
}

static void log_line(enum log_level level, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    char *clean = utf8_clean(text);
    bool colour = level != LOG_NOTE && log_may_colour(stderr);
    fprintf(stderr, "%spagoda: %s%s%s\n", colour ? level_style[level].colour : "",
            level_style[level].label, colour ? "\033[0m" : "", clean);
    free(clean);
}

void log_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(LOG_ERROR, format, arguments);
    va_end(arguments);
}

void log_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(LOG_WARNING, format, arguments);
    va_end(arguments);
}

void log_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_line(LOG_NOTE, format, arguments);
    va_end(arguments);
}
