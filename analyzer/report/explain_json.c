// SPDX-License-Identifier: BSD-3-Clause
// Patterns by the elements of their files (pagoda-patterns(5)), those they lack left out; machines
// and policies by the names of pagoda-machine(5) and pagoda-policy(5), what a file leaves open
// null.
#include "analyzer/report/explain.h"

#include <jansson.h>
#include <string.h>

#include "analyzer/pag/pag.h"
#include "analyzer/report/json_values.h"

static json_t *pattern_object(const struct catalogue *catalogue, const struct pattern *pattern)
{
    json_t *object = json_object();
    const struct {
        const char *key, *text;
    } texts[] = {
#define TEXT(element, need) {#element, pattern->element},
        PATTERN_ELEMENTS(TEXT)
#undef TEXT
    };
    json_object_set_new(object, "id", json_string(pattern->id));
    json_object_set_new(object, "parent",
                        pattern->parent[0] ? json_string(pattern->parent) : json_null());
    json_object_set_new(object, "abstract", json_boolean(pattern->is_abstract));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].text[0] && strcmp(texts[i].key, "threshold") != 0 &&
            strcmp(texts[i].key, "within") != 0)
            json_object_set_new(object, texts[i].key, json_string(texts[i].text));
    if (pattern->is_within)
        json_object_set_new(object, "within",
                            json_string(catalogue->patterns[pattern->ancestor].id));
    if (!pattern->is_abstract)
        json_object_set_new(object, "threshold", json_real(pattern->threshold_share));
    json_object_set_new(object, "file", json_string(pattern->file));
    return object;
}

