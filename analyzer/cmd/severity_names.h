// SPDX-License-Identifier: BSD-3-Clause
// What may stand in severity(...) of checkpoints and of properties over experiments.
#ifndef PAGODA_CMD_SEVERITY_NAMES_H
#define PAGODA_CMD_SEVERITY_NAMES_H

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"

/// Whether NAME is a wait state of CATALOGUE, a further severity of a trial
/// (db/query/efficiency.h), or one of FURTHER (ended by NULL, may be NULL). 0, or -1 and ERR: "WHO
/// asks for NAME, ...".
int severity_name_check(const struct catalogue *catalogue, const char *const *further,
                        const char *name, const char *who, struct error *err);

#endif
