// SPDX-License-Identifier: BSD-3-Clause
// Elements of machine files and policies: their attributes by a table, and what is wrong with them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"

/// A file being read INTO a struct machine or a struct policy.
struct element_reader {
    const char *path;
    void *into;
    struct error *err;
};

/// An attribute that an element may have, and where it goes; what is not there stays as it is.
struct element_field {
    const char *name;
    enum {
        FIELD_TEXT,   // const char *
        FIELD_NAME,   // the same, must be there and not empty
        FIELD_VALUE,  // uint64_t, by READ
        FIELD_NEEDED, // the same, must be there
        FIELD_COUNT,  // uint32_t, from 1 to MOST
        FIELD_CHOICE, // unsigned, number among CHOICES, of which there are MOST
    } kind;
    void *value;
    xml_read_value *read;
    uint32_t most;
    const char *const *choices;
};

/// Reads the FIELDS of ELEMENT, in this order; 0, or -1 and the error, also where it has others.
int element_read(const struct element_reader *reader, const struct xml_element *element,
                 const struct element_field *fields, size_t n_fields);
#define ELEMENT_READ(reader, element, fields)                                                      \
    element_read((reader), (element), (fields), sizeof(fields) / sizeof(fields)[0])

/// NAME is not a KIND ("scope") of those KNOWN; the nearest of them is named, or all. -1.
int element_unknown(const struct element_reader *reader, const struct xml_element *element,
                    const char *kind, const char *name, const char *const *known, size_t n_known);

/// What an element holds, by its name.
struct element_kind {
    const char *name;
    int (*read)(const struct element_reader *reader, const struct xml_element *element);
};
/// Reads all that ELEMENT holds; 0, or -1 and the error.
int element_read_children(const struct element_reader *reader, const struct xml_element *element,
                          const struct element_kind *kinds, size_t n_kinds);

/// Whether no element holds text, and no other elements but the outermost one and those called as
/// one of HOLDERS, the last of which is NULL: 0, or -1 and the error.
int element_check_contents(const struct element_reader *reader, const struct xml_element *top,
                           const char *const *holders);

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

// Times that options and machine files give as costs.

/// Shorter slices would take a simulation for ever, and no system has them.
#define COST_TIME_LEAST_SLICE_NS UINT64_C(1000)

/// As option_read_duration(), but an hour at most: so sums over millions of messages and visits
/// stay far from the end of the clock. 0, or -1 and ERR.
int cost_time_read(const char *text, uint64_t *time_ns, struct error *err);

/// Likewise, of a time slice: 0, or a microsecond at least.
int cost_time_read_slice(const char *text, uint64_t *slice_ns, struct error *err);
