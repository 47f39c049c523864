// SPDX-License-Identifier: BSD-3-Clause
// Simulated runs: prepared, then replayed. Each location goes through its phases, outside MPI and
// in a call (advance.c), blocked (blocked.c); the scheduler says when each of them is over, in the
// order of time. The matching itself, the settling of calls and all that is found are those of the
// measured replay.
#include "analyzer/simulation/prediction.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/change/aggregate.h"
#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/change/drop_sync.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/relocation.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/change/work_samples.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cost/timeless.h"
#include "analyzer/simulation/network/collective_run.h"
#include "analyzer/simulation/network/contention.h"
#include "analyzer/simulation/steps.h"
#include "analyzer/trace/clock.h"

// --- scenarios

uint64_t scenario_slice_ns(const struct scenario_settings *settings)
{
    if (settings->slice_ns != PAG_NOT_KNOWN)
        return settings->slice_ns;
    return settings->machine ? settings->machine->slice_ns : 0;
}

uint64_t scenario_buffered_bytes(const struct scenario_settings *settings)
{
    if (settings->buffered_bytes != PAG_NOT_KNOWN || !settings->machine)
        return settings->buffered_bytes;
    return settings->machine->buffered_bytes;
}

static void set_buffered_bytes(struct scenario *scenario, const struct definitions *definitions)
{
    uint64_t usual_bytes = mpi_library_buffered_bytes(scenario->library);
    bool progresses = mpi_library_progresses(definitions);
    uint64_t given_bytes = scenario_buffered_bytes(scenario->settings);
    bool is_given = given_bytes != PAG_NOT_KNOWN;
    scenario->buffered_bytes = is_given ? given_bytes : usual_bytes;
    scenario->held_bytes = progresses && !is_given ? PAG_NOT_KNOWN : scenario->buffered_bytes;
    // Where ranks leave their cores to wait no message waits for a core.
    if (!scenario->settings->spins)
        scenario->buffered_bytes = PAG_NOT_KNOWN;
}

void scenario_release(struct scenario *scenario)
{
    placement_release(&scenario->placement);
    FREE_ALL(scenario->phase_patterns, scenario->group_of_rank, scenario->keeps_cores,
             scenario->saved_hand_overs, scenario->groups, scenario->compute_patterns);
    region_scales_release(&scenario->scales);
    region_works_release(&scenario->works);
    message_cuts_release(&scenario->cuts);
    region_patterns_free(scenario->regions);
    scopes_release(&scenario->scopes);
    moves_release(&scenario->moves);
    slowdown_use_release(&scenario->slowdown);
    *scenario = (struct scenario){0};
}

static int place(struct scenario *scenario, const struct definitions *definitions,
                 struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    uint32_t n_ranks = (uint32_t)definitions->n_ranks;
    if (settings->n_places > 0)
        return placement_read(&scenario->placement, definitions, settings->places,
                              settings->n_places, err);
    if (settings->n_nodes > 0)
        placement_map(&scenario->placement, n_ranks, settings->n_nodes, settings->is_cyclic);
    else
        placement_recorded(&scenario->placement, definitions);
    return 0;
}

/// The nodes that --cpu-speed names must have ranks.
static int check_node_speeds(const struct scenario *scenario, struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    const struct placement *placement = &scenario->placement;
    for (size_t i = 0; i < settings->n_node_speeds; i++) {
        const char *name = settings->node_speeds[i].node;
        uint32_t node = (uint32_t)FIND_TEXT(placement->node_names, placement->n_nodes, name);
        if (node < placement->n_nodes)
            continue;
        const char *nearest =
            spelling_nearest(name, (const char *const *)placement->node_names, placement->n_nodes);
        if (nearest)
            return error_set(err, "--cpu-speed %s: there is no such node; is it %s?", name,
                             nearest);
        SCOPED char *some =
            spelling_some("", (const char *const *)placement->node_names, placement->n_nodes);
        return error_set(err, "--cpu-speed %s: there is no such node%s", name, some);
    }
    return 0;
}

