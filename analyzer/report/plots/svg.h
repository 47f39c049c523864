// SPDX-License-Identifier: BSD-3-Clause
// What pictures in SVG 1.1 share; for this folder only.
#pragma once

#include <stddef.h>
#include <stdio.h>

/// Begins a white picture of WIDTH by HEIGHT pixels.
void svg_begin(size_t width, size_t height, FILE *stream);
void svg_end(FILE *stream);

/// TEXT at X, Y; ANCHOR: "start", "middle" or "end" of it is there.
void svg_text(double x, double y, const char *anchor, const char *text, FILE *stream);

/// TEXT as the content of an element.
void svg_escape(const char *text, FILE *stream);

/// The colour of line I; there are six. People with any colour vision can tell them apart (Okabe,
/// Ito, "Color Universal Design", 2008).
const char *svg_colour(size_t i);
