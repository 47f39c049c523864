// SPDX-License-Identifier: BSD-3-Clause
// What a progress bar on a terminal says.
#include <string.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "tests/unit/unit_test.h"

/// The bar of work of which 30 of 120 units took PASSED_S. The terminal is a file.
static void shown_after(uint64_t passed_s, char *text, size_t n_text)
{
    struct progress progress;
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    progress_begin(&progress, "replaying", 120);
    progress.is_terminal = true;
    progress.begin_ns -= passed_s * 1000000000;
    progress.next_ns = 0;
    progress_update(&progress, 30);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, n_text - 1, file)] = '\0';
    fclose(file);
}

TEST(test_time_that_is_left)
{
    char text[200];
    shown_after(4, text, sizeof text);
    assert_non_null(strstr(text, "\rreplaying ["));
    assert_non_null(strstr(text, "]  25 %, 12 s left\033[K"));
    shown_after(600, text, sizeof text);
    assert_non_null(strstr(text, "]  25 %, 30 min left\033[K"));
    shown_after(0, text, sizeof text);
    assert_non_null(strstr(text, "]  25 %\033[K"));
}
