// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options that say where ranks run, and on what cores.
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cost/cost_time.h"
#include "analyzer/whatif/readers.h"

enum { MAX_CORES = 65536, MAX_NODES = 1 << 20 };
static const uint64_t least_speed = 1000; // millionths

WHATIF_READER(place)
{
    struct scenario_settings *settings = &set->settings;
    const char **places =
        whatif_set_grow(set, settings->places, settings->n_places, sizeof *places);
    places[settings->n_places++] = text;
    settings->places = places;
    (void)err; // scenario_init() knows the ranks
    return 0;
}

WHATIF_READER(nodes)
{
    return whatif_read_number("nodes", text, MAX_NODES, &set->settings.n_nodes, err);
}

WHATIF_READER(map)
{
    if (strcmp(text, "auto") == 0) // until map.c has found one
        return 0;
    set->settings.is_cyclic = strcmp(text, "cyclic") == 0;
    if (set->settings.is_cyclic || strcmp(text, "block") == 0)
        return 0;
    static const char *const names[] = {"block", "cyclic", "auto"};
    const char *nearest = spelling_nearest(text, names, sizeof names / sizeof names[0]);
    return error_set(err, "--map %s: it is block, cyclic or auto%s%s%s", text,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

WHATIF_READER(cores)
{
    return whatif_read_number("cores", text, MAX_CORES, &set->settings.n_cores, err);
}

WHATIF_READER(sharing)
{
    return whatif_choose("sharing", text, "fluid", "sticky", &set->settings.is_sticky, err);
}

WHATIF_READER(wait)
{
    return whatif_choose("wait", text, "block", "spin", &set->settings.spins, err);
}

WHATIF_READER(hand_over)
{
    if (cost_time_read(text, &set->settings.hand_over_ns, err) != 0)
        return error_wrap(err, "--hand-over %s", text);
    return 0;
}

WHATIF_READER(slice)
{
    if (cost_time_read_slice(text, &set->settings.slice_ns, err) != 0)
        return error_wrap(err, "--slice %s", text);
    return 0;
}

static int read_node_speed(const char *text, const char *equals, struct whatif_set *set,
                           struct error *err)
{
    struct scenario_settings *settings = &set->settings;
    if (equals == text)
        return error_set(err, "--cpu-speed %s: not of the form NODE=F, such as a=1.5", text);
    struct node_speed *speeds =
        whatif_set_grow(set, settings->node_speeds, settings->n_node_speeds, sizeof *speeds);
    struct node_speed *speed = &speeds[settings->n_node_speeds];
    settings->node_speeds = speeds;
    speed->node = whatif_set_keep(set, memory_format("%.*s", (int)(equals - text), text));
    for (size_t i = 0; i < settings->n_node_speeds; i++)
        if (strcmp(speeds[i].node, speed->node) == 0)
            return error_set(err, "--cpu-speed %s: node %s has a speed already", text, speed->node);
    settings->n_node_speeds++;
    return whatif_read_factor("cpu-speed", text, least_speed, &speed->speed, err);
}

WHATIF_READER(cpu_speed)
{
    const char *equals = strrchr(text, '=');
    if (equals)
        return read_node_speed(text, equals, set, err);
    if (set->settings.speed > 0)
        return error_set(err, "--cpu-speed %s: all nodes have a speed already; NODE=%s is for one",
                         text, text);
    return whatif_read_factor("cpu-speed", text, least_speed, &set->settings.speed, err);
}
