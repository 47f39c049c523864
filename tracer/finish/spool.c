// SPDX-License-Identifier: BSD-3-Clause
// Reading of spool files, see tracer/record.h for the format.
#include "tracer/finish/spool.h"

#include "tracer/finish/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_spool_name(const char *name)
{
    size_t length = strlen(name);
    size_t suffix = strlen(SPOOL_SUFFIX);

    return length > suffix && strcmp(name + length - suffix, SPOOL_SUFFIX) == 0;
}

static bool map_file(struct spool *spool, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *bytes = MAP_FAILED;

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && status.st_size >= SPOOL_HEADER_BYTES)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    spool->bytes = bytes;
    spool->n_bytes = (size_t)status.st_size;
    spool->header = bytes;
    if (memcmp(spool->header->magic, SPOOL_MAGIC, sizeof spool->header->magic) != 0 ||
        spool->header->version != SPOOL_VERSION || spool->header->chunk_bytes == 0 ||
        spool->header->rank >= spool->header->n_ranks) {
        munmap(bytes, spool->n_bytes);
        return false;
    }
    spool->path = strdup_or_die(path);
    return true;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_run_rank_thread(const void *a, const void *b)
{
    const struct spool_header *left = ((const struct spool *)a)->header;
    const struct spool_header *right = ((const struct spool *)b)->header;
    int order = compare(left->run_id, right->run_id);

    if (order == 0)
        order = compare(left->rank, right->rank);
    return order != 0 ? order : compare(left->thread, right->thread);
}

int spool_set_load(struct spool_set *set, const char *dir)
{
    DIR *folder = opendir(dir);
    const struct dirent *entry;

    *set = (struct spool_set){0};
    if (folder == NULL)
        return errno;
    while ((entry = readdir(folder)) != NULL) {
        char *path;

        if (!is_spool_name(entry->d_name))
            continue;
        path = format_or_die("%s/%s", dir, entry->d_name);
        set->spools = realloc_or_die(set->spools, (set->n + 1) * sizeof *set->spools);
        if (map_file(&set->spools[set->n], path))
            set->n++;
        else
            set->n_unreadable++;
        free(path);
    }
    closedir(folder);
    if (set->n > 0)
        qsort(set->spools, set->n, sizeof *set->spools, by_run_rank_thread);
    return 0;
}

void spool_set_release(struct spool_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        munmap((void *)(uintptr_t)set->spools[i].bytes, set->spools[i].n_bytes);
        free(set->spools[i].path);
    }
    free(set->spools);
    *set = (struct spool_set){0};
}

void spool_set_remove(const struct spool_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        unlink(set->spools[i].path);
}

static const struct record_head *record_at(const struct spool *spool, size_t offset)
{
    size_t chunk_bytes = spool->header->chunk_bytes;
    size_t in_chunk = (offset - SPOOL_HEADER_BYTES) % chunk_bytes;
    const struct record_head *head;

    // Less room than a head at the end of a chunk cannot be: records are whole words.
    if (offset + sizeof *head > spool->n_bytes)
        return NULL;
    head = (const void *)(spool->bytes + offset);
    if (head->kind == RECORD_PAD)
        return record_at(spool, offset - in_chunk + chunk_bytes);
    if (head->kind == RECORD_END || head->kind >= N_RECORD_KINDS || head->n_words == 0 ||
        offset + (size_t)head->n_words * 8 > spool->n_bytes)
        return NULL;
    return head;
}

const struct record_head *spool_next(const struct spool *spool, const struct record_head *record)
{
    size_t offset = SPOOL_HEADER_BYTES;

    if (record != NULL)
        offset = (size_t)((const uint8_t *)record - spool->bytes) + (size_t)record->n_words * 8;
    return record_at(spool, offset);
}
