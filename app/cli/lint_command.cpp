// lint: mistakes in a launch script's facts, or in a config.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/answers/lint_answer.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/interop/formats.h"
#include "core/planner/advice/lint.h"

namespace slipway {
namespace {

class LintCommand : public Command {
public:
    std::string name() const override { return "lint"; }
    Message summary() const override { return "Mistakes in a training script's plan, or in a config"_text; }
    Examples examples() const override {
        return {{"slipway lint pretrain.sh", "a config, launch script or DeepSpeed file of another framework"_text},
                {"slipway lint script.json", "facts of any framework's script, such as"_text},
                {"", "{\"num_steps\": 477, \"save_every\": 1000, \"writer\": \"local_rank_0\"}"_text},
                {"slipway lint config.json --cluster h100.json"},
                {"slipway lint --facts", "facts about a script"_text},
                {"slipway lint --rules", "all rules and where their mistakes were seen"_text}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("file", m_file, "Facts of a script, a config, or a file that slipway convert reads"_text)
            .shownAs("FILE");
        arguments.option("--cluster", m_cluster, kClusterHelp(kDefaultOfConfig)).shownAs("FILE|DEVICE");
        arguments.flag("--facts", m_facts, "List the facts"_text);
        arguments.flag("--rules", m_rules, "List the rules"_text);
    }
    Result<int> run(CliContext& context) override {
        if (m_facts) return listFacts(context);
        if (m_rules) return listRules(context);
        if (m_file.empty()) return fail("usage", "Name a file; `slipway lint --help` lists its formats."_text, "file");
        const auto issues = read(context);
        if (!issues) return fail(issues.error());
        if (context.json) {
            Json list = Json::array();
            for (const Issue& issue : *issues) {
                const char* evidence = evidenceOf(issue.code);
                list.push_back({{"severity", issue.severity == Severity::Error     ? "error"
                                             : issue.severity == Severity::Warning ? "warning"
                                                                                   : "info"},
                                {"code", issue.code},
                                {"field", issue.field},
                                {"message", issue.message},
                                {"evidence", evidence != nullptr ? Json(evidence) : Json(nullptr)}});
            }
            context.out << dumpJson(list, true);
        } else if (issues->empty()) {
            context.out << "No mistake found."_text << '\n';
        } else {
            printIssues(context.out, *issues, context.outColour, context.language);
        }
        return hasErrors(*issues) ? kExitFailed : kExitDone;
    }

private:
    Result<Issues> read(CliContext& context) const {
        const auto content = readFile(m_file);
        if (!content) return fail(content.error());
        const std::string format = interop::guessFormat(*content);
        const bool isForeign = !format.empty() && format != "slipway";
        std::optional<ClusterSpec> hardware;
        const auto json = isForeign ? Result<Json>(Json()) : parseJson(*content, m_file);
        if (!json) return fail(json.error());
        if (isRunConfigDocument(*json)) {
            const auto config = loadConfig(m_file, {});
            if (!config) return fail(config.error());
            auto cluster = clusterOf(context, m_cluster, *config, config->parallel.worldSize());
            if (!cluster) return fail(cluster.error());
            hardware = std::move(*cluster);
        } else if (!m_cluster.empty() && !isForeign) {
            hardware.emplace();  // refused below: facts have no hardware
        } else if (!m_cluster.empty()) {
            RunConfig base;
            base.train.device = DeviceKind::Gpu;
            const auto imported = interop::importConfig(format, *content, m_file, base);
            auto named = clusterFor(context, m_cluster, imported ? imported->config.parallel.worldSize() : 1);
            if (!named) return fail(named.error());
            hardware = std::move(*named);
        }
        const auto found = lintText(*content, m_file, hardware);
        if (!found && found.error().where == "cluster")
            return fail(found.error().code, found.error().sentence(), "--cluster");
        if (!found) return fail(found.error());
        return found->issues;
    }

    static Result<int> listFacts(CliContext& context) {
        Json list = Json::array();
        for (const FieldInfo& info : runScriptFields()) {
            list.push_back(Json{{"fact", info.path},
                                {"unit", info.unit.english()},
                                {"help", info.help.english()},
                                {"choices", info.choices}});
            if (!context.json)
                context.out << info.path << (info.unit.empty() ? "" : " (" + context.text(info.unit) + ")") << "  "
                            << context.text(info.help) << '\n';
        }
        if (context.json) context.out << dumpJson(list, true);
        return kExitDone;
    }

    static Result<int> listRules(CliContext& context) {
        Json list = Json::array();
        FactLines lines;
        for (const LintRule& rule : lintRules()) {
            list.push_back({{"code", rule.code}, {"evidence", rule.evidence}});
            lines.emplace_back(rule.code, rule.evidence);
        }
        if (context.json)
            context.out << dumpJson(list, true);
        else
            printFacts(context.out, lines);
        return kExitDone;
    }

    std::string m_file, m_cluster;
    bool m_facts = false, m_rules = false;
};

}  // namespace

std::unique_ptr<Command> makeLintCommand() {
    return std::make_unique<LintCommand>();
}

}  // namespace slipway
