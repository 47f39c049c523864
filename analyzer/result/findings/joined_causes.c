// SPDX-License-Identifier: BSD-3-Clause
// What has one cause at several places (causes.c): a function and what it calls, the code around
// calls of one function, functions among which blocked time is spread, an MPI function called at
// several places, one computation with short calls of MPI in between, what a function computes
// while it is blocked for much of its time, waits that are not certain and others that are, how a
// pipeline fills and drains. Parts are caused by the same ranks and make others wait in the same
// way; those of MPI calls, and those that do not call one another and do not continue one another,
// are of the same kind. A pipeline fills while ranks wait for the first messages, and drains while
// the rank that only receives has the last ones, and others wait for it in a collective operation.
// Last, causes for which ranks wait in one call are joined where one change of that call helps
// against all of them, whatever the places are; these are kept for the case that predictions show
// that it does not help.
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/trace/definitions.h"

static const double too_little = 0.005; // of the ranks' time: not worth a look
static const double short_calls = 0.1;  // of the computing that they interrupt
static const double much = 0.33;        // of the time in a function; of waits, those that are known
static const double nearly_all = 0.8;   // of the known waits of a pattern
static const double balanced = 0.6;     // computing of the ranks of a pipeline
enum { MAX_SHORT_CALLS = 16 };          // one after the other

// --- places

/// The function, not main, that the calls of SITE are in, RESULT_NONE: not known.
static uint32_t function_of(const struct result *result, uint32_t site)
{
    uint32_t parent = result->paths[result->sites[site].path].parent;
    uint32_t region = parent == RESULT_NONE ? RESULT_NONE : result->paths[parent].region;
    bool is_function = region != RESULT_NONE && !region_is_main(&result->regions[region]) &&
                       !region_is_program(&result->regions[region]);
    return is_function ? region : RESULT_NONE;
}

/// Whether the code before the calls of A and of B is the same function's, or begins with the same
/// call.
static bool are_one_stretch(const struct result *result, uint32_t a, uint32_t b)
{
    uint32_t function = function_of(result, a);
    return (function != RESULT_NONE && function == function_of(result, b)) ||
           (result->sites[a].before_since != RESULT_NONE &&
            result->sites[a].before_since == result->sites[b].before_since);
}

/// Whether the calls of SITE wait for no other rank and take next to nothing of the computing
/// before those of BEGUN: they do not end a computation, as calls that ask for a rank, or that
/// write a line of a log, do not.
static bool are_short(const struct result *result, uint32_t site, uint32_t begun)
{
    uint32_t path = result->sites[site].path;
    const struct result_region *region = &result->regions[result->paths[path].region];
    double calls_ns = (double)result->sites[site].inclusive_ns;
    bool are = (region->mpi_class == MPI_CLASS_MANAGEMENT || !region->is_mpi) &&
               calls_ns <= short_calls * (double)result->sites[begun].before_ns;
    for (size_t i = 0; i < result->n_patterns && are; i++)
        for (size_t k = 0; k < result->patterns[i].n_by_path && are; k++)
            are = result->patterns[i].by_path[k].key != path;
    return are;
}

/// Whether the code before the calls of NEXT goes on with what the code before those of BEGUN
/// begins: only short calls are in between.
static bool continues(const struct result *result, uint32_t begun, uint32_t next)
{
    uint32_t at = next;
    for (unsigned n = 0; n < MAX_SHORT_CALLS; n++) {
        at = result->sites[at].before_since;
        if (at == RESULT_NONE || !are_short(result, at, begun))
            return false;
        if (at == begun)
            return true;
    }
    return false;
}

/// Whether the site of PART and one of CAUSE's are of one computation.
static bool are_one_computation(const struct result *result, const struct cause *cause,
                                const struct cause *part)
{
    bool is_one = false;
    if (cause->site == RESULT_NONE || part->site == RESULT_NONE || cause->region != part->region)
        return false;
    for (size_t i = 0; i <= cause->n_parts && !is_one; i++) {
        uint32_t site = i < cause->n_parts ? cause->parts[i] : cause->site;
        is_one = continues(result, site, part->site) || continues(result, part->site, site);
    }
    return is_one;
}

static bool are_one_place(const struct result *result, const struct cause *cause, uint32_t a,
                          uint32_t b)
{
    if (cause->site != RESULT_NONE)
        return are_one_stretch(result, a, b);
    if (cause->subject == FINDING_blocked) // spread over the functions between two calls of MPI
        return true;
    if (cause->region != RESULT_NONE)
        return region_is_called_by(result, a, b) || region_is_called_by(result, b, a);
    return cause->subject == FINDING_files || result->paths[a].region == result->paths[b].region;
}

