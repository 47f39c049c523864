// SPDX-License-Identifier: BSD-3-Clause
// `pagoda machines [MACHINE]`: what predictions can be made for.
#ifndef PAGODA_CMD_MACHINES_H
#define PAGODA_CMD_MACHINES_H

/// argv[0] is the command's own name; returns an enum exit_status.
int cmd_machines(int argc, char **argv);

#endif
