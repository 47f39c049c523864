// SPDX-License-Identifier: BSD-3-Clause
// The lineage tree of lineage.h. An only child is found in constant time from the exclusive or of
// the ids of all children. A mark stays on its node; when the node goes, what it held is gathered
// (mark x content) and the mark moves on to the parent.
#include "analyzer/pag/lineage/lineage.h"

#include <assert.h>

struct lineage_node {
    uint32_t parent;
    uint32_t n_references;
    uint32_t n_children;
    uint32_t children_xor;
    struct tally content;
    int32_t marks[LINEAGE_MARKS];
    bool is_marked;
    bool is_live; // not in the pool's free list
};

static struct lineage_node *node_at(const struct lineage *lineage, uint32_t index)
{
    return pool_at(&lineage->nodes, index);
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
    for (int kind = 0; kind < LINEAGE_MARKS; kind++)
        tally_release(&lineage->explained[kind]);
}

uint32_t lineage_extend(struct lineage *lineage, uint32_t parent, struct tally *content)
{
    uint32_t index = pool_take(&lineage->nodes);
    *node_at(lineage, index) = (struct lineage_node){
        .parent = parent, .n_references = 1, .content = *content, .is_live = true};
    *content = (struct tally){0};
    struct lineage_node *above = node_at(lineage, parent);
    above->n_children++;
    above->children_xor ^= index;
    return index;
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
        tally_add(sum, entry->key, (int64_t)((uint64_t)times * (uint64_t)entry->ns));
}

static void gather_all(struct lineage *lineage, const struct tally *content, const int32_t *marks,
                       int32_t sign)
{
    for (int kind = 0; kind < LINEAGE_MARKS; kind++)
        if (marks[kind])
            gather(&lineage->explained[kind], content, sign * marks[kind]);
}

static void move_marks(struct lineage_node *from, struct lineage_node *to)
{
    for (int kind = 0; kind < LINEAGE_MARKS; kind++)
        to->marks[kind] += from->marks[kind];
    to->is_marked = true;
}

/// NODE is about to be merged into its only CHILD. Either its own content is gathered and its marks
/// move up, or its marks move down and what the child's content must not get of them is taken away:
/// whichever content is smaller.
static void settle_marks(struct lineage *lineage, struct lineage_node *node,
                         struct lineage_node *child)
{
    if (!node->is_marked)
        return;
    if (node->content.n_entries <= child->content.n_entries) {
        gather_all(lineage, &node->content, node->marks, 1);
        move_marks(node, node_at(lineage, node->parent));
    } else {
        gather_all(lineage, &child->content, node->marks, -1);
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
    tally_merge(&child->content, &node->content);
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
        if (node->is_marked) {
            gather_all(lineage, &node->content, node->marks, 1);
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

void lineage_mark(struct lineage *lineage, uint32_t node, enum pag_wait_kind kind, int32_t times)
{
    node_at(lineage, node)->marks[kind] += times;
    node_at(lineage, node)->is_marked = true;
}

struct tally lineage_explain(struct lineage *lineage, enum pag_wait_kind kind)
{
    struct tally sum = {0};
    gather(&sum, &lineage->explained[kind], 1);
    for (uint32_t i = 0; i < lineage->nodes.n_used; i++) {
        int32_t times = node_at(lineage, i)->is_live ? node_at(lineage, i)->marks[kind] : 0;
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
            tally_add(sum, entry->key, entry->ns);
    }
}
