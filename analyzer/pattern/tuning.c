// SPDX-License-Identifier: BSD-3-Clause
// Reading tuning points (tuning.h), and choosing the setting for an MPI library.
#include "analyzer/pattern/tuning.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/elements.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum {
#define LIBRARY(name, title) LIBRARY_##name,
    TUNING_LIBRARIES(LIBRARY)
#undef LIBRARY
        N_LIBRARIES
};
static const char *const library_names[N_LIBRARIES] = {
#define NAME(name, title) #name,
    TUNING_LIBRARIES(NAME)
#undef NAME
};
static const char *const library_titles[N_LIBRARIES] = {
#define TITLE(name, title) title,
    TUNING_LIBRARIES(TITLE)
#undef TITLE
};

// ---- reading

/// VERSION, if there is one, is numbers joined by points.
static int check_version(const struct element_reader *reader, const struct xml_element *element,
                         const char *attribute, const char *version)
{
    if (!version || (strspn(version, "0123456789.") == strlen(version) && version[0] != '.'))
        return 0;
    return XML_ERROR(reader, element, "%s=\"%s\": a version is numbers joined by points, as 4.1",
                     attribute, version);
}

static int read_remedy(const struct element_reader *reader, const struct xml_element *element)
{
    struct tuning *tuning = reader->into;
    if (tuning->remedy.option)
        return XML_ERROR(reader, element, "a second <remedy>: a tuning point has one");
    if (finding_remedy_read(reader, element, &tuning->remedy) != 0)
        return -1;
    return tuning->remedy.is_proof
               ? XML_ERROR(reader, element, "proof is for remedies in a kind of findings")
               : 0;
}

static int read_setting(const struct element_reader *reader, const struct xml_element *element)
{
    struct tuning *tuning = reader->into;
    struct tuning_setting *setting = ARRAY_EXTEND(tuning->settings, tuning->n_settings);
    *setting = (struct tuning_setting){.library = N_LIBRARIES,
                                       .text = text_single_spaced(element->text, false)};
    const struct element_field fields[] = {
        {"library", FIELD_CHOICE, &setting->library, .choices = library_names, .most = N_LIBRARIES},
        {"from", FIELD_COPY, .value = &setting->from},
        {"before", FIELD_COPY, .value = &setting->before},
        {"build", FIELD_COPY, .value = &setting->build}};
    if (ELEMENT_READ(reader, element, fields) != 0 ||
        element_read_parts(reader, element, NULL, 0, NULL, 0) != 0)
        return -1;
    if (setting->library == N_LIBRARIES) {
        SCOPED char *all = spelling_list(library_names, N_LIBRARIES);
        return XML_ERROR(reader, element, "<setting> needs library=\"...\", one of %s", all);
    }
    if (!*setting->text)
        return XML_ERROR(reader, element, "<setting> is empty");
    if (check_version(reader, element, "from", setting->from) != 0 ||
        check_version(reader, element, "before", setting->before) != 0)
        return -1;
    return finding_template_check(reader, element, "setting", setting->text);
}

