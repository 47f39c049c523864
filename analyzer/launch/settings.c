// SPDX-License-Identifier: BSD-3-Clause
// The table of settings, where their values come from, and what makes them valid.
#include "analyzer/launch/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/lines.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/launch/filter.h"

enum setting {
    SETTING_FILTER,
    SETTING_MPI,
    SETTING_FILES,
    SETTING_MIN_DURATION,
    SETTING_START_AT,
    SETTING_STOP_AT,
    SETTING_WINDOW,
    SETTING_MAX_BYTES,
    SETTING_BUFFER_BYTES,
    SETTING_CALL_STACK,
    SETTING_COUNTERS,
    SETTING_ENV,
};

enum setting_kind { KIND_TEXT, KIND_FILE, KIND_DURATION, KIND_SIZE, KIND_COUNT };
enum origin { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_ENVIRONMENT, ORIGIN_OPTION };

enum {
    LEAST_BUFFER_BYTES = 64 << 10, // the largest page size
    MOST_BUFFER_BYTES = 1 << 30,
    MOST_FRAMES = 64,
};

#define LIST_SEPARATORS ", \t"
#define DEFAULT_ENVIRONMENT                                                                        \
    "OMP_*,GOMP_*,KMP_*,MKL_NUM_THREADS,OPENBLAS_NUM_THREADS,SLURM_JOB_ID,SLURM_JOB_NAME,"         \
    "SLURM_JOB_PARTITION,SLURM_CLUSTER_NAME,SLURM_JOB_NUM_NODES,SLURM_NTASKS,"                     \
    "SLURM_NTASKS_PER_NODE,SLURM_CPUS_PER_TASK,PBS_JOBID,LSB_JOBID,UCX_TLS,MPICH_*,I_MPI_*,"       \
    "OMPI_MCA_mpi_oversubscribe,OMPI_MCA_mpi_yield_when_idle"

static const struct {
    const char *name;
    enum setting_kind kind;
    const char *argument;
    const char *default_text;
    const char *help, *manual;
} table[TRACE_N_SETTINGS] = {
    [SETTING_FILTER] = {"filter", KIND_FILE, "FILE", "",
                        "exclude regions by this filter file, in Score-P's or TAU's format",
                        "See FILTER FILES in pagoda-tracer(7)."},
    [SETTING_MPI] = {"mpi", KIND_TEXT, "all|communication", "all",
                     "record all MPI functions, or only those that communicate or may wait",
                     "communication leaves out functions such as MPI_Comm_rank, MPI_Wtime and "
                     "MPI_Type_commit; they then cost nothing."},
    [SETTING_FILES] = {"files", KIND_TEXT, "all|mpi", "all",
                       "record what the program does to files, or only that of MPI-IO",
                       "mpi leaves out the functions of the C library, such as open, write and "
                       "fprintf, see FILES in pagoda-tracer(7)."},
    [SETTING_MIN_DURATION] =
        {"min_duration", KIND_DURATION, "T", "0",
         "drop visits of regions that are shorter than T, such as 5us, with nothing "
         "recorded inside",
         "These are functions and annotations of the program, and MPI calls that record their "
         "enter and leave only."},
    [SETTING_START_AT] = {"start_at", KIND_TEXT, "NAME", "",
                          "start recording at this marker, or at the enter of this region",
                          "A region is a function compiled with instrumentation, or an "
                          "annotation. Without --start-at recording is on from the start."},
    [SETTING_STOP_AT] = {"stop_at", KIND_TEXT, "NAME", "",
                         "stop recording at this marker, or at the leave of this region",
                         "Recording may start again. With the same region for --start-at and "
                         "--stop-at all its instances are recorded."},
    [SETTING_WINDOW] = {"window", KIND_TEXT, "FROM-TO,...", "",
                        "record only in these times after MPI_Init, such as 10s-20s,60s-",
                        "The times count from the end of MPI_Init of each process, in order. An "
                        "end left out is that of the run. It excludes --start-at and --stop-at."},
    [SETTING_MAX_BYTES] = {"max_bytes", KIND_SIZE, "SIZE", "0",
                           "stop recording a thread when its records reach this size; 0: never",
                           "A message at the end of the run says so."},
    [SETTING_BUFFER_BYTES] = {"buffer_bytes", KIND_SIZE, "SIZE", "1MiB",
                              "size of the buffer that a thread writes its records to",
                              "It is rounded up to 64 KiB."},
    [SETTING_CALL_STACK] = {"call_stack", KIND_COUNT, "N", "0",
                            "record up to N callers of each MPI call; 0: only the calling line",
                            "64 is the most."},
    [SETTING_COUNTERS] =
        {"counters", KIND_TEXT, "NAMES", "",
         "count these for each region, such as cycles,instructions,max-rss,energy-pkg",
         "See COUNTERS in pagoda-tracer(7) for the names. PAPI_TOT_INS and perf::CYCLES are "
         "PAPI's. "
         "Counters that a machine does not have are left out, with a message."},
    [SETTING_ENV] = {"env", KIND_TEXT, "NAMES", DEFAULT_ENVIRONMENT,
                     "keep these environment variables of rank 0, such as OMP_*,SLURM_*",
                     "They become properties of the archive. * and ? are wildcards. The default "
                     "says how threads, jobs and networks were set up. A wildcard never takes a "
                     "variable whose name speaks of a key, token, secret, password or "
                     "credential."},
};

