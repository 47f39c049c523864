// SPDX-License-Identifier: BSD-3-Clause
// Writing of the archive's definitions, when everything that occurs is known. Events refer to
// definitions by their global numbers, so no mapping tables are needed.
#include "tracer/finish/archive.h"
#include "tracer/finish/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Which cores the ranks of one node may use: the union of their affinity masks, so that ranks
// pinned to the same core count it once; and which ranks share them.

#define N_WORDS (SPOOL_CORES / 64)

struct node_cores {
    uint64_t used[SPOOL_CORES / 64]; // as struct spool_header.cores
    bool is_incomplete;              // a rank's mask is not known
};

/// Adds the mask of a rank; NULL or all zero: not known.
static void node_cores_add(struct node_cores *node, const uint64_t *cores)
{
    bool is_known = false;
    for (size_t i = 0; cores && i < N_WORDS; i++) {
        node->used[i] |= cores[i];
        is_known = is_known || cores[i] != 0;
    }
    if (!is_known)
        node->is_incomplete = true;
}

/// The number of cores, 0 if a rank's are not known.
static uint32_t node_cores_count(const struct node_cores *node)
{
    uint32_t n = 0;
    for (size_t i = 0; !node->is_incomplete && i < N_WORDS; i++)
        n += (uint32_t)__builtin_popcountll(node->used[i]);
    return n;
}

static bool are_apart(const uint64_t *a, const uint64_t *b)
{
    if (memcmp(a, b, N_WORDS * sizeof *a) == 0)
        return true;
    bool have_common = false;
    for (size_t i = 0; i < N_WORDS; i++)
        have_common = have_common || (a[i] & b[i]) != 0;
    return !have_common;
}

/// Whether all masks are known, and any two of them the same or without a core in common: then the
/// ranks of one mask share its cores among themselves.
static bool cores_are_apart(const uint64_t *const *cores, size_t n_ranks)
{
    for (size_t i = 0; i < n_ranks; i++) {
        struct node_cores known = {0};
        node_cores_add(&known, cores[i]);
        if (known.is_incomplete)
            return false;
        for (size_t j = 0; j < i; j++)
            if (!are_apart(cores[i], cores[j]))
                return false;
    }
    return true;
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

// ---- Global definitions. Strings are added on the way and written first, so everything that
// needs one asks for it in collect_strings() before the first record.

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
};

static void write_attributes(struct archive *archive, OTF2_GlobalDefWriter *writer)
{
    uint32_t empty = archive_string(archive, "");

    for (uint32_t i = 0; i < N_ATTRIBUTES; i++)
        archive_ok(archive,
                   OTF2_GlobalDefWriter_WriteAttribute(
                       writer, i, archive_string(archive, attributes[i].name),
                       archive_string(archive, attributes[i].description), attributes[i].type));
    for (uint32_t i = 0; i < archive->parameters.n; i++)
        archive_ok(archive, OTF2_GlobalDefWriter_WriteAttribute(writer, N_ATTRIBUTES + i,
                                                                archive->parameter_names[i], empty,
                                                                OTF2_TYPE_DOUBLE));
}

static void write_paradigms(struct archive *archive, OTF2_GlobalDefWriter *writer)
{
    OTF2_AttributeValue template = {.stringRef = archive_string(archive, "MPI Rank ${id}")};

    archive_ok(archive, OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI,
                                                           archive_string(archive, "MPI"),
                                                           OTF2_PARADIGM_CLASS_PROCESS));
    archive_ok(archive, OTF2_GlobalDefWriter_WriteParadigmProperty(
                            writer, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                            OTF2_TYPE_STRING, template));
}

static const char outsiders_name[] = "processes that were not traced";

static const char *host_of(const struct archive *archive, uint32_t rank)
{
    return archive->hosts[rank] ? archive->hosts[rank] : "unknown";
}

static void write_cores(struct archive *archive, OTF2_GlobalDefWriter *writer, uint32_t node,
                        const struct node_cores *cores)
{
    OTF2_AttributeValue value = {.uint32 = node_cores_count(cores)};

    if (value.uint32 > 0)
        archive_ok(archive, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
                                writer, node, archive_string(archive, "PAGODA::CORES"),
                                OTF2_TYPE_UINT32, value));
}

