// SPDX-License-Identifier: BSD-3-Clause
// Loading: read the shipped files and the user's, let the user's replace, put the hierarchy in
// order (depth first, so that parents come before children), compile what each pattern says.
#include "analyzer/pattern/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/format/template.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/pattern/expression.h"

enum { MAX_PATTERNS = 1000, MAX_DEPTH = 32 };

// ---- reading ----

static uint32_t find(const struct pattern *patterns, size_t n, const char *id)
{
    size_t at = NAMED_FIND(patterns, n, id);
    return at < n ? (uint32_t)at : PATTERN_NONE;
}

static int read_shipped(const char *directory, struct pattern_list *list, struct error *err)
{
    char **files = folder_files(directory, ".xml", err);
    int failure = 0;
    if (!files)
        return -1;
    if (!*files)
        failure = error_set(err, "%s: there are no patterns (*.xml) in this folder", directory);
    for (char **file = files; *file && !failure; file++) {
        size_t first = list->n_patterns;
        failure = catalogue_file_read(*file, list, err);
        for (size_t k = first; k < list->n_patterns && !failure; k++) {
            const struct pattern *pattern = &list->patterns[k];
            uint32_t same = find(list->patterns, first, pattern->id);
            if (same != PATTERN_NONE)
                failure = error_set(err, "%s:%u: pattern '%s' is also in %s:%u", pattern->file,
                                    pattern->line, pattern->id, list->patterns[same].file,
                                    list->patterns[same].line);
        }
    }
    for (size_t i = 0; i < list->n_patterns; i++)
        list->patterns[i].is_shipped = true;
    words_free(files);
    return failure;
}

/// A pattern in the brief form has no place for texts: it keeps those of the one it replaces.
static void inherit_texts(struct pattern *to, struct pattern *from)
{
    char **texts[][2] = {
        {&to->parent, &from->parent},         {&to->name, &from->name},
        {&to->summary, &from->summary},       {&to->description, &from->description},
        {&to->diagnosis, &from->diagnosis},   {&to->hint, &from->hint},
        {&to->severity, &from->severity},     {&to->threshold, &from->threshold},
        {&to->confidence, &from->confidence}, {&to->cause, &from->cause},
    };
    if (from->is_abstract || strcmp(to->trigger, from->trigger) != 0)
        return;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char *text = *texts[i][0];
        *texts[i][0] = *texts[i][1];
        *texts[i][1] = text;
    }
}

static int read_extra(const char *path, struct pattern_list *list, struct error *err)
{
    struct pattern_list extra = {0};
    int failure = catalogue_file_read(path, &extra, err);
    for (size_t i = 0; i < extra.n_patterns && !failure; i++) {
        struct pattern *pattern = &extra.patterns[i];
        uint32_t same = find(list->patterns, list->n_patterns, pattern->id);
        if (same == PATTERN_NONE) {
            *ARRAY_NEXT(list->patterns, list->n_patterns, list->capacity) = *pattern;
        } else {
            struct pattern *replaced = &list->patterns[same];
            if (pattern->is_brief)
                inherit_texts(pattern, replaced);
            pattern->is_shipped = replaced->is_shipped;
            pattern_release(replaced);
            *replaced = *pattern;
        }
        *pattern = (struct pattern){0};
    }
    for (size_t i = 0; i < extra.n_patterns; i++)
        pattern_release(&extra.patterns[i]);
    free(extra.patterns);
    return failure;
}

// ---- hierarchy ----

static int unknown_parent(const struct pattern_list *list, const struct pattern *pattern,
                          struct error *err)
{
    SCOPED const char **ids = NAMED_NAMES(list->patterns, list->n_patterns);
    return error_set(
        err, "%s:%u: the parent '%s' of pattern '%s' does not exist%s", pattern->file,
        pattern->line, pattern->parent, pattern->id,
        spelling_hint(pattern->parent, ids, list->n_patterns, ", did you mean '%s'?", "").text);
}

