// SPDX-License-Identifier: BSD-3-Clause
// When a copied record happens now (copy_state.h). The functions that made events of the records
// for the replay (decode.h) say which of them were events, and when: so the times told of events,
// in their order, find their records. The other records go with their surroundings.
#include "analyzer/rewrite/copy_state.h"

#include "analyzer/trace/archive.h"

struct decoder *copy_decoder(struct copy *copy)
{
    copy->decoder.n_output = 0;
    return &copy->decoder;
}

OTF2_CallbackCode copy_written(struct copy *copy, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS && !copy->has_failed) {
        copy->has_failed = true;
        error_set(copy->err, "cannot write: %s", otf2_error_cause(code));
    }
    return copy->has_failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_ErrorCode write_message(const struct copy *copy, const struct late_message *message,
                                    uint64_t time_ns)
{
    if (message->is_send)
        return OTF2_EvtWriter_MpiIsendComplete(copy->writer, NULL, time_ns, message->request);
    return OTF2_EvtWriter_MpiIrecv(copy->writer, NULL, time_ns, message->sender,
                                   message->communicator, message->tag, message->size_bytes,
                                   message->request);
}

static void write_late_call(struct copy *copy, const struct time_map_late *late)
{
    size_t n = 0;
    copy_written(copy,
                 OTF2_EvtWriter_Enter(copy->writer, NULL, late->begin_ns, copy->late->waitall));
    for (; n < copy->n_waiting && copy->waiting[n].call <= late->last; n++)
        copy_written(copy, write_message(copy, &copy->waiting[n], late->end_ns));
    copy_written(copy, OTF2_EvtWriter_Leave(copy->writer, NULL, late->end_ns, copy->late->waitall));
    copy->n_waiting -= n;
    for (size_t i = 0; i < copy->n_waiting; i++)
        copy->waiting[i] = copy->waiting[n + i];
}

void copy_late_calls(struct copy *copy)
{
    struct time_map_late late;
    int status = 0;
    while (copy->late && !copy->has_failed &&
           (status = time_map_late(copy->times, &late, copy->err)) == 1)
        write_late_call(copy, &late);
    copy->has_failed = copy->has_failed || status < 0;
}

uint64_t copy_place(struct copy *copy, uint64_t ticks)
{
    uint64_t time_ns = 0;
    int status;
    copy->change = NULL;
    copy->put_off = 0;
    if (copy->decoder.n_output > 0) {
        copy_late_calls(copy);
        status = time_map_event(copy->times, copy->event.time_ns, event_completes(&copy->event),
                                &time_ns, copy->err);
        copy->change = time_map_change(copy->times);
        copy->put_off = time_map_put_off(copy->times);
    } else {
        uint64_t origin_ticks = copy->source.clock->origin_ticks;
        uint64_t recorded_ns =
            (int64_t)(ticks - origin_ticks) > 0 ? clock_time_ns(copy->source.clock, ticks) : 0;
        status = time_map_between(copy->times, recorded_ns, &time_ns, copy->err);
    }
    copy->decoder.n_output = 0;
    copy->has_failed = copy->has_failed || status != 0;
    return time_ns;
}
