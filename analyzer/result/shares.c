// SPDX-License-Identifier: BSD-3-Clause
// From a location's call paths to regions, ranks and sites.
//
// The engine's explanation of a kind of wait belongs to the pattern that measures these waits. It
// has negative parts: the waiters' own work while the releasing ranks were late. Work in the same
// region cancels, and so does start-up. Work in other regions is taken off the remaining regions in
// proportion, so that these are parts of the wait. Last, no rank is charged more than the others
// wait.
#include "analyzer/result/parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/format/rank_lists.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

static uint32_t region_named(struct result *result, const char *name)
{
    size_t i = FIND_BY(result->regions, result->n_regions, name, name);
    if (i < result->n_regions)
        return (uint32_t)i;
    result->regions =
        memory_resize(result->regions, result->n_regions + 1, sizeof *result->regions);
    result->regions[result->n_regions] = (struct result_region){.name = memory_copy_text(name),
                                                                .shown = memory_copy_text(name),
                                                                .file = memory_copy_text(""),
                                                                .max_rank = RESULT_NONE};
    return (uint32_t)result->n_regions++;
}

/// Region, rank and site of each entry, with its time; regions that are none (before the start,
/// clock repair) are added to RESULT. The caller frees.
static struct result_path_share *resolve(const struct call_tree *tree,
                                         const struct pag_path_entry *entries, size_t n_entries,
                                         struct result *result)
{
    const struct definitions *definitions = tree->definitions;
    struct result_path_share *shares = memory_zeroed(n_entries, sizeof *shares);
    for (size_t i = 0; i < n_entries; i++) {
        const struct pag_path_entry *entry = &entries[i];
        struct call_place place = call_tree_place(tree, entry->location, entry->call_path);
        shares[i].time_ns = entry->time_ns;
        shares[i].path = place.path;
        shares[i].site = place.site;
        shares[i].rank = entry->location < definitions->n_locations
                             ? definitions->locations[entry->location].rank
                             : RESULT_NONE;
        if (place.path != RESULT_NONE)
            shares[i].region = result->paths[place.path].region;
        else
            shares[i].region = region_named(result, entry->call_path == PAG_PATH_CLOCK_REPAIR
                                                        ? RESULT_REGION_CLOCK
                                                        : RESULT_REGION_BEFORE);
    }
    return shares;
}

static uint64_t region_and_rank(const void *item)
{
    const struct result_path_share *share = item;
    return sort_pair(share->region, share->rank);
}

static uint64_t site_and_path(const void *item)
{
    const struct result_path_share *share = item;
    return sort_pair(share->site, share->path);
}

static uint64_t path_and_site(const void *item)
{
    const struct result_path_share *share = item;
    return sort_pair(share->path, share->site);
}

static uint64_t site(const void *item)
{
    return ((const struct result_path_share *)item)->site;
}

static uint64_t longest_first(const void *item)
{
    return sort_longest_first(((const struct result_path_share *)item)->time_ns);
}

static void sort_shares(struct result_path_share *shares, size_t count,
                        uint64_t (*number)(const void *))
{
    sort_by_number(shares, count, sizeof *shares, number);
}

static bool is_same_activity(const struct result_path_share *a, const struct result_path_share *b)
{
    return a->region == b->region && a->rank == b->rank;
}

/// The sum of COUNT parts of one site in one region, which are sorted by rank, and its main rank.
static struct result_path_share sum_of_site(const struct result_path_share *parts, size_t count)
{
    struct result_path_share sum = parts[0];
    uint32_t most_rank = RESULT_NONE;
    int64_t positive_ns = 0, most_ns = 0, rank_ns = 0;
    sum.time_ns = 0;
    for (size_t i = 0; i < count; i++) {
        sum.time_ns += parts[i].time_ns;
        bool is_same_rank = i > 0 && parts[i - 1].rank == parts[i].rank;
        rank_ns = is_same_rank ? rank_ns + parts[i].time_ns : parts[i].time_ns;
        if (parts[i].time_ns > 0)
            positive_ns += parts[i].time_ns;
        if (rank_ns > most_ns) {
            most_ns = rank_ns;
            most_rank = parts[i].rank;
        }
    }
    sum.rank = most_ns > positive_ns / 2 ? most_rank : RESULT_NONE;
    sum.path = RESULT_NONE;
    return sum;
}

