// SPDX-License-Identifier: BSD-3-Clause
// `pagoda check FILE...`: reads each file to its end as the other commands would and says what a
// reader of their reports must know. An archive is replayed without patterns; an XML file is read
// as what its outermost element says; other texts are settings or filters of the tracer.
#include "analyzer/cmd/commands.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/launch/filter.h"
#include "analyzer/launch/settings.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/reduction/reduction.h"
#include "analyzer/report/report.h"
#include "analyzer/result/collect.h"
#include "analyzer/rewrite/repair/repair.h"
#include "analyzer/simulation/change/slowdown.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/sweep/plan.h"
#include "analyzer/sweep/property.h"
#include "analyzer/tasks/task_model.h"
#include "analyzer/trace/reader.h"

/// Copies what the reader says about each location of a trace that is read to its end.
static void add_locations(struct check *check, const struct trace *trace)
{
    const struct definitions *definitions = trace_definitions(trace);
    check->n_locations = definitions->n_locations;
    check->locations = memory_zeroed(check->n_locations, sizeof *check->locations);
    for (size_t i = 0; i < check->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        const struct location_report *report = trace_location_report(trace, i);
        check->locations[i] = (struct check_location){
            .id = location->id,
            .rank = location->rank == EVENT_NO_INDEX ? RESULT_NONE : location->rank,
            .name = utf8_clean(location->name),
            .n_declared = location->n_events,
            .n_read = report->n_read,
            .n_unknown = report->n_unknown,
            .n_bad_references = report->n_bad_references,
            .n_backward = report->n_backward,
            .reason = utf8_clean(report->reason),
        };
    }
}

static int check_archive(struct check *check, struct error *err)
{
    struct progress progress = {0};
    SCOPED_BY(pag_result_release) struct pag_result replay = {0};
    struct matcher *matcher = NULL;
    struct catalogue *no_patterns = NULL;
    struct trace *trace = trace_open(check->path, err);
    check->kind = trace ? CHECK_ARCHIVE : CHECK_UNKNOWN;
    int result = trace ? 0 : -1;
    if (result == 0) {
        no_patterns = catalogue_load(NULL, NULL, 0, err);
        result = no_patterns ? 0 : -1;
    }
    if (result == 0) {
        const struct pag_options options = PAG_OPTIONS_DEFAULT;
        const struct pag_listener listener = {.reached = {progress_update, &progress}};
        matcher = matcher_new(no_patterns, trace_definitions(trace));
        progress_begin(&progress, "checking", trace_definitions(trace)->length_ns);
        result = pag_run(trace, &options, &listener, &replay, err);
        progress_end(&progress);
    }
    if (result == 0) {
        collect_result(
            &(struct collect_input){
                .trace = trace, .catalogue = no_patterns, .matcher = matcher, .replay = &replay},
            &check->result);
        add_locations(check, trace);
        if (check->result.has_unreadable_records)
            check->status = STATUS_UNREADABLE;
    }
    matcher_free(matcher);
    catalogue_free(no_patterns);
    trace_close(trace);
    return result;
}

static int check_machine(struct check *check, struct error *err)
{
    SCOPED_BY(machine_release) struct machine machine = {0};
    int status = machine_read(&machine, check->path, err);
    check->n_entries = machine.n_collectives;
    return status;
}

static int check_policy(struct check *check, struct error *err)
{
    SCOPED_BY(policy_release) struct policy policy = {0};
    int status = policy_read(&policy, check->path, err);
    check->n_entries = policy.balancing.n_rules + (policy.deals_tasks ? 1 : 0);
    return status;
}

static int check_slowdown(struct check *check, struct error *err)
{
    struct slowdown slowdown;
    int status = slowdown_read(&slowdown, check->path, err);
    check->n_entries = slowdown.n_regions;
    slowdown_release(&slowdown);
    return status;
}

