// SPDX-License-Identifier: BSD-3-Clause
// Random scenarios.
#include "tests/reference/scenarios.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/change_choice.h"
#include "tests/reference/changed_program.h"

enum { ONE = 1000000, MAX_NODES = 4, MAX_CORES = 3 };

/// Processor time used so far by a rank that is given less than the wall time now and then.
struct cpu_clock {
    uint64_t wall_ns, cpu_ns;
    bool was_sampled;
};

/// Writes the communicator of the collective that LINE posts as request ID; REST follows LINE.
static void put_comm(FILE *stream, const char *line, const char *id, const char *rest)
{
    int rank_length = (int)strcspn(line, " ");
    while (*rest) {
        char comm[16], request[16];
        if (strncmp(line, rest, (size_t)rank_length + 1) == 0 &&
            sscanf(rest, "%*u %*u coll-complete %*s %15s %*s %*u %*u %15s", comm, request) == 2 &&
            strcmp(request, id) == 0) {
            fprintf(stream, " %s", comm);
            return;
        }
        rest += strcspn(rest, "\n");
        rest += *rest == '\n';
    }
}

/// Writes LINE, one of LOCATION's, with samples around calls of MPI, and at the end of some of
/// them.
static void put_line(FILE *stream, struct random *random, struct cpu_clock *clock, uint32_t rank,
                     uint64_t time, const char *line, const char *rest, bool has_samples)
{
    const char *record = strchr(strchr(line, ' ') + 1, ' ') + 1;
    bool is_enter = strncmp(record, "enter MPI_", 10) == 0;
    bool is_leave = strncmp(record, "leave MPI_", 10) == 0;
    uint64_t elapsed_ns = time - clock->wall_ns;
    clock->cpu_ns +=
        random_chance(random, 50) ? elapsed_ns : random_below(random, (uint32_t)elapsed_ns + 1);
    clock->wall_ns = time;
    bool is_sampled_inside = is_leave && time % 3 == 0;
    if (has_samples && (is_sampled_inside || (is_enter && random_chance(random, 80))))
        fprintf(stream, "%" PRIu32 " %" PRIu64 " cpu %" PRIu64 "\n", rank, time, clock->cpu_ns);
    fputs(line, stream);
    if (strncmp(record, "coll-request ", 13) == 0)
        put_comm(stream, line, record + 13, rest);
    fputc('\n', stream);
    if (has_samples && is_leave && random_chance(random, 80))
        fprintf(stream, "%" PRIu32 " %" PRIu64 " cpu %" PRIu64 "\n", rank, time, clock->cpu_ns);
}

char *scenario_shared_trace_text(uint64_t seed, const struct sim_program_limits *limits)
{
    struct random random = {seed * 0x9e3779b97f4a7c15u + 11};
    char *plain = scenario_trace_text(seed, limits), *text = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    char *nodes = strstr(plain, "\nnodes "), *rest = strchr(nodes + 1, '\n');
    fprintf(stream, "%.*s", (int)(rest - plain), plain);
    for (char node = '0'; node < '0' + MAX_NODES; node++) {
        char name[] = {' ', 'n', node, '\0'};
        const char *found = strstr(nodes, name);
        if (found && found < rest && random_chance(&random, 70))
            fprintf(stream, "\ncores%s %" PRIu32, name, 1 + random_below(&random, MAX_CORES));
    }
    fputs(rest, stream);
    fclose(stream);
    free(plain);
    return text;
}

