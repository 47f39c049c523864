// SPDX-License-Identifier: BSD-3-Clause
// MPI functions that a program looks up by itself: dlsym() on the handle of an MPI library finds
// that library's own definitions and goes past a preloaded library. Interpreters call MPI so. What
// they look up is therefore answered with the dispatcher's function of that name, but only if that
// one would forward to what was found: tools that forward to a library of their choice get what
// they asked for.
//
// trampolines.S holds dlsym() itself, which jumps on to the C library's: that one tells by its
// return address what RTLD_NEXT means.
#include "tracer/dispatch.h"

#include <dlfcn.h>
#include <string.h>

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

    for (size_t i = 0; i < sizeof versions / sizeof versions[0] && found == NULL; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (found != NULL)
        memcpy(&dispatch_real_dlsym, &found, sizeof found);
    else
        dispatch_real_dlsym = no_dlsym;
}

void *dispatch_dlsym(void *handle, const char *name)
{
    if (dispatch_real_dlsym == NULL)
        find_real();
    return dispatch_real_dlsym(handle, name);
}

static void *own_handle(void)
{
    static void *handle;
    Dl_info here;

    if (handle == NULL && dladdr(&dispatch_real_dlsym, &here) != 0 && here.dli_fname != NULL)
        handle = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return handle;
}

static bool may_be_mpi(const char *name)
{
    if (*name == 'P' || *name == 'p')
        name++;
    return strncmp(name, "MPI", 3) == 0 || strncmp(name, "mpi", 3) == 0;
}

// What dlsym() is to answer instead of looking up `name`; NULL: nothing, look it up.
void *dispatch_symbol(void *handle, const char *name)
{
    void *own;
    void *found;
    function_pointer next;

    if (dispatch_real_dlsym == NULL)
        find_real();
    if (name == NULL || handle == RTLD_NEXT || handle == RTLD_DEFAULT || !may_be_mpi(name))
        return NULL;
    own = own_handle() != NULL ? dispatch_dlsym(own_handle(), name) : NULL;
    found = own != NULL ? dispatch_dlsym(handle, name) : NULL;
    if (found == NULL)
        return NULL;
    next = dispatch_next_anywhere(name);
    return memcmp(&next, &found, sizeof found) == 0 ? own : NULL;
}
