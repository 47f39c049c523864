// SPDX-License-Identifier: BSD-3-Clause
// Reading kinds of findings (finding_kind.h), and choosing among them.
#include "analyzer/pattern/finding_kind.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/template.h"
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

static int read_condition(const struct element_reader *reader, const struct xml_element *element,
                          const char *text, struct formula **condition)
{
    if (text)
        *condition = formula_new(text, numbers, N_FINDING_NUMBERS, reader->err);
    return !text || *condition ? 0 : XML_PLACE(reader, element);
}

int finding_template_check(const struct element_reader *reader, const struct xml_element *element,
                           const char *name, const char *text)
{
    if (!text || template_check(text, finding_text_names, N_FINDING_TEXTS, reader->err) == 0)
        return 0;
    return error_wrap(reader->err, "%s:%u: <%s>", reader->path, element->line, name);
}

int finding_remedy_read(const struct element_reader *reader, const struct xml_element *element,
                        struct finding_remedy *remedy)
{
    *remedy = (struct finding_remedy){.line = element->line,
                                      .sentence = text_single_spaced(element->text, false)};
    const struct element_field fields[] = {{"option", FIELD_COPY, .value = &remedy->option},
                                           {"value", FIELD_COPY, .value = &remedy->value},
                                           {"when", FIELD_COPY, .value = &remedy->when},
                                           {"fallback", FIELD_YES, .value = &remedy->is_fallback},
                                           {"proof", FIELD_YES, .value = &remedy->is_proof},
                                           {"limit", FIELD_YES, .value = &remedy->is_limit}};
    if (ELEMENT_READ(reader, element, fields) != 0 ||
        element_read_parts(reader, element, NULL, 0, NULL, 0) != 0)
        return -1;
    if (!remedy->option)
        return XML_ERROR(reader, element, "<remedy> needs option=\"...\", one of pagoda replay");
    if (!*remedy->sentence)
        return XML_ERROR(reader, element, "<remedy> is empty");
    return finding_template_check(reader, element, "remedy", remedy->value) ||
                   read_condition(reader, element, remedy->when, &remedy->condition)
               ? -1
               : finding_template_check(reader, element, "remedy", remedy->sentence);
}

void finding_remedy_release(struct finding_remedy *remedy)
{
    FREE_ALL(remedy->option, remedy->value, remedy->sentence, remedy->when);
    formula_free(remedy->condition);
}

static int read_remedy(const struct element_reader *reader, const struct xml_element *element)
{
    struct finding_kind *kind = reader->into;
    return finding_remedy_read(reader, element, ARRAY_EXTEND(kind->remedies, kind->n_remedies));
}

static int read_kind(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {{"remedy", read_remedy}};
    struct finding_kind *kind = reader->into;
    unsigned subject = N_FINDING_SUBJECTS, ranks = FINDING_RANKS_CAUSING;
    const struct element_field fields[] = {
        {"id", FIELD_ID, .value = &kind->id},
        {"order", FIELD_VALUE, &kind->order, .read = option_read_count},
        {"about", FIELD_CHOICE, &subject, .choices = finding_subject_names,
         .most = N_FINDING_SUBJECTS},
        {"ranks", FIELD_CHOICE, &ranks, .choices = finding_ranks_names, .most = N_FINDING_RANKS},
        {"calls", FIELD_COPY, .value = &kind->calls},
        {"after", FIELD_COPY, .value = &kind->after}};
    enum { WHEN, NAME, WHAT, HINT, N_TEXTS };
    uint32_t lines[N_TEXTS] = {0};
    const struct element_text texts[N_TEXTS] = {
        [WHEN] = {"when", .text = &kind->when, .line = &lines[WHEN]},
        [NAME] = {"name", .text = &kind->name, .line = &lines[NAME]},
        [WHAT] = {"what", .text = &kind->what, .line = &lines[WHAT]},
        [HINT] = {"hint", .text = &kind->hint, .line = &lines[HINT]}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (subject == N_FINDING_SUBJECTS) {
        SCOPED char *all = spelling_list(finding_subject_names, N_FINDING_SUBJECTS);
        return XML_ERROR(reader, element, "<finding> needs about=\"...\", one of %s", all);
    }
    kind->subject = (enum finding_subject)subject;
    kind->ranks = (enum finding_ranks)ranks;
    kind->file = memory_copy_text(reader->path);
    kind->line = element->line;
    if (element_read_parts(reader, element, texts, N_TEXTS, kinds, 1) != 0)
        return -1;
    if (!kind->name || !kind->what)
        return XML_ERROR(reader, element, "finding '%s' needs <name> and <what>", kind->id);
    for (size_t i = 0; i < N_TEXTS; i++) {
        const struct xml_element at = {.line = lines[i]};
        const char *text = *texts[i].text;
        if (i == WHEN ? read_condition(reader, &at, text, &kind->condition)
                      : finding_template_check(reader, &at, texts[i].name, text))
            return -1;
    }
    if (!kind->hint)
        kind->hint = memory_copy_text("");
    return 0;
}

static void release_kind(struct finding_kind *kind)
{
    for (size_t i = 0; i < kind->n_remedies; i++)
        finding_remedy_release(&kind->remedies[i]);
    FREE_ALL(kind->remedies, kind->id, kind->name, kind->file, kind->when, kind->calls,
             kind->after);
    formula_free(kind->condition);
    FREE_ALL(kind->what, kind->hint);
}

int finding_kinds_read(struct finding_kinds *kinds, const char *path, struct error *err)
{
    struct xml_document *document;
    struct finding_kind kind = {.order = 100};
    const struct element_reader reader = {path, &kind, err};
    int status = element_read_file(&reader, "finding", "kind of findings", read_kind, &document);
    xml_free(document);
    if (status != 0) {
        release_kind(&kind);
        return -1;
    }
    NAMED_PUT(kinds->kinds, kinds->n, kind, release_kind);
    SORT_BY(kinds->kinds, kinds->n, LEAST(order), LEAST(id));
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

bool finding_kind_is_of_wait(const struct finding_kind *kind)
{
    bool is_any = false;
    for (size_t i = 0; i < kind->n_remedies; i++) {
        const char *value = kind->remedies[i].value;
        bool names_wait = value && (strstr(value, "{wait_") || strstr(value, "{collective_path}"));
        if (!names_wait && !kind->remedies[i].is_fallback)
            return false;
        is_any |= names_wait;
    }
    return is_any;
}

bool finding_kind_needs_proof(const struct finding_kind *kind)
{
    for (size_t i = 0; i < kind->n_remedies; i++)
        if (kind->remedies[i].is_proof)
            return true;
    return false;
}

bool finding_remedy_applies(const struct finding_remedy *remedy,
                            const double values[N_FINDING_NUMBERS])
{
    return holds(remedy->condition, values);
}
