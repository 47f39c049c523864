// SPDX-License-Identifier: BSD-3-Clause
// Patterns in the XML form of Kappa-Pi 2 (ASL: root event, instantiation of related events,
// constraints, exported values): Margalef, Jorba, Morajko, Morajko, Luque, "Different approaches to
// automatic performance analysis of distributed applications", in: Performance Analysis and Grid
// Computing, 2004, figure 1. What its events and their stamps mean at one of our trigger events is
// looked up, and the conditions are rewritten as the text of our own expressions.
#include "analyzer/pattern/pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { MAX_EVENTS = 16, MAX_VALUES = 16, MAX_WORD_BYTES = 48, MAX_TEXT_BYTES = 1500 };

/// What a name stands for: an end of the message, or the enter or leave of the call it is in.
enum role { ROLE_MESSAGE, ROLE_ENTER, ROLE_LEAVE };

struct related_event {
    char name[MAX_WORD_BYTES];
    enum role role;
    bool is_partner; // at the other end of the message than the trigger
};

struct value { // an exported COMPUTE
    char name[MAX_WORD_BYTES];
    char text[MAX_TEXT_BYTES];
};

/// Fields of the two kinds of trigger event by role; NULL where there is none.
static const struct form {
    const char *type, *partner_type; // as the form spells the ends of a message
    const char *trigger;             // our trigger event
    const char *stamps[2][3];        // [is_partner][role]
    const char *partner_rank;
} forms[] = {
    {"RECV",
     "SEND",
     "receive",
     {{NULL, "enter", "leave"}, {NULL, "send_enter", "send_leave"}},
     "sender"},
    {"SEND", "RECV", "send", {{NULL, "enter", "leave"}, {NULL, "post_enter", NULL}}, "receiver"},
};
enum { N_FORMS = sizeof(forms) / sizeof(forms[0]) };

struct translation {
    const struct element_reader *reader;
    const struct form *form;
    struct related_event events[MAX_EVENTS];
    size_t n_events;
    struct value values[MAX_VALUES];
    size_t n_values;
    char condition[MAX_TEXT_BYTES];
};

// ---- names and attributes, in whatever case and spacing ----

/// WORD without white space, in upper case.
static void normalise(const char *word, char *to)
{
    size_t n = 0;
    for (; *word && n + 1 < MAX_WORD_BYTES; word++)
        if (!strchr(" \t\r\n", *word))
            to[n++] = (char)toupper((unsigned char)*word);
    to[n] = '\0';
}

static const char *attribute(const struct xml_element *element, const char *name)
{
    for (size_t i = 0; i < element->n_attributes; i++)
        if (strcasecmp(element->attributes[i].name, name) == 0)
            return element->attributes[i].value;
    return NULL;
}

/// An attribute that must be there, normalised; and none but those KNOWN may be.
static int read_word(struct translation *t, const struct xml_element *element, const char *name,
                     char *word)
{
    const char *value = attribute(element, name);
    if (!value)
        return XML_ERROR(t->reader, element, "<%s> needs an attribute %s", element->name, name);
    normalise(value, word);
    return 0;
}

static int check_attributes(struct translation *t, const struct xml_element *element,
                            const char *const *known, size_t n_known)
{
    for (size_t i = 0; i < element->n_attributes; i++) {
        const char *name = element->attributes[i].name;
        bool is_known = false;
        for (size_t k = 0; k < n_known; k++)
            is_known |= strcasecmp(name, known[k]) == 0;
        if (is_known)
            continue;
        return element_refuse(t->reader, element, element->name, "attribute", name, known, n_known);
    }
    return 0;
}

// ---- events ----

static const struct related_event *find_event(const struct translation *t, const char *name)
{
    for (size_t i = 0; i < t->n_events; i++)
        if (strcmp(t->events[i].name, name) == 0)
            return &t->events[i];
    return NULL;
}

static int unknown_event(struct translation *t, const struct xml_element *element, const char *name)
{
    const char *known[MAX_EVENTS];
    for (size_t i = 0; i < t->n_events; i++)
        known[i] = t->events[i].name;
    return XML_ERROR(t->reader, element, "there is no event '%s' before this%s", name,
                     spelling_hint(name, known, t->n_events, ", did you mean '%s'?", "").text);
}

