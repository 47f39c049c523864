// SPDX-License-Identifier: BSD-3-Clause
// See exact_number.h.
#include "analyzer/base/exact_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exact_number exact_number(double value)
{
    struct exact_number number;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text - 2, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value)
            break;
    }
    if (!strpbrk(number.text, ".en"))
        strcat(number.text, ".0");
    return number;
}
