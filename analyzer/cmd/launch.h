// SPDX-License-Identifier: BSD-3-Clause
// What a launch line consists of: wrappers, MPI launcher, program.
#ifndef PAGODA_CMD_LAUNCH_H
#define PAGODA_CMD_LAUNCH_H

#include <stdbool.h>

struct launch {
    int launcher;     // index of mpirun or its like, -1: none seen (a script, srun)
    bool is_open_mpi; // the launcher hands on only the variables it is told to
    int program;      // index of the program, -1: not recognised
    char path[4096];  // of the program's file, empty: not recognised
};

/// Looks at a launch line that ends in NULL. What it finds is a guess: scripts hide what they
/// start, so nothing that decides about tracing rests on it.
struct launch launch_inspect(char **line);

/// The argument after which options for the launcher can be put; a NULL-terminated copy of LINE
/// with
/// `-x NAME` for each of NAMES (NULL-terminated) put there. The caller frees the array, not the
/// strings.
char **launch_with_exports(char **line, const struct launch *launch, const char *const *names);

/// True if the file is an ELF program that no library can be preloaded into.
bool launch_is_static(const char *path);

#endif
