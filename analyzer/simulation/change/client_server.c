// SPDX-License-Identifier: BSD-3-Clause
// The papers' migration of a procedure (see client_server.h).
#include "analyzer/simulation/change/client_server.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

void client_server_release(struct client_server *process)
{
    free(process->pieces);
    *process = (struct client_server){0};
}

void client_server_work(struct client_server *process, pag_work work)
{
    process->longest += work;
    process->in_turn += work;
    process->unchanged += work;
}

void client_server_procedure(struct client_server *process, uint32_t moves, pag_work work)
{
    for (size_t i = 0; i < process->n_pieces; i++) {
        if (process->pieces[i].moves == moves) {
            process->pieces[i].work += work;
            return;
        }
    }
    process->pieces = array_reserve(process->pieces, &process->pieces_capacity,
                                    process->n_pieces + 1, sizeof *process->pieces);
    process->pieces[process->n_pieces++] = (struct client_server_piece){moves, work};
}

struct client_server_load client_server_send(struct client_server *process,
                                             const struct moves *moves, uint32_t from, uint32_t to)
{
    struct client_server_load load = {
        .longest = process->longest, .in_turn = process->in_turn, .unchanged = process->unchanged};
    for (size_t i = 0; i < process->n_pieces; i++)
        if (moves_move_of(moves, process->pieces[i].moves, from, to) < PAG_MAX_MOVES)
            load.procedure += process->pieces[i].work;
    process->longest -= load.procedure;
    process->in_turn -= load.procedure;
    process->n_pieces = 0;
    return load;
}

static pag_work later(pag_work a, pag_work b)
{
    return a > b ? a : b;
}

void client_server_receive(struct client_server *process, const struct client_server_load *load)
{
    pag_work with_moved = process->longest + load->procedure;
    bool has_waited = load->longest > process->longest;
    process->longest = has_waited ? later(load->longest - load->procedure, with_moved) : with_moved;
    process->in_turn = later(load->in_turn - load->procedure, process->in_turn) + load->procedure;
    process->unchanged = later(process->unchanged, load->unchanged);
    process->n_pieces = 0;
}
