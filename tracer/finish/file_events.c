// SPDX-License-Identifier: BSD-3-Clause
// See file_events.h. As with Score-P, blocking operations on a handle share a number: 0.
#include "tracer/finish/file_events.h"

static OTF2_ErrorCode write_begin(OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_IoHandleRef handle,
                                  const struct record_file_operation *record)
{
    OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
    if (record->head.kind == RECORD_FILE_BEGIN)
        flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    if (record->is_collective)
        flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
    return OTF2_EvtWriter_IoOperationBegin(writer, NULL, time_ns, handle,
                                           (OTF2_IoOperationMode)record->mode, flags,
                                           record->asked_bytes, record->number);
}

OTF2_ErrorCode file_events_write(OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_IoHandleRef handle,
                                 const struct record_head *head, bool at_enter)
{
    const struct record_file_operation *operation = (const void *)head;
    const struct record_file_open *opened = (const void *)head;
    bool has_begin = head->kind == RECORD_FILE_DONE || head->kind == RECORD_FILE_BEGIN;
    if (at_enter)
        return has_begin ? write_begin(writer, time_ns, handle, operation) : OTF2_SUCCESS;
    switch ((enum record_kind)head->kind) {
    case RECORD_FILE_OPEN:
        return OTF2_EvtWriter_IoCreateHandle(writer, NULL, time_ns, handle,
                                             (OTF2_IoAccessMode)opened->access, opened->creation,
                                             OTF2_IO_STATUS_FLAG_NONE);
    case RECORD_FILE_CLOSE:
        return OTF2_EvtWriter_IoDestroyHandle(writer, NULL, time_ns, handle);
    case RECORD_FILE_BEGIN:
        return OTF2_EvtWriter_IoOperationIssued(writer, NULL, time_ns, handle, operation->number);
    case RECORD_FILE_DONE:
    case RECORD_FILE_END:
        return OTF2_EvtWriter_IoOperationComplete(writer, NULL, time_ns, handle, operation->n_bytes,
                                                  operation->number);
    default:
        return OTF2_SUCCESS;
    }
}
