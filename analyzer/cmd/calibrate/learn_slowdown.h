// SPDX-License-Identifier: BSD-3-Clause
// `pagoda calibrate --slowdown` and `--speeds`: learns from recordings of a program with different
// numbers of ranks per core, or on two machines.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Learns from the N archives TRACES into the file OUTPUT (NULL: slowdown.xml or speeds.xml), which
/// may be there only if it OVERWRITES, and prints what was learned. OF_SPEEDS: the archives are
/// two, of this machine and of the target. An exit status.
int learn_slowdown(char *const *traces, size_t n, bool of_speeds, const char *output,
                   bool overwrites, bool wants_json);
