// SPDX-License-Identifier: BSD-3-Clause
// The chain of causes is one fixed buffer, so that reporting an error cannot fail. A message is
// composed first and written at once, so that lines of several processes do not mix. It is cleaned,
// because what errors quote (names of an archive, paths, words of the command line) may hold what a
// terminal obeys. The progress bar is redrawn at most ten times a second.
#include "analyzer/base/error.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

int error_set(struct error *err, const char *format, ...)
{
    if (!err)
        return -1;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    return -1;
}

int error_wrap(struct error *err, const char *format, ...)
{
    if (!err)
        return -1;
    char cause[ERROR_TEXT_BYTES];
    memcpy(cause, err->text, sizeof(cause));
    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof(err->text))
        snprintf(err->text + length, sizeof(err->text) - (size_t)length, ": %s", cause);
    return -1;
}

// ---- messages

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

static struct error *kept; // NULL: messages are printed

void log_keep(struct error *last)
{
    kept = last;
}

static void log_line(enum log_level level, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    if (kept) {
        if (level == LOG_ERROR)
            error_set(kept, "%s", text);
        return;
    }
    SCOPED char *clean = utf8_clean(text);
    bool colour = level != LOG_NOTE && log_may_colour(stderr);
    fprintf(stderr, "%spagoda: %s%s%s\n", colour ? level_style[level].colour : "",
            level_style[level].label, colour ? "\033[0m" : "", clean);
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

int log_outcome(int status, bool is_unreadable, const struct error *err)
{
    if (status == 0)
        return is_unreadable ? STATUS_UNREADABLE : STATUS_DONE;
    log_error("%s", err->text);
    return STATUS_FAILED;
}

enum { BAR_COLUMNS = 40 };
static const uint64_t first_after_ns = 1000000000, redraw_after_ns = 100000000;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void progress_begin(struct progress *progress, const char *label, uint64_t total)
{
    *progress = (struct progress){
        .label = label,
        .total = total,
        .is_terminal = !kept && isatty(STDERR_FILENO) == 1,
    };
    progress->begin_ns = now_ns();
    progress->next_ns = progress->begin_ns + first_after_ns;
}

/// "30 s left": what the rest takes if it goes on as fast as SHARE, which took PASSED_S.
static void put_time_left(char *text, size_t n_text, double share, double passed_s)
{
    double left_s = share > 0 ? passed_s * (1 - share) / share : 0;
    text[0] = '\0';
    if (left_s >= 1)
        snprintf(text, n_text, left_s < 100 ? ", %.0f s left" : ", %.0f min left",
                 left_s < 100 ? left_s : left_s / 60);
}

void progress_update(void *context, uint64_t done)
{
    struct progress *progress = context;
    if (!progress->is_terminal || progress->total == 0)
        return;
    uint64_t now = now_ns();
    if (now < progress->next_ns)
        return;
    double share = done < progress->total ? (double)done / (double)progress->total : 1;
    char bar[BAR_COLUMNS + 1];
    memset(bar, ' ', BAR_COLUMNS);
    memset(bar, '=', (size_t)(share * BAR_COLUMNS));
    bar[BAR_COLUMNS] = '\0';
    char left[40];
    put_time_left(left, sizeof left, share, (double)(now - progress->begin_ns) / 1e9);
    fprintf(stderr, "\r%s [%s] %3.0f %%%s\033[K", progress->label, bar, 100 * share, left);
    fflush(stderr);
    progress->is_shown = true;
    progress->next_ns = now + redraw_after_ns;
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
    progress->is_shown = false;
}
