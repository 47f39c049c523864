// SPDX-License-Identifier: BSD-3-Clause
// Placements (see placement.h).
#include "analyzer/simulation/cores/placement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

#define UNPLACED UINT32_MAX

static void init(struct placement *placement, uint32_t n_ranks, uint32_t n_nodes)
{
    *placement = (struct placement){
        .node_of_rank = memory_zeroed(n_ranks, sizeof *placement->node_of_rank),
        .n_ranks = n_ranks,
        .node_names = memory_zeroed(n_nodes, sizeof *placement->node_names),
        .n_nodes = n_nodes,
    };
}

void placement_release(struct placement *placement)
{
    for (uint32_t i = 0; i < placement->n_nodes; i++)
        free(placement->node_names[i]);
    free(placement->node_names);
    free(placement->node_of_rank);
    *placement = (struct placement){0};
}

void placement_recorded(struct placement *placement, const struct definitions *definitions)
{
    init(placement, (uint32_t)definitions->n_ranks, (uint32_t)definitions->n_nodes);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        placement->node_of_rank[rank] = definitions->ranks[rank].node;
    for (uint32_t node = 0; node < placement->n_nodes; node++)
        placement->node_names[node] = memory_copy_text(definitions->nodes[node].name);
}

void placement_map(struct placement *placement, uint32_t n_ranks, uint32_t n_nodes, bool is_cyclic)
{
    init(placement, n_ranks, n_nodes);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        placement->node_of_rank[rank] =
            is_cyclic ? rank % n_nodes : (uint32_t)((uint64_t)rank * n_nodes / n_ranks);
    for (uint32_t node = 0; node < n_nodes; node++)
        placement->node_names[node] = memory_format("node%" PRIu32, node);
}

static uint32_t find_node(struct placement *placement, const char *name, size_t length)
{
    for (uint32_t i = 0; i < placement->n_nodes; i++)
        if (strlen(placement->node_names[i]) == length &&
            strncmp(placement->node_names[i], name, length) == 0)
            return i;
    placement->node_names =
        memory_resize(placement->node_names, placement->n_nodes + 1, sizeof *placement->node_names);
    placement->node_names[placement->n_nodes] = memory_format("%.*s", (int)length, name);
    return placement->n_nodes++;
}

int placement_read(struct placement *placement, uint32_t n_ranks, const char *const *texts,
                   size_t n_texts, struct error *err)
{
    init(placement, n_ranks, 0);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        placement->node_of_rank[rank] = UNPLACED;
    for (size_t i = 0; i < n_texts; i++) {
        const char *at = strchr(texts[i], '='), *end = strchr(at, '\0');
        uint32_t node = find_node(placement, texts[i], (size_t)(at - texts[i]));
        for (at++; at < end;) {
            struct rank_range range;
            if (rank_list_next(&at, end, n_ranks, &range, err) != 0)
                return error_wrap(err, "--place %s", texts[i]);
            for (uint32_t rank = range.first; rank <= range.last; rank++)
                placement->node_of_rank[rank] = node;
        }
    }
    char *unplaced = rank_list_text(placement->node_of_rank, n_ranks, UNPLACED);
    bool is_one = strspn(unplaced, "0123456789") == strlen(unplaced);
    int status = 0;
    if (*unplaced)
        status = error_set(
            err, is_one ? "--place: rank %s is on no node" : "--place: ranks %s are on no node",
            unplaced);
    free(unplaced);
    return status;
}

/// A range of ranks of one text.
struct placed_range {
    struct rank_range ranks;
    size_t text;
};

static int compare_ranges(const void *a, const void *b)
{
    const struct placed_range *first = a, *second = b;
    if (first->ranks.first != second->ranks.first)
        return first->ranks.first < second->ranks.first ? -1 : 1;
    return first->text < second->text ? -1 : first->text > second->text;
}

static int refuse_second(const char *const *texts, const struct placed_range *a,
                         const struct placed_range *b, struct error *err)
{
    size_t first = a->text < b->text ? a->text : b->text;
    size_t second = a->text < b->text ? b->text : a->text;
    return error_set(err, "--place %s: rank %" PRIu32 " is on node %.*s already", texts[second],
                     b->ranks.first, (int)strcspn(texts[first], "="), texts[first]);
}

/// The ranks of TEXT; NULL and ERR when it is not of the form.
static const char *ranks_of(const char *text, struct error *err)
{
    const char *equals = strchr(text, '=');
    if (equals && equals > text && equals[1])
        return equals + 1;
    error_set(err, "--place %s: not of the form NODE=RANKS, such as a=0-3,8", text);
    return NULL;
}

