// SPDX-License-Identifier: BSD-3-Clause
// Text traces: small runs, written by hand or by a generator, turned into real OTF2 archives.
//
// One line an entry, `#` starts a comment, times are ticks, a word with blanks stands in double
// quotes. LOC is a rank or rank.thread; or FIRST-LAST, for the same on each of these ranks:
//
//   clock 1000000000                  ticks per second (default 10^9)
//   realtime 1000000000               time of day at tick 0, in ns (default: unknown)
//   fact NAME VALUE                   a property of the archive
//   nodes a a b b                     node of each rank (default: all on "node0")
//   cores a 2                         how many cores the ranks of node a may use
//   bound 0 2-3                       rank 0 may use the cores 2 and 3 of its node
//   property 0 PAGODA::RECORD_PS 50000  of a location; recording an enter or leave took 50 ns
//   spawned 2                         the last 2 ranks were started by MPI_Comm_spawn
//   outsiders                         the last rank stands for what was not traced; not in `world`
//   mpi NAME [VARIABLE=VALUE]         the MPI it ran with, and a variable of its environment
//   location 1.1                      a further thread of rank 1
//   comm NAME ranks 0 2 3             `world` (all ranks) and `self` are predefined
//   intercomm NAME ranks 0 1 | 2 3
//   window NAME COMM                  an RMA window
//   file NAME COMM                    a file that MPI-IO opens; COMM `-`: it is not known for whom
//   region NAME file.c:12 [user|mpi|openmp|pthread|libc|marker [AS]]  optional; default: MPI_* is
//                                     mpi, else user; libc: a function for files; AS: what it is
//                                     called in the archive
//   context NAME FUNCTION FILE[:LINE] [CALLER]  calling context: a call in FUNCTION, which the call
//                                     CALLER (a context) called; `-` for none, `?` for a reference
//                                     to nothing, which a context without a line is as well
//   offset LOC TIME OFFSET            clock offset record
//   LOC TIME enter NAME [POLLS [NS]] [at CONTEXT | at-line FILE:LINE]
//                                     POLLS: a folded polling loop, NS inside its calls
//   LOC TIME enter NAME work UNITS [ELEMENTS]   how much work it does, of how many elements
//   LOC TIME enter NAME barrier N     a barrier of threads, the one of that number
//   LOC TIME enter NAME condition N   likewise, a wait for a condition of threads, or its signal
//   LOC TIME leave NAME
//   LOC BEGIN-END NAME ... [; TIME EVENT ...]...   a visit: an enter with what may come after its
//                                     name, the events within, and the leave of NAME
//   LOC TIME context-enter CONTEXT | context-leave CONTEXT   of the function of CONTEXT
//   LOC TIME send COMM DEST TAG BYTES
//   LOC TIME isend COMM DEST TAG BYTES REQ
//   LOC TIME isend-complete REQ
//   LOC TIME irecv-request REQ [COMM SOURCE|any TAG|any]
//   LOC TIME recv COMM SOURCE TAG BYTES
//   LOC TIME irecv COMM SOURCE TAG BYTES REQ
//   LOC TIME test REQ | cancel REQ
//   LOC TIME coll-begin
//   LOC TIME coll-end OP COMM ROOT|-|self|this-group SENT RECEIVED [in-place]
//   LOC TIME coll-request REQ [COMM]
//   LOC TIME coll-complete OP COMM ROOT|-|self|this-group SENT RECEIVED REQ [in-place]
//   LOC TIME window-begin
//   LOC TIME window-end OP WINDOW ROOT|- SENT RECEIVED
//   LOC TIME lock WINDOW TARGET|all exclusive|shared
//   LOC TIME unlock WINDOW TARGET|all
//   LOC TIME put WINDOW TARGET BYTES | get WINDOW TARGET BYTES
//   LOC TIME atomic WINDOW TARGET SENT RECEIVED
//   LOC TIME sync WINDOW COMM none|process|memory       with the group of COMM
//   LOC TIME file-open FILE | file-close FILE | file-change FILE     change: its view, size, ...
//   LOC TIME file-begin read|write|flush FILE alone|collective|split   split: it goes on after it
//   LOC TIME file-end FILE BYTES
//   LOC TIME cpu NS
//   LOC TIME fork N | join | team-begin COMM | team-end COMM
//   LOC TIME thread-create COMM NUMBER | thread-begin ... | thread-end ... | thread-wait ...
//       COMM "-": not known, as in the archives of EZTrace
//   LOC TIME locked LOCK | unlocked LOCK    a lock of threads
//   LOC TIME flush STOP-TIME | measurement on|off
//
// OP is an OTF2 collective in lower case (barrier, bcast, reduce_scatter, create_handle, ...).
// Ranks in COMM are ranks in that communicator. Lines of one location stand in the order of its
// events; lines of different locations may be in any order.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"

/// Writes the run that TEXT describes as the archive DIRECTORY/traces.otf2, which must not exist.
/// Returns 0, or -1 and ERR with the line that cannot be understood.
int text_trace_write(const char *text, const char *directory, struct error *err);

/// Takes the words of one event, or of a definition. False: it is wrong, no further one is to come.
typedef bool text_trace_take(void *context, char **words, size_t n_words);

/// Calls TAKE for each event of a line of WORDS, at least one, with its words as on a line of its
/// own; for any other line once. False as soon as TAKE says so.
bool text_trace_events(char **words, size_t n_words, text_trace_take *take, void *context);

/// The next word of *LINE, which is moved after it and changed; NULL at the end or a comment.
char *text_trace_word(char **line);
