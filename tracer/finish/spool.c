// SPDX-License-Identifier: BSD-3-Clause
// Reading of spool files, see tracer/record/record.h for the format.
#include "tracer/finish/spool.h"

#include "tracer/finish/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_RANKS (1U << 24)

static bool is_spool_name(const char *name)
{
    size_t length = strlen(name);
    size_t suffix = strlen(SPOOL_SUFFIX);
    return length > suffix && strcmp(name + length - suffix, SPOOL_SUFFIX) == 0;
}

static bool is_spool_header(const struct spool_header *header)
{
    return memcmp(header->magic, SPOOL_MAGIC, sizeof header->magic) == 0 &&
           header->version == SPOOL_VERSION && header->chunk_bytes >= 4096 &&
           header->chunk_bytes % 4096 == 0 && header->rank < header->n_ranks &&
           header->n_ranks <= MOST_RANKS && header->n_clock_offsets <= 2 &&
           memchr(header->host, 0, sizeof header->host) &&
           memchr(header->clock_domain, 0, sizeof header->clock_domain) &&
           memchr(header->mpi, 0, sizeof header->mpi) &&
           memchr(header->mpi_version, 0, sizeof header->mpi_version) &&
           memchr(header->executable, 0, sizeof header->executable) &&
           memchr(header->command, 0, sizeof header->command) &&
           memchr(header->counter_notes, 0, sizeof header->counter_notes);
}

/// A process that ends while one of its threads opens its file leaves it without a header, and
/// nothing was recorded there.
static bool map_opened(struct spool *spool, int fd, struct spool_header *header, bool *unbegun)
{
    ssize_t n = pread(fd, header, sizeof *header, 0);
    *unbegun = n >= 0 && header->magic[0] == '\0';
    struct stat status;
    if (n != (ssize_t)sizeof *header || !is_spool_header(header) || fstat(fd, &status) != 0 ||
        !S_ISREG(status.st_mode) || status.st_size < SPOOL_HEADER_BYTES)
        return false;
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    spool->bytes = bytes;
    spool->n_bytes = (size_t)status.st_size;
    spool->header = header;
    return true;
}

static bool map_file(struct spool *spool, const char *path, bool *unbegun)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct spool_header *header = alloc_or_die(sizeof *header);
    bool done = fd >= 0 && map_opened(spool, fd, header, unbegun);
    if (fd >= 0)
        close(fd);
    if (done)
        spool->path = strdup_or_die(path);
    else
        free(header);
    return done;
}

bool spool_set_holds(const struct spool_set *set, const void *address)
{
    const uint8_t *at = address;
    for (size_t i = 0; i < set->n; i++)
        if (at >= set->spools[i].bytes && at < set->spools[i].bytes + set->spools[i].n_bytes)
            return true;
    return false;
}

const char *spool_stop_reason(const struct spool_header *header)
{
    if (header->stop_errno == SPOOL_STOPPED_BY_LOSS)
        return "its file of records was cut";
    return header->stop_errno == SPOOL_STOPPED_AT_LIMIT ? "max_bytes is reached"
                                                        : strerror(header->stop_errno);
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
    *set = (struct spool_set){0};
    if (!folder)
        return errno;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (!is_spool_name(entry->d_name))
            continue;
        char *path = format_or_die("%s/%s", dir, entry->d_name);
        set->spools = realloc_or_die(set->spools, (set->n + 1) * sizeof *set->spools);
        bool unbegun = false;
        if (map_file(&set->spools[set->n], path, &unbegun)) {
            set->n++;
        } else if (unbegun) {
            APPEND(set->unbegun, set->n_unbegun, path);
            continue;
        } else {
            set->n_unreadable++;
        }
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
        free(set->spools[i].header);
        free(set->spools[i].path);
    }
    for (size_t i = 0; i < set->n_unbegun; i++)
        free(set->unbegun[i]);
    free(set->spools);
    free(set->unbegun);
    *set = (struct spool_set){0};
}

void spool_set_remove(const struct spool_set *set)
{
    for (size_t i = 0; i < set->n; i++)
        unlink(set->spools[i].path);
    for (size_t i = 0; i < set->n_unbegun; i++)
        unlink(set->unbegun[i]);
}

// What a record of each kind has at least.
static const uint16_t least_bytes[N_RECORD_KINDS] = {
#define KIND(name, structure) [name] = sizeof(struct structure),
    RECORD_KINDS
#undef KIND
};

