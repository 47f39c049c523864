// SPDX-License-Identifier: BSD-3-Clause
// Reading policies (policy.h), each element by its table of attributes.
#include "analyzer/simulation/dealt/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/simulation/cost/cost_time.h"

enum { MAX_FREE_HOSTS = 65536 };
static const uint64_t default_poll_ns = 1000000;

const struct bundled bundled_policies = {"policies", "policy"};

const struct dealing dealing_recorded = {
    .task_ns = PAG_NOT_KNOWN,
    .costs_ns = {PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN,
                 PAG_NOT_KNOWN, PAG_NOT_KNOWN},
};

const char *const dealing_order_names[N_DEALING_ORDERS] = {"recorded", "longest-first",
                                                           "shortest-first"};
const char *const dealing_to_names[N_DEALING_TO] = {"next-free", "in-turn", "in-blocks",
                                                    "in-rounds", "all"};

static const char *const role_names[N_BALANCING_ROLES] = {"slowest",    "fastest", "most-left",
                                                          "least-left", "idle",    "free-host"};

const char *balancing_role_name(enum balancing_role role)
{
    return role_names[role];
}

int policy_read_percent(const char *text, uint64_t *millionths, struct error *err)
{
    double percent;
    if (option_read_number(text, &percent, err) != 0 || percent > 100)
        return error_set(err, "a number from 0 to 100, in percent");
    *millionths = (uint64_t)llround(percent * 10000);
    return 0;
}

static int read_some_percent(const char *text, uint64_t *millionths, struct error *err)
{
    if (policy_read_percent(text, millionths, err) != 0 || *millionths == 0)
        return error_set(err, "a number above 0 and up to 100, in percent");
    return 0;
}

int policy_read_poll(const char *text, uint64_t *poll_ns, struct error *err)
{
    if (cost_time_read(text, poll_ns, err) != 0)
        return -1;
    return *poll_ns == 0 ? error_set(err, "more than no time at all") : 0;
}

int policy_read_free_hosts(const char *text, uint64_t *n, struct error *err)
{
    if (option_read_count(text, n, err) != 0 || *n > MAX_FREE_HOSTS)
        return error_set(err, "a whole number from 0 to %d", MAX_FREE_HOSTS);
    return 0;
}

static int read_origin(const struct element_reader *reader, const struct xml_element *element)
{
    struct policy *policy = reader->into;
    const struct element_field fields[] = {{"source", FIELD_TEXT, .value = &policy->source},
                                           {"missing", FIELD_TEXT, .value = &policy->missing}};
    policy->source = policy->missing = "";
    return ELEMENT_READ(reader, element, fields);
}

static int check_rule(const struct element_reader *reader, const struct xml_element *element,
                      const struct balancing_rule *rule)
{
    if (!xml_attribute(element, "from") || !xml_attribute(element, "to"))
        return XML_ERROR(reader, element,
                         "<rule> needs from=\"...\", who gives work, and to=\"...\"");
    if (rule->from == ROLE_IDLE || rule->from == ROLE_FREE_HOST)
        return XML_ERROR(reader, element, "from=\"%s\": it has no work to give",
                         role_names[rule->from]);
    if (rule->from == rule->to)
        return XML_ERROR(reader, element, "from=\"%s\" to=\"%s\": no rank gives work to itself",
                         role_names[rule->from], role_names[rule->to]);
    return 0;
}

static int read_rule(const struct element_reader *reader, const struct xml_element *element)
{
    static const char *const times[] = {"poll", "idle"};
    struct policy *policy = reader->into;
    struct balancing_policy *balancing = &policy->balancing;
    struct balancing_rule rule = {.transfer_ns = PAG_NOT_KNOWN, .return_ns = PAG_NOT_KNOWN};
    unsigned at = 0, from = 0, to = 0;
    const struct element_field fields[] = {
        {"at", FIELD_CHOICE, &at, .choices = times, .most = 2},
        {"from", FIELD_CHOICE, &from, .choices = role_names, .most = N_BALANCING_ROLES},
        {"to", FIELD_CHOICE, &to, .choices = role_names, .most = N_BALANCING_ROLES},
        {"lead", FIELD_VALUE, &rule.lead, .read = policy_read_percent},
        {"share", FIELD_VALUE, &rule.share, .read = read_some_percent},
        {"transfer", FIELD_VALUE, &rule.transfer_ns, .read = cost_time_read},
        {"return", FIELD_VALUE, &rule.return_ns, .read = cost_time_read},
    };
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    rule.at_idle = at == 1;
    rule.from = (enum balancing_role)from;
    rule.to = (enum balancing_role)to;
    rule.has_lead = xml_attribute(element, "lead") != NULL;
    if (check_rule(reader, element, &rule) != 0)
        return -1;
    if (balancing->n_rules == BALANCING_MAX_RULES)
        return XML_ERROR(reader, element, "more than %d rules", BALANCING_MAX_RULES);
    balancing->rules[balancing->n_rules++] = rule;
    return 0;
}

enum { MAX_WEIGHT = 1000 };

