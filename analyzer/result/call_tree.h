// SPDX-License-Identifier: BSD-3-Clause
// One call tree out of those of all locations: call paths are the same when the names of their
// regions are.
#pragma once

#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/definitions.h"

/// What a call path of one location is in the merged tree.
struct call_place {
    uint32_t path; // in result->paths; of a stretch that of the path it is in
    uint32_t site; // in result->sites: of a call its own, of a stretch that of the call after it;
                   // RESULT_NONE for other paths and calls of unknown place
};

/// The merged call tree of a replay.
struct call_tree {
    const struct definitions *definitions;
    const struct pag_result *replay;
    struct call_place **places; // [location][call path of that location]
    char **shown; // how the regions of the definitions are shown (base/function_names.h)
};

/// Fills regions, paths and path_ranks of RESULT (empty before) and TREE, whose sites come later
/// (sites.h); DEFINITIONS and REPLAY must outlive it. RESULT's order: paths as result.h says,
/// regions by first use in it. The caller releases TREE.
void call_tree_build(struct call_tree *tree, const struct definitions *definitions,
                     const struct pag_result *replay, struct result *result);
void call_tree_release(struct call_tree *tree);

/// The place of a location's call path; both RESULT_NONE when there is none.
struct call_place call_tree_place(const struct call_tree *tree, uint32_t location,
                                  uint32_t call_path);
