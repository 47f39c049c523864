// SPDX-License-Identifier: BSD-3-Clause
// The program that is predicted: what it leaves out, and the steps its ranks take.
#include "tests/reference/changed_program.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_costs.h"

static void *copy(const void *array, size_t n, size_t size_bytes)
{
    void *own = memory_zeroed(n + 1, size_bytes);
    if (n > 0)
        memcpy(own, array, n * size_bytes);
    return own;
}

// --- what is left out

/// Whether SEND is sent, and with how many bytes: the first cut that selects it counts.
static void cut(struct model_send *send, const struct scenario_changes *changes)
{
    send->now_bytes = send->size_bytes;
    for (uint32_t i = 0; i < changes->n_cuts; i++) {
        const struct scenario_cut *cut = &changes->cuts[i];
        bool is_peer = (cut->peers >> send->sender & 1) || (cut->peers >> send->receiver & 1);
        if (send->size_bytes < cut->least_bytes || send->size_bytes > cut->most_bytes ||
            send->tag < cut->first_tag || send->tag > cut->last_tag || !is_peer ||
            !(cut->senders >> send->sender & 1) || !(cut->receivers >> send->receiver & 1))
            continue;
        send->is_unsent = cut->factor == 0;
        send->now_bytes = (uint64_t)((parts_t)send->size_bytes * cut->factor / PER_NS);
        return;
    }
}

/// Does PATTERN name MPI functions or the place of calls, CALL among them?
static bool names_call(const struct model *model, const struct model_call *call,
                       const char *pattern)
{
    const char *name = strrchr(pattern, '/') ? strrchr(pattern, '/') + 1 : pattern;
    if (strncmp(name, "before ", strlen("before ")) == 0)
        name += strlen("before ");
    bool is_named = strncmp(name, "MPI_", 4) == 0 || has_place(pattern);
    return is_named && is_region(model, call->path, pattern);
}

/// Is the part left out: one that only synchronises in a dropped region, all that is named itself?
static bool is_dropped(const struct model *model, const struct model_part *part,
                       const struct scenario_changes *changes)
{
    const struct model_call *call = &model->calls[part->post_call];
    bool only_synchronises = part->class == CLASS_BARRIER ||
                             (part->class != CLASS_HANDLE && part->bytes == 0 && !part->is_uneven);
    if (part->is_finalize || call->is_init || call->is_finalize)
        return false;
    for (uint32_t i = 0; i < changes->n_drops; i++)
        if (names_call(model, call, changes->drops[i]) ||
            (only_synchronises && is_in_region(model, call->path, changes->drops[i])))
            return true;
    return false;
}

static void leave_out(struct model *model)
{
    const struct scenario_changes *changes = &model->scenario->changes;
    for (size_t c = 0; c < model->n_calls; c++) {
        struct model_call *call = &model->calls[c];
        call->n_records = call->n_left_out = 0;
        for (size_t i = call->first; i <= call->last; i++) {
            enum record_kind kind = model->trace->locations[call->location].records[i].kind;
            call->n_records += kind >= RECORD_SEND && kind <= RECORD_COLL_COMPLETE;
        }
    }
    for (size_t s = 0; s < model->n_sends; s++) {
        struct model_send *send = &model->sends[s];
        cut(send, changes);
        model->calls[send->call].n_left_out += send->is_unsent;
        if (send->is_unsent && send->complete_call != send->call &&
            send->complete_call != REFERENCE_NONE)
            model->calls[send->complete_call].n_left_out++;
        if (send->is_unsent && send->receive != REFERENCE_NONE &&
            model->receives[send->receive].complete_call != REFERENCE_NONE)
            model->calls[model->receives[send->receive].complete_call].n_left_out++;
    }
    for (size_t p = 0; p < model->n_parts; p++) {
        struct model_part *part = &model->parts[p];
        part->is_left_out = is_dropped(model, part, changes);
        if (part->is_left_out && part->complete_call != REFERENCE_NONE)
            model->calls[part->complete_call].n_left_out++;
    }
}

// --- calls that are waited for later

/// Does call C have a record from FIRST to LAST kind?
static bool has_record(const struct model *model, uint32_t c, enum record_kind first,
                       enum record_kind last)
{
    const struct model_call *call = &model->calls[c];
    for (size_t i = call->first; i <= call->last; i++) {
        enum record_kind kind = model->trace->locations[call->location].records[i].kind;
        if (kind >= first && kind <= last)
            return true;
    }
    return false;
}

