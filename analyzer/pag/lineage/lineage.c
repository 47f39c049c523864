// SPDX-License-Identifier: BSD-3-Clause
// The lineage tree of lineage.h. An only child is found in constant time from the exclusive or of
// the ids of all children. A mark stays on its node; when the node goes, what it held is gathered
// (mark x content) and the mark moves on to the parent.
#include "analyzer/pag/lineage/lineage.h"

#include <assert.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

// --- sparse vectors, merged small to large: each entry is moved at most log2(n) times over the
// life of a lineage, which keeps the cost per event constant in practice

enum { FIRST_TABLE_PLACES = 16 };
static const uint64_t FREE_KEY = UINT64_MAX;

static inline uint32_t place_of(const struct tally *tally, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t mask = tally->n_places - 1;
    uint32_t place = (uint32_t)(hash >> 32) & mask;
    while (tally->table[place].key != FREE_KEY && tally->table[place].key != key)
        place = (place + 1) & mask;
    return place;
}

/// Makes TALLY a table of N_PLACES.
static void make_table(struct tally *tally, uint32_t n_places)
{
    SCOPED_BY(tally_release) struct tally old = *tally;
    const struct tally_entry *entry;
    tally->n_places = n_places;
    tally->table = memory_new(n_places * sizeof(*tally->table));
    for (uint32_t i = 0; i < n_places; i++)
        tally->table[i] = (struct tally_entry){FREE_KEY, 0};
    for (uint32_t i = 0; (entry = tally_next(&old, &i));)
        tally->table[place_of(tally, entry->key)] = *entry;
}

static __attribute__((noinline)) struct tally_entry *new_in_table(struct tally *tally, uint64_t key)
{
    struct tally_entry *entry = &tally->table[place_of(tally, key)];
    if (tally->n_entries >= tally->n_places / 4 * 3) {
        make_table(tally, tally->n_places * 2);
        entry = &tally->table[place_of(tally, key)];
    }
    *entry = (struct tally_entry){key, 0};
    tally->n_entries++;
    return entry;
}

static inline struct tally_entry *entry_in_table(struct tally *tally, uint64_t key)
{
    struct tally_entry *entry = &tally->table[place_of(tally, key)];
    return entry->key == key ? entry : new_in_table(tally, key);
}

/// The entry of KEY, made if it is new.
static inline struct tally_entry *entry_of(struct tally *tally, uint64_t key)
{
    if (tally->n_places > 0)
        return entry_in_table(tally, key);
    uint32_t n = tally->n_entries;
    for (uint32_t i = 0; i < n; i++)
        if (tally->few[i].key == key)
            return &tally->few[i];
    if (n == TALLY_FEW) {
        make_table(tally, FIRST_TABLE_PLACES);
        return entry_in_table(tally, key);
    }
    tally->few[n] = (struct tally_entry){key, 0};
    tally->n_entries++;
    return &tally->few[n];
}

static inline void add(struct tally *tally, uint64_t key, int64_t ns)
{
    struct tally_entry *entry = entry_of(tally, key);
    entry->ns = (int64_t)((uint64_t)entry->ns + (uint64_t)ns); // damaged times may wrap around
}

void tally_add(struct tally *tally, uint64_t key, int64_t ns)
{
    add(tally, key, ns);
}

/// Adds SMALL into TALLY and leaves SMALL empty. Works on the larger of the two in either case.
static void merge(struct tally *tally, struct tally *small)
{
    bool is_larger = small->n_entries > tally->n_entries;
    struct tally *from = is_larger ? tally : small, *to = is_larger ? small : tally;
    const struct tally_entry *entry;
    for (uint32_t i = 0; (entry = tally_next(from, &i));)
        add(to, entry->key, entry->ns);
    tally_release(from);
    if (is_larger) {
        *tally = *small;
        tally_init(small);
    }
}

void tally_release(struct tally *tally)
{
    if (tally->n_places > 0)
        free(tally->table);
    tally_init(tally);
}

const struct tally_entry *tally_next(const struct tally *tally, uint32_t *place)
{
    if (tally->n_places == 0)
        return *place < tally->n_entries ? &tally->few[(*place)++] : NULL;
    while (*place < tally->n_places) {
        const struct tally_entry *entry = &tally->table[(*place)++];
        if (entry->key != FREE_KEY)
            return entry;
    }
    return NULL;
}

