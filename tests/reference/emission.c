// SPDX-License-Identifier: BSD-3-Clause
// Writes a simulated run as a text trace, damaged as its program asks: sends or receives that
// nobody recorded, ranks cut short, clocks that are wrong by a constant.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/simulator.h"

enum { MAX_LOST = 3, MAX_SKEW = 60 };

static bool is_last_of_channel(const struct simulation *sim, size_t m)
{
    const struct sim_message *message = &sim->messages[m];
    for (size_t later = m + 1; later < sim->n_messages; later++) {
        const struct sim_message *other = &sim->messages[later];
        if (other->comm == message->comm && other->sender == message->sender &&
            other->receiver == message->receiver && other->tag == message->tag)
            return false;
    }
    return true;
}

/// The message a line is about, SIM_NONE when it is about none.
static int message_of(const struct simulation *sim, const struct sim_record *record)
{
    return record->receive_request != SIM_NONE ? sim->requests[record->receive_request].message
                                               : record->message;
}

static void lose_lines(struct simulation *sim, int message, bool is_send)
{
    for (uint32_t r = 0; r < sim->program->n_ranks; r++) {
        struct sim_lines *lines = &sim->ranks[r].lines[0];
        size_t n = 0;
        for (size_t i = 0; i < lines->n_records; i++) {
            const struct sim_record *record = &lines->records[i];
            if (message_of(sim, record) != message || record->is_send != is_send)
                lines->records[n++] = *record;
        }
        lines->n_records = n;
    }
}

static void lose_messages(struct simulation *sim)
{
    struct random *random = &sim->program->random;
    for (uint32_t i = 0; i < MAX_LOST && sim->n_messages > 0; i++) {
        size_t m = random_below(random, (uint32_t)sim->n_messages);
        if (is_last_of_channel(sim, m))
            lose_lines(sim, (int)m, random_chance(random, 50));
    }
}

/// Would a cut before line CUT leave a collective posted and not completed that a later one on its
/// communicator has passed? Then nobody could tell its place.
static bool is_cut_unclear(const struct simulation *sim, const struct sim_lines *lines, size_t cut)
{
    for (size_t i = 0; i < cut; i++) {
        int request = lines->records[i].coll_request;
        bool is_completed = request == SIM_NONE || lines->records[i].is_collective_end;
        for (size_t j = i + 1; j < cut && !is_completed; j++)
            is_completed = lines->records[j].coll_request == request;
        for (size_t j = i + 1; j < cut && !is_completed; j++) {
            if (lines->records[j].is_collective_end &&
                lines->records[j].comm == sim->requests[request].operation->comm)
                return true;
        }
    }
    return false;
}

static void cut_ranks(struct simulation *sim)
{
    struct random *random = &sim->program->random;
    for (uint32_t r = 0; r < sim->program->n_ranks; r++) {
        struct sim_lines *lines = &sim->ranks[r].lines[0];
        if (sim->program->ranks[r].has_team || !random_chance(random, 30) || lines->n_records < 4)
            continue;
        size_t cut = 2 + random_below(random, (uint32_t)lines->n_records - 2);
        if (!is_cut_unclear(sim, lines, cut))
            lines->n_records = cut;
    }
}

static void skew_ranks(struct simulation *sim)
{
    for (uint32_t r = 0; r < sim->program->n_ranks; r++) {
        uint64_t shift = random_chance(&sim->program->random, 50) ? sim_some(sim, MAX_SKEW) : 0;
        for (size_t thread = 0; thread < 2; thread++) {
            struct sim_lines *lines = &sim->ranks[r].lines[thread];
            for (size_t i = 0; i < lines->n_records; i++)
                lines->records[i].time += shift;
        }
    }
}

static void print_comms(const struct sim_program *program, FILE *stream)
{
    for (uint32_t c = 1; c < program->n_comms; c++) {
        const struct sim_program_comm *comm = &program->comms[c];
        if (comm->is_self)
            continue;
        fprintf(stream, "%s %s ranks", comm->n_remote ? "intercomm" : "comm", comm->name);
        for (uint32_t m = 0; m < comm->n_members; m++)
            fprintf(stream, " %" PRIu32, comm->members[m]);
        for (uint32_t m = 0; m < comm->n_remote; m++)
            fprintf(stream, "%s %" PRIu32, m ? "" : " |", comm->remote[m]);
        fputc('\n', stream);
    }
}

static void print_windows(const struct sim_program *program, FILE *stream)
{
    bool has_windows = program->has_locks || program->has_epochs;
    for (uint32_t c = 0; c < program->n_comms && has_windows; c++)
        if (!program->comms[c].is_self && program->comms[c].n_remote == 0)
            fprintf(stream, "window w%" PRIu32 " %s\n", c, program->comms[c].name);
}

