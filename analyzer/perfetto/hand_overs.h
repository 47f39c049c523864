// SPDX-License-Identifier: BSD-3-Clause
// The hand-overs of a replay, kept in a file without name until it is known which of them are on
// the critical path. Memory does not grow with their number.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"

struct hand_overs;

/// The file is in FOLDER. NULL and ERR if there can be none. The caller frees.
struct hand_overs *hand_overs_new(const char *folder, size_t n_locations, struct error *err);
void hand_overs_free(struct hand_overs *hand_overs);

/// As listener.handed_over; a failure is told by hand_overs_walk().
uint64_t hand_overs_add(struct hand_overs *hand_overs, const struct pag_hand_over *hand_over);

/// LOCATION is on the critical path from BEGIN_NS to END_NS.
typedef void path_part(void *context, uint32_t location, uint64_t begin_ns, uint64_t end_ns);

/// The critical path that ends with the hand-over LAST, in the order of time: the parts follow each
/// other from 0 to END_NS. Once. 0, or -1 and ERR.
int hand_overs_walk(struct hand_overs *hand_overs, uint64_t last, uint64_t end_ns, path_part *part,
                    void *context, struct error *err);
