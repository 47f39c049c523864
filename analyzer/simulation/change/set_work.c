// SPDX-License-Identifier: BSD-3-Clause
// Regions whose work is set (see set_work.h). Visits are counted, or their works are set.
#include "analyzer/simulation/change/set_work.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/cores/rank_list.h"
#include "analyzer/simulation/scenario.h"

// --- what --duration and --balance name

static int read_ranks(struct region_works_item *item, const struct region_work *setting,
                      const struct definitions *definitions, struct error *err)
{
    uint32_t n_ranks = (uint32_t)definitions->n_ranks;
    bool *is_listed = memory_zeroed(n_ranks, sizeof *is_listed);
    int status = 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        is_listed[rank] = !setting->ranks;
    if (setting->ranks &&
        rank_list_read(setting->ranks, strlen(setting->ranks), n_ranks, is_listed, err) != 0)
        status = error_wrap(err, "--balance %s=%s", setting->pattern, setting->ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        item->takes_part[definitions->ranks[rank].master] = is_listed[rank];
    free(is_listed);
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
    for (size_t i = 0; i < works->n; i++)
        free(works->items[i].takes_part);
    free(works->items);
    *works = (struct region_works){0};
}

int32_t region_works_kind(const struct scenario *scenario, uint32_t location, uint64_t mark)
{
    const struct region_works *works = &scenario->works;
    for (size_t i = 0; i < works->n; i++)
        if (works->items[i].takes_part[location] &&
            region_patterns_is_inside(scenario->regions, mark, works->items[i].pattern))
            return (int32_t)i + 1;
    return 0;
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
        free(visits->kinds[i].lists);
        free(visits->kinds[i].means);
    }
    free(visits->kinds);
    free(visits);
}

static struct visit_kind *kind_at(const struct visits *visits, int32_t kind)
{
    return &visits->kinds[abs(kind) - 1];
}

void visits_add(struct visits *visits, uint32_t location, int32_t kind_number, uint64_t n_visits,
                pag_work work, bool has_calls)
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
    list->works =
        array_reserve(list->works, &list->capacity, list->n_works + 1, sizeof *list->works);
    list->works[list->n_works++] = work;
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
        kind->means[visit] /= kind->n_locations;
    }
}

void visits_conclude(struct visits *visits)
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
        if (kind->n_locations > 0)
            kind->mean /= kind->n_locations;
        if (kind->n_locations > 0 && is_even && kind->is_kept)
            balance_by_visit(visits, kind, n_visits);
    }
}

struct visits_summary visits_summary(const struct visits *visits, int32_t kind_number)
{
    const struct visit_kind *kind = kind_at(visits, kind_number);
    struct visits_summary summary = {.n_locations = kind->n_locations,
                                     .is_by_visit = kind->is_by_visit,
                                     .has_calls = kind->has_calls};
    for (size_t i = 0; i < visits->n_locations; i++)
        summary.n_visits += kind->lists[i].n_visits;
    return summary;
}

// --- set

/// Where a location is in its visits of one kind.
struct visit_place {
    uint64_t n_begun;
    pag_work seen, given; // in the present one: recorded, and set for it
};

struct visit_run {
    const struct visits *visits;
    const struct scenario *scenario;
    struct visit_place *places; // by kind and location
};

struct visit_run *visit_run_new(const struct visits *visits, const struct scenario *scenario)
{
    struct visit_run *run = memory_zeroed(1, sizeof *run);
    run->visits = visits;
    run->scenario = scenario;
    run->places = memory_zeroed(visits->n_kinds * visits->n_locations, sizeof *run->places);
    return run;
}

void visit_run_free(struct visit_run *run)
{
    if (!run)
        return;
    free(run->places);
    free(run);
}

static bool is_by_total(const struct visit_run *run, int32_t kind)
{
    return run->scenario->works.items[kind - 1].is_balanced &&
           !kind_at(run->visits, kind)->is_by_visit;
}

int32_t visit_run_kind(const struct visit_run *run, uint32_t location, uint64_t mark)
{
    int32_t kind = region_works_kind(run->scenario, location, mark);
    return kind > 0 && is_by_total(run, kind) ? 0 : kind;
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

/// What the present visit of LIST had in the recording.
static pag_work recorded_work(const struct visit_list *list, uint64_t visit)
{
    if (visit < list->n_works)
        return list->works[visit];
    return list->n_visits ? list->total / list->n_visits : 0;
}

/// A over B in millionths, 1 where that is no number.
static uint64_t ratio(pag_work a, pag_work b)
{
    for (; a >> 100; a >>= 1)
        b >>= 1;
    if (b == 0)
        return PAG_WORK_PER_NS;
    pag_work factor = (a * PAG_WORK_PER_NS + b / 2) / b;
    return factor >> 63 ? PAG_WORK_PER_NS : (uint64_t)factor;
}

/// The work that is set for visit number VISIT.
static pag_work set_work(const struct visit_run *run, uint32_t location, int32_t kind_number,
                         uint64_t visit)
{
    const struct region_works_item *item = &run->scenario->works.items[kind_number - 1];
    const struct visit_kind *kind = kind_at(run->visits, kind_number);
    if (!item->is_balanced)
        return (pag_work)item->duration_ns * PAG_WORK_PER_NS;
    return visit < kind->lists[location].n_visits ? kind->means[visit] : 0;
}

pag_work visit_run_work(struct visit_run *run, uint32_t location, int32_t kind_number,
                        const struct visit_part *part, bool *is_scaled)
{
    const struct region_works_item *item = &run->scenario->works.items[kind_number - 1];
    const struct visit_list *list = &kind_at(run->visits, kind_number)->lists[location];
    struct visit_place *place =
        &run->places[(size_t)(kind_number - 1) * run->visits->n_locations + location];
    if (part->is_first) {
        place->n_begun++;
        place->seen = place->given = 0;
    }
    uint64_t visit = place->n_begun - 1;
    pag_work all = set_work(run, location, kind_number, visit);
    *is_scaled = item->is_balanced;
    place->seen += part->recorded;
    pag_work up_to = part->is_last ? all : portion(all, place->seen, recorded_work(list, visit));
    pag_work work = up_to > place->given ? up_to - place->given : 0;
    place->given += work;
    return work;
}

uint64_t visit_run_factor(const struct visit_run *run, uint32_t location, int32_t kind,
                          bool *is_scaled)
{
    const struct visit_place *place =
        &run->places[(size_t)(kind - 1) * run->visits->n_locations + location];
    *is_scaled = run->scenario->works.items[kind - 1].is_balanced;
    return ratio(set_work(run, location, kind, place->n_begun),
                 recorded_work(&kind_at(run->visits, kind)->lists[location], place->n_begun));
}

uint64_t visit_run_scale(const struct visit_run *run, uint32_t location, uint64_t mark)
{
    int32_t kind = region_works_kind(run->scenario, location, mark);
    if (kind == 0 || !is_by_total(run, kind))
        return PAG_WORK_PER_NS;
    const struct visit_kind *of = kind_at(run->visits, kind);
    return ratio(of->mean, of->lists[location].total);
}
