// SPDX-License-Identifier: BSD-3-Clause
// The <calibration> of a machine file: where its numbers come from. Only the time of the reference
// computing, and how many members the largest measured collective had, are numbers anybody asks
// for.
#include "analyzer/base/options.h"
#include "analyzer/base/xml.h"
#include "analyzer/whatif/machine/reader.h"

int machine_read_calibration(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"date",
                                        "host",
                                        "processor",
                                        "mpi",
                                        "compute",
                                        "source",
                                        "missing",
                                        "node-error",
                                        "network-error",
                                        "collective-error",
                                        "collective-members",
                                        "unsteady"};
    if (machine_check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0)
        return -1;
    if (machine_read_number_of(reader, element, "collective-members", UINT32_MAX,
                               &reader->machine->n_calibrated_members) != 0)
        return -1;
    return machine_read_attribute(reader, element, "compute", true, option_read_duration,
                                  &reader->machine->compute_ns);
}
