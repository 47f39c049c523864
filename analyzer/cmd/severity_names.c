// SPDX-License-Identifier: BSD-3-Clause
// See severity_names.h.
#include "analyzer/cmd/severity_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/spelling.h"
#include "db/query/efficiency.h"

int severity_name_check(const struct catalogue *catalogue, const char *const *further,
                        const char *name, const char *who, struct error *err)
{
    const char **names = NULL;
    size_t n = 0, capacity = 0;
    const char *const *const lists[] = {trial_severity_names, further};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; lists[i] && lists[i][j]; j++) {
            names = array_reserve(names, &capacity, n + 1, sizeof *names);
            names[n++] = lists[i][j];
        }
    }
    for (size_t i = 0; i < catalogue->n_patterns; i++) {
        names = array_reserve(names, &capacity, n + 1, sizeof *names);
        names[n++] = catalogue->patterns[i].id;
    }
    bool is_known = false;
    for (size_t i = 0; i < n; i++)
        is_known |= strcmp(names[i], name) == 0;
    if (!is_known) {
        const char *nearest = spelling_nearest(name, names, n);
        error_set(err, "%s asks for %s, which is no wait state%s%s%s", who, name,
                  nearest ? "; did you mean " : " (`pagoda explain patterns` lists them)",
                  nearest ? nearest : "", nearest ? "?" : "");
    }
    free(names);
    return is_known ? 0 : -1;
}
