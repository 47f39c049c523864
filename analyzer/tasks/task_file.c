// SPDX-License-Identifier: BSD-3-Clause
// Reading model files (task_model.h), each element by its table of attributes.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/elements.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/model/model_table.h"
#include "analyzer/tasks/task_model.h"

const struct bundled bundled_models = {"models", "model"};
const char *const task_part_names[TASK_PARTS] = {"compute", "latency", "bandwidth", "contention"};

static const char *const fixed_names[NAMES_FIXED] = {"p",        "total",   "groups",
                                                     "smallest", "latency", "bandwidth"};

/// The formula of the attribute NAME of ELEMENT, if it has one. 0, or -1 and the error.
static int read_formula(const struct element_reader *reader, const struct xml_element *element,
                        const char *name, struct task_formula *formula)
{
    const struct task_model *model = reader->into;
    bool may_use_parts = strcmp(name, task_part_names[TASK_CONTENTION]) == 0;
    formula->formula = formula->text
                           ? formula_new_with(formula->text, model->names, model->n_names,
                                              model->functions, model->n_functions, reader->err)
                           : NULL;
    if (formula->text && !formula->formula)
        return error_wrap(reader->err, "%s:%u: %s", reader->path, element->line, name);
    for (int i = NAME_LATENCY; i <= NAME_BANDWIDTH && formula->text && !may_use_parts; i++)
        if (formula_uses(formula->text, fixed_names[i]))
            return XML_ERROR(reader, element, "%s=\"%s\": only contention may use %s", name,
                             formula->text, fixed_names[i]);
    return 0;
}

// --- names

/// A new name, the last of DEFINED, and its element's. NULL and the error.
static struct task_name *define(const struct element_reader *reader,
                                const struct xml_element *element, const char *name)
{
    struct task_model *model = reader->into;
    for (size_t i = 0; i < model->n_names; i++)
        if (strcmp(model->names[i], name) == 0) {
            XML_ERROR(reader, element, "name=\"%s\": there is one already", name);
            return NULL;
        }
    bool is_function = HAS_BY(model->functions, model->n_functions, name, name);
    if (is_function || !model_parameter_is_name(name)) {
        XML_ERROR(reader, element,
                  "name=\"%s\": names have letters, digits and _, and are no functions", name);
        return NULL;
    }
    if (model->n_names == TASK_MAX_NAMES) {
        XML_ERROR(reader, element, "more than %d names", TASK_MAX_NAMES);
        return NULL;
    }
    struct task_name *defined = &model->defined[model->n_names];
    model->names[model->n_names++] = name;
    *defined = (struct task_name){.name = name, .summary = ""};
    return defined;
}

static int read_number(const struct element_reader *reader, const struct xml_element *element,
                       const char *name, const char *text, double *value, bool *is_there)
{
    struct error why;
    *is_there = text != NULL;
    if (text && option_read_quantity(text, value, &why))
        return XML_ERROR(reader, element, "%s=\"%s\": %s", name, text, why.text);
    return 0;
}

