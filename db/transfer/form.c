// SPDX-License-Identifier: BSD-3-Clause
// Each kind of line has a row in a table: what its members are, as letters. What a letter does not
// say (hierarchies of foci, the order of values) is checked by functions.
#include "db/transfer/form.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/focus.h"
#include "db/schema.h"
#include "db/transfer/export.h"

/// t text, i count (integer >= 0), n number (any), s share-like number, b 0 or 1, r f m p the place
/// of a resource, focus, metric, property, v an interval's number; in capitals it may be null.
static const struct {
    const char *key, *form;
} kinds[N_FORM_LINES] = {
    [LINE_VERSION] = {"pagoda_trials", "i"},
    [LINE_POINT] = {"point", "tttttt"},
    [LINE_POINT_PARAMETER] = {"point_parameter", "tt"},
    [LINE_TRIAL] = {"trial", NULL},
    [LINE_ATTRIBUTE] = {"attribute", "tttT"},
    [LINE_WARNING] = {"warning", "tit"},
    [LINE_HINT] = {"hint", "ttt"},
    [LINE_INTERVAL] = {"interval", "itii"},
    [LINE_METRIC] = {"metric", "tttt"},
    [LINE_PROPERTY] = {"property", "tTttt"},
    [LINE_RESOURCE] = {"resource", "t"},
    [LINE_NODE] = {"node", "rIi"},
    [LINE_RANK] = {"rank", "rrtiib"},
    [LINE_FOCUS] = {"focus", "rrrrrr"},
    [LINE_VALUE] = {"value", "mfvn"},
    [LINE_EVALUATED] = {"evaluated", "pbbFRII"},
    [LINE_INSTANCE] = {"instance", "pfvssii"},
    [LINE_END] = {"end", "i"},
};

/// Members of a trial's line; those of intervals may be missing, for earlier versions had none.
static const struct {
    const char *name;
    char form;
} trial_members[] = {
    {"application", 't'},
    {"experiment", 't'},
    {"trial", 't'},
    {"origin", 't'},
    {"program", 'T'},
    {"trace_path", 'T'},
    {"started_at", 'T'},
    {"stored_at", 't'},
    {"n_ranks", 'i'},
    {"n_nodes", 'i'},
    {"n_locations", 'i'},
    {"n_events", 'i'},
    {"n_messages", 'i'},
    {"n_collectives", 'i'},
    {"n_clock_violations", 'i'},
    {"time_ns", 'i'},
    {"has_unreadable_records", 'b'},
    {"headline", 'T'},
    {"conclusion", 'T'},
    {"predicted_by", 'T'},
    {"replay_error", 'S'},
    {"predicted_from", 'T'},
    {"interval", 'T'},
    {"interval_is_phase", 'B'},
    {"interval_begin_ns", 'I'},
    {"interval_end_ns", 'I'},
};

static void add_resource(struct form *form, const char *path, uint32_t root)
{
    form->resources = array_reserve(form->resources, &form->resources_capacity,
                                    form->n_resources + 1, sizeof *form->resources);
    form->resources[form->n_resources++] =
        (struct form_resource){path ? memory_copy_text(path) : NULL, root};
}

static void forget_trial(struct form *form)
{
    static const char *const roots[N_ROOTS] = {
        [ROOT_OTHER] = "",           [ROOT_CODE] = "/Code",       [ROOT_CALL_PATH] = "/CallPath",
        [ROOT_MACHINE] = "/Machine", [ROOT_PROCESS] = "/Process", [ROOT_MESSAGE] = "/Message"};
    for (size_t i = 0; i < form->n_resources; i++)
        free(form->resources[i].path);
    form->n_resources = 0;
    for (uint32_t i = 0; i < N_ROOTS; i++)
        add_resource(form, roots[i], i);
    map_release(&form->intervals);
    map_init(&form->intervals);
    form->n_metrics = form->n_properties = form->n_foci = form->n_values = 0;
    form->last_value[0] = form->last_value[1] = form->last_value[2] = -1;
    form->hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
}

void form_init(struct form *form, struct json_lines *lines)
{
    *form = (struct form){.lines = lines};
    forget_trial(form);
}

void form_release(struct form *form)
{
    for (size_t i = 0; i < form->n_resources; i++)
        free(form->resources[i].path);
    free(form->resources);
    map_release(&form->intervals);
}

