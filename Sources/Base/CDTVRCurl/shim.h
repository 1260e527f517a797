#ifndef DTVRKIT_CCURL_SHIM_H
#define DTVRKIT_CCURL_SHIM_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <string.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, and Swift does not import variadic functions.
// Each argument type therefore has its own function.
static inline CURLcode dtvr_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dtvr_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dtvr_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode dtvr_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
typedef size_t (*dtvr_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode dtvr_curl_set_data_callback(CURL *handle, CURLoption option, dtvr_curl_data_callback callback) {
    return curl_easy_setopt(handle, option, callback);
}
typedef curl_socket_t (*dtvr_curl_opensocket_callback)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode dtvr_curl_set_opensocket_callback(CURL *handle, dtvr_curl_opensocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}
typedef int (*dtvr_curl_prerequest_callback)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
static inline CURLcode dtvr_curl_set_prerequest_callback(CURL *handle, dtvr_curl_prerequest_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}
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
static inline CURLcode dtvr_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dtvr_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dtvr_curl_get_string(CURL *handle, CURLINFO info, char **value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode dtvr_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}
// curl_share_setopt is variadic too.
static inline CURLSHcode dtvr_curl_share_cookies(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}
// Returns the size of all cookies that the handle knows, and sets their number.
static inline size_t dtvr_curl_cookie_bytes(CURL *handle, long *count) {
    struct curl_slist *list = NULL;
    size_t bytes = 0;
    *count = 0;
    if (curl_easy_getinfo(handle, CURLINFO_COOKIELIST, &list) != CURLE_OK) return 0;
    for (const struct curl_slist *item = list; item; item = item->next) {
        bytes += strlen(item->data);
        *count += 1;
    }
    curl_slist_free_all(list);
    return bytes;
}
static inline CURLMcode dtvr_curl_multi_set_long(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
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
static inline CURLcode dtvr_curl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

#endif
