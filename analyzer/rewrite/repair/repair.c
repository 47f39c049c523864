// SPDX-License-Identifier: BSD-3-Clause
// See repair.h. Event files and the locations' own definitions are copied byte by byte up to their
// first damage (sound_part.c); meanwhile is noted what the events refer to (mentions.c). Then the
// global definitions are written: those before their first damage, and others for what the events
// mention beyond them (whole_definitions.c). The anchor file is always a new one.
#include "analyzer/rewrite/repair/repair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/trace/archive.h"

enum { USUAL_EVENT_CHUNK_BYTES = 1 << 20, USUAL_DEFINITION_CHUNK_BYTES = 4 << 20 };
enum { MOST_STATED_LOSSES = 8 }; // in the archive itself

struct location {
    uint64_t id;
    const struct location_files *files; // NULL: none
    bool is_defined;
    uint64_t n_declared; // events, by its definition
    bool is_whole;       // its event file; then what is left of it:
    uint64_t n_left, n_promised;
    size_t n_open;
};

/// One repair.
struct repairing {
    struct repair *repair;
    const struct repair_window *window; // NULL: all of it
    struct archive_files files;
    const char *folder; // where the new archive is written
    char *left;         // and in it, the one that holds the definitions that are left
    uint64_t event_chunk_bytes, definition_chunk_bytes;
    OTF2_Reader *anchor; // of the archive, NULL: unreadable
    struct records records;
    uint64_t n_left;              // global definitions
    struct location *locations;   // by id: those that are defined, and those that have files
    struct whole_location *whole; // the same
    size_t n_locations, location_capacity;
    struct mentions mentions;
    uint64_t first_ticks, last_ticks;
    struct progress progress;
};

// ---- losses ----

__attribute__((format(printf, 5, 6))) static void add_loss(struct repairing *all, const char *code,
                                                           uint64_t location, uint64_t n_events,
                                                           const char *format, ...)
{
    struct repair *repair = all->repair;
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format_list(format, arguments);
    va_end(arguments);
    *ARRAY_NEXT(repair->losses, repair->n_losses, repair->loss_capacity) = (struct repair_loss){
        .code = code, .text = text, .location = location, .n_lost_events = n_events};
}

void repair_release(struct repair *repair)
{
    FREE_MEMBERS(repair->losses, repair->n_losses, text);
    free(repair->losses);
    *repair = (struct repair){0};
}

// ---- the anchor file ----

static void open_anchor(struct repairing *all)
{
    SCOPED char *path = archive_files_path(&all->files, ".otf2");
    otf2_error_begin();
    all->anchor = all->files.has_anchor ? otf2_open(path) : NULL;
    const char *name = all->files.name;
    if (!all->files.has_anchor)
        add_loss(
            all, "anchor-missing", REPAIR_UNKNOWN, 0,
            "the anchor file %s.otf2 is missing: what it said of the archive is lost, no event",
            name);
    else if (!all->anchor)
        add_loss(
            all, "anchor-damaged", REPAIR_UNKNOWN, 0,
            "the anchor file %s.otf2 is damaged: what it said of the archive is lost, no event",
            name);
}

/// The size of the chunks of files for which nothing FOUND tells it: as the anchor file says, else
/// the USUAL one, but all files are of one chunk then.
static uint64_t other_chunk_bytes(uint64_t found, uint64_t anchor_bytes, uint64_t usual_bytes,
                                  uint64_t largest_file_bytes)
{
    if (found)
        return found;
    if (anchor_bytes >= OTF2_CHUNK_SIZE_MIN && anchor_bytes <= OTF2_CHUNK_SIZE_MAX)
        return anchor_bytes;
    if (largest_file_bytes > OTF2_CHUNK_SIZE_MAX)
        return OTF2_CHUNK_SIZE_MAX;
    return largest_file_bytes > usual_bytes ? largest_file_bytes : usual_bytes;
}

