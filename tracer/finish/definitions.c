// SPDX-License-Identifier: BSD-3-Clause
// Writing of the archive's definitions, when everything that occurs is known. Events refer to
// definitions by their global numbers, so no mapping tables are needed.
#include "tracer/finish/archive.h"
#include "tracer/finish/memory.h"
#include "tracer/record/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The nodes, and which cores their ranks may use: the union of their affinity masks, so that
// ranks pinned to the same core count it once; and which ranks share them.

#define N_WORDS (SPOOL_CORES / 64)

struct node {
    uint64_t cores[N_WORDS]; // as struct spool_header.cores
    bool is_incomplete;      // a rank's mask is not known
    size_t n_of_masks;       // cores of its different masks, added up
};

struct nodes {
    struct table hosts; // names; a node's number is that of its host
    struct node *items;
    uint32_t *of_rank;
};

static uint32_t count(const uint64_t *cores)
{
    uint32_t n = 0;
    for (size_t i = 0; i < N_WORDS; i++)
        n += (uint32_t)__builtin_popcountll(cores[i]);
    return n;
}

static const char *host_of(const struct archive *archive, uint32_t rank)
{
    return archive->hosts[rank] ? archive->hosts[rank] : "unknown";
}

static void nodes_init(struct nodes *nodes, const struct archive *archive)
{
    *nodes = (struct nodes){.of_rank = alloc_or_die(archive->n_ranks * sizeof *nodes->of_rank)};
    for (uint32_t rank = 0; rank < archive->n_ranks; rank++) {
        const char *host = host_of(archive, rank);
        nodes->of_rank[rank] = table_number(&nodes->hosts, host, strlen(host) + 1, NULL);
    }
    nodes->items = alloc_or_die(nodes->hosts.n * sizeof *nodes->items);
    struct table masks = {0};
    for (uint32_t rank = 0; rank < archive->n_ranks; rank++) {
        struct node *node = &nodes->items[nodes->of_rank[rank]];
        uint64_t key[1 + N_WORDS] = {nodes->of_rank[rank]};
        if (archive->cores[rank])
            memcpy(key + 1, archive->cores[rank], sizeof node->cores);
        bool is_new;
        table_number(&masks, key, sizeof key, &is_new);
        node->is_incomplete |= count(key + 1) == 0;
        node->n_of_masks += is_new ? count(key + 1) : 0;
        for (size_t i = 0; i < N_WORDS; i++)
            node->cores[i] |= key[1 + i];
    }
    table_release(&masks);
}

static void nodes_release(struct nodes *nodes)
{
    table_release(&nodes->hosts);
    free(nodes->items);
    free(nodes->of_rank);
}

/// Whether any two masks are the same or have no core in common: then the ranks of one mask share
/// its cores among themselves.
static bool are_apart(const struct node *node)
{
    return !node->is_incomplete && node->n_of_masks == count(node->cores);
}

static bool has_core(const uint64_t *cores, size_t core)
{
    return core < SPOOL_CORES && (cores[core / 64] >> core % 64 & 1) != 0;
}

/// The mask as a list such as "0,2-3", which the caller frees.
static char *cores_text(const uint64_t *cores)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (size_t core = 0; core < SPOOL_CORES; core++) {
        size_t last = core;
        if (!has_core(cores, core))
            continue;
        while (has_core(cores, last + 1))
            last++;
        fprintf(stream, ftell(stream) > 0 ? ",%zu" : "%zu", core);
        if (last > core)
            fprintf(stream, "-%zu", last);
        core = last;
    }
    fclose(stream);
    return text;
}

// ---- Local definitions

/// A location's own definition file holds its clock offsets only.
static void write_local_definitions(struct archive *archive)
{
    archive_ok(archive, OTF2_Archive_CloseEvtFiles(archive->otf2));
    if (!archive_ok(archive, OTF2_Archive_OpenDefFiles(archive->otf2)))
        return;
    for (size_t i = 0; i < archive->n_locations; i++) {
        const struct archive_location *location = &archive->locations[i];
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(
            archive->otf2, archive_location_ref(location->rank, location->thread));
        if (!writer) {
            archive_ok(archive, OTF2_ERROR_FILE_CAN_NOT_OPEN);
            return;
        }
        for (uint32_t k = 0; k < location->n_offsets; k++)
            archive_ok(archive,
                       OTF2_DefWriter_WriteClockOffset(writer, location->offsets[k].time_ns,
                                                       location->offsets[k].offset_ns,
                                                       (double)location->offsets[k].error_ns));
        archive_ok(archive, OTF2_Archive_CloseDefWriter(archive->otf2, writer));
    }
    archive_ok(archive, OTF2_Archive_CloseDefFiles(archive->otf2));
}

