// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/report/plots/svg.h"

void svg_begin(size_t width, size_t height, FILE *stream)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
            "viewBox=\"0 0 %zu %zu\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
}

void svg_end(FILE *stream)
{
    fprintf(stream, "</svg>\n");
}

void svg_escape(const char *text, FILE *stream)
{
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", stream);
        else if (*text == '<')
            fputs("&lt;", stream);
        else if (*text == '>')
            fputs("&gt;", stream);
        else
            fputc(*text, stream);
    }
}

void svg_text(double x, double y, const char *anchor, const char *text, FILE *stream)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    svg_escape(text, stream);
    fprintf(stream, "</text>\n");
}

const char *svg_colour(size_t i)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                          "#cc79a7", "#e69f00", "#56b4e9"};
    return colours[i % (sizeof colours / sizeof colours[0])];
}