/// A copy of SHARES summed by region, by rank, or by both, the longest first; `share` becomes the
/// part of TIME_NS. *N_SUMS: how many. The caller frees.
static struct result_path_share *sum(const struct result_path_share *shares, size_t count,
                                     bool by_region, bool by_rank, uint64_t time_ns, size_t *n_sums)
{
    struct result_path_share *sums = memory_zeroed(count, sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        sums[i] = shares[i];
        if (!by_region)
            sums[i].region = RESULT_NONE;
        if (!by_rank)
            sums[i].rank = RESULT_NONE;
        sums[i].path = sums[i].site = RESULT_NONE;
    }
    sort_shares(sums, count, region_and_rank);
    *n_sums = 0;
    for (size_t i = 0; i < count; i++) {
        if (*n_sums > 0 && is_same_activity(&sums[*n_sums - 1], &sums[i]))
            sums[*n_sums - 1].time_ns += sums[i].time_ns;
        else
            sums[(*n_sums)++] = sums[i];
    }
    for (size_t i = 0; i < *n_sums; i++)
        sums[i].share = time_ns > 0 ? (double)sums[i].time_ns / (double)time_ns : 0;
    sort_shares(sums, *n_sums, longest_first);
    return memory_resize(sums, *n_sums, sizeof *sums);
}

/// The parts that have a site, summed by (site, region), without those that are 0; the rank is the
/// one with more than half of it, else RESULT_NONE. Share and order as above. The caller frees.
static struct result_path_share *sum_by_site(const struct result_path_share *shares, size_t count,
                                             uint64_t time_ns, size_t *n_sums)
{
    struct result_path_share *parts = memory_zeroed(count, sizeof *parts);
    size_t n_parts = 0;
    for (size_t i = 0; i < count; i++)
        if (shares[i].site != RESULT_NONE)
            parts[n_parts++] = shares[i];
    sort_shares(parts, n_parts, region_and_rank);
    sort_shares(parts, n_parts, site);
    *n_sums = 0;
    for (size_t i = 0, next; i < n_parts; i = next) {
        for (next = i + 1; next < n_parts && parts[next].site == parts[i].site &&
                           parts[next].region == parts[i].region;)
            next++;
        struct result_path_share sum = sum_of_site(&parts[i], next - i);
        sum.share = time_ns > 0 ? (double)sum.time_ns / (double)time_ns : 0;
        if (sum.time_ns != 0)
            parts[(*n_sums)++] = sum;
    }
    sort_shares(parts, *n_sums, longest_first);
    return memory_resize(parts, *n_sums, sizeof *parts);
}

static void put_imbalance(struct result *result)
{
    int64_t n_read = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        n_read += !result->ranks[i].is_skipped;
    for (size_t i = 0; i < result->critical_path.n_by_region && n_read > 0; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        struct result_region *region = &result->regions[share->region];
        int64_t mean_ns = (int64_t)region->exclusive_ns / n_read;
        if (region->exclusive_ns > 0 && share->time_ns > mean_ns)
            region->path_imbalance_ns = (uint64_t)(share->time_ns - mean_ns);
    }
}

void critical_path_collect(const struct call_tree *tree, struct result *result)
{
    size_t n = tree->replay->n_critical_path;
    uint64_t time_ns = result->time_ns;
    SCOPED struct result_path_share *shares = resolve(tree, tree->replay->critical_path, n, result);
    for (size_t i = 0; i < n; i++)
        result->critical_path.length_ns += shares[i].time_ns;
    result->critical_path.by_region =
        sum(shares, n, true, false, time_ns, &result->critical_path.n_by_region);
    result->critical_path.by_rank =
        sum(shares, n, false, true, time_ns, &result->critical_path.n_by_rank);
    result->critical_path.by_region_rank =
        sum(shares, n, true, true, time_ns, &result->critical_path.n_by_region_rank);
    result->critical_path.by_site =
        sum_by_site(shares, n, time_ns, &result->critical_path.n_by_site);
    put_imbalance(result);
}

