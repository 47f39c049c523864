// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/report/page.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { LABEL_WIDTH = 22 };

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
    char *in_unit = memory_format("%s in %s", heading, page->unit.name);
    page_heading(page, in_unit, explanation);
    free(in_unit);
}

void page_table(const struct page *page, const struct table *table)
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

void page_labelled(const struct page *page, const char *label, const char *text)
{
    fprintf(page->stream, "  %-*s", LABEL_WIDTH - 2, label);
    print_paragraph(text, LABEL_WIDTH, LABEL_WIDTH, page->options->width, page->stream);
}

void page_warnings(const struct page *page, bool of_damage_only)
{
    const struct result *result = page->result;
    if (of_damage_only ? !result->has_unreadable_records : result->n_warnings == 0)
        return;
    page_heading(page, "Warnings", "");
    for (size_t i = 0; i < result->n_warnings; i++) {
        const struct result_warning *warning = &result->warnings[i];
        if (of_damage_only && !warning->is_of_damage)
            continue;
        fputs("  ", page->stream);
        char *text = memory_format("%s [%s]", warning->text, warning->code);
        print_paragraph(text, 2, 4, page->options->width, page->stream);
        free(text);
    }
}
