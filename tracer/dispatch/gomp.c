// SPDX-License-Identifier: BSD-3-Clause
// The entry points of GNU's OpenMP runtime, libgomp, which programs compiled by gcc and gfortran
// call; LLVM's runtime has them, too. Each one calls the runtime's function and tells the recorder.
//
// The threads of a team run the body of a parallel region inside run_body(). How long they wait for
// each other at its end cannot be seen from outside. So the body ends with a barrier of its own:
// threads wait there in place of the region's end, and no longer. Of a loop with a static schedule
// only the barrier at its end is a call of the runtime.
//
// A program whose runtime was loaded by dlopen() alone may have several of them: then each call
// goes where it would have gone without this library.
#include "tracer/dispatch/dispatch.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// A function of the runtime, in a section that the linker makes an array of.
struct entry {
    const char *name;
    function_pointer target; // in the global scope; NULL: not looked up, or not there
};
#define ENTRY(name)                                                                                \
    static struct entry entry_##name __attribute__((section("openmp_entries"))) = {#name, NULL};

static __thread struct {
    const void *site; // whose runtime it was
    function_pointer target;
} own_targets[64]; // by place in the array

static int nothing(void)
{
    return 0;
}

// The place of a parallel region or task is its body, because gcc gives the call of the runtime the
// line of whatever stood before. The recorder expects a return address: one after the first byte.
static const void *place_of(void (*body)(void *))
{
    return (const char *)(uintptr_t)body + 1;
}

static __thread const void *body_site; // of the innermost region or task that the thread is in

static bool is_ours(const void *address)
{
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    extern const char _end[] __attribute__((visibility("hidden")));
    return (uintptr_t)address >= (uintptr_t)__ehdr_start && (uintptr_t)address < (uintptr_t)_end;
}

/// The place in the program. A body that ends with a call of the runtime jumps there, so the call
/// returns to this library.
static const void *site_of(const void *caller)
{
    return is_ours(caller) ? body_site : caller;
}

/// The definition that the library of `site` would have been linked to, had it not been this one.
static function_pointer look_up_for(const char *name, const void *site)
{
    Dl_info place;
    void *library = NULL, *symbol = NULL;
    if (dladdr(site, &place) != 0 && place.dli_fname)
        library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        symbol = dispatch_dlsym(library, name);
        dlclose(library);
    }
    return symbol && !is_ours(symbol) ? to_function(symbol) : (function_pointer)nothing;
}

static function_pointer look_up(struct entry *entry, const void *site)
{
    extern struct entry __start_openmp_entries[] __attribute__((visibility("hidden")));
    void *symbol = dispatch_dlsym(RTLD_NEXT, entry->name);
    if (symbol) {
        __atomic_store_n(&entry->target, to_function(symbol), __ATOMIC_RELAXED);
        return to_function(symbol);
    }
    size_t place = (size_t)(entry - __start_openmp_entries);
    if (own_targets[place].site != site) {
        own_targets[place].target = look_up_for(entry->name, site);
        own_targets[place].site = site;
    }
    return own_targets[place].target;
}

static inline function_pointer target_of(struct entry *entry, const void *caller)
{
    function_pointer target = __atomic_load_n(&entry->target, __ATOMIC_RELAXED);
    return __builtin_expect(target != NULL, 1) ? target : look_up(entry, site_of(caller));
}

// The function of the runtime that the exported function NAME stands for.
#define TARGET(name) ((__typeof__(&(name)))target_of(&entry_##name, CALLER))
// Where ompt.c records: a jump, so that the runtime tells it the program's place and not this one.
#define PASS(name, arguments)                                                                      \
    if (openmp_has_tool) {                                                                         \
        TARGET(name) arguments;                                                                    \
        return;                                                                                    \
    }

bool openmp_has_gomp;

/// NULL: nothing is recorded here.
static const struct openmp_recorder *recorder_of_openmp(void)
{
    const struct recorder *recorder = dispatch_recorder();
    return recorder && !openmp_has_tool ? recorder->openmp : NULL;
}

