// SPDX-License-Identifier: BSD-3-Clause
// What a launch line consists of: wrappers, MPI launcher, program.
#pragma once

#include <stdbool.h>

enum launcher_kind { LAUNCHER_NONE, LAUNCHER_OPEN_MPI, LAUNCHER_HYDRA, LAUNCHER_SRUN };

struct launch {
    int launcher;            // index of mpirun, srun or their like, -1: none seen (a script)
    enum launcher_kind kind; // of the launcher
    int program;             // index of the program, -1: not recognised
    char path[4096];         // of the program's file, empty: not recognised
};

/// Looks at a launch line that ends in NULL. What it finds is a guess: scripts hide what they
/// start, so nothing that decides about tracing rests on it.
struct launch launch_inspect(char **line);

/// A NULL-terminated copy of LINE in which an option makes the launcher hand on the variables NAMES
/// (NULL-terminated) where it would not: `-x NAME` for Open MPI's, a longer `--export=` where srun
/// has one. The caller frees with words_free().
char **launch_with_exports(char **line, const struct launch *launch, const char *const *names);

/// True if the file is an ELF program that no library can be preloaded into.
bool launch_is_static(const char *path);

/// What srun's --export or the variable SLURM_EXPORT_ENV must be instead of VALUE so that the
/// variables NAMES (NULL-terminated) are exported, too. NULL: VALUE exports everything anyway. The
/// caller frees.
char *launch_export_with(const char *value, const char *const *names);
