// SPDX-License-Identifier: BSD-3-Clause
// A REGION as a text is taken to pieces and checked against the names of a run. The call paths met
// are one tree for all locations: a mark is a node of it. Which patterns name a path is found out
// once, when it is new, from its end to its beginning.
#include "analyzer/simulation/change/region_pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

// --- one text

enum { REGION_MAX_NAMES = 31 };
static const uint32_t NO_PATTERN = UINT32_MAX;
static const char before[] = "before ", between[] = "between ";

enum region_meaning region_meaning_of(const char *text)
{
    return strncmp(text, before, sizeof before - 1) == 0     ? REGION_MEANS_BEFORE
           : strncmp(text, between, sizeof between - 1) == 0 ? REGION_MEANS_BETWEEN
                                                             : REGION_MEANS_PATHS;
}

/// One name of a path: that of a region as reports show it or as a glob, or ** for any number.
struct region_part {
    char *text;
    bool *is_meant; // by region of the run
};

struct region_text {
    const struct definitions *definitions;
    char *whole;      // "--scale TEXT"
    const char *text; // of that
    char *words;      // what `file` points into
    struct region_part parts[REGION_MAX_NAMES];
    uint32_t n_parts; // 0: any call
    bool is_anchored; // begins at the location
    bool is_root;     // the location itself
    bool takes_calls; // MPI functions may be named
    bool only_calls;  // nothing else may
    bool is_optional; // the run may have no such path
    uint32_t after;   // the pattern of the calls before it; NO_PATTERN: any
    const char *file; // of a place, NULL without
    uint32_t line;    // 0: any
};

