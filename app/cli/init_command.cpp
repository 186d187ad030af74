// init: a starting config, or a home shared by a group.
#include "app/cli/commands.h"
#include "app/cli/plan_subject.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/run/share_home.h"

#include <filesystem>
#include <map>

namespace slipway {
namespace {

/// The fields that people usually change, and the others where they differ from their defaults.
Json documentOf(const RunConfig& config) {
    std::map<std::string, std::string> defaults;
    for (const FieldInfo& info : runConfigFields()) defaults[info.path] = info.defaultJson;
    const Json whole = toJson(config);
    Json document = Json::object();
    for (const FieldInfo& info : runConfigFields(config)) {
        if (info.advanced && info.path != "schema" && info.defaultJson == defaults[info.path]) continue;
        std::string pointer = "/" + info.path;
        for (char& c : pointer)
            if (c == '.') c = '/';
        // A section that this config lacks, such as the experts of a dense model, is skipped.
        const Json::json_pointer at(pointer);
        if (whole.contains(at) && !whole[at].is_null()) document[at] = whole[at];
    }
    return document;
}

/// The home's token file, if there is exactly one.
std::string onlyTokenFile(const Home& home) {
    std::string only;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(home.corpora(), failed)) {
        if (entry.path().extension() != ".tok") continue;
        if (!only.empty()) return {};
        only = entry.path().filename().string();
    }
    return only;
}

class InitCommand : public Command {
public:
    std::string name() const override { return "init"; }
    Message summary() const override { return "Write a config to begin with, or share the home with a group"_text; }
    Examples examples() const override {
        return {{"slipway init", "a tiny model, trained on this computer"_text},
                {"slipway init tp2.json --set data.tokens=wordnet.tok --set parallel.tp=2"},
                {"slipway init big.json --model llama3-8b --cluster H100 --devices 64", "with the fastest layout"_text},
                {"slipway init --share research", "open the home to a group of this computer"_text}};
    }
    void declare(Arguments& arguments) override {
        const Argument file =
            arguments.option("file", m_file, "File to write; default: config.json"_text).shownAs("FILE");
        const Argument model =
            arguments.option("--model", m_question.model, "Model, as of slipway plan; the layout is searched"_text)
                .shownAs("MODEL");
        const Argument set =
            arguments.option("--set", m_question.settings, "Set a field: parallel.tp=2; may be repeated"_text)
                .shownAs("FIELD=VALUE")
                .oneEach();
        m_ofModel = {
            arguments.option("--cluster", m_question.cluster, kClusterHelp("H100s"_text)).shownAs("FILE|DEVICE"),
            arguments.option("--devices", m_question.devices, "Devices to lay the model out over"_text)
                .shownAs("N")
                .takes(1, 1)
                .between(1, 1000000)};
        const Argument force = arguments.flag("--force", m_force, "Replace a file that is there"_text);
        arguments.option("--share", m_group, "Write no config; give the home with all its runs to a group"_text)
            .shownAs("GROUP")
            .excludes(file)
            .excludes(model)
            .excludes(set)
            .excludes(force)
            .excludes(m_ofModel[0])
            .excludes(m_ofModel[1]);
    }
    Result<int> run(CliContext& context) override {
        if (!m_group.empty()) return share(context);
        std::error_code ignored;
        if (!m_force && std::filesystem::exists(m_file, ignored))
            return fail("usage", "This file exists; name another one, or replace it with --force."_text, m_file);
        const auto config = m_question.model.empty() ? tinyConfig(context) : modelConfig(context);
        if (!config) return fail(config.error());
        const Json document = documentOf(*config);
        if (auto written = writeFileAtomically(m_file, dumpJson(document, true)); !written)
            return fail(written.error());
        if (context.json)
            context.out << dumpJson(Json{{"output", m_file}, {"config", document}}, true);
        else
            context.out << printable(m_file) << '\n';
        context.err << "`slipway plan %1` forecasts it, `slipway launch %1` starts it."_text(m_file) << '\n';
        if (config->data.tokens.empty())
            context.note("data.tokens is empty; `slipway corpus FILE` makes a token file from text."_text);
        return kExitDone;
    }

private:
    Result<int> share(CliContext& context) const {
        const auto shared = shareHome(context.home, m_group);
        if (!shared) return fail(shared.error());
        const std::string home = context.home.path.string();
        if (context.json)
            context.out << dumpJson(
                Json{{"home", home}, {"group", m_group}, {"folders", shared->folders}, {"files", shared->files}}, true);
        else
            context.out << "%1 and the runs to come belong to the group %2."_text(home, m_group) << "\n  "
                        << "folders, mode 2770: %1"_text(shared->folders) << "\n  "
                        << "files, mode 0660: %1"_text(shared->files) << '\n';
        return kExitDone;
    }

    Result<RunConfig> tinyConfig(CliContext& context) const {
        for (const Argument& option : m_ofModel)
            if (option.given())
                return fail("usage", "--cluster and --devices lay a model out; name it with --model."_text, "--model");
        Json document = toJson(RunConfig{});
        document["data"]["tokens"] = onlyTokenFile(context.home);
        if (auto set = applySettings(document, m_question.settings); !set) return fail(set.error());
        return parseRunConfig(document, m_file);
    }

    Result<RunConfig> modelConfig(CliContext& context) {
        auto subject = subjectOf(context, m_question);
        if (!subject) return fail(subject.error());
        if (auto laidOut = layOut(context, m_question, *subject); !laidOut) return fail(laidOut.error());
        if (subject->config.data.tokens.empty()) subject->config.data.tokens = onlyTokenFile(context.home);
        return std::move(subject->config);
    }

    std::string m_group;
    std::string m_file = "config.json";
    PlanQuestion m_question;
    std::vector<Argument> m_ofModel;
    bool m_force = false;
};

}  // namespace

std::unique_ptr<Command> makeInitCommand() {
    return std::make_unique<InitCommand>();
}

}  // namespace slipway
