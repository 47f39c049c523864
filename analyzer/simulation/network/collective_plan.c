// SPDX-License-Identifier: BSD-3-Clause
// Plans of collective operations (see collective_plan.h): a table says of which patterns each one
// is made, which are trees or rows of rounds; tree_step() and round_step() say what a member does
// in its k-th step.
#include "analyzer/simulation/network/collective_plan.h"

#include "analyzer/base/order.h"

enum collective_operation {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    ALLREDUCE,
    REDUCE,
    REDUCE_SCATTER,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER_BLOCK
};

static inline bool is_power_of_two(uint32_t p)
{
    return (p & (p - 1)) == 0;
}

const char *const collective_operation_names[COLLECTIVE_OPERATIONS] = {"barrier",
                                                                       "bcast",
                                                                       "gather",
                                                                       "gatherv",
                                                                       "scatter",
                                                                       "scatterv",
                                                                       "allgather",
                                                                       "allgatherv",
                                                                       "alltoall",
                                                                       "alltoallv",
                                                                       "alltoallw",
                                                                       "allreduce",
                                                                       "reduce",
                                                                       "reduce_scatter",
                                                                       "scan",
                                                                       "exscan",
                                                                       "reduce_scatter_block"};

/// The operation whose plans each one has.
static const uint8_t planned_like[COLLECTIVE_OPERATIONS] = {
    BARRIER,   BCAST,          GATHER,   GATHER,   SCATTER,       SCATTER,
    ALLGATHER, ALLGATHER,      ALLTOALL, ALLTOALL, ALLTOALL,      ALLREDUCE,
    REDUCE,    REDUCE_SCATTER, SCAN,     SCAN,     REDUCE_SCATTER};

const char *const collective_algorithm_names[N_ALGORITHMS] = {"",
                                                              "flat",
                                                              "binomial",
                                                              "quaternary",
                                                              "recursive-doubling",
                                                              "recursive-halving",
                                                              "ring",
                                                              "hardware-multicast"};

enum pattern {
    NO_PATTERN,
    // Trees: from place 0 to all others, or the other way.
    FLAT_DOWN,
    FLAT_UP,
    BINOMIAL_DOWN,
    BINOMIAL_UP,
    BINOMIAL_SCATTER, // each message has the blocks of all below
    BINOMIAL_GATHER,
    QUATERNARY_DOWN,
    QUATERNARY_UP,
    CHAIN, // place by place
    // Rounds: a message to one place and one from another.
    DIRECT,        // everybody to everybody, all sends first
    RING,          // p-1 rounds: to the next place, from the one before
    PAIRWISE,      // round k: to place + k, from place - k
    DISSEMINATION, // round k: to place + 2^k, from place - 2^k
    BRUCK_ALLTOALL,
    DOUBLING_ALLGATHER, // with a power of two: with place xor 2^k; else Bruck's
    DOUBLING_ALLREDUCE,
    HALVING, // reduce_scatter: with place xor p/2, p/4, ... 1
    CLOSE,   // the last place to place 0
    SCAN_DIRECT,
    SCAN_DOUBLING, // Hillis, Steele 1986
    MULTICAST,     // neither
};

/// The children of place i in a tree of an arity are those from arity * i + 1 on. BINOMIAL: i + 1,
/// i + 2, i + 4, ... below the lowest bit of i.
enum { BINOMIAL = 0, FLAT = UINT8_MAX };
static const struct tree {
    uint8_t arity;
    bool is_up, has_blocks;
} trees[] = {
    [FLAT_DOWN] = {.arity = FLAT},
    [FLAT_UP] = {.arity = FLAT, .is_up = true},
    [BINOMIAL_DOWN] = {.arity = BINOMIAL},
    [BINOMIAL_UP] = {.arity = BINOMIAL, .is_up = true},
    [BINOMIAL_SCATTER] = {.arity = BINOMIAL, .has_blocks = true},
    [BINOMIAL_GATHER] = {.arity = BINOMIAL, .is_up = true, .has_blocks = true},
    [QUATERNARY_DOWN] = {.arity = 4},
    [QUATERNARY_UP] = {.arity = 4, .is_up = true},
    [CHAIN] = {.arity = 1},
};

