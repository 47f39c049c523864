// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/finish/thread_events.h"

static OTF2_ErrorCode write_at_enter(OTF2_EvtWriter *writer, uint64_t time_ns,
                                     const struct thread_event *event)
{
    if (event->call <= THREAD_thrd_create)
        return OTF2_EvtWriter_ThreadCreate(writer, NULL, time_ns, event->threads, event->thread);
    if (event->call >= THREAD_pthread_mutex_unlock && event->call <= THREAD_cnd_timedwait)
        return OTF2_EvtWriter_ThreadReleaseLock(writer, NULL, time_ns, OTF2_PARADIGM_PTHREAD,
                                                event->object, event->order);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode write_at_leave(OTF2_EvtWriter *writer, uint64_t time_ns,
                                     const struct thread_event *event)
{
    bool joins = event->call == THREAD_pthread_join || event->call == THREAD_thrd_join;
    if (joins && event->thread != 0)
        return OTF2_EvtWriter_ThreadWait(writer, NULL, time_ns, event->threads, event->thread);
    if (event->call >= THREAD_pthread_mutex_lock && event->call <= THREAD_mtx_lock)
        return OTF2_EvtWriter_ThreadAcquireLock(writer, NULL, time_ns, OTF2_PARADIGM_PTHREAD,
                                                event->object, event->order);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode thread_events_write(OTF2_EvtWriter *writer, uint64_t time_ns,
                                   const struct thread_event *event, bool at_enter)
{
    if (event->order == 0)
        return OTF2_SUCCESS;
    return at_enter ? write_at_enter(writer, time_ns, event)
                    : write_at_leave(writer, time_ns, event);
}
