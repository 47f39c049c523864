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

/// Writes ` NAME="TEXT"`, an attribute; TEXT has no control characters.
void xml_put_attribute(FILE *out, const char *name, const char *text);