/// The machine, a node for each host in order of its first rank, a location group for each rank.
static void write_system_tree(struct archive *archive, OTF2_GlobalDefWriter *writer)
{
    uint32_t node_class = archive_string(archive, "node");

    archive_ok(archive, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                            writer, 0, archive_string(archive, "machine"),
                            archive_string(archive, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    archive_ok(archive, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                            writer, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    struct table nodes = {0};
    struct node_cores *cores = NULL; // by node
    bool is_new;
    for (uint32_t rank = 0; rank < archive->n_ranks; rank++) {
        const char *host = host_of(archive, rank);
        uint32_t node = 1 + table_number(&nodes, host, strlen(host) + 1, &is_new);

        if (is_new) {
            cores = realloc_or_die(cores, node * sizeof *cores);
            cores[node - 1] = (struct node_cores){0};
        }
        node_cores_add(&cores[node - 1], archive->cores[rank]);
        if (!is_new)
            continue;
        archive_ok(archive, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                                writer, node, archive_string(archive, host), node_class, 0));
        archive_ok(archive, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                                writer, node, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    for (uint32_t i = 0; i < nodes.n; i++)
        write_cores(archive, writer, 1 + i, &cores[i]);
    free(cores);
    for (uint32_t rank = 0; rank < archive->n_ranks; rank++) {
        const char *host = host_of(archive, rank);

        char name[32];
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        archive_ok(archive, OTF2_GlobalDefWriter_WriteLocationGroup(
                                writer, rank, archive_string(archive, name),
                                OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                1 + table_number(&nodes, host, strlen(host) + 1, &is_new),
                                OTF2_UNDEFINED_LOCATION_GROUP));
    }
    if (archive->has_outsiders)
        archive_ok(archive,
                   OTF2_GlobalDefWriter_WriteLocationGroup(
                       writer, archive->n_ranks, archive_string(archive, outsiders_name),
                       OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
    table_release(&nodes);
}

static void thread_name(char *name, size_t size, uint32_t thread)
{
    if (thread == 0)
        snprintf(name, size, "Master thread");
    else
        snprintf(name, size, "Thread %u", thread);
}

static void write_cost(struct archive *archive, OTF2_GlobalDefWriter *writer,
                       const struct archive_location *location)
{
    const struct {
        const char *name;
        uint64_t ns;
    } costs[] = {{"PAGODA::RECORDING_NS", location->cost.ns},
                 {"PAGODA::RECORDING_OF_NS", location->cost.of_ns},
                 {"PAGODA::EXCLUDED_NS", location->cost.excluded_ns}};

    for (size_t i = 0; i < 3 && location->cost.ns != 0; i++) {
        OTF2_AttributeValue value = {.uint64 = costs[i].ns};

        if (value.uint64 != 0)
            archive_ok(archive,
                       OTF2_GlobalDefWriter_WriteLocationProperty(
                           writer, archive_location_ref(location->rank, location->thread),
                           archive_string(archive, costs[i].name), OTF2_TYPE_UINT64, value));
    }
}

/// How a thread was recorded: until when if its process did not end regularly, how many short
/// regions were dropped, and what recording took of its time.
static void write_gaps_of(struct archive *archive, OTF2_GlobalDefWriter *writer,
                          const struct archive_location *location)
{
    OTF2_LocationRef id = archive_location_ref(location->rank, location->thread);
    OTF2_AttributeValue value = {.uint64 = location->recorded_until_ns};
    OTF2_AttributeValue n_short = {.uint64 = location->n_short};
    OTF2_AttributeValue yes = {.uint64 = 1};

    if (location->rank == archive->n_ranks)
        archive_ok(archive, OTF2_GlobalDefWriter_WriteLocationProperty(
                                writer, id, archive_string(archive, "PAGODA::UNTRACED"),
                                OTF2_TYPE_UINT64, yes));
    if (location->recorded_until_ns != 0)
        archive_ok(archive, OTF2_GlobalDefWriter_WriteLocationProperty(
                                writer, id, archive_string(archive, "PAGODA::RECORDED_UNTIL"),
                                OTF2_TYPE_UINT64, value));
    if (location->n_short != 0)
        archive_ok(archive, OTF2_GlobalDefWriter_WriteLocationProperty(
                                writer, id, archive_string(archive, "PAGODA::SHORT_REGIONS"),
                                OTF2_TYPE_UINT64, n_short));
    write_cost(archive, writer, location);
    if (!location->stopped)
        return;
    value.stringRef = archive_string(archive, location->stopped);
    archive_ok(archive, OTF2_GlobalDefWriter_WriteLocationProperty(
                            writer, id, archive_string(archive, "PAGODA::STOPPED"),
                            OTF2_TYPE_STRING, value));
}

/// Whether the ranks of RANK's node share its cores in groups that have none in common.
static bool is_bound(const struct archive *archive, uint32_t rank)
{
    const uint64_t **masks = alloc_or_die(archive->n_ranks * sizeof *masks);

    size_t n = 0;
    for (uint32_t other = 0; other < archive->n_ranks; other++)
        if (strcmp(host_of(archive, other), host_of(archive, rank)) == 0)
            masks[n++] = archive->cores[other];
    bool is_apart = cores_are_apart(masks, n);
    free(masks);
    return is_apart;
}

/// Which cores a rank is bound to.
static void write_binding(struct archive *archive, OTF2_GlobalDefWriter *writer, uint32_t rank)
{
    char *text = cores_text(archive->cores[rank]);
    OTF2_AttributeValue value = {.stringRef = archive_string(archive, text ? text : "")};

    if (text)
        archive_ok(archive,
                   OTF2_GlobalDefWriter_WriteLocationProperty(
                       writer, archive_location_ref(rank, 0),
                       archive_string(archive, "PAGODA::BOUND_TO"), OTF2_TYPE_STRING, value));
    free(text);
}

static void write_locations(struct archive *archive, OTF2_GlobalDefWriter *writer)
{
    bool *is_known = alloc_or_die(archive->n_ranks * sizeof *is_known);

    for (uint32_t rank = 0; rank < archive->n_ranks; rank++)
        is_known[rank] = rank > 0 && strcmp(host_of(archive, rank), host_of(archive, rank - 1)) == 0
                             ? is_known[rank - 1]
                             : is_bound(archive, rank);
    for (size_t i = 0; i < archive->n_locations; i++) {
        const struct archive_location *location = &archive->locations[i];

        char name[32];
        thread_name(name, sizeof name, location->thread);
        archive_ok(archive, OTF2_GlobalDefWriter_WriteLocation(
                                writer, archive_location_ref(location->rank, location->thread),
                                archive_string(archive, name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                location->n_events, location->rank));
        write_gaps_of(archive, writer, location);
        if (location->thread == 0 && location->rank < archive->n_ranks && is_known[location->rank])
            write_binding(archive, writer, location->rank);
    }
    free(is_known);
}

static void write_regions(struct archive *archive, OTF2_GlobalDefWriter *writer)
{
    for (uint32_t i = 0; i < archive->regions.n; i++) {
        const struct archive_region *region = &archive->region_list[i];
        uint32_t description = archive_string(
            archive, region->role == OTF2_REGION_ROLE_ARTIFICIAL ? "pagoda marker" : "");

        archive_ok(archive, OTF2_GlobalDefWriter_WriteRegion(
                                writer, i, region->name, region->canonical_name, description,
                                (OTF2_RegionRole)region->role, (OTF2_Paradigm)region->paradigm,
                                OTF2_REGION_FLAG_NONE, region->file, region->line, region->line));
    }
}

static void write_calling_contexts(struct archive *archive, OTF2_GlobalDefWriter *writer)
{
    for (uint32_t i = 0; i < archive->lines.n; i++)
        archive_ok(archive, OTF2_GlobalDefWriter_WriteSourceCodeLocation(
                                writer, i, archive->line_list[i].file, archive->line_list[i].line));
    // A parent has a lower number than its children.
    for (uint32_t i = 0; i < archive->contexts.n; i++) {
        const struct archive_context *context = &archive->context_list[i];

        archive_ok(archive, OTF2_GlobalDefWriter_WriteCallingContext(
                                writer, i, context->region, context->line, context->parent));
    }
}

/// Group 0: the locations that communicate; 1: the empty group of MPI_COMM_SELF; then members.
static void write_groups(struct archive *archive, OTF2_GlobalDefWriter *writer,
                         const struct unify *unify)
{
    uint32_t empty = archive_string(archive, "");
    uint32_t n_locations = archive->n_ranks + archive->has_outsiders;
    uint64_t *members = alloc_or_die(n_locations * sizeof *members);

    for (uint32_t rank = 0; rank < n_locations; rank++)
        members[rank] = archive_location_ref(rank, 0);
    archive_ok(archive, OTF2_GlobalDefWriter_WriteGroup(
                            writer, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                            OTF2_GROUP_FLAG_NONE, n_locations, members));
    archive_ok(archive,
               OTF2_GlobalDefWriter_WriteGroup(writer, 1, empty, OTF2_GROUP_TYPE_COMM_SELF,
                                               OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL));
    for (uint32_t i = 0; i < unify->n_groups; i++) {
        const struct unify_group *group = &unify->groups[i];

        members = realloc_or_die(members, (group->n + 1) * sizeof *members);
        uint32_t n = 0;
        for (; n < group->n; n++) {
            bool is_here = group->members[n] >= 0 && (uint32_t)group->members[n] < archive->n_ranks;

            members[n] = is_here ? (uint64_t)group->members[n] : archive->n_ranks;
        }
        archive_ok(archive, OTF2_GlobalDefWriter_WriteGroup(
                                writer, 2 + i, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                OTF2_GROUP_FLAG_NONE, n, members));
    }
    free(members);
}

static OTF2_GroupRef group_ref(uint32_t group)
{
    return group == RECORD_NO_COMM ? 1 : 2 + group;
}

static void write_comms(struct archive *archive, OTF2_GlobalDefWriter *writer,
                        const struct unify *unify)
{
    for (uint32_t i = 0; i < unify->n_comms; i++) {
        const struct unify_comm *comm = &unify->comms[i];
        uint32_t name = archive_string(archive, comm->name ? comm->name : "");
        OTF2_CommRef parent = comm->parent == RECORD_NO_COMM ? OTF2_UNDEFINED_COMM : comm->parent;

        if (comm->remote == RECORD_NO_COMM)
            archive_ok(archive,
                       OTF2_GlobalDefWriter_WriteComm(writer, i, name, group_ref(comm->group),
                                                      parent, OTF2_COMM_FLAG_NONE));
        else
            archive_ok(archive, OTF2_GlobalDefWriter_WriteInterComm(
                                    writer, i, name, group_ref(comm->group),
                                    group_ref(comm->remote), parent, OTF2_COMM_FLAG_NONE));
    }
}

static void write_cpu_metric(struct archive *archive, OTF2_GlobalDefWriter *writer)
{
    if (!archive->has_cpu_metric)
        return;
    archive_ok(archive, OTF2_GlobalDefWriter_WriteMetricMember(
                            writer, 0, archive_string(archive, "process_cpu_time"),
                            archive_string(archive, "CPU time of the process so far"),
                            OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                            OTF2_BASE_DECIMAL, 0, archive_string(archive, "ns")));
    OTF2_MetricMemberRef member = 0;
    archive_ok(archive,
               OTF2_GlobalDefWriter_WriteMetricClass(writer, 0, 1, &member, OTF2_METRIC_SYNCHRONOUS,
                                                     OTF2_RECORDER_KIND_CPU));
}

/// Asks for every text that a definition will use, so that the strings can be written first.
static void collect_strings(struct archive *archive, const struct unify *unify)
{
    static const char *const fixed[] = {"MPI",
                                        "MPI Rank ${id}",
                                        "machine",
                                        "node",
                                        "unknown",
                                        "pagoda marker",
                                        "process_cpu_time",
                                        "CPU time of the process so far",
                                        "ns",
                                        "PAGODA::CORES",
                                        "PAGODA::BOUND_TO",
                                        "PAGODA::RECORDED_UNTIL",
                                        "PAGODA::SHORT_REGIONS",
                                        "PAGODA::RECORDING_NS",
                                        "PAGODA::RECORDING_OF_NS",
                                        "PAGODA::EXCLUDED_NS",
                                        "PAGODA::STOPPED",
                                        outsiders_name,
                                        "PAGODA::UNTRACED"};

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        archive_string(archive, fixed[i]);
    for (uint32_t i = 0; i < N_ATTRIBUTES; i++) {
        archive_string(archive, attributes[i].name);
        archive_string(archive, attributes[i].description);
    }
    char name[32];
    for (uint32_t rank = 0; rank < archive->n_ranks; rank++) {
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        archive_string(archive, name);
        if (archive->hosts[rank])
            archive_string(archive, archive->hosts[rank]);
        if (archive->cores[rank]) {
            char *bound = cores_text(archive->cores[rank]);

            archive_string(archive, bound ? bound : "");
            free(bound);
        }
    }
    for (size_t i = 0; i < archive->n_locations; i++) {
        thread_name(name, sizeof name, archive->locations[i].thread);
        archive_string(archive, name);
        if (archive->locations[i].stopped)
            archive_string(archive, archive->locations[i].stopped);
    }
    for (size_t i = 0; i < unify->n_comms; i++)
        if (unify->comms[i].name)
            archive_string(archive, unify->comms[i].name);
}

static void write_global_definitions(struct archive *archive, const struct unify *unify)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive->otf2);

    if (!writer) {
        archive_ok(archive, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return;
    }
    collect_strings(archive, unify);
    uint32_t n_strings = archive->strings.n;
    archive_ok(archive, OTF2_GlobalDefWriter_WriteClockProperties(
                            writer, 1000000000, archive->first_ns,
                            archive->last_ns - archive->first_ns, archive->realtime_ns));
    for (uint32_t i = 0; i < n_strings; i++)
        archive_ok(archive, OTF2_GlobalDefWriter_WriteString(writer, i, archive->string_texts[i]));
    write_paradigms(archive, writer);
    write_attributes(archive, writer);
    write_system_tree(archive, writer);
    write_locations(archive, writer);
    write_regions(archive, writer);
    write_calling_contexts(archive, writer);
    write_groups(archive, writer, unify);
    write_comms(archive, writer, unify);
    write_cpu_metric(archive, writer);
    if (archive->strings.n != n_strings)
        abort(); // a bug: a text that collect_strings() does not know
    archive_ok(archive, OTF2_Archive_CloseGlobalDefWriter(archive->otf2, writer));
}

bool archive_write_definitions(struct archive *archive, const struct unify *unify)
{
    write_local_definitions(archive);
    if (!archive->error)
        write_global_definitions(archive, unify);
    return archive->error == NULL;
}