static int read_event(struct translation *t, const struct xml_element *element)
{
    static const char *const known[] = {"NAME", "TYPE", "TO", "FROM"};
    char name[MAX_WORD_BYTES], type[MAX_WORD_BYTES], other[MAX_WORD_BYTES];
    if (check_attributes(t, element, known, sizeof(known) / sizeof(known[0])) ||
        read_word(t, element, "NAME", name) || read_word(t, element, "TYPE", type))
        return -1;
    const char *reference = attribute(element, "TO");
    normalise(reference ? reference : "", other);
    if (!reference && read_word(t, element, "FROM", other))
        return -1;
    if (find_event(t, name))
        return XML_ERROR(t->reader, element, "the event '%s' is there twice", name);
    if (t->n_events == MAX_EVENTS)
        return XML_ERROR(t->reader, element, "more than %d events", MAX_EVENTS - 1);
    const struct related_event *from = find_event(t, other);
    if (!from)
        return unknown_event(t, element, other);
    if (from->role != ROLE_MESSAGE)
        return XML_ERROR(t->reader, element,
                         "'%s' must belong to the ROOT or to a send or receive, and "
                         "'%s' is none",
                         name, other);
    struct related_event *event = &t->events[t->n_events];
    *event = (struct related_event){.role = ROLE_MESSAGE, .is_partner = from->is_partner};
    memcpy(event->name, name, sizeof(name));
    if (strcmp(type, "ENTER") == 0)
        event->role = ROLE_ENTER;
    else if (strcmp(type, "LEAVE") == 0 || strcmp(type, "EXIT") == 0)
        event->role = ROLE_LEAVE;
    else if (strcmp(type, from->is_partner ? t->form->type : t->form->partner_type) == 0)
        event->is_partner = !from->is_partner;
    else
        return XML_ERROR(t->reader, element,
                         "an event of type '%s' is not known for '%s': there are "
                         "ENTER, LEAVE and %s",
                         type, other, from->is_partner ? t->form->type : t->form->partner_type);
    t->n_events++;
    return 0;
}

// ---- operands ----

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/// Rewrites an operand other than a type ("E1.stamp", "S1.size", "12", the name of a COMPUTE).
static int read_operand(struct translation *t, const struct xml_element *element, const char *name,
                        char *text)
{
    char word[MAX_WORD_BYTES];
    if (read_word(t, element, name, word))
        return -1;
    if (is_number(word)) {
        snprintf(text, MAX_TEXT_BYTES, "%s", word);
        return 0;
    }
    for (size_t i = 0; i < t->n_values; i++)
        if (strcmp(t->values[i].name, word) == 0) {
            snprintf(text, MAX_TEXT_BYTES, "(%s)", t->values[i].text);
            return 0;
        }
    char *property = strchr(word, '.');
    if (!property)
        return XML_ERROR(t->reader, element,
                         "'%s' is neither a number nor EVENT.property nor a value "
                         "computed before",
                         word);
    *property++ = '\0';
    const struct related_event *event = find_event(t, word);
    if (!event)
        return unknown_event(t, element, word);
    const char *field = NULL;
    if (strcmp(property, "STAMP") == 0)
        field = t->form->stamps[event->is_partner][event->role];
    else if (event->role == ROLE_MESSAGE && strcmp(property, "SIZE") == 0)
        field = "bytes";
    else if (event->role == ROLE_MESSAGE && strcmp(property, "TAG") == 0)
        field = "tag";
    else if (event->is_partner && strcmp(property, "RANK") == 0)
        field = t->form->partner_rank;
    if (!field)
        return XML_ERROR(t->reader, element,
                         "%s.%s cannot be evaluated: there are the stamp of an "
                         "ENTER or LEAVE, its type, and the size and tag of a message",
                         word, property);
    snprintf(text, MAX_TEXT_BYTES, "%s", field);
    return 0;
}

// ---- conditions and values ----

static int add_condition(struct translation *t, const struct xml_element *element, const char *text)
{
    size_t length = strlen(t->condition);
    int n = snprintf(t->condition + length, sizeof(t->condition) - length, "%s%s",
                     length ? " && " : "", text);
    if (n < 0 || (size_t)n >= sizeof(t->condition) - length)
        return XML_ERROR(t->reader, element, "the conditions are too long");
    return 0;
}

