// SPDX-License-Identifier: BSD-3-Clause
// A machine from the text of its file, for a test.
#ifndef PAGODA_TESTS_UNIT_MACHINE_TEXT_H
#define PAGODA_TESTS_UNIT_MACHINE_TEXT_H

#include "analyzer/simulation/cost/machine.h"

/// Fails the test when TEXT is no machine file. The caller releases the machine.
struct machine machine_of_text(const char *text);

#endif
