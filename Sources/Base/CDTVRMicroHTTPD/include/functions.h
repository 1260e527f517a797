// The functions of libmicrohttpd that this package calls; see CDTVRLibrary.h.

DTVR_VARIANT(
    NULL, struct MHD_Daemon *, dtvr_mhd_start, MHD_start_daemon,
    (unsigned int flags, uint16_t port, MHD_AccessHandlerCallback handler, void *context,
     struct MHD_OptionItem *options),
    (flags, port, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END))
DTVR_FUNCTION(-1, MHD_socket, MHD_quiesce_daemon, (struct MHD_Daemon *daemon), (daemon))
DTVR_PROCEDURE(MHD_stop_daemon, (struct MHD_Daemon *daemon), (daemon))
DTVR_VARIANT(
    NULL, const union MHD_DaemonInfo *, dtvr_mhd_port_info, MHD_get_daemon_info, (struct MHD_Daemon *daemon),
    (daemon, MHD_DAEMON_INFO_BIND_PORT))
DTVR_VARIANT(
    NULL, const union MHD_ConnectionInfo *, dtvr_mhd_socket_info, MHD_get_connection_info,
    (struct MHD_Connection *connection),
    (connection, MHD_CONNECTION_INFO_CONNECTION_FD))
DTVR_VARIANT(
    NULL, const union MHD_ConnectionInfo *, dtvr_mhd_context_info, MHD_get_connection_info,
    (struct MHD_Connection *connection),
    (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT))
DTVR_FUNCTION(
    0, int, MHD_get_connection_values,
    (struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator iterator,
     void *context),
    (connection, kind, iterator, context))
DTVR_FUNCTION(
    MHD_NO, enum MHD_Result, MHD_queue_response,
    (struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response),
    (connection, status, response))
DTVR_FUNCTION(
    NULL, struct MHD_Response *, MHD_create_response_from_buffer,
    (size_t size, void *bytes, enum MHD_ResponseMemoryMode mode),
    (size, bytes, mode))
DTVR_FUNCTION(
    NULL, struct MHD_Response *, MHD_create_response_from_callback,
    (uint64_t size, size_t block, MHD_ContentReaderCallback reader, void *context,
     MHD_ContentReaderFreeCallback free),
    (size, block, reader, context, free))
DTVR_FUNCTION(
    MHD_NO, enum MHD_Result, MHD_add_response_header,
    (struct MHD_Response *response, const char *name, const char *value),
    (response, name, value))
DTVR_PROCEDURE(MHD_destroy_response, (struct MHD_Response *response), (response))
