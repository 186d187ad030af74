// alerts: enabled alerts, their thresholds, and the program that each of them starts.
#include "app/cli/commands.h"
#include "app/cli/print.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/run/alert_settings.h"
#include "core/run/program_file.h"

namespace slipway {
namespace {

Json documentOf(const AlertSettings& settings) {
    Json rules = Json::array();
    for (const AlertRuleInfo& info : alertRules()) {
        const AlertChoice& choice = settings.choices[static_cast<std::size_t>(info.rule)];
        const bool hasThreshold = !info.unit.empty();
        rules.push_back({{"rule", std::string(info.word)},
                         {"on", choice.isOn},
                         {"threshold", hasThreshold ? Json(choice.threshold) : Json(nullptr)},
                         {"unit", hasThreshold ? Json(std::string(info.unit)) : Json(nullptr)}});
    }
    return {{"rules", std::move(rules)}, {"hook", settings.hook}};
}

class AlertsCommand : public Command {
public:
    std::string name() const override { return "alerts"; }
    Message summary() const override { return "List and set alerts, and the program that they start"_text; }
    bool runsPrograms() const override { return true; }
    Examples examples() const override {
        return {{"slipway alerts"},
                {"slipway alerts set throughput_down --threshold 10"},
                {"slipway alerts set run_ended --off"},
                {"slipway alerts set-hook -- /usr/local/bin/page-me --team ml",
                 "reads the alert as JSON on its standard input"_text},
                {"slipway alerts remove-hook"}};
    }
    void declare(Arguments& arguments) override {
        arguments.option("action", m_action, "list, set, set-hook, remove-hook"_text)
            .shownAs("ACTION")
            .oneOf({"list", "set", "set-hook", "remove-hook"});
        arguments.option("rule", m_rule, "Rule to set, as in the list"_text).shownAs("RULE");
        m_threshold = arguments.option("--threshold", m_value, "Raised beyond this, in the unit of the list"_text)
                          .shownAs("NUMBER");
        arguments.flag("--on", m_on, "Raise this alert"_text);
        arguments.flag("--off", m_off, "Do not raise this alert"_text);
    }
    Result<int> run(CliContext& context) override {
        auto settings = readAlertSettings(context.home);
        if (!settings) return fail(settings.error());
        if (m_action == "set") {
            if (auto set = setRule(*settings); !set) return fail(set.error());
        } else if (m_action == "set-hook") {
            if (!context.program)
                return fail("usage", "Name the program after two hyphens: slipway alerts set-hook -- PROGRAM."_text);
            auto program = makeProgram(*context.program, {});
            if (!program) return fail(program.error());
            settings->hook = std::move(program->command.arguments);
        } else if (m_action == "remove-hook") {
            settings->hook.clear();
        }
        if (m_action != "list")
            if (auto written = writeAlertSettings(context.home, *settings); !written) return fail(written.error());
        print(context, *settings);
        return kExitDone;
    }

private:
    Result<void> setRule(AlertSettings& settings) const {
        const AlertRuleInfo* info = findAlertRule(m_rule);
        if (info == nullptr) {
            std::vector<std::string> known;
            for (const AlertRuleInfo& one : alertRules()) known.emplace_back(one.word);
            return fail("usage", "Unknown alert \"%1\"%2"_text(m_rule, didYouMean(nearestKey(m_rule, known))), "RULE");
        }
        AlertChoice& choice = settings.choices[static_cast<std::size_t>(info->rule)];
        if (m_on == m_off && !m_threshold->given())
            return fail("usage", "Name what changes: --threshold, --on or --off."_text, m_rule);
        if (m_on && m_off) return fail("usage", "Give one of --on and --off."_text, m_rule);
        if (m_on || m_off) choice.isOn = m_on;
        if (m_threshold->given()) {
            if (info->unit.empty()) return fail("usage", "%1 has no threshold."_text(m_rule), "--threshold");
            choice.threshold = m_value;
        }
        return {};
    }

    static void print(CliContext& context, const AlertSettings& settings) {
        if (context.json) {
            context.out << dumpJson(documentOf(settings), true);
            return;
        }
        for (const AlertRuleInfo& info : alertRules()) {
            const AlertChoice& choice = settings.choices[static_cast<std::size_t>(info.rule)];
            std::string word(info.word);
            word.resize(18, ' ');
            context.out << word << (choice.isOn ? "on"_text : "off"_text);
            if (!info.unit.empty())
                context.out << "  " << formatSignificant(choice.threshold, 3) << ' ' << std::string(info.unit);
            context.out << "  " << Message(info.help) << '\n';
        }
        context.out << "Hook"_text << ':';
        if (settings.hook.empty()) context.out << ' ' << "none"_text;
        for (const std::string& word : settings.hook) context.out << ' ' << printable(word);
        context.out << '\n';
    }

    std::string m_action = "list", m_rule;
    double m_value = 0;
    bool m_on = false, m_off = false;
    std::optional<Argument> m_threshold;
};

}  // namespace

std::unique_ptr<Command> makeAlertsCommand() {
    return std::make_unique<AlertsCommand>();
}

}  // namespace slipway
