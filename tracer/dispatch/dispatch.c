// SPDX-License-Identifier: BSD-3-Clause
// The preloaded library. It exports every MPI function of every MPI known at build time and passes
// the calls to the recorder built for the MPI of this process. It links only libc.
//
// Handles, constants and structures differ between MPIs, so code that looks at arguments is
// compiled once for each mpi.h; but only the process itself knows which MPI it has, and a library
// opened by dlopen() does not interpose. So this library exports the names and needs no signatures:
// each MPI function is a jump through a slot (trampolines.S). The constructor, or the first MPI
// call if MPI is loaded later, fills the slots: from libpagoda-<mpi>.so beside this library, or
// with the next definition if there is no MPI, no recorder for it, or no PAGODA_SPOOL in the
// environment.
#include "tracer/dispatch/dispatch.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define ENTRY(name, index) #name,
#include ENTRIES
#undef ENTRY
};
enum { n_names = sizeof names / sizeof names[0] };

/// Known MPI libraries: start of the file name, recorder's name.
static const struct {
    const char *library;
    const char *recorder;
} known_mpis[] = {
    {"libmpi.so.40", "openmpi"},
    {"libmpich.so.12", "mpich"},
    {"libmpi.so.12", "mpich"},
    {"libmpi_abi", "mpi_abi"}, // the binary interface of MPI 5, whoever's library it is
};

struct continuation {
    char code[16];
};

/// trampolines.S knows these.
extern function_pointer dispatch_slots[];             // where MPI_X goes
function_pointer dispatch_pmpi_slots[n_names];        // the next PMPI_X, NULL: not looked up yet
function_pointer dispatch_mpi_next[n_names];          // the next MPI_X, where a tool defines it
bool dispatch_recording;                              // a recorder is attached
extern struct continuation dispatch_continuations[];  // code, 16 bytes for each function
function_pointer dispatch_first_call(unsigned index); // targets of what is not looked up yet
function_pointer dispatch_first_pmpi(unsigned index);

_Static_assert(offsetof(struct dispatch_thread, inside) == 0, "trampolines.S");
_Static_assert(offsetof(struct dispatch_thread, via_pmpi) == 4, "trampolines.S");

EXPORTED __thread struct dispatch_thread pagoda_dispatch_thread
    __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool resolved;
static void *mpi_library;
static uintptr_t mpi_start, mpi_end;          // where it is loaded
static function_pointer definitions[n_names]; // of MPI_X that follow ours, once MPI is there
static uint16_t functions[n_names];           // the recorder's numbers of its functions, plus one
static const struct recorder *recorder;

/// Exported data, found by pagoda.h with dlsym(); calls go nowhere until a recorder is attached.
static void no_region(const char *name)
{
    (void)name;
}

static void no_marker(const char *name, int n, const char *const parameters[],
                      const double values[])
{
    (void)name;
    (void)n;
    (void)parameters;
    (void)values;
}

static void no_switch(void)
{
}

EXPORTED struct pagoda_trace_api pagoda_trace_api = {
    .version = 2,
    .region_begin = no_region,
    .region_end = no_region,
    .marker = no_marker,
    .off = no_switch,
    .on = no_switch,
};

static function_pointer next(const char *name)
{
    void *symbol = dispatch_dlsym(RTLD_NEXT, name);
    if (!symbol && mpi_library)
        symbol = dispatch_dlsym(mpi_library, name);
    return to_function(symbol);
}

static function_pointer next_pmpi(unsigned index)
{
    char name[128];
    snprintf(name, sizeof name, "P%s", names[index]);
    return next(name);
}

static int by_name(const void *key, const void *element)
{
    return strcmp(key, *(const char *const *)element);
}

static int index_of(const char *name)
{
    const char *const *found = bsearch(name, names, n_names, sizeof names[0], by_name);
    return found ? (int)(found - names) : -1;
}

static void publish(const char *name, function_pointer wrapper, uint32_t function)
{
    int index = index_of(name);
    if (index < 0)
        return;
    functions[index] = (uint16_t)(function + 1);
    __atomic_store_n(&dispatch_slots[index], wrapper, __ATOMIC_RELEASE);
}

uint16_t dispatch_function(unsigned index)
{
    return functions[index] == 0 ? NO_FUNCTION : (uint16_t)(functions[index] - 1);
}

