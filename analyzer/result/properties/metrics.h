// SPDX-License-Identifier: BSD-3-Clause
// Metrics that files of properties define (analyzer/pattern/properties/asl_property.h).
#pragma once

#include "analyzer/pattern/properties/asl_property.h"
#include "analyzer/result/result.h"

/// Evaluates those of PROPERTIES that are metrics in all parts of RESULT they are asked of: fills
/// result->metrics, anew where they are there.
void metrics_collect(const struct property_list *properties, struct result *result);
