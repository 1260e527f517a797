#include "CDTVREmbedded.h"

// An extension of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes_of_base_css[] = {
#embed "../../../Sources/Products/Reporting/Page/base.css"
};
DTVR_EMBEDDED(base_css)

static const unsigned char bytes_of_coverage_css[] = {
#embed "../../../Sources/Products/Reporting/Page/coverage.css"
};
DTVR_EMBEDDED(coverage_css)

static const unsigned char bytes_of_plots_css[] = {
#embed "../../../Sources/Products/Reporting/Page/plots.css"
};
DTVR_EMBEDDED(plots_css)

static const unsigned char bytes_of_plots_js[] = {
#embed "../../../Sources/Products/Reporting/Page/plots.js"
};
DTVR_EMBEDDED(plots_js)

static const unsigned char bytes_of_report_css[] = {
#embed "../../../Sources/Products/Reporting/Page/report.css"
};
DTVR_EMBEDDED(report_css)

static const unsigned char bytes_of_report_js[] = {
#embed "../../../Sources/Products/Reporting/Page/report.js"
};
DTVR_EMBEDDED(report_js)
