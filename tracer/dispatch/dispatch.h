// SPDX-License-Identifier: BSD-3-Clause
// Contract between the preloaded dispatcher (knows no MPI) and a recorder (built for one MPI).
//
// Every MPI call reaches one wrapper of the recorder, whatever its language:
//
// - MPI_X: the dispatcher jumps to the wrapper, whose return address is the call's place in the
//   program.
// - PMPI_X (from another tool, the program, Open MPI's Fortran layer): the same, unless this thread
//   is inside a recorded call or nothing is recorded; then the next PMPI_X is called. If another
//   tool defines MPI_X, too, the wrapper of a PMPI_X call bypasses it, as the call would have done.
// - mpi_x_, mpi_x_f08_ ... of MPI's Fortran layer: a call from outside MPI opens a **language
//   entry** (recorder.language_enter) and closes it when it returns. In between the layer calls C:
//   X itself, and others to convert handles or to ask for sizes. Only the wrapper of X records,
//   with the place and the enter time of the language entry. If X was not called (functions with
//   callbacks, empty lists), the recorder writes enter and leave when the entry closes.
#pragma once

#include "tracer/pagoda.h"

#include <stdbool.h>
#include <stdint.h>

#define DISPATCH_VERSION 6

typedef void (*function_pointer)(void);

/// What dlsym() has found, as a function.
static inline function_pointer to_function(void *symbol)
{
    function_pointer function;
    __builtin_memcpy(&function, &symbol, sizeof function);
    return function;
}

/// What a thread is doing. Exported by the dispatcher as pagoda_dispatch_thread.
struct dispatch_thread {
    uint32_t inside;    // 0, or why nothing is recorded now: see below
    uint32_t via_pmpi;  // the call that is about to be recorded came as PMPI_X
    uint32_t language;  // 0, or what the open language entry stands for: see below
    const void *caller; // of the open language entry, in the program
    uint64_t enter_ns;  // when it was entered
    const void *frame;  // of the wrapper of the last recorded call
};

// Values of `language`: the function's number in the recorder plus one, and this one when its call
// was recorded. The recorder changes it.
#define LANGUAGE_RECORDED UINT32_MAX

// Values of `inside`, set by the recorder: a recorded call is open, or the recorder is in the
// middle of a record (a signal handler of the program may run then).
#define INSIDE_CALL   1
#define INSIDE_TRACER 2

extern __thread struct dispatch_thread pagoda_dispatch_thread
    __attribute__((tls_model("initial-exec"), visibility("default")));

/// The fences keep the compiler from moving the record out of the guarded part.
static inline void dispatch_set_inside(uint32_t inside)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pagoda_dispatch_thread.inside = inside;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/// What the calling thread does now is no matter of the program's: MPI does it, or the tracer.
static inline bool dispatch_is_inside(void)
{
    return pagoda_dispatch_thread.inside != 0 || pagoda_dispatch_thread.language != 0;
}

/// What the dispatcher offers to the recorder it loads. The structure lives as long as the process.
struct dispatcher {
    int version;
    const char *spool_dir; // absolute path of the folder the records go to
    // What the wrapper of an MPI function is to call: the definition that follows the dispatcher's
    // own, another tool's or the MPI library's. NULL if this process has no such function.
    function_pointer (*next)(const char *name);
    // Makes calls of MPI function `name` go to `wrapper` from now on; `function` is the recorder's
    // number of it.
    void (*publish)(const char *name, function_pointer wrapper, uint32_t function);
};

// ---- OpenMP: how the runtime's callers (gomp.c, ompt.c) tell the recorder what a thread does.

enum openmp_construct {
    OPENMP_PARALLEL,
    OPENMP_BARRIER,
    OPENMP_IMPLICIT_BARRIER, // at the end of a construct
    OPENMP_CRITICAL,
    OPENMP_CRITICAL_BODY, // is left with the construct around it
    OPENMP_ORDERED,
    OPENMP_ORDERED_BODY,
    OPENMP_LOOP,
    OPENMP_SECTIONS,
    OPENMP_SINGLE,
    OPENMP_TASK,
    OPENMP_TASKWAIT,
    OPENMP_TASKGROUP,
    OPENMP_SET_LOCK,
    N_OPENMP_CONSTRUCTS
};

// Of openmp_recorder.fork().
#define OPENMP_NO_TEAM     0u         // the region is not recorded
#define OPENMP_NESTED_TEAM UINT32_MAX // nor is it, but join() must be called

