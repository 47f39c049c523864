// SPDX-License-Identifier: BSD-3-Clause
// The lineage tree of lineage.h. An only child is found in constant time from the exclusive or of
// the ids of all children.
#include "analyzer/pag/lineage.h"

#include <assert.h>

struct node {
    uint32_t parent;
    uint32_t n_references;
    uint32_t n_children;
    uint32_t children_xor;
    struct tally content;
};

static struct node *node_at(const struct lineage *lineage, uint32_t index)
{
    return pool_at(&lineage->nodes, index);
}

void lineage_init(struct lineage *lineage)
{
    pool_init(&lineage->nodes, sizeof(struct node));
    uint32_t root = pool_take(&lineage->nodes);
    assert(root == LINEAGE_ROOT);
    *node_at(lineage, root) = (struct node){.parent = LINEAGE_NONE, .n_references = 1};
}

void lineage_release(struct lineage *lineage)
{
    for (uint32_t i = 0; i < lineage->nodes.n_used; i++)
        tally_release(&node_at(lineage, i)->content);
    pool_release(&lineage->nodes);
}

uint32_t lineage_extend(struct lineage *lineage, uint32_t parent, struct tally *content)
{
    uint32_t index = pool_take(&lineage->nodes);
    *node_at(lineage, index) =
        (struct node){.parent = parent, .n_references = 1, .content = *content};
    *content = (struct tally){0};
    struct node *above = node_at(lineage, parent);
    above->n_children++;
    above->children_xor ^= index;
    return index;
}

uint32_t lineage_hold(struct lineage *lineage, uint32_t node)
{
    node_at(lineage, node)->n_references++;
    return node;
}

/// An unreferenced node with one child: the child takes its content and its place.
static void merge_into_child(struct lineage *lineage, uint32_t index)
{
    struct node *node = node_at(lineage, index);
    uint32_t child_index = node->children_xor;
    struct node *child = node_at(lineage, child_index);
    tally_merge(&child->content, &node->content);
    child->parent = node->parent;
    node_at(lineage, node->parent)->children_xor ^= index ^ child_index;
    pool_give(&lineage->nodes, index);
}

void lineage_let_go(struct lineage *lineage, uint32_t index)
{
    if (index == LINEAGE_NONE)
        return;
    struct node *node = node_at(lineage, index);
    assert(node->n_references > 0);
    node->n_references--;
    while (index != LINEAGE_ROOT && node->n_references == 0 && node->n_children == 0) {
        uint32_t parent = node->parent;
        tally_release(&node->content);
        pool_give(&lineage->nodes, index);
        node = node_at(lineage, parent);
        node->n_children--;
        node->children_xor ^= index;
        index = parent;
    }
    if (index != LINEAGE_ROOT && node->n_references == 0 && node->n_children == 1)
        merge_into_child(lineage, index);
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
