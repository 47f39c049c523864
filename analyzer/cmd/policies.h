// SPDX-License-Identifier: BSD-3-Clause
// `pagoda policies [POLICY]`: how work can be dealt while a program runs.
#ifndef PAGODA_CMD_POLICIES_H
#define PAGODA_CMD_POLICIES_H

/// argv[0] is the command's own name; returns an enum exit_status.
int cmd_policies(int argc, char **argv);

#endif
