// SPDX-License-Identifier: BSD-3-Clause
// Real numbers as texts that mean exactly them.
#ifndef PAGODA_BASE_EXACT_NUMBER_H
#define PAGODA_BASE_EXACT_NUMBER_H

struct exact_number {
    char text[32];
};

/// VALUE with the fewest of 15, 16 or 17 significant digits from which it can be read back exactly;
/// what looks like an integer gets ".0", so that readers do not take it for one. VALUE is finite.
struct exact_number exact_number(double value);

#endif
