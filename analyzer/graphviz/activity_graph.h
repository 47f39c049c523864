// SPDX-License-Identifier: BSD-3-Clause
// The program activity graph of a part of a run for Graphviz, gathered while it is replayed: MPI
// calls as nodes, from each to the next of its rank an arc of the process time between, and from
// calls to those that need them an arc for each message and collective operation. Where ranks form
// groups it is the group activity graph: the calls of a group in the order of time, and between
// them the time during which any of its ranks computed. Source: Eom and Hollingsworth, "A Tool to
// Help Tune Where Computation is Performed" (2001).
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/definitions.h"

struct activity_graph;

/// Of the calls that their location's part of PARTS overlaps. Both must outlive it. The caller
/// frees.
struct activity_graph *activity_graph_new(const struct definitions *definitions,
                                          const struct pag_part *parts);
void activity_graph_free(struct activity_graph *graph);

/// What it is told of the replay.
struct pag_listener activity_graph_listener(struct activity_graph *graph);

/// After the replay: writes PATH. RESULT has the groups, none: each rank is one. 0, or -1 and ERR:
/// it cannot be written, or the part has no call, or more than a graph shows.
int activity_graph_write(struct activity_graph *graph, const struct result *result,
                         const char *path, struct error *err);
