// SPDX-License-Identifier: BSD-3-Clause
// The work of all steps: that of their intervals, without what other ranks do (--move), with what
// has come along with messages.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/changed_program.h"
#include "tests/reference/changed_visits.h"
#include "tests/reference/predicted_costs.h"

/// Which moves concern work of RANK in PATH up to record I, bits.
static uint32_t moves_of(const struct model *model, uint32_t rank, size_t i, uint32_t path)
{
    const struct scenario_changes *changes = &model->scenario->changes;
    uint32_t moves = 0;
    for (uint32_t m = 0; m < changes->n_moves; m++)
        if ((changes->moves[m].from >> rank & 1) &&
            is_computed_in(model, rank, i, path, changes->moves[m].region))
            moves |= 1u << m;
    return moves;
}

static bool leads_to(const struct model *model, uint32_t moves, uint32_t rank)
{
    const struct scenario_changes *changes = &model->scenario->changes;
    for (uint32_t m = 0; m < changes->n_moves; m++)
        if ((moves >> m & 1) && (changes->moves[m].to >> rank & 1))
            return true;
    return false;
}

/// How many regions are to be left after INTERVAL until none is open that a move names.
static uint32_t count_levels(const struct model *model, const struct interval *interval)
{
    uint32_t path = interval->last > 0 ? model->path_after[interval->rank][interval->last - 1] : 0;
    uint32_t levels = 0;
    for (uint32_t n = 1; path != 0; path = model->paths[path].parent, n++)
        if (moves_of(model, interval->rank, interval->last, path) != 0)
            levels = n;
    return levels;
}

/// The message that work of MOVES in INTERVAL goes along with: the next one, where those that are
/// sent while a moved region is open are part of its work unless they go where the moves lead.
/// REFERENCE_NONE when there is none, or a collective operation comes first.
static uint32_t message_after(const struct model *model, const struct interval *interval,
                              uint32_t moves)
{
    const struct reference_location *location = &model->trace->locations[interval->rank];
    uint32_t levels = count_levels(model, interval), depth = 0;
    for (size_t i = interval->last; i < location->n_records; i++) {
        enum record_kind kind = location->records[i].kind;
        if (kind == RECORD_COLL_END || kind == RECORD_COLL_REQUEST)
            return REFERENCE_NONE;
        if (kind == RECORD_ENTER)
            depth++;
        else if (kind == RECORD_LEAVE && depth > 0)
            depth--;
        else if (kind == RECORD_LEAVE && levels > 0)
            levels--;
        for (uint32_t s = 0; s < model->n_sends; s++) {
            const struct model_send *send = &model->sends[s];
            if (send->location != interval->rank || send->record != i || send->is_unsent)
                continue;
            if (leads_to(model, moves, send->receiver))
                return s;
            if (levels == 0)
                return REFERENCE_NONE;
        }
    }
    return REFERENCE_NONE;
}

/// What INTERVAL's rank does of its work itself; LOADS, by message, get the rest.
static parts_t own_work(struct run_visits *visits, const struct interval *interval, parts_t *loads)
{
    struct share *shares;
    parts_t own = 0;
    size_t n = interval_shares(visits, interval, &shares);
    for (size_t i = 0; i < n; i++) {
        uint32_t message = REFERENCE_NONE,
                 moves = moves_of(visits->model, interval->rank, interval->last, shares[i].path);
        if (moves != 0)
            message = message_after(visits->model, interval, moves);
        if (message == REFERENCE_NONE)
            own += shares[i].work;
        else
            loads[message] += shares[i].work;
    }
    free(shares);
    return own;
}

static bool completes(const struct step *step, uint32_t call)
{
    for (uint32_t i = 0; i < step->n_calls; i++)
        if (step->calls[i] == call)
            return true;
    return step->kind == STEP_CALL && step->call == call && !step->is_put_off;
}

/// The receiver of SEND does LOAD right after the call that receives it.
static void unload(struct changed_program *program, const struct model_send *send, parts_t load)
{
    uint32_t call = program->model.receives[send->receive].complete_call;
    struct step *steps = program->steps[send->receiver];
    for (size_t i = 0; i < program->n_steps[send->receiver]; i++)
        if (completes(&steps[i], call))
            steps[i + 1].work += load;
}

void find_work(struct changed_program *program)
{
    struct model *model = &program->model;
    struct run_visits *visits = run_visits_new(model);
    SCOPED parts_t *loads = memory_zeroed(model->n_sends + 1, sizeof *loads);
    for (uint32_t rank = 0; rank < model->trace->n_ranks; rank++)
        for (size_t i = 0; i < program->n_steps[rank]; i++)
            program->steps[rank][i].work =
                own_work(visits, &program->steps[rank][i].interval, loads);
    for (size_t s = 0; s < model->n_sends; s++) {
        if (loads[s] == 0)
            continue;
        model->sends[s].now_bytes += model->scenario->changes.move_data_bytes;
        if (model->sends[s].receive != REFERENCE_NONE)
            unload(program, &model->sends[s], loads[s]);
    }
    run_visits_free(visits);
}

