// SPDX-License-Identifier: BSD-3-Clause
// The lines of the measuring program, see tracer/calibrate/calibrate.h.
#include "analyzer/calibrate/calibration.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

const char *const scope_names[N_SCOPES] = {"same-core", "node", "network"};
// A waiting rank that slows down another one on its core by this factor, or leaves the core only at
// the end of a time slice of the kernel, spins.
static const double spin_slowdown = 1.25, time_slice_ns = 500e3;
static const unsigned least_samples = 11; // as the measuring program wants (samples.c)

void measurements_init(struct measurements *measurements)
{
    *measurements = (struct measurements){.hand_over_ns = -1};
}

void measurements_release(struct measurements *measurements)
{
    for (int scope = 0; scope < N_SCOPES; scope++)
        free(measurements->scopes[scope].messages);
    memory_free_each(measurements->warnings, measurements->n_warnings);
    FREE_ALL(measurements->hosts, measurements->collectives);
    *measurements = (struct measurements){0};
}

void measurements_warn(struct measurements *measurements, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *ARRAY_NEXT(measurements->warnings, measurements->n_warnings, measurements->warning_capacity) =
        memory_copy_text(text);
}

static struct measured_scope_costs *scope_of(struct measurements *measurements, const char *name)
{
    size_t scope = FIND_TEXT(scope_names, N_SCOPES, name);
    return scope < N_SCOPES ? &measurements->scopes[scope] : NULL;
}

static bool read_message(struct measurements *measurements, const char *line)
{
    char scope[16];
    struct measured_message message;
    if (sscanf(line, "message %15s %lf %lf %lf %u", scope, &message.size_bytes, &message.time_ns,
               &message.spread, &message.n_samples) != 5)
        return false;
    struct measured_scope_costs *costs = scope_of(measurements, scope);
    if (!costs)
        return false;
    *ARRAY_NEXT(costs->messages, costs->n_messages, costs->capacity) = message;
    return true;
}

static bool read_costs(struct measurements *measurements, const char *line)
{
    char scope[16], limit[32];
    double send_ns, receive_ns;
    struct measured_scope_costs *costs;
    if (sscanf(line, "overhead %15s %lf %lf", scope, &send_ns, &receive_ns) == 3 &&
        (costs = scope_of(measurements, scope))) {
        costs->send_ns = send_ns;
        costs->receive_ns = receive_ns;
        return true;
    }
    if (sscanf(line, "eager %15s %31s", scope, limit) == 2 &&
        (costs = scope_of(measurements, scope))) {
        costs->has_eager = strcmp(limit, "none") != 0;
        costs->eager_bytes = strtoull(limit, NULL, 10);
        return true;
    }
    return false;
}

static bool read_noise(struct measurements *measurements, const char *line)
{
    char what[16];
    double percent, ns;
    if (sscanf(line, "noise %15s %lf %lf", what, &percent, &ns) != 3)
        return false;
    struct measured_scope_costs *costs = scope_of(measurements, what);
    struct measured_noise *noise = strcmp(what, "computing") == 0 ? &measurements->noise
                                   : costs                        ? &costs->noise
                                                                  : NULL;
    if (!noise || noise->n == NOISE_MAX_POINTS)
        return false;
    noise->percents[noise->n] = percent;
    noise->ns[noise->n++] = ns;
    return true;
}

static bool read_collective(struct measurements *measurements, const char *line)
{
    struct measured_collective collective = {0};
    if (sscanf(line, "collective %31s %lf %lf %lf %lf %u", collective.operation,
               &collective.n_members, &collective.size_bytes, &collective.time_ns,
               &collective.spread, &collective.n_samples) != 6)
        return false;
    *ARRAY_NEXT(measurements->collectives, measurements->n_collectives,
                measurements->collective_capacity) = collective;
    return true;
}

static bool read_host(struct measurements *measurements, const char *line)
{
    struct measured_host host = {0};
    if (sscanf(line, "topology %255s %d %d %d %127s", host.name, &host.n_ranks, &host.n_cores,
               &host.n_packages, host.processor) != 5)
        return false;
    for (char *c = host.processor; *c; c++)
        if (*c == '_')
            *c = ' ';
    *ARRAY_NEXT(measurements->hosts, measurements->n_hosts, measurements->host_capacity) = host;
    return true;
}

static bool read_core(struct measurements *measurements, const char *line)
{
    return sscanf(line, "hand-over %lf %lf", &measurements->hand_over_ns,
                  &measurements->hand_over_spread) >= 1 ||
           sscanf(line, "working-set %lf %lf", &measurements->working_set_bytes,
                  &measurements->working_set_ns) == 2 ||
           sscanf(line, "waiting %lf", &measurements->waiting_slowdown) == 1 ||
           sscanf(line, "compute %lf %lf", &measurements->compute_ns,
                  &measurements->compute_spread) >= 1;
}

