// SPDX-License-Identifier: BSD-3-Clause
// Numbers as texts: for people, with units, and exact ones for machines.
#ifndef PAGODA_BASE_QUANTITY_H
#define PAGODA_BASE_QUANTITY_H

#include <stdint.h>

/// A short text returned by value, so that several fit in one printf.
struct quantity {
    char text[40];
};

/// A unit for a column of durations.
struct time_unit {
    const char *name;
    double ns;
    int decimals;
};

/// The unit in which a run of RUN_NS reads well: seconds from 10 s on, else ms, below 1 ms us.
struct time_unit time_unit_for(uint64_t run_ns);

/// TIME_NS in UNIT, without its name: "12.345".
struct quantity quantity_in(int64_t time_ns, struct time_unit unit);

/// TIME_NS with four digits and its own unit: "1.234 s", "12.34 ms", "56 ns".
struct quantity quantity_time(uint64_t time_ns);

/// Share of a whole as "12.3 %"; "-" for NAN or a whole of 0; "< 0.1 %" for what rounds to 0.0 %.
struct quantity quantity_share(double share);
struct quantity quantity_part(double part, double whole);

/// SIZE_BYTES with its unit: "512 B", "1.5 MiB".
struct quantity quantity_size(uint64_t size_bytes);

/// COUNT followed by the noun in its number: "1 rank", "4 ranks".
struct quantity quantity_count(uint64_t count, const char *noun);

struct exact_number {
    char text[32];
};

/// VALUE with the fewest of 15, 16 or 17 significant digits from which it can be read back exactly;
/// what looks like an integer gets ".0", so that readers do not take it for one. VALUE is finite.
struct exact_number exact_number(double value);

#endif
