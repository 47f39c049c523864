// SPDX-License-Identifier: BSD-3-Clause
// Counters of a thread, from four sources: perf_event_open(2), all events of a thread as one group,
// which one call reads; getrusage(2); the energy of the node, from powercap; PAPI, where its
// library can be loaded.
//
// The program may close descriptors that it did not open, and open its own under their numbers. So
// a descriptor is asked for its event before it is read. Nothing here is a place where a thread is
// cancelled.
#include "tracer/record/counters.h"

#include "tracer/record/clock.h"
#include "tracer/record/record.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HARDWARE = PERF_TYPE_HARDWARE, SOFTWARE = PERF_TYPE_SOFTWARE, USAGE = 100, ENERGY, PAPI };
enum usage {
    USAGE_MAX_RSS,
    USAGE_MINOR_FAULTS,
    USAGE_MAJOR_FAULTS,
    USAGE_VOLUNTARY,
    USAGE_INVOLUNTARY,
    USAGE_USER,
    USAGE_SYSTEM,
};
enum { ZONE_PACKAGE, ZONE_CORE, ZONE_DRAM, ZONE_PSYS };

static const struct kind {
    const char *name;
    uint32_t from;
    uint32_t code;
    const char *unit, *description;
} kinds[] = {
#define COUNTER(...) {__VA_ARGS__},
    COUNTERS
#undef COUNTER
};

static const struct kind papi_kind = {.from = PAPI, .unit = "", .description = "counter of PAPI"};

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return &papi_kind;
}

struct counter_meaning counter_meaning(const char *name)
{
    const struct kind *kind = kind_of(name);
    return (struct counter_meaning){.unit = kind->unit,
                                    .description = kind->description,
                                    .exponent = kind->from == ENERGY ? -6 : 0,
                                    .is_usage = kind->from == USAGE,
                                    .is_papi = kind->from == PAPI};
}

#define BIT(i) (UINT64_C(1) << (i))

/// For each I in the set, from the first one on.
#define FOR_EACH(i, set)                                                                           \
    for (uint64_t left_ = (set), i; left_ != 0 && (i = (uint64_t)__builtin_ctzll(left_), true);    \
         left_ &= left_ - 1)

static const struct kind *wanted[SETTINGS_COUNTERS]; // of the setting
static uint64_t wanted_from[N_SOURCES];
static uint64_t of_process; // counters of the process: its first thread has them
static uint64_t available;  // those that the first thread could begin with
static char notes[sizeof((struct spool_header *)NULL)->counter_notes];

const char *counters_notes(void)
{
    return notes;
}

/// "NAME is not counted: TEXT". Once there is a file, its header gets it.
static void __attribute__((format(printf, 3, 4)))
note(struct counters *counters, uint64_t i, const char *format, ...)
{
    char *text = counters->notes ? counters->notes : notes;
    size_t n = strlen(text), room = sizeof notes - n;
    va_list arguments;
    va_start(arguments, format);
    int n_name = snprintf(text + n, room, "%s is not counted: ", settings.counters[i]);
    if (n_name > 0 && (size_t)n_name < room)
        n_name += vsnprintf(text + n + n_name, room - (size_t)n_name, format, arguments);
    va_end(arguments);
    if (n_name > 0 && (size_t)n_name + 1 < room)
        memcpy(text + n + n_name, "\n", 2);
    else
        text[n] = '\0'; // no room: the others tell enough
}

// ---- perf

static int perf_level(void)
{
    char text[16] = "";
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/sys/kernel/perf_event_paranoid",
                          O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!syscall(SYS_read, fd, text, sizeof text - 1);
        syscall(SYS_close, fd);
    }
    return atoi(text);
}

