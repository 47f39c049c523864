// SPDX-License-Identifier: BSD-3-Clause
// The visits of a run: found, their work counted as nothing were changed, and what is set for them.
#include "tests/reference/changed_visits.h"

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_costs.h"

/// The work that PATH of RANK has part in up to record I: index of the first that names it,
/// NO_VISIT: none.
static uint32_t item_of(const struct model *model, uint32_t rank, size_t i, uint32_t path)
{
    const struct scenario_changes *changes = &model->scenario->changes;
    for (uint32_t w = 0; w < changes->n_works; w++)
        if ((changes->works[w].ranks >> rank & 1) &&
            is_computed_in(model, rank, i, path, changes->works[w].region))
            return w;
    return NO_VISIT;
}

static void add(struct run_visits *visits, struct visit visit)
{
    for (size_t v = 0; v < visits->n; v++)
        visit.number += visits->items[v].rank == visit.rank && visits->items[v].item == visit.item;
    *ARRAY_NEXT(visits->items, visits->n, visits->capacity) = visit;
}

/// The record that leaves the region entered at BEGIN.
static size_t leave_of(const struct reference_location *location, size_t begin)
{
    size_t depth = 0, i = begin;
    for (;; i++) {
        depth += location->records[i].kind == RECORD_ENTER;
        depth -= location->records[i].kind == RECORD_LEAVE;
        if (depth == 0 || i + 1 == location->n_records)
            return i;
    }
}

static void find(struct run_visits *visits, uint32_t rank)
{
    const struct model *model = visits->model;
    const struct reference_location *location = &model->trace->locations[rank];
    size_t end = 0; // of the visit before
    bool has_visit = false;
    uint32_t of_all = item_of(model, rank, 0, 0);
    if (of_all != NO_VISIT) // all of the process is one visit
        add(visits, (struct visit){.rank = rank, .item = of_all, .end = location->n_records - 1});
    for (size_t i = 0; i < location->n_records && of_all == NO_VISIT; i++) {
        const struct record *record = &location->records[i];
        if (record->kind != RECORD_ENTER || (has_visit && i < end))
            continue;
        uint32_t path = model->path_after[rank][i], call = model->call_of[rank][i];
        if (call != REFERENCE_NONE && model->calls[call].first != i)
            continue;
        bool is_stretch = call != REFERENCE_NONE;
        uint32_t item = item_of(visits->model, rank, i, path);
        if (item == NO_VISIT || (is_stretch && record->context == REFERENCE_NONE))
            continue;
        has_visit = !is_stretch;
        end = is_stretch ? i : leave_of(location, i);
        add(visits, (struct visit){.rank = rank,
                                   .item = item,
                                   .path = path,
                                   .begin = i,
                                   .end = end,
                                   .is_stretch = is_stretch});
    }
}

/// What INTERVAL has of the visit V.
static void count(struct run_visits *visits, const struct interval *interval, struct visit *visit)
{
    uint64_t own_ns = 0, all_ns = interval_wall_ns(visits->model, interval);
    for (size_t i = interval->first; i < interval->last; i++) {
        bool is_in = visit->is_stretch ? visit->end == interval->last && i >= interval->stretch
                                       : visit->begin <= i && i < visit->end;
        if (is_in)
            own_ns += time_of_record(visits->model, interval->rank, i + 1) -
                      time_of_record(visits->model, interval->rank, i);
    }
    if (all_ns > 0)
        visit->recorded += (parts_t)interval_process_ns(visits->model, interval) * PER_NS *
                           (parts_t)own_ns / (parts_t)all_ns;
}

/// The intervals between the calls of RANK.
static void count_all(struct run_visits *visits, uint32_t rank)
{
    struct interval interval = {.rank = rank};
    for (uint32_t c = 0; c <= visits->model->n_calls; c++) {
        const struct model_call *call =
            c < visits->model->n_calls ? &visits->model->calls[c] : NULL;
        if (call && call->location != rank)
            continue;
        interval.last = call ? call->first : visits->model->trace->locations[rank].n_records - 1;
        interval.stretch = interval_stretch(visits->model, &interval);
        for (size_t v = 0; v < visits->n; v++)
            if (visits->items[v].rank == rank)
                count(visits, &interval, &visits->items[v]);
        interval.first = call ? call->last : 0;
    }
}

static uint64_t ratio(parts_t a, parts_t b)
{
    return b == 0 ? PER_NS : (uint64_t)((a * PER_NS + b / 2) / b);
}

/// How many of the ranks NAMED have cores at once.
static uint32_t count_at_once(const struct model *model, uint32_t named)
{
    const struct predicted_scenario *scenario = model->scenario;
    uint32_t n_taken[PROGRAM_MAX_RANKS][PROGRAM_MAX_RANKS] = {{0}}, n_on[PROGRAM_MAX_RANKS] = {0};
    uint32_t n_at_once = 0;
    for (uint32_t r = 0; r < model->trace->n_ranks; r++) {
        uint32_t node = scenario->node[r], n_cores = machine_cores_of(scenario, node);
        uint32_t core = scenario->is_sticky && n_cores ? n_on[node] % n_cores : 0;
        uint32_t n_free = n_cores == 0 ? UINT32_MAX : scenario->is_sticky ? 1 : n_cores;
        n_on[node]++;
        if (named >> r & 1 && n_taken[node][core]++ < n_free)
            n_at_once++;
    }
    return n_at_once;
}

