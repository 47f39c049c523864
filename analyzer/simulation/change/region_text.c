// SPDX-License-Identifier: BSD-3-Clause
// Texts that name regions, and what is wrong with them (see region_text.h).
#include "analyzer/simulation/change/region_text.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/definitions.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool is_program_name(const struct definitions *definitions, const char *text)
{
    if (strcmp(text, "(program)") == 0)
        return true;
    for (size_t i = 0; i < definitions->n_properties; i++) {
        const struct property *property = &definitions->properties[i];
        bool is_executable = strcmp(property->name, "PAGODA::EXECUTABLE") == 0 ||
                             strcmp(property->name, "Score-P::EXECUTABLE") == 0;
        if (is_executable && strcmp(text, base_name(property->value)) == 0)
            return true;
    }
    return false;
}

/// Cuts the place off the end of WORDS, `FILE:LINE` or `... at FILE:LINE`, if there is one.
static void take_place(struct region_text *pattern, char **words)
{
    char *colon = strrchr(*words, ':');
    if (!colon || colon == *words || colon[-1] == ':')
        return;
    bool is_any = strcmp(colon + 1, "*") == 0;
    size_t n_digits = strspn(colon + 1, "0123456789");
    if (!is_any && (n_digits == 0 || n_digits > 9 || colon[1 + n_digits] != '\0'))
        return;
    pattern->line = is_any ? 0 : (uint32_t)strtoul(colon + 1, NULL, 10);
    *colon = '\0';
    char *at = NULL;
    for (char *next = *words; (next = strstr(next, " at ")); next++)
        at = next;
    pattern->file = at ? at + 4 : *words;
    if (at)
        *at = '\0';
    else
        *words = colon; // nothing but the place
}

static bool has_region(const struct definitions *definitions, const char *name)
{
    for (size_t i = 0; i < definitions->n_regions; i++)
        if (strcmp(definitions->regions[i].name, name) == 0)
            return true;
    return false;
}

/// The end of the first name of the path WORDS, which is as long as there is a region of that name:
/// names may contain a /. Where there is none it ends before the next / that has no backslash.
static const char *end_of_name(const struct region_text *pattern, const char *words, bool *is_meant)
{
    for (const char *end = words + strlen(words); end > words; end--) {
        if (*end != '\0' && *end != '/')
            continue;
        char *name = memory_format("%.*s", (int)(end - words), words);
        bool is_name =
            region_names_find(pattern->definitions, name, is_meant) == FUNCTION_NAMES_ONE;
        free(name);
        if (is_name)
            return end;
    }
    const char *end = words;
    while (*end && *end != '/')
        end += 1 + (end[0] == '\\' && end[1] != '\0');
    return end;
}

/// 0, or -1 and ERR.
static int take_parts(struct region_text *pattern, const char *words, struct error *err)
{
    if (*words == '\0')
        return 0;
    size_t n_regions = pattern->definitions->n_regions;
    pattern->is_anchored = *words == '/' && !has_region(pattern->definitions, words);
    words += pattern->is_anchored;
    for (bool is_last = false; !is_last;) {
        if (pattern->n_parts == REGION_MAX_NAMES)
            return error_set(err, "%s: too many names", pattern->whole);
        struct region_part *part = &pattern->parts[pattern->n_parts++];
        part->is_meant = memory_zeroed(n_regions + 1, sizeof *part->is_meant);
        const char *end = end_of_name(pattern, words, part->is_meant);
        part->text = memory_format("%.*s", (int)(end - words), words);
        if (end == words)
            return error_set(err, "%s: a name is missing beside a /", pattern->whole);
        if (region_names_take(pattern->definitions, part->text, part->is_meant, err) != 0)
            return error_wrap(err, "%s", pattern->whole);
        is_last = *end == '\0';
        words = end + !is_last;
    }
    return 0;
}

