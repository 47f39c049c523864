// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rewrite/merge/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/trace/archive.h"

static const char archive_name[] = "traces";

// ---- the archives

static int open_world(struct merge *merge, const char *path, struct error *err)
{
    struct merged_world *world = &merge->worlds[merge->n_worlds++];
    *world =
        (struct merged_world){.path = path, .outsider = UINT64_MAX, .trace = trace_open(path, err)};
    for (enum reference kind = 0; kind < REFERENCES; kind++)
        id_table_init(&world->ids[kind].by_id);
    if (!world->trace || rewrite_check_source(world->trace, err) != 0)
        return -1;
    world->records = trace_source(world->trace).records;
    world->definitions = trace_definitions(world->trace);
    world->reader =
        shift_clocks_open(world->trace, &world->event_bytes, &world->definition_bytes, err);
    if (!world->reader)
        return -1;
    OTF2_Reader_GetTraceId(world->reader, &world->trace_id);
    for (uint32_t i = 0; i + 1 < merge->n_worlds; i++)
        if (merge->worlds[i].trace_id == world->trace_id)
            return error_set(err, "'%s' and '%s' are the same archive", merge->worlds[i].path,
                             path);
    return 0;
}

/// Ranks of MPI: all launched ones, then all that they spawned.
static void number_ranks(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        struct merged_world *world = &merge->worlds[i];
        const struct definitions *definitions = world->definitions;
        world->mpi = merge_locations(world, OTF2_PARADIGM_MPI);
        if (!world->mpi)
            continue;
        uint32_t n = world->mpi->n_members;
        if (n == definitions->n_ranks + 1) // what was not traced is no rank
            world->outsider = world->mpi->members[--n];
        world->n_spawned =
            definitions->n_spawned_ranks < n ? (uint32_t)definitions->n_spawned_ranks : 0;
        world->n_launched = n - world->n_spawned;
        world->first_launched = merge->n_ranks;
        merge->n_ranks += world->n_launched;
    }
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        merge->worlds[i].first_spawned = merge->n_ranks;
        merge->n_ranks += merge->worlds[i].n_spawned;
    }
}

/// Locations are numbered world by world, in the order of their identifiers; one stands for
/// everything that was not traced.
static void number_locations(struct merge *merge)
{
    uint64_t *next = &merge->n_ids[REF_Location];
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        struct merged_world *world = &merge->worlds[i];
        size_t n = world->records->locations.n;
        SCOPED uint64_t *ids = memory_new((n + 1) * sizeof *ids);
        for (size_t k = 0; k < n; k++)
            ids[k] = world->records->locations.items[k].id;
        qsort(ids, n, sizeof *ids, uint64_compare);
        for (size_t k = 0; k < n; k++)
            if (ids[k] != world->outsider)
                merge_set_id(world, REF_Location, ids[k], (*next)++);
    }
    for (uint32_t i = 0; i < merge->n_worlds; i++)
        if (merge->worlds[i].outsider != UINT64_MAX)
            merge_set_id(&merge->worlds[i], REF_Location, merge->worlds[i].outsider, *next);
    ++*next;
}

int merge_open(struct merge *merge, char *const *paths, size_t n, struct error *err)
{
    *merge = (struct merge){.worlds = memory_zeroed(n, sizeof *merge->worlds)};
    map_init(&merge->keys.by_hash);
    map_init(&merge->id_of_key);
    for (size_t i = 0; i < n; i++)
        if (open_world(merge, paths[i], err) != 0)
            return -1;
    number_ranks(merge);
    if (merge_relate_clocks(merge, err) != 0)
        return -1;
    merge_connections(merge);
    merge->cores = merge_cores_new(merge);
    number_locations(merge);
    return 0;
}

void merge_release(struct merge *merge)
{
    merge_ids_release(merge);
    merge_cores_free(merge->cores);
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        if (merge->worlds[i].reader && merge->copy.code == OTF2_SUCCESS)
            OTF2_Reader_Close(merge->worlds[i].reader);
        trace_close(merge->worlds[i].trace);
        free(merge->worlds[i].partners);
    }
    free(merge->worlds);
}

// ---- what the new archive says of itself

static bool is_sum(const char *name)
{
    static const char *const sums[] = {"PAGODA::RANKS", "PAGODA::SPAWNED_RANKS",
                                       "PAGODA::RANKS_WITHOUT_FINALIZE"};
    return HAS_TEXT(sums, sizeof sums / sizeof sums[0], name);
}