// ---- where values come from

static char *with_dashes(const char *name)
{
    char *text = memory_copy_text(name);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? '-' : *c;
    return text;
}

void trace_settings_init(struct trace_settings *settings)
{
    *settings = (struct trace_settings){0};
    for (int i = 0; i < TRACE_N_SETTINGS; i++)
        settings->option_names[i] = with_dashes(table[i].name);
}

void trace_settings_release(struct trace_settings *settings)
{
    for (int i = 0; i < TRACE_N_SETTINGS; i++) {
        FREE_ALL(settings->option_names[i], settings->values[i].text, settings->values[i].where,
                 settings->values[i].base);
    }
    options_list_release(&settings->environment);
    trace_filter_free(settings->filter);
    *settings = (struct trace_settings){0};
}

size_t trace_settings_rows(struct trace_settings *settings, struct option_row *rows)
{
    size_t n = 0;
    rows[n++] = (struct option_row)OPTION_TEXT_ROW(
        "config", 'c', "FILE", &settings->config,
        "read settings from FILE, with lines NAME = VALUE named like the options below", NULL,
        .manual = "See section SETTINGS.");
    for (int i = 0; i < TRACE_N_SETTINGS; i++) {
        const char *shown = i == SETTING_ENV ? "OMP_*, SLURM_* and others" : table[i].default_text;
        rows[n] = (struct option_row)OPTION_TEXT_ROW(
            settings->option_names[i], 0, table[i].argument, &settings->options[i], table[i].help,
            *shown ? shown : NULL, .manual = table[i].manual);
        if (i == SETTING_ENV) {
            rows[n].type = OPTION_LIST;
            rows[n].value = &settings->environment;
        }
        n++;
    }
    return n;
}

/// Keeps the value unless there is one of higher origin.
static void set(struct trace_settings *settings, int i, const char *text, enum origin origin,
                const char *where)
{
    struct trace_setting_value *value = &settings->values[i];
    if (value->rank > (int)origin)
        return;
    FREE_ALL(value->text, value->where);
    value->text = memory_copy_text(text);
    value->where = memory_copy_text(where);
    value->rank = (int)origin;
}

static int find_setting(const char *name)
{
    size_t i = FIND_BY(table, TRACE_N_SETTINGS, name, name);
    return i < TRACE_N_SETTINGS ? (int)i : -1;
}

static const char *nearest_name(const char *name)
{
    SCOPED const char **names = NAMED_NAMES(table, TRACE_N_SETTINGS);
    return spelling_nearest(name, names, TRACE_N_SETTINGS);
}

/// The text after the = of a line, without a comment and quotes, in place.
static char *value_of(char *text)
{
    char *value = text_trim(text);
    char *close = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
    const char *rest = close ? close + 1 + strspn(close + 1, " \t") : NULL;
    if (rest && (*rest == '\0' || *rest == '#')) {
        *close = '\0';
        return value + 1;
    }
    for (char *c = value; *c; c++)
        if (*c == '#' && (c == value || c[-1] == ' ' || c[-1] == '\t'))
            *c = '\0';
    return text_trim(value);
}

/// A configuration file being read.
struct config {
    struct trace_settings *settings;
    const char *path;
};

