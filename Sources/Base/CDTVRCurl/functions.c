#include "shim.h"

static struct dtvr_library library = {"libcurl.so.4", NULL};

const char *dtvr_curl_missing(void) {
    return dtvr_library_missing(&library);
}

#include "CDTVRLibraryCalls.h"
#include "functions.h"
