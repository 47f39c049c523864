/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pagoda's annotations for C and C++ programs.
 *
 *     #include <pagoda.h>
 *     pagoda_region_begin("assemble");
 *     ...
 *     pagoda_region_end("assemble");
 *
 *     const char *names[] = {"unknowns", "step"};
 *     double values[] = {n, step};
 *     pagoda_marker("solve", 2, names, values);
 *
 *     pagoda_trace_off();     // nothing is recorded from here
 *     ...
 *     pagoda_trace_on();      // to here
 *
 * Nothing has to be linked: under `pagoda trace` the calls reach the preloaded tracer, otherwise
 * each costs one test. Regions must nest within a thread. Names are copied; they may be temporary.
 * Before glibc 2.34 a program that wants its annotations recorded links with -ldl.
 */
#ifndef PAGODA_H
#define PAGODA_H

#include <dlfcn.h>
#include <stddef.h>

#pragma weak dlsym

/* These functions are no regions of the program, however it is compiled. */
#if defined __GNUC__
#define PAGODA_NOT_TRACED __attribute__((no_instrument_function))
#else
#define PAGODA_NOT_TRACED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the tracer exports as "pagoda_trace_api"; a private matter of this header and the tracer. */
struct pagoda_trace_api {
    int version;
    void (*region_begin)(const char *name);
    void (*region_end)(const char *name);
    void (*marker)(const char *name, int n, const char *const names[], const double values[]);
    /* since version 2 */
    void (*off)(void);
    void (*on)(void);
};

/* The tracer in this process, or NULL. */
PAGODA_NOT_TRACED static inline const struct pagoda_trace_api *pagoda_trace_find(void)
{
    static const struct pagoda_trace_api *api;
    static int looked;
    if (!looked) {
        if (dlsym != NULL)
            api = (const struct pagoda_trace_api *)dlsym(NULL, "pagoda_trace_api");
        looked = 1;
    }
    return api;
}

/* Opens region `name` on the calling thread. */
PAGODA_NOT_TRACED static inline void pagoda_region_begin(const char *name)
{
    const struct pagoda_trace_api *api = pagoda_trace_find();
    if (api != NULL)
        api->region_begin(name);
}

/* Closes region `name`, which must be the one opened last on the calling thread. */
PAGODA_NOT_TRACED static inline void pagoda_region_end(const char *name)
{
    const struct pagoda_trace_api *api = pagoda_trace_find();
    if (api != NULL)
        api->region_end(name);
}

/* Marks a moment of the run: `n` numeric parameters with their names (n may be 0). */
PAGODA_NOT_TRACED static inline void pagoda_marker(const char *name, int n,
                                                   const char *const names[], const double values[])
{
    const struct pagoda_trace_api *api = pagoda_trace_find();
    if (api != NULL)
        api->marker(name, n, names, values);
}

/* Nothing this process does from now on is recorded. All processes should switch at the same place
   of the program. */
PAGODA_NOT_TRACED static inline void pagoda_trace_off(void)
{
    const struct pagoda_trace_api *api = pagoda_trace_find();
    if (api != NULL && api->version >= 2)
        api->off();
}

/* Recording goes on. */
PAGODA_NOT_TRACED static inline void pagoda_trace_on(void)
{
    const struct pagoda_trace_api *api = pagoda_trace_find();
    if (api != NULL && api->version >= 2)
        api->on();
}

#ifdef __cplusplus
}
#endif

#endif
