// SPDX-License-Identifier: BSD-3-Clause
// Between two MPI calls only the location itself is concerned: its enters and leaves are read at
// once, and their recorded times kept as one number a call path. When the simulated length T is
// known, path i of n gets floor(T * (w_1 + ... + w_i) / W) less what the paths before it got, w its
// recorded time times its scale and W their sum: exact sums, and with T = W exact parts.
#include "analyzer/simulation/steps.h"

#include <assert.h>
#include <string.h>

#include "analyzer/base/checksum.h"
#include "analyzer/base/memory.h"
#include "analyzer/pag/location/without_cpu.h"
#include "analyzer/pag/window.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/change/relocation.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/change/work_samples.h"
#include "analyzer/simulation/cost/recorded_costs.h"
#include "analyzer/simulation/cost/timeless.h"
#include "analyzer/simulation/state.h"

__extension__ typedef unsigned __int128 wide;

enum { PS_PER_NS = 1000, MAX_SAMPLE_AHEAD = 4096 };

void computation_release(struct computation *computation)
{
    FREE_ALL(computation->parts, computation->part_of_path, computation->scales);
    visit_release(&computation->visit);
    *computation = (struct computation){0};
}

static struct computation *computation_of(const struct engine *engine,
                                          const struct location_state *location)
{
    return &simulated_location(engine, location)->computation;
}

/// Whether it does not matter which paths time goes by at: only times are wanted, and no path is
/// named.
static bool is_pathless(const struct engine *engine)
{
    const struct prediction *prediction = prediction_of(engine);
    return engine->options.only_times && !prediction->knows_paths && !prediction->timeless;
}

/// PASSED_NS go by at PATH.
static void count(const struct engine *engine, struct location_state *location, uint32_t path,
                  uint64_t passed_ns)
{
    if (passed_ns == 0)
        return;
    struct computation *computation = computation_of(engine, location);
    uint32_t index = path_part(engine, location, path);
    struct computation_part *part = &computation->parts[index];
    if (computation->visit.kind == 0 || !visit_pass(computation, index, passed_ns))
        part->recorded_ns += passed_ns;
    computation->recorded_now_ns += passed_ns;
    if (engine->listener.weighed.tell)
        TELL(engine, weighed, location->index, passed_ns,
             visit_weight(&computation->visit, part->scale));
}

/// One more enter or leave of COMPUTATION is read. What recording it cost came after it, for its
/// time was taken first.
static void count_record(struct computation *computation)
{
    computation->n_events++;
    computation->owed_ps += computation->record_ps;
}

/// What of PASSED_NS after an enter or leave recording took that is left out.
static inline uint64_t take_recording(struct computation *computation, uint64_t passed_ns)
{
    if (__builtin_expect(computation->owed_ps < PS_PER_NS, 1))
        return 0;
    uint64_t cost_ns = computation->owed_ps / PS_PER_NS;
    cost_ns = cost_ns < passed_ns ? cost_ns : passed_ns;
    computation->owed_ps -= cost_ns * PS_PER_NS;
    computation->recording_ns += cost_ns;
    return cost_ns;
}

/// Counts the recorded time since the last enter or leave, up to RECORDED_NS, at PATH.
static inline void pass(const struct engine *engine, struct location_state *location, uint32_t path,
                        uint64_t recorded_ns)
{
    struct computation *computation = computation_of(engine, location);
    if (prediction_of(engine)->timeless)
        return;
    uint64_t passed_ns = recorded_ns - computation->recorded_now_ns;
    uint64_t cost_ns = take_recording(computation, passed_ns);
    computation->recorded_now_ns += cost_ns;
    if (cost_ns > 0 && engine->listener.weighed.tell)
        TELL(engine, weighed, location->index, cost_ns, 0);
    count(engine, location, path, passed_ns - cost_ns);
}

/// Counts what the visit that begins with EVENT costs, where no recorded time counts.
static void pass_visit(const struct engine *engine, struct location_state *location,
                       const struct event *event)
{
    const struct prediction *prediction = prediction_of(engine);
    if (!prediction->timeless)
        return;
    struct computation *computation = computation_of(engine, location);
    uint64_t mark = path_mark(engine, location, location->profile.current);
    uint64_t ps = computation->left_ps +
                  timeless_visit_ps(prediction->timeless, location->index, mark, event);
    computation->left_ps = ps % PS_PER_NS;
    count(engine, location, location->profile.current, ps / PS_PER_NS);
}

