// SPDX-License-Identifier: BSD-3-Clause
// Events of file I/O: of MPI's calls and of the C library's. As with Score-P, blocking operations
// on a handle share a number: 0.
#include "tracer/finish/event_context.h"

static void begin(struct context *context, OTF2_IoHandleRef handle, uint32_t mode,
                  OTF2_IoOperationFlag flags, uint64_t asked_bytes, uint64_t number)
{
    WRITE(context, IoOperationBegin, NULL, handle, (OTF2_IoOperationMode)mode, flags, asked_bytes,
          number);
}

static void begin_operation(struct context *context, OTF2_IoHandleRef handle,
                            const struct record_head *head)
{
    const struct record_file_done *done = (const void *)head;
    const struct record_file_operation *begun = (const void *)head;
    uint32_t what = RECORD_FILE_WHAT(head->id), mode = what & ~RECORD_FILE_COLLECTIVE;
    OTF2_IoOperationFlag flags = (what & RECORD_FILE_COLLECTIVE) != 0
                                     ? OTF2_IO_OPERATION_FLAG_COLLECTIVE
                                     : OTF2_IO_OPERATION_FLAG_NONE;
    if (head->kind == RECORD_FILE_DONE)
        begin(context, handle, mode, flags, done->asked_bytes, 0);
    else
        begin(context, handle, mode, flags | OTF2_IO_OPERATION_FLAG_NON_BLOCKING, begun->n_bytes,
              begun->number);
}

static bool moves_data(uint32_t call)
{
    return call >= FILE_read && call <= FILE_fflush;
}

static void write_at_enter(struct context *context, OTF2_IoHandleRef handle,
                           const struct record_head *head)
{
    uint32_t call = RECORD_FILE_WHAT(head->id);
    OTF2_IoOperationMode mode = call < FILE_write   ? OTF2_IO_OPERATION_MODE_READ
                                : call < FILE_fsync ? OTF2_IO_OPERATION_MODE_WRITE
                                                    : OTF2_IO_OPERATION_MODE_FLUSH;
    if (head->kind == RECORD_FILE_DONE || head->kind == RECORD_FILE_BEGIN)
        begin_operation(context, handle, head);
    else if (head->kind == RECORD_FILE_CALL && moves_data(call))
        begin(context, handle, mode, OTF2_IO_OPERATION_FLAG_NONE,
              ((const struct record_file_call *)(const void *)head)->asked_bytes, 0);
}

/// The C library's call of RECORD is over.
static void end_call(struct context *context, OTF2_IoHandleRef handle,
                     const struct record_file_call_leave *record)
{
    if (!moves_data(RECORD_FILE_WHAT(record->head.id)))
        WRITE(context, IoDestroyHandle, NULL, handle);
    else if (record->n_bytes == FILE_FAILED)
        WRITE(context, IoOperationCancelled, NULL, handle, 0);
    else
        WRITE(context, IoOperationComplete, NULL, handle, record->n_bytes, 0);
}

static void create(struct context *context, OTF2_IoHandleRef handle,
                   const struct record_file_opened *record)
{
    if (RECORD_FILE_WHAT(record->head.id) == FILE_dup)
        WRITE(context, IoDuplicateHandle, NULL, handle, handle, record->status);
    else
        WRITE(context, IoCreateHandle, NULL, handle, (OTF2_IoAccessMode)record->access,
              record->creation, record->status);
}

static void write_at_leave(struct context *context, OTF2_IoHandleRef handle,
                           const struct record_head *head)
{
    const void *record = head;
    const struct record_file_operation *operation = record;
    const struct record_file_open *opened = record;
    const struct record_file_done *done = record;
    const struct record_file_seek *seek = record;
    switch ((enum record_kind)head->kind) {
    case RECORD_FILE_OPENED:
        create(context, handle, record);
        break;
    case RECORD_FILE_CALL_LEAVE:
        end_call(context, handle, record);
        break;
    case RECORD_FILE_SEEK:
        WRITE(context, IoSeek, NULL, handle, seek->offset, (OTF2_IoSeekOption)seek->whence,
              seek->result);
        break;
    case RECORD_FILE_OPEN:
        WRITE(context, IoCreateHandle, NULL, handle, (OTF2_IoAccessMode)opened->access,
              opened->creation, OTF2_IO_STATUS_FLAG_NONE);
        break;
    case RECORD_FILE_CLOSE:
        WRITE(context, IoDestroyHandle, NULL, handle);
        break;
    case RECORD_FILE_CHANGED: // whatever it was, it has no flags afterwards, as before
        ADD_ATTRIBUTE(context, Uint8, ATTRIBUTE_COLLECTIVE, 1);
        WRITE(context, IoChangeStatusFlags, context->attributes, handle, OTF2_IO_STATUS_FLAG_NONE);
        break;
    case RECORD_FILE_BEGIN:
        WRITE(context, IoOperationIssued, NULL, handle, operation->number);
        break;
    case RECORD_FILE_DONE:
        WRITE(context, IoOperationComplete, NULL, handle, done->n_bytes, 0);
        break;
    case RECORD_FILE_END:
        WRITE(context, IoOperationComplete, NULL, handle, operation->n_bytes, operation->number);
        break;
    default:
        break;
    }
}

static bool is_about_file(const struct record_head *head)
{
    return (head->kind >= RECORD_FILE_OPENED && head->kind <= RECORD_FILE_SEEK) ||
           (head->kind >= RECORD_FILE_OPEN && head->kind <= RECORD_FILE_END);
}

void file_event_write(struct context *context, const struct record_head *head, bool at_enter)
{
    uint32_t file = RECORD_FILE_OF(head->id);
    if (!is_about_file(head) || file >= context->process->n_files ||
        context->process->files[file] == UNDEFINED)
        return;
    if (at_enter)
        write_at_enter(context, context->process->files[file], head);
    else
        write_at_leave(context, context->process->files[file], head);
}

void file_call_write(struct context *context, const struct record_head *head)
{
    const struct record_file_call *begun = (const void *)head;
    const struct record_call *whole = (const void *)head; // OPENED and SEEK begin as a CALL does
    bool is_whole = head->kind == RECORD_FILE_OPENED || head->kind == RECORD_FILE_SEEK;
    uint64_t enter_ns = is_whole ? whole->enter_ns : begun->time_ns;
    uint64_t leave_ns = is_whole ? whole->leave_ns : begun->time_ns;
    uint32_t region =
        archive_file_region(context->archive, RECORD_FILE_WHAT(head->id) % N_FILE_CALLS);
    if (head->kind != RECORD_FILE_CALL_LEAVE) {
        context_add_call_site(context, is_whole ? whole->site : begun->site, 0, enter_ns);
        context_enter(context, enter_ns, region);
        file_event_write(context, head, true);
    }
    if (head->kind != RECORD_FILE_CALL) {
        context_go_to(context, leave_ns);
        file_event_write(context, head, false);
        context_leave(context, leave_ns, region);
    }
}