const char *const result_pattern_of_wait[PAG_WAIT_KINDS] = {
    [PAG_WAIT_LATE_SENDER] = "late-sender",
    [PAG_WAIT_LATE_RECEIVER] = "late-receiver",
    [PAG_WAIT_OUTSIDE] = "receiver-outside-mpi",
    [PAG_WAIT_BARRIER] = "wait-at-barrier",
    [PAG_WAIT_NXN] = "wait-at-nxn",
    [PAG_WAIT_ONE_TO_ALL] = "late-broadcast",
    [PAG_WAIT_EARLY_REDUCE] = "early-reduce",
    [PAG_WAIT_NX1] = "wait-at-nx1",
    [PAG_WAIT_SCAN] = "early-scan",
    [PAG_WAIT_FINALIZE] = "wait-at-finalize",
    [PAG_WAIT_FENCE] = "wait-at-fence",
    [PAG_WAIT_WINDOW] = "wait-at-window",
    [PAG_WAIT_COMMUNICATOR] = "wait-at-communicator",
    [PAG_WAIT_FILE] = "wait-at-collective-io",
    [PAG_WAIT_LOCK] = "lock-contention",
    [PAG_WAIT_POST] = "late-post",
    [PAG_WAIT_COMPLETE] = "early-wait",
};

__extension__ typedef __int128 wide;

/// What the positive ones of some parts are to sum to.
struct portion {
    int64_t whole_ns;
    wide positive_ns; // their sum
    wide seen_ns;     // of those so far
    int64_t given_ns; // to those so far
};

/// What a positive part of TIME_NS gets of PORTION.
static int64_t take(struct portion *portion, int64_t time_ns)
{
    portion->seen_ns += time_ns;
    int64_t upto_ns = (int64_t)(portion->seen_ns * portion->whole_ns / portion->positive_ns);
    int64_t taken_ns = upto_ns - portion->given_ns;
    portion->given_ns = upto_ns;
    return taken_ns;
}

/// The longest first, then by region, rank, site and path.
static void sort_parts(struct result_path_share *parts, size_t count)
{
    sort_shares(parts, count, site_and_path);
    sort_shares(parts, count, region_and_rank);
    sort_shares(parts, count, longest_first);
}

/// Cuts the positive ones of COUNT parts in proportion, so that they sum to the whole of their
/// portion: that of their region, or with IS_WHOLE the only one there is. The others become 0.
static void scale(struct result_path_share *parts, size_t count, struct portion *portions,
                  bool is_whole)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i].time_ns > 0)
            portions[is_whole ? 0 : parts[i].region].positive_ns += parts[i].time_ns;
    for (size_t i = 0; i < count; i++) {
        struct portion *portion = &portions[is_whole ? 0 : parts[i].region];
        bool is_part = parts[i].time_ns > 0 && portion->whole_ns > 0;
        parts[i].time_ns = is_part ? take(portion, parts[i].time_ns) : 0;
    }
}

/// Leaves the positive ones of COUNT parts, the longest first; share becomes that of TOTAL_NS.
/// Returns how many are left.
static size_t leave_positive(struct result_path_share *parts, size_t count, uint64_t total_ns)
{
    size_t n_left = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].time_ns <= 0)
            continue;
        parts[n_left] = parts[i];
        parts[n_left++].share = (double)parts[i].time_ns / (double)total_ns;
    }
    sort_parts(parts, n_left);
    return n_left;
}

/// scale(), then leave_positive().
static size_t cut(struct result_path_share *parts, size_t count, struct portion *portions,
                  bool is_whole, uint64_t total_ns)
{
    scale(parts, count, portions, is_whole);
    return leave_positive(parts, count, total_ns);
}