static uint64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/// Chunk sizes, as the begin of a second chunk tells where a file has one.
static void find_chunk_sizes(struct repairing *all)
{
    uint64_t event_bytes = 0, definition_bytes = 0, found = 0, largest_bytes = 0;
    if (all->anchor)
        OTF2_Reader_GetChunkSize(all->anchor, &event_bytes, &definition_bytes);
    for (size_t i = 0; i < all->files.n_locations && found == 0; i++) {
        char *path = archive_files_of_location(&all->files, all->files.locations[i].id, ".evt");
        uint64_t size_bytes = size_of(path);
        found = size_bytes > OTF2_CHUNK_SIZE_MIN ? sound_chunk_bytes(path, true) : 0;
        largest_bytes = size_bytes > largest_bytes ? size_bytes : largest_bytes;
        free(path);
    }
    all->event_chunk_bytes =
        other_chunk_bytes(found, event_bytes, USUAL_EVENT_CHUNK_BYTES, largest_bytes);
    char *path = archive_files_path(&all->files, ".def");
    all->definition_chunk_bytes =
        other_chunk_bytes(sound_chunk_bytes(path, false), definition_bytes,
                          USUAL_DEFINITION_CHUNK_BYTES, size_of(path));
    free(path);
}

static int check_compression(const struct repairing *all, struct error *err)
{
    OTF2_Compression compression = OTF2_COMPRESSION_NONE;
    if (all->anchor)
        OTF2_Reader_GetCompression(all->anchor, &compression);
    return compression == OTF2_COMPRESSION_NONE || compression == OTF2_COMPRESSION_UNDEFINED
               ? 0
               : error_set(err, "'%s' is compressed: its files cannot be %s", all->files.name,
                           all->window ? "cut" : "repaired");
}

/// The losses as the archive states them, in one text, "" without; the caller frees.
static char *statement(const struct repair *repair)
{
    char *text = NULL;
    for (size_t i = 0; i < repair->n_losses && i < MOST_STATED_LOSSES; i++)
        text_append(&text, "%s%s", i > 0 ? "; " : "", repair->losses[i].text);
    if (repair->n_losses > MOST_STATED_LOSSES)
        text_append(&text, "; and %zu more", repair->n_losses - MOST_STATED_LOSSES);
    return text ? text : memory_copy_text("");
}

static OTF2_ErrorCode copy_properties(OTF2_Reader *from, OTF2_Archive *to)
{
    uint32_t n = 0;
    char **names = NULL, *creator = NULL, *description = NULL;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (OTF2_Reader_GetCreator(from, &creator) == OTF2_SUCCESS)
        code = OTF2_Archive_SetCreator(to, creator);
    if (code == OTF2_SUCCESS && OTF2_Reader_GetDescription(from, &description) == OTF2_SUCCESS)
        code = OTF2_Archive_SetDescription(to, description);
    FREE_ALL(creator, description);
    if (OTF2_Reader_GetPropertyNames(from, &n, &names) != OTF2_SUCCESS)
        return code;
    for (uint32_t i = 0; i < n && code == OTF2_SUCCESS; i++) {
        SCOPED char *value = NULL;
        if (OTF2_Reader_GetProperty(from, names[i], &value) == OTF2_SUCCESS)
            code = OTF2_Archive_SetProperty(to, names[i], value, true);
    }
    free(names);
    return code;
}

static OTF2_ErrorCode describe(const struct repairing *all, OTF2_Archive *archive)
{
    SCOPED char *losses = statement(all->repair);
    OTF2_ErrorCode code = all->anchor ? copy_properties(all->anchor, archive)
                                      : OTF2_Archive_SetCreator(archive, "pagoda check --repair");
    if (code == OTF2_SUCCESS && *losses)
        code = OTF2_Archive_SetProperty(archive, "PAGODA::REPAIRED", losses, true);
    if (code == OTF2_SUCCESS && all->window)
        code = OTF2_Archive_SetProperty(archive, "PAGODA::INTERVAL", all->window->name, true);
    return code;
}

// ---- global definitions that are left ----

/// Makes an archive without locations in the folder all->left, to read NAME.def there.
static int make_left(struct repairing *all, struct error *err)
{
    OTF2_Archive *archive = rewrite_open(all->left, all->files.name, all->event_chunk_bytes,
                                         all->definition_chunk_bytes);
    OTF2_ErrorCode code = archive ? OTF2_SUCCESS : OTF2_ERROR_FILE_INTERACTION;
    if (archive && !OTF2_Archive_GetGlobalDefWriter(archive))
        code = OTF2_ERROR_FILE_INTERACTION;
    if (archive) {
        OTF2_ErrorCode closed = OTF2_Archive_Close(archive);
        code = code == OTF2_SUCCESS ? closed : code;
    }
    return code == OTF2_SUCCESS ? 0 : error_set(err, "cannot write: %s", otf2_error_cause(code));
}

