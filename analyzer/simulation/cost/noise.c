// SPDX-License-Identifier: BSD-3-Clause
// Draws by a hash instead of a generator with a state (see noise.h): the finaliser of splitmix64
// (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014) over the parts
// of the key, one after the other.
#include "analyzer/simulation/cost/noise.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/cost_time.h"

static uint64_t mix(uint64_t state, uint64_t part)
{
    uint64_t x = state + part + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t noise_draw(uint32_t seed, uint32_t number)
{
    return (uint64_t)seed << 32 | number;
}

uint32_t noise_luck(uint64_t draw, enum noise_of of, uint64_t which, uint64_t item)
{
    __extension__ typedef unsigned __int128 wide;
    if (draw == 0)
        return NOISE_WHOLE;
    uint64_t hash = mix(mix(mix(draw, of), which), item);
    return (uint32_t)((wide)hash * NOISE_WHOLE >> 64);
}

/// What NOISE, which has some, has at the share LUCK.
static struct noise_quantile at(const struct noise *noise, uint32_t luck)
{
    const struct noise_quantile *next = noise->quantiles, *end = next + noise->n;
    while (next < end && next->share <= luck)
        next++;
    if (next == noise->quantiles)
        return *next;
    struct noise_quantile found = next[-1];
    if (next == end)
        return found;
    uint64_t passed = luck - found.share, length = next->share - found.share;
    found.factor += (next->factor - found.factor) * passed / length;
    found.more_ns += (next->more_ns - found.more_ns) * passed / length;
    return found;
}

uint64_t noise_factor(const struct noise *noise, uint32_t luck)
{
    return noise->n == 0 || luck == NOISE_WHOLE ? NOISE_WHOLE : at(noise, luck).factor;
}

uint64_t noise_ns(const struct noise *noise, uint64_t time_ns, uint32_t luck)
{
    __extension__ typedef unsigned __int128 wide;
    if (noise->n == 0 || luck == NOISE_WHOLE)
        return time_ns;
    struct noise_quantile found = at(noise, luck);
    return (uint64_t)((wide)time_ns * found.factor / NOISE_WHOLE) + found.more_ns;
}

// --- in a machine file

static int read_percent(const char *text, uint64_t *share, struct error *err)
{
    return element_read_scaled(text, 0, 100, NOISE_WHOLE / 100, share, err);
}

static int read_factor(const char *text, uint64_t *factor, struct error *err)
{
    return element_read_scaled(text, 0, 1000, NOISE_WHOLE, factor, err);
}

int noise_read(const struct element_reader *reader, const struct xml_element *child,
               struct noise *noise)
{
    struct noise_quantile quantile = {.factor = NOISE_WHOLE};
    const struct element_field fields[] = {
        {"percent", FIELD_NEEDED, &quantile.share, .read = read_percent},
        {"factor", FIELD_VALUE, &quantile.factor, .read = read_factor},
        {"more", FIELD_VALUE, &quantile.more_ns, .read = cost_time_read},
    };
    if (ELEMENT_READ(reader, child, fields) != 0)
        return -1;
    const struct noise_quantile *last = noise->n > 0 ? &noise->quantiles[noise->n - 1] : NULL;
    if (last && quantile.share <= last->share)
        return XML_ERROR(reader, child, "<quantile percent=\"%s\"> after %g %%: they must grow",
                         xml_attribute(child, "percent"),
                         100.0 * (double)last->share / NOISE_WHOLE);
    if (last && (quantile.factor < last->factor || quantile.more_ns < last->more_ns))
        return XML_ERROR(reader, child,
                         "<quantile percent=\"%s\">: factor and more must not be less than "
                         "those of %g %%",
                         xml_attribute(child, "percent"),
                         100.0 * (double)last->share / NOISE_WHOLE);
    *ARRAY_EXTEND(noise->quantiles, noise->n) = quantile;
    return 0;
}

int noise_read_all(const struct element_reader *reader, const struct xml_element *element,
                   struct noise *noise)
{
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        if (strcmp(child->name, "quantile") != 0)
            return XML_ERROR(reader, child,
                             "<%s> in <%s>: only <quantile percent=... factor=... more=...>",
                             child->name, element->name);
        if (noise_read(reader, child, noise) != 0)
            return -1;
    }
    return 0;
}