/// By rank, how much more of PATTERN's waits it may be charged than PARTS do; negative: they charge
/// it more than the other ranks wait. The caller frees.
static int64_t *rooms_of(const struct result *result, const struct result_pattern *pattern,
                         const struct result_path_share *parts, size_t count)
{
    int64_t *rooms_ns = memory_zeroed(result->n_ranks, sizeof *rooms_ns);
    for (size_t rank = 0; rank < result->n_ranks; rank++)
        rooms_ns[rank] = (int64_t)pattern->total_ns;
    for (size_t i = 0; i < pattern->n_by_rank; i++)
        rooms_ns[pattern->by_rank[i].key] -= (int64_t)pattern->by_rank[i].ns;
    for (size_t i = 0; i < count; i++)
        if (parts[i].rank != RESULT_NONE)
            rooms_ns[parts[i].rank] -= parts[i].time_ns;
    return rooms_ns;
}

/// Whom a rank's excess may go to, in this order: within its region those who are charged something
/// there, who did work there that was taken off, up to that, or who did any; then everybody.
enum receivers {
    RECEIVERS_CHARGED,
    RECEIVERS_CREDITED,
    RECEIVERS_IN_REGION,
    RECEIVERS_ALL,
    N_RECEIVERS
};

/// How much of the excess of FROM the part TO may take, whose account is ACCOUNT_NS.
static int64_t room_in(const struct result_path_share *from, const struct result_path_share *to,
                       int64_t account_ns, enum receivers receivers, const int64_t *rooms_ns)
{
    bool is_other = to->rank != RESULT_NONE && to->rank != from->rank;
    int64_t room_ns = is_other && rooms_ns[to->rank] > 0 ? rooms_ns[to->rank] : 0;
    if (receivers == RECEIVERS_ALL)
        return room_ns;
    if (to->region != from->region)
        return 0;
    if (receivers == RECEIVERS_IN_REGION)
        return room_ns;
    if ((account_ns > 0) != (receivers == RECEIVERS_CHARGED))
        return 0;
    return account_ns > 0 || room_ns < -account_ns ? room_ns : -account_ns;
}

/// Moves what FROM is charged too much to others of PARTS, the first ones first.
static void move_excess(struct result_path_share *from, struct result_path_share *parts,
                        size_t count, const int64_t *accounts_ns, enum receivers receivers,
                        int64_t *rooms_ns)
{
    int64_t *excess_ns = &rooms_ns[from->rank]; // negative
    for (size_t i = 0; i < count && *excess_ns < 0 && from->time_ns > 0; i++) {
        int64_t ns = room_in(from, &parts[i], accounts_ns[i], receivers, rooms_ns);
        ns = ns < -*excess_ns ? ns : -*excess_ns;
        ns = ns < from->time_ns ? ns : from->time_ns;
        if (ns == 0)
            continue;
        from->time_ns -= ns;
        *excess_ns += ns;
        parts[i].time_ns += ns;
        rooms_ns[parts[i].rank] -= ns;
    }
}

/// Charges no rank more than the others wait, by region and rank; ACCOUNTS_NS are the parts before
/// the waiters' own work was taken off. The account of a rank that is awaited often, each time for
/// little, has its work of all these times; that of the other rank then lacks the work it did
/// meanwhile. Only both accounts together are right. One rank at most is charged too much: its
/// charge and its own waits are more than all waits.
static void bound_ranks(const struct result *result, struct result_pattern *pattern,
                        const int64_t *accounts_ns, uint64_t total_ns)
{
    struct result_origins *origins = &pattern->origins;
    struct result_path_share *parts = origins->by_region_rank;
    size_t n = origins->n_by_region_rank;
    SCOPED int64_t *rooms_ns = rooms_of(result, pattern, parts, n);
    bool has_moved = false;
    for (enum receivers receivers = 0; receivers < N_RECEIVERS; receivers++) {
        for (size_t i = 0; i < n; i++) {
            if (parts[i].rank == RESULT_NONE || rooms_ns[parts[i].rank] >= 0)
                continue;
            move_excess(&parts[i], parts, n, accounts_ns, receivers, rooms_ns);
            has_moved = true;
        }
    }
    if (has_moved) {
        free(origins->by_region);
        origins->by_region = sum(parts, n, true, false, total_ns, &origins->n_by_region);
        origins->n_by_region = leave_positive(origins->by_region, origins->n_by_region, total_ns);
    }
}

