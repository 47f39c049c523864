// SPDX-License-Identifier: BSD-3-Clause
// Between which times a predicted run is expected, and what that rests on.
#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"

char *past_errors_text(const struct past_errors *errors)
{
    return memory_format(
        "with a probability of %.0f %%, by the errors of %s with %s, recorded on %s",
        100 * errors->coverage, quantity_count(errors->n, "past prediction").text, errors->kind,
        errors->machine ? errors->machine : "any machine");
}

json_t *json_past_errors(const struct past_errors *errors)
{
    if (!errors->kind)
        return json_null();
    bool is_known = errors->coverage > 0;
    return JSON_OBJECT(JSON_TEXT(errors, kind), JSON_TEXT_OR_NULL(errors, machine),
                       {"count", json_count(errors->n)},
                       {"coverage", is_known ? json_real(errors->coverage) : json_null()},
                       {"low_error", is_known ? json_number(1 / errors->most - 1) : json_null()},
                       {"high_error", is_known ? json_number(1 / errors->least - 1) : json_null()});
}

json_t *json_expected(const struct expected_time *expected)
{
    return JSON_OBJECT(
        JSON_COUNT(expected, low_ns), JSON_COUNT(expected, high_ns),
        {"by", json_string(expected->is_by_past_errors ? "past-errors" : "replay-error")});
}