/// Whether computing ends with EVENT, the end of a computation (NULL: the location's).
static bool ends_computing(const struct engine *engine, const struct event *event)
{
    return !event || event_is_message_record(event) ||
           (event->kind == EVENT_ENTER &&
            region_at(engine, event->index)->mpi != MPI_FUNCTION_NONE);
}

/// TIME_NS that the computation is blocked, changed as its parts are; what belongs to visits whose
/// work is set stays.
static uint64_t changed_blocked(const struct prediction *prediction,
                                const struct computation *computation, uint64_t time_ns)
{
    if (!prediction->knows_paths || computation->recorded_ns == 0)
        return time_ns;
    wide sum = (wide)computation->recorded_ns * PAG_WORK_PER_NS;
    for (uint32_t i = 0; i < computation->n_parts; i++) {
        const struct computation_part *part = &computation->parts[i];
        sum += (wide)part->recorded_ns * part->blocked_scale;
        sum -= (wide)part->recorded_ns * PAG_WORK_PER_NS;
    }
    return (uint64_t)(sum * time_ns / computation->recorded_ns / PAG_WORK_PER_NS);
}

static pag_work work_of(const struct engine *engine, const struct location_state *location,
                        const struct event *end)
{
    const struct prediction *prediction = prediction_of(engine);
    struct computation *computation = computation_of(engine, location);
    wide scaled = 0;
    uint64_t process_ns = cpu_span_used_ns(&computation->cpu, computation->recorded_begin_ns,
                                           computation->recorded_now_ns);
    uint64_t wall_ns = computation->recorded_now_ns - computation->recorded_begin_ns;
    uint64_t blocked_ns = cpu_span_blocked_ns(&computation->cpu, wall_ns - process_ns);
    uint64_t ready_ns = wall_ns - blocked_ns;
    if (prediction->notes && location->is_master && process_ns < ready_ns &&
        ends_computing(engine, end))
        process_ns = recorded_process_time(prediction, location->rank, computation->recorded_now_ns,
                                           ready_ns, process_ns);
    computation->lost_ns = ready_ns - process_ns;
    computation->recorded_ns = wall_ns - computation->recording_ns;
    computation->recording_ns += computation->owed_ps / PS_PER_NS; // of all its call paths alike
    if (computation->recording_ns > process_ns)
        computation->recording_ns = process_ns;
    computation->process_ns = process_ns -= computation->recording_ns;
    computation->blocked_ns = changed_blocked(prediction, computation, blocked_ns);
    if (!prediction->knows_paths)
        return (pag_work)process_ns * PAG_WORK_PER_NS;
    for (uint32_t i = 0; i < computation->n_parts; i++)
        scaled += (wide)computation->parts[i].recorded_ns * computation->parts[i].scale;
    return computation->recorded_ns ? (wide)process_ns * scaled / computation->recorded_ns : 0;
}

/// Takes work out that another rank does, and adds what this one does for others.
static void exchange(struct engine *engine, struct location_state *location)
{
    struct computation *computation = computation_of(engine, location);
    computation->arrived_work =
        migration_arrived(engine, location, &computation->arrived_path, &computation->n_arrived);
    computation->own_work = computation->work - migration_cut(engine, location);
    computation->work = computation->own_work + computation->arrived_work;
}

/// Whether EVENT ends a computation: an MPI call, a bare record of one, an event of a team,
/// recording switched off or on.
static bool is_end(const struct engine *engine, const struct location_state *location,
                   const struct event *event)
{
    if (location->rank == NONE)
        return false;
    if (event->kind == EVENT_ENTER)
        return region_at(engine, event->index)->mpi != MPI_FUNCTION_NONE ||
               (prediction_of(engine)->site_of_rank && relocation_is_due(engine, location, event));
    if (prediction_of(engine)->overlap && overlap_ends_at(engine, location, event))
        return true;
    return event_is_message_record(event) || event_is_of_threads(event) || event_is_switch(event);
}

/// The next CPU sample before anything else than enters and leaves of regions, NULL: there is none
/// soon.
static const struct event *next_sample(const struct engine *engine,
                                       const struct location_state *location)
{
    for (uint32_t ahead = 0; ahead < MAX_SAMPLE_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
        if (!event || event->kind == EVENT_CPU_TIME)
            return event;
        if (event->kind > EVENT_LEAVE || ends_computing(engine, event))
            return NULL;
    }
    return NULL;
}

