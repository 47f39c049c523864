// SPDX-License-Identifier: BSD-3-Clause
// What the archive of a traced run says about its launch: command, folder, date, and the version of
// the sources as far as git knows it.
#pragma once

#include <stdint.h>
#include <stdio.h>

/// Writes the facts of the launch line LINE (up to NULL) in the form pagoda-trace-finish reads.
/// The version is that of the repository that holds the file PROGRAM (empty: not known), else of
/// the one that holds the working folder. Asks the git command and waits some seconds for it at
/// most; without git there is no version, which is not an error.
void launch_facts_write(char **line, const char *program, FILE *file);

/// Writes how long the launch line took.
void launch_facts_add_time(uint64_t time_ns, FILE *file);
