// SPDX-License-Identifier: BSD-3-Clause
// Other places for ranks: a core for each, or other nodes and cores.
#include "analyzer/advise/candidates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/simulated.h"
#include "analyzer/whatif/placement_search.h"

enum { MAX_CORES = 4096, MAX_ROUNDS = 3 };

// --- a core for each rank

/// Ranks on the fullest node of the target; 0: no rank shares a core there.
static uint32_t count_ranks_if_shared(const struct scenario *target)
{
    const struct placement *placement = &target->placement;
    uint32_t most = 0;
    if (!target->is_shared)
        return 0;
    SCOPED uint32_t *n_ranks = memory_zeroed(placement->n_nodes, sizeof *n_ranks);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        uint32_t n = ++n_ranks[placement->node_of_rank[rank]];
        most = n > most ? n : most;
    }
    return most;
}

static uint64_t most_saved_ns(const struct pag_result *unchanged)
{
    uint64_t busiest_ns = 0;
    for (size_t i = 0; i < unchanged->n_ranks && unchanged->simulated; i++)
        if (unchanged->simulated->ranks[i].work_ns > busiest_ns)
            busiest_ns = unchanged->simulated->ranks[i].work_ns;
    return unchanged->time_ns > busiest_ns ? unchanged->time_ns - busiest_ns : 0;
}

/// The words of BATCH but those of the option EXCEPT.
static void add_words(struct advice_candidate *candidate, const struct whatif_batch *batch,
                      const char *except)
{
    for (size_t i = 0; i < batch->n_words; i++)
        if (strcmp(batch->words[i].option, except) != 0)
            advise_add_word(candidate, batch->words[i].option, batch->words[i].value);
}

void advise_add_cores(const struct advise_setting *setting, const struct pag_result *unchanged,
                      struct advice *advice)
{
    uint32_t n_ranks = count_ranks_if_shared(&setting->target->cases[0].scenario);
    if (n_ranks < 2)
        return;
    char cores[16];
    snprintf(cores, sizeof cores, "%" PRIu32, n_ranks);
    SCOPED char *sentence =
        memory_format("Give each rank a core of its own, %" PRIu32 " on a node", n_ranks);
    struct advice_candidate *candidate;
    if (setting->batch.n_words == 0) {
        candidate = advise_try(advice, "cores", cores);
        candidate->most_ns = candidate->promise_ns = most_saved_ns(unchanged);
    } else {
        candidate = advise_add(advice, ADVICE_PROCESSORS, "cores");
        add_words(candidate, &setting->batch, "cores");
        advise_add_word(candidate, "cores", cores);
    }
    advise_describe(candidate, sentence, false);
    candidate->has_target = true;
}

// --- other nodes or cores

/// What can be chosen from, and where the ranks are today.
struct choice {
    struct search_places places;
    char **names; // of the places
    size_t n_names;
    uint32_t *place_now; // by rank; NULL: the recording tells nothing of the target
    uint32_t n_cores;    // of each place, 0: not to be said
    bool are_cores;      // places are cores of one node
};

static void choice_release(struct choice *choice)
{
    memory_free_each(choice->names, choice->n_names);
    free(choice->place_now);
}

/// Marks the cores of the list TEXT, such as 0,2-3; false where one is marked already, or cannot
/// be.
static bool mark_cores(const char *text, bool is_taken[MAX_CORES])
{
    struct rank_range range;
    struct error ignored;
    for (const char *end = strchr(text, '\0'); text < end;) {
        if (rank_list_next(&text, end, MAX_CORES, &range, &ignored) != 0)
            return false;
        for (uint32_t core = range.first; core <= range.last; core++) {
            if (is_taken[core])
                return false;
            is_taken[core] = true;
        }
    }
    return true;
}

/// Are all ranks bound to sets of as many cores each, which do not overlap, and share them?
static bool are_sets_alike(const struct definitions *definitions)
{
    static const struct core_set none;
    const struct core_set *first = &none;
    bool is_taken[MAX_CORES] = {false}, is_shared = false;
    for (size_t i = 0; i < definitions->n_core_sets; i++) {
        const struct core_set *set = &definitions->core_sets[i];
        if (set->n_ranks == 0)
            continue;
        first = first == &none ? set : first;
        if (!set->bound_to || set->n_cores != first->n_cores || set->n_cores == 0 ||
            !mark_cores(set->bound_to, is_taken))
            return false;
        is_shared = is_shared || set->n_ranks > set->n_cores;
    }
    return is_shared;
}

