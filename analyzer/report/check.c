// SPDX-License-Identifier: BSD-3-Clause
// Findings of `pagoda check` as data, text and JSON (see check.h).
#include "analyzer/report/report.h"
#include "analyzer/report/views/views.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

/// What JSON calls a kind, what a person reads of it, and what it has entries of.
static const struct {
    const char *name, *title, *entry;
} kinds[] = {
    [CHECK_UNKNOWN] = {"unknown", NULL, NULL},
    [CHECK_ARCHIVE] = {"archive", NULL, NULL},
    [CHECK_CATALOGUE] = {"catalogue", NULL, NULL},
    [CHECK_SETTINGS] = {"settings", "configuration of pagoda trace", "setting"},
    [CHECK_FILTER] = {"filter", "filter file", "rule"},
    [CHECK_MACHINE] = {"machine", "machine file", "collective"},
    [CHECK_SWEEP] = {"sweep", "sweep file", "point"},
    [CHECK_PROPERTIES] = {"properties", "properties over experiments", "declaration"},
    [CHECK_FINDING] = {"finding", "kind of findings", "what-if option"},
    [CHECK_TUNING] = {"tuning", "tuning point", "setting"},
    [CHECK_ASL] = {"asl", "properties of runs", "declaration"},
    [CHECK_HIERARCHY] = {"hierarchy", "hierarchy of properties", "node"},
    [CHECK_POLICY] = {"policy", "policy", "rule"},
    [CHECK_SLOWDOWN] = {"slowdown", "slowdown file", "region"},
    [CHECK_MODEL] = {"model", "model file", "task"},
    [CHECK_RULES] = {"rules", "rules of pagoda reduce", "rule"},
};

static void print_losses(const struct check *check, FILE *stream)
{
    SCOPED char *from = utf8_clean(check->repaired_from);
    fprintf(stream, "%s: %s\n", from, check->n_losses ? "repaired; lost:" : "nothing is lost");
    for (size_t i = 0; i < check->n_losses; i++)
        fprintf(stream, "  %s: %s\n", check->losses[i].code, check->losses[i].text);
}

static void print_archive(const struct check *check, const char *path, FILE *stream)
{
    const struct result *result = &check->result;
    if (check->repaired_from)
        print_losses(check, stream);
    fprintf(stream, "%s: OTF2 archive", path);
    if (*result->creator)
        fprintf(stream, " by %s", result->creator);
    fprintf(stream, ": %s, %s, %s, %s, %s, %s\n", quantity_count(result->n_ranks, "rank").text,
            quantity_count(result->n_locations, "location").text,
            quantity_count(result->n_events, "event").text,
            quantity_count(result->n_messages, "message").text,
            quantity_count(result->n_collectives, "collective").text,
            quantity_time(result->time_ns).text);
    size_t n_printed = 0;
    for (size_t i = 0; i < result->n_warnings; i++) {
        const struct result_warning *warning = &result->warnings[i];
        if (check->repaired_from && strcmp(warning->code, "repaired") == 0)
            continue; // printed one by one
        fprintf(stream, "  %s: %s\n", warning->code, warning->text);
        n_printed++;
    }
    if (n_printed == 0)
        fprintf(stream, "  nothing wrong\n");
}

static void print_catalogue(const struct check *check, const char *path, FILE *stream)
{
    fprintf(stream, "%s: catalogue of %s\n", path,
            quantity_count(check->n_patterns, "pattern").text);
    for (size_t i = 0; i < check->n_patterns; i++)
        fprintf(stream, "  %s\n", check->pattern_ids[i]);
    fprintf(stream, "  nothing wrong\n");
}

void check_print(const struct check *check, FILE *stream)
{
    SCOPED char *path = utf8_clean(check->path);
    if (check->kind == CHECK_ARCHIVE)
        print_archive(check, path, stream);
    else if (check->kind == CHECK_CATALOGUE)
        print_catalogue(check, path, stream);
    else
        fprintf(stream, "%s: %s: %s\n  nothing wrong\n", path, kinds[check->kind].title,
                quantity_count(check->n_entries, kinds[check->kind].entry).text);
}

void check_release(struct check *check)
{
    FREE_MEMBERS(check->locations, check->n_locations, name, reason);
    FREE_MEMBERS(check->losses, check->n_losses, code, text);
    memory_free_each(check->pattern_ids, check->n_patterns);
    FREE_ALL(check->losses, check->locations, check->error);
    result_release(&check->result);
}

static json_t *location_object(const struct check_location *location)
{
    bool has_rank = location->rank != RESULT_NONE;
    SCOPED char *id = memory_format("%llu", (unsigned long long)location->id);
    return JSON_OBJECT({"id", json_string(id)}, // 64 bits: more than a number can hold
                       {"rank", has_rank ? json_count(location->rank) : json_null()},
                       JSON_TEXT(location, name),
                       {"declared_events", json_count(location->n_declared)},
                       {"events", json_count(location->n_read)},
                       {"unknown_records", json_count(location->n_unknown)},
                       {"bad_references", json_count(location->n_bad_references)},
                       {"backward_times", json_count(location->n_backward)},
                       {"damage", json_text_or_null(location->reason)});
}

static json_t *loss_object(const struct check_loss *loss)
{
    SCOPED char *id = memory_format("%llu", (unsigned long long)loss->location);
    return JSON_OBJECT(JSON_STRING(loss, code),
                       {"location", loss->has_location ? json_string(id) : json_null()},
                       {"events", loss->has_count ? json_count(loss->n_events) : json_null()},
                       JSON_TEXT(loss, text));
}

static json_t *put_archive(json_t *object, const struct check *check)
{
    const struct result *result = &check->result;
    if (check->repaired_from)
        object =
            JSON_PUT(object, JSON_TEXT(check, repaired_from),
                     {"losses", JSON_EACH(i, check->n_losses, loss_object(&check->losses[i]))});
    return JSON_PUT(
        object, JSON_TEXT(result, creator), {"ranks", json_count(result->n_ranks)},
        {"events", json_count(result->n_events)}, {"messages", json_count(result->n_messages)},
        {"collectives", json_count(result->n_collectives)}, JSON_COUNT(result, time_ns),
        {"warnings", json_warnings(result->warnings, result->n_warnings)},
        {"locations", JSON_EACH(k, check->n_locations, location_object(&check->locations[k]))});
}

static json_t *check_object(const struct check *check)
{
    json_t *object =
        JSON_OBJECT(JSON_TEXT(check, path), {"kind", json_string(kinds[check->kind].name)},
                    JSON_INTEGER(check, status), JSON_TEXT_OR_NULL(check, error));
    if (check->error)
        return object;
    if (check->kind == CHECK_ARCHIVE)
        return put_archive(object, check);
    if (check->kind == CHECK_CATALOGUE)
        return JSON_PUT(object, {"patterns", JSON_EACH(i, check->n_patterns,
                                                       json_text(check->pattern_ids[i]))});
    return JSON_PUT(object, {"entries", json_count(check->n_entries)});
}

void json_print_checks(const struct check *checks, size_t n, FILE *stream)
{
    JSON_PRINT(stream, JSON_INDENT(2), {"files", JSON_EACH(i, n, check_object(&checks[i]))});
}