static json_t *text_or_null(const char *text)
{
    return text && text[0] ? json_clean_text(text) : json_null();
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

static json_t *messages_object(const char *scope, const struct machine_messages *messages)
{
    json_t *object = json_object(), *points = json_array();
    json_object_set_new(object, "scope", json_clean_text(scope));
    for (size_t i = 0; i < messages->n_points; i++) {
        json_t *point = json_object();
        json_object_set_new(point, "size_bytes", json_count(messages->points[i].size_bytes));
        json_object_set_new(point, "time_ns", json_count(messages->points[i].time_ns));
        json_array_append_new(points, point);
    }
    json_object_set_new(object, "points", points);
    json_object_set_new(object, "eager_bytes", limit(messages->eager_bytes));
    json_object_set_new(object, "send_overhead_ns", json_count(messages->send_overhead_ns));
    json_object_set_new(object, "receive_overhead_ns", json_count(messages->receive_overhead_ns));
    json_object_set_new(object, "buses", count_or_null(messages->n_buses));
    return object;
}

static json_t *scope_list(const struct machine *machine)
{
    json_t *list = json_array();
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        if (machine->messages[scope].n_points > 0)
            json_array_append_new(
                list, messages_object(machine_scope_names[scope], &machine->messages[scope]));
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        json_array_append_new(list, messages_object(machine->custom_scopes[i].name,
                                                    &machine->custom_scopes[i].messages));
    return list;
}

static json_t *collective_list(const struct machine *machine)
{
    json_t *list = json_array();
    for (size_t i = 0; i < machine->n_collectives; i++) {
        const struct machine_collective *collective = &machine->collectives[i];
        json_t *object = json_object();
        json_object_set_new(object, "operation",
                            json_string(collective_operation_names[collective->operation]));
        json_object_set_new(object, "from_bytes", json_count(collective->from_bytes));
        json_object_set_new(object, "below_bytes", limit(collective->below_bytes));
        json_object_set_new(object, "algorithm",
                            text_or_null(collective_algorithm_names[collective->algorithm]));
        json_object_set_new(object, "time", text_or_null(collective->time_text));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *machine_object(const struct machine *machine)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_clean_text(machine->name));
    json_object_set_new(object, "summary", text_or_null(machine->summary));
    json_object_set_new(object, "cores", count_or_null(machine->n_cores));
    json_object_set_new(object, "cpu_speed",
                        json_real((double)machine->speed / (double)PAG_WORK_PER_NS));
    json_object_set_new(object, "hand_over_ns", json_count(machine->hand_over_ns));
    json_object_set_new(object, "slice_ns", count_or_null(machine->slice_ns));
    json_object_set_new(object, "out_links", count_or_null(machine->out_links));
    json_object_set_new(object, "in_links", count_or_null(machine->in_links));
    json_object_set_new(object, "scopes", scope_list(machine));
    json_object_set_new(object, "collectives", collective_list(machine));
    json_object_set_new(object, "compute_ns", count_or_null(machine->compute_ns));
    json_object_set_new(object, "collective_members", count_or_null(machine->n_calibrated_members));
    for (int i = 0; i < MACHINE_ORIGINS; i++) {
        static const char *const keys[MACHINE_ORIGINS] = {
            "source",           "missing", "date",       "host",
            "processor",        "mpi",     "node_error", "network_error",
            "collective_error", "unsteady"};
        json_object_set_new(object, keys[i], text_or_null(machine->origins[i]));
    }
    json_object_set_new(object, "file", json_clean_text(machine->path));
    return object;
}

static json_t *rule_object(const struct balancing_rule *rule)
{
    json_t *object = json_object();
    json_object_set_new(object, "at", json_string(rule->at_idle ? "idle" : "poll"));
    json_object_set_new(object, "from", json_string(balancing_role_name(rule->from)));
    json_object_set_new(object, "to", json_string(balancing_role_name(rule->to)));
    json_object_set_new(object, "lead",
                        rule->has_lead ? json_real((double)rule->lead / 10000) : json_null());
    json_object_set_new(object, "share",
                        rule->share ? json_real((double)rule->share / 10000) : json_null());
    json_object_set_new(object, "transfer_ns", json_known_time(rule->transfer_ns));
    json_object_set_new(object, "return_ns", json_known_time(rule->return_ns));
    return object;
}

static void add_rules(json_t *object, const struct balancing_policy *balancing)
{
    json_t *rules = json_array();
    for (size_t i = 0; i < balancing->n_rules; i++)
        json_array_append_new(rules, rule_object(&balancing->rules[i]));
    json_object_set_new(object, "rules", rules);
    json_object_set_new(object, "poll_ns", json_known_time(balancing->poll_ns));
    json_object_set_new(object, "transfer_ns", json_known_time(balancing->transfer_ns));
    json_object_set_new(object, "return_ns", json_known_time(balancing->return_ns));
    json_object_set_new(object, "least_ns", json_known_time(balancing->least_ns));
    json_object_set_new(object, "free_hosts", json_integer(balancing->n_free_hosts));
}

static void add_tasks(json_t *object, const struct dealing *dealing)
{
    static const char *const orders[] = {"recorded", "longest-first", "shortest-first"};
    static const char *const receivers[] = {"next-free", "in-turn", "in-blocks"};
    json_t *tasks = json_object();
    json_object_set_new(tasks, "order", json_string(orders[dealing->order]));
    json_object_set_new(tasks, "to", json_string(receivers[dealing->to]));
    json_object_set_new(tasks, "work_ns", json_known_time(dealing->task_ns));
    json_object_set_new(tasks, "task_flight_ns", json_known_time(dealing->costs.task_flight_ns));
    json_object_set_new(tasks, "answer_flight_ns",
                        json_known_time(dealing->costs.answer_flight_ns));
    json_object_set_new(tasks, "receive_ns", json_known_time(dealing->costs.receive_ns));
    json_object_set_new(tasks, "before_ns", json_known_time(dealing->costs.before_ns));
    json_object_set_new(tasks, "after_ns", json_known_time(dealing->costs.after_ns));
    json_object_set_new(tasks, "tail_ns", json_known_time(dealing->costs.tail_ns));
    json_object_set_new(tasks, "gap_ns", json_known_time(dealing->costs.gap_ns));
    json_object_set_new(object, "tasks", tasks);
}

static json_t *policy_object(const struct policy *policy)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_clean_text(policy->name));
    json_object_set_new(object, "option",
                        json_string(policy->deals_tasks ? "dealing" : "rebalance"));
    json_object_set_new(object, "summary", json_clean_text(policy->summary));
    if (policy->deals_tasks)
        add_tasks(object, &policy->dealing);
    else
        add_rules(object, &policy->balancing);
    json_object_set_new(object, "source", json_clean_text(policy->source));
    json_object_set_new(object, "missing", json_clean_text(policy->missing));
    json_object_set_new(object, "file", json_clean_text(policy->path));
    return object;
}

static json_t *pattern_list(const struct known *known)
{
    json_t *list = json_array();
    for (size_t i = 0; i < known->catalogue->n_patterns; i++)
        if (known_shows_pattern(known, i))
            json_array_append_new(list,
                                  pattern_object(known->catalogue, &known->catalogue->patterns[i]));
    return list;
}

static json_t *machine_list(const struct known *known)
{
    json_t *list = json_array();
    for (size_t i = 0; i < known->n_machines; i++)
        json_array_append_new(list, machine_object(&known->machines[i]));
    return list;
}

static json_t *policy_list(const struct known *known)
{
    json_t *list = json_array();
    for (size_t i = 0; i < known->n_policies; i++)
        json_array_append_new(list, policy_object(&known->policies[i]));
    return list;
}

bool known_shows_pattern(const struct known *known, size_t index)
{
    const char *file = known->pattern_file;
    return (known->pattern == PATTERN_NONE || known->pattern == index) &&
           (!file || strcmp(file, known->catalogue->patterns[index].file) == 0);
}

int json_print_known(const struct known *known, const char *version, FILE *stream,
                     struct error *err)
{
    json_t *root = json_pack("{s:i, s:s}", "schema", 1, "pagoda", version);
    if (known->catalogue)
        json_object_set_new(root, "patterns", pattern_list(known));
    if (known->machines)
        json_object_set_new(root, "machines", machine_list(known));
    if (known->policies)
        json_object_set_new(root, "policies", policy_list(known));
    return json_print_object(root, JSON_FORMAT, "what is known", stream, err);
}
