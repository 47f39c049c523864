// SPDX-License-Identifier: BSD-3-Clause
// See code.h. What an address with its callers stands for is kept, together with the list of
// modules for which that is known: a later list is asked only whether the address still lies in the
// same module.
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

/// No padding: it is a key.
struct code_place {
    uint64_t address;
    uint64_t stack; // 0: no callers are known; from CONSTRUCT_PLACE on: a construct or thread call
};

#define CONSTRUCT_PLACE   (UINT64_C(1) << 32)
#define THREAD_CALL_PLACE (CONSTRUCT_PLACE + N_OPENMP_CONSTRUCTS)

struct code_meaning {
    uint64_t address;
    size_t list;      // up to which this is known to hold
    uint32_t module;  // UNDEFINED: in none
    uint32_t region;  // of the function that begins here, or of the construct; UNDEFINED: not asked
                      // for yet
    uint32_t context; // of the call that returns here; UNDEFINED: none, or not asked for yet
};

struct code_stack {
    const struct record_stack *record; // NULL: none with this number
    uint32_t context;                  // UNDEFINED: none, or not asked for yet
    bool is_known;
};

struct code_line {
    const struct record_line *record; // NULL: none with this number
    uint32_t context;                 // UNDEFINED: not asked for yet
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
        APPEND(code->lists, code->n_lists, (struct code_list){.time_ns = record->time_ns});
        list = &code->lists[code->n_lists - 1];
    }
    APPEND(list->modules, list->n, number);
    code->is_sorted = false;
}