/// Whether the place of PART and one of CAUSE's are one.
static bool are_related(const struct result *result, const struct cause *cause,
                        const struct cause *part)
{
    uint32_t a = cause_place(cause), b = cause_place(part);
    if (a == RESULT_NONE || b == RESULT_NONE ||
        (cause->site == RESULT_NONE) != (part->site == RESULT_NONE) ||
        (cause->region == RESULT_NONE) != (part->region == RESULT_NONE))
        return false;
    bool is_one = are_one_place(result, cause, a, b);
    for (size_t i = 0; i < cause->n_parts && !is_one; i++)
        is_one = are_one_place(result, cause, cause->parts[i], b);
    return is_one;
}

// --- causes

/// What two causes must have in common.
struct nature {
    const struct finding_kind *kind; // NULL: none, or too small
    uint32_t wait_pattern, wait_path;
    double blocked_share;
    bool fills, drains; // as a pipeline does
    char ranks[sizeof((struct named_ranks){0}).text];
};

static bool sends(const struct result *result, uint32_t rank)
{
    for (size_t i = 0; i < result->n_traffic; i++)
        if (result->traffic[i].sender == rank && result->traffic[i].n_messages > 0)
            return true;
    return false;
}

static struct nature nature_of(const struct finding_kinds *kinds, const struct result *result,
                               const struct cause *cause)
{
    struct nature nature = {0};
    struct facts facts;
    if ((double)cause->loss_ns < too_little * (double)result->total_ns)
        return nature;
    facts_collect(&facts, result, cause);
    nature.kind = finding_kind_of(kinds, cause->subject, &facts.calls, facts.numbers, NULL);
    nature.wait_pattern = facts.wait_pattern;
    nature.wait_path = facts.wait_path;
    nature.blocked_share = facts.numbers[FINDING_NUMBER_blocked_share];
    bool may_be_pipeline = cause->subject == FINDING_computing &&
                           facts.numbers[FINDING_NUMBER_one_way] > 0 &&
                           facts.numbers[FINDING_NUMBER_balance] >= balanced;
    nature.fills = may_be_pipeline && !(nature.kind && finding_kind_needs_proof(nature.kind)) &&
                   facts.numbers[FINDING_NUMBER_message_share] > 0.5;
    nature.drains = may_be_pipeline && facts.numbers[FINDING_NUMBER_collective_share] > 0.5 &&
                    !sends(result, facts.causing.main);
    memcpy(nature.ranks, facts.causing.text, sizeof nature.ranks);
    facts_release(&facts);
    return nature;
}

/// Whether what is of natures A and B can be parts of CAUSE, of one computation or not.
static bool are_alike(const struct cause *cause, const struct nature *a, const struct nature *b,
                      bool is_one_computation)
{
    bool is_of_calls = cause->region == RESULT_NONE, is_of_functions = cause->site == RESULT_NONE;
    bool is_one_wait = a->wait_pattern == b->wait_pattern || cause->subject == FINDING_blocked;
    bool needs_kind = is_of_calls || (!is_of_functions && !is_one_computation);
    return a->kind && b->kind && (a->kind == b->kind || !needs_kind) &&
           (is_of_calls || (is_one_wait && strcmp(a->ranks, b->ranks) == 0));
}

/// Whether PART is what the ranks compute in the function in which CAUSE is that they are blocked.
static bool is_computed_there(const struct cause *cause, const struct cause *part,
                              const struct nature *a, const struct nature *b)
{
    return cause->subject == FINDING_blocked && part->subject == FINDING_computing &&
           cause->region == part->region && part->site == RESULT_NONE && a->kind && b->kind &&
           a->blocked_share > much && strcmp(a->ranks, b->ranks) == 0;
}

/// Whether CAUSE and PART are how a pipeline fills and how it drains, which takes about as long.
static bool are_one_pipeline(const struct cause *cause, const struct cause *part,
                             const struct nature *a, const struct nature *b)
{
    return ((a->fills && b->drains) || (a->drains && b->fills)) && cause->region == part->region &&
           cause->site != RESULT_NONE && part->site != RESULT_NONE &&
           2 * part->loss_ns >= cause->loss_ns && 2 * cause->loss_ns >= part->loss_ns;
}

static void add_place(struct cause *cause, uint32_t place)
{
    if (place != RESULT_NONE && !cause_has_place(cause, place))
        *ARRAY_EXTEND(cause->parts, cause->n_parts) = place;
}

