#ifndef DTVRKIT_CPOSTGRES_SHIM_H
#define DTVRKIT_CPOSTGRES_SHIM_H

// Debian has a folder for it, which pkg-config names; but pkg-config would also link the library.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

#include "CDTVRLibrary.h"
#include "functions.h"

// Opens the library, and returns NULL; or its name if it cannot be opened.
DTVR_HIDDEN const char *dtvr_pq_missing(void);

// The field codes are character macros, which Swift imports as signed characters.
static inline const char *dtvr_pq_state(const PGresult *result) {
    return dtvr_PQresultErrorField(result, PG_DIAG_SQLSTATE);
}
static inline const char *dtvr_pq_message(const PGresult *result) {
    return dtvr_PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

// Discards the notices of a connection, which libpq would print to standard error.
static inline void dtvr_pq_ignore_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}
static inline void dtvr_pq_ignore_notices(PGconn *connection) {
    dtvr_PQsetNoticeReceiver(connection, dtvr_pq_ignore_notice, 0);
}

#endif
