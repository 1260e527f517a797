#ifndef DTVRKIT_CCURL_SHIM_H
#define DTVRKIT_CCURL_SHIM_H

#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

typedef size_t (*dtvr_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*dtvr_curl_opensocket_callback)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*dtvr_curl_prerequest_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
typedef int (*dtvr_curl_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *context, void *data);
typedef int (*dtvr_curl_timer_callback)(CURLM *handle, long milliseconds, void *context);

#include "CDTVRLibrary.h"
#include "functions.h"

// Opens the library, and returns NULL; or its name if it cannot be opened.
DTVR_HIDDEN const char *dtvr_curl_missing(void);

// Copies the address in network byte order and returns its size: 4, 16, or 0 if the family is neither IPv4 nor IPv6.
// The sockaddr of a curl_sockaddr extends past its declared end, which Swift cannot express.
static inline unsigned int dtvr_curl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        memcpy(bytes, &((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        memcpy(bytes, &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr, 16);
        return 16;
    }
    return 0;
}
// Returns the size of all cookies that the handle knows, and sets their number.
static inline size_t dtvr_curl_cookie_bytes(CURL *handle, long *count) {
    struct curl_slist *list = NULL;
    size_t bytes = 0;
    *count = 0;
    if (dtvr_curl_get_list(handle, CURLINFO_COOKIELIST, &list) != CURLE_OK) return 0;
    for (const struct curl_slist *item = list; item; item = item->next) {
        bytes += strlen(item->data);
        *count += 1;
    }
    dtvr_curl_slist_free_all(list);
    return bytes;
}
// CURL_SOCKET_TIMEOUT is a macro for another one.
static inline curl_socket_t dtvr_curl_socket_timeout(void) {
    return CURL_SOCKET_TIMEOUT;
}
// Sets the callbacks of a multi handle that is driven by curl_multi_socket_action, or none.
static inline void dtvr_curl_multi_set_callbacks(
    CURLM *handle, dtvr_curl_socket_callback socket, dtvr_curl_timer_callback timer, void *context) {
    dtvr_curl_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, context);
    dtvr_curl_multi_set_pointer(handle, CURLMOPT_TIMERDATA, context);
    dtvr_curl_multi_set_socket_callback(handle, socket);
    dtvr_curl_multi_set_timer_callback(handle, timer);
}
// Watches a socket for the events of CURL_POLL_IN and the like, and remembers the number of its owner. A socket that
// was closed is no longer watched.
static inline void dtvr_epoll_watch(int epoll, int socket, int what, int owner) {
    struct epoll_event event = {.events = 0, .data = {.u64 = (uint64_t)owner << 32 | (uint32_t)socket}};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event);
        return;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST) {
        epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event);
    }
}
// Opens an epoll instance that also watches an event, or returns -1.
static inline int dtvr_epoll_open(int *event) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    *event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (epoll >= 0 && *event >= 0) {
        dtvr_epoll_watch(epoll, *event, CURL_POLL_IN, 0);
        return epoll;
    }
    if (epoll >= 0) close(epoll);
    if (*event >= 0) close(*event);
    return -1;
}
// Signals the event; callable from any thread. The only error is that it is signaled already.
static inline void dtvr_epoll_signal(int event) {
    eventfd_write(event, 1);
}
// Waits, and writes the ready sockets with their owners and CURL_CSELECT_ bits; returns their number. Resets the event.
static inline int dtvr_epoll_wait(
    int epoll, int event, int milliseconds, int capacity, int *sockets, int *owners, int *actions) {
    struct epoll_event ready[256];
    int count = epoll_wait(epoll, ready, capacity < 256 ? capacity : 256, milliseconds);
    int taken = 0;
    for (int index = 0; index < count; index++) {
        if (ready[index].data.fd == event) {
            eventfd_t value;
            eventfd_read(event, &value);
            continue;
        }
        unsigned int events = ready[index].events;
        sockets[taken] = ready[index].data.fd;
        owners[taken] = (int)(ready[index].data.u64 >> 32);
        actions[taken] = (events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0)
            | (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) | (events & EPOLLERR ? CURL_CSELECT_ERR : 0);
        taken++;
    }
    return taken;
}
// The result is in a union in CURLMsg.
static inline CURLcode dtvr_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}
// CURLAUTH_BEARER is a macro with a cast.
static inline unsigned long dtvr_curl_auth_bearer(void) {
    return CURLAUTH_BEARER;
}
// CURL_GLOBAL_DEFAULT expands to other macros.
static inline CURLcode dtvr_curl_start(void) {
    return dtvr_curl_global_init(CURL_GLOBAL_DEFAULT);
}

#endif
