// SPDX-License-Identifier: BSD-3-Clause
// See pages.h.
#include "analyzer/report/pages/pages.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/back_test.h"
#include "analyzer/compare/scaling.h"
#include "analyzer/report/report.h"

/// Made of store_page.html.
extern const char store_page_text[];

static void put_back_test(const struct back_test *test, FILE *stream)
{
    char *json;
    size_t n;
    FILE *text = memory_stream(&json, &n);
    json_print_back_test(test, text);
    fclose(text);
    web_page_put("tests", json, stream);
    free(json);
}

static void put_scaling(const struct scaling_page *scaling, FILE *stream)
{
    char *json;
    size_t n;
    FILE *text = memory_stream(&json, &n);
    json_print_scaling(scaling, text);
    fclose(text);
    web_page_put("scaling", json, stream);
    free(json);
    fputs("<template id=\"scaling-picture\">", stream);
    svg_print_scaling(scaling, stream);
    fputs("</template>\n", stream);
}

void store_page_print(const struct store_page *page, FILE *stream)
{
    web_page_begin(store_page_text, stream);
    web_page_put("trials", page->trials, stream);
    put_back_test(page->test, stream);
    if (page->scaling)
        put_scaling(page->scaling, stream);
    web_page_end(store_page_text, stream);
}