/// NULL and ERR when it cannot be read.
static OTF2_Reader *open_left(const struct repairing *all, struct error *err)
{
    SCOPED char *path = memory_format("%s/%s.otf2", all->left, all->files.name);
    otf2_error_begin();
    OTF2_Reader *reader = otf2_open(path);
    if (reader)
        OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    else
        error_set(err, "cannot read what was written to '%s'", all->folder);
    return reader;
}

/// Reads at most N_SOUND definitions: fewer if the library does not take one.
static int read_left(struct repairing *all, uint64_t n_sound, struct error *err)
{
    OTF2_Reader *reader = open_left(all, err);
    OTF2_GlobalDefReader *definitions = reader ? OTF2_Reader_GetGlobalDefReader(reader) : NULL;
    if (!reader)
        return -1;
    if (!definitions || records_register(&all->records, reader, definitions) != OTF2_SUCCESS)
        return error_set(err, "cannot read what was written to '%s'", all->folder);
    if (n_sound > 0 && OTF2_Reader_ReadGlobalDefinitions(reader, definitions, n_sound,
                                                         &all->n_left) != OTF2_SUCCESS)
        return 0; // the library may not be able to close it
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    OTF2_Reader_Close(reader);
    return 0;
}

static int read_definitions(struct repairing *all, struct error *err)
{
    SCOPED char *from = archive_files_path(&all->files, ".def");
    SCOPED char *to = memory_format("%s/%s.def", all->left, all->files.name);
    SCOPED_BY(sound_part_release) struct sound_part part;
    sound_part_of_definitions(&part, from, all->definition_chunk_bytes);
    int status = make_left(all, err);
    if (status == 0)
        status = sound_part_write_definitions(&part, from, to, err);
    if (status == 0)
        status = read_left(all, part.n_records, err);
    if (status == 0 && !all->files.has_definitions)
        add_loss(all, "definitions-missing", REPAIR_UNKNOWN, 0,
                 "the global definitions %s.def are missing", all->files.name);
    else if (status == 0 && (!part.is_whole || all->n_left < part.n_records))
        add_loss(all, "definitions-cut", REPAIR_UNKNOWN, 0,
                 "the global definitions %s.def are damaged, or end, after record %" PRIu64,
                 all->files.name, all->n_left);
    return status;
}

// ---- locations ----

/// Those with files, and those that are defined, in the order of their numbers.
static void list_locations(struct repairing *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->records.locations.n; i++) {
        const struct location_record *record = &all->records.locations.items[i];
        *ARRAY_NEXT(all->locations, all->n_locations, all->location_capacity) =
            (struct location){.id = record->id, .is_defined = true, .n_declared = record->n_events};
    }
    for (size_t i = 0; i < all->files.n_locations; i++)
        *ARRAY_NEXT(all->locations, all->n_locations, all->location_capacity) =
            (struct location){.id = all->files.locations[i].id, .files = &all->files.locations[i]};
    SORT_BY(all->locations, all->n_locations, LEAST(id));
    for (size_t i = 0; i < all->n_locations; i++) {
        struct location next = all->locations[i];
        if (n == 0 || all->locations[n - 1].id != next.id) {
            all->locations[n++] = next;
            continue;
        }
        struct location *same = &all->locations[n - 1];
        same->files = next.files ? next.files : same->files;
        same->n_declared = next.is_defined ? next.n_declared : same->n_declared;
        same->is_defined = same->is_defined || next.is_defined;
    }
    all->n_locations = n;
    all->whole = memory_zeroed(n, sizeof *all->whole);
}

static char *new_path(const struct repairing *all, uint64_t id, const char *suffix)
{
    return memory_format("%s/%s/%" PRIu64 "%s", all->folder, all->files.name, id, suffix);
}