// --- How much work an interval between two calls has, and which call paths have it.

/// Path of INTERVAL's rank between record I and the next one.
static uint32_t path_in_interval(const struct model *model, const struct interval *interval,
                                 size_t i)
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

static struct reading reading_of(const struct record *record)
{
    return (struct reading){record->kind == RECORD_CPU, record->time_ns, record->cpu_ns};
}

/// The first and last readings of the clock in INTERVAL.
static void readings_of(const struct model *model, const struct interval *interval,
                        struct reading *low, struct reading *high)
{
    const struct record *records = records_of(model, interval);
    *low = *high = interval->at_first;
    for (size_t i = interval->first; i <= interval->last; i++) {
        struct reading reading = reading_of(&records[i]);
        *low = low->is_known ? *low : reading;
        *high = reading.is_known ? reading : *high;
    }
    *high = interval->at_last.is_known ? interval->at_last : *high;
}

void interval_read_at_last(const struct model *model, struct interval *interval)
{
    const struct record *records = records_of(model, interval);
    uint64_t time_ns = records[interval->last].time_ns;
    struct reading low, high = {0};
    readings_of(model, interval, &low, &low);
    for (size_t i = interval->last + 1; i < model->trace->locations[interval->rank].n_records &&
                                        model->call_of[interval->rank][i] == REFERENCE_NONE;
         i++) {
        high = reading_of(&records[i]);
        if (high.is_known)
            break;
    }
    if (!low.is_known || !high.is_known || high.cpu_ns < low.cpu_ns || high.time_ns <= low.time_ns)
        return;
    parts_t cpu_ns = high.cpu_ns - low.cpu_ns;
    interval->at_last = (struct reading){
        true, time_ns,
        low.cpu_ns + (uint64_t)(cpu_ns * (time_ns - low.time_ns) / (high.time_ns - low.time_ns))};
}

/// What the clock of the processor says; their distance where it was not read.
uint64_t interval_process_ns(const struct model *model, const struct interval *interval)
{
    const struct record *records = records_of(model, interval);
    uint64_t wall_ns = interval_wall_ns(model, interval);
    struct reading low, high;
    if (model->scenario->n_cores == 0 || model->order_costs_ns)
        return wall_ns;
    readings_of(model, interval, &low, &high);
    if (!low.is_known || high.cpu_ns < low.cpu_ns)
        return wall_ns;
    uint64_t used_ns = wall_ns;
    if (high.cpu_ns - low.cpu_ns < high.time_ns - low.time_ns)
        used_ns = wall_ns - (high.time_ns - low.time_ns) + (high.cpu_ns - low.cpu_ns);
    if (interval->at_first.is_known)
        return used_ns;
    // Up to the last reading the process cannot have used more than since the one before.
    for (size_t i = interval->first; i-- > 0;) {
        if (records[i].kind != RECORD_CPU)
            continue;
        uint64_t rest_ns = records[interval->last].time_ns - high.time_ns;
        if (high.cpu_ns >= records[i].cpu_ns && high.cpu_ns - records[i].cpu_ns + rest_ns < used_ns)
            used_ns = high.cpu_ns - records[i].cpu_ns + rest_ns;
        break;
    }
    return used_ns;
}

/// The product of the factors of all settings that name what RANK computes at PATH up to record I;
/// then those of the machine, which is so many times as fast there.
static uint64_t scale_of_path(const struct model *model, uint32_t rank, size_t i, uint32_t path)
{
    uint64_t scale = PER_NS;
    for (uint32_t r = 0; r < model->scenario->n_regions; r++)
        if ((model->scenario->regions[r].ranks == 0 ||
             model->scenario->regions[r].ranks >> rank & 1) &&
            is_computed_in(model, rank, i, path, model->scenario->regions[r].name))
            scale = scale * model->scenario->regions[r].factor / PER_NS;
    for (uint32_t r = 0; model->scenario->has_machine && r < model->scenario->machine.n_regions;
         r++) {
        const struct scenario_region *region = &model->scenario->machine.regions[r];
        uint64_t one = (uint64_t)PER_NS * PER_NS;
        if (is_computed_in(model, rank, i, path, region->name))
            scale = scale * ((one + region->factor / 2) / region->factor) / PER_NS;
    }
    return scale;
}

