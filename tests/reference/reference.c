// SPDX-License-Identifier: BSD-3-Clause
// Runs the parts of the reference one after the other.
#include "tests/reference/reference.h"

#include <stdlib.h>

#include "tests/reference/model.h"

void model_release(struct model *model)
{
    for (size_t p = 0; p < model->n_paths; p++)
        free(model->paths[p].name);
    for (size_t l = 0; l < model->trace->n_locations; l++) {
        free(model->path_after[l]);
        free(model->call_of[l]);
        if (model->hand_overs)
            free(model->hand_overs[l]);
    }
    for (size_t i = 0; i < model->n_instances; i++)
        free(model->instances[i].parts);
    free(model->paths);
    free(model->path_after);
    free(model->call_of);
    free(model->hand_overs);
    free(model->origins);
    free(model->calls);
    free(model->sends);
    free(model->receives);
    free(model->parts);
    free(model->instances);
}

static void count(const struct model *model, struct findings *findings)
{
    int64_t n_messages = 0, n_unmatched_sends = 0, n_unmatched_receives = 0;
    for (size_t s = 0; s < model->n_sends; s++) {
        n_messages++;
        n_unmatched_sends += model->sends[s].receive == REFERENCE_NONE;
    }
    for (size_t r = 0; r < model->n_receives; r++)
        n_unmatched_receives += model->receives[r].send == REFERENCE_NONE &&
                                model->receives[r].complete_call != REFERENCE_NONE;
    // The simulator gives messages sizes that tell them apart.
    int64_t n_wrong = 0;
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->receive != REFERENCE_NONE &&
            model->receives[send->receive].complete_call != REFERENCE_NONE)
            n_wrong += send->size_bytes != model->receives[send->receive].size_bytes;
    }
    findings_add(findings, "size-mismatches", FINDING_NO_RANK, 0, "", n_wrong, 0);
    int64_t n_incomplete = 0;
    for (size_t i = 0; i < model->n_instances; i++)
        n_incomplete += !model->instances[i].is_complete && !model->instances[i].is_finalize;
    findings_add(findings, "messages", FINDING_NO_RANK, 0, "", n_messages, 0);
    findings_add(findings, "unmatched-sends", FINDING_NO_RANK, 0, "", n_unmatched_sends, 0);
    findings_add(findings, "unmatched-receives", FINDING_NO_RANK, 0, "", n_unmatched_receives, 0);
    findings_add(findings, "ambiguous-receives", FINDING_NO_RANK, 0, "",
                 (int64_t)model->n_ambiguous, 0);
    findings_add(findings, "incomplete-collectives", FINDING_NO_RANK, 0, "", n_incomplete, 0);
}

void model_build(struct model *model, const struct reference_trace *trace,
                 struct findings *findings)
{
    *model = (struct model){.trace = trace};
    model_find_calls(model, findings);
    model_match_messages(model);
    model_match_collectives(model);
}

void reference_analyse(const struct reference_trace *trace, struct findings *findings)
{
    struct model model;
    model_build(&model, trace, findings);
    model_find_waits(&model, findings);
    int64_t n_violations = model_find_releases(&model);
    findings_add(findings, "clock-violations", FINDING_NO_RANK, 0, "", n_violations, 0);
    model_find_lineages(&model, findings);
    count(&model, findings);
    findings_sort(findings);
    model_release(&model);
}

int reference_analyse_text(const char *text, struct findings *findings, struct error *err)
{
    struct reference_trace trace;
    int status = reference_trace_parse(&trace, text, err);
    if (status == 0)
        reference_analyse(&trace, findings);
    reference_trace_release(&trace);
    return status;
}