static int take_line(void *context, char *line, unsigned *number, struct error *err)
{
    const struct config *config = context;
    struct trace_settings *settings = config->settings;
    char *equals = strchr(line, '=');
    if (!equals)
        return error_set(err, "`%s` is not a line of the form NAME = VALUE", line);
    *equals = '\0';
    char *name = text_trim(line);
    const char *value = value_of(equals + 1);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    int i = find_setting(name);
    if (i < 0) {
        const char *nearest = nearest_name(name);
        return error_set(err, "there is no setting `%s`%s%s%s", name,
                         nearest ? "; did you mean `" : "", nearest ? nearest : "",
                         nearest ? "`?" : "");
    }
    if (settings->values[i].rank == ORIGIN_FILE)
        return error_set(err, "`%s` is set already in %s", name, settings->values[i].where);
    SCOPED char *where = memory_format("%s:%u", config->path, *number);
    set(settings, i, value, ORIGIN_FILE, where);
    return 0;
}

static int read_file(struct trace_settings *settings, const char *path, struct error *err)
{
    struct config config = {settings, path};
    const char *slash = strrchr(path, '/');
    int status = lines_read(path, "the configuration file", take_line, &config, err);
    for (int i = 0; i < TRACE_N_SETTINGS; i++)
        if (settings->values[i].rank == ORIGIN_FILE && !settings->values[i].base)
            settings->values[i].base =
                memory_format("%.*s", slash ? (int)(slash - path + 1) : 0, path);
    return status;
}

extern char **environ;

