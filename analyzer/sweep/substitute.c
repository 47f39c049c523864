// SPDX-License-Identifier: BSD-3-Clause
// Substitution in one pass (see plan.h). Files are copied, never changed, so that nothing has
// to be put back when a sweep is killed.
#include "analyzer/sweep/plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

static const char dir_name[] = "{dir}";

/// Length of {name} at the begin of TEXT, 0: there is none.
static size_t braced_name(const char *text)
{
    size_t n = 1;
    if (text[0] != '{' || !(isalpha((unsigned char)text[1]) || text[1] == '_'))
        return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
        n++;
    return text[n] == '}' ? n + 1 : 0;
}

/// What stands at the begin of TEXT: how long it is (0: nothing to replace), and its value.
static size_t found_at(const struct sweep_plan *plan, const struct sweep_point *point,
                       const char *dir, const char *text, const char **value)
{
    size_t longest = 0;
    for (size_t i = 0; i < plan->n_parameters; i++) {
        const char *search = plan->parameters[i].search;
        size_t length = strlen(search);
        if (!point->values[i] || length <= longest || strncmp(text, search, length) != 0)
            continue;
        longest = length;
        *value = point->values[i];
    }
    if (longest == 0 && dir && strncmp(text, dir_name, sizeof dir_name - 1) == 0) {
        longest = sizeof dir_name - 1;
        *value = dir;
    }
    return longest;
}

char *sweep_substitute(const struct sweep_plan *plan, const struct sweep_point *point,
                       const char *dir, const char *text)
{
    size_t n = 0, capacity = 0;
    char *made = array_reserve(NULL, &capacity, strlen(text) + 1, 1);
    while (*text) {
        const char *value = text;
        size_t kept = dir && text[0] == '{' ? braced_name(text + 1) : 0; // {{name}
        size_t length = kept ? 0 : found_at(plan, point, dir, text, &value);
        size_t n_value = kept ? kept : length ? strlen(value) : 1;
        made = array_reserve(made, &capacity, n + n_value + 1, 1);
        memcpy(made + n, kept ? text + 1 : value, n_value);
        n += n_value;
        text += kept ? kept + 1 : length ? length : 1;
    }
    made[n] = '\0';
    return made;
}

char **sweep_line(const struct sweep_plan *plan, const struct sweep_point *point, const char *dir)
{
    char **line = words_copy(plan->line);
    for (size_t i = 0; line[i]; i++) {
        free(line[i]);
        line[i] = sweep_substitute(plan, point, dir, plan->line[i]);
    }
    return line;
}

static bool is_known(const struct sweep_plan *plan, const char *text, size_t length)
{
    if (length == sizeof dir_name - 1 && strncmp(text, dir_name, length) == 0)
        return true;
    for (size_t i = 0; i < plan->n_parameters; i++) {
        const char *search = plan->parameters[i].search;
        if (strlen(search) == length && strncmp(text, search, length) == 0)
            return true;
    }
    return false;
}

int sweep_check_names(const struct sweep_plan *plan, const char *text, struct error *err)
{
    SCOPED const char **names = NAMED_NAMES(plan->parameters, plan->n_parameters);
    for (; *text; text++) {
        size_t kept = text[0] == '{' ? braced_name(text + 1) : 0;
        size_t length = kept ? 0 : braced_name(text);
        if (kept)
            text += kept;
        if (length == 0 || is_known(plan, text, length))
            continue;
        SCOPED char *name = memory_format("%.*s", (int)length - 2, text + 1);
        const char *nearest = spelling_nearest(name, names, plan->n_parameters);
        if (nearest)
            error_set(err, "there is no parameter %s; did you mean {%s}?", name, nearest);
        else
            error_set(err, "there is no parameter %s ({{%s} stands for {%s} itself)", name, name,
                      name);
        return -1;
    }
    return 0;
}

static bool is_used(const struct sweep_plan *plan, const struct sweep_parameter *parameter)
{
    bool is_there = (plan->build && strstr(plan->build, parameter->search)) ||
                    (plan->batch && strstr(plan->batch, parameter->search));
    for (size_t i = 0; !is_there && plan->line[i]; i++)
        is_there = strstr(plan->line[i], parameter->search) != NULL;
    for (size_t i = 0; !is_there && i < plan->n_templates; i++)
        is_there = strstr(plan->templates[i].text, parameter->search) != NULL;
    return is_there;
}

int sweep_check_uses(const struct sweep_plan *plan, struct error *err)
{
    for (size_t i = 0; plan->line[i]; i++)
        if (sweep_check_names(plan, plan->line[i], err) != 0)
            return error_wrap(err, "%s in the launch line", plan->line[i]);
    if (plan->batch && sweep_check_names(plan, plan->batch, err) != 0)
        return error_wrap(err, "%s in the options of sbatch", plan->batch);
    for (size_t i = 0; i < plan->n_parameters; i++)
        if (!is_used(plan, &plan->parameters[i]))
            return error_set(err, "parameter %s changes nothing: %s is not in the launch line%s",
                             plan->parameters[i].name, plan->parameters[i].search,
                             plan->build || plan->n_templates > 0 ? ", the build or a file" : "");
    return 0;
}

// ---- files ----

static bool stays_below(const char *path)
{
    if (!*path || *path == '/')
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

int sweep_template_add(struct sweep_plan *plan, const char *path, struct error *err)
{
    if (plan->n_templates == SWEEP_MAX_TEMPLATES)
        return error_set(err, "more than %d files", SWEEP_MAX_TEMPLATES);
    if (!stays_below(path))
        return error_set(err, "the file %s is not below the working folder", path);
    const char *why;
    char *text = text_of_file(path, &why);
    if (!text)
        return error_set(err, "cannot read %s: %s", path, why);
    plan->templates[plan->n_templates++] =
        (struct sweep_template){.path = memory_copy_text(path), .text = text};
    return 0;
}

/// The folders above a file that is to be written.
static void make_folders_above(char *path, size_t n_there)
{
    for (char *slash = strchr(path + n_there, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); // opening the file reports a failure
        *slash = '/';
    }
}

/// With the mode of the file it is made from: scripts stay executable.
static int write_copy(const struct sweep_template *template, const char *path, const char *text,
                      struct error *err)
{
    struct stat status;
    FILE *file = fopen(path, "we");
    bool is_written = file && fputs(text, file) >= 0;
    if (file && stat(template->path, &status) == 0)
        fchmod(fileno(file), status.st_mode & 0777);
    if (file)
        is_written = fclose(file) == 0 && is_written;
    return is_written ? 0 : error_set(err, "cannot write %s: %s", path, strerror(errno));
}

int sweep_template_write(const struct sweep_plan *plan, const struct sweep_point *point,
                         const char *dir, struct error *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < plan->n_templates; i++) {
        const struct sweep_template *template = &plan->templates[i];
        SCOPED char *path = memory_format("%s/%s", dir, template->path);
        SCOPED char *text = sweep_substitute(plan, point, NULL, template->text);
        make_folders_above(path, strlen(dir) + 1);
        status = write_copy(template, path, text, err);
    }
    return status;
}