void code_release(struct code *code)
{
    for (size_t i = 0; i < code->n_lists; i++)
        free(code->lists[i].modules);
    table_release(&code->modules);
    table_release(&code->paths);
    table_release(&code->places);
    free(code->stacks);
    free(code->lines);
    free(code->lists);
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

void code_add_line(struct code *code, const struct record_line *record)
{
    while (code->n_lines <= record->head.id)
        APPEND(code->lines, code->n_lines, (struct code_line){.context = UNDEFINED});
    code->lines[record->head.id].record = record;
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

/// What an address stands for, with its module at that time.
static struct code_meaning *meaning_of(struct code *code, uint64_t address, uint64_t stack,
                                       uint64_t time_ns)
{
    struct code_place place = {address, stack};
    bool is_new;
    struct code_meaning *meaning =
        table_value(&code->places, &place, sizeof place, sizeof *meaning, &is_new);
    go_to(code, time_ns);
    if (!is_new && meaning->list == code->now)
        return meaning;
    uint32_t module = module_of(code, address);
    if (is_new || meaning->module != module)
        *meaning = (struct code_meaning){
            .address = address, .module = module, .region = UNDEFINED, .context = UNDEFINED};
    meaning->list = code->now;
    return meaning;
}

static uint32_t region_of(struct code *code, const struct symbol *symbol)
{
    return archive_function_region(code->archive, symbol->name, symbol->file, symbol->line);
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

uint32_t code_function(struct code *code, uint64_t address, uint64_t time_ns)
{
    struct code_meaning *meaning = meaning_of(code, address, 0, time_ns);
    if (meaning->region != UNDEFINED)
        return meaning->region;
    if (meaning->module == UNDEFINED) {
        char *name = format_or_die("0x%llx", (unsigned long long)address);
        meaning->region = archive_function_region(code->archive, name, NULL, 0);
        free(name);
        return meaning->region;
    }
    const struct code_module *module = module_at(code, meaning->module);
    struct symbol symbol =
        symbols_function(code->symbols, path_of(code, module), address - module->base);
    meaning->region = is_excluded_file(symbol.file) ? EXCLUDED : region_of(code, &symbol);
    return meaning->region;
}

/// The same of the call that returns to `address`: the instruction before, for what comes after may
/// be another line, or function.
static struct code_meaning *call_at(struct code *code, uint64_t address, uint64_t stack,
                                    uint64_t time_ns)
{
    return meaning_of(code, address - 1, stack, time_ns);
}

/// What an instruction stands for in the source; NULL: unknown.
static const struct symbols_frames *frames_of(const struct code *code,
                                              const struct code_meaning *meaning)
{
    if (meaning->module == UNDEFINED)
        return NULL;
    const struct code_module *module = module_at(code, meaning->module);
    return symbols_frames(code->symbols, path_of(code, module), meaning->address - module->base);
}

static uint32_t context_of(struct code *code, const struct symbols_frame *frame, uint32_t parent)
{
    return archive_calling_context(code->archive, region_of(code, &frame->function), frame->file,
                                   frame->line, parent);
}

/// With the lines that called it, each of which has a lower number.
static uint32_t context_of_line(struct code *code, uint64_t number)
{
    if (number == 0 || number >= code->n_lines || !code->lines[number].record)
        return UNDEFINED;
    struct code_line *line = &code->lines[number];
    const struct record_line *record = line->record;
    const char *end = strchr(record->text, '\n');
    if (line->context != UNDEFINED || !end)
        return line->context;
    char *function = format_or_die("%.*s", (int)(end - record->text), record->text);
    uint32_t region =
        archive_function_region(code->archive, function, end + 1, (int)record->first_line);
    free(function);
    line->context = archive_calling_context(code->archive, region, end + 1, (int)record->line,
                                            context_of_line(code, record->caller));
    return line->context;
}

uint32_t code_call_site(struct code *code, uint64_t address, uint64_t time_ns)
{
    if (address >= RECORD_LINE_SITE)
        return context_of_line(code, address - RECORD_LINE_SITE);
    struct code_meaning *meaning = call_at(code, address, 0, time_ns);
    if (meaning->context == UNDEFINED && meaning->module != UNDEFINED)
        meaning->context = context_of(code, &frames_of(code, meaning)->list[0], UNDEFINED);
    return meaning->context;
}

/// The contexts of one return address, those it was inlined into first.
static uint32_t add_contexts(struct code *code, const struct symbols_frames *frames,
                             uint32_t parent)
{
    for (size_t i = frames ? frames->n : 0; i-- > 0;)
        parent = context_of(code, &frames->list[i], parent);
    return parent;
}

static bool is_main(const struct symbols_frames *frames)
{
    return frames && strcmp(frames->list[frames->n - 1].function.name, "main") == 0;
}

/// The context that a stack's addresses lead to, from its outermost one (or `main`) on.
static uint32_t context_of_stack(struct code *code, struct code_stack *stack, uint64_t time_ns)
{
    const struct record_stack *record = stack->record;
    size_t n = (size_t)record->head.n_words - 1;
    if (stack->is_known)
        return stack->context;
    for (size_t i = 0; i < n; i++)
        if (is_main(frames_of(code, call_at(code, record->addresses[i], 0, time_ns))))
            n = i + 1;
    for (size_t i = n; i-- > 0;)
        stack->context = add_contexts(
            code, frames_of(code, call_at(code, record->addresses[i], 0, time_ns)), stack->context);
    stack->is_known = true;
    return stack->context;
}

uint32_t code_call_above(struct code *code, uint64_t address, uint64_t stack, uint64_t time_ns)
{
    if (stack >= code->n_stacks || !code->stacks[stack].record || address >= RECORD_LINE_SITE)
        return code_call_site(code, address, time_ns);
    struct code_meaning *known = call_at(code, address, stack, time_ns);
    if (known->context != UNDEFINED || known->module == UNDEFINED)
        return known->context;
    const struct symbols_frames *frames = frames_of(code, known);
    uint32_t parent = UNDEFINED;
    if (!is_main(frames))
        parent = context_of_stack(code, &code->stacks[stack], time_ns);
    known->context = add_contexts(code, frames, parent);
    return known->context;
}

static const struct symbols_frame unknown;

uint32_t code_construct(struct code *code, enum openmp_construct construct, uint64_t address,
                        uint64_t time_ns)
{
    struct code_meaning *meaning = call_at(code, address, CONSTRUCT_PLACE + construct, time_ns);
    if (meaning->region != UNDEFINED)
        return meaning->region;
    const struct symbols_frames *frames = frames_of(code, meaning);
    const struct symbols_frame *frame = frames ? &frames->list[0] : &unknown;
    // A body, as gomp.c has it for regions and tasks, may begin with a function inlined into it.
    if ((construct == OPENMP_PARALLEL || construct == OPENMP_TASK) && frames &&
        strstr(frames->list[frames->n - 1].function.name, "._omp_fn"))
        frame = &frames->list[frames->n - 1];
    meaning->region = archive_openmp_region(code->archive, construct, frame->function.name,
                                            frame->file, frame->line);
    return meaning->region;
}

/// The program's line: not one of the C++ library that was inlined there.
static const struct symbols_frame *frame_of_program(const struct symbols_frames *frames)
{
    for (size_t i = 0; frames && i < frames->n; i++)
        if (!frames->list[i].file || !strstr(frames->list[i].file, "/c++/"))
            return &frames->list[i];
    return frames ? &frames->list[0] : &unknown;
}

uint32_t code_thread_call(struct code *code, enum thread_call call, uint64_t address,
                          uint64_t time_ns)
{
    struct code_meaning *meaning = call_at(code, address, THREAD_CALL_PLACE + call, time_ns);
    if (meaning->region == UNDEFINED) {
        const struct symbols_frame *frame = frame_of_program(frames_of(code, meaning));
        meaning->region = archive_thread_region(code->archive, call, frame->function.name,
                                                frame->file, frame->line);
    }
    return meaning->region;
}
