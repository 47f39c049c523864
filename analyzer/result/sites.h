// SPDX-License-Identifier: BSD-3-Clause
// Places in the source that MPI calls were made from, and the computing that ended with them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"

/// Fills sites of RESULT, whose call tree is TREE, and TREE's places with them.
void sites_collect(struct call_tree *tree, struct result *result);

/// "worker/MPI_Send at farm.c:31" of a site, as far as it is known; without the function where that
/// is REGION, which the text around names (else RESULT_NONE). The caller frees.
char *site_text(const struct result *result, uint32_t site, uint32_t region);

/// PATH as it is shown, with where its calls are: "main/solve/MPI_Recv at solve.c:56 and 2 other
/// places", the place with most of the waits of PATTERN, or with PATTERN NULL of the calls' time.
/// The caller frees.
char *path_text(const struct result *result, const struct result_pattern *pattern, uint32_t path);

/// The site of the calls of PATH with most of the waits of PATTERN, or with PATTERN NULL of their
/// time; RESULT_NONE: not known.
uint32_t path_site(const struct result *result, const struct result_pattern *pattern,
                   uint32_t path);

/// A line of the source; its file is "" when it is unknown.
struct source {
    const char *file;
    uint32_t line;
};

/// Where the call is, if SITE is known; else the begin of the innermost region around PATH that is
/// not MPI's.
struct source source_of(const struct result *result, uint32_t site, uint32_t path);

/// The heaviest of SHARES (by site, sorted) in REGION, NULL when there is none.
const struct result_path_share *site_share_in(const struct result_path_share *shares, size_t count,
                                              uint32_t region);

/// FILE without its folders, with ":LINE" unless LINE is 0; "" when FILE is. The caller frees.
char *source_text(const char *file, uint32_t line);
