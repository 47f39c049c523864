// SPDX-License-Identifier: BSD-3-Clause
// Ranks, locations and nodes (see resolve_processes.h). A rank's master is its location in the MPI
// group; the other locations of the master's process, and of what that process created (GPUs),
// belong to the same rank.
#include "analyzer/trace/definitions/resolve.h"

#include <string.h>
#include <strings.h>

#include "analyzer/base/format/rank_lists.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

enum { MAX_TREE_DEPTH = 64 }; // deeper system trees are taken for circular ones

// The process a location belongs to, NULL when its group is not defined.
static const struct location_group_record *group_of(const struct records *records,
                                                    const struct location_record *location)
{
    uint32_t place = id_table_get(&records->location_groups.by_id, location->group);
    return place == UINT32_MAX ? NULL : &records->location_groups.items[place];
}

static bool is_process(const struct location_group_record *group)
{
    return group && group->type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
}

// Whether A is the better master of a process than B: a CPU thread, then the smaller id.
static bool is_better_master(const struct location_record *a, const struct location_record *b)
{
    bool a_is_cpu = a->type == OTF2_LOCATION_TYPE_CPU_THREAD;
    bool b_is_cpu = b->type == OTF2_LOCATION_TYPE_CPU_THREAD;
    return a_is_cpu != b_is_cpu ? a_is_cpu : a->id < b->id;
}

// Without MPI: the master location of every process, by place of the process; UINT32_MAX for none.
static uint32_t *choose_masters(const struct records *records)
{
    size_t n_groups = records->location_groups.n;
    uint32_t *masters = memory_new(n_groups * sizeof *masters);
    for (size_t i = 0; i < n_groups; i++)
        masters[i] = UINT32_MAX;
    for (size_t i = 0; i < records->locations.n; i++) {
        const struct location_record *location = &records->locations.items[i];
        const struct location_group_record *group = group_of(records, location);
        if (!is_process(group))
            continue;
        uint32_t *master = &masters[group - records->location_groups.items];
        if (*master == UINT32_MAX || is_better_master(location, &records->locations.items[*master]))
            *master = (uint32_t)i;
    }
    return masters;
}

// A location that represents processes our tracer has not seen is none of the ranks.
static bool is_untraced(const struct records *records, uint64_t location)
{
    for (size_t i = 0; i < records->n_location_properties; i++)
        if (records->location_properties[i].location == location &&
            !strcmp(records_text(records, records->location_properties[i].name),
                    "PAGODA::UNTRACED"))
            return true;
    return false;
}

// Ids of the master locations in rank order.
static uint64_t *list_masters(const struct records *records,
                              const struct group_record *mpi_locations, size_t *n_ranks)
{
    if (mpi_locations) {
        *n_ranks = mpi_locations->n_members;
        if (*n_ranks > 0 && is_untraced(records, mpi_locations->members[*n_ranks - 1]))
            --*n_ranks;
        uint64_t *ids = memory_zeroed(*n_ranks, sizeof *ids);
        for (size_t i = 0; i < *n_ranks; i++)
            ids[i] = mpi_locations->members[i];
        return ids;
    }
    SCOPED uint32_t *masters = choose_masters(records);
    uint64_t *ids = memory_zeroed(records->location_groups.n, sizeof *ids);
    *n_ranks = 0;
    for (size_t i = 0; i < records->location_groups.n; i++)
        if (masters[i] != UINT32_MAX)
            ids[(*n_ranks)++] = records->locations.items[masters[i]].id;
    return ids;
}

// Rank of each process by place of its record: that of its first master, or of its creator.
static uint32_t *rank_processes(const struct records *records,
                                const struct id_table *rank_of_location)
{
    size_t n_groups = records->location_groups.n;
    uint32_t *ranks = memory_new(n_groups * sizeof *ranks);
    for (size_t i = 0; i < n_groups; i++)
        ranks[i] = EVENT_NO_INDEX;
    for (size_t i = 0; i < records->locations.n; i++) {
        const struct location_record *location = &records->locations.items[i];
        const struct location_group_record *group = group_of(records, location);
        uint32_t rank = id_table_get(rank_of_location, location->id);
        if (!group || rank == UINT32_MAX)
            continue;
        uint32_t *known = &ranks[group - records->location_groups.items];
        if (rank < *known)
            *known = rank;
    }
    for (size_t i = 0; i < n_groups; i++) {
        uint32_t creator = id_table_get(&records->location_groups.by_id,
                                        records->location_groups.items[i].creator);
        if (ranks[i] == EVENT_NO_INDEX && creator != UINT32_MAX)
            ranks[i] = ranks[creator];
    }
    return ranks;
}

