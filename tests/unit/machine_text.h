// SPDX-License-Identifier: BSD-3-Clause
// Machines from the text of their files, for tests.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/simulation/cost/machine.h"
#include "tests/reference/engine_run.h"

/// Fails the test when TEXT is not a machine file. The caller releases the machine.
struct machine machine_of_text(const char *text);

/// Predicts the text trace TEXT on the machine of MACHINE_TEXT; false when that fails, why goes to
/// STREAM. The caller releases TIMES in either case.
bool predict_on(const char *text, const char *machine_text, struct predicted_times *times,
                FILE *stream);
