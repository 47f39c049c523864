// SPDX-License-Identifier: BSD-3-Clause
// Where ranks run, on what cores, and how they share them.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/network/mpi_habits.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/whatif/kinds.h"

// --- options

enum { MAX_CORES = 65536, MAX_NODES = 1 << 20 };
static const uint64_t least_speed = 1000; // millionths

static int read_node_speed(const struct whatif_option *option, const char *text, const char *equals,
                           struct whatif_case *asked, struct error *err)
{
    struct scenario_settings *settings = &asked->settings;
    if (equals == text)
        return error_set(err, "--cpu-speed %s: not of the form NODE=F, such as a=1.5", text);
    struct node_speed *speeds =
        whatif_case_grow(asked, settings->node_speeds, settings->n_node_speeds, sizeof *speeds);
    struct node_speed *speed = &speeds[settings->n_node_speeds];
    settings->node_speeds = speeds;
    speed->node = whatif_case_keep(asked, memory_format("%.*s", (int)(equals - text), text));
    if (HAS_BY(speeds, settings->n_node_speeds, node, speed->node))
        return error_set(err, "--cpu-speed %s: node %s has a speed already", text, speed->node);
    settings->n_node_speeds++;
    return whatif_read_factor(option, text, least_speed, &speed->speed, err);
}

static int read_cpu_speed(const struct whatif_option *option, const char *text,
                          struct whatif_case *asked, struct error *err)
{
    const char *equals = strrchr(text, '=');
    if (equals)
        return read_node_speed(option, text, equals, asked, err);
    if (asked->settings.speed > 0)
        return error_set(err, "--cpu-speed %s: all nodes have a speed already; NODE=%s is for one",
                         text, text);
    return whatif_read_factor(option, text, least_speed, &asked->settings.speed, err);
}

const struct whatif_option whatif_options_of_cores[] = {
    {WHATIF_ROW(REPEATED, "place", "[PHASE:]NODE=RANKS"), WHATIF_TEXTS(settings, places),
     .help = "run these ranks on a node, such as a=0-3,8; with PHASE from its begin on",
     .excludes = "nodes", .why = "both say where ranks run: give one of them"},
    {WHATIF_ROW(AXIS, "state", "BYTES"), WHATIF_NUMBER(settings.state_bytes, option_read_size),
     .help = "with --place PHASE:...: bytes that a rank takes along to another node",
     .default_text = "0", .needs = "place",
     .does = "is what ranks take along that change their node by"},
    {WHATIF_ROW(AXIS, "nodes", "N"), WHATIF_COUNT(settings.n_nodes, MAX_NODES),
     .help = "run on N nodes"},
    {WHATIF_ROW(AXIS, "map", "block|cyclic|auto"),
     WHATIF_WORD(settings.is_cyclic), // auto is block until placement_search.c has found one
     .help = "with --nodes: how ranks are mapped to nodes; auto searches for the best placement",
     .default_text = "block", .needs = "nodes", .does = "says how ranks are dealt to"},
    {WHATIF_ROW(AXIS, "cores", "C"), WHATIF_COUNT(settings.n_cores, MAX_CORES),
     .help = "run on nodes with C cores",
     .default_text = "1 with --place and --nodes, else as recorded"},
    {WHATIF_ROW(AXIS, "sharing", "fluid|sticky"), WHATIF_WORD(settings.is_sticky),
     .help = "fluid: the ranks of a node share all its cores; sticky: each stays on one",
     .default_text = "fluid"},
    {WHATIF_ROW(AXIS, "wait", "block|spin"), WHATIF_WORD(settings.spins),
     .help = "a waiting rank blocks, or it spins and keeps its core",
     .default_text = "block; spin if the recorded MPI spins"},
    {WHATIF_ROW(AXIS, "slice", "T"), WHATIF_NUMBER(settings.slice_ns, cost_time_read_slice),
     .help = "with more ranks than cores: how long a rank keeps a core before the next gets it",
     .default_text = "that of --machine, else 0"},
    {WHATIF_ROW(AXIS, "buffered", "BYTES"),
     WHATIF_NUMBER(settings.buffered_bytes, option_read_size),
     .help = "with slices, --overlap: larger messages wait until their receiver runs, in MPI",
     .default_text = "that of --machine, else of the recorded MPI"},
    {WHATIF_ROW(AXIS, "hand-over", "T"), WHATIF_NUMBER(settings.hand_over_ns, cost_time_read),
     .help = "cost of a context switch between two ranks on a core", .excludes = "slice",
     .why = "exclude each other: with time slices context switches cost nothing",
     .default_text = "that of --machine, else 0"},
    {WHATIF_ROW(VALUE, "slowdown", "FILE"), WHATIF_TEXT(slowdown_file),
     .help = "how computing grows when more ranks share a core's caches, learned by pagoda "
             "calibrate --slowdown",
     .excludes = "timeless", .why = "exclude each other: it is about recorded computing"},
    {WHATIF_ROW(REPEATED_AXIS, "cpu-speed", "[NODE=]F"), .read = read_cpu_speed,
     .help = "processors F times as fast; with NODE=F those of one node"},
    {.name = NULL},
};

