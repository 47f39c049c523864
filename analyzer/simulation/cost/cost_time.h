// SPDX-License-Identifier: BSD-3-Clause
// Times that options and files give as costs.
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"

/// As option_read_duration(), but an hour at most: sums over millions of messages and visits stay
/// far from the end of the clock. 0, or -1 and ERR.
int cost_time_read(const char *text, uint64_t *time_ns, struct error *err);

/// Likewise, of a time slice: 0, or a microsecond at least. No system has shorter ones, and a
/// simulation of them would take for ever.
int cost_time_read_slice(const char *text, uint64_t *slice_ns, struct error *err);