/// The location's own definitions, into LOCAL too.
static int repair_local_definitions(struct repairing *all, const struct location *location,
                                    bool others_have_some, struct local_definitions *local,
                                    struct error *err)
{
    SCOPED char *from = archive_files_of_location(&all->files, location->id, ".def");
    SCOPED char *to = new_path(all, location->id, ".def");
    bool is_there = location->files && location->files->has_definitions;
    SCOPED_BY(sound_part_release) struct sound_part part;
    sound_part_of_local_definitions(&part, from, all->definition_chunk_bytes);
    int status = sound_part_write_definitions(&part, from, to, err);
    if (status == 0)
        local_definitions_read(local, to, all->definition_chunk_bytes, NULL);
    const char *lost = "what they said of its clock and of the numbers of its regions is lost, "
                       "so its times and names may be wrong";
    if (status == 0 && !is_there && others_have_some)
        add_loss(all, "local-definitions-missing", location->id, 0,
                 "location %" PRIu64 ": its definitions (%" PRIu64 ".def) are missing: %s",
                 location->id, location->id, lost);
    else if (status == 0 && is_there && !part.is_whole)
        add_loss(all, "local-definitions-cut", location->id, 0,
                 "location %" PRIu64 ": its definitions (%" PRIu64
                 ".def) are damaged, or end, after record %" PRIu64 ": %s",
                 location->id, location->id, part.n_records, lost);
    return status;
}

static uint64_t on_run_clock(const struct local_definitions *local, uint64_t ticks)
{
    size_t interval = 0;
    return local_definitions_ticks(local, &interval, ticks);
}

static void note_times(struct repairing *all, const struct sound_part *part,
                       const struct local_definitions *local, struct whole_location *whole)
{
    if (part->n_records == 0)
        return;
    uint64_t first_ticks = on_run_clock(local, part->first_ticks);
    whole->until_ticks = on_run_clock(local, part->last_ticks);
    if (first_ticks < all->first_ticks)
        all->first_ticks = first_ticks;
    if (whole->until_ticks > all->last_ticks)
        all->last_ticks = whole->until_ticks;
}

/// Whether some location has more events than its definition says. Some writers promise what they
/// like: then no promise is believed.
static bool exceeds_a_promise(const struct repairing *all)
{
    for (size_t i = 0; i < all->n_locations; i++)
        if (all->locations[i].is_defined && all->locations[i].n_left > all->locations[i].n_declared)
            return true;
    return false;
}

/// Says that events of LOCATION are lost, if any are.
static void state_events(struct repairing *all, const struct location *location, bool is_promised)
{
    bool is_there = location->files && location->files->has_events;
    uint64_t n_declared = is_promised ? location->n_declared : 0;
    uint64_t n_all = location->is_defined ? n_declared : location->n_promised;
    uint64_t n_lost = n_all > location->n_left ? n_all - location->n_left : REPAIR_UNKNOWN;
    if (is_there ? location->is_whole && (location->n_left > 0 || n_declared == 0)
                 : location->is_defined && n_declared == 0)
        return;
    SCOPED char *lost =
        n_lost == REPAIR_UNKNOWN
            ? memory_copy_text("how many events are lost is not known")
            : memory_format("%" PRIu64 " of %s lost", n_lost, quantity_count(n_all, "event").text);
    SCOPED char *open = location->n_open == 0
                            ? memory_copy_text("")
                            : memory_format(", %s left at the time of the last event",
                                            quantity_count(location->n_open, "open region").text);
    if (!is_there)
        add_loss(all, "events-missing", location->id, n_lost,
                 "location %" PRIu64 ": its event file (%" PRIu64
                 ".evt) is missing: %s, the location is empty",
                 location->id, location->id, lost);
    else if (location->n_left == 0)
        add_loss(all, "events-cut", location->id, n_lost,
                 "location %" PRIu64 ": its event file (%" PRIu64
                 ".evt) has no sound event: %s, the location is empty",
                 location->id, location->id, lost);
    else
        add_loss(all, "events-cut", location->id, n_lost,
                 "location %" PRIu64 ": its event file (%" PRIu64
                 ".evt) is damaged, or ends, after event %" PRIu64 ": %s%s",
                 location->id, location->id, location->n_left, lost, open);
}

/// Those that are left, or those of them within the window.
static int write_events(struct repairing *all, const char *from, const char *to,
                        const struct local_definitions *local, struct sound_part *part,
                        struct whole_location *whole, struct error *err)
{
    whole->has_changed = true;
    if (all->window)
        return cut_part_write(part, from, to, all->event_chunk_bytes, all->window, local,
                              mentions_take, &all->mentions, &whole->n_events, err);
    sound_part_of_events(part, from, all->event_chunk_bytes, mentions_take, &all->mentions);
    whole->n_events = part->n_records + (part->is_whole ? 0 : part->n_open);
    whole->has_changed = !part->is_whole;
    whole->is_cut_short = !part->is_whole && part->n_records > 0;
    return sound_part_write_events(part, from, to, all->event_chunk_bytes, err);
}

