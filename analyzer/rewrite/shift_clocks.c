// SPDX-License-Identifier: BSD-3-Clause
// Files are copied as they are; the local definitions are read by the library and written anew,
// into an archive of nothing else, which is why its anchor file comes first and is copied over.
#include "analyzer/rewrite/shift_clocks.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/definitions/resolve.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/reader.h"

struct offset {
    OTF2_TimeStamp ticks;
    int64_t offset_ticks;
    double deviation;
};

/// A location's own definitions on their way from one archive to the other.
struct local_definitions {
    OTF2_DefWriter *writer;
    OTF2_ErrorCode code;
    struct offset *offsets;
    size_t n_offsets, capacity;
};

static OTF2_CallbackCode on_mapping(void *user_data, OTF2_MappingType type, const OTF2_IdMap *map)
{
    struct local_definitions *local = user_data;
    if (local->code == OTF2_SUCCESS)
        local->code = OTF2_DefWriter_WriteMappingTable(local->writer, type, map);
    return local->code == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_offset(void *user_data, OTF2_TimeStamp ticks, int64_t offset_ticks,
                                   double deviation)
{
    struct local_definitions *local = user_data;
    *ARRAY_NEXT(local->offsets, local->n_offsets, local->capacity) =
        (struct offset){ticks, offset_ticks, deviation};
    return OTF2_CALLBACK_SUCCESS;
}

struct shifting {
    const struct trace *trace;
    const uint64_t *later_ns;
    char *name;      // of the archive: its anchor file without what follows the last dot
    char *from, *to; // folders
    OTF2_Reader *reader;
    OTF2_Archive *archive;
    OTF2_DefReaderCallbacks *callbacks;
};

static int64_t ticks_of(const struct shifting *all, uint64_t time_ns)
{
    __extension__ typedef unsigned __int128 wide;
    wide ticks = (wide)time_ns * trace_source(all->trace).records->ticks_per_second;
    return (int64_t)((ticks + 500000000) / 1000000000);
}

/// Offsets hold between two of them, extended beyond: the library takes no notice of a single one.
static OTF2_ErrorCode write_offsets(const struct shifting *all, struct local_definitions *local,
                                    int64_t later_ticks)
{
    const struct trace_source source = trace_source(all->trace);
    const struct offset constant[] = {{.ticks = source.records->global_offset},
                                      {.ticks = source.records->global_offset + 1}};
    bool has_own = local->n_offsets > 1;
    const struct offset *offsets = has_own ? local->offsets : constant;
    size_t n_offsets = has_own ? local->n_offsets : later_ticks > 0 ? 2 : 0;
    for (size_t i = 0; i < n_offsets && local->code == OTF2_SUCCESS; i++)
        local->code = OTF2_DefWriter_WriteClockOffset(local->writer, offsets[i].ticks,
                                                      offsets[i].offset_ticks + later_ticks,
                                                      offsets[i].deviation);
    return local->code;
}

static OTF2_ErrorCode shift_location(struct shifting *all, size_t index)
{
    uint64_t id = trace_definitions(all->trace)->locations[index].id, n_read;
    struct local_definitions local = {.writer = OTF2_Archive_GetDefWriter(all->archive, id)};
    if (!local.writer)
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(all->reader, id);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (reader) {
        code = OTF2_Reader_RegisterDefCallbacks(all->reader, reader, all->callbacks, &local);
        if (code == OTF2_SUCCESS)
            code = OTF2_Reader_ReadAllLocalDefinitions(all->reader, reader, &n_read);
        OTF2_Reader_CloseDefReader(all->reader, reader);
    }
    if (code == OTF2_SUCCESS)
        code = write_offsets(all, &local, ticks_of(all, all->later_ns[index]));
    free(local.offsets);
    OTF2_ErrorCode closed = OTF2_Archive_CloseDefWriter(all->archive, local.writer);
    return code == OTF2_SUCCESS ? closed : code;
}

static int open_both(struct shifting *all, struct error *err)
{
    uint64_t event_bytes = 0, definition_bytes = 0;
    all->reader = otf2_open(trace_path(all->trace));
    all->callbacks = OTF2_DefReaderCallbacks_New();
    if (!all->reader || !all->callbacks ||
        OTF2_Reader_SetSerialCollectiveCallbacks(all->reader) != OTF2_SUCCESS ||
        OTF2_Reader_GetChunkSize(all->reader, &event_bytes, &definition_bytes) != OTF2_SUCCESS)
        return error_set(err, "cannot read the trace again");
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    OTF2_Reader_GetCompression(all->reader, &compression);
    if (compression != OTF2_COMPRESSION_NONE)
        return error_set(err, "'%s' is compressed, and its files cannot be copied as they are",
                         trace_path(all->trace));
    OTF2_DefReaderCallbacks_SetMappingTableCallback(all->callbacks, on_mapping);
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(all->callbacks, on_offset);
    all->archive = rewrite_open(all->to, all->name, event_bytes, definition_bytes);
    return all->archive ? 0 : error_set(err, "cannot write");
}

/// The locations' own definitions. After a failure the library is used no more.
static int write_definitions(struct shifting *all, struct error *err)
{
    const struct definitions *definitions = trace_definitions(all->trace);
    if (open_both(all, err) != 0)
        return -1;
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(all->archive);
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (definitions->locations[i].is_defined)
            OTF2_Reader_SelectLocation(all->reader, definitions->locations[i].id);
    OTF2_Reader_OpenDefFiles(all->reader); // fails where no location has any
    for (size_t i = 0; i < definitions->n_locations && code == OTF2_SUCCESS; i++)
        if (definitions->locations[i].is_defined)
            code = shift_location(all, i);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_CloseDefFiles(all->archive);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_Close(all->archive);
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot write: %s", otf2_error_cause(code));
    OTF2_Reader_CloseDefFiles(all->reader);
    OTF2_Reader_Close(all->reader);
    return 0;
}

/// The file NAME below both folders; one that is not there stays so.
static int copy_file(const struct shifting *all, const char *name, struct error *err)
{
    char *from_path = memory_format("%s/%s", all->from, name);
    char *to_path = memory_format("%s/%s", all->to, name);
    FILE *from = fopen(from_path, "rb");
    bool is_missing = !from && errno == ENOENT;
    FILE *to = from ? fopen(to_path, "wb") : NULL;
    bool is_good = from && to;
    char bytes[1 << 14];
    size_t n;
    while (is_good && (n = fread(bytes, 1, sizeof bytes, from)) > 0)
        is_good = fwrite(bytes, 1, n, to) == n && !interrupt_has_come();
    is_good = is_good && !ferror(from);
    if (to && fclose(to) != 0)
        is_good = false;
    int status = is_good || is_missing ? 0
                 : interrupt_has_come()
                     ? error_set(err, "interrupted")
                     : error_set(err, "cannot copy '%s': %s", from_path, strerror(errno));
    if (from)
        fclose(from);
    free(from_path);
    free(to_path);
    return status;
}

/// Whether NAME is that of a file of a location's own definitions: a number, ".def".
static bool is_local_definitions(const char *name)
{
    size_t n_digits = strspn(name, "0123456789");
    return n_digits > 0 && strcmp(name + n_digits, ".def") == 0;
}

static int copy_files(const struct shifting *all, struct error *err)
{
    static const char *const endings[] = {".def", ".marker", ".otf2"};
    int status = 0;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && status == 0; i++) {
        char *name = memory_format("%s%s", all->name, endings[i]);
        status = copy_file(all, name, err);
        free(name);
    }
    char *path = memory_format("%s/%s", all->from, all->name);
    DIR *folder = opendir(path);
    if (status == 0 && !folder)
        status = error_set(err, "cannot read '%s': %s", path, strerror(errno));
    const struct dirent *entry;
    while (status == 0 && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.' || is_local_definitions(entry->d_name))
            continue;
        char *name = memory_format("%s/%s", all->name, entry->d_name);
        status = copy_file(all, name, err);
        free(name);
    }
    if (folder)
        closedir(folder);
    free(path);
    return status;
}