static void say_no_event(struct counters *counters, uint64_t i, int error, bool is_alone)
{
    if (error == EACCES || error == EPERM)
        note(counters, i, "perf events are forbidden here (kernel.perf_event_paranoid is %d)",
             perf_level());
    else if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        note(counters, i, "this machine has no such %s",
             wanted[i]->from == HARDWARE ? "hardware counter" : "event");
    else if (error == EMFILE)
        note(counters, i, "no descriptor above the program's is free (ulimit -n)");
    else if (error == EINVAL && !is_alone)
        note(counters, i, "the processor cannot count it together with those before it");
    else
        note(counters, i, "%s", strerror(error));
}

/// A descriptor out of the way of the program's, or an errno value below zero.
static int open_event(const struct kind *kind, int leader, bool in_user_mode)
{
    struct perf_event_attr attributes = {
        .type = kind->from,
        .size = sizeof attributes,
        .config = kind->code,
        .read_format = PERF_FORMAT_GROUP,
        .pinned = leader < 0, // counted all the time, or not at all
        .exclude_kernel = in_user_mode,
        .exclude_hv = in_user_mode,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    syscall(SYS_close, fd);
    return high >= 0 ? high : -EMFILE;
}

/// The kernel alone makes these: counted in user mode they are 0.
static bool is_of_kernel(const struct kind *kind)
{
    return kind->from == SOFTWARE && (kind->code == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                      kind->code == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static bool is_event(const struct counters *counters, uint64_t i)
{
    uint64_t id;
    return ioctl(counters->events[i], PERF_EVENT_IOC_ID, &id) == 0 && id == counters->event_ids[i];
}

static void close_events(struct counters *counters)
{
    FOR_EACH (i, counters->readable[COUNTERS_PERF])
        if (is_event(counters, i))
            syscall(SYS_close, counters->events[i]);
    counters->readable[COUNTERS_PERF] = 0;
}

static bool read_events(struct counters *counters, uint64_t *values)
{
    uint64_t group[1 + SETTINGS_COUNTERS], set = counters->readable[COUNTERS_PERF];
    uint64_t leader = (uint64_t)__builtin_ctzll(set);
    size_t n_bytes = 8 * (size_t)__builtin_popcountll(set);
    if (!is_event(counters, leader) ||
        syscall(SYS_read, counters->events[leader], group, sizeof group) != (long)(8 + n_bytes))
        return false;
    memcpy(values, group + 1, n_bytes);
    return true;
}

static void open_events(struct counters *counters, uint64_t set)
{
    uint64_t values[SETTINGS_COUNTERS];
    int leader = -1;
    FOR_EACH (i, set) {
        int fd = open_event(wanted[i], leader, false);
        if (fd == -EACCES && !is_of_kernel(wanted[i]))
            fd = open_event(wanted[i], leader, true);
        if (fd < 0) {
            say_no_event(counters, i, -fd, leader < 0);
            continue;
        }
        leader = leader < 0 ? fd : leader;
        counters->events[i] = fd;
        ioctl(fd, PERF_EVENT_IOC_ID, &counters->event_ids[i]);
        counters->readable[COUNTERS_PERF] |= BIT(i);
    }
    if (leader < 0 || read_events(counters, values))
        return;
    FOR_EACH (i, counters->readable[COUNTERS_PERF])
        note(counters, i, "the processor has not enough counters free for those asked for");
    close_events(counters);
}

// ---- getrusage()

static uint64_t ns_of(struct timeval time)
{
    return ((uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec) * 1000;
}

static uint64_t usage_value(const struct rusage *usage, enum usage what)
{
    switch (what) {
    case USAGE_MAX_RSS:
        return (uint64_t)usage->ru_maxrss << 10;
    case USAGE_MINOR_FAULTS:
        return (uint64_t)usage->ru_minflt;
    case USAGE_MAJOR_FAULTS:
        return (uint64_t)usage->ru_majflt;
    case USAGE_VOLUNTARY:
        return (uint64_t)usage->ru_nvcsw;
    case USAGE_INVOLUNTARY:
        return (uint64_t)usage->ru_nivcsw;
    case USAGE_USER:
        return ns_of(usage->ru_utime);
    case USAGE_SYSTEM:
        return ns_of(usage->ru_stime);
    }
    return 0;
}

static bool read_usage(struct counters *counters, uint64_t *values)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return false;
    FOR_EACH (i, counters->readable[COUNTERS_USAGE])
        *values++ = usage_value(&usage, wanted[i]->code);
    return true;
}

// ---- Energy: counters of microjoules, in files of zones, that the hardware renews every
// millisecond. One thread of a node reads them, so what it reads has no lock.

#define ENERGY_FOLDER "/sys/class/powercap"
#define RENEWAL_NS    1000000U
enum { MOST_ZONES = 32 };

static struct zone {
    char name[48];        // of the folder
    uint64_t counter;     // of the setting
    uint64_t last, range; // as read; it begins anew above this
    uint64_t sum;
} zones[MOST_ZONES];
static size_t n_zones;
static bool leads_node;
static uint64_t energy_read_ns;

/// 0 or an errno value.
static int read_zone(const char *zone, const char *file, char *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, ENERGY_FOLDER "/%s/%s", zone, file);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    long n = syscall(SYS_read, fd, text, size - 1);
    int error = n > 0 ? 0 : n < 0 ? errno : EIO;
    syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = '\0';
    return error;
}

static int read_number(const char *zone, const char *file, uint64_t *value)
{
    char text[32];
    int error = read_zone(zone, file, text, sizeof text);
    *value = error == 0 ? strtoull(text, NULL, 10) : *value;
    return error;
}

static bool read_energy(struct counters *counters, uint64_t *values)
{
    uint64_t now_ns = leads_node ? clock_now_ns() : 0;
    bool is_renewed = leads_node && now_ns - energy_read_ns >= RENEWAL_NS;
    for (size_t k = 0; is_renewed && k < n_zones; k++) {
        struct zone *zone = &zones[k];
        uint64_t value = zone->last;
        read_number(zone->name, "energy_uj", &value);
        zone->sum += value - zone->last + (value < zone->last ? zone->range : 0);
        zone->last = value;
    }
    energy_read_ns = is_renewed ? now_ns : energy_read_ns;
    FOR_EACH (i, counters->readable[COUNTERS_ENERGY]) {
        *values = 0;
        for (size_t k = 0; k < n_zones; k++)
            *values += zones[k].counter == i ? zones[k].sum : 0;
        values++;
    }
    return true;
}

void counters_lead_node(void)
{
    leads_node = true;
    for (size_t k = 0; k < n_zones; k++)
        read_number(zones[k].name, "energy_uj", &zones[k].last);
}

/// Takes a zone for counter I, if it is one of its kind. 0 or an errno value.
static int add_zone(const char *name, uint64_t i)
{
    static const char *const kinds_of_zones[] = {"package", "core", "dram", "psys"};
    const char *kind = kinds_of_zones[wanted[i]->code];
    struct zone zone = {.counter = i};
    char text[64];
    if (n_zones == MOST_ZONES || strlen(name) >= sizeof zone.name ||
        read_zone(name, "name", text, sizeof text) != 0 || strncmp(text, kind, strlen(kind)) != 0)
        return 0;
    snprintf(zone.name, sizeof zone.name, "%s", name);
    read_number(name, "max_energy_range_uj", &zone.range);
    int error = read_number(name, "energy_uj", &zone.last);
    if (error == 0)
        zones[n_zones++] = zone;
    return error;
}

static void open_energy(struct counters *counters, uint64_t set)
{
    FOR_EACH (i, set) {
        DIR *folder = opendir(ENERGY_FOLDER);
        const struct dirent *entry;
        size_t n_before = n_zones;
        int error = folder ? 0 : errno;
        while (folder && (entry = readdir(folder)))
            if (strncmp(entry->d_name, "intel-rapl:", strlen("intel-rapl:")) == 0 && error == 0)
                error = add_zone(entry->d_name, i);
        if (folder)
            closedir(folder);
        if (n_zones > n_before)
            counters->readable[COUNTERS_ENERGY] |= BIT(i);
        else if (error == 0 || error == ENOENT)
            note(counters, i, ENERGY_FOLDER " has no such zone");
        else
            note(counters, i, ENERGY_FOLDER " cannot be read (%s)", strerror(error));
    }
}

// ---- PAPI, of which no header is needed. Its library keeps descriptors of its own, and each
// thread can have one set of events that counts. So a program that uses PAPI itself must have that.

#define PAPI_OK 0
#define FUNCTIONS(X)                                                                               \
    X(int, library_init, (int version))                                                            \
    X(int, thread_init, (unsigned long (*thread)(void)))                                           \
    X(int, create_eventset, (int *set))                                                            \
    X(int, add_named_event, (int set, const char *name))                                           \
    X(int, start, (int set))                                                                       \
    X(int, read, (int set, long long *values))                                                     \
    X(int, stop, (int set, long long *values))                                                     \
    X(int, cleanup_eventset, (int set))                                                            \
    X(int, destroy_eventset, (int *set))                                                           \
    X(int, unregister_thread, (void))                                                              \
    X(char *, strerror, (int error))

#define MEMBER(type, name, parameters) type(*name) parameters;
static struct {
    FUNCTIONS(MEMBER)
} papi;
#undef MEMBER

static bool find_functions(void *library)
{
    void *symbol;
    bool is_there = true;
#define LOOK_UP(type, name, parameters)                                                            \
    symbol = dlsym(library, "PAPI_" #name);                                                        \
    memcpy(&papi.name, &symbol, sizeof symbol);                                                    \
    is_there = is_there && symbol;
    FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return is_there;
}

/// NULL, or why it cannot be used.
static const char *load_papi(void)
{
    static const struct {
        const char *name;
        int version;
    } libraries[] = {{"libpapi.so.7.2", 0x7020000},
                     {"libpapi.so.7.1", 0x7010000},
                     {"libpapi.so.7.0", 0x7000000},
                     {"libpapi.so.6.0", 0x6000000}};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (dlopen(libraries[i].name, RTLD_NOW | RTLD_NOLOAD))
            return "the program uses PAPI itself";
        void *library = dlopen(libraries[i].name, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            continue;
        if (!find_functions(library) || papi.library_init(libraries[i].version) < 0 ||
            papi.thread_init(pthread_self) != PAPI_OK)
            return "PAPI does not work here";
        return NULL;
    }
    return "PAPI's library is not installed (libpapi)";
}

static void open_papi(struct counters *counters, uint64_t set)
{
    static const char *reason;
    static bool is_loaded;
    int error = PAPI_OK;
    if (!is_loaded)
        reason = load_papi();
    is_loaded = true;
    counters->papi_set = -1; // PAPI_NULL
    if (!reason && (error = papi.create_eventset(&counters->papi_set)) != PAPI_OK)
        reason = papi.strerror(error);
    FOR_EACH (i, set) {
        if (!reason)
            error = papi.add_named_event(counters->papi_set, settings.counters[i]);
        if (reason || error != PAPI_OK)
            note(counters, i, "%s", reason ? reason : papi.strerror(error));
        else
            counters->readable[COUNTERS_PAPI] |= BIT(i);
    }
    if (counters->readable[COUNTERS_PAPI] == 0 ||
        (error = papi.start(counters->papi_set)) == PAPI_OK)
        return;
    FOR_EACH (i, counters->readable[COUNTERS_PAPI])
        note(counters, i, "%s", papi.strerror(error));
    counters->readable[COUNTERS_PAPI] = 0;
}

static bool read_papi(struct counters *counters, uint64_t *values)
{
    int cancellation;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    int error = papi.read(counters->papi_set, (long long *)values);
    pthread_setcancelstate(cancellation, NULL);
    return error == PAPI_OK;
}

static void close_papi(struct counters *counters)
{
    long long values[SETTINGS_COUNTERS];
    papi.stop(counters->papi_set, values);
    papi.cleanup_eventset(counters->papi_set);
    papi.destroy_eventset(&counters->papi_set);
    papi.unregister_thread();
}

// ---- All sources.

static void open_usage(struct counters *counters, uint64_t set)
{
    counters->readable[COUNTERS_USAGE] = set;
}

static const struct source {
    void (*open)(struct counters *counters, uint64_t set); // makes what it can of the set readable
    bool (*read)(struct counters *counters, uint64_t *values);
    void (*close)(struct counters *counters); // NULL: there is nothing to be closed
} sources[N_SOURCES] = {
    [COUNTERS_PERF] = {open_events, read_events, close_events},
    [COUNTERS_USAGE] = {open_usage, read_usage, NULL},
    [COUNTERS_ENERGY] = {open_energy, read_energy, NULL},
    [COUNTERS_PAPI] = {open_papi, read_papi, close_papi},
};

static void open_source(struct counters *counters, int source, uint64_t set)
{
    counters->readable[source] = 0;
    if (set != 0)
        sources[source].open(counters, set);
    FOR_EACH (i, set & ~of_process)
        counters->before[i] = counters->values[i];
}

static void close_source(struct counters *counters, int source)
{
    if (counters->readable[source] != 0 && sources[source].close)
        sources[source].close(counters);
    counters->readable[source] = 0;
}

static enum counter_source source_of(const struct kind *kind)
{
    switch (kind->from) {
    case USAGE:
        return COUNTERS_USAGE;
    case ENERGY:
        return COUNTERS_ENERGY;
    case PAPI:
        return COUNTERS_PAPI;
    default:
        return COUNTERS_PERF;
    }
}

static void sort_out(void)
{
    for (uint64_t i = 0; i < settings.n_counters; i++) {
        const struct kind *kind = wanted[i] = kind_of(settings.counters[i]);
        wanted_from[source_of(kind)] |= BIT(i);
        if (kind->from == ENERGY || (kind->from == USAGE && kind->code == USAGE_MAX_RSS))
            of_process |= BIT(i);
    }
}

void counters_open(struct counters *counters, bool is_first)
{
    int error = errno;
    if (settings.n_counters == 0)
        return;
    if (is_first)
        sort_out();
    for (int source = 0; source < N_SOURCES; source++) {
        open_source(counters, source,
                    wanted_from[source] & (is_first ? UINT64_MAX : available & ~of_process));
        available |= is_first ? counters->readable[source] : 0;
    }
    counters->set = is_first ? available : available & ~of_process;
    if (counters->set != 0)
        counters->n_bytes =
            sizeof(struct record_counters) + 8 * (size_t)__builtin_popcountll(counters->set);
    errno = error;
}

void counters_close(struct counters *counters)
{
    for (int source = 0; source < N_SOURCES; source++)
        close_source(counters, source);
}

void counters_fork(struct counters *counters)
{
    uint64_t set = counters->readable[COUNTERS_PERF];
    close_source(counters, COUNTERS_PERF);
    open_source(counters, COUNTERS_PERF, set);
    open_source(counters, COUNTERS_USAGE, counters->readable[COUNTERS_USAGE]);
    counters->readable[COUNTERS_PAPI] = 0; // its library is the parent's
}

/// Begins anew, if that can be done.
static void open_again(struct counters *counters, int source, uint64_t set)
{
    int cancellation;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    close_source(counters, source);
    open_source(counters, source, set);
    pthread_setcancelstate(cancellation, NULL);
}

void counters_read(struct counters *counters)
{
    uint64_t values[SETTINGS_COUNTERS];
    int error = errno;
    for (int source = 0; source < N_SOURCES; source++) {
        const uint64_t set = counters->readable[source], *value = values;
        if (set == 0)
            continue;
        if (!sources[source].read(counters, values)) {
            open_again(counters, source, set);
            continue;
        }
        FOR_EACH (i, set)
            counters->values[i] = counters->before[i] + *value++;
    }
    errno = error;
}

void counters_values(const struct counters *counters, uint64_t *values)
{
    FOR_EACH (i, counters->set)
        *values++ = counters->values[i];
}
