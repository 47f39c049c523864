// SPDX-License-Identifier: BSD-3-Clause
// See pages.h.
#include "analyzer/report/pages/pages.h"

#include <string.h>

#define DATA_MARK "<!-- DATA -->"

void web_page_begin(const char *page, FILE *stream)
{
    fwrite(page, 1, (size_t)(strstr(page, DATA_MARK) - page), stream);
}

void web_page_end(const char *page, FILE *stream)
{
    fputs(strstr(page, DATA_MARK) + strlen(DATA_MARK), stream);
}

void web_page_put(const char *id, const char *json, FILE *stream)
{
    fprintf(stream, "<script id=\"%s\" type=\"application/json\">", id);
    for (; *json; json++)
        if (*json == '<')
            fputs("\\u003c", stream);
        else
            putc(*json, stream);
    fputs("</script>\n", stream);
}
