// SPDX-License-Identifier: BSD-3-Clause
// The top-down search for properties that are critical in a run, along a hierarchy, with what is
// not worth evaluating left out. Source: Fahringer and Seragiotto, "Experience with Aksum" (2003):
// a property that is not critical in a region is not looked for within the region, nor are those
// below it in the hierarchy.
#pragma once

#include "analyzer/pattern/properties/hierarchy.h"
#include "analyzer/result/properties/property_values.h"

struct property_instance {
    uint32_t node; // in hierarchy->nodes
    struct property_focus focus;
    double severity, confidence; // 0..1
};

/// A property that cannot be evaluated.
struct property_gap {
    uint32_t property;
    char *needs; // what the trace does not have: "num_reads, bytes_read"
};

struct property_search {
    const struct result *result;
    const struct property_list *properties;
    const struct hierarchy *hierarchy;
    bool prunes;
    struct property_instance *instances; // critical ones, by severity
    size_t n_instances;
    struct property_gap *gaps; // in the order of the hierarchy
    size_t n_gaps;
    uint64_t n_evaluated, n_saved; // properties of one part of the run
};

/// Fills SEARCH, of which the result, the properties, the hierarchy and .prunes are set; these must
/// outlive it. Whatever is critical there with all that it is within, and below, is found with
/// pruning, too.
void property_search_run(struct property_search *search);

void property_search_release(struct property_search *search);