static bool has_receives(const struct model *model, uint32_t c)
{
    for (size_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *receive = &model->receives[r];
        if (receive->complete_call == c && receive->send != REFERENCE_NONE &&
            !model->sends[receive->send].is_unsent)
            return true;
    }
    return false;
}

static bool has_waiting_sends(const struct model *model, uint32_t c)
{
    for (size_t s = 0; s < model->n_sends; s++)
        if (model->sends[s].complete_call == c && !model->sends[s].is_unsent &&
            is_waiting_send(model, &model->sends[s]))
            return true;
    return false;
}

/// Does call C wait for members of nonblocking collective operations?
static bool has_waiting_parts(const struct model *model, uint32_t c)
{
    for (uint32_t p = 0; p < model->n_parts; p++)
        if (model->parts[p].complete_call == c && is_waiting_part(model, p))
            return true;
    return false;
}

/// Does call C complete the creation of a handle?
static bool has_handles(const struct model *model, uint32_t c)
{
    for (uint32_t p = 0; p < model->n_parts; p++)
        if (model->parts[p].complete_call == c && model->parts[p].class == CLASS_HANDLE &&
            model->instances[model->parts[p].instance].n_members > 1)
            return true;
    return false;
}

/// Does call C learn something that messages sent later may depend on?
static bool is_learning(const struct model *model, uint32_t c)
{
    return has_receives(model, c) || has_waiting_parts(model, c);
}

static bool is_overlapped(const struct model *model, uint32_t path)
{
    const struct scenario_changes *changes = &model->scenario->changes;
    for (uint32_t i = 0; i < changes->n_overlaps; i++)
        if (is_in_region(model, path, changes->overlaps[i]))
            return true;
    return false;
}

static bool is_put_off(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    bool is_bare =
        model->trace->locations[call->location].records[call->first].kind != RECORD_ENTER;
    return is_overlapped(model, call->path) && !is_bare && !call->is_test && !call->is_finalize &&
           !has_record(model, c, RECORD_COLL_END, RECORD_COLL_REQUEST) && !has_handles(model, c) &&
           (is_learning(model, c) || has_waiting_sends(model, c));
}

/// The path whose leave ends the waiting for call C: the outermost overlapped one around it, the
/// function around it if there is none.
static uint32_t region_of(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    uint32_t region = call->first > 0 ? model->path_after[call->location][call->first - 1] : 0;
    for (uint32_t path = model->paths[call->path].parent; path != 0;
         path = model->paths[path].parent)
        if (is_overlapped(model, path))
            region = path;
    return region;
}

// --- steps

struct steps {
    const struct model *model;
    uint32_t rank;
    struct step *items;
    size_t n, capacity;
    size_t from; // record at which the next interval begins
    struct reading at_from;
    uint32_t *put_off; // calls
    uint32_t n_put_off;
};

static struct step *add(struct steps *steps, enum step_kind kind, size_t up_to)
{
    struct step *step = ARRAY_NEXT(steps->items, steps->n, steps->capacity);
    *step = (struct step){
        .kind = kind,
        .interval = {
            .rank = steps->rank, .first = steps->from, .last = up_to, .at_first = steps->at_from}};
    steps->at_from = (struct reading){0};
    step->interval.is_end = kind == STEP_END;
    step->interval.stretch = interval_stretch(steps->model, &step->interval);
    steps->from = up_to;
    return step;
}

/// The first N of the calls put off are waited for at record UP_TO.
static void wait_for(struct steps *steps, uint32_t n, size_t up_to)
{
    if (n == 0)
        return;
    struct step *step = add(steps, STEP_LATE, up_to);
    step->calls = copy(steps->put_off, n, sizeof *step->calls);
    step->n_calls = n;
    steps->n_put_off -= n;
    memmove(steps->put_off, steps->put_off + n, steps->n_put_off * sizeof *steps->put_off);
}

/// Waits at leaves of regions before record UP_TO.
static void wait_at_leaves(struct steps *steps, size_t up_to)
{
    const struct record *records = steps->model->trace->locations[steps->rank].records;
    for (size_t i = steps->from; i < up_to; i++) {
        if (records[i].kind != RECORD_LEAVE || i == 0 ||
            steps->model->call_of[steps->rank][i] != REFERENCE_NONE)
            continue;
        uint32_t left = steps->model->path_after[steps->rank][i - 1], n_due = 0;
        for (uint32_t p = 0; p < steps->n_put_off; p++)
            if (region_of(steps->model, steps->put_off[p]) == left)
                n_due = p + 1;
        if (n_due == 0)
            continue;
        wait_for(steps, n_due, i);
        struct interval *before = &steps->items[steps->n - 1].interval;
        interval_read_at_last(steps->model, before);
        steps->at_from = before->at_last;
    }
}

