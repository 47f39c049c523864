// SPDX-License-Identifier: BSD-3-Clause
// Accesses to RMA windows and their completions, numbered as Score-P numbers them: all accesses to
// one target that have no request and complete alike have one number until they complete.
#pragma once

#include "tracer/record/record.h"

#include <otf2/otf2.h>
#include <stddef.h>

/// An access, or several with one number, that is not over at its target.
struct open_access {
    OTF2_RmaWinRef window;
    int32_t target;
    uint64_t number;
    bool is_request;  // it has one
    bool is_combined; // over at the target where it is over here: something was got
    bool is_done;     // here
};

/// Of a process.
struct accesses {
    struct open_access *items;
    size_t n, capacity;
    uint64_t n_numbers;
};

/// What a call completes: what the origin may use again (MPI_Win_flush_local), all of an epoch of
/// active targets, or all at the target, too (MPI_Win_flush, MPI_Win_unlock).
enum accesses_completion { ACCESSES_HERE, ACCESSES_OF_EPOCH, ACCESSES_AT_TARGET };

OTF2_ErrorCode accesses_write(struct accesses *accesses, OTF2_EvtWriter *writer, uint64_t time_ns,
                              OTF2_RmaWinRef window, const struct record_access *record);
/// `target` may be RECORD_ALL_TARGETS.
OTF2_ErrorCode accesses_complete(struct accesses *accesses, OTF2_EvtWriter *writer,
                                 uint64_t time_ns, OTF2_RmaWinRef window, int32_t target,
                                 enum accesses_completion completion);
/// The request of an access is complete.
OTF2_ErrorCode accesses_complete_request(struct accesses *accesses, OTF2_EvtWriter *writer,
                                         uint64_t time_ns, uint64_t request);
