#ifndef DTVRKIT_CEMBEDDED_H
#define DTVRKIT_CEMBEDDED_H

#include <stddef.h>

// The files that programs contain: the parts of pages, and the scripts of the ledger.
//
// The C compiler copies them. As arrays in Swift, they would take 25 seconds of a build. The linker omits the files of
// the modules that a program does not contain.
//
// Each function returns the bytes of a file, which last as long as the program, and sets their number.

// Files of Sources/Products/Reporting/Page
const unsigned char *dtvr_base_css(size_t *count);
const unsigned char *dtvr_coverage_css(size_t *count);
const unsigned char *dtvr_plots_css(size_t *count);
const unsigned char *dtvr_plots_js(size_t *count);
const unsigned char *dtvr_report_css(size_t *count);
const unsigned char *dtvr_report_js(size_t *count);

// Files of Sources/Products/StreamMonitor/Page
const unsigned char *dtvr_channel_css(size_t *count);
const unsigned char *dtvr_channel_js(size_t *count);
const unsigned char *dtvr_handling_js(size_t *count);
const unsigned char *dtvr_monitor_css(size_t *count);
const unsigned char *dtvr_overview_css(size_t *count);
const unsigned char *dtvr_overview_js(size_t *count);

// Files of Sources/Tool/CollectorService/Migrations
const unsigned char *dtvr_migration_0001_sql(size_t *count);
const unsigned char *dtvr_migration_0002_sql(size_t *count);
const unsigned char *dtvr_migration_0003_sql(size_t *count);
const unsigned char *dtvr_migration_0004_sql(size_t *count);
const unsigned char *dtvr_migration_0005_sql(size_t *count);
const unsigned char *dtvr_migration_0006_sql(size_t *count);
const unsigned char *dtvr_roles_sql(size_t *count);

#define DTVR_EMBEDDED(name)                        \
    const unsigned char *dtvr_##name(size_t *count) { \
        *count = sizeof bytes_of_##name;           \
        return bytes_of_##name;                    \
    }

#endif
