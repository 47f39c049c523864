// SPDX-License-Identifier: BSD-3-Clause
// Text files that people write, line by line.
#pragma once

#include "analyzer/base/error.h"

/// Takes a LINE without white space at its ends, which it may change. 0; 1: no further one is
/// wanted; -1 and ERR: what is wrong with it, or with the line that it sets *NUMBER to.
typedef int lines_taker(void *context, char *line, unsigned *number, struct error *err);

/// Gives TAKE each line of the file PATH, WHAT it is ("the filter file"), but empty ones and those
/// that begin with #. 0, or -1 and ERR: "cannot read WHAT PATH: ...", or "PATH:NUMBER: ...".
int lines_read(const char *path, const char *what, lines_taker *take, void *context,
               struct error *err);