/// The words of TEXT, for words_free().
static char **words_of(const char *text)
{
    char **words = NULL, *rest = NULL;
    SCOPED char *copy = memory_copy_text(text);
    for (char *word = strtok_r(copy, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
        words_add(&words, word);
    return words;
}

static int read_tuning(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {{"remedy", read_remedy}, {"setting", read_setting}};
    struct tuning *tuning = reader->into;
    const char *findings = "";
    const struct element_field fields[] = {{"id", FIELD_ID, .value = &tuning->id},
                                           {"findings", FIELD_NAME, .value = &findings}};
    const struct element_text texts[] = {{"name", .text = &tuning->name},
                                         {"limits", .text = &tuning->limits}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    tuning->findings = words_of(findings);
    tuning->file = memory_copy_text(reader->path);
    tuning->line = element->line;
    if (element_read_parts(reader, element, texts, 2, kinds, 2) != 0)
        return -1;
    if (!tuning->name || !tuning->remedy.option || tuning->n_settings == 0)
        return XML_ERROR(reader, element, "tuning '%s' needs <name>, <remedy> and <setting>",
                         tuning->id);
    if (!tuning->limits)
        tuning->limits = memory_copy_text("");
    return 0;
}

static void release_tuning(struct tuning *tuning)
{
    for (size_t i = 0; i < tuning->n_settings; i++) {
        struct tuning_setting *setting = &tuning->settings[i];
        FREE_ALL(setting->from, setting->before, setting->build, setting->text);
    }
    finding_remedy_release(&tuning->remedy);
    words_free(tuning->findings);
    FREE_ALL(tuning->settings, tuning->id, tuning->name, tuning->file, tuning->limits);
}

int tunings_read(struct tunings *tunings, const char *path, struct error *err)
{
    struct xml_document *document;
    struct tuning tuning = {0};
    const struct element_reader reader = {path, &tuning, err};
    int status = element_read_file(&reader, "tuning", "tuning point", read_tuning, &document);
    xml_free(document);
    if (status != 0) {
        release_tuning(&tuning);
        return -1;
    }
    NAMED_PUT(tunings->items, tunings->n, tuning, release_tuning);
    qsort(tunings->items, tunings->n, sizeof *tunings->items, text_compare);
    return 0;
}

int tunings_check(const struct tunings *tunings, const struct finding_kinds *kinds,
                  struct error *err)
{
    for (size_t i = 0; i < tunings->n; i++)
        for (char **id = tunings->items[i].findings; id && *id; id++) {
            bool is_known = false;
            for (size_t k = 0; k < kinds->n && !is_known; k++)
                is_known = fnmatch(*id, kinds->kinds[k].id, 0) == 0;
            if (is_known)
                continue;
            SCOPED const char **known = NAMED_NAMES(kinds->kinds, kinds->n);
            return error_set(err, "%s:%u: there is no kind of findings '%s'%s",
                             tunings->items[i].file, tunings->items[i].line, *id,
                             spelling_hint(*id, known, kinds->n, ", did you mean '%s'?",
                                           " (pagoda explain findings lists them)")
                                 .text);
        }
    return 0;
}

const struct tuning *tunings_find(const struct tunings *tunings, const char *id)
{
    size_t at = NAMED_FIND(tunings->items, tunings->n, id);
    return at < tunings->n ? &tunings->items[at] : NULL;
}

void tunings_release(struct tunings *tunings)
{
    for (size_t i = 0; i < tunings->n; i++)
        release_tuning(&tunings->items[i]);
    free(tunings->items);
    *tunings = (struct tunings){0};
}

// ---- choosing

bool tuning_is_for(const struct tuning *tuning, const char *kind)
{
    for (char **id = tuning->findings; id && *id; id++)
        if (fnmatch(*id, kind, 0) == 0)
            return true;
    return false;
}

/// Whether the version A is below B; what is missing at an end is 0.
static bool is_below(const char *a, const char *b)
{
    while (*a || *b) {
        char *rest_a, *rest_b;
        unsigned long x = strtoul(a, &rest_a, 10), y = strtoul(b, &rest_b, 10);
        if (x != y)
            return x < y;
        a = *rest_a == '.' ? rest_a + 1 : "";
        b = *rest_b == '.' ? rest_b + 1 : "";
    }
    return false;
}

/// VERSION: the library's own text, in which the first number is its version.
static bool fits(const struct tuning_setting *setting, const char *version)
{
    const char *number = version ? strpbrk(version, "0123456789") : NULL;
    if (!number)
        return true;
    return !(setting->from && is_below(number, setting->from)) &&
           !(setting->before && !is_below(number, setting->before)) &&
           !(setting->build && !strstr(version, setting->build));
}

char *tuning_text(const struct tuning *tuning, const char *library, const char *version)
{
    char *all = NULL;
    for (size_t i = 0; i < tuning->n_settings; i++) {
        const struct tuning_setting *setting = &tuning->settings[i];
        if (!library || !*library) {
            SCOPED char *name = tuning_setting_name(setting);
            text_append(&all, "%s%s: %s", all ? "; " : "", name, setting->text);
        } else if (strcmp(library_names[setting->library], library) == 0 &&
                   fits(setting, version)) {
            return memory_copy_text(setting->text);
        }
    }
    return all;
}

char *tuning_setting_name(const struct tuning_setting *setting)
{
    char *name = memory_copy_text(library_titles[setting->library]);
    if (setting->from)
        text_append(&name, " from %s", setting->from);
    if (setting->before)
        text_append(&name, " before %s", setting->before);
    if (setting->build)
        text_append(&name, " with %s", setting->build);
    return name;
}

const char *tuning_library_name(const struct tuning_setting *setting)
{
    return library_names[setting->library];
}
