// SPDX-License-Identifier: BSD-3-Clause
// See phase.h. Only enters and leaves of the named regions are looked at; nothing is matched, for
// where a rank's phase begins and ends depends on no other rank.
#include "analyzer/pag/phase.h"

/// A rank that is being read.
struct visits {
    const struct pag_phase *phase;
    const struct region *regions;
    struct pag_part *parts; // of the rank's master, n_locations apart
    size_t n_locations;
    uint64_t n;     // visits so far
    uint32_t depth; // of open visits of regions
    bool is_open;
    uint64_t first_awaiting; // visit that waits for a region of `ends`, 0: none; later ones, too
    bool has_end;            // such a one came
};

/// The part that visit N belongs to, NULL without.
static struct pag_part *part_of(const struct visits *visits, uint64_t n)
{
    const struct pag_phase *phase = visits->phase;
    if (n < phase->first || n > phase->last)
        return NULL;
    uint64_t index = phase->is_each ? n - phase->first : 0;
    return index < phase->n_phases ? &visits->parts[index * visits->n_locations] : NULL;
}

static void begin_visit(struct visits *visits, uint64_t time_ns)
{
    struct pag_part *part = part_of(visits, ++visits->n);
    visits->is_open = true;
    if (!part)
        return;
    if (visits->phase->is_each || visits->n == visits->phase->first)
        *part = (struct pag_part){time_ns, time_ns};
    if (visits->phase->ends && visits->first_awaiting == 0)
        visits->first_awaiting = visits->n;
}

/// The visit that is open is over, by itself.
static void end_visit(struct visits *visits, uint64_t time_ns)
{
    struct pag_part *part = visits->is_open ? part_of(visits, visits->n) : NULL;
    visits->is_open = false;
    if (part && !visits->phase->ends)
        part->end_ns = time_ns;
}

static void end_phase(struct visits *visits, uint64_t time_ns)
{
    if (visits->first_awaiting == 0)
        return;
    uint64_t last = visits->n < visits->phase->last ? visits->n : visits->phase->last;
    for (uint64_t n = visits->first_awaiting; n <= last; n++) {
        struct pag_part *part = part_of(visits, n);
        if (part)
            part->end_ns = time_ns;
    }
    visits->first_awaiting = 0;
    visits->has_end = true;
}

static void enter(struct visits *visits, uint32_t region, uint64_t time_ns)
{
    bool is_marker = visits->regions[region].is_marker;
    if (visits->phase->ends && visits->phase->ends[region] && is_marker)
        end_phase(visits, time_ns);
    if (!visits->phase->begins[region])
        return;
    if (is_marker)
        end_visit(visits, time_ns);
    if (is_marker || visits->depth++ == 0)
        begin_visit(visits, time_ns);
}

static void leave(struct visits *visits, uint32_t region, uint64_t time_ns)
{
    if (visits->regions[region].is_marker)
        return;
    if (visits->phase->begins[region] && visits->depth > 0 && --visits->depth == 0)
        end_visit(visits, time_ns);
    if (visits->phase->ends && visits->phase->ends[region])
        end_phase(visits, time_ns);
}

/// The rank is over at TIME_NS.
static void end_rank(struct visits *visits, uint64_t time_ns)
{
    bool had_end = visits->has_end;
    end_visit(visits, time_ns);
    end_phase(visits, time_ns);
    visits->has_end = had_end;
}

static void read_rank(struct trace *trace, size_t location, struct visits *visits)
{
    struct cursor *cursor = trace_cursor(trace, location);
    const struct event *event;
    uint64_t last_ns = 0;
    for (; (event = trace_peek(trace, location, cursor, 0)) != NULL; cursor->position++) {
        last_ns = event->time_ns;
        if (event->kind == EVENT_ENTER)
            enter(visits, event->index, event->time_ns);
        else if (event->kind == EVENT_LEAVE)
            leave(visits, event->index, event->time_ns);
    }
    end_rank(visits, last_ns);
}

void pag_phase_find(struct trace *trace, const struct pag_phase *phase, struct pag_part *parts,
                    struct pag_phase_report *report)
{
    const struct definitions *definitions = trace_definitions(trace);
    size_t n_locations = definitions->n_locations;
    *report = (struct pag_phase_report){0};
    for (size_t i = 0; i < phase->n_phases * n_locations; i++)
        parts[i] = (struct pag_part){0};
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        uint32_t master = definitions->ranks[i].master;
        struct visits visits = {.phase = phase,
                                .regions = definitions->regions,
                                .parts = parts + master,
                                .n_locations = n_locations};
        read_rank(trace, master, &visits);
        report->has_end |= visits.has_end;
        if (visits.n > report->n_visits) {
            report->n_visits = visits.n;
            report->rank = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < n_locations; i++) {
        uint32_t rank = definitions->locations[i].rank;
        for (uint64_t k = 0; k < phase->n_phases && rank != EVENT_NO_INDEX; k++)
            parts[k * n_locations + i] = parts[k * n_locations + definitions->ranks[rank].master];
    }
}