/// NUMBER increases from FROM to TO as TIME_NS does from BEGIN_NS to END_NS.
static uint64_t between(uint64_t from, uint64_t to, uint64_t time_ns, uint64_t begin_ns,
                        uint64_t end_ns)
{
    return from + (uint64_t)((wide)(to - from) * (time_ns - begin_ns) / (end_ns - begin_ns));
}

/// The computation ends at TIME_NS, between two calls, and goes on after something that was not
/// there in the recording (overlap.h, relocation.h): of the CPU time between the samples around it
/// each part has its share.
static void split(const struct engine *engine, const struct location_state *location,
                  uint64_t time_ns)
{
    struct computation *computation = computation_of(engine, location);
    const struct cpu_span *cpu = &computation->cpu;
    if (!cpu->has)
        return;
    const struct event *next = next_sample(engine, location);
    if (!next || next->size_bytes < cpu->last_ns || next->time_ns <= cpu->last_at_ns)
        return;
    uint64_t wait_ns = next->received_bytes;
    bool has_waits = wait_ns != EVENT_NO_CORE_WAIT && cpu->last_wait_ns != EVENT_NO_CORE_WAIT &&
                     wait_ns >= cpu->last_wait_ns;
    computation->split = (struct cpu_sample){
        true, time_ns,
        between(cpu->last_ns, next->size_bytes, time_ns, cpu->last_at_ns, next->time_ns),
        has_waits ? between(cpu->last_wait_ns, wait_ns, time_ns, cpu->last_at_ns, next->time_ns)
                  : EVENT_NO_CORE_WAIT};
}

/// What a sample would have said where the computation was split counts on both sides.
static void sample_split(struct computation *computation)
{
    const struct cpu_sample *split = &computation->split;
    if (split->is_known)
        cpu_span_sample(&computation->cpu, split->at_ns, split->cpu_ns, split->wait_ns);
}

static void enter(const struct engine *engine, struct location_state *location,
                  const struct event *event)
{
    profile_enter_call(&location->profile, event->index, event->context, location->profile.last_ns);
    if (event->context != EVENT_NO_INDEX)
        computation_of(engine, location)->is_stretch_over = false;
    if (visit_has_any(engine))
        visit_begin(engine, location, location->profile.current);
    pass_visit(engine, location, event);
}

/// The next event that is more than the enter or leave of a region outside MPI.
static const struct event *skip_regions(struct engine *engine, struct location_state *location)
{
    struct computation *computation = computation_of(engine, location);
    const struct event *event;
    bool has_teams = prediction_of(engine)->teams != NULL;
    while ((event = event_ahead(engine, location, 0))) {
        if (event->kind > EVENT_LEAVE || is_end(engine, location, event) ||
            (has_teams && teams_decide(engine, location, event)))
            break;
        if (has_teams)
            teams_pass(engine, location, event);
        take_recording(computation, event->time_ns - computation->recorded_now_ns);
        computation->recorded_now_ns = event->time_ns;
        location->cursor->position++;
        count_record(computation);
    }
    return event;
}

/// The location computes to TIME_NS, the last of it before the call that END enters (NULL: it does
/// not end with a call). True: this ends a visit.
static bool pass_stretch(struct engine *engine, struct location_state *location,
                         const struct event *end, uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    struct computation *computation = computation_of(engine, location);
    uint32_t path = end ? profile_before_call(profile, end->index, end->context) : profile->current;
    bool is_visited = visit_has_any(engine) && !computation->is_stretch_over &&
                      visit_begin(engine, location, path);
    computation->is_stretch_over = computation->is_stretch_over || is_visited;
    pass(engine, location, path, time_ns);
    return is_visited;
}

