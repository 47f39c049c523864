// SPDX-License-Identifier: BSD-3-Clause
// Reads XML files by tables: the attributes of an element, the texts and the other elements that it
// holds. Anything else in it is an error, which names the line.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"

/// A file that is read INTO what the readers of its elements know.
struct element_reader {
    const char *path;
    void *into;
    struct error *err;
};

/// Sets the error to what is wrong with ELEMENT, "PATH:LINE: ..."; -1. Any struct with path and err
/// will do for READER.
#define XML_ERROR(reader, element, ...)                                                            \
    (error_set((reader)->err, __VA_ARGS__), XML_PLACE(reader, element))
/// Puts the place of ELEMENT before the error that there is; -1.
#define XML_PLACE(reader, element)                                                                 \
    error_wrap((reader)->err, "%s:%u", (reader)->path, (element)->line)

/// The value of an attribute; 0, or -1 and ERR.
typedef int element_read_value(const char *text, uint64_t *value, struct error *err);

/// An attribute that an element may have, and where it goes; what is not there stays as it is.
struct element_field {
    const char *name;
    enum {
        FIELD_TEXT,   // const char *, as long as the document
        FIELD_NAME,   // the same, must be there and not empty
        FIELD_COPY,   // char *, a copy for the caller to free; "" as if it were not there
        FIELD_ID,     // the same, must be there: lower-case words joined by hyphens
        FIELD_VALUE,  // uint64_t, by READ
        FIELD_NEEDED, // the same, must be there
        FIELD_COUNT,  // uint32_t, from 1 to MOST
        FIELD_CHOICE, // unsigned, number among CHOICES, of which there are MOST
        FIELD_YES,    // bool, set by "yes", and nothing else may be said
    } kind;
    void *value;
    element_read_value *read;
    uint32_t most;
    const char *const *choices;
};

/// Reads the FIELDS of ELEMENT, in this order; 0, or -1 and the error, also where it has others.
int element_read(const struct element_reader *reader, const struct xml_element *element,
                 const struct element_field *fields, size_t n_fields);
#define ELEMENT_READ(reader, element, fields)                                                      \
    element_read((reader), (element), (fields), sizeof(fields) / sizeof(fields)[0])

/// An element that holds one text, and where that goes: without line breaks and with single spaces,
/// for the caller to free.
struct element_text {
    const char *name;
    char **text;
    bool keeps_paragraphs; // empty lines
    uint32_t *line;        // of the element; NULL: not asked for
};

/// An element that READ reads, by its name.
struct element_kind {
    const char *name;
    int (*read)(const struct element_reader *reader, const struct xml_element *element);
};

/// Reads all elements that ELEMENT holds: TEXTS, each once and not empty, and KINDS. 0, or -1 and
/// the error.
int element_read_parts(const struct element_reader *reader, const struct xml_element *element,
                       const struct element_text *texts, size_t n_texts,
                       const struct element_kind *kinds, size_t n_kinds);
#define ELEMENT_READ_KINDS(reader, element, kinds)                                                 \
    element_read_parts((reader), (element), NULL, 0, (kinds), sizeof(kinds) / sizeof(kinds)[0])

/// NAME is not a KIND ("scope") of those KNOWN; the nearest of them is named, or all. -1.
int element_unknown(const struct element_reader *reader, const struct xml_element *element,
                    const char *kind, const char *name, const char *const *known, size_t n_known);
/// The element OWNER has no WHAT ("attribute") NAME, which stands at ELEMENT, likewise.
int element_refuse(const struct element_reader *reader, const struct xml_element *element,
                   const char *owner, const char *what, const char *name, const char *const *known,
                   size_t n_known);

/// Whether no element holds text, unless it is called as one of TEXTS, and no other elements, but
/// the outermost one and those called as one of HOLDERS; each ends with NULL, or is NULL: none is.
/// 0, or -1 and the error.
int element_check_contents(const struct element_reader *reader, const struct xml_element *top,
                           const char *const *holders, const char *const *texts);

/// Reads the file PATH, whose outermost element must be called NAME, through READ; WHAT it is else
/// not ("machine file"). 0, or -1 and ERR. *DOCUMENT holds all texts that were read; in either case
/// the caller frees it.
int element_read_file(const struct element_reader *reader, const char *name, const char *what,
                      int (*read)(const struct element_reader *reader,
                                  const struct xml_element *top),
                      struct xml_document **document);

/// A number from LEAST to MOST, in units of which SCALE are 1, to the nearest. 0, or -1 and ERR.
int element_read_scaled(const char *text, double least, double most, uint32_t scale,
                        uint64_t *value, struct error *err);
