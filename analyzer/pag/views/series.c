// SPDX-License-Identifier: BSD-3-Clause
// See series.h. All call sites of a loop are called equally often. Of such series only that of the
// last one in the loop's body is kept, with the begin of the first one: so an iteration ends where
// the loop's does, if the last thing in its body is a call.
#include "analyzer/pag/views/series.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/state.h"

// A rank has few series once each loop has one. Of the calls of a body that has more call sites
// than MAX_SERIES those that are called last have one.
enum { MAX_SERIES = 16, MAX_MARKS = 512, MIN_MARKS = 16, ALL_MARKS = 1 << 17 };
enum { LEAST_CALLS = 4 }; // of a loop
enum { REPEATED = 8 };    // calls, from which on two series are taken for those of one loop
enum { UNSEEN = 0, REFUSED = UINT8_MAX };
enum { FIRST_PLACES = 28 };

/// What each call of a series changes; together, for with many ranks it is in no cache.
struct pace {
    uint64_t n_calls, stride;
    uint64_t before_ns;                                      // the leave of the last call but one
    uint64_t last_ns, useful_ns, no_cpu_ns, mpi_ns, wait_ns; // at the last call, as in a mark
};

struct series {
    uint32_t path;
    uint64_t first_ns;     // the leave of the first call
    struct pag_mark begin; // without `longest`
    struct pag_mark *marks;
    size_t n_marks, capacity;
    struct times_look look; // at the last mark; without paths: not known
};

/// What each call needs is a line of the cache, and one of `paces`.
struct rank_series {
    uint64_t last_leave_ns, wait_ns;
    uint8_t *places; // by call path: of a call UNSEEN, REFUSED or 1 + the index of its series
    uint32_t n_places, n, max_marks;
    uint8_t first_places[FIRST_PLACES]; // `places` until more are needed
    struct pace paces[MAX_SERIES];
    struct series items[MAX_SERIES];
};

static struct rank_series *series_new(size_t n_ranks, uint64_t begin_ns)
{
    struct rank_series *of = memory_new_line(sizeof *of); // paces and items are set when used
    of->last_leave_ns = begin_ns;
    of->wait_ns = 0;
    of->n = 0;
    of->places = of->first_places;
    of->n_places = FIRST_PLACES;
    memset(of->first_places, UNSEEN, sizeof of->first_places);
    of->max_marks = MAX_MARKS;
    while (of->max_marks > MIN_MARKS && of->max_marks * n_ranks > ALL_MARKS)
        of->max_marks /= 2;
    return of;
}

static void release(struct series *series)
{
    FREE_ALL(series->marks, series->look.exclusive_ns);
}

void series_free(struct rank_series *of)
{
    if (!of)
        return;
    for (uint32_t i = 0; i < of->n; i++)
        release(&of->items[i]);
    if (of->places != of->first_places)
        free(of->places);
    free(of);
}

/// Forgets series INDEX for good.
static void drop(struct rank_series *of, uint32_t index)
{
    of->places[of->items[index].path] = REFUSED;
    release(&of->items[index]);
    of->items[index] = of->items[--of->n];
    of->paces[index] = of->paces[of->n];
    if (index < of->n)
        of->places[of->items[index].path] = (uint8_t)(index + 1);
}

// --- marks

/// Keeps the PAG_LONGEST longest call paths of MARK and FURTHER in MARK.
static void add_longest(struct pag_mark *mark, uint32_t path, uint64_t ns)
{
    size_t i = PAG_LONGEST;
    for (; i > 0 && ns > mark->longest[i - 1].ns; i--)
        if (i < PAG_LONGEST)
            mark->longest[i] = mark->longest[i - 1];
    if (i < PAG_LONGEST) {
        mark->longest[i].ns = ns;
        mark->longest[i].call_path = path;
    }
}

static void take_path(struct pag_mark *mark, uint32_t path, uint64_t ns)
{
    for (size_t i = 0; i < PAG_LONGEST; i++) {
        if (mark->longest[i].ns == 0 || mark->longest[i].call_path != path)
            continue;
        ns += mark->longest[i].ns;
        for (; i + 1 < PAG_LONGEST; i++)
            mark->longest[i] = mark->longest[i + 1];
        mark->longest[PAG_LONGEST - 1].ns = 0;
    }
    add_longest(mark, path, ns);
}

