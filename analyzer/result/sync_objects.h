// SPDX-License-Identifier: BSD-3-Clause
// What a run synchronised by: communicators with their collective operations, tags of messages.
#ifndef PAGODA_RESULT_SYNC_OBJECTS_H
#define PAGODA_RESULT_SYNC_OBJECTS_H

#include "analyzer/pag/pag.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/definitions.h"

/// Fills RESULT's communicators and tags. Communicators of one name are one, for names are all that
/// tells communicators of different runs apart.
void sync_objects_collect(const struct definitions *definitions, const struct pag_result *replay,
                          struct result *result);

#endif
