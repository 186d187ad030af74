#include "core/base/ids.h"
#include "core/base/json_fields.h"
#include "core/corpus/corpus.h"

#include <algorithm>

namespace slipway {

std::string corpusNameOf(const std::filesystem::path& text) {
    const std::string file = text.filename().string();
    std::string out;
    for (const char c : file.substr(0, file.find('.', 1)).substr(0, 80))
        if (isSafeId(std::string("a") + c))
            out += c;
        else if (!out.empty() && out.back() != '-')
            out += '-';
    while (out.ends_with('-')) out.pop_back();
    out.erase(0, std::min(out.size(), out.find_first_not_of(".-")));
    return out;
}

CorpusSpec corpusSpecFromJson(const Json& json, Issues& issues, const std::string& prefix) {
    CorpusSpec spec;
    fields::readStruct(json, spec, prefix, issues);
    if (hasErrors(issues)) return spec;
    if (!isSafeId(spec.name))
        fields::addIssue(
            issues, "corpus_bad_spec", fields::dotted(prefix, "name"),
            "name must be 1 to 80 letters, digits, dots, underscores or dashes; it becomes a file name."_text);
    if (spec.sources.empty())
        fields::addIssue(issues, "corpus_bad_spec", fields::dotted(prefix, "sources"),
                         "sources must name at least one text file."_text);
    return spec;
}

Json toJson(const CorpusSpec& spec) {
    return fields::toJson(spec);
}

}  // namespace slipway