static void thin(struct series *series, struct pace *pace)
{
    for (size_t i = 0; i < series->n_marks / 2; i++) {
        struct pag_mark mark = series->marks[2 * i + 1];
        const struct pag_mark *other = &series->marks[2 * i];
        for (size_t k = 0; k < PAG_LONGEST && other->longest[k].ns > 0; k++)
            take_path(&mark, other->longest[k].call_path, other->longest[k].ns);
        series->marks[i] = mark;
    }
    series->n_marks /= 2;
    pace->stride *= 2;
}

/// Where the location computed longest since the last mark; it is where the next one begins.
static void find_longest(const struct rank_series *of, struct series *series,
                         const struct times *times, struct pag_mark *mark)
{
    times_look_reserve(&series->look, times);
    for (uint32_t i = 0; i < times->n_paths; i++) {
        uint64_t ns = times_look(&series->look, times, i);
        if (ns > mark->longest[PAG_LONGEST - 1].ns &&
            (i >= of->n_places || of->places[i] == UNSEEN))
            add_longest(mark, i, ns);
    }
}

/// Whether the series of PACE is called more often than another one that seems to go on: an inner
/// loop, whose longest call paths are not wanted.
static bool is_inner(const struct rank_series *of, const struct pace *pace)
{
    for (uint32_t i = 0; i < of->n; i++) {
        const struct pace *other = &of->paces[i];
        if (other->n_calls >= LEAST_CALLS && other->n_calls * 2 <= pace->n_calls &&
            pace->last_ns - other->last_ns <= 2 * (other->last_ns - other->before_ns))
            return true;
    }
    return false;
}

static struct pag_mark mark_at(const struct pace *pace)
{
    return (struct pag_mark){.time_ns = pace->last_ns,
                             .useful_ns = pace->useful_ns,
                             .no_cpu_ns = pace->no_cpu_ns,
                             .mpi_ns = pace->mpi_ns,
                             .wait_ns = pace->wait_ns};
}

static void add_mark(struct rank_series *of, uint32_t index, const struct times *times)
{
    struct series *series = &of->items[index];
    struct pace *pace = &of->paces[index];
    struct pag_mark *mark = ARRAY_NEXT(series->marks, series->n_marks, series->capacity);
    *mark = mark_at(pace);
    bool had_times = series->look.n_paths > 0;
    if (is_inner(of, pace))
        series->look.n_paths = 0;
    else
        find_longest(of, series, times, mark);
    if (!had_times) // what was before is not known
        memset(mark->longest, 0, sizeof mark->longest);
    if (series->n_marks == of->max_marks)
        thin(series, pace);
}

// --- which call paths have a series

/// Drops the series of other calls in the body of the same loop, before this one.
static void drop_others(struct rank_series *of, uint32_t path)
{
    for (uint32_t i = of->n; i-- > 0;) {
        uint32_t index = of->places[path] - 1u;
        struct series *own = &of->items[index], *other = &of->items[i];
        if (i == index || of->paces[i].n_calls != of->paces[index].n_calls ||
            other->first_ns > own->first_ns || of->paces[i].last_ns <= of->paces[index].before_ns)
            continue;
        own->begin = other->begin;
        drop(of, i);
    }
}

/// Makes room for one more. False when there is none.
static bool make_room(struct rank_series *of, uint64_t now_ns)
{
    uint32_t worst = NONE;
    uint64_t least_ns = UINT64_MAX;
    if (of->n < MAX_SERIES)
        return true;
    for (uint32_t i = 0; i < of->n; i++) { // called once, longest ago
        if (of->paces[i].n_calls == 1 && of->items[i].first_ns < least_ns) {
            worst = i;
            least_ns = of->items[i].first_ns;
        }
    }
    for (uint32_t i = 0; worst == NONE && i < of->n; i++) { // a loop that seems to be over
        const struct pace *pace = &of->paces[i];
        uint64_t length_ns = pace->last_ns - of->items[i].first_ns;
        if (length_ns < least_ns &&
            (now_ns - pace->last_ns) / 8 > length_ns / (pace->n_calls - 1)) {
            worst = i;
            least_ns = length_ns;
        }
    }
    if (worst != NONE)
        drop(of, worst);
    return worst != NONE;
}

/// The state at the leave of the call before CALL, after which RANK is as now.
static struct pag_mark mark_before(const struct rank_series *of, const struct rank_state *rank,
                                   const struct call *call, uint64_t wait_ns)
{
    uint64_t outside_ns = call->enter_ns - of->last_leave_ns;
    return (struct pag_mark){
        .time_ns = of->last_leave_ns,
        .useful_ns = rank->useful_ns > outside_ns ? rank->useful_ns - outside_ns : 0,
        .no_cpu_ns = rank->lost_ns[0],
        .mpi_ns = rank->mpi_ns - (call->leave_ns - call->enter_ns),
        .wait_ns = of->wait_ns - wait_ns,
    };
}

