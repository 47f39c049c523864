// SPDX-License-Identifier: BSD-3-Clause
// How much work an interval between two calls has, and which call paths have it.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/changed_program.h"
#include "tests/reference/changed_visits.h"
#include "tests/reference/predicted_costs.h"

uint32_t path_in_interval(const struct model *model, const struct interval *interval, size_t i)
{
    return model->path_after[interval->rank][i < interval->stretch ? i : interval->last];
}

static const struct record *records_of(const struct model *model, const struct interval *interval)
{
    return model->trace->locations[interval->rank].records;
}

/// The last enter or leave before a call whose place is known.
size_t interval_stretch(const struct model *model, const struct interval *interval)
{
    const struct record *records = records_of(model, interval);
    const struct record *call = &records[interval->last];
    if (model->order_costs_ns || interval->last == interval->first || call->kind != RECORD_ENTER ||
        call->context == REFERENCE_NONE)
        return interval->last;
    size_t from = interval->last - 1;
    while (from > interval->first && records[from].kind != RECORD_ENTER &&
           records[from].kind != RECORD_LEAVE)
        from--;
    return from;
}

uint64_t time_of_record(const struct model *model, uint32_t rank, size_t i)
{
    return model->order_costs_ns ? model->order_costs_ns[rank][i]
                                 : model->trace->locations[rank].records[i].time_ns;
}

uint64_t interval_wall_ns(const struct model *model, const struct interval *interval)
{
    return time_of_record(model, interval->rank, interval->last) -
           time_of_record(model, interval->rank, interval->first);
}

/// What the clock of the processor says; their distance where it was not read.
static uint64_t cpu_ns(const struct model *model, const struct predicted_scenario *scenario,
                       const struct interval *interval)
{
    const struct record *records = records_of(model, interval);
    uint64_t wall_ns = interval_wall_ns(model, interval);
    const struct record *low = NULL, *high = NULL;
    if (scenario->n_cores == 0)
        return wall_ns;
    for (size_t i = interval->first; i <= interval->last; i++) {
        if (records[i].kind != RECORD_CPU)
            continue;
        low = low ? low : &records[i];
        high = &records[i];
    }
    if (!low || high->cpu_ns < low->cpu_ns)
        return wall_ns;
    uint64_t used_ns = wall_ns;
    if (high->cpu_ns - low->cpu_ns < high->time_ns - low->time_ns)
        used_ns = wall_ns - (high->time_ns - low->time_ns) + (high->cpu_ns - low->cpu_ns);
    // Up to the last reading the process cannot have used more than since the one before.
    for (size_t i = interval->first; i-- > 0;) {
        if (records[i].kind != RECORD_CPU)
            continue;
        uint64_t rest_ns = records[interval->last].time_ns - high->time_ns;
        if (high->cpu_ns >= records[i].cpu_ns &&
            high->cpu_ns - records[i].cpu_ns + rest_ns < used_ns)
            used_ns = high->cpu_ns - records[i].cpu_ns + rest_ns;
        break;
    }
    return used_ns;
}

/// But who had enough cores had one, where those that wait leave theirs: then only so much can be
/// missing as there was time, since the rank computes, in which more ranks than cores did.
uint64_t interval_process_ns(const struct model *model, const struct predicted_scenario *scenario,
                             const struct interval *interval)
{
    const struct record *records = records_of(model, interval);
    const uint32_t *call_of = model->call_of[interval->rank];
    uint64_t wall_ns = interval_wall_ns(model, interval);
    if (model->order_costs_ns)
        return wall_ns;
    uint64_t used_ns = cpu_ns(model, scenario, interval);
    size_t n_records = model->trace->locations[interval->rank].n_records;
    bool is_end = interval->last + 1 == n_records || call_of[interval->last] != REFERENCE_NONE;
    if (!has_lacked_cores(model, scenario, interval->rank) || scenario->spins || !is_end)
        return used_ns;
    size_t from = interval->first;
    while (from > 0 && call_of[from] == REFERENCE_NONE)
        from--;
    uint64_t crowded_ns = crowded_time(model, scenario, interval->rank, records[from].time_ns,
                                       records[interval->last].time_ns);
    return wall_ns > crowded_ns && wall_ns - crowded_ns > used_ns ? wall_ns - crowded_ns : used_ns;
}

/// The product of the factors of all settings that name an open region, each once; then those of
/// the machine, which is so many times as fast there.
static uint64_t scale_of_path(const struct model *model, const struct predicted_scenario *scenario,
                              uint32_t path)
{
    uint64_t scale = PER_NS;
    for (uint32_t r = 0; r < scenario->n_regions; r++)
        if (is_in_region(model, path, scenario->regions[r].name))
            scale = scale * scenario->regions[r].factor / PER_NS;
    for (uint32_t r = 0; scenario->has_machine && r < scenario->machine.n_regions; r++) {
        const struct scenario_region *region = &scenario->machine.regions[r];
        uint64_t one = (uint64_t)PER_NS * PER_NS;
        if (is_in_region(model, path, region->name))
            scale = scale * ((one + region->factor / 2) / region->factor) / PER_NS;
    }
    return scale;
}

