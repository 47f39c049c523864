// SPDX-License-Identifier: BSD-3-Clause
// Candidates become trials (store.h).
#include "analyzer/advise/store.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/whatif/store.h"

/// A candidate that is shown, and its place in its group.
struct chosen {
    const struct advice_candidate *candidate;
    size_t place;
};

/// The candidates that are shown; their number. The caller frees *CHOSEN.
static size_t choose(const struct advice *advice, size_t n_shown, struct chosen **chosen)
{
    size_t n = 0, n_of_group[ADVICE_GROUPS] = {0};
    *chosen = memory_zeroed(advice->n_candidates, sizeof **chosen);
    for (size_t i = 0; i < advice->n_candidates; i++) {
        const struct advice_candidate *candidate = &advice->candidates[i];
        if (!advice_pays(advice, candidate) || n_of_group[candidate->group] == n_shown)
            continue;
        (*chosen)[n++] = (struct chosen){candidate, ++n_of_group[candidate->group]};
    }
    return n;
}

static int store_one(const struct advise_setting *setting, const struct advice *advice,
                     const struct chosen *chosen, struct advise_job *job, const char *database,
                     const struct store_names *names, struct error *err)
{
    struct whatif_options options = {0};
    struct whatif_plan plan = {0};
    char *place =
        memory_format("%s %zu", advice_group_names[chosen->candidate->group], chosen->place);
    struct result_named parameter = {(char *)"advice", place};
    struct store_names own = *names;
    own.parameters = &parameter;
    own.n_parameters = 1;
    struct whatif_report report = {
        .baseline_ns = advice->measured_ns,
        .replayed_ns = advice->replayed_ns,
        .predicted = job->result,
    };
    int status = -1;
    if (job->failure)
        error_set(err, "%s", job->failure);
    else if (advise_give_words(setting, &options, chosen->candidate) &&
             whatif_plan_read(&plan, &options, err) == 0)
        status = whatif_store(database, &plan, &report, &setting->measured->result, &own, err);
    whatif_plan_release(&plan);
    whatif_options_release(&options);
    free(place);
    return status;
}

int advise_store(const struct advise_setting *setting, const struct advice *advice,
                 const char *database, const struct store_names *names, struct error *err)
{
    struct chosen *chosen;
    size_t n = choose(advice, setting->n_shown, &chosen);
    struct advise_job *jobs = memory_zeroed(n, sizeof *jobs);
    for (size_t i = 0; i < n; i++)
        jobs[i].candidates[0] = chosen[i].candidate;
    advise_progress_expect(setting->progress, n);
    advise_run_jobs(setting, jobs, n);
    int status = 0;
    if (n == 0)
        status = store_predictions(database, &setting->measured->result, names, NULL, 0, 0, err);
    for (size_t i = 0; i < n; i++) {
        if (status == 0)
            status = store_one(setting, advice, &chosen[i], &jobs[i], database, names, err);
        result_release(&jobs[i].result);
        free(jobs[i].failure);
    }
    free(jobs);
    free(chosen);
    return status;
}