static void hash_bytes(struct form *form, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        form->hash = (form->hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
}

/// Names of trials and texts that all trials share are no contents of this one.
static void hash_line(struct form *form, enum form_line kind)
{
    static const char *const left_out[] = {"application", "experiment", "trial", "stored_at"};
    const char *bytes = json_lines_bytes(form->lines);
    if (kind == LINE_METRIC || kind == LINE_PROPERTY) {
        const char *name = json_lines_at(form->lines, 0).text;
        hash_bytes(form, name, strlen(name) + 1);
        return;
    }
    if (kind != LINE_TRIAL) {
        hash_bytes(form, bytes, strlen(bytes) + 1);
        return;
    }
    for (size_t i = 0; i < sizeof trial_members / sizeof trial_members[0]; i++) {
        const char *name = trial_members[i].name;
        bool is_out = false;
        for (size_t j = 0; j < sizeof left_out / sizeof left_out[0]; j++)
            is_out |= !strcmp(name, left_out[j]);
        struct json_cell cell = json_lines_member(form->lines, name);
        if (is_out)
            continue;
        if (cell.kind == JSON_CELL_TEXT)
            hash_bytes(form, cell.text, strlen(cell.text) + 1);
        else
            hash_bytes(form, (const char *)&cell.number, sizeof cell.number);
    }
}

/// What a letter wants, for messages.
static const char *wanted(char letter)
{
    switch (letter | 0x20) {
    case 't':
        return "a text";
    case 'i':
        return "an integer that is not negative";
    case 'b':
        return "0 or 1";
    case 'n':
    case 's':
        return "a number";
    default:
        return "the number of an earlier line of its kind";
    }
}

static bool is_below(const struct json_cell *cell, uint64_t limit)
{
    return cell->kind == JSON_CELL_INTEGER && cell->integer >= 0 && (uint64_t)cell->integer < limit;
}

static bool fits(const struct form *form, const struct json_cell *cell, char letter)
{
    bool may_be_null = letter >= 'A' && letter <= 'Z';
    if (may_be_null && cell->kind == JSON_CELL_NULL)
        return true;
    switch (letter | 0x20) {
    case 't':
        return cell->kind == JSON_CELL_TEXT;
    case 'i': // counts over the integers of SQLite are real numbers
        return is_below(cell, UINT64_MAX) || (cell->kind == JSON_CELL_NUMBER && cell->number >= 0);
    case 'b':
        return is_below(cell, 2);
    case 'n':
    case 's':
        return cell->kind == JSON_CELL_INTEGER || cell->kind == JSON_CELL_NUMBER;
    case 'r':
        return is_below(cell, form->n_resources);
    case 'f':
        return is_below(cell, form->n_foci);
    case 'm':
        return is_below(cell, form->n_metrics);
    case 'p':
        return is_below(cell, form->n_properties);
    default: // an interval
        return is_below(cell, UINT64_MAX) &&
               map_get(&form->intervals, (uint64_t)cell->integer, NULL);
    }
}

static int check_cells(const struct form *form, enum form_line kind, struct error *err)
{
    const char *letters = kinds[kind].form;
    if (json_lines_count(form->lines) != strlen(letters))
        return json_lines_error(form->lines, err, "\"%s\" has %zu values, not %zu", kinds[kind].key,
                                json_lines_count(form->lines), strlen(letters));
    for (size_t i = 0; letters[i]; i++) {
        struct json_cell cell = json_lines_at(form->lines, i);
        if (!fits(form, &cell, letters[i]))
            return json_lines_error(form->lines, err, "value %zu of \"%s\" is not %s", i + 1,
                                    kinds[kind].key, wanted(letters[i]));
    }
    return 0;
}

static int check_trial(struct form *form, struct error *err)
{
    static const char *const origins[] = {"measured", "predicted", "threshold", "interval"};
    for (size_t i = 0; i < sizeof trial_members / sizeof trial_members[0]; i++) {
        struct json_cell cell = json_lines_member(form->lines, trial_members[i].name);
        bool is_left_out = cell.kind == JSON_CELL_MISSING &&
                           !strncmp(trial_members[i].name, "interval", strlen("interval"));
        if (!is_left_out && !fits(form, &cell, trial_members[i].form))
            return json_lines_error(
                form->lines, err, "\"%s\" of the trial is %s%s", trial_members[i].name,
                cell.kind == JSON_CELL_MISSING ? "missing" : "not ",
                cell.kind == JSON_CELL_MISSING ? "" : wanted(trial_members[i].form));
    }
    const char *origin = json_lines_member(form->lines, "origin").text;
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++)
        if (!strcmp(origin, origins[i]))
            return 0;
    return json_lines_error(form->lines, err,
                            "the origin \"%s\" is not measured, predicted, "
                            "threshold or interval",
                            origin);
}

