// SPDX-License-Identifier: BSD-3-Clause
// Names of files within commands that are printed for the user to call.
#ifndef PAGODA_CMD_SHELL_WORD_H
#define PAGODA_CMD_SHELL_WORD_H

/// PATH as one word of the shell that no command takes for an option: as it is if that will do,
/// else in quotes or behind ./. To be freed.
char *shell_word(const char *path);

#endif
