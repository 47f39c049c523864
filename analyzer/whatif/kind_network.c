// SPDX-License-Identifier: BSD-3-Clause
// What messages and collectives cost: by a machine file, and what is changed of its network.
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/cost/timeless.h"
#include "analyzer/simulation/network/collective_run.h"
#include "analyzer/simulation/network/contention.h"
#include "analyzer/whatif/kinds.h"

// --- options

static int parse_bandwidth(const char *text, uint64_t *bandwidth, struct error *err)
{
    if (option_read_size(text, bandwidth, err) != 0)
        return -1;
    return *bandwidth > 0 ? 0 : error_set(err, "more than 0 bytes a second");
}

static int read_tolerance(const struct whatif_option *option, const char *text,
                          struct whatif_case *asked, struct error *err)
{
    (void)option;
    const double most = 1000;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        SCOPED char *percent = memory_format("%.*s", (int)strcspn(at, ","), at);
        double number = 0;
        int status = option_read_number(percent, &number, err);
        if (status != 0)
            return error_wrap(err, "--tolerance %s", text);
        if (number <= 0 || number > most)
            return error_set(err, "--tolerance %s: percent, more than 0 and at most %g", text,
                             most);
        double *percents =
            whatif_case_grow(asked, asked->tolerances, asked->n_tolerances, sizeof *percents);
        percents[asked->n_tolerances++] = number;
        asked->tolerances = percents;
    }
    return 0;
}

static int read_draws(const struct whatif_option *option, const char *text,
                      struct whatif_case *asked, struct error *err)
{
    (void)option;
    const unsigned least = 20; // one of 20 is slower than 95 % of them
    size_t n_bytes = strcspn(text, ":");
    SCOPED char *number = memory_format("%.*s", (int)n_bytes, text);
    uint64_t n = 0, seed = 1;
    int status = option_read_count(number, &n, err);
    if (status == 0 && text[n_bytes])
        status = option_read_count(text + n_bytes + 1, &seed, err);
    if (status != 0)
        return error_wrap(err, "--draws %s", text);
    if (n < least || n > NOISE_MAX_DRAWS || seed > UINT32_MAX)
        return error_set(err, "--draws %s: from %u to %d draws, and a seed up to %u", text, least,
                         NOISE_MAX_DRAWS, UINT32_MAX);
    asked->n_draws = (uint32_t)n;
    asked->seed = (uint32_t)seed;
    return 0;
}

const struct whatif_option whatif_options_of_network[] = {
    {WHATIF_ROW(VALUE, "machine", "MACHINE"), WHATIF_TEXT(machine_file),
     .help = "cost model of messages, collectives and cores: a file, or a bundled machine"},
    {WHATIF_ROW(AXIS, "latency", "T"), WHATIF_NUMBER(latency_ns, cost_time_read),
     .help = "with --machine: the network's latency", .needs = "machine",
     .does = "changes the network of"},
    {WHATIF_ROW(AXIS, "bandwidth", "B"), WHATIF_NUMBER(bandwidth, parse_bandwidth),
     .help = "with --machine: the network's bandwidth in bytes a second", .needs = "machine",
     .does = "changes the network of"},
    {WHATIF_ROW(AXIS, "eager", "BYTES"), WHATIF_NUMBER(eager_bytes, option_read_size),
     .help = "the largest message whose sender does not wait for its receiver; with --machine: "
             "between nodes"},
    {.name = "timeless",
     .kind = WHATIF_FLAG,
     WHATIF_SET(settings.is_timeless),
     .help = "with --machine: keep only the trace's order of events; all times are the machine's",
     .needs = "machine",
     .does = "takes all times from"},
    {WHATIF_ROW(VALUE, "draws", "N[:SEED]"), .read = read_draws,
     .help = "with --machine: predict N runs with its noise, and say what 95 % of them stay below",
     .needs = "machine", .does = "draws from the noise of"},
    {.name = "network-parts",
     .kind = WHATIF_FLAG,
     WHATIF_SET(wants_parts),
     .help = "with --machine: what of the predicted time is latency, bandwidth, contention",
     .needs = "machine",
     .does = "takes apart the network of"},
    {WHATIF_ROW(AXIS, "add-latency", "T"), WHATIF_NUMBER(settings.added_latency_ns, cost_time_read),
     .help = "add T to each message between nodes"},
    {WHATIF_ROW(VALUE, "tolerance", "PERCENTS"), .read = read_tolerance,
     .help = "search the extra latency and the bandwidth at which the run takes this much longer, "
             "such as 1,5"},
    {.name = NULL},
};

// --- the machine of a case

int whatif_use_machine(struct whatif_case *asked, const struct machine *machine, struct error *err)
{
    if (!asked->machine_file) {
        asked->settings.eager_bytes = asked->eager_bytes;
        return 0;
    }
    if (asked->n_draws > 0 && !machine_has_noise(machine))
        return error_set(err, "--draws: %s has no <quantile>, so that all runs would be the same",
                         machine->path);
    if (asked->wants_parts && !machine_has_messages(machine))
        return error_set(err,
                         "--network-parts: %s has no <message>: messages cost what they did in the "
                         "recording, which has no parts",
                         machine->path);
    machine_view(&asked->machine, machine);
    asked->settings.machine = &asked->machine;
    if (asked->latency_ns == PAG_NOT_KNOWN && asked->bandwidth == 0 &&
        asked->eager_bytes == PAG_NOT_KNOWN)
        return 0;
    return machine_change_network(&asked->machine, asked->latency_ns, (double)asked->bandwidth,
                                  asked->eager_bytes, err);
}

