// SPDX-License-Identifier: BSD-3-Clause
// One REGION as a text (region_pattern.h says which there are), taken to pieces and checked against
// the names of a run.
#ifndef PAGODA_SIMULATION_CHANGE_REGION_TEXT_H
#define PAGODA_SIMULATION_CHANGE_REGION_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/trace/definitions.h"

enum { REGION_MAX_NAMES = 31 };

/// One name of a path: that of a region as reports show it or as a glob, or ** for any number.
struct region_part {
    char *text;
    bool *is_meant; // by region of the run
};

struct region_text {
    const struct definitions *definitions;
    char *where, *text; // as given
    char *whole;        // both
    char *words;        // what `file` points into
    struct region_part parts[REGION_MAX_NAMES];
    uint32_t n_parts; // 0: any call
    bool is_anchored; // begins at the location
    bool is_root;     // the location itself
    bool takes_calls; // MPI functions may be named
    bool only_calls;  // nothing else may
    bool is_for_calls;
    bool is_optional; // the run may have no such path
    const char *file; // of a place, NULL without
    uint32_t line;    // 0: any
};

/// Takes TEXT, given for WHERE ("--scale"), to pieces; IS_FOR_CALLS: MPI calls are meant, else
/// computing. 0, or -1 and ERR: malformed, or the run has no such name, or several. The caller
/// releases REGION in either case. DEFINITIONS must outlive it.
int region_text_read(struct region_text *region, const char *where, const char *text,
                     bool is_for_calls, const struct definitions *definitions, struct error *err);
/// The same for a path of names outside MPI, and nothing else, which the run need not have.
int region_text_read_path(struct region_text *region, const char *where, const char *text,
                          const struct definitions *definitions, struct error *err);
void region_text_release(struct region_text *region);

/// Whether part PART of the pattern is **.
bool region_text_is_any(const struct region_text *pattern, uint32_t part);
/// Whether name PART of the pattern fits REGION, one of the definitions.
bool region_text_matches(const struct region_text *pattern, const struct region *region,
                         uint32_t part);
/// Whether CONTEXT is at the pattern's place, which it has.
bool region_text_is_place(const struct region_text *pattern, const struct calling_context *context);

/// -1 and ERR: "--scale TEXT: WHAT; is it NEAREST?", the latter unless NULL.
int region_text_refuse(const struct region_text *pattern, const char *what, const char *nearest,
                       struct error *err);

#endif