static int read_parameter(const struct element_reader *reader, const struct xml_element *element)
{
    const char *name = NULL, *value = NULL, *summary = "";
    const struct element_field fields[] = {{"name", FIELD_NAME, .value = &name},
                                           {"value", FIELD_TEXT, .value = &value},
                                           {"summary", FIELD_TEXT, .value = &summary}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    struct task_name *defined = define(reader, element, name);
    if (!defined)
        return -1;
    defined->is_parameter = true;
    defined->summary = summary;
    return read_number(reader, element, "value", value, &defined->value, &defined->has_default);
}

/// The formula fitted to SERIES of the CSV file TABLE beside the model's. NULL and the error.
static char *fit(const struct element_reader *reader, const struct xml_element *element,
                 const char *table, const char *series)
{
    const char *slash = table[0] == '/' ? NULL : strrchr(reader->path, '/');
    char *path =
        memory_format("%.*s%s", slash ? (int)(slash - reader->path + 1) : 0, reader->path, table);
    struct model_table read;
    char *text = NULL;
    int status = model_table_read(&read, path, reader->err);
    free(path);
    if (status) {
        error_wrap(reader->err, "%s:%u", reader->path, element->line);
        return NULL;
    }
    size_t i = 0;
    model_table_fit(&read);
    while (i < read.n_series && strcmp(read.series[i].name, series) != 0)
        i++;
    if (i == read.n_series)
        XML_ERROR(reader, element, "%s has no series \"%s\"", table, series);
    else if (read.series[i].reason)
        XML_ERROR(reader, element, "%s, series \"%s\": no model: %s", table, series,
                  read.series[i].reason);
    else
        text = memory_copy_text(read.series[i].formula);
    SCOPED char *outlier = text ? model_outlier_text(&read, &read.series[i]) : NULL;
    SCOPED char *note = outlier ? memory_format("%s:%u: %s, series \"%s\": %s", reader->path,
                                                element->line, table, series, outlier)
                                : NULL;
    if (note)
        words_add(&((struct task_model *)reader->into)->notes, note);
    model_table_release(&read);
    return text;
}

static int read_value(const struct element_reader *reader, const struct xml_element *element)
{
    const char *name = NULL, *table = NULL, *series = "", *least = NULL, *summary = "";
    struct task_formula formula = {0};
    const struct element_field fields[] = {
        {"name", FIELD_NAME, .value = &name},   {"formula", FIELD_TEXT, .value = &formula.text},
        {"table", FIELD_TEXT, .value = &table}, {"series", FIELD_TEXT, .value = &series},
        {"least", FIELD_TEXT, .value = &least}, {"summary", FIELD_TEXT, .value = &summary},
    };
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (!table == !formula.text)
        return XML_ERROR(reader, element, "<value> needs formula=\"...\" or table=\"...\"");
    char *fitted = table ? fit(reader, element, table, series) : NULL;
    if (table && !fitted)
        return -1;
    formula.text = table ? fitted : formula.text;
    if (read_formula(reader, element, "formula", &formula)) { // before its own name is known
        free(fitted);
        return -1;
    }
    struct task_name *defined = define(reader, element, name);
    if (!defined) {
        formula_free(formula.formula);
        free(fitted);
        return -1;
    }
    defined->summary = summary;
    defined->fitted = fitted;
    defined->formula = formula;
    return read_number(reader, element, "least", least, &defined->least, &defined->has_least);
}

static int read_column(const struct element_reader *reader, const struct xml_element *element)
{
    const char *name = NULL, *summary = "";
    const struct element_field fields[] = {{"name", FIELD_NAME, .value = &name},
                                           {"summary", FIELD_TEXT, .value = &summary}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    struct task_name *defined = define(reader, element, name);
    if (!defined)
        return -1;
    defined->summary = summary;
    defined->is_column = true;
    return 0;
}

// --- tasks

static int read_task(const struct element_reader *reader, const struct xml_element *element,
                     struct task *task);

/// The elements of tasks, of which <exchange> is in <groups> only.
static const char *const task_elements[] = {"task", "sequence", "groups", "phases", "exchange"};
enum { N_TASK_ELEMENTS = 5, EXCHANGE = 4 };

static int task_element(const struct xml_element *element)
{
    size_t i = FIND_TEXT(task_elements, N_TASK_ELEMENTS, element->name);
    return i < N_TASK_ELEMENTS ? (int)i : -1;
}

/// The tasks in TASK's element.
static int read_tasks(const struct element_reader *reader, const struct xml_element *element,
                      struct task *task)
{
    task->tasks = memory_zeroed(element->n_children + 1, sizeof *task->tasks);
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        int kind = task_element(child);
        if (kind < 0)
            return element_refuse(reader, child, element->name, "element", child->name,
                                  task_elements, N_TASK_ELEMENTS);
        if (task->kind == TASK_LEAF)
            return XML_ERROR(reader, child, "<%s> in <%s>, which holds nothing", child->name,
                             element->name);
        if (kind == EXCHANGE && (task->kind != TASK_GROUPS || task->exchange))
            return XML_ERROR(reader, child, "<groups> holds one <exchange>, other tasks none");
        if (task->kind == TASK_PHASES && kind != TASK_GROUPS)
            return XML_ERROR(reader, child, "<phases> holds <groups> only");
        struct task *into = &task->tasks[task->n_tasks];
        if (kind == EXCHANGE)
            task->exchange = into = memory_zeroed(1, sizeof *into);
        else
            task->n_tasks++;
        if (read_task(reader, child, into))
            return -1;
        if ((into->copies.text || into->least.text || into->most.text) &&
            (task->kind != TASK_GROUPS || kind == EXCHANGE))
            return XML_ERROR(reader, child, "copies, least and most are for tasks of <groups>");
    }
    if (task->kind != TASK_LEAF && task->n_tasks == 0)
        return XML_ERROR(reader, element, "<%s> holds no task", element->name);
    return 0;
}

/// Whether the groups of all phases have the same tasks, so that sizes can be kept.
static int check_phases(const struct element_reader *reader, const struct xml_element *element,
                        const struct task *task)
{
    for (size_t i = 0; task->kind == TASK_PHASES && i < task->n_tasks; i++) {
        const struct task *phase = &task->tasks[i];
        bool is_same = phase->n_tasks == task->tasks[0].n_tasks && phase->run == RUN_GROUPS;
        for (size_t j = 0; j < phase->n_tasks && is_same; j++)
            is_same = !phase->tasks[j].copies.text &&
                      strcmp(phase->tasks[j].name, task->tasks[0].tasks[j].name) == 0;
        if (!is_same)
            return XML_ERROR(reader, &element->children[i],
                             "the <groups> of <phases> need run=\"groups\" and tasks of the "
                             "same names in the same order, without copies");
    }
    return 0;
}

static int read_leaf(const struct element_reader *reader, const struct xml_element *element,
                     struct task *task)
{
    bool has_cost = false;
    for (int i = 0; i < TASK_PARTS; i++)
        has_cost |= task->parts[i].text != NULL;
    if (task->kind == TASK_LEAF && !has_cost)
        return XML_ERROR(reader, element,
                         "<%s> needs compute, latency, bandwidth or contention: its time",
                         element->name);
    for (int i = 0; i < TASK_PARTS; i++) {
        if (task->kind != TASK_LEAF && task->parts[i].text)
            return XML_ERROR(reader, element, "%s=\"...\" is for <task> and <exchange>",
                             task_part_names[i]);
        if (read_formula(reader, element, task_part_names[i], &task->parts[i]))
            return -1;
    }
    return 0;
}

static int read_task(const struct element_reader *reader, const struct xml_element *element,
                     struct task *task)
{
    static const char *const runs[] = {"either", "groups", "consecutive"};
    int kind = task_element(element);
    *task = (struct task){.kind = kind == EXCHANGE ? TASK_LEAF : (enum task_kind)kind,
                          .name = "",
                          .line = element->line};
    const struct element_field fields[] = {
        {"name", FIELD_NAME, .value = &task->name},
        {"compute", FIELD_TEXT, .value = &task->parts[TASK_COMPUTE].text},
        {"latency", FIELD_TEXT, .value = &task->parts[TASK_LATENCY].text},
        {"bandwidth", FIELD_TEXT, .value = &task->parts[TASK_BANDWIDTH].text},
        {"contention", FIELD_TEXT, .value = &task->parts[TASK_CONTENTION].text},
        {"repeat", FIELD_TEXT, .value = &task->repeat.text},
        {"copies", FIELD_TEXT, .value = &task->copies.text},
        {"least", FIELD_TEXT, .value = &task->least.text},
        {"most", FIELD_TEXT, .value = &task->most.text},
        {"change", FIELD_TEXT, .value = &task->change.text},
        {"run", FIELD_CHOICE, &task->run, .choices = runs, .most = 3},
        {"rows", FIELD_YES, .value = &task->has_rows},
    };
    if (ELEMENT_READ(reader, element, fields) != 0 || read_leaf(reader, element, task) ||
        read_formula(reader, element, "repeat", &task->repeat) ||
        read_formula(reader, element, "copies", &task->copies) ||
        read_formula(reader, element, "least", &task->least) ||
        read_formula(reader, element, "most", &task->most) ||
        read_formula(reader, element, "change", &task->change))
        return -1;
    if (task->has_rows && task->kind != TASK_LEAF)
        return XML_ERROR(reader, element, "rows=\"yes\" is for <task>");
    if (task->change.text && task->kind != TASK_PHASES)
        return XML_ERROR(reader, element, "change=\"...\" is for <phases>");
    return read_tasks(reader, element, task) || check_phases(reader, element, task) ? -1 : 0;
}

static int read_top(const struct element_reader *reader, const struct xml_element *element)
{
    struct task_model *model = reader->into;
    if (model->top)
        return XML_ERROR(reader, element, "a second task: put both into <sequence>");
    model->top = memory_zeroed(1, sizeof *model->top);
    return read_task(reader, element, model->top);
}

// --- the whole file

static int read_origin(const struct element_reader *reader, const struct xml_element *element)
{
    struct task_model *model = reader->into;
    const struct element_field fields[] = {{"source", FIELD_TEXT, .value = &model->source},
                                           {"missing", FIELD_TEXT, .value = &model->missing},
                                           {"bias", FIELD_TEXT, .value = &model->bias}};
    return ELEMENT_READ(reader, element, fields);
}

static int read_model(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {
        {"origin", read_origin}, {"parameter", read_parameter},
        {"value", read_value},   {"column", read_column},
        {"task", read_top},      {"sequence", read_top},
        {"groups", read_top},    {"phases", read_top},
    };
    struct task_model *model = reader->into;
    const struct element_field fields[] = {{"name", FIELD_NAME, .value = &model->name},
                                           {"summary", FIELD_TEXT, .value = &model->summary}};
    if (ELEMENT_READ(reader, element, fields) != 0 ||
        ELEMENT_READ_KINDS(reader, element, kinds) != 0)
        return -1;
    return model->top ? 0 : XML_ERROR(reader, element, "<model> holds no task");
}

int task_model_read(struct task_model *model, const char *name, const struct machine *machine,
                    struct error *err)
{
    *model = (struct task_model){.path = bundled_path(&bundled_models, name, err),
                                 .name = "",
                                 .summary = "",
                                 .source = "",
                                 .missing = "",
                                 .bias = "",
                                 .n_names = NAMES_FIXED,
                                 .machine.machine = machine};
    memcpy(model->names, fixed_names, sizeof fixed_names);
    task_model_add_functions(model);
    const struct element_reader reader = {model->path, model, err};
    return model->path
               ? element_read_file(&reader, "model", "model file", read_model, &model->document)
               : -1;
}

static void release_task(struct task *task)
{
    struct task_formula *const formulas[] = {&task->repeat, &task->copies, &task->least,
                                             &task->most, &task->change};
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        formula_free(formulas[i]->formula);
    for (int i = 0; i < TASK_PARTS; i++)
        formula_free(task->parts[i].formula);
    for (size_t i = 0; i < task->n_tasks; i++)
        release_task(&task->tasks[i]);
    if (task->exchange)
        release_task(task->exchange);
    FREE_ALL(task->exchange, task->tasks);
}

void task_model_release(struct task_model *model)
{
    if (model->top)
        release_task(model->top);
    free(model->top);
    for (size_t i = 0; i < model->n_names; i++) {
        formula_free(model->defined[i].formula.formula);
        free(model->defined[i].fitted);
    }
    words_free(model->notes);
    free(model->path);
    xml_free(model->document);
    *model = (struct task_model){0};
}

size_t task_count(const struct task *task)
{
    size_t n = task->kind == TASK_LEAF;
    for (size_t i = 0; i < task->n_tasks; i++)
        n += task_count(&task->tasks[i]);
    return n + (task->exchange ? 1 : 0);
}
