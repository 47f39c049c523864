// SPDX-License-Identifier: BSD-3-Clause
// What expression.c does not know is replaced in place by names of slots, with blanks after them,
// so that places in its sentences stay right: profile(r, e).io_time becomes _0, `and` &&.
#include "analyzer/pattern/properties/asl_property.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

const char *const property_focus_names[N_PROPERTY_FOCI] = {
#define NAME(name, type) #name,
    PROPERTY_FOCI(NAME)
#undef NAME
};
#define NAME(name, by) #name,
const char *const property_metric_names[N_PROPERTY_METRICS] = {PROPERTY_METRICS(NAME)};
#undef NAME
static const unsigned char known_by[METRIC_COUNTER + 1] = {
#define KNOWN(name, by) by,
    PROPERTY_METRICS(KNOWN)
#undef KNOWN
        [METRIC_WAIT_STATE] = BY_PLACE | BY_RANK,
    [METRIC_COUNTER] = BY_PLACE | BY_RANK};

unsigned property_metric_known_by(unsigned metric)
{
    return known_by[metric];
}

/// A set that an expression is about, and the name of its elements.
struct element {
    uint32_t set;
    char *name;
    enum property_focus_kind kind;
};

struct compiling {
    struct asl_property *property;
    const struct asl_scope *scope;
    const struct element *element; // NULL outside of sets
    struct error *err;
};

