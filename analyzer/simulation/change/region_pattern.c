// SPDX-License-Identifier: BSD-3-Clause
// Patterns of call paths as one automaton for all of them, made deterministic while it is used: a
// mark is a state, and says which patterns name the path, which are open around it, and how many
// leading parts of each pattern the end of the path matches. Transitions are kept by (state,
// region), so that globs are compared once for each of them.
#include "analyzer/simulation/change/region_pattern.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/change/region_text.h"
#include "analyzer/trace/definitions.h"

enum { MAX_CANDIDATES = 4096 };

/// What a path is to the patterns, a bit each.
struct state {
    uint64_t inside, named, placed;     // placed: named if its call is at the pattern's place
    uint32_t seen[REGION_MAX_PATTERNS]; // bit i: the first i parts match the end of the path
};

struct region_patterns {
    const struct definitions *definitions;
    struct region_text patterns[REGION_MAX_PATTERNS];
    uint32_t n_patterns;
    struct state *states;
    size_t n_states, capacity;
    struct map next, at_place; // (state, region), (state, context) -> state
};

struct region_patterns *region_patterns_new(const struct definitions *definitions)
{
    struct region_patterns *patterns = memory_zeroed(1, sizeof *patterns);
    patterns->definitions = definitions;
    patterns->states = array_reserve(NULL, &patterns->capacity, 1, sizeof *patterns->states);
    patterns->states[0] = (struct state){0};
    patterns->n_states = 1;
    map_init(&patterns->next);
    map_init(&patterns->at_place);
    return patterns;
}

void region_patterns_free(struct region_patterns *patterns)
{
    if (!patterns)
        return;
    for (uint32_t i = 0; i < patterns->n_patterns; i++)
        region_text_release(&patterns->patterns[i]);
    map_release(&patterns->next);
    map_release(&patterns->at_place);
    free(patterns->states);
    free(patterns);
}

static void name(struct state *state, uint64_t bit)
{
    state->named |= bit;
    state->inside |= bit;
}

// --- patterns

int region_patterns_add(struct region_patterns *patterns, const char *where, const char *text,
                        enum region_purpose purpose, uint32_t *index, struct error *err)
{
    if (patterns->n_patterns == REGION_MAX_PATTERNS)
        return error_set(err, "%s %s: more than %d regions", where, text, REGION_MAX_PATTERNS);
    *index = patterns->n_patterns++;
    struct region_text *pattern = &patterns->patterns[*index];
    int status = purpose == REGION_VISITS
                     ? region_text_read_path(pattern, where, text, patterns->definitions, err)
                     : region_text_read(pattern, where, text, purpose == REGION_CALLS,
                                        patterns->definitions, err);
    if (status != 0)
        return -1;
    if (pattern->is_root)
        name(&patterns->states[0], UINT64_C(1) << *index);
    else
        patterns->states[0].seen[*index] = 1;
    return 0;
}

uint32_t region_patterns_count(const struct region_patterns *patterns)
{
    return patterns ? patterns->n_patterns : 0;
}

// --- paths

/// With part i being **, the first i + 1 parts match where the first i do.
static uint32_t skip_any(const struct region_text *pattern, uint32_t seen)
{
    for (uint32_t i = 0; i < pattern->n_parts; i++)
        if (seen >> i & 1 && region_text_is_any(pattern, i))
            seen |= UINT32_C(1) << (i + 1);
    return seen;
}

/// Which leading parts match the end of a path to REGION, SEEN of which match that of its parent.
static uint32_t see(const struct region_text *pattern, uint32_t seen, const struct region *region)
{
    uint32_t now = pattern->is_anchored ? 0 : 1;
    seen = skip_any(pattern, seen);
    for (uint32_t i = 0; i < pattern->n_parts; i++) {
        if (!(seen >> i & 1))
            continue;
        if (region_text_is_any(pattern, i))
            now |= UINT32_C(1) << i;
        else if (region_text_matches(pattern, region, i))
            now |= UINT32_C(1) << (i + 1);
    }
    return now;
}

/// The number of STATE, which may be new.
static uint32_t intern(struct region_patterns *patterns, const struct state *state)
{
    for (size_t i = 0; i < patterns->n_states; i++)
        if (memcmp(&patterns->states[i], state, sizeof *state) == 0)
            return (uint32_t)i;
    size_t index = patterns->n_states++;
    patterns->states = array_reserve(patterns->states, &patterns->capacity, patterns->n_states,
                                     sizeof *patterns->states);
    patterns->states[index] = *state;
    return (uint32_t)index;
}