/// Follows the parents of each pattern; with FIND_CYCLES tells those that lead back to it, else
/// those that lead too far up.
static int follow_parents(const struct pattern_list *list, bool find_cycles, struct error *err)
{
    for (size_t i = 0; i < list->n_patterns; i++) {
        const struct pattern *pattern = &list->patterns[i], *above = pattern;
        for (int depth = 0; above->parent[0] && depth < MAX_DEPTH; depth++) {
            uint32_t parent = find(list->patterns, list->n_patterns, above->parent);
            if (parent == PATTERN_NONE)
                return unknown_parent(list, above, err);
            above = &list->patterns[parent];
            if (find_cycles && above == pattern)
                return error_set(err, "%s:%u: pattern '%s' is its own ancestor by its parent '%s'",
                                 pattern->file, pattern->line, pattern->id, pattern->parent);
        }
        if (!find_cycles && above->parent[0])
            return error_set(err, "%s:%u: pattern '%s' has more than %d ancestors", pattern->file,
                             pattern->line, pattern->id, MAX_DEPTH);
    }
    return 0;
}

static int check_parents(const struct pattern_list *list, struct error *err)
{
    if (list->n_patterns > MAX_PATTERNS)
        return error_set(err, "%s: there are more than %d patterns",
                         list->patterns[MAX_PATTERNS].file, MAX_PATTERNS);
    return follow_parents(list, true, err) || follow_parents(list, false, err) ? -1 : 0;
}

/// Moves the children of a pattern, and theirs, from the list (sorted by id) to the catalogue.
static void move_children(struct pattern_list *list, const char *parent, uint32_t parent_index,
                          struct catalogue *catalogue)
{
    for (size_t i = 0; i < list->n_patterns; i++) {
        struct pattern *from = &list->patterns[i];
        if (!from->id || strcmp(from->parent, parent) != 0)
            continue;
        uint32_t index = (uint32_t)catalogue->n_patterns++;
        struct pattern *pattern = &catalogue->patterns[index];
        *pattern = *from;
        *from = (struct pattern){0};
        const struct pattern *above =
            parent_index == PATTERN_NONE ? NULL : &catalogue->patterns[parent_index];
        pattern->parent_index = parent_index;
        pattern->depth = above ? above->depth + 1 : 0;
        pattern->ancestor = !above               ? PATTERN_NONE
                            : above->is_abstract ? above->ancestor
                                                 : parent_index;
        pattern->is_counted =
            !pattern->is_abstract && pattern->is_shipped && pattern->ancestor == PATTERN_NONE;
        move_children(list, pattern->id, index, catalogue);
    }
}

// ---- compiling ----

const char *const pattern_fact_names[N_PATTERN_FACTS] = {
#define NAME(name) #name,
    PATTERN_FACTS(NAME)
#undef NAME
};

