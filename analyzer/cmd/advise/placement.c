// SPDX-License-Identifier: BSD-3-Clause
// Placements (placement.h).
#include "analyzer/cmd/advise/placement.h"

#include <fcntl.h>
#include <inttypes.h>
#include <metis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

#define NO_RANK UINT32_MAX

enum { MAX_NEIGHBOURS = 32, MAX_WEIGHT = 1000000 };

struct search {
    const struct advise_setting *setting;
    const struct result *result;
    const struct advise_places *places;
    uint32_t n_ranks, n_nodes; // no more than ranks
    uint64_t *bytes;           // between each two ranks, both ways, [a * n_ranks + b]
    size_t n_left;             // predictions
    struct advise_mapping best;
};

char **advise_mapping_words(const struct advise_mapping *mapping, uint32_t n_ranks,
                            const struct advise_places *places, size_t *n)
{
    char **words = memory_zeroed(places->n, sizeof(char *));
    *n = 0;
    for (uint32_t node = 0; node < places->n; node++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        bool has_any = false;
        for (uint32_t rank = 0; rank < n_ranks; rank++) {
            if (mapping->node_of_rank[rank] != node)
                continue;
            uint32_t last = rank;
            while (last + 1 < n_ranks && mapping->node_of_rank[last + 1] == node)
                last++;
            if (has_any)
                fputc(',', out);
            else if (places->names)
                fprintf(out, "%s=", places->names[node]);
            else
                fprintf(out, "node%" PRIu32 "=", node);
            fprintf(out, "%" PRIu32, rank);
            if (last > rank)
                fprintf(out, "-%" PRIu32, last);
            has_any = true;
            rank = last;
        }
        fclose(out);
        if (has_any)
            words[(*n)++] = text;
        else
            free(text);
    }
    return words;
}

// --- predictions

static void free_candidate(struct advice_candidate *candidate)
{
    for (size_t w = 0; w < candidate->n_words; w++)
        free(candidate->words[w].value);
    free(candidate->words);
}

static struct advice_candidate candidate_of(const struct search *search,
                                            const struct advise_mapping *mapping)
{
    size_t n;
    char **texts = advise_mapping_words(mapping, search->n_ranks, search->places, &n);
    struct advice_candidate candidate = {.words = memory_zeroed(n, sizeof(struct advice_word)),
                                         .n_words = n};
    for (size_t i = 0; i < n; i++)
        candidate.words[i] = (struct advice_word){(char *)"place", texts[i]};
    free(texts);
    return candidate;
}

/// Predicts MAPPINGS; whether one of them is better than the best so far, which it then is.
static bool judge(struct search *search, struct advise_mapping *mappings, size_t n)
{
    n = n < search->n_left ? n : search->n_left;
    struct advise_job *jobs = memory_zeroed(n, sizeof *jobs);
    struct advice_candidate *candidates = memory_zeroed(n, sizeof *candidates);
    for (size_t i = 0; i < n; i++) {
        candidates[i] = candidate_of(search, &mappings[i]);
        jobs[i].candidates[0] = &candidates[i];
    }
    advise_run_jobs(search->setting, jobs, n);
    search->n_left -= n;
    bool is_better = false;
    for (size_t i = 0; i < n; i++) {
        if (!jobs[i].failure && jobs[i].predicted_ns < search->best.predicted_ns) {
            search->best.predicted_ns = jobs[i].predicted_ns;
            memcpy(search->best.node_of_rank, mappings[i].node_of_rank,
                   search->n_ranks * sizeof(uint32_t));
            is_better = true;
        }
        free(jobs[i].failure);
        free_candidate(&candidates[i]);
    }
    free(jobs);
    free(candidates);
    return is_better;
}

// --- proposals

/// METIS prints what it does not like (few ranks, many nodes) to stdout, where the report goes: not
/// while this holds. What end_silence() needs.
static int silence(void)
{
    fflush(stdout);
    int output = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (output >= 0 && nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0)
        close(nowhere);
    return output;
}

static void end_silence(int output)
{
    fflush(stdout);
    if (output < 0)
        return;
    dup2(output, STDOUT_FILENO);
    close(output);
}

