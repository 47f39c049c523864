// SPDX-License-Identifier: BSD-3-Clause
// A new archive: what it says of itself, and where it is written, a folder beside the one asked for
// that takes its name once it is complete.
#pragma once

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

/// A new archive NAME in FOLDER, with chunks of these sizes; NULL when the library cannot.
OTF2_Archive *rewrite_open(const char *folder, const char *name, uint64_t event_bytes,
                           uint64_t definition_bytes);

/// Writes into FOLDER. 0, or -1 and ERR; it should look whether an interrupt has come
/// (base/cleanup.h).
typedef int rewrite_writer(void *context, const char *folder, struct error *err);

/// Has WRITE make an archive in a folder beside DIRECTORY, which takes that name once it is
/// complete: wholly or not at all, also when a signal or an error ends it. 0, or -1 and ERR.
int rewrite_wholly(const char *directory, rewrite_writer *write, void *context, struct error *err);

/// Copies a file byte by byte; one that is not there stays so. 0, or -1 and ERR.
int rewrite_copy_file(const char *from, const char *to, struct error *err);

/// Copies a file of chunks of FROM_BYTES as one of chunks of TO_BYTES, which are as large at least:
/// a chunk ends with its last record, whatever follows. As rewrite_copy_file().
int rewrite_copy_chunks(const char *from, uint64_t from_bytes, const char *to, uint64_t to_bytes,
                        struct error *err);

/// FNV-1a of TEXT, begun with VALUE.
uint64_t rewrite_hash(uint64_t value, const char *text);
uint64_t rewrite_hash_bytes(uint64_t value, const void *bytes, size_t n_bytes);

/// Gives the archive NAME in FOLDER, which is complete, this ID. The one of OTF2 depends on when an
/// archive is made; an ID of what it holds does not. 0, or -1 and ERR.
int rewrite_set_id(const char *folder, const char *name, uint64_t id, struct error *err);
