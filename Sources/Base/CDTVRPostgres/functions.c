#include "shim.h"

static struct dtvr_library library = {"libpq.so.5", NULL};

const char *dtvr_pq_missing(void) {
    return dtvr_library_missing(&library);
}

#include "CDTVRLibraryCalls.h"
#include "functions.h"
