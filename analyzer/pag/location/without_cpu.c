// SPDX-License-Identifier: BSD-3-Clause
// Time of ranks without CPU time, in measured time: the process was descheduled or blocked.
//
// Outside MPI it is the wall time of an interval between two MPI calls, or the begins and ends of
// teams of threads, less its CPU time (cpu_span_used_ns()). A process without a core records
// nothing, so this time lies between two records far apart: it is spread over the longest such
// segments, in proportion to their lengths, and never exceeds them. Where samples tell how long the
// thread was ready to run without a core, the rest of it was blocked.
//
// Inside MPI it is the part of a call after its last wait, less the CPU time of the whole call:
// a lower bound, for the wait may have taken CPU time as well. It counts where such a part takes
// CPU time only: where all ranks are on one node, or share cores that are fewer. Calls whose
// records do not say what they wait for (probes, one-sided calls), MPI_Init, MPI_Finalize and
// calls for files are left out.
//
// In the profile this time is a child of the call path it was taken from, so that critical path
// and origins of waits name it.
#include "analyzer/pag/location/without_cpu.h"

#include "analyzer/pag/location/excerpt.h"

__extension__ typedef unsigned __int128 wide;

/// Spreads LOST_NS over the N segments at SEGMENTS, rounded so that the sum is exact.
static void spread(struct cpu_segment *segments, uint32_t n, uint64_t lost_ns)
{
    uint64_t all_ns = 0, passed_ns = 0, spread_ns = 0;
    for (uint32_t i = 0; i < n; i++)
        all_ns += cpu_segment_ns(&segments[i]);
    if (lost_ns > all_ns)
        lost_ns = all_ns;
    for (uint32_t i = 0; i < n; i++) {
        passed_ns += cpu_segment_ns(&segments[i]);
        uint64_t up_to_ns = (uint64_t)((wide)lost_ns * passed_ns / all_ns);
        segments[i].lost_ns = up_to_ns - spread_ns;
        spread_ns = up_to_ns;
    }
}

/// Spreads LOST_NS, of which BLOCKED_NS were blocked. What was blocked has segments of its own
/// after the others; a segment is there only if it lost something.
static void spread_both(struct without_cpu *account, uint64_t lost_ns, uint64_t blocked_ns)
{
    struct cpu_segment *segments = account->segments, *blocked = segments + account->n_segments;
    uint32_t n = account->n_segments;
    spread(segments, n, lost_ns);
    if (blocked_ns == 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        blocked[i] = segments[i];
    spread(blocked, n, blocked_ns);
    for (uint32_t i = 0; i < n; i++) {
        blocked[i].is_blocked = true;
        if (blocked[i].lost_ns > segments[i].lost_ns)
            blocked[i].lost_ns = segments[i].lost_ns;
        segments[i].lost_ns -= blocked[i].lost_ns;
    }
    account->n_segments = 2 * n;
}

uint32_t without_cpu_path(struct profile *profile, uint32_t path, bool is_blocked)
{
    const struct definitions *definitions = profile->definitions;
    const struct path *from = &profile->paths[path];
    return profile_child(profile, from->is_stretch ? from->parent : path,
                         is_blocked ? definitions->blocked_region : definitions->no_cpu_region);
}

/// Moves what SEGMENT lost from its path to the child of that.
static void move(struct profile *profile, struct cpu_segment *segment)
{
    uint32_t child = segment->lost_ns > 0
                         ? without_cpu_path(profile, segment->path, segment->is_blocked)
                         : segment->path;
    segment->lost_ns =
        child != segment->path ? times_take(profile->times, segment->path, segment->lost_ns) : 0;
    if (segment->lost_ns == 0)
        return;
    if (segment->is_blocked)
        profile->paths[segment->path].blocked_ns += segment->lost_ns;
    times_at(profile->times, child)->exclusive_ns += segment->lost_ns;
    profile->paths[child].inclusive_ns += segment->lost_ns;
    profile->paths[child].visits++;
    if (profile->excerpt)
        excerpt_move(profile, segment, child);
}

bool without_cpu_outside(struct profile *profile, uint64_t time_ns)
{
    struct without_cpu *account = &profile->without_cpu;
    uint64_t wall_ns = time_ns - account->begin_ns;
    uint64_t used_ns = cpu_span_used_ns(&account->span, account->begin_ns, time_ns);
    if (used_ns >= wall_ns)
        return false;
    spread_both(account, wall_ns - used_ns, cpu_span_blocked_ns(&account->span, wall_ns - used_ns));
    if (profile->excerpt)
        excerpt_settle(profile);
    for (uint32_t i = 0; i < account->n_segments; i++)
        move(profile, &account->segments[i]);
    return true;
}

/// Whether time of a call that does not wait takes CPU time, and the call's records say when it
/// does not wait.
static bool takes_cpu(const struct location_state *location)
{
    const struct definitions *definitions = location->definitions;
    const struct core_set *cores =
        &definitions->core_sets[definitions->ranks[location->rank].core_set];
    const struct call *call = &location->call;
    bool is_shared = core_set_is_oversubscribed(cores);
    return call->n_records > 0 && !call->is_bare && !call->is_cut && !call->is_test &&
           !call->is_init && !call->is_finalize && !call->is_file && !call->gave_up &&
           (is_shared || definitions->n_nodes == 1);
}

/// The profile is being kept elsewhere: it gets the child when it is finished.
static void lose_in_head(struct head *head, struct cpu_segment *lost)
{
    lost->lost_ns = times_take(&head->times, lost->path, lost->lost_ns);
    if (lost->lost_ns == 0)
        return;
    struct path_time *time = times_at(&head->lost, lost->path);
    time->exclusive_ns += lost->lost_ns;
    time->n_moves++;
}

static void lose_in_profile(struct profile *profile, struct cpu_segment *lost)
{
    if (profile->excerpt)
        excerpt_settle(profile);
    move(profile, lost);
}

bool without_cpu_in_call(struct location_state *location, struct cpu_segment *lost)
{
    const struct call *call = &location->call;
    struct without_cpu *account = &location->profile.without_cpu;
    uint64_t before_ns = account->span.seen_ns;
    bool is_known = account->span.has_seen && call->has_cpu_after &&
                    call->cpu_after_ns >= before_ns && takes_cpu(location);
    if (call->has_cpu_inside)
        cpu_span_see(&account->span, call->cpu_inside_ns);
    uint64_t since_ns = call->release_ns > call->enter_ns ? call->release_ns : call->enter_ns;
    if (!is_known || since_ns >= call->leave_ns ||
        call->leave_ns - since_ns <= call->cpu_after_ns - before_ns)
        return false;
    *lost = (struct cpu_segment){
        .begin_ns = since_ns,
        .end_ns = call->leave_ns,
        .lost_ns = call->leave_ns - since_ns - (call->cpu_after_ns - before_ns),
        .path = call->path,
    };
    if (location->digest)
        lose_in_head(&location->head, lost);
    else
        lose_in_profile(&location->profile, lost);
    return true;
}
