// SPDX-License-Identifier: BSD-3-Clause
// Plans of collective operations (see collective_plan.h): a table says of which patterns each one
// is made, a function per pattern says what a member does in its k-th step.
#include "analyzer/simulation/network/collective_plan.h"

#include <stdbool.h>
#include <stdint.h>

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
    FLAT_DOWN, // place 0 to all others, one by one
    FLAT_UP,   // all others to place 0
    BINOMIAL_DOWN,
    BINOMIAL_UP,
    BINOMIAL_SCATTER, // each message has the blocks of all below
    BINOMIAL_GATHER,
    QUATERNARY_DOWN, // the children of place i are 4i+1 .. 4i+4
    QUATERNARY_UP,
    DIRECT,        // everybody to everybody, all sends first
    RING,          // p-1 rounds: to the next place, from the one before
    PAIRWISE,      // round k: to place + k, from place - k
    DISSEMINATION, // round k: to place + 2^k, from place - 2^k
    BRUCK_ALLTOALL,
    DOUBLING_ALLGATHER, // with a power of two: with place xor 2^k; else Bruck's
    DOUBLING_ALLREDUCE,
    HALVING, // reduce_scatter: with place xor p/2, p/4, ... 1
    CHAIN,   // place by place
    CLOSE,   // the last place to place 0
    SCAN_DIRECT,
    SCAN_DOUBLING, // Hillis, Steele 1986
    MULTICAST,
};

/// What a phase sends: nothing, the share, the p-th part of it (rounded up), p shares.
enum unit { NOTHING, SHARE, PART, SHARES };

#define PHASE(p, u)                                                                                \
    {                                                                                              \
        (p), (u)                                                                                   \
    }

struct recipe {
    uint8_t operations[3]; // 0 ends: barrier is at the first place only
    enum collective_algorithm algorithm;
    struct collective_phase phases[COLLECTIVE_MAX_PHASES];
};

