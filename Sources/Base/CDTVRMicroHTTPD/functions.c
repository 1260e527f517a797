#include "shim.h"

static struct dtvr_library library = {"libmicrohttpd.so.12", NULL};

const char *dtvr_mhd_missing(void) {
    return dtvr_library_missing(&library);
}

#include "CDTVRLibraryCalls.h"
#include "functions.h"