/// The cores that the ranks of a single node were bound to; false: they were not, or do not share
/// them.
static bool choose_cores(struct choice *choice, const struct definitions *definitions)
{
    if (!are_sets_alike(definitions))
        return false;
    SCOPED uint32_t *place_of_set = memory_zeroed(definitions->n_core_sets, sizeof *place_of_set);
    choice->names = memory_zeroed(definitions->n_core_sets, sizeof *choice->names);
    for (size_t i = 0; i < definitions->n_core_sets; i++) {
        const struct core_set *set = &definitions->core_sets[i];
        if (set->n_ranks == 0)
            continue;
        choice->n_cores = set->n_cores;
        place_of_set[i] = choice->places.n++;
        choice->names[choice->n_names++] = memory_format("core%s", set->bound_to);
    }
    choice->place_now = memory_zeroed(definitions->n_ranks, sizeof *choice->place_now);
    for (size_t i = 0; i < definitions->n_ranks; i++)
        choice->place_now[i] = place_of_set[definitions->ranks[i].core_set];
    choice->places.names = (const char *const *)choice->names;
    choice->are_cores = true;
    return true;
}

/// Do ranks bound to some cores share them?
static bool is_any_set_shared(const struct definitions *definitions)
{
    for (size_t i = 0; i < definitions->n_core_sets; i++) {
        const struct core_set *set = &definitions->core_sets[i];
        if (set->bound_to && set->n_ranks > set->n_cores)
            return true;
    }
    return false;
}

/// Can --place name the places as they are: by words that differ?
static bool are_names(const struct choice *choice)
{
    for (uint32_t i = 0; i < choice->places.n; i++) {
        const char *name = choice->names[i];
        if (!*name || strpbrk(name, ":="))
            return false;
        if (HAS_TEXT(choice->names, i, name))
            return false;
    }
    return true;
}

/// The nodes of the recording, with as many cores as the least of them, or a core for each rank.
/// Not where ranks share cores they are bound to: elsewhere it would be others.
static void choose_recorded_nodes(struct choice *choice, const struct definitions *definitions,
                                  bool has_target)
{
    uint32_t *n_ranks = memory_zeroed(definitions->n_nodes, sizeof *n_ranks), most = 0, least = 0;
    SCOPED uint32_t *place_of_node = memory_zeroed(definitions->n_nodes, sizeof *place_of_node);
    bool are_known = true;
    choice->names = memory_zeroed(definitions->n_nodes, sizeof *choice->names);
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        uint32_t n = ++n_ranks[definitions->ranks[i].node];
        most = n > most ? n : most;
    }
    for (size_t i = 0; i < definitions->n_nodes; i++) {
        uint32_t n_cores = definitions->nodes[i].n_cores;
        if (n_ranks[i] == 0)
            continue;
        place_of_node[i] = choice->places.n++;
        choice->names[choice->n_names++] = memory_copy_text(definitions->nodes[i].name);
        are_known = are_known && n_cores > 0;
        least = least == 0 || n_cores < least ? n_cores : least;
    }
    choice->n_cores = has_target ? 0 : are_known ? least : most;
    if (are_names(choice))
        choice->places.names = (const char *const *)choice->names;
    if (!has_target && is_any_set_shared(definitions))
        choice->places.n = 0;
    choice->place_now = memory_zeroed(definitions->n_ranks, sizeof *choice->place_now);
    for (size_t i = 0; i < definitions->n_ranks; i++)
        choice->place_now[i] = place_of_node[definitions->ranks[i].node];
    free(n_ranks);
}

/// Are the same ranks together as in BEST?
static bool is_todays(const struct choice *choice, const struct mapping *best, size_t n_ranks)
{
    bool is_same = choice->place_now != NULL;
    for (size_t a = 0; a < n_ranks && is_same; a++)
        for (size_t b = a + 1; b < n_ranks && is_same; b++)
            is_same = (choice->place_now[a] == choice->place_now[b]) ==
                      (best->node_of_rank[a] == best->node_of_rank[b]);
    return is_same;
}

