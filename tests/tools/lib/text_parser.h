// SPDX-License-Identifier: BSD-3-Clause
// What both parts of the parser of text traces work on: lines, events (text_trace.c), and
// definitions (text_definitions.c).
#ifndef PAGODA_TESTS_TOOLS_LIB_TEXT_PARSER_H
#define PAGODA_TESTS_TOOLS_LIB_TEXT_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "tests/tools/lib/archive_writer.h"

enum { POSIX = OTF2_PARADIGM_PTHREAD };
enum { MAX_WORDS = 4096 };

struct parser {
    struct archive_writer *writer; // NULL in the pass that counts ranks
    OTF2_AttributeList *attributes;
    struct error *err;
    unsigned line;
    char **words; // of the current line or event
    size_t n_words;
    uint32_t n_ranks;
    // of the current event line
    OTF2_EvtWriter *events;
    uint64_t ticks;
};

#define FAIL(parser, ...) (error_set((parser)->err, __VA_ARGS__), false)

/// False, and an error, when WORD is none. A location is RANK or RANK.THREAD.
bool text_parse_number(struct parser *parser, const char *word, uint64_t *number);
bool text_parse_u32(struct parser *parser, const char *word, uint32_t *number);
bool text_parse_location(struct parser *parser, const char *word, uint64_t *location);
/// FILE or FILE:LINE as a source code location, `-` and `?` as in text_trace.h.
bool text_parse_source(struct parser *parser, char *word, uint32_t *source);
OTF2_Paradigm text_default_paradigm(const char *region);

/// Takes the line if it is a definition. False, and an error, when it is a wrong one.
bool text_definition(struct parser *parser, bool *is_definition);

#endif
