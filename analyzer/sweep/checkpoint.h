// SPDX-License-Identifier: BSD-3-Clause
// Conditions on what the points so far have shown, which end a sweep (Aksum's checkpoints):
//
//     avg severity(inefficiency, program, last 5) > 0.75 and stddev <= 0.1
//     max severity(late-sender, main/solve) > 0.2
//
// The region is `program` (or left out), or what severity.h understands; in quotation
// marks if it has a comma or a parenthesis that is not closed.
// Operations: avg, min, max, stddev (of a sample; 0 of a single value), trend (from -1 to 1: by how
// many more pairs of points the severity rises with the parameter than falls, of all pairs of
// different parameters; no number without such a pair), any and all (the relation holds for a
// point, for each). Relations: > >= < <= = and their signs. A condition without severity(...) takes
// that of the one before. Without `last N` all points count, else the condition does not hold
// before there are N.
#ifndef PAGODA_SWEEP_CHECKPOINT_H
#define PAGODA_SWEEP_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

enum { SWEEP_MAX_CONDITIONS = 8 };

enum sweep_operation {
    SWEEP_AVG,
    SWEEP_MIN,
    SWEEP_MAX,
    SWEEP_STDDEV,
    SWEEP_TREND,
    SWEEP_ANY,
    SWEEP_ALL,
    N_SWEEP_OPERATIONS,
};
enum sweep_relation { SWEEP_MORE, SWEEP_AT_LEAST, SWEEP_LESS, SWEEP_AT_MOST, SWEEP_EQUAL };

struct sweep_condition {
    enum sweep_operation operation;
    enum sweep_relation relation;
    size_t property; // index in the checkpoints' list
    size_t last;     // 0: all
    double bound;
};

struct sweep_checkpoint {
    char *text;
    struct sweep_condition conditions[SWEEP_MAX_CONDITIONS];
    size_t n_conditions;
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

/// Notes the severity of property number SERIES in one more point.
void sweep_checkpoints_note(struct sweep_checkpoints *checkpoints, size_t series, double severity);

/// The same of a point with the parameter X.
void sweep_checkpoints_note_at(struct sweep_checkpoints *checkpoints, size_t series, double x,
                               double severity);

/// Reads TEXT, a condition without its relation and bound, such as `max severity(inefficiency)`,
/// whose series is added to those of CHECKPOINTS. 0, or -1 and ERR.
int sweep_checkpoints_add_value(struct sweep_checkpoints *checkpoints, const char *text,
                                struct sweep_condition *value, struct error *err);
/// What such a value is of the severities noted; NAN where it is unknown.
double sweep_checkpoints_value(const struct sweep_checkpoints *checkpoints,
                               const struct sweep_condition *value);

/// The first checkpoint that holds, or NULL.
const struct sweep_checkpoint *
sweep_checkpoints_reached(const struct sweep_checkpoints *checkpoints);

void sweep_checkpoints_release(struct sweep_checkpoints *checkpoints);

#endif
