// SPDX-License-Identifier: BSD-3-Clause
// Pruning loses nothing: on random call trees, properties and hierarchies, the search with pruning
// finds exactly what a search of everything finds, less what is within or below something that is
// not critical. The ancestors are found here by their definitions, not as the search does.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/pattern/properties/hierarchy.h"
#include "analyzer/result/properties/property_search.h"
#include "tests/reference/program.h"
#include "tests/unit/unit_test.h"

enum { MAX_PATHS = 40, MAX_REGIONS = 8, MAX_RANKS = 3, MAX_NODES = 10, N_RUNS = 400 };

struct run {
    struct result result;
    struct result_region regions[MAX_REGIONS];
    struct result_path paths[MAX_PATHS];
    struct result_path_rank rows[MAX_PATHS * MAX_RANKS];
    struct result_rank ranks[MAX_RANKS];
};

/// A tree in preorder; a region may call itself.
static void make_run(struct run *run, struct random *random)
{
    static char names[MAX_REGIONS][2] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct result *result = &run->result;
    *run = (struct run){0};
    result->regions = run->regions;
    result->paths = run->paths;
    result->path_ranks = run->rows;
    result->ranks = run->ranks;
    result->n_ranks = 1 + random_below(random, MAX_RANKS);
    result->n_regions = 1 + random_below(random, MAX_REGIONS);
    result->n_paths = 1 + random_below(random, MAX_PATHS);
    result->time_ns = 2000;
    for (size_t i = 0; i < result->n_regions; i++)
        run->regions[i] = (struct result_region){
            .name = names[i], .shown = names[i], .is_mpi = random_below(random, 3) == 0};
    uint32_t open = RESULT_NONE; // a path on the way from the last one to its root
    for (uint32_t i = 0; i < result->n_paths; i++) {
        while (open != RESULT_NONE && random_below(random, 2) == 0)
            open = run->paths[open].parent;
        run->paths[i] = (struct result_path){
            .region = random_below(random, (uint32_t)result->n_regions), .parent = open};
        run->paths[i].depth = open == RESULT_NONE ? 0 : run->paths[open].depth + 1;
        open = i;
        for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
            struct result_path_rank *row = &run->rows[result->n_path_ranks++];
            *row = (struct result_path_rank){
                i, rank, 1, 10 + random_below(random, 90), random_below(random, 100), 0};
            row->master_ns = row->exclusive_ns;
        }
    }
    for (size_t i = result->n_path_ranks; i-- > 0;) { // children are in their parents
        uint32_t parent = run->paths[run->rows[i].path].parent;
        if (parent != RESULT_NONE)
            run->rows[parent * result->n_ranks + run->rows[i].rank].inclusive_ns +=
                run->rows[i].inclusive_ns;
    }
    // Regions are numbered by their first path.
    uint32_t number[MAX_REGIONS], n = 0;
    memset(number, 0xff, sizeof number);
    for (size_t i = 0; i < result->n_paths; i++) {
        uint32_t *at = &number[run->paths[i].region];
        if (*at == UINT32_MAX)
            *at = n++;
        run->paths[i].region = *at;
    }
    result->n_regions = n;
}

static const char *const random_texts =
    "property r0(Region r, Experiment e, Region basis) { condition: profile(r, e).mpi_time > 0;\n"
    "  confidence: 1; severity: profile(r, e).mpi_time / duration(basis, e); }\n"
    "property r1(Region r, Experiment e, Region basis) {\n"
    "  let float most = max(profile(r, e, p).computing_time where p in ranks);\n"
    "  in condition: most > 50; confidence: 1; severity: most / duration(basis, e); }\n"
    "property r2(Region r, Experiment e) { condition: any(profile(c, e).exclusive_time > 90\n"
    "  where c in call_paths); confidence: 1; severity: profile(r, e).visits / 50; }\n"
    "property c0(CallPath c, Experiment e, Region basis) { condition: 1; confidence: 1;\n"
    "  severity: profile(c, e).exclusive_time / duration(basis, e); }\n"
    "property c1(CallPath c, Experiment e) { condition: profile(c, e).mpi_calls < 9;\n"
    "  confidence: 1; severity: profile(c, e).mpi_time / 1000; }\n"
    "property k0(Process p, Experiment e) { condition: 1; confidence: 1;\n"
    "  severity: profile(p, e).mpi_time / 3000; }\n"
    "property p0(Experiment e) { condition: profile(e).mpi_time > 500; confidence: 1;\n"
    "  severity: 1; }\n";

static void read_properties(struct property_list *properties, const char *texts)
{
    char path[] = "/tmp/pagoda-properties-XXXXXX.asl";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    assert_int_equal(write(file, texts, strlen(texts)), strlen(texts));
    close(file);
    struct error err = {{0}};
    assert_int_equal(property_asl_read(properties, path, NULL, 0, &err), 0);
    unlink(path);
}