/// The type of an ENTER is that of its call: SEND or RECV, or WAIT where a call posted before is
/// completed. The partner's call is by definition the one that sends (or posts the receive).
static int read_type_condition(struct translation *t, const struct xml_element *element,
                               const struct related_event *event, bool is_equal)
{
    char type[MAX_WORD_BYTES];
    if (read_word(t, element, "OP2", type))
        return -1;
    const char *own = event->is_partner ? t->form->partner_type : t->form->type;
    bool is_own = strcmp(type, own) == 0;
    if (event->role == ROLE_MESSAGE || event->is_partner) {
        if (is_own != is_equal)
            return XML_ERROR(t->reader, element, "the condition can never hold: %s is always a %s",
                             event->name, own);
        return 0;
    }
    if (!is_own && strcmp(type, "WAIT") != 0)
        return XML_ERROR(t->reader, element, "the type of %s is %s or WAIT, never '%s'",
                         event->name, own, type);
    return add_condition(t, element,
                         is_own == is_equal ? "is_nonblocking == 0" : "is_nonblocking == 1");
}

static int read_condition(struct translation *t, const struct xml_element *element)
{
    static const char *const known[] = {"TYPE", "OP1", "OP2"};
    static const char *const signs[][2] = {
        {"=", "=="},  {"==", "=="}, {"EQ", "=="}, {"!=", "!="}, {"<>", "!="},
        {"NE", "!="}, {">", ">"},   {"GT", ">"},  {"<", "<"},   {"LT", "<"},
        {">=", ">="}, {"GE", ">="}, {"<=", "<="}, {"LE", "<="},
    };
    char type[MAX_WORD_BYTES], first[MAX_WORD_BYTES];
    if (check_attributes(t, element, known, sizeof(known) / sizeof(known[0])) ||
        read_word(t, element, "TYPE", type) || read_word(t, element, "OP1", first))
        return -1;
    const char *sign = NULL;
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strcmp(signs[i][0], type) == 0)
            sign = signs[i][1];
    if (!sign)
        return XML_ERROR(t->reader, element, "'%s' is not a comparison", type);
    char *property = strchr(first, '.');
    if (property && strcmp(property, ".TYPE") == 0) {
        *property = '\0';
        const struct related_event *event = find_event(t, first);
        if (!event)
            return unknown_event(t, element, first);
        if (strcmp(sign, "==") != 0 && strcmp(sign, "!=") != 0)
            return XML_ERROR(t->reader, element, "types can only be equal or not");
        return read_type_condition(t, element, event, strcmp(sign, "==") == 0);
    }
    char left[MAX_TEXT_BYTES], right[MAX_TEXT_BYTES], text[2 * MAX_TEXT_BYTES + 8];
    if (read_operand(t, element, "OP1", left) || read_operand(t, element, "OP2", right))
        return -1;
    snprintf(text, sizeof(text), "%s %s %s", left, sign, right);
    return add_condition(t, element, text);
}

static int read_compute(struct translation *t, const struct xml_element *element)
{
    static const char *const known[] = {"NAME", "AS", "OP1", "OP2"};
    static const char *const operations[][2] = {{"+", "%s + %s"},       {"-", "%s - %s"},
                                                {"*", "%s * %s"},       {"/", "%s / %s"},
                                                {"MIN", "min(%s, %s)"}, {"MAX", "max(%s, %s)"}};
    if (t->n_values == MAX_VALUES)
        return XML_ERROR(t->reader, element, "more than %d values are computed", MAX_VALUES);
    struct value *value = &t->values[t->n_values];
    char operation[MAX_WORD_BYTES], left[MAX_TEXT_BYTES], right[MAX_TEXT_BYTES];
    if (check_attributes(t, element, known, sizeof(known) / sizeof(known[0])) ||
        read_word(t, element, "NAME", value->name) || read_word(t, element, "AS", operation) ||
        read_operand(t, element, "OP1", left) || read_operand(t, element, "OP2", right))
        return -1;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(operations[i][0], operation) != 0)
            continue;
        int n = snprintf(value->text, sizeof(value->text), operations[i][1], left, right);
        if (n < 0 || (size_t)n >= sizeof(value->text))
            return XML_ERROR(t->reader, element, "the value is too long");
        t->n_values++;
        return 0;
    }
    return XML_ERROR(t->reader, element, "'%s' is not an operation; there are + - * / MIN MAX",
                     operation);
}

// ---- the pattern ----

static int read_root_type(struct translation *t, const struct xml_element *element)
{
    char type[MAX_WORD_BYTES];
    normalise(element->text, type);
    for (size_t i = 0; i < N_FORMS; i++)
        if (strcmp(forms[i].type, type) == 0)
            t->form = &forms[i];
    if (!t->form)
        return XML_ERROR(t->reader, element,
                         "the root event '%s' is not known; there are RECV and SEND", type);
    t->events[t->n_events++] = (struct related_event){.name = "ROOT", .role = ROLE_MESSAGE};
    return 0;
}

