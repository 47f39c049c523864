// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/finish/run.h"

#include "tracer/finish/event_context.h"
#include "tracer/finish/memory.h"
#include "tracer/record/settings.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct archive *volatile writing; // NULL: none has been begun

/// Clock offsets hold for all ranks that share the clock on which they were measured.
static void find_clocks(struct run *run)
{
    struct table domains = {0};
    const struct spool_header **measured = alloc_or_die(run->n * sizeof(void *)); // by domain
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < run->n; i++) {
            const struct spool_header *header = run->spools[i].header;
            const char *text = header->clock_domain;
            uint32_t domain = table_number(&domains, text, strlen(text) + 1, NULL);
            if (!measured[domain] && header->n_clock_offsets > 0)
                measured[domain] = header;
            run->clocks[i] = measured[domain];
        }
    }
    table_release(&domains);
    free(measured);
}

/// From the clock of spool `i` to that of the archive.
static int64_t offset_of(const struct run *run, size_t i)
{
    const struct spool_header *clock = run->clocks[i];
    return clock ? clock->clock_offsets[clock->n_clock_offsets - 1].offset_ns : 0;
}

/// Events before the last measurement are corrected by another offset than the one used here, so
/// the first may come out a little earlier.
static uint64_t correction_slack(const struct run *run)
{
    uint64_t slack_ns = 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct spool_clock_offset *offsets = run->spools[i].header->clock_offsets;
        int64_t before_ns = offsets[0].offset_ns, after_ns = offsets[1].offset_ns;
        uint64_t drift_ns = after_ns > before_ns ? (uint64_t)after_ns - (uint64_t)before_ns
                                                 : (uint64_t)before_ns - (uint64_t)after_ns;
        if (run->spools[i].header->n_clock_offsets == 2 && 2 * drift_ns > slack_ns)
            slack_ns = 2 * drift_ns;
    }
    return slack_ns;
}

static void define(struct run *run)
{
    const struct spool_header *first = run->spools[0].header;
    for (size_t i = 0; i < run->n; i++) {
        const struct spool *spool = &run->spools[i];
        const struct spool_header *header = spool->header;
        uint64_t offset = (uint64_t)offset_of(run, i);
        uint64_t first_ns = UINT64_MAX;
        uint64_t last_ns = 0;
        process_define(&run->processes[header->rank], spool, offset, &first_ns, &last_ns,
                       &run->costs[i]);
        run->processes[header->rank].is_finalized |= header->finalized != 0;
        if (!run->archive.hosts[header->rank])
            run->archive.hosts[header->rank] = strdup_or_die(header->host);
        run->archive.cores[header->rank] = header->cores;
        if (last_ns == 0)
            continue;
        if (first_ns + offset < run->archive.first_ns)
            run->archive.first_ns = first_ns + offset;
        if (last_ns + offset > run->archive.last_ns)
            run->archive.last_ns = last_ns + offset;
    }
    if (run->archive.first_ns == UINT64_MAX)
        run->archive.first_ns = run->archive.last_ns = first->clock_ns;
    run->archive.first_ns -= correction_slack(run);
    run->archive.realtime_ns = first->realtime_ns + run->archive.first_ns -
                               (first->clock_ns + (uint64_t)offset_of(run, 0));
}

static void set_offsets(struct run *run, const struct spool_header *clock)
{
    struct archive_location *location = &run->archive.locations[run->archive.n_locations - 1];
    if (!clock)
        return;
    location->n_offsets = clock->n_clock_offsets;
    memcpy(location->offsets, clock->clock_offsets, sizeof location->offsets);
}

/// Writes a location without events.
static void write_empty(struct run *run, const struct archive_location *location)
{
    OTF2_EvtWriter *writer = archive_begin_events(&run->archive, location->rank, 0);
    if (writer)
        archive_end_events(&run->archive, writer, location);
}