static void enter(enum openmp_construct construct, const void *caller)
{
    const struct openmp_recorder *recorder = recorder_of_openmp();
    if (recorder)
        recorder->enter(construct, site_of(caller));
}

static void leave(enum openmp_construct construct)
{
    const struct openmp_recorder *recorder = recorder_of_openmp();
    if (recorder)
        recorder->leave(construct, UINT64_MAX);
}

// ---- Where threads wait for each other. Fortran's functions take the address of the lock's
// variable, as C's do.

// A function of the runtime with what is recorded BEFORE and AFTER it.
#define RECORDED(before, after, name, parameters, arguments)                                       \
    ENTRY(name)                                                                                    \
    EXPORTED void name parameters;                                                                 \
    void name parameters                                                                           \
    {                                                                                              \
        PASS(name, arguments)                                                                      \
        before;                                                                                    \
        TARGET(name) arguments;                                                                    \
        after;                                                                                     \
    }
#define WAIT(construct, name, parameters, arguments)                                               \
    RECORDED(enter(construct, CALLER), leave(construct), name, parameters, arguments)
#define WAIT_OR_CANCEL(construct, name)                                                            \
    ENTRY(name)                                                                                    \
    EXPORTED bool name(void);                                                                      \
    bool name(void)                                                                                \
    {                                                                                              \
        enter(construct, CALLER);                                                                  \
        bool is_cancelled = TARGET(name)();                                                        \
        leave(construct);                                                                          \
        return is_cancelled;                                                                       \
    }

WAIT(OPENMP_BARRIER, GOMP_barrier, (void), ())
WAIT(OPENMP_IMPLICIT_BARRIER, GOMP_loop_end, (void), ())
WAIT(OPENMP_IMPLICIT_BARRIER, GOMP_sections_end, (void), ())
WAIT(OPENMP_TASKWAIT, GOMP_taskwait, (void), ())
WAIT(OPENMP_TASKGROUP, GOMP_taskgroup_end, (void), ())
WAIT(OPENMP_SET_LOCK, omp_set_lock, (void *lock), (lock))
WAIT(OPENMP_SET_LOCK, omp_set_lock_, (void *lock), (lock))
WAIT(OPENMP_SET_LOCK, omp_set_nest_lock, (void *lock), (lock))
WAIT(OPENMP_SET_LOCK, omp_set_nest_lock_, (void *lock), (lock))
WAIT_OR_CANCEL(OPENMP_BARRIER, GOMP_barrier_cancel)
WAIT_OR_CANCEL(OPENMP_IMPLICIT_BARRIER, GOMP_loop_end_cancel)
WAIT_OR_CANCEL(OPENMP_IMPLICIT_BARRIER, GOMP_sections_end_cancel)

// ---- Parallel regions

typedef void region_body(void *data);

struct parallel {
    region_body *body;
    void *data;
    uint32_t team;
    const struct openmp_recorder *recorder;
    const struct dispatch_thread *forker;
    unsigned n_others; // threads besides the forker
    void (*barrier)(void);
    int (*thread_number)(void);
};

/// A region that may be cancelled has no barrier of ours: threads may have left one of its own.
static bool may_cancel(void)
{
    enum { NOT_KNOWN, NO, YES };
    static int known = NOT_KNOWN; // as the runtime, which reads it once
    int may = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (may == NOT_KNOWN) {
        const char *value = getenv("OMP_CANCELLATION");
        may = value && strcasecmp(value, "false") != 0 ? YES : NO;
        __atomic_store_n(&known, may, __ATOMIC_RELAXED);
    }
    return may == YES;
}