static const struct recipe recipes[] = {
    {{BARRIER}, ALGORITHM_FLAT, {PHASE(FLAT_UP, NOTHING), PHASE(FLAT_DOWN, NOTHING)}},
    {{BARRIER}, ALGORITHM_BINOMIAL, {PHASE(BINOMIAL_UP, NOTHING), PHASE(BINOMIAL_DOWN, NOTHING)}},
    {{BARRIER},
     ALGORITHM_QUATERNARY,
     {PHASE(QUATERNARY_UP, NOTHING), PHASE(QUATERNARY_DOWN, NOTHING)}},
    {{BARRIER}, ALGORITHM_RECURSIVE_DOUBLING, {PHASE(DISSEMINATION, NOTHING)}},
    {{BARRIER},
     ALGORITHM_RING,
     {PHASE(CHAIN, NOTHING), PHASE(CLOSE, NOTHING), PHASE(CHAIN, NOTHING)}},
    {{BARRIER}, ALGORITHM_HARDWARE_MULTICAST, {PHASE(NO_PATTERN, 0), PHASE(MULTICAST, NOTHING)}},

    {{BCAST}, ALGORITHM_FLAT, {PHASE(FLAT_DOWN, SHARE)}},
    {{BCAST}, ALGORITHM_BINOMIAL, {PHASE(BINOMIAL_DOWN, SHARE)}},
    {{BCAST}, ALGORITHM_QUATERNARY, {PHASE(QUATERNARY_DOWN, SHARE)}},
    {{BCAST},
     ALGORITHM_RECURSIVE_DOUBLING,
     {PHASE(BINOMIAL_SCATTER, PART), PHASE(DOUBLING_ALLGATHER, PART)}},
    {{BCAST}, ALGORITHM_RING, {PHASE(BINOMIAL_SCATTER, PART), PHASE(RING, PART)}},
    {{BCAST}, ALGORITHM_HARDWARE_MULTICAST, {PHASE(MULTICAST, SHARE)}},

    {{SCATTER, SCATTERV}, ALGORITHM_FLAT, {PHASE(FLAT_DOWN, SHARE)}},
    {{SCATTER, SCATTERV}, ALGORITHM_BINOMIAL, {PHASE(BINOMIAL_SCATTER, SHARE)}},
    {{GATHER, GATHERV}, ALGORITHM_FLAT, {PHASE(FLAT_UP, SHARE)}},
    {{GATHER, GATHERV}, ALGORITHM_BINOMIAL, {PHASE(BINOMIAL_GATHER, SHARE)}},

    {{REDUCE}, ALGORITHM_FLAT, {PHASE(FLAT_UP, SHARE)}},
    {{REDUCE}, ALGORITHM_BINOMIAL, {PHASE(BINOMIAL_UP, SHARE)}},
    {{REDUCE}, ALGORITHM_QUATERNARY, {PHASE(QUATERNARY_UP, SHARE)}},
    {{REDUCE}, ALGORITHM_RECURSIVE_DOUBLING, {PHASE(HALVING, PART), PHASE(BINOMIAL_GATHER, PART)}},
    {{REDUCE}, ALGORITHM_RING, {PHASE(RING, PART), PHASE(BINOMIAL_GATHER, PART)}},

    {{ALLGATHER, ALLGATHERV}, ALGORITHM_FLAT, {PHASE(DIRECT, SHARE)}},
    {{ALLGATHER, ALLGATHERV},
     ALGORITHM_BINOMIAL,
     {PHASE(BINOMIAL_GATHER, SHARE), PHASE(BINOMIAL_DOWN, SHARES)}},
    {{ALLGATHER, ALLGATHERV}, ALGORITHM_RECURSIVE_DOUBLING, {PHASE(DOUBLING_ALLGATHER, SHARE)}},
    {{ALLGATHER, ALLGATHERV}, ALGORITHM_RING, {PHASE(RING, SHARE)}},

    {{ALLREDUCE}, ALGORITHM_FLAT, {PHASE(FLAT_UP, SHARE), PHASE(FLAT_DOWN, SHARE)}},
    {{ALLREDUCE}, ALGORITHM_BINOMIAL, {PHASE(BINOMIAL_UP, SHARE), PHASE(BINOMIAL_DOWN, SHARE)}},
    {{ALLREDUCE},
     ALGORITHM_QUATERNARY,
     {PHASE(QUATERNARY_UP, SHARE), PHASE(QUATERNARY_DOWN, SHARE)}},
    {{ALLREDUCE}, ALGORITHM_RECURSIVE_DOUBLING, {PHASE(DOUBLING_ALLREDUCE, SHARE)}},
    {{ALLREDUCE},
     ALGORITHM_RECURSIVE_HALVING,
     {PHASE(HALVING, PART), PHASE(DOUBLING_ALLGATHER, PART)}},
    {{ALLREDUCE}, ALGORITHM_RING, {PHASE(RING, PART), PHASE(RING, PART)}},
    {{ALLREDUCE}, ALGORITHM_HARDWARE_MULTICAST, {PHASE(NO_PATTERN, 0), PHASE(MULTICAST, SHARE)}},

    {{ALLTOALL, ALLTOALLV, ALLTOALLW}, ALGORITHM_FLAT, {PHASE(DIRECT, SHARE)}},
    {{ALLTOALL, ALLTOALLV, ALLTOALLW},
     ALGORITHM_RECURSIVE_DOUBLING,
     {PHASE(BRUCK_ALLTOALL, SHARE)}},
    {{ALLTOALL, ALLTOALLV, ALLTOALLW}, ALGORITHM_RING, {PHASE(PAIRWISE, SHARE)}},

    {{REDUCE_SCATTER, REDUCE_SCATTER_BLOCK}, ALGORITHM_FLAT, {PHASE(DIRECT, SHARE)}},
    {{REDUCE_SCATTER, REDUCE_SCATTER_BLOCK},
     ALGORITHM_BINOMIAL,
     {PHASE(BINOMIAL_UP, SHARES), PHASE(BINOMIAL_SCATTER, SHARE)}},
    {{REDUCE_SCATTER, REDUCE_SCATTER_BLOCK}, ALGORITHM_RECURSIVE_DOUBLING, {PHASE(HALVING, SHARE)}},
    {{REDUCE_SCATTER, REDUCE_SCATTER_BLOCK}, ALGORITHM_RING, {PHASE(RING, SHARE)}},

    {{SCAN, EXSCAN}, ALGORITHM_FLAT, {PHASE(SCAN_DIRECT, SHARE)}},
    {{SCAN, EXSCAN}, ALGORITHM_RECURSIVE_DOUBLING, {PHASE(SCAN_DOUBLING, SHARE)}},
    {{SCAN, EXSCAN}, ALGORITHM_RING, {PHASE(CHAIN, SHARE)}},
};

