// SPDX-License-Identifier: BSD-3-Clause
// fuzz [-s SEED] [-n CASES] [-w DIRECTORY] [KIND...]: gives all that Pagoda reads to its readers:
// the seeds of each kind of input as they are, and CASES of them spoiled at random. A reader that
// refuses an input must say why; the rest is for the sanitizers. The same SEED makes the same
// cases. With -w the seeds are only written, as DIRECTORY/KIND/N. `make fuzz` links libFuzzer
// instead of main(), which then gives inputs to the kind $FUZZ_KIND (CONTRIBUTING.md).
//
// Seeds are files of what the kind makes, those that come with Pagoda, and tests/fuzz/corpus/KIND*:
// whole files, or a text in each line.
#include "tests/fuzz/fuzz.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/spoil.h"

// OTF2 asks for as much memory as a spoiled count says; sanitizers are to refuse, not to give up.
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/// Where the inputs of a kind are put.
struct place {
    char *folder, *file; // the file, in it
    char *made;          // by the kind, with the file; NULL: nothing
};

static void place_make(struct place *place, const struct fuzz_kind *kind)
{
    place->folder = scratch_directory();
    place->made = kind->make ? memory_format("%s/run", place->folder) : NULL;
    if (place->made)
        kind->make(place->made);
    place->file = place->made ? memory_format("%s/%s", place->made, kind->in_made)
                              : memory_format("%s/input", place->folder);
}

/// Gives SIZE_BYTES of TEXT to the reader of KIND.
static void read_text(const struct fuzz_kind *kind, const struct place *place, const char *text,
                      size_t size_bytes)
{
    struct error err = {{0}};
    SCOPED char *copy = memory_zeroed(size_bytes + 1, 1);
    if (size_bytes > 0)
        memcpy(copy, text, size_bytes);
    if (!kind->has_lines)
        scratch_write(place->file, text, size_bytes);
    if (kind->read(place->made ? place->made : place->file, copy, &err) != 0 && !*err.text) {
        fprintf(stderr, "fuzz: %s: refused without a reason, or not as promised: %.*s\n",
                kind->name, (int)size_bytes, text);
        abort();
    }
}

#ifdef LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const struct fuzz_kind *kind;
    static struct place place;
    const char *name = getenv("FUZZ_KIND");
    if (!kind) {
        for (kind = fuzz_kinds; kind->name && strcmp(kind->name, name ? name : "") != 0;)
            kind++;
        if (!kind->name)
            abort();
        place_make(&place, kind);
    }
    read_text(kind, &place, (const char *)data, size_bytes);
    return 0;
}

#else

struct seeds {
    struct seed {
        char *text;
        size_t size_bytes;
    } * items;
    size_t n, capacity;
};

static void add_seeds(struct seeds *seeds, const struct fuzz_kind *kind, const char *pattern)
{
    glob_t found;
    if (!pattern || glob(pattern, GLOB_BRACE, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size_bytes;
        char *text = scratch_read(found.gl_pathv[i], &size_bytes), *rest = text, *line;
        if (!kind->has_lines)
            *ARRAY_NEXT(seeds->items, seeds->n, seeds->capacity) = (struct seed){text, size_bytes};
        for (; kind->has_lines && (line = strsep(&rest, "\n")) && rest;)
            *ARRAY_NEXT(seeds->items, seeds->n, seeds->capacity) =
                (struct seed){memory_copy_text(line), strlen(line)};
        if (kind->has_lines)
            free(text);
    }
    globfree(&found);
}

static struct seeds seeds_of(const struct fuzz_kind *kind, const struct place *place)
{
    struct seeds seeds = {0};
    SCOPED char *corpus = memory_format("tests/fuzz/corpus/%s{,-*}", kind->name);
    SCOPED char *made = memory_format("%s{,-*}", place->file);
    add_seeds(&seeds, kind, kind->make ? made : kind->shared);
    add_seeds(&seeds, kind, corpus);
    return seeds;
}

static void write_seeds(const struct seeds *seeds, const char *directory, const char *kind)
{
    SCOPED char *folder = memory_format("%s/%s", directory, kind);
    mkdir(directory, 0777);
    mkdir(folder, 0777);
    for (size_t i = 0; i < seeds->n; i++) {
        SCOPED char *path = memory_format("%s/%zu", folder, i);
        scratch_write(path, seeds->items[i].text, seeds->items[i].size_bytes);
    }
}

static void read_seeds(const struct seeds *seeds, const struct fuzz_kind *kind,
                       const struct place *place, unsigned n_cases)
{
    for (size_t i = 0; i < seeds->n; i++)
        read_text(kind, place, seeds->items[i].text, seeds->items[i].size_bytes);
    for (unsigned i = 0; i < n_cases; i++) {
        const struct seed *seed = &seeds->items[spoil_random((uint32_t)seeds->n)];
        size_t size_bytes = seed->size_bytes;
        SCOPED char *text = spoil(seed->text, &size_bytes);
        read_text(kind, place, text, size_bytes);
    }
}

static bool is_asked(const char *kind, int n, char **names)
{
    bool is_asked = n == 0;
    for (int i = 0; i < n; i++)
        is_asked = is_asked || strcmp(names[i], kind) == 0;
    return is_asked;
}

int main(int argc, char **argv)
{
    unsigned n_cases = 1000;
    uint64_t seed = 1;
    const char *directory = NULL;
    for (int option; (option = getopt(argc, argv, "s:n:w:")) != -1;) {
        if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else if (option == 'n')
            n_cases = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'w')
            directory = optarg;
        else
            return 2;
    }
    for (const struct fuzz_kind *kind = fuzz_kinds; kind->name; kind++) {
        if (!is_asked(kind->name, argc - optind, argv + optind))
            continue;
        struct place place;
        place_make(&place, kind);
        struct seeds seeds = seeds_of(kind, &place);
        spoil_begin(seed);
        if (directory)
            write_seeds(&seeds, directory, kind->name);
        else if (seeds.n > 0)
            read_seeds(&seeds, kind, &place, n_cases);
        printf("%s: %zu seeds, %u cases\n", kind->name, seeds.n, directory ? 0 : n_cases);
        fflush(stdout);
        FREE_MEMBERS(seeds.items, seeds.n, text);
        free(seeds.items);
        scratch_remove(place.folder);
        FREE_ALL(place.made, place.file);
    }
    return 0;
}

#endif
