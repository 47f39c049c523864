// SPDX-License-Identifier: BSD-3-Clause
// Factors of regions, and marks and scales of call paths, computed once for each (see scale.h).
#include "analyzer/simulation/change/scale.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"

/// A millionth of a millionth: what a factor is divided by to become its reciprocal.
#define SCALE_OF_ONE ((uint64_t)PAG_WORK_PER_NS * PAG_WORK_PER_NS)

/// What a pattern begins with that does not mean work.
static const char *const begins[] = {
    [SCALED_WORK] = "", [SCALED_BLOCKED] = "blocked in ", [SCALED_FILES] = "files in "};

/// Between a region and the ranks that it is scaled on.
static const char *const on_ranks[] = {" on rank ", " on ranks "};

struct scaled_text scaled_text_read(const char *text)
{
    struct scaled_text read = {.time = SCALED_WORK, .region = text};
    for (enum scaled_time time = SCALED_BLOCKED; time <= SCALED_FILES; time++) {
        size_t length = strlen(begins[time]);
        if (strncmp(text, begins[time], length) == 0) {
            read.time = time;
            read.region += length;
            break;
        }
    }
    read.region_length = strlen(read.region);
    for (size_t i = 0; i < sizeof on_ranks / sizeof on_ranks[0]; i++) {
        const char *found = NULL;
        struct error ignored;
        for (const char *at = read.region; (at = strstr(at, on_ranks[i])) != NULL; at++)
            found = at;
        const char *ranks = found ? found + strlen(on_ranks[i]) : "";
        if (!found || found == read.region || rank_list_check(ranks, strlen(ranks), &ignored) != 0)
            continue; // the name of a region
        read.region_length = (size_t)(found - read.region);
        read.ranks = ranks;
    }
    return read;
}

/// One more factor for what TEXT names; WHERE it was given. 1; 0: MAY_LACK it, and the run has
/// nothing of that name; -1 and ERR.
static int add_scale(struct scenario *scenario, const char *where, const char *text,
                     uint64_t factor, bool may_lack, struct error *err)
{
    struct region_scales *scales = &scenario->scales;
    struct scaled_text read = scaled_text_read(text);
    size_t i = scales->n++;
    int begin_length = (int)strlen(begins[read.time]);
    SCOPED char *given = begin_length > 0 ? memory_format("%s %.*s", where, begin_length - 1, text)
                                          : memory_copy_text(where); // "--scale blocked in"
    SCOPED char *region = memory_format("%.*s", (int)read.region_length, read.region);
    scales->factors[i] = factor;
    scales->times[i] = read.time;
    if (read.ranks) {
        uint32_t n_ranks = scenario->placement.n_ranks;
        scales->is_scaled[i] = memory_zeroed(n_ranks, sizeof(bool));
        if (rank_list_read(read.ranks, strlen(read.ranks), n_ranks, scales->is_scaled[i], err) != 0)
            return error_wrap(err, "%s %s", where, text);
    }
    if (may_lack && read.time != SCALED_FILES) {
        int found = region_patterns_add_if_there(scenario->regions, given, region,
                                                 &scales->patterns[i], err);
        if (found == 0) {
            free(scales->is_scaled[i]);
            scales->is_scaled[i] = NULL;
            scales->n--;
        }
        return found;
    }
    return region_patterns_add(scenario->regions, given, region,
                               read.time == SCALED_FILES ? REGION_CALLS : REGION_COMPUTING,
                               &scales->patterns[i], err) == 0
               ? 1
               : -1;
}

/// The regions of MACHINE (NULL: none). How many are in the run, or -1 and ERR.
static int add_speeds(struct scenario *scenario, const struct machine *machine, bool may_lack,
                      struct error *err)
{
    int n = 0;
    for (size_t i = 0; machine && i < machine->n_regions; i++) {
        const struct machine_region *region = &machine->regions[i];
        uint64_t factor = (SCALE_OF_ONE + region->speed / 2) / region->speed;
        SCOPED char *where = memory_format("%s:%u: <region>", machine->path, region->line);
        int found = add_scale(scenario, where, region->pattern, factor, may_lack, err);
        if (found < 0)
            return -1;
        n += found;
    }
    return n;
}

