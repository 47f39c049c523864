// SPDX-License-Identifier: BSD-3-Clause
// The preloaded library: stands in front of every MPI function of every MPI known at build time
// and sends the calls to the recorder built for the MPI that this process really uses.
//
// Why so: handles, constants and structures differ between MPIs, so whatever looks at arguments
// must be compiled against one MPI's mpi.h; but which MPI it is can only be told inside the process
// (a launch line may hold scripts, env, taskset). A library that is dlopen()ed does not interpose,
// therefore the preloaded one exports the names and needs no signature: each MPI function is a jump
// through a slot (trampolines.S). The constructor looks at the libraries already loaded; if an MPI
// is among them, libpagoda-<mpi>.so from this library's own folder fills the slots. Where MPI
// comes later (dlopen, Python), the first MPI call does the same. Without an MPI, without a
// recorder for it, or without PAGODA_SPOOL in the environment the slots get the next definition
// and nothing else happens. This library links no MPI and nothing but libc.
#include "tracer/dispatch.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static const char *const names[] = {
#define ENTRY(name, index) #name,
#include ENTRIES
#undef ENTRY
};
enum { n_names = sizeof names / sizeof names[0] };

// Known MPI libraries: start of the file name, recorder's name.
static const struct {
    const char *library;
    const char *recorder;
} known_mpis[] = {
    {"libmpi.so.40", "openmpi"},
    {"libmpich.so.12", "mpich"},
    {"libmpi.so.12", "mpich"},
};

extern function_pointer dispatch_slots[];
function_pointer dispatch_first_call(unsigned index);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool resolved;
static void *mpi_library;
static const struct recorder *recorder;

// Exported data, found by pagoda.h with dlsym(); calls go nowhere until a recorder is attached.
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

EXPORTED struct pagoda_trace_api pagoda_trace_api = {
    .version = 1, .region_begin = no_region, .region_end = no_region, .marker = no_marker};

static function_pointer to_function(void *symbol)
{
    function_pointer function;

    memcpy(&function, &symbol, sizeof function);
    return function;
}

static function_pointer next(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol == NULL && mpi_library != NULL)
        symbol = dlsym(mpi_library, name);
    return to_function(symbol);
}

static int index_of(const char *name)
{
    int low = 0;
    int high = n_names;

    while (low < high) {
        int middle = (low + high) / 2;
        int order = strcmp(names[middle], name);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static void publish(const char *name, function_pointer wrapper)
{
    int index = index_of(name);

    if (index >= 0)
        __atomic_store_n(&dispatch_slots[index], wrapper, __ATOMIC_RELEASE);
}

static struct dispatcher dispatcher = {
    .version = DISPATCH_VERSION, .next = next, .publish = publish};

struct found_mpi {
    char path[4096];
    const char *recorder;
};

static int find_mpi(struct dl_phdr_info *info, size_t size, void *result)
{
    struct found_mpi *found = result;
    const char *path = info->dlpi_name;
    const char *name = strrchr(path, '/');

    (void)size;
    name = name != NULL ? name + 1 : path;
    for (size_t i = 0; i < sizeof known_mpis / sizeof known_mpis[0]; i++) {
        if (strncmp(name, known_mpis[i].library, strlen(known_mpis[i].library)) == 0) {
            snprintf(found->path, sizeof found->path, "%s", path);
            found->recorder = known_mpis[i].recorder;
            return 1;
        }
    }
    return 0;
}

// The recorder library stands beside this one; a process whose recorder is missing runs untraced.
static void load_recorder(const char *name)
{
    Dl_info here;
    char path[4200];
    char folder[4096];
    void *library;
    recorder_attach attach;

    if (dladdr(&pagoda_trace_api, &here) == 0 || here.dli_fname == NULL)
        return;
    snprintf(folder, sizeof folder, "%s", here.dli_fname);
    if (strrchr(folder, '/') == NULL)
        return;
    *strrchr(folder, '/') = '\0';
    snprintf(path, sizeof path, "%s/libpagoda-%s.so", folder, name);
    library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL)
        return;
    attach = (recorder_attach)to_function(dlsym(library, "pagoda_recorder_attach"));
    recorder = attach != NULL ? attach(&dispatcher) : NULL;
    if (recorder != NULL)
        pagoda_trace_api = recorder->api;
}

// Fills the slots once an MPI is there. With the lock held.
static void resolve(const struct found_mpi *found)
{
    const char *spool_dir = getenv("PAGODA_SPOOL");

    // Global scope, so that the recorder's PMPI_ calls find a library loaded with RTLD_LOCAL.
    mpi_library = dlopen(found->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    resolved = true;
    for (int i = 0; i < n_names; i++) {
        function_pointer function = next(names[i]);

        if (function != NULL)
            __atomic_store_n(&dispatch_slots[i], function, __ATOMIC_RELEASE);
    }
    if (mpi_library != NULL && spool_dir != NULL && spool_dir[0] == '/') {
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

// MPI functions that no library here defines. Only a program that tests for their existence
// (weak symbols) comes this way: MPI is neither initialised nor finalised, all else fails.
static int flag_is_false(int *flag)
{
    *flag = 0;
    return 0;
}

static int fails(void)
{
    return 16;
}

// Target of a call whose slot was not filled yet; called by trampolines.S.
function_pointer dispatch_first_call(unsigned index)
{
    function_pointer target;

    look_for_mpi();
    if (resolved && recorder != NULL) {
        // The slot was filled while this call was on its way, or the function does not exist.
        target = __atomic_load_n(&dispatch_slots[index], __ATOMIC_ACQUIRE);
        if (next(names[index]) != NULL)
            return target;
    }
    target = next(names[index]);
    if (target != NULL)
        return target;
    if (strcmp(names[index], "MPI_Initialized") == 0 || strcmp(names[index], "MPI_Finalized") == 0)
        return (function_pointer)flag_is_false;
    return (function_pointer)fails;
}

__attribute__((constructor)) static void start(void)
{
    look_for_mpi();
}

// Called by code compiled with -finstrument-functions.
EXPORTED void __cyg_profile_func_enter(void *function, void *call_site);
EXPORTED void __cyg_profile_func_exit(void *function, void *call_site);

void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    if (recorder != NULL)
        recorder->function_enter(function);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    if (recorder != NULL)
        recorder->function_leave(function);
}
