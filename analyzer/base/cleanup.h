// SPDX-License-Identifier: BSD-3-Clause
// Clean ends: scratch files have no name, so they vanish when they are closed or the program ends;
// those that need a name are removed when a signal ends the program; or signals are only noted, so
// that unfinished work can be removed first.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/base/error.h"

/// The folder for temporary files: TMPDIR, else /tmp.
const char *scratch_file_folder(void);

/// A new one in FOLDER; -1 and errno. The caller closes it.
int scratch_file_open(const char *folder);

/// Writes N bytes at offset AT. 0, or an errno value.
int scratch_file_write(int file, const void *bytes, size_t n, uint64_t at);

/// Reads N bytes at offset AT: their number, less than N only at the end of the file; or -1 and
/// errno.
ssize_t scratch_file_read(int file, void *bytes, size_t n, uint64_t at);

/// From now on a signal that ends the program (SIGINT, SIGTERM, SIGHUP, SIGPIPE) also removes what
/// is at PATH then, a file or an empty folder; the last PATH named is removed first. At most 256 at
/// a time; further ones are left.
void scratch_path_begin(const char *path);

/// Removes what is at PATH, if anything is, and forgets PATH.
void scratch_path_end(const char *path);

/// From now on SIGINT, SIGTERM and SIGHUP are only noted; the work checks for them, cleans up and
/// ends. Ignored signals stay ignored. Calls do not nest.
void interrupt_begin(void);
bool interrupt_has_come(void);
/// Restores the signals' actions.
void interrupt_end(void);

/// Removes a folder with its contents, if it exists. 0, or -1 and ERR.
int scratch_folder_remove(const char *dir, struct error *err);
