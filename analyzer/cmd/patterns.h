// SPDX-License-Identifier: BSD-3-Clause
// `pagoda patterns [ID]`: what a replay looks for.
#ifndef PAGODA_CMD_PATTERNS_H
#define PAGODA_CMD_PATTERNS_H

/// argv[0] is the command's own name; returns an enum exit_status.
int cmd_patterns(int argc, char **argv);

#endif
