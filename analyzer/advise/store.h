// SPDX-License-Identifier: BSD-3-Clause
// Advice as predicted trials of a database (advise --store).
#ifndef PAGODA_ADVISE_STORE_H
#define PAGODA_ADVISE_STORE_H

#include "analyzer/advise/replay.h"
#include "analyzer/base/error.h"
#include "db/store.h"

/// Predicts the candidates of ADVICE that are shown (those that gain more than the replay error, at
/// most n_shown of each group) once more, now with all their results, and keeps them in DATABASE
/// beside the measured run: a trial each, with its options as parameters and as parameter `advice`
/// its group and place there. 0, or -1 and ERR.
int advise_store(const struct advise_setting *setting, const struct advice *advice,
                 const char *database, const struct store_names *names, struct error *err);

#endif
