// SPDX-License-Identifier: BSD-3-Clause
// Places in the source that MPI calls were made from, and the computing that ended with them.
#ifndef PAGODA_RESULT_SITES_H
#define PAGODA_RESULT_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/definitions.h"

/// Which call paths of each location are calls from which site.
struct site_table {
    uint32_t **site_of; // [location][call path of that location] -> index into result->sites
    size_t *n_paths;    // by location
    size_t n_locations;
};

/// Fills sites of RESULT, whose call tree is TREE, and TABLE. The caller releases TABLE.
void sites_collect(const struct definitions *definitions, const struct call_tree *tree,
                   const struct pag_result *replay, struct result *result,
                   struct site_table *table);
void site_table_release(struct site_table *table);

/// The site of a location's call path: of a call its own, of a stretch that of the call behind it;
/// RESULT_NONE for other paths and calls of unknown place.
uint32_t site_table_at(const struct site_table *table, uint32_t location, uint32_t call_path);

/// "worker/MPI_Send at farm.c:31" of a site, as far as it is known; without the function where that
/// is REGION, which the text around names (else RESULT_NONE). The caller frees.
char *site_text(const struct result *result, uint32_t site, uint32_t region);

/// PATH as it is shown, with where its calls are: "main/solve/MPI_Recv at solve.c:56 and 2 other
/// places", the place with most of the waits of PATTERN, or with PATTERN NULL of the calls' time.
/// The caller frees.
char *path_text(const struct result *result, const struct result_pattern *pattern, uint32_t path);

/// The heaviest of SHARES (by site, sorted) in REGION, NULL when there is none.
const struct result_path_share *site_share_in(const struct result_path_share *shares, size_t count,
                                              uint32_t region);

/// FILE without its folders, with ":LINE" unless LINE is 0; "" when FILE is. The caller frees.
char *source_text(const char *file, uint32_t line);

#endif
