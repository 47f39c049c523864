// SPDX-License-Identifier: BSD-3-Clause
// Properties over the trials of a scaling study, evaluated from the store.
#ifndef PAGODA_CMD_SCALING_PROPERTIES_H
#define PAGODA_CMD_SCALING_PROPERTIES_H

#include "analyzer/base/error.h"
#include "analyzer/base/options.h"
#include "analyzer/report/scaling.h"
#include "db/database.h"

/// Evaluates the properties that come with the command, and those of FILES, over the trials of each
/// series of PAGE, whose findings are filled. 0, or -1 and ERR: a file that cannot be used, a name
/// that is no severity, an unreadable database.
int scaling_properties_find(struct database *database, const struct option_list *files,
                            struct scaling_page *page, struct error *err);

#endif
