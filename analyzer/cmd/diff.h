// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff DB A B...`: see pagoda-diff(1).
#ifndef PAGODA_CMD_DIFF_H
#define PAGODA_CMD_DIFF_H

/// argv[0] is the command's name; returns an enum exit_status.
int cmd_diff(int argc, char **argv);

#endif
