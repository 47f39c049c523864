// SPDX-License-Identifier: BSD-3-Clause
// Words of commands that are printed for the user to call.
#ifndef PAGODA_BASE_SHELL_WORD_H
#define PAGODA_BASE_SHELL_WORD_H

/// TEXT as one word of the shell: as it is if that will do, else in quotes. The caller frees.
char *shell_word(const char *text);

/// The same of a file, which no command takes for an option: behind ./ if it begins with -.
char *shell_path(const char *path);

#endif