int placement_check(const char *const *texts, size_t n_texts, struct error *err)
{
    struct placed_range *ranges = NULL;
    size_t n = 0, capacity = 0;
    int status = 0;
    for (size_t i = 0; i < n_texts && status == 0; i++) {
        const char *at = ranks_of(texts[i], err), *end = at ? at + strlen(at) : NULL;
        status = at ? 0 : -1;
        while (status == 0 && at < end) {
            ranges = array_reserve(ranges, &capacity, n + 1, sizeof *ranges);
            ranges[n].text = i;
            status = rank_list_next(&at, end, RANK_LIST_ANY_RUN, &ranges[n++].ranks, err);
            if (status != 0)
                error_wrap(err, "--place %s", texts[i]);
        }
    }
    if (n > 1)
        qsort(ranges, n, sizeof *ranges, compare_ranges);
    for (size_t i = 1; i < n && status == 0; i++)
        if (ranges[i].ranks.first <= ranges[i - 1].ranks.last)
            status = refuse_second(texts, &ranges[i - 1], &ranges[i], err);
    free(ranges);
    return status;
}

// --- lists of ranks

/// The whole number at *AT, which moves after it, at most UINT32_MAX; false when there is none.
static bool read_rank(const char **at, const char *end, uint32_t *number)
{
    const char *begin = *at;
    uint64_t value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        if (value < UINT32_MAX)
            value = value * 10 + (uint64_t)(**at - '0');
    *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return *at > begin;
}

int rank_list_next(const char **at, const char *end, uint32_t n_ranks, struct rank_range *range,
                   struct error *err)
{
    const char *begin = *at, *last = *at; // of the range, of its last rank
    bool is_good = read_rank(at, end, &range->first);
    range->last = range->first;
    if (is_good && *at < end && **at == '-') {
        last = ++*at;
        is_good = read_rank(at, end, &range->last);
    }
    if (!is_good || (*at < end && (**at != ',' || *at + 1 == end)))
        return error_set(err, "`%.*s` is not a list of ranks, such as 0-3,8", (int)(end - begin),
                         begin);
    if (range->last < range->first)
        return error_set(err, "%.*s is not a range of ranks", (int)(*at - begin), begin);
    if (n_ranks != RANK_LIST_ANY_RUN && range->last >= n_ranks)
        return error_set(err, "there is no rank %.*s, the last one is %" PRIu32, (int)(*at - last),
                         last, n_ranks - 1);
    *at += *at < end;
    return 0;
}

int rank_list_read(const char *text, size_t length, uint32_t n_ranks, bool *is_member,
                   struct error *err)
{
    const char *at = text, *end = text + length;
    do {
        struct rank_range range;
        if (rank_list_next(&at, end, n_ranks, &range, err) != 0)
            return -1;
        for (uint32_t rank = range.first; is_member && rank <= range.last; rank++)
            is_member[rank] = true;
    } while (at < end);
    return 0;
}

int rank_list_check(const char *text, size_t length, struct error *err)
{
    return rank_list_read(text, length, RANK_LIST_ANY_RUN, NULL, err);
}

char *rank_list_text(const uint32_t *values, uint32_t n, uint32_t value)
{
    size_t size;
    char *text = NULL;
    FILE *out = memory_stream(&text, &size);
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t begin = rank;
        while (rank < n && values[rank] == value)
            rank++;
        if (rank > begin)
            fprintf(out, "%s%" PRIu32, ftell(out) > 0 ? "," : "", begin);
        if (rank > begin + 1)
            fprintf(out, "-%" PRIu32, rank - 1);
    }
    fclose(out);
    return text;
}

/// A rank of RANGE that is in the list TEXT[0..length).
static bool meets(struct rank_range range, const char *text, size_t length, uint32_t *rank)
{
    struct error none;
    struct rank_range other;
    for (const char *at = text, *end = text + length; at < end;) {
        if (rank_list_next(&at, end, RANK_LIST_ANY_RUN, &other, &none) != 0)
            return false;
        *rank = other.first > range.first ? other.first : range.first;
        if (*rank <= range.last && *rank <= other.last)
            return true;
    }
    return false;
}

bool rank_lists_meet(const char *a, size_t a_length, const char *b, size_t b_length, uint32_t *rank)
{
    struct error none;
    struct rank_range range;
    for (const char *at = a, *end = a + a_length; at < end;)
        if (rank_list_next(&at, end, RANK_LIST_ANY_RUN, &range, &none) != 0)
            return false;
        else if (meets(range, b, b_length, rank))
            return true;
    return false;
}
