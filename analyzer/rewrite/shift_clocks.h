// SPDX-License-Identifier: BSD-3-Clause
// A copy of an archive in which the clocks of locations are set right: the same records, byte by
// byte, with other clock offsets in the locations' own definitions, which every reader applies.
#ifndef PAGODA_REWRITE_SHIFT_CLOCKS_H
#define PAGODA_REWRITE_SHIFT_CLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pag/trigger.h"
#include "analyzer/trace/reader.h"

/// Copies TRACE, replayed to its end, to DIRECTORY (see new_archive.h); the records of location i
/// are LATER_NS[i] later there, beyond what its own offsets say. Wholly or not at all. 0, or -1 and
/// ERR.
int shift_clocks(const char *directory, const struct trace *trace, const uint64_t *later_ns,
                 struct error *err);

struct clock_shift;

/// Nothing known yet of N_RANKS ranks. The caller frees.
struct clock_shift *clock_shift_new(size_t n_ranks);
void clock_shift_free(struct clock_shift *shift);

/// Parts of a pag_listener; CONTEXT is a struct clock_shift. Of collectives these say something:
/// barriers and operations in which all need all, by the member that came last; broadcasts and the
/// like, by their root; reductions and the like, of their root.
void clock_shift_message(void *context, const struct pag_message *message);
void clock_shift_trigger(void *context, const struct trigger *trigger);

/// By how many ns the records of each rank must come later, the least of them by 0, so that nothing
/// comes before its cause: of ranks that all send to each other, perhaps by way of others, what is
/// in the middle between the bounds, measured from rank 0; else the least times that do. 0; or -1
/// and ERR where no constants do, for clocks that run at different speeds.
int clock_shift_solve(const struct clock_shift *shift, uint64_t *later_ns, struct error *err);

#endif