/// What a phase sends: nothing, the share, the p-th part of it (rounded up), p shares.
enum unit { NOTHING, SHARE, PART, SHARES };

static const struct recipe {
    uint8_t operation; // and those planned like it
    enum collective_algorithm algorithm;
    struct collective_phase phases[COLLECTIVE_MAX_PHASES];
} recipes[] = {
    {BARRIER, ALGORITHM_FLAT, {{FLAT_UP, NOTHING}, {FLAT_DOWN, NOTHING}}},
    {BARRIER, ALGORITHM_BINOMIAL, {{BINOMIAL_UP, NOTHING}, {BINOMIAL_DOWN, NOTHING}}},
    {BARRIER, ALGORITHM_QUATERNARY, {{QUATERNARY_UP, NOTHING}, {QUATERNARY_DOWN, NOTHING}}},
    {BARRIER, ALGORITHM_RECURSIVE_DOUBLING, {{DISSEMINATION, NOTHING}}},
    {BARRIER, ALGORITHM_RING, {{CHAIN, NOTHING}, {CLOSE, NOTHING}, {CHAIN, NOTHING}}},
    {BARRIER, ALGORITHM_HARDWARE_MULTICAST, {{NO_PATTERN, NOTHING}, {MULTICAST, NOTHING}}},
    {BARRIER, ALGORITHM_RELEASED_BARRIER, {{DISSEMINATION, NOTHING}, {BINOMIAL_DOWN, NOTHING}}},

    {BCAST, ALGORITHM_FLAT, {{FLAT_DOWN, SHARE}}},
    {BCAST, ALGORITHM_BINOMIAL, {{BINOMIAL_DOWN, SHARE}}},
    {BCAST, ALGORITHM_QUATERNARY, {{QUATERNARY_DOWN, SHARE}}},
    {BCAST, ALGORITHM_RECURSIVE_DOUBLING, {{BINOMIAL_SCATTER, PART}, {DOUBLING_ALLGATHER, PART}}},
    {BCAST, ALGORITHM_RING, {{BINOMIAL_SCATTER, PART}, {RING, PART}}},
    {BCAST, ALGORITHM_HARDWARE_MULTICAST, {{MULTICAST, SHARE}}},

    {SCATTER, ALGORITHM_FLAT, {{FLAT_DOWN, SHARE}}},
    {SCATTER, ALGORITHM_BINOMIAL, {{BINOMIAL_SCATTER, SHARE}}},
    {GATHER, ALGORITHM_FLAT, {{FLAT_UP, SHARE}}},
    {GATHER, ALGORITHM_BINOMIAL, {{BINOMIAL_GATHER, SHARE}}},

    {REDUCE, ALGORITHM_FLAT, {{FLAT_UP, SHARE}}},
    {REDUCE, ALGORITHM_BINOMIAL, {{BINOMIAL_UP, SHARE}}},
    {REDUCE, ALGORITHM_QUATERNARY, {{QUATERNARY_UP, SHARE}}},
    {REDUCE, ALGORITHM_RECURSIVE_DOUBLING, {{HALVING, PART}, {BINOMIAL_GATHER, PART}}},
    {REDUCE, ALGORITHM_RING, {{RING, PART}, {BINOMIAL_GATHER, PART}}},

    {ALLGATHER, ALGORITHM_FLAT, {{DIRECT, SHARE}}},
    {ALLGATHER, ALGORITHM_BINOMIAL, {{BINOMIAL_GATHER, SHARE}, {BINOMIAL_DOWN, SHARES}}},
    {ALLGATHER, ALGORITHM_RECURSIVE_DOUBLING, {{DOUBLING_ALLGATHER, SHARE}}},
    {ALLGATHER, ALGORITHM_RING, {{RING, SHARE}}},

    {ALLREDUCE, ALGORITHM_FLAT, {{FLAT_UP, SHARE}, {FLAT_DOWN, SHARE}}},
    {ALLREDUCE, ALGORITHM_BINOMIAL, {{BINOMIAL_UP, SHARE}, {BINOMIAL_DOWN, SHARE}}},
    {ALLREDUCE, ALGORITHM_QUATERNARY, {{QUATERNARY_UP, SHARE}, {QUATERNARY_DOWN, SHARE}}},
    {ALLREDUCE, ALGORITHM_RECURSIVE_DOUBLING, {{DOUBLING_ALLREDUCE, SHARE}}},
    {ALLREDUCE, ALGORITHM_RECURSIVE_HALVING, {{HALVING, PART}, {DOUBLING_ALLGATHER, PART}}},
    {ALLREDUCE, ALGORITHM_RING, {{RING, PART}, {RING, PART}}},
    {ALLREDUCE, ALGORITHM_HARDWARE_MULTICAST, {{NO_PATTERN, NOTHING}, {MULTICAST, SHARE}}},

    {ALLTOALL, ALGORITHM_FLAT, {{DIRECT, SHARE}}},
    {ALLTOALL, ALGORITHM_RECURSIVE_DOUBLING, {{BRUCK_ALLTOALL, SHARE}}},
    {ALLTOALL, ALGORITHM_RING, {{PAIRWISE, SHARE}}},

    {REDUCE_SCATTER, ALGORITHM_FLAT, {{DIRECT, SHARE}}},
    {REDUCE_SCATTER, ALGORITHM_BINOMIAL, {{BINOMIAL_UP, SHARES}, {BINOMIAL_SCATTER, SHARE}}},
    {REDUCE_SCATTER, ALGORITHM_RECURSIVE_DOUBLING, {{HALVING, SHARE}}},
    {REDUCE_SCATTER, ALGORITHM_RING, {{RING, SHARE}}},

    {SCAN, ALGORITHM_FLAT, {{SCAN_DIRECT, SHARE}}},
    {SCAN, ALGORITHM_RECURSIVE_DOUBLING, {{SCAN_DOUBLING, SHARE}}},
    {SCAN, ALGORITHM_RING, {{CHAIN, SHARE}}},
};

