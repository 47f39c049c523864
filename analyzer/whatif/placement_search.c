// SPDX-License-Identifier: BSD-3-Clause
// Placements: see placement_search.h.
#include "analyzer/whatif/placement_search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/simulation/cores/placement.h"

#define NO_RANK UINT32_MAX

enum {
    N_NEIGHBOURS = 32, // predicted before the best of them is chosen
    N_SEEDS = 3,
    N_STARTS = 2,      // local searches
    MAX_REPLAYS = 200, // of --map auto
};

struct search {
    const struct whatif_batch *batch;
    const struct search_places *places;
    const struct search_phase *phase; // NULL: all
    struct rank_graph graph;
    uint32_t n_ranks, n_nodes;    // no more than ranks
    uint32_t *n_cores;            // by node
    bool are_alike;               // nothing is particular about a node
    size_t n_left;                // predictions
    struct mapping best, current; // of all; the one that is being improved
};

/// The caller frees.
static char *place_name(const struct search_places *places, uint32_t node)
{
    return places->names ? memory_copy_text(places->names[node])
                         : memory_format("node%" PRIu32, node);
}

char **mapping_words(const struct mapping *mapping, uint32_t n_ranks,
                     const struct search_places *places, const char *phase, size_t *n)
{
    char **words = memory_zeroed(places->n, sizeof(char *));
    *n = 0;
    for (uint32_t node = 0; node < places->n; node++) {
        SCOPED char *ranks = rank_list_text(mapping->node_of_rank, n_ranks, node);
        SCOPED char *name = place_name(places, node);
        if (*ranks)
            words[(*n)++] =
                memory_format("%s%s%s=%s", phase ? phase : "", phase ? ":" : "", name, ranks);
    }
    return words;
}

// --- predictions

static void free_candidate(struct advice_candidate *candidate)
{
    FREE_MEMBERS(candidate->words, candidate->n_words, value);
    free(candidate->words);
}

static struct advice_candidate candidate_of(const struct search *search,
                                            const struct mapping *mapping)
{
    size_t n;
    SCOPED char **texts = mapping_words(mapping, search->n_ranks, search->places,
                                        search->phase ? search->phase->name : NULL, &n);
    struct advice_candidate candidate = {.words = memory_zeroed(n, sizeof(struct advice_word)),
                                         .n_words = n};
    for (size_t i = 0; i < n; i++)
        candidate.words[i] = (struct advice_word){(char *)"place", texts[i]};
    return candidate;
}

static void copy_mapping(const struct search *search, struct mapping *to,
                         const struct mapping *from)
{
    to->predicted_ns = from->predicted_ns;
    memcpy(to->node_of_rank, from->node_of_rank, search->n_ranks * sizeof *to->node_of_rank);
}

/// Predicts MAPPINGS, as many as may yet be; those that are not, or cannot be, take forever. The
/// best one so far is kept.
static void judge(struct search *search, struct mapping *mappings, size_t n)
{
    size_t n_jobs = n < search->n_left ? n : search->n_left;
    SCOPED struct whatif_job *jobs = memory_zeroed(n_jobs, sizeof *jobs);
    SCOPED struct advice_candidate *candidates = memory_zeroed(n_jobs, sizeof *candidates);
    for (size_t i = 0; i < n_jobs; i++) {
        candidates[i] = candidate_of(search, &mappings[i]);
        jobs[i].candidates[0] = &candidates[i];
    }
    whatif_run_jobs(search->batch, jobs, n_jobs);
    search->n_left -= n_jobs;
    for (size_t i = 0; i < n; i++) {
        bool is_predicted = i < n_jobs && !jobs[i].failure;
        mappings[i].predicted_ns = is_predicted ? jobs[i].predicted_ns : UINT64_MAX;
        if (mappings[i].predicted_ns < search->best.predicted_ns)
            copy_mapping(search, &search->best, &mappings[i]);
    }
    for (size_t i = 0; i < n_jobs; i++) {
        free(jobs[i].failure);
        free_candidate(&candidates[i]);
    }
}

// --- the places