static void print_files(const struct sim_program *program, FILE *stream)
{
    for (uint32_t c = 0; c < program->n_comms && program->has_files; c++)
        if (program->comms[c].n_remote == 0)
            fprintf(stream, "file f%" PRIu32 " %s\n", c, program->comms[c].name);
}

/// The groups of epochs, as communicators.
static void print_groups(const struct sim_program *program, FILE *stream)
{
    bool is_there[1 << PROGRAM_MAX_RANKS] = {false};
    for (uint32_t rank = 0; rank < program->n_ranks; rank++)
        for (size_t i = 0; i < program->ranks[rank].n_operations; i++)
            is_there[program->ranks[rank].operations[i].group] = true;
    for (uint32_t group = 1; group < 1U << PROGRAM_MAX_RANKS; group++) {
        if (!is_there[group])
            continue;
        fprintf(stream, "comm g%" PRIu32 " ranks", group);
        for (uint32_t rank = 0; rank < PROGRAM_MAX_RANKS; rank++)
            if (group >> rank & 1)
                fprintf(stream, " %" PRIu32, rank);
        fputc('\n', stream);
    }
}

/// Places in the source, among them those of recorded functions, a recursion, and places of which
/// one half is unknown.
static const char contexts[] = "context c0 main run.c:10\n"
                               "context c1 work run.c:20 c0\n"
                               "context c2 solve run.c:30 c1\n"
                               "context c3 solve run.c:31 c2\n"
                               "context c4 - run.c:40\n"
                               "context c5 work -\n";
enum { N_CONTEXTS = 6 };

static void print_line(struct random *random, bool has_contexts, const char *line, FILE *stream)
{
    fputs(line, stream);
    if (has_contexts && strncmp(line, "enter MPI_", 10) == 0 && random_chance(random, 70))
        fprintf(stream, " at c%" PRIu32, random_below(random, N_CONTEXTS));
    fputc('\n', stream);
}

/// Some receives look first what they get: record I of LINES is the enter of one, which arrives by
/// the next record.
static uint64_t print_probe(struct random *random, const struct sim_lines *lines, size_t i,
                            uint32_t rank, FILE *stream)
{
    bool is_receive = i + 1 < lines->n_records &&
                      strcmp(lines->records[i].text, "enter MPI_Recv") == 0 &&
                      strncmp(lines->records[i + 1].text, "recv ", 5) == 0;
    if (!is_receive || random_chance(random, 50))
        return lines->records[i].time;
    uint64_t enter = lines->records[i].time, leave = lines->records[i + 1].time;
    const char *name = random_chance(random, 50) ? "MPI_Probe" : "MPI_Mprobe";
    fprintf(stream, "%" PRIu32 " %" PRIu64 " enter %s\n", rank, enter, name);
    fprintf(stream, "%" PRIu32 " %" PRIu64 " leave %s\n", rank, leave, name);
    if (random_chance(random, 50))
        fprintf(stream,
                "%" PRIu32 " %" PRIu64 " enter MPI_Get_count\n%" PRIu32 " %" PRIu64
                " leave MPI_Get_count\n",
                rank, leave, rank, leave);
    return leave;
}

char *sim_text(struct simulation *sim)
{
    const struct sim_program *program = sim->program;
    if (program->is_unmatched)
        lose_messages(sim);
    if (program->is_cut)
        cut_ranks(sim);
    if (program->is_skewed)
        skew_ranks(sim);
    char *text = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    fprintf(stream, "# %s%s%s%s\n", program->is_foreign ? "foreign " : "",
            program->is_skewed || program->is_bare ? "skewed " : "", program->is_cut ? "cut " : "",
            program->is_unmatched ? "unmatched " : "");
    for (uint32_t r = 0; r < program->n_ranks; r++) {
        if (program->ranks[r].has_team)
            fprintf(stream, "location %" PRIu32 ".1\n", r);
    }
    if (program->ticks_per_second)
        fprintf(stream, "clock %" PRIu32 "\n", program->ticks_per_second);
    print_comms(program, stream);
    print_groups(program, stream);
    print_windows(program, stream);
    print_files(program, stream);
    bool has_contexts = random_chance(&sim->program->random, 50);
    fputs(has_contexts ? contexts : "", stream);
    for (uint32_t r = 0; r < program->n_ranks; r++) {
        for (uint32_t thread = 0; thread < 2; thread++) {
            const struct sim_lines *lines = &sim->ranks[r].lines[thread];
            for (size_t i = 0; i < lines->n_records; i++) {
                uint64_t time = program->has_probes && thread == 0
                                    ? print_probe(&sim->program->random, lines, i, r, stream)
                                    : lines->records[i].time;
                fprintf(stream, "%" PRIu32 "%s %" PRIu64 " ", r, thread ? ".1" : "", time);
                print_line(&sim->program->random, has_contexts, lines->records[i].text, stream);
            }
        }
    }
    fclose(stream);
    return text;
}
