// SPDX-License-Identifier: BSD-3-Clause
// Checks lines of pagoda-trials(5): their order, their members, and that what they refer to was
// there before. The same in the pass that checks and in the one that stores.
#ifndef PAGODA_DB_TRANSFER_FORM_H
#define PAGODA_DB_TRANSFER_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/json_lines.h"
#include "analyzer/base/map.h"

enum form_line {
    LINE_VERSION,
    LINE_POINT, // of a sweep, without a trial: outside of trials
    LINE_POINT_PARAMETER,
    LINE_TRIAL,
    LINE_ATTRIBUTE,
    LINE_WARNING,
    LINE_HINT,
    LINE_INTERVAL,
    LINE_METRIC,
    LINE_PROPERTY,
    LINE_RESOURCE,
    LINE_NODE,
    LINE_RANK,
    LINE_FOCUS,
    LINE_VALUE,
    LINE_EVALUATED,
    LINE_INSTANCE,
    LINE_END,
    N_FORM_LINES,
};

/// A resource of the trial that is being read.
struct form_resource {
    char *path;
    uint32_t root; // the place of its hierarchy's root, 0 for one of the user's
};

/// Where a reader is.
struct form {
    struct json_lines *lines;
    bool has_version, is_in_trial;
    enum form_line last; // kind of the line before; lines of a trial are ordered by kind
    struct form_resource *resources; // by place; the first are the roots
    size_t n_resources, resources_capacity;
    uint64_t n_metrics, n_properties, n_foci, n_values, n_trials;
    struct map intervals;  // numbers of the trial's
    int64_t last_value[3]; // metric, focus, interval: values are in that order
    uint64_t hash;         // of the contents of the trial, without its name and date of storing
};

void form_init(struct form *form, struct json_lines *lines);
void form_release(struct form *form);

/// Reads and checks the next line: 1 and *KIND, 0 at the end of a whole file, -1 and ERR.
int form_next(struct form *form, enum form_line *kind, struct error *err);

/// Goes from the first line of the file to the end of the next trial, adding up `hash` only: 1, or
/// -1 and ERR.
int form_skip_trial(struct form *form, struct error *err);

#endif
