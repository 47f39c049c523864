// SPDX-License-Identifier: BSD-3-Clause
// Patterns, kinds of findings, machines and policies for people, made from nothing but what their
// files say.

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"

enum {
    LABEL_COLUMNS = 16,
    FIELD_COLUMNS = 13,
    MAX_ID_COLUMNS = 30,
    OPTION_COLUMNS = 13,
    SUBJECT_COLUMNS = 12,
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
        SCOPED char *paragraph = memory_format("%.*s", (int)length, text);
        fprintf(stream, "\n%*s", (int)indent, "");
        print_paragraph(paragraph, indent, indent, width, stream);
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
        print_field("trigger", pattern->trigger, width, stream);
        print_field("region", pattern->region, width, stream);
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

// --- kinds of findings

void finding_page_list(const struct finding_kind *kinds, size_t n, size_t width, FILE *stream)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns = list_column(columns, kinds[i].id);
    for (unsigned subject = 0; subject < N_FINDING_SUBJECTS; subject++) {
        for (size_t i = 0; i < n; i++) {
            if (kinds[i].subject != subject)
                continue;
            fprintf(stream, "%-*s%-*s", (int)columns, kinds[i].id, SUBJECT_COLUMNS,
                    finding_subject_names[subject]);
            print_paragraph(kinds[i].name, columns + SUBJECT_COLUMNS, columns + SUBJECT_COLUMNS,
                            width, stream);
        }
    }
}

static void print_remedy(const struct finding_remedy *remedy, size_t width, FILE *stream)
{
    SCOPED char *text = memory_format("%s: --%s%s%s", remedy->sentence, remedy->option,
                                      remedy->value ? " " : "", remedy->value ? remedy->value : "");
    if (remedy->when)
        text_append(&text, "; where %s", remedy->when);
    if (remedy->is_fallback)
        text_append(&text, "; if no other remedy saves much time");
    if (remedy->is_proof)
        text_append(&text,
                    "; a proof: if none saves time, the finding is of the next kind that applies");
    fputs("- ", stream);
    print_paragraph(text, 2, 2, width, stream);
}

void finding_page_one(const struct finding_kind *kind, size_t width, FILE *stream)
{
    fprintf(stream, "%s\n%s\n", kind->name, kind->id);
    print_paragraphs(kind->what, 0, width, stream);
    if (kind->hint[0] || kind->n_remedies > 0)
        fprintf(stream, "\nWhat to do\n");
    print_paragraphs(kind->hint, 0, width, stream);
    if (kind->n_remedies > 0)
        fputc('\n', stream);
    for (size_t i = 0; i < kind->n_remedies; i++)
        print_remedy(&kind->remedies[i], width, stream);
    fprintf(stream, "\nHow it is found\n\n");
    print_field("about", finding_subject_names[kind->subject], width, stream);
    print_field("order", quantity_format("%" PRIu64, kind->order).text, width, stream);
    print_field("ranks",
                kind->ranks == FINDING_RANKS_CAUSING ? "" : finding_ranks_names[kind->ranks], width,
                stream);
    print_field("calls", kind->calls ? kind->calls : "", width, stream);
    print_field("after", kind->after ? kind->after : "", width, stream);
    print_field("when", kind->when ? kind->when : "", width, stream);
    fputc('\n', stream);
    print_field("read from", kind->file, width, stream);
}

// --- tuning points

void tuning_page_list(const struct tuning *tunings, size_t n, size_t width, FILE *stream)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns = list_column(columns, tunings[i].id);
    for (size_t i = 0; i < n; i++) {
        fprintf(stream, "%-*s", (int)columns, tunings[i].id);
        print_paragraph(tunings[i].name, columns, columns, width, stream);
    }
}

void tuning_page_one(const struct tuning *tuning, size_t width, FILE *stream)
{
    fprintf(stream, "%s\n%s\n\n", tuning->name, tuning->id);
    print_remedy(&tuning->remedy, width, stream);
    fprintf(stream, "\nHow it is set\n\n");
    for (size_t i = 0; i < tuning->n_settings; i++) {
        SCOPED char *name = tuning_setting_name(&tuning->settings[i]);
        SCOPED char *text = memory_format("%s: %s", name, tuning->settings[i].text);
        fputs("- ", stream);
        print_paragraph(text, 2, 2, width, stream);
    }
    print_paragraphs(tuning->limits, 0, width, stream);
    fputc('\n', stream);
    SCOPED char *findings =
        spelling_list((const char *const *)tuning->findings, words_count(tuning->findings));
    print_field("findings", findings, width, stream);
    print_field("read from", tuning->file, width, stream);
}