// Numbers of names, communicators and the like above these are damage: tables of that size would be
// made.
#define MOST_NAMES  65536
#define MOST_COMMS  (1U << 26)
#define MOST_STACKS (1U << 24)
#define MOST_LINES  (1U << 16)
#define MOST_FILES  (1U << 26)

#define ATOMIC_TYPES 8 // of OTF2

/// How many ranks a communicator's record lists: all wherever somebody reads the remote group.
static uint64_t n_listed(const struct record_comm *comm)
{
    bool is_plain = (comm->flags & (RECORD_COMM_INTER | RECORD_COMM_FOREIGN)) == 0;
    if (is_plain && (comm->flags & RECORD_COMM_AS_PARENT) != 0)
        return 0;
    if (is_plain && (comm->flags & RECORD_COMM_REGULAR) != 0)
        return 2;
    return (uint64_t)comm->n_local + comm->n_remote;
}

/// Of a regular communicator two members say all: are they ranks of the world, up to the last one?
static bool has_regular_members(const struct record_comm *comm, uint32_t n_ranks)
{
    int64_t first = comm->members[0], step = (int64_t)comm->members[1] - first;
    int64_t last = first + (comm->n_local - 1) * step;
    return comm->n_local <= n_ranks && first >= 0 && first < n_ranks && last >= 0 && last < n_ranks;
}

/// Does the record, of a world of N_RANKS, keep within its own length? A damaged file must not lead
/// astray.
static bool is_sound(const struct record_head *head, uint32_t n_ranks)
{
    size_t n_bytes = (size_t)head->n_words * 8;
    const struct record_comm *comm = (const void *)head;
    const struct record_marker *marker = (const void *)head;
    const struct record_epoch *epoch = (const void *)head;
    if (head->kind >= N_RECORD_KINDS || n_bytes < least_bytes[head->kind])
        return false;
    bool has_more = n_bytes > least_bytes[head->kind];
    bool ends_in_text = has_more && ((const char *)head)[n_bytes - 1] == '\0';
    switch ((enum record_kind)head->kind) {
    case RECORD_FUNCTION:
    case RECORD_NAME:
    case RECORD_COMM_NAME:
    case RECORD_CONNECTION:
    case RECORD_VARIABLE:
    case RECORD_MODULE:
        return ends_in_text && (head->kind != RECORD_NAME || head->id < MOST_NAMES);
    case RECORD_FILE:
        return ends_in_text && head->id < MOST_FILES;
    case RECORD_COMM:
        return head->id < MOST_COMMS && comm->n_local > 0 &&
               ((comm->flags & RECORD_COMM_INTER) == 0 || comm->n_remote > 0) &&
               ((comm->flags & RECORD_COMM_FOREIGN) == 0 || comm->foreign < RECORD_FOREIGN_SLOTS) &&
               n_listed(comm) * sizeof comm->members[0] <= n_bytes - sizeof *comm &&
               ((comm->flags & RECORD_COMM_REGULAR) == 0 ||
                (comm->flags & RECORD_COMM_AS_PARENT) != 0 || has_regular_members(comm, n_ranks));
    case RECORD_EPOCH:
        return epoch->n * sizeof epoch->members[0] <= n_bytes - sizeof *epoch;
    case RECORD_ACCESS:
        return ((const struct record_access *)head)->operation < RECORD_ATOMIC + ATOMIC_TYPES;
    case RECORD_LINE:
        return ends_in_text && head->id > 0 && head->id <= MOST_LINES &&
               ((const struct record_line *)head)->caller < head->id;
    case RECORD_STACK:
        return has_more && head->id < MOST_STACKS;
    case RECORD_MARKER:
        return marker->n * sizeof marker->parameters[0] <= n_bytes - sizeof *marker;
    default:
        return true;
    }
}

/// The file is read from the front several times: a chunk that is left need not stay in memory.
static void forget_chunk_before(const struct spool *spool, size_t offset)
{
    size_t chunk_bytes = spool->header->chunk_bytes;
    if ((offset - SPOOL_HEADER_BYTES) % chunk_bytes == 0 && offset > SPOOL_HEADER_BYTES)
        madvise((void *)(uintptr_t)(spool->bytes + offset - chunk_bytes), chunk_bytes,
                MADV_DONTNEED);
}

