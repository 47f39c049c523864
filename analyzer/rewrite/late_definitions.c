// SPDX-License-Identifier: BSD-3-Clause
// Definitions of calls that are waited for later (see late_definitions.h).
#include "analyzer/rewrite/late_definitions.h"

#include <string.h>

static const char waitall_name[] = "MPI_Waitall";
static const char *const attribute_names[LATE_ATTRIBUTES] = {
    [ATTRIBUTE_COMMUNICATOR] = "pagoda::communicator",
    [ATTRIBUTE_SOURCE] = "pagoda::source",
    [ATTRIBUTE_TAG] = "pagoda::tag",
};
static const OTF2_Type attribute_types[LATE_ATTRIBUTES] = {
    [ATTRIBUTE_COMMUNICATOR] = OTF2_TYPE_COMM,
    [ATTRIBUTE_SOURCE] = OTF2_TYPE_INT32,
    [ATTRIBUTE_TAG] = OTF2_TYPE_INT32,
};

/// The first identifier from ID on that KNOWN does not have.
static uint32_t free_id(const struct id_table *known, uint32_t id)
{
    while (id_table_get(known, id) != UINT32_MAX)
        id++;
    return id;
}

void late_definitions_find(struct late_definitions *late, const struct trace_source *source)
{
    const struct records *records = source->records;
    *late = (struct late_definitions){.has_new_region = true};
    for (size_t i = 0; i < records->regions.n && late->has_new_region; i++) {
        if (strcmp(records_text(records, records->regions.items[i].name), waitall_name) != 0)
            continue;
        late->waitall = records->regions.items[i].id;
        late->has_new_region = false;
    }
    if (late->has_new_region)
        late->waitall = free_id(&records->regions.by_id, (uint32_t)records->regions.n);
    OTF2_AttributeRef next = (OTF2_AttributeRef)records->attributes.n;
    for (uint32_t role = 0; role < LATE_ATTRIBUTES; role++) {
        late->has_new_attribute[role] = true;
        for (size_t i = 0; i < records->attributes.n && late->has_new_attribute[role]; i++) {
            late->attributes[role] = records->attributes.items[i].id;
            late->has_new_attribute[role] =
                id_table_get(&source->resolved->attribute_roles, late->attributes[role]) != role;
        }
        if (!late->has_new_attribute[role])
            continue;
        late->attributes[role] = free_id(&records->attributes.by_id, next);
        next = late->attributes[role] + 1;
    }
}

OTF2_ErrorCode late_definitions_write(const struct late_definitions *late,
                                      OTF2_GlobalDefWriter *writer, OTF2_StringRef first_string)
{
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteString(writer, first_string, waitall_name);
    for (uint32_t role = 0; role < LATE_ATTRIBUTES && code == OTF2_SUCCESS; role++)
        code = OTF2_GlobalDefWriter_WriteString(writer, first_string + 1 + role,
                                                attribute_names[role]);
    if (late->has_new_region && code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteRegion(writer, late->waitall, first_string, first_string,
                                                first_string, OTF2_REGION_ROLE_POINT2POINT,
                                                OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
                                                OTF2_UNDEFINED_STRING, 0, 0);
    for (uint32_t role = 0; role < LATE_ATTRIBUTES && code == OTF2_SUCCESS; role++)
        if (late->has_new_attribute[role])
            code = OTF2_GlobalDefWriter_WriteAttribute(
                writer, late->attributes[role], first_string + 1 + role, first_string + 1 + role,
                attribute_types[role]);
    return code;
}