bool asl_add_slot(struct asl_property *property, const struct property_slot *slot,
                  struct error *err)
{
    if (HAS_BY(property->slots, property->n_slots, name, slot->name))
        return error_set(err, "there are two values '%s'", slot->name) == 0;
    if (property->n_slots == EXPRESSION_SLOTS)
        return error_set(err, "it uses more than %d values", EXPRESSION_SLOTS) == 0;
    property->slots[property->n_slots++] = *slot;
    return true;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (is_letter(text[n]))
        n++;
    return n;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/// Replaces the text from BEGIN to END by a slot like SLOT. 0, or -1 and the error.
static int put_slot(const struct compiling *c, struct property_slot *slot, char *begin,
                    const char *end)
{
    char *name = memory_format("_%zu", c->property->n_slots);
    slot->name = name;
    memset(begin, ' ', (size_t)(end - begin));
    memcpy(begin, name, strlen(name));
    if (asl_add_slot(c->property, slot, c->err))
        return 0;
    FREE_ALL(name, slot->metric_name, slot->region_name);
    expression_release(&slot->value);
    return -1;
}

// ---- profile(r, e).metric, duration(basis, e)

static unsigned by_kind(enum property_focus_kind kind)
{
    static const unsigned char by[N_PROPERTY_FOCI] = {[FOCUS_region] = BY_PLACE,
                                                      [FOCUS_call_path] = BY_PLACE,
                                                      [FOCUS_rank] = BY_RANK,
                                                      [FOCUS_node] = BY_RANK,
                                                      [FOCUS_iteration] = BY_ITERATION};
    return by[kind];
}

/// What SLOT is of, by the parameter NAME.
static int note_argument(const struct compiling *c, const char *name, struct property_slot *slot)
{
    const struct asl_scope *scope = c->scope;
    const char *const known[] = {scope->experiment, scope->focus ? scope->focus : "",
                                 scope->basis ? scope->basis : "",
                                 c->element ? c->element->name : ""};
    if (scope->focus && strcmp(name, scope->focus) == 0)
        slot->is_of_focus = true;
    else if (scope->basis && strcmp(name, scope->basis) == 0)
        slot->is_of_basis = true;
    else if (c->element && strcmp(name, c->element->name) == 0)
        slot->set = c->element->set;
    else if (strcmp(name, scope->experiment) != 0)
        return error_set(c->err, "there is no parameter '%s'%s", name,
                         spelling_hint(name, known, 4, ", did you mean '%s'?", "").text);
    return 0;
}

/// "rollback", after its first quotation mark: the metric is that of the region.
static int read_region_name(const struct compiling *c, char **at, struct property_slot *slot)
{
    size_t length = strcspn(*at, "\"");
    if (length == 0 || !(*at)[length])
        return error_set(c->err, "the name of a region ends in '\"', as profile(\"solve\", %s)",
                         c->scope->experiment);
    if (slot->region_name)
        return error_set(c->err, "a metric is of one region, not of '%s' and another one",
                         slot->region_name);
    slot->region_name = memory_format("%.*s", (int)length, *at);
    *at += length + 1;
    return 0;
}

/// A parameter, or the name of a region.
static int read_argument(const struct compiling *c, char **at, struct property_slot *slot)
{
    if (**at == '"') {
        *at += 1;
        return read_region_name(c, at, slot);
    }
    size_t length = name_length(*at);
    if (length == 0)
        return error_set(c->err, "a parameter is missing before '%.10s'", *at);
    SCOPED char *name = memory_format("%.*s", (int)length, *at);
    *at += length;
    return note_argument(c, name, slot);
}

static int read_arguments(const struct compiling *c, char **at, struct property_slot *slot)
{
    *at += strspn(*at, " \t\r\n");
    if (**at != '(')
        return error_set(c->err, "profile and duration need parameters, as profile(%s%s%s)",
                         c->scope->focus ? c->scope->focus : "", c->scope->focus ? ", " : "",
                         c->scope->experiment);
    do {
        *at += 1;
        *at += strspn(*at, " \t\r\n");
        if (read_argument(c, at, slot) != 0)
            return -1;
        *at += strspn(*at, " \t\r\n");
    } while (**at == ',');
    if (**at != ')')
        return error_set(c->err, "')' is missing before '%.10s'", *at);
    *at += 1;
    return 0;
}

/// The wait state NAME, whose id has hyphens.
static bool is_wait_state(const struct asl_scope *scope, const char *name)
{
    for (size_t i = 0; i < scope->n_wait_states; i++) {
        const char *id = scope->wait_states[i];
        size_t k = 0;
        while (id[k] && (id[k] == name[k] || (id[k] == '-' && name[k] == '_')))
            k++;
        if (!id[k] && !name[k])
            return true;
    }
    return false;
}

static int find_metric(const struct compiling *c, struct property_slot *slot)
{
    const char *name = slot->metric_name;
    for (slot->metric = 0; slot->metric < N_PROPERTY_METRICS; slot->metric++)
        if (strcmp(property_metric_names[slot->metric], name) == 0)
            return 0;
    if (is_wait_state(c->scope, name)) {
        for (char *hyphen = slot->metric_name; (hyphen = strchr(hyphen, '_'));)
            *hyphen = '-';
        return 0;
    }
    size_t n = N_PROPERTY_METRICS + c->scope->n_wait_states;
    SCOPED const char **known = memory_zeroed(n, sizeof *known);
    memcpy(known, property_metric_names, sizeof property_metric_names);
    for (size_t i = N_PROPERTY_METRICS; i < n; i++)
        known[i] = c->scope->wait_states[i - N_PROPERTY_METRICS];
    return error_set(c->err, "there is no metric '%s'%s", name,
                     spelling_hint(name, known, n, "; did you mean '%s'?",
                                   " (pagoda explain properties lists them)")
                         .text);
}

/// Whether the metric of SLOT is known of what it is asked of. 0, or -1 and the error.
static int check_use(const struct compiling *c, const struct property_slot *slot)
{
    unsigned by = (slot->is_of_focus ? by_kind(c->property->focus) : 0) |
                  (slot->set != SLOT_NONE ? by_kind(c->element->kind) : 0);
    if (slot->region_name && by & (BY_PLACE | BY_ITERATION))
        return error_set(c->err, "a metric of '%s' is not known of another place or an iteration",
                         slot->region_name);
    by |= slot->region_name ? BY_PLACE : 0;
    if (slot->is_of_basis && (slot->metric != METRIC_time || slot->is_of_focus || by))
        return error_set(c->err, "of the basis only duration(%s, %s) is known", c->scope->basis,
                         c->scope->experiment);
    unsigned missing = by & ~(unsigned)known_by[slot->metric];
    const char *of = missing & BY_PLACE  ? "of a region or call path"
                     : missing & BY_RANK ? "of a rank"
                                         : "of an iteration";
    if (missing)
        return error_set(c->err, "%s is not known %s", slot->metric_name, of);
    bool is_by_path = (slot->is_of_focus && c->property->focus == FOCUS_call_path) ||
                      (slot->set != SLOT_NONE && c->element->kind == FOCUS_call_path);
    if (is_by_path && slot->metric >= METRIC_thread_barrier && slot->metric < METRIC_WAIT_STATE)
        return error_set(c->err, "%s is not known of a call path", slot->metric_name);
    return by & BY_ITERATION && by != BY_ITERATION
               ? error_set(c->err, "%s of an iteration is not known by rank or place",
                           slot->metric_name)
               : 0;
}

/// .time, or ."PAPI_TOT_INS"
static int read_metric(const struct compiling *c, char **at, struct property_slot *slot)
{
    *at += strspn(*at, " \t\r\n");
    bool is_quoted = (*at)[0] == '.' && (*at)[1] == '"';
    const char *name = *at + (is_quoted ? 2 : 1);
    size_t length = is_quoted ? strcspn(name, "\"") : **at == '.' ? name_length(name) : 0;
    if (length == 0 || (is_quoted && name[length] != '"'))
        return error_set(c->err, "profile(...) needs a metric, as profile(...).time, or a counter "
                                 "of the archive, as profile(...).\"PAPI_TOT_INS\"");
    slot->metric_name = memory_format("%.*s", (int)length, name);
    slot->metric = METRIC_COUNTER;
    *at = (char *)name + length + is_quoted;
    return is_quoted ? 0 : find_metric(c, slot);
}

static int replace_access(const struct compiling *c, char *begin, char **at, bool is_duration)
{
    struct property_slot slot = {.kind = SLOT_METRIC, .set = SLOT_NONE, .metric = METRIC_time};
    int status = read_arguments(c, at, &slot);
    if (is_duration)
        slot.metric_name = memory_copy_text("time");
    if (status == 0 && !is_duration)
        status = read_metric(c, at, &slot);
    if (status == 0)
        status = check_use(c, &slot);
    if (status == 0)
        return put_slot(c, &slot, begin, *at);
    FREE_ALL(slot.metric_name, slot.region_name);
    return -1;
}

// ---- max(... where p in ranks)

static char *closing(char *open)
{
    int depth = 0;
    for (char *at = open; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at;
    }
    return NULL;
}

/// The last word WORD between BEGIN and END outside of parentheses, or NULL.
static char *find_word(char *begin, const char *end, const char *word)
{
    int depth = 0;
    char *found = NULL;
    for (char *at = begin; at < end; at++) {
        depth += (*at == '(') - (*at == ')');
        size_t length = depth == 0 && !is_letter(at[-1]) ? name_length(at) : 0;
        if (is_word(at, length, word))
            found = at;
    }
    return found;
}

/// What stands from WHERE to CLOSE: where NAME in SET.
static int read_element(const struct compiling *c, const char *where, const char *close,
                        struct element *element)
{
    static const struct {
        const char *name;
        enum property_focus_kind kind;
    } sets[] = {{"ranks", FOCUS_rank},
                {"nodes", FOCUS_node},
                {"iterations", FOCUS_iteration},
                {"call_paths", FOCUS_call_path}};
    char name[64], in[8], set[64];
    int n_read = 0;
    if (sscanf(where, "%*s %63[A-Za-z0-9_] %7[A-Za-z] %63[A-Za-z0-9_] %n", name, in, set,
               &n_read) != 3 ||
        strcasecmp(in, "in") != 0 || where + n_read != close)
        return error_set(c->err, "an operation on a set ends in 'where NAME in ranks'");
    const char *const taken[] = {c->scope->focus, c->scope->basis, c->scope->experiment};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (taken[i] && strcmp(name, taken[i]) == 0)
            return error_set(c->err, "an element of a set cannot be called as the parameter '%s'",
                             name);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (strcmp(set, sets[i].name) != 0)
            continue;
        *element =
            (struct element){(uint32_t)c->property->n_slots, memory_copy_text(name), sets[i].kind};
        return 0;
    }
    return error_set(
        c->err, "there is no set '%s'; there are ranks, nodes, iterations and call_paths", set);
}

