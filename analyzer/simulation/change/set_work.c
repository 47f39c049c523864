// SPDX-License-Identifier: BSD-3-Clause
// Regions whose work is set (see set_work.h). Visits are counted, or their works are set.
//
// What a visit has of a computation is set, or counted, in work: process time of the computation x
// wall time of the visit in it / wall time of the computation. What is set for it is shared among
// its call paths like their wall time; where it has none the path it began at takes all.
#include "analyzer/simulation/change/set_work.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/state.h"

// Visits over within one computation that are counted one by one; further ones are counted
// together.
enum { MAX_OVER = 1 << 16 };

// --- what --duration and --balance name

static int read_ranks(struct region_works_item *item, const struct region_work *setting,
                      const struct definitions *definitions, struct error *err)
{
    uint32_t n_ranks = (uint32_t)definitions->n_ranks;
    SCOPED bool *is_listed = memory_zeroed(n_ranks, sizeof *is_listed);
    int status = 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        is_listed[rank] = !setting->ranks;
    if (setting->ranks &&
        rank_list_read(setting->ranks, strlen(setting->ranks), n_ranks, is_listed, err) != 0)
        status = error_wrap(err, "--balance %s=%s", setting->pattern, setting->ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        item->takes_part[definitions->ranks[rank].master] = is_listed[rank];
    for (uint32_t rank = 0; rank < n_ranks && setting->ranks; rank++)
        item->n_named += is_listed[rank];
    return status;
}

int region_works_init(struct scenario *scenario, const struct definitions *definitions,
                      struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    struct region_works *works = &scenario->works;
    works->items = memory_zeroed(settings->n_works, sizeof *works->items);
    for (size_t i = 0; i < settings->n_works; i++) {
        const struct region_work *setting = &settings->works[i];
        struct region_works_item *item = &works->items[works->n++];
        *item = (struct region_works_item){
            .is_balanced = setting->is_balanced,
            .duration_ns = setting->duration_ns,
            .takes_part = memory_zeroed(definitions->n_locations, sizeof(bool)),
        };
        const char *option = item->is_balanced ? "--balance" : "--duration";
        if (region_patterns_add(scenario->regions, option, setting->pattern, REGION_COMPUTING,
                                &item->pattern, err) != 0 ||
            read_ranks(item, setting, definitions, err) != 0)
            return -1;
    }
    return 0;
}

void region_works_release(struct region_works *works)
{
    FREE_MEMBERS(works->items, works->n, takes_part);
    free(works->items);
    *works = (struct region_works){0};
}

int region_works_check(const struct scenario *scenario, struct error *err)
{
    const struct region_patterns *patterns = scenario->regions;
    const struct region_works *works = &scenario->works;
    for (size_t i = 0; i < works->n; i++)
        for (size_t j = i + 1; j < works->n; j++) {
            uint32_t a = works->items[i].pattern, b = works->items[j].pattern;
            if (region_patterns_overlap(patterns, a, b))
                return error_set(err,
                                 "%s and %s are inside one another: the work of only one of "
                                 "them can be set",
                                 region_patterns_text(patterns, a),
                                 region_patterns_text(patterns, b));
        }
    return 0;
}

// --- visits

/// The visits of one kind by one location.
struct visit_list {
    uint64_t n_visits;
    pag_work total;
    pag_work *works; // of each, NULL: not kept
    size_t n_works, capacity;
};

struct visit_kind {
    struct visit_list *lists; // by location
    bool is_kept;             // each visit's work
    bool is_by_visit;
    bool has_calls;       // some visit has work before and after an MPI call
    uint64_t n_locations; // with visits
    uint64_t n_sharing;   // the work
    pag_work mean;        // of their totals
    pag_work *means;      // by visit
};

struct visits {
    struct visit_kind *kinds;
    size_t n_kinds, n_locations, n_kept;
};

struct visits *visits_new(size_t n_kinds, size_t n_locations)
{
    struct visits *visits = memory_zeroed(1, sizeof *visits);
    visits->kinds = memory_zeroed(n_kinds, sizeof *visits->kinds);
    visits->n_kinds = n_kinds;
    visits->n_locations = n_locations;
    for (size_t i = 0; i < n_kinds; i++) {
        visits->kinds[i].lists = memory_zeroed(n_locations, sizeof *visits->kinds[i].lists);
        visits->kinds[i].is_kept = true;
    }
    return visits;
}

static void drop_works(struct visits *visits, struct visit_kind *kind)
{
    kind->is_kept = false;
    for (size_t i = 0; i < visits->n_locations; i++) {
        visits->n_kept -= kind->lists[i].n_works;
        free(kind->lists[i].works);
        kind->lists[i].works = NULL;
        kind->lists[i].n_works = kind->lists[i].capacity = 0;
    }
}

void visits_free(struct visits *visits)
{
    if (!visits)
        return;
    for (size_t i = 0; i < visits->n_kinds; i++) {
        drop_works(visits, &visits->kinds[i]);
        FREE_ALL(visits->kinds[i].lists, visits->kinds[i].means);
    }
    FREE_ALL(visits->kinds, visits);
}

static struct visit_kind *kind_at(const struct visits *visits, int32_t kind)
{
    return &visits->kinds[abs(kind) - 1];
}

static void visits_add(struct visits *visits, uint32_t location, int32_t kind_number,
                       uint64_t n_visits, pag_work work, bool has_calls)
{
    struct visit_kind *kind = kind_at(visits, kind_number);
    struct visit_list *list = &kind->lists[location];
    kind->has_calls = kind->has_calls || has_calls;
    list->n_visits += n_visits;
    list->total += work;
    if (n_visits != 1 || visits->n_kept == VISITS_MAX_KEPT)
        drop_works(visits, kind);
    if (!kind->is_kept)
        return;
    *ARRAY_NEXT(list->works, list->n_works, list->capacity) = work;
    visits->n_kept++;
}

/// The means of the first visits, the second ones, ... of all locations that have any.
static void balance_by_visit(const struct visits *visits, struct visit_kind *kind,
                             uint64_t n_visits)
{
    kind->is_by_visit = true;
    kind->means = memory_zeroed(n_visits, sizeof *kind->means);
    for (uint64_t visit = 0; visit < n_visits; visit++) {
        for (size_t i = 0; i < visits->n_locations; i++)
            if (kind->lists[i].n_visits > 0)
                kind->means[visit] += kind->lists[i].works[visit];
        kind->means[visit] /= kind->n_sharing;
    }
}

/// How many of the ranks that are named for ITEM have a core of SCENARIO at once.
static uint64_t named_at_once(const struct scenario *scenario,
                              const struct definitions *definitions,
                              const struct region_works_item *item)
{
    if (!scenario->knows_cores)
        return item->n_named;
    SCOPED uint32_t *n_named = memory_zeroed(scenario->n_groups, sizeof *n_named);
    uint64_t n_at_once = 0;
    for (uint32_t rank = 0; rank < definitions->n_ranks; rank++) {
        uint32_t group = scenario->group_of_rank[rank];
        if (item->takes_part[definitions->ranks[rank].master] &&
            n_named[group]++ < scenario->groups[group].n_cores)
            n_at_once++;
    }
    return n_at_once;
}

/// How many share the work of KIND, N_LOCATIONS of which visit it. Those that do not are not seen
/// to work in the prediction, so cores limit them here.
static uint64_t count_sharing(const struct scenario *scenario,
                              const struct definitions *definitions, size_t kind,
                              uint64_t n_locations)
{
    const struct region_works_item *item = &scenario->works.items[kind];
    if (item->n_named <= n_locations)
        return item->n_named > 0 ? item->n_named : n_locations;
    uint64_t n_at_once = named_at_once(scenario, definitions, item);
    return n_at_once > n_locations ? n_at_once : n_locations;
}

void visits_conclude(struct visits *visits, const struct scenario *scenario,
                     const struct definitions *definitions)
{
    for (size_t k = 0; k < visits->n_kinds; k++) {
        struct visit_kind *kind = &visits->kinds[k];
        uint64_t n_visits = 0;
        bool is_even = true;
        for (size_t i = 0; i < visits->n_locations; i++) {
            const struct visit_list *list = &kind->lists[i];
            if (list->n_visits == 0)
                continue;
            is_even = is_even && (n_visits == 0 || n_visits == list->n_visits);
            n_visits = list->n_visits;
            kind->n_locations++;
            kind->mean += list->total;
        }
        kind->n_sharing = count_sharing(scenario, definitions, k, kind->n_locations);
        if (kind->n_locations > 0)
            kind->mean /= kind->n_sharing;
        if (kind->n_locations > 0 && is_even && kind->is_kept)
            balance_by_visit(visits, kind, n_visits);
    }
}

struct visits_summary visits_summary(const struct visits *visits, int32_t kind_number)
{
    const struct visit_kind *kind = kind_at(visits, kind_number);
    struct visits_summary summary = {.n_locations = kind->n_locations,
                                     .n_sharing = kind->n_sharing,
                                     .is_by_visit = kind->is_by_visit,
                                     .has_calls = kind->has_calls};
    for (size_t i = 0; i < visits->n_locations; i++)
        summary.n_visits += kind->lists[i].n_visits;
    return summary;
}

// --- set

/// Whether all ranks get the same work in visits of this kind.
static bool is_balanced(const struct scenario *scenario, int32_t kind)
{
    return scenario->works.items[kind - 1].is_balanced;
}

/// The same, by one factor for all visits of a rank.
static bool is_by_total(const struct scenario *scenario, int32_t kind)
{
    return is_balanced(scenario, kind) && !kind_at(scenario->visits, kind)->is_by_visit;
}

/// a b / c, at most a, for b <= c; both may be large.
static pag_work portion(pag_work a, pag_work b, pag_work c)
{
    if (c == 0)
        return 0;
    for (; c >> 62; c >>= 1)
        b >>= 1;
    return b >= c ? a : a * b / c;
}

/// A over B in millionths, 1 where that is not a number.
static uint64_t ratio(pag_work a, pag_work b)
{
    for (; a >> 100; a >>= 1)
        b >>= 1;
    if (b == 0)
        return PAG_WORK_PER_NS;
    pag_work factor = (a * PAG_WORK_PER_NS + b / 2) / b;
    return factor >> 63 ? PAG_WORK_PER_NS : (uint64_t)factor;
}

uint64_t *visits_scales(const struct scenario *scenario, size_t n_locations)
{
    uint64_t *scales = memory_zeroed(scenario->works.n * n_locations, sizeof *scales),
             *scale = scales;
    for (int32_t kind = 1; kind <= (int32_t)scenario->works.n; kind++) {
        const struct visit_kind *of = kind_at(scenario->visits, kind);
        for (size_t i = 0; i < n_locations; i++)
            *scale++ =
                is_by_total(scenario, kind) ? ratio(of->mean, of->lists[i].total) : PAG_WORK_PER_NS;
    }
    return scales;
}

/// The work of visit number INDEX of a kind that is set, and what it had in the recording.
static pag_work set_work(const struct scenario *scenario, uint32_t location, int32_t kind_number,
                         uint64_t index, pag_work *recorded)
{
    const struct region_works_item *item = &scenario->works.items[kind_number - 1];
    const struct visit_kind *kind = kind_at(scenario->visits, kind_number);
    const struct visit_list *list = &kind->lists[location];
    *recorded = list->n_visits ? list->total / list->n_visits : 0;
    if (index < list->n_works)
        *recorded = list->works[index];
    if (!item->is_balanced)
        return (pag_work)item->duration_ns * PAG_WORK_PER_NS;
    return index < list->n_visits ? kind->means[index] : 0;
}

// --- visits in simulated time

void visit_release(struct visit *visit)
{
    FREE_ALL(visit->parts, visit->over);
    *visit = (struct visit){0};
}

bool visit_has_any(const struct engine *engine)
{
    return prediction_of(engine)->n_begun || prediction_of(engine)->counted;
}

static struct computation *computation_of(const struct engine *engine,
                                          const struct location_state *location)
{
    return &simulated_location(engine, location)->computation;
}

/// Whether a visit begins where LOCATION, in none, comes to what patterns INSIDE name. 0: no; a
/// positive kind: its work is set; a negative one: it is counted.
static int32_t kind_of(const struct prediction *prediction, uint32_t location, uint64_t inside)
{
    int32_t kind = path_visit_kind(prediction->scenario, location, inside);
    if (!prediction->n_begun)
        return -kind;
    return kind > 0 && is_by_total(prediction->scenario, kind) ? 0 : kind;
}

bool visit_begin(const struct engine *engine, const struct location_state *location, uint32_t path)
{
    const struct prediction *prediction = prediction_of(engine);
    struct visit *visit = &computation_of(engine, location)->visit;
    if (visit->kind != 0 || !visit_has_any(engine))
        return false;
    uint64_t inside = path_inside(engine, location, path_mark(engine, location, path));
    visit->kind = kind_of(prediction, location->index, inside);
    visit->depth = location->profile.depth;
    visit->path = path;
    visit->before = visit->given = 0;
    visit->wall_ns = 0;
    if (visit->kind > 0) {
        const struct scenario *scenario = prediction->scenario;
        size_t n_locations = prediction->definitions->n_locations;
        uint64_t *n_begun =
            &prediction->n_begun[(size_t)(visit->kind - 1) * n_locations + location->index];
        visit->set =
            set_work(scenario, location->index, visit->kind, (*n_begun)++, &visit->recorded);
        visit->scale = ratio(visit->set, visit->recorded);
        visit->is_scaled = is_balanced(scenario, visit->kind);
    }
    return visit->kind != 0;
}

bool visit_pass(struct computation *computation, uint32_t part, uint64_t ns)
{
    struct visit *visit = &computation->visit;
    if (visit->kind == 0)
        return false;
    visit->wall_ns += ns;
    if (visit->kind < 0)
        return false;
    if (computation->parts[part].visit_ns == 0)
        *ARRAY_NEXT(visit->parts, visit->n_parts, visit->part_capacity) = part;
    computation->parts[part].visit_ns += ns;
    return true;
}

uint64_t visit_weight(const struct visit *visit, uint64_t scale)
{
    if (visit->kind <= 0)
        return scale;
    return visit->is_scaled ? (uint64_t)((pag_work)visit->scale * scale / PAG_WORK_PER_NS)
                            : visit->scale;
}

/// Gives WORK to PART, scaled like the path or not; the work it is.
static pag_work give(struct computation_part *part, pag_work work, bool is_scaled)
{
    if (is_scaled)
        work = work * part->scale / PAG_WORK_PER_NS;
    part->work += work;
    return work;
}

/// The open visit has done UP_TO of what is set for it: what is new of that is shared among the
/// parts of the computation that it has touched.
static void share(const struct engine *engine, const struct location_state *location,
                  pag_work up_to)
{
    struct computation *computation = computation_of(engine, location);
    struct visit *visit = &computation->visit;
    pag_work work = up_to > visit->given ? up_to - visit->given : 0, given = 0;
    uint64_t sum_ns = 0;
    visit->given += work;
    computation->has_set_work = true;
    if (visit->n_parts == 0) {
        uint32_t part = path_part(engine, location, visit->path);
        computation->work += give(&computation->parts[part], work, visit->is_scaled);
    }
    for (size_t i = 0; i < visit->n_parts; i++) {
        struct computation_part *part = &computation->parts[visit->parts[i]];
        sum_ns += part->visit_ns;
        // no overflow: more than 10^9 s of work would be needed
        pag_work up_to_part = work * sum_ns / visit->wall_ns;
        computation->work += give(part, up_to_part - given, visit->is_scaled);
        given = up_to_part;
        part->visit_ns = 0;
    }
    visit->n_parts = 0;
}

static void keep_over(struct visit *visit)
{
    struct visits_over over = {visit->kind, 1, visit->wall_ns, visit->before};
    if (visit->n_over == MAX_OVER) {
        struct visits_over *last = &visit->over[MAX_OVER - 1];
        last->n_visits++;
        last->wall_ns += over.wall_ns;
        return;
    }
    *ARRAY_NEXT(visit->over, visit->n_over, visit->over_capacity) = over;
}

void visit_end(const struct engine *engine, struct location_state *location)
{
    struct visit *visit = &computation_of(engine, location)->visit;
    if (visit->kind > 0)
        share(engine, location, visit->set);
    else if (visit->kind < 0)
        keep_over(visit);
    visit->kind = 0;
}

void visit_end_if_left(const struct engine *engine, struct location_state *location)
{
    const struct visit *visit = &computation_of(engine, location)->visit;
    if (visit->kind != 0 && location->profile.depth < visit->depth)
        visit_end(engine, location);
}

void visit_close_computation(const struct engine *engine, struct location_state *location)
{
    struct computation *computation = computation_of(engine, location);
    struct visit *visit = &computation->visit;
    const uint64_t wall_ns = computation->recorded_ns;
    const pag_work process = (pag_work)computation->process_ns * PAG_WORK_PER_NS;
    for (size_t i = 0; i < visit->n_over; i++) {
        const struct visits_over *over = &visit->over[i];
        pag_work work = over->before + (wall_ns ? process * over->wall_ns / wall_ns : 0);
        visits_add(prediction_of(engine)->counted, location->index, over->kind, over->n_visits,
                   work, over->before > 0);
    }
    visit->n_over = 0;
    if (visit->kind == 0)
        return;
    visit->before += wall_ns ? process * visit->wall_ns / wall_ns : 0;
    if (visit->kind > 0)
        share(engine, location, portion(visit->set, visit->before, visit->recorded));
    visit->wall_ns = 0;
}