/// Splits the path of the anchor file.
static void find_names(struct shifting *all)
{
    const char *path = trace_path(all->trace);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    all->name = memory_format("%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    all->from =
        slash ? memory_format("%.*s", (int)(slash - path + 1), path) : memory_copy_text(".");
}

int shift_clocks(const char *directory, const struct trace *trace, const uint64_t *later_ns,
                 struct error *err)
{
    struct shifting all = {.trace = trace, .later_ns = later_ns};
    find_names(&all);
    int status = rewrite_check_source(trace, err);
    if (status == 0)
        status = rewrite_check(directory, err);
    interrupt_begin();
    if (status == 0) {
        otf2_error_begin();
        all.to = rewrite_folder_make(directory, err);
        status = all.to && write_definitions(&all, err) == 0 ? copy_files(&all, err) : -1;
    }
    if (status == 0 && rename(all.to, directory) != 0)
        status = error_set(err, "cannot rename %s: %s", all.to, strerror(errno));
    if (status != 0 && all.to)
        scratch_folder_remove(all.to, NULL);
    interrupt_end();
    OTF2_DefReaderCallbacks_Delete(all.callbacks);
    free(all.name);
    free(all.from);
    free(all.to);
    return status == 0 ? 0 : error_wrap(err, "nothing was written to '%s'", directory);
}

#define UNREACHED INT64_MAX

/// What CAUSE did came to EFFECT after at least this time, by their clocks.
struct bound {
    uint32_t cause, effect;
    int64_t least_ns;
};

struct clock_shift {
    size_t n_ranks;
    struct bound *bounds;
    size_t n_bounds, capacity;
    struct map by_pair; // cause << 32 | effect: index into bounds
};

struct clock_shift *clock_shift_new(size_t n_ranks)
{
    struct clock_shift *shift = memory_zeroed(1, sizeof *shift);
    shift->n_ranks = n_ranks;
    map_init(&shift->by_pair);
    return shift;
}

void clock_shift_free(struct clock_shift *shift)
{
    if (!shift)
        return;
    map_release(&shift->by_pair);
    free(shift->bounds);
    free(shift);
}

static void note(struct clock_shift *shift, int64_t cause, uint32_t effect, int64_t took_ns)
{
    if (cause < 0 || (size_t)cause >= shift->n_ranks || effect >= shift->n_ranks || cause == effect)
        return;
    uint64_t pair = (uint64_t)cause << 32 | effect;
    uint32_t index;
    if (!map_get(&shift->by_pair, pair, &index)) {
        index = (uint32_t)shift->n_bounds;
        *ARRAY_NEXT(shift->bounds, shift->n_bounds, shift->capacity) =
            (struct bound){(uint32_t)cause, effect, took_ns};
        map_put(&shift->by_pair, pair, index);
    } else if (took_ns < shift->bounds[index].least_ns) {
        shift->bounds[index].least_ns = took_ns;
    }
}

void clock_shift_message(void *context, const struct pag_message *message)
{
    note(context, message->sender, message->receiver,
         (int64_t)message->leave_ns - (int64_t)message->send_enter_ns);
}

void clock_shift_trigger(void *context, const struct trigger *trigger)
{
    const int64_t *value = trigger->value;
    if (trigger->kind != TRIGGER_COLLECTIVE)
        return;
    int64_t leave_ns = value[TRIGGER_COLLECTIVE_LEAVE];
    bool has_data = value[TRIGGER_COLLECTIVE_BYTES] > 0;
    int64_t last_ns = leave_ns - value[TRIGGER_COLLECTIVE_LAST_ENTER];
    switch (value[TRIGGER_COLLECTIVE_KIND]) {
    case COLLECTIVE_BARRIER:
        note(context, value[TRIGGER_COLLECTIVE_LAST_RANK], trigger->rank, last_ns);
        break;
    case COLLECTIVE_ALL_TO_ALL:
        if (has_data)
            note(context, value[TRIGGER_COLLECTIVE_LAST_RANK], trigger->rank, last_ns);
        break;
    case COLLECTIVE_ONE_TO_ALL:
        if (has_data && value[TRIGGER_COLLECTIVE_ROOT_ENTER] != TRIGGER_NEVER)
            note(context, value[TRIGGER_COLLECTIVE_ROOT_RANK], trigger->rank,
                 leave_ns - value[TRIGGER_COLLECTIVE_ROOT_ENTER]);
        break;
    case COLLECTIVE_ALL_TO_ONE:
        if (has_data && value[TRIGGER_COLLECTIVE_IS_ROOT])
            note(context, value[TRIGGER_COLLECTIVE_LAST_RANK], trigger->rank, last_ns);
        break;
    default:
        break;
    }
}

/// Shortest ways to every rank: from where AT_NS is 0, along the bounds or against them. Whether
/// there are any: a circle of bounds below 0 has none.
static bool shorten(const struct clock_shift *shift, bool against, int64_t *at_ns)
{
    bool goes_on = true;
    for (size_t round = 0; goes_on && round <= shift->n_ranks; round++) {
        goes_on = false;
        for (size_t i = 0; i < shift->n_bounds; i++) {
            const struct bound *bound = &shift->bounds[i];
            int64_t from_ns = at_ns[against ? bound->effect : bound->cause];
            int64_t *to_ns = &at_ns[against ? bound->cause : bound->effect];
            if (from_ns == UNREACHED || from_ns + bound->least_ns >= *to_ns)
                continue;
            *to_ns = from_ns + bound->least_ns;
            goes_on = true;
        }
    }
    return !goes_on;
}

/// How far each clock is ahead of that of rank 0, in the middle between the bounds; false: there
/// are none for some rank. The mean of two solutions is one; rounding down both ways of a bound
/// keeps it.
static bool take_middle(const struct clock_shift *shift, int64_t *ahead_ns)
{
    int64_t *least = memory_zeroed(shift->n_ranks, sizeof *least);
    bool has_all = true;
    for (size_t i = 1; i < shift->n_ranks; i++)
        ahead_ns[i] = least[i] = UNREACHED;
    ahead_ns[0] = 0;
    shorten(shift, false, ahead_ns);
    shorten(shift, true, least);
    for (size_t i = 0; i < shift->n_ranks; i++) {
        has_all = has_all && ahead_ns[i] != UNREACHED && least[i] != UNREACHED;
        if (!has_all)
            break;
        int64_t twice = ahead_ns[i] - least[i];
        ahead_ns[i] = twice / 2 - (twice % 2 < 0);
    }
    free(least);
    return has_all;
}

int clock_shift_solve(const struct clock_shift *shift, uint64_t *later_ns, struct error *err)
{
    int64_t *ahead = memory_zeroed(shift->n_ranks, sizeof *ahead);
    int64_t *middle = memory_zeroed(shift->n_ranks, sizeof *middle);
    int status = 0;
    if (!shorten(shift, false, ahead))
        status = error_set(err, "no constant shifts of the ranks' clocks let all messages and "
                                "collectives come after what they come from: the clocks run at "
                                "different speeds, or jump");
    else if (shift->n_ranks > 0 && take_middle(shift, middle))
        for (size_t i = 0; i < shift->n_ranks; i++)
            ahead[i] = middle[i];
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < shift->n_ranks; i++)
        most = ahead[i] > most ? ahead[i] : most;
    for (size_t i = 0; i < shift->n_ranks && status == 0; i++)
        later_ns[i] = (uint64_t)(most - ahead[i]);
    free(ahead);
    free(middle);
    return status;
}
