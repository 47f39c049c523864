// SPDX-License-Identifier: BSD-3-Clause
// The records of OTF2 that are copied as they are: their names, and their parameters behind those
// that all have. Reader's callbacks and writer's functions take the same ones.
#ifndef PAGODA_REWRITE_RECORD_KINDS_H
#define PAGODA_REWRITE_RECORD_KINDS_H

/// Parameters, or arguments, with a comma before each; used inside X(kind, parameters, arguments).
#define WITH(...) __VA_ARGS__

/// Events the replay knows (decode.h), but for those that are written by hand.
#define REPLAYED_EVENT_KINDS(X)                                                                    \
    X(MeasurementOnOff, WITH(, OTF2_MeasurementMode measurement_mode), WITH(, measurement_mode))   \
    X(Leave, WITH(, OTF2_RegionRef region), WITH(, region))                                        \
    X(MpiCollectiveBegin, WITH(), WITH())                                                          \
    X(MpiCollectiveEnd,                                                                            \
      WITH(, OTF2_CollectiveOp collective_op, OTF2_CommRef communicator, uint32_t root,            \
           uint64_t size_sent, uint64_t size_received),                                            \
      WITH(, collective_op, communicator, root, size_sent, size_received))                         \
    X(ThreadFork, WITH(, OTF2_Paradigm model, uint32_t number_of_requested_threads),               \
      WITH(, model, number_of_requested_threads))                                                  \
    X(ThreadJoin, WITH(, OTF2_Paradigm model), WITH(, model))                                      \
    X(ThreadTeamBegin, WITH(, OTF2_CommRef thread_team), WITH(, thread_team))                      \
    X(ThreadTeamEnd, WITH(, OTF2_CommRef thread_team), WITH(, thread_team))                        \
    X(CallingContextEnter,                                                                         \
      WITH(, OTF2_CallingContextRef calling_context, uint32_t unwind_distance),                    \
      WITH(, calling_context, unwind_distance))                                                    \
    X(CallingContextLeave, WITH(, OTF2_CallingContextRef calling_context), WITH(, calling_context))

/// Those whose last parameter is a request: what the copy does with its number, and the parameters
/// before it.
#define REQUEST_EVENT_KINDS(X)                                                                     \
    X(MpiIrecvRequest, open_request, WITH(), WITH())                                               \
    X(MpiRequestTest, request_of, WITH(), WITH())                                                  \
    X(MpiRequestCancelled, close_request, WITH(), WITH())                                          \
    X(NonBlockingCollectiveRequest, open_request, WITH(), WITH())                                  \
    X(NonBlockingCollectiveComplete, close_request,                                                \
      WITH(, OTF2_CollectiveOp collective_op, OTF2_CommRef communicator, uint32_t root,            \
           uint64_t size_sent, uint64_t size_received),                                            \
      WITH(, collective_op, communicator, root, size_sent, size_received))