static const struct recipe *recipe_of(uint8_t operation, enum collective_algorithm algorithm)
{
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        if (recipes[i].algorithm == algorithm && recipes[i].operation == planned_like[operation])
            return &recipes[i];
    return NULL;
}

bool collective_plan_exists(uint8_t operation, enum collective_algorithm algorithm)
{
    return recipe_of(operation, algorithm) != NULL;
}

static bool has_root(uint8_t operation)
{
    return operation == REDUCE || (operation >= BCAST && operation <= SCATTERV);
}

struct collective_plan collective_plan(uint8_t operation, enum collective_algorithm algorithm,
                                       enum collective_algorithm tree, uint32_t n_members)
{
    struct collective_plan plan = {.n_members = n_members, .has_root = has_root(operation)};
    const struct recipe *recipe = recipe_of(operation, algorithm);
    for (int i = 0; i < COLLECTIVE_MAX_PHASES; i++) {
        struct collective_phase phase = recipe->phases[i];
        if (phase.pattern == NO_PATTERN && algorithm == ALGORITHM_HARDWARE_MULTICAST && i == 0)
            phase = recipe_of(operation, tree)->phases[0]; // up the tree, then down at once
        if (phase.pattern != NO_PATTERN)
            plan.phases[plan.n_phases++] = phase;
    }
    return plan;
}

// --- the steps of the patterns

enum { NOBODY = UINT32_MAX };

struct member {
    uint32_t p, place;
    uint64_t unit_bytes; // what the phase is about
};

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/// The number of rounds in which what doubles has reached P.
static uint32_t rounds_of(uint32_t p)
{
    uint32_t n = 0;
    while (((uint64_t)1 << n) < p)
        n++;
    return n;
}

static struct collective_step send_to(const struct member *self, uint32_t peer, uint64_t size_bytes)
{
    return (struct collective_step){STEP_SEND, peer, self->place, size_bytes};
}

static struct collective_step receive_from(uint32_t peer)
{
    return (struct collective_step){STEP_RECEIVE, peer, peer, 0};
}