static uint32_t enter(struct region_patterns *patterns, uint32_t from, uint32_t region_index)
{
    const struct region *region = &patterns->definitions->regions[region_index];
    bool is_mpi = region->mpi != MPI_FUNCTION_NONE;
    struct state state = patterns->states[from];
    state.named = state.placed = 0;
    for (uint32_t i = 0; i < patterns->n_patterns; i++) {
        const struct region_text *pattern = &patterns->patterns[i];
        if (pattern->is_root)
            continue;
        state.seen[i] = see(pattern, state.seen[i], region);
        bool is_whole =
            pattern->n_parts == 0 || skip_any(pattern, state.seen[i]) >> pattern->n_parts & 1;
        if (!is_whole || (pattern->only_calls && !is_mpi))
            continue;
        if (pattern->file)
            state.placed |= UINT64_C(1) << i;
        else
            name(&state, UINT64_C(1) << i);
    }
    return intern(patterns, &state);
}

static uint32_t enter_place(struct region_patterns *patterns, uint32_t from, uint32_t context_index)
{
    const struct calling_context *context = &patterns->definitions->contexts[context_index];
    struct state state = patterns->states[from];
    for (uint32_t i = 0; i < patterns->n_patterns; i++)
        if (state.placed >> i & 1 && region_text_is_place(&patterns->patterns[i], context))
            name(&state, UINT64_C(1) << i);
    return intern(patterns, &state);
}

void region_patterns_enter(struct region_patterns *patterns, uint64_t *mark, uint32_t region,
                           uint32_t context)
{
    uint64_t from = *mark << 32;
    uint32_t to;
    if (!map_get(&patterns->next, from | region, &to)) {
        to = enter(patterns, (uint32_t)*mark, region);
        map_put(&patterns->next, from | region, to);
    }
    if (patterns->states[to].placed != 0 && context != EVENT_NO_INDEX) {
        uint64_t key = (uint64_t)to << 32 | context;
        uint32_t placed;
        if (!map_get(&patterns->at_place, key, &placed)) {
            placed = enter_place(patterns, to, context);
            map_put(&patterns->at_place, key, placed);
        }
        to = placed;
    }
    *mark = to;
}

bool region_patterns_is_inside(const struct region_patterns *patterns, uint64_t mark,
                               uint32_t index)
{
    return patterns->states[mark].inside >> index & 1;
}

bool region_patterns_is_named(const struct region_patterns *patterns, uint64_t mark, uint32_t index)
{
    return patterns->states[mark].named >> index & 1;
}

bool region_patterns_is_call(const struct region_patterns *patterns, uint64_t mark, uint32_t index)
{
    const struct region_text *pattern = &patterns->patterns[index];
    if (!(patterns->states[mark].named >> index & 1) || pattern->is_root)
        return false;
    if (pattern->file || pattern->n_parts == 0)
        return pattern->file != NULL;
    return strncasecmp(pattern->parts[pattern->n_parts - 1].text, "MPI_", 4) == 0;
}

bool region_patterns_names_data(const struct region_patterns *patterns, uint32_t index)
{
    const struct region_text *pattern = &patterns->patterns[index];
    if (pattern->is_root)
        return false;
    if (pattern->n_parts == 0)
        return true;
    const char *name = pattern->parts[pattern->n_parts - 1].text;
    bool is_call = strncasecmp(name, "MPI_", 4) == 0 || pattern->file;
    return is_call && strcasecmp(name, "MPI_Barrier") != 0 && strcasecmp(name, "MPI_Ibarrier") != 0;
}

bool region_patterns_overlap(const struct region_patterns *patterns, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < patterns->n_states; i++)
        if (patterns->states[i].inside >> a & patterns->states[i].inside >> b & 1)
            return true;
    return false;
}

const char *region_patterns_text(const struct region_patterns *patterns, uint32_t index)
{
    return patterns->patterns[index].whole;
}

// --- the paths of a run

/// The path of node INDEX, whose regions are SHOWN so, as reports write it; the caller frees.
static char *path_text(char *const *shown, const struct pag_location *location, uint32_t index)
{
    char *text = memory_copy_text(shown[location->paths[index].region]);
    for (uint32_t at = location->paths[index].parent;
         at < location->n_paths && location->paths[at].region != EVENT_NO_INDEX;
         at = location->paths[at].parent) {
        char *longer = memory_format("%s/%s", shown[location->paths[at].region], text);
        free(text);
        text = longer;
    }
    return text;
}

