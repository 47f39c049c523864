// SPDX-License-Identifier: BSD-3-Clause
// Patterns, machines and policies for people, made from nothing but what their files say.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/report/explain.h"
#include "analyzer/report/table.h"

enum {
    LABEL_COLUMNS = 16,
    FIELD_COLUMNS = 13,
    MAX_ID_COLUMNS = 30,
    OPTION_COLUMNS = 13,
    LONG_BYTES = 1 << 24
};

// --- patterns

void pattern_page_tree(const struct catalogue *catalogue, size_t width, FILE *stream)
{
    size_t indent = 0; // of the summaries; an id that is longer has a line of its own
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        size_t columns = 2 * pattern->depth + strlen(pattern->id) + 2;
        if (columns > indent && columns <= MAX_ID_COLUMNS)
            indent = columns;
    }
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        int column = fprintf(stream, "%*s%s", (int)(2 * pattern->depth), "", pattern->id);
        if ((size_t)column + 2 > indent) {
            fputc('\n', stream);
            column = 0;
        }
        fprintf(stream, "%*s", (int)indent - column, "");
        print_paragraph(pattern->summary[0] ? pattern->summary : pattern->name, indent, indent,
                        width, stream);
    }
}

static void print_ancestors(const struct catalogue *catalogue, const struct pattern *pattern,
                            FILE *stream)
{
    if (pattern->parent_index == PATTERN_NONE)
        return;
    const struct pattern *parent = &catalogue->patterns[pattern->parent_index];
    print_ancestors(catalogue, parent, stream);
    fprintf(stream, "%s > ", parent->id);
}

/// Paragraphs (divided by empty lines) at INDENT; nothing for an empty text.
static void print_paragraphs(const char *text, size_t indent, size_t width, FILE *stream)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char *paragraph = memory_format("%.*s", (int)length, text);
        fprintf(stream, "\n%*s", (int)indent, "");
        print_paragraph(paragraph, indent, indent, width, stream);
        free(paragraph);
        text += length + (end ? 2 : 0);
    }
}

static void print_field(const char *label, const char *text, size_t width, FILE *stream)
{
    if (!text[0])
        return;
    print_labelled(label, FIELD_COLUMNS, text, width, stream);
}

void pattern_page_one(const struct catalogue *catalogue, uint32_t index, size_t width, FILE *stream)
{
    const struct pattern *pattern = &catalogue->patterns[index];
    fprintf(stream, "%s\n", pattern->name);
    print_ancestors(catalogue, pattern, stream);
    fprintf(stream, "%s\n", pattern->id);
    print_paragraphs(pattern->summary, 0, width, stream);
    print_paragraphs(pattern->description, 0, width, stream);
    if (pattern->diagnosis[0]) {
        fprintf(stream, "\nWhat to look for\n");
        print_paragraphs(pattern->diagnosis, 0, width, stream);
    }
    if (!pattern->is_abstract) {
        fprintf(stream, "\nHow it is found\n\n");
        print_field("formula", pattern->formula, width, stream);
        print_field("root", pattern->root, width, stream);
        if (pattern->is_within)
            print_field("within", catalogue->patterns[pattern->ancestor].id, width, stream);
        print_field("condition", pattern->condition, width, stream);
        print_field("wait", pattern->wait, width, stream);
        print_field("begin", pattern->begin, width, stream);
        print_field("cause", pattern->cause, width, stream);
        print_field("severity", pattern->severity, width, stream);
        print_field("confidence", pattern->confidence, width, stream);
        print_field("threshold", pattern->threshold, width, stream);
    }
    fprintf(stream, "\n");
    print_field("read from", pattern->file, width, stream);
}

// --- the manual

/// TEXT as one roff line: backslashes and hyphens escaped, control characters at the start guarded.
static void print_roff(const char *text, size_t length, FILE *stream)
{
    if (length && (text[0] == '.' || text[0] == '\''))
        fputs("\\&", stream);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\')
            fputs("\\e", stream);
        else if (text[i] == '-')
            fputs("\\-", stream);
        else
            fputc(text[i], stream);
    }
    fputc('\n', stream);
}

/// Paragraphs, one sentence a line as the manual's source has it.
static void print_roff_paragraphs(const char *text, const char *between, FILE *stream)
{
    while (*text) {
        const char *end = text;
        while (*end && *end != '\n' &&
               !((*end == '.' || *end == '?' || *end == ':') && end[1] == ' '))
            end++;
        size_t length = (size_t)(end - text) + (*end && *end != '\n');
        print_roff(text, length, stream);
        text += length;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(stream, "%s\n", between);
            text += 2;
        }
        text += *text == ' ';
    }
}

static void print_roff_labelled(const char *label, const char *text, FILE *stream)
{
    if (!text[0])
        return;
    fprintf(stream, ".br\n%s:\n", label);
    print_roff(text, strlen(text), stream);
}