/// How far the binomial tree below PLACE reaches, itself included, if P allows.
static uint32_t binomial_reach(uint32_t p, uint32_t place)
{
    return place ? place & -place : (uint32_t)1 << rounds_of(p);
}

static uint64_t arity_of(const struct member *self, const struct tree *tree)
{
    return tree->arity == FLAT ? self->p : tree->arity;
}

/// The child of PLACE that comes as number INDEX; 0: there is none. In a binomial tree it is the
/// one with the largest part of the tree first on the way down, the smallest on the way up.
static uint32_t child_of(const struct member *self, const struct tree *tree, uint32_t index)
{
    uint64_t arity = arity_of(self, tree), child = arity * self->place + 1 + index;
    if (tree->arity != BINOMIAL)
        return index < arity && child < self->p ? (uint32_t)child : 0;
    uint32_t end = binomial_reach(self->p, self->place), n = 0;
    while (n < 32 && ((uint64_t)1 << n) < end && self->place + ((uint64_t)1 << n) < self->p)
        n++;
    if (index >= n)
        return 0;
    return self->place + ((uint32_t)1 << (tree->is_up ? index : n - 1 - index));
}

static uint32_t parent_of(const struct member *self, const struct tree *tree)
{
    if (tree->arity == BINOMIAL)
        return self->place - binomial_reach(self->p, self->place);
    return (uint32_t)((self->place - 1) / arity_of(self, tree));
}

/// The bytes of the message between PLACE and the place above it.
static uint64_t tree_bytes(const struct member *self, const struct tree *tree, uint32_t place)
{
    uint64_t n_units = 1;
    if (tree->has_blocks) // one for each place from there on down
        n_units = lower(binomial_reach(self->p, place), self->p - place);
    return n_units * self->unit_bytes;
}

static bool tree_step(const struct member *self, const struct tree *tree, uint32_t index,
                      struct collective_step *step)
{
    bool has_parent = self->place > 0;
    if (!tree->is_up && has_parent && index-- == 0) {
        *step = receive_from(parent_of(self, tree));
        return true;
    }
    uint32_t child = child_of(self, tree, index);
    if (child > 0) {
        *step =
            tree->is_up ? receive_from(child) : send_to(self, child, tree_bytes(self, tree, child));
        return true;
    }
    if (!tree->is_up || !has_parent || (index > 0 && child_of(self, tree, index - 1) == 0))
        return false;
    *step = send_to(self, parent_of(self, tree), tree_bytes(self, tree, self->place));
    return true;
}

/// What a member does in one round; NOBODY: it does not send, or receive.
struct exchange {
    uint32_t to, from;
    uint64_t size_bytes; // of what it sends
};

/// How many of the blocks 0 .. p-1 go to a place 2^round further.
static uint64_t bruck_blocks(uint32_t p, uint32_t round)
{
    uint64_t period = (uint64_t)2 << round, half = period / 2;
    uint64_t rest = p % period;
    return p / period * half + (rest > half ? rest - half : 0);
}

/// The exponent of the largest power of two up to P.
static uint32_t folded_rounds(uint32_t p)
{
    return rounds_of(p) - !is_power_of_two(p);
}

/// Recursive doubling and halving of P places that are no power of two: the first 2r of them, r =
/// P - the next power of two below, first join in pairs, whose odd one goes on for both and tells
/// the other one at the end.
static struct exchange folded_exchange(const struct member *self, bool is_halving, uint32_t round)
{
    uint32_t n_rounds = folded_rounds(self->p), n_active = (uint32_t)1 << n_rounds;
    uint32_t n_pairs = self->p - n_active, partner = self->place ^ 1;
    bool is_paired = self->place < 2 * n_pairs, is_out = is_paired && self->place % 2 == 0;
    bool is_first = round == 0, is_last = round == n_rounds + 1;
    uint64_t whole = is_halving ? self->p * self->unit_bytes : self->unit_bytes;
    if (is_first || is_last) {
        bool sends = is_paired && is_out == is_first, receives = is_paired && is_out == is_last;
        return (struct exchange){sends ? partner : NOBODY, receives ? partner : NOBODY,
                                 is_first ? whole : self->unit_bytes};
    }
    if (is_out)
        return (struct exchange){NOBODY, NOBODY, 0};
    uint32_t number = is_paired ? self->place / 2 : self->place - n_pairs;
    uint32_t distance = (uint32_t)1 << (is_halving ? n_rounds - round : round - 1);
    uint32_t other = number ^ distance;
    uint32_t peer = other < n_pairs ? 2 * other + 1 : other + n_pairs;
    // Of the whole vector, the part that the other half of the active ones is to have.
    uint64_t sent = is_halving ? (whole * distance + n_active - 1) / n_active : whole;
    return (struct exchange){peer, peer, sent};
}

