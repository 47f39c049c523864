// SPDX-License-Identifier: BSD-3-Clause
// The tool interface of OpenMP 5, OMPT: how LLVM's runtime, libomp, tells what its threads do. The
// runtime asks for ompt_start_tool() when it starts. The interface is declared here as far as it is
// used, with the numbers of the OpenMP specification (5.0, chapter 4), so that no runtime's header
// is needed.
//
// Another tool goes first: one that the program has, or that OMP_TOOL_LIBRARIES names. A program
// that came to its first parallel region through gomp.c stays there, and one of this interface is
// not recorded by gomp.c a second time.
#include "tracer/dispatch/dispatch.h"

#include <dlfcn.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" // callbacks are told more than they ask for

union tool_data {
    uint64_t value;
    void *pointer;
};

typedef function_pointer look_up_function(const char *name);

struct start_tool_result {
    int (*initialize)(look_up_function *look_up, int device, union tool_data *tool);
    void (*finalize)(union tool_data *tool);
    union tool_data tool;
};

EXPORTED struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime);

enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_INITIAL = 1, TASK_EXPLICIT = 4, PARALLEL_LEAGUE = 0x40000000 };
enum { TASK_COMPLETE = 1, TASK_CANCEL = 3, TASK_DETACH = 4 };

bool openmp_has_tool;
static const struct openmp_recorder *recorder;

// The threads of a team may hear of its end when they are woken for the next one, perhaps much
// later. So each region has a number, counted by the thread that forks it, and its end is kept for
// a while.
enum { N_ENDS = 64, N_FORKERS = 64 };

struct region {
    uint32_t team;
    unsigned n_others; // threads besides the forker
    const void *site, *forker;
    uint64_t number;
    uint64_t end_ns[N_ENDS]; // by number; UINT64_MAX: it has not ended
};

static struct region regions[N_FORKERS]; // the recorded one that each thread has forked last
static __thread struct region nested;    // the last one within another, which is counted only

// Of the calling thread: the region that it works for.
static __thread const struct region *current;
static __thread uint64_t current_number;
static __thread const void *current_site;

/// The latest time that the thread's part of its region can have ended.
static uint64_t region_end_ns(void)
{
    if (!current || __atomic_load_n(&current->number, __ATOMIC_ACQUIRE) - current_number >= N_ENDS)
        return UINT64_MAX;
    return __atomic_load_n(&current->end_ns[current_number % N_ENDS], __ATOMIC_ACQUIRE);
}

static void parallel_begin(union tool_data *around, const void *frame, union tool_data *parallel,
                           unsigned n_threads, int flags, const void *site)
{
    parallel->pointer = NULL;
    uint32_t team = (flags & PARALLEL_LEAGUE) != 0 ? OPENMP_NO_TEAM : recorder->fork(n_threads);
    if (team == OPENMP_NO_TEAM)
        return;
    struct region *region = team == OPENMP_NESTED_TEAM ? &nested : &regions[team % N_FORKERS];
    region->team = team;
    region->n_others = 0;
    region->site = site;
    region->forker = &nested;
    __atomic_store_n(&region->end_ns[(region->number + 1) % N_ENDS], UINT64_MAX, __ATOMIC_RELEASE);
    __atomic_store_n(&region->number, region->number + 1, __ATOMIC_RELEASE);
    parallel->pointer = region;
}

static void parallel_end(union tool_data *parallel, union tool_data *around, int flags,
                         const void *site)
{
    struct region *region = parallel->pointer;
    if (region)
        __atomic_store_n(&region->end_ns[region->number % N_ENDS],
                         recorder->join(region->team, region->n_others), __ATOMIC_RELEASE);
}

/// A task's data: of implicit ones the team, of explicit ones their place and these.
#define IS_EXPLICIT (UINT64_C(1) << 62)
#define HAS_BEGUN   (UINT64_C(1) << 63)

static void implicit_task(int endpoint, union tool_data *parallel, union tool_data *task,
                          unsigned n_threads, unsigned index, int flags)
{
    if ((flags & TASK_INITIAL) != 0)
        return;
    struct region *region = endpoint == SCOPE_BEGIN && parallel ? parallel->pointer : NULL;
    if (region) {
        if (region->forker != &nested)
            __atomic_fetch_add(&region->n_others, 1, __ATOMIC_RELAXED);
        task->value = region->team == OPENMP_NESTED_TEAM ? OPENMP_NO_TEAM : region->team;
        if (task->value == OPENMP_NO_TEAM)
            return;
        current = region;
        current_number = region->number;
        current_site = region->site;
        recorder->begin(region->team, index, region->site);
    } else if (endpoint == SCOPE_END && task->value != OPENMP_NO_TEAM) {
        recorder->end((uint32_t)task->value, region_end_ns());
        task->value = OPENMP_NO_TEAM;
    }
}

static void enter_or_leave(int endpoint, enum openmp_construct construct, const void *site)
{
    if (endpoint == SCOPE_BEGIN)
        recorder->enter(construct, site ? site : current_site);
    else if (endpoint == SCOPE_END)
        recorder->leave(construct, region_end_ns());
}

/// The construct of KIND among N; OPENMP_PARALLEL: none that is recorded.
static enum openmp_construct construct_of(const enum openmp_construct *constructs, size_t n,
                                          int kind)
{
    return kind > 0 && (size_t)kind < n ? constructs[kind] : OPENMP_PARALLEL;
}

