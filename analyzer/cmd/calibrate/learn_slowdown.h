// SPDX-License-Identifier: BSD-3-Clause
// `pagoda calibrate --slowdown`: learns from recordings of a program with different numbers of
// ranks per core.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Learns from the N archives TRACES into the file OUTPUT (NULL: slowdown.xml), which may be there
/// only if it OVERWRITES, and prints what was learned. An exit status.
int learn_slowdown(char *const *traces, size_t n, const char *output, bool overwrites,
                   bool wants_json);
