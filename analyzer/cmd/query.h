// SPDX-License-Identifier: BSD-3-Clause
// `pagoda query`: values of stored runs, selected and summarised.
#ifndef PAGODA_CMD_QUERY_H
#define PAGODA_CMD_QUERY_H

/// As struct command in main.c.
int cmd_query(int argc, char **argv);

#endif
