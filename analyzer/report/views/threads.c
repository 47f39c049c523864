// SPDX-License-Identifier: BSD-3-Clause
// The threads of a run, where a process has several.
#include "analyzer/report/views/views.h"
#include "analyzer/result/parts.h"

void page_thread_efficiency(const struct page *page)
{
    const struct result_threads *threads = &page->result->threads;
    const struct result_thread_efficiency *efficiency = &threads->efficiency;
    if (threads->n_threads == 0 || threads->total_ns == 0 || page->result->is_of_tasks)
        return;
    page_labelled(page, "Threads", "%s of %llu threads = processes %s x threads %s",
                  quantity_share(efficiency->hybrid).text, (unsigned long long)threads->n_threads,
                  quantity_share(efficiency->process).text,
                  quantity_share(efficiency->thread).text);
}

void page_task_time(const struct page *page)
{
    const struct result *result = page->result;
    double all_ns = page_place_time_ns(result), task_ns = 0;
    for (size_t i = 0; i < result->n_regions; i++)
        if (result->regions[i].name[0] != '(') // outside recorded regions
            task_ns += (double)result->regions[i].exclusive_ns;
    if (result->is_of_tasks)
        page_labelled(page, "Tasks",
                      "the threads are in recorded tasks for %s of their time, else in the runtime "
                      "or idle",
                      quantity_part(task_ns, all_ns).text);
}

/// The rank with most of KIND, lowest of equals.
static size_t rank_with_most(const struct result_threads *threads, unsigned kind)
{
    size_t most = 0;
    for (size_t i = 1; i < threads->n_ranks; i++)
        if (threads->ranks[i].ns[kind] > threads->ranks[most].ns[kind])
            most = i;
    return most;
}

static const char *shown_region(const struct result *result, uint32_t region)
{
    return region == RESULT_NONE ? "" : result->regions[region].shown;
}

static void add_row(struct table *table, const struct page *page, unsigned kind)
{
    const struct result_threads *threads = &page->result->threads;
    uint32_t region = threads_place_of(page->result, kind);
    table_add_cells(table, page_time(page, threads->ns[kind]).text,
                    quantity_part((double)threads->ns[kind], (double)threads->total_ns).text,
                    quantity_number(rank_with_most(threads, kind)).text,
                    result_thread_kind_names[kind], shown_region(page->result, region));
}

/// Where threads wait for locks, and where other threads gave these locks back.
static void page_lock_waits(const struct page *page)
{
    const struct result *result = page->result;
    const struct result_threads *threads = &result->threads;
    struct table table = {0};
    if (threads->n_lock_waits == 0)
        return;
    table_add_columns(&table, "time", "share", "rank", "waits", "<threads wait for a lock at",
                      "<given back at");
    size_t n_shown = page_n_shown(page, threads->n_lock_waits);
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_lock_wait *wait = &threads->lock_waits[i];
        table_add_cells(&table, page_time(page, wait->ns).text,
                        quantity_part((double)wait->ns, (double)threads->total_ns).text,
                        quantity_number(wait->rank).text, quantity_number(wait->count).text,
                        shown_region(result, wait->region),
                        shown_region(result, wait->holder_region));
    }
    page_heading_of_times(page, "Locks of threads",
                          "waits until another thread gave the lock back");
    page_table_of(page, &table, threads->n_lock_waits, "row");
}

void page_threads(const struct page *page)
{
    const struct result_threads *threads = &page->result->threads;
    struct table table = {0};
    if (threads->n_threads == 0 || page->result->is_of_tasks)
        return;
    table_add_columns(&table, "time", "share", "rank", "<threads are", "<mostly at");
    for (unsigned kind = 0; kind < RESULT_THREAD_KINDS; kind++)
        if (threads->ns[kind] > 0)
            add_row(&table, page, kind);
    if (threads->unrecorded_ns > 0) {
        table_add_cell(&table, "%s", page_time(page, threads->unrecorded_ns).text);
        table_add_cells(
            &table, quantity_part((double)threads->unrecorded_ns, (double)threads->total_ns).text,
            "-", "not recorded", "");
    }
    page_heading_of_times(page, "Threads",
                          "sums over threads, in the judged part; rank: the one with most");
    page_table(page, &table);
    fprintf(page->stream, "  threads %s = serial parts %s x load balance %s x runtime %s\n",
            quantity_share(threads->efficiency.thread).text,
            quantity_share(threads->efficiency.serial).text,
            quantity_share(threads->efficiency.load_balance).text,
            quantity_share(threads->efficiency.runtime).text);
    page_lock_waits(page);
}

