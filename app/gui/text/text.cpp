#include "app/gui/text/text.h"

#include "app/gui/text/format.h"
#include "core/base/recorded_text.h"
#include "core/metrics/mfu_rule.h"
#include "core/metrics/titles.h"
#include "core/spec/run_config.h"

#include <QCoreApplication>
#include <array>
#include <map>

namespace slipway::gui {
namespace {

struct Entry {
    std::string_view key;
    const char* text;
};

template <std::size_t N>
const char* find(const std::array<Entry, N>& table, std::string_view key) {
    for (const Entry& entry : table)
        if (entry.key == key) return entry.text;
    return nullptr;
}

constexpr auto kStatuses = std::to_array<Entry>({
    {"planned", QT_TRANSLATE_NOOP("Status", "Planned")},
    {"queued", QT_TRANSLATE_NOOP("Status", "Queued")},
    {"running", QT_TRANSLATE_NOOP("Status", "Running")},
    {"completed", QT_TRANSLATE_NOOP("Status", "Completed")},
    {"failed", QT_TRANSLATE_NOOP("Status", "Failed")},
    {"cancelled", QT_TRANSLATE_NOOP("Status", "Cancelled")},
    {"lost", QT_TRANSLATE_NOOP("Status", "Lost")},
    {"skipped", QT_TRANSLATE_NOOP("Status", "Skipped")},
});

// Choices of fields other than enums.
constexpr auto kChoices = std::to_array<Entry>({
    {"parallel.zero_stage=0", QT_TRANSLATE_NOOP("Choice", "0: nothing sharded")},
    {"parallel.zero_stage=1", QT_TRANSLATE_NOOP("Choice", "1: optimizer states")},
    {"parallel.zero_stage=2", QT_TRANSLATE_NOOP("Choice", "2: also gradients")},
    {"parallel.zero_stage=3", QT_TRANSLATE_NOOP("Choice", "3: also weights")},
    {"parallel.layers_per_stage=even", QT_TRANSLATE_NOOP("Choice", "Even")},
    {"parallel.layers_per_stage=last_1", QT_TRANSLATE_NOOP("Choice", "Last stage 1 less")},
    {"parallel.layers_per_stage=last_2", QT_TRANSLATE_NOOP("Choice", "Last stage 2 less")},
    {"parallel.layers_per_stage=ends_1", QT_TRANSLATE_NOOP("Choice", "Both ends 1 less")},
    {"parallel.layers_per_stage=ends_2", QT_TRANSLATE_NOOP("Choice", "Both ends 2 less")},
    {"bool=true", QT_TRANSLATE_NOOP("Choice", "yes")},
    {"bool=false", QT_TRANSLATE_NOOP("Choice", "no")},
});

QString translated(const char* context, const char* text) {
    return QCoreApplication::translate(context, text);
}

bool isEnglish() {
    return windowLanguage() == Language::English;
}

/// Fields of configs and clusters by path.
const std::map<std::string, FieldInfo, std::less<>>& fieldsByPath() {
    static const auto all = [] {
        std::map<std::string, FieldInfo, std::less<>> fields;
        for (const FieldInfos& infos : {runConfigFields(), clusterFields()})
            for (const FieldInfo& info : infos) fields.emplace(info.path, info);
        return fields;
    }();
    return all;
}

}  // namespace

QString messageText(const Message& message) {
    return qs(textOf(message, windowLanguage()));
}

QString recordedWords(const std::string& english) {
    return qs(recordedText(english, windowLanguage()));
}

QString fieldLabel(std::string_view path) {
    const auto field = fieldsByPath().find(path);
    return field != fieldsByPath().end() ? messageText(field->second.label) : qs(path);
}

bool hasFieldLabel(std::string_view path) {
    return fieldsByPath().contains(path);
}

QString choiceText(std::string_view path, const std::string& word) {
    if (const auto field = fieldsByPath().find(path); field != fieldsByPath().end())
        for (std::size_t i = 0; i < field->second.choices.size(); ++i)
            if (field->second.choices[i] == word) return messageText(field->second.choiceLabels[i]);
    const char* text = find(kChoices, std::string(path) + "=" + word);
    return text ? translated("Choice", text) : qs(word);
}

QString issueText(const Issue& issue) {
    const QString sentence = shownLines(issue.inLanguage(windowLanguage()));
    return !isEnglish() && hasFieldLabel(issue.field) ? QStringLiteral("%1: %2").arg(fieldLabel(issue.field), sentence)
                                                      : sentence;
}

QString errorText(const Error& error) {
    return shownLines(error.inLanguage(windowLanguage()));
}

QString mfuRuleText(std::string_view rule) {
    return messageText(mfuRuleName(rule));
}

QString statusText(RunStatus status) {
    return statusText(wordOf(status));
}

QString statusText(std::string_view word) {
    const char* text = find(kStatuses, word);
    return text ? translated("Status", text) : qs(word);
}

QString columnTitle(std::string_view name) {
    return messageText(titleOf(name));
}

}  // namespace slipway::gui
