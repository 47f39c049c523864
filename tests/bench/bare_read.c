// SPDX-License-Identifier: BSD-3-Clause
// bare_read ANCHOR: reads all events of an OTF2 archive, location after location, by the library's
// local readers into empty callbacks: the yardstick that replay is measured with. Prints the number
// of events.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <otf2/otf2.h>

static uint64_t *locations;
static size_t n_locations;

static void expect(OTF2_ErrorCode code, const char *what)
{
    if (code == OTF2_SUCCESS)
        return;
    fprintf(stderr, "bare_read: %s: %s\n", what, OTF2_Error_GetDescription(code));
    exit(1);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t n_events,
                                     OTF2_LocationGroupRef group)
{
    uint64_t *longer = realloc(locations, (n_locations + 1) * sizeof *locations);
    if (!longer)
        return OTF2_CALLBACK_ERROR;
    locations = longer;
    locations[n_locations++] = self;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *data, OTF2_AttributeList *attributes,
                                   OTF2_RegionRef region)
{
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_message(OTF2_LocationRef location, OTF2_TimeStamp time,
                                    uint64_t position, void *data, OTF2_AttributeList *attributes,
                                    uint32_t partner, OTF2_CommRef comm, uint32_t tag,
                                    uint64_t length)
{
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
                                             uint64_t position, void *data,
                                             OTF2_AttributeList *attributes)
{
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           uint64_t position, void *data,
                                           OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                           OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                           uint64_t received)
{
    return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(OTF2_Reader *reader)
{
    uint64_t n_read;
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    expect(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL),
           "registering");
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    expect(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n_read), "definitions");
}

static uint64_t read_location(OTF2_Reader *reader, uint64_t location,
                              const OTF2_EvtReaderCallbacks *callbacks)
{
    uint64_t n_read = 0;
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, location);
    if (local) {
        expect(OTF2_Reader_ReadAllLocalDefinitions(reader, local, &n_read), "local definitions");
        OTF2_Reader_CloseDefReader(reader, local);
    }
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
    if (!events)
        return 0;
    expect(OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL), "registering");
    expect(OTF2_Reader_ReadAllLocalEvents(reader, events, &n_read), "events");
    OTF2_Reader_CloseEvtReader(reader, events);
    return n_read;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bare_read ANCHOR\n");
        return 2;
    }
    OTF2_Reader *reader = OTF2_Reader_Open(argv[1]);
    if (!reader)
        return 1;
    expect(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "collectives");
    read_definitions(reader);
    for (size_t i = 0; i < n_locations; i++)
        expect(OTF2_Reader_SelectLocation(reader, locations[i]), "selecting");
    OTF2_Reader_OpenDefFiles(reader);
    expect(OTF2_Reader_OpenEvtFiles(reader), "opening");

    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_region);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_region);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_message);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_message);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective_end);
    uint64_t n_events = 0;
    for (size_t i = 0; i < n_locations; i++)
        n_events += read_location(reader, locations[i], callbacks);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_Close(reader);
    free(locations);
    printf("%" PRIu64 "\n", n_events);
    return 0;
}
