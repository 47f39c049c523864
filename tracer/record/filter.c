// SPDX-License-Identifier: BSD-3-Clause
// Decisions per function are kept in a table of one word a function, address and
// flags, which threads read without a lock. It never shrinks; functions beyond its size are
// recorded.
#include "tracer/record/region.h"

#include "tracer/record/function_names.h"
#include "tracer/record/settings.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define N_SLOTS      (1U << 16)
#define MOST_SLOTS   (N_SLOTS / 4 * 3)
#define FLAG_BITS    3
#define KEY(address) ((address) << FLAG_BITS) // user addresses have 57 bits at most

bool filter_active;

static uint64_t decisions[N_SLOTS]; // key and flags; 0: empty
static uint32_t n_decisions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Deciding allocates memory, and the program's allocator may be instrumented itself.
static __thread bool is_deciding;

void filter_init(void)
{
    filter_active = settings.start_at || settings.stop_at;
    for (size_t i = 0; i < settings.n_rules; i++)
        filter_active =
            filter_active || settings.rules[i].kind == 'r' || settings.rules[i].kind == 'm';
}

static bool equals(const char *wanted, const char *name)
{
    return wanted && name && strcmp(wanted, name) == 0;
}

static bool fits(const char *pattern, const char *name)
{
    return name && fnmatch(pattern, name, 0) == 0;
}

/// A demangled name without its parameters: "ns::solve(int) const" becomes "ns::solve". In place.
static void cut_parameters(char *name)
{
    char *close = strrchr(name, ')');
    int depth = 0;
    for (char *c = close; c && c > name; c--) {
        depth += *c == ')' ? 1 : *c == '(' ? -1 : 0;
        if (depth == 0) {
            *c = '\0';
            return;
        }
    }
}

struct names {
    const char *mangled;
    char *full; // NULL: the name is not mangled
    char *short_form;
};

static bool rule_fits(const struct settings_rule *rule, const struct names *names)
{
    if (rule->kind == 'm')
        return fits(rule->pattern, names->mangled);
    if (rule->kind != 'r')
        return false;
    if (!names->full)
        return fits(rule->pattern, names->mangled);
    return fits(rule->pattern, names->full) || fits(rule->pattern, names->short_form);
}

static unsigned decide(const struct names *names)
{
    const char *name = names->short_form ? names->short_form : names->mangled;
    unsigned flags = 0;
    for (size_t i = settings.n_rules; i-- > 0;) {
        if (!rule_fits(&settings.rules[i], names))
            continue;
        if (!settings.rules[i].include)
            flags |= FILTER_EXCLUDED;
        break;
    }
    if (equals(settings.start_at, name) || equals(settings.start_at, names->full))
        flags |= FILTER_STARTS;
    if (equals(settings.stop_at, name) || equals(settings.stop_at, names->full))
        flags |= FILTER_STOPS;
    return flags;
}

static unsigned decide_function(uint64_t address)
{
    struct names names = {.mangled = function_name(address)};
    if (!names.mangled)
        return 0;
    names.full = function_name_demangled(names.mangled);
    if (names.full) {
        names.short_form = strdup(names.full);
        if (names.short_form)
            cut_parameters(names.short_form);
    }
    unsigned flags = decide(&names);
    free(names.full);
    free(names.short_form);
    return flags;
}

static uint32_t slot_of(uint64_t address)
{
    return (uint32_t)((address * 0x9e3779b97f4a7c15U) >> 40) & (N_SLOTS - 1);
}

static unsigned add(uint64_t address)
{
    uint32_t slot = slot_of(address);
    if (is_deciding)
        return 0;
    is_deciding = true;
    pthread_mutex_lock(&lock);
    uint64_t word;
    while ((word = decisions[slot]) != 0 && (word & ~(uint64_t)7) != KEY(address))
        slot = (slot + 1) & (N_SLOTS - 1);
    unsigned flags = 0;
    if (word != 0) {
        flags = word & 7;
    } else if (n_decisions < MOST_SLOTS) {
        flags = decide_function(address);
        n_decisions++;
        __atomic_store_n(&decisions[slot], KEY(address) | flags, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    is_deciding = false;
    return flags;
}

unsigned filter_function(uint64_t address)
{
    uint64_t word;
    for (uint32_t slot = slot_of(address);; slot = (slot + 1) & (N_SLOTS - 1)) {
        word = __atomic_load_n(&decisions[slot], __ATOMIC_ACQUIRE);
        if (word == 0)
            return n_decisions < MOST_SLOTS ? add(address) : 0;
        if ((word & ~(uint64_t)7) == KEY(address))
            return word & 7;
    }
}

unsigned filter_name(const char *name)
{
    return decide(&(struct names){.mangled = name});
}

void filter_names(const char *const names[], int n, bool is_excluded[])
{
    for (int i = 0; i < n && filter_active; i++)
        is_excluded[i] = (filter_name(names[i]) & FILTER_EXCLUDED) != 0;
}

bool filter_excludes_mpi(const char *name)
{
    for (size_t i = settings.n_rules; i-- > 0;)
        if (settings.rules[i].kind == 'p' && fits(settings.rules[i].pattern, name))
            return !settings.rules[i].include;
    return false;
}
