// SPDX-License-Identifier: BSD-3-Clause
// `pagoda check FILE...`: see pagoda-check(1).
#ifndef PAGODA_CMD_CHECK_H
#define PAGODA_CMD_CHECK_H

/// argv[0] is the command's name; returns an enum exit_status.
int cmd_check(int argc, char **argv);

#endif