// --- machines

/// Where all that is known of one thing goes.
struct sheet {
    FILE *stream;
    size_t width;
};

/// LABEL and a text as printf writes it, cleaned.
static void put(const struct sheet *sheet, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put(const struct sheet *sheet, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *text = memory_format_list(format, arguments);
    va_end(arguments);
    SCOPED char *clean = utf8_clean(text);
    print_labelled(label, LABEL_COLUMNS, clean, sheet->width, sheet->stream);
}

/// The scopes that have messages ("node, network, wan"); "-" without. The caller frees.
static char *scopes_text(const struct machine *machine)
{
    char *text = NULL;
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        if (machine->messages[scope].n_points > 0)
            text_append(&text, "%s%s", text ? ", " : "", machine_scope_names[scope]);
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        text_append(&text, ", %s", machine->custom_scopes[i].name); // a network precedes them
    return text ? text : memory_copy_text("-");
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
        SCOPED char *scopes = scopes_text(machine);
        SCOPED char *text =
            memory_format("%s; %s a node; messages: %s; %s", machine->summary,
                          quantity_count(machine->n_cores, "core").text, scopes,
                          quantity_count(count_operations(machine), "collective").text);
        print_labelled(machine->name, columns, text, width, stream);
    }
}

/// The quantiles of NOISE.
static void noise_append(char **text, const struct noise *noise)
{
    for (size_t i = 0; i < noise->n; i++) {
        const struct noise_quantile *quantile = &noise->quantiles[i];
        text_append(text, "%s%g %% at most x %g", i == 0 ? "; " : ", ",
                    100.0 * (double)quantile->share / NOISE_WHOLE,
                    (double)quantile->factor / NOISE_WHOLE);
        if (quantile->more_ns > 0)
            text_append(text, " + %s", quantity_time(quantile->more_ns).text);
    }
}

/// The messages of a scope as a sentence without its stop; the caller frees.
static char *messages_text(const struct machine_messages *messages)
{
    const struct machine_point *last = &messages->points[messages->n_points - 1];
    uint64_t long_ns = machine_message_ns(messages, 2 * (uint64_t)LONG_BYTES) -
                       machine_message_ns(messages, LONG_BYTES);
    char *text = memory_format("%s for %s", quantity_time(messages->points[0].time_ns).text,
                               quantity_size(messages->points[0].size_bytes).text);
    if (messages->n_points > 1)
        text_append(&text, ", %s for %s (%zu points)", quantity_time(last->time_ns).text,
                    quantity_size(last->size_bytes).text, messages->n_points);
    if (long_ns > 0 && long_ns < UINT64_MAX / 2)
        text_append(&text, ", %s/s beyond",
                    quantity_size((uint64_t)(LONG_BYTES * 1e9 / (double)long_ns)).text);
    if (messages->send_overhead_ns > 0 || messages->receive_overhead_ns > 0)
        text_append(&text, "; send %s, receive %s", quantity_time(messages->send_overhead_ns).text,
                    quantity_time(messages->receive_overhead_ns).text);
    if (messages->eager_bytes != UINT64_MAX)
        text_append(&text, "; eager up to %s", quantity_size(messages->eager_bytes).text);
    if (messages->n_buses > 0)
        text_append(&text, "; at most %" PRIu32 " at once", messages->n_buses);
    noise_append(&text, &messages->noise);
    return text;
}

static void put_messages(const struct sheet *sheet, const char *label, const char *scope,
                         const struct machine_messages *messages)
{
    SCOPED char *text = messages_text(messages);
    put(sheet, label, "%s%s%s", scope, *scope ? ": " : "", text);
}

static void print_messages(const struct sheet *sheet, const struct machine *machine)
{
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        if (machine->messages[scope].n_points > 0)
            put_messages(sheet, quantity_format("In the %s", machine_scope_names[scope]).text, "",
                         &machine->messages[scope]);
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        put_messages(sheet, "Messages", machine->custom_scopes[i].name,
                     &machine->custom_scopes[i].messages);
}