/// Ranks without records (killed before MPI_Init was over, files lost) get an empty location, so
/// that ranks in communicators keep their numbers.
static void write_missing_ranks(struct run *run)
{
    struct archive_location location = {.recorded_until_ns = run->archive.first_ns,
                                        .stopped = "no records"};
    for (; location.rank < run->n_ranks && !run->archive.error; location.rank++)
        if (!run->archive.hosts[location.rank])
            write_empty(run, &location);
}

/// Communicators may have members that were not traced (children of MPI_Comm_spawn, partners of
/// MPI_Comm_connect). One location without events stands for all of them: some readers cannot open
/// an archive whose groups have members that are not defined.
static void write_outsiders(struct run *run)
{
    if (run->archive.error || !unify_has_outsiders(&run->unify))
        return;
    run->archive.has_outsiders = true;
    write_empty(run, &(struct archive_location){.rank = run->n_ranks});
}

/// What recording cost the thread of spool `i`. The rank it slowed most is kept: time is that of
/// the rank's first thread, for others may have lived for moments only.
static struct recording_cost take_cost(struct run *run, size_t i)
{
    const struct spool_header *header = run->spools[i].header;
    const struct thread_cost *first = &run->costs[i];
    struct recording_cost cost = cost_of(&run->costs[i], header, run->record_costs);
    for (size_t k = i; k > 0 && run->spools[k - 1].header->rank == header->rank; k--)
        first = &run->costs[k - 1];
    cost.of_ns = cost_counted_ns(first);
    if (cost.ns > cost.of_ns)
        cost.ns = cost.of_ns;
    if ((double)cost.ns * (double)run->counted_ns >=
        (double)run->recording_ns * (double)cost.of_ns) {
        run->recording_ns = cost.ns;
        run->counted_ns = cost.of_ns;
    }
    return cost;
}

static void write_events(struct run *run)
{
    for (size_t i = 0; i < run->n && !run->archive.error; i++) {
        const struct spool_header *header = run->spools[i].header;
        uint64_t close_ns = run->archive.last_ns - (uint64_t)offset_of(run, i);
        if (!run->processes[header->rank].is_finalized && header->stop_errno == 0)
            run->n_open += header->thread == 0;
        events_write(&run->processes[header->rank], &run->spools[i], close_ns, &run->costs[i],
                     take_cost(run, i));
        if (!run->archive.error)
            set_offsets(run, run->clocks[i]);
    }
    write_missing_ranks(run);
    write_outsiders(run);
}

static void add_number(struct archive *archive, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    archive_property(archive, name, text);
}

static void write_facts(struct run *run, const char *facts_path)
{
    const struct spool_header *header = run->spools[0].header;
    int fd = open(facts_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    archive_property(&run->archive, "PAGODA::MPI", header->mpi);
    archive_property(&run->archive, "PAGODA::MPI_VERSION", header->mpi_version);
    archive_property(&run->archive, "PAGODA::HOST", header->host);
    archive_property(&run->archive, "PAGODA::EXECUTABLE", header->executable);
    archive_property(&run->archive, "PAGODA::COMPILER",
                     symbols_compiler(run->symbols, header->executable));
    archive_property(&run->archive, "PAGODA::PROGRAM", header->command);
    archive_property(&run->archive, "PAGODA::CLOCK", "CLOCK_MONOTONIC");
    add_number(&run->archive, "PAGODA::RANKS", run->n_ranks);
    if (run->n_ranks > run->worlds->items[run->root].n_ranks)
        add_number(&run->archive, "PAGODA::SPAWNED_RANKS",
                   run->n_ranks - run->worlds->items[run->root].n_ranks);
    if (settings.min_duration_ns > 0)
        add_number(&run->archive, "PAGODA::MIN_DURATION_NS", settings.min_duration_ns);
    if (run->n_open > 0)
        add_number(&run->archive, "PAGODA::RANKS_WITHOUT_FINALIZE", run->n_open);
    char *line = NULL;
    size_t size = 0;
    while (file && getdelim(&line, &size, '\0', file) > 0) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        archive_property(&run->archive, line, value);
    }
    free(line);
    if (file)
        fclose(file);
}

