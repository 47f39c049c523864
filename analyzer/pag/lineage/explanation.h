// SPDX-License-Identifier: BSD-3-Clause
// Explains waits: what the releaser's lineage has and the waiter's has not.
#ifndef PAGODA_PAG_LINEAGE_EXPLANATION_H
#define PAGODA_PAG_LINEAGE_EXPLANATION_H

#include <stdint.h>

#include "analyzer/pag/pag.h"

struct engine;

/// A time with the lineage that led to it, LINEAGE_NONE where that is unknown. Holds no reference.
struct moment {
    uint64_t time_ns;
    uint32_t node;
};

/// Explains the wait of KIND that lasts from FROM to TO, the moment of its release, in a call left
/// at LEAVE_NS. FROM then is TO, where the next wait of the same call begins; so the explanations
/// of consecutive waits sum to the time from the first FROM to the last TO. No wait: TO is not
/// later than FROM. Not explained: a lineage is unknown, or the release is later than the leave.
void explain_wait(struct engine *engine, enum pag_wait_kind kind, struct moment *from,
                  struct moment to, uint64_t leave_ns);

#endif
