// SPDX-License-Identifier: BSD-3-Clause
// By how much the clocks of ranks disagree, if each is wrong by a constant: from what the recorded
// run says about cause and effect. Nothing is received before it was sent, so for each pair of
// ranks the least time from a send to its receive bounds the difference of their clocks; a system
// of difference constraints, solved by shortest paths (Bellman and Ford; Cormen et al.,
// Introduction to Algorithms, section 22.4).
#ifndef PAGODA_REWRITE_CLOCK_SHIFT_H
#define PAGODA_REWRITE_CLOCK_SHIFT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pag/root.h"

struct clock_shift;

/// Nothing known yet of N_RANKS ranks. The caller frees.
struct clock_shift *clock_shift_new(size_t n_ranks);
void clock_shift_free(struct clock_shift *shift);

/// Parts of a pag_listener; CONTEXT is a struct clock_shift. Of collectives these say something:
/// barriers and operations in which all need all, by the member that came last; broadcasts and the
/// like, by their root; reductions and the like, of their root.
void clock_shift_message(void *context, const struct pag_message *message);
void clock_shift_root(void *context, const struct root *root);

/// By how many ns the records of each rank must come later, the least of them by 0, so that nothing
/// comes before its cause: of ranks that all send to each other, perhaps by way of others, what is
/// in the middle between the bounds, measured from rank 0; else the least times that do. 0; or -1
/// and ERR where no constants do, for clocks that run at different speeds.
int clock_shift_solve(const struct clock_shift *shift, uint64_t *later_ns, struct error *err);

#endif
