// SPDX-License-Identifier: BSD-3-Clause
// What ran on the streams of GPUs: regions of locations that are none of a CPU.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/parts.h"

enum { N_PARTS = sizeof((struct result_stream *)0)->parts / sizeof(struct result_stream_part) };

/// Adds a region to the parts of STREAM if it is one of those with most time.
static void add_part(struct result_stream *stream, uint32_t region, uint64_t ns)
{
    size_t at = N_PARTS;
    while (at > 0 && (stream->parts[at - 1].region == RESULT_NONE || stream->parts[at - 1].ns < ns))
        at--;
    if (at == N_PARTS || ns == 0)
        return;
    memmove(&stream->parts[at + 1], &stream->parts[at],
            (N_PARTS - 1 - at) * sizeof stream->parts[0]);
    stream->parts[at] = (struct result_stream_part){region, ns};
}

/// What LOCATION did, by region into REGION_NS, which is all 0 before and after.
static struct result_stream stream_of(const struct call_tree *tree, uint32_t location,
                                      const struct result *result, uint64_t *region_ns)
{
    const struct pag_location *from = &tree->replay->locations[location];
    const struct location *defined = &tree->definitions->locations[location];
    struct result_stream stream = {.name = utf8_clean(defined->name), .rank = defined->rank};
    for (size_t k = 0; k < N_PARTS; k++)
        stream.parts[k].region = RESULT_NONE;
    for (uint32_t i = 0; i < from->n_paths; i++) {
        const struct call_path *path = &from->paths[i];
        uint32_t place = call_tree_place(tree, location, i).path;
        if (path->is_stretch || place == RESULT_NONE || path->visits == 0)
            continue;
        stream.n_runs += path->visits;
        stream.busy_ns += path->exclusive_ns;
        region_ns[result->paths[place].region] += path->exclusive_ns;
    }
    for (uint32_t region = 0; region < result->n_regions; region++) {
        add_part(&stream, region, region_ns[region]);
        region_ns[region] = 0;
    }
    return stream;
}

/// Regions that no other location visits.
static void mark_regions(const struct call_tree *tree, struct result *result)
{
    SCOPED uint64_t *others = memory_zeroed(result->n_regions + 1, sizeof *others);
    for (uint32_t location = 0; location < tree->replay->n_locations; location++) {
        const struct pag_location *from = &tree->replay->locations[location];
        for (uint32_t i = 0;
             i < from->n_paths && !tree->definitions->locations[location].is_gpu_stream; i++) {
            uint32_t place = call_tree_place(tree, location, i).path;
            if (place != RESULT_NONE)
                others[result->paths[place].region]++;
        }
    }
    for (size_t i = 0; i < result->n_regions; i++)
        result->regions[i].is_on_gpu = result->regions[i].visits > 0 && others[i] == 0;
}

void streams_collect(const struct call_tree *tree, struct result *result)
{
    size_t n = 0;
    for (size_t i = 0; i < tree->replay->n_locations; i++)
        n += tree->definitions->locations[i].is_gpu_stream;
    if (n == 0)
        return;
    SCOPED uint64_t *region_ns = memory_zeroed(result->n_regions + 1, sizeof *region_ns);
    result->streams = memory_zeroed(n, sizeof *result->streams);
    for (uint32_t i = 0; i < tree->replay->n_locations; i++) {
        if (!tree->definitions->locations[i].is_gpu_stream)
            continue;
        struct result_stream stream = stream_of(tree, i, result, region_ns);
        if (stream.n_runs > 0)
            result->streams[result->n_streams++] = stream;
        else
            free(stream.name);
    }
    SORT_BY(result->streams, result->n_streams, MOST(busy_ns), LEAST(rank), LEAST(name));
    mark_regions(tree, result);
}
