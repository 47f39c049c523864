// SPDX-License-Identifier: BSD-3-Clause
// Reading policies (policy.h), element by element, each attribute checked.
#include "analyzer/simulation/dealt/policy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/xml.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/cost/machine.h"

enum { MAX_FREE_HOSTS = 65536 };
static const uint64_t default_poll_ns = 1000000;

const struct bundled bundled_policies = {"policies", "policy"};

const struct dealing dealing_recorded = {
    .task_ns = PAG_NOT_KNOWN,
    .costs = {PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN, PAG_NOT_KNOWN,
              PAG_NOT_KNOWN, PAG_NOT_KNOWN},
};

static const char *const role_names[N_BALANCING_ROLES] = {"slowest",    "fastest", "most-left",
                                                          "least-left", "idle",    "free-host"};

const char *balancing_role_name(enum balancing_role role)
{
    return role_names[role];
}

/// A file being read.
struct reader {
    struct policy *policy;
    struct error *err;
};

static int wrong(const struct reader *reader, const struct xml_element *element)
{
    return error_wrap(reader->err, "%s:%u", reader->policy->path, element->line);
}

static int unknown(const struct reader *reader, const struct xml_element *element, const char *kind,
                   const char *name, const char *const *known, size_t n_known)
{
    const char *nearest = spelling_nearest(name, known, n_known);
    char *all = spelling_list(known, n_known);
    if (nearest)
        error_set(reader->err, "unknown %s %s; is it %s?", kind, name, nearest);
    else
        error_set(reader->err, "unknown %s %s; it may be %s", kind, name, all);
    free(all);
    return wrong(reader, element);
}

static int check_attributes(const struct reader *reader, const struct xml_element *element,
                            const char *const *known, size_t n_known)
{
    const char *name = xml_unknown_attribute(element, known, n_known);
    if (name)
        return unknown(reader, element, "attribute", name, known, n_known);
    if (element->n_children == 0 && strspn(element->text, " \t\r\n") == strlen(element->text))
        return 0;
    if (element->n_children > 0 && strcmp(element->name, "policy") == 0)
        return 0;
    error_set(reader->err, "<%s> has attributes only", element->name);
    return wrong(reader, element);
}

/// One of the names KNOWN; *CHOICE stays as it is without the attribute.
static int read_choice(const struct reader *reader, const struct xml_element *element,
                       const char *name, const char *const *known, size_t n_known, unsigned *choice)
{
    const char *text = xml_attribute(element, name);
    if (!text)
        return 0;
    for (size_t i = 0; i < n_known; i++) {
        if (strcmp(text, known[i]) == 0) {
            *choice = (unsigned)i;
            return 0;
        }
    }
    return unknown(reader, element, name, text, known, n_known);
}

static int read_duration(const struct reader *reader, const struct xml_element *element,
                         const char *name, uint64_t *duration_ns)
{
    return xml_read_attribute(reader->policy->path, element, name, cost_time_read, duration_ns,
                              reader->err);
}

/// Per cent, as millionths, from 0 to 100, or more than 0 if IS_SOME.
static int read_percent(const struct reader *reader, const struct xml_element *element,
                        const char *name, bool is_some, uint64_t *millionths)
{
    const char *text = xml_attribute(element, name);
    double percent;
    if (!text)
        return 0;
    if (option_read_number(text, &percent, reader->err) == 0 && percent <= 100) {
        *millionths = (uint64_t)llround(percent * 10000);
        if (*millionths > 0 || !is_some)
            return 0;
    }
    error_set(reader->err, "%s=\"%s\": per cent, %s 100", name, text,
              is_some ? "more than 0 and at most" : "from 0 to");
    return wrong(reader, element);
}

static int read_origin(const struct reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"source", "missing"};
    const char *source = xml_attribute(element, "source");
    const char *missing = xml_attribute(element, "missing");
    if (check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0)
        return -1;
    free(reader->policy->source);
    free(reader->policy->missing);
    reader->policy->source = memory_copy_text(source ? source : "");
    reader->policy->missing = memory_copy_text(missing ? missing : "");
    return 0;
}