void pattern_page_manual(const struct catalogue *catalogue, FILE *stream)
{
    fprintf(stream, ".SH CATALOGUE\n");
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        const struct pattern *pattern = &catalogue->patterns[i];
        fprintf(stream, ".SS ");
        print_roff(pattern->id, strlen(pattern->id), stream);
        print_roff_paragraphs(pattern->summary, ".PP", stream);
        if (pattern->parent[0]) {
            fprintf(stream, "Part of\n.BR ");
            fprintf(stream, "%s .\n", pattern->parent);
        }
        fprintf(stream, ".PP\n");
        print_roff_paragraphs(pattern->description, ".PP", stream);
        if (pattern->diagnosis[0]) {
            fprintf(stream, ".PP\n");
            print_roff_paragraphs(pattern->diagnosis, ".PP", stream);
        }
        if (pattern->is_abstract)
            continue;
        fprintf(stream, ".PP\nWait:\n");
        print_roff(pattern->formula, strlen(pattern->formula), stream);
        print_roff_labelled(
            "Confidence", strcmp(pattern->confidence, "1") == 0 ? "" : pattern->confidence, stream);
        print_roff_labelled("Shown from this share of the run time on", pattern->threshold, stream);
    }
}

// --- machines

/// Prints LABEL and TEXT, which is cleaned and freed.
static void print_and_free(const char *label, char *text, size_t width, FILE *stream)
{
    char *clean = utf8_clean(text);
    print_labelled(label, LABEL_COLUMNS, clean, width, stream);
    free(clean);
    free(text);
}

/// The scopes that have messages ("node, network, wan"); "-" without. The caller frees.
static char *scopes_text(const struct machine *machine)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    const char *between = "";
    for (int scope = 0; scope < MACHINE_SCOPES; scope++) {
        if (machine->messages[scope].n_points == 0)
            continue;
        fprintf(out, "%s%s", between, machine_scope_names[scope]);
        between = ", ";
    }
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        fprintf(out, ", %s", machine->custom_scopes[i].name); // behind a network
    fclose(out);
    if (text[0])
        return text;
    free(text);
    return memory_copy_text("-");
}

/// Collective operations with an element.
static size_t count_operations(const struct machine *machine)
{
    bool has[COLLECTIVE_OPERATIONS] = {false};
    size_t n = 0;
    for (size_t i = 0; i < machine->n_collectives; i++) {
        n += !has[machine->collectives[i].operation];
        has[machine->collectives[i].operation] = true;
    }
    return n;
}

void machine_page_list(const struct machine *machines, size_t n, size_t width, FILE *stream)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns = list_column(columns, machines[i].name);
    for (size_t i = 0; i < n; i++) {
        const struct machine *machine = &machines[i];
        char *scopes = scopes_text(machine);
        char *text = memory_format("%s; %s a node; messages: %s; %s", machine->summary,
                                   quantity_count(machine->n_cores, "core").text, scopes,
                                   quantity_count(count_operations(machine), "collective").text);
        print_labelled(machine->name, columns, text, width, stream);
        free(text);
        free(scopes);
    }
}

/// The messages of a scope as a sentence without its stop; the caller frees.
static char *messages_text(const struct machine_messages *messages)
{
    const struct machine_point *last = &messages->points[messages->n_points - 1];
    uint64_t long_ns = machine_message_ns(messages, 2 * (uint64_t)LONG_BYTES) -
                       machine_message_ns(messages, LONG_BYTES);
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    fprintf(out, "%s for %s", quantity_time(messages->points[0].time_ns).text,
            quantity_size(messages->points[0].size_bytes).text);
    if (messages->n_points > 1)
        fprintf(out, ", %s for %s (%zu points)", quantity_time(last->time_ns).text,
                quantity_size(last->size_bytes).text, messages->n_points);
    if (long_ns > 0 && long_ns < UINT64_MAX / 2)
        fprintf(out, ", %s/s beyond",
                quantity_size((uint64_t)(LONG_BYTES * 1e9 / (double)long_ns)).text);
    if (messages->send_overhead_ns > 0 || messages->receive_overhead_ns > 0)
        fprintf(out, "; send %s, receive %s", quantity_time(messages->send_overhead_ns).text,
                quantity_time(messages->receive_overhead_ns).text);
    if (messages->eager_bytes != UINT64_MAX)
        fprintf(out, "; eager up to %s", quantity_size(messages->eager_bytes).text);
    if (messages->n_buses > 0)
        fprintf(out, "; at most %" PRIu32 " at once", messages->n_buses);
    fclose(out);
    return text;
}