static int check_model(struct check *check, struct error *err)
{
    SCOPED_BY(task_model_release) struct task_model model = {0};
    int status = task_model_read(&model, check->path, NULL, err);
    check->n_entries = status == 0 ? task_count(model.top) : 0;
    return status;
}

static int check_sweep(struct check *check, struct error *err)
{
    SCOPED_BY(sweep_spec_release) struct sweep_spec spec;
    sweep_spec_init(&spec);
    int status = sweep_spec_read(&spec, check->path, err);
    if (status == 0)
        check->n_entries = sweep_plan_n_points(&spec.plan);
    return status;
}

static int check_properties(struct check *check, struct error *err)
{
    SCOPED_BY(property_catalogue_release) struct property_catalogue properties = {0};
    int status = property_file_read(&properties, check->path, err);
    check->n_entries = properties.n;
    return status;
}

/// Copies the ids of those patterns of a catalogue that come from the checked file.
static void add_patterns(struct check *check, const struct catalogue *catalogue)
{
    check->pattern_ids = memory_zeroed(catalogue->n_patterns, sizeof *check->pattern_ids);
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        if (strcmp(catalogue->patterns[i].file, check->path) == 0)
            check->pattern_ids[check->n_patterns++] = memory_copy_text(catalogue->patterns[i].id);
}

static int check_catalogue(struct check *check, struct error *err)
{
    SCOPED char *directory = data_folder(NULL); // parents may be shipped patterns
    struct catalogue *catalogue = catalogue_load(directory, &check->path, 1, err);
    if (!catalogue)
        return -1;
    add_patterns(check, catalogue);
    catalogue_free(catalogue);
    return 0;
}

/// A kind of findings or a tuning point, beside the shipped patterns, with which it must share no
/// id.
static int check_remedies(struct check *check, struct error *err)
{
    struct catalogue *catalogue = catalogue_load_shipped(&check->path, 1, err);
    if (!catalogue)
        return -1;
    int status = findings_check_remedies(catalogue, err);
    for (size_t i = 0; i < catalogue->findings.n; i++)
        if (strcmp(catalogue->findings.kinds[i].file, check->path) == 0)
            check->n_entries = catalogue->findings.kinds[i].n_remedies;
    for (size_t i = 0; i < catalogue->tunings.n; i++)
        if (strcmp(catalogue->tunings.items[i].file, check->path) == 0)
            check->n_entries = catalogue->tunings.items[i].n_settings;
    catalogue_free(catalogue);
    return status;
}

/// Properties or a hierarchy of them, beside the shipped ones.
static int check_properties_of_run(struct check *check, struct error *err)
{
    struct catalogue *catalogue = catalogue_load_shipped(&check->path, 1, err);
    if (!catalogue)
        return -1;
    for (size_t i = 0; i < catalogue->properties.n; i++)
        check->n_entries += strcmp(catalogue->properties.items[i].file, check->path) == 0;
    for (size_t i = 0; i < catalogue->hierarchies.n; i++)
        if (strcmp(catalogue->hierarchies.items[i].file, check->path) == 0)
            check->n_entries = catalogue->hierarchies.items[i].n_nodes;
    catalogue_free(catalogue);
    return 0;
}

