// SPDX-License-Identifier: BSD-3-Clause
// Reading one file of patterns into texts; nothing is compiled or linked yet.
#ifndef PAGODA_PATTERN_CATALOGUE_FILE_H
#define PAGODA_PATTERN_CATALOGUE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/xml.h"
#include "analyzer/pattern/catalogue.h"

struct pattern_list {
    struct pattern *patterns;
    size_t n_patterns, capacity;
};

/// Appends the patterns of a file (<pattern>, several within <patterns>, or Kappa-Pi's <PATTERN>).
/// 0, or -1 and ERR; ids are unique within the file.
int catalogue_file_read(const char *path, struct pattern_list *list, struct error *err);

/// Translates a <PATTERN> of Kappa-Pi's form into the texts of PATTERN (zeroed before).
int kappa_pi_read(const char *path, const struct xml_element *element, struct pattern *pattern,
                  struct error *err);

/// TEXT with runs of white space made one space and none at the ends; with KEEP_PARAGRAPHS an empty
/// line stays one. The caller frees.
char *pattern_text(const char *text, bool keep_paragraphs);

/// Is it lower-case words joined by single hyphens?
bool pattern_id_is_valid(const char *id);

void pattern_release(struct pattern *pattern);

#endif