static bool is_program_name(const struct definitions *definitions, const char *text)
{
    if (strcmp(text, "(program)") == 0)
        return true;
    for (size_t i = 0; i < definitions->n_properties; i++) {
        const struct property *property = &definitions->properties[i];
        bool is_executable = strcmp(property->name, "PAGODA::EXECUTABLE") == 0 ||
                             strcmp(property->name, "Score-P::EXECUTABLE") == 0;
        if (is_executable && strcmp(text, path_base_name(property->value)) == 0)
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
    return HAS_BY(definitions->regions, definitions->n_regions, name, name);
}

/// The end of the first name of the path WORDS, which is as long as there is a region of that name:
/// names may contain a /. Where there is none it ends before the next / that has no backslash.
static const char *end_of_name(const struct region_text *pattern, const char *words, bool *is_meant)
{
    for (const char *end = words + strlen(words); end > words; end--) {
        if (*end != '\0' && *end != '/')
            continue;
        SCOPED char *name = memory_format("%.*s", (int)(end - words), words);
        bool is_name =
            region_names_find(pattern->definitions, name, is_meant) == FUNCTION_NAMES_ONE;
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
    return !(is_mpi && !pattern->takes_calls) &&
           !(is_last && !region_is_of_calls(region) && pattern->only_calls);
}

/// Whether part PART of the pattern is **.
static bool is_any(const struct region_text *pattern, uint32_t part)
{
    return strcmp(pattern->parts[part].text, "**") == 0;
}

/// Whether name PART of the pattern fits REGION, one of the definitions.
static bool fits(const struct region_text *pattern, const struct region *region, uint32_t part)
{
    return may_name(pattern, region, part) &&
           pattern->parts[part].is_meant[region - pattern->definitions->regions];
}

/// -1 and ERR: "--scale TEXT: WHAT; is it NEAREST?", the latter unless NULL.
static int refuse(const struct region_text *pattern, const char *what, const char *nearest,
                  struct error *err)
{
    return error_set(err, "%s: %s%s%s%s", pattern->whole, what, nearest ? "; is it " : "",
                     nearest ? nearest : "", nearest ? "?" : "");
}

/// Part PART is no region of the run.
static int unknown_part(const struct region_text *pattern, const struct definitions *definitions,
                        uint32_t part, struct error *err)
{
    const char *name = pattern->parts[part].text;
    if (!pattern->takes_calls && names_mpi(pattern, part))
        return error_set(err,
                         "%s: there is no such region but in MPI, which does no computing; "
                         "`before %s` names the computing that ends with its calls",
                         pattern->whole, pattern->text);
    char **shown = region_names_shown(definitions);
    SCOPED const char **names = memory_zeroed(definitions->n_regions + 1, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < definitions->gap_region; i++)
        if (may_name(pattern, &definitions->regions[i], part))
            names[n++] = shown[i];
    if (!pattern->only_calls)
        names[n++] = "(program)";
    // The answer can be typed instead of the whole text where that is one name.
    bool is_before =
        pattern->n_parts == 1 && region_meaning_of(pattern->text) == REGION_MEANS_BEFORE;
    const char *if_before = is_before ? before : "";
    const char *found = spelling_nearest(name, names, n);
    SCOPED char *nearest = found ? memory_format("%s%s", if_before, found) : NULL;
    SCOPED char *others = found ? memory_copy_text("") : spelling_some(if_before, names, n);
    SCOPED char *what = pattern->n_parts == 1
                            ? memory_format("there is no such region%s", others)
                            : memory_format("there is no region %s%s", name, others);
    int status = refuse(pattern, what, nearest, err);
    memory_free_each(shown, definitions->n_regions);
    return status;
}

static bool is_file(const char *wanted, const char *path)
{
    size_t length = strlen(path), wanted_length = strlen(wanted);
    if (fnmatch(wanted, path_base_name(path), 0) == 0)
        return true;
    return wanted_length < length && strcmp(path + length - wanted_length, wanted) == 0 &&
           path[length - wanted_length - 1] == '/';
}

/// Whether CONTEXT is at the pattern's place, which it has.
static bool is_place(const struct region_text *pattern, const struct calling_context *context)
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
    SCOPED const char **files = memory_zeroed(definitions->n_contexts + 1, sizeof *files);
    size_t n_files = 0;
    for (size_t i = 0; i < definitions->n_contexts; i++)
        if (definitions->contexts[i].file[0])
            files[n_files++] = path_base_name(definitions->contexts[i].file);
    return spelling_nearest(path_base_name(pattern->file), files, n_files);
}

/// 0, or -1 and ERR when no call of the run is at the pattern's place.
static int check_place(const struct region_text *pattern, const struct definitions *definitions,
                       struct error *err)
{
    for (size_t i = 0; i < definitions->n_contexts; i++)
        if (is_place(pattern, &definitions->contexts[i]))
            return 0;
    if (definitions->n_contexts == 0)
        return refuse(pattern, "the trace does not tell where MPI calls are made", NULL, err);
    const char *file = pattern->file;
    const struct calling_context *nearest = nearest_in(definitions, file, pattern->line);
    if (!nearest && (file = nearest_file(pattern, definitions)) != NULL)
        nearest = nearest_in(definitions, file, pattern->line);
    SCOPED char *place = NULL;
    if (nearest && pattern->line == 0)
        place = memory_format("%s:*", path_base_name(nearest->file));
    else if (nearest)
        place = memory_format("%s:%u", path_base_name(nearest->file), nearest->line);
    return refuse(pattern, "no MPI call is made there", place, err);
}

static int check_names(const struct region_text *pattern, const struct definitions *definitions,
                       struct error *err)
{
    for (uint32_t part = 0; part < pattern->n_parts; part++) {
        bool is_found = is_any(pattern, part);
        for (size_t i = 0; i <= definitions->gap_region && !is_found; i++)
            is_found = fits(pattern, &definitions->regions[i], part);
        if (!is_found)
            return unknown_part(pattern, definitions, part, err);
    }
    return pattern->file ? check_place(pattern, definitions, err) : 0;
}

/// Takes TEXT, given for WHERE ("--scale"), to pieces. 0, or -1 and ERR: malformed, or the run has
/// no such name, or several. PATTERN is to be released in either case.
static int read_text(struct region_text *pattern, const char *where, const char *text,
                     enum region_purpose purpose, const struct definitions *definitions,
                     struct error *err)
{
    *pattern = (struct region_text){.definitions = definitions,
                                    .whole = memory_format("%s %s", where, text),
                                    .words = memory_copy_text(text),
                                    .after = NO_PATTERN,
                                    .is_optional = purpose == REGION_VISITS};
    pattern->text = pattern->whole + strlen(where) + 1;
    char *words = pattern->words;
    if (pattern->is_optional)
        return take_parts(pattern, words, err);
    bool is_before = region_meaning_of(words) == REGION_MEANS_BEFORE;
    if (is_before)
        words += sizeof before - 1;
    else if (is_program_name(definitions, words) && !has_region(definitions, words)) {
        pattern->is_root = true;
        return 0;
    }
    if (*words == '\0')
        return error_set(err, "%s: a region is missing", where);
    if (!has_region(definitions, words))
        take_place(pattern, &words);
    pattern->only_calls = is_before || pattern->file;
    pattern->takes_calls = pattern->only_calls || purpose == REGION_CALLS;
    if (take_parts(pattern, words, err) != 0)
        return -1;
    return check_names(pattern, definitions, err);
}

static void release_text(struct region_text *pattern)
{
    FREE_ALL(pattern->whole, pattern->words);
    FREE_MEMBERS(pattern->parts, pattern->n_parts, text, is_meant);
    *pattern = (struct region_text){0};
}

// --- all of them

enum { MAX_CANDIDATES = 4096 };

/// A call path, with the patterns that name it or one above it, a bit each.
struct path_node {
    uint32_t parent, region;
    uint64_t inside, named;
    bool is_met;      // else it only leads to its calls at known places
    bool is_recorded; // visited in the run that was checked
};

struct region_patterns {
    const struct definitions *definitions;
    struct region_text patterns[REGION_MAX_PATTERNS];
    uint32_t n_patterns;
    bool has_places;         // some pattern has one
    uint64_t between;        // patterns that only name what comes after certain calls
    struct path_node *nodes; // the first one is that of a location
    size_t n_nodes, capacity;
    struct map children, at_place; // (parent, region), (node, context) -> node
    struct map before;             // as children: the computing before calls for files
};

struct region_patterns *region_patterns_new(const struct definitions *definitions)
{
    struct region_patterns *patterns = memory_zeroed(1, sizeof *patterns);
    patterns->definitions = definitions;
    patterns->nodes = array_reserve(NULL, &patterns->capacity, 1, sizeof *patterns->nodes);
    patterns->nodes[0] =
        (struct path_node){.region = EVENT_NO_INDEX, .is_met = true, .is_recorded = true};
    patterns->n_nodes = 1;
    map_init(&patterns->children);
    map_init(&patterns->at_place);
    map_init(&patterns->before);
    return patterns;
}

void region_patterns_free(struct region_patterns *patterns)
{
    if (!patterns)
        return;
    for (uint32_t i = 0; i < patterns->n_patterns; i++)
        release_text(&patterns->patterns[i]);
    map_release(&patterns->children);
    map_release(&patterns->at_place);
    map_release(&patterns->before);
    FREE_ALL(patterns->nodes, patterns);
}

static int add_pattern(struct region_patterns *patterns, const char *where, const char *text,
                       enum region_purpose purpose, uint32_t *index, struct error *err)
{
    if (patterns->n_patterns == REGION_MAX_PATTERNS)
        return error_set(err, "%s %s: more than %d regions", where, text, REGION_MAX_PATTERNS);
    *index = patterns->n_patterns++;
    struct region_text *pattern = &patterns->patterns[*index];
    if (read_text(pattern, where, text, purpose, patterns->definitions, err) != 0)
        return -1;
    patterns->has_places = patterns->has_places || pattern->file;
    patterns->nodes[0].named |= (uint64_t)pattern->is_root << *index;
    patterns->nodes[0].inside = patterns->nodes[0].named;
    return 0;
}

/// Adds TEXT, "between CALLS and CALLS", as two patterns.
static int add_between(struct region_patterns *patterns, const char *where, const char *text,
                       uint32_t *index, struct error *err)
{
    const char *first = text + sizeof between - 1, *joint = strstr(first, " and ");
    if (!joint || joint == first || joint[5] == '\0')
        return error_set(err, "%s %s: not of the form between CALLS and CALLS", where, text);
    SCOPED char *begin = memory_format("%.*s", (int)(joint - first), first);
    SCOPED char *end = memory_format("before %s", joint + 5);
    uint32_t after;
    if (add_pattern(patterns, where, begin, REGION_CALLS, &after, err) != 0 ||
        add_pattern(patterns, where, end, REGION_COMPUTING, index, err) != 0)
        return -1;
    struct region_text *pattern = &patterns->patterns[*index];
    free(pattern->whole);
    pattern->whole = memory_format("%s %s", where, text);
    pattern->text = pattern->whole + strlen(where) + 1;
    pattern->after = after;
    patterns->between |= UINT64_C(1) << *index;
    return 0;
}

int region_patterns_add(struct region_patterns *patterns, const char *where, const char *text,
                        enum region_purpose purpose, uint32_t *index, struct error *err)
{
    bool is_between = region_meaning_of(text) == REGION_MEANS_BETWEEN;
    if (is_between && purpose == REGION_COMPUTING)
        return add_between(patterns, where, text, index, err);
    if (is_between && purpose == REGION_CALLS)
        return error_set(err, "%s %s: \"between\" names computing, not calls", where, text);
    return add_pattern(patterns, where, text, purpose, index, err);
}

int region_patterns_add_if_there(struct region_patterns *patterns, const char *where,
                                 const char *text, uint32_t *index, struct error *err)
{
    if (patterns->n_patterns == REGION_MAX_PATTERNS)
        return error_set(err, "%s %s: more than %d regions", where, text, REGION_MAX_PATTERNS);
    struct error absent = {{0}};
    if (add_pattern(patterns, where, text, REGION_COMPUTING, index, &absent) != 0) {
        release_text(&patterns->patterns[--patterns->n_patterns]);
        return 0;
    }
    patterns->patterns[*index].is_optional = true;
    return 1;
}

int region_patterns_add_all(struct region_patterns *patterns, const char *where,
                            const char *const *texts, size_t n, uint64_t *set, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t index;
        if (region_patterns_add(patterns, where, texts[i], REGION_CALLS, &index, err) != 0)
            return -1;
        *set |= UINT64_C(1) << index;
    }
    return 0;
}