static void print_messages(const struct machine *machine, size_t width, FILE *stream)
{
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        if (machine->messages[scope].n_points > 0) {
            char *label = memory_format("In the %s", machine_scope_names[scope]);
            print_and_free(label, messages_text(&machine->messages[scope]), width, stream);
            free(label);
        }
    for (size_t i = 0; i < machine->n_custom_scopes; i++) {
        const struct machine_custom_scope *scope = &machine->custom_scopes[i];
        char *text = messages_text(&scope->messages);
        print_and_free("Messages", memory_format("%s: %s", scope->name, text), width, stream);
        free(text);
    }
}

static void print_collectives(const struct machine *machine, size_t width, FILE *stream)
{
    for (size_t i = 0; i < machine->n_collectives; i++) {
        const struct machine_collective *collective = &machine->collectives[i];
        char *from = collective->from_bytes == 0
                         ? memory_copy_text("")
                         : memory_format(" from %s", quantity_size(collective->from_bytes).text);
        char *below = collective->below_bytes == UINT64_MAX
                          ? memory_copy_text("")
                          : memory_format(" below %s", quantity_size(collective->below_bytes).text);
        bool has_both = collective->algorithm != ALGORITHM_FORMULA && collective->time_text;
        print_and_free(
            i == 0 ? "Collectives" : "",
            memory_format("%s%s%s: %s%s%s", collective_operation_names[collective->operation], from,
                          below, collective_algorithm_names[collective->algorithm],
                          has_both ? ", " : "", collective->time_text ? collective->time_text : ""),
            width, stream);
        free(from);
        free(below);
    }
}

static void print_cores(const struct machine *machine, size_t width, FILE *stream)
{
    if (machine->n_cores > 0)
        print_and_free("Cores of a node", memory_format("%" PRIu32, machine->n_cores), width,
                       stream);
    if (machine->speed != PAG_WORK_PER_NS)
        print_and_free("Speed", memory_format("%g", (double)machine->speed / PAG_WORK_PER_NS),
                       width, stream);
    if (machine->hand_over_ns > 0)
        print_and_free("Hand-over",
                       memory_format("%s to give a core to another process",
                                     quantity_time(machine->hand_over_ns).text),
                       width, stream);
    if (machine->slice_ns > 0)
        print_and_free("Slice",
                       memory_format("%s that a waiting rank keeps its core",
                                     quantity_time(machine->slice_ns).text),
                       width, stream);
    if (machine->out_links > 0 || machine->in_links > 0)
        print_and_free("Links",
                       memory_format("%" PRIu32 " out of a node, %" PRIu32 " into it (0: any)",
                                     machine->out_links, machine->in_links),
                       width, stream);
}

/// What else the file has, counted.
static void print_others(const struct machine *machine, size_t width, FILE *stream)
{
    const struct {
        size_t n;
        const char *noun;
    } others[] = {{machine->n_nodes, "node"},
                  {machine->n_groups, "group"},
                  {machine->n_regions, "region"},
                  {machine->n_computes, "cost of computing"}};
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].n > 0)
            fprintf(out, "%s%zu x %s", ftell(out) > 0 ? ", " : "", others[i].n, others[i].noun);
    fclose(out);
    if (text[0])
        print_and_free("Of their own", text, width, stream);
    else
        free(text);
}

static void print_origins(const struct machine *machine, size_t width, FILE *stream)
{
    static const char *const labels[MACHINE_ORIGINS] = {
        "Source", "Missing there", "Measured", "Host",        "Processor",
        "MPI",    "Error: node",   "network",  "collectives", "Unsteady"};
    for (int i = 0; i < MACHINE_ORIGINS; i++)
        if (machine->origins[i] && machine->origins[i][0])
            print_and_free(labels[i], memory_copy_text(machine->origins[i]), width, stream);
    if (machine->n_calibrated_members > 0)
        print_and_free("Collectives of",
                       memory_format("up to %" PRIu32 " ranks", machine->n_calibrated_members),
                       width, stream);
}

void machine_page_one(const struct machine *machine, size_t width, FILE *stream)
{
    char *title = machine->summary[0] ? memory_format("%s: %s", machine->name, machine->summary)
                                      : memory_copy_text(machine->name);
    char *clean = utf8_clean(title);
    print_paragraph(clean, 0, 0, width, stream);
    fputc('\n', stream);
    print_cores(machine, width, stream);
    print_messages(machine, width, stream);
    print_collectives(machine, width, stream);
    print_others(machine, width, stream);
    print_origins(machine, width, stream);
    print_and_free("Read from", memory_copy_text(machine->path), width, stream);
    free(clean);
    free(title);
}

// --- policies

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

static const char *role_text(enum balancing_role role)
{
    static const char *const texts[N_BALANCING_ROLES] = {
        [ROLE_SLOWEST] = "the slowest",
        [ROLE_FASTEST] = "the fastest",
        [ROLE_MOST_LEFT] = "the rank with most work left",
        [ROLE_LEAST_LEFT] = "the rank with least work left",
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