static int replace(const struct compiling *c, char *text);

/// Compiles TEXT, in which slots are not replaced yet.
static int compile(const struct compiling *c, char *text, struct expression *value)
{
    SCOPED char *shown = memory_copy_text(text);
    int status = replace(c, text);
    struct expression_name names[EXPRESSION_SLOTS];
    for (size_t i = 0; i < c->property->n_slots; i++)
        names[i] =
            (struct expression_name){.name = c->property->slots[i].name, .value = (int64_t)i};
    const struct expression_scope scope = {names, c->property->n_slots, shown};
    if (status == 0)
        status = expression_compile(text, &scope, value, c->err);
    return status;
}

/// The values of its elements come before a set: first it takes a slot, which moves after them.
static int replace_set(const struct compiling *c, char *begin, enum property_operation operation,
                       char *open, char *where, char *close)
{
    struct property_slot slot = {.kind = SLOT_SET, .set = SLOT_NONE, .operation = operation};
    struct element element;
    if (c->element)
        return error_set(c->err, "a set within a set has no meaning");
    if (read_element(c, where, close, &element) != 0)
        return -1;
    slot.over = element.kind;
    if (put_slot(c, &slot, begin, begin + 4) != 0) { // its text is replaced below
        free(element.name);
        return -1;
    }
    struct compiling inner = *c;
    inner.element = &element;
    SCOPED char *text = memory_format("%.*s", (int)(where - open - 1), open + 1);
    int status = compile(&inner, text, &c->property->slots[element.set].value);
    free(element.name);
    memset(begin, ' ', (size_t)(close + 1 - begin));
    char *name = c->property->slots[element.set].name;
    memcpy(begin, name, strlen(name));
    return status;
}