/// What the target says of the places: cores, and whether they are alike.
static void survey_places(struct search *search)
{
    static const struct scenario_settings unchanged = SCENARIO_UNCHANGED_FIELDS;
    SCOPED_BY(whatif_plan_release) struct whatif_plan target;
    struct error unplaced = {{0}}; // without --place it may be none
    (void)whatif_job_plan(search->batch, &(struct whatif_job){0}, &target, &unplaced);
    const struct scenario_settings *settings =
        target.n_cases > 0 ? &target.cases[0].settings : &unchanged;
    const struct machine *given = settings->machine;
    // Which ranks need not move depends on where they are in the other phases.
    search->are_alike = !search->phase && (!given || (given->n_nodes == 0 && given->n_groups == 0));
    search->are_alike = search->are_alike && settings->n_node_speeds == 0;
    for (size_t i = 0; given && i < given->n_collectives; i++)
        search->are_alike = search->are_alike && given->collectives[i].n_missing_nodes == 0;
    for (uint32_t node = 0; node < search->n_nodes; node++) {
        SCOPED char *name = place_name(search->places, node);
        uint32_t n_cores = core_groups_given(settings, name);
        search->n_cores[node] = n_cores > 0 ? n_cores : 1;
    }
}

/// The fewest nodes, the first ones, that have a core for each rank; all, where these do not.
static uint32_t count_needed_nodes(const struct search *search)
{
    uint64_t n_cores = 0;
    uint32_t n = 0;
    while (n < search->n_nodes && n_cores < search->n_ranks)
        n_cores += search->n_cores[n++];
    return n;
}

// --- all placements

/// The next placement after NODE_OF_RANK in the order of its digits; false after the last one.
/// Where nodes are alike a rank may be on a node that has lower ranks, or on the next one.
static bool next_placement(const struct search *search, uint32_t *node_of_rank)
{
    for (uint32_t rank = search->n_ranks; rank-- > 0;) {
        uint32_t most = search->n_nodes - 1, n_used = 0;
        for (uint32_t i = 0; i < rank; i++)
            n_used = node_of_rank[i] >= n_used ? node_of_rank[i] + 1 : n_used;
        if (search->are_alike && n_used < most)
            most = n_used;
        if (node_of_rank[rank] < most) {
            node_of_rank[rank]++;
            memset(node_of_rank + rank + 1, 0, (search->n_ranks - rank - 1) * sizeof *node_of_rank);
            return true;
        }
    }
    return false;
}

/// Are there no more placements than predictions are left?
static bool are_few(const struct search *search)
{
    SCOPED uint32_t *node_of_rank = memory_zeroed(search->n_ranks, sizeof *node_of_rank);
    size_t n = 1;
    while (n <= search->n_left && next_placement(search, node_of_rank))
        n++;
    return n <= search->n_left;
}

static void try_all(struct search *search)
{
    struct mapping batch[N_NEIGHBOURS];
    SCOPED uint32_t *node_of_rank = memory_zeroed(search->n_ranks, sizeof *node_of_rank);
    size_t size = search->n_ranks * sizeof *node_of_rank;
    for (bool is_more = true; is_more;) {
        size_t n = 0;
        for (; n < N_NEIGHBOURS && is_more; n++) {
            batch[n].node_of_rank = memory_new(size);
            memcpy(batch[n].node_of_rank, node_of_rank, size);
            is_more = next_placement(search, node_of_rank);
        }
        judge(search, batch, n);
        for (size_t i = 0; i < n; i++)
            free(batch[i].node_of_rank);
    }
}

// --- proposals

enum { MAX_PROPOSALS = 1 + 2 + 3 + N_SEEDS + 2 };

struct proposals {
    struct mapping items[MAX_PROPOSALS];
    size_t n;
    uint32_t n_ranks;
};

static uint32_t *new_proposal(struct proposals *proposals)
{
    uint32_t *node_of_rank = memory_zeroed(proposals->n_ranks, sizeof *node_of_rank);
    proposals->items[proposals->n++].node_of_rank = node_of_rank;
    return node_of_rank;
}

static void drop_last(struct proposals *proposals)
{
    free(proposals->items[--proposals->n].node_of_rank);
}

/// N_PARTS nodes, with at most MOST ranks each.
static void propose_by_bytes(const struct search *search, struct proposals *proposals,
                             uint32_t n_parts, uint32_t most, uint32_t seed)
{
    if (!partition_by_bytes(&search->graph, n_parts, most, seed, new_proposal(proposals)))
        drop_last(proposals);
}

