// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a location went: its call tree, and times by call path.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/pag/location/cpu_time.h"
#include "analyzer/pag/location/file_uses.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

#define NONE UINT32_MAX

/// The time spent at one call path.
struct path_time {
    uint64_t exclusive_ns;
    uint64_t mark_ns; // exclusive_ns at the mark, if the epoch is that of the times
    uint32_t epoch;
    uint32_t n_moves; // how many times time was moved to it (struct head, lost)
};

/// Times by call path, and which of them grew since a mark: that is all that a mark costs.
struct times {
    struct path_time *paths; // those beyond have had nothing yet
    size_t n_paths;
    uint32_t epoch;    // of the mark, from 1 on
    uint32_t *touched; // paths, since the mark; has room for all
    size_t n_touched;
};

/// A node of a location's call tree. A call path is one node for each place in the source it is
/// called from; names alone tell paths apart only where results are put together.
struct path {
    uint32_t region;  // NONE: the location itself, or a stretch
    uint32_t context; // of an MPI call: where it is in the source, NONE when unknown; the next
                      // node is the stretch before it then
    uint32_t parent;
    uint32_t from;       // the path this one was entered from: its parent, or of a call further out
    uint32_t last_child; // entered from here, or NONE; of a stretch: the call before it, or NONE
    uint32_t next; // entered after this one, both from the same path, or NONE: programs repeat
                   // themselves; of a stretch: its first one of the profile's since
    uint64_t visits;
    uint64_t inclusive_ns;
    uint64_t blocked_ns; // of a stretch: taken off it, as it was blocked
    uint16_t depth;
    bool is_stretch; // time in `parent` that ended with a call of the node before this one;
                     // inclusive_ns is the longest of them
};

struct frame {
    uint32_t path;
    uint32_t region;
    uint64_t enter_ns;
};

/// The call tree of a location, where the location is in it, and where its time went.
struct profile {
    uint32_t current;   // path
    uint32_t left_call; // the MPI call that the present stretch began with, NONE when it did not
    uint64_t last_ns;   // time is accounted up to here
    uint64_t noted_ns;  // last event that is no step of the program (a metric, a flush)
    bool is_off;        // recording is switched off
    struct without_cpu without_cpu;
    const struct definitions *definitions;
    struct times *times; // by path; not owned
    struct path *paths;
    size_t n_paths, paths_capacity;
    struct stretch_since *since; // PAG_SINCE of each stretch
    size_t n_since, since_capacity;
    struct frame *stack;
    size_t depth, stack_capacity;
    struct map children; // (path, region) -> path
    struct map calls;    // (path, region, context) -> path
    uint64_t n_unbalanced;
    struct excerpt *excerpt; // not owned; NULL: the whole run counts
    // What counters grew by there: by path, then counter of the definitions. Only a digest counts.
    double *counted;
    size_t n_counted, counted_capacity; // values
    struct file_uses file_uses;         // likewise
    struct region_visits *visits;       // that are told; NULL: none
};

// --- times and their mark

void times_init(struct times *times);
void times_release(struct times *times);
/// Makes room for PATH.
void times_reserve(struct times *times, uint32_t path);

/// The mark is now.
static inline void times_mark(struct times *times)
{
    times->n_touched = 0;
    times->epoch++;
}

/// The time of PATH, to be added to.
static inline struct path_time *times_at(struct times *times, uint32_t path)
{
    if (__builtin_expect(path >= times->n_paths, 0))
        times_reserve(times, path);
    struct path_time *time = &times->paths[path];
    if (time->epoch != times->epoch) {
        time->epoch = times->epoch;
        time->mark_ns = time->exclusive_ns;
        times->touched[times->n_touched++] = path;
    }
    return time;
}

/// What PATH, a touched one, got since the mark.
static inline uint64_t times_since(const struct times *times, uint32_t path)
{
    return times->paths[path].exclusive_ns - times->paths[path].mark_ns;
}

