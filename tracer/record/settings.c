// SPDX-License-Identifier: BSD-3-Clause
// Reading the settings, see settings.h. Everything was validated by `pagoda trace`.
#include "tracer/record/settings.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUFFER_BYTES (1U << 20)
#define BUFFER_UNIT_BYTES    65536U // the largest page size
#define MOST_BUFFER_BYTES    (1U << 30)

struct settings settings = {.buffer_bytes = DEFAULT_BUFFER_BYTES};

static const struct {
    const char *name;
    uint64_t *value;
} numbers[] = {
    {"call_stack", &settings.call_stack},
    {"min_duration", &settings.min_duration_ns},
    {"max_bytes", &settings.max_bytes},
    {"buffer_bytes", &settings.buffer_bytes},
};

static const struct {
    const char *name;
    char kind;
    bool include;
} rule_names[] = {
    {"exclude_region", 'r', false},
    {"include_region", 'r', true},
    {"exclude_mangled", 'm', false},
    {"include_mangled", 'm', true},
    {"exclude_file", 'f', false},
    {"include_file", 'f', true},
    {"exclude_function", 'p', false},
    {"include_function", 'p', true},
    {"env", 'e', true},
};

static void add_window(const char *value)
{
    struct settings_window window = {0, 0};
    char *rest = NULL;
    window.from_ns = strtoull(value, &rest, 10);
    if (*rest != '-' || settings.n_windows == SETTINGS_WINDOWS)
        return;
    window.to_ns = strtoull(rest + 1, NULL, 10);
    settings.windows[settings.n_windows++] = window;
}

static void add_rule(char kind, bool include, const char *pattern)
{
    size_t n = settings.n_rules + 1;
    struct settings_rule *rules = realloc(settings.rules, n * sizeof *rules);
    if (!rules)
        return;
    settings.rules = rules;
    rules[n - 1] = (struct settings_rule){kind, include, strdup(pattern)};
    settings.n_rules = rules[n - 1].pattern ? n : n - 1;
}

/// The last of several counts; nothing: none.
static void keep(char **text, const char *value)
{
    free(*text);
    *text = value[0] != '\0' ? strdup(value) : NULL;
}

static void add_counter(const char *name)
{
    char *copy = settings.n_counters < SETTINGS_COUNTERS ? strdup(name) : NULL;
    if (copy)
        settings.counters[settings.n_counters++] = copy;
}

static void take(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(name, numbers[i].name) == 0)
            *numbers[i].value = strtoull(value, NULL, 10);
    for (size_t i = 0; i < sizeof rule_names / sizeof rule_names[0]; i++)
        if (strcmp(name, rule_names[i].name) == 0)
            add_rule(rule_names[i].kind, rule_names[i].include, value);
    if (strcmp(name, "window") == 0)
        add_window(value);
    else if (strcmp(name, "counter") == 0)
        add_counter(value);
    else if (strcmp(name, "start_at") == 0)
        keep(&settings.start_at, value);
    else if (strcmp(name, "stop_at") == 0)
        keep(&settings.stop_at, value);
    else if (strcmp(name, "files") == 0)
        settings.only_mpi_files = strcmp(value, "mpi") == 0;
}

void settings_read(const char *dir)
{
    char path[4352];
    snprintf(path, sizeof path, "%s/%s", dir, SETTINGS_FILE);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) > 0) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        value[strcspn(value, "\n")] = '\0';
        take(line, value);
    }
    free(line);
    fclose(file);
    if (settings.buffer_bytes < BUFFER_UNIT_BYTES || settings.buffer_bytes > MOST_BUFFER_BYTES ||
        settings.buffer_bytes % BUFFER_UNIT_BYTES != 0)
        settings.buffer_bytes = DEFAULT_BUFFER_BYTES;
}

static bool speaks_of_secrets(const char *name)
{
    static const char *const words[] = {"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

bool settings_keep_variable(const char *name)
{
    for (size_t i = 0; i < settings.n_rules; i++) {
        const char *pattern = settings.rules[i].pattern;
        bool has_wildcard = strpbrk(pattern, "*?[") != NULL;
        if (settings.rules[i].kind == 'e' && fnmatch(pattern, name, 0) == 0 &&
            !(has_wildcard && speaks_of_secrets(name)))
            return true;
    }
    return false;
}
