// SPDX-License-Identifier: BSD-3-Clause
// The options of MPI launchers: which words of a launch line are values of an option.
#ifndef PAGODA_CMD_LAUNCH_OPTIONS_H
#define PAGODA_CMD_LAUNCH_OPTIONS_H

#include <stdbool.h>

enum launcher_kind { LAUNCHER_NONE, LAUNCHER_OPEN_MPI, LAUNCHER_HYDRA, LAUNCHER_SRUN };

/// How many words the option WORD takes: itself and the values that follow it as words of their
/// own (`-n 4` is 2, `-n4` and `--ntasks=4` are 1). WORD begins with '-'. What is unknown has no
/// value with mpirun, and one with srun if it is a long option without '='.
int launch_option_words(enum launcher_kind kind, const char *word);

/// What srun's --export or the variable SLURM_EXPORT_ENV must be instead of VALUE so that the
/// variables NAMES (NULL-terminated) are exported, too. NULL: VALUE exports everything anyway. The
/// caller frees.
char *launch_export_with(const char *value, const char *const *names);

#endif