/// The call paths of <compute> elements.
static int read_computes(struct scenario *scenario, struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    const struct machine *machine = settings->machine;
    if (!settings->is_timeless)
        return 0;
    scenario->compute_patterns =
        memory_new((machine->n_computes + 1) * sizeof *scenario->compute_patterns);
    for (size_t i = 0; i < machine->n_computes; i++) {
        const struct machine_compute *compute = &machine->computes[i];
        scenario->compute_patterns[i] = SCENARIO_NO_PATTERN;
        if (!strchr(compute->pattern, '/'))
            continue;
        SCOPED char *where = memory_format("%s:%u: <compute>", machine->path, compute->line);
        int status = region_patterns_add(scenario->regions, where, compute->pattern, REGION_VISITS,
                                         &scenario->compute_patterns[i], err);
        if (status != 0)
            return -1;
    }
    return 0;
}

static int check_timeless(const struct scenario_settings *settings, struct error *err)
{
    if (!settings->is_timeless)
        return 0;
    if (!settings->machine || !machine_has_messages(settings->machine))
        return error_set(err,
                         "--timeless takes all times from the machine file, and %s has no "
                         "<message>",
                         settings->machine ? settings->machine->path : "there is none");
    return 0;
}

int scenario_init(struct scenario *scenario, const struct definitions *definitions,
                  const struct scenario_settings *settings, struct error *err)
{
    *scenario = (struct scenario){
        .settings = settings,
        .regions = region_patterns_new(definitions),
        .slice_ns = scenario_slice_ns(settings),
        .library = mpi_library_of(definitions),
    };
    set_buffered_bytes(scenario, definitions);
    if (check_timeless(settings, err) != 0 || place(scenario, definitions, err) != 0 ||
        relocation_init(scenario, err) != 0 || region_scales_init(scenario, err) != 0 ||
        read_computes(scenario, err) != 0 || check_node_speeds(scenario, err) != 0 ||
        region_patterns_add_all(scenario->regions, "--drop-sync", settings->drops,
                                settings->n_drops, &scenario->drops, err) != 0 ||
        message_cuts_init(scenario, definitions, err) != 0 ||
        region_works_init(scenario, definitions, err) != 0 ||
        moves_init(scenario, definitions, err) != 0 ||
        region_patterns_add_all(scenario->regions, "--overlap", settings->overlaps,
                                settings->n_overlaps, &scenario->overlaps, err) != 0 ||
        region_patterns_add_all(scenario->regions, "--overlap-progress", settings->progresses,
                                settings->n_progresses, &scenario->progresses, err) != 0 ||
        slowdown_use_init(scenario, err) != 0)
        return -1;
    scenario->overlaps |= scenario->progresses;
    core_groups_init(scenario, definitions);
    slowdown_use_place(scenario, definitions);
    return scopes_init(&scenario->scopes, settings->machine, &scenario->placement,
                       scenario->group_of_rank, scenario->groups, err);
}

// --- preparing a run

/// Operations are done step by step where algorithms say how, and where each step needs a core that
/// it may have to wait for.
static void carry_out_collectives(struct prediction *prediction,
                                  const struct definitions *definitions,
                                  const struct machine *machine)
{
    const struct scenario *scenario = prediction->scenario;
    prediction->has_slices = scenario->is_shared && scenario->slice_ns > 0;
    if (prediction->has_slices || (machine && machine_has_algorithms(machine)))
        prediction->collectives = collective_runs_new(
            definitions, scenario, prediction->site_of_rank,
            prediction->is_delayed ? &prediction->delay : NULL, prediction->contention != NULL,
            prediction->has_slices ? prediction->scheduler : NULL);
    prediction->attention = attention_new(prediction);
}

uint64_t prediction_hand_over_ns(const struct scenario *scenario, const struct recorded *recorded)
{
    const struct scenario_settings *settings = scenario->settings;
    if (settings->hand_over_ns != PAG_NOT_KNOWN || settings->machine)
        return core_groups_hand_over(settings);
    return scenario->slice_ns > 0 || settings->spins ? 0 : recorded_facts(recorded)->hand_over_ns;
}

