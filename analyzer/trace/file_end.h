// SPDX-License-Identifier: BSD-3-Clause
// Looks at the end of an archive's files: OTF2 takes what follows a file that was cut short, the
// rest of its buffer, for records, so such a file has to be known before it is read.
#ifndef PAGODA_TRACE_FILE_END_H
#define PAGODA_TRACE_FILE_END_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the file ends as OTF2 ends its files. True for one that cannot be opened: let OTF2 say
/// why.
bool file_is_complete(const char *path);

/// Number of events in the complete chunks of an event file of CHUNK_BYTES a chunk; UINT64_MAX when
/// it holds no complete chunk or none can be made out.
uint64_t file_complete_events(const char *path, uint64_t chunk_bytes);

#endif
