// SPDX-License-Identifier: BSD-3-Clause
// A new archive: what it says of itself, and where it is written, a folder beside the one asked for
// that takes its name once it is complete.
#ifndef PAGODA_REWRITE_NEW_ARCHIVE_H
#define PAGODA_REWRITE_NEW_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"

struct rewrite_node {
    const char *name;
    uint32_t n_cores; // 0: unknown, as recorded
};

struct rewrite_rank {
    uint32_t node;
    uint64_t processor_speed; // millionths
};

/// What the new archive says of itself.
struct rewrite_run {
    const char *change; // what is different from the recorded run, in words
    uint64_t time_ns;   // its run time
    bool is_untraced;   // without what recording took
    const struct rewrite_node *nodes;
    size_t n_nodes;
    const struct rewrite_rank *ranks; // by world rank
};

/// Whether an archive can be made at DIRECTORY, which must not exist or be empty. 0, or -1 and ERR.
int rewrite_check(const char *directory, struct error *err);

/// The folder DIRECTORY is in; temporary files beside it are on its file system. The caller frees.
char *rewrite_parent(const char *directory);

/// A new folder beside DIRECTORY, on the same file system. The caller frees; NULL and ERR.
char *rewrite_folder_make(const char *directory, struct error *err);

/// A new archive NAME in FOLDER, with chunks of these sizes; NULL when the library cannot.
OTF2_Archive *rewrite_open(const char *folder, const char *name, uint64_t event_bytes,
                           uint64_t definition_bytes);

#endif
