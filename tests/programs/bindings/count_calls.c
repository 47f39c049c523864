// SPDX-License-Identifier: BSD-3-Clause
// Preloaded instead of the tracer: counts the calls of each MPI function of C, in
// $COUNT_CALLS.<process> when the process ends, one "NAME COUNT" a line. No function of MPI takes
// more than 16 arguments, nor anything but integers and pointers; what does not exist is not read.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef long word;
typedef word (*function)(word, word, word, word, word, word, word, word, word, word, word, word,
                         word, word, word, word);

enum number {
#define ENTRY(name, index) NUMBER_##name,
#include COUNTED
#undef ENTRY
    N_FUNCTIONS
};

static const char *const names[] = {
#define ENTRY(name, index) #name,
#include COUNTED
#undef ENTRY
};

static __thread int depth; // callbacks may call MPI again: that belongs to the call they are in
static unsigned long counts[N_FUNCTIONS];
static function targets[N_FUNCTIONS];

static function look_up(enum number number)
{
    static const char *const libraries[] = {"libmpi.so.40", "libmpich.so.12"};
    void *symbol = dlsym(RTLD_NEXT, names[number]);

    for (int i = 0; i < 2 && symbol == NULL; i++) { // not in the global scope
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

        if (library != NULL)
            symbol = dlsym(library, names[number]);
    }
    if (symbol == NULL) {
        fprintf(stderr, "count_calls: no %s\n", names[number]);
        abort();
    }
    *(void **)&targets[number] = symbol;
    return targets[number];
}

#define ENTRY(name, index)                                                                         \
    word name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j,      \
              word k, word l, word m, word n, word o, word p);                                     \
    word name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j,      \
              word k, word l, word m, word n, word o, word p)                                      \
    {                                                                                              \
        function target = targets[NUMBER_##name];                                                  \
        word result;                                                                               \
        counts[NUMBER_##name] += depth == 0;                                                       \
        if (target == NULL)                                                                        \
            target = look_up(NUMBER_##name);                                                       \
        depth++;                                                                                   \
        result = target(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                           \
        depth--;                                                                                   \
        return result;                                                                             \
    }
#include COUNTED

__attribute__((destructor)) static void write_counts(void)
{
    char path[4096];
    const char *start = getenv("COUNT_CALLS");
    FILE *file = NULL;

    if (start == NULL)
        return;
    for (int i = 0; i < N_FUNCTIONS; i++) {
        if (counts[i] == 0)
            continue;
        snprintf(path, sizeof path, "%s.%d", start, (int)getpid());
        if (file == NULL && (file = fopen(path, "w")) == NULL)
            return;
        fprintf(file, "%s %lu\n", names[i], counts[i]);
    }
    if (file != NULL)
        fclose(file);
}
