// lint: mistakes in a launch script's facts, or in a config.
#include "app/cli/planner_commands.h"
#include "app/cli/print.h"
#include "app/cli/run_tools.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/interop/stated_fields.h"
#include "core/planner/advice/lint.h"

namespace slipway {
namespace {

class LintCommand : public Command {
public:
    std::string name() const override { return "lint"; }
    std::string summary() const override { return "Mistakes in a training script's plan, or in a config"; }
    std::string examples() const override {
        return "  slipway lint pretrain.sh       a config, launch script or DeepSpeed file of another framework\n"
               "  slipway lint script.json       facts of any framework's script, such as\n"
               "                                 {\"num_steps\": 477, \"save_every\": 1000, \"writer\": \"local_rank_0\"}\n"
               "  slipway lint config.json --cluster h100.json\n"
               "  slipway lint --facts           what can be stated about a script\n"
               "  slipway lint --rules           all rules and where their mistakes were seen";
    }
    void declare(Arguments& arguments) override {
        arguments.option("file", m_file, "Facts of a script, a config, or a file that slipway convert reads")
            .shownAs("FILE");
        arguments.option("--cluster", m_cluster, std::string(kClusterHelp) + kDefaultOfConfig).shownAs("FILE|DEVICE");
        arguments.flag("--facts", m_facts, "List the facts");
        arguments.flag("--rules", m_rules, "List the rules");
    }
    Result<int> run(CliContext& context) override {
        if (m_facts) return listFacts(context);
        if (m_rules) return listRules(context);
        if (m_file.empty()) return fail("usage", "Name a file; `slipway lint --help` shows what it may hold.", "file");
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
            context.out << "No mistake found.\n";
        } else {
            printIssues(context.out, *issues, context.outColour, context.language);
        }
        return hasErrors(*issues) ? kExitFailed : kExitDone;
    }

private:
    Result<Issues> read(CliContext& context) const {
        const auto content = readFile(m_file);
        if (!content) return fail(content.error());
        if (const std::string format = interop::guessFormat(*content); !format.empty() && format != "slipway")
            return readForeign(context, format, *content);
        const auto json = readJsonFile(m_file);
        if (!json) return fail(json.error());
        // A config of ours has sections; a script's facts are flat.
        if (json->is_object() && (json->contains("train") || json->contains("parallel") || json->contains("model"))) {
            const auto config = loadConfig(m_file, {});
            if (!config) return fail(config.error());
            const auto cluster = clusterOf(context, m_cluster, *config, config->parallel.worldSize());
            if (!cluster) return fail(cluster.error());
            Issues issues = validate(*config);
            if (hasErrors(issues)) return issues;
            const Issues more = lint(runScriptOf(*config, *cluster));
            issues.insert(issues.end(), more.begin(), more.end());
            return issues;
        }
        if (!m_cluster.empty())
            return fail("usage",
                        "Only a config has hardware; state devices, device_bytes and peak_flops among the facts.",
                        "--cluster");
        Issues problems;
        const RunScript script = runScriptFromJson(*json, problems);
        if (problems.empty()) return lint(script);
        return fail("bad_value", problems, m_file);
    }

    /// A file of another framework: only what it gives is judged.
    Result<Issues> readForeign(CliContext& context, const std::string& format, const std::string& text) const {
        RunConfig base;
        base.train.device = DeviceKind::Gpu;
        const auto imported = interop::importConfig(format, text, m_file, base);
        if (!imported) return fail(imported.error());
        const auto stated = interop::statedFields(format, text, m_file, base);
        if (!stated) return fail(stated.error());
        ClusterSpec cluster;
        if (!m_cluster.empty()) {
            auto named = clusterFor(context, m_cluster, imported->config.parallel.worldSize());
            if (!named) return fail(named.error());
            cluster = std::move(*named);
        }
        RunScript script = runScriptOf(imported->config, cluster);
        forgetTrainer(script);
        const auto keep = [&](auto& fact, std::initializer_list<const char*> fields) {
            for (const char* field : fields)
                if (!stated->contains(field)) fact.reset();
        };
        keep(script.globalBatchSize, {"train.global_batch_size"});
        keep(script.microBatchSize, {"train.micro_batch_size"});
        keep(script.accumulation, {"train.global_batch_size", "train.micro_batch_size"});
        keep(script.virtualStages, {"parallel.virtual_stages"});
        keep(script.schedule, {"parallel.schedule"});
        keep(script.seqLen, {"train.seq_len"});
        keep(script.numSteps, {"train.num_steps"});
        keep(script.numLayers, {"model.num_layers"});
        keep(script.numHeads, {"model.num_heads"});
        keep(script.numKvHeads, {"model.num_heads"});
        keep(script.vocabSize, {"model.vocab_size"});
        keep(script.saveEvery, {"checkpoint.every_steps"});
        keep(script.parameters, {"model.num_layers", "model.hidden_size", "model.vocab_size"});
        if (m_cluster.empty()) {
            script.peakFlops.reset();
            script.pricePerHour.reset();
        }
        script.devices = imported->worldSize;
        if (imported->launch) script.devicesPerNode = imported->launch->devicesPerNode;
        return lint(script);
    }

    /// What runScriptOf() knows of the bundled trainer alone.
    static void forgetTrainer(RunScript& script) {
        script.scheduleSteps.reset();
        script.zeroInitStage.reset();
        script.writer.reset();
        for (RunScript::Flag* fact : {&script.savesPerMicroStep, &script.restoresDataOrder, &script.clampsSchedule,
                                      &script.spikeRuleSeesNan, &script.workersSplitData, &script.readerShiftsLabels,
                                      &script.modelShiftsLabels, &script.syncsEveryMicroStep})
            fact->reset();
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
        std::vector<std::pair<std::string, std::string>> lines;
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
