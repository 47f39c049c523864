// SPDX-License-Identifier: BSD-3-Clause
// Names and units of metrics, from the documentation of those who make the values: Linux's
// Documentation/hwmon/sysfs-interface, the manual of ROCm SMI, NVML's reference, Linux's powercap.
#include "analyzer/trace/metrics/sensors.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/// Metrics whose name has both texts. The first that fits counts.
static const struct known_sensor {
    const char *component, *quantity, *unit;
    double scale;
    bool is_state;
} known_sensors[] = {
    {"hwmon", "power", "W", 1e-6, true},    {"hwmon", "energy", "J", 1e-6, false},
    {"hwmon", "temp", "C", 1e-3, true},     {"hwmon", "freq", "Hz", 1, true},
    {"hwmon", "curr", "A", 1e-3, true},     {"hwmon", "fan", "rpm", 1, true},
    {"rocm_smi", "power", "W", 1e-6, true}, {"rocm_smi", "energy", "J", 1e-6, false},
    {"rocm_smi", "temp", "C", 1e-3, true},  {"rocm_smi", "percent", "%", 1, true},
    {"nvml", "power", "W", 1e-3, true},     {"nvml", "temperature", "C", 1, true},
    {"nvml", "utilization", "%", 1, true},  {"powercap", "energy_uj", "J", 1e-6, false},
};

static const struct known_unit {
    const char *name, *unit;
    double scale;
} known_units[] = {
    {"W", "W", 1},      {"Watt", "W", 1},  {"Watts", "W", 1},     {"mW", "W", 1e-3},
    {"uW", "W", 1e-6},  {"kW", "W", 1e3},  {"J", "J", 1},         {"Joule", "J", 1},
    {"Joules", "J", 1}, {"mJ", "J", 1e-3}, {"uJ", "J", 1e-6},     {"nJ", "J", 1e-9},
    {"kJ", "J", 1e3},   {"B", "bytes", 1}, {"Bytes", "bytes", 1}, {"Byte", "bytes", 1},
    {"#", "", 1},
};

#define N_OF(array) (sizeof(array) / sizeof *(array))

/// strstr() that does not tell upper case from lower case.
static const char *find_text(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; *text; text++)
        if (strncasecmp(text, word, length) == 0)
            return text;
    return NULL;
}

struct sensor sensor_of(const char *name, const char *unit)
{
    bool has_unit = unit[0] && strcmp(unit, "#") != 0;
    for (size_t i = 0; !has_unit && i < N_OF(known_sensors); i++) {
        const struct known_sensor *known = &known_sensors[i];
        const char *component = find_text(name, known->component);
        if (component && find_text(component + strlen(known->component), known->quantity))
            return (struct sensor){known->unit, known->scale, true, known->is_state};
    }
    for (size_t i = 0; i < N_OF(known_units); i++)
        if (strcmp(unit, known_units[i].name) == 0)
            return (struct sensor){.unit = known_units[i].unit,
                                   .scale = known_units[i].scale,
                                   .is_known = strcmp(known_units[i].unit, "W") == 0,
                                   .is_state = true};
    return (struct sensor){.unit = unit, .scale = 1};
}

const char *sensor_device(const char *name, int *length)
{
    static const char *const words[] = {"device=", "device_", "hwmon"};
    for (const char *part = name; part; part = strchr(part, ':')) {
        part += strspn(part, ":");
        for (size_t i = 0; i < N_OF(words); i++) {
            size_t n = strlen(words[i]),
                   n_digits = strspn(part + n * !strncmp(part, words[i], n), "0123456789");
            if (strncmp(part, words[i], n) != 0 || n_digits == 0)
                continue;
            *length = (int)(n + n_digits);
            return part;
        }
    }
    return NULL;
}

bool is_identifier(const char *name)
{
    static const char *const words[] = {"id",      "ids",     "identifier", "handle",
                                        "address", "pointer", "hash",       "uuid"};
    while (*name) {
        size_t length = 0;
        while (isalnum((unsigned char)name[length]))
            length++;
        for (size_t i = 0; i < N_OF(words); i++)
            if (length == strlen(words[i]) && strncasecmp(name, words[i], length) == 0)
                return true;
        name += length > 0 ? length : 1;
    }
    return false;
}
