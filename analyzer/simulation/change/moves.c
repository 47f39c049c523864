// SPDX-License-Identifier: BSD-3-Clause
// Moves of work, overlapped regions (see moves.h).
#include "analyzer/simulation/change/moves.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cores/rank_list.h"

void moves_release(struct moves *moves)
{
    for (uint32_t i = 0; i < moves->n_moves; i++) {
        free(moves->moves[i].from);
        free(moves->moves[i].to);
    }
    free(moves->moves);
    free(moves->overlaps);
    *moves = (struct moves){0};
}

static int read_ranks(const char *text, const char *list, size_t length, uint32_t n_ranks,
                      bool *is_member, struct error *err)
{
    if (rank_list_read(list, length, n_ranks, is_member, err) != 0)
        return error_wrap(err, "--move %s", text);
    return 0;
}

int moves_check_form(const char *text, struct error *err)
{
    const char *equals = strrchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    if (!colon || equals == text)
        return error_set(err, "--move %s: not of the form REGION=FROM:TO, such as serve=0:1-3",
                         text);
    const char *from = equals + 1, *to = colon + 1;
    size_t from_length = (size_t)(colon - from);
    uint32_t rank;
    if (rank_list_check(from, from_length, err) != 0 || rank_list_check(to, strlen(to), err) != 0)
        return error_wrap(err, "--move %s", text);
    if (rank_lists_meet(from, from_length, to, strlen(to), &rank))
        return error_set(err, "--move %s: rank %" PRIu32 " cannot be on both sides", text, rank);
    return 0;
}

static int read_move(struct moves *moves, struct region_patterns *regions, uint32_t n_ranks,
                     const char *text, struct error *err)
{
    struct move *move = &moves->moves[moves->n_moves++];
    *move = (struct move){.from = memory_zeroed(n_ranks, sizeof(bool)),
                          .to = memory_zeroed(n_ranks, sizeof(bool))};
    if (moves_check_form(text, err) != 0)
        return -1;
    const char *equals = strrchr(text, '='), *colon = strchr(equals, ':');
    if (read_ranks(text, equals + 1, (size_t)(colon - equals - 1), n_ranks, move->from, err) != 0 ||
        read_ranks(text, colon + 1, strlen(colon + 1), n_ranks, move->to, err) != 0)
        return -1;
    char *pattern = memory_format("%.*s", (int)(equals - text), text);
    int status =
        region_patterns_add(regions, "--move", pattern, REGION_COMPUTING, &move->region, err);
    free(pattern);
    return status;
}

int moves_init(struct moves *moves, struct region_patterns *regions, uint32_t n_ranks,
               const char *const *move_texts, size_t n_moves, const char *const *overlap_texts,
               size_t n_overlaps, struct error *err)
{
    *moves = (struct moves){
        .regions = regions,
        .moves = memory_zeroed(n_moves, sizeof *moves->moves),
        .overlaps = memory_zeroed(n_overlaps, sizeof *moves->overlaps),
    };
    if (n_moves > PAG_MAX_MOVES)
        return error_set(err, "--move: more than %d of them", PAG_MAX_MOVES);
    for (size_t i = 0; i < n_moves; i++)
        if (read_move(moves, regions, n_ranks, move_texts[i], err) != 0)
            return -1;
    for (; moves->n_overlaps < n_overlaps; moves->n_overlaps++)
        if (region_patterns_add(regions, "--overlap", overlap_texts[moves->n_overlaps],
                                REGION_CALLS, &moves->overlaps[moves->n_overlaps], err) != 0)
            return -1;
    return 0;
}

struct pag_path_change moves_change(const struct moves *moves, uint64_t mark, uint32_t rank)
{
    struct pag_path_change change = {0};
    for (uint32_t i = 0; i < moves->n_moves; i++)
        if (moves->moves[i].from[rank] &&
            region_patterns_is_inside(moves->regions, mark, moves->moves[i].region))
            change.moves |= UINT32_C(1) << i;
    for (uint32_t i = 0; i < moves->n_overlaps; i++)
        change.overlaps =
            change.overlaps || region_patterns_is_inside(moves->regions, mark, moves->overlaps[i]);
    return change;
}

uint32_t moves_move_of(const struct moves *moves, uint32_t bits, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < moves->n_moves; i++)
        if ((bits >> i & 1) != 0 && moves->moves[i].from[from] && moves->moves[i].to[to])
            return i;
    return PAG_MAX_MOVES;
}
