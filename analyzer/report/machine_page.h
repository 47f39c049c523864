// SPDX-License-Identifier: BSD-3-Clause
// Machines (simulation/cost/machine.h) for people.
#ifndef PAGODA_REPORT_MACHINE_PAGE_H
#define PAGODA_REPORT_MACHINE_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "analyzer/simulation/cost/machine.h"

/// A line or more for each: name, cores of a node, scopes of its messages, collective operations,
/// summary. Within WIDTH columns.
void machine_page_list(const struct machine *machines, size_t n, size_t width, FILE *stream);

/// All that one says: cores, messages of each scope, collectives, where its numbers are from, what
/// is missing.
void machine_page_one(const struct machine *machine, size_t width, FILE *stream);

#endif