static void add_location(struct definitions *definitions, size_t *capacity,
                         struct location location)
{
    *ARRAY_NEXT(definitions->locations, definitions->n_locations, *capacity) = location;
}

// Defined locations with their ranks, and a stand-in for each rank that has none of its own.
static void list_locations(struct definitions *definitions, const struct records *records,
                           const uint64_t *masters, const uint32_t *process_ranks,
                           const struct id_table *rank_of_location)
{
    size_t capacity = 0;
    for (size_t i = 0; i < records->locations.n; i++) {
        const struct location_record *record = &records->locations.items[i];
        const struct location_group_record *group = group_of(records, record);
        uint32_t rank = id_table_get(rank_of_location, record->id);
        bool is_master = rank != UINT32_MAX;
        if (!is_master)
            rank = group ? process_ranks[group - records->location_groups.items] : EVENT_NO_INDEX;
        struct location location = {
            .id = record->id,
            .name = records_text(records, record->name),
            .rank = rank,
            .n_events = record->n_events,
            .is_cpu_thread = record->type == OTF2_LOCATION_TYPE_CPU_THREAD ||
                             record->type == OTF2_LOCATION_TYPE_UNKNOWN,
            .is_gpu_stream = record->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
            .is_master = is_master,
            .is_defined = true,
        };
        add_location(definitions, &capacity, location);
    }
    for (size_t rank = 0; rank < definitions->n_ranks; rank++) {
        bool is_own = id_table_get(rank_of_location, masters[rank]) == rank;
        bool is_defined = id_table_get(&records->locations.by_id, masters[rank]) != UINT32_MAX;
        if (is_own && is_defined)
            continue;
        struct location stand_in = {.id = masters[rank],
                                    .name = "undefined location",
                                    .rank = (uint32_t)rank,
                                    .is_cpu_thread = true,
                                    .is_master = true};
        add_location(definitions, &capacity, stand_in);
    }
    SORT_BY(definitions->locations, definitions->n_locations, LEAST(rank), MOST(is_master),
            LEAST(id));
}

static const struct system_tree_node_record *find_node(const struct records *records,
                                                       OTF2_SystemTreeNodeRef id)
{
    uint32_t place = id_table_get(&records->nodes.by_id, id);
    return place == UINT32_MAX ? NULL : &records->nodes.items[place];
}

// The compute node a process ran on: the nearest "node" in its branch of the system tree, else the
// branch's last entry; NULL when the archive has no tree.
static const struct system_tree_node_record *compute_node(const struct records *records,
                                                          const struct location_group_record *group)
{
    const struct system_tree_node_record *last = group ? find_node(records, group->node) : NULL;
    const struct system_tree_node_record *node = last;
    for (int depth = 0; node && depth < MAX_TREE_DEPTH; depth++) {
        if (strcasecmp(records_text(records, node->class_), "node") == 0)
            return node;
        node = find_node(records, node->parent);
    }
    return last;
}

static const char *machine_of(const struct records *records,
                              const struct system_tree_node_record *node)
{
    const struct system_tree_node_record *root = node;
    for (int depth = 0; depth < MAX_TREE_DEPTH; depth++) {
        const struct system_tree_node_record *parent = find_node(records, root->parent);
        if (!parent)
            break;
        root = parent;
    }
    return root == node ? "" : records_text(records, root->name);
}

