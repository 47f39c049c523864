// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entry points of MPI: what trampolines.S does around a call of one of them. dispatch.h
// tells what a language entry is.
//
// There are many names (language.awk) of which a program uses few, so nothing is looked up before
// the first call of a name.
#include "tracer/dispatch/dispatch.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const uint16_t c_function[] = {
#define LANGUAGE_ENTRY(name, number, index) index,
#include LANGUAGE_ENTRIES
#undef LANGUAGE_ENTRY
};
enum { n_entries = sizeof c_function / sizeof c_function[0] };

// One text, since an array of pointers would have to be relocated at every start of a process.
static const char names[] = ""
#define LANGUAGE_ENTRY(name, number, index) #name "\0"
#include LANGUAGE_ENTRIES
#undef LANGUAGE_ENTRY
    ;

static function_pointer targets[n_entries]; // NULL: not looked up yet
static bool is_of_program[n_entries];       // a function of the program that only has such a name

/// In two registers.
struct language_call {
    function_pointer target;
    uintptr_t is_recorded; // then dispatch_language_leave() is called after it
};

struct language_call dispatch_language_enter(unsigned number, const void *caller);
void dispatch_language_leave(void);

static const char *name_of(unsigned number)
{
    const char *name = names;
    for (unsigned i = 0; i < number; i++)
        name += strlen(name) + 1;
    return name;
}

/// Libraries whose name speaks of MPI and that are not in the global scope (loaded by dlopen with
/// RTLD_LOCAL, as by Python): a Fortran layer may be among them.
enum { N_LIBRARIES = 32 };

struct libraries {
    char paths[N_LIBRARIES][512];
    int n;
};

static int collect(struct dl_phdr_info *info, size_t size, void *result)
{
    struct libraries *libraries = result;
    const char *file = strrchr(info->dlpi_name, '/');
    (void)size;
    if (file && strstr(file, "mpi") && libraries->n < N_LIBRARIES &&
        strlen(info->dlpi_name) < sizeof libraries->paths[0])
        snprintf(libraries->paths[libraries->n++], sizeof libraries->paths[0], "%s",
                 info->dlpi_name);
    return 0;
}

/// The definition in one of them, OF_MPI: in MPI itself.
static void *find_anywhere(const char *name, bool of_mpi)
{
    struct libraries libraries = {.n = 0};
    dl_iterate_phdr(collect, &libraries);
    void *symbol = NULL;
    for (int i = 0; i < libraries.n && !symbol; i++) {
        void *library = dlopen(libraries.paths[i], RTLD_LAZY | RTLD_NOLOAD);
        symbol = library ? dispatch_dlsym(library, name) : NULL;
        if (of_mpi && symbol && !dispatch_is_foreign(symbol))
            symbol = NULL;
        if (library)
            dlclose(library);
    }
    return symbol;
}

function_pointer dispatch_next_anywhere(const char *name)
{
    function_pointer function = dispatch_next(name);
    return function ? function : to_function(find_anywhere(name, false));
}

/// Also when the target is the first one of MPI that this process calls: then its recorder comes.
/// Where MPI has no such function, as in a program in C, it is the program's own.
static function_pointer look_up(unsigned number)
{
    const char *name = name_of(number);
    function_pointer target = dispatch_next_anywhere(name);
    if (!target)
        return dispatch_missing(name);
    is_of_program[number] =
        !dispatch_is_foreign((const void *)(uintptr_t)target) && !find_anywhere(name, true);
    __atomic_store_n(&targets[number], target, __ATOMIC_RELEASE);
    return target;
}

struct language_call dispatch_language_enter(unsigned number, const void *caller)
{
    const struct dispatch_thread *thread = &pagoda_dispatch_thread;
    struct language_call call = {__atomic_load_n(&targets[number], __ATOMIC_ACQUIRE), 0};
    if (!call.target)
        call.target = look_up(number);
    if (thread->inside != 0 || thread->language != 0 || is_of_program[number])
        return call;
    const struct recorder *recorder = dispatch_recorder();
    uint16_t function = dispatch_function(c_function[number]);
    if (recorder && function != NO_FUNCTION)
        call.is_recorded = recorder->language_enter(function, caller);
    return call;
}

void dispatch_language_leave(void)
{
    dispatch_recorder()->language_leave();
}