/// Events it does not know.
#define OTHER_EVENT_KINDS(X)                                                                       \
    X(OmpFork, WITH(, uint32_t number_of_requested_threads), WITH(, number_of_requested_threads))  \
    X(OmpJoin, WITH(), WITH())                                                                     \
    X(OmpAcquireLock, WITH(, uint32_t lock_id, uint32_t acquisition_order),                        \
      WITH(, lock_id, acquisition_order))                                                          \
    X(OmpReleaseLock, WITH(, uint32_t lock_id, uint32_t acquisition_order),                        \
      WITH(, lock_id, acquisition_order))                                                          \
    X(OmpTaskCreate, WITH(, uint64_t task_id), WITH(, task_id))                                    \
    X(OmpTaskSwitch, WITH(, uint64_t task_id), WITH(, task_id))                                    \
    X(OmpTaskComplete, WITH(, uint64_t task_id), WITH(, task_id))                                  \
    X(ParameterString, WITH(, OTF2_ParameterRef parameter, OTF2_StringRef string),                 \
      WITH(, parameter, string))                                                                   \
    X(ParameterInt, WITH(, OTF2_ParameterRef parameter, int64_t value), WITH(, parameter, value))  \
    X(ParameterUnsignedInt, WITH(, OTF2_ParameterRef parameter, uint64_t value),                   \
      WITH(, parameter, value))                                                                    \
    X(RmaWinCreate, WITH(, OTF2_RmaWinRef win), WITH(, win))                                       \
    X(RmaWinDestroy, WITH(, OTF2_RmaWinRef win), WITH(, win))                                      \
    X(RmaCollectiveBegin, WITH(), WITH())                                                          \
    X(RmaCollectiveEnd,                                                                            \
      WITH(, OTF2_CollectiveOp collective_op, OTF2_RmaSyncLevel sync_level, OTF2_RmaWinRef win,    \
           uint32_t root, uint64_t bytes_sent, uint64_t bytes_received),                           \
      WITH(, collective_op, sync_level, win, root, bytes_sent, bytes_received))                    \
    X(RmaGroupSync, WITH(, OTF2_RmaSyncLevel sync_level, OTF2_RmaWinRef win, OTF2_GroupRef group), \
      WITH(, sync_level, win, group))                                                              \
    X(RmaRequestLock,                                                                              \
      WITH(, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock_id, OTF2_LockType lock_type),      \
      WITH(, win, remote, lock_id, lock_type))                                                     \
    X(RmaAcquireLock,                                                                              \
      WITH(, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock_id, OTF2_LockType lock_type),      \
      WITH(, win, remote, lock_id, lock_type))                                                     \
    X(RmaTryLock,                                                                                  \
      WITH(, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock_id, OTF2_LockType lock_type),      \
      WITH(, win, remote, lock_id, lock_type))                                                     \
    X(RmaReleaseLock, WITH(, OTF2_RmaWinRef win, uint32_t remote, uint64_t lock_id),               \
      WITH(, win, remote, lock_id))                                                                \
    X(RmaSync, WITH(, OTF2_RmaWinRef win, uint32_t remote, OTF2_RmaSyncType sync_type),            \
      WITH(, win, remote, sync_type))                                                              \
    X(RmaWaitChange, WITH(, OTF2_RmaWinRef win), WITH(, win))                                      \
    X(RmaPut, WITH(, OTF2_RmaWinRef win, uint32_t remote, uint64_t bytes, uint64_t matching_id),   \
      WITH(, win, remote, bytes, matching_id))                                                     \
    X(RmaGet, WITH(, OTF2_RmaWinRef win, uint32_t remote, uint64_t bytes, uint64_t matching_id),   \
      WITH(, win, remote, bytes, matching_id))                                                     \
    X(RmaAtomic,                                                                                   \
      WITH(, OTF2_RmaWinRef win, uint32_t remote, OTF2_RmaAtomicType type, uint64_t bytes_sent,    \
           uint64_t bytes_received, uint64_t matching_id),                                         \
      WITH(, win, remote, type, bytes_sent, bytes_received, matching_id))                          \
    X(RmaOpCompleteBlocking, WITH(, OTF2_RmaWinRef win, uint64_t matching_id),                     \
      WITH(, win, matching_id))                                                                    \
    X(RmaOpCompleteNonBlocking, WITH(, OTF2_RmaWinRef win, uint64_t matching_id),                  \
      WITH(, win, matching_id))                                                                    \
    X(RmaOpTest, WITH(, OTF2_RmaWinRef win, uint64_t matching_id), WITH(, win, matching_id))       \
    X(RmaOpCompleteRemote, WITH(, OTF2_RmaWinRef win, uint64_t matching_id),                       \
      WITH(, win, matching_id))                                                                    \
    X(ThreadAcquireLock,                                                                           \
      WITH(, OTF2_Paradigm model, uint32_t lock_id, uint32_t acquisition_order),                   \
      WITH(, model, lock_id, acquisition_order))                                                   \
    X(ThreadReleaseLock,                                                                           \
      WITH(, OTF2_Paradigm model, uint32_t lock_id, uint32_t acquisition_order),                   \
      WITH(, model, lock_id, acquisition_order))                                                   \
    X(ThreadTaskCreate,                                                                            \
      WITH(, OTF2_CommRef thread_team, uint32_t creating_thread, uint32_t generation_number),      \
      WITH(, thread_team, creating_thread, generation_number))                                     \
    X(ThreadTaskSwitch,                                                                            \
      WITH(, OTF2_CommRef thread_team, uint32_t creating_thread, uint32_t generation_number),      \
      WITH(, thread_team, creating_thread, generation_number))                                     \
    X(ThreadTaskComplete,                                                                          \
      WITH(, OTF2_CommRef thread_team, uint32_t creating_thread, uint32_t generation_number),      \
      WITH(, thread_team, creating_thread, generation_number))                                     \
    X(ThreadCreate, WITH(, OTF2_CommRef thread_contingent, uint64_t sequence_count),               \
      WITH(, thread_contingent, sequence_count))                                                   \
    X(ThreadBegin, WITH(, OTF2_CommRef thread_contingent, uint64_t sequence_count),                \
      WITH(, thread_contingent, sequence_count))                                                   \
    X(ThreadWait, WITH(, OTF2_CommRef thread_contingent, uint64_t sequence_count),                 \
      WITH(, thread_contingent, sequence_count))                                                   \
    X(ThreadEnd, WITH(, OTF2_CommRef thread_contingent, uint64_t sequence_count),                  \
      WITH(, thread_contingent, sequence_count))                                                   \
    X(CallingContextSample,                                                                        \
      WITH(, OTF2_CallingContextRef calling_context, uint32_t unwind_distance,                     \
           OTF2_InterruptGeneratorRef interrupt_generator),                                        \
      WITH(, calling_context, unwind_distance, interrupt_generator))                               \
    X(IoCreateHandle,                                                                              \
      WITH(, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation_flags,  \
           OTF2_IoStatusFlag status_flags),                                                        \
      WITH(, handle, mode, creation_flags, status_flags))                                          \
    X(IoDestroyHandle, WITH(, OTF2_IoHandleRef handle), WITH(, handle))                            \
    X(IoDuplicateHandle,                                                                           \
      WITH(, OTF2_IoHandleRef old_handle, OTF2_IoHandleRef new_handle,                             \
           OTF2_IoStatusFlag status_flags),                                                        \
      WITH(, old_handle, new_handle, status_flags))                                                \
    X(IoSeek,                                                                                      \
      WITH(, OTF2_IoHandleRef handle, int64_t offset_request, OTF2_IoSeekOption whence,            \
           uint64_t offset_result),                                                                \
      WITH(, handle, offset_request, whence, offset_result))                                       \
    X(IoChangeStatusFlags, WITH(, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status_flags),        \
      WITH(, handle, status_flags))                                                                \
    X(IoDeleteFile, WITH(, OTF2_IoParadigmRef io_paradigm, OTF2_IoFileRef file),                   \
      WITH(, io_paradigm, file))                                                                   \
    X(IoOperationBegin,                                                                            \
      WITH(, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,                                   \
           OTF2_IoOperationFlag operation_flags, uint64_t bytes_request, uint64_t matching_id),    \
      WITH(, handle, mode, operation_flags, bytes_request, matching_id))                           \
    X(IoOperationTest, WITH(, OTF2_IoHandleRef handle, uint64_t matching_id),                      \
      WITH(, handle, matching_id))                                                                 \
    X(IoOperationIssued, WITH(, OTF2_IoHandleRef handle, uint64_t matching_id),                    \
      WITH(, handle, matching_id))                                                                 \
    X(IoOperationComplete,                                                                         \
      WITH(, OTF2_IoHandleRef handle, uint64_t bytes_result, uint64_t matching_id),                \
      WITH(, handle, bytes_result, matching_id))                                                   \
    X(IoOperationCancelled, WITH(, OTF2_IoHandleRef handle, uint64_t matching_id),                 \
      WITH(, handle, matching_id))                                                                 \
    X(IoAcquireLock, WITH(, OTF2_IoHandleRef handle, OTF2_LockType lock_type),                     \
      WITH(, handle, lock_type))                                                                   \
    X(IoReleaseLock, WITH(, OTF2_IoHandleRef handle, OTF2_LockType lock_type),                     \
      WITH(, handle, lock_type))                                                                   \
    X(IoTryLock, WITH(, OTF2_IoHandleRef handle, OTF2_LockType lock_type),                         \
      WITH(, handle, lock_type))                                                                   \
    X(ProgramBegin,                                                                                \
      WITH(, OTF2_StringRef program_name, uint32_t number_of_arguments,                            \
           const OTF2_StringRef *program_arguments),                                               \
      WITH(, program_name, number_of_arguments, program_arguments))                                \
    X(ProgramEnd, WITH(, int64_t exit_status), WITH(, exit_status))                                \
    X(CommCreate, WITH(, OTF2_CommRef communicator), WITH(, communicator))                         \
    X(CommDestroy, WITH(, OTF2_CommRef communicator), WITH(, communicator))

