// The numbered migrations, embedded from migrations/*.sql at build time. The n-th brings a file to schema version n; a
// released migration is never edited; a change is a new file.
#pragma once

#include <string_view>
#include <vector>

namespace slipway::store {

struct Migration {
    std::string_view name;  ///< "0001_first"
    std::string_view sql;
};

const std::vector<Migration>& migrations();

class Database;
/// Fills columns that SQL alone cannot: added by a migration above `fromVersion` and derived from stored points. Runs
/// inside the transaction of the migrations.
void fillAddedColumns(Database& db, int fromVersion);

}  // namespace slipway::store