uint32_t region_patterns_count(const struct region_patterns *patterns)
{
    return patterns ? patterns->n_patterns : 0;
}

// --- paths

/// Whether the parts of PATTERN match the end of the path of NODE, or all of it if it is anchored.
static bool matches(const struct region_patterns *patterns, const struct region_text *pattern,
                    uint32_t node)
{
    const struct region *regions = patterns->definitions->regions;
    uint32_t part = pattern->n_parts;           // this one and those after it match
    uint32_t any = UINT32_MAX, any_node = node; // ** and where it begins to match no name
    while (part > 0 || (pattern->is_anchored && node != 0)) {
        const struct path_node *at = &patterns->nodes[node];
        if (part > 0 && is_any(pattern, part - 1)) {
            any = --part;
            any_node = node;
        } else if (part > 0 && node != 0 && fits(pattern, &regions[at->region], part - 1)) {
            part--;
            node = at->parent;
        } else if (any != UINT32_MAX && any_node != 0) { // ** matches one name more
            part = any;
            node = any_node = patterns->nodes[any_node].parent;
        } else {
            return false;
        }
    }
    return true;
}

/// Whether PATTERN may name calls of REGION, or the computing before them. Of calls of MPI these
/// are one, for nothing is computed in them.
static bool may_name_calls(const struct region_text *pattern, const struct region *region,
                           bool is_before)
{
    if (region->mpi != MPI_FUNCTION_NONE)
        return true;
    return pattern->only_calls ? region->is_for_files && is_before : !is_before;
}

