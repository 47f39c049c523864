// SPDX-License-Identifier: BSD-3-Clause
// See otf2_records.h. Record kinds that no replay needs have no callback: the library skips them.
#include "analyzer/trace/otf2_records.h"

#include "analyzer/trace/decode.h"

#define UNUSED __attribute__((unused))
// Parameters that all event callbacks share.
#define CALLBACK_PARAMETERS                                                                        \
    OTF2_LocationRef location UNUSED, OTF2_TimeStamp ticks UNUSED, uint64_t record UNUSED,         \
        void *decoder, OTF2_AttributeList *list UNUSED

/// Those of LIST, in ATTRIBUTES.
static const struct attributes *read_attributes(const struct decoder *decoder,
                                                const OTF2_AttributeList *list,
                                                struct attributes *attributes)
{
    attributes->n = 0;
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef id;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(list, i, &id, &type, &value) == OTF2_SUCCESS)
            decode_attribute(decoder, attributes, id, type, value);
    }
    return attributes;
}

#define BYTE(type, name)        , type name UNUSED
#define WORD(type, name)        , type name UNUSED
#define LONG(type, name)        , type name UNUSED
#define ID(mapping, type, name) , type name
#define ATTRIBUTES              read_attributes(decoder, list, &room)
#define ON_RECORD(kind, number, decode, ...)                                                       \
    static OTF2_CallbackCode on_##kind(CALLBACK_PARAMETERS __VA_ARGS__)                            \
    {                                                                                              \
        struct attributes room UNUSED;                                                             \
        decode;                                                                                    \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
FREQUENT_RECORDS(ON_RECORD)
OTHER_RECORDS(ON_RECORD)
NOTED_RECORDS(ON_RECORD)

static OTF2_CallbackCode on_Metric(CALLBACK_PARAMETERS, OTF2_MetricRef metric, uint8_t n_values,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    decode_metric(decoder, ticks, metric, n_values, types, values);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_BufferFlush(CALLBACK_PARAMETERS, OTF2_TimeStamp stop_ticks)
{
    decode_flush(decoder, ticks, stop_ticks);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_unknown(CALLBACK_PARAMETERS)
{
    decode_unknown(decoder);
    return OTF2_CALLBACK_SUCCESS;
}

const struct otf2_records otf2_records = {
#define MEMBER(kind, ...) .kind = on_##kind,
    FREQUENT_RECORDS(MEMBER) OTHER_RECORDS(MEMBER) ODD_RECORDS(MEMBER)
#undef MEMBER
};

OTF2_EvtReaderCallbacks *otf2_records_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
#define SET(kind, ...) OTF2_EvtReaderCallbacks_Set##kind##Callback(callbacks, on_##kind);
    FREQUENT_RECORDS(SET)
    OTHER_RECORDS(SET)
    ODD_RECORDS(SET)
    NOTED_RECORDS(SET)
#undef SET
    return callbacks;
}
