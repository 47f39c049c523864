// SPDX-License-Identifier: BSD-3-Clause
// Small XML documents (catalogues, machine files, sweeps) as a plain tree. Safe on files from
// anywhere: no document type, so no entities; no network; bounded size, depth and element count.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

enum {
    XML_MAX_BYTES = 1 << 20,
    XML_MAX_DEPTH = 32,
    XML_MAX_ELEMENTS = 20000,
};

struct xml_attribute {
    char *name;
    char *value;
};

struct xml_element {
    char *name;
    char *text; // of the element itself, without that of its children; "" for none
    uint32_t line;
    struct xml_attribute *attributes;
    size_t n_attributes;
    struct xml_element *children;
    size_t n_children;
};

/// A file; `top` has no name and holds the outermost elements. XML wants exactly one of them, but
/// a fragment with several is read too.
struct xml_document {
    char *path;
    struct xml_element top;
};

/// What a document may have at most.
struct xml_limits {
    size_t bytes; // below 2 GiB
    int depth;    // 2000 at most
    size_t elements;
};

/// Reads a file. NULL and ERR ("PATH:LINE: what is wrong") when it cannot be read, is not
/// well-formed, declares a document type or is over the limits. The caller frees.
struct xml_document *xml_read(const char *path, struct error *err);
/// The same for one document of SIZE_BYTES at TEXT, which PATH stands for, with LIMITS of its own.
struct xml_document *xml_read_text(const char *path, const char *text, size_t size_bytes,
                                   const struct xml_limits *limits, struct error *err);
void xml_free(struct xml_document *document);

/// Whether the outermost element of the file PATH is called NAME.
bool xml_file_is(const char *path, const char *name);

/// Value of an attribute, NULL when the element has none of that name.
const char *xml_attribute(const struct xml_element *element, const char *name);

/// What an element is read from, and where goes what is wrong with it. For the macros below any
/// struct will do that has these members.
struct xml_source {
    const char *path;
    struct error *err;
};

/// Sets the error to what is wrong with ELEMENT, "PATH:LINE: ..."; -1.
#define XML_ERROR(source, element, ...)                                                            \
    (error_set((source)->err, __VA_ARGS__), XML_PLACE(source, element))
/// Puts the place of ELEMENT before the error that there is; -1.
#define XML_PLACE(source, element)                                                                 \
    error_wrap((source)->err, "%s:%u", (source)->path, (element)->line)

/// The name of an attribute that is none of those KNOWN, the first; NULL without.
const char *xml_unknown_attribute(const struct xml_element *element, const char *const *known,
                                  size_t n_known);

/// Whether ELEMENT has no such attribute: 0, or -1 and ERR, as xml_refuse().
int xml_check_attributes(const char *path, const struct xml_element *element,
                         const char *const *known, size_t n_known, struct error *err);
/// ERR: the element OWNER has no WHAT ("attribute") NAME, which is in LINE of the file PATH, with
/// the nearest of those KNOWN. -1.
int xml_refuse(const char *path, uint32_t line, const char *owner, const char *what,
               const char *name, const char *const *known, size_t n_known, struct error *err);

typedef int xml_read_value(const char *text, uint64_t *value, struct error *err);

/// Through READ the attribute NAME of an element of the file PATH into *VALUE, which stays as it is
/// without it. 0, or -1 and ERR: `PATH:LINE: NAME="TEXT": what READ says`.
int xml_read_attribute(const char *path, const struct xml_element *element, const char *name,
                       xml_read_value *read, uint64_t *value, struct error *err);

/// Writes ` NAME="TEXT"`, an attribute; TEXT has no control characters.
void xml_put_attribute(FILE *out, const char *name, const char *text);