/// Whether WORLD is the first one with its value of NAME.
static bool is_new_value(const struct merge *merge, uint32_t world, const char *name)
{
    const char *value = definitions_property(merge->worlds[world].definitions, name);
    for (uint32_t i = 0; i < world && value; i++) {
        const char *other = definitions_property(merge->worlds[i].definitions, name);
        if (other && strcmp(other, value) == 0)
            return false;
    }
    return value != NULL;
}

/// Values that differ stand in a row, of programs their names, by which reports call the run;
/// numbers of ranks are added up.
static char *joined_property(const struct merge *merge, const char *name)
{
    char *joined = NULL;
    unsigned long long sum = 0;
    uint32_t n_values = 0;
    for (uint32_t i = 0; i < merge->n_worlds; i++)
        n_values += is_new_value(merge, i, name);
    bool is_program = n_values > 1 && strstr(name, "::EXECUTABLE") != NULL;
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        const char *value = definitions_property(merge->worlds[i].definitions, name);
        sum += value ? strtoull(value, NULL, 10) : 0;
        if (is_new_value(merge, i, name))
            text_append(&joined, "%s%s",
                        !joined      ? ""
                        : is_program ? "+"
                                     : "; ",
                        is_program ? path_base_name(value) : value);
    }
    if (!is_sum(name))
        return joined;
    free(joined);
    return memory_format("%llu", sum);
}

/// Connections are matched now, or never.
static bool is_left_out(const char *name)
{
    return strncmp(name, "PAGODA::CONNECTION_", 19) == 0 || strcmp(name, "PAGODA::WORLDS") == 0;
}

static OTF2_ErrorCode write_properties(const struct merge *merge)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        const struct definitions *definitions = merge->worlds[i].definitions;
        for (size_t k = 0; k < definitions->n_properties && code == OTF2_SUCCESS; k++) {
            const char *name = definitions->properties[k].name;
            if (is_left_out(name))
                continue;
            SCOPED char *value = joined_property(merge, name);
            code = OTF2_Archive_SetProperty(merge->archive, name, value, true);
        }
    }
    return code;
}

static OTF2_ErrorCode describe(const struct merge *merge)
{
    const char *creator = merge->worlds[0].definitions->creator;
    unsigned n_worlds = 0;
    SCOPED char *description = NULL;
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        const struct merged_world *world = &merge->worlds[i];
        const char *number = definitions_property(world->definitions, "PAGODA::WORLDS");
        n_worlds += number ? (unsigned)strtoul(number, NULL, 10) : 1;
        if (strcmp(world->definitions->creator, creator) != 0)
            creator = "pagoda align";
        text_append(&description, "%s%s", i > 0 ? ", " : "merged by pagoda align from ",
                    world->path);
    }
    OTF2_ErrorCode code = OTF2_Archive_SetCreator(merge->archive, creator);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetDescription(merge->archive, description);
    if (code == OTF2_SUCCESS)
        code = write_properties(merge);
    SCOPED char *number = memory_format("%u", n_worlds);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetProperty(merge->archive, "PAGODA::WORLDS", number, true);
    return code;
}

// ---- locations

static int merge_location_files(struct merge *merge, struct merged_world *world, size_t index,
                                const char *folder, uint64_t event_bytes, struct error *err)
{
    uint64_t id = world->definitions->locations[index].id;
    SCOPED_BY(local_definitions_release) struct local_definitions new_one = {0};
    const struct local_definitions *own = trace_local_definitions(world->trace, index);
    merge->world = world;
    uint64_t new_id = merge_location(merge, id);
    merge_maps(world, own, &new_one);
    merge_offsets(merge, world, own, &new_one);
    merge->copy.code = shift_clocks_write(merge->archive, new_id, &new_one);
    if (merge->copy.code != OTF2_SUCCESS)
        return error_set(err, "cannot write: %s", otf2_error_cause(merge->copy.code));
    SCOPED char *from = archive_file_path(trace_path(world->trace), "/%" PRIu64 ".evt", id);
    SCOPED char *to = memory_format("%s/%s/%" PRIu64 ".evt", folder, archive_name, new_id);
    return rewrite_copy_chunks(from, world->event_bytes, to, event_bytes, err);
}

/// Whether LOCATION of WORLD has files in the new archive: of those that stand for what was not
/// traced the first does, if any.
static bool has_files(const struct merge *merge, const struct merged_world *world,
                      const struct location *location)
{
    if (!location->is_defined || location->id != world->outsider)
        return location->is_defined;
    const struct merged_world *before = merge->worlds;
    while (before < world && before->outsider == UINT64_MAX)
        before++;
    return merge->has_outsiders && before == world;
}

