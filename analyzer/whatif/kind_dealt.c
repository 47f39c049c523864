// SPDX-License-Identifier: BSD-3-Clause
// Work dealt while the program runs: a task farm with other workers or another dealing, load
// balancing. No recorded order fits such a run: it is estimated by a model over what the predicted
// run shows (simulation/dealt/), its run time only.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/dealt/farm.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/whatif/kinds.h"

// --- options

/// Whether TEXT begins with NAME=, as a setting does and no other policy.
static bool is_setting(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    return n > 0 && text[n] == '=';
}

/// How many bytes of TEXT are the policy: up to a colon and a setting, or the first comma.
static size_t policy_bytes(const char *text)
{
    size_t n = 0;
    while (text[n] && text[n] != ',' && !(text[n] == ':' && is_setting(text + n + 1)))
        n++;
    return n;
}

/// A list of policies has its commas where no setting follows.
static size_t rebalance_bytes(const char *text)
{
    size_t n = policy_bytes(text);
    bool has_settings = text[n] == ':';
    while (text[n] && (text[n] != ',' || (has_settings && is_setting(text + n + 1))))
        n++;
    return n;
}

/// One NAME=VALUE, in place of what the policy's file says: --rebalance
/// magda:poll=1ms,transfer=2ms. 0, or -1 and ERR.
static int read_setting(const char *text, struct whatif_rebalance *rebalance, struct error *err)
{
    static const char *const names[] = {"threshold", "poll", "transfer", "free-hosts"};
    enum { N_SETTINGS = sizeof names / sizeof names[0] };
    const struct {
        uint64_t *value;
        element_read_value *read;
    } settings[N_SETTINGS] = {{&rebalance->threshold, policy_read_percent},
                              {&rebalance->poll_ns, policy_read_poll},
                              {&rebalance->transfer_ns, cost_time_read},
                              {&rebalance->n_free_hosts, policy_read_free_hosts}};
    SCOPED char *name = memory_format("%.*s", (int)strcspn(text, "="), text);
    size_t i = FIND_TEXT(names, N_SETTINGS, name);
    if (i == N_SETTINGS)
        error_set(err, "no such setting (threshold, poll, transfer, free-hosts)%s",
                  spelling_hint(name, names, N_SETTINGS, "; did you mean %s?", "").text);
    return i < N_SETTINGS ? settings[i].read(strchr(text, '=') + 1, settings[i].value, err) : -1;
}

static int read_rebalance(const struct whatif_option *option, const char *text,
                          struct whatif_case *asked, struct error *err)
{
    (void)option;
    size_t n = policy_bytes(text);
    asked->rebalance.policy = whatif_case_keep(asked, memory_format("%.*s", (int)n, text));
    if (n == 0)
        return error_set(err, "--rebalance %s: a policy is missing", text);
    for (text += n; *text; text += strcspn(text, ",")) {
        text++; // the colon, or a comma
        SCOPED char *setting = memory_format("%.*s", (int)strcspn(text, ","), text);
        if (read_setting(setting, &asked->rebalance, err) != 0)
            return error_wrap(err, "--rebalance %s:%s", asked->rebalance.policy, setting);
    }
    return 0;
}

const struct whatif_option whatif_options_of_dealing[] = {
    {WHATIF_ROW(AXIS, "workers", "N"), .is_estimate = true, WHATIF_COUNT(n_workers, 1000000),
     .help = "run the task farm with N workers; each task goes to the next free worker",
     .excludes = "rebalance", .why = "both decide which rank does which work: give one of them"},
    {WHATIF_ROW(AXIS, "dealing", "POLICY"), .is_estimate = true, WHATIF_TEXT(dealing),
     .help = "hand out the tasks by this policy, a bundled one or a file",
     .default_text = "as recorded", .excludes = "rebalance",
     .why = "both decide which rank does which work: give one of them"},
    {WHATIF_ROW(AXIS, "rebalance", "POLICY[:SETTINGS]"), .is_estimate = true,
     .read = read_rebalance, .value_bytes = rebalance_bytes,
     .help = "balance the load during the run by this policy, a bundled one or a file; such as "
             "magda:poll=1ms,transfer=2ms"},
    {.name = NULL},
};

// --- policies