/// Predicts what partitions there are; begins with what is worth most, for not all may be.
static void propose(struct search *search, struct proposals *proposals)
{
    uint32_t n_nodes = search->n_nodes, n_needed = count_needed_nodes(search), most_cores = 0;
    uint32_t even = (search->n_ranks + n_nodes - 1) / n_nodes;
    if (search->phase)
        memcpy(new_proposal(proposals), search->phase->node_of_rank,
               search->n_ranks * sizeof(uint32_t));
    uint32_t *block = new_proposal(proposals), *cyclic = new_proposal(proposals);
    for (uint32_t rank = 0; rank < search->n_ranks; rank++) {
        block[rank] = (uint32_t)((uint64_t)rank * n_nodes / search->n_ranks);
        cyclic[rank] = rank % n_nodes;
    }
    for (uint32_t node = 0; node < n_needed; node++)
        most_cores = search->n_cores[node] > most_cores ? search->n_cores[node] : most_cores;
    if (n_needed > 1 && n_needed < n_nodes)
        propose_by_bytes(search, proposals, n_needed, most_cores, 1);
    propose_by_bytes(search, proposals, n_nodes, even, 1);
    new_proposal(proposals); // all on the first node: without a network, if it is too slow
    if (n_nodes >= 4 && n_nodes / 2 != n_needed)
        propose_by_bytes(search, proposals, n_nodes / 2, search->n_ranks, 1);
    if (!partition_by_work(&search->graph, n_nodes, new_proposal(proposals)))
        drop_last(proposals);
    partition_longest_first(&search->graph, n_nodes, new_proposal(proposals));
    for (uint32_t seed = 2; seed <= N_SEEDS; seed++)
        propose_by_bytes(search, proposals, n_nodes, even, seed);
    judge(search, proposals->items, proposals->n);
}

// --- local search

struct change {
    uint32_t a, b; // b NO_RANK: a alone moves
    uint32_t node_of_a, node_of_b;
    int64_t saved_bytes; // on the network
    double evened;       // by how much the squares of what nodes compute become less
    bool is_listed;
};

static int by_place(const struct change *a, const struct change *b)
{
    return ORDER_BY(LESS_FIRST(a->a, b->a), LESS_FIRST(a->b, b->b),
                    LESS_FIRST(a->node_of_a, b->node_of_a));
}

static int by_saved(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    return ORDER_BY(MORE_FIRST(a->saved_bytes, b->saved_bytes), by_place(a, b));
}

static int by_evened(const void *x, const void *y)
{
    const struct change *a = *(const struct change *const *)x;
    const struct change *b = *(const struct change *const *)y;
    return ORDER_BY(MORE_FIRST(a->evened, b->evened), by_saved(a, b));
}

/// What is on each node.
struct loads {
    uint32_t *n_ranks;
    double *work_ns; // per core
    bool is_shared;  // some node has more ranks than cores
};

static void loads_init(struct loads *loads, const struct search *search)
{
    loads->n_ranks = memory_zeroed(search->n_nodes, sizeof *loads->n_ranks);
    loads->work_ns = memory_zeroed(search->n_nodes, sizeof *loads->work_ns);
    loads->is_shared = false;
    for (uint32_t rank = 0; rank < search->n_ranks; rank++) {
        uint32_t node = search->current.node_of_rank[rank];
        loads->is_shared = loads->is_shared || loads->n_ranks[node] == search->n_cores[node];
        loads->n_ranks[node]++;
        loads->work_ns[node] += (double)search->graph.work_ns[rank] / search->n_cores[node];
    }
}

static void loads_release(struct loads *loads)
{
    FREE_ALL(loads->n_ranks, loads->work_ns);
}

/// May RANK move to node TO, alone: to a core that is free, or from one that it shares? It need not
/// go from one empty node to another that is the same.
static bool may_move(const struct search *search, const struct loads *loads, uint32_t rank,
                     uint32_t to)
{
    uint32_t from = search->current.node_of_rank[rank], first_empty = 0;
    if (from == to || (loads->n_ranks[to] >= search->n_cores[to] &&
                       loads->n_ranks[from] <= search->n_cores[from]))
        return false;
    if (!search->are_alike || loads->n_ranks[to] > 0)
        return true;
    while (loads->n_ranks[first_empty] > 0)
        first_empty++;
    return to == first_empty && loads->n_ranks[from] > 1;
}

