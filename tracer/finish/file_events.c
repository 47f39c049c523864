// SPDX-License-Identifier: BSD-3-Clause
// See file_events.h. As with Score-P, blocking operations on a handle share a number: 0.
#include "tracer/finish/file_events.h"

#include "tracer/dispatch/dispatch.h"

struct place {
    OTF2_EvtWriter *writer;
    uint64_t time_ns;
    OTF2_IoHandleRef handle;
};

static OTF2_ErrorCode begin(struct place at, uint32_t mode, OTF2_IoOperationFlag flags,
                            uint64_t asked_bytes, uint64_t number)
{
    return OTF2_EvtWriter_IoOperationBegin(at.writer, NULL, at.time_ns, at.handle,
                                           (OTF2_IoOperationMode)mode, flags, asked_bytes, number);
}

static OTF2_ErrorCode complete(struct place at, uint64_t n_bytes, uint64_t number)
{
    return OTF2_EvtWriter_IoOperationComplete(at.writer, NULL, at.time_ns, at.handle, n_bytes,
                                              number);
}

// ---- MPI-IO

static OTF2_ErrorCode begin_operation(struct place at, const struct record_head *head)
{
    const struct record_file_done *done = (const void *)head;
    const struct record_file_operation *begun = (const void *)head;
    uint32_t what = RECORD_FILE_WHAT(head->id), mode = what & ~RECORD_FILE_COLLECTIVE;
    OTF2_IoOperationFlag flags = (what & RECORD_FILE_COLLECTIVE) != 0
                                     ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                                     : OTF2_IO_OPERATION_FLAG_NONE;
    if (head->kind == RECORD_FILE_DONE)
        return begin(at, mode, flags, done->asked_bytes, 0);
    flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    return begin(at, mode, flags, begun->n_bytes, begun->number);
}

// ---- The C library

static bool moves_data(uint32_t call)
{
    return call >= FILE_read && call <= FILE_fflush;
}

static OTF2_ErrorCode begin_call(struct place at, const struct record_file_call *record)
{
    uint32_t call = RECORD_FILE_WHAT(record->head.id);
    OTF2_IoOperationMode mode = call < FILE_write   ? OTF2_IO_OPERATION_MODE_READ
                                : call < FILE_fsync ? OTF2_IO_OPERATION_MODE_WRITE
                                                    : OTF2_IO_OPERATION_MODE_FLUSH;
    return moves_data(call) ? begin(at, mode, OTF2_IO_OPERATION_FLAG_NONE, record->asked_bytes, 0)
                            : OTF2_SUCCESS;
}

static OTF2_ErrorCode end_call(struct place at, const struct record_file_call_leave *record)
{
    if (!moves_data(RECORD_FILE_WHAT(record->head.id)))
        return OTF2_EvtWriter_IoDestroyHandle(at.writer, NULL, at.time_ns, at.handle);
    if (record->n_bytes == FILE_FAILED)
        return OTF2_EvtWriter_IoOperationCancelled(at.writer, NULL, at.time_ns, at.handle, 0);
    return complete(at, record->n_bytes, 0);
}

static OTF2_ErrorCode create(struct place at, const struct record_file_opened *record)
{
    if (RECORD_FILE_WHAT(record->head.id) == FILE_dup)
        return OTF2_EvtWriter_IoDuplicateHandle(at.writer, NULL, at.time_ns, at.handle, at.handle,
                                                record->status);
    return OTF2_EvtWriter_IoCreateHandle(at.writer, NULL, at.time_ns, at.handle,
                                         (OTF2_IoAccessMode)record->access, record->creation,
                                         record->status);
}

static OTF2_ErrorCode seek(struct place at, const struct record_file_seek *record)
{
    return OTF2_EvtWriter_IoSeek(at.writer, NULL, at.time_ns, at.handle, record->offset,
                                 (OTF2_IoSeekOption)record->whence, record->result);
}

OTF2_ErrorCode file_events_write(OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_IoHandleRef handle,
                                 const struct record_head *head, bool at_enter)
{
    const void *record = head;
    const struct record_file_operation *operation = record;
    const struct record_file_open *opened = record;
    struct place at = {writer, time_ns, handle};
    if (at_enter && head->kind == RECORD_FILE_CALL)
        return begin_call(at, record);
    if (at_enter)
        return head->kind == RECORD_FILE_DONE || head->kind == RECORD_FILE_BEGIN
                   ? begin_operation(at, head)
                   : OTF2_SUCCESS;
    switch ((enum record_kind)head->kind) {
    case RECORD_FILE_OPENED:
        return create(at, record);
    case RECORD_FILE_CALL_LEAVE:
        return end_call(at, record);
    case RECORD_FILE_SEEK:
        return seek(at, record);
    case RECORD_FILE_OPEN:
        return OTF2_EvtWriter_IoCreateHandle(writer, NULL, time_ns, handle,
                                             (OTF2_IoAccessMode)opened->access, opened->creation,
                                             OTF2_IO_STATUS_FLAG_NONE);
    case RECORD_FILE_CLOSE:
        return OTF2_EvtWriter_IoDestroyHandle(writer, NULL, time_ns, handle);
    case RECORD_FILE_BEGIN:
        return OTF2_EvtWriter_IoOperationIssued(writer, NULL, time_ns, handle, operation->number);
    case RECORD_FILE_DONE:
        return complete(at, ((const struct record_file_done *)record)->n_bytes, 0);
    case RECORD_FILE_END:
        return complete(at, operation->n_bytes, operation->number);
    default:
        return OTF2_SUCCESS;
    }
}
