// The functions of libcurl that this package calls; see CDTVRLibrary.h.

DTVR_FUNCTION(CURLE_FAILED_INIT, CURLcode, curl_global_init, (long flags), (flags))
DTVR_FUNCTION(NULL, const char *, curl_easy_strerror, (CURLcode code), (code))
DTVR_PROCEDURE(curl_free, (void *pointer), (pointer))
DTVR_FUNCTION(-1, time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused))
DTVR_FUNCTION(NULL, CURLU *, curl_url, (void), ())
DTVR_PROCEDURE(curl_url_cleanup, (CURLU *parts), (parts))
DTVR_FUNCTION(
    CURLUE_OUT_OF_MEMORY, CURLUcode, curl_url_get,
    (CURLU *parts, CURLUPart part, char **text, unsigned int flags),
    (parts, part, text, flags))
DTVR_FUNCTION(
    CURLUE_OUT_OF_MEMORY, CURLUcode, curl_url_set,
    (CURLU *parts, CURLUPart part, const char *text, unsigned int flags),
    (parts, part, text, flags))
DTVR_FUNCTION(
    NULL, struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), (list, text))
DTVR_PROCEDURE(curl_slist_free_all, (struct curl_slist *list), (list))
DTVR_FUNCTION(NULL, CURL *, curl_easy_init, (void), ())
DTVR_PROCEDURE(curl_easy_cleanup, (CURL *handle), (handle))
DTVR_FUNCTION(CURLE_FAILED_INIT, CURLcode, curl_easy_pause, (CURL *handle, int actions), (handle, actions))
DTVR_FUNCTION(NULL, CURLM *, curl_multi_init, (void), ())
DTVR_FUNCTION(CURLM_INTERNAL_ERROR, CURLMcode, curl_multi_cleanup, (CURLM *multi), (multi))
DTVR_FUNCTION(
    CURLM_INTERNAL_ERROR, CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *handle), (multi, handle))
DTVR_FUNCTION(
    CURLM_INTERNAL_ERROR, CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *handle), (multi, handle))
DTVR_FUNCTION(
    CURLM_INTERNAL_ERROR, CURLMcode, curl_multi_socket_action,
    (CURLM *multi, curl_socket_t socket, int actions, int *running),
    (multi, socket, actions, running))
DTVR_FUNCTION(NULL, CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), (multi, left))
DTVR_FUNCTION(NULL, CURLSH *, curl_share_init, (void), ())
DTVR_FUNCTION(CURLSHE_NOMEM, CURLSHcode, curl_share_cleanup, (CURLSH *share), (share))

// Each argument type of a variadic function has its own function.
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_set_long, curl_easy_setopt,
    (CURL *handle, CURLoption option, long value),
    (handle, option, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_set_offset, curl_easy_setopt,
    (CURL *handle, CURLoption option, curl_off_t value),
    (handle, option, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_set_string, curl_easy_setopt,
    (CURL *handle, CURLoption option, const char *value),
    (handle, option, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_set_pointer, curl_easy_setopt,
    (CURL *handle, CURLoption option, void *value),
    (handle, option, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_set_data_callback, curl_easy_setopt,
    (CURL *handle, CURLoption option, dtvr_curl_data_callback value),
    (handle, option, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_set_opensocket_callback, curl_easy_setopt,
    (CURL *handle, dtvr_curl_opensocket_callback value),
    (handle, CURLOPT_OPENSOCKETFUNCTION, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_set_prerequest_callback, curl_easy_setopt,
    (CURL *handle, dtvr_curl_prerequest_callback value),
    (handle, CURLOPT_PREREQFUNCTION, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_get_long, curl_easy_getinfo,
    (CURL *handle, CURLINFO info, long *value),
    (handle, info, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_get_offset, curl_easy_getinfo,
    (CURL *handle, CURLINFO info, curl_off_t *value),
    (handle, info, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_get_string, curl_easy_getinfo,
    (CURL *handle, CURLINFO info, char **value),
    (handle, info, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_get_pointer, curl_easy_getinfo,
    (CURL *handle, CURLINFO info, void **value),
    (handle, info, value))
DTVR_VARIANT(
    CURLE_FAILED_INIT, CURLcode, dtvr_curl_get_list, curl_easy_getinfo,
    (CURL *handle, CURLINFO info, struct curl_slist **value),
    (handle, info, value))
DTVR_VARIANT(
    CURLM_INTERNAL_ERROR, CURLMcode, dtvr_curl_multi_set_long, curl_multi_setopt,
    (CURLM *multi, CURLMoption option, long value),
    (multi, option, value))
DTVR_VARIANT(
    CURLM_INTERNAL_ERROR, CURLMcode, dtvr_curl_multi_set_pointer, curl_multi_setopt,
    (CURLM *multi, CURLMoption option, void *value),
    (multi, option, value))
DTVR_VARIANT(
    CURLM_INTERNAL_ERROR, CURLMcode, dtvr_curl_multi_set_socket_callback, curl_multi_setopt,
    (CURLM *multi, dtvr_curl_socket_callback value),
    (multi, CURLMOPT_SOCKETFUNCTION, value))
DTVR_VARIANT(
    CURLM_INTERNAL_ERROR, CURLMcode, dtvr_curl_multi_set_timer_callback, curl_multi_setopt,
    (CURLM *multi, dtvr_curl_timer_callback value),
    (multi, CURLMOPT_TIMERFUNCTION, value))
DTVR_VARIANT(
    CURLSHE_NOMEM, CURLSHcode, dtvr_curl_share_cookies, curl_share_setopt, (CURLSH *share),
    (share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE))
