// SPDX-License-Identifier: BSD-3-Clause
// Times by chance: what each message, operation and node gets in a draw, by pagoda-machine(5). The
// number of a thing is hashed by splitmix64's finaliser, part by part.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/checksum.h"
#include "tests/reference/predicted_costs.h"

enum { MILLION = 1000000, KIND_MESSAGE = 0, KIND_PART, KIND_OPERATION, KIND_WORK };

static uint64_t scramble(uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

/// What the draw has for a thing of KIND known by two numbers.
static struct chance chance_of(const struct predicted_scenario *scenario,
                               const struct scenario_noise *noise, uint64_t kind, uint64_t first,
                               uint64_t second)
{
    if (scenario->draw == 0 || noise->n == 0)
        return (struct chance){MILLION, 0};
    uint64_t draw = ((uint64_t)scenario->seed << 32) + scenario->draw;
    uint64_t number = scramble(scramble(scramble(draw + kind) + first) + second);
    uint64_t share = (uint64_t)(((unsigned __int128)number * MILLION) >> 64), last = noise->n - 1;
    uint64_t x[SCENARIO_MAX_QUANTILES];
    struct chance y[SCENARIO_MAX_QUANTILES];
    for (uint32_t i = 0; i < noise->n; i++) {
        x[i] = (uint64_t)noise->percents[i] * (MILLION / 100);
        y[i] = (struct chance){(uint64_t)noise->factors[i] * (MILLION / 100), noise->more_ns[i]};
    }
    if (share < x[0])
        return y[0];
    for (uint32_t i = 0; i < last; i++) {
        uint64_t length = x[i + 1] - x[i], passed = share - x[i];
        if (share >= x[i] && share < x[i + 1])
            return (struct chance){y[i].factor + (y[i + 1].factor - y[i].factor) * passed / length,
                                   y[i].more_ns +
                                       (y[i + 1].more_ns - y[i].more_ns) * passed / length};
    }
    return y[last];
}

struct chance noise_of_send(const struct model *model, const struct scenario_messages *messages,
                            const struct model_send *send)
{
    uint64_t n_before = 0;
    for (size_t s = 0; s < model->n_sends; s++)
        n_before += model->sends[s].sender == send->sender && model->sends[s].record < send->record;
    return chance_of(model->scenario, &messages->noise, KIND_MESSAGE, send->sender, n_before);
}

/// How many operations of the same communicator the rank of PART was in before.
static uint64_t count_before(const struct model *model, const struct model_part *part)
{
    uint64_t n = 0;
    for (size_t p = 0; p < model->n_parts; p++) {
        const struct model_part *other = &model->parts[p];
        n += other->rank == part->rank && other->comm == part->comm && !other->is_finalize &&
             other->post_record < part->post_record;
    }
    return n;
}

struct chance noise_of_part(const struct model *model, const struct scenario_messages *messages,
                            const struct model_part *part, uint32_t order)
{
    return chance_of(model->scenario, &messages->noise, KIND_PART,
                     ((uint64_t)part->rank << 32) + part->comm,
                     (count_before(model, part) << 16) + order);
}

struct chance noise_of_operation(const struct model *model, const struct scenario_noise *noise,
                                 const struct model_part *part)
{
    return chance_of(model->scenario, noise, KIND_OPERATION, part->comm, count_before(model, part));
}

struct chance noise_of_node(const struct predicted_scenario *scenario, uint32_t node)
{
    char name[16];
    snprintf(name, sizeof name, "n%" PRIu32, node);
    return chance_of(scenario, &scenario->machine.load, KIND_WORK, 0,
                     checksum_bytes(0, name, strlen(name)));
}
