// SPDX-License-Identifier: BSD-3-Clause
// Events of file I/O.
#pragma once

#include <otf2/otf2.h>
#include <stdbool.h>

#include "tracer/record/record.h"

/// Writes the events that a record of file I/O has at the begin or the end of the call that it is,
/// or that it is a detail of.
OTF2_ErrorCode file_events_write(OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_IoHandleRef handle,
                                 const struct record_head *head, bool at_enter);