void prediction_init(struct prediction *prediction, const struct definitions *definitions,
                     const struct scenario *scenario, const struct recorded *recorded)
{
    const struct scenario_settings *settings = scenario->settings;
    const struct machine *machine = settings->machine;
    if (machine && !machine_has_messages(machine))
        machine = NULL;
    *prediction = (struct prediction){
        .definitions = definitions,
        .scenario = scenario,
        .recorded = recorded,
        .costs = machine ? &machine_costs : &recorded_costs,
        .scheduler = core_groups_share(scenario, definitions, recorded_facts(recorded)->threads,
                                       machine == NULL),
        .hand_over_ns = prediction_hand_over_ns(scenario, recorded),
        .counts_wall_time = !scenario->knows_cores || settings->is_timeless,
        .knows_paths = region_patterns_count(scenario->regions) > 0,
        .is_delayed = settings->added_latency_ns > 0 || settings->added_byte_fs > 0,
        .notes = recorded_notes(recorded),
        .attendance = recorded_attendance(recorded, scenario->overlaps != 0),
    };
    if (scenario->placement.n_phases > 1) {
        prediction->site_of_rank =
            memory_new(definitions->n_ranks * sizeof *prediction->site_of_rank);
        for (uint32_t rank = 0; rank < definitions->n_ranks; rank++)
            prediction->site_of_rank[rank] = rank;
    }
    if (prediction->is_delayed)
        added_latency_init(&prediction->delay, definitions, &scenario->placement,
                           settings->added_latency_ns, settings->added_byte_fs);
    if (machine)
        prediction->contention =
            contention_new(&scenario->scopes, (const char *const *)scenario->placement.node_names);
    carry_out_collectives(prediction, definitions, machine);
    if (prediction->notes && !machine)
        prediction->progress = memory_zeroed(definitions->n_ranks, sizeof *prediction->progress);
    if (settings->is_timeless) {
        prediction->timeless = timeless_new(definitions, scenario);
        prediction->costs = &timeless_costs;
    }
    if (scenario->works.n > 0 && scenario->visits) {
        prediction->n_begun = memory_zeroed(scenario->works.n * definitions->n_locations,
                                            sizeof *prediction->n_begun);
        prediction->visit_scales = visits_scales(scenario, definitions->n_locations);
    }
}

int prediction_check(const struct prediction *prediction, struct error *err)
{
    if (rank_notes_check(prediction->notes, err) != 0)
        return -1;
    return rank_notes_check(prediction->attendance, err);
}

void prediction_release(struct prediction *prediction)
{
    FREE_ALL(prediction->n_begun, prediction->visit_scales);
    rank_notes_reader_free(prediction->notes);
    rank_notes_reader_free(prediction->attendance);
    free(prediction->progress);
    scheduler_free(prediction->scheduler);
    free(prediction->site_of_rank);
    contention_free(prediction->contention);
    collective_runs_free(prediction->collectives);
    attention_free(prediction->attention);
    added_latency_release(&prediction->delay);
    timeless_free(prediction->timeless);
    *prediction = (struct prediction){0};
}

// --- the run

enum { TURNS_PER_REPORT = 4096 }; // between two calls of listener.reached

/// What is only there while ENGINE runs.
static void begin_run(struct engine *engine, struct prediction *prediction)
{
    const struct scenario *scenario = prediction->scenario;
    prediction->entering = NONE;
    prediction->locations = memory_zeroed(engine->n_locations, sizeof *prediction->locations);
    for (size_t i = 0; i < engine->n_locations; i++)
        prediction->locations[i].awaits = NONE;
    prediction->awaited = memory_new(engine->n_ranks * sizeof *prediction->awaited);
    for (size_t i = 0; i < engine->n_ranks; i++)
        prediction->awaited[i] = NONE;
    if (scenario->settings->draw)
        prediction->n_drawn = memory_zeroed(engine->n_ranks, sizeof *prediction->n_drawn);
    engine->result->simulated = memory_zeroed(
        1, sizeof(struct simulated) + engine->n_ranks * sizeof(struct simulated_rank));
    prediction->left_out = left_out_new();
    prediction->migration = migration_new(scenario, engine->n_locations);
    prediction->overlap = overlap_new(scenario, engine->n_locations);
    prediction->aggregation = aggregation_new(scenario, engine->n_ranks);
    engine->driver = prediction;
    prediction->teams = teams_new(engine);
    engine->any_member_delays = prediction->collectives != NULL;
    engine->eager.node_of_rank = scenario->placement.node_of_rank;
    engine->starts_pass = recorded_facts(prediction->recorded)->starts_pass;
    engine->completes_pass = recorded_facts(prediction->recorded)->completes_pass;
}

