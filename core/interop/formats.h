// The formats Slipway translates to and from, by name.
//   auto imported = importConfig("huggingface", text, "config.json");
//   auto exported = exportConfig("megatron", imported->config, {});   // exported->remarks: fields it could not express
#pragma once

#include "core/interop/translation.h"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::interop {

struct ExportOptions {
    std::int64_t devicesPerNode = 8;  ///< launch scripts: ranks of one node
};

struct Format {
    std::string_view id;  ///< for --from and --to
    SourceText title;     ///< for people
    /// Reads the text of a file; fields missing in it keep the value of `base`.
    Result<Imported> (*read)(const std::string& text, const std::string& where, const RunConfig& base) = nullptr;
    Result<std::string> (*write)(const RunConfig& config, const ExportOptions& options) = nullptr;
    bool trainsOnGpus = true;  ///< its programs do, so its files omit it
    std::string_view software =
        {};  ///< RunConfig::software of its files: the shipped stack of its programs; empty: none known
};

const std::vector<Format>& formats();
/// "usage" with the list of names for an unknown name.
Result<const Format*> findFormat(std::string_view id);
/// The detected format of a file's text ("slipway", "huggingface", ...); empty when unknown.
std::string guessFormat(const std::string& text);

/// Omitted values are taken from `base`, or else from the defaults of the format's programs: they train on GPUs.
/// "bad_config", "json_syntax", "yaml_syntax", "toml_syntax", "usage".
Result<Imported> importConfig(std::string_view format, const std::string& text, const std::string& where,
                              const RunConfig& base = {});
/// Writes, reads the output back and lists every field that did not survive: no remark can be forgotten.
Result<Exported> exportConfig(std::string_view format, const RunConfig& config, const ExportOptions& options = {});

}  // namespace slipway::interop