static void run_body(void *argument)
{
    struct parallel *parallel = argument;
    const struct openmp_recorder *recorder = parallel->recorder;
    if (&pagoda_dispatch_thread != parallel->forker)
        __atomic_fetch_add(&parallel->n_others, 1, __ATOMIC_RELAXED);
    const void *around = body_site, *site = place_of(parallel->body);
    body_site = site;
    if (parallel->team == OPENMP_NESTED_TEAM) {
        parallel->body(parallel->data);
        body_site = around;
        return;
    }
    recorder->begin(parallel->team, (unsigned)parallel->thread_number(), site);
    parallel->body(parallel->data);
    if (parallel->barrier) {
        recorder->enter(OPENMP_IMPLICIT_BARRIER, site);
        parallel->barrier();
        recorder->leave(OPENMP_IMPLICIT_BARRIER, UINT64_MAX);
    }
    recorder->end(parallel->team, UINT64_MAX);
    body_site = around;
}

ENTRY(omp_get_thread_num)
int omp_get_thread_num(void);

/// Fills *PARALLEL, which must live until fork_ends(). False: the region is not to be recorded.
static bool fork_begins(struct parallel *parallel, region_body *body, void *data,
                        unsigned n_threads, const void *caller)
{
    const struct openmp_recorder *recorder = recorder_of_openmp();
    uint32_t team = recorder ? recorder->fork(n_threads) : OPENMP_NO_TEAM;
    if (team == OPENMP_NO_TEAM)
        return false;
    if (!openmp_has_gomp)
        openmp_has_gomp = true;
    *parallel = (struct parallel){
        .body = body,
        .data = data,
        .team = team,
        .recorder = recorder,
        .forker = &pagoda_dispatch_thread,
        .barrier = may_cancel() ? NULL : target_of(&entry_GOMP_barrier, caller),
        .thread_number =
            (__typeof__(&omp_get_thread_num))target_of(&entry_omp_get_thread_num, caller),
    };
    return true;
}

static void fork_ends(const struct parallel *parallel)
{
    parallel->recorder->join(parallel->team, parallel->n_others);
}

// PARALLEL(name, parameters after the number of threads, their names)
#define UNPACK(...) __VA_ARGS__
#define PARALLEL(name, parameters, arguments)                                                      \
    ENTRY(name)                                                                                    \
    EXPORTED void name(region_body *body, void *data, unsigned n_threads, UNPACK parameters);      \
    void name(region_body *body, void *data, unsigned n_threads, UNPACK parameters)                \
    {                                                                                              \
        PASS(name, (body, data, n_threads, UNPACK arguments))                                      \
        struct parallel parallel;                                                                  \
        if (!fork_begins(&parallel, body, data, n_threads, CALLER)) {                              \
            TARGET(name)(body, data, n_threads, UNPACK arguments);                                 \
            return;                                                                                \
        }                                                                                          \
        TARGET(name)(run_body, &parallel, n_threads, UNPACK arguments);                            \
        fork_ends(&parallel);                                                                      \
    }
#define PARALLEL_CHUNKS(name)                                                                      \
    PARALLEL(name, (long start, long end, long step, long chunk, unsigned flags),                  \
             (start, end, step, chunk, flags))
#define PARALLEL_RUNTIME(name)                                                                     \
    PARALLEL(name, (long start, long end, long step, unsigned flags), (start, end, step, flags))