/// Fills in what CHANGE saves.
static void weigh(const struct search *search, const struct loads *loads, struct change *change)
{
    const uint32_t *node = search->current.node_of_rank;
    const struct rank_graph *graph = &search->graph;
    uint32_t from = node[change->a], to = change->node_of_a;
    double work_ns = (double)graph->work_ns[change->a];
    change->saved_bytes = rank_graph_bytes_with(graph, node, change->a, to) -
                          rank_graph_bytes_with(graph, node, change->a, from);
    if (change->b != NO_RANK) {
        change->saved_bytes +=
            rank_graph_bytes_with(graph, node, change->b, from) -
            rank_graph_bytes_with(graph, node, change->b, to) -
            2 * (int64_t)graph->bytes[(size_t)change->a * search->n_ranks + change->b];
        work_ns -= (double)graph->work_ns[change->b];
    }
    double was_from = loads->work_ns[from], was_to = loads->work_ns[to];
    double now_from = was_from - work_ns / search->n_cores[from];
    double now_to = was_to + work_ns / search->n_cores[to];
    change->evened = was_from * was_from + was_to * was_to - now_from * now_from - now_to * now_to;
}

/// All exchanges of two ranks on different nodes, and all moves of one, in the order in which they
/// are tried: those first that take most off the network (Kernighan, Lin 1970), and where ranks
/// share cores in turn with those that even out most what cores compute. The caller frees both.
static struct change *list_changes(const struct search *search, struct change ***order, size_t *n)
{
    const uint32_t *node = search->current.node_of_rank;
    size_t n_ranks = search->n_ranks, n_most = n_ranks * n_ranks / 2 + n_ranks * search->n_nodes;
    struct change *list = memory_zeroed(n_most + 1, sizeof *list);
    SCOPED_BY(loads_release) struct loads loads;
    loads_init(&loads, search);
    *n = 0;
    for (uint32_t a = 0; a < n_ranks; a++)
        for (uint32_t b = a + 1; b < n_ranks; b++)
            if (node[a] != node[b])
                list[(*n)++] =
                    (struct change){.a = a, .b = b, .node_of_a = node[b], .node_of_b = node[a]};
    for (uint32_t a = 0; a < n_ranks; a++)
        for (uint32_t to = 0; to < search->n_nodes; to++)
            if (may_move(search, &loads, a, to))
                list[(*n)++] = (struct change){.a = a, .b = NO_RANK, .node_of_a = to};
    for (size_t i = 0; i < *n; i++)
        weigh(search, &loads, &list[i]);
    qsort(list, *n, sizeof *list, by_saved);
    SCOPED struct change **evening = memory_zeroed(*n + 1, sizeof(struct change *));
    *order = memory_zeroed(*n + 1, sizeof(struct change *));
    for (size_t i = 0; i < *n; i++)
        evening[i] = &list[i];
    if (loads.is_shared)
        qsort(evening, *n, sizeof(struct change *), by_evened);
    size_t n_listed = 0;
    for (size_t i = 0; i < *n; i++) {
        struct change *const next[] = {&list[i], evening[i]};
        for (int k = 0; k < 2; k++) {
            if (!next[k]->is_listed)
                (*order)[n_listed++] = next[k];
            next[k]->is_listed = true;
        }
    }
    return list;
}

/// Does the best of some changes to the current placement; false when none helps.
static bool improve(struct search *search)
{
    size_t n, size = search->n_ranks * sizeof(uint32_t);
    struct change **order, *list = list_changes(search, &order, &n);
    struct mapping neighbours[N_NEIGHBOURS];
    bool is_better = false;
    for (size_t done = 0; done < n && !is_better && search->n_left > 0; done += N_NEIGHBOURS) {
        size_t n_tried = n - done < N_NEIGHBOURS ? n - done : N_NEIGHBOURS;
        for (size_t i = 0; i < n_tried; i++) {
            const struct change *change = order[done + i];
            uint32_t *node = memory_new(size);
            memcpy(node, search->current.node_of_rank, size);
            node[change->a] = change->node_of_a;
            if (change->b != NO_RANK)
                node[change->b] = change->node_of_b;
            neighbours[i].node_of_rank = node;
        }
        judge(search, neighbours, n_tried);
        for (size_t i = 0; i < n_tried; i++) {
            if (neighbours[i].predicted_ns < search->current.predicted_ns) {
                copy_mapping(search, &search->current, &neighbours[i]);
                is_better = true;
            }
            free(neighbours[i].node_of_rank);
        }
    }
    FREE_ALL(order, list);
    return is_better;
}