char *scenario_trace_text(uint64_t seed, const struct sim_program_limits *limits)
{
    struct random random = {seed * 0x9e3779b97f4a7c15u + 7};
    char *plain = sim_program_trace_text(seed, limits), *text = NULL;
    bool has_samples = random_chance(&random, 50) && !strstr(plain, "\nclock ");
    struct cpu_clock clocks[PROGRAM_MAX_RANKS] = {{0}};
    uint32_t n_ranks = 0, n_nodes = 1 + random_below(&random, MAX_NODES);
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    char *body = NULL, *rest = plain, *line;
    FILE *lines = open_memstream(&body, &size_bytes);
    while ((line = strtok_r(rest, "\n", &rest))) {
        uint32_t rank;
        uint64_t time;
        if (sscanf(line, "%" SCNu32 " %" SCNu64 " ", &rank, &time) != 2) {
            fprintf(*line == '#' ? stream : lines, "%s\n", line);
            continue;
        }
        n_ranks = rank >= n_ranks ? rank + 1 : n_ranks;
        put_line(lines, &random, &clocks[rank], rank, time, line, rest, has_samples);
    }
    fclose(lines);
    fputs("nodes", stream);
    for (uint32_t r = 0; r < n_ranks; r++)
        fprintf(stream, " n%" PRIu32, random_below(&random, n_nodes));
    fprintf(stream, "\n%s", body);
    fclose(stream);
    FREE_ALL(body, plain);
    return text;
}

void scenario_unchanged(struct predicted_scenario *scenario, const char *text)
{
    *scenario = (struct predicted_scenario){.speed = ONE,
                                            .is_mpich = strstr(text, "\nmpi mpich\n") != NULL};
    const char *nodes = strstr(text, "\nnodes ") + strlen("\nnodes");
    for (uint32_t r = 0; *nodes == ' '; r++, nodes += strlen(" n0"))
        scenario->node[r] = scenario->recorded_node[r] = (uint32_t)(nodes[2] - '0');
}

/// All ranks begin at once, so that no message is sent to one that is not there yet.
static bool may_begin_elsewhere(const char *text, uint32_t n_ranks)
{
    uint32_t n_at_once = 0;
    for (const char *at = text; (at = strstr(at, " 0 enter main\n")); at++)
        n_at_once++;
    return n_at_once == n_ranks;
}

void scenario_change(struct predicted_scenario *scenario, struct random *random, const char *text,
                     uint32_t n_ranks)
{
    static const uint64_t speeds[] = {ONE, ONE, 2 * ONE, ONE / 2, 1300000, 777777};
    static const uint64_t factors[] = {0, ONE / 2, 2 * ONE, 333333, ONE};
    static const char *const regions[] = {"solve", "exchange", "output", "step", "main"};
    uint32_t n_nodes = 1 + random_below(random, MAX_NODES);
    bool is_moved = random_chance(random, 60);
    for (uint32_t r = 0; r < n_ranks && is_moved; r++)
        scenario->node[r] = random_below(random, n_nodes);
    scenario->n_cores = 1 + random_below(random, MAX_CORES);
    scenario->begins_elsewhere =
        is_moved && may_begin_elsewhere(text, n_ranks) && random_chance(random, 60);
    scenario->state_bytes = scenario->begins_elsewhere ? random_below(random, 5000) : 0;
    scenario->added_latency_ns = random_chance(random, 25) ? random_below(random, 100) : 0;
    scenario->added_byte_fs = random_chance(random, 25) ? random_below(random, 1000) : 0;
    if (scenario->begins_elsewhere) // else what is added depends on the other nodes as well
        scenario->added_latency_ns = scenario->added_byte_fs = 0;
    scenario->is_sticky = random_chance(random, 30);
    scenario->spins = random_chance(random, 30);
    scenario->speed = speeds[random_below(random, sizeof speeds / sizeof speeds[0])];
    if (random_chance(random, 20)) // of a node that has ranks
        scenario->node_speed[scenario->node[random_below(random, n_ranks)]] =
            speeds[random_below(random, sizeof speeds / sizeof speeds[0])];
    for (uint32_t i = random_below(random, 2 * SCENARIO_MAX_REGIONS); i < SCENARIO_MAX_REGIONS;
         i++) {
        struct scenario_region region = {.name = regions[random_below(random, 5)],
                                         .factor = factors[random_below(random, 5)]};
        SCOPED char *enter = memory_format(" enter %s\n", region.name);
        struct scenario_machine *machine = &scenario->machine;
        if (strstr(text, enter) && random_chance(random, 80))
            scenario->regions[scenario->n_regions++] = region;
        else if (strstr(text, enter)) // counts if there will be a machine
            machine->regions[machine->n_regions++] =
                (struct scenario_region){region.name, speeds[random_below(random, 6)], 0};
    }
}

