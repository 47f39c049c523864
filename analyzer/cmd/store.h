// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store list|show|remove DB ...`: see pagoda-store(1).
#ifndef PAGODA_CMD_STORE_H
#define PAGODA_CMD_STORE_H

/// argv[0] is the command's name; returns an enum exit_status.
int cmd_store(int argc, char **argv);

#endif