// ---- Global definitions. A string is written when a definition first needs it.

struct writing {
    struct archive *archive;
    OTF2_GlobalDefWriter *to;
    uint32_t n_strings; // written
    struct nodes nodes;
    // By rank: of teams of OpenMP and of POSIX threads.
    OTF2_GroupRef *team_groups, *thread_groups;
};

#define DEFINE(w, definition, ...)                                                                 \
    archive_ok((w)->archive, OTF2_GlobalDefWriter_Write##definition((w)->to, __VA_ARGS__))

/// All strings of the archive up to now are in the file.
static void write_strings(struct writing *w)
{
    for (; w->n_strings < w->archive->strings.n; w->n_strings++)
        DEFINE(w, String, w->n_strings, table_key(&w->archive->strings, w->n_strings));
}

static OTF2_StringRef string(struct writing *w, const char *text)
{
    OTF2_StringRef number = archive_string(w->archive, text);
    write_strings(w);
    return number;
}

static const struct {
    const char *name;
    const char *description;
    OTF2_Type type;
} attributes[N_ATTRIBUTES] = {
    {"pagoda::communicator", "communicator of a posted receive or collective", OTF2_TYPE_COMM},
    {"pagoda::source", "rank in the communicator the receive asks for, -1: any", OTF2_TYPE_INT32},
    {"pagoda::tag", "tag the receive asks for, -1: any", OTF2_TYPE_INT32},
    {"pagoda::poll_count", "unsuccessful calls this one stands for", OTF2_TYPE_UINT64},
    {"pagoda::poll_ns", "time inside those calls", OTF2_TYPE_UINT64},
    {"pagoda::call_site", "function and line that made the call", OTF2_TYPE_CALLING_CONTEXT},
    {"pagoda::in_place", "1: the bytes do not count what the rank keeps", OTF2_TYPE_UINT8},
    {"pagoda::barrier", "number of the barrier in its process", OTF2_TYPE_UINT32},
    {"pagoda::condition", "number of the condition in its process", OTF2_TYPE_UINT32},
    {"pagoda::collective", "1: done by all that opened the file together", OTF2_TYPE_UINT8},
};

static void write_attributes(struct writing *w)
{
    const struct table *parameters = &w->archive->parameters;
    for (uint32_t i = 0; i < N_ATTRIBUTES; i++)
        DEFINE(w, Attribute, i, string(w, attributes[i].name), string(w, attributes[i].description),
               attributes[i].type);
    for (uint32_t i = 0; i < parameters->n; i++)
        DEFINE(w, Attribute, N_ATTRIBUTES + i, *(const uint32_t *)table_key(parameters, i),
               string(w, ""), OTF2_TYPE_DOUBLE);
}

/// Whether a location has threads of PARADIGM.
static bool takes_part(const struct archive_location *location, OTF2_Paradigm paradigm)
{
    return paradigm == OTF2_PARADIGM_OPENMP ? location->has_teams : location->has_threads;
}

static bool has_threads(const struct archive *archive, OTF2_Paradigm paradigm)
{
    for (size_t i = 0; i < archive->n_locations; i++)
        if (takes_part(&archive->locations[i], paradigm))
            return true;
    return false;
}

static void write_paradigms(struct writing *w)
{
    OTF2_AttributeValue template = {.stringRef = string(w, "MPI Rank ${id}")};
    DEFINE(w, Paradigm, OTF2_PARADIGM_MPI, string(w, "MPI"), OTF2_PARADIGM_CLASS_PROCESS);
    DEFINE(w, ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
           OTF2_TYPE_STRING, template);
    if (has_threads(w->archive, OTF2_PARADIGM_OPENMP))
        DEFINE(w, Paradigm, OTF2_PARADIGM_OPENMP, string(w, "OpenMP"),
               OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    if (has_threads(w->archive, OTF2_PARADIGM_PTHREAD))
        DEFINE(w, Paradigm, OTF2_PARADIGM_PTHREAD, string(w, "Pthread"),
               OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
}

static void write_node(struct writing *w, uint32_t node, const char *name, const char *class,
                       OTF2_SystemTreeNodeRef parent, OTF2_SystemTreeDomain domain)
{
    DEFINE(w, SystemTreeNode, node, string(w, name), string(w, class), parent);
    DEFINE(w, SystemTreeNodeDomain, node, domain);
}

static void write_location_group(struct writing *w, uint32_t rank, const char *name, uint32_t node)
{
    DEFINE(w, LocationGroup, rank, string(w, name), OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
           OTF2_UNDEFINED_LOCATION_GROUP);
}

/// The machine, a node for each host in order of its first rank, a location group for each rank.
static void write_system_tree(struct writing *w)
{
    const struct archive *archive = w->archive;
    const struct nodes *nodes = &w->nodes;
    write_node(w, 0, "machine", "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE,
               OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (uint32_t i = 0; i < nodes->hosts.n; i++)
        write_node(w, 1 + i, table_key(&nodes->hosts, i), "node", 0,
                   OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    for (uint32_t i = 0; i < nodes->hosts.n; i++) {
        const struct node *node = &nodes->items[i];
        OTF2_AttributeValue value = {.uint32 = count(node->cores)};
        if (!node->is_incomplete)
            DEFINE(w, SystemTreeNodeProperty, 1 + i, string(w, "PAGODA::CORES"), OTF2_TYPE_UINT32,
                   value);
    }
    for (uint32_t rank = 0; rank < archive->n_ranks; rank++) {
        char name[32];
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        write_location_group(w, rank, name, 1 + nodes->of_rank[rank]);
    }
    if (archive->has_outsiders)
        write_location_group(w, archive->n_ranks, "processes that were not traced", 0);
}

/// A property of a location; none for 0, or NULL.
static void number_property(struct writing *w, OTF2_LocationRef location, const char *name,
                            uint64_t number)
{
    OTF2_AttributeValue value = {.uint64 = number};
    if (number != 0)
        DEFINE(w, LocationProperty, location, string(w, name), OTF2_TYPE_UINT64, value);
}

static void text_property(struct writing *w, OTF2_LocationRef location, const char *name,
                          const char *text)
{
    if (!text)
        return;
    OTF2_AttributeValue value = {.stringRef = string(w, text)};
    DEFINE(w, LocationProperty, location, string(w, name), OTF2_TYPE_STRING, value);
}

/// How a thread was recorded: until when if its process did not end regularly, how many short
/// regions were dropped, what recording took of its time, and what it got of its cores.
static void write_properties(struct writing *w, OTF2_LocationRef id,
                             const struct archive_location *location)
{
    const struct recording_cost *cost = &location->cost;
    number_property(w, id, "PAGODA::UNTRACED", location->rank == w->archive->n_ranks);
    number_property(w, id, "PAGODA::RECORDED_UNTIL", location->recorded_until_ns);
    number_property(w, id, "PAGODA::SHORT_REGIONS", location->n_short);
    if (cost->ns != 0) {
        number_property(w, id, "PAGODA::RECORDING_NS", cost->ns);
        number_property(w, id, "PAGODA::RECORDING_OF_NS", cost->of_ns);
        number_property(w, id, "PAGODA::EXCLUDED_NS", cost->excluded_ns);
        number_property(w, id, "PAGODA::RECORD_PS", cost->record_ps);
    }
    number_property(w, id, "PAGODA::CORE_OF_NS", location->core_use.of_ns);
    number_property(w, id, "PAGODA::CORE_USED_NS", location->core_use.used_ns);
    number_property(w, id, "PAGODA::CORE_WAIT_NS", location->core_use.wait_ns);
    text_property(w, id, "PAGODA::STOPPED", location->stopped);
}

/// The program of a rank where it is not the archive's, which is that of the first rank.
static void write_program(struct writing *w, OTF2_LocationRef id,
                          const struct archive_location *location)
{
    const struct archive_location *first = &w->archive->locations[0];
    if (!location->executable || !first->executable ||
        (strcmp(location->executable, first->executable) == 0 &&
         strcmp(location->command, first->command) == 0))
        return;
    text_property(w, id, "PAGODA::EXECUTABLE", location->executable);
    text_property(w, id, "PAGODA::PROGRAM", location->command);
}

static void write_locations(struct writing *w)
{
    const struct archive *archive = w->archive;
    for (size_t i = 0; i < archive->n_locations; i++) {
        const struct archive_location *location = &archive->locations[i];
        OTF2_LocationRef id = archive_location_ref(location->rank, location->thread);
        char name[32] = "Master thread";
        if (location->thread > 0)
            snprintf(name, sizeof name, "Thread %u", location->thread);
        if (location->thread > 0 && location->has_teams)
            snprintf(name, sizeof name, "OpenMP thread %llu",
                     (unsigned long long)location->team_thread);
        DEFINE(w, Location, id, string(w, name), OTF2_LOCATION_TYPE_CPU_THREAD, location->n_events,
               location->rank);
        write_properties(w, id, location);
        write_program(w, id, location);
        if (location->thread == 0 && location->rank < archive->n_ranks &&
            are_apart(&w->nodes.items[w->nodes.of_rank[location->rank]])) {
            char *cores = cores_text(archive->cores[location->rank]);
            text_property(w, id, "PAGODA::BOUND_TO", cores);
            free(cores);
        }
    }
}

static void write_regions(struct writing *w)
{
    for (uint32_t i = 0; i < w->archive->regions.n; i++) {
        const struct archive_region *region = table_key(&w->archive->regions, i);
        OTF2_StringRef description =
            string(w, region->role == OTF2_REGION_ROLE_ARTIFICIAL ? "pagoda marker" : "");
        DEFINE(w, Region, i, region->name, region->name, description, (OTF2_RegionRole)region->role,
               (OTF2_Paradigm)region->paradigm, OTF2_REGION_FLAG_NONE, region->file, region->line,
               region->line);
    }
}

static void write_calling_contexts(struct writing *w)
{
    for (uint32_t i = 0; i < w->archive->lines.n; i++) {
        const struct archive_line *line = table_key(&w->archive->lines, i);
        DEFINE(w, SourceCodeLocation, i, line->file, line->line);
    }
    // A parent has a lower number than its children.
    for (uint32_t i = 0; i < w->archive->contexts.n; i++) {
        const struct archive_context *context = table_key(&w->archive->contexts, i);
        DEFINE(w, CallingContext, i, context->region, context->line, context->parent);
    }
}

static void write_group(struct writing *w, OTF2_GroupRef group, OTF2_GroupType type,
                        OTF2_Paradigm paradigm, const uint64_t *members, uint32_t n)
{
    DEFINE(w, Group, group, string(w, ""), type, paradigm, OTF2_GROUP_FLAG_NONE, n, members);
}

/// The groups of threads of PARADIGM, from *NEXT on: first the locations of all of them, then, for
/// each rank with some, which of these are its own. A team may be of any of them.
static void write_thread_groups(struct writing *w, OTF2_Paradigm paradigm, OTF2_GroupRef *next,
                                OTF2_GroupRef *of_rank)
{
    const struct archive *archive = w->archive;
    uint64_t *members = alloc_or_die((archive->n_locations + 1) * sizeof *members);
    uint32_t n = 0;
    for (size_t i = 0; i < archive->n_locations; i++)
        if (takes_part(&archive->locations[i], paradigm))
            members[n++] =
                archive_location_ref(archive->locations[i].rank, archive->locations[i].thread);
    if (n > 0)
        write_group(w, (*next)++, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, members, n);
    for (uint32_t begin = 0, end = 0; begin < n; begin = end) {
        uint32_t rank = (uint32_t)members[begin];
        for (; end < n && (uint32_t)members[end] == rank; end++)
            members[end] = end;
        of_rank[rank] = (*next)++;
        write_group(w, of_rank[rank], OTF2_GROUP_TYPE_COMM_GROUP, paradigm, members + begin,
                    end - begin);
    }
    free(members);
}

/// Group 0: the locations that communicate; 1: the empty group of MPI_COMM_SELF; then members; then
/// those of threads.
static void write_groups(struct writing *w, const struct unify *unify)
{
    uint32_t n_ranks = w->archive->n_ranks, n_locations = n_ranks + w->archive->has_outsiders;
    uint64_t *members = alloc_or_die(n_locations * sizeof *members);
    for (uint32_t rank = 0; rank < n_locations; rank++)
        members[rank] = archive_location_ref(rank, 0);
    write_group(w, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, members, n_locations);
    write_group(w, 1, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, NULL, 0);
    for (uint32_t i = 0; i < unify->groups.n; i++) {
        struct unify_group group = unify_group(unify, i);
        members = realloc_or_die(members, (group.n + 1) * sizeof *members);
        for (uint32_t k = 0; k < group.n; k++) {
            bool is_here = group.members[k] >= 0 && (uint32_t)group.members[k] < n_ranks;
            members[k] = is_here ? (uint64_t)group.members[k] : n_ranks;
        }
        write_group(w, UNIFY_FIRST_GROUP + i, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                    members, group.n);
    }
    free(members);
    OTF2_GroupRef next = UNIFY_FIRST_GROUP + unify->groups.n;
    write_thread_groups(w, OTF2_PARADIGM_OPENMP, &next, w->team_groups);
    write_thread_groups(w, OTF2_PARADIGM_PTHREAD, &next, w->thread_groups);
}

static OTF2_GroupRef group_ref(uint32_t group)
{
    return group == RECORD_NO_COMM ? 1 : UNIFY_FIRST_GROUP + group;
}

/// A team of OpenMP, or all POSIX threads of a rank.
static void write_threads(struct writing *w, const struct unify_comm *comm)
{
    bool is_team = comm->remote == UNIFY_TEAM;
    DEFINE(w, Comm, comm->number, string(w, is_team ? "OpenMP team" : "threads"),
           (is_team ? w->team_groups : w->thread_groups)[comm->group], OTF2_UNDEFINED_COMM,
           OTF2_COMM_FLAG_NONE);
}

static void write_comms(struct writing *w, const struct unify *unify)
{
    for (uint32_t i = 0; i < unify->comm_keys.n; i++) {
        const struct unify_comm *comm = &unify->comms[i];
        if (comm->remote == UNIFY_WINDOW)
            continue;
        if (comm->remote == UNIFY_TEAM || comm->remote == UNIFY_THREADS) {
            write_threads(w, comm);
            continue;
        }
        OTF2_StringRef name = string(w, comm->name ? comm->name : "");
        OTF2_CommRef parent = comm->parent == RECORD_NO_COMM ? OTF2_UNDEFINED_COMM
                                                             : unify->comms[comm->parent].number;
        OTF2_GroupRef group = group_ref(comm->group);
        if (comm->remote == RECORD_NO_COMM)
            DEFINE(w, Comm, comm->number, name, group, parent, OTF2_COMM_FLAG_NONE);
        else
            DEFINE(w, InterComm, comm->number, name, group, group_ref(comm->remote), parent,
                   OTF2_COMM_FLAG_NONE);
    }
}

static void write_windows(struct writing *w, const struct unify *unify)
{
    for (uint32_t i = 0; i < unify->comm_keys.n; i++) {
        const struct unify_comm *window = &unify->comms[i];
        if (window->remote == UNIFY_WINDOW)
            DEFINE(w, RmaWin, window->number, string(w, window->name ? window->name : ""),
                   unify->comms[window->parent].number, OTF2_RMA_WIN_FLAG_NONE);
    }
}

static void write_cpu_metric(struct writing *w)
{
    static const char *const members[][2] = {
        {"process_cpu_time", "CPU time of the process so far"},
        {"thread_core_wait", "time that the thread was ready to run and had no core so far"}};
    static const OTF2_MetricMemberRef numbers[] = {0, 1};
    if (!w->archive->has_cpu_metric)
        return;
    for (uint32_t i = 0; i < 2; i++)
        DEFINE(w, MetricMember, numbers[i], string(w, members[i][0]), string(w, members[i][1]),
               OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
               OTF2_BASE_DECIMAL, 0, string(w, "ns"));
    // Class 0 where the system does not tell the second one.
    for (uint8_t i = 0; i < 2; i++)
        DEFINE(w, MetricClass, i, (uint8_t)(i + 1), numbers, OTF2_METRIC_SYNCHRONOUS,
               OTF2_RECORDER_KIND_CPU);
}

static void write_counter(struct writing *w, OTF2_MetricMemberRef ref, const char *name)
{
    struct counter_meaning meaning = counter_meaning(name);
    OTF2_MetricType type = meaning.is_papi    ? OTF2_METRIC_TYPE_PAPI
                           : meaning.is_usage ? OTF2_METRIC_TYPE_RUSAGE
                                              : OTF2_METRIC_TYPE_OTHER;
    DEFINE(w, MetricMember, ref, string(w, name), string(w, meaning.description), type,
           OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, meaning.exponent,
           string(w, meaning.unit));
}

/// Those that were recorded, and a class for each set of them.
static void write_counters(struct writing *w)
{
    const struct table *sets = &w->archive->counter_sets;
    OTF2_MetricMemberRef refs[SETTINGS_COUNTERS], next = FIRST_COUNTER;
    uint64_t all = 0;
    for (uint32_t k = 0; k < sets->n; k++)
        all |= *(const uint64_t *)table_key(sets, k);
    for (uint8_t i = 0; i < SETTINGS_COUNTERS; i++)
        if ((all >> i & 1) != 0)
            write_counter(w, refs[i] = next++, settings.counters[i]);
    for (uint32_t k = 0; k < sets->n; k++) {
        OTF2_MetricMemberRef members[SETTINGS_COUNTERS];
        uint8_t n = 0;
        for (uint8_t i = 0; i < SETTINGS_COUNTERS; i++)
            if ((*(const uint64_t *)table_key(sets, k) >> i & 1) != 0)
                members[n++] = refs[i];
        DEFINE(w, MetricClass, FIRST_COUNTER + k, n, members, OTF2_METRIC_SYNCHRONOUS,
               OTF2_RECORDER_KIND_CPU);
    }
}

static const struct {
    const char *id, *name;
    OTF2_IoParadigmClass class;
    OTF2_IoParadigmFlag flags;
} file_paradigms[N_FILE_PARADIGMS] = {
    [RECORD_MPI_IO] = {"MPI-IO", "MPI-IO", OTF2_IO_PARADIGM_CLASS_PARALLEL,
                       OTF2_IO_PARADIGM_FLAG_NONE},
    [RECORD_POSIX] = {"POSIX", "POSIX I/O", OTF2_IO_PARADIGM_CLASS_SERIAL,
                      OTF2_IO_PARADIGM_FLAG_OS},
    [RECORD_ISO_C] = {"ISOC", "ISO C I/O", OTF2_IO_PARADIGM_CLASS_SERIAL,
                      OTF2_IO_PARADIGM_FLAG_NONE},
};

/// References of those that occur.
static void write_file_paradigms(struct writing *w, OTF2_IoParadigmRef *refs)
{
    const struct table *handles = &w->archive->files;
    bool occurs[N_FILE_PARADIGMS] = {false};
    OTF2_IoParadigmRef n = 0;
    for (uint32_t i = 0; i < handles->n; i++)
        occurs[((const struct archive_file *)table_key(handles, i))->paradigm] = true;
    for (size_t i = 0; i < N_FILE_PARADIGMS; i++) {
        refs[i] = n;
        if (!occurs[i])
            continue;
        DEFINE(w, IoParadigm, n++, string(w, file_paradigms[i].id),
               string(w, file_paradigms[i].name), file_paradigms[i].class, file_paradigms[i].flags,
               0, NULL, NULL, NULL);
    }
}

/// Handles, and a file for each of their names, below the machine: which node has it is not known.
static void write_files(struct writing *w)
{
    const struct table *handles = &w->archive->files;
    struct table names = {0};
    OTF2_IoParadigmRef paradigms[N_FILE_PARADIGMS];
    write_file_paradigms(w, paradigms);
    for (uint32_t i = 0; i < handles->n; i++) {
        const struct archive_file *handle = table_key(handles, i);
        bool is_new;
        uint32_t file = table_number(&names, &handle->name, sizeof handle->name, &is_new);
        if (is_new)
            DEFINE(w, IoRegularFile, file, handle->name, 0);
        DEFINE(w, IoHandle, i, handle->name, file, paradigms[handle->paradigm],
               OTF2_IO_HANDLE_FLAG_NONE, handle->comm, OTF2_UNDEFINED_IO_HANDLE);
    }
    table_release(&names);
}

bool archive_write_definitions(struct archive *archive, const struct unify *unify)
{
    write_local_definitions(archive);
    if (archive->error)
        return false;
    struct writing w = {.archive = archive, .to = OTF2_Archive_GetGlobalDefWriter(archive->otf2)};
    if (!w.to)
        return archive_ok(archive, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    nodes_init(&w.nodes, archive);
    w.team_groups = alloc_or_die(archive->n_ranks * sizeof *w.team_groups);
    w.thread_groups = alloc_or_die(archive->n_ranks * sizeof *w.thread_groups);
    DEFINE(&w, ClockProperties, 1000000000, archive->first_ns, archive->last_ns - archive->first_ns,
           archive->realtime_ns);
    write_strings(&w);
    write_paradigms(&w);
    write_attributes(&w);
    write_system_tree(&w);
    write_locations(&w);
    write_regions(&w);
    write_calling_contexts(&w);
    write_groups(&w, unify);
    write_comms(&w, unify);
    write_windows(&w, unify);
    write_files(&w);
    write_cpu_metric(&w);
    write_counters(&w);
    nodes_release(&w.nodes);
    free(w.team_groups);
    free(w.thread_groups);
    return archive_ok(archive, OTF2_Archive_CloseGlobalDefWriter(archive->otf2, w.to));
}