/// Whether PATTERN names the path of NODE, which is called from CONTEXT, or what is BEFORE it.
static bool names(const struct region_patterns *patterns, const struct region_text *pattern,
                  uint32_t node, uint32_t context, bool is_before)
{
    const struct definitions *definitions = patterns->definitions;
    const struct region *region = &definitions->regions[patterns->nodes[node].region];
    if (pattern->is_root || !may_name_calls(pattern, region, is_before))
        return false;
    if (pattern->file &&
        (context == EVENT_NO_INDEX || !is_place(pattern, &definitions->contexts[context])))
        return false;
    return matches(patterns, pattern, node);
}

/// The node KEY of MAP, below PARENT for REGION called from CONTEXT or what is BEFORE it, made when
/// it is new.
static uint32_t find_node(struct region_patterns *patterns, struct map *map, uint64_t key,
                          uint32_t parent, uint32_t region, uint32_t context, bool is_before)
{
    uint32_t index;
    if (map_get(map, key, &index))
        return index;
    index = (uint32_t)patterns->n_nodes++;
    patterns->nodes = array_reserve(patterns->nodes, &patterns->capacity, patterns->n_nodes,
                                    sizeof *patterns->nodes);
    patterns->nodes[index] = (struct path_node){.parent = parent, .region = region};
    uint64_t named = 0;
    for (uint32_t i = 0; i < patterns->n_patterns; i++)
        named |= (uint64_t)names(patterns, &patterns->patterns[i], index, context, is_before) << i;
    patterns->nodes[index].named = named;
    patterns->nodes[index].inside = patterns->nodes[parent].inside | named;
    map_put(map, key, index);
    return index;
}

