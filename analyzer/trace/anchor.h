// SPDX-License-Identifier: BSD-3-Clause
// Finds an archive's anchor file from what the user named.
#ifndef PAGODA_TRACE_ANCHOR_H
#define PAGODA_TRACE_ANCHOR_H

#include "analyzer/base/error.h"

/// Path of the anchor file: PATH itself, or the one *.otf2 file in the directory PATH. NULL and ERR
/// when there is none or there are several. The caller frees.
char *anchor_find(const char *path, struct error *err);

#endif
