// SPDX-License-Identifier: BSD-3-Clause
// The global definitions of all archives, one after the other, each with its new identifier and
// what it refers to with theirs. What two archives define alike is one definition: strings,
// regions, metrics, hosts, ... Locations, their groups and communicators are those of one world,
// except communicators that connect two. The kinds of definitions, and what they refer to, are from
// OTF2's own headers (record_kinds.awk).
#include "analyzer/rewrite/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

#include "record_kinds.gen.h" // of record_kinds.awk

/// What keys begin with.
enum {
#define KIND(kind, ...) KEY_##kind,
    DEFINITION_KINDS(KIND)
#undef KIND
};

#define WRITE(kind, ...) WRITE_DEFINITION(&merge->copy, kind, __VA_ARGS__)

// ---- what refers to others by its fields alone

#define NAMED(kind, reference, type, parameters, arguments, keys)                                  \
    static OTF2_CallbackCode merge_##kind(void *user_data, type self parameters)                   \
    {                                                                                              \
        struct merge *merge = user_data;                                                           \
        const uint64_t key[] = {KEY_##kind keys};                                                  \
        bool is_new;                                                                               \
        uint64_t id = merge_define(merge, reference, self, key, sizeof key, &is_new);              \
        return is_new ? WRITE(kind, (type)id arguments) : OTF2_CALLBACK_SUCCESS;                   \
    }

#define UNNAMED(kind, parameters, arguments, keys)                                                 \
    static OTF2_CallbackCode merge_##kind(void *user_data parameters)                              \
    {                                                                                              \
        struct merge *merge = user_data;                                                           \
        const uint64_t key[] = {KEY_##kind keys};                                                  \
        return merge_is_first(merge, key, sizeof key)                                              \
                   ? definition_copy_written(&merge->copy, OTF2_GlobalDefWriter_Write##kind(       \
                                                               merge->copy.writer arguments))      \
                   : OTF2_CALLBACK_SUCCESS;                                                        \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
NAMED_KINDS(NAMED)
UNNAMED_KINDS(UNNAMED)
#pragma GCC diagnostic pop

// ---- texts

static OTF2_CallbackCode define_text(struct merge *merge, OTF2_StringRef self, const char *text)
{
    SCOPED char *key = memory_format("%c%s", KEY_String, text);
    bool is_new;
    uint64_t id = merge_define(merge, REF_String, self, key, strlen(key) + 1, &is_new);
    return is_new ? WRITE(String, (OTF2_StringRef)id, text) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode merge_String(void *user_data, OTF2_StringRef self, const char *text)
{
    return define_text(user_data, self, text);
}

/// NAME of the current world, with its number. No definition of an archive has this name.
static OTF2_StringRef name_in_world(struct merge *merge, OTF2_StringRef name)
{
    const struct merged_world *world = merge->world;
    OTF2_StringRef id = (OTF2_StringRef)merge->n_ids[REF_String]++;
    SCOPED char *text = memory_format("%s (world %zu)", records_text(world->records, name),
                                      (size_t)(world - merge->worlds) + 1);
    WRITE(String, id, text);
    return id;
}

// ---- locations

static OTF2_CallbackCode merge_LocationGroup(void *user_data, OTF2_LocationGroupRef self,
                                             OTF2_StringRef name, OTF2_LocationGroupType type,
                                             OTF2_SystemTreeNodeRef node,
                                             OTF2_LocationGroupRef creator)
{
    struct merge *merge = user_data;
    const struct id_table *known = &merge->world->records->locations.by_id;
    uint32_t outsider = id_table_get(known, merge->world->outsider);
    bool is_outsider =
        outsider != MERGE_NONE && merge->world->records->locations.items[outsider].group == self;
    if (is_outsider && !merge->has_outsiders)
        return OTF2_CALLBACK_SUCCESS;
    uint64_t key[2] = {KEY_LocationGroup, is_outsider ? 0 : merge->n_ids[REF_LocationGroup] + 1};
    bool is_new;
    uint64_t id = merge_define(merge, REF_LocationGroup, self, key, sizeof key, &is_new);
    if (!is_new)
        return OTF2_CALLBACK_SUCCESS;
    OTF2_StringRef text = is_outsider ? (OTF2_StringRef)merge_id(merge, REF_String, name)
                                      : name_in_world(merge, name);
    return WRITE(LocationGroup, (OTF2_LocationGroupRef)id, text, type,
                 (OTF2_SystemTreeNodeRef)merge_id(merge, REF_SystemTreeNode, node),
                 (OTF2_LocationGroupRef)merge_id(merge, REF_LocationGroup, creator));
}

/// Location ID, which is that of RANK of the current world, gets its world's program, if other
/// worlds have another one.
static OTF2_CallbackCode write_program(struct merge *merge, uint64_t id, const struct rank *rank)
{
    const char *program = definitions_executable(merge->world->definitions);
    bool has_others = false;
    for (uint32_t i = 0; i < merge->n_worlds && program; i++) {
        const char *other = definitions_executable(merge->worlds[i].definitions);
        has_others |= other && strcmp(other, program) != 0;
    }
    if (!has_others || merge->world->definitions->locations[rank->master].executable)
        return OTF2_CALLBACK_SUCCESS;
    OTF2_StringRef name = (OTF2_StringRef)merge->n_ids[REF_String]++;
    OTF2_StringRef text = (OTF2_StringRef)merge->n_ids[REF_String]++;
    if (WRITE(String, name, "PAGODA::EXECUTABLE") != OTF2_CALLBACK_SUCCESS ||
        WRITE(String, text, program) != OTF2_CALLBACK_SUCCESS)
        return OTF2_CALLBACK_INTERRUPT;
    return WRITE(LocationProperty, id, name, OTF2_TYPE_STRING,
                 (OTF2_AttributeValue){.stringRef = text});
}

/// The rank whose master LOCATION is, or NULL.
static const struct rank *rank_with_master(const struct merged_world *world,
                                           OTF2_LocationRef location)
{
    const struct definitions *definitions = world->definitions;
    for (size_t i = 0; i < definitions->n_ranks; i++)
        if (definitions->locations[definitions->ranks[i].master].id == location)
            return &definitions->ranks[i];
    return NULL;
}

/// Locations have their identifiers from the beginning.
static OTF2_CallbackCode merge_Location(void *user_data, OTF2_LocationRef self, OTF2_StringRef name,
                                        OTF2_LocationType type, uint64_t n_events,
                                        OTF2_LocationGroupRef group)
{
    struct merge *merge = user_data;
    uint64_t id = merge_location(merge, self), key[] = {KEY_Location, id};
    if ((self == merge->world->outsider && !merge->has_outsiders) ||
        !merge_is_first(merge, key, sizeof key))
        return OTF2_CALLBACK_SUCCESS;
    const struct rank *rank = rank_with_master(merge->world, self);
    OTF2_CallbackCode code =
        WRITE(Location, id, (OTF2_StringRef)merge_id(merge, REF_String, name), type, n_events,
              (OTF2_LocationGroupRef)merge_id(merge, REF_LocationGroup, group));
    return rank && code == OTF2_CALLBACK_SUCCESS ? write_program(merge, id, rank) : code;
}

/// The host of the rank whose master LOCATION is; "": of none.
static const char *host_of_rank(const struct merged_world *world, OTF2_LocationRef location)
{
    const struct rank *rank = rank_with_master(world, location);
    return rank ? world->definitions->nodes[rank->node].name : "";
}

static OTF2_CallbackCode merge_LocationProperty(void *user_data, OTF2_LocationRef location,
                                                OTF2_StringRef name, OTF2_Type type,
                                                OTF2_AttributeValue value)
{
    struct merge *merge = user_data;
    const char *text = records_text(merge->world->records, name);
    uint64_t id = merge_location(merge, location);
    OTF2_StringRef new_name = (OTF2_StringRef)merge_id(merge, REF_String, name);
    uint64_t key[] = {KEY_LocationProperty, id, new_name};
    if ((location == merge->world->outsider && !merge->has_outsiders) ||
        (strcmp(text, "PAGODA::BOUND_TO") == 0 &&
         !merge_cores_are_bound(merge->cores, host_of_rank(merge->world, location))) ||
        !merge_is_first(merge, key, sizeof key))
        return OTF2_CALLBACK_SUCCESS;
    if (strcmp(text, "PAGODA::RECORDED_UNTIL") == 0 && type == OTF2_TYPE_UINT64)
        value.uint64 = merge_ticks(merge, merge->world, value.uint64);
    return WRITE(LocationProperty, id, new_name, type, merge_value(merge, type, value));
}

static OTF2_CallbackCode merge_SystemTreeNodeProperty(void *user_data, OTF2_SystemTreeNodeRef node,
                                                      OTF2_StringRef name, OTF2_Type type,
                                                      OTF2_AttributeValue value)
{
    struct merge *merge = user_data;
    const struct records *records = merge->world->records;
    uint32_t place = id_table_get(&records->nodes.by_id, node);
    OTF2_SystemTreeNodeRef id = (OTF2_SystemTreeNodeRef)merge_id(merge, REF_SystemTreeNode, node);
    OTF2_StringRef new_name = (OTF2_StringRef)merge_id(merge, REF_String, name);
    uint64_t key[] = {KEY_SystemTreeNodeProperty, id, new_name};
    if (!merge_is_first(merge, key, sizeof key))
        return OTF2_CALLBACK_SUCCESS;
    if (strcmp(records_text(records, name), "PAGODA::CORES") == 0 && place != MERGE_NONE &&
        type == OTF2_TYPE_UINT32)
        value.uint32 =
            merge_cores_of(merge->cores, records_text(records, records->nodes.items[place].name));
    return WRITE(SystemTreeNodeProperty, id, new_name, type, merge_value(merge, type, value));
}

static OTF2_CallbackCode merge_MetricInstance(void *user_data, OTF2_MetricRef self,
                                              OTF2_MetricRef class_, OTF2_LocationRef recorder,
                                              OTF2_MetricScope kind, uint64_t scope)
{
    static const enum reference kinds[] = {
        [OTF2_SCOPE_LOCATION] = REF_Location,
        [OTF2_SCOPE_LOCATION_GROUP] = REF_LocationGroup,
        [OTF2_SCOPE_SYSTEM_TREE_NODE] = REF_SystemTreeNode,
        [OTF2_SCOPE_GROUP] = REF_Group,
    };
    struct merge *merge = user_data;
    uint64_t new_scope =
        kind < sizeof kinds / sizeof kinds[0] ? merge_id(merge, kinds[kind], scope) : scope;
    OTF2_MetricRef new_class = (OTF2_MetricRef)merge_id(merge, REF_Metric, class_);
    uint64_t new_recorder = merge_location(merge, recorder);
    uint64_t key[] = {KEY_MetricInstance, new_class, new_recorder, kind, new_scope};
    bool is_new;
    uint64_t id = merge_define(merge, REF_Metric, self, key, sizeof key, &is_new);
    return is_new
               ? WRITE(MetricInstance, (OTF2_MetricRef)id, new_class, new_recorder, kind, new_scope)
               : OTF2_CALLBACK_SUCCESS;
}

// ---- what holds arrays

/// A key of numbers, of which the first ones are given; room for N more.
struct long_key {
    uint64_t *numbers;
    size_t n;
};

static struct long_key long_key(size_t n_first, const uint64_t *first, size_t n_more)
{
    struct long_key key = {memory_new((n_first + n_more + 1) * sizeof *key.numbers), n_first};
    memcpy(key.numbers, first, n_first * sizeof *first);
    return key;
}

#define LONG_KEY(n_more, ...)                                                                      \
    long_key(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__},      \
             n_more)

static uint64_t define_by(struct merge *merge, enum reference kind, uint64_t self,
                          struct long_key *key, bool *is_new)
{
    uint64_t id =
        merge_define(merge, kind, self, key->numbers, key->n * sizeof *key->numbers, is_new);
    free(key->numbers);
    return id;
}

static OTF2_CallbackCode merge_IoParadigm(void *user_data, OTF2_IoParadigmRef self,
                                          OTF2_StringRef identification, OTF2_StringRef name,
                                          OTF2_IoParadigmClass class_, OTF2_IoParadigmFlag flags,
                                          uint8_t n, const OTF2_IoParadigmProperty *properties,
                                          const OTF2_Type *types, const OTF2_AttributeValue *values)
{
    struct merge *merge = user_data;
    OTF2_AttributeValue new_values[UINT8_MAX];
    OTF2_StringRef new_identification = (OTF2_StringRef)merge_id(merge, REF_String, identification);
    OTF2_StringRef new_name = (OTF2_StringRef)merge_id(merge, REF_String, name);
    uint64_t key[] = {KEY_IoParadigm, new_identification, new_name, class_, flags, n};
    bool is_new;
    uint64_t id = merge_define(merge, REF_IoParadigm, self, key, sizeof key, &is_new);
    for (uint8_t i = 0; i < n; i++)
        new_values[i] = merge_value(merge, types[i], values[i]);
    return is_new ? WRITE(IoParadigm, (OTF2_IoParadigmRef)id, new_identification, new_name, class_,
                          flags, n, properties, types, new_values)
                  : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode merge_MetricClass(void *user_data, OTF2_MetricRef self, uint8_t n,
                                           const OTF2_MetricMemberRef *members,
                                           OTF2_MetricOccurrence occurrence,
                                           OTF2_RecorderKind recorder)
{
    struct merge *merge = user_data;
    OTF2_MetricMemberRef new_members[UINT8_MAX];
    struct long_key key = LONG_KEY(n, KEY_MetricClass, occurrence, recorder);
    for (uint8_t i = 0; i < n; i++)
        key.numbers[key.n++] = new_members[i] =
            (OTF2_MetricMemberRef)merge_id(merge, REF_MetricMember, members[i]);
    bool is_new;
    uint64_t id = define_by(merge, REF_Metric, self, &key, &is_new);
    return is_new ? WRITE(MetricClass, (OTF2_MetricRef)id, n, new_members, occurrence, recorder)
                  : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode merge_CartTopology(void *user_data, OTF2_CartTopologyRef self,
                                            OTF2_StringRef name, OTF2_CommRef comm, uint8_t n,
                                            const OTF2_CartDimensionRef *dimensions)
{
    struct merge *merge = user_data;
    OTF2_CartDimensionRef new_dimensions[UINT8_MAX];
    OTF2_StringRef new_name = (OTF2_StringRef)merge_id(merge, REF_String, name);
    OTF2_CommRef new_comm = (OTF2_CommRef)merge_id(merge, REF_Comm, comm);
    struct long_key key = LONG_KEY(n, KEY_CartTopology, new_name, new_comm);
    for (uint8_t i = 0; i < n; i++)
        key.numbers[key.n++] = new_dimensions[i] =
            (OTF2_CartDimensionRef)merge_id(merge, REF_CartDimension, dimensions[i]);
    bool is_new;
    uint64_t id = define_by(merge, REF_CartTopology, self, &key, &is_new);
    return is_new ? WRITE(CartTopology, (OTF2_CartTopologyRef)id, new_name, new_comm, n,
                          new_dimensions)
                  : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode merge_CartCoordinate(void *user_data, OTF2_CartTopologyRef topology,
                                              uint32_t rank, uint8_t n, const uint32_t *coordinates)
{
    struct merge *merge = user_data;
    OTF2_CartTopologyRef id = (OTF2_CartTopologyRef)merge_id(merge, REF_CartTopology, topology);
    uint64_t key[] = {KEY_CartCoordinate, id, rank};
    return merge_is_first(merge, key, sizeof key) ? WRITE(CartCoordinate, id, rank, n, coordinates)
                                                  : OTF2_CALLBACK_SUCCESS;
}

// ---- groups

/// The locations of a paradigm, of all worlds; their number.
static uint32_t list_locations(struct merge *merge, OTF2_Paradigm paradigm, uint64_t **members)
{
    struct merged_world *current = merge->world;
    size_t n = 0, capacity = 0;
    *members = NULL;
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        const struct group_record *group = merge_locations(&merge->worlds[i], paradigm);
        merge->world = &merge->worlds[i];
        if (!group || paradigm == OTF2_PARADIGM_MPI)
            continue;
        for (uint32_t k = 0; k < group->n_members; k++)
            *ARRAY_NEXT(*members, n, capacity) = merge_location(merge, group->members[k]);
    }
    for (int spawned = 0; spawned < 2 && paradigm == OTF2_PARADIGM_MPI; spawned++)
        for (uint32_t i = 0; i < merge->n_worlds; i++) {
            struct merged_world *world = merge->world = &merge->worlds[i];
            uint32_t begin = spawned ? world->n_launched : 0;
            uint32_t end = world->n_launched + (spawned ? world->n_spawned : 0);
            for (uint32_t k = begin; k < end; k++)
                *ARRAY_NEXT(*members, n, capacity) = merge_location(merge, world->mpi->members[k]);
        }
    for (uint32_t i = 0; i < merge->n_worlds && paradigm == OTF2_PARADIGM_MPI; i++) {
        merge->world = &merge->worlds[i];
        if (!merge->has_outsiders || merge->world->outsider == UINT64_MAX)
            continue;
        *ARRAY_NEXT(*members, n, capacity) = merge_location(merge, merge->world->outsider);
        break;
    }
    merge->world = current;
    return (uint32_t)n;
}

/// A member of a group of TYPE and PARADIGM of the current world.
static uint64_t new_member(struct merge *merge, OTF2_GroupType type, OTF2_Paradigm paradigm,
                           uint64_t member)
{
    uint64_t n_before = 0;
    switch (type) {
    case OTF2_GROUP_TYPE_LOCATIONS:
        return merge_location(merge, member);
    case OTF2_GROUP_TYPE_REGIONS:
        return merge_id(merge, REF_Region, member);
    case OTF2_GROUP_TYPE_METRIC:
        return merge_id(merge, REF_Metric, member);
    case OTF2_GROUP_TYPE_COMM_GROUP:
        if (paradigm == OTF2_PARADIGM_MPI) {
            uint32_t rank = merge_rank(merge->world, member);
            return rank == MERGE_NONE ? merge->n_ranks : rank;
        }
        for (const struct merged_world *world = merge->worlds; world < merge->world; world++) {
            const struct group_record *locations = merge_locations(world, paradigm);
            n_before += locations ? locations->n_members : 0;
        }
        return n_before + member;
    default:
        return member;
    }
}

static OTF2_CallbackCode merge_Group(void *user_data, OTF2_GroupRef self, OTF2_StringRef name,
                                     OTF2_GroupType type, OTF2_Paradigm paradigm,
                                     OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    struct merge *merge = user_data;
    if (!merge->has_outsiders && merge_has_outsider(merge->world, merge_group(merge->world, self)))
        return OTF2_CALLBACK_SUCCESS; // what it was for has new groups
    OTF2_StringRef new_name = (OTF2_StringRef)merge_id(merge, REF_String, name);
    SCOPED uint64_t *new_members = NULL;
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        n = list_locations(merge, paradigm, &new_members);
    else
        new_members = memory_new(((size_t)n + 1) * sizeof *new_members);
    struct long_key key = LONG_KEY(n, KEY_Group, new_name, type, paradigm, flags);
    for (uint32_t i = 0; i < n; i++) {
        if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS)
            new_members[i] = new_member(merge, type, paradigm, members[i]);
        key.numbers[key.n++] = new_members[i];
    }
    bool is_new;
    uint64_t id = define_by(merge, REF_Group, self, &key, &is_new);
    return is_new ? WRITE(Group, (OTF2_GroupRef)id, new_name, type, paradigm, flags, n, new_members)
                  : OTF2_CALLBACK_SUCCESS;
}

// ---- communicators

/// A new group of MPI, named as GROUP of the current world is.
static OTF2_GroupRef write_group(struct merge *merge, const struct group_record *group,
                                 const uint64_t *members)
{
    OTF2_GroupRef id = (OTF2_GroupRef)merge->n_ids[REF_Group]++;
    OTF2_StringRef name = (OTF2_StringRef)merge->n_ids[REF_String]++;
    WRITE(String, name, "");
    WRITE(Group, id, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
          group->n_members, members);
    return id;
}

/// The members of a connecting communicator: those that WORLD knows, of the others those that OTHER
/// knows.
static OTF2_GroupRef joined_group(struct merge *merge, const struct merged_world *world,
                                  const struct group_record *group,
                                  const struct merged_world *other,
                                  const struct group_record *others)
{
    SCOPED uint64_t *members = memory_new(((size_t)group->n_members + 1) * sizeof *members);
    for (uint32_t i = 0; i < group->n_members; i++) {
        uint32_t rank = merge_rank(world, group->members[i]);
        members[i] = rank != MERGE_NONE ? rank : merge_rank(other, others->members[i]);
    }
    return write_group(merge, group, members);
}

/// The communicator SELF of the current world has been written for another one.
static bool is_done(struct merge *merge, OTF2_CommRef self, struct comm_partner *partner)
{
    uint32_t place = id_table_get(&merge->world->records->communicators.by_id, self);
    *partner = place == MERGE_NONE ? (struct comm_partner){MERGE_NONE, MERGE_NONE}
                                   : merge->world->partners[place];
    return partner->world < (uint32_t)(merge->world - merge->worlds);
}

/// The identifier of SELF, also in the world of its PARTNER.
static OTF2_CommRef define_comm(struct merge *merge, OTF2_CommRef self, struct comm_partner partner)
{
    OTF2_CommRef id = (OTF2_CommRef)merge_id(merge, REF_Comm, self);
    if (partner.world != MERGE_NONE) {
        struct merged_world *other = &merge->worlds[partner.world];
        merge_set_id(other, REF_Comm, other->records->communicators.items[partner.comm].id, id);
    }
    return id;
}

static OTF2_StringRef comm_name(struct merge *merge, OTF2_StringRef name)
{
    return strncmp(records_text(merge->world->records, name), "MPI_COMM_WORLD", 14) == 0
               ? name_in_world(merge, name)
               : (OTF2_StringRef)merge_id(merge, REF_String, name);
}

static OTF2_CallbackCode merge_Comm(void *user_data, OTF2_CommRef self, OTF2_StringRef name,
                                    OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct merge *merge = user_data;
    struct comm_partner partner;
    if (is_done(merge, self, &partner))
        return OTF2_CALLBACK_SUCCESS;
    OTF2_CommRef id = define_comm(merge, self, partner);
    OTF2_GroupRef new_group;
    if (partner.world == MERGE_NONE) {
        new_group = (OTF2_GroupRef)merge_id(merge, REF_Group, group);
    } else {
        const struct merged_world *other = &merge->worlds[partner.world];
        const struct communicator_record *record =
            &other->records->communicators.items[partner.comm];
        new_group = joined_group(merge, merge->world, merge_group(merge->world, group), other,
                                 merge_group(other, record->group));
    }
    return WRITE(Comm, id, comm_name(merge, name), new_group,
                 (OTF2_CommRef)merge_id(merge, REF_Comm, parent), flags);
}

/// The known side of an intercommunicator of WORLD.
static const struct group_record *known_side(const struct merged_world *world, OTF2_GroupRef a,
                                             OTF2_GroupRef b)
{
    const struct group_record *group = merge_group(world, a);
    return merge_has_outsider(world, group) ? merge_group(world, b) : group;
}

static OTF2_CallbackCode merge_InterComm(void *user_data, OTF2_CommRef self, OTF2_StringRef name,
                                         OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                         OTF2_CommRef common, OTF2_CommFlag flags)
{
    struct merge *merge = user_data;
    struct comm_partner partner;
    if (is_done(merge, self, &partner))
        return OTF2_CALLBACK_SUCCESS;
    OTF2_CommRef id = define_comm(merge, self, partner);
    OTF2_GroupRef groups[2];
    if (partner.world == MERGE_NONE) {
        groups[0] = (OTF2_GroupRef)merge_id(merge, REF_Group, group_a);
        groups[1] = (OTF2_GroupRef)merge_id(merge, REF_Group, group_b);
    } else {
        const struct merged_world *other = &merge->worlds[partner.world];
        const struct communicator_record *record =
            &other->records->communicators.items[partner.comm];
        const struct group_record *own = known_side(merge->world, group_a, group_b);
        const struct group_record *others = known_side(other, record->group, record->remote_group);
        groups[0] = joined_group(merge, merge->world, own, merge->world, own);
        groups[1] = joined_group(merge, other, others, other, others);
    }
    return WRITE(InterComm, id, comm_name(merge, name), groups[0], groups[1],
                 (OTF2_CommRef)merge_id(merge, REF_Comm, common), flags);
}

// ---- all of them

/// Definitions come in passes over all worlds, for some readers want each after what it refers to,
/// and numbered in this order. Texts come first, before those that are new: so archives of one
/// program keep their identifiers, and need hardly any mapping tables. Groups have locations of all
/// worlds.
enum { FIRST_PASS, OTHER_PASS, LAST_PASS, PASSES };

static int pass_of(int kind)
{
    switch (kind) {
    case KEY_String:
        return FIRST_PASS;
    case KEY_Group:
    case KEY_Comm:
    case KEY_InterComm:
    case KEY_RmaWin:
    case KEY_CartTopology:
    case KEY_CartCoordinate:
    case KEY_MetricInstance:
    case KEY_IoHandle:
    case KEY_IoPreCreatedHandleState:
        return LAST_PASS;
    default:
        return OTHER_PASS;
    }
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(int pass)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(kind, ...)                                                                             \
    if (pass_of(KEY_##kind) == pass)                                                               \
        OTF2_GlobalDefReaderCallbacks_Set##kind##Callback(callbacks, merge_##kind);
    NAMED_KINDS(SET)
    UNNAMED_KINDS(SET)
    SPECIAL_KINDS(SET)
#undef SET
    return callbacks;
}

static int merge_world(struct merge *merge, int pass, struct error *err)
{
    int status = definition_copy_run(&merge->copy, merge->world->reader, make_callbacks(pass),
                                     DEFINITION_COPY_ALL, err);
    return status == 0 || merge->copy.code != OTF2_SUCCESS
               ? status
               : error_wrap(err, "'%s'", merge->world->path);
}

static uint64_t realtime_of(const struct merge *merge)
{
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        const struct merged_world *world = &merge->worlds[i];
        double since_ns = (double)(world->new_begin_ticks - merge->begin_ticks) * 1e9 /
                          (double)merge->ticks_per_second;
        if (world->records->realtime_ns > 0)
            return world->records->realtime_ns - (uint64_t)since_ns;
    }
    return OTF2_UNDEFINED_TIMESTAMP;
}

int merge_definitions(struct merge *merge, struct error *err)
{
    int status = definition_copy_begin(&merge->copy, merge->archive, err);
    if (status != 0)
        return -1;
    WRITE(ClockProperties, merge->ticks_per_second, merge->begin_ticks, merge->length_ticks,
          realtime_of(merge));
    for (int pass = 0; pass < PASSES; pass++)
        for (uint32_t i = 0; i < merge->n_worlds && status == 0; i++) {
            merge->world = &merge->worlds[i];
            status = merge_world(merge, pass, err);
        }
    return definition_copy_end(&merge->copy, merge->archive, status, err);
}