/// PAGODA_MIN_DURATION=... A name that is nearly one of ours is a slip; others are not ours.
static int read_environment(struct trace_settings *settings, struct error *err)
{
    for (char **entry = environ; *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        char name[64];
        char where[80];
        if (strncmp(*entry, "PAGODA_", 7) || !equals)
            continue;
        snprintf(where, sizeof where, "%.*s", (int)(equals - *entry), *entry);
        snprintf(name, sizeof name, "%.*s", (int)(equals - *entry - 7), *entry + 7);
        bool is_other = !strcmp(name, "SPOOL") || !strcmp(name, "CONFIG");
        for (char *c = name; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        int i = find_setting(name);
        if (i >= 0) {
            set(settings, i, equals + 1, ORIGIN_ENVIRONMENT, where);
            continue;
        }
        const char *nearest = is_other ? NULL : nearest_name(name);
        if (!nearest)
            continue;
        snprintf(name, sizeof name, "%s", nearest);
        for (char *c = name; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        return error_set(err, "%s: there is no such setting; did you mean PAGODA_%s?", where, name);
    }
    return 0;
}

// ---- what makes them valid

static const char *text_of(const struct trace_settings *settings, int i)
{
    return settings->values[i].text ? settings->values[i].text : table[i].default_text;
}

/// A number in ns, bytes or as it is. The text was checked, or ERR says what is wrong.
static int number_of(const struct trace_settings *settings, int i, uint64_t *value,
                     struct error *err)
{
    const char *text = text_of(settings, i);
    if (table[i].kind == KIND_DURATION)
        return option_read_duration(text, value, err);
    if (table[i].kind == KIND_SIZE)
        return option_read_size(text, value, err);
    return option_read_count(text, value, err);
}

static int wrong(const struct trace_settings *settings, int i, const char *what, struct error *err)
{
    const struct trace_setting_value *value = &settings->values[i];
    if (value->rank == ORIGIN_FILE)
        return error_set(err, "%s: %s = %s: %s", value->where, table[i].name, text_of(settings, i),
                         what);
    return error_set(err, "%s%s%s: %s", value->where ? value->where : table[i].name,
                     value->rank == ORIGIN_ENVIRONMENT ? "=" : " ", text_of(settings, i), what);
}

static uint64_t buffer_bytes_of(const struct trace_settings *settings)
{
    uint64_t value = 0;
    number_of(settings, SETTING_BUFFER_BYTES, &value, NULL);
    return (value + LEAST_BUFFER_BYTES - 1) / LEAST_BUFFER_BYTES * LEAST_BUFFER_BYTES;
}

static int check_numbers(const struct trace_settings *settings, struct error *err)
{
    uint64_t value = 0;
    char text[160];
    for (int i = 0; i < TRACE_N_SETTINGS; i++) {
        struct error cause = {{0}};
        if (table[i].kind != KIND_TEXT && table[i].kind != KIND_FILE &&
            number_of(settings, i, &value, &cause) != 0)
            return wrong(settings, i, cause.text, err);
    }
    number_of(settings, SETTING_CALL_STACK, &value, NULL);
    if (value > MOST_FRAMES)
        return wrong(settings, SETTING_CALL_STACK, "at most 64 frames are recorded", err);
    number_of(settings, SETTING_BUFFER_BYTES, &value, NULL);
    if (value < LEAST_BUFFER_BYTES || value > MOST_BUFFER_BYTES)
        return wrong(settings, SETTING_BUFFER_BYTES, "a buffer has 64KiB to 1GiB", err);
    number_of(settings, SETTING_MAX_BYTES, &value, NULL);
    if (value != 0 && value < buffer_bytes_of(settings) + LEAST_BUFFER_BYTES) {
        snprintf(text, sizeof text,
                 "too small: the header and one buffer (buffer_bytes) take %" PRIu64 " KiB",
                 (buffer_bytes_of(settings) + LEAST_BUFFER_BYTES) >> 10);
        return wrong(settings, SETTING_MAX_BYTES, text, err);
    }
    return 0;
}

/// Whether a name in LIST, between its commas, is empty.
static bool has_empty_name(const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strspn(at, " ") == strcspn(at, ","))
            return true;
    return false;
}

static int check_names(const struct trace_settings *settings, struct error *err)
{
    const char *variables = text_of(settings, SETTING_ENV);
    if (strcmp(text_of(settings, SETTING_MPI), "all") &&
        strcmp(text_of(settings, SETTING_MPI), "communication"))
        return wrong(settings, SETTING_MPI, "it is `all` or `communication`", err);
    if (strcmp(text_of(settings, SETTING_FILES), "all") &&
        strcmp(text_of(settings, SETTING_FILES), "mpi"))
        return wrong(settings, SETTING_FILES, "it is `all` or `mpi`", err);
    if (*variables && has_empty_name(variables))
        return wrong(settings, SETTING_ENV, "a name of the list is empty", err);
    if (settings->values[SETTING_ENV].text)
        for (const char *c = variables; *c; c++)
            if (!strchr("_*?[]-, ", *c) && !(*c >= '0' && *c <= '9') &&
                !((*c | 32) >= 'a' && (*c | 32) <= 'z'))
                return wrong(settings, SETTING_ENV,
                             "these are names of variables with * and ?, separated by commas", err);
    return 0;
}

/// Those of the tracer (tracer/record/counters.h).
static const char *const counters[] = {
    "cycles",           "instructions",   "cache-references",
    "cache-misses",     "branches",       "branch-misses",
    "bus-cycles",       "ref-cycles",     "stalled-cycles-frontend",
    "task-clock",       "page-faults",    "stalled-cycles-backend",
    "context-switches", "cpu-migrations", "max-rss",
    "minor-faults",     "major-faults",   "voluntary-switches",
    "user-time",        "system-time",    "involuntary-switches",
    "energy-pkg",       "energy-cores",   "energy-ram",
    "energy-psys",
};

/// One name of the list.
static int check_counter(const struct trace_settings *settings, const char *name, struct error *err)
{
    size_t n = sizeof counters / sizeof counters[0];
    if (HAS_TEXT(counters, n, name))
        return 0;
    if (!strncmp(name, "PAPI_", 5) || strstr(name, "::"))
        return 0;
    const char *nearest = spelling_nearest(name, counters, n);
    SCOPED char *text =
        nearest ? memory_format("there is no counter `%s`; did you mean `%s`?", name, nearest)
                : memory_format("there is no counter `%s`; see COUNTERS in pagoda-tracer(7)", name);
    wrong(settings, SETTING_COUNTERS, text, err);
    return -1;
}

static int check_counters(const struct trace_settings *settings, struct error *err)
{
    const char *names = text_of(settings, SETTING_COUNTERS);
    char *list = memory_copy_text(names), *rest = list, *name;
    int result = *names && has_empty_name(names)
                     ? wrong(settings, SETTING_COUNTERS, "a name of the list is empty", err)
                     : 0;
    for (size_t n = 0; result == 0 && (name = strtok_r(rest, LIST_SEPARATORS, &rest)); n++)
        result = n < TRACE_MOST_COUNTERS
                     ? check_counter(settings, name, err)
                     : wrong(settings, SETTING_COUNTERS, "at most 32 counters are recorded", err);
    free(list);
    return result;
}

struct window {
    uint64_t from_ns;
    uint64_t to_ns; // UINT64_MAX: to the end
};

/// One end of a window: N bytes of TEXT; nothing stands for OTHERWISE.
static int read_time(const char *text, size_t n, uint64_t otherwise, uint64_t *time_ns,
                     struct error *err)
{
    SCOPED char *part = memory_format("%.*s", (int)n, text);
    const char *time = text_trim(part);
    int status = 0;
    *time_ns = otherwise;
    if (*time && option_read_duration(time, time_ns, err) != 0)
        status = error_wrap(err, "`%s`", time);
    return status;
}

/// Reads a list of windows, which must be in order and apart. Either end may be left out ("-5s",
/// "60s-"). Returns how many there are (at most TRACE_MOST_WINDOWS), or -1 and ERR.
static int read_windows(const char *text, struct window *windows, struct error *err)
{
    int n = 0;
    for (;;) {
        size_t length = strcspn(text, ",");
        const char *dash = memchr(text, '-', length);
        struct window *window = &windows[n];
        if (n == TRACE_MOST_WINDOWS)
            return error_set(err, "more than %d windows", TRACE_MOST_WINDOWS);
        if (!dash)
            return error_set(err, "`%.*s` is not a window such as 10s-20s", (int)length, text);
        if (read_time(text, (size_t)(dash - text), 0, &window->from_ns, err) != 0 ||
            read_time(dash + 1, length - (size_t)(dash + 1 - text), UINT64_MAX, &window->to_ns,
                      err) != 0)
            return -1;
        if (window->from_ns >= window->to_ns)
            return error_set(err, "`%.*s` ends before it begins", (int)length, text);
        if (n > 0 && window->from_ns <= windows[n - 1].to_ns)
            return error_set(err, "`%.*s` must begin after the window before it has ended",
                             (int)length, text);
        n++;
        text += length;
        if (*text == '\0')
            return n;
        text++;
    }
}

static int check_windows(const struct trace_settings *settings, struct error *err)
{
    struct window windows[TRACE_MOST_WINDOWS];
    const char *text = text_of(settings, SETTING_WINDOW);
    struct error cause = {{0}};
    if (*text && read_windows(text, windows, &cause) < 0)
        return wrong(settings, SETTING_WINDOW, cause.text, err);
    if (*text && (*text_of(settings, SETTING_START_AT) || *text_of(settings, SETTING_STOP_AT)))
        return wrong(settings, SETTING_WINDOW,
                     "it cannot be combined with start_at or stop_at: choose one", err);
    return 0;
}

static char *filter_path(const struct trace_settings *settings)
{
    const struct trace_setting_value *value = &settings->values[SETTING_FILTER];
    const char *text = text_of(settings, SETTING_FILTER);
    if (*text == '\0')
        return NULL;
    bool is_of_file = value->rank == ORIGIN_FILE && *text != '/';
    return memory_format("%s%s", is_of_file ? value->base : "", text);
}

/// The tracer reads its settings line by line.
static int check_lines(const struct trace_settings *settings, struct error *err)
{
    for (int i = 0; i < TRACE_N_SETTINGS; i++)
        if (strpbrk(text_of(settings, i), "\n\r"))
            return error_set(err, "%s: a line break in the value", settings->values[i].where);
    return 0;
}

static int check(struct trace_settings *settings, struct error *err)
{
    SCOPED char *path = filter_path(settings);
    int result = check_lines(settings, err) || check_numbers(settings, err) ||
                         check_names(settings, err) || check_counters(settings, err) ||
                         check_windows(settings, err)
                     ? -1
                     : 0;
    if (result == 0 && path) {
        settings->filter = trace_filter_read(path, err);
        result = settings->filter ? 0 : -1;
    }
    return result;
}

/// What `--env`, given several times, says together.
static void set_environment(struct trace_settings *settings)
{
    const struct option_list *given = &settings->environment;
    SCOPED char *names = NULL;
    for (size_t i = 0; i < given->count; i++)
        text_append(&names, "%s%s", i ? "," : "", given->values[i]);
    if (names)
        set(settings, SETTING_ENV, names, ORIGIN_OPTION, "--env");
}

int trace_settings_resolve(struct trace_settings *settings, struct error *err)
{
    const char *inherited = getenv("PAGODA_CONFIG");
    const char *config = settings->config ? settings->config : inherited;
    if (config && *config && read_file(settings, config, err) != 0)
        return -1;
    if (read_environment(settings, err) != 0)
        return -1;
    for (int i = 0; i < TRACE_N_SETTINGS; i++) {
        SCOPED char *where = memory_format("--%s", settings->option_names[i]);
        if (settings->options[i])
            set(settings, i, settings->options[i], ORIGIN_OPTION, where);
    }
    set_environment(settings);
    return check(settings, err);
}

int trace_settings_check_file(const char *path, size_t *n_settings, struct error *err)
{
    SCOPED_BY(trace_settings_release) struct trace_settings settings;
    int result;
    trace_settings_init(&settings);
    result = read_file(&settings, path, err);
    if (result == 0)
        result = check(&settings, err);
    *n_settings = 0;
    for (int i = 0; i < TRACE_N_SETTINGS; i++)
        *n_settings += settings.values[i].text != NULL;
    return result;
}

static int take_first(void *context, char *line, unsigned *number, struct error *err)
{
    (void)number, (void)err;
    line += strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    *(bool *)context = line[strspn(line, " \t")] == '=';
    return 1;
}

bool trace_settings_is_config(const char *path)
{
    bool is_config = false;
    struct error ignored;
    return lines_read(path, "", take_first, &is_config, &ignored) == 0 && is_config;
}

// ---- what is in force

/// The quote a value needs so that it is read back whole, "" for none.
static const char *quote_for(const char *text)
{
    size_t length = strlen(text);
    if (length > 0 &&
        (strchr(" \t\"'", text[0]) || strchr(" \t", text[length - 1]) || strchr(text, '#')))
        return strchr(text, '"') ? "'" : "\"";
    return "";
}

void trace_settings_print(const struct trace_settings *settings, FILE *stream)
{
    for (int i = 0; i < TRACE_N_SETTINGS; i++) {
        const struct trace_setting_value *value = &settings->values[i];
        SCOPED char *path = i == SETTING_FILTER ? filter_path(settings) : NULL;
        const char *text = path ? path : text_of(settings, i);
        fprintf(stream, "%s = %s%s%s%s# %s\n", table[i].name, quote_for(text), text,
                quote_for(text), *text ? "  " : " ", value->where ? value->where : "default");
    }
}

/// Parts of a list separated by commas, a line each.
static void write_list(const char *name, const char *list, FILE *stream)
{
    while (*list) {
        list += strspn(list, LIST_SEPARATORS);
        size_t length = strcspn(list, LIST_SEPARATORS);
        if (length)
            fprintf(stream, "%s=%.*s\n", name, (int)length, list);
        list += length;
    }
}

void trace_settings_write(const struct trace_settings *settings, FILE *stream)
{
    static const int numbers[] = {SETTING_CALL_STACK, SETTING_MIN_DURATION, SETTING_MAX_BYTES};
    struct window windows[TRACE_MOST_WINDOWS];
    const char *text = text_of(settings, SETTING_WINDOW);
    int n_windows = *text ? read_windows(text, windows, NULL) : 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint64_t value = 0;
        number_of(settings, numbers[i], &value, NULL);
        fprintf(stream, "%s=%" PRIu64 "\n", table[numbers[i]].name, value);
    }
    fprintf(stream, "buffer_bytes=%" PRIu64 "\n", buffer_bytes_of(settings));
    fprintf(stream, "files=%s\n", text_of(settings, SETTING_FILES));
    fprintf(stream, "start_at=%s\n", text_of(settings, SETTING_START_AT));
    fprintf(stream, "stop_at=%s\n", text_of(settings, SETTING_STOP_AT));
    for (int i = 0; i < n_windows; i++)
        fprintf(stream, "window=%" PRIu64 "-%" PRIu64 "\n", windows[i].from_ns, windows[i].to_ns);
    write_list("counter", text_of(settings, SETTING_COUNTERS), stream);
    write_list("env", text_of(settings, SETTING_ENV), stream);
    if (!strcmp(text_of(settings, SETTING_MPI), "communication"))
        trace_filter_write_local_mpi(stream);
    if (settings->filter)
        trace_filter_write(settings->filter, stream);
}