static bool names_mpi(const struct region_text *pattern, uint32_t part)
{
    for (size_t i = 0; i < pattern->definitions->n_regions; i++)
        if (pattern->definitions->regions[i].mpi != MPI_FUNCTION_NONE &&
            pattern->parts[part].is_meant[i])
            return true;
    return false;
}

/// Whether part PART may name REGION, whatever it is called.
static bool may_name(const struct region_text *pattern, const struct region *region, uint32_t part)
{
    bool is_mpi = region->mpi != MPI_FUNCTION_NONE;
    bool is_last = part + 1 == pattern->n_parts;
    return !(is_mpi && !pattern->takes_calls) && !(is_last && !is_mpi && pattern->only_calls);
}

bool region_text_is_any(const struct region_text *pattern, uint32_t part)
{
    return strcmp(pattern->parts[part].text, "**") == 0;
}

bool region_text_matches(const struct region_text *pattern, const struct region *region,
                         uint32_t part)
{
    return may_name(pattern, region, part) &&
           pattern->parts[part].is_meant[region - pattern->definitions->regions];
}

int region_text_refuse(const struct region_text *pattern, const char *what, const char *nearest,
                       struct error *err)
{
    return error_set(err, "%s %s: %s%s%s%s", pattern->where, pattern->text, what,
                     nearest ? "; is it " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/// Part PART is no region of the run.
static int unknown_part(const struct region_text *pattern, const struct definitions *definitions,
                        uint32_t part, struct error *err)
{
    const char *name = pattern->parts[part].text;
    if (!pattern->takes_calls && names_mpi(pattern, part))
        return error_set(err,
                         "%s %s: there is no such region but in MPI, which does no computing; "
                         "`before %s` names the computing that ends with its calls",
                         pattern->where, pattern->text, pattern->text);
    char **shown = region_names_shown(definitions);
    const char **names = memory_zeroed(definitions->n_regions + 1, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < definitions->gap_region; i++)
        if (may_name(pattern, &definitions->regions[i], part))
            names[n++] = shown[i];
    if (!pattern->only_calls)
        names[n++] = "(program)";
    // The answer can be typed instead of the whole text where that is one name.
    bool is_before = pattern->n_parts == 1 && strncmp(pattern->text, "before ", 7) == 0;
    const char *before = is_before ? "before " : "";
    const char *found = spelling_nearest(name, names, n);
    char *nearest = found ? memory_format("%s%s", before, found) : NULL;
    char *others = found ? memory_copy_text("") : spelling_some(before, names, n);
    char *what = pattern->n_parts == 1 ? memory_format("there is no such region%s", others)
                                       : memory_format("there is no region %s%s", name, others);
    int status = region_text_refuse(pattern, what, nearest, err);
    free(what);
    free(others);
    free(nearest);
    free(names);
    function_names_free(shown, definitions->n_regions);
    return status;
}

static bool is_file(const char *wanted, const char *path)
{
    size_t length = strlen(path), wanted_length = strlen(wanted);
    if (fnmatch(wanted, base_name(path), 0) == 0)
        return true;
    return wanted_length < length && strcmp(path + length - wanted_length, wanted) == 0 &&
           path[length - wanted_length - 1] == '/';
}

bool region_text_is_place(const struct region_text *pattern, const struct calling_context *context)
{
    return (pattern->line == 0 || pattern->line == context->line) &&
           (strcmp(pattern->file, context->file) == 0 || is_file(pattern->file, context->file));
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/// The place in FILE that is nearest to LINE; NULL when no call is made in that file.
static const struct calling_context *nearest_in(const struct definitions *definitions,
                                                const char *file, uint32_t line)
{
    const struct calling_context *nearest = NULL;
    for (size_t i = 0; i < definitions->n_contexts; i++) {
        const struct calling_context *context = &definitions->contexts[i];
        if (context->line > 0 && is_file(file, context->file) &&
            (!nearest || distance(line, context->line) < distance(line, nearest->line)))
            nearest = context;
    }
    return nearest;
}

/// The file of the run that is called most like that of PATTERN; NULL when none is.
static const char *nearest_file(const struct region_text *pattern,
                                const struct definitions *definitions)
{
    const char **files = memory_zeroed(definitions->n_contexts + 1, sizeof *files);
    size_t n_files = 0;
    for (size_t i = 0; i < definitions->n_contexts; i++)
        if (definitions->contexts[i].file[0])
            files[n_files++] = base_name(definitions->contexts[i].file);
    const char *file = spelling_nearest(base_name(pattern->file), files, n_files);
    free(files);
    return file;
}

/// 0, or -1 and ERR when no call of the run is at the pattern's place.
static int check_place(const struct region_text *pattern, const struct definitions *definitions,
                       struct error *err)
{
    for (size_t i = 0; i < definitions->n_contexts; i++)
        if (region_text_is_place(pattern, &definitions->contexts[i]))
            return 0;
    if (definitions->n_contexts == 0)
        return region_text_refuse(pattern, "the trace does not tell where MPI calls are made", NULL,
                                  err);
    const char *file = pattern->file;
    const struct calling_context *nearest = nearest_in(definitions, file, pattern->line);
    if (!nearest && (file = nearest_file(pattern, definitions)) != NULL)
        nearest = nearest_in(definitions, file, pattern->line);
    char *place = NULL;
    if (nearest && pattern->line == 0)
        place = memory_format("%s:*", base_name(nearest->file));
    else if (nearest)
        place = memory_format("%s:%u", base_name(nearest->file), nearest->line);
    int status = region_text_refuse(pattern, "no MPI call is made there", place, err);
    free(place);
    return status;
}

static int check_names(const struct region_text *pattern, const struct definitions *definitions,
                       struct error *err)
{
    for (uint32_t part = 0; part < pattern->n_parts; part++) {
        bool is_found = region_text_is_any(pattern, part);
        for (size_t i = 0; i <= definitions->gap_region && !is_found; i++)
            is_found = region_text_matches(pattern, &definitions->regions[i], part);
        if (!is_found)
            return unknown_part(pattern, definitions, part, err);
    }
    return pattern->file ? check_place(pattern, definitions, err) : 0;
}

static struct region_text new_text(const char *where, const char *text,
                                   const struct definitions *definitions)
{
    return (struct region_text){.definitions = definitions,
                                .where = memory_copy_text(where),
                                .text = memory_copy_text(text),
                                .whole = memory_format("%s %s", where, text),
                                .words = memory_copy_text(text)};
}

int region_text_read_path(struct region_text *pattern, const char *where, const char *text,
                          const struct definitions *definitions, struct error *err)
{
    *pattern = new_text(where, text, definitions);
    pattern->is_optional = true;
    return take_parts(pattern, pattern->words, err);
}

int region_text_read(struct region_text *pattern, const char *where, const char *text,
                     bool is_for_calls, const struct definitions *definitions, struct error *err)
{
    *pattern = new_text(where, text, definitions);
    pattern->is_for_calls = is_for_calls;
    char *words = pattern->words;
    bool is_before = strncmp(words, "before ", 7) == 0;
    if (is_before)
        words += 7;
    else if (is_program_name(definitions, words) && !has_region(definitions, words)) {
        pattern->is_root = true;
        return 0;
    }
    if (*words == '\0')
        return error_set(err, "%s: a region is missing", where);
    if (!has_region(definitions, words))
        take_place(pattern, &words);
    pattern->only_calls = is_before || pattern->file;
    pattern->takes_calls = pattern->only_calls || pattern->is_for_calls;
    if (take_parts(pattern, words, err) != 0)
        return -1;
    return check_names(pattern, definitions, err);
}

void region_text_release(struct region_text *pattern)
{
    free(pattern->where);
    free(pattern->text);
    free(pattern->whole);
    free(pattern->words);
    for (uint32_t i = 0; i < pattern->n_parts; i++) {
        free(pattern->parts[i].text);
        free(pattern->parts[i].is_meant);
    }
    *pattern = (struct region_text){0};
}
