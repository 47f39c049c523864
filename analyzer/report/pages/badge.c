// SPDX-License-Identifier: BSD-3-Clause
// The latest run of a database in a few words, as a picture for pages of a CI.
#include <jansson.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/pages/pages.h"
#include "analyzer/report/plots/svg.h"

#define SLOWER 0.05 // than earlier runs, as the page has it

enum { HEIGHT = 20, LETTER = 7, MARGIN = 6 };

/// The measured run that began last of TRIALS, which are in that order; NULL: there is none.
static const json_t *latest(const json_t *trials)
{
    for (size_t i = json_array_size(trials); i-- > 0;) {
        const json_t *trial = json_array_get(trials, i);
        if (strcmp(json_string_value(json_object_get(trial, "origin")), "measured") == 0)
            return trial;
    }
    return NULL;
}

static const char *text_of(const json_t *trial, const char *key)
{
    return json_string_value(json_object_get(trial, key));
}

static void put_part(double x, double width, const char *colour, const char *text, FILE *stream)
{
    fprintf(stream, "<rect x=\"%.0f\" width=\"%.0f\" height=\"%d\" fill=\"%s\"/>\n", x, width,
            HEIGHT, colour);
    fprintf(stream, "<g fill=\"#fff\">");
    svg_text(x + width / 2, 14, "middle", text, stream);
    fprintf(stream, "</g>\n");
}

int badge_print(const char *trials, FILE *stream, struct error *err)
{
    json_t *all = json_loads(trials, 0, NULL);
    const json_t *trial = latest(json_object_get(all, "trials"));
    if (!trial) {
        json_decref(all);
        return error_set(err, "the database has no measured run");
    }
    double ns = json_number_value(json_object_get(trial, "judged_ns"));
    double earlier_ns = json_number_value(json_object_get(trial, "earlier_ns"));
    double change = earlier_ns > 0 ? ns / earlier_ns - 1 : 0;
    SCOPED char *value = memory_copy_text(quantity_mean_time(ns).text);
    SCOPED char *title =
        memory_format("%s/%s/%s: %s", text_of(trial, "application"), text_of(trial, "experiment"),
                      text_of(trial, "trial"), value);
    if (earlier_ns > 0) {
        text_append(&value, ", %+.1f %%", 100 * change);
        text_append(&title, ", %.1f %% %s than earlier runs like it",
                    100 * (change < 0 ? -change : change), change > 0 ? "longer" : "shorter");
    }
    double left = 2 * MARGIN + LETTER * strlen("run time");
    double right = 2 * MARGIN + LETTER * (double)utf8_width(value);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" role=\"img\" "
            "font-family=\"Verdana,sans-serif\" font-size=\"11\">\n<title>",
            left + right, HEIGHT);
    svg_escape(title, stream);
    fprintf(stream, "</title>\n");
    put_part(0, left, "#555", "run time", stream);
    put_part(left, right,
             change > SLOWER  ? "#c0392b"
             : earlier_ns > 0 ? "#2e7d32"
                              : "#1f5fae",
             value, stream);
    svg_end(stream);
    json_decref(all);
    return 0;
}
