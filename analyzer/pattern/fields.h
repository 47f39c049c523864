// SPDX-License-Identifier: BSD-3-Clause
// The names that expressions of patterns may use: the fields of each kind of trigger event (from
// the lists of analyzer/pag/trigger.h), named constants, and the sums a severity is computed from.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/pag/trigger.h"
#include "analyzer/pattern/expression.h"

enum {
    FIELD_PARENT_WAIT =
        TRIGGER_MAX_FIELDS, // slot of `parent_wait`: the wait of the pattern that
                            // this one is evaluated within, at the same trigger event
    FIELD_PARENT_BEGIN = TRIGGER_MAX_FIELDS + 1, // when that wait began
};

/// What a severity may use: X(NAME, name); times in ns.
#define SEVERITY_FIELDS(X)                                                                         \
    X(TOTAL, total)       /* of all instances */                                                   \
    X(WORST, worst)       /* longest wait of one instance */                                       \
    X(COUNT, count)       /* instances */                                                          \
    X(RANKS, ranks)       /* of the run */                                                         \
    X(RUN_TIME, run_time) /* from the first to the last event */

#define SEVERITY_ENUM(NAME, name) SEVERITY_##NAME,
enum severity_field { SEVERITY_FIELDS(SEVERITY_ENUM) SEVERITY_N_FIELDS };
#undef SEVERITY_ENUM

/// "receive", "send", ...; the names are those of the element <trigger> of a pattern.
const char *trigger_kind_name(enum trigger_kind kind);

/// The kind of that name; false when there is none.
bool trigger_kind_find(const char *name, enum trigger_kind *kind);

/// What expressions at triggers of a kind may use; IS_WITHIN adds `parent_wait` and `parent_begin`.
struct expression_scope trigger_scope(enum trigger_kind kind, bool is_within);

/// What severities may use; slots are enum severity_field.
struct expression_scope severity_scope(void);

/// Offsets of a trigger's times that every kind has.
size_t trigger_enter_field(enum trigger_kind kind);
size_t trigger_leave_field(enum trigger_kind kind);