/// Teams of threads and the constructs they meet. A `site` is where the call of the runtime returns
/// to in the program.
struct openmp_recorder {
    // The calling thread forks a team of `n_threads` (0: the default). Returns its number.
    uint32_t (*fork)(unsigned n_threads);
    // The team has ended; `n_others` more threads than this one were in it. Returns the time.
    uint64_t (*join)(uint32_t team, unsigned n_others);
    // The calling thread begins, or ends, its part of the region as thread number `thread`. Here
    // and below, `most_ns` is the latest time that this can have been, where that is known too
    // late.
    void (*begin)(uint32_t team, unsigned thread, const void *site);
    void (*end)(uint32_t team, uint64_t most_ns);
    void (*enter)(enum openmp_construct construct, const void *site);
    void (*leave)(enum openmp_construct construct, uint64_t most_ns);
    // Tasks are created that enter() will not be called for.
    void (*unknown_tasks)(void);
};

// ---- Files: how the C library's callers (files.c) tell the recorder what a thread does to them.

/// Functions of the C library, as regions of the archive. The 64-bit and checked forms of a
/// function count as the function.
#define FILE_CALLS                                                                                 \
    FILE_CALL(open)                                                                                \
    FILE_CALL(creat)                                                                               \
    FILE_CALL(dup)                                                                                 \
    FILE_CALL(fopen)                                                                               \
    FILE_CALL(freopen)                                                                             \
    FILE_CALL(close)                                                                               \
    FILE_CALL(fclose)                                                                              \
    FILE_CALL(lseek)                                                                               \
    FILE_CALL(read)                                                                                \
    FILE_CALL(readv)                                                                               \
    FILE_CALL(pread)                                                                               \
    FILE_CALL(preadv)                                                                              \
    FILE_CALL(fread)                                                                               \
    FILE_CALL(fgets)                                                                               \
    FILE_CALL(getline)                                                                             \
    FILE_CALL(write)                                                                               \
    FILE_CALL(writev)                                                                              \
    FILE_CALL(pwrite)                                                                              \
    FILE_CALL(pwritev)                                                                             \
    FILE_CALL(fwrite)                                                                              \
    FILE_CALL(fputs)                                                                               \
    FILE_CALL(fprintf)                                                                             \
    FILE_CALL(fsync)                                                                               \
    FILE_CALL(fdatasync)                                                                           \
    FILE_CALL(fflush)

enum file_call {
#define FILE_CALL(name) FILE_##name,
    FILE_CALLS
#undef FILE_CALL
        N_FILE_CALLS
};

static const char *const file_call_names[N_FILE_CALLS] = {
#define FILE_CALL(name) #name,
    FILE_CALLS
#undef FILE_CALL
};

#define FILE_FAILED UINT64_MAX // bytes of a call that failed

struct file_opening {
    enum file_call call; // FILE_dup: NAME is NULL
    const char *name;
    const void *site;  // where the call returns to
    uint64_t enter_ns; // when it was entered
    int flags;         // as of open()
    uint32_t file;     // of FILE_dup, the number
};

struct file_seek {
    uint32_t file;
    int whence; // as of lseek()
    int64_t offset;
    uint64_t result;
    const void *site;
    uint64_t enter_ns;
};

/// Files have numbers from 1. Nothing here changes errno, and all of it may run in a signal
/// handler.
struct file_recorder {
    // The time; 0: the thread is in MPI or in the tracer, or nothing is recorded.
    uint64_t (*now_ns)(void);
    // A file was opened, or a descriptor of it duplicated. Returns its number, 0: none.
    uint32_t (*opened)(const struct file_opening *opening);
    // A call is about to be made that may move `n_bytes` (FILE_FAILED: not known yet). False: it is
    // not recorded, and there must be no leave().
    bool (*enter)(enum file_call call, uint32_t file, uint64_t n_bytes, const void *site);
    // It has moved `n_bytes`, or failed.
    void (*leave)(enum file_call call, uint32_t file, uint64_t n_bytes);
    void (*sought)(const struct file_seek *seek);
};

// ---- POSIX threads: how the C library's callers (threads.c) tell the recorder what a thread does.

/// Functions of the C library, as regions of the archive. Those with another clock count as those
/// with a time limit, and locks with one as those without.
#define THREAD_CALLS                                                                               \
    THREAD_CALL(pthread_create)                                                                    \
    THREAD_CALL(thrd_create)                                                                       \
    THREAD_CALL(pthread_join)                                                                      \
    THREAD_CALL(thrd_join)                                                                         \
    THREAD_CALL(pthread_mutex_lock)                                                                \
    THREAD_CALL(pthread_rwlock_rdlock)                                                             \
    THREAD_CALL(pthread_rwlock_wrlock)                                                             \
    THREAD_CALL(mtx_lock)                                                                          \
    THREAD_CALL(pthread_mutex_unlock)                                                              \
    THREAD_CALL(pthread_rwlock_unlock)                                                             \
    THREAD_CALL(mtx_unlock)                                                                        \
    THREAD_CALL(pthread_cond_wait)                                                                 \
    THREAD_CALL(pthread_cond_timedwait)                                                            \
    THREAD_CALL(cnd_wait)                                                                          \
    THREAD_CALL(cnd_timedwait)                                                                     \
    THREAD_CALL(pthread_cond_signal)                                                               \
    THREAD_CALL(pthread_cond_broadcast)                                                            \
    THREAD_CALL(cnd_signal)                                                                        \
    THREAD_CALL(cnd_broadcast)                                                                     \
    THREAD_CALL(pthread_barrier_wait)

