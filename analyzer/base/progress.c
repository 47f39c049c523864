// SPDX-License-Identifier: BSD-3-Clause
// A bar redrawn at most ten times a second, in place (see progress.h).
#include "analyzer/base/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
        .is_terminal = isatty(STDERR_FILENO) == 1,
    };
    progress->begin_ns = now_ns();
    progress->next_ns = progress->begin_ns + first_after_ns;
}

void progress_update(struct progress *progress, uint64_t done)
{
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
    fprintf(stderr, "\r%s [%s] %3.0f %%", progress->label, bar, 100 * share);
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