static void make_hierarchy(struct hierarchy *hierarchy, struct property_node *nodes,
                           const struct property_list *properties, struct random *random)
{
    *hierarchy = (struct hierarchy){.nodes = nodes, .n_nodes = 1 + random_below(random, MAX_NODES)};
    uint32_t open = NODE_NONE;
    for (uint32_t i = 0; i < hierarchy->n_nodes; i++) {
        while (open != NODE_NONE && random_below(random, 3) == 0)
            open = nodes[open].parent;
        nodes[i] = (struct property_node){
            .property = random_below(random, (uint32_t)properties->n),
            .parent = open,
            .threshold = (double)(random_below(random, 20)) / 100,
            .basis = (enum property_basis)(random_below(random, 2))}; // program, enclosing
        open = i;
    }
}

// ---- ancestors

static bool is_same_focus(const struct result_part *a, const struct result_part *b)
{
    return a->region == b->region && a->path == b->path && a->rank == b->rank &&
           a->iteration == b->iteration;
}

static const struct result_property *find(const struct property_search *search, uint32_t node,
                                          const struct result_part *focus)
{
    for (size_t i = 0; i < search->found.n_found; i++)
        if (search->found.found[i].node == node &&
            (!focus || is_same_focus(&search->found.found[i].in, focus)))
            return &search->found.found[i];
    return NULL;
}

static bool has_around(const struct result *result, uint32_t path, uint32_t region)
{
    for (uint32_t at = result->paths[path].parent; at != RESULT_NONE; at = result->paths[at].parent)
        if (result->paths[at].region == region)
            return true;
    return false;
}

/// Whether each visit of INNER that is in no other one is within OUTER.
static bool contains(const struct result *result, uint32_t outer, uint32_t inner)
{
    for (uint32_t i = 0; i < result->n_paths; i++)
        if (result->paths[i].region == inner && !has_around(result, i, inner) &&
            !has_around(result, i, outer))
            return false;
    return outer != inner;
}

/// Whether NODE is critical in FOCUS (NULL: anywhere), in all that FOCUS is within, and likewise
/// the nodes above it.
static bool is_reached(const struct property_search *all, uint32_t node,
                       const struct result_part *focus)
{
    const struct result *result = all->result;
    const struct asl_property *items = all->properties->items;
    const struct property_node *nodes = all->hierarchy->nodes;
    uint32_t above = nodes[node].parent;
    for (size_t i = 0; !focus && i < all->found.n_found; i++)
        if (all->found.found[i].node == node && is_reached(all, node, &all->found.found[i].in))
            return true;
    if (!focus || !find(all, node, focus))
        return false;
    struct result_part around = *focus;
    for (uint32_t i = 0; focus->region != RESULT_NONE && i < result->n_regions; i++) {
        around.region = i;
        if (contains(result, i, focus->region) && !is_reached(all, node, &around))
            return false;
    }
    around = *focus;
    if (focus->path != RESULT_NONE) {
        around.path = result->paths[focus->path].parent;
        if (around.path != RESULT_NONE && !is_reached(all, node, &around))
            return false;
    }
    if (above == NODE_NONE)
        return true;
    bool is_same_kind = items[nodes[above].property].focus == items[nodes[node].property].focus;
    return is_reached(all, above, is_same_kind ? focus : NULL);
}

/// With some of what SEARCH found, and other parts, as what earlier trials had, the same is found,
/// by the same number of evaluations. Returns how many evaluations fewer found what is known to be
/// there.
static uint64_t check_past(const struct property_search *search, struct random *random)
{
    enum { MAX_PAST = 20 };
    struct result_past_property past[2 * MAX_PAST];
    struct property_search guided = *search;
    const struct result_search *before = &search->found, *after = &guided.found;
    uint64_t n_fewer = 0;
    guided.found = (struct result_search){.prunes = before->prunes, .past = past};
    for (size_t i = 0; i < before->n_found && i < MAX_PAST; i++) {
        const struct result_property *found = &before->found[i];
        struct result_past_property *next = &past[guided.found.n_past];
        *next = (struct result_past_property){
            .name = (char *)found->name, .in = found->in, .is_here = true};
        guided.found.n_past += random_below(random, 2); // else it is not among them
        next = &past[guided.found.n_past];
        *next = (struct result_past_property){
            .name = (char *)found->name, .in = found->in, .is_here = true};
        if (found->in.region != RESULT_NONE) {
            next->in.region = random_below(random, (uint32_t)search->result->n_regions);
            guided.found.n_past++;
        }
    }
    property_search_run(&guided);
    assert_int_equal(after->n_evaluated, before->n_evaluated);
    assert_int_equal(after->n_saved, before->n_saved);
    assert_int_equal(after->n_found, before->n_found);
    for (size_t i = 0; i < before->n_found; i++) {
        const struct result_property *a = &before->found[i], *b = &after->found[i];
        assert_true(a->node == b->node && is_same_focus(&a->in, &b->in));
        assert_int_equal(b->n_without_past, a->n_evaluations);
        assert_int_equal(a->n_without_past, a->n_evaluations);
        n_fewer += b->n_evaluations < a->n_evaluations;
    }
    guided.found.past = NULL; // not its own
    guided.found.n_past = 0;
    property_search_release(&guided);
    return n_fewer;
}

