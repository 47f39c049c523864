// SPDX-License-Identifier: BSD-3-Clause
#ifndef PAGODA_CMD_SWEEP_H
#define PAGODA_CMD_SWEEP_H

/// `pagoda sweep`; returns the exit status.
int cmd_sweep(int argc, char **argv);

#endif
