// SPDX-License-Identifier: BSD-3-Clause
// A simulated run: prepared once, replayed once, and then asked what it found (struct prediction in
// state.h).
#pragma once

#include "analyzer/simulation/state.h"

/// How long ranks keep a core they share under SETTINGS; 0: no time at all.
uint64_t scenario_slice_ns(const struct scenario_settings *settings);
/// scenario_settings.buffered_bytes as the settings or their machine give it, else PAG_NOT_KNOWN.
uint64_t scenario_buffered_bytes(const struct scenario_settings *settings);

/// The scenario of SETTINGS, which must outlive it, for a run with DEFINITIONS. 0, or -1 and ERR:
/// which setting does not fit the run. The caller releases it in either case.
int scenario_init(struct scenario *scenario, const struct definitions *definitions,
                  const struct scenario_settings *settings, struct error *err);
void scenario_release(struct scenario *scenario);

/// What matching tells a simulated run (matched.c).
extern const struct engine_hooks simulation_hooks;

/// What it costs that a core goes from one rank to another: as the settings or their machine say,
/// else as RECORDED does. 0 with slices of time, which contain it, or where ranks that wait spin.
uint64_t prediction_hand_over_ns(const struct scenario *scenario, const struct recorded *recorded);

/// Prepares one simulated run of the locations of DEFINITIONS. SCENARIO and RECORDED must outlive
/// it. Messages cost what the machine of the settings says if it has any, else what they did.
void prediction_init(struct prediction *prediction, const struct definitions *definitions,
                     const struct scenario *scenario, const struct recorded *recorded);
void prediction_release(struct prediction *prediction);

/// Replays the whole archive in simulated time: all of RESULT, the trigger events and the critical
/// path are those of the predicted run. TRACE is a freshly opened one. As pag_run(); -1 and ERR
/// also when the predicted run takes too long for sums over its ranks.
int prediction_run(struct prediction *prediction, struct trace *trace,
                   const struct pag_options *options, const struct pag_listener *listener,
                   struct pag_result *result, struct error *err);

/// After the run: whether all that was needed could be read. 0, or -1 and ERR.
int prediction_check(const struct prediction *prediction, struct error *err);

/// Both, in a further pass over TRACE, which has been replayed (trace_again()).
int prediction_run_again(struct prediction *prediction, struct trace *trace,
                         const struct pag_options *options, const struct pag_listener *listener,
                         struct pag_result *result, struct error *err);

/// Counts the visits whose work SCENARIO sets (set_work.h) in a further pass over TRACE, a
/// simulated run with nothing else changed. NULL and ERR when it cannot be replayed; the caller
/// frees.
struct visits *visits_gather(struct trace *trace, const struct scenario *scenario,
                             const struct recorded *recorded, struct error *err);

/// Gathers the CPU time of all call paths of TRACE, which has been replayed, in a further pass with
/// nothing changed; RESULT has the call paths. 0, or -1 and ERR; the caller releases SAMPLES and
/// RESULT in either case.
int work_samples_gather(struct trace *trace, const struct recorded *recorded,
                        struct work_samples *samples, struct pag_result *result, struct error *err);
