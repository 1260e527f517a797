#ifndef DTVRKIT_CPOSTGRES_SHIM_H
#define DTVRKIT_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

// The field codes are character macros, which Swift imports as signed characters.
static inline const char *dtvr_pq_state(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}
static inline const char *dtvr_pq_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

// Discards the notices of a connection, which libpq would print to standard error.
static inline void dtvr_pq_ignore_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}
static inline void dtvr_pq_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, dtvr_pq_ignore_notice, 0);
}

#endif
