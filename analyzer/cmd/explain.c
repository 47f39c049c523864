// SPDX-License-Identifier: BSD-3-Clause
// `pagoda explain [KIND | NAME | FILE]`: lists the patterns, kinds of findings, tuning points,
// machines, policies and models that come with the command, or explains one of them, or a file of
// the user's. Each file is read and checked as for its use.
#include "analyzer/cmd/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/report/report.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"
#include "analyzer/tasks/task_model.h"

/// The kinds of things that are explained, in the order in which they are listed.
enum kind { PATTERNS, FINDINGS, TUNING, PROPERTIES, MACHINES, POLICIES, MODELS, N_KINDS };

static const struct {
    const char *name, *title;
} kinds[N_KINDS] = {
    {"patterns", "Wait states that a replay looks for (patterns)"},
    {"findings", "Kinds of findings that a report begins with"},
    {"tuning", "Settings of MPI libraries that findings propose (tuning points)"},
    {"properties", "Properties of a run (--properties)"},
    {"machines", "Machines to make predictions for (--machine)"},
    {"policies", "Policies by which a prediction deals work (--rebalance, --dealing)"},
    {"models", "Models of programs (pagoda model)"},
};

struct request {
    const char *what; // a kind, a name or a file; NULL: all
    bool wants_json, wants_manual;
    struct option_list files;
};

/// What was loaded; the arrays of KNOWN belong to it.
struct loaded {
    struct known known;
    struct catalogue *catalogue;
    struct machine *machines;
    struct policy *policies;
    struct task_model *models;
    bool wants[N_KINDS];
    bool is_one; // a single thing is explained, with all that is known of it
};

static bool read_request(int argc, char **argv, struct request *request, int *status)
{
    const struct option_row rows[] = {
        OPTION_LIST_ROW("patterns", 0, "FILE", &request->files,
                        "also list what FILE defines: patterns, a kind of findings, a tuning "
                        "point or properties",
                        .manual = "What has the id of an existing one replaces it."),
        OPTION_FLAG_ROW("json", 0, &request->wants_json, "print JSON (schema 1) instead of text"),
        OPTION_FLAG_ROW("man", 0, &request->wants_manual, NULL),
    };
    const struct option_usage usage = {
        .command = "explain",
        .operands = "[patterns|findings|tuning|properties|machines|policies|models|NAME|FILE]",
        .summary = "Lists what Pagoda knows, or explains one thing",
        .details =
            "NAME is a name in the first column of a list, such as late-sender or quadrics,\n"
            "or what reports call a wait state or finding, such as 'Late Sender'.\n"
            "FILE is an XML file of patterns, a kind of findings, a tuning point, a hierarchy\n"
            "of properties, a machine, a policy or a model, or a file of properties (*.asl).\n",
        OPTIONS_OF(rows),
    };
    int first_operand;
    if (!options_parse(&usage, argc, argv, &first_operand, status))
        return false;
    request->what = first_operand < argc ? argv[first_operand] : NULL;
    if (request->wants_manual && (request->what || request->wants_json)) {
        *status = options_usage_error(&usage, "--man prints all patterns, and no JSON");
        return false;
    }
    return true;
}

/// The kinds that are files with names.
static const struct bundled *bundled_of(enum kind kind)
{
    return kind == MACHINES   ? &bundled_machines
           : kind == POLICIES ? &bundled_policies
           : kind == MODELS   ? &bundled_models
                              : NULL;
}

static int load_one(struct loaded *loaded, enum kind kind, const char *name, struct error *err)
{
    struct known *known = &loaded->known;
    if (kind == MACHINES)
        return machine_read(&loaded->machines[known->n_machines++], name, err);
    if (kind == POLICIES)
        return policy_read(&loaded->policies[known->n_policies++], name, err);
    return task_model_read(&loaded->models[known->n_models++], name, NULL, err);
}

/// Reads the machine, policy or model NAME, or with NULL all that come with Pagoda. 0, or -1 and
/// ERR.
static int load_files(struct loaded *loaded, enum kind kind, const char *name, struct error *err)
{
    size_t n = 1;
    SCOPED_BY(words_leave) char **names = name ? NULL : bundled_names(bundled_of(kind), &n, err);
    if (!name && !names)
        return -1;
    if (kind == MACHINES)
        loaded->known.machines = loaded->machines = memory_zeroed(n + 1, sizeof *loaded->machines);
    else if (kind == POLICIES)
        loaded->known.policies = loaded->policies = memory_zeroed(n + 1, sizeof *loaded->policies);
    else
        loaded->known.models = loaded->models = memory_zeroed(n + 1, sizeof *loaded->models);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++)
        status = load_one(loaded, kind, name ? name : names[i], err);
    return status;
}