static int check_xml(struct check *check, struct error *err)
{
    static const struct {
        const char *outermost;
        enum check_kind kind;
        int (*check)(struct check *check, struct error *err);
    } kinds[] = {
        {"pattern", CHECK_CATALOGUE, check_catalogue},
        {"patterns", CHECK_CATALOGUE, check_catalogue},
        {"PATTERN", CHECK_CATALOGUE, check_catalogue},
        {"property", CHECK_PROPERTIES, check_properties},
        {"properties", CHECK_PROPERTIES, check_properties},
        {"machine", CHECK_MACHINE, check_machine},
        {"policy", CHECK_POLICY, check_policy},
        {"sweep", CHECK_SWEEP, check_sweep},
        {"finding", CHECK_FINDING, check_remedies},
        {"hierarchy", CHECK_HIERARCHY, check_properties_of_run},
        {"model", CHECK_MODEL, check_model},
        {"slowdown", CHECK_SLOWDOWN, check_slowdown},
        {"tuning", CHECK_TUNING, check_remedies},
    };
    struct xml_document *document = xml_read(check->path, err);
    if (!document)
        return -1;
    const char *name = document->top.n_children ? document->top.children[0].name : "";
    size_t kind = FIND_BY(kinds, sizeof kinds / sizeof kinds[0], outermost, name);
    if (kind == sizeof kinds / sizeof kinds[0])
        error_set(err,
                  "%s:1: <%s> is neither <pattern>, <patterns>, <finding>, <tuning>, <hierarchy>, "
                  "<property>, <properties>, <machine>, <model>, <policy>, <slowdown> nor <sweep>: "
                  "of XML files, these can be checked",
                  check->path, name);
    xml_free(document);
    if (kind == sizeof kinds / sizeof kinds[0])
        return -1;
    check->kind = kinds[kind].kind;
    return kinds[kind].check(check, err);
}

// An XML file begins with <, after a byte order mark and white space, if any; no archive does.
static bool looks_like_xml(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    SCOPED_FILE FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    int c = fgetc(file);
    while (c != EOF && strchr(" \t\r\n\xef\xbb\xbf", c))
        c = fgetc(file);
    return c == '<';
}

// Files of `pagoda trace` and `pagoda reduce`; an archive's anchor file is never taken for one.
static bool is_text(struct check *check)
{
    struct stat status;
    if (stat(check->path, &status) != 0 || !S_ISREG(status.st_mode) ||
        text_ends_in(check->path, ".otf2"))
        return false;
    if (trace_filter_is_one(check->path))
        check->kind = CHECK_FILTER;
    else if (reduction_rules_is_file(check->path))
        check->kind = CHECK_RULES;
    else if (trace_settings_is_config(check->path))
        check->kind = CHECK_SETTINGS;
    return check->kind != CHECK_UNKNOWN;
}

static int check_rules(struct check *check, struct error *err)
{
    SCOPED_BY(reduction_rules_release) struct reduction_rules rules = {0};
    int status = reduction_rules_read(&rules, check->path, err);
    check->n_entries = rules.n;
    return status;
}

static int check_text(struct check *check, struct error *err)
{
    if (check->kind == CHECK_RULES)
        return check_rules(check, err);
    if (check->kind == CHECK_SETTINGS)
        return trace_settings_check_file(check->path, &check->n_entries, err);
    struct trace_filter *filter = trace_filter_read(check->path, err);
    if (!filter)
        return -1;
    check->n_entries = trace_filter_n_rules(filter);
    trace_filter_free(filter);
    return 0;
}

/// Whether what is wrong with PATH is for the archive's reader to say: it is called like an
/// archive, a directory, empty, or not there.
static bool may_be_archive(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 ||
           text_ends_in(path, ".otf2");
}

static void check_file(struct check *check)
{
    struct error err = {{0}};
    int result;
    if (property_file_is_asl(check->path)) {
        check->kind = CHECK_ASL;
        result = check_properties_of_run(check, &err);
    } else if (looks_like_xml(check->path)) {
        result = check_xml(check, &err);
    } else if (is_text(check)) {
        result = check_text(check, &err);
    } else if (!may_be_archive(check->path)) {
        result =
            error_set(&err,
                      "'%s' is not an OTF2 archive: the name of its anchor file ends in .otf2; and "
                      "neither an XML file nor settings or a filter of pagoda trace nor rules of "
                      "pagoda reduce",
                      check->path);
    } else {
        result = check_archive(check, &err);
    }
    if (result == 0)
        return;
    log_error("%s", err.text);
    check->status = STATUS_FAILED;
    check->error = memory_copy_text(err.text);
}