/// From the best proposal, then from the next one that is not as good.
static void improve_all(struct search *search, const struct proposals *proposals)
{
    uint64_t last_ns = 0;
    for (int start = 0; start < N_STARTS && search->n_left > 0; start++) {
        const struct mapping *next = NULL;
        for (size_t i = 0; i < proposals->n; i++) {
            const struct mapping *proposal = &proposals->items[i];
            if (proposal->predicted_ns > last_ns && proposal->predicted_ns < UINT64_MAX &&
                (!next || proposal->predicted_ns < next->predicted_ns))
                next = proposal;
        }
        if (!next)
            return;
        last_ns = next->predicted_ns;
        copy_mapping(search, &search->current, next);
        while (search->n_left > 0 && improve(search))
            continue;
    }
}

struct mapping placement_search(const struct whatif_batch *batch, const struct result *result,
                                const struct search_places *places,
                                const struct search_phase *phase, size_t max_replays,
                                size_t *n_replays)
{
    size_t n_ranks = result->n_ranks;
    struct search search = {
        .batch = batch,
        .places = places,
        .phase = phase,
        .n_ranks = (uint32_t)n_ranks,
        .n_nodes = places->n < n_ranks ? places->n : (uint32_t)n_ranks,
        .n_left = max_replays,
        .best = {memory_zeroed(n_ranks, sizeof(uint32_t)), UINT64_MAX},
        .current = {memory_zeroed(n_ranks, sizeof(uint32_t)), UINT64_MAX},
    };
    struct proposals proposals = {.n_ranks = (uint32_t)n_ranks};
    search.n_cores = memory_zeroed(search.n_nodes, sizeof *search.n_cores);
    rank_graph_init(&search.graph, result);
    survey_places(&search);
    propose(&search, &proposals);
    if (are_few(&search))
        try_all(&search);
    else
        improve_all(&search, &proposals);
    *n_replays += max_replays - search.n_left;
    while (proposals.n > 0)
        drop_last(&proposals);
    rank_graph_release(&search.graph);
    FREE_ALL(search.n_cores, search.current.node_of_rank);
    return search.best;
}

// --- --map auto

static bool is_auto(const struct advice_word *word)
{
    return strcmp(word->option, "map") == 0 && strstr(word->value, "auto");
}

bool whatif_plan_searches(const struct whatif_plan *plan)
{
    for (size_t i = 0; i < plan->n_words; i++)
        if (is_auto(&plan->words[i]))
            return true;
    return false;
}

int whatif_map_auto(struct whatif_plan *plan, const struct replay_run *measured, char ***texts,
                    size_t *n, struct error *err)
{
    SCOPED struct advice_word *words = memory_zeroed(plan->n_words + 1, sizeof *words);
    size_t n_words = 0, n_replays = 0;
    for (size_t i = 0; i < plan->n_words; i++) { // everything except --nodes and --map
        const struct advice_word *word = &plan->words[i];
        if (strcmp(word->option, "map") != 0 && strcmp(word->option, "nodes") != 0)
            words[n_words++] = *word;
    }
    int status = 0;
    if (whatif_plan_searches(plan)) {
        const struct whatif_batch batch = {
            .measured = measured, .words = words, .n_words = n_words};
        const struct search_places places = {.n = plan->cases[0].settings.n_nodes};
        struct mapping best =
            placement_search(&batch, &measured->result, &places, NULL, MAX_REPLAYS, &n_replays);
        *texts = mapping_words(&best, (uint32_t)measured->result.n_ranks, &places, NULL, n);
        free(best.node_of_rank);
        words = memory_resize(words, n_words + *n + 1, sizeof *words);
        for (size_t i = 0; i < *n; i++)
            words[n_words++] = (struct advice_word){(char *)"place", (*texts)[i]};
        status = whatif_plan_change(plan, words, n_words, trace_definitions(measured->trace), err);
    }
    return status;
}
