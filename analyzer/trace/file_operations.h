// SPDX-License-Identifier: BSD-3-Clause
// What one location does to files: begins and ends of I/O operations, paired.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum file_operation_kind { FILE_OPEN, FILE_READ, FILE_WRITE, FILE_SYNC };

/// An operation that has ended, seen before an event.
struct file_operation {
    uint32_t before; // place among the events; their number: after the last one
    uint32_t file;   // index into definitions.files
    uint8_t kind;    // enum file_operation_kind
    bool is_inner;   // it ran within another operation, as the pread() of an MPI_File_read()
    uint64_t size_bytes;
    // How long it took, and that without operations within it; of a nonblocking one 0. In ticks
    // until a digest gets it, then in ns.
    uint64_t duration, own_duration;
};

/// Sums over operations on files. Opens take no time here; nonblocking operations have none.
struct file_sums {
    uint64_t n_opens, n_reads, read_bytes, n_writes, written_bytes, n_syncs;
    uint64_t n_small; // reads and writes of fewer than FILE_SMALL_REQUEST_BYTES
    uint64_t ns;
    uint64_t own_ns; // without operations within them
};
#define FILE_SMALL_REQUEST_BYTES 65536

/// An operation that has not ended.
struct open_operation {
    uint64_t id; // unique among those of a handle
    uint32_t handle, file;
    uint8_t kind;
    bool is_nonblocking, is_inner;
    uint64_t begin_ticks, inner_ticks;
};

struct file_operations {
    bool is_wanted;              // this location counts for a rank
    bool is_on;                  // they are looked at
    struct open_operation *open; // in the order of their begins
    size_t n_open, open_capacity;
    struct file_operation *done;
    size_t n_done, capacity;
};

/// Nothing is open.
void file_operations_begin(struct file_operations *operations);
void file_operations_release(struct file_operations *operations);

/// BEGUN is open from now on; its is_inner and inner_ticks are set here.
void file_operation_begin(struct file_operations *operations, struct open_operation begun);

/// The operation ID of HANDLE ended before the event BEFORE. One that did not begin is ignored.
void file_operation_end(struct file_operations *operations, uint32_t handle, uint64_t id,
                        uint64_t size_bytes, uint64_t ticks, uint32_t before);
/// It came to nothing.
void file_operation_cancel(struct file_operations *operations, uint32_t handle, uint64_t id);

/// FILE was opened before the event BEFORE.
void file_operation_open(struct file_operations *operations, uint32_t file, uint32_t before);
