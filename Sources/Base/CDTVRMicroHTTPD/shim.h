#ifndef DTVRKIT_CMICROHTTPD_SHIM_H
#define DTVRKIT_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

// MHD_start_daemon takes its options as a variadic list, which Swift does not import; the array form is one option.
static inline struct MHD_Daemon *dtvr_mhd_start(
    unsigned int flags, uint16_t port, MHD_AccessHandlerCallback handler, void *context,
    struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, port, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

// MHD_get_daemon_info is variadic and answers with a union; 0 where the port is not known.
static inline uint16_t dtvr_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info == NULL ? 0 : info->port;
}

#endif