// --- in a report

static bool crosses_network(const struct scenario *scenario, const struct machine *machine)
{
    uint32_t n_ranks = scenario->placement.n_ranks;
    for (uint32_t a = 0; a < n_ranks; a++)
        for (uint32_t b = a + 1; b < n_ranks; b++)
            if (scopes_between(&scenario->scopes, a, b) == &machine->messages[MACHINE_NETWORK])
                return true;
    return false;
}

/// Options about a network that no message can cross, wherever PLAN puts ranks.
static void note_unused_network(struct whatif_report *report, const struct whatif_plan *plan)
{
    const struct whatif_case *first = &plan->cases[0];
    if (!first->machine_file)
        return;
    bool is_changed = first->latency_ns != PAG_NOT_KNOWN || first->bandwidth > 0 ||
                      first->eager_bytes != PAG_NOT_KNOWN;
    for (size_t i = 1; i < plan->n_cases; i++)
        is_changed = is_changed && plan->cases[i].settings.n_nodes == first->settings.n_nodes;
    if (is_changed && !crosses_network(&first->scenario, &first->machine))
        whatif_report_note(report,
                           memory_copy_text("no message crosses the machine's network, so "
                                            "--latency, --bandwidth and --eager change nothing"));
}

/// What is assumed where the network gets slower, or recorded times do not count.
static void note_assumptions(struct whatif_report *report, const struct whatif_plan *plan)
{
    bool is_slower = false, is_timeless = false, is_eager = false;
    for (size_t i = 0; i < plan->n_cases; i++) {
        const struct whatif_case *asked = &plan->cases[i];
        is_slower = is_slower || asked->settings.added_latency_ns > 0 || asked->n_tolerances > 0;
        is_timeless = is_timeless || asked->settings.is_timeless;
        is_eager = is_eager || asked->settings.eager_bytes != PAG_NOT_KNOWN;
    }
    if (is_slower)
        whatif_report_note(
            report,
            memory_copy_text(
                "each collective of p ranks gets the added latency log2(p) times, as in a tree"));
    if (is_eager)
        whatif_report_note(report,
                           memory_copy_text("buffers hold all messages of up to --eager bytes that "
                                            "their receivers have not taken yet"));
    if (is_timeless)
        whatif_report_note(
            report,
            memory_copy_text(
                "in MPI only messages and collectives take time; operations without data wait for "
                "all members, except MPI_Finalize and operations that destroy handles"));
}

/// Collectives of more members than any that was measured rest on the form of the formulas alone.
static void note_members(struct whatif_report *report, const struct whatif_plan *plan,
                         uint32_t n_ranks)
{
    const struct whatif_case *first = &plan->cases[0]; // all have the same machine file
    const struct machine *machine = first->settings.machine;
    if (machine && machine->n_calibrated_members > 0 && machine->n_calibrated_members < n_ranks)
        whatif_report_note(
            report,
            memory_format(
                "collectives of up to %" PRIu32
                " ranks were calibrated for %s; larger ones are extrapolated by its formulas",
                machine->n_calibrated_members, first->machine_file));
}

void whatif_note_network(struct whatif_report *report, const struct whatif_plan *plan,
                         uint32_t n_ranks)
{
    note_unused_network(report, plan);
    note_assumptions(report, plan);
    note_members(report, plan, n_ranks);
}

/// 0, or -1 and ERR when some cost was none.
static int put_timeless(struct whatif_point *point, const struct timeless *timeless,
                        const struct machine *machine, struct error *err)
{
    struct timeless_use use = timeless_use(timeless);
    point->is_timeless = true;
    point->n_visits = use.n_visits;
    point->n_without_rule = use.n_without_rule;
    point->n_without_work = use.n_without_work;
    point->unused_rules = timeless_unused(timeless);
    point->rules = memory_zeroed(machine->n_computes, sizeof *point->rules);
    for (; point->n_rules < machine->n_computes; point->n_rules++) {
        const struct timeless_rule_use *rule = &use.rules[point->n_rules];
        point->rules[point->n_rules] = (struct whatif_rule){
            .region = memory_copy_text(machine->computes[point->n_rules].pattern),
            .n_visits = rule->n_visits,
            .work_units = rule->work_units,
            .time_ns = (uint64_t)(rule->time_ps / 1000),
        };
    }
    return timeless_check(timeless, err);
}

int whatif_put_network(struct whatif_point *point, const struct prediction *prediction,
                       struct error *err)
{
    point->message_times = prediction->use;
    point->transfers = contention_use(prediction->contention);
    point->collectives = collective_runs_use(prediction->collectives);
    const struct machine *machine = prediction->scenario->settings->machine;
    return prediction->timeless ? put_timeless(point, prediction->timeless, machine, err) : 0;
}
