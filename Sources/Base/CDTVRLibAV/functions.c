#include "shim.h"

// It loads libavcodec and libavutil, whose functions are then found through it. Another major version has other
// structures.
static struct dtvr_library library = {"libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR), NULL};

const char *dtvr_av_missing(void) {
    const char *name = dtvr_library_missing(&library);
    // A log callback is not possible: it takes a va_list, which Swift cannot express.
    if (name == NULL) dtvr_av_log_set_level(AV_LOG_QUIET);
    return name;
}

#include "CDTVRLibraryCalls.h"
#include "functions.h"
