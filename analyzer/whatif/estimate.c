// SPDX-License-Identifier: BSD-3-Clause
// Estimated run times (estimate.h).
#include "analyzer/whatif/estimate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/dealt/balancing.h"
#include "analyzer/simulation/dealt/farm_run.h"
#include "analyzer/simulation/dealt/work_spans.h"
#include "analyzer/whatif/policies.h"

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

uint32_t whatif_kept_workers(const struct pag_result *measured, uint32_t *master)
{
    *master = farm_find_master(measured);
    uint32_t n_workers = *master == UINT32_MAX ? 0 : farm_count_uneven(measured, *master);
    return n_workers < 2 ? 0 : n_workers;
}

void whatif_note_dealing(struct whatif_report *report, const struct whatif_set *sets, size_t n,
                         const struct pag_result *measured)
{
    bool keeps_order = false;
    for (size_t i = 0; i < n; i++)
        keeps_order = keeps_order ||
                      (sets[i].n_workers == 0 && !sets[i].dealing && !sets[i].settings.is_timeless);
    uint32_t master, n_workers = keeps_order ? whatif_kept_workers(measured, &master) : 0;
    if (n_workers == 0)
        return;
    whatif_report_note(report, memory_format("who did which task in the recording does it here, "
                                             "too; if rank %" PRIu32 " hands them to whoever is "
                                             "free, --workers %" PRIu32 " deals them anew",
                                             master, n_workers));
}

/// The run of POINT becomes shorter, or longer, by so much, within its window.
static void shift(struct whatif_point *point, uint64_t before_ns, uint64_t after_ns)
{
    point->predicted_ns = point->predicted_ns - before_ns + after_ns;
    point->window_end_ns = point->window_end_ns - before_ns + after_ns;
    point->work_end_ns = point->work_end_ns - before_ns + after_ns;
}

struct whatif_estimates {
    const struct whatif_set *set; // whose run was watched; NULL: none was
    bool has_farm, has_spans;
    struct farm_run farm;
    struct work_spans spans;
    struct observed observed; // with the spans
};

struct whatif_estimates *whatif_estimates_new(void)
{
    return memory_zeroed(1, sizeof(struct whatif_estimates));
}

static void forget(struct whatif_estimates *estimates)
{
    farm_run_release(&estimates->farm);
    work_spans_release(&estimates->spans);
    observed_release(&estimates->observed);
    *estimates = (struct whatif_estimates){0};
}

void whatif_estimates_free(struct whatif_estimates *estimates)
{
    forget(estimates);
    free(estimates);
}

/// Do A and B, of one plan, watch the same run, and differ in what is made of it only?
static bool watch_alike(const struct whatif_set *a, const struct whatif_set *b)
{
    for (size_t i = 0; i < a->n_chosen; i++) {
        const struct whatif_chosen *x = &a->chosen[i];
        if (!whatif_option_is_of_estimate(x->name) && strcmp(x->value, b->chosen[i].value) != 0)
            return false;
    }
    return true;
}

/// The farm of the run under SCENARIO; 0, or -1 and ERR.
static int find_farm(struct whatif_estimates *estimates, const struct scenario *scenario,
                     const struct replay_run *measured, struct error *err)
{
    if (estimates->has_farm)
        return 0;
    int status = farm_run_find(&estimates->farm, measured->trace, scenario, measured->recorded,
                               &measured->replay, err);
    estimates->has_farm = status == 0;
    return status;
}