static uint32_t count_rounds(enum pattern pattern, uint32_t p)
{
    switch (pattern) {
    case DIRECT:
    case SCAN_DIRECT:
    case RING:
    case PAIRWISE:
        return p - 1;
    case DOUBLING_ALLREDUCE:
    case HALVING:
        return folded_rounds(p) + 2;
    case CLOSE:
        return 1;
    default:
        return rounds_of(p);
    }
}

static struct exchange exchange_of(const struct member *self, enum pattern pattern, uint32_t round)
{
    if (pattern == DOUBLING_ALLREDUCE || pattern == HALVING)
        return folded_exchange(self, pattern == HALVING, round);
    uint64_t p = self->p, unit = self->unit_bytes;
    uint32_t place = self->place, distance = 1;
    if (pattern == DIRECT || pattern == PAIRWISE || pattern == SCAN_DIRECT)
        distance = round + 1;
    else if (pattern != RING && pattern != CLOSE)
        distance = (uint32_t)1 << round;
    uint32_t forth = (uint32_t)((p + place + distance) % p),
             back = (uint32_t)((place + p - distance) % p);
    bool has_above = (uint64_t)place + distance < p,
         has_below = place >= distance; // else around the end
    switch (pattern) {
    case BRUCK_ALLTOALL:
        return (struct exchange){forth, back, unit * bruck_blocks(self->p, round)};
    case DOUBLING_ALLGATHER:
        if (is_power_of_two(self->p))
            forth = back = place ^ distance;
        return (struct exchange){back, forth, unit * lower(distance, self->p - distance)};
    case CLOSE:
        return (struct exchange){has_above ? NOBODY : forth, has_below ? NOBODY : back, unit};
    case SCAN_DIRECT: // from the lowest place first
        return (struct exchange){has_above ? forth : NOBODY, has_below ? round : NOBODY, unit};
    case SCAN_DOUBLING:
        return (struct exchange){has_above ? forth : NOBODY, has_below ? back : NOBODY, unit};
    default:
        return (struct exchange){forth, back, unit};
    }
}

/// Each round sends, then receives; in direct patterns all rounds send, then all receive.
static bool round_step(const struct member *self, enum pattern pattern, uint32_t index,
                       struct collective_step *step)
{
    bool sends_all = pattern == DIRECT || pattern == SCAN_DIRECT;
    uint32_t n = count_rounds(pattern, self->p);
    if (index / 2 >= n)
        return false;
    bool sends = sends_all ? index < n : index % 2 == 0;
    uint32_t round = sends_all ? index % n : index / 2;
    struct exchange exchange = exchange_of(self, pattern, round);
    uint32_t peer = sends ? exchange.to : exchange.from;
    *step = sends ? send_to(self, peer, exchange.size_bytes) : receive_from(peer);
    if (peer == NOBODY)
        step->kind = STEP_NOTHING;
    if (pattern == RING) // whose messages are all from the same place
        step->tag = round;
    return true;
}

static uint64_t unit_bytes(const struct collective_plan *plan, uint8_t unit, uint64_t share)
{
    switch ((enum unit)unit) {
    case SHARE:
        return share;
    case PART:
        return share / plan->n_members + (share % plan->n_members > 0);
    case SHARES:
        return share * plan->n_members;
    default:
        return 0;
    }
}

