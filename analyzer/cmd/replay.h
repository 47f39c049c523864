// SPDX-License-Identifier: BSD-3-Clause
// `pagoda replay TRACE`: see pagoda-replay(1).
#ifndef PAGODA_CMD_REPLAY_H
#define PAGODA_CMD_REPLAY_H

#include <stdbool.h>

#include "analyzer/base/error.h"

/// argv[0] is the command's name; returns an enum exit_status.
int cmd_replay(int argc, char **argv);

/// Checks a command line of `replay` as far as that goes without its trace; WITH_FILES: machine
/// files and policies, too. Runs and prints nothing. 0, or -1 and ERR. ARGV may be reordered.
int replay_check(int argc, char **argv, bool with_files, struct error *err);

#endif
