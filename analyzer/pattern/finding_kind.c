// SPDX-License-Identifier: BSD-3-Clause
// Reading kinds of findings (finding_kind.h), and choosing among them.
#include "analyzer/pattern/finding_kind.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/template.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

const char *const finding_subject_names[N_FINDING_SUBJECTS] = {
#define NAME(name) #name,
    FINDING_SUBJECTS(NAME)};
static const char *const numbers[N_FINDING_NUMBERS] = {FINDING_NUMBERS(NAME)};
const char *const finding_text_names[N_FINDING_TEXTS] = {FINDING_TEXTS(NAME)
#undef NAME
};

const char *const finding_ranks_names[N_FINDING_RANKS] = {"causing", "main",   "waiting",
                                                          "busiest", "sender", "heavy"};

// ---- reading

static int read_condition(const struct xml_source *source, const struct xml_element *element,
                          const char *text, char **copy, struct formula **condition)
{
    *copy = memory_copy_text(text);
    *condition = formula_new(text, numbers, N_FINDING_NUMBERS, source->err);
    return *condition ? 0 : XML_PLACE(source, element);
}

/// TEXT with single spaces, which must be a template of the facts of a finding.
static int read_template(const struct xml_source *source, const struct xml_element *element,
                         const char *text, char **copy)
{
    *copy = text_single_spaced(text, false);
    if (!**copy)
        return XML_ERROR(source, element, "<%s> is empty", element->name);
    if (template_check(*copy, finding_text_names, N_FINDING_TEXTS, source->err) == 0)
        return 0;
    return error_wrap(source->err, "%s:%u: <%s>", source->path, element->line, element->name);
}

/// Whether ELEMENT has the attribute NAME, which can only be "yes". 0, or -1.
static int read_yes(const struct xml_source *source, const struct xml_element *element,
                    const char *name, bool *is_set)
{
    const char *value = xml_attribute(element, name);
    *is_set = value != NULL;
    return !value || strcmp(value, "yes") == 0
               ? 0
               : XML_ERROR(source, element, "%s=\"%s\" can only be \"yes\"", name, value);
}

static int read_remedy(const struct xml_source *source, const struct xml_element *element,
                       struct finding_kind *kind)
{
    static const char *const known[] = {"option", "value", "when", "fallback", "proof", "limit"};
    const char *option = xml_attribute(element, "option"), *value = xml_attribute(element, "value");
    const char *when = xml_attribute(element, "when");
    kind->remedies = memory_resize(kind->remedies, kind->n_remedies + 1, sizeof *kind->remedies);
    struct finding_remedy *remedy = &kind->remedies[kind->n_remedies++];
    *remedy = (struct finding_remedy){.line = element->line};
    if (xml_check_attributes(source->path, element, known, 6, source->err) != 0 ||
        read_yes(source, element, "fallback", &remedy->is_fallback) != 0 ||
        read_yes(source, element, "limit", &remedy->is_limit) != 0 ||
        read_yes(source, element, "proof", &remedy->is_proof) != 0)
        return -1;
    if (!option)
        return XML_ERROR(source, element, "<remedy> needs option=\"...\", one of pagoda replay");
    remedy->option = memory_copy_text(option);
    if (value && read_template(source, element, value, &remedy->value) != 0)
        return -1;
    if (when && read_condition(source, element, when, &remedy->when, &remedy->condition) != 0)
        return -1;
    return read_template(source, element, element->text, &remedy->sentence);
}

static int read_part(const struct xml_source *source, const struct xml_element *element,
                     struct finding_kind *kind)
{
    static const char *const known[] = {"name", "when", "what", "hint", "remedy"};
    const char *name = element->name;
    if (element->n_children > 0)
        return XML_ERROR(source, element, "<%s> holds text only, no element '%s'", name,
                         element->children[0].name);
    if (strcmp(name, "remedy") == 0)
        return read_remedy(source, element, kind);
    char **text = strcmp(name, "name") == 0   ? &kind->name
                  : strcmp(name, "when") == 0 ? &kind->when
                  : strcmp(name, "what") == 0 ? &kind->what
                  : strcmp(name, "hint") == 0 ? &kind->hint
                                              : NULL;
    if (!text)
        return xml_refuse(source->path, element->line, "finding", "element", name, known, 5,
                          source->err);
    if (element->n_attributes > 0)
        return XML_ERROR(source, element, "<%s> has no attribute '%s'", name,
                         element->attributes[0].name);
    if (*text)
        return XML_ERROR(source, element, "<%s> is there twice", name);
    if (text == &kind->when)
        return read_condition(source, element, element->text, text, &kind->condition);
    return read_template(source, element, element->text, text);
}

static int read_subject(const struct xml_source *source, const struct xml_element *element,
                        struct finding_kind *kind)
{
    const char *about = xml_attribute(element, "about");
    for (unsigned i = 0; about && i < N_FINDING_SUBJECTS; i++) {
        if (strcmp(finding_subject_names[i], about) == 0) {
            kind->subject = (enum finding_subject)i;
            return 0;
        }
    }
    SCOPED char *all = spelling_list(finding_subject_names, N_FINDING_SUBJECTS);
    return XML_ERROR(source, element, "<finding> needs about=\"...\", one of %s%s", all,
                     about ? spelling_hint(about, finding_subject_names, N_FINDING_SUBJECTS,
                                           "; did you mean %s?", "")
                                 .text
                           : "");
}

