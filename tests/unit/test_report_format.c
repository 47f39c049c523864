// SPDX-License-Identifier: BSD-3-Clause
// Numbers, tables and names as the report writes them.
#include <math.h>
#include <stdio.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/table.h"
#include "tests/unit/unit_test.h"

TEST(test_times)
{
    assert_string_equal(quantity_time(0).text, "0 ns");
    assert_string_equal(quantity_time(999).text, "999 ns");
    assert_string_equal(quantity_time(1000).text, "1.000 us");
    assert_string_equal(quantity_time(12345).text, "12.35 us");
    assert_string_equal(quantity_time(999960).text, "1.000 ms");
    assert_string_equal(quantity_time(123456789).text, "123.5 ms");
    assert_string_equal(quantity_time(UINT64_C(3600000000000)).text, "3600 s");
}

TEST(test_one_unit_per_report)
{
    assert_string_equal(time_unit_for(999999).name, "us");
    assert_string_equal(time_unit_for(1000000).name, "ms");
    assert_string_equal(time_unit_for(UINT64_C(10000000000)).name, "s");
    assert_string_equal(quantity_in(-1500, time_unit_for(1000)).text, "-1.500");
}

TEST(test_shares)
{
    assert_string_equal(quantity_share(0.1234).text, "12.3 %");
    assert_string_equal(quantity_share(0).text, "0.0 %");
    assert_string_equal(quantity_share(0.0001).text, "< 0.1 %");
    assert_string_equal(quantity_share(NAN).text, "-");
    assert_string_equal(quantity_part(1, 0).text, "-");
    assert_string_equal(quantity_part(1, 4).text, "25.0 %");
}

TEST(test_counts_and_sizes)
{
    assert_string_equal(quantity_count(1, "rank").text, "1 rank");
    assert_string_equal(quantity_count(0, "rank").text, "0 ranks");
    assert_string_equal(quantity_size(512).text, "512 B");
    assert_string_equal(quantity_size(1536).text, "1.5 KiB");
    assert_string_equal(quantity_size(UINT64_MAX).text, "16.0 EiB");
}

static void assert_clean(const char *dirty, const char *clean)
{
    SCOPED char *text = utf8_clean(dirty);
    assert_string_equal(text, clean);
}

TEST(test_names_are_made_harmless)
{
    assert_clean(NULL, "");
    assert_clean("größe", "größe");
    assert_clean("a\033[31mb\n", "a?[31mb?");
    assert_clean("\xC2\x9B"
                 "1m",
                 "?1m");                                                  // C1: the 8-bit CSI
    assert_clean("\xFF\xC3", "\xEF\xBF\xBD\xEF\xBF\xBD");                 // no UTF-8, cut off
    assert_clean("\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD");                 // overlong '/'
    assert_clean("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); // surrogate
    assert_int_equal(utf8_width("größe"), 5);
    assert_int_equal(utf8_prefix("größe", 3), 4);
}

/// What PRINT writes, in memory; the caller frees.
static char *printed(void (*print)(FILE *stream))
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    print(stream);
    fclose(stream);
    return text;
}

static void print_wide_table(FILE *stream)
{
    struct table table = {0};
    table_add_column(&table, "ms", false);
    table_add_column(&table, "region", true);
    table_add_column(&table, "path", true);
    table_add_cell(&table, "%d", 7);
    table_add_cell(&table, "größe");
    table_add_cell(&table, "main/a_very_long_region/another_long_one/MPI_Recv");
    table_add_cell(&table, "%d", 1234);
    table_add_cell(&table, "f");
    table_add_cell(&table, "main");
    table_print(&table, 2, 40, stream);
    table_release(&table);
}

TEST(test_table)
{
    SCOPED char *text = printed(print_wide_table);
    assert_string_equal(text, "    ms  region  path\n"
                              "     7  größe   main/a_...g_one/MPI_Recv\n"
                              "  1234  f       main\n");
}

static void print_numbers(FILE *stream)
{
    print_paragraph("waits < 0.1 %, if a < b c", 0, 0, 13, stream);
}

TEST(test_a_number_is_not_torn)
{
    SCOPED char *text = printed(print_numbers);
    assert_string_equal(text, "waits\n"
                              "< 0.1 %, if a\n"
                              "< b c\n");
}

static void print_text(FILE *stream)
{
    fputs("label ", stream);
    print_paragraph("one two  three a_word_longer_than_the_line four", 6, 6, 16, stream);
}

TEST(test_paragraph)
{
    SCOPED char *text = printed(print_text);
    assert_string_equal(text, "label one two\n"
                              "      three\n"
                              "      a_word_longer_than_the_line\n"
                              "      four\n");
}
