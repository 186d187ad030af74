// Configs and launch scripts of other frameworks, and the YAML, TOML and shell text below them.
#include "core/base/quoted.h"
#include "core/interop/formats.h"
#include "core/interop/text_formats.h"
#include "core/spec/run_config.h"
#include "tests/fuzz/fuzz.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::interop;
using namespace slipway::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = textOf(data, size);
    (void)guessFormat(text);
    (void)optionsFrom({text});
    for (const Format& format : formats()) {
        const auto imported = importConfig(format.id, text, "fuzz");
        if (!valueOrError(imported)) continue;
        Issues issues;
        (void)runConfigFromJson(slipway::toJson(imported->config), issues);
        require(issues.empty(), "an imported config that cannot be read strictly");
    }
    if (const auto yaml = parseYaml(text, "fuzz"); valueOrError(yaml))
        require(parseYaml(dumpYaml(*yaml), "fuzz").has_value(), "YAML that we wrote cannot be read");
    if (const auto toml = parseToml(text, "fuzz"); valueOrError(toml))
        require(parseToml(dumpToml(*toml), "fuzz").has_value(), "TOML that we wrote cannot be read");
    const ShellScript script = readShell("run " + shellQuoted(text));
    require(text.find('\0') != std::string::npos ||
                (script.commands.size() == 1 && script.commands[0].size() == 2 && script.commands[0][1] == text),
            "a quoted word that a shell reads differently");
    return 0;
}