static void choose_messages(struct scenario_messages *messages, struct random *random)
{
    static const uint64_t sizes[] = {0, 100, 1000, 30000, 200000};
    *messages = (struct scenario_messages){.is_given = true,
                                           .has_eager = random_chance(random, 50),
                                           .eager_bytes = sizes[random_below(random, 4)],
                                           .send_overhead_ns = random_below(random, 6),
                                           .receive_overhead_ns = random_below(random, 6)};
    uint64_t time_ns = random_below(random, 40);
    for (uint32_t i = random_below(random, 4); i < 5 && messages->n_points < SCENARIO_MAX_POINTS;
         i += 1 + random_below(random, 2)) {
        messages->bytes[messages->n_points] = sizes[i];
        messages->time_ns[messages->n_points++] = time_ns;
        time_ns += random_below(random, 100);
    }
}

/// Two or three groups of nodes; some nodes are in none, some in several.
static void choose_scope(struct scenario_scope *scope, struct random *random)
{
    *scope = (struct scenario_scope){.is_within = random_chance(random, 50)};
    scope->n_groups = 2 + random_below(random, SCENARIO_MAX_GROUPS - 1);
    for (uint32_t g = 0; g < scope->n_groups; g++)
        scope->groups[g] = 1 + random_below(random, (1 << MAX_NODES) - 1);
    for (uint32_t g = 0; g < scope->n_groups; g++) {
        bool is_group = (scope->groups[g] & (scope->groups[g] - 1)) != 0;
        scope->out_links[g] = is_group && random_chance(random, 25) ? 1 : 0;
        scope->in_links[g] = is_group && random_chance(random, 25) ? 1 : 0;
    }
    choose_messages(&scope->messages, random);
    if (random_chance(random, 30))
        scope->messages.n_buses = 1 + random_below(random, 2);
}

/// Ranks on one core, groups of nodes, links, buses, and what differs between nodes.
static void choose_topology(struct scenario_machine *machine, struct random *random)
{
    static const uint64_t speeds[] = {ONE / 2, 1500000, 2 * ONE, 333333};
    // So slow that messages queue.
    for (uint32_t i = 0; i < SCENARIO_MAX_POINTS && random_chance(random, 90); i++)
        machine->network.time_ns[i] *= 30;
    if (random_chance(random, 30))
        choose_messages(&machine->core, random);
    for (uint32_t i = 0; i < SCENARIO_MAX_SCOPES; i++)
        if (machine->network.is_given && random_chance(random, 30))
            choose_scope(&machine->scopes[machine->n_scopes++], random);
    if (random_chance(random, 40))
        machine->out_links = 1 + random_below(random, 2);
    if (random_chance(random, 40))
        machine->in_links = 1 + random_below(random, 2);
    if (machine->network.is_given && random_chance(random, 30))
        machine->network.n_buses = 1 + random_below(random, 3);
    if (machine->node.is_given && random_chance(random, 30))
        machine->node.n_buses = 1 + random_below(random, 2);
    for (uint32_t node = 0; node < MAX_NODES; node++) {
        struct scenario_node *own = &machine->nodes[node];
        own->n_cores = random_chance(random, 20) ? 1 + random_below(random, MAX_CORES) : 0;
        own->speed = random_chance(random, 20) ? speeds[random_below(random, 4)] : 0;
        own->out_links = random_chance(random, 15) ? 1 + random_below(random, 2) : 0;
        own->in_links = random_chance(random, 15) ? 1 + random_below(random, 2) : 0;
    }
}

