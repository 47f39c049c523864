// SPDX-License-Identifier: BSD-3-Clause
// Points of sweeps without a trial (points.h) in files of trials, pagoda-trials(5): from database
// to database they go beside the trials, not within one.
#ifndef PAGODA_DB_TRANSFER_POINTS_H
#define PAGODA_DB_TRANSFER_POINTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/base/json_lines.h"
#include "analyzer/result/result.h"
#include "db/database.h"

/// Writes the points of the applications and experiments that match these patterns (NULL: all) and
/// adds their number to *N_POINTS. DATABASE has a transaction open. 0, or -1 and ERR: the database
/// cannot be read. Whether STREAM took everything the caller finds out.
int points_export(struct database *database, const char *application, const char *experiment,
                  FILE *stream, size_t *n_points, struct error *err);

enum { POINT_LINE_TEXTS = 6 }; // application, experiment, name, state, reason, time of noting

/// Points of a file that is being imported; one is stored when all its parameters have been read.
/// Begins with zeros and the database.
struct point_import {
    struct database *database;
    char *texts[POINT_LINE_TEXTS]; // of the point that is being read; NULL: there is none
    struct result_named *parameters;
    size_t n_parameters, capacity;
    size_t n_taken; // that are in the database now and were not before
};

/// Takes the present line of LINES, a point, or a parameter of the last one; both are checked
/// already (form.h). DATABASE has a transaction open. 0, or -1 and ERR.
int point_import_begin(struct point_import *import, const struct json_lines *lines,
                       struct error *err);
void point_import_parameter(struct point_import *import, const struct json_lines *lines);

/// To be called behind the last line: of points that have a trial now the notes go. 0, or -1 and
/// ERR.
int point_import_end(struct point_import *import, struct error *err);
void point_import_release(struct point_import *import);

#endif