/// Of the file PATH: its kind, by the outermost element. 0, or -1 and ERR.
static int kind_of_file(const char *path, enum kind *kind, struct error *err)
{
    static const struct {
        const char *element;
        enum kind kind;
    } outermost[] = {
        {"pattern", PATTERNS}, {"patterns", PATTERNS}, {"PATTERN", PATTERNS},
        {"finding", FINDINGS}, {"tuning", TUNING},     {"machine", MACHINES},
        {"policy", POLICIES},  {"model", MODELS},      {"hierarchy", PROPERTIES},
    };
    *kind = PROPERTIES;
    if (property_file_is_asl(path))
        return 0;
    struct xml_document *document = xml_read(path, err);
    if (!document)
        return -1;
    const char *element = document->top.n_children ? document->top.children[0].name : "";
    size_t i = FIND_BY(outermost, sizeof outermost / sizeof outermost[0], element, element);
    int status = i < sizeof outermost / sizeof outermost[0] ? 0 : -1;
    if (status == 0)
        *kind = outermost[i].kind;
    else
        error_set(err,
                  "%s:1: <%s> is neither <pattern>, <patterns>, <finding>, <tuning>, <hierarchy>, "
                  "<machine>, <model> nor <policy>",
                  path, element);
    xml_free(document);
    return status;
}

static bool has_name(const struct bundled *catalogue, const char *name)
{
    size_t n;
    SCOPED_BY(words_leave) char **names = bundled_names(catalogue, &n, NULL);
    return HAS_TEXT(names, n, name);
}

/// Adds N names to WORDS; the array NAMES is freed, not what it holds.
static void add_names(char ***words, const char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words_add(words, names[i]);
    free(names);
}

/// Says which name WHAT may have been meant to be.
static int nothing_of_that_name(const struct catalogue *c, const char *what, struct error *err)
{
    SCOPED_BY(words_leave) char **all = NULL;
    add_names(&all, NAMED_NAMES(kinds, N_KINDS), N_KINDS);
    add_names(&all, NAMED_NAMES(c->patterns, c->n_patterns), c->n_patterns);
    add_names(&all, NAMED_NAMES(c->findings.kinds, c->findings.n), c->findings.n);
    add_names(&all, NAMED_NAMES(c->tunings.items, c->tunings.n), c->tunings.n);
    add_names(&all, NAMED_NAMES(c->properties.items, c->properties.n), c->properties.n);
    add_names(&all, NAMED_NAMES(c->hierarchies.items, c->hierarchies.n), c->hierarchies.n);
    for (enum kind kind = MACHINES; kind < N_KINDS; kind++) {
        size_t n;
        SCOPED_BY(words_leave) char **names = bundled_names(bundled_of(kind), &n, NULL);
        add_names(&all, NAMED_NAMES(names, n), n);
    }
    return error_set(err, "nothing is called `%s`%s", what,
                     spelling_hint(what, (const char *const *)all, words_count(all),
                                   "; did you mean `%s`?", " (`pagoda explain` lists all names)")
                         .text);
}

/// What reports call by the same name.
struct titled {
    const char *id; // the last one's
    char *ids;      // "a, b"
    size_t n;
};

/// Adds what has ID to FOUND if reports call it WHAT, in whatever case.
static void add_titled(struct titled *found, const char *what, const char *title, const char *id)
{
    if (strcasecmp(what, title) != 0)
        return;
    text_append(&found->ids, "%s%s", found->n++ == 0 ? "" : ", ", id);
    found->id = id;
}

/// Turns *WHAT, if reports call patterns or kinds of findings so, into the id of the only one. 0,
/// or -1 and ERR if there are several.
static int id_of_title(const struct catalogue *c, const char **what, struct error *err)
{
    struct titled found = {0};
    for (size_t i = 0; i < c->n_patterns; i++)
        add_titled(&found, *what, c->patterns[i].name, c->patterns[i].id);
    for (size_t i = 0; i < c->findings.n; i++)
        add_titled(&found, *what, c->findings.kinds[i].name, c->findings.kinds[i].id);
    SCOPED char *ids = found.ids;
    if (found.n > 1)
        return error_set(err, "`%s` is what several are called: explain one of %s", *what, ids);
    *what = found.n == 1 ? found.id : *what;
    return 0;
}

static void show_finding(struct loaded *loaded, const struct finding_kind *kind)
{
    loaded->known.findings = kind;
    loaded->known.n_findings = kind ? 1 : 0;
}

static void show_tuning(struct loaded *loaded, const struct tuning *tuning)
{
    loaded->known.tunings = tuning;
    loaded->known.n_tunings = tuning ? 1 : 0;
}

