// SPDX-License-Identifier: BSD-3-Clause
// The patterns that are shipped, for tests that hold the engine against the reference.
#ifndef PAGODA_TESTS_REFERENCE_SHIPPED_CATALOGUE_H
#define PAGODA_TESTS_REFERENCE_SHIPPED_CATALOGUE_H

#include "analyzer/pattern/catalogue.h"

/// Loads patterns/ from the folder the tests run in, and has scratch archives kept in memory where
/// the system offers that. NULL, with the reason printed, when it cannot. The caller frees.
struct catalogue *shipped_catalogue(void);

#endif
