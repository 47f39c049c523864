// SPDX-License-Identifier: BSD-3-Clause
// Numbers ranks anew: locations, members of communicators, nodes, and partners and roots on world.
// Ranks in other communicators stay, since their members keep their places.
#include "tests/reference/relabel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_WORDS = 24 };

bool relabel_is_possible(const char *text)
{
    return !strstr(text, "scan world");
}

static void put_rank(FILE *stream, const char *word, const uint32_t *new_rank)
{
    if (*word >= '0' && *word <= '9')
        fprintf(stream, " %" PRIu32, new_rank[strtoul(word, NULL, 10)]);
    else
        fprintf(stream, " %s", word);
}

static void put_nodes(FILE *stream, char **words, const uint32_t *new_rank, uint32_t n_ranks)
{
    fputs("nodes", stream);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        for (uint32_t old = 0; old < n_ranks; old++) {
            if (new_rank[old] == rank)
                fprintf(stream, " %s", words[1 + old]);
        }
    }
}

static void put_line(FILE *stream, char **words, uint32_t n_words, const uint32_t *new_rank,
                     uint32_t n_ranks)
{
    bool is_record = n_words > 0 && *words[0] >= '0' && *words[0] <= '9';
    bool is_comm =
        n_words > 0 && (strcmp(words[0], "comm") == 0 || strcmp(words[0], "intercomm") == 0);
    if (n_words > 0 && strcmp(words[0], "nodes") == 0) {
        put_nodes(stream, words, new_rank, n_ranks);
        return;
    }
    if (is_record)
        fprintf(stream, "%" PRIu32, new_rank[strtoul(words[0], NULL, 10)]);
    else if (n_words > 0)
        fputs(words[0], stream);
    for (uint32_t w = 1; w < n_words; w++) {
        bool is_partner = is_record && w > 3 && strcmp(words[w - 1], "world") == 0;
        if (is_partner || (is_comm && w > 2))
            put_rank(stream, words[w], new_rank);
        else
            fprintf(stream, " %s", words[w]);
    }
}

char *relabel_text(const char *text, const uint32_t *new_rank, uint32_t n_ranks)
{
    char *copy = memory_copy_text(text), *lines = copy, *line, *relabelled = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&relabelled, &size_bytes);
    while ((line = strsep(&lines, "\n"))) {
        char *words[MAX_WORDS] = {NULL}, *rest = line, *word;
        uint32_t n_words = 0;
        while (n_words < MAX_WORDS && (word = strtok_r(rest, " ", &rest)))
            words[n_words++] = word;
        put_line(stream, words, n_words, new_rank, n_ranks);
        fputc('\n', stream);
    }
    fclose(stream);
    free(copy);
    return relabelled;
}
