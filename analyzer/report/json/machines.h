// SPDX-License-Identifier: BSD-3-Clause
// `machines --json`: machines in schema 1; keys may be added, never renamed.
#ifndef PAGODA_REPORT_JSON_MACHINES_H
#define PAGODA_REPORT_JSON_MACHINES_H

#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/whatif/machine.h"

/// Prints {"schema":1, "pagoda":VERSION, "machines":[...]}. 0, or -1 and ERR.
int json_print_machines(const struct machine *machines, size_t n, const char *version, FILE *stream,
                        struct error *err);

#endif