/// All properties and hierarchies, or the one WHAT, or those of the file WHAT.
static void show_properties(struct loaded *loaded, const char *what)
{
    struct known *known = &loaded->known;
    const struct property_list *all = &loaded->catalogue->properties;
    const struct hierarchy_list *hierarchies = &loaded->catalogue->hierarchies;
    known->properties = all;
    known->all_hierarchies = hierarchies;
    for (size_t i = 0; i < all->n; i++) {
        const struct asl_property *property = &all->items[i];
        if (!what || strcmp(property->name, what) == 0 || strcmp(property->file, what) == 0) {
            known->property = known->property ? known->property : property;
            known->n_properties++; // those of a file follow each other
        }
    }
    for (size_t i = 0; i < hierarchies->n; i++) {
        const struct hierarchy *hierarchy = &hierarchies->items[i];
        if (!what || strcmp(hierarchy->id, what) == 0 || strcmp(hierarchy->file, what) == 0) {
            known->hierarchies = known->hierarchies ? known->hierarchies : hierarchy;
            known->n_hierarchies++;
        }
    }
    loaded->wants[PROPERTIES] = known->property || known->hierarchies;
}

/// The shipped catalogue with FILES. 0, or -1 and ERR.
static int load_catalogue(struct loaded *loaded, const struct option_list *files, struct error *err)
{
    catalogue_free(loaded->catalogue);
    loaded->catalogue = catalogue_load_shipped(files->values, files->count, err);
    return loaded->catalogue ? findings_check_remedies(loaded->catalogue, err) : -1;
}

/// A file of the user's, with what his other files define.
static int load_file(struct loaded *loaded, const struct request *request, struct error *err)
{
    enum kind kind;
    if (kind_of_file(request->what, &kind, err) != 0)
        return -1;
    loaded->wants[kind] = loaded->is_one = true;
    if (bundled_of(kind))
        return load_files(loaded, kind, request->what, err);
    SCOPED_BY(options_list_release) struct option_list files = {0};
    options_list_append(&files, request->files.values, request->files.count);
    options_list_append(&files, &request->what, 1);
    int status = load_catalogue(loaded, &files, err);
    loaded->known.pattern_file = request->what;
    if (status == 0 && kind == PROPERTIES)
        show_properties(loaded, request->what);
    if (status == 0 && !loaded->wants[kind])
        status = error_set(err, "%s: it has constants only, no property or metric", request->what);
    for (size_t i = 0; status == 0 && kind == FINDINGS && i < loaded->catalogue->findings.n; i++)
        if (strcmp(loaded->catalogue->findings.kinds[i].file, request->what) == 0)
            show_finding(loaded, &loaded->catalogue->findings.kinds[i]);
    for (size_t i = 0; status == 0 && kind == TUNING && i < loaded->catalogue->tunings.n; i++)
        if (strcmp(loaded->catalogue->tunings.items[i].file, request->what) == 0)
            show_tuning(loaded, &loaded->catalogue->tunings.items[i]);
    return status;
}

static bool is_file(const char *what)
{
    return access(what, F_OK) == 0 || strchr(what, '/') || text_ends_in(what, ".xml");
}

/// Finds out what REQUEST is about and reads that. The catalogue is read already, for its names.
static int load(struct loaded *loaded, const struct request *request, struct error *err)
{
    const char *what = request->what;
    bool is_kind = false;
    for (int i = 0; i < N_KINDS; i++) {
        loaded->wants[i] = !what || strcmp(what, kinds[i].name) == 0;
        is_kind |= loaded->wants[i];
    }
    if (load_catalogue(loaded, &request->files, err) != 0)
        return -1;
    if (loaded->wants[FINDINGS]) {
        loaded->known.findings = loaded->catalogue->findings.kinds;
        loaded->known.n_findings = loaded->catalogue->findings.n;
    }
    if (loaded->wants[TUNING]) {
        loaded->known.tunings = loaded->catalogue->tunings.items;
        loaded->known.n_tunings = loaded->catalogue->tunings.n;
    }
    if (loaded->wants[PROPERTIES])
        show_properties(loaded, NULL);
    int status = 0;
    for (enum kind kind = MACHINES; is_kind && kind < N_KINDS && status == 0; kind++)
        status = loaded->wants[kind] ? load_files(loaded, kind, NULL, err) : 0;
    if (is_kind)
        return status;
    if (catalogue_find(loaded->catalogue, what) == PATTERN_NONE &&
        !finding_kinds_find(&loaded->catalogue->findings, what) &&
        id_of_title(loaded->catalogue, &what, err) != 0)
        return -1;
    loaded->known.pattern = catalogue_find(loaded->catalogue, what);
    show_finding(loaded, finding_kinds_find(&loaded->catalogue->findings, what));
    loaded->wants[PATTERNS] = loaded->known.pattern != PATTERN_NONE;
    show_tuning(loaded, tunings_find(&loaded->catalogue->tunings, what));
    loaded->wants[FINDINGS] = loaded->known.findings != NULL;
    loaded->wants[TUNING] = loaded->known.tunings != NULL;
    bool is_known = loaded->wants[PATTERNS] || loaded->wants[FINDINGS] || loaded->wants[TUNING];
    if (!is_known && !is_file(what))
        show_properties(loaded, what);
    is_known |= loaded->wants[PROPERTIES];
    if (!is_known && is_file(what))
        return load_file(loaded, request, err);
    loaded->is_one = true;
    for (enum kind kind = MACHINES; !is_known && kind < N_KINDS; kind++)
        if (has_name(bundled_of(kind), what)) {
            loaded->wants[kind] = true;
            return load_files(loaded, kind, what, err);
        }
    return is_known ? 0 : nothing_of_that_name(loaded->catalogue, what, err);
}

