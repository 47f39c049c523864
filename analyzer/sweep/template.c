// SPDX-License-Identifier: BSD-3-Clause
// Copies with values (see template.h). The user's own files are never written to, so that nothing
// has to be put back when a sweep is killed.
#include "analyzer/sweep/template.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/sweep/substitute.h"

enum { MAX_BYTES = 16 << 20 };

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

/// The text of a file, to be freed. NULL and ERR: unreadable, too large, or no text.
static char *read_text(const char *path, struct error *err)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t n = 0, capacity = 0;
    const char *why = file ? NULL : strerror(errno);
    while (file && !why) {
        text = array_reserve(text, &capacity, n + BUFSIZ + 1, 1);
        size_t n_read = fread(text + n, 1, BUFSIZ, file);
        n += n_read;
        text[n] = '\0';
        if (n_read == 0)
            break;
        why = n > MAX_BYTES ? "it is larger than 16 MiB" : NULL;
    }
    if (file && ferror(file))
        why = strerror(errno);
    else if (!why && strlen(text) != n)
        why = "it is no text";
    if (file)
        fclose(file);
    if (!why)
        return text;
    error_set(err, "cannot read %s: %s", path, why);
    free(text);
    return NULL;
}

int sweep_template_add(struct sweep_plan *plan, const char *path, struct error *err)
{
    if (plan->n_templates == SWEEP_MAX_TEMPLATES)
        return error_set(err, "more than %d files", SWEEP_MAX_TEMPLATES);
    if (!stays_below(path))
        return error_set(err, "the file %s is not below the working folder", path);
    char *text = read_text(path, err);
    if (!text)
        return -1;
    plan->templates[plan->n_templates++] =
        (struct sweep_template){.path = memory_copy_text(path), .text = text};
    return 0;
}

/// The folders above a file that is to be written.
static void make_folders_above(char *path, size_t n_there)
{
    for (char *slash = strchr(path + n_there, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); // what fails here is told when the file is opened
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
        char *path = memory_format("%s/%s", dir, template->path);
        char *text = sweep_substitute(plan, point, NULL, template->text);
        make_folders_above(path, strlen(dir) + 1);
        status = write_copy(template, path, text, err);
        free(path);
        free(text);
    }
    return status;
}
