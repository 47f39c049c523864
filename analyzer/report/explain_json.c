// SPDX-License-Identifier: BSD-3-Clause
// Patterns and kinds of findings by the elements of their files (pagoda-patterns(5)), of patterns
// those they lack left out; machines
// and policies by the names of pagoda-machine(5) and pagoda-policy(5), what a file leaves open
// null.
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
#include "analyzer/report/views/views.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/tasks/task_model.h"

static json_t *pattern_object(const struct known *known, size_t i)
{
    const struct pattern *pattern = &known->catalogue->patterns[i];
    const struct {
        const char *key, *text;
    } texts[] = {
#define TEXT(element, need) {#element, pattern->element},
        PATTERN_ELEMENTS(TEXT)
#undef TEXT
    };
    if (!known_shows_pattern(known, i))
        return NULL;
    json_t *object = JSON_OBJECT(JSON_STRING(pattern, id), JSON_TEXT_OR_NULL(pattern, parent),
                                 {"abstract", json_boolean(pattern->is_abstract)});
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++)
        if (texts[j].text[0] && strcmp(texts[j].key, "threshold") != 0 &&
            strcmp(texts[j].key, "within") != 0)
            JSON_PUT(object, {texts[j].key, json_string(texts[j].text)});
    return JSON_PUT(
        object,
        {"within",
         pattern->is_within ? json_string(known->catalogue->patterns[pattern->ancestor].id) : NULL},
        {"threshold", pattern->is_abstract ? NULL : json_real(pattern->threshold_share)},
        JSON_STRING(pattern, file));
}

static json_t *remedy_object(const struct finding_remedy *remedy)
{
    return JSON_OBJECT(
        JSON_STRING(remedy, option), JSON_TEXT_OR_NULL(remedy, value),
        JSON_TEXT_OR_NULL(remedy, when), {"fallback", json_boolean(remedy->is_fallback)},
        {"proof", json_boolean(remedy->is_proof)}, {"text", json_string(remedy->sentence)});
}

static json_t *finding_object(const struct finding_kind *kind)
{
    return JSON_OBJECT(
        JSON_STRING(kind, id), JSON_STRING(kind, name),
        {"about", json_string(finding_subject_names[kind->subject])}, JSON_COUNT(kind, order),
        {"ranks", json_string(finding_ranks_names[kind->ranks])}, JSON_TEXT_OR_NULL(kind, calls),
        JSON_TEXT_OR_NULL(kind, after), JSON_TEXT_OR_NULL(kind, when), JSON_STRING(kind, what),
        JSON_TEXT_OR_NULL(kind, hint),
        {"remedies", JSON_EACH(i, kind->n_remedies, remedy_object(&kind->remedies[i]))},
        JSON_STRING(kind, file));
}

static json_t *setting_object(const struct tuning_setting *setting)
{
    return JSON_OBJECT({"library", json_string(tuning_library_name(setting))},
                       JSON_TEXT_OR_NULL(setting, from), JSON_TEXT_OR_NULL(setting, before),
                       JSON_TEXT_OR_NULL(setting, build), JSON_STRING(setting, text));
}

static json_t *tuning_object(const struct tuning *tuning)
{
    return JSON_OBJECT(
        JSON_STRING(tuning, id), JSON_STRING(tuning, name),
        {"findings", JSON_EACH(k, words_count(tuning->findings), json_string(tuning->findings[k]))},
        {"remedy", remedy_object(&tuning->remedy)},
        {"settings", JSON_EACH(i, tuning->n_settings, setting_object(&tuning->settings[i]))},
        JSON_TEXT_OR_NULL(tuning, limits), JSON_STRING(tuning, file));
}

/// A number of which 0 says nothing.
static json_t *count_or_null(uint64_t count)
{
    return count > 0 ? json_count(count) : json_null();
}

/// A size that is UINT64_MAX where there is no such limit.
static json_t *limit(uint64_t size_bytes)
{
    return size_bytes == UINT64_MAX ? json_null() : json_count(size_bytes);
}

