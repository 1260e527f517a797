#include "CDTVREmbedded.h"

// An extension of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes_of_migration_0001_sql[] = {
#embed "../../../Sources/Tool/CollectorService/Migrations/migration_0001.sql"
};
DTVR_EMBEDDED(migration_0001_sql)

static const unsigned char bytes_of_migration_0002_sql[] = {
#embed "../../../Sources/Tool/CollectorService/Migrations/migration_0002.sql"
};
DTVR_EMBEDDED(migration_0002_sql)

static const unsigned char bytes_of_migration_0003_sql[] = {
#embed "../../../Sources/Tool/CollectorService/Migrations/migration_0003.sql"
};
DTVR_EMBEDDED(migration_0003_sql)

static const unsigned char bytes_of_migration_0004_sql[] = {
#embed "../../../Sources/Tool/CollectorService/Migrations/migration_0004.sql"
};
DTVR_EMBEDDED(migration_0004_sql)

static const unsigned char bytes_of_migration_0005_sql[] = {
#embed "../../../Sources/Tool/CollectorService/Migrations/migration_0005.sql"
};
DTVR_EMBEDDED(migration_0005_sql)

static const unsigned char bytes_of_migration_0006_sql[] = {
#embed "../../../Sources/Tool/CollectorService/Migrations/migration_0006.sql"
};
DTVR_EMBEDDED(migration_0006_sql)

static const unsigned char bytes_of_roles_sql[] = {
#embed "../../../Sources/Tool/CollectorService/Migrations/roles.sql"
};
DTVR_EMBEDDED(roles_sql)
