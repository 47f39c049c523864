// SPDX-License-Identifier: BSD-3-Clause
// Spool files that are cut while they are mapped: the system then answers a record with SIGBUS.
#ifndef PAGODA_TRACER_BUS_ERROR_H
#define PAGODA_TRACER_BUS_ERROR_H

// From now on such a record ends the recording of its thread, not the program. Every other SIGBUS
// goes where it would have gone.
void bus_error_catch(void);

#endif
