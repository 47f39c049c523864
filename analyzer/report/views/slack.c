// SPDX-License-Identifier: BSD-3-Clause
// The section on the slack of messages: how much later they could be, by communicator and tag.
#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"

static uint64_t n_with_slack(const struct result_tag *tag)
{
    uint64_t n = 0;
    for (size_t i = 0; i < RESULT_SLACK_CLASSES; i++)
        n += tag->by_slack[i];
    return n;
}

void page_slack(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    table_add_columns(&table, "messages", "none", "< 1 us", "< 10 us", "< 100 us", "< 1 ms",
                      "< 10 ms", "longer", "<of");
    size_t n = 0;
    for (size_t i = 0; i < result->n_tags; i++) {
        const struct result_tag *tag = &result->tags[i];
        uint64_t n_messages = n_with_slack(tag);
        if (n_messages == 0)
            continue;
        struct quantity parts[RESULT_SLACK_CLASSES];
        for (size_t k = 0; k < RESULT_SLACK_CLASSES; k++)
            parts[k] = quantity_part((double)tag->by_slack[k], (double)n_messages);
        SCOPED char *text = messages_text(result, tag->communicator, tag->tag);
        table_add_cells(&table, quantity_number(n_messages).text, parts[0].text, parts[1].text,
                        parts[2].text, parts[3].text, parts[4].text, parts[5].text, parts[6].text,
                        text);
        n++;
    }
    if (n == 0) {
        table_release(&table);
        return;
    }
    page_heading(page, "Slack of messages",
                 "how long before the receiver's call they were sent; by communicator and tag");
    page_table(page, &table);
}

static json_t *slack_object(const struct result *result, const struct result_tag *tag)
{
    return JSON_OBJECT(
        {"communicator", json_text(result->communicators[tag->communicator].name)},
        {"tag", json_index(tag->tag)}, {"messages", json_count(n_with_slack(tag))},
        {"by_slack", JSON_EACH(i, (size_t)RESULT_SLACK_CLASSES, json_count(tag->by_slack[i]))});
}

json_t *json_slack(const struct result *result)
{
    return result->n_tags > 0 ? JSON_EACH(i, result->n_tags, slack_object(result, &result->tags[i]))
                              : NULL;
}