// ---- JSON

static void put_thread_times(json_t *object, const uint64_t *ns)
{
    for (unsigned kind = 0; kind < RESULT_THREAD_KINDS; kind++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ns", result_thread_kind_keys[kind]);
        json_object_set_new(object, key, json_count(ns[kind]));
    }
}

static json_t *rank_threads_object(const struct result *of, size_t i)
{
    const struct result_rank_threads *rank = &of->threads.ranks[i];
    json_t *object = JSON_OBJECT({"rank", json_count(i)}, {"threads", json_count(rank->n_threads)},
                                 JSON_TEXT_OR_NULL(rank, latest), JSON_COUNT(rank, latest_ns));
    put_thread_times(object, rank->ns);
    return object;
}

static json_t *thread_loss_object(const struct result *result,
                                  const struct result_thread_loss *loss)
{
    const struct result_region *region =
        loss->region == RESULT_NONE ? NULL : &result->regions[loss->region];
    return JSON_OBJECT(
        {"kind", json_string(result_thread_kind_keys[loss->kind])}, JSON_COUNT(loss, rank),
        {"region", region ? json_text(region->name) : json_null()},
        {"file", region ? json_text(region->file) : json_null()},
        {"line", region ? json_count(region->line) : json_null()},
        {"count", loss->count > 0 ? json_count(loss->count) : json_null()}, JSON_COUNT(loss, ns),
        JSON_COUNT(loss, lost_ns), JSON_TEXT_OR_NULL(loss, latest));
}

static json_t *lock_wait_object(const struct result *result, const struct result_lock_wait *wait)
{
    const struct result_region none = {0}, *regions = result->regions;
    const struct result_region *region =
        wait->region == RESULT_NONE ? &none : &regions[wait->region];
    const struct result_region *holder =
        wait->holder_region == RESULT_NONE ? &none : &regions[wait->holder_region];
    return JSON_OBJECT(JSON_COUNT(wait, rank), {"region", json_text_or_null(region->name)},
                       JSON_TEXT_OR_NULL(region, file), JSON_COUNT(region, line),
                       {"released_region", json_text_or_null(holder->name)},
                       {"released_file", json_text_or_null(holder->file)},
                       {"released_line", json_count(holder->line)}, JSON_COUNT(wait, count),
                       JSON_COUNT(wait, ns));
}

json_t *json_threads(const struct result *result)
{
    const struct result_threads *threads = &result->threads;
    if (threads->n_threads == 0)
        return NULL;
    json_t *object = JSON_OBJECT(
        {"threads", json_count(threads->n_threads)}, JSON_COUNT(threads, total_ns),
        JSON_COUNT(threads, unrecorded_ns),
        {"efficiency", JSON_OBJECT(JSON_NUMBER(&threads->efficiency, hybrid),
                                   JSON_NUMBER(&threads->efficiency, process),
                                   JSON_NUMBER(&threads->efficiency, thread),
                                   JSON_NUMBER(&threads->efficiency, serial),
                                   JSON_NUMBER(&threads->efficiency, load_balance),
                                   JSON_NUMBER(&threads->efficiency, runtime))},
        {"ranks", JSON_EACH(i, threads->n_ranks, rank_threads_object(result, i))},
        {"losses",
         JSON_EACH(k, threads->n_losses, thread_loss_object(result, &result->threads.losses[k]))},
        {"lock_waits", JSON_EACH(k, threads->n_lock_waits,
                                 lock_wait_object(result, &result->threads.lock_waits[k]))});
    put_thread_times(object, threads->ns);
    return object;
}
