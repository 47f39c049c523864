// SPDX-License-Identifier: BSD-3-Clause
// Files are copied as they are; the local definitions are read by the library and written anew,
// into an archive of nothing else, which is why its anchor file comes first and is copied over.
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/trace/definitions/resolve.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/clock.h"
#include "analyzer/trace/definitions/resolve.h"
#include "analyzer/trace/event.h"
#include "analyzer/trace/reader.h"

struct offset {
    int64_t ticks;
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
        (struct offset){(int64_t)ticks, offset_ticks, deviation};
    return OTF2_CALLBACK_SUCCESS;
}

struct shifting {
    const struct trace *trace;
    const struct clock_correction *correction;
    char *name; // of the archive: its anchor file without what follows the last dot
    char *from; // folder
    const char *to;
    OTF2_Reader *reader;
    OTF2_Archive *archive;
    OTF2_DefReaderCallbacks *callbacks;
};

/// In ticks, rounded to the nearest.
static int64_t ticks_of(const struct shifting *all, int64_t time_ns)
{
    __extension__ typedef __int128 wide;
    const wide second_ns = 1000000000;
    wide twice = (wide)time_ns * (int64_t)trace_source(all->trace).records->ticks_per_second * 2;
    return (int64_t)((twice + (twice < 0 ? -second_ns : second_ns)) / (2 * second_ns));
}

/// What a piecewise linear function says at AT; the outermost pieces go on beyond their ends. One
/// alone is a constant.
static int64_t offset_at(const struct offset *offsets, size_t n_offsets, int64_t at_ticks)
{
    if (n_offsets < 2)
        return n_offsets == 0 ? 0 : offsets[0].offset_ticks;
    size_t i = 0;
    while (i + 2 < n_offsets && at_ticks > offsets[i + 1].ticks)
        i++;
    const struct offset *from = &offsets[i], *to = &offsets[i + 1];
    double slope =
        (double)(to->offset_ticks - from->offset_ticks) / (double)(to->ticks - from->ticks);
    return from->offset_ticks + llround(slope * (double)(at_ticks - from->ticks));
}

/// The correction of RANK by the times of the run: what comes later by how much.
static size_t find_knots(const struct shifting *all, uint32_t rank, struct offset *knots)
{
    const struct clock_correction *correction = all->correction;
    size_t n = rank == EVENT_NO_INDEX ? 0 : correction->n_knots;
    for (size_t k = 0; k < n; k++) {
        int64_t at_ns = correction->at_ns[rank * n + k];
        int64_t later_ns = correction->later_ns[rank * n + k];
        int64_t origin_ticks = (int64_t)trace_source(all->trace).clock->origin_ticks;
        knots[k] = (struct offset){.ticks = origin_ticks + ticks_of(all, at_ns),
                                   .offset_ticks = ticks_of(all, later_ns)};
    }
    return n;
}

static int by_ticks(const void *a, const void *b)
{
    const struct offset *left = a, *right = b;
    return (left->ticks > right->ticks) - (left->ticks < right->ticks);
}

/// Where the offsets of a location change: where they did, and at the knots, which are by the times
/// that these offsets make of the clock's. Offsets hold between two of them, extended beyond: the
/// library takes no notice of a single one.
static size_t find_changes(const struct shifting *all, const struct local_definitions *local,
                           const struct offset *knots, size_t n_knots, struct offset *changes)
{
    size_t n = 0;
    for (size_t i = 0; i < local->n_offsets; i++)
        changes[n++] = local->offsets[i];
    for (size_t k = 0; k < n_knots && n_knots > 1; k++) {
        int64_t ticks = knots[k].ticks;
        for (int i = 0; i < 4; i++) // each brings it as much nearer as the drift is small
            ticks = knots[k].ticks - offset_at(local->offsets, local->n_offsets, ticks);
        changes[n++] = (struct offset){.ticks = ticks > 0 ? ticks : 0};
    }
    if (n == 0 && n_knots == 1 && knots[0].offset_ticks > 0)
        for (; n < 2; n++)
            changes[n].ticks =
                (int64_t)trace_source(all->trace).records->global_offset + (int64_t)n;
    qsort(changes, n, sizeof *changes, by_ticks);
    return n;
}

static OTF2_ErrorCode write_offsets(const struct shifting *all, struct local_definitions *local,
                                    uint32_t rank)
{
    local->n_offsets -= local->n_offsets == 1;
    size_t n_most = all->correction->n_knots + local->n_offsets + 2;
    struct offset *knots = memory_zeroed(n_most, sizeof *knots);
    struct offset *changes = memory_zeroed(n_most, sizeof *changes);
    size_t n_knots = find_knots(all, rank, knots);
    size_t n_changes = find_changes(all, local, knots, n_knots, changes);
    for (size_t i = 0; i < n_changes && local->code == OTF2_SUCCESS; i++) {
        int64_t ticks = changes[i].ticks;
        if (i > 0 && ticks == changes[i - 1].ticks)
            continue;
        int64_t own_ticks = offset_at(local->offsets, local->n_offsets, ticks);
        int64_t later_ticks = offset_at(knots, n_knots, ticks + own_ticks);
        local->code = OTF2_DefWriter_WriteClockOffset(
            local->writer, (OTF2_TimeStamp)ticks, own_ticks + later_ticks, changes[i].deviation);
    }
    free(knots);
    free(changes);
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
        code = write_offsets(all, &local, trace_definitions(all->trace)->locations[index].rank);
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

/// The file NAME below both folders.
static int copy_file(const struct shifting *all, const char *name, struct error *err)
{
    char *from = memory_format("%s/%s", all->from, name);
    char *to = memory_format("%s/%s", all->to, name);
    int status = rewrite_copy_file(from, to, err);
    free(from);
    free(to);
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
    const char *name = path_base_name(path);
    const char *dot = strrchr(name, '.');
    all->name = memory_format("%.*s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    all->from = path_folder(path);
}

static int write_copy(void *context, const char *folder, struct error *err)
{
    struct shifting *all = context;
    all->to = folder;
    otf2_error_begin();
    return write_definitions(all, err) == 0 ? copy_files(all, err) : -1;
}

int shift_clocks(const char *directory, const struct trace *trace,
                 const struct clock_correction *correction, struct error *err)
{
    struct shifting all = {.trace = trace, .correction = correction};
    find_names(&all);
    int status = rewrite_check_source(trace, err);
    if (status == 0)
        status = rewrite_wholly(directory, write_copy, &all, err);
    OTF2_DefReaderCallbacks_Delete(all.callbacks);
    free(all.name);
    free(all.from);
    return status == 0 ? 0 : error_wrap(err, "nothing was written to '%s'", directory);
}
