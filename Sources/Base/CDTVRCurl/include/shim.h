#ifndef DTVRKIT_CCURL_SHIM_H
#define DTVRKIT_CCURL_SHIM_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <string.h>

typedef size_t (*dtvr_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*dtvr_curl_opensocket_callback)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*dtvr_curl_prerequest_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

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
