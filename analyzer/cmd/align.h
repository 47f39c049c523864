// SPDX-License-Identifier: BSD-3-Clause
#ifndef PAGODA_CMD_ALIGN_H
#define PAGODA_CMD_ALIGN_H

/// `pagoda align TRACE -o DIR`; returns the exit status.
int cmd_align(int argc, char **argv);

#endif