bool collective_plan_step(const struct collective_plan *plan, uint32_t phase, uint32_t place,
                          uint32_t index, uint64_t size_bytes, struct collective_step *step)
{
    const struct collective_phase *of = &plan->phases[phase];
    const struct member self = {plan->n_members, place, unit_bytes(plan, of->unit, size_bytes)};
    if (of->pattern <= CHAIN)
        return tree_step(&self, &trees[of->pattern], index, step);
    if (of->pattern < MULTICAST)
        return round_step(&self, (enum pattern)of->pattern, index, step);
    *step = (struct collective_step){STEP_MULTICAST, 0, 0, self.unit_bytes};
    return index == 0;
}

/// The smaller one, the other one where one is 0.
static uint64_t smaller_above_0(uint64_t a, uint64_t b)
{
    return a == 0 || b == 0 ? a + b : smaller(a, b);
}

/// The mean of blocks, N of them altogether with the member's own one, that have BYTES.
static uint64_t mean_block(uint64_t bytes, uint64_t n, bool is_in_place)
{
    uint64_t n_counted = is_in_place && n > 1 ? n - 1 : n;
    return bytes / n_counted + (bytes % n_counted > 0);
}

/// The same where all blocks have the same size.
static uint64_t equal_block(uint64_t bytes, uint64_t n, bool is_in_place)
{
    bool must_be = n > 1 && bytes % n > 0 && bytes % (n - 1) == 0;
    return mean_block(bytes, n, is_in_place || must_be);
}

/// To all members above, and from all below; itself counted in both or in none.
static uint64_t scanned_bytes(uint64_t bytes, uint64_t n, bool is_in_place)
{
    bool must_be = n > 1 && bytes % (n + 1) > 0 && bytes % (n - 1) == 0;
    return (is_in_place || must_be) && n > 1 ? bytes / (n - 1) : bytes / (n + 1);
}

uint64_t collective_size_bytes(uint8_t operation, uint32_t n_members, bool is_root,
                               const struct pag_volume *volume)
{
    uint64_t sent = volume->sent_bytes, received = volume->received_bytes, n = n_members;
    uint64_t least = smaller_above_0(sent, received);
    switch ((enum collective_operation)operation) {
    case BCAST:
        return least;
    case GATHER:
    case SCATTER:
    case REDUCE: // in place the root sends nothing to itself
        return is_root && (sent == 0 || received == 0) ? mean_block(least, n, true) : least;
    case GATHERV:
    case SCATTERV:
        if (!is_root)
            return least;
        return mean_block(sent > received ? sent : received, n, volume->is_in_place);
    case SCAN:
        return scanned_bytes(sent + received, n, volume->is_in_place);
    case EXSCAN:
        return scanned_bytes(sent + received, n, true);
    case ALLGATHERV:
        return mean_block(received > 0 ? received : sent, n, volume->is_in_place);
    case REDUCE_SCATTER:
        return mean_block(sent > 0 ? sent : received, n, volume->is_in_place);
    case ALLTOALLV:
    case ALLTOALLW:
        return mean_block(sent / 2 + received / 2 + (sent % 2 + received % 2) / 2, n,
                          volume->is_in_place);
    default:
        return equal_block(least, n, volume->is_in_place);
    }
}

// --- what is known where the algorithm is not given

enum {
    BINOMIAL_BCAST_BYTES = 12288,  // below that, or
    BINOMIAL_BCAST_MEMBERS = 8,    // with fewer
    DOUBLING_BYTES = 524288,       // of all members together, p a power of two
    BRUCK_ALLGATHER_BYTES = 81920, // of all, any p
    BRUCK_ALLTOALL_BYTES = 256,    // at most,
    BRUCK_ALLTOALL_MEMBERS = 8,    // and as many
    DIRECT_ALLTOALL_BYTES = 32768, // at most
    BINOMIAL_REDUCE_BYTES = 2048,  // at most
    OPEN_MPI_HALVED_BYTES = 8192,  // below that, of so many members:
    OPEN_MPI_SEVERAL = 4,
    ELEMENT_BYTES = 8
};

