// SPDX-License-Identifier: BSD-3-Clause
#ifndef PAGODA_CMD_SCALING_H
#define PAGODA_CMD_SCALING_H

/// `pagoda scaling`: see pagoda-scaling(1).
int cmd_scaling(int argc, char **argv);

#endif