/// The resource whose path is the first LENGTH bytes of PATH, NULL without.
static const struct form_resource *find_resource(const struct form *form, const char *path,
                                                 size_t length)
{
    size_t low = N_ROOTS, high = form->n_resources;
    for (size_t i = 0; i < N_ROOTS; i++)
        if (strlen(form->resources[i].path) == length &&
            !strncmp(form->resources[i].path, path, length))
            return &form->resources[i];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = form->resources[middle].path;
        int order = strncmp(other, path, length);
        if (order == 0 && other[length] == '\0')
            return &form->resources[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/// Resources come in the order of their paths, each after its parent.
static int check_resource(struct form *form, struct error *err)
{
    const char *path = json_lines_at(form->lines, 0).text;
    size_t last = form->n_resources - 1;
    char *name = path[0] == '/' ? focus_name(path) : NULL;
    bool is_sound = name != NULL;
    free(name);
    if (!is_sound)
        return json_lines_error(form->lines, err, "%s is no path of a resource", path);
    if (last >= N_ROOTS && strcmp(form->resources[last].path, path) >= 0)
        return json_lines_error(form->lines, err, "the resource %s is not behind %s", path,
                                form->resources[last].path);
    const struct form_resource *parent = find_resource(form, path, focus_last_level(path));
    if (parent) {
        add_resource(form, path, parent->root);
        return 0;
    }
    return json_lines_error(form->lines, err, "the resource %s comes without its parent", path);
}

static int check_focus(struct form *form, struct error *err)
{
    static const uint32_t roots[] = {ROOT_CALL_PATH, ROOT_PROCESS, ROOT_CODE,
                                     ROOT_MACHINE,   ROOT_MESSAGE, ROOT_OTHER};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        const struct form_resource *resource =
            &form->resources[json_lines_at(form->lines, i).integer];
        if (resource->root != roots[i])
            return json_lines_error(form->lines, err,
                                    "%s cannot be part %zu of a focus (call path, process, code, "
                                    "machine, message, other)",
                                    resource->path, i + 1);
    }
    form->n_foci++;
    return 0;
}

static int check_value(struct form *form, struct error *err)
{
    int order = 0;
    for (size_t i = 0; i < 3; i++) {
        int64_t place = json_lines_at(form->lines, i).integer;
        if (!order)
            order = (place > form->last_value[i]) - (place < form->last_value[i]);
        form->last_value[i] = place;
    }
    if (order <= 0)
        return json_lines_error(form->lines, err,
                                "values are not in the order of metric, focus, interval");
    form->n_values++;
    return 0;
}

static int check_end(struct form *form, struct error *err)
{
    if ((uint64_t)json_lines_at(form->lines, 0).integer != form->n_values)
        return json_lines_error(form->lines, err,
                                "the trial has %" PRIu64 " values, not the %" PRId64
                                " it ought to have",
                                form->n_values, json_lines_at(form->lines, 0).integer);
    form->is_in_trial = false;
    form->n_trials++;
    return 0;
}

static int check_metric(struct form *form, struct error *err)
{
    const char *adds_up_over = json_lines_at(form->lines, 2).text;
    if (strcmp(adds_up_over, "everything") && strcmp(adds_up_over, "processes") &&
        strcmp(adds_up_over, "nothing"))
        return json_lines_error(form->lines, err, "\"%s\" is not everything, processes or nothing",
                                adds_up_over);
    form->n_metrics++;
    return 0;
}

static int check_attribute(struct form *form, struct error *err)
{
    const char *kind = json_lines_at(form->lines, 0).text;
    if (!strcmp(kind, "version") || !strcmp(kind, "parameter") || !strcmp(kind, "environment"))
        return 0;
    return json_lines_error(form->lines, err, "\"%s\" is not version, parameter or environment",
                            kind);
}

static int check_point(struct form *form, struct error *err)
{
    const char *state = json_lines_at(form->lines, 3).text;
    if (!strcmp(state, "skipped") || !strcmp(state, "failed") || !strcmp(state, "too long"))
        return 0;
    return json_lines_error(form->lines, err, "\"%s\" is not skipped, failed or too long", state);
}

static int check_contents(struct form *form, enum form_line kind, struct error *err)
{
    switch (kind) {
    case LINE_POINT:
        return check_point(form, err);
    case LINE_ATTRIBUTE:
        return check_attribute(form, err);
    case LINE_METRIC:
        return check_metric(form, err);
    case LINE_RESOURCE:
        return check_resource(form, err);
    case LINE_FOCUS:
        return check_focus(form, err);
    case LINE_VALUE:
        return check_value(form, err);
    case LINE_END:
        return check_end(form, err);
    case LINE_PROPERTY:
        form->n_properties++;
        return 0;
    case LINE_INTERVAL:
        map_put(&form->intervals, (uint64_t)json_lines_at(form->lines, 0).integer, 0);
        return 0;
    default:
        return 0;
    }
}

static int find_kind(const struct form *form, enum form_line *kind, struct error *err)
{
    const char *key = json_lines_key(form->lines);
    for (*kind = 0; *kind < N_FORM_LINES; (*kind)++)
        if (!strcmp(kinds[*kind].key, key))
            break;
    if (*kind == N_FORM_LINES)
        return json_lines_error(form->lines, err, "there is no line \"%s\" in a file of trials",
                                key);
    if (*kind > LINE_TRIAL && !form->is_in_trial)
        return json_lines_error(form->lines, err, "\"%s\" comes before the trial it belongs to",
                                key);
    if (*kind == LINE_POINT_PARAMETER && form->last != LINE_POINT &&
        form->last != LINE_POINT_PARAMETER)
        return json_lines_error(form->lines, err, "\"%s\" comes before the point it belongs to",
                                key);
    if (form->is_in_trial && (*kind <= LINE_TRIAL || *kind < form->last))
        return json_lines_error(form->lines, err, "\"%s\" cannot come behind \"%s\"", key,
                                kinds[form->last].key);
    return 0;
}

/// Checks the line that a file begins with, or each of several that were put together.
static int check_version(struct form *form, struct error *err)
{
    struct json_cell version = json_lines_at(form->lines, 0);
    if (version.kind != JSON_CELL_INTEGER || version.integer < 1)
        return json_lines_error(form->lines, err, "the version of the form is no number");
    if (version.integer > TRIAL_FORM_VERSION)
        return json_lines_error(form->lines, err,
                                "the file has the form %" PRId64 " of a newer Pagoda, this one "
                                "knows forms up to %d: use the newer Pagoda",
                                version.integer, TRIAL_FORM_VERSION);
    form->has_version = true;
    form->last = LINE_VERSION;
    return 0;
}

/// Reads the next line that is not the begin of a file. As form_next().
static int next_line(struct form *form, enum form_line *kind, struct error *err)
{
    int row;
    while ((row = json_lines_next(form->lines, err)) == 1) {
        if (!form->has_version && strcmp(json_lines_key(form->lines), kinds[LINE_VERSION].key))
            break;
        if (find_kind(form, kind, err))
            return -1;
        if (*kind != LINE_VERSION)
            return 1;
        if (check_version(form, err))
            return -1;
    }
    if (row >= 0 && !form->has_version)
        return json_lines_error(form->lines, err,
                                "this is no file of trials (`pagoda store export` writes one)");
    if (row == 0 && form->is_in_trial)
        return json_lines_error(form->lines, err, "the file ends within a trial");
    return row;
}

int form_next(struct form *form, enum form_line *kind, struct error *err)
{
    int row = next_line(form, kind, err);
    if (row != 1)
        return row;
    if (*kind == LINE_TRIAL) {
        forget_trial(form);
        form->is_in_trial = true;
    }
    if (*kind == LINE_TRIAL ? check_trial(form, err) : check_cells(form, *kind, err))
        return -1;
    hash_line(form, *kind);
    if (check_contents(form, *kind, err))
        return -1;
    form->last = *kind;
    return 1;
}

int form_skip_trial(struct form *form, struct error *err)
{
    enum form_line kind;
    int row;
    while ((row = form_next(form, &kind, err)) == 1)
        if (kind == LINE_END)
            return 1;
    return row < 0 ? -1 : error_set(err, "there is no trial");
}