static void print_patterns(const struct loaded *loaded, size_t width)
{
    bool is_first = true;
    if (!loaded->is_one) {
        pattern_page_tree(loaded->catalogue, width, stdout);
        return;
    }
    for (size_t i = 0; i < loaded->catalogue->n_patterns; i++) {
        if (!known_shows_pattern(&loaded->known, i))
            continue;
        if (!is_first)
            putchar('\n');
        pattern_page_one(loaded->catalogue, (uint32_t)i, width, stdout);
        is_first = false;
    }
}

static void print_properties(const struct loaded *loaded, size_t width)
{
    const struct known *known = &loaded->known;
    if (!loaded->is_one || known->n_properties > 1)
        property_page_list(known, width, stdout);
    else if (known->property)
        property_page_one(known, width, stdout);
    else
        hierarchy_page_one(known, width, stdout);
}

static void print_text(const struct loaded *loaded)
{
    const struct known *known = &loaded->known;
    size_t width = text_options_for(stdout).width;
    bool has_titles = loaded->wants[PATTERNS] && loaded->wants[MACHINES];
    for (int i = 0; i < N_KINDS; i++) {
        if (!loaded->wants[i])
            continue;
        if (has_titles)
            printf("%s%s\n\n", i > 0 ? "\n" : "", kinds[i].title);
        if (i == PATTERNS)
            print_patterns(loaded, width);
        else if (loaded->is_one && i == FINDINGS)
            finding_page_one(known->findings, width, stdout);
        else if (i == FINDINGS)
            finding_page_list(known->findings, known->n_findings, width, stdout);
        else if (loaded->is_one && i == TUNING)
            tuning_page_one(known->tunings, width, stdout);
        else if (i == TUNING)
            tuning_page_list(known->tunings, known->n_tunings, width, stdout);
        else if (i == PROPERTIES)
            print_properties(loaded, width);
        else if (loaded->is_one && i == MACHINES)
            machine_page_one(known->machines, width, stdout);
        else if (loaded->is_one && i == MODELS)
            model_page_one(known->models, width, stdout);
        else if (loaded->is_one)
            policy_page_one(known->policies, width, stdout);
        else if (i == MACHINES)
            machine_page_list(known->machines, known->n_machines, width, stdout);
        else if (i == POLICIES)
            policy_page_list(known->policies, known->n_policies, width, stdout);
        else
            model_page_list(known->models, known->n_models, width, stdout);
    }
}

static void print(struct loaded *loaded, const struct request *request)
{
    loaded->known.catalogue = loaded->wants[PATTERNS] ? loaded->catalogue : NULL;
    if (request->wants_manual)
        pattern_page_manual(loaded->catalogue, stdout);
    else if (request->wants_json)
        json_print_known(&loaded->known, stdout);
    else
        print_text(loaded);
}

static void release(struct loaded *loaded)
{
    for (size_t i = 0; i < loaded->known.n_machines; i++)
        machine_release(&loaded->machines[i]);
    for (size_t i = 0; i < loaded->known.n_policies; i++)
        policy_release(&loaded->policies[i]);
    for (size_t i = 0; i < loaded->known.n_models; i++)
        task_model_release(&loaded->models[i]);
    FREE_ALL(loaded->machines, loaded->models, loaded->policies);
    catalogue_free(loaded->catalogue);
}

int cmd_explain(int argc, char **argv)
{
    struct request request = {0};
    struct loaded loaded = {.known.pattern = PATTERN_NONE};
    struct error err = {{0}};
    int status;
    if (read_request(argc, argv, &request, &status)) {
        int failed = load(&loaded, &request, &err);
        if (failed == 0)
            print(&loaded, &request);
        status = log_outcome(failed, false, &err);
    }
    release(&loaded);
    options_list_release(&request.files);
    return status;
}