/// Repairs PATH, and checks what came of it.
static int check_repaired(struct check *check, const char *path, const char *directory)
{
    struct error err = {{0}};
    struct repair repair;
    int status = repair_archive(&repair, path, directory, NULL, &err);
    if (status != 0) {
        log_error("%s", err.text);
        repair_release(&repair);
        return STATUS_FAILED;
    }
    *check = (struct check){.path = directory, .repaired_from = path};
    check->losses = memory_zeroed(repair.n_losses, sizeof *check->losses);
    for (; check->n_losses < repair.n_losses; check->n_losses++) {
        const struct repair_loss *loss = &repair.losses[check->n_losses];
        check->losses[check->n_losses] = (struct check_loss){
            .code = memory_copy_text(loss->code),
            .text = utf8_clean(loss->text),
            .has_location = loss->location != REPAIR_UNKNOWN,
            .has_count = loss->n_lost_events != REPAIR_UNKNOWN,
            .location = loss->location,
            .n_events = loss->n_lost_events,
        };
    }
    repair_release(&repair);
    check_file(check);
    if (check->status == STATUS_DONE && check->n_losses > 0)
        check->status = STATUS_UNREADABLE;
    return check->status;
}

static int repair(const char *path, const char *directory, bool wants_json)
{
    SCOPED_BY(check_release) struct check check = {0};
    int status = check_repaired(&check, path, directory);
    if (status != STATUS_FAILED && wants_json)
        json_print_checks(&check, 1, stdout);
    else if (status != STATUS_FAILED)
        check_print(&check, stdout);
    return status;
}

// A file that cannot be checked at all outweighs one that was read in part.
static int worst_status(const struct check *checks, size_t n)
{
    int worst = STATUS_DONE;
    for (size_t i = 0; i < n; i++) {
        if (checks[i].status == STATUS_FAILED)
            return STATUS_FAILED;
        if (checks[i].status == STATUS_UNREADABLE)
            worst = STATUS_UNREADABLE;
    }
    return worst;
}

int cmd_check(int argc, char **argv)
{
    bool wants_json = false, wants_repair = false;
    const char *directory = NULL;
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("repair", 0, &wants_repair,
                        "write what is left of a damaged or incomplete archive as a whole one"),
        OPTION_TEXT_ROW("output", 'o', "DIR", &directory,
                        "with --repair: write it to DIR, which must be new or empty", NULL),
        THREADS_ROW,
        OPTION_FLAG_ROW("json", 0, &wants_json, "print JSON instead of text"),
    };
    const struct option_usage usage = {
        .command = "check",
        .operands = "FILE...",
        .summary = "Checks traces, patterns, and machine, policy, sweep and settings files",
        .details =
            "FILE is an OTF2 archive (its anchor file *.otf2 or its directory), an XML file\n"
            "of patterns, a kind of findings, a tuning point, a hierarchy of properties or\n"
            "properties over experiments, a file of properties (*.asl), a machine, slowdown,\n"
            "policy or sweep file, a configuration or filter file of pagoda trace, or rules\n"
            "of pagoda reduce.\n",
        OPTIONS_OF(rows),
    };
    int first_operand, status;
    if (!options_parse(&usage, argc, argv, &first_operand, &status))
        return status;
    size_t n = (size_t)(argc - first_operand);
    if (wants_repair != (directory != NULL))
        return options_usage_error(
            &usage, wants_repair ? "-o DIR is missing: where the repaired archive goes"
                                 : "-o is for --repair: nothing else is written");
    if (wants_repair && n != 1)
        return options_usage_error(&usage, "--repair takes one archive at a time");
    if (wants_repair)
        return repair(argv[first_operand], directory, wants_json);
    SCOPED struct check *checks = memory_zeroed(n, sizeof *checks);
    for (size_t i = 0; i < n; i++) {
        checks[i].path = argv[first_operand + (int)i];
        check_file(&checks[i]);
        if (!wants_json && !checks[i].error)
            check_print(&checks[i], stdout);
    }
    status = worst_status(checks, n);
    if (wants_json)
        json_print_checks(checks, n, stdout);
    for (size_t i = 0; i < n; i++)
        check_release(&checks[i]);
    return status;
}