void scenario_give_machine(struct predicted_scenario *scenario, struct random *random)
{
    static const char *const operations[] = {"barrier",    "allreduce", "alltoall",
                                             "allgatherv", "bcast",     "scatter",
                                             "reduce",     "gatherv",   "scan"};
    struct scenario_machine *machine = &scenario->machine;
    uint32_t which = random_below(random, 4);
    scenario->has_machine = true;
    if (which != 0)
        choose_messages(&machine->network, random);
    if (which != 1)
        choose_messages(&machine->node, random);
    if (random_chance(random, 60))
        choose_topology(machine, random);
    for (uint32_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
        if (machine->n_formulas < SCENARIO_MAX_FORMULAS && random_chance(random, 60))
            machine->formulas[machine->n_formulas++] =
                (struct scenario_formula){.operation = operations[o],
                                          .base_ns = random_below(random, 30),
                                          .per_member_ns = random_below(random, 4),
                                          .per_byte_ns = random_below(random, 3)};
    }
}

/// One of those that OPERATION has.
static const char *choose_algorithm(const char *operation, struct random *random)
{
    static const char *const all[] = {"flat", "binomial", "recursive-doubling", "ring"};
    bool has_tree = strcmp(operation, "scan") != 0 && strncmp(operation, "alltoall", 8) != 0;
    bool has_others = strcmp(operation, "scatter") != 0 && strncmp(operation, "gather", 6) != 0;
    uint32_t which = random_below(random, has_others ? 4 : 2);
    return which == 1 && !has_tree ? all[0] : all[which];
}

void scenario_give_algorithms(struct predicted_scenario *scenario, struct random *random)
{
    struct scenario_machine *machine = &scenario->machine;
    struct scenario_messages *messages[] = {&machine->core, &machine->node, &machine->network,
                                            &machine->scopes[0].messages,
                                            &machine->scopes[1].messages};
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++)
        messages[i]->n_points = messages[i]->n_points > 0;
    scenario->added_latency_ns = scenario->added_byte_fs = 0;
    for (uint32_t f = 0; f < machine->n_formulas; f++)
        if (random_chance(random, 80)) // between groups it takes no time
            machine->formulas[f] = (struct scenario_formula){
                .operation = machine->formulas[f].operation,
                .algorithm = choose_algorithm(machine->formulas[f].operation, random)};
}

void scenario_lift_limits(struct predicted_scenario *scenario)
{
    struct scenario_machine *machine = &scenario->machine;
    machine->out_links = machine->in_links = 0;
    machine->node.n_buses = machine->network.n_buses = 0;
    for (uint32_t i = 0; i < machine->n_scopes; i++) {
        machine->scopes[i].messages.n_buses = 0;
        for (uint32_t g = 0; g < SCENARIO_MAX_GROUPS; g++)
            machine->scopes[i].out_links[g] = machine->scopes[i].in_links[g] = 0;
    }
    for (uint32_t i = 0; i < PROGRAM_MAX_RANKS; i++)
        machine->nodes[i].out_links = machine->nodes[i].in_links = 0;
}

void scenario_print(const struct predicted_scenario *scenario, uint32_t n_ranks, FILE *stream)
{
    fputs("  nodes", stream);
    for (uint32_t r = 0; r < n_ranks; r++)
        fprintf(stream, " %" PRIu32 ">%" PRIu32, scenario->recorded_node[r], scenario->node[r]);
    fprintf(stream, ", %" PRIu32 " cores%s%s, speed %" PRIu64, scenario->n_cores,
            scenario->is_sticky ? " sticky" : "", scenario->spins ? " spin" : "", scenario->speed);
    if (scenario->begins_elsewhere)
        fprintf(stream, ", from elsewhere with %" PRIu64 " bytes", scenario->state_bytes);
    fprintf(stream, ", slices of %" PRIu64 " ns", scenario->slice_ns);
    if (scenario->holds_senders)
        fprintf(stream, ", buffers of %" PRIu64 " bytes", scenario->buffered_bytes);
    fprintf(stream, ", added %" PRIu64 " ns + %" PRIu64 " fs a byte", scenario->added_latency_ns,
            scenario->added_byte_fs);
    for (uint32_t i = 0; i < scenario->n_regions; i++)
        fprintf(stream, ", %s x %" PRIu64 " on %" PRIx32, scenario->regions[i].name,
                scenario->regions[i].factor, scenario->regions[i].ranks);
    for (uint32_t i = 0; i < scenario->changes.n_slowdowns; i++)
        fprintf(stream, ", %s slower by %" PRIu64 " to %" PRIu64,
                scenario->changes.slowdowns[i].region, scenario->changes.slowdowns[i].alone,
                scenario->changes.slowdowns[i].crowded);
    changes_print(&scenario->changes, n_ranks, stream);
    fputc('\n', stream);
}

