#ifndef DTVRKIT_CMICROHTTPD_SHIM_H
#define DTVRKIT_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "CDTVRLibrary.h"
#include "functions.h"

// Opens the library, and returns NULL; or its name if it cannot be opened.
DTVR_HIDDEN const char *dtvr_mhd_missing(void);

// MHD_get_daemon_info returns a union. Returns 0 if the port is unknown.
static inline uint16_t dtvr_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = dtvr_mhd_port_info(daemon);
    return info == NULL ? 0 : info->port;
}

// Returns the number of bytes that the peer of a TCP socket has acknowledged, or 0 for other sockets. The C library's
// tcp_info ends before tcpi_bytes_acked, and its header conflicts with linux/tcp.h. The kernel stores the field at byte
// 120.
static inline uint64_t dtvr_acknowledged(int socket) {
    unsigned char info[256];
    socklen_t length = sizeof info;
    uint64_t count = 0;
    const int tcp_info = 11;
    if (getsockopt(socket, IPPROTO_TCP, tcp_info, info, &length) != 0 || length < 128) return 0;
    memcpy(&count, info + 120, sizeof count);
    return count;
}

// MHD_get_connection_info returns a union. Returns -1 if the socket is unknown.
static inline int dtvr_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = dtvr_mhd_socket_info(connection);
    return info == NULL ? -1 : info->connect_fd;
}

// As above. Returns what MHD_NotifyConnectionCallback has stored for the connection, or NULL.
static inline void *dtvr_mhd_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = dtvr_mhd_context_info(connection);
    return info == NULL ? NULL : info->socket_context;
}

#endif