// --- words of a candidate

static void words_release(struct advice_candidate *candidate)
{
    FREE_MEMBERS(candidate->words, candidate->n_words, option, value);
    free(candidate->words);
}

/// MAPPING of the N_RANKS ranks, in PHASE (NULL: in all).
static void add_mapping(struct advice_candidate *list, const struct choice *choice,
                        const char *phase, const struct mapping *mapping, size_t n_ranks)
{
    size_t n;
    SCOPED char **texts = mapping_words(mapping, (uint32_t)n_ranks, &choice->places, phase, &n);
    for (size_t i = 0; i < n; i++) {
        advise_add_word(list, "place", texts[i]);
        free(texts[i]);
    }
}

/// MAPPING in PHASE: those ranks that are elsewhere than in BEST, or one that is not.
static void add_phase(struct advice_candidate *list, const struct choice *choice, const char *phase,
                      const struct mapping *mapping, const struct mapping *best, size_t n_ranks)
{
    struct mapping moved = {.node_of_rank = memory_new(n_ranks * sizeof(uint32_t))};
    bool is_any = false;
    for (size_t rank = 0; rank < n_ranks; rank++) {
        bool moves = mapping->node_of_rank[rank] != best->node_of_rank[rank];
        is_any = is_any || moves;
        moved.node_of_rank[rank] = moves ? mapping->node_of_rank[rank] : UINT32_MAX;
    }
    if (!is_any)
        moved.node_of_rank[0] = best->node_of_rank[0];
    add_mapping(list, choice, phase, &moved, n_ranks);
    free(moved.node_of_rank);
}

/// Adds the candidate of the words of LIST, which are its own then.
static void add_candidate(struct advice *advice, const struct advice_candidate *list,
                          const char *sentence)
{
    struct advice_candidate *candidate = advise_add(advice, ADVICE_PLACEMENT, "placement");
    advise_describe(candidate, sentence, false);
    candidate->words = list->words;
    candidate->n_words = list->n_words;
    candidate->has_target = true;
}

// --- other places from phase to phase

/// What is asked of the ranks in all phases but number EXCEPT: BEST, and in each that of MAPPINGS.
static struct advice_candidate phase_words(const struct advise_setting *setting,
                                           const struct whatif_batch *unplaced,
                                           const struct choice *choice, const struct mapping *best,
                                           const struct mapping *mappings, size_t except)
{
    size_t n_ranks = unplaced->measured->result.n_ranks;
    struct advice_candidate list = {0};
    add_mapping(&list, choice, NULL, best, n_ranks);
    for (size_t i = 0; i < setting->n_phases; i++)
        if (i != except)
            add_phase(&list, choice, setting->phases[i], &mappings[i], best, n_ranks);
    if (setting->state)
        advise_add_word(&list, "state", setting->state);
    add_words(&list, unplaced, "");
    return list;
}

/// Looks for a better placement of one phase after the other, which all begin as BEST, until none
/// has one, a few times at most. If the run gets shorter, moves included, that is a candidate.
static void add_phases(const struct advise_setting *setting, const struct whatif_batch *unplaced,
                       const struct choice *choice, const struct mapping *best,
                       struct advice *advice)
{
    const struct result *result = &unplaced->measured->result;
    size_t size = result->n_ranks * sizeof(uint32_t), n_phases = setting->n_phases;
    SCOPED struct mapping *mappings = memory_zeroed(n_phases + 1, sizeof *mappings);
    uint64_t least_ns = best->predicted_ns;
    for (size_t i = 0; i < n_phases; i++)
        mappings[i].node_of_rank = memcpy(memory_new(size), best->node_of_rank, size);
    for (size_t n_same = 0, n = 0; n_same < n_phases && n < MAX_ROUNDS * n_phases; n++) {
        size_t i = n % n_phases;
        const struct search_phase phase = {setting->phases[i], mappings[i].node_of_rank};
        SCOPED_BY(words_release)
        struct advice_candidate list = phase_words(setting, unplaced, choice, best, mappings, i);
        struct whatif_batch batch = *unplaced;
        batch.words = list.words;
        batch.n_words = list.n_words;
        whatif_progress_expect(batch.progress, setting->max_placements);
        struct mapping found = placement_search(&batch, result, &choice->places, &phase,
                                                setting->max_placements, &advice->n_replays);
        bool is_better = found.predicted_ns < least_ns;
        n_same = is_better ? 0 : n_same + 1;
        if (is_better) {
            least_ns = found.predicted_ns;
            memcpy(mappings[i].node_of_rank, found.node_of_rank, size);
        }
        free(found.node_of_rank);
    }
    if (least_ns < best->predicted_ns) {
        const struct advice_candidate list =
            phase_words(setting, unplaced, choice, best, mappings, n_phases);
        add_candidate(advice, &list,
                      "Move ranks where phases begin, to be on these nodes together");
    }
    FREE_MEMBERS(mappings, n_phases, node_of_rank);
}

