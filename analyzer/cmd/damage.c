// SPDX-License-Identifier: BSD-3-Clause
// See damage.h.
#include "analyzer/cmd/damage.h"

#include <stdlib.h>

#include "analyzer/base/log.h"

bool damage_warn(const struct result *result)
{
    for (size_t i = 0; i < result->n_warnings; i++)
        if (result->warnings[i].is_of_damage)
            log_warning("%s: %s [%s]", result->trace_path, result->warnings[i].text,
                        result->warnings[i].code);
    return result->has_unreadable_records;
}

static void warn_of_row(struct sqlite3_stmt *row, void *user)
{
    (void)user;
    char *name = database_text(row, 0), *text = database_text(row, 1);
    char *code = database_text(row, 2);
    log_warning("%s: %s [%s]", name, text, code);
    free(name);
    free(text);
    free(code);
}

int damage_warn_of_trial(struct database *database, int64_t trial, struct error *err)
{
    return database_rows_of(
        database,
        "SELECT name, text, code FROM trial JOIN trial_warning ON trial_id = id "
        "WHERE id = ?1 AND has_unreadable_records AND code IN ('bad-reference', "
        "'location-cut', 'location-skipped', 'unknown-record') ORDER BY number",
        trial, warn_of_row, NULL, err);
}
