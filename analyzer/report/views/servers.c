// SPDX-License-Identifier: BSD-3-Clause
// The section on ranks that serve others.

#include <math.h>

#include "analyzer/report/views/views.h"

/// The mean, and the standard deviation in per cent of it.
static struct quantity moments_text(const struct result_moments *moments)
{
    if (moments->n == 0)
        return quantity_format("-");
    struct quantity mean = quantity_time((uint64_t)llround(moments->mean_ns));
    double share = moments->mean_ns > 0 ? moments->deviation_ns / moments->mean_ns : NAN;
    return isnan(share) ? mean : quantity_format("%s +- %.0f %%", mean.text, 100 * share);
}

void page_servers(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->n_servers;
    if (n == 0)
        return;
    table_add_columns(&table, "rank", "clients", "requests", "one every", "served in",
                      "answered in", "busy", "full with");
    for (size_t i = 0; i < page_n_shown(page, n); i++) {
        const struct result_server *server = &result->servers[i];
        table_add_cells(
            &table, quantity_index(server->rank).text, quantity_number(server->n_clients).text,
            quantity_number(server->n_requests).text, moments_text(&server->arrival).text,
            moments_text(&server->service).text, moments_text(&server->response).text,
            quantity_share(server->busy).text,
            isnan(server->saturating) ? "-"
                                      : quantity_format("%.1f clients", server->saturating).text);
    }
    page_heading(page, "Servers", "mean +- standard deviation; full: busy all the time");
    page_table_of(page, &table, n, "further server");
}

static json_t *moments_object(const struct result_moments *moments)
{
    return JSON_OBJECT(JSON_COUNT(moments, n), JSON_NUMBER(moments, mean_ns),
                       JSON_NUMBER(moments, deviation_ns));
}

static json_t *server_object(const struct result_server *server)
{
    return JSON_OBJECT(JSON_COUNT(server, rank), {"clients", json_count(server->n_clients)},
                       {"requests", json_count(server->n_requests)},
                       {"arrival", moments_object(&server->arrival)},
                       {"service", moments_object(&server->service)},
                       {"response", moments_object(&server->response)}, JSON_NUMBER(server, busy),
                       JSON_NUMBER(server, think_ns), JSON_NUMBER(server, saturating));
}

json_t *json_servers(const struct result *result)
{
    return result->n_servers > 0
               ? JSON_EACH(i, result->n_servers, server_object(&result->servers[i]))
               : NULL;
}
