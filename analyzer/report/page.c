// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/report/page.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"

enum {
    DEFAULT_WIDTH = 80,
    LEAST_WIDTH = 60,
    LABEL_WIDTH = 16,
};

struct text_options text_options_for(FILE *stream)
{
    struct text_options options = {.depth = 4, .top = 12, .width = DEFAULT_WIDTH};
    struct winsize size;
    int file = fileno(stream);
    if (isatty(file) == 1 && ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        options.width = size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
        options.cuts_lines = true;
    }
    options.has_colours = log_may_colour(stream);
    return options;
}

struct quantity page_time(const struct page *page, int64_t time_ns)
{
    return quantity_in(time_ns, page->unit);
}

void page_heading(const struct page *page, const char *heading, const char *explanation)
{
    bool colour = page->options->has_colours;
    fprintf(page->stream, "\n%s%s%s", colour ? "\033[1m" : "", heading, colour ? "\033[0m" : "");
    if (explanation[0])
        fprintf(page->stream, " (%s)", explanation);
    fputc('\n', page->stream);
}

void page_heading_of_times(const struct page *page, const char *heading, const char *explanation)
{
    SCOPED char *in_unit = memory_format("%s in %s", heading, page->unit.name);
    page_heading(page, in_unit, explanation);
}

void page_table(const struct page *page, struct table *table)
{
    table_print(table, 2, page->options->cuts_lines ? page->options->width : 0, page->stream);
}

void page_left_out(const struct page *page, uint64_t n_left_out, const char *noun,
                   const char *option)
{
    if (n_left_out > 0)
        fprintf(page->stream, "  ... and %s (more with %s)\n",
                quantity_count(n_left_out, noun).text, option);
}

size_t page_n_shown(const struct page *page, size_t n)
{
    return n < page->options->top ? n : page->options->top;
}

void page_table_of(const struct page *page, struct table *table, size_t n, const char *noun)
{
    page_table(page, table);
    page_left_out(page, n - page_n_shown(page, n), noun, "--top");
}

void page_labelled(const struct page *page, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *text = memory_format_list(format, arguments);
    va_end(arguments);
    fprintf(page->stream, "  %-*s", LABEL_WIDTH - 2, label);
    print_paragraph(text, LABEL_WIDTH, LABEL_WIDTH, page->options->width, page->stream);
}
