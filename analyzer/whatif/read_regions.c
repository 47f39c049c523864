// SPDX-License-Identifier: BSD-3-Clause
// Readers of the options that change the work of regions.
#include <ctype.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/simulation/change/message_cut.h"
#include "analyzer/simulation/cores/rank_list.h"
#include "analyzer/simulation/cost/cost_time.h"
#include "analyzer/whatif/readers.h"

WHATIF_READER(scale)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return error_set(err, "--scale %s: not of the form REGION=FACTOR", text);
    struct scenario_settings *settings = &set->settings;
    struct region_scale *scales =
        whatif_set_grow(set, settings->scales, settings->n_scales, sizeof *scales);
    struct region_scale *scale = &scales[settings->n_scales++];
    settings->scales = scales;
    scale->pattern = whatif_set_keep(set, memory_format("%.*s", (int)(equals - text), text));
    return whatif_read_factor("scale", text, 0, &scale->factor, err);
}

static struct region_work *add_work(struct whatif_set *set, const char *pattern, size_t length)
{
    struct scenario_settings *settings = &set->settings;
    struct region_work *works =
        whatif_set_grow(set, settings->works, settings->n_works, sizeof *works);
    struct region_work *work = &works[settings->n_works++];
    settings->works = works;
    work->pattern = whatif_set_keep(set, memory_format("%.*s", (int)length, pattern));
    return work;
}

WHATIF_READER(duration)
{
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text)
        return error_set(err, "--duration %s: not of the form REGION=T", text);
    struct region_work *work = add_work(set, text, (size_t)(equals - text));
    if (cost_time_read(equals + 1, &work->duration_ns, err) != 0)
        return error_wrap(err, "--duration %s", text);
    return 0;
}

WHATIF_READER(drop_sync)
{
    struct scenario_settings *settings = &set->settings;
    if (*text == '\0')
        return error_set(err, "--drop-sync: a region is missing");
    const char **drops = whatif_set_grow(set, settings->drops, settings->n_drops, sizeof *drops);
    drops[settings->n_drops++] = whatif_set_keep(set, memory_copy_text(text));
    settings->drops = drops;
    return 0;
}

WHATIF_READER(cut_messages)
{
    if (message_cut_check(text, err) != 0)
        return -1;
    struct scenario_settings *settings = &set->settings;
    const char **cuts = whatif_set_grow(set, settings->cuts, settings->n_cuts, sizeof *cuts);
    cuts[settings->n_cuts++] = whatif_set_keep(set, memory_copy_text(text));
    settings->cuts = cuts;
    return 0;
}

/// Whether the = at EQUALS in TEXT is of an operator's name, such as ns::operator==.
static bool is_of_operator(const char *text, const char *equals)
{
    for (const char *at = text; (at = strstr(at, "operator")) != NULL;) {
        bool is_word = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        at += sizeof "operator" - 1;
        if (is_word && at <= equals && equals < at + strspn(at, "<>=-+*/!&|^%"))
            return true;
    }
    return false;
}

WHATIF_READER(balance)
{
    const char *equals = strrchr(text, '=');
    struct error ignored;
    if (equals && is_of_operator(text, equals) &&
        rank_list_check(equals + 1, strlen(equals + 1), &ignored) != 0)
        equals = NULL; // no ranks are given
    if (equals == text || *text == '\0')
        return error_set(err, "--balance %s: not of the form REGION or REGION=RANKS", text);
    struct region_work *work = add_work(set, text, equals ? (size_t)(equals - text) : strlen(text));
    work->is_balanced = true;
    work->ranks = equals ? whatif_set_keep(set, memory_copy_text(equals + 1)) : NULL;
    if (equals && rank_list_check(equals + 1, strlen(equals + 1), err) != 0)
        return error_wrap(err, "--balance %s", text);
    return 0;
}
