// SPDX-License-Identifier: BSD-3-Clause
// Events of POSIX threads, as Score-P's adapter writes them.
#pragma once

#include <otf2/otf2.h>
#include <stdbool.h>

#include "tracer/dispatch/dispatch.h"

/// A call, with numbers of the archive.
struct thread_event {
    enum thread_call call;
    uint32_t object; // of the lock
    uint64_t thread; // the other one of a creation or join
    uint32_t order;  // as of struct thread_action
    OTF2_CommRef threads;
};

/// Writes the event that EVENT has at its begin or at its end, if it has one there.
OTF2_ErrorCode thread_events_write(OTF2_EvtWriter *writer, uint64_t time_ns,
                                   const struct thread_event *event, bool at_enter);
