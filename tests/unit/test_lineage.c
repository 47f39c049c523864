// SPDX-License-Identifier: BSD-3-Clause
// The lineage tree against a model that keeps every node for ever: whatever is dropped, merged or
// marked, the sums along the paths and the explanations stay the same, and the number of nodes
// stays below twice the number of references.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyzer/pag/lineage/lineage.h"

enum { MAX_NODES = 3000, N_KEYS = 12, MAX_REFERENCES = 20 };

/// A node of the model: its whole path as one dense vector.
struct model_node {
    int64_t path_ns[N_KEYS];
};

struct reference {
    uint32_t node;  // in the tree
    uint32_t model; // the same in the model
};

struct world {
    struct lineage lineage;
    struct model_node models[MAX_NODES];
    uint32_t n_models;
    struct reference references[MAX_REFERENCES];
    uint32_t n_references;
    int64_t explained_ns[PAG_WAIT_KINDS][N_KEYS];
    uint32_t random;
};

static uint32_t draw(struct world *world, uint32_t below)
{
    world->random = world->random * 1664525u + 1013904223u;
    return (world->random >> 8) % below;
}

static void add_child(struct world *world)
{
    if (world->n_references == MAX_REFERENCES || world->n_models == MAX_NODES)
        return;
    struct reference above = world->references[draw(world, world->n_references)];
    struct model_node *model = &world->models[world->n_models];
    *model = world->models[above.model];
    struct tally content = {0};
    for (uint32_t i = draw(world, 6); i > 0; i--) {
        uint32_t key = draw(world, N_KEYS);
        int64_t ns = (int64_t)draw(world, 1000) - 100;
        tally_add(&content, key, ns);
        model->path_ns[key] += ns;
    }
    world->references[world->n_references++] = (struct reference){
        lineage_extend(&world->lineage, above.node, &content), world->n_models++};
}

static void let_go(struct world *world)
{
    if (world->n_references <= 1) // the first one is the root's
        return;
    uint32_t which = 1 + draw(world, world->n_references - 1);
    lineage_let_go(&world->lineage, world->references[which].node);
    world->references[which] = world->references[--world->n_references];
}

static void mark(struct world *world)
{
    struct reference at = world->references[draw(world, world->n_references)];
    enum pag_wait_kind kind = (enum pag_wait_kind)draw(world, PAG_WAIT_KINDS);
    int32_t times = draw(world, 2) ? 1 : -1;
    lineage_mark(&world->lineage, at.node, kind, times);
    for (uint32_t key = 0; key < N_KEYS; key++)
        world->explained_ns[kind][key] += times * world->models[at.model].path_ns[key];
}

static void assert_same(struct tally *sum, const int64_t *expected_ns)
{
    int64_t found_ns[N_KEYS] = {0};
    const struct tally_entry *entry;
    for (uint32_t i = 0; (entry = tally_next(sum, &i));)
        found_ns[entry->key] = entry->ns;
    for (uint32_t key = 0; key < N_KEYS; key++)
        assert_int_equal(found_ns[key], expected_ns[key]);
    tally_release(sum);
}

static void check_paths(struct world *world)
{
    for (uint32_t i = 0; i < world->n_references; i++) {
        struct tally sum = {0};
        lineage_sum(&world->lineage, world->references[i].node, &sum);
        assert_same(&sum, world->models[world->references[i].model].path_ns);
    }
    assert_true(world->lineage.nodes.n_live <= 2 * world->n_references);
}

static void check_explanations(struct world *world)
{
    for (int kind = 0; kind < PAG_WAIT_KINDS; kind++) {
        struct tally sum = lineage_explain(&world->lineage, (enum pag_wait_kind)kind);
        assert_same(&sum, world->explained_ns[kind]);
    }
}

static void test_random_trees_match_a_model(void **state)
{
    (void)state;
    struct world *world = malloc(sizeof *world);
    for (uint32_t seed = 1; seed <= 60; seed++) {
        *world = (struct world){.random = seed, .n_models = 1, .n_references = 1};
        lineage_init(&world->lineage);
        world->references[0] = (struct reference){LINEAGE_ROOT, 0};
        for (int step = 0; step < 2000; step++) {
            switch (draw(world, 5)) {
            case 0:
            case 1:
                add_child(world);
                break;
            case 2:
            case 3:
                let_go(world);
                break;
            default:
                mark(world);
            }
            if (step % 50 == 0) {
                check_paths(world);
                check_explanations(world);
            }
        }
        check_explanations(world);
        lineage_release(&world->lineage);
    }
    free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees_match_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
