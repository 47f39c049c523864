// SPDX-License-Identifier: BSD-3-Clause
// The top-down search for properties that are critical in a run, along a hierarchy, with what is
// not worth evaluating left out. Source: Fahringer and Seragiotto, "Experience with Aksum" (2003):
// a property that is not critical in a region is not looked for within the region, nor are those
// below it in the hierarchy.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pattern/properties/hierarchy.h"
#include "analyzer/result/result.h"

// --- property_values.c
// The metrics of properties (analyzer/pattern/properties/asl_property.h), of any part of a result.

struct property_values;

/// RESULT must outlive it; the caller frees.
struct property_values *property_values_new(const struct result *result);
void property_values_free(struct property_values *values);

/// What PROPERTY needs and RESULT does not have, "num_reads, bytes_read"; NULL without. The caller
/// frees.
char *property_needs(const struct result *result, const struct asl_property *property,
                     bool is_of_phase);

/// The region with this name, whole or as texts show it; RESULT_NONE: there is none.
uint32_t property_region(const struct result *result, const char *name);

/// The number of the metric of SLOT in RESULT, for property_value().
unsigned property_metric(const struct result *result, const struct property_slot *slot);

/// The metric with this number in FOCUS; NAN where it is not known.
double property_value(struct property_values *values, unsigned metric,
                      const struct result_part *focus);

/// The duration of what BASIS is for FOCUS; the program's is its judged part.
double property_basis_value(struct property_values *values, enum property_basis basis,
                            const struct result_part *focus);

/// The N regions that all visits of REGION are within, the innermost of its first visit first. They
/// have lower numbers.
const uint32_t *property_values_around(const struct property_values *values, uint32_t region,
                                       size_t *n);

/// The first path that is not below PATH any more.
uint32_t property_values_end(const struct property_values *values, uint32_t path);

/// The outermost paths that end in REGION, *N of them.
const uint32_t *property_values_paths(const struct property_values *values, uint32_t region,
                                      size_t *n);

// --- property_evaluation.c

/// How many parts of a run a property with this focus is asked of, and the one with INDEX.
size_t property_n_foci(const struct result *result, enum property_focus_kind kind);
struct result_part property_focus_at(enum property_focus_kind kind, uint32_t index);

/// A property, or a metric, in one part of a run.
struct property_evaluation {
    struct property_values *values;
    const struct result *result; // theirs
    const struct asl_property *property;
    const struct property_node *node; // NULL: of a metric
    struct result_part focus;
    double slots[EXPRESSION_SLOTS];
    struct {
        unsigned metric;
        uint32_t region;       // RESULT_NONE: the slot names none
    } named[EXPRESSION_SLOTS]; // by slot: what its names mean in the run
};

/// Looks up what the property names, and computes what is the same in each focus; .values to .node
/// are set.
void property_evaluation_begin(struct property_evaluation *evaluation);

/// Computes .slots, which its expressions use, in .focus; after property_evaluation_begin().
void property_evaluate(struct property_evaluation *evaluation);

/// The same for RANK alone there, once property_evaluate() has made what is not of the focus: the
/// property has no sets, and names metrics of its focus that are known by rank.
void property_evaluate_rank(struct property_evaluation *evaluation, uint32_t rank);

// --- property_search.c

struct property_search {
    const struct result *result;
    const struct property_list *properties;
    const struct hierarchy *hierarchy;
    struct result_search found;
};

/// The least difference of severities that is a change, and its share of the severity before.
#define PROPERTY_CHANGE       0.01
#define PROPERTY_CHANGE_SHARE 0.05

/// Fills SEARCH, of which the result, the properties, the hierarchy, .found.hierarchy,
/// .found.prunes and what earlier trials had are set; these must outlive it. Whatever is critical
/// there with all that it is within, and below, is found with pruning, too. What was critical in
/// earlier trials is evaluated first (Karavanic and Miller, "Improving online performance diagnosis
/// by the use of historical performance data", SC 1999): that changes the order of evaluations, but
/// not which are made.
void property_search_run(struct property_search *search);

void property_search_release(struct property_search *search);