void region_patterns_enter(struct region_patterns *patterns, uint64_t *mark, uint32_t region,
                           uint32_t context, bool is_before)
{
    uint32_t parent = (uint32_t)*mark;
    is_before = is_before && patterns->definitions->regions[region].mpi == MPI_FUNCTION_NONE;
    struct map *map = is_before ? &patterns->before : &patterns->children;
    *mark =
        find_node(patterns, map, *mark << 32 | region, parent, region, EVENT_NO_INDEX, is_before);
    if (patterns->has_places && context != EVENT_NO_INDEX)
        *mark = find_node(patterns, &patterns->at_place, *mark << 32 | context, parent, region,
                          context, is_before);
}

uint64_t region_patterns_inside(const struct region_patterns *patterns, uint64_t mark)
{
    return patterns->nodes[mark].inside;
}

uint64_t region_patterns_named(const struct region_patterns *patterns, uint64_t mark)
{
    return patterns->nodes[mark].named;
}

uint64_t region_patterns_innermost(const struct region_patterns *patterns, uint64_t mark,
                                   uint64_t set)
{
    while (mark != 0 && !(patterns->nodes[mark].named & set))
        mark = patterns->nodes[mark].parent;
    return patterns->nodes[mark].named & set;
}

bool region_patterns_look_back(const struct region_patterns *patterns)
{
    return patterns->between != 0;
}

uint64_t region_patterns_after(const struct region_patterns *patterns, uint64_t mark)
{
    uint64_t may = ~patterns->between;
    for (uint32_t i = 0; i < patterns->n_patterns && patterns->between; i++) {
        uint32_t after = patterns->patterns[i].after;
        if (after != NO_PATTERN && patterns->nodes[mark].inside >> after & 1)
            may |= UINT64_C(1) << i;
    }
    return may;
}

bool region_patterns_names_calls(const struct region_patterns *patterns, uint32_t index)
{
    const struct region_text *pattern = &patterns->patterns[index];
    return pattern->file ||
           (pattern->n_parts > 0 &&
            strncasecmp(pattern->parts[pattern->n_parts - 1].text, "MPI_", 4) == 0);
}

bool region_patterns_names_data(const struct region_patterns *patterns, uint32_t index)
{
    const struct region_text *pattern = &patterns->patterns[index];
    const char *name = pattern->n_parts > 0 ? pattern->parts[pattern->n_parts - 1].text : "";
    return region_patterns_names_calls(patterns, index) && strcasecmp(name, "MPI_Barrier") != 0 &&
           strcasecmp(name, "MPI_Ibarrier") != 0;
}

bool region_patterns_overlap(const struct region_patterns *patterns, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < patterns->n_nodes; i++)
        if (patterns->nodes[i].inside >> a & patterns->nodes[i].inside >> b & 1)
            return true;
    return false;
}

const char *region_patterns_text(const struct region_patterns *patterns, uint32_t index)
{
    return patterns->patterns[index].whole;
}

// --- the paths of a run