/// What --rebalance says in place of the file of its policy BALANCING.
static void change_balancing(struct balancing_policy *balancing,
                             const struct whatif_rebalance *given)
{
    for (size_t i = 0; i < balancing->n_rules; i++) {
        struct balancing_rule *rule = &balancing->rules[i];
        if (given->threshold != PAG_NOT_KNOWN)
            rule->lead = given->threshold;
        if (given->transfer_ns != PAG_NOT_KNOWN)
            rule->transfer_ns = given->transfer_ns;
    }
    if (given->transfer_ns != PAG_NOT_KNOWN)
        balancing->transfer_ns = given->transfer_ns;
    if (given->poll_ns != PAG_NOT_KNOWN)
        balancing->poll_ns = given->poll_ns;
    if (given->n_free_hosts != PAG_NOT_KNOWN)
        balancing->n_free_hosts = (uint32_t)given->n_free_hosts;
}

int whatif_read_policy(struct whatif_case *asked, struct error *err)
{
    const char *balances = asked->rebalance.policy, *deals = asked->dealing;
    asked->policy = (struct policy){.dealing = dealing_recorded};
    if (!balances && !deals)
        return 0;
    if (policy_read(&asked->policy, balances ? balances : deals, err) != 0)
        return -1;
    if (balances && asked->policy.deals_tasks)
        return error_set(err,
                         "--rebalance %s: a policy for the tasks of a farm (--dealing), it has no "
                         "rules",
                         balances);
    if (!balances && !asked->policy.deals_tasks)
        return error_set(err, "--dealing %s: a policy of rules for --rebalance, it has no <tasks>",
                         deals);
    if (balances)
        change_balancing(&asked->policy.balancing, &asked->rebalance);
    return 0;
}

// --- estimates

static char *copy(const char *text)
{
    return text ? memory_copy_text(text) : NULL;
}

struct result whatif_estimate_result(const struct result *measured,
                                     const struct whatif_point *point)
{
    return (struct result){
        .trace_path = copy(measured->trace_path),
        .program = copy(measured->program),
        .arguments = copy(measured->arguments),
        .creator = copy(measured->creator),
        .realtime_ns = measured->realtime_ns,
        .time_ns = point->predicted_ns,
        .window_begin_ns = point->window_begin_ns,
        .window_end_ns = point->window_end_ns,
        .headline = copy("estimated: only the run time is known"),
        .conclusion = copy(""),
    };
}

void whatif_note_dealing(struct whatif_report *report, const struct whatif_plan *plan,
                         const struct pag_result *measured)
{
    bool keeps_order = false;
    for (size_t i = 0; i < plan->n_cases; i++) {
        const struct whatif_case *asked = &plan->cases[i];
        keeps_order = keeps_order ||
                      (asked->n_workers == 0 && !asked->dealing && !asked->settings.is_timeless);
    }
    uint32_t master, n_workers = keeps_order ? farm_kept_workers(measured, &master) : 0;
    if (n_workers == 0)
        return;
    whatif_report_note(
        report,
        memory_format("each task stays with the rank that did it in the recording; if rank %" PRIu32
                      " hands tasks to free workers, --workers %" PRIu32 " deals them anew",
                      master, n_workers));
}

/// The run of POINT becomes shorter, or longer, by so much, within its window.
static void shift(struct whatif_point *point, uint64_t before_ns, uint64_t after_ns)
{
    point->predicted_ns = point->predicted_ns - before_ns + after_ns;
    point->window_end_ns = point->window_end_ns - before_ns + after_ns;
    point->work_end_ns = point->work_end_ns - before_ns + after_ns;
}

bool whatif_watch_alike(const struct whatif_case *a, const struct whatif_case *b)
{
    if (!whatif_case_is_estimate(a) || !whatif_case_is_estimate(b))
        return false;
    for (size_t i = 0; i < a->n_values; i++)
        if (!a->values[i].option->is_estimate &&
            strcmp(a->values[i].value, b->values[i].value) != 0)
            return false;
    return true;
}

