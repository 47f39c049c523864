// SPDX-License-Identifier: BSD-3-Clause
// `pagoda replay TRACE`: see pagoda-replay(1).
#ifndef PAGODA_CMD_REPLAY_H
#define PAGODA_CMD_REPLAY_H

/// argv[0] is the command's name; returns an enum exit_status.
int cmd_replay(int argc, char **argv);

#endif
