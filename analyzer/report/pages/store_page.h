// SPDX-License-Identifier: BSD-3-Clause
// The runs of a database as one HTML file that needs nothing else: their history, how they scale,
// and how right predictions were. What the page does with the data is in store_page.html, which the
// build makes a text of.
#pragma once

#include <stdio.h>

struct back_test;
struct scaling_page;

struct store_page {
    const char *trials;                 // JSON of trials_history_json()
    const struct back_test *test;       // of the predictions
    const struct scaling_page *scaling; // NULL: the runs do not differ in their ranks
};

/// A failed write is left to ferror(STREAM).
void store_page_print(const struct store_page *page, FILE *stream);