static const struct record_head *record_at(const struct spool *spool, size_t offset)
{
    size_t chunk_bytes = spool->header->chunk_bytes;
    const struct record_head *head;
    for (;;) {
        if (offset + sizeof *head > spool->n_bytes)
            return NULL;
        head = (const void *)(spool->bytes + offset);
        if (head->kind != RECORD_PAD)
            break;
        offset += chunk_bytes - (offset - SPOOL_HEADER_BYTES) % chunk_bytes;
    }
    if (offset % 4096 == 0) // chunks begin at pages
        forget_chunk_before(spool, offset);
    if (head->kind == RECORD_END || offset + (size_t)head->n_words * 8 > spool->n_bytes ||
        !is_sound(head, spool->header->n_ranks))
        return NULL;
    return head;
}

const struct record_head *spool_next(const struct spool *spool, const struct record_head *record)
{
    size_t offset = SPOOL_HEADER_BYTES;
    if (record)
        offset = (size_t)((const uint8_t *)record - spool->bytes) + (size_t)record->n_words * 8;
    return record_at(spool, offset);
}

// A process that records holds a lock on each of its files. Where that does not tell (the program
// closed the descriptor, the file system has no locks), the process itself is looked for, if it ran
// under this kernel. When a launcher was killed its processes may take a moment to notice, or go
// on.

#define POLL_MS         20
#define LEAVING_SECONDS 30

static bool read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    bool done = file && fgets(text, (int)size, file);
    if (file)
        fclose(file);
    if (done)
        text[strcspn(text, "\n")] = '\0';
    return done;
}

/// Did the process run under this kernel? The clock domain begins with the kernel's boot.
static bool is_local(const struct spool_header *header)
{
    char boot_id[64];
    return read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id) &&
           strncmp(header->clock_domain, boot_id, strlen(boot_id)) == 0;
}

/// Neither gone, nor ended and waiting to be noticed, nor another one with the same number.
static bool is_running(const struct spool_header *header)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/stat", header->pid);
    char text[1024];
    if (header->process_start == 0 || !read_line(path, text, sizeof text))
        return false;
    const char *word = strrchr(text, ')');
    if (!word || word[1] == '\0' || strchr("ZX", word[2]))
        return false;
    for (int i = 0; i < 20 && word; i++)
        word = strchr(word + 1, ' ');
    return word && strtoull(word, NULL, 10) == header->process_start;
}

/// A process without memory has been ended, and is about to be gone; one with much of it takes a
/// while.
static bool has_memory(const struct spool_header *header)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/exe", header->pid);
    char program[1];
    return readlink(path, program, sizeof program) >= 0 || errno != ENOENT;
}

static bool is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/// Also whether it is about to be no longer. A lock outlives no process that is seen to have ended.
static bool is_alive(const char *path, struct spool_header *header, bool *leaves)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_open = fd >= 0;
    if (!is_open) // another user's, or a folder one may only read
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool alive = false;
    if (pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
        is_spool_header(header)) {
        bool runs = is_local(header) && is_running(header);
        *leaves = runs && !has_memory(header);
        alive = runs || (is_open && is_locked(fd));
    }
    close(fd);
    return alive;
}

static struct alive alive_count(const char *dir)
{
    static struct spool_header header; // large
    DIR *folder = opendir(dir);
    struct alive alive = {0};
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char *path = format_or_die("%s/%s", dir, entry->d_name);
        bool leaves = false;
        if (is_spool_name(entry->d_name) && is_alive(path, &header, &leaves) &&
            header.thread == 0) {
            alive.n_leaving += leaves;
            if (alive.n++ == 0 || header.rank < alive.rank) {
                alive.rank = header.rank;
                alive.pid = header.pid;
                memcpy(alive.host, header.host, sizeof alive.host);
            }
        }
        free(path);
    }
    if (folder)
        closedir(folder);
    return alive;
}

struct alive alive_wait(const char *dir, unsigned seconds)
{
    const struct timespec moment = {0, POLL_MS * 1000000L};
    struct alive alive = alive_count(dir);
    for (unsigned long i = 0; alive.n > 0; i++) {
        unsigned most =
            alive.n_leaving == alive.n && seconds < LEAVING_SECONDS ? LEAVING_SECONDS : seconds;
        if (i >= most * 1000UL / POLL_MS)
            break;
        nanosleep(&moment, NULL);
        alive = alive_count(dir);
    }
    return alive;
}
