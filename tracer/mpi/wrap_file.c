// SPDX-License-Identifier: BSD-3-Clause
// MPI-IO: open files by their handles, and the operations on them. A handle has no attributes in
// which its number could be kept. Few files are open at once, so a list is searched, from the one
// that was opened last. A write that succeeds has written all: its status is not looked at.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/request.h"
#include "tracer/record/recording.h"

#include <stdlib.h>
#include <string.h>

struct file {
    MPI_File handle;
    uint32_t number;
    // The split collective operation that is open: its number, or 0; the bytes asked for.
    uint64_t split, split_bytes;
    enum file_mode split_mode;
};

#define NO_FILE 0U

static struct file *files;
static size_t n_files, n_room;

// ---- the list, with the tables locked

static struct file *find(MPI_File handle)
{
    for (size_t i = n_files; i-- > 0;)
        if (files[i].handle == handle)
            return &files[i];
    return NULL;
}

static bool add(MPI_File handle, uint32_t number)
{
    if (n_files == n_room) {
        size_t n = n_room == 0 ? 16 : 2 * n_room;
        struct file *more = realloc(files, n * sizeof *more);
        if (!more)
            return false;
        files = more;
        n_room = n;
    }
    files[n_files++] = (struct file){.handle = handle, .number = number};
    return true;
}

static uint32_t number_of(MPI_File handle)
{
    tables_lock();
    const struct file *file = find(handle);
    uint32_t number = file ? file->number : NO_FILE;
    tables_unlock();
    return number;
}

// ---- open and close

void file_opened(struct call *call, MPI_Comm comm, const char *name, int mode, MPI_File handle)
{
    uint32_t comm_number = comm_find(call->stream, comm).id;
    uint32_t number = file_number_new();
    tables_lock();
    bool is_kept = number != NO_FILE && add(handle, number);
    tables_unlock();
    if (!is_kept)
        return;
    file_define(call->stream, number, RECORD_MPI_IO, comm_number, name);
    CALL_WRITE(call, RECORD_FILE_OPEN, number, record_file_open,
               .access = (mode & MPI_MODE_RDWR) != 0 ? 2 : (mode & MPI_MODE_WRONLY) != 0,
               .creation = ((mode & MPI_MODE_CREATE) != 0 ? 1U : 0) |
                           ((mode & MPI_MODE_EXCL) != 0 ? 1U << 3 : 0));
}

uint32_t file_closing(const MPI_File *handle)
{
    return handle ? number_of(*handle) : NO_FILE;
}

void file_closed(struct call *call, uint32_t number)
{
    size_t i = 0;
    tables_lock();
    while (i < n_files && files[i].number != number)
        i++;
    if (i < n_files)
        memmove(&files[i], &files[i + 1], (--n_files - i) * sizeof *files);
    tables_unlock();
    if (number == NO_FILE)
        return;
    struct record_head *record = call_reserve(call, sizeof *record);
    if (record)
        stream_commit(record, RECORD_FILE_CLOSE, number, sizeof *record);
}

// ---- operations

static uint32_t id_of(uint32_t file, uint32_t mode, bool is_collective)
{
    return RECORD_FILE_ID(file, mode | (is_collective ? RECORD_FILE_COLLECTIVE : 0));
}

void file_done(struct call *call, MPI_File handle, enum file_mode mode, bool is_collective,
               uint64_t asked_bytes, const MPI_Status *status)
{
    uint32_t file = number_of(handle);
    if (file != NO_FILE)
        CALL_WRITE(call, RECORD_FILE_DONE, id_of(file, mode, is_collective), record_file_done,
                   .asked_bytes = asked_bytes,
                   .n_bytes = status ? p2p_bytes_of(status) : asked_bytes);
}

void file_changed(struct call *call, MPI_File handle)
{
    uint32_t file = number_of(handle);
    struct record_head *record = file == NO_FILE ? NULL : call_reserve(call, sizeof *record);
    if (record)
        stream_commit(record, RECORD_FILE_CHANGED, file, sizeof *record);
}

void file_started(struct call *call, struct start start, MPI_File handle, enum file_mode mode,
                  bool is_collective, uint64_t asked_bytes)
{
    struct request request = {.kind = REQUEST_FILE,
                              .comm = number_of(handle),
                              .peer = (int32_t)mode,
                              .tag = is_collective,
                              .n_bytes = asked_bytes};
    if (request.comm != NO_FILE)
        request_begin(call, start, &request);
}

static uint32_t id_of_request(const struct request *request)
{
    return id_of(request->comm, (uint32_t)request->peer, request->tag != 0);
}

void file_posted(struct call *call, const struct request *request)
{
    CALL_WRITE(call, RECORD_FILE_BEGIN, id_of_request(request), record_file_operation,
               .n_bytes = request->n_bytes, .number = request->id);
}

void file_completed(struct call *call, const struct request *request, const MPI_Status *status)
{
    RECORD_WRITE(call_reserve_completion(call, sizeof(struct record_file_operation)),
                 RECORD_FILE_END, id_of_request(request), record_file_operation,
                 .n_bytes = request->peer == FILE_READ ? p2p_bytes_of(status) : request->n_bytes,
                 .number = request->id);
}

// ---- split collective operations: one at a time on each file. Their numbers have a bit that those
// of requests have not.

#define SPLIT (UINT64_C(1) << 62)

static uint64_t n_split;

void file_split_begun(struct call *call, MPI_File handle, enum file_mode mode, uint64_t asked_bytes)
{
    tables_lock();
    struct file *file = find(handle);
    uint32_t number = file ? file->number : NO_FILE;
    uint64_t split = 0;
    if (file && !call->stream->off) {
        split = file->split = SPLIT | ++n_split;
        file->split_mode = mode;
        file->split_bytes = asked_bytes;
    }
    tables_unlock();
    if (split != 0)
        CALL_WRITE(call, RECORD_FILE_BEGIN, id_of(number, mode, true), record_file_operation,
                   .n_bytes = asked_bytes, .number = split);
}

void file_split_ended(struct call *call, MPI_File handle, const MPI_Status *status)
{
    tables_lock();
    struct file *file = find(handle);
    struct file found = file ? *file : (struct file){.number = NO_FILE};
    if (file)
        file->split = 0;
    tables_unlock();
    if (found.split != 0)
        CALL_WRITE(call, RECORD_FILE_END, id_of(found.number, found.split_mode, true),
                   record_file_operation,
                   .n_bytes =
                       found.split_mode == FILE_READ ? p2p_bytes_of(status) : found.split_bytes,
                   .number = found.split);
}