static int estimate_workers(struct whatif_estimates *estimates, const struct whatif_set *set,
                            const struct scenario *scenario, const struct replay_run *measured,
                            struct whatif_point *point, struct error *err)
{
    const struct farm_run *run = &estimates->farm;
    struct policy policy;
    int status = whatif_policy_dealing(&policy, set, err);
    if (status == 0)
        status = find_farm(estimates, scenario, measured, err);
    if (status == 0) {
        uint32_t n_workers = set->n_workers > 0 ? set->n_workers : run->farm.n_workers;
        uint64_t phases_ns = farm_run_phases_ns(run, n_workers, &policy.dealing);
        point->farm = (struct whatif_farm){
            .policy = copy(policy.name),
            .summary = copy(policy.summary),
            .n_workers = n_workers,
            .n_recorded = run->farm.n_workers,
            .master = run->master,
            .n_tasks = run->farm.n_tasks,
            .n_phases = run->farm.n_phases,
            .n_cores = run->observed.n_cores,
            .replayed_ns = run->phases_ns,
            .recorded_ns = run->recorded_ns,
            .modelled_ns = run->modelled_ns,
            .predicted_ns = phases_ns,
        };
        shift(point, run->phases_ns, phases_ns);
    } else if (set->n_workers > 0) {
        error_wrap(err, "--workers %u", set->n_workers);
    } else {
        error_wrap(err, "--dealing %s", set->dealing);
    }
    policy_release(&policy);
    return status;
}

/// What each rank computes between meetings of all in the run under SCENARIO; 0, or -1 and ERR.
static int find_spans(struct whatif_estimates *estimates, const struct scenario *scenario,
                      const struct replay_run *measured, struct error *err)
{
    if (estimates->has_spans)
        return 0;
    struct work_spans *spans = &estimates->spans;
    work_spans_init(spans, (uint32_t)measured->replay.n_ranks);
    const struct pag_listener listener = work_spans_listener(spans);
    if (observe_run(measured->trace, scenario, measured->recorded, &listener, &estimates->observed,
                    err) != 0)
        return -1;
    if (estimates->observed.shares_cores)
        return error_set(err, "--rebalance: ranks share cores, where what each computes is no "
                              "measure of its work; --cores gives each its own");
    if (spans->n_not_kept > 0)
        return error_set(err,
                         "--rebalance: all ranks meet too often for %u ranks' work to be "
                         "kept",
                         spans->n_ranks);
    estimates->has_spans = true;
    return 0;
}

static int estimate_rebalancing(struct whatif_estimates *estimates, const struct whatif_set *set,
                                const struct scenario *scenario, const struct replay_run *measured,
                                struct whatif_point *point, struct error *err)
{
    const struct work_spans *spans = &estimates->spans;
    struct policy policy;
    int status = whatif_policy_rebalance(&policy, set, err);
    if (status == 0)
        status = find_spans(estimates, scenario, measured, err);
    if (status == 0) {
        struct balancing_policy *balancing = &policy.balancing;
        if (balancing->transfer_ns == PAG_NOT_KNOWN)
            balancing->transfer_ns = recorded_flight_ns(measured->recorded, false, 0);
        struct balancing_result result = balancing_run(spans, balancing);
        point->rebalancing = (struct whatif_rebalancing){
            .policy = copy(policy.name),
            .summary = copy(policy.summary),
            .n_spans = spans->n_spans,
            .before_ns = result.before_ns,
            .after_ns = result.after_ns,
            .n_migrations = result.n_migrations,
            .moved_ns = result.moved_ns,
            .transfer_ns = balancing->transfer_ns,
        };
        shift(point, result.before_ns, result.after_ns);
    }
    policy_release(&policy);
    return status;
}

int whatif_estimate(struct whatif_estimates *estimates, const struct whatif_set *set,
                    const struct scenario_settings *settings, const struct visits *visits,
                    const struct replay_run *measured, struct whatif_point *point,
                    struct error *err)
{
    if (!whatif_set_is_estimate(set))
        return 0;
    if (estimates->set && !watch_alike(estimates->set, set))
        forget(estimates);
    estimates->set = set;
    for (size_t i = 0; i < point->n_ranks; i++)
        free(point->ranks[i].node);
    point->n_ranks = 0; // nobody knows what each of them does then
    struct scenario scenario = {0};
    int status = scenario_init(&scenario, trace_definitions(measured->trace), settings, err);
    scenario.visits = visits;
    if (status == 0)
        status = set->rebalance
                     ? estimate_rebalancing(estimates, set, &scenario, measured, point, err)
                     : estimate_workers(estimates, set, &scenario, measured, point, err);
    scenario_release(&scenario);
    return status;
}
