// SPDX-License-Identifier: BSD-3-Clause
// Writes the global definitions of an archive to another one, each as it is.
#pragma once

#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"

/// The user data of the callbacks; the first member of a larger struct for those that replace some.
struct definition_copy {
    OTF2_GlobalDefWriter *writer;
    OTF2_ErrorCode code; // of the first failure to write, else OTF2_SUCCESS
};

/// Notes the CODE of a write, for callbacks: whether to go on.
OTF2_CallbackCode definition_copy_written(struct definition_copy *copy, OTF2_ErrorCode code);

/// One for each kind of definition, which writes it again; some may be set to others. NULL when
/// memory is out. The caller deletes them, or gives them to definition_copy_run().
OTF2_GlobalDefReaderCallbacks *definition_copy_callbacks(void);

#define DEFINITION_COPY_ALL UINT64_MAX

/// Gives the first N_RECORDS definitions of READER to CALLBACKS, which are deleted. 0, or -1 and
/// ERR.
int definition_copy_run(struct definition_copy *copy, OTF2_Reader *reader,
                        OTF2_GlobalDefReaderCallbacks *callbacks, uint64_t n_records,
                        struct error *err);