/// By METIS into MAPPING, with the computing of ranks as their weights if IS_BY_WORK; then evened
/// out, so that no node has more than its share of ranks.
static bool partition(const struct search *search, bool is_by_work, uint32_t *node_of_rank)
{
    idx_t n = (idx_t)search->n_ranks, n_constraints = 1, n_parts = (idx_t)search->n_nodes, cut;
    size_t n_edges = 0;
    uint64_t most_bytes = 1, most_ns = 1;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) {
        n_edges += search->bytes[i] > 0;
        most_bytes = search->bytes[i] > most_bytes ? search->bytes[i] : most_bytes;
    }
    for (uint32_t i = 0; i < search->n_ranks; i++)
        if (search->result->ranks[i].useful_ns > most_ns)
            most_ns = search->result->ranks[i].useful_ns;
    idx_t *begins = memory_zeroed((size_t)n + 1, sizeof *begins);
    idx_t *peers = memory_zeroed(n_edges + 1, sizeof *peers);
    idx_t *weights = memory_zeroed(n_edges + 1, sizeof *weights);
    idx_t *work = memory_zeroed((size_t)n, sizeof *work);
    idx_t *parts = memory_zeroed((size_t)n, sizeof *parts);
    idx_t options[METIS_NOPTIONS];
    idx_t edge = 0;
    for (idx_t a = 0; a < n; a++) {
        begins[a] = edge;
        for (idx_t b = 0; b < n; b++) {
            uint64_t bytes = search->bytes[(size_t)a * (size_t)n + (size_t)b];
            if (bytes == 0)
                continue;
            peers[edge] = b;
            weights[edge++] = 1 + (idx_t)((double)bytes / (double)most_bytes * (MAX_WEIGHT - 1));
        }
        double share = (double)search->result->ranks[a].useful_ns / (double)most_ns;
        work[a] = is_by_work ? 1 + (idx_t)(share * 1000) : 1;
    }
    begins[n] = edge;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    int output = silence();
    int status = METIS_PartGraphRecursive(&n, &n_constraints, begins, peers, work, NULL, weights,
                                          &n_parts, NULL, NULL, options, &cut, parts);
    end_silence(output);
    for (idx_t i = 0; i < n; i++)
        node_of_rank[i] = (uint32_t)parts[i];
    free(begins);
    free(peers);
    free(weights);
    free(work);
    free(parts);
    return status == METIS_OK;
}

/// Moves the last ranks of nodes that have more than the others.
static void even_out(const struct search *search, uint32_t *node_of_rank)
{
    uint32_t *n_on = memory_zeroed(search->n_nodes, sizeof *n_on);
    uint32_t most = (search->n_ranks + search->n_nodes - 1) / search->n_nodes, free_node = 0;
    for (uint32_t i = 0; i < search->n_ranks; i++)
        n_on[node_of_rank[i]]++;
    for (uint32_t i = search->n_ranks; i-- > 0;) {
        if (n_on[node_of_rank[i]] <= most)
            continue;
        while (n_on[free_node] >= most)
            free_node++;
        n_on[node_of_rank[i]]--;
        n_on[free_node]++;
        node_of_rank[i] = free_node;
    }
    free(n_on);
}

static void propose(struct search *search)
{
    enum { N_PROPOSALS = 4 };
    struct advise_mapping proposals[N_PROPOSALS];
    size_t n = 2;
    for (int i = 0; i < N_PROPOSALS; i++)
        proposals[i].node_of_rank = memory_zeroed(search->n_ranks, sizeof(uint32_t));
    for (uint32_t rank = 0; rank < search->n_ranks; rank++) {
        proposals[0].node_of_rank[rank] =
            (uint32_t)((uint64_t)rank * search->n_nodes / search->n_ranks);
        proposals[1].node_of_rank[rank] = rank % search->n_nodes;
    }
    for (int is_by_work = 0; is_by_work < 2; is_by_work++) {
        if (!partition(search, is_by_work, proposals[n].node_of_rank))
            continue;
        even_out(search, proposals[n].node_of_rank);
        n++;
    }
    judge(search, proposals, n);
    for (int i = 0; i < N_PROPOSALS; i++)
        free(proposals[i].node_of_rank);
}

// --- local search

struct change {
    uint32_t a, b; // b NO_RANK: a alone moves
    uint32_t node_of_a, node_of_b;
    int64_t saved_bytes; // on the network
};

static int by_saved(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    if (a->saved_bytes != b->saved_bytes)
        return a->saved_bytes < b->saved_bytes ? 1 : -1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->node_of_a > b->node_of_a) - (a->node_of_a < b->node_of_a);
}