static int write_locations(struct merge *merge, const char *folder, uint64_t event_bytes,
                           struct error *err)
{
    struct progress progress;
    uint64_t n_done = 0;
    int status = 0;
    merge->copy.code = OTF2_Archive_OpenDefFiles(merge->archive);
    if (merge->copy.code != OTF2_SUCCESS)
        return error_set(err, "cannot write: %s", otf2_error_cause(merge->copy.code));
    progress_begin(&progress, "merging", merge->n_ids[REF_Location]);
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        struct merged_world *world = &merge->worlds[i];
        for (size_t k = 0; k < world->definitions->n_locations && status == 0; k++) {
            if (has_files(merge, world, &world->definitions->locations[k]))
                status = merge_location_files(merge, world, k, folder, event_bytes, err);
            progress_update(&progress, ++n_done);
        }
    }
    progress_end(&progress);
    if (status == 0)
        merge->copy.code = OTF2_Archive_CloseDefFiles(merge->archive);
    return status == 0 && merge->copy.code != OTF2_SUCCESS
               ? error_set(err, "cannot write: %s", otf2_error_cause(merge->copy.code))
               : status;
}

/// The new archive, before messages correct its clocks.
static int write_archive(struct merge *merge, const char *folder, struct error *err)
{
    uint64_t event_bytes = 0, definition_bytes = 0, id = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        const struct merged_world *world = &merge->worlds[i];
        event_bytes = world->event_bytes > event_bytes ? world->event_bytes : event_bytes;
        definition_bytes =
            world->definition_bytes > definition_bytes ? world->definition_bytes : definition_bytes;
        id = id * UINT64_C(0x100000001b3) ^ world->trace_id;
    }
    otf2_error_begin();
    merge->archive = rewrite_open(folder, archive_name, event_bytes, definition_bytes);
    if (!merge->archive)
        return error_set(err, "cannot write: %s", otf2_error_cause(OTF2_ERROR_FILE_INTERACTION));
    if (merge_definitions(merge, err) != 0 || write_locations(merge, folder, event_bytes, err) != 0)
        return -1;
    merge->copy.code = describe(merge);
    if (merge->copy.code == OTF2_SUCCESS)
        merge->copy.code = OTF2_Archive_Close(merge->archive);
    return merge->copy.code == OTF2_SUCCESS
               ? rewrite_set_id(folder, archive_name, id, err)
               : error_set(err, "cannot write: %s", otf2_error_cause(merge->copy.code));
}

/// Whether MERGED, which has been replayed, could be read to its end. 0, or -1 and ERR, which says
/// what of which archive could not.
static int check_merged(const struct merge *merge, const struct trace *merged, struct error *err)
{
    const struct definitions *definitions = trace_definitions(merged);
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location_report *report = trace_location_report(merged, i);
        if (!report->is_cut && !report->is_skipped)
            continue;
        for (uint32_t k = 0; k < merge->n_worlds; k++) {
            const struct id_pairs *ids = &merge->worlds[k].ids[REF_Location];
            for (size_t m = 0; m < ids->n; m++)
                if (ids->items[m].to == definitions->locations[i].id)
                    return error_set(err,
                                     "of '%s' the events of a location (%" PRIu64
                                     ".evt) cannot be read to their end: `pagoda check` says why",
                                     merge->worlds[k].path, ids->items[m].from);
        }
    }
    return 0;
}

struct merging {
    struct merge *merge;
    struct clock_report *report;
};

static int write_merged(void *context, const char *folder, struct error *err)
{
    const struct merging *merging = context;
    SCOPED char *scratch = memory_format("%s/.merged", folder);
    int status = mkdir(scratch, 0777) == 0
                     ? write_archive(merging->merge, scratch, err)
                     : error_set(err, "cannot make '%s': %s", scratch, strerror(errno));
    struct trace *merged = status == 0 ? trace_open(scratch, err) : NULL;
    int corrected = merged ? correct_clocks(merged, merging->report, err) : -1;
    status = corrected < 0          ? -1
             : interrupt_has_come() ? error_set(err, "interrupted")
                                    : check_merged(merging->merge, merged, err);
    if (status == 0 && corrected == 0)
        status = shift_clocks_moved(folder, merged, err);
    trace_close(merged);
    status = corrected == 0 ? status : -1;
    if (status == 0)
        status = scratch_folder_remove(scratch, err);
    return status;
}

int merge_write(struct merge *merge, const char *directory, struct clock_report *report,
                struct error *err)
{
    struct merging merging = {merge, report};
    return rewrite_wholly(directory, write_merged, &merging, err) == 0
               ? 0
               : error_wrap(err, "nothing was written to '%s'", directory);
}
