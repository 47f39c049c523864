// SPDX-License-Identifier: BSD-3-Clause
// Damaged traces, in commands that print no report on one.
#ifndef PAGODA_CMD_DAMAGE_H
#define PAGODA_CMD_DAMAGE_H

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "db/database.h"

/// Warns of each kind of damage to the trace behind RESULT. Whether there is any.
bool damage_warn(const struct result *result);

/// The same of the trace that a trial of DATABASE was made from. 0, or -1 and ERR.
int damage_warn_of_trial(struct database *database, int64_t trial, struct error *err);

#endif
