// SPDX-License-Identifier: BSD-3-Clause
// Patterns in the form of Kappa-Pi 2.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/pattern/pattern.h"

/// Translates a <PATTERN> of that form into the texts of PATTERN (zeroed before). 0, or -1 and ERR.
int kappa_pi_read(const char *path, const struct xml_element *element, struct pattern *pattern,
                  struct error *err);