static const struct recipe *recipe_of(uint8_t operation, enum collective_algorithm algorithm)
{
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        if (recipes[i].algorithm != algorithm)
            continue;
        for (int k = 0; k < 3 && (k == 0 || recipes[i].operations[k]); k++)
            if (recipes[i].operations[k] == operation)
                return &recipes[i];
    }
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

static uint32_t forth(const struct member *self, uint32_t distance)
{
    return (uint32_t)(((uint64_t)self->place + distance) % self->p);
}

static uint32_t back(const struct member *self, uint32_t distance)
{
    return (uint32_t)(((uint64_t)self->place + self->p - distance % self->p) % self->p);
}

static struct collective_step send_to(const struct member *self, uint32_t peer, uint64_t size_bytes)
{
    return (struct collective_step){STEP_SEND, peer, self->place, size_bytes};
}

static struct collective_step receive_from(uint32_t peer)
{
    return (struct collective_step){STEP_RECEIVE, peer, peer, 0};
}

static struct collective_step nothing(void)
{
    return (struct collective_step){STEP_NOTHING, 0, 0, 0};
}

static bool flat_step(const struct member *self, bool is_down, uint32_t index,
                      struct collective_step *step)
{
    if (index >= (self->place == 0 ? self->p - 1 : 1))
        return false;
    uint32_t peer = self->place == 0 ? index + 1 : 0;
    bool sends = is_down == (self->place == 0);
    *step = sends ? send_to(self, peer, self->unit_bytes) : receive_from(peer);
    return true;
}

/// Half of how many places are below PLACE, itself included, in a tree without an end.
static uint32_t lowest_bit(const struct member *self)
{
    return self->place ? self->place & -self->place : (uint32_t)1 << rounds_of(self->p);
}

/// The child of PLACE whose part of the tree is the INDEX-th largest, or with IS_UP smallest; 0
/// when there is none.
static uint32_t binomial_child(const struct member *self, bool is_up, uint32_t index)
{
    uint32_t end = lowest_bit(self), n = 0;
    while (n < 32 && ((uint64_t)1 << n) < end && self->place + ((uint64_t)1 << n) < self->p)
        n++;
    if (index >= n)
        return 0;
    return self->place + ((uint32_t)1 << (is_up ? index : n - 1 - index));
}

/// HAS_BLOCKS: a message has a unit for each place of the receiver's, or sender's, part of the
/// tree.
static bool binomial_step(const struct member *self, bool is_up, bool has_blocks, uint32_t index,
                          struct collective_step *step)
{
    uint32_t low = lowest_bit(self), place = self->place;
    uint64_t below = has_blocks ? lower(low, self->p - place) : 1;
    if (!is_up && place > 0 && index-- == 0) {
        *step = receive_from(place - low);
        return true;
    }
    uint32_t child = binomial_child(self, is_up, index);
    if (child > 0) {
        uint64_t n_units = has_blocks ? lower(child - place, self->p - child) : 1;
        *step = is_up ? receive_from(child) : send_to(self, child, n_units * self->unit_bytes);
        return true;
    }
    bool is_over =
        !is_up || place == 0 || (index > 0 && binomial_child(self, true, index - 1) == 0);
    if (!is_over)
        *step = send_to(self, place - low, below * self->unit_bytes);
    return !is_over;
}

static bool quaternary_step(const struct member *self, bool is_up, uint32_t index,
                            struct collective_step *step)
{
    uint64_t first = 4 * (uint64_t)self->place + 1;
    uint32_t n_children =
        first >= self->p ? 0 : (uint32_t)(self->p - first < 4 ? self->p - first : 4);
    uint32_t parent = self->place ? (self->place - 1) / 4 : 0;
    if (index >= n_children + (self->place > 0))
        return false;
    if (!is_up && self->place > 0 && index-- == 0)
        *step = receive_from(parent);
    else if (index < n_children && is_up)
        *step = receive_from((uint32_t)first + index);
    else if (index < n_children)
        *step = send_to(self, (uint32_t)first + index, self->unit_bytes);
    else
        *step = send_to(self, parent, self->unit_bytes);
    return true;
}

