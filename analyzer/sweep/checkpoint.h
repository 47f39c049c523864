// SPDX-License-Identifier: BSD-3-Clause
// Conditions on what the points so far have shown, which end a sweep (Aksum's checkpoints), written
// as pagoda-conditions(7) says:
//
//     avg(inefficiency, program, last 5) > 0.75 && stddev <= 0.1
//     max(late-sender, main/solve) > 0.2
//
// The region is `program` (or left out), or what region_severity.h understands; in quotation marks
// if it has a comma or a parenthesis that is not closed.
// Operations: avg, min, max, stddev (of a sample; 0 for a single value), trend (from -1 to 1: how
// many more pairs of points the severity rises with the parameter than falls, of all pairs of
// different parameters; unknown without such a pair). An operation alone has the arguments of the
// value before it. Without `last N` all points count, with it a value is unknown until there are N.
// Comparisons with an unknown value do not hold.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/formula.h"

enum sweep_operation {
    SWEEP_AVG,
    SWEEP_MIN,
    SWEEP_MAX,
    SWEEP_STDDEV,
    SWEEP_TREND,
    N_SWEEP_OPERATIONS,
};

/// An operation on a series of severities.
struct sweep_value {
    enum sweep_operation operation;
    size_t series; // index in the checkpoints' list
    size_t last;   // 0: all
};

struct sweep_checkpoint {
    char *text;
    struct sweep_value values[FORMULA_MAX_VARIABLES]; // in the order of the text
    size_t n_values;
    struct formula *formula; // in these values
};

/// The checkpoints of a sweep, the properties (of regions) they ask for, and the severities seen so
/// far.
struct sweep_checkpoints {
    struct sweep_checkpoint *items;
    size_t n, capacity;
    struct sweep_series {
        char *property;
        char *region;    // NULL: the program
        bool is_unknown; // said that a trial has no such region
        struct sweep_severity {
            double x;     // the parameter; in a sweep the number of the point
            double value; // NAN where unknown
        } * severities;   // by point, in the order of the sweep
        size_t n, capacity;
    } * series;
    size_t n_series, series_capacity;
};

/// Adds the checkpoint TEXT. 0, or -1 and ERR with what cannot be understood.
int sweep_checkpoints_add(struct sweep_checkpoints *checkpoints, const char *text,
                          struct error *err);

/// Adds the severity of property number SERIES in the next point.
void sweep_checkpoints_note(struct sweep_checkpoints *checkpoints, size_t series, double severity);

/// The same of a point with the parameter X.
void sweep_checkpoints_note_at(struct sweep_checkpoints *checkpoints, size_t series, double x,
                               double severity);

/// Reads TEXT, a value such as `max(inefficiency)`, whose series is added to those of CHECKPOINTS.
/// 0, or -1 and ERR.
int sweep_checkpoints_add_value(struct sweep_checkpoints *checkpoints, const char *text,
                                struct sweep_value *value, struct error *err);
/// What such a value is of the severities noted; NAN where it is unknown.
double sweep_checkpoints_value(const struct sweep_checkpoints *checkpoints,
                               const struct sweep_value *value);

/// The first checkpoint that holds, or NULL.
const struct sweep_checkpoint *
sweep_checkpoints_reached(const struct sweep_checkpoints *checkpoints);

void sweep_checkpoints_release(struct sweep_checkpoints *checkpoints);
