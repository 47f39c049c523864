// SPDX-License-Identifier: BSD-3-Clause
// The catalogue: every pattern that was read, in the order of the hierarchy. Read-only after
// loading.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/finding_kind.h"
#include "analyzer/pattern/pattern.h"
#include "analyzer/pattern/properties/hierarchy.h"
#include "analyzer/pattern/tuning.h"

struct catalogue {
    struct pattern *patterns; // parents before children, siblings by id
    size_t n_patterns;
    struct finding_kinds findings;
    struct tunings tunings; // for these
    struct property_list properties;
    struct hierarchy_list hierarchies; // of these
};

/// Loads all *.xml of DIRECTORY (NULL for none) and its folders of findings, tuning points and
/// properties, then the N extra files of patterns, a kind of findings, a tuning point, properties
/// or a hierarchy: what has the id of another one of its sort replaces it, the rest is added. NULL
/// and ERR ("FILE:LINE: ...") when anything is wrong with any of them, or two things of different
/// sorts have the same id. The caller frees.
struct catalogue *catalogue_load(const char *directory, const char *const *extra_files, size_t n,
                                 struct error *err);

/// The same with the patterns that come with the command (data_folder()).
struct catalogue *catalogue_load_shipped(const char *const *extra_files, size_t n,
                                         struct error *err);
void catalogue_free(struct catalogue *catalogue);

/// Index of the pattern with this id, PATTERN_NONE when there is none.
uint32_t catalogue_find(const struct catalogue *catalogue, const char *id);

/// What a severity is computed from.
struct pattern_sums {
    uint64_t total_ns, worst_ns, count, run_time_ns;
    uint32_t n_ranks;
};

/// 0..1 by the pattern's own formula; 0 for an abstract pattern.
double pattern_severity(const struct pattern *pattern, const struct pattern_sums *sums);