const struct event *computation_read(struct engine *engine, struct location_state *location,
                                     uint64_t begin_ns, uint64_t recorded_ns)
{
    struct profile *profile = &location->profile;
    struct computation *computation = computation_of(engine, location);
    computation->begin_ns = begin_ns;
    computation->recorded_begin_ns = computation->recorded_now_ns = recorded_ns;
    computation->n_parts = 0;
    computation->n_events = 0;
    computation->recording_ns = computation->owed_ps = 0;
    computation->record_ps =
        prediction_of(engine)->scenario->settings->is_untraced
            ? prediction_of(engine)->definitions->locations[location->index].record_ps
            : 0;
    cpu_span_begin(&computation->cpu);
    sample_split(computation);
    computation->split.is_known = false;
    computation->has_set_work = false;
    computation->work = 0;
    bool has_visits = visit_has_any(engine), has_teams = prediction_of(engine)->teams != NULL;
    if (has_visits) {
        visit_end_if_left(engine, location);
        visit_begin(engine, location, profile->current);
    }
    const struct event *event;
    uint64_t seen_ns = recorded_ns;
    bool has_paths = !is_pathless(engine);
    while (
        (event = has_paths ? event_ahead(engine, location, 0) : skip_regions(engine, location))) {
        if (has_teams && teams_decide(engine, location, event))
            break;
        seen_ns = event->time_ns;
        if (is_end(engine, location, event))
            break;
        if (has_teams)
            teams_pass(engine, location, event);
        bool is_placed = event->kind == EVENT_ENTER && event->context != EVENT_NO_INDEX;
        if (is_placed && pass_stretch(engine, location, event, seen_ns))
            visit_end(engine, location);
        else if (!is_placed && (event->kind <= EVENT_LEAVE || event_is_switch(event)))
            pass(engine, location, profile->current, seen_ns);
        if (event->kind == EVENT_ENTER) {
            enter(engine, location, event);
        } else if (event->kind == EVENT_LEAVE) {
            profile_leave_around_gap(profile, event->index, profile->last_ns);
            if (computation->visit.kind != 0)
                visit_end_if_left(engine, location);
        } else if (event_is_switch(event))
            gap_event(engine, location, event, profile->last_ns);
        else if (event->kind == EVENT_CPU_TIME && !prediction_of(engine)->counts_wall_time)
            cpu_span_sample(&computation->cpu, seen_ns, event->size_bytes, event->received_bytes);
        location->cursor->position++;
        if (event->kind <= EVENT_LEAVE)
            count_record(computation);
        else
            computation->n_events++;
    }
    if (computation->recorded_now_ns > seen_ns)
        seen_ns = computation->recorded_now_ns;
    if (event && event->kind <= EVENT_LEAVE && !ends_computing(engine, event) &&
        !teams_decide(engine, location, event)) {
        split(engine, location, seen_ns);
        sample_split(computation);
        event = event_ahead(engine, location, 0); // it has looked ahead
    }
    bool is_call =
        has_paths && event && event->kind == EVENT_ENTER && ends_computing(engine, event);
    bool is_stretch_visited = pass_stretch(engine, location, is_call ? event : NULL, seen_ns);
    if (has_visits && (!event || is_stretch_visited))
        visit_end(engine, location);
    computation->work += work_of(engine, location, event);
    if (prediction_of(engine)->samples && location->rank != NONE && location->is_master)
        work_samples_add(prediction_of(engine)->samples, location->index, computation);
    if (has_visits)
        visit_close_computation(engine, location);
    if (!prediction_of(engine)->migration || location->rank == NONE)
        return event;
    exchange(engine, location);
    return event_ahead(engine, location, 0); // it has looked ahead
}

// --- noise

enum { NOISE_UNITS = 1000 }; // of mean factors, by which these are finer than factors

/// The mean factor of NOISE, number INDEX of the machine, over the WORK that RANK does at NODE
/// after it has done BEFORE; in billionths.
static uint64_t mean_factor(const struct machine_noise *noise, uint64_t index, uint64_t draw,
                            uint32_t rank, const char *node, pag_work before, pag_work work)
{
    if (noise->every_ns == 0) {
        uint64_t which = checksum_bytes(0, node, strlen(node));
        return NOISE_UNITS *
               noise_factor(&noise->noise, noise_luck(draw, NOISE_OF_WORK, index << 32, which));
    }
    pag_work every = (pag_work)noise->every_ns * PAG_WORK_PER_NS, end = before + work, sum = 0;
    for (pag_work at = before; at < end;) {
        uint64_t span = (uint64_t)(at / every);
        pag_work next = (span + 1) * every < end ? (span + 1) * every : end;
        uint32_t luck = noise_luck(draw, NOISE_OF_WORK, index << 32 | rank, span);
        sum += (next - at) * noise_factor(&noise->noise, luck);
        at = next;
    }
    return (uint64_t)(sum * NOISE_UNITS / work);
}

