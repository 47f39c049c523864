// SPDX-License-Identifier: BSD-3-Clause
// The metrics of properties (analyzer/pattern/properties/asl_property.h), of any part of a result.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pattern/properties/hierarchy.h"
#include "analyzer/result/result.h"

/// A part of a run: RESULT_NONE is all of them. Not both a region and a path; an iteration alone.
struct property_focus {
    uint32_t region, path, rank;
    uint32_t iteration; // in result->iterations.items
};
#define FOCUS_OF_ALL                                                                               \
    {                                                                                              \
        RESULT_NONE, RESULT_NONE, RESULT_NONE, RESULT_NONE                                         \
    }

struct property_values;

/// RESULT must outlive it; the caller frees.
struct property_values *property_values_new(const struct result *result);
void property_values_free(struct property_values *values);

/// Whether RESULT has the metric of SLOT, a SLOT_METRIC.
bool property_values_have(const struct property_values *values, const struct property_slot *slot);

/// The metric of SLOT in FOCUS; NAN where it is not known.
double property_value(struct property_values *values, const struct property_slot *slot,
                      const struct property_focus *focus);

/// The duration of what BASIS is for FOCUS; the program's is its judged part.
double property_basis_value(struct property_values *values, enum property_basis basis,
                            const struct property_focus *focus);

/// The N regions that all visits of REGION are within, the innermost of its first visit first. They
/// have lower numbers.
const uint32_t *property_values_around(const struct property_values *values, uint32_t region,
                                       size_t *n);

/// The first path that is not below PATH any more.
uint32_t property_values_end(const struct property_values *values, uint32_t path);

/// The outermost paths that end in REGION, *N of them.
const uint32_t *property_values_paths(const struct property_values *values, uint32_t region,
                                      size_t *n);
