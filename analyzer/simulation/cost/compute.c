// SPDX-License-Identifier: BSD-3-Clause
// The element <compute> of machine files: what visits of regions cost (timeless.h).
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/reader.h"

static const char *const variables[MACHINE_COMPUTE_VARIABLES] = {"w", "e", "p", "rank", "visit"};

int machine_read_compute(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"region", "time"};
    struct machine *machine = reader->machine;
    const char *region = xml_attribute(element, "region"), *time = xml_attribute(element, "time");
    if (machine_check_attributes(reader, element, known, 2) != 0)
        return -1;
    if (!region || !*region || !time)
        return MACHINE_ERROR(reader, element, "<compute> needs region=\"...\" and time=\"...\"");
    for (size_t i = 0; i < machine->n_computes; i++)
        if (strcmp(machine->computes[i].pattern, region) == 0)
            return MACHINE_ERROR(reader, element, "a second <compute region=\"%s\">", region);
    struct formula *formula = formula_new(time, variables, MACHINE_COMPUTE_VARIABLES, reader->err);
    if (!formula)
        return error_wrap(reader->err, "%s:%u", reader->path, element->line);
    machine->computes =
        memory_resize(machine->computes, machine->n_computes + 1, sizeof *machine->computes);
    machine->computes[machine->n_computes++] =
        (struct machine_compute){.pattern = memory_copy_text(region),
                                 .line = element->line,
                                 .time = formula,
                                 .uses_work = formula_uses(time, variables[0]),
                                 .uses_elements = formula_uses(time, variables[1])};
    return 0;
}