/// What one call path has.
struct piece {
    uint32_t path;
    uint64_t wall_ns;  // but for visits whose work is set
    uint64_t visit_ns; // of one such visit
    uint64_t scale;
    parts_t set; // work
};

struct pieces {
    struct piece *items;
    size_t n;
};

static struct piece *piece_of(struct pieces *pieces, const struct run_visits *visits, uint32_t rank,
                              uint32_t path)
{
    for (size_t p = 0; p < pieces->n; p++)
        if (pieces->items[p].path == path)
            return &pieces->items[p];
    uint64_t scale = scale_of_path(visits->model, visits->scenario, path);
    if (visits->scenario->changes.n_works > 0)
        scale = (uint64_t)((parts_t)scale * run_visits_scale(visits, rank, path) / PER_NS);
    pieces->items[pieces->n] = (struct piece){.path = path, .scale = scale};
    return &pieces->items[pieces->n++];
}

/// Shares WORK, set for a visit that began at path BEGUN_AT, among the paths it was in here.
static void share_visit(struct pieces *pieces, struct piece *begun_at, parts_t work, bool is_scaled)
{
    uint64_t all_ns = 0, up_to_ns = 0;
    parts_t given = 0;
    for (size_t p = 0; p < pieces->n; p++)
        all_ns += pieces->items[p].visit_ns;
    if (all_ns == 0)
        begun_at->set += is_scaled ? work * (parts_t)begun_at->scale / PER_NS : work;
    for (size_t p = 0; p < pieces->n && all_ns > 0; p++) {
        struct piece *piece = &pieces->items[p];
        up_to_ns += piece->visit_ns;
        parts_t own = work * (parts_t)up_to_ns / (parts_t)all_ns - given;
        given += own;
        piece->set += is_scaled ? own * (parts_t)piece->scale / PER_NS : own;
        piece->visit_ns = 0;
    }
}

/// Sets the work of the visit that INTERVAL's rank is in, which ends here or goes on, VISIT_NS of
/// it in the interval.
static void set_visit(struct pieces *pieces, struct run_visits *visits,
                      const struct interval *interval, uint64_t visit_ns, bool ends)
{
    uint32_t v = visits->open[interval->rank];
    uint64_t all_ns = interval_wall_ns(visits->model, interval);
    uint64_t process_ns = interval_process_ns(visits->model, visits->scenario, interval);
    parts_t recorded = all_ns ? (parts_t)process_ns * PER_NS * visit_ns / all_ns : 0;
    bool is_scaled;
    parts_t work = ends ? run_visits_finish(visits, v, &is_scaled)
                        : run_visits_go_on(visits, v, recorded, &is_scaled);
    share_visit(pieces, piece_of(pieces, visits, interval->rank, visits->items[v].path), work,
                is_scaled);
    if (ends)
        visits->open[interval->rank] = NO_VISIT;
}

/// The pieces of INTERVAL in the order of their first time, its visits set.
static void divide(struct pieces *pieces, struct run_visits *visits,
                   const struct interval *interval)
{
    uint32_t *open = &visits->open[interval->rank];
    uint64_t visit_ns = 0;
    for (size_t i = interval->first; i <= interval->last; i++) {
        bool is_over = *open != NO_VISIT && !visits->items[*open].is_stretch &&
                       i >= visits->items[*open].end && (i < interval->last || interval->is_end);
        if (is_over) {
            set_visit(pieces, visits, interval, visit_ns, true);
            visit_ns = 0;
        }
        if (*open == NO_VISIT)
            *open = run_visits_begin(visits, interval, i);
        uint64_t own_ns = i < interval->last
                              ? time_of_record(visits->model, interval->rank, i + 1) -
                                    time_of_record(visits->model, interval->rank, i)
                              : 0;
        if (own_ns == 0)
            continue;
        struct piece *piece =
            piece_of(pieces, visits, interval->rank, path_in_interval(visits->model, interval, i));
        if (*open == NO_VISIT) {
            piece->wall_ns += own_ns;
        } else {
            piece->visit_ns += own_ns;
            visit_ns += own_ns;
        }
    }
    if (*open != NO_VISIT)
        set_visit(pieces, visits, interval, visit_ns,
                  interval->is_end || visits->items[*open].is_stretch);
}

size_t interval_shares(struct run_visits *visits, const struct interval *interval,
                       struct share **shares)
{
    uint64_t process_ns = interval_process_ns(visits->model, visits->scenario, interval);
    uint64_t all_ns = interval_wall_ns(visits->model, interval);
    struct pieces pieces = {
        .items = memory_zeroed(2 * (interval->last - interval->first) + 3, sizeof *pieces.items)};
    divide(&pieces, visits, interval);
    *shares = memory_zeroed(pieces.n + 1, sizeof **shares);
    parts_t scaled = 0, set = 0, given = 0;
    for (size_t p = 0; p < pieces.n; p++) {
        scaled += (parts_t)pieces.items[p].wall_ns * pieces.items[p].scale;
        set += pieces.items[p].set;
        parts_t up_to = set + (all_ns ? process_ns * scaled / all_ns : 0);
        (*shares)[p] = (struct share){pieces.items[p].path, up_to - given};
        given = up_to;
    }
    free(pieces.items);
    return pieces.n;
}