/// Before call C: everything if it begins an operation, all but sends if it sends.
static uint32_t count_due(const struct steps *steps, uint32_t c)
{
    uint32_t n_due = 0;
    if (steps->model->calls[c].is_finalize ||
        has_record(steps->model, c, RECORD_COLL_END, RECORD_COLL_REQUEST))
        return steps->n_put_off;
    if (!has_record(steps->model, c, RECORD_SEND, RECORD_ISEND))
        return 0;
    for (uint32_t p = 0; p < steps->n_put_off; p++)
        if (is_learning(steps->model, steps->put_off[p]))
            n_due = p + 1;
    return n_due;
}

static void find_steps(struct changed_program *program, uint32_t rank)
{
    const struct model *model = &program->model;
    size_t n_records = model->trace->locations[rank].n_records;
    struct steps steps = {.model = model, .rank = rank};
    steps.put_off = memory_zeroed(model->n_calls + 1, sizeof *steps.put_off);
    for (uint32_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        if (call->location != rank)
            continue;
        wait_at_leaves(&steps, call->first);
        wait_for(&steps, count_due(&steps, c), call->first);
        struct step *step = add(&steps, STEP_CALL, call->first);
        step->call = c;
        step->is_put_off = is_put_off(model, c);
        if (step->is_put_off)
            steps.put_off[steps.n_put_off++] = c;
        steps.from = call->last;
    }
    wait_at_leaves(&steps, n_records);
    if (steps.n_put_off > 0) {
        wait_for(&steps, steps.n_put_off, n_records - 1);
        steps.items[steps.n - 1].interval.is_end = true;
    }
    add(&steps, STEP_END, n_records - 1);
    free(steps.put_off);
    program->steps[rank] = steps.items;
    program->n_steps[rank] = steps.n;
}

static void forget_steps(struct changed_program *program)
{
    for (uint32_t rank = 0; rank < PROGRAM_MAX_RANKS; rank++) {
        for (size_t i = 0; i < program->n_steps[rank]; i++)
            free(program->steps[rank][i].calls);
        free(program->steps[rank]);
        program->steps[rank] = NULL;
        program->n_steps[rank] = 0;
    }
}

void changed_program_init(struct changed_program *program, const struct model *model,
                          const struct predicted_scenario *scenario)
{
    *program = (struct changed_program){.model = *model};
    program->model.scenario = scenario;
    program->model.calls = copy(model->calls, model->n_calls, sizeof *model->calls);
    program->model.sends = copy(model->sends, model->n_sends, sizeof *model->sends);
    program->model.parts = copy(model->parts, model->n_parts, sizeof *model->parts);
    if (scenario->is_timeless)
        program->model.order_costs_ns = order_costs_new(&program->model);
    leave_out(&program->model);
    find_polls(&program->model);
    // How large messages are with moved work may say who waits for his receiver, and so whose call
    // can be put off.
    SCOPED uint64_t *sizes = memory_zeroed(model->n_sends + 1, sizeof *sizes);
    for (size_t s = 0; s < model->n_sends; s++)
        sizes[s] = program->model.sends[s].now_bytes;
    for (int pass = 0; pass < 2; pass++) {
        forget_steps(program);
        for (uint32_t rank = 0; rank < model->trace->n_ranks; rank++)
            find_steps(program, rank);
        for (size_t s = 0; s < model->n_sends; s++)
            program->model.sends[s].now_bytes = sizes[s];
        find_work(program);
    }
    find_groups(program);
}

void changed_program_release(struct changed_program *program)
{
    forget_steps(program);
    FREE_ALL(program->model.calls, program->model.sends, program->model.parts);
    order_costs_free(program->model.order_costs_ns, program->model.trace->n_ranks);
}

// --- Messages put together (--aggregate): which one follows which, and when followers are there.

/// Does RANK learn something in call C, or wait there for a receiver?
static bool learns(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    for (size_t i = call->first; i <= call->last; i++) {
        enum record_kind kind = model->trace->locations[call->location].records[i].kind;
        if (kind >= RECORD_COLL_END && kind <= RECORD_COLL_COMPLETE)
            return true;
    }
    for (size_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *receive = &model->receives[r];
        if (receive->complete_call == c && receive->send != REFERENCE_NONE &&
            !model->sends[receive->send].is_unsent)
            return true;
    }
    for (size_t s = 0; s < model->n_sends; s++)
        if (model->sends[s].complete_call == c && !model->sends[s].is_unsent &&
            is_waiting_send(model, &model->sends[s]))
            return true;
    return call->is_finalize;
}

