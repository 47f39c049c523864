// SPDX-License-Identifier: BSD-3-Clause
// `pagoda reduce`: see pagoda-reduce(1).
#ifndef PAGODA_CMD_REDUCE_H
#define PAGODA_CMD_REDUCE_H

/// argv[0] is the command's name; returns an enum exit_status.
int cmd_reduce(int argc, char **argv);

#endif