/// A function of the MPI library itself is called directly; in front of another tool's stands a
/// continuation, which knows whether the tool is meant.
static function_pointer next_for_wrapper(const char *name)
{
    int index = index_of(name);
    function_pointer function = index >= 0 ? definitions[index] : NULL;
    if (!function || ((uintptr_t)function >= mpi_start && (uintptr_t)function < mpi_end))
        return function;
    dispatch_mpi_next[index] = function;
    return to_function(&dispatch_continuations[index]);
}

static struct dispatcher dispatcher = {
    .version = DISPATCH_VERSION, .next = next_for_wrapper, .publish = publish};

struct found_mpi {
    char path[4096];
    const char *recorder;
    uintptr_t start;
    uintptr_t end;
};

static void find_extent(const struct dl_phdr_info *info, struct found_mpi *found)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        if (found->start == 0 || start < found->start)
            found->start = start;
        if (start + part->p_memsz > found->end)
            found->end = start + part->p_memsz;
    }
}

static int find_mpi(struct dl_phdr_info *info, size_t size, void *result)
{
    struct found_mpi *found = result;
    const char *path = info->dlpi_name;
    const char *name = strrchr(path, '/');
    (void)size;
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof known_mpis / sizeof known_mpis[0]; i++) {
        if (strncmp(name, known_mpis[i].library, strlen(known_mpis[i].library)) == 0) {
            snprintf(found->path, sizeof found->path, "%s", path);
            found->recorder = known_mpis[i].recorder;
            find_extent(info, found);
            return 1;
        }
    }
    return 0;
}

/// The recorder library stands beside this one; a process whose recorder is missing runs untraced.
static void load_recorder(const char *name)
{
    Dl_info here;
    if (dladdr(&pagoda_trace_api, &here) == 0 || !here.dli_fname)
        return;
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", here.dli_fname);
    if (!strrchr(folder, '/'))
        return;
    *strrchr(folder, '/') = '\0';
    char path[4200];
    snprintf(path, sizeof path, "%s/libpagoda-%s.so", folder, name);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return;
    recorder_attach attach =
        (recorder_attach)to_function(dispatch_dlsym(library, "pagoda_recorder_attach"));
    recorder = attach ? attach(&dispatcher) : NULL;
    if (!recorder)
        return;
    pagoda_trace_api = recorder->api;
    __atomic_store_n(&dispatch_recording, true, __ATOMIC_RELEASE);
}

/// Fills the slots once an MPI is there. With the lock held.
static void resolve(const struct found_mpi *found)
{
    const char *spool_dir = getenv("PAGODA_SPOOL");
    // Global scope, so that the recorder's PMPI_ calls find a library loaded with RTLD_LOCAL.
    mpi_library = dlopen(found->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    mpi_start = found->start;
    mpi_end = found->end;
    resolved = true;
    for (int i = 0; i < n_names; i++) {
        definitions[i] = next(names[i]);
        if (definitions[i])
            __atomic_store_n(&dispatch_slots[i], definitions[i], __ATOMIC_RELEASE);
    }
    if (mpi_library && spool_dir && spool_dir[0] == '/') {
        dispatcher.spool_dir = spool_dir;
        load_recorder(found->recorder);
    }
}

static void look_for_mpi(void)
{
    static struct found_mpi found;
    pthread_mutex_lock(&lock);
    if (!resolved && dl_iterate_phdr(find_mpi, &found) != 0)
        resolve(&found);
    pthread_mutex_unlock(&lock);
}

const struct recorder *dispatch_recorder(void)
{
    return recorder;
}

function_pointer dispatch_next(const char *name)
{
    look_for_mpi();
    return next(name);
}

/// MPI functions that no library here defines. Only a program that tests for their existence
/// (weak symbols) comes this way: MPI is neither initialised nor finalised, all else fails.
static int flag_is_false(int *flag)
{
    *flag = 0;
    return 0;
}

static int fails(void)
{
    return 16;
}

function_pointer dispatch_missing(const char *name)
{
    if (strcmp(name, "MPI_Initialized") == 0 || strcmp(name, "MPI_Finalized") == 0)
        return (function_pointer)flag_is_false;
    return (function_pointer)fails;
}

/// Target of a call whose slot was not filled yet; called by trampolines.S.
function_pointer dispatch_first_call(unsigned index)
{
    look_for_mpi();
    function_pointer target;
    if (resolved && recorder) {
        // The slot was filled while this call was on its way, or the function does not exist.
        target = __atomic_load_n(&dispatch_slots[index], __ATOMIC_ACQUIRE);
        if (definitions[index])
            return target;
    }
    target = next(names[index]);
    return target ? target : dispatch_missing(names[index]);
}

/// Target of a PMPI_X whose next definition was not looked up yet.
function_pointer dispatch_first_pmpi(unsigned index)
{
    bool was_recording = dispatch_recording;
    look_for_mpi();
    if (!was_recording && dispatch_recording && functions[index] != 0) {
        pagoda_dispatch_thread.via_pmpi = 1;
        return __atomic_load_n(&dispatch_slots[index], __ATOMIC_ACQUIRE);
    }
    function_pointer target = next_pmpi(index);
    if (!target)
        return dispatch_missing(names[index]);
    __atomic_store_n(&dispatch_pmpi_slots[index], target, __ATOMIC_RELEASE);
    return target;
}

/// From now on wrapped functions call the definitions that follow them.
static void find_following(void)
{
    extern struct following __start_following[] __attribute__((visibility("hidden")));
    extern struct following __stop_following[] __attribute__((visibility("hidden")));
    for (struct following *each = __start_following; each != __stop_following; each++)
        dispatch_look_up(each);
}

__attribute__((constructor)) static void start(void)
{
    find_following();
    dispatch_begin_files();
    look_for_mpi();
}

// Called by code compiled with -finstrument-functions.
EXPORTED void __cyg_profile_func_enter(void *function, void *call_site);
EXPORTED void __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    if (recorder)
        recorder->function_enter(function);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    if (recorder)
        recorder->function_leave(function);
}

