// SPDX-License-Identifier: BSD-3-Clause
// Advice as JSON, by jansson.
#include <jansson.h>
#include <stdlib.h>

#include "analyzer/report/json/values.h"
#include "analyzer/result/advice.h"
#include "analyzer/result/result.h"

static json_t *candidate_object(const struct advice *advice,
                                const struct advice_candidate *candidate)
{
    json_t *object = json_object();
    char *options = advice_options(candidate);
    json_object_set_new(object, "kind", json_string(advice_kind_names[candidate->kind]));
    json_object_set_new(object, "text", json_clean_text(candidate->sentence));
    json_object_set_new(object, "options", json_clean_text(options));
    json_object_set_new(object, "group", json_string(advice_group_names[candidate->group]));
    json_object_set_new(object, "subject", json_clean_text(candidate->subject));
    json_object_set_new(object, "most_ns",
                        candidate->most_ns == UINT64_MAX ? json_null()
                                                         : json_count(candidate->most_ns));
    json_object_set_new(object, "predicted_ns",
                        candidate->is_replayed ? json_count(candidate->predicted_ns) : json_null());
    json_object_set_new(object, "gain_ns",
                        candidate->is_replayed ? json_integer(candidate->gain_ns) : json_null());
    json_object_set_new(object, "is_uncertain",
                        candidate->is_replayed
                            ? json_boolean(advice_is_uncertain(advice, candidate->gain_ns))
                            : json_null());
    if (candidate->same_as)
        json_object_set_new(object, "same_as", json_clean_text(candidate->same_as));
    if (candidate->failure)
        json_object_set_new(object, "failure", json_clean_text(candidate->failure));
    free(options);
    return object;
}

static json_t *pair_object(const struct advice *advice, const struct advice_pair *pair)
{
    static const char *const names[] = {"add-up", "overlap", "exclude"};
    json_t *object = json_object();
    json_object_set_new(object, "first", json_count(pair->first));
    json_object_set_new(object, "second", json_count(pair->second));
    if (pair->failure) {
        json_object_set_new(object, "predicted_ns", json_null());
        json_object_set_new(object, "gain_ns", json_null());
        json_object_set_new(object, "failure", json_clean_text(pair->failure));
        return object;
    }
    json_object_set_new(object, "predicted_ns", json_count(pair->predicted_ns));
    json_object_set_new(object, "gain_ns", json_integer(pair->gain_ns));
    json_object_set_new(object, "together", json_string(names[advice_together(advice, pair)]));
    return object;
}

static json_t *warning_object(const struct result_warning *warning)
{
    json_t *object = json_object();
    json_object_set_new(object, "code", json_clean_text(warning->code));
    json_object_set_new(object, "count", json_count(warning->count));
    json_object_set_new(object, "text", json_clean_text(warning->text));
    return object;
}

int json_print_advice(const struct advice *advice, const char *version, FILE *stream,
                      struct error *err)
{
    json_t *top = json_object(), *candidates = json_array(), *pairs = json_array();
    json_t *warnings = json_array();
    json_object_set_new(top, "schema", json_integer(1));
    json_object_set_new(top, "pagoda", json_string(version));
    json_object_set_new(top, "baseline_ns", json_count(advice->measured_ns));
    json_object_set_new(top, "replayed_ns", json_count(advice->replayed_ns));
    if (advice->n_workers > 0)
        json_object_set_new(top, "kept_tasks",
                            json_pack("{s:o, s:o}", "master", json_count(advice->master), "workers",
                                      json_count(advice->n_workers)));
    json_object_set_new(top, "target", json_clean_text(advice->target));
    json_object_set_new(top, "assumption",
                        advice->assumption ? json_string(advice->assumption) : json_null());
    json_object_set_new(top, "target_ns", json_count(advice->target_ns));
    json_object_set_new(top, "loss_ns", json_count(advice->loss_ns));
    json_object_set_new(top, "error_ns", json_count(advice_error_ns(advice)));
    for (size_t i = 0; i < advice->n_candidates; i++)
        json_array_append_new(candidates, candidate_object(advice, &advice->candidates[i]));
    json_object_set_new(top, "candidates", candidates);
    for (size_t i = 0; i < advice->n_pairs; i++)
        json_array_append_new(pairs, pair_object(advice, &advice->pairs[i]));
    json_object_set_new(top, "pairs", pairs);
    for (size_t i = 0; i < advice->n_warnings; i++)
        json_array_append_new(warnings, warning_object(&advice->warnings[i]));
    json_object_set_new(top, "warnings", warnings);
    json_object_set_new(top, "unexplained_ns", json_count(advice_unexplained_ns(advice)));
    json_object_set_new(top, "replays", json_count(advice->n_replays));
    json_object_set_new(top, "pruned", json_count(advice->n_pruned));
    json_object_set_new(top, "untried", json_count(advice->n_untried));
    return json_print_object(top, JSON_COMPACT, "the advice", stream, err);
}