/// The path of node INDEX, whose regions are SHOWN so, as reports write it; the caller frees.
static char *path_text(const struct region_patterns *patterns, char *const *shown, uint32_t index)
{
    const struct path_node *nodes = patterns->nodes;
    char *text = memory_copy_text(shown[nodes[index].region]);
    for (uint32_t at = nodes[index].parent; at != 0; at = nodes[at].parent) {
        char *longer = memory_format("%s/%s", shown[nodes[at].region], text);
        free(text);
        text = longer;
    }
    return text;
}

/// No path of the run is named: the nearest one, or one that ends alike.
static int unknown_path(const struct region_patterns *patterns, const struct region_text *pattern,
                        struct error *err)
{
    const struct region *regions = patterns->definitions->regions;
    char **shown = region_names_shown(patterns->definitions);
    SCOPED char **names = memory_zeroed(MAX_CANDIDATES, sizeof *names);
    size_t n_names = 0, like = MAX_CANDIDATES;
    for (uint32_t i = 1; i < patterns->n_nodes && n_names < MAX_CANDIDATES; i++) {
        const struct region *region = &regions[patterns->nodes[i].region];
        if (pattern->n_parts > 0 && fits(pattern, region, pattern->n_parts - 1) &&
            like == MAX_CANDIDATES)
            like = n_names;
        names[n_names++] = path_text(patterns, shown, i);
    }
    const char *nearest = spelling_nearest(pattern->text, (const char *const *)names, n_names);
    if (!nearest && like < n_names)
        nearest = names[like];
    int status = refuse(pattern, "the run has no such call path", nearest, err);
    for (size_t i = 0; i < n_names; i++)
        free(names[i]);
    memory_free_each(shown, patterns->definitions->n_regions);
    return status;
}

/// Enters all paths of REPLAY.
static void enter_all(struct region_patterns *patterns, const struct pag_result *replay)
{
    for (size_t l = 0; l < replay->n_locations; l++) {
        const struct pag_location *location = &replay->locations[l];
        SCOPED uint64_t *marks = memory_zeroed(location->n_paths, sizeof *marks);
        for (size_t i = 0; i < location->n_paths; i++) {
            const struct call_path *path = &location->paths[i];
            if (i == 0)
                continue;                      // that of the location
            bool is_before = path->is_stretch; // of the path in front of it
            path -= is_before;
            marks[i] = marks[path->parent];
            region_patterns_enter(patterns, &marks[i], path->region, path->context, is_before);
            struct path_node *node = &patterns->nodes[marks[i]];
            node->is_met = true;
            node->is_recorded = node->is_recorded || path->visits > 0;
        }
    }
}

void region_patterns_relate(struct region_patterns *patterns, const struct pag_result *replay,
                            uint64_t *within, uint64_t *sharing)
{
    enter_all(patterns, replay);
    for (uint32_t i = 0; i < patterns->n_patterns; i++) {
        within[i] = UINT64_MAX;
        sharing[i] = 0;
        for (size_t k = 0; k < patterns->n_nodes; k++) {
            const struct path_node *node = &patterns->nodes[k];
            // No path is known to be computed at only after certain calls.
            uint64_t inside = node->inside & (~patterns->between | UINT64_C(1) << i);
            within[i] &= node->is_met && node->named >> i & 1 ? inside : UINT64_MAX;
            sharing[i] |= node->inside >> i & 1 ? node->inside : 0;
        }
    }
}

int region_patterns_check(struct region_patterns *patterns, const struct pag_result *replay,
                          struct error *err)
{
    uint64_t named = 0;
    enter_all(patterns, replay);
    for (size_t i = 0; i < patterns->n_nodes; i++)
        named |= patterns->nodes[i].named;
    for (uint32_t i = 0; i < patterns->n_patterns; i++)
        if (!(named >> i & 1) && !patterns->patterns[i].is_optional)
            return unknown_path(patterns, &patterns->patterns[i], err);
    return 0;
}

bool region_patterns_is_unrecorded(const struct region_patterns *patterns, uint32_t index)
{
    bool is_recorded = patterns->patterns[index].is_optional;
    for (size_t i = 0; i < patterns->n_nodes && !is_recorded; i++)
        is_recorded = patterns->nodes[i].is_recorded && patterns->nodes[i].named >> index & 1;
    return !is_recorded;
}