// --- Random costs of visits, work counts and times that must not matter.

/// Writes LINE of a trace with what CHANGE makes of it, if it is a record of RANK at TIME.
typedef void change_line(FILE *stream, const char *line, uint32_t rank, uint64_t time,
                         void *context);

static char *change_lines(const char *text, change_line *change, void *context)
{
    char *changed = NULL, *copy = memory_copy_text(text), *rest = copy, *line;
    size_t size_bytes;
    FILE *stream = open_memstream(&changed, &size_bytes);
    while ((line = strtok_r(rest, "\n", &rest))) {
        uint32_t rank;
        uint64_t time;
        if (sscanf(line, "%" SCNu32 " %" SCNu64 " ", &rank, &time) == 2)
            change(stream, line, rank, time, context);
        else
            fprintf(stream, "%s\n", line);
    }
    fclose(stream);
    free(copy);
    return changed;
}

/// What stands after place and time.
static const char *record_of(const char *line)
{
    return strchr(strchr(line, ' ') + 1, ' ') + 1;
}

static void put_count(FILE *stream, const char *line, uint32_t rank, uint64_t time, void *context)
{
    struct random *random = context;
    const char *record = record_of(line);
    (void)rank, (void)time;
    fputs(line, stream);
    if (strncmp(record, "enter ", 6) == 0 && strncmp(record, "enter MPI_", 10) != 0 &&
        random_chance(random, 70)) {
        fprintf(stream, " work %" PRIu32, random_below(random, 300));
        if (random_chance(random, 50))
            fprintf(stream, " %" PRIu32, random_below(random, 50));
    }
    fputc('\n', stream);
}

char *order_text_with_counts(const char *text, struct random *random)
{
    return change_lines(text, put_count, random);
}

/// A time of the recording becomes that times factor, plus offset.
struct clocks {
    uint64_t factor[PROGRAM_MAX_RANKS], offset[PROGRAM_MAX_RANKS];
};

static void put_time(FILE *stream, const char *line, uint32_t rank, uint64_t time, void *context)
{
    const struct clocks *clocks = context;
    fprintf(stream, "%" PRIu32 " %" PRIu64 " %s\n", rank,
            time * clocks->factor[rank] + clocks->offset[rank], record_of(line));
}

char *order_text_with_times(const char *text, struct random *random)
{
    struct clocks clocks;
    bool has_times = random_chance(random, 70);
    for (uint32_t rank = 0; rank < PROGRAM_MAX_RANKS; rank++) {
        clocks.factor[rank] = has_times ? random_below(random, 4) : 0;
        clocks.offset[rank] = has_times ? random_below(random, 5000) : 0;
    }
    return change_lines(text, put_time, &clocks);
}