void region_scales_release(struct region_scales *scales)
{
    for (size_t i = 0; i < scales->n; i++)
        free(scales->is_scaled[i]);
}

int region_scales_init(struct scenario *scenario, struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    const struct machine *machine = settings->machine;
    const struct machine *speeds = settings->speeds;
    size_t n_of_machines = (machine ? machine->n_regions : 0) + (speeds ? speeds->n_regions : 0);
    if (settings->n_scales + n_of_machines > REGION_MAX_SCALES)
        return error_set(err, "--scale: more than %d of them%s", REGION_MAX_SCALES,
                         n_of_machines > 0 ? " and regions of the machine" : "");
    for (size_t i = 0; i < settings->n_scales; i++) {
        const struct region_scale *scale = &settings->scales[i];
        if (add_scale(scenario, "--scale", scale->pattern, scale->factor, false, err) < 0)
            return -1;
    }
    if (add_speeds(scenario, machine, false, err) < 0)
        return -1;
    int n = add_speeds(scenario, speeds, true, err);
    scenario->scales.n_of_speeds = n > 0 ? (size_t)n : 0;
    if (speeds && n == 0)
        return speeds->n_regions == 0
                   ? error_set(err,
                               "--speeds %s: it has no <region>: pagoda calibrate --speeds writes "
                               "such a file",
                               speeds->path)
                   : error_set(err, "--speeds %s: none of its regions, such as %s, is in this run",
                               speeds->path, speeds->regions[0].pattern);
    return n < 0 ? -1 : 0;
}

/// Whether a factor of GIVEN time changes TIME.
static bool does_scale(enum scaled_time given, enum scaled_time time)
{
    return given == time || (given == SCALED_WORK && time == SCALED_BLOCKED);
}

/// The factor in millionths of TIME of LOCATION that patterns INSIDE name: the product of theirs.
static uint64_t factor_of(const struct prediction *prediction, uint32_t location, uint64_t inside,
                          enum scaled_time time)
{
    const struct scenario *scenario = prediction->scenario;
    const struct region_scales *scales = &scenario->scales;
    uint32_t rank = prediction->definitions->locations[location].rank;
    uint64_t factor = PAG_WORK_PER_NS;
    for (size_t i = 0; i < scales->n; i++)
        if (inside >> scales->patterns[i] & 1 && does_scale(scales->times[i], time) &&
            (!scales->is_scaled[i] || (rank != EVENT_NO_INDEX && scales->is_scaled[i][rank])))
            factor = factor * scales->factors[i] / PAG_WORK_PER_NS;
    bool has_visits = prediction->visit_scales && time != SCALED_FILES;
    int32_t kind = has_visits ? path_visit_kind(scenario, location, inside) : 0;
    if (kind == 0)
        return factor;
    size_t place = (size_t)(kind - 1) * prediction->definitions->n_locations + location;
    return (uint64_t)((pag_work)factor * prediction->visit_scales[place] / PAG_WORK_PER_NS);
}

// --- call paths

int32_t path_visit_kind(const struct scenario *scenario, uint32_t location, uint64_t inside)
{
    const struct region_works *works = &scenario->works;
    for (size_t i = 0; i < works->n; i++)
        if (works->items[i].takes_part[location] && inside >> works->items[i].pattern & 1)
            return (int32_t)i + 1;
    return 0;
}

/// What becomes of the time outside MPI of LOCATION at the path of SCALE's mark, which patterns
/// INSIDE name. How many ranks share caches changes what is computed, not what is blocked.
static void put_factors(struct path_scale *scale, const struct prediction *prediction,
                        uint32_t location, uint64_t inside)
{
    const struct location *of = &prediction->definitions->locations[location];
    uint64_t shared = PAG_WORK_PER_NS;
    if (of->rank != NONE && of->is_master)
        shared = slowdown_factor(prediction->scenario, of->rank, site_of(prediction, of->rank),
                                 scale->mark);
    scale->scale = factor_of(prediction, location, inside, SCALED_WORK) * shared / PAG_WORK_PER_NS;
    scale->blocked_scale = factor_of(prediction, location, inside, SCALED_BLOCKED);
}

