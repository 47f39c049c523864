// SPDX-License-Identifier: BSD-3-Clause
// What a struct owns, named once: texts and arrays that a walk over it frees, writes to bytes, or
// reads back from them in another process of this program. A struct has one function
//     void thing_owned(struct owned *walk, struct thing *thing)
//     {
//         owned_text(walk, &thing->name);
//         OWNED_ARRAY(walk, thing->numbers, thing->n_numbers);
//         OWNED_ITEMS(walk, thing->items, thing->n_items, OWN(name), OWN(unit));
//     }
// called after owned_block(walk, thing, sizeof *thing), which writes and reads its numbers.
#pragma once

#include <stddef.h>

enum owned_purpose { OWNED_FREE, OWNED_WRITE, OWNED_READ };

/// {.purpose = OWNED_FREE}, likewise OWNED_WRITE, or OWNED_READ with N BYTES, which stay
/// the caller's.
struct owned {
    enum owned_purpose purpose;
    char *bytes;
    size_t n, capacity; // written, or to be read
    size_t position;    // of what is read next
    void **arrays;      // to be freed
    size_t n_arrays, arrays_capacity;
};

/// N bytes without pointers that mean anything in another process, apart from being NULL or not.
void owned_block(struct owned *walk, void *block, size_t n);

/// A text from the heap, or NULL.
void owned_text(struct owned *walk, char **text);

/// N items from the heap, or NULL; returns where they are: elsewhere once they are read.
void *owned_array(struct owned *walk, void *items, size_t n, size_t item_bytes);

/// The same for a typed array ITEMS, a variable; for structs with texts, which OWN() names; and for
/// several texts.
#define OWNED_ARRAY(walk, items, n) ((items) = owned_array(walk, items, n, sizeof *(items)))
#define OWNED_ITEMS(walk, items, n, ...)                                                           \
    do {                                                                                           \
        typedef __typeof__(*(items)) owned_item;                                                   \
        static const size_t owned_offsets[] = {__VA_ARGS__};                                       \
        OWNED_ARRAY(walk, items, n);                                                               \
        owned_item_texts(walk, items, n, sizeof(owned_item), owned_offsets,                        \
                         sizeof owned_offsets / sizeof(size_t));                                   \
    } while (0)
#define OWN(member) offsetof(owned_item, member)
void owned_item_texts(struct owned *walk, void *items, size_t n, size_t item_bytes,
                      const size_t *offsets, size_t n_offsets);
#define OWNED_TEXTS(walk, ...)                                                                     \
    owned_texts(walk, (char **[]){__VA_ARGS__}, sizeof((char **[]){__VA_ARGS__}) / sizeof(char **))
void owned_texts(struct owned *walk, char ***texts, size_t n);

/// Ends a walk: frees the arrays, or what was written.
void owned_end(struct owned *walk);
