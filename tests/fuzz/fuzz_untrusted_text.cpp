// The writers of strangers' text: whatever bytes come in, what goes out is UTF-8 that steers nothing.
#include "core/base/csv_table.h"
#include "core/base/json.h"
#include "core/base/untrusted_text.h"
#include "core/base/utf8.h"
#include "tests/fuzz/fuzz.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

void requireTame(const std::string& text, bool lines) {
    for (std::size_t at = 0; at < text.size();) {
        require(utf8Length(text, at) > 0, "text that is not UTF-8");
        const char32_t c = nextCodePoint(text, at);
        require(!steersText(c) || (lines && (c == '\n' || c == '\t')), "text that steers");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = textOf(data, size);
    const UntrustedText text(bytes);
    for (const std::string& written :
         {text.plain(), text.terminal(), text.html(), text.markdown(), text.csv(), text.tsv()})
        requireTame(written, false);
    for (const std::string& written : {text.plainLines(), text.terminalLines()}) requireTame(written, true);
    const std::string plain = text.plain(), html = text.html(), json = dumpJson(Json(bytes), false);
    require(UntrustedText(plain).plain() == plain, "plain text that is not plain");
    require(html.find_first_of("<>\"'") == std::string::npos, "markup in HTML");
    requireTame(json, false);
    const auto read = parseJson(json, "json");
    require(read && (!checkText(bytes, "text") || read->get<std::string>() == bytes), "JSON that changes its text");
    require(checkName(repairedName(bytes), "name").has_value(), "a repaired name that is not a name");
    const auto table = CsvTable::parse("a,b\n" + text.csv() + ",1\n", "table");
    require(table && table->numRows() == 1 && table->cells(0).size() == 2, "a CSV field that is not one field");
    const std::string& cell = table->cells(0)[0];
    require(cell == plain || cell == "'" + plain, "a CSV field with another text");
    return 0;
}