/// Reads the children of a section; all must have the same name.
static int read_section(struct translation *t, const struct xml_element *section,
                        const char *child_name,
                        int (*read)(struct translation *, const struct xml_element *))
{
    for (size_t i = 0; i < section->n_children; i++) {
        const struct xml_element *child = &section->children[i];
        if (strcasecmp(child->name, child_name) != 0)
            return XML_ERROR(t->reader, child, "<%s> holds <%s> only, not <%s>", section->name,
                             child_name, child->name);
        if (read(t, child))
            return -1;
    }
    return 0;
}

/// The sections in the order in which they refer to each other, wherever they stand.
static int read_sections(struct translation *t, const struct xml_element *pattern)
{
    enum { ROOT_TYPE, INSTANTIATION, CONSTRAINT, EXPORT, N_SECTIONS };
    static const char *const names[N_SECTIONS] = {"ROOTTYPE", "INSTANTIATION", "CONSTRAINT",
                                                  "EXPORT"};
    const struct xml_element *sections[N_SECTIONS] = {0};
    for (size_t i = 0; i < pattern->n_children; i++) {
        const struct xml_element *child = &pattern->children[i];
        size_t k = 0;
        while (k < N_SECTIONS && strcasecmp(child->name, names[k]) != 0)
            k++;
        if (k == N_SECTIONS)
            return element_refuse(t->reader, child, pattern->name, "element", child->name, names,
                                  N_SECTIONS);
        if (sections[k])
            return XML_ERROR(t->reader, child, "<%s> is there twice", child->name);
        sections[k] = child;
    }
    if (!sections[ROOT_TYPE] || !sections[EXPORT])
        return XML_ERROR(t->reader, pattern, "<%s> needs an element <%s>", pattern->name,
                         sections[ROOT_TYPE] ? "EXPORT" : "ROOTTYPE");
    if (read_root_type(t, sections[ROOT_TYPE]) ||
        (sections[INSTANTIATION] &&
         read_section(t, sections[INSTANTIATION], "EVENT", read_event)) ||
        (sections[CONSTRAINT] && read_section(t, sections[CONSTRAINT], "COND", read_condition)) ||
        read_section(t, sections[EXPORT], "COMPUTE", read_compute))
        return -1;
    if (!t->n_values)
        return XML_ERROR(t->reader, sections[EXPORT],
                         "<EXPORT> needs a <COMPUTE>: the first one is the wait");
    return 0;
}

/// "Late Sender" -> "late-sender": letters and digits in lower case, one hyphen for all between.
static char *id_from_name(const char *name)
{
    char *id = memory_new(strlen(name) + 1);
    size_t n = 0;
    for (; *name; name++) {
        if (isalnum((unsigned char)*name))
            id[n++] = (char)tolower((unsigned char)*name);
        else if (n && id[n - 1] != '-')
            id[n++] = '-';
    }
    id[n && id[n - 1] == '-' ? n - 1 : n] = '\0';
    return id;
}

int kappa_pi_read(const struct element_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"NAME"};
    SCOPED struct translation *t = memory_zeroed(1, sizeof(*t));
    struct pattern *pattern = reader->into;
    t->reader = reader;
    const char *name = attribute(element, "NAME");
    int failure;
    if (!name && attribute(element, "id"))
        failure = XML_ERROR(reader, element, "<%s> must be written <pattern>", element->name);
    else if (!name)
        failure = XML_ERROR(reader, element, "<%s> needs an attribute Name", element->name);
    else
        failure = check_attributes(t, element, known, 1) || read_sections(t, element) ? -1 : 0;
    if (!failure) {
        pattern->is_brief = true;
        pattern->name = text_single_spaced(name, false);
        pattern->id = id_from_name(pattern->name);
        pattern->parent = memory_copy_text("");
        pattern->trigger = memory_copy_text(t->form->trigger);
        pattern->condition = memory_copy_text(t->condition);
        pattern->wait = memory_copy_text(t->values[0].text);
        pattern->formula = memory_copy_text(t->values[0].text);
        pattern->unit = memory_copy_text("ns");
        pattern->cause = memory_copy_text(t->form->partner_rank);
        if (!text_is_id(pattern->id))
            failure = XML_ERROR(reader, element, "the name '%.70s' gives no id", pattern->name);
    }
    return failure;
}