#define N_OF(list) (sizeof(list) / sizeof *(list))

static void sync_region(int kind, int endpoint, union tool_data *parallel, union tool_data *task,
                        const void *site)
{
    static const enum openmp_construct constructs[] = {
        [1] = OPENMP_IMPLICIT_BARRIER, [2] = OPENMP_IMPLICIT_BARRIER, [3] = OPENMP_BARRIER,
        [5] = OPENMP_TASKWAIT,         [6] = OPENMP_TASKGROUP,        [8] = OPENMP_IMPLICIT_BARRIER,
        [9] = OPENMP_IMPLICIT_BARRIER};
    enum openmp_construct construct = construct_of(constructs, N_OF(constructs), kind);
    if (construct != OPENMP_PARALLEL)
        enter_or_leave(endpoint, construct, site);
}

static void work(int kind, int endpoint, union tool_data *parallel, union tool_data *task,
                 uint64_t count, const void *site)
{
    static const enum openmp_construct constructs[] = {
        [1] = OPENMP_LOOP, [2] = OPENMP_SECTIONS, [3] = OPENMP_SINGLE};
    enum openmp_construct construct = construct_of(constructs, N_OF(constructs), kind);
    if (construct != OPENMP_PARALLEL)
        enter_or_leave(endpoint, construct, site);
}

// From being acquired a critical or ordered construct has its body; of a lock waiting is all.

static enum openmp_construct construct_of_mutex(int kind)
{
    static const enum openmp_construct constructs[] = {
        [1] = OPENMP_SET_LOCK, [5] = OPENMP_CRITICAL, [7] = OPENMP_ORDERED};
    return construct_of(constructs, N_OF(constructs), kind);
}

static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t lock, const void *site)
{
    enum openmp_construct construct = construct_of_mutex(kind);
    if (construct != OPENMP_PARALLEL)
        recorder->enter(construct, site);
}

static void mutex_acquired(int kind, uint64_t lock, const void *site)
{
    enum openmp_construct construct = construct_of_mutex(kind);
    if (construct == OPENMP_SET_LOCK)
        recorder->leave(construct, UINT64_MAX);
    else if (construct != OPENMP_PARALLEL)
        recorder->enter(construct == OPENMP_CRITICAL ? OPENMP_CRITICAL_BODY : OPENMP_ORDERED_BODY,
                        site);
}

static void mutex_released(int kind, uint64_t lock, const void *site)
{
    enum openmp_construct construct = construct_of_mutex(kind);
    if (construct == OPENMP_CRITICAL || construct == OPENMP_ORDERED)
        recorder->leave(construct, UINT64_MAX);
}

static void task_create(union tool_data *around, const void *frame, union tool_data *task,
                        int flags, int has_dependences, const void *site)
{
    if ((flags & TASK_EXPLICIT) != 0)
        task->value = (uint64_t)(uintptr_t)site | IS_EXPLICIT;
}

/// Tasks nest on a thread: one that begins interrupts what was there before.
static void task_schedule(union tool_data *before, int status, union tool_data *next)
{
    bool is_over = status == TASK_COMPLETE || status == TASK_CANCEL || status == TASK_DETACH;
    if (is_over && before && (before->value & HAS_BEGUN) != 0)
        recorder->leave(OPENMP_TASK, UINT64_MAX);
    if (!next || (next->value & (IS_EXPLICIT | HAS_BEGUN)) != IS_EXPLICIT)
        return;
    recorder->enter(OPENMP_TASK, (const void *)(uintptr_t)(next->value & ~IS_EXPLICIT));
    next->value |= HAS_BEGUN;
}

static const struct {
    int event;
    function_pointer callback;
} callbacks[] = {
    {3, (function_pointer)parallel_begin}, {4, (function_pointer)parallel_end},
    {5, (function_pointer)task_create},    {6, (function_pointer)task_schedule},
    {7, (function_pointer)implicit_task},  {17, (function_pointer)mutex_released},
    {20, (function_pointer)work},          {23, (function_pointer)sync_region},
    {26, (function_pointer)mutex_acquire}, {27, (function_pointer)mutex_acquired},
};

/// Zero: the runtime goes on without a tool.
static int initialize(look_up_function *look_up, int device, union tool_data *tool)
{
    int (*set_callback)(int event, function_pointer callback) =
        (int (*)(int, function_pointer))look_up("ompt_set_callback");
    if (!set_callback || openmp_has_gomp)
        return 0;
    openmp_has_tool = true;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        set_callback(callbacks[i].event, callbacks[i].callback);
    return 1;
}

static void finalize(union tool_data *tool)
{
}

struct start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct start_tool_result ours = {initialize, finalize, {0}};
    struct start_tool_result *(*next)(unsigned, const char *) =
        (__typeof__(next))to_function(dispatch_dlsym(RTLD_NEXT, "ompt_start_tool"));
    struct start_tool_result *other = next ? next(version, runtime) : NULL;
    const char *libraries = getenv("OMP_TOOL_LIBRARIES");
    if (other || (libraries && libraries[0] != '\0') || !dispatch_recorder())
        return other;
    recorder = dispatch_recorder()->openmp;
    return recorder ? &ours : NULL;
}