/// What the prediction makes of PATH.
static struct path_scale scale_of(const struct engine *engine,
                                  const struct location_state *location, uint32_t path)
{
    const struct prediction *prediction = prediction_of(engine);
    struct computation *computation = &simulated_location(engine, location)->computation;
    if (!prediction->knows_paths)
        return (struct path_scale){.scale = PAG_WORK_PER_NS, .blocked_scale = PAG_WORK_PER_NS};
    while (computation->n_scales <= path) { // parents come before their children
        size_t next = computation->n_scales++;
        computation->scales = array_reserve(computation->scales, &computation->scale_capacity,
                                            next + 1, sizeof *computation->scales);
        struct path_scale *scale = &computation->scales[next];
        const struct path *of = &location->profile.paths[next];
        *scale = (struct path_scale){0};
        struct region_patterns *regions = prediction->scenario->regions;
        if (next > 0) {
            const struct path *call = of - of->is_stretch; // that ends a stretch is in front of it
            scale->mark = computation->scales[call->parent].mark;
            region_patterns_enter(regions, &scale->mark, call->region, call->context,
                                  of->is_stretch);
        }
        uint64_t inside =
            region_patterns_inside(regions, scale->mark) & region_patterns_after(regions, 0);
        put_factors(scale, prediction, location->index, inside);
    }
    return computation->scales[path];
}

uint64_t path_mark(const struct engine *engine, const struct location_state *location,
                   uint32_t path)
{
    return scale_of(engine, location, path).mark;
}

uint64_t path_inside(const struct engine *engine, const struct location_state *location,
                     uint64_t mark)
{
    const struct region_patterns *patterns = prediction_of(engine)->scenario->regions;
    uint64_t inside = region_patterns_inside(patterns, mark);
    if (!region_patterns_look_back(patterns))
        return inside;
    uint32_t call = location->profile.left_call;
    uint64_t call_mark = call == EVENT_NO_INDEX ? 0 : path_mark(engine, location, call);
    return inside & region_patterns_after(patterns, call_mark);
}

pag_work file_time(const struct engine *engine, const struct location_state *location,
                   pag_work time)
{
    const struct prediction *prediction = prediction_of(engine);
    if (!location->call.is_file || !prediction->knows_paths)
        return time;
    uint64_t mark = path_mark(engine, location, location->call.path);
    uint64_t inside = region_patterns_inside(prediction->scenario->regions, mark);
    return time * factor_of(prediction, location->index, inside, SCALED_FILES) / PAG_WORK_PER_NS;
}

uint32_t path_add_part(const struct engine *engine, const struct location_state *location,
                       uint32_t path)
{
    struct computation *computation = &simulated_location(engine, location)->computation;
    computation->part_of_path =
        array_reserve(computation->part_of_path, &computation->part_of_path_capacity, path + 1,
                      sizeof *computation->part_of_path);
    while (computation->n_part_of_path <= path)
        computation->part_of_path[computation->n_part_of_path++] = 0;
    uint32_t place = computation->n_parts++;
    computation->part_of_path[path] = place;
    computation->parts = array_reserve(computation->parts, &computation->parts_capacity, place + 1,
                                       sizeof *computation->parts);
    struct path_scale scale = scale_of(engine, location, path);
    const struct prediction *prediction = prediction_of(engine);
    // What is after certain calls, or where the rank is now, is not that of the path's first visit.
    bool may_differ = region_patterns_look_back(prediction->scenario->regions) ||
                      (prediction->site_of_rank && prediction->scenario->slowdown.n > 0);
    if (prediction->knows_paths && may_differ)
        put_factors(&scale, prediction, location->index, path_inside(engine, location, scale.mark));
    computation->parts[place] = (struct computation_part){
        .path = path, .scale = scale.scale, .blocked_scale = scale.blocked_scale};
    return place;
}
