// SPDX-License-Identifier: BSD-3-Clause
// Where the index of an archive is kept (pag/index.h): beside its anchor, or, where that cannot be
// written, in the user's cache. It is one of this program and of these files, by their sizes and
// when they were last changed; any other one is not used, nor one that somebody else has written.
#pragma once

#include "analyzer/pag/index.h"
#include "analyzer/trace/reader.h"

/// What tells the files of TRACE, and this program, from others.
uint64_t index_file_mark(const struct trace *trace);

/// The index of TRACE, of files with MARK, to be used by SETTINGS; NULL when there is none. Warns
/// of a damaged one. The caller frees it.
struct pag_index *index_file_read(const struct trace *trace, uint64_t mark,
                                  const struct pag_index_settings *settings);

/// Keeps INDEX, a complete one, if a file can be written, and the files still have MARK, which they
/// had before they were read.
void index_file_write(const struct trace *trace, uint64_t mark, struct pag_index *index);