/// Bytes that RANK exchanges with ranks on NODE.
static int64_t bytes_with(const struct search *search, uint32_t rank, uint32_t node)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < search->n_ranks; i++)
        if (i != rank && search->best.node_of_rank[i] == node)
            sum += (int64_t)search->bytes[(size_t)rank * search->n_ranks + i];
    return sum;
}

static int64_t saved_by_move(const struct search *search, uint32_t rank, uint32_t to)
{
    return bytes_with(search, rank, to) - bytes_with(search, rank, search->best.node_of_rank[rank]);
}

/// All exchanges of two ranks on different nodes, and where it may be uneven all moves of one rank,
/// those first that take most off the network (Kernighan, Lin 1970). The caller frees.
static struct change *list_changes(const struct search *search, size_t *n)
{
    const uint32_t *node = search->best.node_of_rank;
    size_t n_ranks = search->n_ranks;
    size_t n_moves = search->places->may_be_uneven ? n_ranks * search->n_nodes : 0;
    struct change *list = memory_zeroed(n_ranks * n_ranks / 2 + n_moves + 1, sizeof *list);
    *n = 0;
    for (uint32_t a = 0; a < n_ranks; a++)
        for (uint32_t b = a + 1; b < n_ranks; b++)
            if (node[a] != node[b])
                list[(*n)++] = (struct change){a, b, node[b], node[a],
                                               saved_by_move(search, a, node[b]) +
                                                   saved_by_move(search, b, node[a]) -
                                                   2 * (int64_t)search->bytes[a * n_ranks + b]};
    for (uint32_t a = 0; a < n_ranks && n_moves > 0; a++)
        for (uint32_t to = 0; to < search->n_nodes; to++)
            if (node[a] != to)
                list[(*n)++] = (struct change){a, NO_RANK, to, 0, saved_by_move(search, a, to)};
    qsort(list, *n, sizeof *list, by_saved);
    return list;
}

/// The best of some changes; false when none helps.
static bool improve(struct search *search)
{
    size_t n;
    struct change *list = list_changes(search, &n);
    bool is_better = false;
    for (size_t done = 0; done < n && !is_better && search->n_left > 0; done += MAX_NEIGHBOURS) {
        struct advise_mapping neighbours[MAX_NEIGHBOURS];
        size_t n_tried = n - done < MAX_NEIGHBOURS ? n - done : MAX_NEIGHBOURS;
        for (size_t i = 0; i < n_tried; i++) {
            const struct change *change = &list[done + i];
            uint32_t *node = memory_new(search->n_ranks * sizeof *node);
            memcpy(node, search->best.node_of_rank, search->n_ranks * sizeof *node);
            node[change->a] = change->node_of_a;
            if (change->b != NO_RANK)
                node[change->b] = change->node_of_b;
            neighbours[i].node_of_rank = node;
        }
        is_better = judge(search, neighbours, n_tried);
        for (size_t i = 0; i < n_tried; i++)
            free(neighbours[i].node_of_rank);
    }
    free(list);
    return is_better;
}

struct advise_mapping advise_search_placement(const struct advise_setting *setting,
                                              const struct result *result,
                                              const struct advise_places *places,
                                              size_t max_replays, size_t *n_replays)
{
    size_t n_ranks = result->n_ranks;
    struct search search = {
        .setting = setting,
        .result = result,
        .places = places,
        .n_ranks = (uint32_t)n_ranks,
        .n_nodes = places->n < n_ranks ? places->n : (uint32_t)n_ranks,
        .bytes = memory_zeroed(n_ranks * n_ranks, sizeof(uint64_t)),
        .n_left = max_replays,
        .best = {memory_zeroed(n_ranks, sizeof(uint32_t)), UINT64_MAX},
    };
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct result_traffic *traffic = &result->traffic[i];
        uint64_t bytes = traffic->size_bytes + traffic->n_messages; // empty ones count, too
        search.bytes[traffic->sender * n_ranks + traffic->receiver] += bytes;
        search.bytes[traffic->receiver * n_ranks + traffic->sender] += bytes;
    }
    for (size_t i = 0; i < n_ranks; i++)
        search.bytes[i * n_ranks + i] = 0;
    propose(&search);
    while (search.n_left > 0 && improve(&search))
        continue;
    *n_replays += max_replays - search.n_left;
    free(search.bytes);
    return search.best;
}