// --- the tree

struct lineage_node {
    uint32_t parent;
    uint32_t n_references;
    uint32_t n_children;
    uint32_t children_xor;
    uint64_t since_ns;
    struct tally content;
    bool is_live;                 // not in the pool's free list
    uint64_t has_marks;           // a bit for each of
    int32_t marks[LINEAGE_MARKS]; // those that are set
};
static_assert(LINEAGE_MARKS <= 64, "a mark has a bit in lineage_node.has_marks");

static void add_mark(struct lineage_node *node, uint32_t mark, int32_t times)
{
    uint64_t bit = UINT64_C(1) << mark;
    node->marks[mark] = times + (node->has_marks & bit ? node->marks[mark] : 0);
    node->has_marks |= bit;
}

static struct lineage_node *node_at(const struct lineage *lineage, uint32_t index)
{
    return POOL_AT(&lineage->nodes, struct lineage_node, index);
}

void lineage_init(struct lineage *lineage)
{
    *lineage = (struct lineage){0};
    pool_init(&lineage->nodes, sizeof(struct lineage_node));
    uint32_t root = pool_take(&lineage->nodes);
    assert(root == LINEAGE_ROOT);
    *node_at(lineage, root) =
        (struct lineage_node){.parent = LINEAGE_NONE, .n_references = 1, .is_live = true};
}

void lineage_release(struct lineage *lineage)
{
    for (uint32_t i = 0; i < lineage->nodes.n_used; i++)
        tally_release(&node_at(lineage, i)->content);
    pool_release(&lineage->nodes);
    free(lineage->hand_overs);
    for (uint32_t mark = 0; mark < LINEAGE_MARKS; mark++)
        tally_release(&lineage->explained[mark]);
}

uint32_t lineage_extend(struct lineage *lineage, uint32_t parent, struct tally *content,
                        uint64_t since_ns)
{
    uint32_t index = pool_take(&lineage->nodes);
    struct lineage_node *node = node_at(lineage, index);
    node->parent = parent;
    node->n_references = 1;
    node->n_children = node->children_xor = 0;
    node->since_ns = since_ns;
    node->content = *content;
    node->is_live = true;
    node->has_marks = 0; // marks are set with their bits
    tally_init(content);
    struct lineage_node *above = node_at(lineage, parent);
    above->n_children++;
    above->children_xor ^= index;
    return index;
}

uint64_t lineage_since_ns(const struct lineage *lineage, uint32_t node)
{
    return node_at(lineage, node)->since_ns;
}

void lineage_keep_hand_overs(struct lineage *lineage)
{
    lineage_set_hand_over(lineage, LINEAGE_ROOT, UINT64_MAX);
}

void lineage_set_hand_over(struct lineage *lineage, uint32_t node, uint64_t hand_over)
{
    lineage->hand_overs = array_reserve(lineage->hand_overs, &lineage->n_hand_overs,
                                        (size_t)node + 1, sizeof *lineage->hand_overs);
    lineage->hand_overs[node] = hand_over;
}

uint32_t lineage_hold(struct lineage *lineage, uint32_t node)
{
    node_at(lineage, node)->n_references++;
    return node;
}

static void gather(struct tally *sum, const struct tally *content, int32_t times)
{
    const struct tally_entry *entry;
    for (uint32_t i = 0; (entry = tally_next(content, &i));)
        add(sum, entry->key, (int64_t)((uint64_t)times * (uint64_t)entry->ns));
}

static void gather_all(struct lineage *lineage, const struct tally *content,
                       const struct lineage_node *node, int32_t sign)
{
    for (uint64_t bits = node->has_marks; bits; bits &= bits - 1) {
        uint32_t mark = (uint32_t)__builtin_ctzll(bits);
        if (node->marks[mark])
            gather(&lineage->explained[mark], content, sign * node->marks[mark]);
    }
}

static void move_marks(struct lineage_node *from, struct lineage_node *to)
{
    for (uint64_t bits = from->has_marks; bits; bits &= bits - 1) {
        uint32_t mark = (uint32_t)__builtin_ctzll(bits);
        add_mark(to, mark, from->marks[mark]);
    }
}

