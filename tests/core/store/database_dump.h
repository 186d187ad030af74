// Every table of an index as text, row by row: row numbers are replaced by what they point at, so that two indexes of the
// same folders are equal exactly where they hold the same.
#pragma once

#include <QStringList>
#include <filesystem>

namespace slipway::test {

/// Sorted lines "table column=value ...".
QStringList dumpDatabase(const std::filesystem::path& index);

/// Makes an index of today's schema one of an older version, as the program of that version left it. No connection may be open.
void bringBack(const std::filesystem::path& index, int version);
/// The tables, indexes and triggers with their columns, as lines.
QStringList schemaOf(const std::filesystem::path& index);

}  // namespace slipway::test
