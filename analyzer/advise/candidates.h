// SPDX-License-Identifier: BSD-3-Clause
// Which changes are worth a prediction: read off a measured run.
#ifndef PAGODA_ADVISE_CANDIDATES_H
#define PAGODA_ADVISE_CANDIDATES_H

#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"
#include "analyzer/simulation/cost/machine.h"

/// What the candidates are for.
struct advise_target {
    const struct machine *machine; // NULL: costs as recorded
    uint32_t n_nodes;              // 0: as recorded
    unsigned kinds;                // bits of enum advice_kind
};

/// Adds the candidates of the run MEASURED, replayed with a catalogue, to ADVICE. most_ns of each
/// is a bound by what stands on the critical path of UNCHANGED, the same run predicted with nothing
/// changed: a change of some work cannot make the run shorter than that path without the work, and
/// a change of what MPI does not shorter than the computing of any rank. On shared cores and other
/// targets there is no such bound.
void advise_enumerate(const struct replay_run *measured, const struct pag_result *unchanged,
                      const struct advise_target *target, struct advice *advice);

/// The same candidate with other words; for placements that are searched for. SENTENCE and SUBJECT
/// are copied.
struct advice_candidate *advise_add(struct advice *advice, enum advice_kind kind, uint64_t most_ns,
                                    const char *subject, const char *sentence);
/// VALUE NULL for a flag; copied.
void advise_add_word(struct advice_candidate *candidate, const char *option, const char *value);

#endif
