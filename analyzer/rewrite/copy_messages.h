// SPDX-License-Identifier: BSD-3-Clause
// Copies records of messages and requests.
#ifndef PAGODA_REWRITE_COPY_MESSAGES_H
#define PAGODA_REWRITE_COPY_MESSAGES_H

#include <otf2/otf2.h>

/// Sets the callbacks for them and for collectives.
void copy_messages_set(OTF2_EvtReaderCallbacks *callbacks);

#endif