static json_t *point_object(const struct machine_messages *messages, size_t i)
{
    return JSON_OBJECT({"size_bytes", json_count(messages->points[i].size_bytes)},
                       {"time_ns", json_count(messages->points[i].time_ns)});
}

static json_t *quantile_object(const struct noise_quantile *quantile)
{
    return JSON_OBJECT({"percent", json_real(100.0 * (double)quantile->share / NOISE_WHOLE)},
                       {"factor", json_real((double)quantile->factor / NOISE_WHOLE)},
                       JSON_COUNT(quantile, more_ns));
}

static json_t *messages_object(const char *scope, const struct machine_messages *messages)
{
    return JSON_OBJECT(
        {"scope", json_text(scope)},
        {"points", JSON_EACH(i, messages->n_points, point_object(messages, i))},
        {"eager_bytes", limit(messages->eager_bytes)}, JSON_COUNT(messages, send_overhead_ns),
        JSON_COUNT(messages, receive_overhead_ns), {"buses", count_or_null(messages->n_buses)},
        {"quantiles",
         JSON_EACH(k, messages->noise.n, quantile_object(&messages->noise.quantiles[k]))});
}

/// The scopes that all machines have, then those of this one.
static json_t *scope_object(const struct machine *machine, size_t i)
{
    if (i >= MACHINE_SCOPES) {
        const struct machine_custom_scope *custom = &machine->custom_scopes[i - MACHINE_SCOPES];
        return messages_object(custom->name, &custom->messages);
    }
    const struct machine_messages *messages = &machine->messages[i];
    return messages->n_points > 0 ? messages_object(machine_scope_names[i], messages) : NULL;
}

static json_t *collective_object(const struct machine_collective *collective)
{
    return JSON_OBJECT(
        {"operation", json_string(collective_operation_names[collective->operation])},
        JSON_COUNT(collective, from_bytes), {"below_bytes", limit(collective->below_bytes)},
        {"algorithm", json_text_or_null(collective_algorithm_names[collective->algorithm])},
        {"time", json_text_or_null(collective->time_text)},
        {"scattered_time", json_text_or_null(collective->scattered_text)},
        {"quantiles",
         JSON_EACH(i, collective->noise.n, quantile_object(&collective->noise.quantiles[i]))});
}

static json_t *machine_object(const struct machine *machine)
{
    static const char *const origins[MACHINE_ORIGINS] = {
        "source",        "missing",          "date",    "host", "processor", "mpi", "node_error",
        "network_error", "collective_error", "unsteady"};
    json_t *object = JSON_OBJECT(
        JSON_TEXT(machine, name), JSON_TEXT_OR_NULL(machine, summary),
        {"cores", count_or_null(machine->n_cores)},
        {"cpu_speed", json_real((double)machine->speed / (double)PAG_WORK_PER_NS)},
        JSON_COUNT(machine, hand_over_ns), {"slice_ns", count_or_null(machine->slice_ns)},
        {"out_links", count_or_null(machine->out_links)},
        {"in_links", count_or_null(machine->in_links)},
        {"contention", json_text_or_null(machine->contention_text)},
        {"scopes",
         JSON_EACH(i, MACHINE_SCOPES + machine->n_custom_scopes, scope_object(machine, i))},
        {"collectives",
         JSON_EACH(k, machine->n_collectives, collective_object(&machine->collectives[k]))},
        {"compute_ns", count_or_null(machine->compute_ns)},
        {"collective_members", count_or_null(machine->n_calibrated_members)});
    for (int k = 0; k < MACHINE_ORIGINS; k++)
        JSON_PUT(object, {origins[k], json_text_or_null(machine->origins[k])});
    return JSON_PUT(object, {"file", json_text(machine->path)});
}

