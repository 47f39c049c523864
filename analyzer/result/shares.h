// SPDX-License-Identifier: BSD-3-Clause
// Time by activity as the engine gives it (location, call path), as shares by region and rank.
#ifndef PAGODA_RESULT_SHARES_H
#define PAGODA_RESULT_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"
#include "analyzer/result/sites.h"
#include "analyzer/trace/definitions.h"

/// Region and rank of each entry, with its time; regions that are none (before the start, clock
/// repair) are added to RESULT. The caller frees.
struct result_path_share *shares_resolve(const struct definitions *definitions,
                                         const struct call_tree *tree,
                                         const struct site_table *sites,
                                         const struct pag_path_entry *entries, size_t n_entries,
                                         struct result *result);

/// A copy of SHARES summed by region, by rank, or by both, the longest first; `share` becomes the
/// part of TIME_NS. *N_SUMS: how many. The caller frees.
struct result_path_share *shares_sum(const struct result_path_share *shares, size_t count,
                                     bool by_region, bool by_rank, uint64_t time_ns,
                                     size_t *n_sums);

/// The parts that have a site, summed by (site, region), without those that are 0; the rank is the
/// one with more than half of it, else RESULT_NONE. Share and order as above. The caller frees.
struct result_path_share *shares_sum_by_site(const struct result_path_share *shares, size_t count,
                                             uint64_t time_ns, size_t *n_sums);

#endif
