// SPDX-License-Identifier: BSD-3-Clause
// Explanations of patterns, made from nothing but the texts of their files.
#include "analyzer/report/pattern_page.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/table.h"

enum { LABEL_COLUMNS = 13, MAX_ID_COLUMNS = 30 };

void pattern_page_tree(const struct catalogue *catalogue, size_t width, FILE *stream)
{
    size_t indent = 0; // of the summaries; an id that is longer has a line of its own
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        size_t columns = 2 * pattern->depth + strlen(pattern->id) + 2;
        if (columns > indent && columns <= MAX_ID_COLUMNS)
            indent = columns;
    }
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        int column = fprintf(stream, "%*s%s", (int)(2 * pattern->depth), "", pattern->id);
        if ((size_t)column + 2 > indent) {
            fputc('\n', stream);
            column = 0;
        }
        fprintf(stream, "%*s", (int)indent - column, "");
        print_paragraph(pattern->summary[0] ? pattern->summary : pattern->name, indent, indent,
                        width, stream);
    }
}

static void print_ancestors(const struct catalogue *catalogue, const struct pattern *pattern,
                            FILE *stream)
{
    if (pattern->parent_index == PATTERN_NONE)
        return;
    const struct pattern *parent = &catalogue->patterns[pattern->parent_index];
    print_ancestors(catalogue, parent, stream);
    fprintf(stream, "%s > ", parent->id);
}

/// Paragraphs (divided by empty lines) at INDENT; nothing for an empty text.
static void print_paragraphs(const char *text, size_t indent, size_t width, FILE *stream)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char *paragraph = memory_format("%.*s", (int)length, text);
        fprintf(stream, "\n%*s", (int)indent, "");
        print_paragraph(paragraph, indent, indent, width, stream);
        free(paragraph);
        text += length + (end ? 2 : 0);
    }
}

static void print_field(const char *label, const char *text, size_t width, FILE *stream)
{
    if (!text[0])
        return;
    print_labelled(label, LABEL_COLUMNS, text, width, stream);
}

void pattern_page_one(const struct catalogue *catalogue, uint32_t index, size_t width, FILE *stream)
{
    const struct pattern *pattern = &catalogue->patterns[index];
    fprintf(stream, "%s\n", pattern->name);
    print_ancestors(catalogue, pattern, stream);
    fprintf(stream, "%s\n", pattern->id);
    print_paragraphs(pattern->summary, 0, width, stream);
    print_paragraphs(pattern->description, 0, width, stream);
    if (pattern->diagnosis[0]) {
        fprintf(stream, "\nWhat to look for\n");
        print_paragraphs(pattern->diagnosis, 0, width, stream);
    }
    if (!pattern->is_abstract) {
        fprintf(stream, "\nHow it is found\n\n");
        print_field("formula", pattern->formula, width, stream);
        print_field("root", pattern->root, width, stream);
        if (pattern->is_within)
            print_field("within", catalogue->patterns[pattern->ancestor].id, width, stream);
        print_field("condition", pattern->condition, width, stream);
        print_field("wait", pattern->wait, width, stream);
        print_field("begin", pattern->begin, width, stream);
        print_field("cause", pattern->cause, width, stream);
        print_field("severity", pattern->severity, width, stream);
        print_field("confidence", pattern->confidence, width, stream);
        print_field("threshold", pattern->threshold, width, stream);
    }
    fprintf(stream, "\n");
    print_field("read from", pattern->file, width, stream);
}

// ---- the manual ----

/// TEXT as one roff line: backslashes and hyphens escaped, control characters at the start guarded.
static void print_roff(const char *text, size_t length, FILE *stream)
{
    if (length && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", stream);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\')
            fputs("\\e", stream);
        else if (text[i] == '-')
            fputs("\\-", stream);
        else
            fputc(text[i], stream);
    }
    fputc('\n', stream);
}

/// Paragraphs, one sentence a line as the manual's source has it.
static void print_roff_paragraphs(const char *text, const char *between, FILE *stream)
{
    while (*text) {
        const char *end = text;
        while (*end && *end != '\n' &&
               !((*end == '.' || *end == '?' || *end == ':') && end[1] == ' '))
            end++;
        size_t length = (size_t)(end - text) + (*end && *end != '\n');
        print_roff(text, length, stream);
        text += length;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(stream, "%s\n", between);
            text += 2;
        }
        text += *text == ' ';
    }
}

static void print_roff_labelled(const char *label, const char *text, FILE *stream)
{
    if (!text[0])
        return;
    fprintf(stream, ".br\n%s:\n", label);
    print_roff(text, strlen(text), stream);
}

void pattern_page_manual(const struct catalogue *catalogue, FILE *stream)
{
    fprintf(stream, ".SH CATALOGUE\n");
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        fprintf(stream, ".SS ");
        print_roff(pattern->id, strlen(pattern->id), stream);
        print_roff_paragraphs(pattern->summary, ".PP", stream);
        if (pattern->parent[0]) {
            fprintf(stream, "Part of\n.BR ");
            fprintf(stream, "%s .\n", pattern->parent);
        }
        fprintf(stream, ".PP\n");
        print_roff_paragraphs(pattern->description, ".PP", stream);
        if (pattern->diagnosis[0]) {
            fprintf(stream, ".PP\n");
            print_roff_paragraphs(pattern->diagnosis, ".PP", stream);
        }
        if (pattern->is_abstract)
            continue;
        fprintf(stream, ".PP\nWait:\n");
        print_roff(pattern->formula, strlen(pattern->formula), stream);
        print_roff_labelled(
            "Confidence", strcmp(pattern->confidence, "1") == 0 ? "" : pattern->confidence, stream);
        print_roff_labelled("Shown from this share of the run time on", pattern->threshold, stream);
    }
}
