// SPDX-License-Identifier: BSD-3-Clause
// Advice on a run: which changes of the program or its machine would save how much.
#pragma once

#include "analyzer/advise/candidates.h"
#include "analyzer/base/error.h"

/// Fills ADVICE except for trace and target. 0, or -1 and ERR.
int advise_run(const struct advise_setting *setting, struct advice *advice, struct error *err);
