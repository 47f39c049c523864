// SPDX-License-Identifier: BSD-3-Clause
// Fills one trial within an open transaction: interns names (resources, foci, metrics, properties)
// and appends values.
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/schema.h"

/// Who writes: a trial of DATABASE, which has a transaction open.
struct writer {
    struct database *database;
    int64_t trial_id;
};

/// A resource that is known to the database; PATH is the caller's to free.
struct writer_resource {
    int64_t id;
    char *path;
};

/// The resource of each hierarchy, by id; a root selects all of it.
struct writer_focus {
    int64_t in[N_ROOTS]; // by enum schema_root
};
extern const struct writer_focus writer_whole_program; // all roots, focus id 0

struct writer_metric {
    const char *name, *unit, *description;
    const char *adds_up_over; // "everything", "processes" or "nothing"
};

enum writer_interval { INTERVAL_RUN = 0, INTERVAL_WINDOW = 1 };

/// Finds or adds the resource NAME (any bytes) below PARENT, and notes that the trial has it. A
/// parent with id ROOT_OTHER and path "" makes the root of a hierarchy. 0, or -1 and ERR.
int writer_resource(struct writer *writer, const struct writer_resource *parent, const char *name,
                    struct writer_resource *resource, struct error *err);

/// Finds or adds the resource at PATH (focus.h), with all above it. *ROOT is its hierarchy, an
/// enum schema_root. 0, or -1 and ERR: it is not a path, or has too many levels.
int writer_path(struct writer *writer, const char *path, int64_t *id, int64_t *root,
                struct error *err);

/// Finds or adds an experiment, with its application. 0, or -1 and ERR.
int writer_experiment_id(struct database *database, const char *application, const char *experiment,
                         int64_t *id, struct error *err);

/// NAME, or the first of NAME-2, NAME-3, ... that no trial of the experiment has; the caller frees.
/// NULL and ERR.
char *writer_free_name(struct database *database, int64_t experiment, const char *name,
                       struct error *err);

/// Finds or adds a focus or a metric; *ID is its number. A known metric keeps its texts. 0, or -1
/// and ERR.
int writer_focus_id(struct writer *writer, const struct writer_focus *focus, int64_t *id,
                    struct error *err);
int writer_metric_id(struct writer *writer, const struct writer_metric *metric, int64_t *id,
                     struct error *err);

/// Appends a value. Values for the same metric, focus and interval add up (two regions may have the
/// same name). Fast when called in ascending order of (metric, focus). 0, or -1 and ERR.
int writer_count(struct writer *writer, int64_t metric, int64_t focus,
                 enum writer_interval interval, uint64_t value, struct error *err);
/// The same for a real number; NAN means unknown and stores nothing.
int writer_number(struct writer *writer, int64_t metric, int64_t focus,
                  enum writer_interval interval, double value, struct error *err);