/// Where an element is in the pattern's file; the pattern itself where it is not.
static uint32_t line_of(const struct pattern *pattern, const char *element)
{
    const struct {
        const char *name;
        uint32_t line;
    } lines[] = {
#define LINE(element, need) {#element, pattern->lines.element},
        PATTERN_ELEMENTS(LINE)
#undef LINE
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (!strcmp(lines[i].name, element) && lines[i].line > 0)
            return lines[i].line;
    return pattern->line;
}

static int in_element(const struct pattern *pattern, const char *element, struct error *err)
{
    return error_wrap(err, "%s:%u: <%s> of pattern '%s'", pattern->file, line_of(pattern, element),
                      element, pattern->id);
}

static int compile(const struct pattern *pattern, const char *element, const char *text,
                   const struct expression_scope *scope, struct expression *expression,
                   struct error *err)
{
    if (expression_compile(text, scope, expression, err))
        return in_element(pattern, element, err);
    return 0;
}

static int set_trigger(const struct catalogue *catalogue, struct pattern *pattern,
                       struct error *err)
{
    const char *kinds[TRIGGER_KINDS];
    for (size_t i = 0; i < TRIGGER_KINDS; i++)
        kinds[i] = trigger_kind_name((enum trigger_kind)i);
    if (!trigger_kind_find(pattern->trigger, &pattern->trigger_kind)) {
        const char *nearest = spelling_nearest(pattern->trigger, kinds, TRIGGER_KINDS);
        error_set(err, "there is no kind of trigger event '%s', did you mean '%s'?",
                  pattern->trigger, nearest ? nearest : kinds[0]);
        return in_element(pattern, "trigger", err);
    }
    bool is_of_region = pattern->trigger_kind == TRIGGER_REGION;
    if (is_of_region != (pattern->region[0] != '\0'))
        return error_set(err, "%s:%u: pattern '%s' %s", pattern->file, line_of(pattern, "trigger"),
                         pattern->id,
                         is_of_region ? "needs an element <region>: of which regions (* for all)"
                                      : "has a <region>, which only the trigger region can have");
    pattern->is_counted = pattern->is_counted && !is_of_region;
    pattern->is_within = pattern->within[0] != '\0';
    if (!pattern->is_within)
        return 0;
    if (strcmp(pattern->within, "parent") != 0)
        error_set(err, "can only be 'parent', not '%s'", pattern->within);
    else if (pattern->ancestor == PATTERN_NONE)
        error_set(err, "no pattern above it has a wait");
    else if (catalogue->patterns[pattern->ancestor].trigger_kind != pattern->trigger_kind)
        error_set(err, "its trigger is a %s, but that of '%s' above it is a %s", pattern->trigger,
                  catalogue->patterns[pattern->ancestor].id,
                  catalogue->patterns[pattern->ancestor].trigger);
    else
        return 0;
    return in_element(pattern, "within", err);
}

static int compile_threshold(struct pattern *pattern, struct error *err)
{
    static const struct expression_scope no_names;
    struct expression threshold;
    pattern->threshold_share = 0.01;
    if (!pattern->threshold[0])
        return 0;
    if (compile(pattern, "threshold", pattern->threshold, &no_names, &threshold, err))
        return -1;
    bool has_value = expression_value(&threshold, NULL, &pattern->threshold_share);
    expression_release(&threshold);
    if (has_value && pattern->threshold_share >= 0 && pattern->threshold_share <= 1)
        return 0;
    error_set(err, "must be a number from 0 to 1, not '%s'", pattern->threshold);
    return in_element(pattern, "threshold", err);
}

static int compile_pattern(const struct catalogue *catalogue, struct pattern *pattern,
                           struct error *err)
{
    if (pattern->is_abstract)
        return 0;
    if (set_trigger(catalogue, pattern, err))
        return -1;
    if (strcmp(pattern->unit, "ns") != 0) {
        error_set(err, "the only unit of a wait is 'ns', not '%s'", pattern->unit);
        return in_element(pattern, "unit", err);
    }
    if (template_check(pattern->hint, pattern_fact_names, N_PATTERN_FACTS, err))
        return in_element(pattern, "hint", err);
    bool is_within = pattern->is_within;
    struct expression_scope fields = trigger_scope(pattern->trigger_kind, is_within);
    struct expression_scope sums = severity_scope();
    const struct {
        const char *element, *text, *standard;
        const struct expression_scope *scope;
        struct expression *compiled;
    } parts[] = {
        {"condition", pattern->condition, "1", &fields, &pattern->compiled.condition},
        {"wait", pattern->wait, "0", &fields, &pattern->compiled.wait},
        {"begin", pattern->begin, is_within ? "parent_begin" : "enter", &fields,
         &pattern->compiled.begin},
        {"cause", pattern->cause, "-1", &fields, &pattern->compiled.cause},
        {"confidence", pattern->confidence, "1", &fields, &pattern->compiled.confidence},
        {"severity", pattern->severity, "total / (ranks * run_time)", &sums,
         &pattern->compiled.severity},
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (compile(pattern, parts[i].element, parts[i].text[0] ? parts[i].text : parts[i].standard,
                    parts[i].scope, parts[i].compiled, err))
            return -1;
    return compile_threshold(pattern, err);
}

// ---- findings and tuning points: `pagoda explain ID` must mean one thing ----

static int check_tuning_ids(const struct catalogue *catalogue, struct error *err)
{
    for (size_t i = 0; i < catalogue->tunings.n; i++) {
        const struct tuning *tuning = &catalogue->tunings.items[i];
        if (catalogue_find(catalogue, tuning->id) != PATTERN_NONE ||
            finding_kinds_find(&catalogue->findings, tuning->id))
            return error_set(err, "%s:%u: '%s' is the name of a pattern or a kind of findings",
                             tuning->file, tuning->line, tuning->id);
    }
    return 0;
}

static int check_ids_differ(const struct catalogue *catalogue, struct error *err)
{
    for (size_t i = 0; i < catalogue->findings.n; i++) {
        const struct finding_kind *kind = &catalogue->findings.kinds[i];
        uint32_t same = catalogue_find(catalogue, kind->id);
        if (same == PATTERN_NONE)
            continue;
        const struct pattern *pattern = &catalogue->patterns[same];
        return pattern->is_shipped
                   ? error_set(err, "%s:%u: the id '%s' is that of the pattern in %s:%u",
                               kind->file, kind->line, kind->id, pattern->file, pattern->line)
                   : error_set(err, "%s:%u: the id '%s' is that of the kind of findings in %s:%u",
                               pattern->file, pattern->line, kind->id, kind->file, kind->line);
    }
    return 0;
}

/// The files of the folder SUBFOLDER of DIRECTORY, unless that is NULL, and those of the N extra
/// files with the outermost ELEMENT, into *FILES, for words_free(). 0, or -1 and ERR.
static int list_files(const char *directory, const char *subfolder, const char *element,
                      const char *const *extra_files, size_t n, char ***files, struct error *err)
{
    SCOPED char *folder = memory_format("%s/%s", directory ? directory : "", subfolder);
    *files = directory ? folder_files(folder, ".xml", err) : NULL;
    if (directory && !*files)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (xml_file_is(extra_files[i], element))
            words_add(files, extra_files[i]);
    return 0;
}

static int read_findings(struct catalogue *catalogue, const char *directory,
                         const char *const *extra_files, size_t n, struct error *err)
{
    SCOPED_BY(words_leave) char **files = NULL, **tunings = NULL;
    int failure = list_files(directory, "findings", "finding", extra_files, n, &files, err);
    for (char **file = files; file && *file && !failure; file++)
        failure = finding_kinds_read(&catalogue->findings, *file, err);
    if (!failure)
        failure = check_ids_differ(catalogue, err);
    if (!failure)
        failure = list_files(directory, "tuning", "tuning", extra_files, n, &tunings, err);
    for (char **file = tunings; file && *file && !failure; file++)
        failure = tunings_read(&catalogue->tunings, *file, err);
    if (!failure)
        failure = tunings_check(&catalogue->tunings, &catalogue->findings, err);
    return failure ? failure : check_tuning_ids(catalogue, err);
}

// ---- properties ----

static int check_property_id(const struct catalogue *catalogue, const char *id, const char *file,
                             uint32_t line, struct error *err)
{
    bool is_taken = catalogue_find(catalogue, id) != PATTERN_NONE ||
                    finding_kinds_find(&catalogue->findings, id) ||
                    tunings_find(&catalogue->tunings, id);
    return is_taken ? error_set(err,
                                "%s:%u: '%s' is the name of a pattern, a kind of findings or a "
                                "tuning point",
                                file, line, id)
                    : 0;
}

static int read_properties(struct catalogue *catalogue, const char *directory,
                           const char *const *extra_files, size_t n, struct error *err)
{
    struct property_list *properties = &catalogue->properties;
    struct hierarchy_list *hierarchies = &catalogue->hierarchies;
    SCOPED char *folder = directory ? memory_format("%s/properties", directory) : NULL;
    SCOPED const char **wait_states = memory_zeroed(catalogue->n_patterns + 1, sizeof *wait_states);
    size_t n_wait_states = 0;
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        if (!catalogue->patterns[i].is_abstract)
            wait_states[n_wait_states++] = catalogue->patterns[i].id;
    const struct property_files files = {folder, extra_files, n};
    int failure = properties_load(properties, hierarchies, &files, wait_states, n_wait_states, err);
    for (size_t i = 0; i < properties->n && !failure; i++)
        failure = check_property_id(catalogue, properties->items[i].name, properties->items[i].file,
                                    properties->items[i].line, err);
    for (size_t i = 0; i < hierarchies->n && !failure; i++)
        failure = check_property_id(catalogue, hierarchies->items[i].id, hierarchies->items[i].file,
                                    hierarchies->items[i].line, err);
    return failure;
}

/// Whether a file is for catalogue_file_read(), if for anything.
static bool holds_patterns(const char *path)
{
    return !property_file_is_asl(path) && !xml_file_is(path, "finding") &&
           !xml_file_is(path, "tuning") && !xml_file_is(path, "hierarchy");
}

struct catalogue *catalogue_load(const char *directory, const char *const *extra_files, size_t n,
                                 struct error *err)
{
    struct pattern_list list = {0};
    struct catalogue *catalogue = NULL;
    int failure = directory ? read_shipped(directory, &list, err) : 0;
    for (size_t i = 0; i < n && !failure; i++)
        failure = holds_patterns(extra_files[i]) ? read_extra(extra_files[i], &list, err) : 0;
    if (!failure)
        failure = check_parents(&list, err);
    if (!failure) {
        if (list.n_patterns)
            qsort(list.patterns, list.n_patterns, sizeof(*list.patterns), text_compare);
        catalogue = memory_zeroed(1, sizeof(*catalogue));
        catalogue->patterns = memory_zeroed(list.n_patterns, sizeof(*catalogue->patterns));
        move_children(&list, "", PATTERN_NONE, catalogue);
        for (size_t i = 0; i < catalogue->n_patterns && !failure; i++)
            failure = compile_pattern(catalogue, &catalogue->patterns[i], err);
    }
    if (!failure)
        failure = read_findings(catalogue, directory, extra_files, n, err);
    if (!failure)
        failure = read_properties(catalogue, directory, extra_files, n, err);
    for (size_t i = 0; i < list.n_patterns; i++)
        pattern_release(&list.patterns[i]);
    free(list.patterns);
    if (!failure)
        return catalogue;
    catalogue_free(catalogue);
    return NULL;
}

struct catalogue *catalogue_load_shipped(const char *const *extra_files, size_t n,
                                         struct error *err)
{
    SCOPED char *directory = data_folder(err);
    return directory ? catalogue_load(directory, extra_files, n, err) : NULL;
}

void catalogue_free(struct catalogue *catalogue)
{
    if (!catalogue)
        return;
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        pattern_release(&catalogue->patterns[i]);
    free(catalogue->patterns);
    finding_kinds_release(&catalogue->findings);
    tunings_release(&catalogue->tunings);
    property_list_release(&catalogue->properties);
    hierarchy_list_release(&catalogue->hierarchies);
    free(catalogue);
}

uint32_t catalogue_find(const struct catalogue *catalogue, const char *id)
{
    return find(catalogue->patterns, catalogue->n_patterns, id);
}

double pattern_severity(const struct pattern *pattern, const struct pattern_sums *sums)
{
    if (pattern->is_abstract)
        return 0;
    const double slots[] = {
        [SEVERITY_TOTAL] = (double)sums->total_ns,       [SEVERITY_WORST] = (double)sums->worst_ns,
        [SEVERITY_COUNT] = (double)sums->count,          [SEVERITY_RANKS] = sums->n_ranks,
        [SEVERITY_RUN_TIME] = (double)sums->run_time_ns,
    };
    double severity;
    if (!expression_value(&pattern->compiled.severity, slots, &severity) || !(severity > 0))
        return 0;
    return severity < 1 ? severity : 1;
}
