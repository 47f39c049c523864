// SPDX-License-Identifier: BSD-3-Clause
// The values of a result as tuples and property instances of one trial.
#ifndef PAGODA_DB_STORE_VALUES_H
#define PAGODA_DB_STORE_VALUES_H

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "db/writer.h"

/// Writes RESULT's resources, tuples and property instances through WRITER, whose transaction stays
/// open. Which metric has values at which foci is listed in pagoda-store(5). 0, or -1 and ERR.
int store_values(struct writer *writer, const struct result *result, struct error *err);

#endif
