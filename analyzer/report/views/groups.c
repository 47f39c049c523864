// SPDX-License-Identifier: BSD-3-Clause
// The sections on groups of ranks (pagoda replay --group): their times and messages.

#include "analyzer/report/views/views.h"

static void print_times(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->groups.n;
    size_t n_shown = page_n_shown(page, n);
    table_add_columns(&table, "ranks", "to spare", "computing", "no CPU time", "waiting",
                      "other MPI", "busiest rank", "critical path", "<group");
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_group *group = &result->groups.items[i];
        table_add_cells(
            &table, quantity_number(group->n_ranks).text, quantity_number(group->n_spare).text,
            page_time(page, group->useful_ns).text, page_time(page, group->no_cpu_ns).text,
            page_time(page, group->wait_ns).text, page_time(page, group->other_mpi_ns).text,
            page_time(page, group->busiest_ns).text, page_time(page, group->critical_path_ns).text,
            group->name);
    }
    page_heading_of_times(page, "Time by group", "sums over ranks, within the judged part");
    page_table_of(page, &table, n, "further group");
    if (result->groups.limiting != RESULT_NONE)
        fprintf(page->stream,
                "  %s: its busiest rank sets the pace; ranks of other groups wait %s\n",
                result->groups.items[result->groups.limiting].name,
                page_time(page, result->groups.others_wait_ns).text);
}

/// The least size of messages of SIZE_CLASS.
static uint64_t least_bytes(size_t size_class)
{
    return size_class == 0 ? 0 : (uint64_t)1 << (size_class - 1);
}

static void print_sizes(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    uint64_t n_messages = 0;
    for (size_t i = 0; i < RESULT_SIZE_CLASSES; i++)
        n_messages += result->message_sizes[i].n_messages;
    table_add_columns(&table, "at least", "messages", "share", "size");
    for (size_t i = 0; i < RESULT_SIZE_CLASSES; i++) {
        const struct result_size_class *sizes = &result->message_sizes[i];
        if (sizes->n_messages == 0)
            continue;
        table_add_cells(&table, quantity_size(least_bytes(i)).text,
                        quantity_number(sizes->n_messages).text,
                        quantity_part((double)sizes->n_messages, (double)n_messages).text,
                        quantity_size(sizes->size_bytes).text);
    }
    page_heading(page, "Messages by size", "point to point; up to twice the least size each");
    page_table(page, &table);
}

void page_groups(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->groups.n_traffic;
    size_t n_shown = page_n_shown(page, n);
    if (result->groups.n == 0)
        return;
    print_times(page);
    if (n == 0)
        return;
    table_add_columns(&table, "messages", "size", "<from", "<to");
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_traffic *traffic = &result->groups.traffic[i];
        table_add_cells(&table, quantity_number(traffic->n_messages).text,
                        quantity_size(traffic->size_bytes).text,
                        result->groups.items[traffic->sender].name,
                        result->groups.items[traffic->receiver].name);
    }
    page_heading(page, "Messages by group", "point to point");
    page_table_of(page, &table, n, "further pair");
    print_sizes(page);
}

static json_t *group_object(const struct result_group *group)
{
    return JSON_OBJECT(JSON_TEXT(group, name), {"ranks", json_count(group->n_ranks)},
                       JSON_COUNT(group, useful_ns), JSON_COUNT(group, no_cpu_ns),
                       JSON_COUNT(group, wait_ns), JSON_COUNT(group, other_mpi_ns),
                       JSON_INTEGER(group, critical_path_ns), JSON_COUNT(group, busiest_ns),
                       {"spare_ranks", json_count(group->n_spare)});
}

static json_t *traffic_object(const struct result *result, const struct result_traffic *traffic)
{
    return JSON_OBJECT({"from", json_text(result->groups.items[traffic->sender].name)},
                       {"to", json_text(result->groups.items[traffic->receiver].name)},
                       {"messages", json_count(traffic->n_messages)},
                       {"bytes", json_count(traffic->size_bytes)});
}

json_t *json_groups(const struct result *result)
{
    if (result->groups.n == 0)
        return NULL;
    uint32_t limiting = result->groups.limiting;
    return JSON_OBJECT(
        {"limiting",
         limiting == RESULT_NONE ? json_null() : json_text(result->groups.items[limiting].name)},
        {"others_wait_ns", json_count(result->groups.others_wait_ns)},
        {"items", JSON_EACH(i, result->groups.n, group_object(&result->groups.items[i]))},
        {"messages", JSON_EACH(k, result->groups.n_traffic,
                               traffic_object(result, &result->groups.traffic[k]))});
}

json_t *json_message_sizes(const struct result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < RESULT_SIZE_CLASSES; i++) {
        const struct result_size_class *sizes = &result->message_sizes[i];
        if (sizes->n_messages > 0)
            json_array_append_new(list, JSON_OBJECT({"least_bytes", json_count(least_bytes(i))},
                                                    {"messages", json_count(sizes->n_messages)},
                                                    {"bytes", json_count(sizes->size_bytes)}));
    }
    return list;
}