static int repair_location(struct repairing *all, size_t index, bool others_have_some,
                           struct error *err)
{
    struct location *location = &all->locations[index];
    struct whole_location *whole = &all->whole[index];
    SCOPED_BY(local_definitions_release) struct local_definitions local = {0};
    SCOPED_BY(sound_part_release) struct sound_part part = {0};
    SCOPED char *from = archive_files_of_location(&all->files, location->id, ".evt");
    SCOPED char *to = new_path(all, location->id, ".evt");
    int status = repair_local_definitions(all, location, others_have_some, &local, err);
    all->mentions.local = &local;
    all->mentions.location = (uint32_t)index;
    if (status == 0)
        status = write_events(all, from, to, &local, &part, whole, err);
    note_times(all, &part, &local, whole);
    location->is_whole = part.is_whole;
    location->n_left = part.n_records;
    location->n_promised = part.last_promised;
    location->n_open = part.n_open;
    whole->id = location->id;
    all->repair->n_events += whole->n_events;
    if (status == 0 && interrupt_has_come())
        status = error_set(err, "interrupted");
    return status;
}

static int repair_locations(struct repairing *all, struct error *err)
{
    int status = 0;
    bool has_local_definitions = false;
    for (size_t i = 0; i < all->files.n_locations; i++)
        has_local_definitions = has_local_definitions || all->files.locations[i].has_definitions;
    progress_begin(&all->progress, all->window ? "cutting" : "repairing", all->n_locations);
    for (size_t i = 0; i < all->n_locations && status == 0; i++) {
        status = repair_location(all, i, has_local_definitions, err);
        progress_update(&all->progress, i + 1);
    }
    progress_end(&all->progress);
    bool is_promised = !exceeds_a_promise(all);
    for (size_t i = 0; i < all->n_locations && status == 0; i++)
        state_events(all, &all->locations[i], is_promised);
    all->repair->n_locations = all->n_locations;
    if (status == 0 && all->repair->n_events == 0 && all->window)
        status = error_set(err, "'%s' has no event in the interval %s", all->files.given,
                           all->window->name);
    else if (status == 0 && all->repair->n_events == 0)
        status = error_set(err, "nothing to repair in '%s': no event of it can be read",
                           all->files.given);
    return status;
}

// ---- all of it ----

static void append_count(char **text, size_t n, const char *noun)
{
    if (n > 0)
        text_append(text, "%s%s", *text ? ", " : "", quantity_count(n, noun).text);
}

/// States what had to be made up for.
static void state_definitions(struct repairing *all, const struct added_definitions *added)
{
    SCOPED char *what = NULL;
    append_count(&what, added->n_locations, "location");
    append_count(&what, added->n_regions, "region");
    append_count(&what, added->n_communicators, "communicator");
    append_count(&what, added->n_metrics, "metric");
    append_count(&what, added->n_parameters, "parameter");
    if (what)
        add_loss(all, "names-lost", REPAIR_UNKNOWN, 0,
                 "definitions of what has events are lost; called by their numbers: %s", what);
    if (added->has_clock)
        add_loss(all, "clock-lost", REPAIR_UNKNOWN, 0,
                 "the clock's ticks per second are lost: a tick is taken for 1 ns");
}

static int write_definitions(struct repairing *all, OTF2_Archive *archive, struct error *err)
{
    struct added_definitions added = {0};
    OTF2_Reader *reader = open_left(all, err);
    if (!reader)
        return -1;
    const struct definition_sources sources = {
        .reader = reader,
        .n_left = all->n_left,
        .records = &all->records,
        .mentions = &all->mentions,
        .locations = all->whole,
        .n_locations = all->n_locations,
        .first_ticks = all->first_ticks <= all->last_ticks ? all->first_ticks : all->last_ticks,
        .last_ticks = all->last_ticks,
    };
    int status = whole_definitions_write(&sources, archive, &added, err);
    if (status == 0)
        OTF2_Reader_Close(reader);
    state_definitions(all, &added);
    return status;
}

