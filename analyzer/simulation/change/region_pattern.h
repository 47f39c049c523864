// SPDX-License-Identifier: BSD-3-Clause
// REGION in the options of a prediction: which call paths a text names. The only place that
// decides.
//
//   solve          each path that ends with a region of this name, or of this glob (* ? [...])
//   main/solve     each path that ends with these names, each of them a glob; ** is any number of
//                  names, a leading / the beginning of the path
//   (program)      the whole of a process, as the report calls it; the program's name does as well
//   solve.c:56     the MPI calls made at this place in the source, * for any line of the file
//   PATH at PLACE  the calls of a path made there, as reports write it
//   before CALLS   computing that ended with such calls, as reports write it
//   between CALLS and CALLS
//                  such that also began with the first of these, at a known place
//
// A path is inside REGION when it, or one above it, is named. Computing that ended with an MPI call
// (a stretch) has the path of that call: so the functions around the calls of a program that was
// not compiled for tracing name the computing before the calls they make. Where computing is meant
// a plain place stands for the computing before its calls, and MPI functions are named with
// "before" only; where calls are meant "before" means nothing. Where visits are meant a REGION is a
// path of names, and the run need not have it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

enum { REGION_MAX_PATTERNS = 64 };

/// What an option does to REGION.
enum region_purpose {
    REGION_COMPUTING, // it changes work outside MPI
    REGION_CALLS,     // it changes MPI calls
    REGION_VISITS,    // it says what visits of regions outside MPI cost
};

/// What a text names: call paths, or what is computed before calls or between two.
enum region_meaning { REGION_MEANS_PATHS, REGION_MEANS_BEFORE, REGION_MEANS_BETWEEN };
enum region_meaning region_meaning_of(const char *text);

/// All patterns of a scenario, and what is known of the call paths met so far. A path is a mark:
/// 0 is the path of a location, others come from region_patterns_enter(); equal paths of different
/// locations have the same one.
struct region_patterns;

/// No patterns yet; DEFINITIONS must outlive them. The caller frees.
struct region_patterns *region_patterns_new(const struct definitions *definitions);
void region_patterns_free(struct region_patterns *patterns);

/// Adds the pattern TEXT, given for WHERE ("--scale"), before any path is entered; its number is
/// *INDEX. 0, or -1 and ERR: nothing in the run has such a name, the nearest one that is there.
int region_patterns_add(struct region_patterns *patterns, const char *where, const char *text,
                        enum region_purpose purpose, uint32_t *index, struct error *err);

/// The same for REGION_COMPUTING of a text that is about other runs as well: 1; 0: this run has
/// nothing of such a name, and no pattern was added; -1 and ERR: there are too many.
int region_patterns_add_if_there(struct region_patterns *patterns, const char *where,
                                 const char *text, uint32_t *index, struct error *err);

/// Adds N TEXTS for REGION_CALLS; their bits are set in *SET.
int region_patterns_add_all(struct region_patterns *patterns, const char *where,
                            const char *const *texts, size_t n, uint64_t *set, struct error *err);

/// How many were added.
uint32_t region_patterns_count(const struct region_patterns *patterns);

/// *MARK, of a path, becomes that of its child for REGION, called from CONTEXT (of a call whose
/// place is known, else EVENT_NO_INDEX); or that of the computing BEFORE such calls, which in MPI
/// is the mark of the calls.
void region_patterns_enter(struct region_patterns *patterns, uint64_t *mark, uint32_t region,
                           uint32_t context, bool is_before);

/// The patterns that name the path of MARK or one above it, a bit each; those that name it itself.
uint64_t region_patterns_inside(const struct region_patterns *patterns, uint64_t mark);
uint64_t region_patterns_named(const struct region_patterns *patterns, uint64_t mark);

/// Those of the patterns SET, a bit each, that name the innermost path they name: that of MARK, or
/// the nearest one above it; 0: they name none.
uint64_t region_patterns_innermost(const struct region_patterns *patterns, uint64_t mark,
                                   uint64_t set);

/// Whether some pattern only names what comes after certain calls.
bool region_patterns_look_back(const struct region_patterns *patterns);

/// The patterns, a bit each, that may name what is computed right after the call with MARK, of a
/// path whose place is known; 0: after anything else.
uint64_t region_patterns_after(const struct region_patterns *patterns, uint64_t mark);

/// Whether pattern INDEX names MPI calls by their function or place, not only by what is around
/// them; such calls that may do more than synchronise.
bool region_patterns_names_calls(const struct region_patterns *patterns, uint32_t index);
bool region_patterns_names_data(const struct region_patterns *patterns, uint32_t index);

/// Whether a path entered so far is inside of both patterns.
bool region_patterns_overlap(const struct region_patterns *patterns, uint32_t a, uint32_t b);
/// "--scale solve": the option and the text of a pattern; valid as long as PATTERNS.
const char *region_patterns_text(const struct region_patterns *patterns, uint32_t index);

/// After the measured replay: 0, or -1 and ERR when a pattern names no path of REPLAY.
int region_patterns_check(struct region_patterns *patterns, const struct pag_result *replay,
                          struct error *err);

/// For each pattern, bits of others: WITHIN which ones all paths of REPLAY are that it names, and
/// with which ones it is SHARING a path; both as long as there are patterns. With itself, too.
void region_patterns_relate(struct region_patterns *patterns, const struct pag_result *replay,
                            uint64_t *within, uint64_t *sharing);

/// Whether all paths that pattern INDEX names are functions around MPI calls that were not recorded
/// themselves, in the run that was checked.
bool region_patterns_is_unrecorded(const struct region_patterns *patterns, uint32_t index);