/// The last message to a rank since the sender learnt something.
struct group {
    struct model_send *last; // NULL: none that another one may follow
    uint64_t size_bytes;     // with those it follows
};

static void send(struct model_send *send, struct group *group, uint64_t most_bytes, bool is_waiting)
{
    send->follows = group->last && !is_waiting && send->now_bytes <= most_bytes &&
                            group->size_bytes <= most_bytes - send->now_bytes
                        ? group->last
                        : NULL;
    send->group_bytes = send->now_bytes + (send->follows ? group->size_bytes : 0);
    group->last = is_waiting ? NULL : send;
    group->size_bytes = send->group_bytes;
}

static void find_groups_of(struct changed_program *program, uint32_t rank)
{
    struct model *model = &program->model;
    struct group groups[PROGRAM_MAX_RANKS] = {{0}};
    for (size_t i = 0; i < program->n_steps[rank]; i++) {
        const struct step *step = &program->steps[rank][i];
        // Sends of a location stand in the order of its records.
        for (size_t s = 0; s < model->n_sends && step->kind == STEP_CALL; s++)
            if (model->sends[s].call == step->call && !model->sends[s].is_unsent)
                send(&model->sends[s], &groups[model->sends[s].receiver],
                     model->scenario->changes.aggregate_bytes,
                     is_waiting_send(model, &model->sends[s]));
        bool is_wiser = step->kind == STEP_LATE ||
                        (step->kind == STEP_CALL && !step->is_put_off && learns(model, step->call));
        for (uint32_t r = 0; r < PROGRAM_MAX_RANKS && is_wiser; r++)
            groups[r].last = NULL;
    }
}

void find_groups(struct changed_program *program)
{
    for (uint32_t rank = 0; rank < program->model.trace->n_ranks; rank++)
        if (program->model.scenario->changes.aggregate_bytes > 0)
            find_groups_of(program, rank);
}

/// Usual time of a message of so many bytes between the ranks of SEND.
static uint64_t time_of(const struct model *model, const struct model_send *send, uint64_t bytes)
{
    if (model->scenario->has_machine)
        return machine_transfer_ns(
            machine_messages_between(model->scenario, send->sender, send->receiver), bytes);
    return recorded_cost(model, COST_FLIGHT, goes_far(model, send), bytes);
}

void groups_depart(const struct model *model, uint32_t call, uint64_t now_ns)
{
    for (size_t s = 0; s < model->n_sends && model->scenario->changes.aggregate_bytes > 0; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->call != call || send->is_unsent)
            continue;
        uint64_t up_to_ns = time_of(model, send, send->group_bytes);
        uint64_t *there_ns = &model->times->together_ns[s];
        *there_ns = now_ns + up_to_ns;
        if (!send->follows)
            continue;
        uint64_t before_ns = time_of(model, send, send->group_bytes - send->now_bytes);
        uint64_t alone_ns = now_ns + time_of(model, send, send->now_bytes);
        uint64_t last_ns = model->times->together_ns[send->follows - model->sends];
        *there_ns = (last_ns > now_ns ? last_ns : now_ns) +
                    (up_to_ns > before_ns ? up_to_ns - before_ns : 0);
        *there_ns = alone_ns < *there_ns ? alone_ns : *there_ns;
    }
}

// --- REGION in what-if options: a name, or names with / between them, each of them a glob; ** is
// any
// --- number of names. Or a place in the source, or both: the MPI calls made there. Where computing
// is
// --- meant it is that before these calls, or the calls after the word "before".

enum { MAX_NAMES = 64 };

/// Do the last names up to PATH fit PATTERN[0..LENGTH), which ends with names?
static bool fits(const struct model *model, uint32_t path, const char *pattern, size_t length)
{
    size_t begin = length;
    while (begin > 0 && pattern[begin - 1] != '/')
        begin--;
    char name[MAX_NAMES];
    memcpy(name, pattern + begin, length - begin);
    name[length - begin] = '\0';
    if (strcmp(name, "**") == 0) {
        if (begin == 0)
            return true;
        for (;; path = model->paths[path].parent) {
            if (fits(model, path, pattern, begin - 1))
                return true;
            if (path == 0)
                return false;
        }
    }
    if (name[0] == '\0') // the pattern begins with a slash
        return path == 0;
    if (path == 0 || fnmatch(name, model->trace->regions[model->paths[path].region].name, 0) != 0)
        return false;
    return begin == 0 || fits(model, model->paths[path].parent, pattern, begin - 1);
}

