// SPDX-License-Identifier: BSD-3-Clause
// Definitions written again as they are. Their kinds are those of OTF2's own headers.
#include "analyzer/rewrite/rewrite.h"

#include "analyzer/trace/archive.h"

#include "record_kinds.gen.h" // of record_kinds.awk

OTF2_CallbackCode definition_copy_written(struct definition_copy *copy, OTF2_ErrorCode code)
{
    if (copy->code == OTF2_SUCCESS)
        copy->code = code;
    return copy->code == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

#define COPY(kind, parameters, arguments)                                                          \
    static OTF2_CallbackCode copy_##kind(void *user_data parameters)                               \
    {                                                                                              \
        struct definition_copy *copy = user_data;                                                  \
        return definition_copy_written(copy,                                                       \
                                       OTF2_GlobalDefWriter_Write##kind(copy->writer arguments));  \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
DEFINITION_KINDS(COPY)
#pragma GCC diagnostic pop

OTF2_GlobalDefReaderCallbacks *definition_copy_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (!callbacks)
        return NULL;
#define SET(kind, ...) OTF2_GlobalDefReaderCallbacks_Set##kind##Callback(callbacks, copy_##kind);
    DEFINITION_KINDS(SET)
#undef SET
    return callbacks;
}

int definition_copy_begin(struct definition_copy *copy, OTF2_Archive *archive, struct error *err)
{
    copy->writer = OTF2_Archive_GetGlobalDefWriter(archive);
    return copy->writer ? 0
                        : error_set(err, "cannot write the definitions: %s",
                                    otf2_error_cause(OTF2_ERROR_FILE_CAN_NOT_OPEN));
}

int definition_copy_end(struct definition_copy *copy, OTF2_Archive *archive, int status,
                        struct error *err)
{
    if (status == 0)
        definition_copy_written(copy, OTF2_Archive_CloseGlobalDefWriter(archive, copy->writer));
    return status == 0 && copy->code != OTF2_SUCCESS
               ? error_set(err, "cannot write the definitions: %s", otf2_error_cause(copy->code))
               : status;
}

int definition_copy_run(struct definition_copy *copy, OTF2_Reader *reader,
                        OTF2_GlobalDefReaderCallbacks *callbacks, uint64_t n_records,
                        struct error *err)
{
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_ErrorCode code = OTF2_ERROR_MEM_FAULT;
    uint64_t n_read = 0;
    if (definitions && callbacks)
        code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, copy);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadGlobalDefinitions(reader, definitions, n_records, &n_read);
    if (copy->code != OTF2_SUCCESS)
        return error_set(err, "cannot write the definitions: %s", otf2_error_cause(copy->code));
    if (code != OTF2_SUCCESS)
        return error_set(err, "cannot read the definitions again: %s", otf2_error_cause(code));
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    return 0;
}