/// CAUSE gets the place and the losses of PART.
static void add_to(const struct result *result, struct cause *cause, const struct cause *part)
{
    add_place(cause, cause_place(part));
    cause->loss_ns += part->loss_ns;
    if (part->subject == FINDING_waiting)
        cause->supposed_ns += part->loss_ns;
    else if (cause->subject != part->subject)
        cause->computed_ns += part->loss_ns;
    for (size_t i = 0; i < result->n_ranks; i++)
        cause->by_rank_ns[i] += part->by_rank_ns[i];
    for (size_t i = 0; i < result->n_patterns; i++)
        cause->by_pattern_ns[i] += part->by_pattern_ns[i];
}

/// PART becomes a part of CAUSE.
static void join(const struct result *result, struct cause *cause, struct cause *part)
{
    add_to(result, cause, part);
    FREE_ALL(part->by_rank_ns, part->by_pattern_ns);
}

/// The call path in which ranks wait most by PATTERN; RESULT_NONE: none.
static uint32_t heaviest_wait(const struct result_pattern *pattern)
{
    return pattern->n_by_path > 0 ? pattern->by_path[0].key : RESULT_NONE;
}

/// How long ranks wait because of CAUSE by PATTERN; or, IN_OTHERS, by the other patterns of waits
/// for messages or their receivers in the same calls.
static uint64_t alike_ns(const struct result *result, const struct cause *cause, uint32_t pattern,
                         bool in_others)
{
    uint64_t ns = in_others ? 0 : cause->by_pattern_ns[pattern];
    uint32_t path = heaviest_wait(&result->patterns[pattern]);
    if (!in_others || path == RESULT_NONE || !result_waits_for_messages(&result->patterns[pattern]))
        return ns;
    for (uint32_t i = 0; i < result->n_patterns; i++)
        if (i != pattern && result->patterns[i].is_top &&
            result_waits_for_messages(&result->patterns[i]) &&
            heaviest_wait(&result->patterns[i]) == path)
            ns += cause->by_pattern_ns[i];
    return ns;
}

/// The cause of nearly all waits that are like those of UNKNOWN, whose cause is not known: of the
/// same pattern, or, IN_OTHERS, of others in the same calls. NULL: there is none, or too few of
/// them are known.
static struct cause *cause_of_like(const struct causes *causes, const struct result *result,
                                   const struct cause *unknown, bool in_others)
{
    struct cause *most = NULL;
    uint64_t known_ns = 0, most_ns = 0;
    for (size_t i = 0; i < causes->n; i++) {
        struct cause *cause = &causes->causes[i];
        if (cause->subject == FINDING_waiting)
            continue;
        uint64_t ns = alike_ns(result, cause, unknown->pattern, in_others);
        known_ns += ns;
        if (ns > most_ns) {
            most_ns = ns;
            most = cause;
        }
    }
    return most && (double)most_ns >= nearly_all * (double)known_ns &&
                   (double)most_ns >= much * (double)unknown->loss_ns &&
                   rank_with_most(most->by_rank_ns, result->n_ranks) ==
                       rank_with_most(unknown->by_rank_ns, result->n_ranks)
               ? most
               : NULL;
}

/// The same where causes are unknown because the waits are not certain, or all that are alike are
/// of other patterns.
static struct cause *cause_of_alike(const struct causes *causes, const struct result *result,
                                    const struct cause *unknown)
{
    bool is_known = false;
    if (unknown->subject != FINDING_waiting)
        return NULL;
    for (size_t i = 0; i < causes->n; i++)
        is_known |= causes->causes[i].subject != FINDING_waiting &&
                    causes->causes[i].by_pattern_ns[unknown->pattern] > 0;
    if (!is_known)
        return cause_of_like(causes, result, unknown, true);
    return result->patterns[unknown->pattern].confidence < 1
               ? cause_of_like(causes, result, unknown, false)
               : NULL;
}

static void join_alike(struct causes *causes, const struct result *result)
{
    for (size_t i = 0; i < causes->n; i++) {
        struct cause *unknown = &causes->causes[i];
        struct cause *cause = cause_of_alike(causes, result, unknown);
        if (!cause)
            continue;
        join(result, cause, unknown);
        memmove(unknown, unknown + 1, (--causes->n - i) * sizeof *unknown);
        i--;
    }
}

/// Cause PART becomes a part of cause INDEX, which is before it.
static void join_part(struct causes *causes, struct nature *natures, size_t index, size_t part,
                      const struct result *result)
{
    join(result, &causes->causes[index], &causes->causes[part]);
    causes->n--;
    memmove(&causes->causes[part], &causes->causes[part + 1],
            (causes->n - part) * sizeof *causes->causes);
    memmove(&natures[part], &natures[part + 1], (causes->n - part) * sizeof *natures);
}