static bool direct_step(const struct member *self, uint32_t index, struct collective_step *step)
{
    uint32_t n = self->p - 1;
    if (index >= 2 * (uint64_t)n)
        return false;
    *step = index < n ? send_to(self, forth(self, index + 1), self->unit_bytes)
                      : receive_from(back(self, index - n + 1));
    return true;
}

static bool ring_step(const struct member *self, uint32_t index, struct collective_step *step)
{
    if (index / 2 >= self->p - 1)
        return false;
    *step = index % 2 == 0 ? send_to(self, forth(self, 1), self->unit_bytes)
                           : receive_from(back(self, 1));
    step->tag = index / 2;
    return true;
}

static bool pairwise_step(const struct member *self, uint32_t index, struct collective_step *step)
{
    uint32_t distance = index / 2 + 1;
    if (distance >= self->p)
        return false;
    *step = index % 2 == 0 ? send_to(self, forth(self, distance), self->unit_bytes)
                           : receive_from(back(self, distance));
    return true;
}

/// How many of the blocks 0 .. p-1 go to a place 2^round further.
static uint64_t bruck_blocks(uint32_t p, uint32_t round)
{
    uint64_t period = (uint64_t)2 << round, half = period / 2;
    uint64_t rest = p % period;
    return p / period * half + (rest > half ? rest - half : 0);
}

static bool dissemination_step(const struct member *self, bool is_alltoall, uint32_t index,
                               struct collective_step *step)
{
    uint32_t round = index / 2, distance = (uint32_t)1 << round;
    if (round >= rounds_of(self->p))
        return false;
    uint64_t n_units = is_alltoall ? bruck_blocks(self->p, round) : 1;
    *step = index % 2 == 0 ? send_to(self, forth(self, distance), n_units * self->unit_bytes)
                           : receive_from(back(self, distance));
    return true;
}

static bool allgather_step(const struct member *self, uint32_t index, struct collective_step *step)
{
    uint32_t round = index / 2, distance = (uint32_t)1 << round;
    bool is_power = is_power_of_two(self->p);
    if (round >= rounds_of(self->p))
        return false;
    uint32_t to = is_power ? self->place ^ distance : back(self, distance);
    uint32_t from = is_power ? self->place ^ distance : forth(self, distance);
    uint64_t n_units = lower(distance, self->p - distance);
    *step = index % 2 == 0 ? send_to(self, to, n_units * self->unit_bytes) : receive_from(from);
    return true;
}

/// Recursive doubling and halving of P places that are no power of two: the first 2r of them, r =
/// P - the next power of two below, first join in pairs, whose odd one goes on for both.
static bool folded_step(const struct member *self, bool is_halving, uint32_t index,
                        struct collective_step *step)
{
    uint32_t n_rounds = rounds_of(self->p) - !is_power_of_two(self->p);
    uint32_t n_active = (uint32_t)1 << n_rounds, n_pairs = self->p - n_active;
    bool is_paired = self->place < 2 * n_pairs, is_out = is_paired && self->place % 2 == 0;
    uint64_t whole = is_halving ? self->p * self->unit_bytes : self->unit_bytes;
    uint32_t partner = self->place ^ 1;
    *step = nothing();
    if (index == 0) {
        if (is_paired)
            *step = is_out ? send_to(self, partner, whole) : receive_from(partner);
        return true;
    }
    if (index <= 2 * n_rounds) {
        uint32_t round = (index - 1) / 2, number = self->place - n_pairs;
        uint32_t distance = (uint32_t)1 << (is_halving ? n_rounds - 1 - round : round);
        if (is_out)
            return true;
        if (is_paired)
            number = self->place / 2;
        uint32_t other = number ^ distance;
        uint32_t peer = other < n_pairs ? 2 * other + 1 : other + n_pairs;
        // Of the whole vector, the part that the other half of the active ones is to have.
        uint64_t sent = is_halving ? (whole * distance + n_active - 1) / n_active : whole;
        *step = (index - 1) % 2 == 0 ? send_to(self, peer, sent) : receive_from(peer);
        return true;
    }
    if (index > 2 * n_rounds + 1)
        return false;
    if (is_paired)
        *step = is_out ? receive_from(partner) : send_to(self, partner, self->unit_bytes);
    return true;
}