/// FILE:LINE at the end of PATTERN, after " at " or alone; NULL: there is none.
static const char *place_in(const char *pattern)
{
    const char *at = strstr(pattern, " at ");
    if (at)
        return at + strlen(" at ");
    return strchr(pattern, ':') ? pattern : NULL;
}

/// Is the MPI call PATH made at PLACE, whose line may be any?
static bool is_at(const struct model *model, uint32_t path, const char *place)
{
    uint32_t context = model->paths[path].context;
    const char *own = context == REFERENCE_NONE ? NULL : model->trace->contexts[context].place;
    size_t file_length = strcspn(place, ":") + 1;
    if (!own)
        return false;
    return strcmp(own, place) == 0 ||
           (strcmp(place + file_length, "*") == 0 && strncmp(own, place, file_length) == 0);
}

bool has_place(const char *pattern)
{
    return place_in(pattern) != NULL;
}

/// Does PATTERN name nothing but MPI calls, or the computing before these?
static bool is_of_calls(const char *pattern)
{
    return strncmp(pattern, "before ", strlen("before ")) == 0 || has_place(pattern);
}

bool is_region(const struct model *model, uint32_t path, const char *pattern)
{
    if (path == 0)
        return false;
    if (!is_of_calls(pattern))
        return fits(model, path, pattern, strlen(pattern));
    if (strncmp(pattern, "before ", strlen("before ")) == 0)
        pattern += strlen("before ");
    const char *place = place_in(pattern);
    size_t length = !place ? strlen(pattern) : place == pattern ? 0 : (size_t)(place - pattern) - 4;
    return model->trace->regions[model->paths[path].region].is_mpi &&
           (!place || is_at(model, path, place)) &&
           (length == 0 || fits(model, path, pattern, length));
}

bool is_in_region(const struct model *model, uint32_t path, const char *pattern)
{
    if (strcmp(pattern, "(program)") == 0)
        return true;
    for (; path != 0; path = model->paths[path].parent)
        if (is_region(model, path, pattern))
            return true;
    return false;
}

/// The call that RANK has left right before record I, where its place is known; REFERENCE_NONE.
static uint32_t call_before(const struct model *model, uint32_t rank, size_t i)
{
    const struct record *records = model->trace->locations[rank].records;
    while (i > 0 && records[i - 1].kind != RECORD_ENTER && records[i - 1].kind != RECORD_LEAVE)
        i--;
    uint32_t call = i == 0 ? REFERENCE_NONE : model->call_of[rank][i - 1];
    bool is_left = call != REFERENCE_NONE && model->calls[call].last == i - 1;
    return is_left && records[model->calls[call].first].context != REFERENCE_NONE ? call
                                                                                  : REFERENCE_NONE;
}

/// What stands after "and" in PATTERN, "between CALLS and CALLS"; NULL: it is another one.
static const char *second_of(const char *pattern)
{
    bool is_between = strncmp(pattern, "between ", strlen("between ")) == 0;
    return is_between ? strstr(pattern, " and ") + strlen(" and ") : NULL;
}

bool is_computed_in(const struct model *model, uint32_t rank, size_t i, uint32_t path,
                    const char *pattern)
{
    const char *second = second_of(pattern);
    if (!second)
        return is_in_region(model, path, pattern);
    const char *first = pattern + strlen("between ");
    char begin[MAX_NAMES], end[MAX_NAMES];
    snprintf(begin, sizeof begin, "%.*s", (int)(second - first - strlen(" and ")), first);
    snprintf(end, sizeof end, "before %s", second);
    uint32_t call = call_before(model, rank, i);
    return call != REFERENCE_NONE && is_in_region(model, model->calls[call].path, begin) &&
           is_in_region(model, path, end);
}

bool are_works_nested(const struct model *model, const struct scenario_changes *changes)
{
    for (uint32_t path = 0; path < model->n_paths; path++) {
        uint32_t n = 0;
        for (uint32_t w = 0; w < changes->n_works; w++) {
            const char *region = changes->works[w].region, *second = second_of(region);
            n += is_in_region(model, path, second ? second : region);
        }
        if (n > 1)
            return true;
    }
    return false;
}
