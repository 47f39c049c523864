// SPDX-License-Identifier: BSD-3-Clause
// Time of ranks without CPU time (pag/without_cpu.h), as sentences. Where ranks shared cores, more
// of them than cores, they were descheduled; else other programs had their cores, or they blocked:
// the trace does not tell which.
#ifndef PAGODA_RESULT_LOST_CORES_H
#define PAGODA_RESULT_LOST_CORES_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/result/result.h"

enum lost_kind { LOST_NONE, LOST_CORES_SHARED, LOST_UNKNOWN };

/// Whether this time is worth a sentence, and whose most of it is: of ranks that shared cores, or
/// of others.
enum lost_kind lost_kind(const struct result *result);

/// Whether REGION stands for this time.
bool lost_is_region(const struct result_region *region);

/// "4 ranks shared 2 cores".
void lost_write_sharing(const struct result *result, FILE *out);

/// ", 84.2 % of it on rank 0", where one rank has more than half, and half as much again as the
/// mean.
void lost_write_rank(const struct result *result, FILE *out);

/// Sentences of the conclusion: how much of it there is, why, and what to do first. Nothing where
/// it is LOST_NONE.
void lost_write(const struct result *result, FILE *out);

#endif
