// SPDX-License-Identifier: BSD-3-Clause
// Procedure migration as Eom and Hollingsworth compute it for client/server programs ("A Tool to
// Help Tune Where Computation is Performed", procedure LBF): the longest path of process time, with
// the time of a procedure F moved from the sender of a message to its receiver. Each process has
// `longest`, the path so far, and F, the time of the procedure since the last event of messages.
//
//   send      longest and F travel with the message; then longest -= F, F = 0
//   receive   of (Cs, rF) with Cr the own longest: if Cs > Cr (the receiver waited) longest =
//             max(Cs - rF, Cr + rF), else Cr + rF; then F = 0
//
// Only messages are events, and they take no time: so it differs from a prediction where those take
// time, where collectives make ranks wait, where cores are shared, and where the procedure works
// across messages; and it lets moved work be done while its new rank waits for the message.
#ifndef PAGODA_SIMULATION_CHANGE_CLIENT_SERVER_H
#define PAGODA_SIMULATION_CHANGE_CLIENT_SERVER_H

#include <stddef.h>

#include "analyzer/simulation/change/moves.h"

/// F of one set of moves (bits).
struct client_server_piece {
    uint32_t moves;
    pag_work work;
};

/// A process.
struct client_server {
    pag_work longest;   // with F moved
    pag_work in_turn;   // the same, but F is done after the message has come: max(Cs - rF, Cr) + rF
    pag_work unchanged; // F not moved
    struct client_server_piece *pieces;
    size_t n_pieces, pieces_capacity;
};

/// What a message takes along.
struct client_server_load {
    pag_work longest, in_turn, unchanged, procedure;
};

void client_server_release(struct client_server *process);

/// PROCESS has worked; WORK of it in F of these MOVES (bits, 0: not in F).
void client_server_work(struct client_server *process, pag_work work);
void client_server_procedure(struct client_server *process, uint32_t moves, pag_work work);

/// PROCESS, which is rank FROM, sends to rank TO: what goes along. F goes as far as MOVES move it
/// there.
struct client_server_load client_server_send(struct client_server *process,
                                             const struct moves *moves, uint32_t from, uint32_t to);
void client_server_receive(struct client_server *process, const struct client_server_load *load);

#endif