static void print_collectives(const struct sheet *sheet, const struct machine *machine)
{
    for (size_t i = 0; i < machine->n_collectives; i++) {
        const struct machine_collective *collective = &machine->collectives[i];
        bool has_from = collective->from_bytes > 0,
             has_below = collective->below_bytes < UINT64_MAX;
        bool has_both = collective->algorithm != ALGORITHM_FORMULA && collective->time_text;
        SCOPED char *more = memory_copy_text("");
        if (collective->scattered_text)
            text_append(&more, "; scattered: %s", collective->scattered_text);
        noise_append(&more, &collective->noise);
        put(sheet, i == 0 ? "Collectives" : "", "%s%s%s%s%s: %s%s%s%s",
            collective_operation_names[collective->operation], has_from ? " from " : "",
            has_from ? quantity_size(collective->from_bytes).text : "", has_below ? " below " : "",
            has_below ? quantity_size(collective->below_bytes).text : "",
            collective_algorithm_names[collective->algorithm], has_both ? ", " : "",
            collective->time_text ? collective->time_text : "", more);
    }
}

static void print_cores(const struct sheet *sheet, const struct machine *machine)
{
    if (machine->n_cores > 0)
        put(sheet, "Cores of a node", "%" PRIu32, machine->n_cores);
    if (machine->speed != PAG_WORK_PER_NS)
        put(sheet, "Speed", "%g", (double)machine->speed / PAG_WORK_PER_NS);
    if (machine->hand_over_ns > 0)
        put(sheet, "Hand-over", "%s to give a core to another process",
            quantity_time(machine->hand_over_ns).text);
    if (machine->slice_ns > 0)
        put(sheet, "Slice", "%s that a waiting rank keeps its core",
            quantity_time(machine->slice_ns).text);
    if (machine->out_links > 0 || machine->in_links > 0)
        put(sheet, "Links", "%" PRIu32 " out of a node, %" PRIu32 " into it (0: any)",
            machine->out_links, machine->in_links);
    if (machine->contention_text)
        put(sheet, "Contention", "c = %s in operations of groups", machine->contention_text);
}

/// What else the file has, counted.
static void print_others(const struct sheet *sheet, const struct machine *machine)
{
    const struct {
        size_t n;
        const char *noun;
    } others[] = {{machine->n_nodes, "node"},
                  {machine->n_groups, "group"},
                  {machine->n_regions, "region"},
                  {machine->n_computes, "cost of computing"},
                  {machine->n_noises, "noise of computing"}};
    SCOPED char *text = NULL;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].n > 0)
            text_append(&text, "%s%zu x %s", text ? ", " : "", others[i].n, others[i].noun);
    if (text)
        put(sheet, "Of their own", "%s", text);
}

static void print_origins(const struct sheet *sheet, const struct machine *machine)
{
    static const char *const labels[MACHINE_ORIGINS] = {
        "Source", "Missing there", "Measured", "Host",        "Processor",
        "MPI",    "Error: node",   "network",  "collectives", "Unsteady"};
    for (int i = 0; i < MACHINE_ORIGINS; i++)
        if (machine->origins[i] && machine->origins[i][0])
            put(sheet, labels[i], "%s", machine->origins[i]);
    if (machine->n_calibrated_members > 0)
        put(sheet, "Collectives of", "up to %" PRIu32 " ranks", machine->n_calibrated_members);
}