// --- what ranks that wait do, where no option says so

#define ASSUMED_SLICE "4ms" // Linux with 250 clock ticks a second

static const char waiting_note[] =
    "--wait spin, because no --wait is given and this run's MPI spins while it waits (MPICH, or "
    "Open MPI without its option for more ranks than slots)";
static const char slices_note[] =
    "--slice " ASSUMED_SLICE ", because a master that shares a core hands out tasks only while it "
    "has that core, and no --slice is given";

static bool has_lacked_cores(const struct replay_run *measured, size_t n_ranks)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        if (recorded_is_oversubscribed(measured->recorded, rank))
            return true;
    return false;
}

/// Whether ranks share cores in a prediction of PLAN.
static bool will_lack_cores(const struct whatif_plan *plan)
{
    for (size_t i = 0; i < plan->n_cases; i++)
        if (plan->cases[i].scenario.is_shared)
            return true;
    return false;
}

/// Whether a case of PLAN has more processes in its task farm than cores.
static bool farm_will_lack_cores(const struct whatif_plan *plan)
{
    for (size_t i = 0; i < plan->n_cases; i++) {
        const struct scenario *scenario = &plan->cases[i].scenario;
        if (scenario->knows_cores && plan->cases[i].n_workers > 0 && // and the master
            plan->cases[i].n_workers >= scenario->least_cores * scenario->placement.n_nodes)
            return true;
    }
    return false;
}

/// Whether SETTINGS say how long a rank keeps a shared core, or what changing it costs.
static bool says_slices(const struct scenario_settings *settings)
{
    return settings->slice_ns != PAG_NOT_KNOWN || settings->hand_over_ns != PAG_NOT_KNOWN ||
           settings->machine;
}

void whatif_assume_slices(struct scenario_settings *settings)
{
    if (!says_slices(settings))
        cost_time_read_slice(ASSUMED_SLICE, &settings->slice_ns, NULL);
}

size_t whatif_assume_sharing(struct whatif_plan *plan, const struct replay_run *measured,
                             struct advice_word *words, size_t n_words)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    if (whatif_plan_has(plan, "timeless"))
        return n_words;
    bool shares = has_lacked_cores(measured, definitions->n_ranks) || will_lack_cores(plan);
    bool deals = whatif_plan_has(plan, "workers") || whatif_plan_has(plan, "dealing");
    plan->assumes_spinning =
        shares && !whatif_plan_has(plan, "wait") && mpi_library_spins(definitions);
    plan->assumes_slices =
        !says_slices(&plan->cases[0].settings) &&
        (plan->assumes_spinning || (deals && (shares || farm_will_lack_cores(plan))));
    if (plan->assumes_spinning)
        words[n_words++] = (struct advice_word){(char *)"wait", (char *)"spin"};
    if (plan->assumes_slices)
        words[n_words++] = (struct advice_word){(char *)"slice", (char *)ASSUMED_SLICE};
    return n_words;
}

const char *whatif_sharing_note(const struct whatif_plan *plan)
{
    return plan->assumes_spinning ? waiting_note : plan->assumes_slices ? slices_note : NULL;
}

// --- in a report

/// How threads beyond the first of each rank take part.
struct thread_use {
    uint32_t most_on_node; // threads that share the cores of one node under a scenario, ranks too;
                           // 0: none do
    const char *kept;      // what keeps its recorded times, in words; NULL: nothing
};