void scenario_go_by_order(struct predicted_scenario *scenario, struct random *random,
                          const char *text)
{
    static const char *const regions[][2] = {
        {"main", "main"},
        {"main", "/main"},
        {"solve", "solve"},
        {"solve", "main/**/so*"},
        {"exchange", "exchange"},
        {"exchange", "?xch*"},
        {"output", "main/output"},
        {"step", "step/**/step"},
        {"step", "step"},
        {"setup", "s*"},
        {"main", "*"},
        {"main", "main/**"},
    };
    static const uint32_t most_ps[] = {1, 1000, 30000, 900000};
    struct scenario_machine *machine = &scenario->machine;
    scenario->is_timeless = true;
    machine->n_computes = 0;
    for (uint32_t i = 0; i < 2 * SCENARIO_MAX_COMPUTES; i++) {
        const char *const *region =
            regions[random_below(random, sizeof regions / sizeof regions[0])];
        SCOPED char *enter = memory_format(" enter %s", region[0]);
        bool is_new = strstr(text, enter) != NULL;
        for (uint32_t c = 0; c < machine->n_computes; c++)
            is_new = is_new && machine->computes[c].region != region[1];
        if (!is_new || machine->n_computes == SCENARIO_MAX_COMPUTES)
            continue;
        uint32_t most = most_ps[random_below(random, 4)];
        struct scenario_compute compute = {.region = region[1],
                                           .base_ps = random_below(random, most)};
        uint64_t *const others[] = {&compute.per_work_ps, &compute.per_element_ps,
                                    &compute.per_member_ps, &compute.per_rank_ps,
                                    &compute.per_visit_ps};
        for (size_t o = 0; o < sizeof others / sizeof others[0]; o++)
            *others[o] = random_chance(random, 40) ? random_below(random, most / 4 + 1) : 0;
        machine->computes[machine->n_computes++] = compute;
    }
}

// --- A run of order only (--timeless): when each record would come if its rank did nothing but
// visit
// --- regions, each at the cost the machine says. From pagoda-replay(1) and pagoda-machine(5).

enum { PS_PER_NS = 1000 };

/// The visits of one rank so far.
struct visitor {
    uint64_t n_visits[SCENARIO_MAX_COMPUTES];
    uint64_t all_ps;
};

/// What the visit costs that RECORD begins; the first element that names its path counts.
static uint64_t cost_ps(const struct model *model, const struct scenario_machine *machine,
                        uint32_t rank, const struct record *record, uint32_t path,
                        struct visitor *visitor)
{
    for (uint32_t c = 0; c < machine->n_computes; c++) {
        const struct scenario_compute *compute = &machine->computes[c];
        if (!is_region(model, path, compute->region))
            continue;
        uint64_t visit = ++visitor->n_visits[c];
        return compute->base_ps + compute->per_work_ps * record->work_units +
               compute->per_element_ps * record->n_elements +
               compute->per_member_ps * model->trace->n_ranks + compute->per_rank_ps * rank +
               compute->per_visit_ps * visit;
    }
    return 0;
}

uint64_t **order_costs_new(const struct model *model)
{
    const struct reference_trace *trace = model->trace;
    uint64_t **costs_ns = memory_zeroed(trace->n_ranks + 1, sizeof *costs_ns);
    for (uint32_t rank = 0; rank < trace->n_ranks; rank++) {
        const struct reference_location *location = &trace->locations[rank];
        struct visitor visitor = {.all_ps = 0};
        costs_ns[rank] = memory_zeroed(location->n_records + 1, sizeof **costs_ns);
        for (size_t i = 0; i < location->n_records; i++) {
            const struct record *record = &location->records[i];
            costs_ns[rank][i] = visitor.all_ps / PS_PER_NS;
            // Inside of MPI calls nothing else costs.
            if (record->kind == RECORD_ENTER && model->call_of[rank][i] == REFERENCE_NONE)
                visitor.all_ps += cost_ps(model, &model->scenario->machine, rank, record,
                                          model->path_after[rank][i], &visitor);
        }
    }
    return costs_ns;
}

void order_costs_free(uint64_t **costs_ns, uint32_t n_ranks)
{
    for (uint32_t rank = 0; rank < n_ranks && costs_ns; rank++)
        free(costs_ns[rank]);
    free(costs_ns);
}
