// SPDX-License-Identifier: BSD-3-Clause
// From any moment of a rank one can go back along what determined it: to the end of
// the rank's last wait before, there to the rank that ended it, and so on. A wait is explained by
// the ways back from the release and from the waiting rank's enter: where they meet, both were one.
// What the first way took from there, less what the second one took, is the wait.
#include "analyzer/base/order.h"
#include "analyzer/result/parts.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { MAX_PIECES = 1 << 16 };

/// A part of a way back: RANK from FROM_NS, when WAIT ended (NULL: the way ends), to TO_NS.
struct piece {
    uint32_t rank;
    uint64_t from_ns, to_ns;
    const struct pag_recent_call *wait;
};

struct way {
    struct piece *pieces;
    size_t n, capacity;
    bool is_cut;
};

/// Time at a place of a rank.
struct amount {
    uint32_t rank;
    struct call_place place;
    uint64_t ns;
};

struct amounts {
    struct amount *items;
    size_t n, capacity;
};

// --- ways back

static struct way way_back(const struct pag_result *replay, uint32_t rank, uint64_t time_ns)
{
    struct way way = {0};
    SCOPED size_t *next = memory_new((replay->n_ranks + 1) * sizeof *next); // of each rank's calls
    for (size_t i = 0; i < replay->n_ranks; i++)
        next[i] = replay->recent[i].n;
    while (rank < replay->n_ranks && way.n < MAX_PIECES) {
        const struct pag_recent *recent = &replay->recent[rank];
        const struct pag_recent_call *wait = NULL;
        while (next[rank] > 0 && !wait) {
            const struct pag_recent_call *call = &recent->calls[--next[rank]];
            if (call->releaser != EVENT_NO_INDEX && call->release_ns <= time_ns)
                wait = call;
        }
        uint64_t first_ns = recent->n > 0 ? recent->calls[0].since_ns : time_ns;
        *ARRAY_NEXT(way.pieces, way.n, way.capacity) =
            (struct piece){rank,
                           wait                 ? wait->release_ns
                           : first_ns < time_ns ? first_ns
                                                : time_ns,
                           time_ns, wait};
        if (!wait) {
            way.is_cut = !recent->is_whole;
            break;
        }
        rank = wait->releaser;
        time_ns = wait->release_ns;
    }
    return way;
}

/// Cuts both ways where they meet; false where they do not.
static bool cut_common(struct way *way, struct way *other)
{
    for (size_t i = 0, k = 0; i < way->n && k < other->n;) {
        struct piece *a = &way->pieces[i], *b = &other->pieces[k];
        uint64_t time_ns = smaller(a->to_ns, b->to_ns);
        if (a->rank == b->rank && time_ns >= a->from_ns && time_ns >= b->from_ns) {
            a->from_ns = b->from_ns = time_ns;
            a->wait = b->wait = NULL;
            way->n = i + 1;
            other->n = k + 1;
            return true;
        }
        if (a->from_ns >= b->from_ns)
            i++;
        else
            k++;
    }
    return false;
}

// --- what was done on them