/// What of each of COUNT parts there is; the caller frees.
static int64_t *times_of(const struct result_path_share *parts, size_t count)
{
    int64_t *times_ns = memory_zeroed(count, sizeof *times_ns);
    for (size_t i = 0; i < count; i++)
        times_ns[i] = parts[i].time_ns;
    return times_ns;
}

/// One for each region: the whole is what ORIGINS give it.
static struct portion *portions_of(const struct result *result,
                                   const struct result_origins *origins)
{
    struct portion *portions = memory_zeroed(result->n_regions, sizeof *portions);
    for (size_t i = 0; i < origins->n_by_region; i++)
        portions[origins->by_region[i].region].whole_ns = origins->by_region[i].time_ns;
    return portions;
}

/// A rank that starts later spends less time in MPI_Init, for that ends at the same time on all
/// ranks.
static bool is_start_up(const struct result_region *region)
{
    return !strcmp(region->name, RESULT_REGION_BEFORE) || !strncasecmp(region->name, "MPI_Init", 8);
}

/// Lets the parts of start-up cancel, whatever their regions; the sum of PARTS stays the same.
static void cancel_start_up(const struct result *result, struct result_path_share *parts,
                            size_t count)
{
    struct portion start_up = {0};
    size_t last = count;
    for (size_t i = 0; i < count; i++)
        if (is_start_up(&result->regions[parts[i].region])) {
            start_up.whole_ns += parts[i].time_ns;
            start_up.positive_ns += parts[i].time_ns > 0 ? parts[i].time_ns : 0;
            last = i;
        }
    for (size_t i = 0; i < count; i++) {
        if (!is_start_up(&result->regions[parts[i].region]))
            continue;
        bool is_part = start_up.whole_ns > 0 && parts[i].time_ns > 0;
        parts[i].time_ns = is_part ? take(&start_up, parts[i].time_ns) : 0;
    }
    if (last < count && start_up.whole_ns < 0)
        parts[last].time_ns = start_up.whole_ns;
}

/// Takes the waiters' own work off the parts of the origins of PATTERN.
static void net(const struct result *result, struct result_pattern *pattern, uint64_t total_ns)
{
    struct result_origins *origins = &pattern->origins;
    // What has no place in the source is a part of its region as well.
    SCOPED wide *elsewhere_ns = memory_zeroed(result->n_regions, sizeof *elsewhere_ns);
    for (size_t i = 0; i < origins->n_by_region; i++)
        elsewhere_ns[origins->by_region[i].region] += origins->by_region[i].time_ns;
    for (size_t i = 0; i < origins->n_by_site; i++)
        elsewhere_ns[origins->by_site[i].region] -= origins->by_site[i].time_ns;
    cancel_start_up(result, origins->by_region, origins->n_by_region);
    struct portion whole = {.whole_ns = (int64_t)origins->explained_ns};
    origins->n_by_region = cut(origins->by_region, origins->n_by_region, &whole, true, total_ns);
    origins->offset_ns = (int64_t)(whole.whole_ns - whole.positive_ns);
    struct portion *portions = portions_of(result, origins);
    SCOPED int64_t *accounts_ns = times_of(origins->by_region_rank, origins->n_by_region_rank);
    scale(origins->by_region_rank, origins->n_by_region_rank, portions, false);
    free(portions);
    bound_ranks(result, pattern, accounts_ns, total_ns);
    origins->n_by_region_rank =
        leave_positive(origins->by_region_rank, origins->n_by_region_rank, total_ns);
    portions = portions_of(result, origins);
    for (size_t i = 0; i < result->n_regions; i++)
        portions[i].positive_ns = elsewhere_ns[i] > 0 ? elsewhere_ns[i] : 0;
    origins->n_by_site = cut(origins->by_site, origins->n_by_site, portions, false, total_ns);
    free(portions);
}

