// SPDX-License-Identifier: BSD-3-Clause
// The lineage tree: what determined each location's present, as a path from the root (start of the
// run) to a node. A node holds how much time went to which activity between its parent and itself;
// the path from the root to a node tiles [0, time of the node] exactly. Nodes without a reference
// are dropped when they have no child and merged with an only child, so at most 2 * references - 1
// nodes live at any time.
#pragma once

#include <stdint.h>

#include "analyzer/base/pool.h"
#include "analyzer/pag/pag.h"

// --- a small sparse vector of nanoseconds by key, made to be merged: the content of a node

/// Key of an activity: (location, call path of that location).
static inline uint64_t activity_key(uint32_t location, uint32_t call_path)
{
    return (uint64_t)location << 32 | call_path;
}
static inline uint32_t activity_location(uint64_t key)
{
    return (uint32_t)(key >> 32);
}
static inline uint32_t activity_call_path(uint64_t key)
{
    return (uint32_t)key;
}

struct tally_entry {
    uint64_t key; // UINT64_MAX: a free place of the table
    int64_t ns;
};

enum { TALLY_FEW = 8 };

/// A list, or where there are more entries than most tallies have, a table with open addressing, at
/// most three quarters full; all zero is the empty tally.
struct tally {
    union {
        struct tally_entry few[TALLY_FEW];
        struct tally_entry *table;
    };
    uint32_t n_places; // of the table: a power of two; 0: a list
    uint32_t n_entries;
};

void tally_add(struct tally *tally, uint64_t key, int64_t ns);

/// The empty tally; to zero all of it takes longer than most of what is done with it.
static inline void tally_init(struct tally *tally)
{
    tally->n_places = tally->n_entries = 0;
}

/// tally_add() where TALLY has no entry of KEY yet.
static inline void tally_append(struct tally *tally, uint64_t key, int64_t ns)
{
    if (tally->n_places == 0 && tally->n_entries < TALLY_FEW)
        tally->few[tally->n_entries++] = (struct tally_entry){key, ns};
    else
        tally_add(tally, key, ns);
}

void tally_release(struct tally *tally);

/// For each entry: `for (i = 0; (entry = tally_next(tally, &i));)`. The order is that of the
/// places, so sort what is shown.
const struct tally_entry *tally_next(const struct tally *tally, uint32_t *place);

// --- the tree

#define LINEAGE_ROOT 0u
#define LINEAGE_NONE POOL_NONE

// Marks by kind of wait: of waits in the window, then of others.
enum { LINEAGE_MARKS = 2 * PAG_WAIT_KINDS };

struct lineage {
    struct pool nodes;
    uint64_t *hand_overs; // by node, the latest one on its path (pag_hand_over); NULL: not kept
    size_t n_hand_overs;
    struct tally explained[LINEAGE_MARKS]; // what the marks have gathered of nodes that are gone
};

void lineage_init(struct lineage *lineage);
void lineage_release(struct lineage *lineage);

/// A new node below PARENT, with one reference owned by the caller. It takes over CONTENT (left
/// empty). SINCE_NS: from then on the path to it is that of one rank, which waited for another one
/// before (0: never).
uint32_t lineage_extend(struct lineage *lineage, uint32_t parent, struct tally *content,
                        uint64_t since_ns);
uint64_t lineage_since_ns(const struct lineage *lineage, uint32_t node);

/// Where hand-overs are kept: HAND_OVER is the latest one on the path to NODE.
void lineage_keep_hand_overs(struct lineage *lineage);
void lineage_set_hand_over(struct lineage *lineage, uint32_t node, uint64_t hand_over);
static inline uint64_t lineage_hand_over(const struct lineage *lineage, uint32_t node)
{
    return lineage->hand_overs[node];
}

/// Takes one more reference to NODE; returns NODE.
uint32_t lineage_hold(struct lineage *lineage, uint32_t node);

/// Gives one reference back; LINEAGE_NONE is ignored.
void lineage_let_go(struct lineage *lineage, uint32_t node);

/// Counts the path from the root to NODE TIMES times (negative: takes it away) for MARK. A wait of
/// q, ended by p, is explained by path(p at the release) - path(q at its enter): +1 and -1. The
/// parts they share cancel; no common ancestor has to be looked for.
void lineage_mark(struct lineage *lineage, uint32_t node, uint32_t mark, int32_t times);

/// The same for the path that CONTENT continues below NODE.
void lineage_mark_below(struct lineage *lineage, uint32_t node, const struct tally *content,
                        uint32_t mark, int32_t times);

/// What was marked so far as waits in the window was none.
void lineage_leave_window(struct lineage *lineage);

/// The sums of all paths with MARK: activity -> ns. The caller releases the tally.
struct tally lineage_explain(struct lineage *lineage, uint32_t mark);

/// Adds the contents of all nodes from NODE up to the root into SUM.
void lineage_sum(const struct lineage *lineage, uint32_t node, struct tally *sum);
