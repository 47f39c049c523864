// SPDX-License-Identifier: BSD-3-Clause
// Files are copied as they are; the local definitions are written anew, into an archive of nothing
// else, which is why its anchor file comes first and is copied over.
#include "analyzer/rewrite/rewrite.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/trace/archive.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "analyzer/trace/reader.h"

struct shifting {
    const struct trace *trace;
    char *name; // of the archive: its anchor file without what follows the last dot
    char *from; // folder
    const char *to;
    bool moves_files;
    OTF2_Reader *reader;
    OTF2_Archive *archive;
};

/// The library takes no notice of a single offset.
static OTF2_ErrorCode write_offsets(OTF2_DefWriter *writer, const struct local_definitions *own)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; i < own->n_intervals && own->n_intervals > 1 && code == OTF2_SUCCESS; i++)
        code = OTF2_DefWriter_WriteClockOffset(writer, own->intervals[i].begin_ticks,
                                               own->intervals[i].offset_ticks,
                                               own->intervals[i].deviation);
    return code;
}

OTF2_ErrorCode shift_clocks_write(OTF2_Archive *archive, uint64_t id,
                                  const struct local_definitions *own)
{
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, id);
    if (!writer)
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (OTF2_MappingType kind = 0; kind < OTF2_MAPPING_MAX && code == OTF2_SUCCESS; kind++)
        if (own->maps[kind])
            code = OTF2_DefWriter_WriteMappingTable(writer, kind, own->maps[kind]);
    if (code == OTF2_SUCCESS)
        code = write_offsets(writer, own);
    OTF2_ErrorCode closed = OTF2_Archive_CloseDefWriter(archive, writer);
    return code == OTF2_SUCCESS ? closed : code;
}

OTF2_Reader *shift_clocks_open(const struct trace *trace, uint64_t *event_bytes,
                               uint64_t *definition_bytes, struct error *err)
{
    OTF2_Reader *reader = otf2_open(trace_path(trace));
    if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS ||
        OTF2_Reader_GetChunkSize(reader, event_bytes, definition_bytes) != OTF2_SUCCESS) {
        error_set(err, "cannot read the trace again");
        return NULL;
    }
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
    OTF2_Reader_GetCompression(reader, &compression);
    if (compression == OTF2_COMPRESSION_NONE)
        return reader;
    error_set(err, "'%s' is compressed, and its files cannot be copied as they are",
              trace_path(trace));
    OTF2_Reader_Close(reader);
    return NULL;
}

static int open_both(struct shifting *all, struct error *err)
{
    uint64_t event_bytes = 0, definition_bytes = 0;
    all->reader = shift_clocks_open(all->trace, &event_bytes, &definition_bytes, err);
    if (!all->reader)
        return -1;
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
    for (size_t i = 0; i < definitions->n_locations && code == OTF2_SUCCESS; i++)
        if (definitions->locations[i].is_defined)
            code = shift_clocks_write(all->archive, definitions->locations[i].id,
                                      trace_local_definitions(all->trace, i));
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_CloseDefFiles(all->archive);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_Close(all->archive);
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot write: %s", otf2_error_cause(code));
    OTF2_Reader_Close(all->reader);
    return 0;
}

/// The file NAME below both folders.
static int copy_file(const struct shifting *all, const char *name, struct error *err)
{
    SCOPED char *from = memory_format("%s/%s", all->from, name);
    SCOPED char *to = memory_format("%s/%s", all->to, name);
    return all->moves_files && rename(from, to) == 0 ? 0 : rewrite_copy_file(from, to, err);
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
    SCOPED char *path = memory_format("%s/%s", all->from, all->name);
    SCOPED_FOLDER DIR *folder = opendir(path);
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
    find_names(all);
    otf2_error_begin();
    int status = write_definitions(all, err) == 0 ? copy_files(all, err) : -1;
    FREE_ALL(all->name, all->from);
    return status;
}

int shift_clocks(const char *directory, const struct trace *trace, struct error *err)
{
    struct shifting all = {.trace = trace};
    int status = rewrite_check_source(trace, err);
    if (status == 0)
        status = rewrite_wholly(directory, write_copy, &all, err);
    return status == 0 ? 0 : error_wrap(err, "nothing was written to '%s'", directory);
}

int shift_clocks_moved(const char *folder, const struct trace *trace, struct error *err)
{
    return write_copy(&(struct shifting){.trace = trace, .moves_files = true}, folder, err);
}
