#include "core/playbook/journal.h"

#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/playbook/figure_model.h"
#include "core/process/file_lock.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace slipway {
namespace {

constexpr std::int64_t kJournalSchema = 1;

std::filesystem::path journal(const Home& home, const char* name) {
    return home.path / "playbook" / name;
}

Result<void> appendLine(const std::filesystem::path& path, const Json& document) {
    if (auto made = makeFolders(path.parent_path()); !made) return fail(made.error());
    // Held for the length of one write, so immediate retries are enough; core never sleeps.
    constexpr int kTries = 200000;
    Result<FileLock> lock = FileLock::tryLock(path.parent_path() / "lock");
    for (int i = 0; i < kTries && !lock && lock.error().code == "locked"; ++i)
        lock = FileLock::tryLock(path.parent_path() / "lock");
    if (!lock && lock.error().code == "locked")
        return fail("journal_busy", "Another program is writing to %1; try again."_text(path.string()), path.string());
    if (!lock) return fail(lock.error());
    auto file = AppendFile::open(path);
    if (!file) return fail(file.error());
    if (auto written = file->append(dumpJson(document, false) + "\n"); !written) return fail(written.error());
    return file->sync();
}

Result<std::vector<Json>> linesOfJournal(const std::filesystem::path& path) {
    std::vector<Json> lines;
    const auto text = readOwnFile(path);
    if (!text) return text.error().code == "file_missing" ? Result<std::vector<Json>>(lines) : fail(text.error());
    for (std::size_t begin = 0; begin < text->size();) {
        const std::size_t end = std::min(text->find('\n', begin), text->size());
        if (auto json = parseJson(text->substr(begin, end - begin), path.string()); json && json->is_object())
            lines.push_back(std::move(*json));
        begin = end + 1;
    }
    return lines;
}

}  // namespace

Result<void> addGuess(const Home& home, const Guess& guess) {
    return appendLine(journal(home, "guesses.jsonl"), Json{{"schema", kJournalSchema},
                                                           {"subject", guess.subject},
                                                           {"value", jsonNumber(guess.value)},
                                                           {"unix_ms", guess.unixMilliseconds},
                                                           {"note", guess.note}});
}

Result<std::vector<Guess>> guessesOf(const Home& home) {
    const auto lines = linesOfJournal(journal(home, "guesses.jsonl"));
    if (!lines) return fail(lines.error());
    std::vector<Guess> guesses;
    for (const Json& line : *lines) {
        const bool isGuess = line.contains("subject") && line["subject"].is_string() && line.contains("value") &&
                             line.contains("unix_ms") && line["unix_ms"].is_number_integer();
        const auto value = isGuess ? numberFromJson(line["value"], "value") : Result<double>(fail("", Message()));
        if (!value) continue;
        const bool hasNote = line.contains("note") && line["note"].is_string();
        guesses.push_back({line["subject"].get<std::string>(), *value, line["unix_ms"].get<std::int64_t>(),
                           hasNote ? line["note"].get<std::string>() : ""});
    }
    return guesses;
}

const Guess* firstGuess(const std::vector<Guess>& guesses, const std::string& subject) {
    for (const Guess& guess : guesses)
        if (guess.subject == subject) return &guess;
    return nullptr;
}

Result<void> addRemark(const Home& home, const Remark& remark) {
    return appendLine(journal(home, "remarks.jsonl"), Json{{"schema", kJournalSchema},
                                                           {"subject", remark.subject},
                                                           {"text", remark.text},
                                                           {"unix_ms", remark.unixMilliseconds}});
}

Result<std::map<std::string, std::string>> remarksOf(const Home& home) {
    const auto lines = linesOfJournal(journal(home, "remarks.jsonl"));
    if (!lines) return fail(lines.error());
    std::map<std::string, std::string> remarks;
    for (const Json& line : *lines) {
        if (!line.contains("subject") || !line["subject"].is_string()) continue;
        if (!line.contains("text") || !line["text"].is_string()) continue;
        const std::string subject = line["subject"].get<std::string>(), text = line["text"].get<std::string>();
        if (text.empty())
            remarks.erase(subject);
        else
            remarks[subject] = text;
    }
    return remarks;
}

Result<void> addRecord(const Home& home, const Json& record) {
    return appendLine(journal(home, "records.jsonl"), record);
}

Result<std::vector<Json>> recordsOf(const Home& home) {
    return linesOfJournal(journal(home, "records.jsonl"));
}

std::optional<GuessScore> scoreOf(const GuessQuestion& question, double guess, double answer) {
    if (answer == 0 || !std::isfinite(answer)) return {};
    const double error = guess / answer - 1;
    return GuessScore{error, std::fabs(error) <= question.tolerance};
}

Json resultOf(const FigureCall& figure) {
    const FigureModel* model = findFigureModel(figure.model);
    const auto inputs = parseJson(figure.inputsJson, "inputs");
    if (model == nullptr || !inputs) return nullptr;
    const auto outputs = computeFigure(*model, *inputs);
    return outputs && outputs->contains(figure.output) ? (*outputs)[figure.output] : Json(nullptr);
}

std::optional<double> answerOf(const GuessQuestion& question, const FigureCall& figure) {
    const Json result = resultOf(figure);
    if (result.is_null()) return {};
    const auto value = numberFromJson(result, figure.output);
    return value ? std::optional(*value * question.scale) : std::nullopt;
}

std::optional<double> answerOf(const GuessQuestion& question) {
    return question.answer ? answerOf(question, *question.answer) : std::nullopt;
}

}  // namespace slipway
