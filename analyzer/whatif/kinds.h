// SPDX-License-Identifier: BSD-3-Clause
// The kinds of changes, a file each. A kind has the rows of its
// options; what it has to say in a report it notes or puts into a point.
#pragma once

#include "analyzer/result/whatif.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/whatif/options.h"

/// One row for each option, in the order of the help. A row without a name ends the table.
extern const struct whatif_option whatif_options_of_cores[], whatif_options_of_network[],
    whatif_options_of_work[], whatif_options_of_messages[], whatif_options_of_dealing[];

// --- kind_cores.c: where ranks run, on what cores, and how they share them

/// How the ranks of PLAN's first case, and their threads, share cores, in REPORT.
void whatif_describe_cores(struct whatif_report *report, const struct whatif_plan *plan,
                           const struct replay_run *measured);
void whatif_put_ranks(struct whatif_point *point, const struct scenario *scenario,
                      const struct definitions *definitions, const struct pag_result *replay);
/// What the slowdown file of SCENARIO has of the run.
void whatif_put_slowdown(struct whatif_point *point, const struct scenario *scenario,
                         const struct pag_result *replay);
/// The nodes of the predicted run in RESULT, which has those of the recording.
void whatif_put_nodes(struct result *result, const struct scenario *scenario);

/// How ranks share cores, where PLAN, which is prepared, does not say it, into WORDS, with room for
/// 2 more: --wait spin where the MPI of MEASURED polls without leaving cores, and ranks shared
/// cores or will do so; then, and where a task farm that shares cores is dealt anew, --slice unless
/// that, --hand-over or --machine is given. PLAN keeps what was assumed; how many words there are
/// then.
size_t whatif_assume_sharing(struct whatif_plan *plan, const struct replay_run *measured,
                             struct advice_word *words, size_t n_words);

/// Notes what the ranks of SCENARIO save that share their cores with fewer ones than in MEASURED.
void whatif_note_hand_overs(struct whatif_report *report, const struct scenario *scenario,
                            const struct replay_run *measured);

// --- kind_network.c: what messages and collectives cost

/// ASKED gets MACHINE, which must outlive it, with its own network, if it is for one. 0, or -1 and
/// ERR.
int whatif_use_machine(struct whatif_case *asked, const struct machine *machine, struct error *err);
void whatif_note_network(struct whatif_report *report, const struct whatif_plan *plan,
                         uint32_t n_ranks);
/// 0, or -1 and ERR when some cost was none.
int whatif_put_network(struct whatif_point *point, const struct prediction *prediction,
                       struct error *err);

// --- kind_work.c: how much work regions are

/// Whether PLAN, which does not say it, predicts the run without what recording functions cost:
/// MEASURED says that, and it is not next to nothing.
bool whatif_assume_untraced(const struct whatif_plan *plan, const struct replay_run *measured);

/// Checks the regions that PLAN names against the paths of MEASURED. Where their work is set visits
/// are counted in a further pass: *VISITS, which the caller frees, else NULL; each case gets them.
/// REPORT notes what is assumed. 0, or -1 and ERR.
int whatif_count_work(struct whatif_plan *plan, const struct replay_run *measured,
                      struct whatif_report *report, struct visits **visits, struct error *err);

// --- kind_messages.c: operations left out, joined, moved, or waited for later

void whatif_put_messages(struct whatif_point *point, const struct scenario_settings *settings,
                         const struct simulated *found);

// --- kind_dealt.c: work dealt while the program runs

/// The policy of ASKED, if it names one. 0, or -1 and ERR; it belongs to ASKED in either case.
int whatif_read_policy(struct whatif_case *asked, struct error *err);
/// Notes that MEASURED may have dealt its tasks to ranks that were free, where some prediction
/// keeps which rank did them.
void whatif_note_dealing(struct whatif_report *report, const struct whatif_plan *plan,
                         const struct pag_result *measured);

/// Whether A and B, of one plan, are estimates from the same predicted run.
bool whatif_watch_alike(const struct whatif_case *a, const struct whatif_case *b);

/// Changes the run times of the N POINTS, predicted for CASES, to what their policies make of them.
/// Several are alike: the run is watched once. 0, or -1 and ERR.
int whatif_estimate(const struct whatif_case *cases, size_t n, const struct replay_run *measured,
                    struct whatif_point *points, struct error *err);
/// What a database can keep of it: which run it is of, and the run time of POINT. The caller
/// releases.
struct result whatif_estimate_result(const struct result *measured,
                                     const struct whatif_point *point);