static void begin_series(struct rank_series *of, const struct call *call, struct pag_mark begin)
{
    if (!make_room(of, call->leave_ns)) {
        of->places[call->path] = REFUSED;
        return;
    }
    of->paces[of->n] = (struct pace){.stride = 1};
    of->items[of->n++] =
        (struct series){.path = call->path, .first_ns = call->leave_ns, .begin = begin};
    of->places[call->path] = (uint8_t)of->n;
}

static void reserve_place(struct rank_series *of, uint32_t path)
{
    uint32_t n = path < 2 * of->n_places ? 2 * of->n_places : path + 1;
    uint8_t *places = memory_zeroed(n, sizeof *places); // UNSEEN
    memcpy(places, of->places, of->n_places);
    if (of->places != of->first_places)
        free(of->places);
    of->places = places;
    of->n_places = n;
}

void series_fetch(const struct rank_series *of, uint32_t path)
{
    if (of && path < of->n_places && of->places[path] != UNSEEN && of->places[path] != REFUSED)
        __builtin_prefetch(&of->paces[of->places[path] - 1u], 1);
}

void series_call(struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    struct rank_state *rank = &engine->ranks[location->rank];
    if (!rank->series)
        rank->series = series_new(engine->n_ranks, location->first_ns);
    struct rank_series *of = rank->series;
    uint64_t wait_ns = 0;
    if (call->release_ns > call->enter_ns)
        wait_ns = (call->release_ns < call->leave_ns ? call->release_ns : call->leave_ns) -
                  call->enter_ns;
    of->wait_ns += wait_ns;
    if (call->path >= of->n_places)
        reserve_place(of, call->path);
    if (of->places[call->path] == UNSEEN)
        begin_series(of, call, mark_before(of, rank, call, wait_ns));
    of->last_leave_ns = call->leave_ns;
    if (of->places[call->path] == REFUSED)
        return;
    uint32_t index = of->places[call->path] - 1u;
    struct pace *pace = &of->paces[index];
    pace->before_ns = pace->last_ns;
    pace->last_ns = call->leave_ns;
    pace->useful_ns = rank->useful_ns;
    pace->no_cpu_ns = rank->lost_ns[0];
    pace->mpi_ns = rank->mpi_ns;
    pace->wait_ns = of->wait_ns;
    pace->n_calls++;
    if ((pace->n_calls & (pace->stride - 1)) != 0)
        return;
    add_mark(of, index, &location->head.times);
    if (pace->n_calls >= REPEATED && (pace->n_calls & (pace->n_calls - 1)) == 0)
        drop_others(of, call->path);
}

// --- the result

/// The index of the series that comes after the call path AFTER, in the order of call paths.
static uint32_t next_by_path(const struct rank_series *of, int64_t after)
{
    uint32_t next = NONE;
    for (uint32_t i = 0; i < of->n; i++)
        if (of->items[i].path > after && (next == NONE || of->items[i].path < of->items[next].path))
            next = i;
    return next;
}

static void conclude(struct pag_result *result, size_t *capacity, uint32_t rank, uint32_t location,
                     struct rank_series *of)
{
    int64_t path = -1;
    for (uint32_t i; (i = next_by_path(of, path)) != NONE; path = of->items[i].path) {
        struct series *series = &of->items[i];
        const struct pace *pace = &of->paces[i];
        if (series->n_marks * pace->stride < pace->n_calls)
            *ARRAY_NEXT(series->marks, series->n_marks, series->capacity) = mark_at(pace);
        *ARRAY_NEXT(result->series, result->n_series, *capacity) = (struct pag_series){
            .rank = rank,
            .location = location,
            .call_path = series->path,
            .n_calls = pace->n_calls,
            .stride = pace->stride,
            .begin = series->begin,
            .marks = series->marks,
            .n_marks = series->n_marks,
        };
        series->marks = NULL;
    }
}

void series_conclude(struct engine *engine)
{
    size_t capacity = 0;
    for (size_t i = 0; i < engine->n_ranks; i++)
        if (engine->ranks[i].series)
            conclude(engine->result, &capacity, (uint32_t)i, engine->definitions->ranks[i].master,
                     engine->ranks[i].series);
}
