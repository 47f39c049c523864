// SPDX-License-Identifier: BSD-3-Clause
// Which version of its sources a program was built from, as far as git knows.
#ifndef PAGODA_CMD_TRACE_REVISION_H
#define PAGODA_CMD_TRACE_REVISION_H

#include <stdbool.h>

struct trace_revision {
    char commit[65];  // empty: no repository, or no git command
    char modified[4]; // "yes", "no", or empty: not known
    char branch[256]; // empty: none is checked out, or not known
    char tag[256];    // of this very commit, the nearest one if it has several; empty: none
};

/// Of the repository that holds the file PROGRAM (empty: not known), else of the one that holds the
/// working folder. Asks the git command and waits at most some seconds for it; without git nothing
/// is found, which is no error.
struct trace_revision trace_revision_find(const char *program);

#endif