// Index of the compute node of a rank, which is added when it is new.
static uint32_t use_node(struct definitions *definitions, size_t *capacity,
                         struct id_table *index_by_place, const struct records *records,
                         const struct system_tree_node_record *node)
{
    uint64_t place = node ? (uint64_t)(node - records->nodes.items) : records->nodes.n;
    uint32_t index = id_table_get(index_by_place, place);
    if (index != UINT32_MAX)
        return index;
    definitions->nodes = array_reserve(definitions->nodes, capacity, definitions->n_nodes + 1,
                                       sizeof *definitions->nodes);
    index = (uint32_t)definitions->n_nodes++;
    definitions->nodes[index] = (struct node){.name = "unknown", .machine = ""};
    if (node)
        definitions->nodes[index] = (struct node){
            .name = records_text(records, node->name),
            .machine = machine_of(records, node),
        };
    id_table_add(index_by_place, place, index);
    return index;
}

// What our tracer says of its nodes; the first one counts.
static void read_cores(struct definitions *definitions, const struct id_table *index_by_place,
                       const struct records *records)
{
    for (size_t i = 0; i < records->n_node_properties; i++) {
        const struct node_property_record *property = &records->node_properties[i];
        uint32_t place = id_table_get(&records->nodes.by_id, property->node);
        if (place == UINT32_MAX || strcmp(records_text(records, property->name), "PAGODA::CORES"))
            continue;
        uint32_t index = id_table_get(index_by_place, place);
        if (index != UINT32_MAX && definitions->nodes[index].n_cores == 0)
            definitions->nodes[index].n_cores = property->value;
    }
}

/// The member of LOCATION that a property called NAME sets, NULL: none.
static uint64_t *number_called(struct location *location, const char *name)
{
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {
        {"PAGODA::RECORDED_UNTIL", &location->recorded_until_ticks},
        {"PAGODA::SHORT_REGIONS", &location->n_short_regions},
        {"PAGODA::RECORDING_NS", &location->recording_ns},
        {"PAGODA::RECORDING_OF_NS", &location->recording_of_ns},
        {"PAGODA::EXCLUDED_NS", &location->excluded_ns},
        {"PAGODA::RECORD_PS", &location->record_ps},
        {"PAGODA::CORE_OF_NS", &location->core_of_ns},
        {"PAGODA::CORE_USED_NS", &location->core_used_ns},
        {"PAGODA::CORE_WAIT_NS", &location->core_wait_ns},
    };
    size_t i = FIND_BY(numbers, sizeof numbers / sizeof numbers[0], name, name);
    return i < sizeof numbers / sizeof numbers[0] ? numbers[i].number : NULL;
}

/// As number_called(), of texts.
static const char **text_called(struct location *location, const char *name)
{
    const struct {
        const char *name, **text;
    } texts[] = {
        {"PAGODA::STOPPED", &location->stop_reason},
        {"PAGODA::EXECUTABLE", &location->executable},
        {"PAGODA::PROGRAM", &location->command},
    };
    size_t i = FIND_BY(texts, sizeof texts / sizeof texts[0], name, name);
    return i < sizeof texts / sizeof texts[0] ? texts[i].text : NULL;
}

// What our tracer says of processes that did not end regularly, of what it dropped, of its own
// cost, and of their cores and programs. Times stay ticks until the first event's is known.
static void read_properties(struct definitions *definitions, const struct records *records)
{
    struct id_table index_by_id;
    id_table_init(&index_by_id);
    for (size_t i = 0; records->n_location_properties > 0 && i < definitions->n_locations; i++)
        id_table_add(&index_by_id, definitions->locations[i].id, (uint32_t)i);
    for (size_t i = 0; i < records->n_location_properties; i++) {
        const struct location_property_record *property = &records->location_properties[i];
        const char *name = records_text(records, property->name);
        uint32_t index = id_table_get(&index_by_id, property->location);
        if (index == UINT32_MAX)
            continue;
        struct location *location = &definitions->locations[index];
        uint64_t *number = property->is_text ? NULL : number_called(location, name);
        if (number)
            *number = property->value;
        if (number == &location->recorded_until_ticks)
            location->is_cut_short = true;
        const char **text = property->is_text ? text_called(location, name) : NULL;
        if (text)
            *text = records_text(records, (OTF2_StringRef)property->value);
    }
    id_table_release(&index_by_id);
}

/// Number of cores in a list such as "0,2-3"; 0: it is none.
static uint32_t count_cores(const char *text)
{
    uint32_t n = 0;
    struct rank_range range;
    struct error ignored;
    for (const char *end = strchr(text, '\0'); text < end; n += range.last - range.first + 1)
        if (rank_list_next(&text, end, INT32_MAX, &range, &ignored) != 0)
            return 0;
    return n;
}