/// Joins what is part of cause INDEX, which is not the last one.
static void join_parts(struct causes *causes, struct nature *natures, size_t index,
                       const struct result *result)
{
    struct cause *cause = &causes->causes[index];
    for (size_t i = index + 1; i < causes->n; i++) {
        struct cause *part = &causes->causes[i];
        bool is_same = cause->subject == part->subject && cause->thread_kind == part->thread_kind;
        bool is_one = is_same && are_one_computation(result, cause, part);
        bool is_part = is_same && are_alike(cause, &natures[index], &natures[i], is_one) &&
                       (is_one || are_related(result, cause, part));
        if (!is_part && !is_computed_there(cause, part, &natures[index], &natures[i]))
            continue;
        join_part(causes, natures, index, i, result);
        i = index; // what was not related before may be now
    }
}

/// Joins how pipelines fill and drain, when the parts of both are together.
static void join_pipelines(struct causes *causes, struct nature *natures,
                           const struct result *result)
{
    for (size_t i = 0; i < causes->n; i++)
        for (size_t k = i + 1; k < causes->n; k++)
            if (are_one_pipeline(&causes->causes[i], &causes->causes[k], &natures[i], &natures[k]))
                join_part(causes, natures, i, k--, result);
}

// --- causes at one wait

/// Whether a change of where ranks wait would help against both causes, of natures A and B.
static bool are_at_one_wait(const struct cause *cause, const struct cause *other,
                            const struct nature *a, const struct nature *b)
{
    return a->kind && a->kind == b->kind && finding_kind_is_of_wait(a->kind) &&
           a->wait_path != RESULT_NONE && a->wait_path == b->wait_path &&
           a->wait_pattern == b->wait_pattern && cause->region != RESULT_NONE &&
           (cause->site == RESULT_NONE
                ? other->site == RESULT_NONE && other->region != RESULT_NONE
                : other->site != RESULT_NONE && other->region == cause->region);
}

/// Adds cause INDEX and the others at its wait to JOINED, which has its place and no losses.
static void add_all_at_wait(const struct causes *causes, const struct nature *natures, size_t index,
                            const struct result *result, struct cause *joined)
{
    for (size_t i = index; i < causes->n; i++) {
        const struct cause *part = &causes->causes[i];
        if (i > index &&
            !are_at_one_wait(&causes->causes[index], part, &natures[index], &natures[i]))
            continue;
        add_to(result, joined, part);
        for (size_t k = 0; k < part->n_parts; k++)
            add_place(joined, part->parts[k]);
    }
}

/// Joins cause INDEX with those at the same wait, if all together are of the same kind. It keeps
/// them, as predictions may show that they are not of that kind.
static void join_wait(struct causes *causes, struct nature *natures, size_t index,
                      const struct finding_kinds *kinds, const struct result *result)
{
    struct cause *cause = &causes->causes[index];
    size_t other = index + 1;
    while (other < causes->n &&
           !are_at_one_wait(cause, &causes->causes[other], &natures[index], &natures[other]))
        other++;
    if (other == causes->n)
        return;
    struct cause joined = {.subject = cause->subject,
                           .region = cause->region,
                           .site = cause->site,
                           .path = cause->path,
                           .pattern = cause->pattern,
                           .thread_kind = cause->thread_kind};
    joined.by_rank_ns = memory_zeroed(result->n_ranks, sizeof *joined.by_rank_ns);
    joined.by_pattern_ns = memory_zeroed(result->n_patterns, sizeof *joined.by_pattern_ns);
    add_all_at_wait(causes, natures, index, result, &joined);
    if (nature_of(kinds, result, &joined).kind != natures[index].kind) {
        cause_release(&joined);
        return;
    }
    size_t n_left = index + 1;
    *ARRAY_EXTEND(joined.apart, joined.n_apart) = *cause;
    for (size_t i = index + 1; i < causes->n; i++) {
        if (are_at_one_wait(cause, &causes->causes[i], &natures[index], &natures[i])) {
            *ARRAY_EXTEND(joined.apart, joined.n_apart) = causes->causes[i];
            continue;
        }
        natures[n_left] = natures[i];
        causes->causes[n_left++] = causes->causes[i];
    }
    causes->n = n_left;
    *cause = joined;
}

void causes_join(struct causes *causes, const struct finding_kinds *kinds,
                 const struct result *result)
{
    join_alike(causes, result);
    SCOPED struct nature *natures = memory_zeroed(causes->n, sizeof *natures);
    for (size_t i = 0; i < causes->n; i++)
        natures[i] = nature_of(kinds, result, &causes->causes[i]);
    for (size_t i = 0; i < causes->n; i++)
        join_parts(causes, natures, i, result);
    join_pipelines(causes, natures, result);
    for (size_t i = 0; i < causes->n; i++)
        join_wait(causes, natures, i, kinds, result);
    causes_sort(causes);
}
