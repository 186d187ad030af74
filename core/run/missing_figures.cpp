#include "core/run/missing_figures.h"

#include "core/run/program_file.h"

#include <system_error>

namespace slipway {

Message missingFiguresText() {
    return "The program's output has no figures in a known format; give slipway launch a --pattern, or record them with the Python module (docs/python.md)."_text;
}

std::optional<Message> missingFigures(const RunDir& folder) {
    std::error_code code;
    if (std::filesystem::exists(folder.stopFile().parent_path() / "recorded", code)) return {};
    const auto program = readProgram(folder);
    if (!program || !*program || (*program)->log.format == "none") return {};
    return missingFiguresText();
}

}  // namespace slipway
