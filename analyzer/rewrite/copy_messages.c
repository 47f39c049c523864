// SPDX-License-Identifier: BSD-3-Clause
// Records of messages and requests: other sizes, and calls that are waited for later (`--overlap`).
// What such a call completes is completed by a call of MPI_Waitall where it is waited for: a
// blocking receive or send is posted in its own call and gets a request for that.
#include "analyzer/rewrite/copy_messages.h"

#include "analyzer/base/memory.h"
#include "analyzer/rewrite/copy_state.h"
#include "analyzer/rewrite/record_kinds.h"

// --- requests

/// A request is opened by the record at hand.
static uint64_t open_request(struct copy *copy, uint64_t request)
{
    if (!copy->late)
        return request;
    map_put(&copy->requests, request, ++copy->n_requests);
    return copy->n_requests;
}

static uint64_t request_of(const struct copy *copy, uint64_t request)
{
    uint32_t number;
    return copy->late && map_get(&copy->requests, request, &number) ? number : request;
}

static uint64_t close_request(struct copy *copy, uint64_t request)
{
    uint32_t number;
    if (!copy->late)
        return request;
    if (!map_get(&copy->requests, request, &number)) // never opened
        return ++copy->n_requests;
    map_remove(&copy->requests, request);
    return number;
}

// --- calls that are waited for later

/// The call at hand will complete MESSAGE.
static void put_off(struct copy *copy, struct late_message message)
{
    message.call = copy->put_off;
    copy->waiting = array_reserve(copy->waiting, &copy->waiting_capacity, copy->n_waiting + 1,
                                  sizeof *copy->waiting);
    copy->waiting[copy->n_waiting++] = message;
}

/// Says in ATTRIBUTES what a posted receive is for.
static void add_envelope(const struct copy *copy, OTF2_AttributeList *attributes, uint32_t sender,
                         OTF2_CommRef communicator, uint32_t tag)
{
    const OTF2_AttributeRef *ids = copy->late->attributes;
    OTF2_AttributeList_AddCommRef(attributes, ids[ATTRIBUTE_COMMUNICATOR], communicator);
    OTF2_AttributeList_AddInt32(attributes, ids[ATTRIBUTE_SOURCE], (int32_t)sender);
    OTF2_AttributeList_AddInt32(attributes, ids[ATTRIBUTE_TAG], (int32_t)tag);
}

// --- callbacks

static uint64_t size_of(const struct copy *copy, uint64_t size_bytes)
{
    return copy->change ? copy->change->size_bytes : size_bytes;
}

static OTF2_CallbackCode copy_MpiSend(COPY_EVENT_PARAMETERS, uint32_t receiver, OTF2_CommRef comm,
                                      uint32_t tag, uint64_t size_bytes)
{
    struct copy *copy = user_data;
    copy->decode.MpiSend(location, ticks, record, copy_decoder(copy), attributes, receiver, comm,
                         tag, size_bytes);
    uint64_t time_ns = copy_place(copy, ticks);
    if (copy_is_left_out(copy))
        return copy_written(copy, OTF2_SUCCESS);
    size_bytes = size_of(copy, size_bytes);
    if (copy->put_off == 0)
        return copy_written(copy, OTF2_EvtWriter_MpiSend(copy->writer, attributes, time_ns,
                                                         receiver, comm, tag, size_bytes));
    uint64_t request = ++copy->n_requests;
    put_off(copy, (struct late_message){.is_send = true, .request = request});
    return copy_written(copy, OTF2_EvtWriter_MpiIsend(copy->writer, attributes, time_ns, receiver,
                                                      comm, tag, size_bytes, request));
}

static OTF2_CallbackCode copy_MpiIsend(COPY_EVENT_PARAMETERS, uint32_t receiver, OTF2_CommRef comm,
                                       uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    struct copy *copy = user_data;
    copy->decode.MpiIsend(location, ticks, record, copy_decoder(copy), attributes, receiver, comm,
                          tag, size_bytes, request);
    uint64_t time_ns = copy_place(copy, ticks);
    if (copy_is_left_out(copy))
        return copy_written(copy, OTF2_SUCCESS);
    return copy_written(copy, OTF2_EvtWriter_MpiIsend(copy->writer, attributes, time_ns, receiver,
                                                      comm, tag, size_of(copy, size_bytes),
                                                      open_request(copy, request)));
}

