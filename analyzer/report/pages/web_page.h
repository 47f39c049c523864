// SPDX-License-Identifier: BSD-3-Clause
// What pages share: a text of HTML with a place for the data, which are elements of JSON.
#pragma once

#include <stdio.h>

/// Prints what of PAGE, a text that the build made, comes before the data, and after them.
void web_page_begin(const char *page, FILE *stream);
void web_page_end(const char *page, FILE *stream);

/// Prints JSON as the element ID. What of it could end or begin an element stands only in its
/// strings.
void web_page_put(const char *id, const char *json, FILE *stream);