/// By region and rank, then path and site.
static void sort_places(struct result_path_share *parts, size_t count)
{
    sort_shares(parts, count, path_and_site);
    sort_shares(parts, count, region_and_rank);
}

/// Adds up COUNT sorted parts of the same place; returns how many are left.
static size_t merge_places(struct result_path_share *parts, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_same = n > 0 && is_same_activity(&parts[n - 1], &parts[i]) &&
                       path_and_site(&parts[n - 1]) == path_and_site(&parts[i]);
        if (is_same)
            parts[n - 1].time_ns += parts[i].time_ns;
        else
            parts[n++] = parts[i];
    }
    return n;
}

/// What a rank is charged need not come from its own account (bound_ranks()): where its COUNT parts
/// are charged less than WHOLE_NS, work that was taken off tells as well where it worked.
static void make_positive(struct result_path_share *parts, size_t count, int64_t whole_ns)
{
    int64_t charged_ns = 0, any_ns = 0;
    for (size_t i = 0; i < count; i++) {
        charged_ns += parts[i].time_ns > 0 ? parts[i].time_ns : 0;
        any_ns |= parts[i].time_ns;
    }
    for (size_t i = 0; i < count && charged_ns < whole_ns; i++)
        parts[i].time_ns = llabs(parts[i].time_ns);
    if (any_ns == 0)
        parts[0].time_ns = 1;
}

/// Fills by_path_rank from SHARES (sorted here), after by_region_rank: what that gives a region on
/// a rank, in its parts by path and site.
static void put_places(struct result_path_share *shares, size_t count, uint64_t total_ns,
                       struct result_origins *origins)
{
    size_t n_wholes = origins->n_by_region_rank, n_left = 0;
    SCOPED struct result_path_share *wholes = memory_zeroed(n_wholes, sizeof *wholes);
    if (n_wholes > 0) {
        memcpy(wholes, origins->by_region_rank, n_wholes * sizeof *wholes);
        sort_places(wholes, n_wholes);
        sort_places(shares, count);
    }
    size_t n_shares = n_wholes > 0 ? merge_places(shares, count) : 0, next = 0;
    origins->by_path_rank = memory_zeroed(n_shares, sizeof *origins->by_path_rank);
    for (size_t i = 0; i < n_wholes; i++) {
        const struct result_path_share *whole = &wholes[i];
        while (!is_same_activity(&shares[next], whole))
            next++;
        size_t first = next;
        while (next < n_shares && is_same_activity(&shares[next], whole))
            next++;
        struct portion portion = {.whole_ns = whole->time_ns};
        make_positive(&shares[first], next - first, whole->time_ns);
        size_t n = cut(&shares[first], next - first, &portion, true, total_ns);
        memcpy(&origins->by_path_rank[n_left], &shares[first], n * sizeof *shares);
        n_left += n;
    }
    sort_parts(origins->by_path_rank, n_left);
    origins->by_path_rank =
        memory_resize(origins->by_path_rank, n_left, sizeof *origins->by_path_rank);
    origins->n_by_path_rank = n_left;
}

/// The rank with more than half of each part by site, as the parts by path and rank have it.
static void name_ranks_of_sites(struct result_origins *origins, uint64_t total_ns)
{
    size_t n;
    SCOPED struct result_path_share *sites =
        sum_by_site(origins->by_path_rank, origins->n_by_path_rank, total_ns, &n);
    SCOPED_BY(map_release) struct map ranks;
    map_init(&ranks);
    for (size_t i = 0; i < n; i++)
        map_put(&ranks, (uint64_t)sites[i].site << 32 | sites[i].region, sites[i].rank);
    for (size_t i = 0; i < origins->n_by_site; i++) {
        struct result_path_share *site = &origins->by_site[i];
        if (!map_get(&ranks, (uint64_t)site->site << 32 | site->region, &site->rank))
            site->rank = RESULT_NONE;
    }
}

