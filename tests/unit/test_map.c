// SPDX-License-Identifier: BSD-3-Clause
// The hash map against a plain array as its model: colliding and removed keys stay findable.

#include "analyzer/base/map.h"
#include "tests/unit/unit_test.h"

TEST(test_empty_map)
{
    struct map map;
    map_init(&map);
    uint32_t value = 7;
    assert_false(map_get(&map, 0, &value));
    assert_false(map_remove(&map, 0));
    assert_int_equal(value, 7);
    map_release(&map);
}

TEST(test_extreme_keys)
{
    struct map map;
    map_init(&map);
    map_put(&map, 0, 1);
    map_put(&map, UINT64_MAX, 2);
    map_put(&map, 0, 3);
    uint32_t value;
    assert_true(map_get(&map, 0, &value));
    assert_int_equal(value, 3);
    assert_true(map_get(&map, UINT64_MAX, &value));
    assert_int_equal(value, 2);
    assert_int_equal(map.n_used, 2);
    map_release(&map);
}

TEST(test_random_operations_match_a_model)
{
    enum { KEYS = 500, STEPS = 200000 };
    static uint32_t model[KEYS]; // value + 1, 0 when absent
    struct map map;
    map_init(&map);
    uint32_t random = 12345;
    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        uint32_t i = (random >> 8) % KEYS;
        uint64_t key = (uint64_t)i << 33 | i;
        if (random >> 30) {
            assert_int_equal(map_remove(&map, key), model[i] != 0);
            model[i] = 0;
        } else {
            map_put(&map, key, random >> 4);
            model[i] = (random >> 4) + 1;
        }
        uint32_t probe = (random >> 12) % KEYS;
        uint32_t value = 0;
        assert_int_equal(map_get(&map, (uint64_t)probe << 33 | probe, &value), model[probe] != 0);
        if (model[probe])
            assert_int_equal(value, model[probe] - 1);
    }
    map_release(&map);
}
