// SPDX-License-Identifier: BSD-3-Clause
// What an analysis of a trace found, as one flat sorted list of facts, so that results of different
// origin (brute-force reference, engine, a text file's expectations) can be compared line by line.
//
// Facts: the id of a pattern (rank, path, count, ns), the same id with `/worst` (ns of the worst
// instance; rank and path stay open), `critical-path` and `cause/ID` (location, path, ns; also
// of the paths before-start and clock-repair), `explained/ID`, `visits`, `inclusive`, `exclusive`
// (location, path), `first`, `last` (location: its events), `useful`, `mpi` (rank), `window-begin`,
// `window-end`, `time`, `clock-violations`, ...
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FINDING_NO_RANK UINT32_MAX

struct finding {
    char *fact;
    uint32_t rank, thread; // rank FINDING_NO_RANK: of the whole run
    char *path;            // "" for none
    int64_t count, ns;
};

struct findings {
    struct finding *items;
    size_t n_items, capacity;
};

/// Adds a copy; several with one (fact, rank, thread, path) become their sum in findings_sort().
void findings_add(struct findings *findings, const char *fact, uint32_t rank, uint32_t thread,
                  const char *path, int64_t count, int64_t ns);

/// Moves everything of FROM into FINDINGS; FROM is empty then.
void findings_take(struct findings *findings, struct findings *from);

/// Sorts by (fact, rank, thread, path), adds up equal keys, drops what is all zero.
void findings_sort(struct findings *findings);
void findings_release(struct findings *findings);

/// Sum over the findings of FACT, of RANK (FINDING_NO_RANK: all), below PATH (NULL: all paths).
struct finding findings_sum(const struct findings *findings, const char *fact, uint32_t rank,
                            uint32_t thread, const char *path);

/// Compares two sorted lists; prints up to MAX_LINES lines that differ to STREAM, each with what
/// the two have, named A_NAME and B_NAME. True when they are the same. Facts for which
/// IS_IGNORED (may be NULL) returns true are left out.
bool findings_equal(const struct findings *a, const char *a_name, const struct findings *b,
                    const char *b_name, bool (*is_ignored)(const char *fact, const void *context),
                    const void *context, FILE *stream, int max_lines);
