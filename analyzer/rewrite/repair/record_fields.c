// SPDX-License-Identifier: BSD-3-Clause
// The fields are those of OTF2's own headers; kinds have their numbers in that order.
#include "analyzer/rewrite/repair/repair.h"

#include "record_kinds.gen.h" // of record_kinds.awk

enum { FIRST_KIND = 10, METRIC_KIND = 31, PROGRAM_BEGIN_KIND = 83 };

static const char *const letters_of_kinds[] = {EVENT_LETTERS};

OTF2_MappingType record_fields_reference(char letter)
{
    switch (letter) {
    case 'R':
        return OTF2_MAPPING_REGION;
    case 'C':
        return OTF2_MAPPING_COMM;
    case 'P':
        return OTF2_MAPPING_PARAMETER;
    case 'X':
        return OTF2_MAPPING_CALLING_CONTEXT;
    case 'M':
        return OTF2_MAPPING_METRIC;
    default:
        return OTF2_MAPPING_MAX;
    }
}

static uint64_t read_field(struct content *content, char letter)
{
    switch (letter) {
    case 'b':
        return content_byte(content);
    case 't':
        return content_full(content);
    case 'q':
        return content_64(content);
    default:
        return content_32(content);
    }
}

static void read_metric_values(struct record_fields *fields, struct content *content)
{
    fields->n_metric_values = content_byte(content);
    for (uint8_t i = 0; i < fields->n_metric_values && content->at <= content->end; i++) {
        fields->metric_types[i] = content_byte(content);
        content_64(content);
    }
}

bool record_fields_read(struct record_fields *fields, int kind, struct content *content)
{
    size_t place = (size_t)(kind - FIRST_KIND);
    size_t n_kinds = sizeof letters_of_kinds / sizeof letters_of_kinds[0];
    fields->letters = kind >= FIRST_KIND && place < n_kinds ? letters_of_kinds[place] : "";
    fields->n_metric_values = 0;
    for (size_t i = 0; fields->letters[i]; i++)
        fields->values[i] = read_field(content, fields->letters[i]);
    if (kind == METRIC_KIND)
        read_metric_values(fields, content);
    if (kind == PROGRAM_BEGIN_KIND)
        for (uint32_t n = content_32(content); n > 0 && content->at <= content->end; n--)
            content_32(content);
    return content_is_whole(content);
}

static void skip_value(struct content *content, OTF2_Type type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        content_byte(content);
        break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        content->at += 2;
        break;
    case OTF2_TYPE_FLOAT:
        content->at += 4;
        break;
    case OTF2_TYPE_DOUBLE:
        content_full(content);
        break;
    default:
        content_64(content);
    }
}

bool record_attributes_are_sound(struct content *content)
{
    for (uint32_t n = content_32(content); n > 0 && content->at <= content->end; n--) {
        content_32(content);
        skip_value(content, content_byte(content));
    }
    return content_is_whole(content) && content->at == content->end;
}
