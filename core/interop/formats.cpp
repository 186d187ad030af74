#include "core/interop/formats.h"

#include "core/interop/huggingface.h"

#include <nlohmann/json.hpp>

namespace slipway::interop {
namespace {

Result<Imported> readSlipway(const std::string& text, const std::string& where, const RunConfig& base) {
    auto document = parseJson(text, where);
    if (!document) return fail(document.error());
    if (!document->is_object()) return fail("bad_config", "A config is an object { ... }.", where);
    Imported imported;
    Json merged = slipway::toJson(base);
    const bool plain = merged == slipway::toJson(RunConfig{});
    merged.merge_patch(*document);
    auto config = plain ? parseRunConfig(*document, where) : configFromDocument(merged, where, imported.remarks);
    if (!config) return fail(config.error());
    imported.config = std::move(*config);
    return imported;
}

Result<std::string> writeSlipway(const RunConfig& config, const ExportOptions&) {
    return dumpJson(slipway::toJson(config), true);
}

Result<Imported> readHuggingFace(const std::string& text, const std::string& where, const RunConfig& base) {
    const auto document = parseJson(text, where);
    if (!document) return fail(document.error());
    return importHuggingFace(*document, base, where);
}

Result<std::string> writeHuggingFace(const RunConfig& config, const ExportOptions&) {
    return dumpJson(huggingFaceDocument(config.model), true);
}

}  // namespace

const std::vector<Format>& formats() {
    static const std::vector<Format> all = {
        {"slipway", "Slipway config.json", readSlipway, writeSlipway},
        {"huggingface", "Hugging Face config.json (the model)", readHuggingFace, writeHuggingFace},
    };
    return all;
}

Result<const Format*> findFormat(std::string_view id) {
    std::string names;
    for (const Format& format : formats()) {
        if (format.id == id) return &format;
        names += (names.empty() ? "" : ", ") + std::string(format.id);
    }
    return fail("usage", "There is no format \"" + std::string(id) + "\"; choose one of " + names + ".");
}

std::string guessFormat(const std::string& text) {
    const auto document = parseJson(text, "");
    if (!document || !document->is_object()) return {};
    if (looksLikeHuggingFace(*document)) return "huggingface";
    return document->contains("model") || document->contains("train") ? "slipway" : "";
}

Result<Imported> importConfig(std::string_view format, const std::string& text, const std::string& where,
                              const RunConfig& base) {
    const auto found = findFormat(format);
    if (!found) return fail(found.error());
    return (*found)->read(text, where, base);
}

Result<Exported> exportConfig(std::string_view format, const RunConfig& config, const ExportOptions& options) {
    const auto found = findFormat(format);
    if (!found) return fail(found.error());
    const RunConfig shortest = canonical(config);
    auto text = (*found)->write(shortest, options);
    if (!text) return fail(text.error());
    const auto restored = (*found)->read(*text, "the text just written", RunConfig{});
    if (!restored)
        return fail("export_failed", "What was written could not be read back: " + restored.error().message);
    Exported exported;
    exported.text = std::move(*text);
    exported.remarks = lostFields(shortest, restored->config, std::string((*found)->title));
    return exported;
}

}  // namespace slipway::interop