/// NODE is about to be merged into its only CHILD. Either its own content is gathered and its marks
/// move up, or its marks move down and what the child's content must not get of them is taken away:
/// whichever content is smaller.
static void settle_marks(struct lineage *lineage, struct lineage_node *node,
                         struct lineage_node *child)
{
    if (!node->has_marks)
        return;
    if (node->content.n_entries <= child->content.n_entries) {
        gather_all(lineage, &node->content, node, 1);
        move_marks(node, node_at(lineage, node->parent));
    } else {
        gather_all(lineage, &child->content, node, -1);
        move_marks(node, child);
    }
}

/// An unreferenced node with one child: the child takes its content and its place.
static void merge_into_child(struct lineage *lineage, uint32_t index)
{
    struct lineage_node *node = node_at(lineage, index);
    uint32_t child_index = node->children_xor;
    struct lineage_node *child = node_at(lineage, child_index);
    settle_marks(lineage, node, child);
    merge(&child->content, &node->content);
    child->parent = node->parent;
    node_at(lineage, node->parent)->children_xor ^= index ^ child_index;
    node->is_live = false;
    pool_give(&lineage->nodes, index);
}

void lineage_let_go(struct lineage *lineage, uint32_t index)
{
    if (index == LINEAGE_NONE)
        return;
    struct lineage_node *node = node_at(lineage, index);
    assert(node->n_references > 0);
    node->n_references--;
    while (index != LINEAGE_ROOT && node->n_references == 0 && node->n_children == 0) {
        uint32_t parent = node->parent;
        if (node->has_marks) {
            gather_all(lineage, &node->content, node, 1);
            move_marks(node, node_at(lineage, parent));
        }
        tally_release(&node->content);
        node->is_live = false;
        pool_give(&lineage->nodes, index);
        node = node_at(lineage, parent);
        node->n_children--;
        node->children_xor ^= index;
        index = parent;
    }
    if (index != LINEAGE_ROOT && node->n_references == 0 && node->n_children == 1)
        merge_into_child(lineage, index);
}

void lineage_mark(struct lineage *lineage, uint32_t node, uint32_t mark, int32_t times)
{
    add_mark(node_at(lineage, node), mark, times);
}

void lineage_mark_below(struct lineage *lineage, uint32_t node, const struct tally *content,
                        uint32_t mark, int32_t times)
{
    gather(&lineage->explained[mark], content, times);
    lineage_mark(lineage, node, mark, times);
}

void lineage_leave_window(struct lineage *lineage)
{
    const uint64_t inside_bits = (UINT64_C(1) << PAG_WAIT_KINDS) - 1;
    for (uint32_t mark = 0; mark < PAG_WAIT_KINDS; mark++)
        merge(&lineage->explained[PAG_WAIT_KINDS + mark], &lineage->explained[mark]);
    for (uint32_t i = 0; i < lineage->nodes.n_used; i++) {
        struct lineage_node *node = node_at(lineage, i);
        for (uint64_t bits = node->is_live ? node->has_marks & inside_bits : 0; bits;
             bits &= bits - 1) {
            uint32_t mark = (uint32_t)__builtin_ctzll(bits);
            add_mark(node, PAG_WAIT_KINDS + mark, node->marks[mark]);
        }
        node->has_marks &= ~inside_bits;
    }
}

struct tally lineage_explain(struct lineage *lineage, uint32_t mark)
{
    struct tally sum = {0};
    gather(&sum, &lineage->explained[mark], 1);
    for (uint32_t i = 0; i < lineage->nodes.n_used; i++) {
        const struct lineage_node *node = node_at(lineage, i);
        bool is_marked = node->is_live && (node->has_marks >> mark & 1);
        int32_t times = is_marked ? node->marks[mark] : 0;
        for (uint32_t above = i; times && above != LINEAGE_NONE;
             above = node_at(lineage, above)->parent)
            gather(&sum, &node_at(lineage, above)->content, times);
    }
    return sum;
}

void lineage_sum(const struct lineage *lineage, uint32_t index, struct tally *sum)
{
    for (; index != LINEAGE_NONE; index = node_at(lineage, index)->parent) {
        const struct tally_entry *entry;
        const struct tally *content = &node_at(lineage, index)->content;
        for (uint32_t i = 0; (entry = tally_next(content, &i));)
            add(sum, entry->key, entry->ns);
    }
}
