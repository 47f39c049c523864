// SPDX-License-Identifier: BSD-3-Clause
// The callers of an MPI call's call site, where the setting call_stack asks for them.
#ifndef PAGODA_TRACER_CALLSTACK_H
#define PAGODA_TRACER_CALLSTACK_H

#include "tracer/stream.h"

// How many callers are recorded; 0: none, and callstack_number() must not be called.
extern uint32_t callstack_n_callers;

// Gets ready to record up to `n_callers` of each call. Only now a library is loaded for it.
void callstack_init(uint64_t n_callers);

// Number of the stack above the call that returns to `site`, by which it stands in a STACK record
// before. 0: unknown. No record of another kind may be under construction.
uint64_t callstack_number(struct stream *stream, uint64_t site);

#endif