static int check_rule(const struct reader *reader, const struct xml_element *element,
                      const struct balancing_rule *rule)
{
    if (!xml_attribute(element, "from") || !xml_attribute(element, "to"))
        error_set(reader->err, "<rule> needs from=\"...\", who gives work, and to=\"...\"");
    else if (rule->from == ROLE_IDLE || rule->from == ROLE_FREE_HOST)
        error_set(reader->err, "from=\"%s\": it has no work to give", role_names[rule->from]);
    else if (rule->from == rule->to)
        error_set(reader->err, "from=\"%s\" to=\"%s\": nobody gives work to itself",
                  role_names[rule->from], role_names[rule->to]);
    else
        return 0;
    return wrong(reader, element);
}

static int read_rule(const struct reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"at", "from", "to", "lead", "share", "transfer", "return"};
    static const char *const times[] = {"poll", "idle"};
    struct balancing_policy *balancing = &reader->policy->balancing;
    struct balancing_rule rule = {.transfer_ns = PAG_NOT_KNOWN, .return_ns = PAG_NOT_KNOWN};
    unsigned at = 0, from = 0, to = 0;
    if (check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0 ||
        read_choice(reader, element, "at", times, 2, &at) != 0 ||
        read_choice(reader, element, "from", role_names, N_BALANCING_ROLES, &from) != 0 ||
        read_choice(reader, element, "to", role_names, N_BALANCING_ROLES, &to) != 0 ||
        read_percent(reader, element, "lead", false, &rule.lead) != 0 ||
        read_percent(reader, element, "share", true, &rule.share) != 0 ||
        read_duration(reader, element, "transfer", &rule.transfer_ns) != 0 ||
        read_duration(reader, element, "return", &rule.return_ns) != 0)
        return -1;
    rule.at_idle = at == 1;
    rule.from = (enum balancing_role)from;
    rule.to = (enum balancing_role)to;
    rule.has_lead = xml_attribute(element, "lead") != NULL;
    if (check_rule(reader, element, &rule) != 0)
        return -1;
    if (balancing->n_rules == BALANCING_MAX_RULES) {
        error_set(reader->err, "more than %d rules", BALANCING_MAX_RULES);
        return wrong(reader, element);
    }
    balancing->rules[balancing->n_rules++] = rule;
    return 0;
}

static int read_tasks(const struct reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"order",         "to",      "work",   "task-flight",
                                        "answer-flight", "receive", "before", "after",
                                        "tail",          "gap"};
    static const char *const orders[] = {"recorded", "longest-first", "shortest-first"};
    static const char *const receivers[] = {"next-free", "in-turn", "in-blocks"};
    struct dealing *dealing = &reader->policy->dealing;
    struct farm_costs *costs = &dealing->costs;
    unsigned order = 0, to = 0;
    *dealing = dealing_recorded;
    if (check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0 ||
        read_choice(reader, element, "order", orders, 3, &order) != 0 ||
        read_choice(reader, element, "to", receivers, 3, &to) != 0 ||
        read_duration(reader, element, "work", &dealing->task_ns) != 0 ||
        read_duration(reader, element, "task-flight", &costs->task_flight_ns) != 0 ||
        read_duration(reader, element, "answer-flight", &costs->answer_flight_ns) != 0 ||
        read_duration(reader, element, "receive", &costs->receive_ns) != 0 ||
        read_duration(reader, element, "before", &costs->before_ns) != 0 ||
        read_duration(reader, element, "after", &costs->after_ns) != 0 ||
        read_duration(reader, element, "tail", &costs->tail_ns) != 0 ||
        read_duration(reader, element, "gap", &costs->gap_ns) != 0)
        return -1;
    dealing->order = (enum dealing_order)order;
    dealing->to = (enum dealing_to)to;
    if (reader->policy->deals_tasks) {
        error_set(reader->err, "<tasks> is there twice");
        return wrong(reader, element);
    }
    reader->policy->deals_tasks = true;
    return 0;
}

static int read_part(const struct reader *reader, const struct xml_element *element)
{
    static const char *const names[] = {"origin", "rule", "tasks"};
    static int (*const read[])(const struct reader *,
                               const struct xml_element *) = {read_origin, read_rule, read_tasks};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(element->name, names[i]) == 0)
            return read[i](reader, element);
    return unknown(reader, element, "element", element->name, names,
                   sizeof names / sizeof names[0]);
}