static void end_run(struct prediction *prediction)
{
    FREE_ALL(prediction->locations, prediction->awaited, prediction->n_drawn, prediction->messages,
             prediction->postings, prediction->operations, prediction->conditions,
             prediction->transfers, prediction->arrived);
    left_out_free(prediction->left_out);
    migration_free(prediction->migration);
    overlap_free(prediction->overlap);
    teams_free(prediction->teams);
    aggregation_free(prediction->aggregation);
}

/// When LOCATION, which begins at NOW_NS, did so in the recording, where its times count.
static uint64_t first_recorded_ns(const struct engine *engine,
                                  const struct location_state *location, uint64_t now_ns)
{
    return prediction_of(engine)->timeless ? now_ns : event_ahead(engine, location, 0)->time_ns;
}

/// LOCATION's call has what it waited for, or has done the work after that.
static void go_on_leaving(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    if (attention_step(engine, location, now_ns))
        return;
    bool works = scheduler_works_on(prediction_of(engine)->scheduler, location->index, now_ns);
    attention_give(engine, location, now_ns);
    if (!works)
        in_call_leave(engine, location, now_ns);
}

static void advance(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    switch (simulated_location(engine, location)->phase) {
    case SIMULATION_BEFORE:
        step_begin(engine, location, now_ns);
        if (prediction_of(engine)->migration)
            migration_began(engine, location, now_ns);
        outside_begin(engine, location, now_ns, first_recorded_ns(engine, location, now_ns));
        break;
    case SIMULATION_MOVING:
        relocation_end(engine, location, now_ns);
        break;
    case SIMULATION_IN_TEAM:
        teams_go_on(engine, location, now_ns);
        break;
    case SIMULATION_OUTSIDE:
        outside_is_over(engine, location, now_ns);
        break;
    case SIMULATION_ENTERED:
        in_call_await(engine, location, now_ns);
        break;
    case SIMULATION_BLOCKED:
        blocked_step(engine, location, now_ns);
        break;
    default: // SIMULATION_LEAVING; no other location could be done
        go_on_leaving(engine, location, now_ns);
        break;
    }
}

static void begin(struct engine *engine)
{
    const struct prediction *prediction = prediction_of(engine);
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        bool is_empty = !trace_peek(engine->trace, i, location->cursor, 0);
        uint64_t first_ns = prediction->timeless ? 0 : location->next_ns;
        // From now on the time of a location's next event is asked for only to find out whether
        // it has ended, or can still come before a time that has passed.
        location->next_ns = UINT64_MAX;
        if (is_empty)
            outside_end_location(engine, location, 0);
        else if (teams_begins_alone(engine, location))
            scheduler_wait(prediction->scheduler, location->index, 0, first_ns, 0);
    }
}

/// Of many locations the one that goes on is in no near cache: asks for all of it at once.
static inline void fetch(const struct engine *engine, uint32_t index)
{
    enum { MANY_LOCATIONS = 16 };
    const struct location_state *location = &engine->locations[index];
    if (engine->n_locations < MANY_LOCATIONS)
        return;
    memory_fetch(&prediction_of(engine)->locations[index], sizeof(struct location_simulation));
    memory_fetch(location, sizeof *location);
    __builtin_prefetch(location->cursor);
}

/// Messages that are ready before the next location goes on, at NEXT_NS, arrive; false: there are
/// none.
static bool transfer(struct engine *engine, uint64_t next_ns)
{
    size_t n = transfers_show(engine, next_ns);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *ranks;
        uint32_t n_ranks = transfers_waiting(engine, i, &ranks);
        blocked_try_ranks(engine, ranks, n_ranks);
    }
    return n > 0;
}