/// Whole numbers between blanks.
static int read_weights(const struct element_reader *reader, const struct xml_element *element,
                        const char *text, struct dealing *dealing)
{
    char *copy = memory_copy_text(text), *rest = copy;
    int status = 0;
    for (char *word; status == 0 && (word = strsep(&rest, " \t\r\n"));) {
        uint64_t weight = 0;
        if (*word && (option_read_count(word, &weight, reader->err) != 0 || weight == 0 ||
                      weight > MAX_WEIGHT))
            status = XML_ERROR(reader, element, "weights=\"%s\": whole numbers from 1 to %d", text,
                               MAX_WEIGHT);
        else if (*word)
            *ARRAY_EXTEND(dealing->weights, dealing->n_weights) = (uint32_t)weight;
    }
    free(copy);
    if (status == 0 && dealing->n_weights == 0)
        return XML_ERROR(reader, element, "weights=\"\": without it all workers have the same");
    return status;
}

static int read_tasks(const struct element_reader *reader, const struct xml_element *element)
{
    struct policy *policy = reader->into;
    struct dealing *dealing = &policy->dealing;
    uint64_t *costs_ns = dealing->costs_ns;
    const char *weights = NULL;
    unsigned order = 0, to = 0;
    const struct element_field fields[] = {
        {"order", FIELD_CHOICE, &order, .choices = dealing_order_names, .most = N_DEALING_ORDERS},
        {"to", FIELD_CHOICE, &to, .choices = dealing_to_names, .most = N_DEALING_TO},
        {"weights", FIELD_TEXT, .value = &weights},
        {"work", FIELD_VALUE, &dealing->task_ns, .read = cost_time_read},
        {"launch", FIELD_VALUE, &dealing->launch_ns, .read = cost_time_read},
        {"task-flight", FIELD_VALUE, &costs_ns[FARM_TASK_FLIGHT], .read = cost_time_read},
        {"answer-flight", FIELD_VALUE, &costs_ns[FARM_ANSWER_FLIGHT], .read = cost_time_read},
        {"receive", FIELD_VALUE, &costs_ns[FARM_RECEIVE], .read = cost_time_read},
        {"before", FIELD_VALUE, &costs_ns[FARM_BEFORE], .read = cost_time_read},
        {"after", FIELD_VALUE, &costs_ns[FARM_AFTER], .read = cost_time_read},
        {"tail", FIELD_VALUE, &costs_ns[FARM_TAIL], .read = cost_time_read},
        {"gap", FIELD_VALUE, &costs_ns[FARM_GAP], .read = cost_time_read},
    };
    if (policy->deals_tasks)
        return XML_ERROR(reader, element, "<tasks> is there twice");
    *dealing = dealing_recorded;
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    dealing->order = (enum dealing_order)order;
    dealing->to = (enum dealing_to)to;
    policy->deals_tasks = true;
    if (weights && dealing->to != DEALING_IN_TURN)
        return XML_ERROR(reader, element, "weights=\"%s\" are for to=\"in-turn\"", weights);
    return weights ? read_weights(reader, element, weights, dealing) : 0;
}

static int check_kind(const struct element_reader *reader, const struct xml_element *element)
{
    static const char *const of_rules[] = {"poll", "transfer", "return", "least", "free-hosts"};
    const struct policy *policy = reader->into;
    if (policy->deals_tasks == (policy->balancing.n_rules > 0))
        return XML_ERROR(reader, element, "a policy has <rule> elements, or <tasks>%s",
                         policy->deals_tasks ? ", not both" : "");
    for (size_t i = 0; policy->deals_tasks && i < sizeof of_rules / sizeof of_rules[0]; i++)
        if (xml_attribute(element, of_rules[i]))
            return XML_ERROR(reader, element, "%s=\"...\" is about rules, and there are <tasks>",
                             of_rules[i]);
    return 0;
}

static int read_policy(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {
        {"origin", read_origin}, {"rule", read_rule}, {"tasks", read_tasks}};
    struct policy *policy = reader->into;
    struct balancing_policy *balancing = &policy->balancing;
    uint64_t n_free_hosts = 0;
    const struct element_field fields[] = {
        {"name", FIELD_NAME, .value = &policy->name},
        {"summary", FIELD_TEXT, .value = &policy->summary},
        {"poll", FIELD_VALUE, &balancing->poll_ns, .read = policy_read_poll},
        {"transfer", FIELD_VALUE, &balancing->transfer_ns, .read = cost_time_read},
        {"return", FIELD_VALUE, &balancing->return_ns, .read = cost_time_read},
        {"least", FIELD_VALUE, &balancing->least_ns, .read = cost_time_read},
        {"free-hosts", FIELD_VALUE, &n_free_hosts, .read = policy_read_free_hosts},
    };
    *balancing = (struct balancing_policy){
        .poll_ns = default_poll_ns, .transfer_ns = PAG_NOT_KNOWN, .least_ns = PAG_NOT_KNOWN};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    balancing->n_free_hosts = (uint32_t)n_free_hosts;
    if (ELEMENT_READ_KINDS(reader, element, kinds) != 0 ||
        element_check_contents(reader, element, NULL, NULL) != 0)
        return -1;
    return check_kind(reader, element);
}

int policy_read(struct policy *policy, const char *name, struct error *err)
{
    *policy = (struct policy){
        .path = bundled_path(&bundled_policies, name, err),
        .name = "",
        .summary = "",
        .source = "",
        .missing = "",
    };
    const struct element_reader reader = {policy->path, policy, err};
    return policy->path
               ? element_read_file(&reader, "policy", "policy", read_policy, &policy->document)
               : -1;
}

void policy_release(struct policy *policy)
{
    FREE_ALL(policy->path, policy->dealing.weights);
    xml_free(policy->document);
    *policy = (struct policy){0};
}