/// Fills the origins of waits of PATTERN that last TOTAL_NS from their EXPLANATION.
static void fill(const struct call_tree *tree, const struct pag_explanation *explanation,
                 uint64_t total_ns, struct result *result, struct result_pattern *pattern)
{
    struct result_origins *origins = &pattern->origins;
    SCOPED struct result_path_share *shares =
        resolve(tree, explanation->causes, explanation->n_causes, result);
    origins->explained_ns = explanation->explained_ns;
    origins->unexplained_ns = total_ns - explanation->explained_ns;
    origins->direct_ns = explanation->direct_ns;
    origins->indirect_ns = explanation->explained_ns - explanation->direct_ns;
    origins->by_region =
        sum(shares, explanation->n_causes, true, false, total_ns, &origins->n_by_region);
    origins->by_region_rank =
        sum(shares, explanation->n_causes, true, true, total_ns, &origins->n_by_region_rank);
    origins->by_site = sum_by_site(shares, explanation->n_causes, total_ns, &origins->n_by_site);
    net(result, pattern, total_ns);
    put_places(shares, explanation->n_causes, total_ns, origins);
    name_ranks_of_sites(origins, total_ns);
}

void origins_collect(const struct call_tree *tree, struct result *result)
{
    for (int kind = 0; kind < PAG_WAIT_KINDS && !result->interval.what; kind++) {
        uint32_t found = result_find_pattern(result, result_pattern_of_wait[kind]);
        struct result_pattern *pattern = found == RESULT_NONE ? NULL : &result->patterns[found];
        bool is_judged = pattern && pattern->window_ns > 0;
        const struct pag_explanation *explanation =
            is_judged ? &tree->replay->explanations[kind] : &tree->replay->outside_window[kind];
        uint64_t total_ns = is_judged ? pattern->window_ns : pattern ? pattern->total_ns : 0;
        // A pattern of this id that somebody else wrote may measure other waits.
        if (total_ns > 0 && explanation->explained_ns <= total_ns)
            fill(tree, explanation, total_ns, result, pattern);
    }
}

/// "rank 1", "ranks 0, 2-4"; "12 ranks" if there are too many to list. RANKS are sorted.
static char *list_ranks(const uint32_t *ranks, size_t n_ranks)
{
    enum { MAX_LISTED = 4 };
    size_t n_listed;
    SCOPED char *list = rank_list_join(ranks, n_ranks, ", ", &n_listed);
    return n_listed > MAX_LISTED ? memory_format("%zu ranks", n_ranks)
                                 : memory_format("%s %s", n_ranks == 1 ? "rank" : "ranks", list);
}

char *origin_ranks(const struct result_origins *origins, uint32_t region)
{
    SCOPED uint32_t *ranks = memory_zeroed(origins->n_by_region_rank + 1, sizeof *ranks);
    size_t n_ranks = 0;
    int64_t whole_ns = 0, named_ns = 0;
    for (size_t i = 0; i < origins->n_by_region_rank; i++)
        if (origins->by_region_rank[i].region == region)
            whole_ns += origins->by_region_rank[i].time_ns;
    for (size_t i = 0; i < origins->n_by_region_rank && named_ns < whole_ns - whole_ns / 10; i++) {
        const struct result_path_share *share = &origins->by_region_rank[i];
        if (share->region != region)
            continue;
        named_ns += share->time_ns;
        if (share->rank != RESULT_NONE)
            ranks[n_ranks++] = share->rank;
    }
    qsort(ranks, n_ranks, sizeof *ranks, uint32_compare);
    return n_ranks > 0 ? list_ranks(ranks, n_ranks) : memory_copy_text("");
}
