// SPDX-License-Identifier: BSD-3-Clause
// See code.h. What an address stands for is kept, together with the list of modules for which that
// is known: a later list is asked only whether the address still lies in the same module.
#include "tracer/finish/code.h"

#include "tracer/finish/memory.h"
#include "tracer/record/settings.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/// No padding: it is a key.
struct code_module {
    uint64_t base;
    uint64_t start;
    uint64_t end;
    uint64_t path; // number of its text
};

struct code_list {
    uint64_t time_ns;
    uint32_t *modules;
    size_t n;
};

struct code_address {
    uint64_t address;
    size_t list;      // up to which this is known to hold
    uint32_t module;  // UNDEFINED: in none
    uint32_t region;  // of the function that begins here; UNDEFINED: not asked for yet
    uint32_t context; // of the call that returns here; UNDEFINED: none, or not asked for yet
};

struct code_stack {
    const struct record_stack *record; // NULL: none with this number
    uint32_t context;                  // UNDEFINED: none, or not asked for yet
    bool is_known;
};

/// A call with a stack; no padding, it is a key.
struct code_above {
    uint64_t address;
    uint64_t stack;
};

static const struct code_module *module_at(const struct code *code, uint32_t number)
{
    return table_key(&code->modules, number);
}

/// The path of the module that an address lies in.
static const char *path_of(const struct code *code, const struct code_module *module)
{
    return table_key(&code->paths, (uint32_t)module->path);
}

/// The modules of one list have the same time.
void code_add_module(struct code *code, const struct record_module *record, const char *executable)
{
    const char *path = record->path[0] != '\0' ? record->path : executable;
    struct code_module module = {record->base, record->start, record->end,
                                 table_number(&code->paths, path, strlen(path) + 1, NULL)};
    struct code_list *list = code->n_lists > 0 ? &code->lists[code->n_lists - 1] : NULL;
    uint32_t number = table_number(&code->modules, &module, sizeof module, NULL);
    if (!list || list->time_ns != record->time_ns) {
        code->lists = realloc_or_die(code->lists, (code->n_lists + 1) * sizeof *code->lists);
        list = &code->lists[code->n_lists++];
        *list = (struct code_list){.time_ns = record->time_ns};
    }
    list->modules = realloc_or_die(list->modules, (list->n + 1) * sizeof *list->modules);
    list->modules[list->n++] = number;
    code->is_sorted = false;
}

void code_release(struct code *code)
{
    for (size_t i = 0; i < code->n_lists; i++)
        free(code->lists[i].modules);
    table_release(&code->modules);
    table_release(&code->paths);
    table_release(&code->above_keys);
    free(code->stacks);
    free(code->aboves);
    free(code->lists);
    free(code->places);
}

void code_add_stack(struct code *code, const struct record_stack *record)
{
    uint32_t number = record->head.id;
    if (number >= code->n_stacks) {
        uint32_t n = number < 512 ? 1024 : 2 * number;
        code->stacks = realloc_or_die(code->stacks, n * sizeof *code->stacks);
        while (code->n_stacks < n)
            code->stacks[code->n_stacks++] = (struct code_stack){.context = UNDEFINED};
    }
    code->stacks[number].record = record;
}