/// What the work of RANK at PATH is multiplied by, because others share its core, as none did in
/// the recording: by the slowdown of the innermost region that has one.
static uint64_t slowdown_of_path(const struct model *model, uint32_t rank, uint32_t path)
{
    const struct scenario_changes *changes = &model->scenario->changes;
    uint64_t ranks = ranks_per_core(model, rank);
    uint64_t crowd = (ranks < SCENARIO_CROWD ? ranks : SCENARIO_CROWD) - PER_NS;
    for (;; path = model->paths[path].parent) {
        for (uint32_t s = 0; s < changes->n_slowdowns; s++) {
            const struct scenario_slowdown *slowdown = &changes->slowdowns[s];
            int64_t more = (int64_t)slowdown->crowded - (int64_t)slowdown->alone;
            bool is_named = path == 0 ? strcmp(slowdown->region, "(program)") == 0
                                      : is_region(model, path, slowdown->region);
            if (!is_named)
                continue;
            // Cut off on the side of `alone`.
            int64_t now = (int64_t)slowdown->alone +
                          more * (int64_t)crowd / (int64_t)(SCENARIO_CROWD - PER_NS);
            return ((uint64_t)now * PER_NS + slowdown->alone / 2) / slowdown->alone;
        }
        if (path == 0)
            return PER_NS;
    }
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

static struct piece *piece_of(struct pieces *pieces, const struct run_visits *visits,
                              const struct interval *interval, uint32_t path)
{
    for (size_t p = 0; p < pieces->n; p++)
        if (pieces->items[p].path == path)
            return &pieces->items[p];
    uint64_t scale = scale_of_path(visits->model, interval->rank, interval->last, path);
    if (visits->model->scenario->changes.n_works > 0)
        scale = (uint64_t)((parts_t)scale *
                           run_visits_scale(visits, interval->rank, interval->last, path) / PER_NS);
    if (ranks_per_core(visits->model, interval->rank) > PER_NS)
        scale = scale * slowdown_of_path(visits->model, interval->rank, path) / PER_NS;
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
    uint64_t process_ns = interval_process_ns(visits->model, interval);
    parts_t recorded = all_ns ? (parts_t)process_ns * PER_NS * visit_ns / all_ns : 0;
    bool is_scaled;
    parts_t work = ends ? run_visits_finish(visits, v, &is_scaled)
                        : run_visits_go_on(visits, v, recorded, &is_scaled);
    share_visit(pieces, piece_of(pieces, visits, interval, visits->items[v].path), work, is_scaled);
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
            piece_of(pieces, visits, interval, path_in_interval(visits->model, interval, i));
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
    uint64_t process_ns = interval_process_ns(visits->model, interval);
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

// --- Polling loops: calls that look and find nothing wait for what the test finds that ends their
// --- loop.

/// Do calls C and D have the same function, called by one that is called from one place?
static bool are_alike(const struct model *model, uint32_t c, uint32_t d)
{
    const struct reference_trace *trace = model->trace;
    const struct record *records = trace->locations[model->calls[c].location].records;
    const struct record *a = &records[model->calls[c].first], *b = &records[model->calls[d].first];
    if (a->context == REFERENCE_NONE || b->context == REFERENCE_NONE)
        return a->region == b->region && a->context == b->context;
    return a->region == b->region &&
           trace->contexts[a->context].region == trace->contexts[b->context].region &&
           trace->contexts[a->context].caller == trace->contexts[b->context].caller;
}

/// Is the region around call C open all the time up to call D, and the innermost one there?
static bool stays_inside(const struct model *model, uint32_t c, uint32_t d, bool *is_innermost)
{
    const uint32_t *paths = model->path_after[model->calls[c].location];
    size_t first = model->calls[c].first;
    uint32_t outer = first > 0 ? paths[first - 1] : 0, path = 0;
    for (size_t i = model->calls[c].last; i < model->calls[d].first; i++) {
        for (path = paths[i]; path != outer && path != 0; path = model->paths[path].parent)
            ;
        if (path != outer)
            return false;
    }
    *is_innermost = paths[model->calls[d].first - 1] == outer;
    return true;
}

static bool has_regions(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    for (size_t i = call->first + 1; i < call->last; i++)
        if (model->trace->locations[call->location].records[i].kind == RECORD_ENTER)
            return true;
    return false;
}

/// The call that ends the loop of C, a poll that found nothing; REFERENCE_NONE.
static uint32_t end_of_loop(const struct model *model, uint32_t c)
{
    for (uint32_t d = c + 1; d < model->n_calls; d++) {
        const struct model_call *call = &model->calls[d];
        if (call->location != model->calls[c].location || call->is_init || call->is_finalize)
            return REFERENCE_NONE;
        bool is_innermost;
        if (!stays_inside(model, c, d, &is_innermost))
            return REFERENCE_NONE;
        bool is_same = is_innermost && are_alike(model, c, d);
        if (call->n_records > 0)
            return is_same && !has_regions(model, d) ? d : REFERENCE_NONE;
        uint32_t region = model->paths[call->path].region;
        if ((!is_same || has_regions(model, d)) &&
            region == model->paths[model->calls[c].path].region)
            return REFERENCE_NONE;
    }
    return REFERENCE_NONE;
}

void find_polls(struct model *model)
{
    for (uint32_t c = 0; c < model->n_calls; c++) {
        struct model_call *call = &model->calls[c];
        call->polled_ns = 0;
        call->is_waiting_poll = false;
    }
    for (uint32_t c = 0; c < model->n_calls && !model->scenario->has_machine; c++) {
        struct model_call *call = &model->calls[c];
        if (!call->is_test || call->n_records > 0)
            continue;
        uint32_t end = has_regions(model, c) ? REFERENCE_NONE : end_of_loop(model, c);
        if (end == REFERENCE_NONE)
            continue;
        call->is_waiting_poll = true;
        model->calls[end].polled_ns += call->leave_ns - call->enter_ns;
    }
}
