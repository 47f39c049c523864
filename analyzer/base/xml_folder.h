// SPDX-License-Identifier: BSD-3-Clause
// Folders of XML files: catalogues of patterns, properties, machines, policies.
#ifndef PAGODA_BASE_XML_FOLDER_H
#define PAGODA_BASE_XML_FOLDER_H

#include <stddef.h>

/// The names of the files *.xml in DIRECTORY, *N of them, in the order of their bytes whatever the
/// locale; hidden ones are left out. NULL and errno when it cannot be read.
char **xml_folder_names(const char *directory, size_t *n);

/// Frees names, and their array.
void xml_folder_free(char **names, size_t n);

#endif
