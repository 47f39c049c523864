// SPDX-License-Identifier: BSD-3-Clause
// See damage.h.
#include "analyzer/cmd/damage.h"

#include "analyzer/base/log.h"

bool damage_warn(const struct result *result)
{
    for (size_t i = 0; i < result->n_warnings; i++)
        if (result->warnings[i].is_of_damage)
            log_warning("%s: %s [%s]", result->trace_path, result->warnings[i].text,
                        result->warnings[i].code);
    return result->has_unreadable_records;
}