static int read_free_hosts(const struct reader *reader, const struct xml_element *element)
{
    const char *text = xml_attribute(element, "free-hosts");
    uint64_t n = 0;
    if (text && (option_read_count(text, &n, reader->err) != 0 || n > MAX_FREE_HOSTS)) {
        error_set(reader->err, "free-hosts=\"%s\": a number from 0 to %d", text, MAX_FREE_HOSTS);
        return wrong(reader, element);
    }
    reader->policy->balancing.n_free_hosts = (uint32_t)n;
    return 0;
}

static int check_kind(const struct reader *reader, const struct xml_element *element)
{
    static const char *const of_rules[] = {"poll", "transfer", "return", "least", "free-hosts"};
    const struct policy *policy = reader->policy;
    if (!policy->deals_tasks && policy->balancing.n_rules == 0) {
        error_set(reader->err, "a policy has <rule> elements, or <tasks>");
        return wrong(reader, element);
    }
    if (policy->deals_tasks && policy->balancing.n_rules > 0) {
        error_set(reader->err, "a policy has <rule> elements, or <tasks>, not both");
        return wrong(reader, element);
    }
    for (size_t i = 0; policy->deals_tasks && i < sizeof of_rules / sizeof of_rules[0]; i++) {
        if (xml_attribute(element, of_rules[i])) {
            error_set(reader->err, "%s=\"...\" is about rules, and there are <tasks>", of_rules[i]);
            return wrong(reader, element);
        }
    }
    return 0;
}

static int read_policy(const struct reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"name",   "summary", "poll",      "transfer",
                                        "return", "least",   "free-hosts"};
    struct policy *policy = reader->policy;
    const char *name = xml_attribute(element, "name"), *summary = xml_attribute(element, "summary");
    policy->name = memory_copy_text(name ? name : "");
    policy->summary = memory_copy_text(summary ? summary : "");
    policy->balancing = (struct balancing_policy){
        .poll_ns = default_poll_ns, .transfer_ns = PAG_NOT_KNOWN, .least_ns = PAG_NOT_KNOWN};
    if (check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0 ||
        read_duration(reader, element, "poll", &policy->balancing.poll_ns) != 0 ||
        read_duration(reader, element, "transfer", &policy->balancing.transfer_ns) != 0 ||
        read_duration(reader, element, "return", &policy->balancing.return_ns) != 0 ||
        read_duration(reader, element, "least", &policy->balancing.least_ns) != 0 ||
        read_free_hosts(reader, element) != 0)
        return -1;
    if (policy->name[0] == '\0') {
        error_set(reader->err, "<policy> needs name=\"...\"");
        return wrong(reader, element);
    }
    if (policy->balancing.poll_ns == 0) {
        error_set(reader->err, "poll=\"%s\": more than no time at all",
                  xml_attribute(element, "poll"));
        return wrong(reader, element);
    }
    for (size_t i = 0; i < element->n_children; i++)
        if (read_part(reader, &element->children[i]) != 0)
            return -1;
    return check_kind(reader, element);
}

int policy_read(struct policy *policy, const char *name, struct error *err)
{
    *policy = (struct policy){
        .path = bundled_path(&bundled_policies, name, err),
        .source = memory_copy_text(""),
        .missing = memory_copy_text(""),
    };
    if (!policy->path)
        return -1;
    struct xml_document *document = xml_read(policy->path, err);
    if (!document)
        return -1;
    const struct reader reader = {policy, err};
    const struct xml_element *top = &document->top.children[0];
    int status = -1;
    if (document->top.n_children != 1 || strcmp(top->name, "policy") != 0)
        error_set(err, "%s: no policy: its outermost element is not <policy>", policy->path);
    else
        status = read_policy(&reader, top);
    xml_free(document);
    return status;
}

void policy_release(struct policy *policy)
{
    free(policy->path);
    free(policy->name);
    free(policy->summary);
    free(policy->source);
    free(policy->missing);
    *policy = (struct policy){0};
}