static OTF2_CallbackCode copy_MpiRecv(COPY_EVENT_PARAMETERS, uint32_t sender, OTF2_CommRef comm,
                                      uint32_t tag, uint64_t size_bytes)
{
    struct copy *copy = user_data;
    copy->decode.MpiRecv(location, ticks, record, copy_decoder(copy), attributes, sender, comm, tag,
                         size_bytes);
    uint64_t time_ns = copy_place(copy, ticks);
    if (copy_is_left_out(copy))
        return copy_written(copy, OTF2_SUCCESS);
    size_bytes = size_of(copy, size_bytes);
    if (copy->put_off == 0)
        return copy_written(copy, OTF2_EvtWriter_MpiRecv(copy->writer, attributes, time_ns, sender,
                                                         comm, tag, size_bytes));
    uint64_t request = ++copy->n_requests;
    put_off(copy, (struct late_message){.request = request,
                                        .size_bytes = size_bytes,
                                        .sender = sender,
                                        .tag = tag,
                                        .communicator = comm});
    add_envelope(copy, attributes, sender, comm, tag);
    return copy_written(copy,
                        OTF2_EvtWriter_MpiIrecvRequest(copy->writer, attributes, time_ns, request));
}

static OTF2_CallbackCode copy_MpiIrecv(COPY_EVENT_PARAMETERS, uint32_t sender, OTF2_CommRef comm,
                                       uint32_t tag, uint64_t size_bytes, uint64_t request)
{
    struct copy *copy = user_data;
    copy->decode.MpiIrecv(location, ticks, record, copy_decoder(copy), attributes, sender, comm,
                          tag, size_bytes, request);
    uint64_t time_ns = copy_place(copy, ticks);
    if (copy_is_left_out(copy))
        return copy_written(copy, OTF2_SUCCESS);
    request = close_request(copy, request);
    size_bytes = size_of(copy, size_bytes);
    if (copy->put_off == 0)
        return copy_written(copy, OTF2_EvtWriter_MpiIrecv(copy->writer, attributes, time_ns, sender,
                                                          comm, tag, size_bytes, request));
    put_off(copy, (struct late_message){.request = request,
                                        .size_bytes = size_bytes,
                                        .sender = sender,
                                        .tag = tag,
                                        .communicator = comm});
    return copy_written(copy, OTF2_SUCCESS);
}

static OTF2_CallbackCode copy_MpiIsendComplete(COPY_EVENT_PARAMETERS, uint64_t request)
{
    struct copy *copy = user_data;
    copy->decode.MpiIsendComplete(location, ticks, record, copy_decoder(copy), attributes, request);
    uint64_t time_ns = copy_place(copy, ticks);
    if (copy_is_left_out(copy))
        return copy_written(copy, OTF2_SUCCESS);
    request = close_request(copy, request);
    if (copy->put_off == 0)
        return copy_written(
            copy, OTF2_EvtWriter_MpiIsendComplete(copy->writer, attributes, time_ns, request));
    put_off(copy, (struct late_message){.is_send = true, .request = request});
    return copy_written(copy, OTF2_SUCCESS);
}

/// Records that open, name or close a request and are otherwise the same.
#define COPY_REQUEST(kind, new_request, parameters, arguments)                                     \
    static OTF2_CallbackCode copy_##kind(COPY_EVENT_PARAMETERS parameters, uint64_t request)       \
    {                                                                                              \
        struct copy *copy = user_data;                                                             \
        copy->decode.kind(location, ticks, record, copy_decoder(copy), attributes arguments,       \
                          request);                                                                \
        uint64_t time_ns = copy_place(copy, ticks);                                                \
        if (copy_is_left_out(copy))                                                                \
            return copy_written(copy, OTF2_SUCCESS);                                               \
        return copy_written(copy,                                                                  \
                            OTF2_EvtWriter_##kind(copy->writer, attributes, time_ns arguments,     \
                                                  new_request(copy, request)));                    \
    }
REQUEST_EVENT_KINDS(COPY_REQUEST)

void copy_messages_set(OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, copy_MpiSend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, copy_MpiIsend);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, copy_MpiRecv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, copy_MpiIrecv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, copy_MpiIsendComplete);
#define SET(kind, new_request, parameters, arguments)                                              \
    OTF2_EvtReaderCallbacks_Set##kind##Callback(callbacks, copy_##kind);
    REQUEST_EVENT_KINDS(SET)
#undef SET
}