static bool chain_step(const struct member *self, uint32_t index, struct collective_step *step)
{
    bool has_next = self->place + 1 < self->p;
    if (self->place > 0 && index-- == 0) {
        *step = receive_from(self->place - 1);
        return true;
    }
    *step = send_to(self, self->place + 1, self->unit_bytes);
    return has_next && index == 0;
}

static bool close_step(const struct member *self, uint32_t index, struct collective_step *step)
{
    if (index > 0)
        return false;
    *step = nothing();
    if (self->place == 0)
        *step = receive_from(self->p - 1);
    else if (self->place == self->p - 1)
        *step = send_to(self, 0, self->unit_bytes);
    return true;
}

static bool scan_direct_step(const struct member *self, uint32_t index,
                             struct collective_step *step)
{
    uint32_t n_above = self->p - 1 - self->place;
    if (index >= self->p - 1)
        return false;
    *step = index < n_above ? send_to(self, self->place + 1 + index, self->unit_bytes)
                            : receive_from(index - n_above);
    return true;
}

static bool scan_doubling_step(const struct member *self, uint32_t index,
                               struct collective_step *step)
{
    uint32_t round = index / 2, distance = (uint32_t)1 << round;
    if (round >= rounds_of(self->p))
        return false;
    *step = nothing();
    if (index % 2 == 0 && self->p - self->place > distance)
        *step = send_to(self, self->place + distance, self->unit_bytes);
    else if (index % 2 == 1 && self->place >= distance)
        *step = receive_from(self->place - distance);
    return true;
}

static bool multicast_step(const struct member *self, uint32_t index, struct collective_step *step)
{
    *step = (struct collective_step){STEP_MULTICAST, 0, 0, self->unit_bytes};
    return index == 0;
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
    switch ((enum pattern)of->pattern) {
    case FLAT_DOWN:
    case FLAT_UP:
        return flat_step(&self, of->pattern == FLAT_DOWN, index, step);
    case BINOMIAL_DOWN:
    case BINOMIAL_UP:
        return binomial_step(&self, of->pattern == BINOMIAL_UP, false, index, step);
    case BINOMIAL_SCATTER:
    case BINOMIAL_GATHER:
        return binomial_step(&self, of->pattern == BINOMIAL_GATHER, true, index, step);
    case QUATERNARY_DOWN:
    case QUATERNARY_UP:
        return quaternary_step(&self, of->pattern == QUATERNARY_UP, index, step);
    case DIRECT:
        return direct_step(&self, index, step);
    case RING:
        return ring_step(&self, index, step);
    case PAIRWISE:
        return pairwise_step(&self, index, step);
    case DISSEMINATION:
    case BRUCK_ALLTOALL:
        return dissemination_step(&self, of->pattern == BRUCK_ALLTOALL, index, step);
    case DOUBLING_ALLGATHER:
        return allgather_step(&self, index, step);
    case DOUBLING_ALLREDUCE:
    case HALVING:
        return folded_step(&self, of->pattern == HALVING, index, step);
    case CHAIN:
        return chain_step(&self, index, step);
    case CLOSE:
        return close_step(&self, index, step);
    case SCAN_DIRECT:
        return scan_direct_step(&self, index, step);
    case SCAN_DOUBLING:
        return scan_doubling_step(&self, index, step);
    case MULTICAST:
        return multicast_step(&self, index, step);
    default:
        return false;
    }
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
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
    ELEMENT_BYTES = 8
};

/// Whether a vector of SIZE_BYTES has an element for each of those who halve it.
static bool can_be_halved(uint32_t p, uint64_t size_bytes)
{
    while (!is_power_of_two(p))
        p &= p - 1;
    return size_bytes / ELEMENT_BYTES >= p;
}

enum collective_algorithm collective_usual_algorithm(uint8_t operation, uint32_t n_members,
                                                     uint64_t size_bytes)
{
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
    switch (operation) {
    case BCAST:
    case SCATTER:
    case SCATTERV:
        return !is_root;
    case REDUCE:
    case GATHER:
    case GATHERV:
        return is_root;
    case SCAN:
    case EXSCAN:
        return !is_first;
    default:
        return true;
    }
}