static void balance(struct run_visits *visits, uint32_t item)
{
    uint32_t n[PROGRAM_MAX_RANKS] = {0}, most = 0;
    parts_t total[PROGRAM_MAX_RANKS] = {0}, sum = 0;
    for (size_t v = 0; v < visits->n; v++) {
        const struct visit *visit = &visits->items[v];
        if (visit->item != item)
            continue;
        n[visit->rank]++;
        total[visit->rank] += visit->recorded;
        sum += visit->recorded;
    }
    visits->is_by_visit[item] = true;
    for (uint32_t r = 0; r < PROGRAM_MAX_RANKS; r++) {
        visits->n_ranks[item] += n[r] > 0;
        if (n[r] > 0 && most > 0 && n[r] != most)
            visits->is_by_visit[item] = false;
        most = n[r] > 0 ? n[r] : most;
    }
    uint32_t named = visits->model->scenario->changes.works[item].ranks;
    uint32_t n_named = (uint32_t)__builtin_popcount(named), n_visiting = visits->n_ranks[item];
    if (n_visiting > 0 && named != UINT32_MAX) // they share it, visits or not
        visits->n_ranks[item] = n_named;
    if (n_visiting > 0 && named != UINT32_MAX && n_named > n_visiting) {
        uint32_t n_at_once = count_at_once(visits->model, named);
        visits->n_ranks[item] = n_at_once > n_visiting ? n_at_once : n_visiting;
    }
    for (uint32_t r = 0; r < PROGRAM_MAX_RANKS && visits->n_ranks[item] > 0; r++)
        visits->ratio[item][r] = ratio(sum / (parts_t)visits->n_ranks[item], total[r]);
}

struct run_visits *run_visits_new(const struct model *model)
{
    struct run_visits *visits = memory_zeroed(1, sizeof *visits);
    visits->model = model;
    for (uint32_t rank = 0; rank < model->trace->n_ranks; rank++) {
        visits->open[rank] = NO_VISIT;
        find(visits, rank);
        count_all(visits, rank);
    }
    for (uint32_t item = 0; item < model->scenario->changes.n_works; item++)
        balance(visits, item);
    return visits;
}

void run_visits_free(struct run_visits *visits)
{
    FREE_ALL(visits->items, visits);
}

static bool is_by_total(const struct run_visits *visits, uint32_t item)
{
    return visits->model->scenario->changes.works[item].is_balanced && !visits->is_by_visit[item];
}

uint32_t run_visits_begin(const struct run_visits *visits, const struct interval *interval,
                          size_t i)
{
    for (uint32_t v = 0; v < visits->n; v++) {
        const struct visit *visit = &visits->items[v];
        bool begins = visit->is_stretch ? visit->end == interval->last && i >= interval->stretch
                                        : visit->begin == i && i < interval->last;
        if (visit->rank == interval->rank && begins && !visit->is_over &&
            !is_by_total(visits, visit->item))
            return v;
    }
    return NO_VISIT;
}

/// What is set for a visit: the duration, or the mean of all visits of its number.
static parts_t set_work(const struct run_visits *visits, const struct visit *visit)
{
    const struct scenario_work *work = &visits->model->scenario->changes.works[visit->item];
    parts_t sum = 0;
    if (!work->is_balanced)
        return (parts_t)work->duration_ns * PER_NS;
    for (size_t v = 0; v < visits->n; v++)
        if (visits->items[v].item == visit->item && visits->items[v].number == visit->number)
            sum += visits->items[v].recorded;
    return sum / (parts_t)visits->n_ranks[visit->item];
}

static parts_t give(struct run_visits *visits, struct visit *visit, parts_t up_to, bool *is_scaled)
{
    parts_t work = up_to > visit->given ? up_to - visit->given : 0;
    visit->given += work;
    *is_scaled = visits->model->scenario->changes.works[visit->item].is_balanced;
    return work;
}

parts_t run_visits_finish(struct run_visits *visits, uint32_t v, bool *is_scaled)
{
    struct visit *visit = &visits->items[v];
    visit->is_over = true;
    return give(visits, visit, set_work(visits, visit), is_scaled);
}

parts_t run_visits_go_on(struct run_visits *visits, uint32_t v, parts_t recorded, bool *is_scaled)
{
    struct visit *visit = &visits->items[v];
    visit->seen += recorded;
    parts_t all = set_work(visits, visit), up_to = 0;
    if (visit->recorded > 0)
        up_to = visit->seen >= visit->recorded ? all : all * visit->seen / visit->recorded;
    return give(visits, visit, up_to, is_scaled);
}

uint64_t run_visits_scale(const struct run_visits *visits, uint32_t rank, size_t i, uint32_t path)
{
    uint32_t item = item_of(visits->model, rank, i, path);
    return item == NO_VISIT || !is_by_total(visits, item) ? PER_NS : visits->ratio[item][rank];
}
