// SPDX-License-Identifier: BSD-3-Clause
// Both searches go over the pairs in their order, again and again, as Bellman and Ford do, but only
// over those whose begin has changed since they were looked at. So each takes about as long as
// there are pairs, and ways of the same length are chosen as without that.
#include "analyzer/rewrite/clock_fit.h"

#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"

#define NO_RANK UINT32_MAX
enum { WORD_BITS = 64 };

static uint64_t *bits_new(size_t n)
{
    return memory_zeroed(n / WORD_BITS + 1, sizeof(uint64_t));
}

static void bit_set(uint64_t *bits, size_t i)
{
    bits[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
}

/// The first one that is set, from FROM on, is taken away; SIZE_MAX: none.
static size_t bit_take(uint64_t *bits, size_t n, size_t from)
{
    size_t word = from / WORD_BITS, n_words = n / WORD_BITS + 1;
    uint64_t rest = word < n_words ? bits[word] & UINT64_MAX << from % WORD_BITS : 0;
    while (rest == 0 && ++word < n_words)
        rest = bits[word];
    if (rest == 0)
        return SIZE_MAX;
    bits[word] &= ~(rest & -rest);
    return word * WORD_BITS + (size_t)__builtin_ctzll(rest);
}

// --- the pairs at hand

static uint32_t end_of(const struct clock_bound *bound, enum clock_end end)
{
    return end == CLOCK_CAUSE ? bound->cause : bound->effect;
}

void clock_ways_init(struct clock_ways *ways, struct clock_bounds *all)
{
    *ways = (struct clock_ways){.all = all};
    ways->back = memory_zeroed(all->n, sizeof *ways->back);
    ways->at_hand = memory_zeroed(all->n, sizeof *ways->at_hand);
    for (size_t i = 0; i < all->n; i++) {
        const struct clock_bound *bound = &all->bounds[i];
        ways->back[i] = (uint32_t)i;
        map_get(&all->by_pair, (uint64_t)bound->effect << 32 | bound->cause, &ways->back[i]);
        ways->at_hand[ways->n++] = (uint32_t)i;
    }
    for (enum clock_end end = 0; end < CLOCK_ENDS; end++) {
        ways->first[end] = memory_zeroed(all->n_ranks + 1, sizeof *ways->first[end]);
        ways->places[end] = memory_zeroed(all->n, sizeof *ways->places[end]);
    }
    clock_ways_sort(ways);
}

void clock_ways_release(struct clock_ways *ways)
{
    for (enum clock_end end = 0; end < CLOCK_ENDS; end++) {
        FREE_ALL(ways->first[end], ways->places[end]);
    }
    FREE_ALL(ways->back, ways->at_hand);
}

void clock_ways_sort(struct clock_ways *ways)
{
    size_t n_ranks = ways->all->n_ranks;
    for (enum clock_end end = 0; end < CLOCK_ENDS; end++) {
        uint32_t *first = ways->first[end];
        memset(first, 0, (n_ranks + 1) * sizeof *first);
        for (size_t i = 0; i < ways->n; i++)
            first[end_of(&ways->all->bounds[ways->at_hand[i]], end)]++;
        for (size_t rank = 0; rank < n_ranks; rank++)
            first[rank + 1] += first[rank];
        for (size_t i = ways->n; i-- > 0;)
            ways->places[end][--first[end_of(&ways->all->bounds[ways->at_hand[i]], end)]] =
                (uint32_t)i;
    }
}

static struct clock_bound *bound_at(const struct clock_ways *ways, size_t place)
{
    return &ways->all->bounds[ways->at_hand[place]];
}

// --- shortest ways

/// Whether some way leads back to itself; FROM: the rank before each one on its way, NO_RANK. SEEN
/// is as long.
static bool has_circle(const uint32_t *from, uint32_t *seen, size_t n_ranks)
{
    memset(seen, 0, n_ranks * sizeof *seen);
    for (uint32_t i = 0; i < n_ranks; i++) {
        uint32_t rank = i;
        for (; rank != NO_RANK && seen[rank] == 0; rank = from[rank])
            seen[rank] = i + 1;
        if (rank != NO_RANK && seen[rank] == i + 1)
            return true;
    }
    return false;
}

/// Goes on from RANK: how many ways got shorter, whose ranks are CHANGED then.
static size_t shorten_from(const struct clock_ways *ways, enum clock_end begin, size_t rank,
                           int64_t *at_ns, uint32_t *from, uint64_t *changed)
{
    const uint32_t *first = ways->first[begin];
    size_t n = 0;
    for (uint32_t i = first[rank]; i < first[rank + 1]; i++) {
        const struct clock_bound *bound = bound_at(ways, ways->places[begin][i]);
        uint32_t target = begin == CLOCK_CAUSE ? bound->effect : bound->cause;
        if (at_ns[rank] + bound->least_ns >= at_ns[target])
            continue;
        at_ns[target] = at_ns[rank] + bound->least_ns;
        from[target] = (uint32_t)rank;
        bit_set(changed, target);
        n++;
    }
    return n;
}

bool clock_ways_shorten(const struct clock_ways *ways, enum clock_end begin, int64_t *at_ns)
{
    size_t n_ranks = ways->all->n_ranks, n_changes = 0;
    SCOPED uint32_t *from = memory_new((n_ranks + 1) * sizeof *from);
    SCOPED uint32_t *seen = memory_new((n_ranks + 1) * sizeof *seen);
    SCOPED uint64_t *changed = bits_new(n_ranks);
    bool is_circle = false;
    memset(from, 0xff, n_ranks * sizeof *from);
    for (size_t rank = 0; rank < n_ranks; rank++)
        if (at_ns[rank] != CLOCK_UNREACHED)
            bit_set(changed, rank);
    for (size_t rank; !is_circle && (rank = bit_take(changed, n_ranks, 0)) != SIZE_MAX;)
        for (; rank != SIZE_MAX && !is_circle; rank = bit_take(changed, n_ranks, rank + 1)) {
            n_changes += shorten_from(ways, begin, rank, at_ns, from, changed);
            if (n_changes <= n_ranks)
                continue;
            is_circle = has_circle(from, seen, n_ranks);
            n_changes = 0;
        }
    return !is_circle;
}

// --- ways of the fastest messages

/// Pairs that are to be looked at: with messages both ways, or one way only.
struct search {
    const struct clock_ways *ways;
    struct clock_way *way; // to each rank
    uint64_t *pairs[2];    // by is_one_way()
};

static bool is_one_way(const struct clock_ways *ways, size_t place)
{
    uint32_t bound = ways->at_hand[place], back = ways->back[bound];
    return back == bound || ways->all->bounds[back].least_ns == CLOCK_UNREACHED;
}

/// The way to RANK got shorter, or is the first one.
static void go_on_from(struct search *search, uint32_t rank, bool is_first)
{
    const struct clock_ways *ways = search->ways;
    for (enum clock_end end = 0; end < CLOCK_ENDS; end++)
        for (uint32_t i = ways->first[end][rank]; i < ways->first[end][rank + 1]; i++) {
            uint32_t place = ways->places[end][i];
            bool one_way = is_one_way(ways, place);
            if (one_way ? is_first : end == CLOCK_CAUSE)
                bit_set(search->pairs[one_way], place);
        }
}

static void shorten_way(struct search *search, uint32_t from, uint32_t to, double ahead_ns,
                        double trip_ns)
{
    const struct clock_way *begin = &search->way[from];
    struct clock_way *way = &search->way[to];
    double round_trip_ns = begin->round_trip_ns + trip_ns;
    if (isinf(begin->round_trip_ns) || round_trip_ns >= way->round_trip_ns)
        return;
    bool is_first = isinf(way->round_trip_ns);
    *way = (struct clock_way){begin->ahead_ns + ahead_ns, round_trip_ns};
    go_on_from(search, to, is_first);
}

static void look_both_ways(struct search *search, size_t place)
{
    const struct clock_bound *bound = bound_at(search->ways, place);
    const struct clock_bound *back =
        &search->ways->all->bounds[search->ways->back[search->ways->at_hand[place]]];
    double there_ns = (double)bound->least_ns, back_ns = (double)back->least_ns;
    shorten_way(search, bound->cause, bound->effect, (there_ns - back_ns) / 2,
                fabs(there_ns + back_ns));
}

/// It leads only to a rank that no other way leads to, and says that its fastest message took no
/// time.
static void look_one_way(struct search *search, size_t place)
{
    const struct clock_bound *bound = bound_at(search->ways, place);
    double there_ns = (double)bound->least_ns;
    if (isinf(search->way[bound->effect].round_trip_ns))
        shorten_way(search, bound->cause, bound->effect, there_ns, fabs(there_ns));
    else if (isinf(search->way[bound->cause].round_trip_ns))
        shorten_way(search, bound->effect, bound->cause, -there_ns, fabs(there_ns));
}

void clock_ways_estimate(const struct clock_ways *ways, struct clock_way *way)
{
    struct search search = {ways, way, {bits_new(ways->n), bits_new(ways->n)}};
    for (size_t i = 0; i < ways->all->n_ranks; i++)
        way[i] = (struct clock_way){0, i == ways->reference ? 0 : INFINITY};
    if (ways->all->n_ranks > 0)
        go_on_from(&search, ways->reference, true);
    size_t place;
    do {
        while ((place = bit_take(search.pairs[0], ways->n, 0)) != SIZE_MAX)
            for (; place != SIZE_MAX; place = bit_take(search.pairs[0], ways->n, place + 1))
                look_both_ways(&search, place);
        place = bit_take(search.pairs[1], ways->n, 0);
        for (size_t next = place; next != SIZE_MAX;
             next = bit_take(search.pairs[1], ways->n, next + 1))
            look_one_way(&search, next);
    } while (place != SIZE_MAX);
    FREE_ALL(search.pairs[0], search.pairs[1]);
}