static enum property_operation operation_named(const char *text, size_t length)
{
    static const char *const names[N_PROPERTY_OPERATIONS] = {
#define NAME(name) #name,
        PROPERTY_OPERATIONS(NAME)
#undef NAME
    };
    unsigned i = 0;
    while (i < N_PROPERTY_OPERATIONS && !is_word(text, length, names[i]))
        i++;
    return (enum property_operation)i;
}

// ---- all of it

static int use_constant(const struct compiling *c, const char *text, size_t length)
{
    for (size_t i = 0; i < c->scope->list->n_constants; i++) {
        const struct property_constant *constant = &c->scope->list->constants[i];
        if (strncmp(constant->name, text, length) != 0 || constant->name[length])
            continue;
        if (HAS_BY(c->property->slots, c->property->n_slots, name, constant->name))
            return 0; // a value of the property's own, or used before
        struct property_slot slot = {.kind = SLOT_NUMBER,
                                     .name = memory_copy_text(constant->name),
                                     .set = SLOT_NONE,
                                     .number = constant->value};
        if (asl_add_slot(c->property, &slot, c->err))
            return 0;
        free(slot.name);
        return -1;
    }
    return 0;
}

/// Replaces what begins with the word at BEGIN; *AT is after it then.
static int replace_word(const struct compiling *c, char *begin, char **at)
{
    size_t length = (size_t)(*at - begin);
    bool is_duration = is_word(begin, length, "duration");
    if (*begin == '_')
        return error_set(c->err, "there is no value '%.*s'", (int)length, begin);
    if (is_word(begin, length, "and"))
        memcpy(begin, "&& ", 3);
    else if (is_word(begin, length, "or"))
        memcpy(begin, "||", 2);
    else if (is_word(begin, length, "not"))
        memcpy(begin, "!  ", 3);
    else if (is_duration || is_word(begin, length, "profile"))
        return replace_access(c, begin, at, is_duration);
    else
        return use_constant(c, begin, length);
    return 0;
}

static int replace(const struct compiling *c, char *text)
{
    int status = 0;
    for (char *at = text; *at && status == 0;) {
        char *begin = at;
        size_t length = name_length(at);
        at += length > 0 ? length : 1;
        if (length == 0 || isdigit((unsigned char)*begin))
            continue;
        enum property_operation operation = operation_named(begin, length);
        char *open = at + strspn(at, " \t\r\n");
        char *close = operation < N_PROPERTY_OPERATIONS && *open == '(' ? closing(open) : NULL;
        char *where = close ? find_word(open + 1, close, "where") : NULL;
        if (where) {
            status = replace_set(c, begin, operation, open, where, close);
            at = close + 1;
        } else if (close && operation != SET_min && operation != SET_max) {
            status = error_set(c->err, "%.*s(...) needs a set: 'where NAME in ranks'", (int)length,
                               begin);
        } else {
            status = replace_word(c, begin, &at);
        }
    }
    return status;
}

int asl_compile(struct asl_property *property, const struct asl_scope *scope, char *text,
                struct expression *value, struct error *err)
{
    const struct compiling c = {property, scope, NULL, err};
    if (strlen(text) > EXPRESSION_BYTES)
        return error_set(err, "it is longer than %d characters", EXPRESSION_BYTES);
    return compile(&c, text, value);
}

uint32_t property_parameter(const struct asl_property *property, const char *name)
{
    for (uint32_t i = 0; i < property->n_slots; i++)
        if (property->slots[i].is_parameter && strcmp(property->slots[i].name, name) == 0)
            return i;
    return SLOT_NONE;
}
