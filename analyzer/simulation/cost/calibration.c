// SPDX-License-Identifier: BSD-3-Clause
// The <calibration> of a machine file: where its numbers come from. Only the time of the reference
// computing, and how many members the largest measured collective had, are numbers anybody asks
// for; the rest is for people.
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/xml.h"
#include "analyzer/simulation/cost/reader.h"

const char *const machine_origin_names[MACHINE_ORIGINS] = {
    "source",        "missing",          "date",    "host", "processor", "mpi", "node-error",
    "network-error", "collective-error", "unsteady"};

int machine_read_calibration(const struct machine_reader *reader, const struct xml_element *element)
{
    const char *known[MACHINE_ORIGINS + 2] = {"compute", "collective-members"};
    struct machine *machine = reader->machine;
    for (int i = 0; i < MACHINE_ORIGINS; i++)
        known[i + 2] = machine_origin_names[i];
    if (machine->is_calibrated)
        return MACHINE_ERROR(reader, element, "a second <calibration>");
    machine->is_calibrated = true;
    if (machine_check_attributes(reader, element, known, MACHINE_ORIGINS + 2) != 0 ||
        machine_read_number_of(reader, element, "collective-members", UINT32_MAX,
                               &machine->n_calibrated_members) != 0)
        return -1;
    for (int i = 0; i < MACHINE_ORIGINS; i++) {
        const char *text = xml_attribute(element, machine_origin_names[i]);
        machine->origins[i] = text ? memory_copy_text(text) : NULL;
    }
    return machine_read_attribute(reader, element, "compute", true, option_read_duration,
                                  &machine->compute_ns);
}
