// SPDX-License-Identifier: BSD-3-Clause
// The brute-force reference: everything the engine and the pattern catalogue are to find in a
// trace, computed from the whole trace in memory by the plainest code there is (quadratic loops, a
// backward walk for the critical path). Slow, short, and written without a look at the engine.
#pragma once

#include "tests/reference/findings.h"

/// All facts about a text trace, sorted.
void reference_analyse_text(const char *text, struct findings *findings);
