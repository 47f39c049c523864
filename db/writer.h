// SPDX-License-Identifier: BSD-3-Clause
// Fills one trial within an open transaction: interns names (resources, foci, metrics, properties)
// and appends values through statements compiled once.
#ifndef PAGODA_DB_WRITER_H
#define PAGODA_DB_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

struct sqlite3_stmt;

enum writer_statement {
    FIND_RESOURCE,
    ADD_RESOURCE,
    USE_RESOURCE,
    FIND_FOCUS,
    ADD_FOCUS,
    ADD_METRIC,
    FIND_METRIC,
    ADD_PROPERTY,
    FIND_PROPERTY,
    ADD_TUPLE,
    ADD_INSTANCE,
    N_WRITER_STATEMENTS,
};

struct writer {
    struct database *database;
    int64_t trial_id;
    struct sqlite3_stmt *statements[N_WRITER_STATEMENTS];
};

/// A resource that is known to the database; PATH is the caller's to free.
struct writer_resource {
    int64_t id;
    char *path;
};

/// One resource of each hierarchy, by id; the roots of schema.h select everything.
struct writer_focus {
    int64_t call_path, process, code, machine, message, other;
};
extern const struct writer_focus writer_whole_program; // all roots, focus id 0

struct writer_metric {
    const char *name, *unit, *description;
    const char *adds_up_over; // "everything", "processes" or "nothing"
};

enum writer_interval { INTERVAL_RUN = 0, INTERVAL_WINDOW = 1 };

/// Prepares writing values of the trial TRIAL_ID; DATABASE has a transaction open. 0, or -1 and
/// ERR; writer_release() in both cases.
int writer_init(struct writer *writer, struct database *database, int64_t trial_id,
                struct error *err);
void writer_release(struct writer *writer);

/// Finds or adds the resource NAME (any bytes) below PARENT, and notes that the trial has it. A
/// parent with id ROOT_OTHER and path "" makes the root of a hierarchy. 0, or -1 and ERR.
int writer_resource(struct writer *writer, const struct writer_resource *parent, const char *name,
                    struct writer_resource *resource, struct error *err);

/// Finds or adds the resource at PATH (focus.h), with all above it. *ROOT, unless NULL, is its
/// hierarchy, a number of schema.h. 0, or -1 and ERR: it is no path, or has too many levels.
int writer_path(struct writer *writer, const char *path, int64_t *id, int64_t *root,
                struct error *err);

/// Finds or adds an experiment, with its application. 0, or -1 and ERR.
int writer_experiment_id(struct database *database, const char *application, const char *experiment,
                         int64_t *id, struct error *err);

/// Finds or adds a focus, a metric, a property; *ID is its number. A known metric keeps its texts,
/// a property gets the new ones. 0, or -1 and ERR.
int writer_focus_id(struct writer *writer, const struct writer_focus *focus, int64_t *id,
                    struct error *err);
int writer_metric_id(struct writer *writer, const struct writer_metric *metric, int64_t *id,
                     struct error *err);
int writer_property_id(struct writer *writer, const char *const texts[5], int64_t *id,
                       struct error *err);

/// Appends a value. Values for the same metric, focus and interval add up (two regions may have the
/// same name). Fast when called in ascending order of (metric, focus). 0, or -1 and ERR.
int writer_count(struct writer *writer, int64_t metric, int64_t focus,
                 enum writer_interval interval, uint64_t value, struct error *err);
/// The same for a real number; NAN means unknown and stores nothing.
int writer_number(struct writer *writer, int64_t metric, int64_t focus,
                  enum writer_interval interval, double value, struct error *err);

struct writer_instance {
    int64_t property, focus;
    double severity, confidence;
    uint64_t count, wait_ns;
};
/// Appends a property instance of the whole run's time; instances at the same focus add up.
int writer_instance(struct writer *writer, const struct writer_instance *instance,
                    struct error *err);

/// Binds VALUE, as a real number where an integer of SQLite cannot hold it.
void writer_bind_count(struct sqlite3_stmt *statement, int position, uint64_t value);
/// Binds TEXT as valid UTF-8 without control characters; NULL is the empty text.
void writer_bind_text(struct sqlite3_stmt *statement, int position, const char *text);

#endif
