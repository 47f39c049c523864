// SPDX-License-Identifier: BSD-3-Clause
// One pass over an archive, from its trace to its result: in measured time, or as a prediction
// says. Of parts of the run: interval.h.
#pragma once

#include <stdbool.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/result/collect.h"
#include "analyzer/result/result.h"
#include "analyzer/result/views/single_waits.h"
#include "analyzer/result/views/timeline.h"
#include "analyzer/rewrite/time_map.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/trace/reader.h"

struct replay_run {
    struct progress progress;
    struct trace *trace;
    struct trace *first;       // whose further pass it is; NULL: an opening of its own
    struct matcher *matcher;   // NULL without a catalogue
    struct recorded *recorded; // NULL unless gathered
    struct servers *servers;   // NULL without a catalogue, and in simulated time
    struct pag_result replay;
    struct collect_clocks clocks;    // of a measured run, before they were corrected
    struct result result;            // with a catalogue
    struct time_map *times;          // where events go in simulated time; NULL unless asked for
    const struct pag_moment *moment; // to be explained in `result`, NULL: none
    struct timeline *timeline;       // to be filled with the run; of the caller; NULL: none
    struct single_waits *waits;      // to be filled with waits of the measured run; likewise
    // What else is told of the measured run, of the caller: its regions, entered and left, and
    // what WRITER has of message, trigger, counted, cpu_time and handed_over. NULL: none
    const struct pag_listener *writer;
    matcher_listener *waited; // of each wait, with the same context; NULL: it is not told
    bool finds_path;          // in simulated time the critical path even without a catalogue
};

/// Opens the archive TRACE. 0, or -1 and ERR; the caller releases RUN in either case.
int replay_run_open(struct replay_run *run, const char *trace, struct error *err);

/// The same for a replay that the processes of a launcher share: each reads a part of the trace for
/// the first one (trace_open_shared()). The others call replay_serve() instead, with the first
/// one's catalogue.
int replay_run_open_shared(struct replay_run *run, const char *trace, struct error *err);
int replay_serve(const char *trace, const struct catalogue *catalogue, struct error *err);

/// A further pass over the archive of FIRST, which has been replayed (trace_again()). Likewise.
int replay_run_open_again(struct replay_run *run, struct trace *first, struct error *err);

/// Before replay_run(): the times of a simulated run are kept, in DIRECTORY while they are needed.
/// 0, or -1 and ERR.
int replay_run_keep_times(struct replay_run *run, const char *directory, struct error *err);

/// Replays it: as PREDICTION says, or with NULL in measured time. There clocks that disagree are
/// corrected first (replay_correct_clocks()), for all further passes over the trace as well. With a
/// CATALOGUE waits are looked for and `result` is made; GATHERS: costs for predictions are
/// gathered. WHAT names the pass for the progress bar, NULL: there is none. 0; -1 and ERR; 1: what
/// the writer was told is by clocks that are corrected now, so it begins anew, and this is called
/// again.
int replay_run(struct replay_run *run, const struct catalogue *catalogue,
               struct prediction *prediction, bool gathers, const char *what, struct error *err);

/// Replays RUN, which is open, in measured time by the patterns of WAITS, and fills these. As
/// replay_run().
int replay_run_find_waits(struct replay_run *run, struct single_waits *waits, const char *what,
                          struct error *err);

/// Gives the trace of RUN back, or closes it; what was found stays. A further pass can use a trace
/// that was given back, and need not open the archive anew.
void replay_run_close(struct replay_run *run);
void replay_run_release(struct replay_run *run);

/// REPLAY is what a replay of TRACE has found. If its clocks disagree they are corrected
/// (rewrite/clock_fit.h), and TRACE is to be replayed once more: 1. 0: REPLAY holds, as CLOCKS
/// says; -1 and ERR: the trace can no longer be read.
int replay_correct_clocks(struct trace *trace, const struct pag_result *replay,
                          struct collect_clocks *clocks, struct error *err);

/// Replays the trace of MEASURED once more, on an ideal network: tells serialisation from transfer
/// in MEASURED->result. MEASURED is replayed, with its costs gathered. 0, or -1 and ERR.
int replay_run_ideal(struct replay_run *measured, struct error *err);

/// Warns of each kind of damage to the trace behind RESULT. Whether there is any.
bool damage_warn(const struct result *result);