/// No path of the run is named: the nearest one, or one that ends alike.
static int unknown_path(const struct region_patterns *patterns, const struct region_text *pattern,
                        const struct pag_result *replay, struct error *err)
{
    const struct region *regions = patterns->definitions->regions;
    char **shown = region_names_shown(patterns->definitions);
    char **names = memory_zeroed(MAX_CANDIDATES, sizeof *names);
    size_t n_names = 0, like = MAX_CANDIDATES;
    for (size_t l = 0; l < replay->n_locations; l++)
        for (uint32_t i = 0; i < replay->locations[l].n_paths && n_names < MAX_CANDIDATES; i++) {
            uint32_t region = replay->locations[l].paths[i].region;
            if (region == EVENT_NO_INDEX)
                continue;
            names[n_names] = path_text(shown, &replay->locations[l], i);
            bool is_like = pattern->n_parts > 0 &&
                           region_text_matches(pattern, &regions[region], pattern->n_parts - 1);
            if (is_like && like == MAX_CANDIDATES)
                like = n_names;
            n_names++;
        }
    const char *nearest = spelling_nearest(pattern->text, (const char *const *)names, n_names);
    if (!nearest && like < n_names)
        nearest = names[like];
    int status = region_text_refuse(pattern, "the run has no such call path", nearest, err);
    for (size_t i = 0; i < n_names; i++)
        free(names[i]);
    free(names);
    function_names_free(shown, patterns->definitions->n_regions);
    return status;
}

/// The marks of the paths of LOCATION; that of a location where a path has no region. The caller
/// frees.
static uint64_t *marks_of(struct region_patterns *patterns, const struct pag_location *location)
{
    uint64_t *marks = memory_zeroed(location->n_paths, sizeof *marks);
    for (size_t i = 0; i < location->n_paths; i++) {
        const struct call_path *path = &location->paths[i];
        if (path->region == EVENT_NO_INDEX)
            continue;
        marks[i] = marks[path->parent];
        region_patterns_enter(patterns, &marks[i], path->region, path->context);
    }
    return marks;
}

/// The patterns that name a path of LOCATION, a bit each; those that name a recorded one.
static uint64_t named_in(struct region_patterns *patterns, const struct pag_location *location,
                         uint64_t *recorded)
{
    uint64_t *marks = marks_of(patterns, location);
    uint64_t named = 0;
    for (size_t i = 0; i < location->n_paths; i++) {
        const struct call_path *path = &location->paths[i];
        if (path->region == EVENT_NO_INDEX)
            continue;
        named |= patterns->states[marks[i]].named;
        if (path->visits > 0)
            *recorded |= patterns->states[marks[i]].named;
    }
    free(marks);
    *recorded |= patterns->states[0].named;
    return named | patterns->states[0].named;
}

void region_patterns_relate(struct region_patterns *patterns, const struct pag_result *replay,
                            uint64_t *within, uint64_t *sharing)
{
    for (uint32_t i = 0; i < patterns->n_patterns; i++) {
        within[i] = UINT64_MAX;
        sharing[i] = 0;
    }
    for (size_t l = 0; l < replay->n_locations; l++) {
        uint64_t *marks = marks_of(patterns, &replay->locations[l]);
        for (size_t p = 0; p < replay->locations[l].n_paths; p++) {
            const struct state *state = &patterns->states[marks[p]];
            for (uint32_t i = 0; i < patterns->n_patterns && state->inside != 0; i++) {
                within[i] &= state->named >> i & 1 ? state->inside : UINT64_MAX;
                sharing[i] |= state->inside >> i & 1 ? state->inside : 0;
            }
        }
        free(marks);
    }
}

bool region_patterns_is_unrecorded(struct region_patterns *patterns,
                                   const struct pag_result *replay, uint32_t index)
{
    uint64_t recorded = 0;
    for (size_t i = 0; i < replay->n_locations; i++)
        named_in(patterns, &replay->locations[i], &recorded);
    return !patterns->patterns[index].is_optional && !(recorded >> index & 1);
}

int region_patterns_check(struct region_patterns *patterns, const struct pag_result *replay,
                          struct error *err)
{
    uint64_t named = 0, recorded = 0;
    for (size_t i = 0; i < replay->n_locations; i++)
        named |= named_in(patterns, &replay->locations[i], &recorded);
    for (uint32_t i = 0; i < patterns->n_patterns; i++)
        if (!(named >> i & 1) && !patterns->patterns[i].is_optional)
            return unknown_path(patterns, &patterns->patterns[i], replay, err);
    return 0;
}