PARALLEL(GOMP_parallel, (unsigned flags), (flags))
PARALLEL(GOMP_parallel_sections, (unsigned n_sections, unsigned flags), (n_sections, flags))
PARALLEL_CHUNKS(GOMP_parallel_loop_static)
PARALLEL_CHUNKS(GOMP_parallel_loop_dynamic)
PARALLEL_CHUNKS(GOMP_parallel_loop_guided)
PARALLEL_CHUNKS(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_CHUNKS(GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_RUNTIME(GOMP_parallel_loop_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

// ---- What one thread does at a time: from entering, the thread waits; in the body, it computes.

#define BODY_BEGINS(construct, name, parameters, arguments)                                        \
    RECORDED(enter(construct, CALLER), enter(construct##_BODY, CALLER), name, parameters, arguments)
#define BODY_ENDS(construct, name, parameters, arguments)                                          \
    RECORDED((void)0, leave(construct), name, parameters, arguments)

BODY_BEGINS(OPENMP_CRITICAL, GOMP_critical_start, (void), ())
BODY_ENDS(OPENMP_CRITICAL, GOMP_critical_end, (void), ())
BODY_BEGINS(OPENMP_CRITICAL, GOMP_critical_name_start, (void **lock), (lock))
BODY_ENDS(OPENMP_CRITICAL, GOMP_critical_name_end, (void **lock), (lock))
BODY_BEGINS(OPENMP_ORDERED, GOMP_ordered_start, (void), ())
BODY_ENDS(OPENMP_ORDERED, GOMP_ordered_end, (void), ())

// ---- Tasks. The runtime copies the data of a task; ours stands in front of it. What it does with
// the data of loops of tasks, and of tasks that other events complete, is not visible from outside,
// so these keep their own bodies and are counted only.

#define FLAG_DETACH     8192
#define MOST_DATA_BYTES 4096 // for it is on the creating thread's stack for a moment

typedef void task_copy(void *to, void *from);

struct task {
    region_body *body;
    task_copy *copy; // NULL: byte by byte
    void *data;      // before it is copied
    size_t offset;   // of the data after this structure, then
};

static void run_task(void *argument)
{
    const struct task *task = argument;
    const void *around = body_site;
    body_site = place_of(task->body);
    enter(OPENMP_TASK, body_site);
    task->body((char *)argument + task->offset);
    leave(OPENMP_TASK);
    body_site = around;
}

static void copy_task(void *to, void *from)
{
    const struct task *task = from;
    memcpy(to, task, sizeof *task);
    task->copy((char *)to + task->offset, task->data);
}

static void unknown_tasks(void)
{
    const struct openmp_recorder *recorder = recorder_of_openmp();
    if (recorder)
        recorder->unknown_tasks();
}

ENTRY(GOMP_task)
EXPORTED void GOMP_task(region_body *body, void *data, task_copy *copy, long n_bytes,
                        long alignment, bool is_deferred, unsigned flags, void **depend,
                        int priority, void *detach);

void GOMP_task(region_body *body, void *data, task_copy *copy, long n_bytes, long alignment,
               bool is_deferred, unsigned flags, void **depend, int priority, void *detach)
{
    bool is_simple = (flags & FLAG_DETACH) == 0 && n_bytes >= 0 && n_bytes <= MOST_DATA_BYTES &&
                     alignment > 0 && alignment <= 64;
    if (!is_simple || !recorder_of_openmp()) {
        unknown_tasks();
        TARGET(GOMP_task)
        (body, data, copy, n_bytes, alignment, is_deferred, flags, depend, priority, detach);
        return;
    }
    char memory[sizeof(struct task) + 64 + MOST_DATA_BYTES] __attribute__((aligned(64)));
    struct task *task = (struct task *)(void *)memory;
    size_t most = alignment > 16 ? (size_t)alignment : 16;
    *task = (struct task){body, copy, data, (sizeof *task + most - 1) / most * most};
    if (!copy && n_bytes > 0)
        memcpy(memory + task->offset, data, (size_t)n_bytes);
    TARGET(GOMP_task)
    (run_task, task, copy ? copy_task : NULL, (long)task->offset + n_bytes, (long)most, is_deferred,
     flags, depend, priority, detach);
}

#define TASKLOOP(name, type)                                                                       \
    ENTRY(name)                                                                                    \
    EXPORTED void name(region_body *body, void *data, task_copy *copy, long n_bytes,               \
                       long alignment, unsigned flags, unsigned long n_tasks, int priority,        \
                       type start, type end, type step);                                           \
    void name(region_body *body, void *data, task_copy *copy, long n_bytes, long alignment,        \
              unsigned flags, unsigned long n_tasks, int priority, type start, type end,           \
              type step)                                                                           \
    {                                                                                              \
        unknown_tasks();                                                                           \
        TARGET(name)                                                                               \
        (body, data, copy, n_bytes, alignment, flags, n_tasks, priority, start, end, step);        \
    }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
