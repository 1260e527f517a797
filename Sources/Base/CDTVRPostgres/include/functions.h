// The functions of libpq that this package calls; see CDTVRLibrary.h.

DTVR_FUNCTION(NULL, PQconninfoOption *, PQconninfoParse, (const char *text, char **message), (text, message))
DTVR_PROCEDURE(PQconninfoFree, (PQconninfoOption *options), (options))
DTVR_FUNCTION(
    NULL, PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expands),
    (keywords, values, expands))
DTVR_PROCEDURE(PQfinish, (PGconn *connection), (connection))
DTVR_FUNCTION(CONNECTION_BAD, ConnStatusType, PQstatus, (const PGconn *connection), (connection))
DTVR_FUNCTION(NULL, char *, PQerrorMessage, (const PGconn *connection), (connection))
DTVR_FUNCTION(0, int, PQconnectionNeedsPassword, (const PGconn *connection), (connection))
DTVR_FUNCTION(0, int, PQconnectionUsedPassword, (const PGconn *connection), (connection))
DTVR_FUNCTION(-1, int, PQsocket, (const PGconn *connection), (connection))
DTVR_FUNCTION(-1, int, PQsetnonblocking, (PGconn *connection, int value), (connection, value))
DTVR_FUNCTION(
    NULL, PQnoticeReceiver, PQsetNoticeReceiver,
    (PGconn *connection, PQnoticeReceiver receiver, void *context),
    (connection, receiver, context))
DTVR_FUNCTION(0, int, PQsendQuery, (PGconn *connection, const char *query), (connection, query))
DTVR_FUNCTION(
    0, int, PQsendPrepare,
    (PGconn *connection, const char *name, const char *query, int count, const Oid *types),
    (connection, name, query, count, types))
DTVR_FUNCTION(
    0, int, PQsendQueryParams,
    (PGconn *connection, const char *query, int count, const Oid *types, const char *const *values,
     const int *lengths, const int *formats, int format),
    (connection, query, count, types, values, lengths, formats, format))
DTVR_FUNCTION(
    0, int, PQsendQueryPrepared,
    (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
     const int *formats, int format),
    (connection, name, count, values, lengths, formats, format))
DTVR_FUNCTION(
    -1, int, PQputCopyData, (PGconn *connection, const char *bytes, int count), (connection, bytes, count))
DTVR_FUNCTION(-1, int, PQputCopyEnd, (PGconn *connection, const char *message), (connection, message))
DTVR_FUNCTION(-1, int, PQflush, (PGconn *connection), (connection))
DTVR_FUNCTION(0, int, PQconsumeInput, (PGconn *connection), (connection))
DTVR_FUNCTION(0, int, PQisBusy, (PGconn *connection), (connection))
DTVR_FUNCTION(NULL, PGresult *, PQgetResult, (PGconn *connection), (connection))
DTVR_PROCEDURE(PQclear, (PGresult *result), (result))
DTVR_FUNCTION(PGRES_FATAL_ERROR, ExecStatusType, PQresultStatus, (const PGresult *result), (result))
DTVR_FUNCTION(NULL, char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
DTVR_FUNCTION(NULL, char *, PQcmdTuples, (PGresult *result), (result))
DTVR_FUNCTION(0, int, PQnfields, (const PGresult *result), (result))
DTVR_FUNCTION(0, int, PQntuples, (const PGresult *result), (result))
DTVR_FUNCTION(1, int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
DTVR_FUNCTION(NULL, char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
DTVR_FUNCTION(NULL, PGcancel *, PQgetCancel, (PGconn *connection), (connection))
DTVR_FUNCTION(0, int, PQcancel, (PGcancel *request, char *message, int size), (request, message, size))
DTVR_PROCEDURE(PQfreeCancel, (PGcancel *request), (request))
