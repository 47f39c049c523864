// SPDX-License-Identifier: BSD-3-Clause
// See intervals.h.
#include "analyzer/cmd/replay/intervals.h"

#include "analyzer/cmd/damage.h"
#include "analyzer/cmd/interval.h"
#include "analyzer/cmd/replay_run.h"
#include "analyzer/report/intervals.h"
#include "analyzer/report/json.h"
#include "analyzer/report/text.h"

static int print_one(const struct replay_intervals *wishes, const struct result *result,
                     struct error *err)
{
    if (wishes->wants_json)
        return json_print(result, NULL, PAGODA_VERSION, stdout, err);
    text_print(result, wishes->text, stdout);
    return 0;
}

static int replay_one(const struct replay_intervals *wishes, const struct interval *interval,
                      bool is_several, struct interval_page *page, bool *is_unreadable,
                      struct error *err)
{
    struct replay_run run;
    int status = replay_run_open(&run, wishes->trace, err);
    run.interval = interval;
    if (status == 0)
        status = replay_run(&run, wishes->catalogue, NULL, false, "replaying", err);
    if (status == 0)
        status = interval_check_result(interval, &run.result, err);
    // What cannot be stored is printed all the same.
    int stored = 0, printed = 0;
    struct error why = {{0}};
    if (status == 0 && wishes->database)
        stored =
            interval_store(wishes->database, interval, is_several, &run.result, wishes->names, err);
    bool is_reported = wishes->text && !is_several; // with its warnings
    if (status == 0 && run.result.has_unreadable_records && !is_reported && !*is_unreadable)
        damage_warn(&run.result);
    if (status == 0)
        *is_unreadable |= run.result.has_unreadable_records;
    if (status == 0 && wishes->text && is_several)
        interval_page_add(page, &run.result);
    else if (status == 0 && wishes->text)
        printed = print_one(wishes, &run.result, &why);
    if (printed && !stored)
        *err = why;
    replay_run_release(&run);
    return status || stored || printed ? -1 : 0;
}

int replay_intervals(const struct replay_intervals *wishes, bool *is_unreadable, struct error *err)
{
    struct interval_list list = {0};
    struct interval_page page = {.trace = wishes->trace};
    int status = 0;
    for (size_t i = 0; i < wishes->texts->count && status == 0; i++)
        status = interval_find(&list, wishes->trace, wishes->texts->values[i], err);
    for (size_t i = 0; i < list.n && status == 0; i++)
        status = replay_one(wishes, &list.items[i], list.n > 1, &page, is_unreadable, err);
    struct error why = {{0}};
    if (page.n_rows > 0 && !wishes->wants_json) {
        text_print_intervals(&page, wishes->text, stdout);
    } else if (page.n_rows > 0 && json_print_intervals(&page, PAGODA_VERSION, stdout, &why)) {
        *err = status ? *err : why;
        status = -1;
    }
    interval_page_release(&page);
    interval_list_release(&list);
    return status;
}