/// The files of all worlds. Headers are changed so that their ranks are those of the
/// archive, and of clocks only the first world's measurements count.
static void gather_spools(struct run *run)
{
    const struct worlds *worlds = run->worlds;
    for (uint32_t i = run->root; i < worlds->n; i++)
        if (worlds->items[i].root == run->root)
            run->n += worlds->items[i].n;
    run->spools = alloc_or_die(run->n * sizeof *run->spools);
    run->costs = alloc_or_die(run->n * sizeof *run->costs);
    run->clocks = alloc_or_die(run->n * sizeof(void *));
    run->n = 0;
    for (uint32_t i = run->root; i < worlds->n; i++) {
        const struct world *world = &worlds->items[i];
        for (size_t k = 0; world->root == run->root && k < world->n; k++, run->n++) {
            struct spool_header *header = world->spools[k].header;
            header->rank += world->base;
            if (i != run->root)
                header->n_clock_offsets = 0;
            run->spools[run->n] = world->spools[k];
        }
    }
    find_clocks(run);
}

static void introduce_worlds(struct run *run)
{
    const struct worlds *worlds = run->worlds;
    unify_init(&run->unify, worlds->items[run->root].n_ranks);
    for (uint32_t i = run->root; i < worlds->n; i++) {
        const struct world *world = &worlds->items[i];
        if (world->root != run->root)
            continue;
        uint32_t index = 0;
        if (i != run->root)
            index = unify_add_world(&run->unify, world->base, world->n_ranks);
        for (uint32_t rank = 0; rank < world->n_ranks; rank++) {
            struct process *process = &run->processes[world->base + rank];
            process->archive = process->code.archive = &run->archive;
            process->unify = &run->unify;
            process->code.symbols = run->symbols;
            process->comms.origin = world;
            process->comms.world = index;
            process->comms.rank = rank;
        }
    }
}

/// False when OTF2 failed somewhere.
static bool write_archive(struct run *run, const char *dir, const char *facts_path)
{
    jmp_buf on_failure;
    if (!archive_open(&run->archive, dir, run->n_ranks) || setjmp(on_failure) != 0)
        return false;
    run->archive.on_failure = &on_failure;
    writing = &run->archive;
    define(run);
    run->gaps = gaps_find(run->spools, run->n, run->processes, &run->unify);
    for (uint32_t i = 0; i < run->n_ranks; i++)
        run->processes[i].gaps = run->gaps;
    write_events(run);
    write_facts(run, facts_path);
    for (size_t i = 0; i < run->archive.n_locations; i++)
        run->n_events += run->archive.locations[i].n_events;
    run->n_locations = run->archive.n_locations;
    return archive_close(&run->archive, &run->unify);
}

void run_init(struct run *run, const struct worlds *worlds, uint32_t root)
{
    *run = (struct run){
        .worlds = worlds, .root = root, .n_ranks = worlds->items[root].n_archive_ranks};
    gather_spools(run);
    run->symbols = symbols_new();
    run->processes = alloc_or_die(run->n_ranks * sizeof *run->processes);
    introduce_worlds(run);
}

bool run_write(struct run *run, const struct record_costs *costs, const char *dir,
               const char *facts_path)
{
    run->record_costs = costs;
    bool is_written = write_archive(run, dir, facts_path);
    writing = NULL;
    if (!is_written)
        archive_discard(&run->archive, dir);
    return is_written;
}

void run_fail(const char *why)
{
    if (!writing)
        return;
    writing->error = why;
    longjmp(*writing->on_failure, 1);
}

void run_release(struct run *run)
{
    for (uint32_t i = 0; i < run->n_ranks; i++)
        process_release(&run->processes[i]);
    free(run->processes);
    gaps_free(run->gaps);
    unify_release(&run->unify);
    symbols_free(run->symbols);
    free(run->spools);
    free(run->costs);
    free(run->clocks);
}
