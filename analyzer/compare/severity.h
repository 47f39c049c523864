// SPDX-License-Identifier: BSD-3-Clause
// What may stand in severity(...) of checkpoints and of properties over experiments.
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "db/database.h"

/// Whether NAME is a wait state of CATALOGUE, a further severity of a trial
/// (db/query/figures.h), or one of FURTHER (ended by NULL, may be NULL). 0, or -1 and ERR: "WHO
/// asks for NAME, ...".
int severity_name_check(const struct catalogue *catalogue, const char *const *further,
                        const char *name, const char *who, struct error *err);

/// The severity, 0 to 1, of PROPERTY in REGION of trial ID: the share of all ranks' time in REGION
/// that is spent in MPI (inefficiency), or waited in that wait state. REGION is a focus in resource
/// normal form if it begins with / or <; else a function, or functions that call each other
/// (main/solve), with wildcards, with all below. NAN when the trial has no such region; WHY (empty
/// before) then says so.
double region_severity_read(struct database *database, int64_t id, const char *property,
                            const char *region, struct error *why);

/// 0 when REGION can be understood and PROPERTY is known of regions: all are but those of a stored
/// trial's whole run (trial_severity_names) other than inefficiency, and FURTHER (up to NULL; NULL
/// for none). Else -1 and ERR. WHO asks is said first.
int region_severity_check(const char *property, const char *region, const char *const *further,
                          const char *who, struct error *err);