/// An identifier that only depends on what was there.
static uint64_t new_id(const struct repairing *all)
{
    uint64_t id = 0;
    if (all->anchor)
        OTF2_Reader_GetTraceId(all->anchor, &id);
    SCOPED char *losses = statement(all->repair);
    SCOPED char *counts =
        memory_format("repaired %" PRIu64 " %" PRIu64 " %s", all->repair->n_locations,
                      all->repair->n_events, all->window ? all->window->name : "");
    return rewrite_hash(rewrite_hash(id, counts), losses);
}

static int close_archive(struct repairing *all, OTF2_Archive *archive, struct error *err)
{
    OTF2_ErrorCode code = describe(all, archive);
    OTF2_ErrorCode closed = OTF2_Archive_Close(archive);
    code = code == OTF2_SUCCESS ? closed : code;
    return code == OTF2_SUCCESS ? rewrite_set_id(all->folder, all->files.name, new_id(all), err)
                                : error_set(err, "cannot write: %s", otf2_error_cause(code));
}

/// Locations first: their events tell which definitions are needed.
static int write_archive(struct repairing *all, struct error *err)
{
    OTF2_Archive *archive = rewrite_open(all->folder, all->files.name, all->event_chunk_bytes,
                                         all->definition_chunk_bytes);
    if (!archive)
        return error_set(err, "cannot write: %s", otf2_error_cause(OTF2_ERROR_FILE_INTERACTION));
    if (repair_locations(all, err) != 0 || write_definitions(all, archive, err) != 0)
        return -1;
    return close_archive(all, archive, err);
}

static int copy_markers(const struct repairing *all, struct error *err)
{
    SCOPED char *from = archive_files_path(&all->files, ".marker");
    SCOPED char *to = memory_format("%s/%s.marker", all->folder, all->files.name);
    return rewrite_copy_file(from, to, err);
}

static int write_repaired(void *context, const char *folder, struct error *err)
{
    struct repairing *all = context;
    all->folder = folder;
    all->left = memory_format("%s/.left", folder);
    if (mkdir(all->left, 0777) != 0)
        return error_set(err, "cannot make '%s': %s", all->left, strerror(errno));
    otf2_error_begin();
    if (read_definitions(all, err) != 0)
        return -1;
    list_locations(all);
    if (all->n_locations == 0)
        return error_set(err,
                         "nothing to repair in '%s': %s.def defines no location, and there is "
                         "no event file",
                         all->files.given, all->files.name);
    if (write_archive(all, err) != 0 || copy_markers(all, err) != 0)
        return -1;
    return scratch_folder_remove(all->left, err);
}

/// Whether DIRECTORY would be inside the archive that is repaired. 0, or -1 and ERR.
static int check_place(const struct repairing *all, const char *directory, struct error *err)
{
    SCOPED char *parent = rewrite_parent(directory);
    SCOPED char *to = realpath(parent, NULL), *from = realpath(all->files.given, NULL);
    size_t length = from ? strlen(from) : 0;
    bool is_inside =
        to && from && strncmp(to, from, length) == 0 && (to[length] == '/' || to[length] == '\0');
    return is_inside ? error_set(err, "'%s' is inside '%s', which is to stay as it is", directory,
                                 all->files.given)
                     : 0;
}

int repair_archive(struct repair *repair, const char *path, const char *directory,
                   const struct repair_window *window, struct error *err)
{
    struct repairing all = {.repair = repair, .window = window, .first_ticks = UINT64_MAX};
    *repair = (struct repair){0};
    records_init(&all.records);
    int status = archive_files_find(&all.files, path, err);
    if (status == 0)
        status = check_place(&all, directory, err);
    if (status == 0) {
        open_anchor(&all);
        status = check_compression(&all, err);
    }
    if (status == 0) {
        find_chunk_sizes(&all);
        status = rewrite_wholly(directory, write_repaired, &all, err);
    }
    if (all.anchor)
        OTF2_Reader_Close(all.anchor);
    mentions_release(&all.mentions);
    records_release(&all.records);
    archive_files_release(&all.files);
    FREE_ALL(all.locations, all.whole, all.left);
    return status == 0 ? 0 : error_wrap(err, "nothing was written to '%s'", directory);
}
