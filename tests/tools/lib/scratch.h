// SPDX-License-Identifier: BSD-3-Clause
// Scratch directories of unit tests, and small files in them.
#pragma once

#include <stddef.h>

/// Where temporary files of tests go: $TMPDIR, without it /dev/shm where there is room, else /tmp.
const char *scratch_parent(void);

/// Makes an empty directory below scratch_parent(); ends the process when that fails. The caller
/// gives it to scratch_remove(), which deletes it with all it holds and frees the text.
char *scratch_directory(void);
void scratch_remove(char *directory);

/// Whole content of a file, with a byte 0 after it, its length in *SIZE_BYTES. The caller frees.
/// Ends the process when it cannot be read.
char *scratch_read(const char *path, size_t *size_bytes);

/// Writes a file anew; ends the process when that fails.
void scratch_write(const char *path, const void *content, size_t size_bytes);

/// Of a cmocka group of tests that write and read one file: its folder is made, and removed.
extern char *scratch_file;
int scratch_file_make(void **state);
int scratch_file_remove(void **state);