bool measurements_read(struct measurements *measurements, const char *line)
{
    if (strncmp(line, "mpi ", 4) == 0) {
        snprintf(measurements->mpi, sizeof measurements->mpi, "%.*s", (int)strcspn(line + 4, "\n"),
                 line + 4);
        measurements->n_programs++;
        return true;
    }
    if (strncmp(line, "warning ", 8) == 0) {
        measurements_warn(measurements, "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
        return true;
    }
    if (strcmp(line, "end\n") == 0) {
        measurements->is_complete = true;
        return true;
    }
    return sscanf(line, "progress %u %u", &measurements->n_done, &measurements->n_steps) == 2 ||
           read_message(measurements, line) || read_costs(measurements, line) ||
           read_collective(measurements, line) || read_host(measurements, line) ||
           read_core(measurements, line) || read_noise(measurements, line);
}

bool measurements_spins(const struct measurements *measurements)
{
    return measurements->waiting_slowdown >= spin_slowdown ||
           measurements->hand_over_ns >= time_slice_ns;
}

double measurements_hand_over_ns(const struct measurements *measurements)
{
    const struct measured_scope_costs *node = &measurements->scopes[SCOPE_NODE];
    double cost_ns = measurements->hand_over_ns - node->send_ns - node->receive_ns;
    return measurements_spins(measurements) || cost_ns < 0 ? 0 : cost_ns;
}

double measurements_slice_ns(const struct measurements *measurements)
{
    bool has_slices =
        measurements_spins(measurements) && measurements->hand_over_ns >= time_slice_ns;
    return has_slices ? measurements->hand_over_ns : 0;
}

static void count_spread(struct measured_spreads *spreads, double wanted, double spread,
                         unsigned n_samples, const char *what)
{
    spreads->n++;
    spreads->n_unsteady += spread > wanted || n_samples < least_samples;
    if (spread <= spreads->worst && spreads->worst_what[0])
        return;
    spreads->worst = spread;
    snprintf(spreads->worst_what, sizeof spreads->worst_what, "%s", what);
}

struct measured_spreads measurements_spreads(const struct measurements *measurements, double wanted)
{
    struct measured_spreads spreads = {0};
    char what[96];
    for (int scope = 0; scope < N_SCOPES; scope++) {
        const struct measured_scope_costs *costs = &measurements->scopes[scope];
        for (size_t i = 0; i < costs->n_messages; i++) {
            snprintf(what, sizeof what, "%s message of %.0f bytes", scope_names[scope],
                     costs->messages[i].size_bytes);
            count_spread(&spreads, wanted, costs->messages[i].spread, costs->messages[i].n_samples,
                         what);
        }
    }
    for (size_t i = 0; i < measurements->n_collectives; i++) {
        const struct measured_collective *collective = &measurements->collectives[i];
        snprintf(what, sizeof what, "%s of %.0f bytes", collective->operation,
                 collective->size_bytes);
        count_spread(&spreads, wanted, collective->spread, collective->n_samples, what);
    }
    if (measurements->hand_over_ns >= 0)
        count_spread(&spreads, wanted, measurements->hand_over_spread, least_samples,
                     "hand-over of a core");
    if (measurements->compute_ns > 0)
        count_spread(&spreads, wanted, measurements->compute_spread, least_samples, "computing");
    return spreads;
}

int measurements_members(const struct measurements *measurements, int *n_numbers)
{
    double most = 0, least = 0;
    for (size_t i = 0; i < measurements->n_collectives; i++) {
        double n_members = measurements->collectives[i].n_members;
        most = n_members > most ? n_members : most;
        least = least == 0 || n_members < least ? n_members : least;
    }
    *n_numbers = 0;
    for (double n = least; n > 0 && n <= most; n++) {
        bool is_there = false;
        for (size_t i = 0; i < measurements->n_collectives; i++)
            is_there = is_there || measurements->collectives[i].n_members == n;
        *n_numbers += is_there;
    }
    return (int)most;
}

char *measurements_missing(const struct measurements *measurements)
{
    const struct measured_scope_costs *scopes = measurements->scopes;
    bool has_core_messages =
        scopes[SCOPE_SAME_CORE].n_messages > 0 && !measurements_spins(measurements);
    const struct {
        bool is_there;
        const char *what;
    } parts[] = {
        {scopes[SCOPE_NETWORK].n_messages > 0, "messages between nodes"},
        {scopes[SCOPE_NODE].n_messages > 0, "messages within a node"},
        {has_core_messages, "messages on one core"},
        {measurements->hand_over_ns >= 0, "hand-over of a core"},
    };
    int n_numbers, n_members = measurements_members(measurements, &n_numbers);
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!parts[i].is_there)
            fprintf(out, "%s, ", parts[i].what);
    fputs("collectives", out);
    if (n_members > 0)
        fprintf(out, " of more than %d ranks", n_members);
    fclose(out);
    return text;
}
