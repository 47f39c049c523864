// SPDX-License-Identifier: BSD-3-Clause
// Files without a name, for what a run needs while it lasts: gone when they are closed, or the
// program ends.
#ifndef PAGODA_BASE_SCRATCH_FILE_H
#define PAGODA_BASE_SCRATCH_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The folder for temporary files: TMPDIR, else /tmp.
const char *scratch_file_folder(void);

/// A new one in FOLDER; -1 and errno. The caller closes it.
int scratch_file_open(const char *folder);

/// Writes N bytes behind the first AT. 0, or an errno value.
int scratch_file_write(int file, const void *bytes, size_t n, uint64_t at);

/// Reads N bytes behind the first AT; how many, fewer only at the file's end. -1 and errno.
ssize_t scratch_file_read(int file, void *bytes, size_t n, uint64_t at);

#endif