// ---- dlsym() on the handle of an MPI library would find that library's own definitions and bypass
// a preloaded library; interpreters call MPI so. It is answered with the dispatcher's function, but
// only if that one would forward to what was found: tools that forward to a library of their choice
// get what they asked for. trampolines.S has dlsym() itself, because the C library's needs its
// caller's return address for RTLD_NEXT.

void *dispatch_symbol(void *handle, const char *name);

static void *no_dlsym(void *handle, const char *name)
{
    (void)handle;
    (void)name;
    return NULL;
}

void *(*dispatch_real_dlsym)(void *handle, const char *name);

static void find_real(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0] && !found; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (found)
        memcpy(&dispatch_real_dlsym, &found, sizeof found);
    else
        dispatch_real_dlsym = no_dlsym;
}

void *dispatch_dlsym(void *handle, const char *name)
{
    if (!dispatch_real_dlsym)
        find_real();
    return dispatch_real_dlsym(handle, name);
}

function_pointer dispatch_look_up(struct following *following)
{
    // Those of conditions exist twice on some machines, for programs of before 2003.
    bool has_versions = strncmp(following->name, "pthread_cond_", 13) == 0;
    void *symbol = has_versions ? dlvsym(RTLD_NEXT, following->name, "GLIBC_2.3.2") : NULL;
    if (!symbol)
        symbol = dispatch_dlsym(RTLD_NEXT, following->name);
    if (symbol)
        following->function = to_function(symbol);
    return following->function;
}

static void *own_handle(void)
{
    static void *handle;
    Dl_info here;
    if (!handle && dladdr(&dispatch_real_dlsym, &here) != 0 && here.dli_fname)
        handle = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return handle;
}

static bool may_be_mpi(const char *name)
{
    if (*name == 'P' || *name == 'p')
        name++;
    return strncmp(name, "MPI", 3) == 0 || strncmp(name, "mpi", 3) == 0;
}

/// What dlsym() is to answer instead of looking up `name`; NULL: nothing, look it up.
void *dispatch_symbol(void *handle, const char *name)
{
    if (!dispatch_real_dlsym)
        find_real();
    if (!name || handle == RTLD_NEXT || handle == RTLD_DEFAULT || !may_be_mpi(name))
        return NULL;
    void *own = own_handle() ? dispatch_dlsym(own_handle(), name) : NULL;
    void *found = own ? dispatch_dlsym(handle, name) : NULL;
    if (!found)
        return NULL;
    function_pointer target = dispatch_next_anywhere(name);
    return memcmp(&target, &found, sizeof found) == 0 ? own : NULL;
}
