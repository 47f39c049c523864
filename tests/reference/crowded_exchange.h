// SPDX-License-Identifier: BSD-3-Clause
// Recordings of nodes with a core each and two ranks, of which one exchanges large messages with
// those of the other nodes while the other one takes its core now and then. Random programs hardly
// ever have many such messages.
#ifndef PAGODA_TESTS_REFERENCE_CROWDED_EXCHANGE_H
#define PAGODA_TESTS_REFERENCE_CROWDED_EXCHANGE_H

#include <stdint.h>

/// The text trace of SEED. The caller frees.
char *crowded_exchange_text(uint64_t seed);

#endif
