// SPDX-License-Identifier: BSD-3-Clause
#ifndef PAGODA_CMD_ADVISE_H
#define PAGODA_CMD_ADVISE_H

/// `pagoda advise`: replays possible changes and ranks them by what they save.
int cmd_advise(int argc, char **argv);

#endif
