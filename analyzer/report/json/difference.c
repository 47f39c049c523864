// SPDX-License-Identifier: BSD-3-Clause
// Differences as JSON, by jansson (see difference.h).
#include "analyzer/report/json/difference.h"
#include "analyzer/report/json/values.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static json_t *name_of(const char *path)
{
    char *name = difference_plain(difference_short_path(path));
    json_t *value = json_clean_text(name);
    free(name);
    return value;
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *mean(bool is_there, double time_ns)
{
    return is_there ? json_real(time_ns) : json_null();
}

static void add_values(json_t *object, const struct difference_row *row)
{
    json_object_set_new(object, "a_ns", mean(row->is_in_a, row->a_ns));
    json_object_set_new(object, "b_ns", mean(row->is_in_b, row->b_ns));
    json_object_set_new(object, "change_ns", json_integer(row->change_ns));
    json_object_set_new(object, "p", number(row->p));
    json_object_set_new(object, "half_width_ns", number(row->half_width_ns));
    json_object_set_new(object, "is_change", json_boolean(row->is_change));
}

static json_t *table_array(const struct difference_table *table, enum difference_by by)
{
    json_t *array = json_array();
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct difference_row *row = &table->rows[i];
        json_t *object = json_object();
        json_object_set_new(object, "kind",
                            by == DIFFERENCE_BY_PROCESS && !row->is_unrecorded
                                ? json_string("all")
                                : json_clean_text(difference_kind(row)));
        if (by == DIFFERENCE_BY_CALL_PATH)
            json_object_set_new(object, "path", name_of(row->call_path));
        if (by == DIFFERENCE_BY_PROCESS)
            json_object_set_new(object, "rank", name_of(row->process));
        add_values(object, row);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *runs_array(const struct difference_page *page, enum difference_group group)
{
    json_t *array = json_array();
    for (size_t i = 0; i < page->n_runs; i++) {
        const struct difference_run *run = &page->runs[i];
        if (run->group != group)
            continue;
        json_t *object = json_object();
        json_object_set_new(object, "trial", json_clean_text(run->name));
        json_object_set_new(object, "origin", json_clean_text(run->origin));
        json_object_set_new(object, "time_ns", json_integer((json_int_t)run->time_ns));
        json_object_set_new(object, "ranks", json_integer((json_int_t)run->n_ranks));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *top_down_array(const struct difference_table *table)
{
    json_t *array = json_array();
    for (size_t i = 0; i < table->n_rows; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "path", name_of(table->rows[i].call_path));
        add_values(object, &table->rows[i]);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *page_object(const struct difference_page *page)
{
    static const char *const names[N_DIFFERENCE_BY] = {
        [DIFFERENCE_BY_CALL_PATH] = "by_path",
        [DIFFERENCE_BY_PROCESS] = "by_rank",
        [DIFFERENCE_BY_WAIT_STATE] = "by_wait_state",
    };
    json_t *object = json_object();
    json_object_set_new(object, "a", runs_array(page, DIFFERENCE_A));
    json_object_set_new(object, "b", runs_array(page, DIFFERENCE_B));
    json_t *total = json_object();
    add_values(total, &page->tables[0].total);
    json_object_set_new(object, "time", total);
    for (enum difference_by by = 0; by < N_DIFFERENCE_BY; by++)
        json_object_set_new(object, names[by], table_array(&page->tables[by], by));
    json_object_set_new(object, "top_down", top_down_array(&page->top_down));
    return object;
}

int json_print_differences(const struct difference_page *pages, size_t n, const char *version,
                           FILE *stream, struct error *err)
{
    json_t *root = json_object(), *differences = json_array();
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "pagoda", json_string(version));
    json_object_set_new(root, "database",
                        n && pages[0].database ? json_clean_text(pages[0].database) : json_null());
    for (size_t i = 0; i < n; i++)
        json_array_append_new(differences, page_object(&pages[i]));
    json_object_set_new(root, "differences", differences);
    return json_print_object(root, JSON_INDENT(1), "the differences", stream, err);
}
