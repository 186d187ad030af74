// The readers and writers of the formats, one source each; formats.cpp lists them. Private to this room.
#pragma once

#include "core/interop/formats.h"

namespace slipway::interop {

using Text = const std::string&;

Result<Imported> readMegatron(Text text, Text where, const RunConfig& base);
Result<std::string> writeMegatron(const RunConfig& config, const ExportOptions& options);
Result<Imported> readDeepSpeed(Text text, Text where, const RunConfig& base);
Result<std::string> writeDeepSpeed(const RunConfig& config, const ExportOptions& options);
Result<Imported> readTorchtitan(Text text, Text where, const RunConfig& base);
Result<std::string> writeTorchtitan(const RunConfig& config, const ExportOptions& options);
Result<Imported> readNanotron(Text text, Text where, const RunConfig& base);
Result<std::string> writeNanotron(const RunConfig& config, const ExportOptions& options);
Result<Imported> readNeox(Text text, Text where, const RunConfig& base);
Result<std::string> writeNeox(const RunConfig& config, const ExportOptions& options);
Result<Imported> readOlmo(Text text, Text where, const RunConfig& base);
Result<std::string> writeOlmo(const RunConfig& config, const ExportOptions& options);
Result<Imported> readOlmoCore(Text text, Text where, const RunConfig& base);
Result<std::string> writeOlmoCore(const RunConfig& config, const ExportOptions& options);
Result<Imported> readLaunchScript(Text text, Text where, const RunConfig& base);
Result<std::string> writeTorchrun(const RunConfig& config, const ExportOptions& options);
Result<std::string> writeDeepSpeedLauncher(const RunConfig& config, const ExportOptions& options);
Result<std::string> writeSbatch(const RunConfig& config, const ExportOptions& options);

/// Megatron-LM's options of a config, by name without hyphens in front.
Json megatronOptions(const RunConfig& config);
/// The reverse. @param worldSize ranks in all, where known: it gives the data-parallel degree
Result<Imported> importMegatronOptions(const Json& options, Text where, const RunConfig& base,
                                       std::optional<std::int64_t> worldSize);
/// DeepSpeed's document of a config.
Json deepSpeedDocument(const RunConfig& config);
/// Options as words of a command line, flags without value.
std::vector<std::string> optionWords(const Json& options);

}  // namespace slipway::interop
