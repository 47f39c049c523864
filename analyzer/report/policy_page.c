// SPDX-License-Identifier: BSD-3-Clause
// Pages about policies (policy_page.h).
#include "analyzer/report/policy_page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/pag/pag.h"
#include "analyzer/report/table.h"

enum { LABEL_COLUMNS = 14, OPTION_COLUMNS = 13 };

void policy_page_list(const struct policy *policies, size_t n, size_t width, FILE *stream)
{
    size_t name_columns = 0;
    for (size_t i = 0; i < n; i++)
        name_columns = list_column(name_columns, policies[i].name);
    for (size_t i = 0; i < n; i++) {
        size_t indent = name_columns + OPTION_COLUMNS;
        fprintf(stream, "%-*s%-*s", (int)name_columns, policies[i].name, OPTION_COLUMNS,
                policies[i].deals_tasks ? "--dealing" : "--rebalance");
        print_paragraph(policies[i].summary, indent, indent, width, stream);
    }
}

static void print_and_free(const char *label, char *text, size_t width, FILE *stream)
{
    print_labelled(label, LABEL_COLUMNS, text, width, stream);
    free(text);
}

static const char *role_text(enum balancing_role role)
{
    static const char *const texts[N_BALANCING_ROLES] = {
        [ROLE_SLOWEST] = "the slowest",
        [ROLE_FASTEST] = "the fastest",
        [ROLE_MOST_LEFT] = "who has most work left",
        [ROLE_LEAST_LEFT] = "who has least work left",
        [ROLE_IDLE] = "an idle rank",
        [ROLE_FREE_HOST] = "a free host",
    };
    return texts[role];
}

char *policy_rule_text(const struct balancing_rule *rule)
{
    char *lead = rule->has_lead
                     ? memory_format(", if the fastest is more than %g %% ahead of the slowest",
                                     (double)rule->lead / 10000)
                     : memory_copy_text("");
    char *share = rule->share ? memory_format("%g %% of its work", (double)rule->share / 10000)
                              : memory_copy_text("work");
    char *transfer = rule->transfer_ns == PAG_NOT_KNOWN
                         ? memory_copy_text("")
                         : memory_format(", which takes %s", quantity_time(rule->transfer_ns).text);
    char *back = rule->return_ns == PAG_NOT_KNOWN
                     ? memory_copy_text("")
                     : memory_format(", its results %s", quantity_time(rule->return_ns).text);
    char *text =
        memory_format("%s%s: %s gives %s to %s%s%s",
                      rule->at_idle ? "at polls and when a rank becomes idle" : "at polls", lead,
                      role_text(rule->from), share, role_text(rule->to), transfer, back);
    free(lead);
    free(share);
    free(transfer);
    free(back);
    return text;
}

static char *known_time(uint64_t time_ns, const char *otherwise)
{
    return memory_copy_text(time_ns == PAG_NOT_KNOWN ? otherwise : quantity_time(time_ns).text);
}

static void print_rules(const struct balancing_policy *balancing, size_t width, FILE *stream)
{
    for (size_t i = 0; i < balancing->n_rules; i++) {
        char *label = memory_format("Rule %zu", i + 1);
        print_and_free(label, policy_rule_text(&balancing->rules[i]), width, stream);
        free(label);
    }
    print_and_free("Poll", known_time(balancing->poll_ns, ""), width, stream);
    print_and_free("Transfer", known_time(balancing->transfer_ns, "as an empty message"), width,
                   stream);
    print_and_free("Return", known_time(balancing->return_ns, ""), width, stream);
    print_and_free("Least given",
                   known_time(balancing->least_ns, "the longer one of a poll and a transfer"),
                   width, stream);
    print_and_free("Free hosts", memory_format("%" PRIu32, balancing->n_free_hosts), width, stream);
}

static void print_cost(const char *label, uint64_t time_ns, size_t width, FILE *stream)
{
    if (time_ns != PAG_NOT_KNOWN)
        print_and_free(label, known_time(time_ns, ""), width, stream);
}

static void print_tasks(const struct dealing *dealing, size_t width, FILE *stream)
{
    static const char *const orders[] = {"as they were recorded", "the longest first",
                                         "the shortest first"};
    static const char *const receivers[] = {"whoever is free", "the workers in turn",
                                            "the workers in blocks"};
    print_and_free("Tasks",
                   memory_format("%s, for %s", orders[dealing->order], receivers[dealing->to]),
                   width, stream);
    print_cost("Work", dealing->task_ns, width, stream);
    print_cost("Task flight", dealing->costs.task_flight_ns, width, stream);
    print_cost("Answer flight", dealing->costs.answer_flight_ns, width, stream);
    print_cost("Receive", dealing->costs.receive_ns, width, stream);
    print_cost("Before", dealing->costs.before_ns, width, stream);
    print_cost("After", dealing->costs.after_ns, width, stream);
    print_cost("Tail", dealing->costs.tail_ns, width, stream);
    print_cost("Gap", dealing->costs.gap_ns, width, stream);
}

void policy_page_one(const struct policy *policy, size_t width, FILE *stream)
{
    fprintf(stream, "%s, for --%s\n", policy->name, policy->deals_tasks ? "dealing" : "rebalance");
    if (policy->summary[0])
        print_paragraph(policy->summary, 0, 0, width, stream);
    fputc('\n', stream);
    if (policy->deals_tasks)
        print_tasks(&policy->dealing, width, stream);
    else
        print_rules(&policy->balancing, width, stream);
    if (policy->source[0])
        print_labelled("Source", LABEL_COLUMNS, policy->source, width, stream);
    if (policy->missing[0])
        print_labelled("Missing there", LABEL_COLUMNS, policy->missing, width, stream);
}
