// SPDX-License-Identifier: BSD-3-Clause
// Events of RMA windows.
#pragma once

#include <otf2/otf2.h>

#include "tracer/finish/process.h"

/// Writes the events of HEAD, a record about `window`: of the begin of its call where that is a
/// lock or an access, else of its end.
OTF2_ErrorCode window_events_write(struct process *process, struct unify *unify,
                                   OTF2_EvtWriter *writer, uint64_t time_ns, OTF2_RmaWinRef window,
                                   const struct record_head *head);
