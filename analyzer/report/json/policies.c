// SPDX-License-Identifier: BSD-3-Clause
// What policies say, by the names of pagoda-policy(5); times that a file does not say are null.
#include "analyzer/report/json/policies.h"

#include <jansson.h>

#include "analyzer/report/json/values.h"

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

int json_print_policies(const struct policy *policies, size_t n, const char *version, FILE *stream,
                        struct error *err)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, policy_object(&policies[i]));
    return json_print_list("policies", array, version, stream, err);
}
