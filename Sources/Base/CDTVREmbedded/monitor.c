#include "CDTVREmbedded.h"

// An extension of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes_of_channel_css[] = {
#embed "../../../Sources/Products/StreamMonitor/Page/channel.css"
};
DTVR_EMBEDDED(channel_css)

static const unsigned char bytes_of_channel_js[] = {
#embed "../../../Sources/Products/StreamMonitor/Page/channel.js"
};
DTVR_EMBEDDED(channel_js)

static const unsigned char bytes_of_handling_js[] = {
#embed "../../../Sources/Products/StreamMonitor/Page/handling.js"
};
DTVR_EMBEDDED(handling_js)

static const unsigned char bytes_of_monitor_css[] = {
#embed "../../../Sources/Products/StreamMonitor/Page/monitor.css"
};
DTVR_EMBEDDED(monitor_css)

static const unsigned char bytes_of_overview_css[] = {
#embed "../../../Sources/Products/StreamMonitor/Page/overview.css"
};
DTVR_EMBEDDED(overview_css)

static const unsigned char bytes_of_overview_js[] = {
#embed "../../../Sources/Products/StreamMonitor/Page/overview.js"
};
DTVR_EMBEDDED(overview_js)
