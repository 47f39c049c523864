// SPDX-License-Identifier: BSD-3-Clause
// The machine files of a prediction: each is read once, however many points of a list use it.
#ifndef PAGODA_WHATIF_MACHINES_H
#define PAGODA_WHATIF_MACHINES_H

#include "analyzer/base/error.h"
#include "analyzer/simulation/cost/machine.h"

struct whatif_machines;

struct whatif_machines *whatif_machines_new(void);
void whatif_machines_free(struct whatif_machines *machines);

/// The machine of file NAME, read when it is asked for first; NULL and ERR when it cannot be read.
const struct machine *whatif_machines_get(struct whatif_machines *machines, const char *name,
                                          struct error *err);

#endif
