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

namespace slipway {
namespace {

using interop::Remark;
using interop::Remarks;

void printRemarks(CliContext& context, const std::string& heading, const Remarks& remarks) {
    if (remarks.empty()) return;
    context.err << printable(heading) << '\n';
    for (const Remark& remark : remarks)
        context.err << "  " << wordOf(remark.kind) << "  " << printable(remark.key) << " = " << printable(remark.value)
                    << "\n      " << printable(remark.message) << '\n';
}

class ConvertCommand : public Command {
public:
    std::string name() const override { return "convert"; }
    std::string summary() const override {
        return "Translate a config from and to other frameworks; lists what cannot be said";
    }
    std::string examples() const override {
        std::string text =
            "  slipway convert llama/config.json --from huggingface --to slipway -o config.json\n"
            "  slipway convert config.json --to huggingface --json\n"
            "  slipway convert https://huggingface.co/allenai/OLMo-2-1124-7B -o olmo.json\n  Formats:";
        for (const auto& format : interop::formats())
            text += "\n    " + std::string(format.id) + "  " + std::string(format.title);
        return text;
    }
    void declare(Arguments& arguments) override {
        arguments.option("in", m_in, "File to translate, an https URL, or hf:ORG/NAME").required().shownAs("IN");
        arguments.option("--from", m_from, "Its format; default: what it looks like").shownAs("FORMAT");
        arguments.option("--to", m_to, "Format to write; default: slipway").shownAs("FORMAT");
        arguments.option("--base", m_base, "Config of ours that gives the fields IN does not say").shownAs("CONFIG");
        arguments.option("--output,-o", m_output, "File to write; default: standard output").shownAs("FILE");
        arguments.option("--devices-per-node", m_options.devicesPerNode, "Ranks of one node in launch scripts")
            .between(1, 1024);
    }
    Result<int> run(CliContext& context) override {
        const auto text = interop::isRemote(m_in) ? fetchText(context, m_in) : readFile(m_in);
        if (!text && text.error().code == "file_missing" && !interop::hubPlaceOf(m_in).empty())
            return fail("file_missing",
                        text.error().message + " For the hub's model write " + interop::hubPlaceOf(m_in) + ".", m_in);
        if (!text) return fail(text.error());
        const std::string from = m_from.empty() ? interop::guessFormat(*text) : m_from;
        if (from.empty()) return fail("usage", "This file looks like no known format; name it with --from.", m_in);
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
        printRemarks(context, "Read from " + m_in + ", not carried over as it stands:", imported->remarks);
        if (imported->unmodelledParameters != 0)
            context.err << "  The published model has " << imported->unmodelledParameters << " parameters beyond the "
                        << counted << " counted here.\n";
        printNotGiven(context, *notGiven, imported->config);
        if (imported->launch) context.err << launchText(*imported->launch) << '\n';
        printRemarks(context, "Not expressed in " + m_to + ":", exported->remarks);
        return kExitDone;
    }

private:
    /// What a run needs and the file leaves to the base; a Hugging Face config is a model alone.
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
        context.err << "Not given by " << printable(m_in) << ", so as in "
                    << (m_base.empty() ? "the defaults" : "--base") << ":\n";
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

    static std::string launchText(const interop::LaunchPlace& place) {
        std::string text = "Started on " + std::to_string(place.nodes) + (place.nodes == 1 ? " node" : " nodes");
        if (place.devicesPerNode) text += " of " + std::to_string(*place.devicesPerNode) + " devices";
        if (!place.address.empty())
            text +=
                ", rendezvous at " + printable(place.address) + (place.port.empty() ? "" : ":" + printable(place.port));
        return text + ".";
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