TEST(pruning_loses_nothing)
{
    struct property_list properties = {0};
    uint64_t n_reached = 0, n_dropped = 0, n_saved = 0, n_earlier = 0;
    read_properties(&properties, random_texts);
    for (uint64_t k = 1; k <= N_RUNS; k++) {
        struct random random = {k};
        static struct run run;
        struct hierarchy hierarchy;
        struct property_node nodes[MAX_NODES];
        make_run(&run, &random);
        make_hierarchy(&hierarchy, nodes, &properties, &random);
        struct property_search all = {
            .result = &run.result, .properties = &properties, .hierarchy = &hierarchy};
        struct property_search pruned = all;
        pruned.found.prunes = true;
        property_search_run(&all);
        property_search_run(&pruned);
        assert_int_equal(all.found.n_saved, 0);
        assert_int_equal(pruned.found.n_evaluated + pruned.found.n_saved, all.found.n_evaluated);
        size_t n = 0;
        for (size_t i = 0; i < all.found.n_found; i++) {
            const struct result_property *instance = &all.found.found[i];
            bool is_expected = is_reached(&all, instance->node, &instance->in);
            const struct result_property *found = find(&pruned, instance->node, &instance->in);
            if (is_expected != (found != NULL))
                fail_msg("seed %llu: node %u", (unsigned long long)k, instance->node);
            if (found)
                assert_true(found->severity >= instance->severity &&
                            found->severity <= instance->severity);
            n += is_expected;
        }
        assert_int_equal(n, pruned.found.n_found);
        n_earlier += check_past(&pruned, &random);
        n_reached += n;
        n_dropped += all.found.n_found - n;
        n_saved += pruned.found.n_saved;
        property_search_release(&all);
        property_search_release(&pruned);
    }
    // Else they test little.
    assert_true(n_reached > 500 && n_dropped > 500 && n_saved > 5000 && n_earlier > 200);
    property_list_release(&properties);
}

// ---- regions by name

/// Of three regions that main (100) calls on one rank: 10, 20 and 30, in the order of numbers.
static void make_named(struct run *run)
{
    static const uint64_t ns[] = {100, 10, 20, 30};
    *run = (struct run){
        .regions = {{.name = (char *)"main", .shown = (char *)"main"},
                    {.name = (char *)"grid::solve", .shown = (char *)"solve"},
                    {.name = (char *)"solve", .shown = (char *)"solve [2]"},
                    {.name = (char *)"MPI_Send", .shown = (char *)"MPI_Send", .is_mpi = true}}};
    for (uint32_t i = 0; i < 4; i++) {
        run->paths[i] =
            (struct result_path){.region = i, .parent = i > 0 ? 0 : RESULT_NONE, .depth = i > 0};
        run->rows[i] = (struct result_path_rank){i, 0, 1, ns[i], ns[i], ns[i]};
    }
    run->result = (struct result){.regions = run->regions,
                                  .paths = run->paths,
                                  .path_ranks = run->rows,
                                  .ranks = run->ranks,
                                  .n_regions = 4,
                                  .n_paths = 4,
                                  .n_path_ranks = 4,
                                  .n_ranks = 1,
                                  .time_ns = 100};
}

/// The name of a region is looked up once, whole names first, and is the same region in each focus
/// and each set, also where the same metric is asked of the focus in between.
TEST(a_named_region_is_one_region_in_each_focus)
{
    static const struct {
        const char *value;
        double expected[4]; // by region of the focus
    } cases[] = {
        {"profile(\"solve\", e).time", {20, 20, 20, 20}},
        {"profile(\"grid::solve\", e).time", {10, 10, 10, 10}},
        {"profile(\"solve [2]\", e).time - profile(r, e).time", {-80, 10, 0, -10}},
        {"profile(\"solve\", e).time + profile(e, \"MPI_Send\").time", {50, 50, 50, 50}},
        {"profile(r, e).time - profile(e).time", {0, -90, -80, -70}},
        {"max(profile(\"solve\", e, p).time where p in ranks) + profile(r, e).time",
         {120, 30, 40, 50}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct run run;
        struct property_list properties = {0};
        SCOPED char *text = memory_format(
            "metric m(Region r, Experiment e) { unit: ns; value: %s; }\n", cases[i].value);
        read_properties(&properties, text);
        make_named(&run);
        struct property_values *values = property_values_new(&run.result);
        struct property_evaluation e = {
            .values = values, .result = &run.result, .property = properties.items};
        property_evaluation_begin(&e);
        for (uint32_t region = 0; region < 4; region++)
            run.regions[region].name = run.regions[region].shown = (char *)"solve";
        for (uint32_t region = 0; region < 4; region++) {
            double value;
            e.focus = property_focus_at(FOCUS_region, region);
            property_evaluate(&e);
            assert_true(expression_value(&e.property->value, e.slots, &value));
            assert_float_equal(value, cases[i].expected[region], 0);
        }
        property_values_free(values);
        property_list_release(&properties);
    }
}
