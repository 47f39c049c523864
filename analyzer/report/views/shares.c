// SPDX-License-Identifier: BSD-3-Clause
// Shares of ranks, groups, regions and places in the source, in sentences and as JSON.
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/report/views/views.h"

/// The sums of AMOUNTS, by rank, by group instead; how many there are.
static size_t sum_groups(const struct result *result, struct result_amount *amounts, size_t count)
{
    SCOPED struct result_amount *sums = memory_zeroed(result->groups.n, sizeof *sums);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        sums[result->groups.of_rank[amounts[i].key]].ns += amounts[i].ns;
    for (uint32_t i = 0; i < result->groups.n; i++)
        if (sums[i].ns > 0)
            amounts[n++] = (struct result_amount){.key = i, .ns = sums[i].ns};
    return n;
}

void write_ranks(const struct result *result, const struct result_amount *amounts, size_t count,
                 uint64_t total_ns, size_t limit, char **text)
{
    SCOPED struct result_amount *sorted = memory_zeroed(count, sizeof *sorted);
    bool has_groups = result->groups.n > 0;
    memcpy(sorted, amounts, count * sizeof *sorted);
    if (has_groups)
        count = sum_groups(result, sorted, count);
    SORT_BY(sorted, count, MOST(ns), LEAST(key));
    if (count == limit + 1) // one more is shorter than "and 1 other"
        limit = count;
    for (size_t i = 0; i < count && i < limit; i++) {
        struct quantity share = quantity_part((double)sorted[i].ns, (double)total_ns);
        if (has_groups) {
            SCOPED char *name =
                utf8_shortened(result->groups.items[sorted[i].key].name, NAME_COLUMNS);
            text_append(text, "%s%s %s", i ? ", " : "", name, share.text);
        } else {
            text_append(text, "%srank %" PRIu32 " %s", i ? ", " : "", sorted[i].key, share.text);
        }
    }
    if (count > limit)
        text_append(text, " and %s", quantity_count(count - limit, "other").text);
}

// ---- JSON

char *messages_text(const struct result *result, uint32_t communicator, uint32_t tag)
{
    const char *name = result->communicators[communicator].name;
    return tag == RESULT_NONE ? memory_format("%s other tags", name)
                              : memory_format("%s tag %" PRIu32, name, tag);
}

json_t *json_index(uint32_t index)
{
    return index == RESULT_NONE ? json_null() : json_integer(index);
}

json_t *json_path(const struct result *result, uint32_t path)
{
    return path == RESULT_NONE ? json_null() : json_text(result->paths[path].path);
}

json_t *json_region(const struct result *result, uint32_t region)
{
    return region == RESULT_NONE ? json_null() : json_text(result->regions[region].name);
}

json_t *json_source(const struct result *result, uint32_t site)
{
    return site == RESULT_NONE ? json_null() : json_text(result->sites[site].source);
}

char *part_text(const struct result *result, const struct result_part *part, const char *whole)
{
    if (part->region != RESULT_NONE)
        return memory_copy_text(result->regions[part->region].shown);
    if (part->path != RESULT_NONE)
        return memory_copy_text(result->paths[part->path].shown);
    if (part->rank != RESULT_NONE)
        return memory_format("rank %" PRIu32, part->rank);
    if (part->node != RESULT_NONE)
        return memory_format("node %s", result->nodes[part->node].name);
    if (part->iteration == RESULT_NONE)
        return memory_copy_text(whole);
    const struct result_iteration *item = &result->iterations.items[part->iteration];
    return item->first == item->last
               ? memory_format("iteration %" PRIu64, item->first)
               : memory_format("iterations %" PRIu64 "-%" PRIu64, item->first, item->last);
}

json_t *json_put_part(json_t *object, const struct result *result, const struct result_part *part)
{
    const struct result_iteration *item =
        part->iteration == RESULT_NONE ? NULL : &result->iterations.items[part->iteration];
    return JSON_PUT(object, {"region", json_region(result, part->region)},
                    {"path", json_path(result, part->path)}, {"rank", json_index(part->rank)},
                    {"node", part->node == RESULT_NONE ? json_null()
                                                       : json_text(result->nodes[part->node].name)},
                    {"first", item ? json_count(item->first) : json_null()},
                    {"last", item ? json_count(item->last) : json_null()});
}

json_t *json_put_site(json_t *object, const struct result_site *site)
{
    return JSON_PUT(object, JSON_TEXT(site, source), JSON_TEXT(site, file),
                    JSON_TEXT(site, function));
}

json_t *json_put_share(json_t *object, const struct result_path_share *share)
{
    return JSON_PUT(object, JSON_INTEGER(share, time_ns), JSON_NUMBER(share, share));
}

static json_t *share_object(const struct result *result, const struct result_path_share *share)
{
    bool has_region = share->region != RESULT_NONE, has_rank = share->rank != RESULT_NONE;
    json_t *object =
        JSON_OBJECT({"region", has_region ? json_text(result->regions[share->region].name) : NULL},
                    {"rank", has_rank ? json_count(share->rank) : NULL});
    return json_put_share(object, share);
}

json_t *json_shares(const struct result *result, const struct result_path_share *shares, size_t n)
{
    return JSON_EACH(i, n, share_object(result, &shares[i]));
}

static json_t *site_share_object(const struct result *result, const struct result_path_share *share)
{
    const struct result_site *site = &result->sites[share->site];
    const struct result_region *region = &result->regions[share->region];
    json_t *object =
        JSON_OBJECT({"region", json_text(region->name)},
                    {region->is_mpi ? "path" : "before", json_path(result, site->path)});
    return json_put_share(json_put_site(object, site), share);
}

json_t *json_site_shares(const struct result *result, const struct result_path_share *shares,
                         size_t n)
{
    return JSON_EACH(i, n, site_share_object(result, &shares[i]));
}
