// SPDX-License-Identifier: BSD-3-Clause
// The work of all steps: that of their intervals, without what other ranks do (--move), with what
// has come along with messages.
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/changed_visits.h"

/// Which moves concern work of RANK in PATH, bits.
static uint32_t moves_of(const struct model *model, const struct scenario_changes *changes,
                         uint32_t rank, uint32_t path)
{
    uint32_t moves = 0;
    for (uint32_t m = 0; m < changes->n_moves; m++)
        if ((changes->moves[m].from >> rank & 1) &&
            is_in_region(model, path, changes->moves[m].region))
            moves |= 1u << m;
    return moves;
}

static bool leads_to(const struct scenario_changes *changes, uint32_t moves, uint32_t rank)
{
    for (uint32_t m = 0; m < changes->n_moves; m++)
        if ((moves >> m & 1) && (changes->moves[m].to >> rank & 1))
            return true;
    return false;
}

/// How many regions are to be left after INTERVAL until none is open that a move names.
static uint32_t count_levels(const struct model *model, const struct scenario_changes *changes,
                             const struct interval *interval)
{
    uint32_t path = interval->last > 0 ? model->path_after[interval->rank][interval->last - 1] : 0;
    uint32_t levels = 0;
    for (uint32_t n = 1; path != 0; path = model->paths[path].parent, n++)
        if (moves_of(model, changes, interval->rank, path) != 0)
            levels = n;
    return levels;
}

/// The message that work of MOVES in INTERVAL goes along with: the next one, where those that are
/// sent while a moved region is open are part of its work unless they go where the moves lead.
/// REFERENCE_NONE when there is none, or a collective operation comes first.
static uint32_t message_after(const struct model *model, const struct scenario_changes *changes,
                              const struct interval *interval, uint32_t moves)
{
    const struct reference_location *location = &model->trace->locations[interval->rank];
    uint32_t levels = count_levels(model, changes, interval), depth = 0;
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
            if (leads_to(changes, moves, send->receiver))
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
                 moves = moves_of(visits->model, &visits->scenario->changes, interval->rank,
                                  shares[i].path);
        if (moves != 0)
            message = message_after(visits->model, &visits->scenario->changes, interval, moves);
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

void find_work(struct changed_program *program, const struct predicted_scenario *scenario)
{
    struct model *model = &program->model;
    struct run_visits *visits = run_visits_new(model, scenario);
    parts_t *loads = memory_zeroed(model->n_sends + 1, sizeof *loads);
    for (uint32_t rank = 0; rank < model->trace->n_ranks; rank++)
        for (size_t i = 0; i < program->n_steps[rank]; i++)
            program->steps[rank][i].work =
                own_work(visits, &program->steps[rank][i].interval, loads);
    for (size_t s = 0; s < model->n_sends; s++) {
        if (loads[s] == 0)
            continue;
        model->sends[s].now_bytes += scenario->changes.move_data_bytes;
        if (model->sends[s].receive != REFERENCE_NONE)
            unload(program, &model->sends[s], loads[s]);
    }
    run_visits_free(visits);
    free(loads);
}
