// SPDX-License-Identifier: BSD-3-Clause
// UTF-8 by the table of well-formed sequences (Unicode 15, table 3-7), independent of the locale.
#include "analyzer/base/utf8.h"

#include <string.h>

#include "analyzer/base/memory.h"

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/// The second byte's range keeps overlong forms, surrogates and code points beyond U+10FFFF out.
size_t utf8_sequence(const char *bytes)
{
    const unsigned char *text = (const unsigned char *)bytes;
    unsigned char lead = text[0], low = 0x80, high = 0xBF;
    size_t length;
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        length = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        length = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        length = 4;
    else
        return 0;
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xED)
        high = 0x9F;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (!is_continuation(text[i]))
            return 0;
    return length;
}

bool utf8_is_control(const char *text, size_t length)
{
    unsigned char lead = (unsigned char)text[0];
    if (length == 1)
        return lead < 0x20 || lead == 0x7F;
    return length == 2 && lead == 0xC2 && (unsigned char)text[1] < 0xA0;
}

char *utf8_clean(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const char *at = text ? text : "";
    char *clean = memory_new(3 * strlen(at) + 1);
    char *end = clean;
    while (*at) {
        size_t length = utf8_sequence(at);
        if (length == 0) {
            memcpy(end, replacement, 3);
            end += 3;
            at++;
        } else if (utf8_is_control(at, length)) {
            *end++ = '?';
            at += length;
        } else {
            memcpy(end, at, length);
            end += length;
            at += length;
        }
    }
    *end = '\0';
    return clean;
}

size_t utf8_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += !is_continuation((unsigned char)*text);
    return width;
}

size_t utf8_prefix(const char *text, size_t width)
{
    size_t bytes = 0;
    while (text[bytes]) {
        if (!is_continuation((unsigned char)text[bytes]) && width-- == 0)
            break;
        bytes++;
    }
    return bytes;
}
