// SPDX-License-Identifier: BSD-3-Clause
// The element <collective> of machine files: what an operation costs.
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/whatif/machine_reader.h"

// In the order of OTF2_CollectiveOp.
static const char *const operations[] = {"barrier",
                                         "bcast",
                                         "gather",
                                         "gatherv",
                                         "scatter",
                                         "scatterv",
                                         "allgather",
                                         "allgatherv",
                                         "alltoall",
                                         "alltoallv",
                                         "alltoallw",
                                         "allreduce",
                                         "reduce",
                                         "reduce_scatter",
                                         "scan",
                                         "exscan",
                                         "reduce_scatter_block"};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

int machine_read_collective(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"op", "time"};
    static const char *const variables[] = {"p", "b"};
    struct machine *machine = reader->machine;
    const char *operation = xml_attribute(element, "op"), *time = xml_attribute(element, "time");
    if (machine_check_attributes(reader, element, known, 2) != 0)
        return -1;
    if (!operation || !time)
        return MACHINE_ERROR(reader, element, "<collective> needs op=\"...\" and time=\"...\"");
    uint8_t which = 0;
    while (which < N_OPERATIONS && strcmp(operations[which], operation) != 0)
        which++;
    if (which == N_OPERATIONS)
        return machine_unknown(reader, element, "operation", operation, operations, N_OPERATIONS);
    for (size_t i = 0; i < machine->n_collectives; i++)
        if (machine->collectives[i].operation == which)
            return MACHINE_ERROR(reader, element, "a second <collective op=\"%s\">", operation);
    struct formula *formula = formula_new(time, variables, 2, reader->err);
    if (!formula)
        return error_wrap(reader->err, "%s:%u", reader->path, element->line);
    machine->collectives = memory_resize(machine->collectives, machine->n_collectives + 1,
                                         sizeof *machine->collectives);
    machine->collectives[machine->n_collectives++] = (struct machine_collective){which, formula};
    return 0;
}
