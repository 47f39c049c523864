// SPDX-License-Identifier: BSD-3-Clause
// What `pagoda check` found out about one file, its text and its JSON.
#ifndef PAGODA_REPORT_CHECK_H
#define PAGODA_REPORT_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"

enum check_kind {
    CHECK_UNKNOWN,
    CHECK_ARCHIVE,
    CHECK_CATALOGUE,
    CHECK_SETTINGS,
    CHECK_FILTER,
    CHECK_MACHINE,
    CHECK_SWEEP,
    CHECK_PROPERTIES,
    CHECK_POLICY,
    CHECK_RULES
};

struct check_location {
    uint64_t id;
    uint32_t rank; // RESULT_NONE for a location of no process
    char *name;
    uint64_t n_declared, n_read, n_unknown, n_bad_references, n_backward;
    char *reason; // why it was skipped or cut, "" when it was not
};

struct check {
    const char *path; // as the caller named it
    enum check_kind kind;
    int status;           // enum exit_status
    char *error;          // why it cannot be checked, NULL when it was
    struct result result; // of an archive: facts and warnings; no patterns
    struct check_location *locations;
    size_t n_locations;
    char **pattern_ids; // of a catalogue
    size_t n_patterns;
    size_t n_entries; // settings of a configuration file, rules of a filter file, operations with
                      // a formula of a machine file, points of a sweep, properties, rules of
                      // pagoda reduce
};

/// Prints what was found out about a file that could be read: what it is, then a line for each
/// thing to know.
void check_print(const struct check *check, FILE *stream);

/// Frees everything in CHECK, not CHECK itself.
void check_release(struct check *check);

/// Prints N findings and a newline; keys in a fixed order, null for what is unknown. 0, or -1 and
/// ERR; a failed write is left to ferror(STREAM).
int json_print_checks(const struct check *checks, size_t n, const char *version, FILE *stream,
                      struct error *err);

#endif
