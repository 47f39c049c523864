// SPDX-License-Identifier: BSD-3-Clause
// Damaged traces, in commands that print no report on one.
#ifndef PAGODA_CMD_DAMAGE_H
#define PAGODA_CMD_DAMAGE_H

#include "analyzer/report/result.h"

/// Warns of each kind of damage to the trace behind RESULT. Whether there is any.
bool damage_warn(const struct result *result);

#endif
