// SPDX-License-Identifier: BSD-3-Clause
#ifndef PAGODA_CMD_CALIBRATE_H
#define PAGODA_CMD_CALIBRATE_H

/// `pagoda calibrate`: measures this machine under a launcher and writes a machine file.
int cmd_calibrate(int argc, char **argv);

#endif