static uint32_t use_core_set(struct definitions *definitions, const struct core_set *wanted)
{
    for (size_t i = definitions->n_core_sets; i-- > 0;) {
        const struct core_set *set = &definitions->core_sets[i];
        if (set->node == wanted->node &&
            (wanted->bound_to ? set->bound_to && !strcmp(set->bound_to, wanted->bound_to)
                              : !set->bound_to))
            return (uint32_t)i;
    }
    definitions->core_sets[definitions->n_core_sets] = *wanted;
    return (uint32_t)definitions->n_core_sets++;
}

// Which ranks share cores. What our tracer says of bound ranks counts; that it says so for all
// ranks of a node or for none is its business.
static void share_cores(struct definitions *definitions, const struct records *records)
{
    struct id_table text_of_location;
    id_table_init(&text_of_location);
    for (size_t i = 0; i < records->n_location_properties; i++) {
        const struct location_property_record *property = &records->location_properties[i];
        if (property->is_text && !strcmp(records_text(records, property->name), "PAGODA::BOUND_TO"))
            id_table_add(&text_of_location, property->location, (uint32_t)i);
    }
    definitions->core_sets = memory_zeroed(definitions->n_ranks, sizeof(struct core_set));
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        struct rank *rank = &definitions->ranks[i];
        uint32_t place = id_table_get(&text_of_location, definitions->locations[rank->master].id);
        struct core_set set = {.node = rank->node,
                               .n_cores = definitions->nodes[rank->node].n_cores};
        if (place != UINT32_MAX && set.n_cores > 0) {
            const struct location_property_record *property = &records->location_properties[place];
            const char *text = records_text(records, (OTF2_StringRef)property->value);
            uint32_t n_cores = count_cores(text);
            if (n_cores > 0 && n_cores < set.n_cores)
                set = (struct core_set){rank->node, 0, n_cores, text};
        }
        rank->core_set = use_core_set(definitions, &set);
        definitions->core_sets[rank->core_set].n_ranks++;
    }
    id_table_release(&text_of_location);
}

static void describe_ranks(struct definitions *definitions, const struct records *records)
{
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        if (location->rank == EVENT_NO_INDEX)
            continue;
        definitions->ranks[location->rank].n_locations++;
        if (location->is_master)
            definitions->ranks[location->rank].master = (uint32_t)i;
    }
    struct id_table index_by_place;
    id_table_init(&index_by_place);
    size_t capacity = 0;
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        struct rank *rank = &definitions->ranks[i];
        const struct location *master = &definitions->locations[rank->master];
        uint32_t place = id_table_get(&records->locations.by_id, master->id);
        const struct location_group_record *group =
            place == UINT32_MAX ? NULL : group_of(records, &records->locations.items[place]);
        rank->name = group ? records_text(records, group->name) : "";
        rank->node = use_node(definitions, &capacity, &index_by_place, records,
                              compute_node(records, group));
    }
    read_cores(definitions, &index_by_place, records);
    read_properties(definitions, records);
    share_cores(definitions, records);
    id_table_release(&index_by_place);
}

void resolve_processes(struct definitions *definitions, const struct records *records,
                       const struct group_record *mpi_locations, struct id_table *rank_of_location)
{
    SCOPED uint64_t *masters = list_masters(records, mpi_locations, &definitions->n_ranks);
    definitions->ranks = memory_zeroed(definitions->n_ranks, sizeof *definitions->ranks);
    for (size_t rank = 0; rank < definitions->n_ranks; rank++)
        id_table_add(rank_of_location, masters[rank], (uint32_t)rank);
    SCOPED uint32_t *process_ranks = rank_processes(records, rank_of_location);
    list_locations(definitions, records, masters, process_ranks, rank_of_location);
    for (size_t i = 0; i < definitions->n_locations; i++)
        if (definitions->locations[i].rank != EVENT_NO_INDEX)
            id_table_add(rank_of_location, definitions->locations[i].id,
                         definitions->locations[i].rank);
    describe_ranks(definitions, records);
}