static struct thread_use use_of_threads(const struct scenario *scenario,
                                        const struct definitions *definitions,
                                        const struct pag_rank_threads *threads)
{
    struct thread_use use = {0};
    SCOPED uint32_t *at_work = core_groups_threads(definitions, threads);
    SCOPED uint32_t *n_on_node = memory_zeroed(scenario->placement.n_nodes, sizeof *n_on_node);
    bool has_any = false;
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        uint32_t *n = &n_on_node[scenario->placement.node_of_rank[i]];
        *n += at_work[i] > 0 ? at_work[i] : 1;
        use.most_on_node = *n > use.most_on_node ? *n : use.most_on_node;
        has_any = has_any || at_work[i] > 0;
        if (threads[i].threading == PAG_OTHER_THREADING)
            use.kept = "threads that are not known to have been made, or to be over when they were "
                       "awaited, keep their recorded times";
        else if (pag_knows_threads(threads[i].threading) && at_work[i] == 0)
            use.kept = "more threads than cores in the recording: threads beyond the first of a "
                       "rank keep what they computed, and need no core of their node";
    }
    use.most_on_node = has_any ? use.most_on_node : 0;
    return use;
}

static const char *who_shares(const struct scenario *scenario, bool has_threads)
{
    if (scenario->settings->is_sticky)
        return "each rank stays on one (--sharing sticky)";
    if (scenario->is_bound)
        return has_threads ? "shared by the threads bound to them"
                           : "shared by the ranks bound to them";
    return has_threads ? "shared by all threads of the node (--sharing fluid)"
                       : "shared by all ranks of the node (--sharing fluid)";
}

static char *describe_sharing(const struct scenario *scenario, const struct thread_use *threads)
{
    const struct scenario_settings *settings = scenario->settings;
    bool has_threads = threads->most_on_node > 0 && !settings->is_sticky;
    bool is_shared =
        scenario->is_shared || (has_threads && threads->most_on_node > scenario->least_cores);
    if (!scenario->knows_cores && !scenario->is_shared)
        return memory_format("each %s has a core of its own: the trace does not record cores",
                             has_threads ? "thread" : "rank");
    SCOPED char *cores = scenario->least_cores == scenario->most_cores
                             ? memory_format("%" PRIu32 " a node", scenario->most_cores)
                             : memory_format("%" PRIu32 " to %" PRIu32 " a node",
                                             scenario->least_cores, scenario->most_cores);
    SCOPED char *slices = scenario->slice_ns == 0 ? memory_copy_text("")
                                                  : memory_format("; time slices of %g ms",
                                                                  (double)scenario->slice_ns / 1e6);
    if (!is_shared)
        return memory_format("%s, one for each %s", cores, has_threads ? "thread" : "rank");
    SCOPED char *buffers = scenario->slice_ns == 0 || scenario->buffered_bytes == PAG_NOT_KNOWN
                               ? memory_copy_text("")
                               : memory_format("; messages above %s wait until their receiver runs",
                                               quantity_size(scenario->buffered_bytes).text);
    return memory_format("%s, %s; a waiting rank %s%s%s", cores, who_shares(scenario, has_threads),
                         settings->spins ? "spins" : "blocks", slices, buffers);
}

/// Whether ranks share a node under SCENARIO, and others than in the recording.
static bool has_moved_ranks(const struct scenario *scenario, const struct placement *recorded)
{
    const struct placement *placement = &scenario->placement;
    bool shares_node = false, differs = false;
    for (uint32_t a = 0; a < placement->n_ranks; a++) {
        uint32_t first = 0, first_recorded = 0; // the first rank on the node of A
        while (placement->node_of_rank[first] != placement->node_of_rank[a])
            first++;
        while (recorded->node_of_rank[first_recorded] != recorded->node_of_rank[a])
            first_recorded++;
        shares_node = shares_node || first != a;
        differs = differs || first != first_recorded;
    }
    return shares_node && differs;
}

void whatif_describe_cores(struct whatif_report *report, const struct whatif_plan *plan,
                           const struct replay_run *measured)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    const struct scenario *first = &plan->cases[0].scenario, *unchanged = &plan->unchanged;
    struct thread_use threads =
        use_of_threads(first, definitions, recorded_facts(measured->recorded)->threads);
    report->threads = threads.kept;
    report->sharing = plan->is_list && first->is_shared
                          ? memory_format("%s (the first prediction)",
                                          first->settings->is_sticky ? "sticky" : "fluid")
                          : describe_sharing(first, &threads);
    report->was_shared = unchanged->is_shared;
    if (first->settings->n_nodes > 0 && !first->settings->is_cyclic &&
        has_moved_ranks(first, &unchanged->placement))
        whatif_report_note(report,
                           memory_copy_text("each node gets consecutive ranks (--map block); in "
                                            "the recording other ranks shared a node"));
    // The run with nothing changed may need slices, too.
    if ((first->is_shared && first->settings->spins && first->slice_ns == 0) ||
        (unchanged->is_shared && unchanged->settings->spins && unchanged->slice_ns == 0))
        whatif_report_note(
            report, memory_copy_text(
                        "ranks that share a core take turns without time slices; but a spinning "
                        "rank keeps its core for a whole slice, and the ranks that wait for "
                        "the core cannot react to messages: --slice 4ms models many Linux "
                        "systems"));
}