/// Definitions, but for those copy_definitions.c changes.
#define DEFINITION_KINDS(X)                                                                        \
    X(Paradigm,                                                                                    \
      WITH(, OTF2_Paradigm paradigm, OTF2_StringRef name, OTF2_ParadigmClass paradigm_class),      \
      WITH(, paradigm, name, paradigm_class))                                                      \
    X(ParadigmProperty,                                                                            \
      WITH(, OTF2_Paradigm paradigm, OTF2_ParadigmProperty property, OTF2_Type type,               \
           OTF2_AttributeValue value),                                                             \
      WITH(, paradigm, property, type, value))                                                     \
    X(IoParadigm,                                                                                  \
      WITH(, OTF2_IoParadigmRef self, OTF2_StringRef identification, OTF2_StringRef name,          \
           OTF2_IoParadigmClass io_paradigm_class, OTF2_IoParadigmFlag io_paradigm_flags,          \
           uint8_t number_of_properties, const OTF2_IoParadigmProperty *properties,                \
           const OTF2_Type *types, const OTF2_AttributeValue *values),                             \
      WITH(, self, identification, name, io_paradigm_class, io_paradigm_flags,                     \
           number_of_properties, properties, types, values))                                       \
    X(String, WITH(, OTF2_StringRef self, const char *string), WITH(, self, string))               \
    X(Attribute,                                                                                   \
      WITH(, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef description,              \
           OTF2_Type type),                                                                        \
      WITH(, self, name, description, type))                                                       \
    X(Region,                                                                                      \
      WITH(, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical_name,              \
           OTF2_StringRef description, OTF2_RegionRole region_role, OTF2_Paradigm paradigm,        \
           OTF2_RegionFlag region_flags, OTF2_StringRef source_file, uint32_t begin_line_number,   \
           uint32_t end_line_number),                                                              \
      WITH(, self, name, canonical_name, description, region_role, paradigm, region_flags,         \
           source_file, begin_line_number, end_line_number))                                       \
    X(Callsite,                                                                                    \
      WITH(, OTF2_CallsiteRef self, OTF2_StringRef source_file, uint32_t line_number,              \
           OTF2_RegionRef entered_region, OTF2_RegionRef left_region),                             \
      WITH(, self, source_file, line_number, entered_region, left_region))                         \
    X(Callpath, WITH(, OTF2_CallpathRef self, OTF2_CallpathRef parent, OTF2_RegionRef region),     \
      WITH(, self, parent, region))                                                                \
    X(Group,                                                                                       \
      WITH(, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType group_type,                   \
           OTF2_Paradigm paradigm, OTF2_GroupFlag group_flags, uint32_t number_of_members,         \
           const uint64_t *members),                                                               \
      WITH(, self, name, group_type, paradigm, group_flags, number_of_members, members))           \
    X(MetricMember,                                                                                \
      WITH(, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef description,           \
           OTF2_MetricType metric_type, OTF2_MetricMode metric_mode, OTF2_Type value_type,         \
           OTF2_Base base, int64_t exponent, OTF2_StringRef unit),                                 \
      WITH(, self, name, description, metric_type, metric_mode, value_type, base, exponent, unit)) \
    X(MetricClass,                                                                                 \
      WITH(, OTF2_MetricRef self, uint8_t number_of_metrics,                                       \
           const OTF2_MetricMemberRef *metric_members, OTF2_MetricOccurrence metric_occurrence,    \
           OTF2_RecorderKind recorder_kind),                                                       \
      WITH(, self, number_of_metrics, metric_members, metric_occurrence, recorder_kind))           \
    X(Comm,                                                                                        \
      WITH(, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,     \
           OTF2_CommFlag flags),                                                                   \
      WITH(, self, name, group, parent, flags))                                                    \
    X(Parameter,                                                                                   \
      WITH(, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType parameter_type),      \
      WITH(, self, name, parameter_type))                                                          \
    X(RmaWin,                                                                                      \
      WITH(, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag flags),  \
      WITH(, self, name, comm, flags))                                                             \
    X(MetricClassRecorder, WITH(, OTF2_MetricRef metric, OTF2_LocationRef recorder),               \
      WITH(, metric, recorder))                                                                    \
    X(LocationGroupProperty,                                                                       \
      WITH(, OTF2_LocationGroupRef location_group, OTF2_StringRef name, OTF2_Type type,            \
           OTF2_AttributeValue value),                                                             \
      WITH(, location_group, name, type, value))                                                   \
    X(CartDimension,                                                                               \
      WITH(, OTF2_CartDimensionRef self, OTF2_StringRef name, uint32_t size,                       \
           OTF2_CartPeriodicity cart_periodicity),                                                 \
      WITH(, self, name, size, cart_periodicity))                                                  \
    X(CartTopology,                                                                                \
      WITH(, OTF2_CartTopologyRef self, OTF2_StringRef name, OTF2_CommRef communicator,            \
           uint8_t number_of_dimensions, const OTF2_CartDimensionRef *cart_dimensions),            \
      WITH(, self, name, communicator, number_of_dimensions, cart_dimensions))                     \
    X(CartCoordinate,                                                                              \
      WITH(, OTF2_CartTopologyRef cart_topology, uint32_t rank, uint8_t number_of_dimensions,      \
           const uint32_t *coordinates),                                                           \
      WITH(, cart_topology, rank, number_of_dimensions, coordinates))                              \
    X(SourceCodeLocation,                                                                          \
      WITH(, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line_number),          \
      WITH(, self, file, line_number))                                                             \
    X(CallingContext,                                                                              \
      WITH(, OTF2_CallingContextRef self, OTF2_RegionRef region,                                   \
           OTF2_SourceCodeLocationRef source_code_location, OTF2_CallingContextRef parent),        \
      WITH(, self, region, source_code_location, parent))                                          \
    X(CallingContextProperty,                                                                      \
      WITH(, OTF2_CallingContextRef calling_context, OTF2_StringRef name, OTF2_Type type,          \
           OTF2_AttributeValue value),                                                             \
      WITH(, calling_context, name, type, value))                                                  \
    X(InterruptGenerator,                                                                          \
      WITH(, OTF2_InterruptGeneratorRef self, OTF2_StringRef name,                                 \
           OTF2_InterruptGeneratorMode interrupt_generator_mode, OTF2_Base base, int64_t exponent, \
           uint64_t period),                                                                       \
      WITH(, self, name, interrupt_generator_mode, base, exponent, period))                        \
    X(IoFileProperty,                                                                              \
      WITH(, OTF2_IoFileRef io_file, OTF2_StringRef name, OTF2_Type type,                          \
           OTF2_AttributeValue value),                                                             \
      WITH(, io_file, name, type, value))                                                          \
    X(IoHandle,                                                                                    \
      WITH(, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file,                      \
           OTF2_IoParadigmRef io_paradigm, OTF2_IoHandleFlag io_handle_flags, OTF2_CommRef comm,   \
           OTF2_IoHandleRef parent),                                                               \
      WITH(, self, name, file, io_paradigm, io_handle_flags, comm, parent))                        \
    X(IoPreCreatedHandleState,                                                                     \
      WITH(, OTF2_IoHandleRef io_handle, OTF2_IoAccessMode mode, OTF2_IoStatusFlag status_flags),  \
      WITH(, io_handle, mode, status_flags))                                                       \
    X(CallpathParameter,                                                                           \
      WITH(, OTF2_CallpathRef callpath, OTF2_ParameterRef parameter, OTF2_Type type,               \
           OTF2_AttributeValue value),                                                             \
      WITH(, callpath, parameter, type, value))                                                    \
    X(InterComm,                                                                                   \
      WITH(, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group_a, OTF2_GroupRef group_b, \
           OTF2_CommRef common_communicator, OTF2_CommFlag flags),                                 \
      WITH(, self, name, group_a, group_b, common_communicator, flags))

#endif