int advise_check_phases(const struct advise_setting *setting, struct error *err)
{
    SCOPED_BY(words_release) struct advice_candidate candidate = {.has_target = true};
    SCOPED_BY(whatif_plan_release) struct whatif_plan plan;
    for (size_t i = 0; i < setting->n_phases; i++) {
        SCOPED char *text = memory_format("%s:node0=0", setting->phases[i]);
        advise_add_word(&candidate, "place", text);
    }
    if (setting->state)
        advise_add_word(&candidate, "state", setting->state);
    add_words(&candidate, &setting->batch, "nodes");
    const struct whatif_job job = {.candidates = {&candidate}};
    return whatif_job_plan(&setting->batch, &job, &plan, err);
}

/// Is the advice for other nodes, cores or machines than the recorded ones?
static bool has_other_places(const struct advise_setting *setting)
{
    static const char *const others[] = {"wait", "slowdown", "speeds", "traced"};
    for (size_t i = 0; i < setting->batch.n_words; i++)
        if (!HAS_TEXT(others, 4, setting->batch.words[i].option))
            return true;
    return false;
}

void advise_add_placement(const struct advise_setting *setting, struct advice *advice)
{
    const struct result *result = &setting->batch.measured->result;
    const struct definitions *definitions = trace_definitions(setting->batch.measured->trace);
    uint32_t n_nodes = setting->target->cases[0].settings.n_nodes;
    SCOPED_BY(choice_release) struct choice choice = {.places = {.n = n_nodes}};
    bool has_target = has_other_places(setting);
    if (n_nodes == 0 && (has_target || result->n_nodes != 1 || !choose_cores(&choice, definitions)))
        choose_recorded_nodes(&choice, definitions, has_target);
    SCOPED struct advice_word *words = memory_zeroed(setting->batch.n_words + 1, sizeof *words);
    char cores[16];
    struct whatif_batch unplaced = setting->batch;
    unplaced.words = words;
    unplaced.n_words = 0;
    for (size_t i = 0; i < setting->batch.n_words; i++)
        if (strcmp(setting->batch.words[i].option, "nodes") != 0)
            words[unplaced.n_words++] = setting->batch.words[i];
    snprintf(cores, sizeof cores, "%" PRIu32, choice.n_cores);
    if (choice.n_cores > 0)
        words[unplaced.n_words++] = (struct advice_word){(char *)"cores", cores};
    if (choice.places.n >= 2 && result->n_ranks >= 3) {
        whatif_progress_expect(setting->batch.progress, setting->max_placements);
        struct mapping best = placement_search(&unplaced, result, &choice.places, NULL,
                                               setting->max_placements, &advice->n_replays);
        if (!is_todays(&choice, &best, result->n_ranks)) {
            struct advice_candidate list = {0};
            add_mapping(&list, &choice, NULL, &best, result->n_ranks);
            add_words(&list, &unplaced, "");
            add_candidate(advice, &list,
                          choice.are_cores ? "Bind the ranks to other cores, these together"
                                           : "Place the ranks on other nodes, these together");
        }
        add_phases(setting, &unplaced, &choice, &best, advice);
        free(best.node_of_rank);
    }
}