static uint64_t overlap_ns(const struct piece *piece, uint64_t begin_ns, uint64_t end_ns)
{
    begin_ns = begin_ns > piece->from_ns ? begin_ns : piece->from_ns;
    end_ns = smaller(end_ns, piece->to_ns);
    return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static void add_amount(struct amounts *amounts, uint32_t rank, struct call_place place, uint64_t ns)
{
    if (ns == 0 || place.path == RESULT_NONE)
        return;
    for (size_t i = 0; i < amounts->n; i++) {
        struct amount *amount = &amounts->items[i];
        if (amount->rank == rank && amount->place.path == place.path &&
            amount->place.site == place.site) {
            amount->ns += ns;
            return;
        }
    }
    *ARRAY_NEXT(amounts->items, amounts->n, amounts->capacity) = (struct amount){rank, place, ns};
}

static struct call_place place_of(const struct call_tree *tree, uint32_t rank, uint32_t path)
{
    return call_tree_place(tree, tree->definitions->ranks[rank].master, path);
}

/// Adds what was done in PIECE to AMOUNTS; how much of it was computing.
static uint64_t add_piece(const struct call_tree *tree, const struct piece *piece,
                          struct amounts *amounts)
{
    const struct pag_recent *recent = &tree->replay->recent[piece->rank];
    uint64_t computing_ns = 0;
    for (size_t i = recent->n; i-- > 0 && recent->calls[i].leave_ns > piece->from_ns;) {
        const struct pag_recent_call *call = &recent->calls[i];
        uint64_t before_ns = overlap_ns(piece, call->since_ns, call->enter_ns);
        computing_ns += before_ns;
        add_amount(amounts, piece->rank, place_of(tree, piece->rank, call->longest_path),
                   smaller(call->longest_ns, before_ns));
        add_amount(amounts, piece->rank, place_of(tree, piece->rank, call->call_path),
                   overlap_ns(piece, call->release_ns, call->leave_ns));
    }
    return computing_ns;
}

static const struct amount *largest(const struct amounts *amounts)
{
    const struct amount *best = NULL;
    for (size_t i = 0; i < amounts->n; i++)
        if (!best || amounts->items[i].ns > best->ns)
            best = &amounts->items[i];
    return best;
}

/// Of computing only: where PIECE's rank computed longest.
static struct call_place longest_place(const struct call_tree *tree, const struct result *result,
                                       const struct piece *piece)
{
    struct amounts amounts = {0};
    struct call_place place = {RESULT_NONE, RESULT_NONE};
    add_piece(tree, piece, &amounts);
    for (size_t i = 0; i < amounts.n; i++)
        if (result->regions[result->paths[amounts.items[i].place.path].region].is_mpi)
            amounts.items[i].ns = 0;
    const struct amount *best = largest(&amounts);
    if (best && best->ns > 0)
        place = best->place;
    free(amounts.items);
    return place;
}

static void put_steps(const struct call_tree *tree, const struct way *way, struct result *result)
{
    result->moment.steps = memory_zeroed(way->n + 1, sizeof *result->moment.steps);
    for (size_t i = 0; i < way->n; i++) {
        const struct piece *piece = &way->pieces[i];
        struct amounts ignored = {0};
        struct call_place place = longest_place(tree, result, piece), wait = {0};
        if (piece->to_ns == piece->from_ns && !piece->wait)
            continue; // where the ways met it did nothing
        if (piece->wait)
            wait = place_of(tree, piece->rank, piece->wait->call_path);
        result->moment.steps[result->moment.n_steps++] = (struct result_step){
            .rank = piece->rank,
            .begin_ns = piece->from_ns,
            .end_ns = piece->to_ns,
            .computing_ns = add_piece(tree, piece, &ignored),
            .path = place.path,
            .site = place.site,
            .wait_ns = piece->wait ? piece->wait->release_ns - piece->wait->enter_ns : 0,
            .wait_path = piece->wait ? wait.path : RESULT_NONE,
            .wait_site = piece->wait ? wait.site : RESULT_NONE,
        };
        free(ignored.items);
    }
}

/// What WAY has of one place more than OTHER, of any rank.
static void put_origin(const struct call_tree *tree, const struct way *way, const struct way *other,
                       struct result *result)
{
    struct amounts late = {0}, own = {0};
    for (size_t i = 0; i < way->n; i++)
        add_piece(tree, &way->pieces[i], &late);
    for (size_t i = 0; i < other->n; i++)
        add_piece(tree, &other->pieces[i], &own);
    for (size_t i = 0; i < own.n; i++)
        for (size_t k = 0; k < late.n; k++) {
            if (late.items[k].place.path != own.items[i].place.path ||
                late.items[k].place.site != own.items[i].place.site)
                continue;
            uint64_t both_ns = smaller(late.items[k].ns, own.items[i].ns);
            late.items[k].ns -= both_ns;
            own.items[i].ns -= both_ns;
        }
    const struct amount *best = largest(&late);
    if (best && best->ns > 0) {
        result->moment.origin_rank = best->rank;
        result->moment.origin_path = best->place.path;
        result->moment.origin_site = best->place.site;
        result->moment.origin_ns = smaller(best->ns, result->moment.wait_ns);
    }
    FREE_ALL(late.items, own.items);
}

static void explain(const struct call_tree *tree, const struct pag_recent_call *call,
                    struct result *result)
{
    struct way way = way_back(tree->replay, call->releaser, call->release_ns);
    struct way own = way_back(tree->replay, result->moment.rank, call->enter_ns);
    result->moment.has_common = cut_common(&way, &own);
    if (result->moment.has_common) {
        result->moment.common_rank = way.pieces[way.n - 1].rank;
        result->moment.common_ns = way.pieces[way.n - 1].from_ns;
        result->moment.own_ns = call->enter_ns - result->moment.common_ns;
    } else {
        result->moment.is_cut = way.is_cut || own.is_cut;
    }
    put_steps(tree, &way, result);
    put_origin(tree, &way, &own, result);
    FREE_ALL(way.pieces, own.pieces);
}

/// The rank is in CALL.
static void put_call(const struct call_tree *tree, const struct pag_recent_call *call,
                     struct result *result)
{
    struct call_place place = place_of(tree, result->moment.rank, call->call_path);
    bool waits = call->release_ns > result->moment.time_ns;
    result->moment.state = waits ? RESULT_MOMENT_WAITS : RESULT_MOMENT_CALLS;
    result->moment.begin_ns = call->enter_ns;
    result->moment.end_ns = smaller(call->leave_ns, result->time_ns);
    result->moment.path = place.path;
    result->moment.site = place.site;
    result->moment.wait_ns = call->release_ns - call->enter_ns;
    result->moment.releaser = call->releaser;
    if (call->releaser != EVENT_NO_INDEX)
        explain(tree, call, result);
}

void moment_collect(const struct call_tree *tree, struct result *result)
{
    const struct pag_result *replay = tree->replay;
    uint64_t time_ns = replay->moment.time_ns;
    result->moment.rank = replay->moment.rank;
    result->moment.time_ns = time_ns;
    result->moment.releaser = result->moment.path = result->moment.site = RESULT_NONE;
    result->moment.origin_rank = result->moment.origin_path = RESULT_NONE;
    result->moment.origin_site = RESULT_NONE;
    if (replay->moment.rank >= result->n_ranks)
        return;
    const struct result_rank *rank = &result->ranks[replay->moment.rank];
    const struct pag_recent *recent = &replay->recent[replay->moment.rank];
    const struct pag_recent_call *last = recent->n > 0 ? &recent->calls[recent->n - 1] : NULL;
    result->moment.begin_ns = last && last->leave_ns <= time_ns ? last->leave_ns : rank->first_ns;
    result->moment.end_ns = rank->last_ns;
    if (time_ns < rank->first_ns || time_ns >= rank->last_ns) {
        result->moment.state =
            time_ns < rank->first_ns ? RESULT_MOMENT_BEFORE : RESULT_MOMENT_AFTER;
    } else if (last && last->enter_ns <= time_ns && time_ns < last->leave_ns) {
        put_call(tree, last, result);
    } else {
        result->moment.state = RESULT_MOMENT_COMPUTES;
        if (!last || last->enter_ns <= time_ns)
            return;
        struct call_place place = place_of(tree, result->moment.rank, last->longest_path);
        result->moment.path = place.path;
        result->moment.site = place.site;
        result->moment.begin_ns = last->since_ns;
        result->moment.end_ns = last->enter_ns;
    }
}
