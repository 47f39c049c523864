// SPDX-License-Identifier: BSD-3-Clause
// The kind of a new prediction is that of the words it would be stored with.
#include "analyzer/cmd/past_predictions.h"

#include <stdlib.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/back_test.h"
#include "db/database.h"

int past_predictions_read(struct past_predictions *past, const char *errors, const char *store,
                          struct error *err)
{
    *past = (struct past_predictions){0};
    const char *path = errors ? errors : store;
    if (!path || (!errors && access(path, F_OK) != 0))
        return 0;
    struct database *database;
    int status = database_open_snapshot(&database, path, err);
    if (status == 0) {
        status = back_test_read(database, NULL, NULL, BACK_TEST_STORED, &past->test, err);
        database_close(database);
    }
    past->is_read = status == 0;
    return errors && status != 0 ? error_wrap(err, "--errors") : 0;
}

void past_predictions_release(struct past_predictions *past)
{
    back_test_release(&past->test);
    past->is_read = false;
}

/// The names of the nodes, a line each; the caller frees.
static char *nodes_of(const struct result *result)
{
    char *nodes = memory_copy_text("");
    for (size_t i = 0; i < result->n_nodes; i++)
        text_append(&nodes, "%s%s", i ? "\n" : "", result->nodes[i].name);
    return nodes;
}

void past_predictions_judge(const struct past_predictions *past, const struct whatif_plan *plan,
                            const struct result *measured, struct whatif_report *report)
{
    if (!past->is_read)
        return;
    char *nodes = nodes_of(measured);
    past_errors_of_change(&past->test, plan->cases[0].words, nodes, &report->errors);
    free(nodes);
}

void past_predictions_judge_advice(const struct past_predictions *past,
                                   const struct advise_setting *setting, struct advice *advice)
{
    char *nodes = nodes_of(&setting->batch.measured->result);
    for (size_t i = 0; i < advice->n_candidates && past->is_read; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        const struct whatif_job job = {.candidates = {candidate}};
        struct whatif_plan plan = {0};
        struct error ignored = {{0}};
        if (!candidate->is_replayed)
            continue;
        if (whatif_job_plan(&setting->batch, &job, &plan, &ignored) == 0)
            past_errors_of_change(&past->test, plan.cases[0].words, nodes, &candidate->errors);
        whatif_plan_release(&plan);
    }
    free(nodes);
}
