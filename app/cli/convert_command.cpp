// convert: configs of other frameworks in and out.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "app/cli/remote_text.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/interop/formats.h"
#include "core/interop/key_reader.h"
#include "core/interop/stated_fields.h"
#include "core/planner/count/parameters.h"

#include <nlohmann/json.hpp>

#include <map>

namespace slipway {
namespace {

using interop::Remark;
using interop::Remarks;

void printRemarks(CliContext& context, const Message& heading, const Remarks& remarks) {
    if (remarks.empty()) return;
    context.err << heading << '\n';
    std::map<interop::RemarkKind, std::size_t> met;
    for (const Remark& remark : remarks)
        if (++met[remark.kind] <= kListedProblems)
            context.err << "  " << meaningOf(remark.kind) << ": " << printable(remark.key) << " = "
                        << printable(remark.value) << "\n      " << context.text(remark.message) << '\n';
    for (const auto& [kind, number] : met)
        if (number > kListedProblems)
            context.err << "  " << meaningOf(kind) << ": "
                        << "%1 more; list all with --json."_text(static_cast<std::int64_t>(number - kListedProblems))
                        << '\n';
}

class ConvertCommand : public Command {
public:
    std::string name() const override { return "convert"; }
    Message summary() const override {
        return "Convert a config from and to other frameworks; list what cannot be expressed"_text;
    }
    Examples examples() const override {
        Examples examples{{"slipway convert llama/config.json --from huggingface --to slipway -o config.json"},
                          {"slipway convert config.json --to huggingface --json"},
                          {"slipway convert https://huggingface.co/allenai/OLMo-2-1124-7B -o olmo.json"},
                          {"", "Formats:"_text}};
        for (const auto& format : interop::formats()) examples.push_back({"  " + std::string(format.id), format.title});
        return examples;
    }
    void declare(Arguments& arguments) override {
        arguments.option("in", m_in, "File to convert, an https URL, or hf:ORG/NAME"_text).required().shownAs("IN");
        arguments.option("--from", m_from, "Its format; default: detected"_text).shownAs("FORMAT");
        arguments.option("--to", m_to, "Format to write; default: slipway"_text).shownAs("FORMAT");
        arguments.option("--base", m_base, "Slipway config with the fields that IN does not give"_text)
            .shownAs("CONFIG");
        arguments.option("--output,-o", m_output, "File to write; default: standard output"_text).shownAs("FILE");
        arguments.option("--devices-per-node", m_options.devicesPerNode, "Ranks of one node in launch scripts"_text)
            .between(1, 1024);
    }
    Result<int> run(CliContext& context) override {
        const auto text = interop::isRemote(m_in) ? fetchText(context, m_in) : readFile(m_in);
        if (!text && text.error().code == "file_missing" && !interop::hubPlaceOf(m_in).empty())
            return fail("file_missing",
                        "%1 For the hub's model write %2."_text(text.error().sentence(), interop::hubPlaceOf(m_in)),
                        m_in);
        if (!text) return fail(text.error());
        const std::string from = m_from.empty() ? interop::guessFormat(*text) : m_from;
        if (from.empty())
            return fail("usage", "The format of this file was not detected; name it with --from."_text, m_in);
        RunConfig base;
        if (!m_base.empty()) {
            const auto json = readJsonFile(m_base);
            if (!json) return fail(json.error());
            auto parsed = parseRunConfig(*json, m_base);
            if (!parsed) return fail(parsed.error());
            base = std::move(*parsed);
        }
        const auto imported = interop::importConfig(from, *text, m_in, base);
        if (!imported) return fail(imported.error());
        const auto notGiven = fieldsNotGiven(from, *text, base);
        if (!notGiven) return fail(notGiven.error());
        const auto exported = interop::exportConfig(m_to, imported->config, m_options);
        if (!exported) return fail(exported.error());
        if (!m_output.empty())
            if (auto written = writeFileAtomically(m_output, exported->text); !written) return fail(written.error());

        const auto counted = static_cast<std::int64_t>(countParameters(imported->config.model).total);
        if (context.json) {
            context.out << dumpJson(Json{{"from", from},
                                         {"to", m_to},
                                         {"output", m_output.empty() ? Json(nullptr) : Json(m_output)},
                                         {"text", exported->text},
                                         {"config", toJson(imported->config)},
                                         {"parameters", counted},
                                         {"unmodelled_parameters", imported->unmodelledParameters},
                                         {"issues", issuesJson(validate(imported->config))},
                                         {"launch", launchJson(*imported)},
                                         {"not_given", *notGiven},
                                         {"read", toJson(imported->remarks)},
                                         {"not_expressed", toJson(exported->remarks)}},
                                    true);
            return kExitDone;
        }
        const std::string& document = exported->text;
        if (m_output.empty()) context.out << document;
        printRemarks(context, "Read from %1, not carried over unchanged:"_text(m_in), imported->remarks);
        if (imported->unmodelledParameters != 0)
            context.err << "  "
                        << "The published model has %1 parameters beyond the %2 counted here."_text(
                               imported->unmodelledParameters, counted)
                        << '\n';
        printNotGiven(context, *notGiven, imported->config);
        if (imported->launch) context.err << launchText(*imported->launch) << '\n';
        printRemarks(context, "Not expressed in %1:"_text(m_to), exported->remarks);
        return kExitDone;
    }

private:
    /// Required fields that the file leaves to the base; a Hugging Face config is only a model.
    Result<std::vector<std::string>> fieldsNotGiven(const std::string& from, const std::string& text,
                                                    const RunConfig& base) const {
        std::vector<std::string> fields;
        if (from == "slipway") return fields;
        const auto stated = interop::statedFields(from, text, m_in, base);
        if (!stated) return fail(stated.error());
        for (const std::string& field : interop::essentialFields())
            if (!stated->contains(field) && !field.starts_with("checkpoint.") &&
                (from != "huggingface" || field.starts_with("model.")))
                fields.push_back(field);
        return fields;
    }

