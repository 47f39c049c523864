// SPDX-License-Identifier: BSD-3-Clause
// Names of C++ functions, short enough for a line of text.
#ifndef PAGODA_REPORT_SHORT_NAME_H
#define PAGODA_REPORT_SHORT_NAME_H

#include <stddef.h>

/// NAME as it is where it takes at most WIDTH columns or is not of C++. Else without return type,
/// arguments and template arguments ("solver::Grid<>::step"), and of its qualifiers from the left
/// as many as must go. The function's own name stays whole, however long. The caller frees.
char *short_name(const char *name, size_t width);

#endif
