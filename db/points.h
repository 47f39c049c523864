// SPDX-License-Identifier: BSD-3-Clause
// Points of sweeps that have no trial, with the reason: skipped, failed, or too long. So the
// database shows where an experiment has gaps.
#pragma once

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "db/database.h"

/// A point of a sweep. STATE is NULL if the point has a trial or has not run yet.
struct point_note {
    const char *name;   // as its trial would be called
    const char *state;  // "skipped", "failed" or "too long"
    const char *reason; // one line
    const struct result_named *parameters;
    size_t n_parameters;
};

/// Replaces the notes of these points of a sweep in the database at PATH, and removes those of
/// points that have a trial. APPLICATION NULL stands for that of the experiment's trials; without a
/// trial nothing is noted. 0, or -1 and ERR (nothing changed).
int points_note(const char *path, const char *application, const char *experiment,
                const struct point_note *notes, size_t n_notes, struct error *err);

/// One noted point.
struct point_row {
    char *application, *experiment, *name, *state, *reason;
};

struct point_list {
    struct point_row *rows;
    size_t n_rows, capacity;
};

/// All noted points of an APPLICATION and an EXPERIMENT (NULL: of all), by name. 0 (LIST is to be
/// released), or -1 and ERR.
int points_read(const char *path, const char *application, const char *experiment,
                struct point_list *list, struct error *err);
/// The same of an open database.
int points_select(struct database *database, const char *application, const char *experiment,
                  struct point_list *list, struct error *err);
/// The points with the name SELECTOR: POINT, EXPERIMENT/POINT, or APPLICATION/EXPERIMENT/POINT.
int points_find(struct database *database, const char *selector, struct point_list *list,
                struct error *err);
void point_list_release(struct point_list *list);
/// Moves ROW into LIST unless its point is there already.
void point_list_add(struct point_list *list, struct point_row *row);

/// Removes the note of a point; a transaction is open. 0, or -1 and ERR.
int points_remove(struct database *database, const struct point_row *point, struct error *err);