static void go_through(struct engine *engine)
{
    struct prediction *prediction = prediction_of(engine);
    uint32_t index;
    uint64_t time_ns;
    begin(engine);
    for (uint32_t n_turns = 1;; n_turns++) {
        bool is_any = scheduler_next(prediction->scheduler, &index, &time_ns);
        if (prediction->contention && transfer(engine, is_any ? time_ns : UINT64_MAX))
            continue;
        if (!is_any) {
            if (teams_let_go(engine) || blocked_let_go(engine))
                continue;
            break;
        }
        prediction->now_ns = time_ns;
        fetch(engine, index);
        advance(engine, &engine->locations[index], prediction->now_ns);
        if (n_turns % TURNS_PER_REPORT == 0 && engine->listener.reached.tell)
            TELL(engine, reached, prediction->now_ns);
    }
    if (prediction->migration)
        migration_conclude(engine);
}

int prediction_run(struct prediction *prediction, struct trace *trace,
                   const struct pag_options *options, const struct pag_listener *listener,
                   struct pag_result *result, struct error *err)
{
    struct engine engine;
    engine_init(&engine, trace, options, listener, &simulation_hooks, result);
    begin_run(&engine, prediction);
    go_through(&engine);
    int status = engine_conclude(&engine, err);
    end_run(prediction);
    for (size_t i = 0; i < result->n_locations; i++)
        outcome_sum_inclusive(&result->locations[i]);
    if (status == 0 && result->n_events < recorded_facts(prediction->recorded)->n_events)
        status = error_set(err, "its events cannot be read as far as before");
    // Of a run twice as long as any recorded one sums may not fit.
    if (status == 0 && result->time_ns / 2 > clock_max_run_ns(result->n_locations))
        status =
            error_set(err, "the predicted run takes %.3g s, longer than any run that can be judged",
                      (double)result->time_ns * 1e-9);
    return status;
}

int prediction_run_again(struct prediction *prediction, struct trace *first,
                         const struct pag_options *options, const struct pag_listener *listener,
                         struct pag_result *result, struct error *err)
{
    struct trace *trace = trace_again(first, err);
    if (!trace)
        return -1;
    int status = prediction_run(prediction, trace, options, listener, result, err);
    trace_give_back(first, trace);
    return status == 0 ? prediction_check(prediction, err) : -1;
}

/// Nothing else is changed, so computations and visits are those that a prediction has.
struct visits *visits_gather(struct trace *trace, const struct scenario *asked,
                             const struct recorded *recorded, struct error *err)
{
    const struct definitions *definitions = trace_definitions(trace);
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    SCOPED_BY(scenario_release) struct scenario scenario = {0};
    SCOPED_BY(prediction_release) struct prediction prediction = {0};
    SCOPED_BY(pag_result_release) struct pag_result result = {0};
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    struct visits *visits = visits_new(asked->settings->n_works, definitions->n_locations);
    settings.works = asked->settings->works;
    settings.n_works = asked->settings->n_works;
    settings.is_timeless = asked->settings->is_timeless;
    settings.is_untraced = asked->settings->is_untraced;
    settings.machine = settings.is_timeless ? asked->settings->machine : NULL;
    options.explains = false;
    options.only_times = true;
    int status = scenario_init(&scenario, definitions, &settings, err);
    if (status == 0) {
        prediction_init(&prediction, definitions, &scenario, recorded);
        prediction.counted = visits;
        prediction.counts_wall_time = !asked->knows_cores || settings.is_timeless;
        status = prediction_run_again(&prediction, trace, &options, NULL, &result, err);
        visits_conclude(visits, asked, definitions);
    }
    if (status == 0)
        return visits;
    visits_free(visits);
    return NULL;
}

int work_samples_gather(struct trace *trace, const struct recorded *recorded,
                        struct work_samples *samples, struct pag_result *result, struct error *err)
{
    const struct definitions *definitions = trace_definitions(trace);
    const struct scenario_settings settings = SCENARIO_UNCHANGED;
    SCOPED_BY(scenario_release) struct scenario scenario = {0};
    SCOPED_BY(prediction_release) struct prediction prediction = {0};
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    work_samples_init(samples, definitions->n_locations);
    options.explains = false;
    options.only_times = true;
    if (scenario_init(&scenario, definitions, &settings, err) != 0)
        return -1;
    prediction_init(&prediction, definitions, &scenario, recorded);
    prediction.samples = samples;
    prediction.knows_paths = true;
    return prediction_run_again(&prediction, trace, &options, NULL, result, err);
}
