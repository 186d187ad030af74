// Every table of an index as text, row by row: row numbers are replaced by what they point at, so that two indexes of the
// same folders are equal exactly where they hold the same.
#pragma once

#include <QStringList>
#include <filesystem>

namespace slipway::test {

/// Sorted lines "table column=value ...".
QStringList dumpDatabase(const std::filesystem::path& index);

}  // namespace slipway::test