/// All that PATH got.
static inline uint64_t times_exclusive(const struct times *times, size_t path)
{
    return path < times->n_paths ? times->paths[path].exclusive_ns : 0;
}

/// Exclusive times by path as they were when they were last looked at; zeroed: never.
struct times_look {
    uint64_t *exclusive_ns;
    size_t n_paths;
};
/// Makes room for the paths of TIMES.
void times_look_reserve(struct times_look *look, const struct times *times);
/// What PATH got since the last look.
static inline uint64_t times_look(struct times_look *look, const struct times *times, size_t path)
{
    uint64_t before_ns = look->exclusive_ns[path];
    look->exclusive_ns[path] = times->paths[path].exclusive_ns;
    return look->exclusive_ns[path] - before_ns;
}

/// Takes up to NS of what FROM got since the mark. What was taken: less if it has not got so much.
uint64_t times_take(struct times *times, uint32_t from, uint64_t ns);

// --- call tree

/// TIMES stays the caller's.
void profile_init(struct profile *profile, const struct definitions *definitions,
                  struct times *times);
void profile_release(struct profile *profile);
void profile_enter(struct profile *profile, uint32_t region, uint64_t time_ns);
/// The child of PARENT for REGION, made if it is new; PARENT itself where there is no room for it.
uint32_t profile_child(struct profile *profile, uint32_t parent, uint32_t region);
/// The same as profile_enter() for a call from CONTEXT: the functions of the context that are
/// not open yet come between, and the time since the location's last event goes to the stretch
/// before the call. The path that time went to.
uint32_t profile_enter_call(struct profile *profile, uint32_t region, uint32_t context,
                            uint64_t time_ns);
/// The path that the time up to such a call goes to, while it is not entered yet.
uint32_t profile_before_call(struct profile *profile, uint32_t region, uint32_t context);
/// Makes the nodes of a new PROFILE those of TREE, the first N_PATHS of a location's.
void profile_grow_as(struct profile *profile, const struct call_path *tree, size_t n_paths);
/// The same with their sums; exclusive times are not among them.
void profile_become(struct profile *profile, const struct call_path *tree, size_t n_paths);
/// A node as the result has it, without its exclusive time.
struct call_path profile_path(const struct profile *profile, size_t index);
/// Closes the innermost open instance of REGION (and what was left open inside it).
void profile_leave(struct profile *profile, uint32_t region, uint64_t time_ns);
/// The location ends: closes all that is open.
void profile_end(struct profile *profile);

/// When the last event was, of whatever kind.
static inline uint64_t profile_end_ns(const struct profile *profile)
{
    return profile->noted_ns > profile->last_ns ? profile->noted_ns : profile->last_ns;
}

/// Accounts the time since the location's last event to a path. The hot path of a replay.
static inline void profile_account_to(struct profile *profile, uint32_t path, uint64_t time_ns)
{
    uint64_t passed_ns = time_ns - profile->last_ns;
    struct path_time *time = times_at(profile->times, path);
    if (__builtin_expect(passed_ns >= CPU_SEGMENT_NS, 0))
        cpu_segment_note(&profile->without_cpu, path, profile->last_ns, time_ns);
    time->exclusive_ns += passed_ns;
    profile->last_ns = time_ns;
}

/// The same to its current path.
static inline void profile_account(struct profile *profile, uint64_t time_ns)
{
    profile_account_to(profile, profile->current, time_ns);
}

// --- recording off (OTF2's MeasurementOnOff): a gap is a region of its own in the profile

/// Recording is switched off, or on; perhaps it was so before.
void profile_switch(struct profile *profile, bool is_off, uint64_t time_ns);
/// profile_leave(); if recording is off and REGION was entered before that, the gap stays open
/// around it.
void profile_leave_around_gap(struct profile *profile, uint32_t region, uint64_t time_ns);