enum thread_call {
#define THREAD_CALL(name) THREAD_##name,
    THREAD_CALLS
#undef THREAD_CALL
        N_THREAD_CALLS
};

static const char *const thread_call_names[N_THREAD_CALLS] = {
#define THREAD_CALL(name) #name,
    THREAD_CALLS
#undef THREAD_CALL
};

struct thread_action {
    enum thread_call call;
    // Of creations and joins the number of the other thread, 0: unknown; of all else the address of
    // the lock, of the condition that is signalled, or of the barrier.
    uint64_t object;
    uint64_t condition; // the address of that which the call waits for, 0: none
    // Of the acquisition of the lock that the call ends, or begins with; 0: it does neither. Of
    // creations and joins 1: they succeeded.
    uint32_t order;
    const void *site;  // where the call returns to
    uint64_t enter_ns; // of done(): when it was entered
};

/// Nothing here changes errno.
struct thread_recorder {
    // The calling thread is the program's, number `number` (from 1), and has just begun.
    void (*begin)(uint32_t number);
    // A call is about to be made that may take long. False: it is not recorded, and there must be
    // no leave().
    bool (*enter)(const struct thread_action *action);
    void (*leave)(const struct thread_action *action);
    // The time; 0: done() would record nothing.
    uint64_t (*now_ns)(void);
    // A call was made.
    void (*done)(const struct thread_action *action);
};

/// What the recorder hands back. All members are set, unless they say otherwise.
struct recorder {
    void (*function_enter)(void *function); // user regions
    void (*function_leave)(void *function);
    // A language entry of `function` is called from `caller`. False: nothing is recorded, and
    // there will be no leave.
    bool (*language_enter)(uint32_t function, const void *caller);
    void (*language_leave)(void);
    const struct openmp_recorder *openmp;
    const struct file_recorder *files; // NULL: not recorded
    const struct thread_recorder *threads;
    struct pagoda_trace_api api;
};

/// The one function a recorder library exports, as "pagoda_recorder_attach". Returns NULL if it
/// cannot work with this MPI library; the program then runs untraced.
typedef const struct recorder *(*recorder_attach)(const struct dispatcher *dispatcher);

// ---- Between the files of this folder.

#define EXPORTED __attribute__((visibility("default")))
#define CALLER   __builtin_return_address(0) // of the function that the program has called

/// Which of gomp.c and ompt.c records the threads of this process, the first one that could: a team
/// was recorded by gomp.c; the runtime has accepted ompt.c as its tool.
extern bool openmp_has_gomp, openmp_has_tool;

/// files.c: the table of descriptors is that of this process.
void dispatch_begin_files(void);

/// caller.c: whether the code that a call returns to is of a library that opens files and makes
/// threads for itself: MPI, a network, a thread runtime, the tracer.
bool dispatch_is_foreign(const void *site);

enum { NO_FUNCTION = UINT16_MAX };

/// The recorder, NULL: none is attached (yet).
const struct recorder *dispatch_recorder(void);

/// The definition of any name that follows the dispatcher's own; NULL: none. If the process has
/// loaded an MPI by now, its recorder is attached first.
function_pointer dispatch_next(const char *name);

/// The same, also where a library that defines it is not in the global scope.
function_pointer dispatch_next_anywhere(const char *name);

/// The C library's dlsym(), called by this library.
void *dispatch_dlsym(void *handle, const char *name);

/// The definition that follows one of this library's in the order of symbols; what stands in for it
/// before it is looked up, or NULL.
struct following {
    const char *name;
    function_pointer function;
};

/// That of NAME, in a section that the linker makes an array of.
#define FOLLOWING(name, stand_in)                                                                  \
    static struct following following_##name                                                       \
        __attribute__((section("following"))) = {#name, (function_pointer)(stand_in)};

/// Finds one, for who calls it before all are found.
function_pointer dispatch_look_up(struct following *following);

/// What a function that begins with FOLLOWING() goes on to.
#define NEXT(name) ((__typeof__(&(name)))following_function(&following_##name))
static inline function_pointer following_function(struct following *following)
{
    function_pointer function = following->function;
    return __builtin_expect(function != NULL, 1) ? function : dispatch_look_up(following);
}

/// The recorder's number of the C function `index`, NO_FUNCTION if it does not record it.
uint16_t dispatch_function(unsigned index);

/// Target of a name that no library here defines.
function_pointer dispatch_missing(const char *name);
