// SPDX-License-Identifier: BSD-3-Clause
// The patterns that are shipped, for tests that hold the engine against the reference.
#ifndef PAGODA_TESTS_REFERENCE_SHIPPED_CATALOGUE_H
#define PAGODA_TESTS_REFERENCE_SHIPPED_CATALOGUE_H

#include "analyzer/pattern/catalogue.h"

/// Between set-up and tear-down of a group of tests.
extern struct catalogue *shipped_catalogue;

/// Group set-up: loads patterns/ from the folder the tests run in, and has scratch archives kept in
/// memory where the system offers that. Fails, with the reason printed, when it cannot.
int shipped_catalogue_load(void **state);
int shipped_catalogue_unload(void **state);

#endif
