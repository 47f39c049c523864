// SPDX-License-Identifier: BSD-3-Clause
// Finds and opens an archive, and keeps what the OTF2 library would print to stderr, as the cause
// for our own error chain.
#pragma once

#include <otf2/otf2.h>

#include "analyzer/base/error.h"

/// Path of the anchor file: PATH itself, or the one *.otf2 file in the directory PATH. NULL and ERR
/// when there is none or there are several. The caller frees.
char *anchor_find(const char *path, struct error *err);

/// Path of another file of the archive: "traces" and SUFFIX after the anchor's "traces.otf2". The
/// caller frees.
char *archive_file_path(const char *anchor_path, const char *suffix, ...)
    __attribute__((format(printf, 2, 3)));

/// Silences the library's own messages from now on and forgets those of this thread so far.
void otf2_error_begin(void);

/// One sentence on why the last call failed with CODE: the library's first message since
/// otf2_error_begin(), else the description of CODE. Valid until the next OTF2 call of this thread.
const char *otf2_error_cause(OTF2_ErrorCode code);

/// Why a disk has failed the library in this thread since the last such question; NULL: it has not.
/// OTF2 3.0 goes on after some writes that failed, and says in the end that all is well.
const char *otf2_storage_failure(void);

/// OTF2_Reader_Open(), but it ends for each damaged anchor file, and within its memory: OTF2 3.0
/// allocates up to 64 GiB for properties that the file only announces, and its clean-up after some
/// errors runs for ever, so it is left at the error message (a few kilobytes stay allocated).
OTF2_Reader *otf2_open(const char *anchor_path);
