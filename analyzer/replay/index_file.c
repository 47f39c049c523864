// SPDX-License-Identifier: BSD-3-Clause
// The file: a magic number, the checksum of all that follows, the mark of the
// archive and the program, the index. It is written under another name first, so that it is never
// seen in part.
#include "analyzer/replay/interval.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/checksum.h"
#include "analyzer/base/cleanup.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/archive.h"

enum { HEADER_BYTES = 24, N_PLACES = 2 };
static const uint64_t MAGIC = UINT64_C(0x3278646e69676470); // "pgdindx2"

// --- checksums of files

/// Adds size and change time (ctime) of a file, if it is there. No program can set a ctime, so an
/// archive cannot bring an index with it.
static uint64_t checksum_file(uint64_t sum, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return checksum_mix(sum, 0);
    sum = checksum_mix(sum, 1 + (uint64_t)status.st_size);
    sum = checksum_mix(sum, (uint64_t)status.st_ctim.tv_sec);
    return checksum_mix(sum, (uint64_t)status.st_ctim.tv_nsec);
}

static uint64_t checksum_and_free(uint64_t sum, char *path)
{
    sum = checksum_file(sum, path);
    free(path);
    return sum;
}

uint64_t index_file_mark(const struct trace *trace)
{
    const struct definitions *definitions = trace_definitions(trace);
    const char *anchor = trace_path(trace);
    uint64_t mark = checksum_bytes(0, PAGODA_VERSION, sizeof PAGODA_VERSION);
    mark = checksum_file(mark, "/proc/self/exe");
    mark = checksum_file(mark, anchor);
    mark = checksum_and_free(mark, archive_file_path(anchor, ".def"));
    for (size_t i = 0; i < definitions->n_locations; i++) {
        uint64_t id = definitions->locations[i].id;
        mark = checksum_mix(mark, id);
        mark = checksum_and_free(mark, archive_file_path(anchor, "/%" PRIu64 ".evt", id));
        mark = checksum_and_free(mark, archive_file_path(anchor, "/%" PRIu64 ".def", id));
    }
    return mark;
}

// --- where it may be

/// The folder of the user's cache that is ours; to be freed, NULL without.
static char *cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return memory_format("%s/pagoda", cache);
    return home && home[0] == '/' ? memory_format("%s/.cache/pagoda", home) : NULL;
}

/// Where the index of TRACE may be, best first; to be freed.
static void find_places(const struct trace *trace, char *places[N_PLACES])
{
    const char *anchor = trace_path(trace);
    SCOPED char *folder = cache_folder();
    SCOPED char *whole = realpath(anchor, NULL);
    places[0] = archive_file_path(anchor, ".pagoda-index");
    places[1] = NULL;
    if (folder && whole)
        places[1] = memory_format("%s/%016" PRIx64 ".pagoda-index", folder,
                                  checksum_bytes(0, whole, strlen(whole)));
}

static void free_places(char *places[N_PLACES])
{
    for (size_t i = 0; i < N_PLACES; i++)
        free(places[i]);
}

// --- reading

/// All of FILE, if it is ours; to be freed. NULL: it is not, or cannot be read.
static unsigned char *read_all(FILE *file, size_t *n)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid() || status.st_size < HEADER_BYTES)
        return NULL;
    *n = (size_t)status.st_size;
    unsigned char *bytes = memory_new(*n);
    if (fread(bytes, 1, *n, file) == *n)
        return bytes;
    free(bytes);
    return NULL;
}

static uint64_t number_at(const unsigned char *bytes, size_t place)
{
    uint64_t number;
    memcpy(&number, bytes + place * sizeof number, sizeof number);
    return number;
}

static struct pag_index *read_index(unsigned char *bytes, size_t n, size_t n_locations,
                                    const struct pag_index_settings *settings)
{
    if (number_at(bytes, 1) != checksum_bytes(0, bytes + 16, n - 16))
        return NULL;
    struct pag_index *index = pag_index_new(settings);
    struct numbers numbers = numbers_of(bytes + HEADER_BYTES, n - HEADER_BYTES);
    pag_index_pass(index, n_locations, &numbers);
    if (index->is_complete && numbers.at == numbers.n) {
        index->file = numbers_of(bytes, n);
        return index;
    }
    pag_index_free(index);
    return NULL;
}

static struct pag_index *read_file(const char *path, const struct trace *trace, uint64_t mark,
                                   const struct pag_index_settings *settings)
{
    SCOPED_FILE FILE *file = fopen(path, "rbe");
    struct pag_index *index = NULL;
    size_t n = 0;
    if (!file)
        return NULL;
    unsigned char *bytes = read_all(file, &n);
    if (bytes && number_at(bytes, 0) == MAGIC && number_at(bytes, 2) == mark) {
        index = read_index(bytes, n, trace_definitions(trace)->n_locations, settings);
        if (!index)
            log_warning("the index %s is damaged: the whole run is replayed", path);
    }
    if (!index)
        free(bytes);
    return index;
}

struct pag_index *index_file_read(const struct trace *trace, uint64_t mark,
                                  const struct pag_index_settings *settings)
{
    char *places[N_PLACES];
    struct pag_index *index = NULL;
    find_places(trace, places);
    for (size_t i = 0; i < N_PLACES && !index; i++)
        index = places[i] ? read_file(places[i], trace, mark, settings) : NULL;
    free_places(places);
    return index;
}

// --- writing

static bool write_file(const char *path, const uint64_t *header, const struct numbers *numbers)
{
    SCOPED char *other = memory_format("%s.XXXXXX", path);
    int descriptor = mkstemp(other);
    if (descriptor >= 0)
        scratch_path_begin(other);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool is_written = file && fwrite(header, 1, HEADER_BYTES, file) == HEADER_BYTES &&
                      fwrite(numbers->bytes, 1, numbers->n, file) == numbers->n;
    if (file)
        is_written = fclose(file) == 0 && is_written;
    else if (descriptor >= 0)
        close(descriptor);
    is_written = is_written && rename(other, path) == 0;
    if (descriptor >= 0)
        scratch_path_end(other);
    return is_written;
}

/// Makes the folder of PATH, which is in the user's cache.
static void make_folder(const char *path)
{
    SCOPED char *folder = memory_copy_text(path);
    for (int levels = 0; levels < 2 && strrchr(folder, '/'); levels++)
        *strrchr(folder, '/') = '\0';
    mkdir(folder, S_IRWXU); // the cache itself
    strcpy(folder, path);
    *strrchr(folder, '/') = '\0';
    mkdir(folder, S_IRWXU);
}

void index_file_write(const struct trace *trace, uint64_t mark, struct pag_index *index)
{
    char *places[N_PLACES];
    SCOPED_BY(numbers_release) struct numbers numbers = {0};
    if (index_file_mark(trace) != mark)
        return;
    pag_index_pass(index, index->run.n_locations, &numbers);
    uint64_t header[HEADER_BYTES / sizeof(uint64_t)] = {MAGIC, 0, mark};
    unsigned char *followed = memory_new(sizeof header[2] + numbers.n);
    memcpy(followed, &header[2], sizeof header[2]);
    memcpy(followed + sizeof header[2], numbers.bytes, numbers.n);
    header[1] = checksum_bytes(0, followed, sizeof header[2] + numbers.n);
    free(followed);
    find_places(trace, places);
    if (!write_file(places[0], header, &numbers) && places[1]) {
        make_folder(places[1]);
        write_file(places[1], header, &numbers);
    }
    free_places(places);
}
