// SPDX-License-Identifier: BSD-3-Clause
// Reading of windows, see windows.h.
#include "analyzer/cmd/trace/windows.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/base/options.h"

/// One end of a window: N bytes of TEXT; nothing stands for OTHERWISE.
static int read_time(const char *text, size_t n, uint64_t otherwise, uint64_t *time_ns,
                     struct error *err)
{
    char part[64];

    while (n > 0 && *text == ' ') {
        text++;
        n--;
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    *time_ns = otherwise;
    if (n == 0)
        return 0;
    if (n >= sizeof part)
        return error_set(err, "`%.*s` is no time", (int)n, text);
    snprintf(part, sizeof part, "%.*s", (int)n, text);
    if (option_read_duration(part, time_ns, err) != 0)
        return error_wrap(err, "`%s`", part);
    return 0;
}

int trace_windows_read(const char *text, struct trace_window *windows, struct error *err)
{
    int n = 0;

    for (;;) {
        size_t length = strcspn(text, ",");
        const char *dash = memchr(text, '-', length);
        struct trace_window *window = &windows[n];

        if (n == TRACE_MOST_WINDOWS)
            return error_set(err, "more than %d windows", TRACE_MOST_WINDOWS);
        if (!dash)
            return error_set(err, "`%.*s` is no window such as 10s-20s", (int)length, text);
        if (read_time(text, (size_t)(dash - text), 0, &window->from_ns, err) != 0 ||
            read_time(dash + 1, length - (size_t)(dash + 1 - text), UINT64_MAX, &window->to_ns,
                      err) != 0)
            return -1;
        if (window->from_ns >= window->to_ns)
            return error_set(err, "`%.*s` ends before it begins", (int)length, text);
        if (n > 0 && window->from_ns <= windows[n - 1].to_ns)
            return error_set(err, "`%.*s` must begin after the window before it has ended",
                             (int)length, text);
        n++;
        text += length;
        if (*text == '\0')
            return n;
        text++;
    }
}