/// What --workers or --dealing of ASKED makes of the farm RUN.
static void put_farm(const struct farm_run *run, const struct whatif_case *asked,
                     struct whatif_point *point)
{
    const struct policy *policy = &asked->policy;
    uint32_t n_workers = asked->n_workers > 0 ? asked->n_workers : run->farm.n_workers;
    uint64_t phases_ns = farm_run_phases_ns(run, n_workers, &policy->dealing);
    point->farm = (struct whatif_farm){
        .policy = copy(policy->name),
        .summary = copy(policy->summary),
        .n_workers = n_workers,
        .n_recorded = run->farm.n_workers,
        .master = run->master,
        .n_tasks = run->farm.n_tasks,
        .n_phases = run->farm.n_phases,
        .n_cores = run->n_cores,
        .replayed_ns = run->phases_ns,
        .recorded_ns = run->recorded_ns,
        .modelled_ns = run->modelled_ns,
        .predicted_ns = phases_ns,
    };
    shift(point, run->phases_ns, phases_ns);
}

static int estimate_farms(const struct whatif_case *cases, size_t n,
                          const struct replay_run *measured, struct whatif_point *points,
                          struct error *err)
{
    SCOPED_BY(farm_run_release) struct farm_run run = {0};
    int status = farm_run_find(&run, measured->trace, &cases[0].scenario, measured->recorded,
                               &measured->replay, err);
    for (size_t i = 0; status == 0 && i < n; i++)
        put_farm(&run, &cases[i], &points[i]);
    if (status == 0)
        return 0;
    return cases[0].n_workers > 0 ? error_wrap(err, "--workers %u", cases[0].n_workers)
                                  : error_wrap(err, "--dealing %s", cases[0].dealing);
}

/// What each rank computes between meetings of all in the run of ASKED; 0, or -1 and ERR.
static int find_spans(struct work_spans *spans, const struct whatif_case *asked,
                      const struct replay_run *measured, struct error *err)
{
    const struct pag_listener listener = work_spans_listener(spans);
    uint64_t ignored_ns;
    if (observe_run(measured->trace, &asked->scenario, measured->recorded, &listener, &ignored_ns,
                    err) != 0)
        return -1;
    if (asked->scenario.is_shared)
        return error_set(err, "--rebalance: ranks share cores, so computing time does not measure "
                              "work; --cores can give each rank a core of its own");
    if (spans->n_not_kept > 0)
        return error_set(err,
                         "--rebalance: all ranks meet too often to keep the work of %u ranks "
                         "between their meetings",
                         spans->n_ranks);
    return 0;
}

static void put_rebalancing(const struct work_spans *spans, const struct whatif_case *asked,
                            const struct recorded *recorded, struct whatif_point *point)
{
    const struct policy *policy = &asked->policy;
    struct balancing_policy balancing = policy->balancing;
    if (balancing.transfer_ns == PAG_NOT_KNOWN)
        balancing.transfer_ns = recorded_flight_ns(recorded, false, 0);
    struct balancing_result result = balancing_run(spans, &balancing);
    point->rebalancing = (struct whatif_rebalancing){
        .policy = copy(policy->name),
        .summary = copy(policy->summary),
        .n_spans = spans->n_spans,
        .before_ns = result.before_ns,
        .after_ns = result.after_ns,
        .n_migrations = result.n_migrations,
        .moved_ns = result.moved_ns,
        .transfer_ns = balancing.transfer_ns,
    };
    shift(point, result.before_ns, result.after_ns);
}

static int estimate_rebalancing(const struct whatif_case *cases, size_t n,
                                const struct replay_run *measured, struct whatif_point *points,
                                struct error *err)
{
    SCOPED_BY(work_spans_release) struct work_spans spans;
    work_spans_init(&spans, (uint32_t)measured->replay.n_ranks);
    int status = find_spans(&spans, &cases[0], measured, err);
    for (size_t i = 0; status == 0 && i < n; i++)
        put_rebalancing(&spans, &cases[i], measured->recorded, &points[i]);
    return status;
}

int whatif_estimate(const struct whatif_case *cases, size_t n, const struct replay_run *measured,
                    struct whatif_point *points, struct error *err)
{
    if (!whatif_case_is_estimate(&cases[0]))
        return 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t rank = 0; rank < points[i].n_ranks; rank++)
            free(points[i].ranks[rank].node);
        points[i].n_ranks = 0; // what each of them does then is not known
    }
    return cases[0].rebalance.policy ? estimate_rebalancing(cases, n, measured, points, err)
                                     : estimate_farms(cases, n, measured, points, err);
}