/// Whether a vector of SIZE_BYTES has an element for each of those who halve it.
static bool can_be_halved(uint32_t p, uint64_t size_bytes)
{
    while (!is_power_of_two(p))
        p &= p - 1;
    return size_bytes / ELEMENT_BYTES >= p;
}

/// Whether Open MPI's ranks exchange whole vectors of MPI_Allreduce.
static bool is_exchanged_whole(uint32_t n_members, uint64_t size_bytes)
{
    if (n_members >= OPEN_MPI_SEVERAL)
        return size_bytes < OPEN_MPI_HALVED_BYTES;
    return size_bytes < OPEN_MPI_HALVED_BYTES / 2 ||
           (size_bytes >= OPEN_MPI_HALVED_BYTES && size_bytes < 2 * OPEN_MPI_HALVED_BYTES);
}

enum collective_algorithm collective_usual_algorithm(enum mpi_library library, uint8_t operation,
                                                     uint32_t n_members, uint64_t size_bytes,
                                                     bool is_on_node)
{
    // A barrier of the node, one of the nodes' first ranks, a broadcast of a byte on the node.
    if (library == MPI_LIBRARY_MPICH && operation == BARRIER && is_on_node)
        return ALGORITHM_RELEASED_BARRIER;
    if (library == MPI_LIBRARY_OPEN_MPI && operation == REDUCE)
        return ALGORITHM_BINOMIAL;
    if (library == MPI_LIBRARY_OPEN_MPI && operation == ALLREDUCE &&
        is_exchanged_whole(n_members, size_bytes))
        return ALGORITHM_RECURSIVE_DOUBLING;
    uint64_t all_bytes = size_bytes * n_members;
    bool is_power = is_power_of_two(n_members);
    switch (operation) {
    case BCAST:
        if (size_bytes < BINOMIAL_BCAST_BYTES || n_members < BINOMIAL_BCAST_MEMBERS)
            return ALGORITHM_BINOMIAL;
        return is_power && size_bytes < DOUBLING_BYTES ? ALGORITHM_RECURSIVE_DOUBLING
                                                       : ALGORITHM_RING;
    case GATHER:
    case SCATTER:
        return ALGORITHM_BINOMIAL;
    case GATHERV:
    case SCATTERV:
    case ALLTOALLV:
    case ALLTOALLW:
        return ALGORITHM_FLAT;
    case ALLGATHER:
    case ALLGATHERV:
        return all_bytes < (is_power ? DOUBLING_BYTES : BRUCK_ALLGATHER_BYTES)
                   ? ALGORITHM_RECURSIVE_DOUBLING
                   : ALGORITHM_RING;
    case ALLTOALL:
        if (size_bytes <= BRUCK_ALLTOALL_BYTES && n_members >= BRUCK_ALLTOALL_MEMBERS)
            return ALGORITHM_RECURSIVE_DOUBLING;
        return size_bytes <= DIRECT_ALLTOALL_BYTES ? ALGORITHM_FLAT : ALGORITHM_RING;
    case ALLREDUCE:
        return can_be_halved(n_members, size_bytes) ? ALGORITHM_RECURSIVE_HALVING
                                                    : ALGORITHM_RECURSIVE_DOUBLING;
    case REDUCE:
        return size_bytes > BINOMIAL_REDUCE_BYTES && can_be_halved(n_members, size_bytes)
                   ? ALGORITHM_RECURSIVE_DOUBLING
                   : ALGORITHM_BINOMIAL;
    case REDUCE_SCATTER:
    case REDUCE_SCATTER_BLOCK:
        return all_bytes < DOUBLING_BYTES ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_RING;
    default: // barrier, scans
        return ALGORITHM_RECURSIVE_DOUBLING;
    }
}

bool collective_waits(uint8_t operation, bool is_root, bool is_first)
{
    switch (planned_like[operation]) {
    case BCAST:
    case SCATTER:
        return !is_root;
    case REDUCE:
    case GATHER:
        return is_root;
    case SCAN:
        return !is_first;
    default:
        return true;
    }
}
