// SPDX-License-Identifier: BSD-3-Clause
// Records of the C library's calls for files. A call that may take long or be interrupted has a
// record at its enter and another one at its leave, so that a signal handler may record in between,
// and a thread may end in it. Of opens and seeks it is known only afterwards what they are: they
// have one record.
//
// All this may run in a signal handler: it takes no lock and no memory.
#include "tracer/record/recording.h"

#include "tracer/record/claim.h"
#include "tracer/record/clock.h"
#include "tracer/record/module.h"
#include "tracer/record/region.h"
#include "tracer/record/settings.h"

#include <fcntl.h>

uint32_t file_number_new(void)
{
    static uint64_t n_files;
    uint64_t number = __atomic_add_fetch(&n_files, 1, __ATOMIC_RELAXED);
    return number < RECORD_FILES ? (uint32_t)number : 0;
}

void file_define(struct stream *stream, uint32_t number, enum file_paradigm paradigm, uint32_t comm,
                 const char *name)
{
    size_t n_bytes = sizeof(struct record_file);
    struct record_file *record = stream_reserve_with_text(stream, &n_bytes, name);
    if (!record)
        return;
    record->comm = comm;
    record->paradigm = paradigm;
    stream_commit(&record->head, RECORD_FILE, number, n_bytes);
}

// ---- Names that have numbers, so that a file that is opened again and again is defined once. They
// are known by 64-bit hashes; if there are more names than cells, some are defined more often.

enum { N_CELLS = 2048, N_PROBES = 8 };

static struct {
    uint64_t hash;   // 0: empty
    uint32_t number; // 0: not known yet
} known[N_CELLS];

static uint64_t hash_of(enum file_paradigm paradigm, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325U ^ paradigm; // FNV-1a
    for (; *name != '\0'; name++)
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3U;
    return hash != 0 ? hash : 1;
}

static uint32_t number_of(struct stream *stream, enum file_paradigm paradigm, const char *name)
{
    uint64_t hash = hash_of(paradigm, name), empty = 0;
    uint32_t *place = NULL, number = 0;
    for (uint64_t i = hash; i < hash + N_PROBES && !place; i++, empty = 0)
        if (__atomic_compare_exchange_n(&known[i % N_CELLS].hash, &empty, hash, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            empty == hash)
            place = &known[i % N_CELLS].number;
    if (place)
        number = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (number != 0)
        return number;
    number = file_number_new();
    if (number == 0)
        return 0;
    file_define(stream, number, paradigm, RECORD_NO_COMM, name);
    if (place)
        __atomic_store_n(place, number, __ATOMIC_RELEASE);
    return number;
}

// ---- The calls

static bool is_excluded[N_FILE_CALLS]; // by a filter of regions

static uint64_t now_ns(void)
{
    int error;
    struct stream *stream = claim_stream(&error);
    if (!stream)
        return 0;
    uint64_t time_ns = clock_now_ns();
    recording_check(stream, time_ns);
    give_stream(error);
    return time_ns;
}

static uint16_t creation_of(int flags)
{
    return (uint16_t)(((flags & O_CREAT) != 0 ? 1U : 0) | ((flags & O_TRUNC) != 0 ? 1U << 1 : 0) |
                      ((flags & O_EXCL) != 0 ? 1U << 3 : 0) |
                      ((flags & O_TMPFILE) == O_TMPFILE ? 1U << 7 : 0));
}

static uint16_t status_of(int flags)
{
    return (uint16_t)(((flags & O_CLOEXEC) != 0 ? 1U : 0) |
                      ((flags & O_APPEND) != 0 ? 1U << 1 : 0) |
                      ((flags & O_NONBLOCK) != 0 ? 1U << 2 : 0) |
                      ((flags & O_SYNC) == O_SYNC ? 1U << 4 : 0));
}

static uint32_t opened(const struct file_opening *opening)
{
    bool is_stream = opening->call == FILE_fopen || opening->call == FILE_freopen;
    int error;
    struct stream *stream = claim_stream(&error);
    if (!stream)
        return 0;
    module_met(stream, (uint64_t)(uintptr_t)opening->site);
    uint32_t file = opening->name
                        ? number_of(stream, is_stream ? RECORD_ISO_C : RECORD_POSIX, opening->name)
                        : opening->file;
    if (!stream->off && file != 0 && !is_excluded[opening->call])
        STREAM_WRITE(stream, RECORD_FILE_OPENED, RECORD_FILE_ID(file, opening->call),
                     record_file_opened, .enter_ns = opening->enter_ns, .leave_ns = clock_now_ns(),
                     .site = (uint64_t)(uintptr_t)opening->site,
                     .access = (uint32_t)(opening->flags & O_ACCMODE),
                     .creation = creation_of(opening->flags), .status = status_of(opening->flags));
    give_stream(error);
    return file;
}

static bool enter(enum file_call call, uint32_t file, uint64_t n_bytes, const void *site)
{
    int error;
    struct stream *stream = is_excluded[call] ? NULL : claim_stream(&error);
    if (!stream)
        return false;
    module_met(stream, (uint64_t)(uintptr_t)site);
    uint64_t time_ns = clock_now_ns();
    recording_check(stream, time_ns);
    counters_take(stream);
    bool is_recorded =
        !stream->off &&
        STREAM_WRITE(stream, RECORD_FILE_CALL, RECORD_FILE_ID(file, call), record_file_call,
                     .time_ns = time_ns, .site = (uint64_t)(uintptr_t)site, .asked_bytes = n_bytes);
    give_stream(error);
    return is_recorded;
}

/// Also where recording was switched off meanwhile.
static void leave(enum file_call call, uint32_t file, uint64_t n_bytes)
{
    int error;
    struct stream *stream = claim_stream(&error);
    if (!stream)
        return;
    counters_take(stream);
    STREAM_WRITE(stream, RECORD_FILE_CALL_LEAVE, RECORD_FILE_ID(file, call), record_file_call_leave,
                 .time_ns = clock_now_ns(), .n_bytes = n_bytes);
    give_stream(error);
}

static void sought(const struct file_seek *seek)
{
    int error;
    struct stream *stream = is_excluded[FILE_lseek] ? NULL : claim_stream(&error);
    if (!stream)
        return;
    module_met(stream, (uint64_t)(uintptr_t)seek->site);
    if (!stream->off) // OTF2 has lseek()'s numbers of `whence`
        STREAM_WRITE(stream, RECORD_FILE_SEEK, RECORD_FILE_ID(seek->file, FILE_lseek),
                     record_file_seek, .enter_ns = seek->enter_ns, .leave_ns = clock_now_ns(),
                     .site = (uint64_t)(uintptr_t)seek->site, .offset = seek->offset,
                     .result = seek->result, .whence = (uint64_t)seek->whence);
    give_stream(error);
}

static const struct file_recorder recorder = {
    .now_ns = now_ns,
    .opened = opened,
    .enter = enter,
    .leave = leave,
    .sought = sought,
};

const struct file_recorder *file_recorder_start(void)
{
    filter_names(file_call_names, N_FILE_CALLS, is_excluded);
    return settings.only_mpi_files ? NULL : &recorder;
}