void machine_page_one(const struct machine *machine, size_t width, FILE *stream)
{
    const struct sheet sheet = {stream, width};
    SCOPED char *title = machine->summary[0]
                             ? memory_format("%s: %s", machine->name, machine->summary)
                             : memory_copy_text(machine->name);
    SCOPED char *clean = utf8_clean(title);
    print_paragraph(clean, 0, 0, width, stream);
    fputc('\n', stream);
    print_cores(&sheet, machine);
    print_messages(&sheet, machine);
    print_collectives(&sheet, machine);
    print_others(&sheet, machine);
    print_origins(&sheet, machine);
    put(&sheet, "Read from", "%s", machine->path);
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

/// A rule as a sentence ("when a rank is idle: the slowest gives work to it"); the caller frees.
static char *rule_text(const struct balancing_rule *rule)
{
    char *text =
        memory_copy_text(rule->at_idle ? "at polls and when a rank becomes idle" : "at polls");
    if (rule->has_lead)
        text_append(&text, ", if the fastest is more than %g %% ahead of the slowest",
                    (double)rule->lead / 10000);
    text_append(&text, ": %s gives ", role_text(rule->from));
    if (rule->share)
        text_append(&text, "%g %% of its ", (double)rule->share / 10000);
    text_append(&text, "work to %s", role_text(rule->to));
    if (rule->transfer_ns != PAG_NOT_KNOWN)
        text_append(&text, ", which takes %s", quantity_time(rule->transfer_ns).text);
    if (rule->return_ns != PAG_NOT_KNOWN)
        text_append(&text, ", its results %s", quantity_time(rule->return_ns).text);
    return text;
}

static void put_time(const struct sheet *sheet, const char *label, uint64_t time_ns,
                     const char *otherwise)
{
    put(sheet, label, "%s", time_ns == PAG_NOT_KNOWN ? otherwise : quantity_time(time_ns).text);
}

static void put_known_time(const struct sheet *sheet, const char *label, uint64_t time_ns)
{
    if (time_ns != PAG_NOT_KNOWN)
        put_time(sheet, label, time_ns, "");
}

static void print_rules(const struct sheet *sheet, const struct balancing_policy *balancing)
{
    for (size_t i = 0; i < balancing->n_rules; i++) {
        SCOPED char *text = rule_text(&balancing->rules[i]);
        put(sheet, quantity_format("Rule %zu", i + 1).text, "%s", text);
    }
    put_time(sheet, "Poll", balancing->poll_ns, "");
    put_time(sheet, "Transfer", balancing->transfer_ns, "as an empty message");
    put_time(sheet, "Return", balancing->return_ns, "");
    put_time(sheet, "Least given", balancing->least_ns, "the longer one of a poll and a transfer");
    put(sheet, "Free hosts", "%" PRIu32, balancing->n_free_hosts);
}

static void print_tasks(const struct sheet *sheet, const struct dealing *dealing)
{
    static const char *const orders[] = {"as they were recorded", "the longest first",
                                         "the shortest first"};
    static const char *const receivers[N_DEALING_TO] = {
        "the next free worker", "the workers in turn", "the workers in blocks",
        "the workers, one each in a round", "all workers, an equal part each"};
    static const char *const costs[N_FARM_COSTS] = {
        [FARM_TASK_FLIGHT] = "Task flight",
        [FARM_ANSWER_FLIGHT] = "Answer flight",
        [FARM_RECEIVE] = "Receive",
        [FARM_BEFORE] = "Before",
        [FARM_AFTER] = "After",
        [FARM_TAIL] = "Tail",
        [FARM_GAP] = "Gap",
    };
    put(sheet, "Tasks", "%s, for %s", orders[dealing->order], receivers[dealing->to]);
    for (size_t i = 0; i < dealing->n_weights; i++)
        put(sheet, quantity_format("Weight %zu", i + 1).text, "%" PRIu32, dealing->weights[i]);
    if (dealing->launch_ns > 0)
        put_known_time(sheet, "Launch", dealing->launch_ns);
    put_known_time(sheet, "Work", dealing->task_ns);
    for (size_t i = 0; i < N_FARM_COSTS; i++)
        put_known_time(sheet, costs[i], dealing->costs_ns[i]);
}

void policy_page_one(const struct policy *policy, size_t width, FILE *stream)
{
    const struct sheet sheet = {stream, width};
    fprintf(stream, "%s, for --%s\n", policy->name, policy->deals_tasks ? "dealing" : "rebalance");
    if (policy->summary[0])
        print_paragraph(policy->summary, 0, 0, width, stream);
    fputc('\n', stream);
    if (policy->deals_tasks)
        print_tasks(&sheet, &policy->dealing);
    else
        print_rules(&sheet, &policy->balancing);
    if (policy->source[0])
        put(&sheet, "Source", "%s", policy->source);
    if (policy->missing[0])
        put(&sheet, "Missing there", "%s", policy->missing);
}