void whatif_note_hand_overs(struct whatif_report *report, const struct scenario *scenario,
                            const struct replay_run *measured)
{
    uint64_t hand_over_ns = prediction_hand_over_ns(scenario, measured->recorded);
    uint32_t most = 0;
    for (size_t i = 0; i < measured->replay.n_ranks; i++)
        most = scenario->saved_hand_overs[i] > most ? scenario->saved_hand_overs[i] : most;
    if (hand_over_ns > 0 && most > 0)
        whatif_report_note(
            report, memory_format("fewer ranks share a core, so a call that waits for its core is "
                                  "%s%s shorter: the time of a context switch%s",
                                  most < SCENARIO_WHOLE ? "up to " : "",
                                  quantity_time(hand_over_ns * most / SCENARIO_WHOLE).text,
                                  scenario->settings->hand_over_ns == PAG_NOT_KNOWN &&
                                          !scenario->settings->machine
                                      ? " in the recording (--hand-over 0 ignores it)"
                                      : ""));
}

void whatif_put_ranks(struct whatif_point *point, const struct scenario *scenario,
                      const struct definitions *definitions, const struct pag_result *replay)
{
    const struct placement *placement = &scenario->placement;
    point->ranks = memory_zeroed(placement->n_ranks, sizeof *point->ranks);
    point->n_ranks = placement->n_ranks;
    point->is_untraced = scenario->settings->is_untraced;
    point->has_phases = placement->n_phases > 1;
    point->n_relocated = replay->simulated->n_relocated;
    point->relocated_ns = replay->simulated->relocated_ns;
    for (uint32_t i = 0; i < placement->n_ranks; i++) {
        const struct simulated_rank *rank = &replay->simulated->ranks[i];
        uint64_t speed = scenario->groups[scenario->group_of_rank[i]].speed;
        uint64_t busy_ns = (uint64_t)((double)rank->work_ns * SCHEDULER_FULL_SPEED / (double)speed);
        point->recording_ns += rank->recording_ns;
        if (busy_ns > rank->outside_ns || speed == SCHEDULER_FULL_SPEED)
            busy_ns = rank->work_ns < rank->outside_ns ? rank->work_ns : rank->outside_ns;
        point->ranks[i] = (struct whatif_rank){
            .node = utf8_clean(placement->node_names[placement->node_of_rank[i]]),
            .node_index = placement->node_of_rank[i],
            .finish_ns = replay->locations[definitions->ranks[i].master].last_ns,
            .busy_ns = busy_ns,
            .shared_ns = rank->outside_ns - busy_ns,
            .wait_ns = rank->wait_ns,
            .overhead_ns = rank->overhead_ns,
        };
    }
}

void whatif_put_nodes(struct result *result, const struct scenario *scenario)
{
    const struct placement *placement = &scenario->placement;
    struct result_node *nodes = memory_zeroed(placement->n_nodes, sizeof *nodes);
    for (uint32_t i = 0; i < placement->n_nodes; i++)
        nodes[i] = (struct result_node){
            .name = utf8_clean(placement->node_names[i]),
            .machine = memory_copy_text(result->n_nodes > 0 ? result->nodes[0].machine : ""),
            .n_cores = scenario->least_cores == scenario->most_cores ? scenario->most_cores : 0,
        };
    for (size_t i = 0; i < result->n_ranks; i++) {
        result->ranks[i].node = placement->node_of_rank[i];
        nodes[placement->node_of_rank[i]].n_ranks++;
    }
    FREE_MEMBERS(result->nodes, result->n_nodes, name, machine);
    free(result->nodes);
    result->nodes = nodes;
    result->n_nodes = placement->n_nodes;
}

void whatif_put_slowdown(struct whatif_point *point, const struct scenario *scenario,
                         const struct pag_result *replay)
{
    const struct slowdown *slowdown = scenario->settings->slowdown;
    if (!slowdown)
        return;
    point->slowdown = (struct whatif_slowdown){
        .file = utf8_clean(slowdown->path),
        .n_regions = (uint32_t)slowdown->n_regions,
        .n_here = (uint32_t)scenario->slowdown.n,
        .goes_beyond = scenario->slowdown.goes_beyond,
    };
    for (size_t i = 0; i < scenario->placement.n_ranks; i++)
        point->slowdown.work_ns += replay->simulated->ranks[i].work_ns;
}
