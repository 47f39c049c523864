// SPDX-License-Identifier: BSD-3-Clause
// What a struct owns: what is read is what was written, also where there is nothing, and is its
// own.

#include "analyzer/base/memory.h"
#include "analyzer/base/owned.h"
#include "analyzer/result/whatif.h"
#include "tests/unit/unit_test.h"

enum { MAX_ITEMS = 3 };

struct item {
    uint64_t number;
    char *name, *value;
};

struct thing {
    char *title;
    struct item *items;
    size_t n_items;
};

static void thing_owned(struct owned *walk, struct thing *thing)
{
    owned_text(walk, &thing->title);
    OWNED_ITEMS(walk, thing->items, thing->n_items, OWN(name), OWN(value));
}

static void thing_free(struct thing *thing)
{
    struct owned walk = {.purpose = OWNED_FREE};
    thing_owned(&walk, thing);
    owned_end(&walk);
}

static struct thing thing_of(unsigned kind)
{
    struct thing thing = {.title = kind & 1 ? memory_copy_text("") : NULL, .n_items = kind >> 2};
    if (kind & 2)
        thing.items = memory_zeroed(MAX_ITEMS, sizeof *thing.items);
    else
        thing.n_items = 0;
    for (size_t i = 0; i < thing.n_items; i++)
        thing.items[i] = (struct item){.number = i + kind,
                                       .name = memory_format("item %zu of %u", i, kind),
                                       .value = i == 1 ? NULL : memory_copy_text("x")};
    return thing;
}

static void expect_text(const char *a, const char *b)
{
    assert_true(!a == !b);
    if (a)
        assert_string_equal(a, b);
    assert_true(!a || a != b);
}

TEST(test_what_is_read_is_what_was_written)
{
    struct owned written = {.purpose = OWNED_WRITE};
    struct thing things[4 * (MAX_ITEMS + 1)];
    size_t n = sizeof things / sizeof things[0];
    for (unsigned i = 0; i < n; i++) {
        things[i] = thing_of(i);
        owned_block(&written, &things[i], sizeof things[i]);
        thing_owned(&written, &things[i]);
    }
    struct owned read = {.purpose = OWNED_READ, .bytes = written.bytes, .n = written.n};
    for (unsigned i = 0; i < n; i++) {
        struct thing copy;
        owned_block(&read, &copy, sizeof copy);
        thing_owned(&read, &copy);
        expect_text(copy.title, things[i].title);
        assert_int_equal(copy.n_items, things[i].n_items);
        for (size_t k = 0; k < copy.n_items; k++) {
            assert_int_equal(copy.items[k].number, things[i].items[k].number);
            expect_text(copy.items[k].name, things[i].items[k].name);
            expect_text(copy.items[k].value, things[i].items[k].value);
        }
        thing_free(&copy);
        thing_free(&things[i]);
    }
    assert_int_equal(read.position, written.n);
    owned_end(&written);
}

TEST(test_a_point_of_a_prediction)
{
    struct whatif_point point = {.predicted_ns = 7, .n_ranks = 2, .n_bounds = 1}, copy;
    point.ranks = memory_zeroed(2, sizeof *point.ranks);
    point.ranks[1] = (struct whatif_rank){.node = memory_copy_text("b"), .finish_ns = 5};
    point.bounds = memory_zeroed(1, sizeof *point.bounds);
    point.bounds[0].key = memory_copy_text("joined");
    struct owned written = {.purpose = OWNED_WRITE};
    owned_block(&written, &point, sizeof point);
    whatif_point_owned(&written, &point);
    struct owned read = {.purpose = OWNED_READ, .bytes = written.bytes, .n = written.n};
    owned_block(&read, &copy, sizeof copy);
    whatif_point_owned(&read, &copy);
    whatif_point_release(&point);
    owned_end(&written);
    assert_int_equal(copy.predicted_ns, 7);
    assert_null(copy.ranks[0].node);
    assert_string_equal(copy.ranks[1].node, "b");
    assert_int_equal(copy.ranks[1].finish_ns, 5);
    assert_string_equal(copy.bounds[0].key, "joined");
    assert_null(copy.rules);
    whatif_point_release(&copy);
}
