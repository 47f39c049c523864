// SPDX-License-Identifier: BSD-3-Clause
// Times that are not the same in each run: distributions by quantiles, as data of a machine file,
// and draws from them. A draw of a run is a number; what a message, an operation or a span of work
// gets in it depends on that number and on which one it is, and on nothing else: not on the order
// in which a simulation comes to it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/format/elements.h"

#define NOISE_WHOLE 1000000 // a factor of 1, a share of 1

/// In SHARE of the draws a time is at most FACTOR times the usual one, both in millionths, and
/// MORE_NS.
struct noise_quantile {
    uint64_t share, factor, more_ns;
};

/// Quantiles whose shares grow and whose times do not shrink; the distribution is uniform between
/// two of them, and all below the first one, or above the last one, is equal to it. None: no noise.
struct noise {
    struct noise_quantile *quantiles; // owned
    size_t n;
};

/// What is drawn for.
enum noise_of { NOISE_OF_MESSAGE, NOISE_OF_PART, NOISE_OF_COLLECTIVE, NOISE_OF_WORK };

enum { NOISE_MAX_DRAWS = 10000 };

/// Draw NUMBER, from 1 on, of those with SEED; never 0, which stands for none.
uint64_t noise_draw(uint32_t seed, uint32_t number);

/// A share from 0 to NOISE_WHOLE - 1, evenly distributed and always the same one for the same
/// arguments: a hash, of what is drawn for and two numbers that say which one it is. NOISE_WHOLE
/// for DRAW 0.
uint32_t noise_luck(uint64_t draw, enum noise_of of, uint64_t which, uint64_t item);

/// The factor at the share LUCK, in millionths, without what is more; NOISE_WHOLE without noise,
/// and for NOISE_WHOLE. The time that the usual TIME_NS becomes.
uint64_t noise_factor(const struct noise *noise, uint32_t luck);
uint64_t noise_ns(const struct noise *noise, uint64_t time_ns, uint32_t luck);

/// A child <quantile percent="..." factor="..." more="..."> of an element that has NOISE; all
/// children of one that holds nothing else. 0, or -1 and the error.
int noise_read(const struct element_reader *reader, const struct xml_element *child,
               struct noise *noise);
int noise_read_all(const struct element_reader *reader, const struct xml_element *element,
                   struct noise *noise);
