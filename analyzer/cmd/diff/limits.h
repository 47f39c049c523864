// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff --limits`: trials against a threshold set, a file of limits:
//
//     # metric             limit     focus
//     time_ns              <= 1.5s
//     parallel_efficiency  >= 80 %
//     exclusive_ns         <= 20ms   /CallPath/main/solve
#ifndef PAGODA_CMD_DIFF_LIMITS_H
#define PAGODA_CMD_DIFF_LIMITS_H

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/report/limits.h"
#include "db/database.h"

/// Compares the trials that each of the N SELECTORS means (db/query/times.h) with the limits in the
/// file at PATH, or, where there is none, of the trial of that name, whose origin is "threshold".
/// PAGE refers to SELECTORS and PATH. 0 (PAGE is to be released), or -1 and ERR: the file cannot be
/// read or understood, no such trial, metric or resource, or a share that a trial does not have.
int diff_limits_compare(struct database *database, const char *path, char *const *selectors,
                        size_t n, struct limit_page *page, struct error *err);

#endif
