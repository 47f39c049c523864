// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/pag/lineage/explanation.h"

#include "analyzer/pag/engine.h"

void explain_wait(struct engine *engine, enum pag_wait_kind kind, struct moment *from,
                  struct moment to, uint64_t leave_ns)
{
    if (to.time_ns <= from->time_ns)
        return;
    if (to.time_ns > leave_ns)
        to = (struct moment){leave_ns, LINEAGE_NONE};
    if (from->node != LINEAGE_NONE && to.node != LINEAGE_NONE) {
        lineage_mark(&engine->lineage, to.node, kind, 1);
        lineage_mark(&engine->lineage, from->node, kind, -1);
        engine->result->explanations[kind].explained_ns += to.time_ns - from->time_ns;
    }
    *from = to;
}