static int read_kind(const struct xml_source *source, const struct xml_element *element,
                     struct finding_kind *kind)
{
    static const char *const known[] = {"id", "order", "about", "ranks", "calls", "after"};
    const char *calls = xml_attribute(element, "calls"), *after = xml_attribute(element, "after");
    const char *id = xml_attribute(element, "id");
    if (strcmp(element->name, "finding") != 0)
        return XML_ERROR(source, element, "<%s> is not a <finding>", element->name);
    if (xml_check_attributes(source->path, element, known, 6, source->err) != 0)
        return -1;
    if (!id || !text_is_id(id))
        return XML_ERROR(source, element,
                         "<finding> needs id=\"...\", lower-case words joined by hyphens");
    const char *ranks = xml_attribute(element, "ranks");
    while (ranks && kind->ranks < N_FINDING_RANKS &&
           strcmp(ranks, finding_ranks_names[kind->ranks]) != 0)
        kind->ranks++;
    if (kind->ranks == N_FINDING_RANKS)
        return XML_ERROR(source, element,
                         "ranks=\"%s\" can only be causing, main, waiting, busiest or sender",
                         ranks);
    kind->id = memory_copy_text(id);
    kind->file = memory_copy_text(source->path);
    kind->line = element->line;
    kind->calls = calls ? memory_copy_text(calls) : NULL;
    kind->after = after ? memory_copy_text(after) : NULL;
    if (xml_read_attribute(source->path, element, "order", option_read_count, &kind->order,
                           source->err) != 0 ||
        read_subject(source, element, kind) != 0)
        return -1;
    for (size_t i = 0; i < element->n_children; i++)
        if (read_part(source, &element->children[i], kind) != 0)
            return -1;
    if (!kind->name || !kind->what)
        return XML_ERROR(source, element, "finding '%s' needs <name> and <what>", id);
    if (!kind->hint)
        kind->hint = memory_copy_text("");
    return 0;
}

static void release_kind(struct finding_kind *kind)
{
    for (size_t i = 0; i < kind->n_remedies; i++) {
        struct finding_remedy *remedy = &kind->remedies[i];
        FREE_ALL(remedy->option, remedy->value, remedy->sentence, remedy->when);
        formula_free(remedy->condition);
    }
    FREE_ALL(kind->remedies, kind->id, kind->name, kind->file, kind->when, kind->calls,
             kind->after);
    formula_free(kind->condition);
    FREE_ALL(kind->what, kind->hint);
}

static int compare_kinds(const void *a, const void *b)
{
    const struct finding_kind *x = a, *y = b;
    return ORDER_BY(LESS_FIRST(x->order, y->order), strcmp(x->id, y->id));
}

int finding_kinds_read(struct finding_kinds *kinds, const char *path, struct error *err)
{
    struct xml_document *document = xml_read(path, err);
    struct finding_kind kind = {.order = 100};
    if (!document)
        return -1;
    const struct xml_source source = {path, err};
    int status =
        document->top.n_children == 1
            ? read_kind(&source, &document->top.children[0], &kind)
            : XML_ERROR(&source, &document->top, "a file of a finding holds one <finding>");
    xml_free(document);
    if (status != 0) {
        release_kind(&kind);
        return -1;
    }
    NAMED_PUT(kinds->kinds, kinds->n, kind, release_kind);
    qsort(kinds->kinds, kinds->n, sizeof *kinds->kinds, compare_kinds);
    return 0;
}

const struct finding_kind *finding_kinds_find(const struct finding_kinds *kinds, const char *id)
{
    size_t at = NAMED_FIND(kinds->kinds, kinds->n, id);
    return at < kinds->n ? &kinds->kinds[at] : NULL;
}

void finding_kinds_release(struct finding_kinds *kinds)
{
    for (size_t i = 0; i < kinds->n; i++)
        release_kind(&kinds->kinds[i]);
    free(kinds->kinds);
    *kinds = (struct finding_kinds){0};
}

// ---- choosing

/// Whether CONDITION holds; NULL always does. A formula keeps the values it is asked for, and
/// predictions in several threads ask at the same time.
static bool holds(struct formula *condition, const double values[N_FINDING_NUMBERS])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!condition)
        return true;
    pthread_mutex_lock(&lock);
    double value = formula_value(condition, values);
    pthread_mutex_unlock(&lock);
    return value != 0;
}

/// Whether one of the names in LIST (NULL: all) means the function NAME.
static bool has_name(const char *list, const char *name)
{
    if (!list || !name)
        return !list;
    char *names = memory_copy_text(list), *rest = NULL;
    bool is_there = false;
    for (char *wanted = strtok_r(names, " \t\n", &rest); wanted && !is_there;
         wanted = strtok_r(NULL, " \t\n", &rest))
        is_there = fnmatch(wanted, name, FNM_CASEFOLD) == 0;
    free(names);
    return is_there;
}

const struct finding_kind *finding_kind_of(const struct finding_kinds *kinds,
                                           enum finding_subject subject,
                                           const struct finding_calls *calls,
                                           const double values[N_FINDING_NUMBERS],
                                           const struct finding_kind *after)
{
    for (size_t i = after ? (size_t)(after - kinds->kinds) + 1 : 0; i < kinds->n; i++) {
        const struct finding_kind *kind = &kinds->kinds[i];
        if (kind->subject == subject && has_name(kind->calls, calls->name) &&
            has_name(kind->after, calls->before) && holds(kind->condition, values))
            return kind;
    }
    return NULL;
}

bool finding_remedy_applies(const struct finding_remedy *remedy,
                            const double values[N_FINDING_NUMBERS])
{
    return holds(remedy->condition, values);
}