void computation_add_noise(const struct engine *engine, struct location_state *location)
{
    const struct prediction *prediction = prediction_of(engine);
    const struct scenario *scenario = prediction->scenario;
    const struct machine *machine = scenario->settings->machine;
    const struct placement *placement = &scenario->placement;
    struct location_simulation *state = simulated_location(engine, location);
    uint32_t node = placement->node_of_rank[site_of(prediction, location->rank)];
    const char *name = placement->node_names[node];
    pag_work before = state->noisy_work, work = state->computation.work;
    state->noisy_work += work;
    for (size_t i = 0; work > 0 && i < machine->n_noises; i++) {
        const struct machine_noise *noise = &machine->noises[i];
        if (!machine_noise_is_at(noise, name))
            continue;
        uint64_t factor =
            mean_factor(noise, i, scenario->settings->draw, location->rank, name, before, work);
        state->computation.work =
            state->computation.work * factor / ((pag_work)NOISE_WHOLE * NOISE_UNITS);
    }
}

// --- when it is over

/// Gives NS that PATH was blocked, without moving the location's time.
static void give_blocked(struct location_state *location, uint32_t path, uint64_t ns)
{
    if (ns == 0)
        return;
    uint32_t child = without_cpu_path(&location->profile, path, true);
    location_spend(location, child, ns);
    location->profile.paths[child].visits++;
}

/// The part of LENGTH_NS in which LOCATION worked for others.
static uint64_t give_arrived(struct location_state *location, struct computation *computation,
                             uint64_t length_ns)
{
    pag_work total = computation->own_work + computation->arrived_work;
    uint64_t ns = (uint64_t)(length_ns * computation->arrived_work / total);
    location_spend(location, computation->arrived_path, ns);
    location->profile.paths[computation->arrived_path].visits += computation->n_arrived;
    return ns;
}

static pag_work part_work(const struct computation *computation,
                          const struct computation_part *part)
{
    wide scaled = (wide)part->recorded_ns * part->scale;
    if (computation->recorded_ns == 0)
        return part->work;
    return scaled * computation->process_ns / computation->recorded_ns + part->work;
}

/// What PART had of the computation's work, up to a factor all parts share.
static wide weight(const struct computation *computation, const struct computation_part *part,
                   bool is_scaled)
{
    if (!is_scaled)
        return part->recorded_ns;
    if (!computation->has_set_work)
        return (wide)part->recorded_ns * part->scale;
    return part_work(computation, part);
}

/// LENGTH * SUM / TOTAL, cut off; mostly without a division of 128 bits.
static uint64_t share(uint64_t length_ns, wide sum, wide total)
{
    if (sum == total)
        return length_ns;
    if (length_ns >> 32 == 0 && total >> 32 == 0)
        return length_ns * (uint64_t)sum / (uint64_t)total;
    return (uint64_t)(length_ns * sum / total);
}

void computation_close(const struct engine *engine, struct location_state *location,
                       uint64_t end_ns)
{
    struct computation *computation = computation_of(engine, location);
    bool is_scaled = prediction_of(engine)->knows_paths;
    uint64_t length_ns = end_ns - computation->begin_ns;
    assert(computation->blocked_ns <= length_ns && "bug: blocked time passes in the simulated run");
    location->profile.last_ns = end_ns;
    if (engine->options.only_times)
        return;
    if (computation->arrived_work > 0)
        length_ns -= give_arrived(location, computation, length_ns);
    if (length_ns == 0)
        return;
    wide total = 0, sum = 0;
    for (uint32_t i = 0; i < computation->n_parts; i++)
        if (!computation->parts[i].is_moved)
            total += weight(computation, &computation->parts[i], is_scaled);
    if (total == 0) {
        // no recorded time to go by, or none that counts
        location_spend(location, location->profile.current, length_ns);
        return;
    }
    uint64_t given_ns = 0, given_blocked_ns = 0;
    for (uint32_t i = 0; i < computation->n_parts; i++) {
        if (computation->parts[i].is_moved)
            continue;
        sum += weight(computation, &computation->parts[i], is_scaled);
        uint64_t up_to_ns = share(length_ns, sum, total);
        uint64_t blocked_ns = share(computation->blocked_ns, sum, total) - given_blocked_ns;
        location_spend(location, computation->parts[i].path, up_to_ns - given_ns - blocked_ns);
        give_blocked(location, computation->parts[i].path, blocked_ns);
        given_ns = up_to_ns;
        given_blocked_ns += blocked_ns;
    }
}

void computation_pass_blocked(const struct engine *engine, struct location_state *location,
                              uint64_t end_ns)
{
    uint64_t passed_ns = end_ns - location->profile.last_ns;
    location->profile.last_ns = end_ns;
    if (!engine->options.only_times)
        give_blocked(location, location->profile.current, passed_ns);
}
