// SPDX-License-Identifier: BSD-3-Clause
// One call tree out of those of all locations: call paths are the same when the names of their
// regions are.
#ifndef PAGODA_RESULT_CALL_TREE_H
#define PAGODA_RESULT_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/definitions.h"

/// Where the call paths of each location are in the merged tree.
struct call_tree {
    uint32_t **path_of; // [location][call path of that location] -> index into result->paths
    size_t *n_paths;    // by location
    size_t n_locations;
    char **shown; // how the regions of the definitions are shown (base/function_names.h)
    size_t n_shown;
};

/// Fills regions, paths and path_ranks of RESULT (empty before) and TREE. RESULT's order: paths as
/// result.h says, regions by first use in it. The caller releases TREE.
void call_tree_build(struct call_tree *tree, const struct definitions *definitions,
                     const struct pag_result *replay, struct result *result);
void call_tree_release(struct call_tree *tree);

/// The index in result->paths of a location's call path, RESULT_NONE when there is none.
uint32_t call_tree_path(const struct call_tree *tree, uint32_t location, uint32_t call_path);

#endif
