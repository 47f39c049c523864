// SPDX-License-Identifier: BSD-3-Clause
// The section on metrics of the archive that belong to no call path, such as power, temperature or
// memory in use.
#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"

enum { SHOWN_PLACES = 4 };

/// VALUE in UNIT, "" for NAN.
static struct quantity amount(double value, const char *unit)
{
    if (isnan(value))
        return (struct quantity){""};
    if (strncmp(unit, "bytes", 5) == 0 && value >= 0 && value < 0x1p63)
        return quantity_format("%s%s", quantity_size((uint64_t)value).text, unit + 5);
    if (strcmp(unit, "Hz") == 0 && value >= 1e6)
        return quantity_format("%.4g %s", value / (value < 1e9 ? 1e6 : 1e9),
                               value < 1e9 ? "MHz" : "GHz");
    return quantity_format("%.4g%s%.10s", value, unit[0] ? " " : "", unit);
}

/// The unit of a mean: what a sum grows by in a second is in another one.
static struct quantity unit_of_mean(const struct result_sensor *sensor)
{
    bool is_energy = strcmp(sensor->unit, "J") == 0;
    return quantity_format("%.30s%s", !sensor->is_state && is_energy ? "W" : sensor->unit,
                           sensor->is_state || is_energy ? "" : "/s");
}

/// That of a total: of power it is energy.
static const char *unit_of_total(const struct result_sensor *sensor)
{
    return sensor->is_state ? "J" : sensor->unit;
}

static void add_row(const struct result_sensor *sensor, struct table *table)
{
    struct quantity unit = unit_of_mean(sensor);
    SCOPED char *places = memory_copy_text("");
    size_t n = sensor->n_places < SHOWN_PLACES ? sensor->n_places : SHOWN_PLACES;
    for (size_t i = 0; i < n && sensor->n_places > 1; i++)
        text_append(&places, "%s%s %s", i ? ", " : "", sensor->places[i].label,
                    amount(sensor->places[i].mean, unit.text).text);
    if (sensor->n_places == 1)
        text_append(&places, "%s", sensor->places[0].label);
    else if (sensor->n_places > n)
        text_append(&places, " and %zu others", sensor->n_places - n);
    table_add_cells(table, amount(sensor->mean, unit.text).text,
                    amount(sensor->min, sensor->unit).text, amount(sensor->max, sensor->unit).text,
                    amount(sensor->total, unit_of_total(sensor)).text, sensor->name, places);
}

void page_sensors(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->n_sensors;
    size_t n_shown = page_n_shown(page, n);
    if (n == 0)
        return;
    table_add_columns(&table, "mean", "min", "max", "total", "<sensor", "<where");
    for (size_t i = 0; i < n_shown; i++)
        add_row(&result->sensors[i], &table);
    page_heading(page, "Sensors",
                 "whole run, of no call path; mean: over time; total: energy of power");
    page_table_of(page, &table, n, "further sensor");
}

static json_t *place_object(const struct result_sensor_place *place)
{
    return JSON_OBJECT(JSON_TEXT(place, label), {"rank", json_index(place->rank)},
                       {"values", json_count(place->n_values)}, JSON_COUNT(place, first_ns),
                       JSON_COUNT(place, last_ns), JSON_NUMBER(place, mean),
                       JSON_NUMBER(place, min), JSON_NUMBER(place, max), JSON_NUMBER(place, total));
}

static json_t *sensor_object(const struct result_sensor *sensor)
{
    return JSON_OBJECT(
        JSON_TEXT(sensor, name), JSON_TEXT(sensor, unit), JSON_TEXT(sensor, description),
        JSON_FLAG(sensor, is_state), {"mean_unit", json_text(unit_of_mean(sensor).text)},
        JSON_NUMBER(sensor, mean), JSON_NUMBER(sensor, min), JSON_NUMBER(sensor, max),
        JSON_NUMBER(sensor, total),
        {"total_unit", isnan(sensor->total) ? NULL : json_text(unit_of_total(sensor))},
        {"places", JSON_EACH(i, sensor->n_places, place_object(&sensor->places[i]))});
}

json_t *json_sensors(const struct result *result)
{
    return result->n_sensors > 0
               ? JSON_EACH(i, result->n_sensors, sensor_object(&result->sensors[i]))
               : NULL;
}