static json_t *rule_object(const struct balancing_rule *rule)
{
    return JSON_OBJECT(
        {"at", json_string(rule->at_idle ? "idle" : "poll")},
        {"from", json_string(balancing_role_name(rule->from))},
        {"to", json_string(balancing_role_name(rule->to))},
        {"lead", rule->has_lead ? json_real((double)rule->lead / 10000) : json_null()},
        {"share", rule->share ? json_real((double)rule->share / 10000) : json_null()},
        JSON_KNOWN_TIME(rule, transfer_ns), JSON_KNOWN_TIME(rule, return_ns));
}

static void put_rules(json_t *object, const struct balancing_policy *balancing)
{
    JSON_PUT(object, {"rules", JSON_EACH(i, balancing->n_rules, rule_object(&balancing->rules[i]))},
             JSON_KNOWN_TIME(balancing, poll_ns), JSON_KNOWN_TIME(balancing, transfer_ns),
             JSON_KNOWN_TIME(balancing, return_ns), JSON_KNOWN_TIME(balancing, least_ns),
             {"free_hosts", json_integer(balancing->n_free_hosts)});
}

static json_t *tasks_object(const struct dealing *dealing)
{
    return JSON_OBJECT(
        {"order", json_string(dealing_order_names[dealing->order])},
        {"to", json_string(dealing_to_names[dealing->to])},
        {"weights", JSON_EACH(i, dealing->n_weights, json_count(dealing->weights[i]))},
        {"work_ns", json_known_time(dealing->task_ns)}, JSON_COUNT(dealing, launch_ns),
        {"task_flight_ns", json_known_time(dealing->costs_ns[FARM_TASK_FLIGHT])},
        {"answer_flight_ns", json_known_time(dealing->costs_ns[FARM_ANSWER_FLIGHT])},
        {"receive_ns", json_known_time(dealing->costs_ns[FARM_RECEIVE])},
        {"before_ns", json_known_time(dealing->costs_ns[FARM_BEFORE])},
        {"after_ns", json_known_time(dealing->costs_ns[FARM_AFTER])},
        {"tail_ns", json_known_time(dealing->costs_ns[FARM_TAIL])},
        {"gap_ns", json_known_time(dealing->costs_ns[FARM_GAP])});
}

static json_t *policy_object(const struct policy *policy)
{
    json_t *object =
        JSON_OBJECT(JSON_TEXT(policy, name),
                    {"option", json_string(policy->deals_tasks ? "dealing" : "rebalance")},
                    JSON_TEXT(policy, summary));
    if (policy->deals_tasks)
        JSON_PUT(object, {"tasks", tasks_object(&policy->dealing)});
    else
        put_rules(object, &policy->balancing);
    return JSON_PUT(object, JSON_TEXT(policy, source), JSON_TEXT(policy, missing),
                    {"file", json_text(policy->path)});
}

bool known_shows_pattern(const struct known *known, size_t index)
{
    const char *file = known->pattern_file;
    return (known->pattern == PATTERN_NONE || known->pattern == index) &&
           (!file || strcmp(file, known->catalogue->patterns[index].file) == 0);
}

void json_print_known(const struct known *known, FILE *stream)
{
    size_t n_patterns = known->catalogue ? known->catalogue->n_patterns : 0;
    JSON_PRINT(
        stream, JSON_FORMAT,
        {"patterns", known->catalogue ? JSON_EACH(i, n_patterns, pattern_object(known, i)) : NULL},
        {"properties", known->property ? json_known_properties(known) : NULL},
        {"hierarchies", known->hierarchies ? json_known_hierarchies(known) : NULL},
        {"findings", known->findings
                         ? JSON_EACH(k, known->n_findings, finding_object(&known->findings[k]))
                         : NULL},
        {"tuning",
         known->tunings ? JSON_EACH(k, known->n_tunings, tuning_object(&known->tunings[k])) : NULL},
        {"machines", known->machines
                         ? JSON_EACH(k, known->n_machines, machine_object(&known->machines[k]))
                         : NULL},
        {"policies", known->policies
                         ? JSON_EACH(k, known->n_policies, policy_object(&known->policies[k]))
                         : NULL},
        {"models", known->models
                       ? JSON_EACH(i, known->n_models, json_known_model(&known->models[i]))
                       : NULL});
}