static int by_time(const void *a, const void *b)
{
    const struct code_list *left = a;
    const struct code_list *right = b;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

/// Makes code->now the list that holds at the time; before the first one that one does.
static void go_to(struct code *code, uint64_t time_ns)
{
    if (!code->is_sorted && code->n_lists > 0)
        qsort(code->lists, code->n_lists, sizeof *code->lists, by_time);
    code->is_sorted = true;
    if (code->n_lists > 0 && time_ns < code->lists[code->now].time_ns)
        code->now = 0;
    while (code->now + 1 < code->n_lists && code->lists[code->now + 1].time_ns <= time_ns)
        code->now++;
}

static bool holds(const struct code *code, uint32_t module, uint64_t address)
{
    return address >= module_at(code, module)->start && address < module_at(code, module)->end;
}

static uint32_t module_in(const struct code *code, const struct code_list *list, uint64_t address)
{
    for (size_t i = 0; i < list->n; i++)
        if (holds(code, list->modules[i], address))
            return list->modules[i];
    return UNDEFINED;
}

/// The module by the list of now, or by the nearest one before, or by any later one.
static uint32_t module_of(const struct code *code, uint64_t address)
{
    uint32_t module = UNDEFINED;
    for (size_t i = code->now + 1; i-- > 0 && i < code->n_lists && module == UNDEFINED;)
        module = module_in(code, &code->lists[i], address);
    for (size_t i = code->now + 1; i < code->n_lists && module == UNDEFINED; i++)
        module = module_in(code, &code->lists[i], address);
    return module;
}

static struct code_address *slot_of(const struct code *code, uint64_t address)
{
    size_t slot = (size_t)(address * 0x9e3779b97f4a7c15U >> 32) & (code->n_slots - 1);
    while (code->places[slot].address != 0 && code->places[slot].address != address)
        slot = (slot + 1) & (code->n_slots - 1);
    return &code->places[slot];
}

static void grow(struct code *code)
{
    struct code_address *old = code->places;
    size_t n_old = code->n_slots;
    code->n_slots = n_old == 0 ? 1024 : 2 * n_old;
    code->places = alloc_or_die(code->n_slots * sizeof *code->places);
    for (size_t i = 0; i < n_old; i++)
        if (old[i].address != 0)
            *slot_of(code, old[i].address) = old[i];
    free(old);
}

/// The entry of an address, with its module at that time.
static struct code_address *place_of(struct code *code, uint64_t address, uint64_t time_ns)
{
    go_to(code, time_ns);
    if (2 * (code->n_places + 1) > code->n_slots)
        grow(code);
    struct code_address *place = slot_of(code, address);
    if (place->address != 0 && place->list == code->now)
        return place;
    uint32_t module = module_of(code, address);
    if (place->address == 0 || place->module != module) {
        code->n_places += place->address == 0;
        *place = (struct code_address){
            .address = address, .module = module, .region = UNDEFINED, .context = UNDEFINED};
    }
    place->list = code->now;
    return place;
}

static uint32_t region_of(struct archive *archive, const struct symbol *symbol)
{
    return archive_function_region(archive, symbol->name, symbol->file, symbol->line);
}

/// Rules about source files; those about names were applied while the program ran.
static bool is_excluded_file(const char *file)
{
    const char *base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    for (size_t i = settings.n_rules; i-- > 0 && file;) {
        const struct settings_rule *rule = &settings.rules[i];
        if (rule->kind == 'f' &&
            (fnmatch(rule->pattern, file, 0) == 0 || fnmatch(rule->pattern, base, 0) == 0))
            return !rule->include;
    }
    return false;
}

uint32_t code_function(struct code *code, struct archive *archive, struct symbols *symbols,
                       uint64_t address, uint64_t time_ns)
{
    struct code_address *place = place_of(code, address, time_ns);
    if (place->region != UNDEFINED)
        return place->region;
    if (place->module == UNDEFINED) {
        char *name = format_or_die("0x%llx", (unsigned long long)address);
        place->region = archive_function_region(archive, name, NULL, 0);
        free(name);
        return place->region;
    }
    const struct code_module *module = module_at(code, place->module);
    struct symbol symbol = symbols_function(symbols, path_of(code, module), address - module->base);
    place->region = is_excluded_file(symbol.file) ? EXCLUDED : region_of(archive, &symbol);
    return place->region;
}

/// The entry of the call that returns to `address`: the instruction before, for what comes after
/// may be another line, or function. It stays where it is until the next entry is asked for.
static struct code_address *call_at(struct code *code, uint64_t address, uint64_t time_ns)
{
    return place_of(code, address - 1, time_ns);
}

/// What the instruction of an entry stands for in the source; NULL: unknown.
static const struct symbols_frames *frames_of(const struct code *code, struct symbols *symbols,
                                              const struct code_address *place)
{
    if (place->module == UNDEFINED)
        return NULL;
    const struct code_module *module = module_at(code, place->module);
    return symbols_frames(symbols, path_of(code, module), place->address - module->base);
}

static uint32_t context_of(struct archive *archive, const struct symbols_frame *frame,
                           uint32_t parent)
{
    return archive_calling_context(archive, region_of(archive, &frame->function), frame->file,
                                   frame->line, parent);
}

uint32_t code_call_site(struct code *code, struct archive *archive, struct symbols *symbols,
                        uint64_t address, uint64_t time_ns)
{
    struct code_address *place = call_at(code, address, time_ns);
    if (place->context == UNDEFINED && place->module != UNDEFINED)
        place->context = context_of(archive, &frames_of(code, symbols, place)->list[0], UNDEFINED);
    return place->context;
}

/// The contexts of one return address, those it was inlined into first.
static uint32_t add_contexts(struct archive *archive, const struct symbols_frames *frames,
                             uint32_t parent)
{
    for (size_t i = frames ? frames->n : 0; i-- > 0;)
        parent = context_of(archive, &frames->list[i], parent);
    return parent;
}

static bool is_main(const struct symbols_frames *frames)
{
    return frames && strcmp(frames->list[frames->n - 1].function.name, "main") == 0;
}

/// The context that a stack's addresses lead to, from its outermost one (or `main`) on.
static uint32_t context_of_stack(struct code *code, struct archive *archive,
                                 struct symbols *symbols, struct code_stack *stack,
                                 uint64_t time_ns)
{
    const struct record_stack *record = stack->record;
    size_t n = (size_t)record->head.n_words - 1;
    if (stack->is_known)
        return stack->context;
    for (size_t i = 0; i < n; i++)
        if (is_main(frames_of(code, symbols, call_at(code, record->addresses[i], time_ns))))
            n = i + 1;
    for (size_t i = n; i-- > 0;)
        stack->context = add_contexts(
            archive, frames_of(code, symbols, call_at(code, record->addresses[i], time_ns)),
            stack->context);
    stack->is_known = true;
    return stack->context;
}

uint32_t code_call_above(struct code *code, struct archive *archive, struct symbols *symbols,
                         uint64_t address, uint64_t stack, uint64_t time_ns)
{
    struct code_above key = {address, stack};
    uint32_t parent = UNDEFINED;
    if (stack >= code->n_stacks || !code->stacks[stack].record)
        return code_call_site(code, archive, symbols, address, time_ns);
    bool is_new;
    uint32_t number = table_number(&code->above_keys, &key, sizeof key, &is_new);
    if (!is_new)
        return code->aboves[number];
    const struct symbols_frames *frames = frames_of(code, symbols, call_at(code, address, time_ns));
    if (!is_main(frames))
        parent = context_of_stack(code, archive, symbols, &code->stacks[stack], time_ns);
    code->aboves = realloc_or_die(code->aboves, (number + 1) * sizeof *code->aboves);
    code->aboves[number] = frames ? add_contexts(archive, frames, parent) : UNDEFINED;
    return code->aboves[number];
}
