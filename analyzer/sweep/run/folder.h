// SPDX-License-Identifier: BSD-3-Clause
// The folder of a sweep: a folder for each point, with the archive, the output, and finally a file
// that says how the point ended. An interrupted sweep continues from it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"

/// Makes the folder and those above it, and locks it: one sweep at a time, and none while a program
/// of a killed sweep still runs, because programs inherit the lock. Returns it, or -1 and ERR.
int sweep_folder_open(const char *dir, struct error *err);

/// Folder of the point NAME in DIR: a name of its own for each point, whatever is in NAME. The
/// caller frees.
char *sweep_folder_of(const char *dir, const char *name);

/// Makes the folder of a point anew, empty. 0, or -1 and ERR.
int sweep_folder_make(const char *point_dir, struct error *err);

/// How a point ended.
struct sweep_result {
    int status;         // exit status
    bool is_over_limit; // it was ended because its time was over
    bool is_build;      // it ended in its build, which failed
    uint64_t wall_ns;
};

/// Leaves RESULT of the run of COMMAND in the point's folder, wholly or not at all. 0, or -1 and
/// ERR.
int sweep_result_write(const char *point_dir, const char *command,
                       const struct sweep_result *result, struct error *err);

/// True when the folder has the result of a run of COMMAND.
bool sweep_result_read(const char *point_dir, const char *command, struct sweep_result *result);
