// SPDX-License-Identifier: BSD-3-Clause
// `pagoda explain [KIND | NAME | FILE]`: the patterns, machines and policies Pagoda knows.
#ifndef PAGODA_CMD_EXPLAIN_H
#define PAGODA_CMD_EXPLAIN_H

int cmd_explain(int argc, char **argv);

#endif
