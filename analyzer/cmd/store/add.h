// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store add`: replays archives and keeps what they are, without a report.
#ifndef PAGODA_CMD_STORE_ADD_H
#define PAGODA_CMD_STORE_ADD_H

/// As struct command in main.c, with "add" in argv[0].
int store_add(int argc, char **argv);

#endif
