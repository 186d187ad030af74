// fields: the reference page of the config, from the field tables.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/json_fields.h"
#include "core/spec/run_config.h"
#include "core/sweep/sweep_file.h"

namespace slipway {
namespace {

SourceText kindText(const FieldInfo& info) {
    switch (info.kind) {
        case FieldKind::Bool: return "true/false"_text;
        case FieldKind::Integer: return "integer"_text;
        case FieldKind::Real: return "number"_text;
        case FieldKind::Text: return "text"_text;
        case FieldKind::Enum: return "choice"_text;
        case FieldKind::IntegerList: return "list of integers"_text;
        case FieldKind::RealList: return "list of numbers"_text;
        case FieldKind::TextList: return "list of texts"_text;
        case FieldKind::StructList: return "list of objects"_text;
    }
    return {};
}

Message rangeText(const FieldInfo& info) {
    std::string out;
    for (const std::string& word : info.choices) out += (out.empty() ? "" : " | ") + word;
    if (!out.empty()) return Message::name(out);
    const bool low = info.minimum > -std::numeric_limits<double>::infinity();
    const bool high = info.maximum < std::numeric_limits<double>::infinity();
    const auto number = [](double value) { return fields::numberText(value); };
    if (low && high) return "%1 to %2"_text(number(info.minimum), number(info.maximum));
    return low ? "at least %1"_text(number(info.minimum)) : high ? "at most %1"_text(number(info.maximum)) : Message();
}

Json fieldJson(const FieldInfo& info) {
    return Json{{"path", info.path},
                {"kind", kindText(info).english()},
                {"optional", info.isOptional},
                {"unit", info.unit.english()},
                {"help", info.help.english()},
                {"minimum", jsonNumber(info.minimum)},
                {"maximum", jsonNumber(info.maximum)},
                {"choices", info.choices},
                {"default", Json::parse(info.defaultJson)},
                {"applies_when", info.appliesWhen.english()},
                {"advanced", info.advanced}};
}

class FieldsCommand : public Command {
public:
    std::string name() const override { return "fields"; }
    Message summary() const override { return "Reference of all config fields"_text; }
    Examples examples() const override {
        return {{"slipway fields"},
                {"slipway fields parallel", "one section"_text},
                {"slipway fields parallel.tp", "one field, in full"_text},
                {"slipway fields sweep", "search and stop rules of a sweep file"_text},
                {"slipway fields --json"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("prefix", m_prefix, "Section or field"_text).shownAs("PATH");
    }
    Result<int> run(CliContext& context) override {
        FieldInfos chosen;
        std::vector<std::string> known;
        const bool isSweep = m_prefix == "sweep" || m_prefix.starts_with("sweep.");
        for (FieldInfo& info : isSweep ? sweepFields() : runConfigFields()) {
            known.push_back(info.path);
            for (std::size_t dot = info.path.find('.'); dot != std::string::npos; dot = info.path.find('.', dot + 1))
                known.push_back(info.path.substr(0, dot));
            if (m_prefix.empty() || info.path == m_prefix || info.path.starts_with(m_prefix + "."))
                chosen.push_back(std::move(info));
        }
        if (chosen.empty()) {
            const std::string near = nearestKey(m_prefix, known);
            return fail("unknown_field", near.empty()
                                             ? "Unknown field or section: %1."_text(m_prefix)
                                             : "Unknown field or section: %1; did you mean %2?"_text(m_prefix, near));
        }
        if (context.json) {
            Json list = Json::array();
            for (const FieldInfo& info : chosen) list.push_back(fieldJson(info));
            context.out << dumpJson(list, true);
            return kExitDone;
        }
        for (const FieldInfo& info : chosen) {
            std::vector<Message> facts{kindText(info)};
            if (!info.unit.empty()) facts.emplace_back(info.unit);
            if (const Message range = rangeText(info); !range.empty()) facts.push_back(range);
            facts.push_back(info.defaultJson == "null" ? Message("default none"_text)
                                                       : "default %1"_text(info.defaultJson));
            if (!info.appliesWhen.empty()) facts.push_back("only when %1"_text(info.appliesWhen));
            context.out << info.path << "  " << context.text(listOf(facts)) << "\n    " << context.text(info.help)
                        << '\n';
        }
        return kExitDone;
    }

private:
    std::string m_prefix;
};

}  // namespace

std::unique_ptr<Command> makeFieldsCommand() {
    return std::make_unique<FieldsCommand>();
}

}  // namespace slipway