    void printNotGiven(CliContext& context, const std::vector<std::string>& fields, const RunConfig& config) const {
        if (fields.empty()) return;
        const Json document = toJson(config);
        context.err << (m_base.empty() ? "Not given by %1, so from the defaults:"_text
                                       : "Not given by %1, so from --base:"_text)(m_in)
                    << '\n';
        for (const std::string& field : fields) {
            const Json* value = interop::peek(document, field);
            context.err << "  " << field << " = " << (value != nullptr ? dumpJson(*value, false) : "null") << '\n';
        }
    }

    static Json launchJson(const interop::Imported& imported) {
        if (!imported.launch) return nullptr;
        const interop::LaunchPlace& place = *imported.launch;
        const auto given = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
        return {{"nodes", place.nodes},
                {"devices_per_node", place.devicesPerNode ? Json(*place.devicesPerNode) : Json(nullptr)},
                {"ranks", imported.worldSize ? Json(*imported.worldSize) : Json(nullptr)},
                {"address", given(place.address)},
                {"port", given(place.port)}};
    }

    static Message launchText(const interop::LaunchPlace& place) {
        const Message nodes = plural(place.nodes, "%1 node"_text, "%1 nodes"_text)(place.nodes);
        const Message devices = place.devicesPerNode ? "%1 of %2 devices"_text(nodes, *place.devicesPerNode) : nodes;
        if (place.address.empty()) return "Started on %1."_text(devices);
        return "Started on %1, rendezvous at %2."_text(devices,
                                                       place.address + (place.port.empty() ? "" : ":" + place.port));
    }

    static Json issuesJson(const Issues& issues) {
        Json list = Json::array();
        for (const Issue& issue : issues)
            list.push_back({{"code", issue.code}, {"field", issue.field}, {"message", issue.message}});
        return list;
    }

    std::string m_in, m_from, m_to = "slipway", m_base, m_output;
    interop::ExportOptions m_options;
};

}  // namespace

std::unique_ptr<Command> makeConvertCommand() {
    return std::make_unique<ConvertCommand>();
}

}  // namespace slipway
